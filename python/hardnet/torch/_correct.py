"""The operators behind `hardnet.torch.Layer`: the correction of a batch, and its gradient.

    hardnet::correct            y                     backward corrects once more, with a tape
    hardnet::correct_taped      y and a record        backward reads the record
    hardnet::correct_gradient   gradients by y_raw and x, from the record
    hardnet::correct_again      gradients by y_raw and x, without one

All of them take float64 tensors (..., outputs) and (..., inputs) with equal leading shapes, and a
layer: its contents and its number (_handles.py). A record is bytes: the reports of all samples, then
the layer's tape. How many bytes a sample takes is an argument: the shapes of an operator's results
follow from its arguments alone. What a call leaves in `layer.last` is left by the kernel, wherever it
is called from.

Where y is to be returned in half precision, `rounds` says in which (ROUNDS): hardnet::correct then
rounds it, and the reports are about the rounded y. Its backward runs the correction again, so that
gradients are those of the y before.

Tensors on the CPU are handled here, those on a CUDA device in _cuda.py, by the same operators.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from .. import _rounding
from .._outcome import Outcome
from .._result import REPORT
from . import _cuda, _handles, _nonfinite
from ._operators import Operator, batch_first, differentiable, differentiable_once, numbers

if TYPE_CHECKING:
    from ._layer import Layer

#: Types whose outputs are judged after rounding, by the number that operators take; 0: no other.
ROUNDS = {torch.float16: 1, torch.bfloat16: 2}
_ROUNDED = {number: dtype for dtype, number in ROUNDS.items()}

#: Arguments of the extension for inputs that are shared by a batch.
Shared = Mapping[str, Any]
NOT_SHARED: Shared = MappingProxyType({})

# ---- the work, over NumPy views ----


def _record_parts(layer: Layer, record: Tensor, count: int) -> tuple[Any, Any]:
    """The reports and the tape within a record, as bytes."""
    flat = numbers(record).reshape(-1)
    middle = count * REPORT.itemsize
    return flat[:middle], flat[middle : middle + layer.core.tape_bytes(count)]


def run(
    layer: Layer, y_raw: Tensor, x: Tensor, record: Tensor | None, shared: Shared = NOT_SHARED
) -> tuple[Tensor, Any]:
    """y, and the reports as bytes."""
    y = torch.empty(y_raw.shape, dtype=torch.float64)
    count = y_raw.shape[:-1].numel()
    tape = None
    if record is None:
        reports = np.empty(count * REPORT.itemsize, np.uint8)
    else:
        reports, tape = _record_parts(layer, record, count)
    if count > 0:
        layer.core.run(
            count, numbers(x), numbers(y_raw), y.numpy(), reports, tape=tape,
            fallback=layer.inner.fallback, not_ok=layer.inner.settings["not_ok"], **shared,
        )  # fmt: skip
    return y, reports


def finished(
    layer: Layer, x: Tensor, y: Tensor, reports: Any, rounds: int, shared: Shared = NOT_SHARED
) -> Tensor:
    """y as it is returned: rounded, NaN where that has to be. Its reports, bytes, are noted."""
    lead, kind = y.shape[:-1], _ROUNDED.get(rounds)
    records = reports.view(REPORT).reshape(lead)
    if kind is not None:
        y = y.to(kind).to(torch.float64)
        _rounding.judge(layer.inner, numbers(x), y.numpy(), records, None, shared)
    wrong = bool(np.count_nonzero(records["outcome"]))
    if wrong and layer.spreads_nan:
        _nonfinite.spread(y, torch.from_numpy(reports).view(*lead, REPORT.itemsize))
    layer.note_reports(records, wrong)
    return y


def pull(
    layer: Layer, grad_y: Tensor, kept: tuple[Tensor, ...], by_x: bool, shared: Shared = NOT_SHARED,
    by_shared: NDArray[np.float64] | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Gradients by y_raw and x; that by shared inputs is added to by_shared."""
    y_raw, x, y, record = kept
    count = y_raw.shape[:-1].numel()
    grad_y_raw = torch.empty(y_raw.shape, dtype=torch.float64)
    grad_x = torch.empty(x.shape if by_x else (0,), dtype=torch.float64)
    flagged = np.zeros(count, np.bool_)
    if count > 0:
        reports, tape = _record_parts(layer, record, count)
        layer.core.gradient(
            count, numbers(x), numbers(y_raw), numbers(y), reports, tape, numbers(grad_y),
            grad_y_raw.numpy(), grad_x=grad_x.numpy() if by_x else None, flagged=flagged,
            grad_shared=by_shared, **shared,
        )  # fmt: skip
        if layer.spreads_nan and flagged.any():
            bad = reports.view(REPORT)["outcome"] == Outcome.NONFINITE_INPUT
            mask = torch.from_numpy(bad).reshape(y_raw.shape[:-1])
            gradients = [grad_y_raw, grad_x] if by_x else [grad_y_raw]
            spread = _nonfinite.spread_gradients(mask, grad_y, None, *gradients)
            if by_shared is not None and bool(spread.any()):
                by_shared.fill(np.nan)
    layer.note_flagged(flagged.reshape(y_raw.shape[:-1]))
    return grad_y_raw, grad_x


# ---- kernels ----


def _correct(y_raw: Tensor, x: Tensor, contents: str, number: int, rounds: int) -> Tensor:
    layer = _handles.find(contents, number)
    if y_raw.is_cuda:
        return _cuda.correct(layer, y_raw, x, _ROUNDED.get(rounds))
    return finished(layer, x, *run(layer, y_raw, x, None), rounds)


def _correct_taped(
    y_raw: Tensor, x: Tensor, contents: str, number: int, record_bytes: int
) -> tuple[Tensor, Tensor]:
    layer = _handles.find(contents, number)
    if y_raw.is_cuda:
        return _cuda.correct_taped(layer, y_raw, x, record_bytes)
    record = layer.memory.take((*y_raw.shape[:-1], record_bytes))
    _handles.keep_alive(record, layer)
    y, reports = run(layer, y_raw, x, record)
    return finished(layer, x, y, reports.copy(), 0), record  # a view would hold the record


def _correct_gradient(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor, contents: str, number: int,
    by_x: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    pull_there = _cuda.pull if y_raw.is_cuda else pull
    return pull_there(_handles.find(contents, number), grad_y, (y_raw, x, y, record), by_x)


def _correct_again(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, contents: str, number: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    layer = _handles.find(contents, number)
    if y_raw.is_cuda:
        return _cuda.pull_again(layer, grad_y, (y_raw, x), by_x)
    record = layer.memory.take((*y_raw.shape[:-1], layer.record_bytes))
    y, _ = run(layer, y_raw, x, record)
    return pull(layer, grad_y, (y_raw, x, y, record), by_x)


# ---- shapes of their results ----


def _shape(y_raw: Tensor, x: Tensor, contents: str, number: int, rounds: int) -> Tensor:
    return y_raw.new_empty(y_raw.shape)


def _shapes_taped(
    y_raw: Tensor, x: Tensor, contents: str, number: int, record_bytes: int
) -> tuple[Tensor, Tensor]:
    shape = (*y_raw.shape[:-1], record_bytes)
    return y_raw.new_empty(y_raw.shape), y_raw.new_empty(shape, dtype=torch.uint8)


def _shapes_gradient(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor, contents: str, number: int,
    by_x: bool,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    return y_raw.new_empty(y_raw.shape), x.new_empty(x.shape if by_x else (0,))


def _shapes_again(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, contents: str, number: int, by_x: bool
) -> tuple[Tensor, Tensor]:
    return y_raw.new_empty(y_raw.shape), x.new_empty(x.shape if by_x else (0,))


# ---- vmap: one more leading dimension ----


def _batch(info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, *layer: Any) -> Any:
    return correct(*batch_first(info, in_dims, y_raw, x), *layer), 0


def _batch_taped(info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, *layer: Any) -> Any:
    return correct_taped(*batch_first(info, in_dims, y_raw, x), *layer), (0, 0)


def _batch_gradient(
    info: Any, in_dims: Any, grad_y: Tensor, y_raw: Tensor, x: Tensor, y: Tensor, record: Tensor,
    contents: str, number: int, by_x: bool,
) -> Any:  # fmt: skip
    layer = contents, number
    if in_dims[4] is None:  # one forward pass, several gradients: the record is not repeated
        parts = [
            correct_gradient(g, y_raw, x, y, record, *layer, by_x)
            for g in grad_y.unbind(in_dims[0])
        ]
        return tuple(torch.stack(part) for part in zip(*parts)), (0, 0)
    if in_dims[4] != 0:
        raise RuntimeError("hardnet: a record is batched in its first dimension")
    tensors = batch_first(info, in_dims, grad_y, y_raw, x, y)
    return correct_gradient(*tensors, record, *layer, by_x), (0, 0 if by_x else None)


def _batch_again(
    info: Any, in_dims: Any, grad_y: Tensor, y_raw: Tensor, x: Tensor, contents: str, number: int,
    by_x: bool,
) -> Any:  # fmt: skip
    tensors = batch_first(info, in_dims, grad_y, y_raw, x)
    return correct_again(*tensors, contents, number, by_x), (0, 0 if by_x else None)


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


def _gradients(ctx: Any, gradient: Any, grad_y: Tensor | None) -> tuple[Any, ...]:
    """By y_raw and x, and nothing by contents, number and what else there is."""
    if grad_y is None:
        return None, None, None, None, None
    by_x = ctx.needs_input_grad[1]
    grad_y_raw, grad_x = gradient(grad_y, *ctx.saved_tensors, *ctx.layer, by_x)
    return grad_y_raw, grad_x if by_x else None, None, None, None


def keep_layer(ctx: Any, contents: str, number: Any) -> None:
    ctx.layer = contents, number
    ctx.owner = _handles.find(contents, int(number))


def _keep(ctx: Any, inputs: Any, output: Tensor) -> None:
    y_raw, x, contents, number, _ = inputs
    keep_layer(ctx, contents, number)
    ctx.set_materialize_grads(False)
    ctx.save_for_backward(y_raw, x)


def _backward(ctx: Any, grad_y: Tensor | None) -> tuple[Any, ...]:
    return _gradients(ctx, _gradient_again, grad_y)


def _keep_record(ctx: Any, inputs: Any, output: tuple[Tensor, Tensor]) -> None:
    y_raw, x, contents, number, _ = inputs
    keep_layer(ctx, contents, number)
    ctx.set_materialize_grads(False)  # no zeros for the record
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(y_raw, x, *output)


def _backward_record(ctx: Any, grad_y: Tensor | None, _: None) -> tuple[Any, ...]:
    return _gradients(ctx, _gradient, grad_y)


corrected = differentiable(correct, "the layer", _keep, _backward)
corrected_taped = differentiable(correct_taped, "the layer", _keep_record, _backward_record)
