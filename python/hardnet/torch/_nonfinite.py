"""NaN in gives NaN out: samples whose y_raw or x is not finite.

The library returns a fallback for them. In a network that would look like a result: a finite loss
with the gradient 0. So their outputs and multipliers are NaN here, and so are their gradients, unless
the layer has a fallback. A gradient remains 0 where the loss depends on neither.

All functions accept tensors on any device and do not synchronise.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import torch
from torch import Tensor

from .._outcome import Outcome
from .._result import REPORT

__all__ = ["WARNING", "nonfinite", "spread", "spread_gradients", "spread_multipliers"]

#: Always the same sentence, so that Python shows it once.
WARNING = (
    "hardnet: y_raw or x has entries that are not finite; the corrected outputs of these samples "
    "are NaN (fallback= returns numbers instead)"
)


def column(reports: Tensor, name: str, dtype: torch.dtype) -> Tensor:
    """A field of reports that are bytes, (..., bytes of a report), as a view."""
    offset: int = (REPORT.fields or {})[name][1]
    return reports.view(dtype)[..., offset // dtype.itemsize]


def nonfinite(reports: Tensor) -> Tensor:
    """Which samples had y_raw or x that is not finite."""
    return column(reports, "outcome", torch.int32) == int(Outcome.NONFINITE_INPUT)


def spread(y: Tensor, reports: Tensor) -> None:
    """Makes outputs NaN, and their reports say so."""
    bad = nonfinite(reports)
    y.masked_fill_(bad.unsqueeze(-1), torch.nan)
    for name in ("violation", "moved", "distance"):
        column(reports, name, torch.float64).masked_fill_(bad, torch.inf)
    column(reports, "worst", torch.int64).masked_fill_(bad, -1)


def spread_multipliers(multipliers: Tensor, reports: Tensor) -> None:
    """Makes multipliers NaN."""
    multipliers.masked_fill_(nonfinite(reports).unsqueeze(-1), torch.nan)


def spread_gradients(
    bad: Tensor, grad_y: Tensor, grad_multipliers: Tensor | None, *gradients: Tensor
) -> Tensor:
    """Makes gradients NaN where the loss depends on an output or a multiplier that is: there."""
    used = (grad_y != 0).any(-1)
    if grad_multipliers is not None:
        used |= (grad_multipliers != 0).any(-1)
    used &= bad
    for gradient in gradients:
        gradient.masked_fill_(used.unsqueeze(-1), torch.nan)
    return used
