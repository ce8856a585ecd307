"""Inputs that are given once for all samples: operators beside those of _correct.py.

    hardnet::correct_shared            y and a record, which is empty if record_bytes is 0
    hardnet::correct_shared_gradient   gradients by y_raw, x and the shared inputs, from the record; with
                                       an empty one the correction is repeated

`shared` has the values of the shared inputs, joined in the order of `names`; "" for the first inputs.
Their gradient is the sum over the samples of a call in their order. The CPU computes both.

Where vmap maps over shared inputs, or over a gradient, it calls the operator for one slice after the
other, without a record.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .. import _checks
from .._shared import Sharing, sharing_of
from . import _handles
from ._arguments import double
from ._correct import finished, keep_layer, pull, run
from ._operators import Operator, batch_first, differentiable, differentiable_once, numbers

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["corrected_shared", "joined"]


def joined(layer: Layer, shared: Any) -> tuple[Tensor, str]:
    """The shared inputs as one row in float64, and `names`."""
    if not hasattr(shared, "keys"):
        row = double(shared, "shared")
        if row.dim() != 1 or row.shape[0] > layer.inputs:
            sharing_of(layer.model, row, lambda tensor: tuple(tensor.shape))  # raises
        return row, ""
    parts = {name: double(shared[name], f"shared: {name}") for name in shared.keys()}  # noqa: SIM118
    for name, part in parts.items():
        if layer.input_shapes.get(name) != tuple(part.shape):
            sharing_of(layer.model, parts, lambda tensor: tuple(tensor.shape))  # raises
    rows = [part.reshape(-1) for part in parts.values()]
    return torch.cat(rows) if rows else torch.empty(0, dtype=torch.float64), "\n".join(parts)


def _sharing(layer: Layer, names: str, count: int) -> Sharing:
    found = layer.sharings.get((names, count))
    if found is None:
        found = Sharing(layer.model, names.split("\n") if names else None, count)
        layer.sharings[names, count] = found
    return found


def _keywords(sharing: Sharing, shared: Tensor) -> dict[str, Any]:
    row = np.ascontiguousarray(sharing.sorted(numbers(shared)))
    return {"shared": row, "shared_inputs": sharing.inputs}


# ---- kernels ----


def _correct(
    y_raw: Tensor, x: Tensor, shared: Tensor, names: str, contents: str, number: int, rounds: int,
    record_bytes: int,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    layer = _handles.find(contents, number)
    keywords = _keywords(_sharing(layer, names, shared.numel()), shared)
    record = layer.memory.take((*y_raw.shape[:-1], record_bytes))
    if record_bytes:
        _handles.keep_alive(record, layer)
    y, reports = run(layer, y_raw, x, record if record_bytes else None, keywords)
    reports = reports.copy() if record_bytes else reports  # a view would hold the record
    return finished(layer, x, y, reports, rounds, keywords), record


def _gradient(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, shared: Tensor, y: Tensor, record: Tensor, names: str,
    contents: str, number: int, by_x: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    layer = _handles.find(contents, number)
    sharing = _sharing(layer, names, shared.numel())
    keywords = _keywords(sharing, shared)
    if record.shape[-1] == 0:
        record = layer.memory.take((*y_raw.shape[:-1], layer.record_bytes))
        y, _ = run(layer, y_raw, x, record, keywords)
    by_shared = np.zeros(shared.numel())
    found = pull(layer, grad_y, (y_raw, x, y, record), by_x, keywords, by_shared)
    return *found, torch.from_numpy(sharing.joined(by_shared)).reshape(shared.shape)


# ---- shapes of their results ----


def _shapes(
    y_raw: Tensor, x: Tensor, shared: Tensor, names: str, contents: str, number: int, rounds: int,
    record_bytes: int,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    shape = (*y_raw.shape[:-1], record_bytes)
    return y_raw.new_empty(y_raw.shape), y_raw.new_empty(shape, dtype=torch.uint8)


def _gradient_shapes(
    grad_y: Tensor, y_raw: Tensor, x: Tensor, shared: Tensor, y: Tensor, record: Tensor, names: str,
    contents: str, number: int, by_x: bool,
) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
    by_inputs = x.new_empty(x.shape if by_x else (0,))
    return y_raw.new_empty(y_raw.shape), by_inputs, shared.new_empty(shared.shape)


# ---- vmap ----


def _one_by_one(info: Any, in_dims: Any, operator: Any, tensors: Any, rest: Any) -> Any:
    """The results of the operator for every slice, stacked."""
    slices = [
        [one] * info.batch_size if dim is None else one.unbind(dim)
        for one, dim in zip(tensors, in_dims)
    ]
    parts = [operator(*each, *rest) for each in zip(*slices)]
    return tuple(torch.stack(part) for part in zip(*parts))


def _batch(
    info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, shared: Tensor, names: str, contents: str,
    number: int, rounds: int, record_bytes: int,
) -> Any:  # fmt: skip
    rest = (names, contents, number, rounds, 0)
    if in_dims[2] is None:
        return correct_shared(*batch_first(info, in_dims, y_raw, x), shared, *rest), (0, 0)
    found = _one_by_one(info, in_dims, correct_shared, (y_raw, x, shared), rest)
    return found, (0, 0)


def _batch_gradient(info: Any, in_dims: Any, *arguments: Any) -> Any:
    tensors, rest = arguments[:6], arguments[6:]
    return _one_by_one(info, in_dims, correct_shared_gradient, tensors, rest), (0, 0, 0)


# ---- the operators and their gradient ----

correct_shared = Operator("correct_shared", _correct, _shapes, _batch)
correct_shared_gradient = Operator(
    "correct_shared_gradient", _gradient, _gradient_shapes, _batch_gradient, direct=False
)
_gradient_once = differentiable_once(correct_shared_gradient, "the layer")


def _keep(ctx: Any, inputs: Any, output: tuple[Tensor, Tensor]) -> None:
    y_raw, x, shared, names, contents, number, _, _ = inputs
    keep_layer(ctx, contents, number)
    ctx.names = names
    ctx.set_materialize_grads(False)  # no zeros for the record
    ctx.mark_non_differentiable(output[1])
    ctx.save_for_backward(y_raw, x, shared, *output)


def _backward(ctx: Any, grad_y: Tensor | None, _: None) -> tuple[Any, ...]:
    none = (None,) * 5
    if grad_y is None:
        return None, None, None, *none
    by_x = ctx.needs_input_grad[1]
    by_y_raw, by_inputs, by_shared = _gradient_once(
        grad_y, *ctx.saved_tensors, ctx.names, *ctx.layer, by_x
    )
    return by_y_raw, by_inputs if by_x else None, by_shared, *none


corrected_shared = differentiable(correct_shared, "the layer", _keep, _backward)
