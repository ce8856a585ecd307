"""The operators behind `hardnet.torch.Layer`: the correction of a batch, and its gradient.

    hardnet::correct            y                     backward corrects once more, with a tape
    hardnet::correct_taped      y and a record        backward reads the record
    hardnet::correct_gradient   gradients by y_raw and x, from the record
    hardnet::correct_again      gradients by y_raw and x, without one

All of them take float64 tensors (..., outputs) and (..., inputs) with equal leading shapes, and the
number of a layer (_handles.py). A record is bytes: the reports of all samples, then the layer's
tape. How many bytes a sample takes is an argument: the shapes of an operator's results follow from
its arguments alone, because torch.compile keeps compiled functions on disk, for processes in which
the number stands for another layer. What a call leaves in `layer.last` is left by the kernel,
wherever it is called from.

Tensors on the CPU are handled here, those on a CUDA device in _cuda.py, by the same operators.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .._result import REPORT
from . import _cuda, _handles
from ._operators import Operator, batch_first, differentiable, differentiable_once, numbers

if TYPE_CHECKING:
    from ._layer import Layer

# ---- the work, over NumPy views ----


def _record_parts(layer: Layer, record: Tensor, count: int) -> tuple[Any, Any]:
    """The reports and the tape within a record, as bytes."""
    flat = numbers(record).reshape(-1)
    middle = count * REPORT.itemsize
    return flat[:middle], flat[middle : middle + layer.core.tape_bytes(count)]


def _run(layer: Layer, y_raw: Tensor, x: Tensor, record: Tensor | None) -> tuple[Tensor, Any]:
    """y, and the reports as bytes."""
    y = torch.empty(y_raw.shape, dtype=torch.float64)
    count = y_raw.shape[:-1].numel()
    tape = None
    if record is None:
        reports = np.empty(count * REPORT.itemsize, np.uint8)
    else:
        reports, tape = _record_parts(layer, record, count)
    if count > 0:
        layer.core.run(count, numbers(x), numbers(y_raw), y.numpy(), reports, tape=tape)
    return y, reports


def _pull(
    layer: Layer, grad_y: Tensor, run: tuple[Tensor, ...], by_x: bool
) -> tuple[Tensor, Tensor]:
    y_raw, x, y, record = run
    count = y_raw.shape[:-1].numel()
    grad_y_raw = torch.empty(y_raw.shape, dtype=torch.float64)
    grad_x = torch.empty(x.shape if by_x else (0,), dtype=torch.float64)
    flagged = np.zeros(count, np.bool_)
    if count > 0:
        reports, tape = _record_parts(layer, record, count)
        layer.core.gradient(
            count, numbers(x), numbers(y_raw), numbers(y), reports, tape, numbers(grad_y),
            grad_y_raw.numpy(), grad_x=grad_x.numpy() if by_x else None, flagged=flagged,
        )  # fmt: skip
    layer.note_flagged(flagged.reshape(y_raw.shape[:-1]))
    return grad_y_raw, grad_x


# ---- kernels ----


def _correct(y_raw: Tensor, x: Tensor, key: int) -> Tensor:
    layer = _handles.find(key)
    if y_raw.is_cuda:
        return _cuda.correct(layer, y_raw, x)
    y, reports = _run(layer, y_raw, x, None)
    layer.note_reports(reports.view(REPORT).reshape(y_raw.shape[:-1]))
    return y


def _correct_taped(y_raw: Tensor, x: Tensor, key: int, record_bytes: int) -> tuple[Tensor, Tensor]:
    layer = _handles.find(key)
    if y_raw.is_cuda:
        return _cuda.correct_taped(layer, y_raw, x, record_bytes)
    record = layer.memory.take((*y_raw.shape[:-1], record_bytes))
    _handles.keep_alive(record, layer)
    y, reports = _run(layer, y_raw, x, record)
    reports = reports.copy()  # a view would hold the record
    layer.note_reports(reports.view(REPORT).reshape(y_raw.shape[:-1]))
    return y, record


def _correct_gradient(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor, key: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    pull = _cuda.pull if y_raw.is_cuda else _pull
    return pull(_handles.find(key), grad_y, (y_raw, x, y, record), by_x)


def _correct_again(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, key: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    layer = _handles.find(key)
    if y_raw.is_cuda:
        return _cuda.pull_again(layer, grad_y, (y_raw, x), by_x)
    record = layer.memory.take((*y_raw.shape[:-1], layer.record_bytes))
    y, _ = _run(layer, y_raw, x, record)
    return _pull(layer, grad_y, (y_raw, x, y, record), by_x)


# ---- shapes of their results ----


def _shape(y_raw: Tensor, x: Tensor, key: int) -> Tensor:
    return y_raw.new_empty(y_raw.shape)


def _shapes_taped(y_raw: Tensor, x: Tensor, key: int, record_bytes: int) -> tuple[Tensor, Tensor]:
    shape = (*y_raw.shape[:-1], record_bytes)
    return y_raw.new_empty(y_raw.shape), y_raw.new_empty(shape, dtype=torch.uint8)


def _shapes_gradient(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor, key: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    return y_raw.new_empty(y_raw.shape), x.new_empty(x.shape if by_x else (0,))


def _shapes_again(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, key: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    return y_raw.new_empty(y_raw.shape), x.new_empty(x.shape if by_x else (0,))


# ---- vmap: one more leading dimension ----


def _batch(info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, key: int) -> Any:
    return correct(*batch_first(info, in_dims, y_raw, x), key), 0


def _batch_taped(
    info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, key: int, record_bytes: int
) -> Any:
    return correct_taped(*batch_first(info, in_dims, y_raw, x), key, record_bytes), (0, 0)


def _batch_gradient(
    info: Any, in_dims: Any, grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor,
    key: int, by_x: bool,
) -> Any:  # fmt: skip
    if in_dims[4] is None:  # one forward pass, several gradients: the record is not repeated
        parts = [
            correct_gradient(g, y_raw, x, y, record, key, by_x) for g in grad_y.unbind(in_dims[0])
        ]
        return tuple(torch.stack(part) for part in zip(*parts)), (0, 0)
    if in_dims[4] != 0:
        raise RuntimeError("hardnet: a record is batched in its first dimension")
    tensors = batch_first(info, in_dims, grad_y, y_raw, x, y)
    return correct_gradient(*tensors, record, key, by_x), (0, 0 if by_x else None)


def _batch_again(
    info: Any, in_dims: Any, grad_y: Tensor, y_raw: Tensor, x: Tensor, key: int, by_x: bool
) -> Any:
    tensors = batch_first(info, in_dims, grad_y, y_raw, x)
    return correct_again(*tensors, key, by_x), (0, 0 if by_x else None)


# ---- the operators ----

_BOTH = ("cpu", "cuda")

correct = Operator("correct", _correct, _shape, _batch, devices=_BOTH)
correct_taped = Operator(
    "correct_taped", _correct_taped, _shapes_taped, _batch_taped, devices=_BOTH
)
correct_gradient = Operator(
    "correct_gradient", _correct_gradient, _shapes_gradient, _batch_gradient, direct=False,
    devices=_BOTH,
)  # fmt: skip
correct_again = Operator(
    "correct_again", _correct_again, _shapes_again, _batch_again, direct=False, devices=_BOTH
)


# ---- their gradients ----

_gradient = differentiable_once(correct_gradient, "the layer")
_gradient_again = differentiable_once(correct_again, "the layer")


def _gradients(ctx: Any, gradient: Any, grad_y: Tensor | None) -> tuple[Any, Any, None]:
    if grad_y is None:
        return None, None, None
    by_x = ctx.needs_input_grad[1]
    grad_y_raw, grad_x = gradient(grad_y, *ctx.saved_tensors, ctx.key, by_x)
    return grad_y_raw, grad_x if by_x else None, None


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: Tensor) -> None:
    y_raw, x, ctx.key = inputs
    ctx.owner = _handles.find(int(ctx.key))
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(y_raw, x)


def _backward(ctx: Any, grad_y: Tensor | None) -> tuple[Any, Any, None]:
    return _gradients(ctx, _gradient_again, grad_y)


def _keep_record(ctx: Any, inputs: Any, output: tuple[Tensor, Tensor]) -> None:
    y_raw, x, ctx.key, _ = inputs
    ctx.owner = _handles.find(int(ctx.key))
    ctx.set_materialize_grads(False)  # no zeros for the record
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(y_raw, x, *output)


def _backward_record(ctx: Any, grad_y: Tensor | None, _: None) -> tuple[Any, Any, None, None]:
    return *_gradients(ctx, _gradient, grad_y), None


corrected = differentiable(correct, "the layer", _keep, _backward)
corrected_taped = differentiable(correct_taped, "the layer", _keep_record, _backward_record)
