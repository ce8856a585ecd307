"""The verdict on outputs that are rounded after the correction, to float16 or bfloat16.

The correction is computed in float64. What is returned in half precision violates the rows by as much
as the rounding moves it, which can be far beyond the tolerance: it is evaluated again.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._outcome import Outcome
from ._result import REPORT

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["judge", "judge_of"]


def judge_of(layer: Layer) -> Layer:
    """A layer with the same rows and tolerance that takes no step: its reports are about y_raw."""
    if layer.judge is None:
        names = ("tolerance", "relative", "instructions", "threads")
        settings = {name: layer.settings[name] for name in names}
        layer.judge = layer.model.layer("lm", iterations=0, **settings)
    return layer.judge


def judge(
    layer: Layer,
    x: Any,
    y: NDArray[np.float64],
    reports: NDArray[Any],
    residual: Any = None,
    shared: Mapping[str, Any] = MappingProxyType({}),
) -> None:
    """Makes `reports`, and the residual if there is one, about y, in float64 but rounded.

    A sample that was ok before it was rounded, and is not any more, is `stalled`: in this type no
    step brings it closer.
    """
    count = reports.size
    if count == 0:
        return
    fresh = np.empty(count, REPORT)
    repeat = x is not None and x.shape[-1] > 0 and x.size != count * x.shape[-1]
    judge_of(layer).core.run(
        count, x, y, np.empty_like(y), fresh.view(np.uint8), repeat_x=repeat, residual=residual,
        **shared,
    )  # fmt: skip
    keep_verdict(fresh, np.isfinite(y).all(-1).reshape(-1), reports)


def keep_verdict(fresh: NDArray[Any], finite: NDArray[np.bool_], reports: NDArray[Any]) -> None:
    """What is known at the rounded y, into the reports of the correction."""
    flat = reports.reshape(-1)
    flat["violation"] = np.where(finite, fresh["violation"], np.inf)
    flat["worst"] = np.where(finite, fresh["worst"], np.iinfo(np.uint64).max)
    beyond = (flat["outcome"] == Outcome.OK) & ~(finite & (fresh["outcome"] == Outcome.OK))
    flat["outcome"][beyond] = Outcome.STALLED
