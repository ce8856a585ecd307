"""Corrected outputs together with their multipliers, both differentiable: "nearest" and "optimal".

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor

from .._outcome import Outcome
from .._result import REPORT
from . import _cuda
from ._correct import finished
from ._nonfinite import spread_gradients, spread_multipliers
from ._operators import is_tracing

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["with_multipliers"]


class _Solve(torch.autograd.Function):
    """y and multipliers of (..., outputs) and (..., inputs), in double, on the CPU."""

    @staticmethod
    def forward(context: Any, y_raw: Tensor, x: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
        inputs = x.detach().numpy() if layer.inputs else None
        result = layer.inner(y_raw.detach().numpy(), inputs, tape=True)
        context.layer, context.result = layer, result
        kept = result.reports.reshape(-1).copy().view(np.uint8)
        y = finished(layer, x, torch.from_numpy(result.y.copy()), kept, 0)
        multipliers = torch.from_numpy(result.multipliers.copy())
        if layer.spreads_nan:
            reports = torch.from_numpy(kept).view(*y.shape[:-1], REPORT.itemsize)
            spread_multipliers(multipliers, reports)
        return y, multipliers

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator,unused-ignore]
    def backward(context: Any, grad_y: Tensor, grad_multipliers: Tensor) -> Any:
        layer, result = context.layer, context.result
        gradient = layer.inner.gradient(
            result, grad_y.numpy(), grad_multipliers=grad_multipliers.numpy()
        )
        layer.note_flagged(gradient.flagged)
        by_x = torch.from_numpy(gradient.x) if layer.inputs else None
        by_y_raw = torch.from_numpy(gradient.y_raw)
        if layer.spreads_nan:
            bad = torch.as_tensor(result.outcome == Outcome.NONFINITE_INPUT)
            gradients = [by_y_raw] if by_x is None else [by_y_raw, by_x]
            spread_gradients(bad, grad_y, grad_multipliers, *gradients)
        return by_y_raw, by_x, None


class _SolveThere(torch.autograd.Function):
    """The same on a CUDA device: nothing is waited for."""

    @staticmethod
    def forward(context: Any, y_raw: Tensor, x: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
        y, multipliers, record = _cuda.solve(layer, y_raw, x)
        context.layer = layer
        context.save_for_backward(y_raw, x, y, record)
        return y, multipliers

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator,unused-ignore]
    def backward(context: Any, grad_y: Tensor, grad_multipliers: Tensor) -> Any:
        layer, run = context.layer, context.saved_tensors
        by_x = layer.inputs > 0
        gradients = _cuda.pull(layer, grad_y, run, by_x, grad_multipliers)
        return gradients[0], gradients[1] if by_x else None, None


def with_multipliers(layer: Layer, y_raw: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Of double tensors with equal leading shapes, on the same device."""
    if is_tracing():
        raise NotImplementedError(
            "hardnet: with_multipliers cannot be traced (torch.jit.trace, torch.onnx)"
        )
    apply: Any = _SolveThere.apply if y_raw.is_cuda else _Solve.apply
    pair: tuple[Tensor, Tensor] = apply(y_raw.contiguous(), x.contiguous(), layer)
    return pair
