"""Corrected outputs together with their multipliers, both differentiable: "nearest" and "optimal".

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["with_multipliers"]


class _Solve(torch.autograd.Function):
    """y and multipliers of (..., outputs) and (..., inputs), in double, on the CPU."""

    @staticmethod
    def forward(context: Any, y_raw: Tensor, x: Tensor, layer: Layer) -> tuple[Tensor, Tensor]:
        inputs = x.detach().numpy() if layer.inputs else None
        result = layer.inner(y_raw.detach().numpy(), inputs, tape=True)
        layer.note_reports(result.reports)
        context.layer, context.result = layer, result
        return torch.from_numpy(result.y), torch.from_numpy(result.multipliers)

    @staticmethod
    @torch.autograd.function.once_differentiable  # type: ignore[untyped-decorator,unused-ignore]
    def backward(context: Any, grad_y: Tensor, grad_multipliers: Tensor) -> Any:
        layer, result = context.layer, context.result
        gradient = layer.inner.gradient(
            result, grad_y.numpy(), grad_multipliers=grad_multipliers.numpy()
        )
        layer.note_flagged(gradient.flagged)
        by_x = torch.from_numpy(gradient.x) if layer.inputs else None
        return torch.from_numpy(gradient.y_raw), by_x, None


def with_multipliers(layer: Layer, y_raw: Tensor, x: Tensor) -> tuple[Tensor, Tensor]:
    """Of double tensors with equal leading shapes."""
    apply: Any = _Solve.apply
    pair: tuple[Tensor, Tensor] = apply(y_raw.contiguous(), x.contiguous(), layer)
    return pair
