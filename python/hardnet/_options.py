"""Types of the words that options accept, and the options of a layer.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from typing import Literal, TypedDict, Union

from numpy.typing import ArrayLike

__all__ = ["Instructions", "Method", "NotOk", "OnFail", "Path", "Precision", "Settings"]

Method = Literal["auto", "paper", "hardnet", "lm", "enforce", "snarenet", "nearest", "optimal"]
Instructions = Literal["best", "portable", "avx2", "avx512"]
Precision = Literal["float64", "float32"]
OnFail = Literal["return", "warn", "raise"]
NotOk = Literal["best", "clip", "fallback"]
Path = Union[str, "os.PathLike[str]"]


class Settings(TypedDict, total=False):
    """The options of a layer besides method and tolerance; see hardnet.Layer."""

    iterations: int | None
    damping: float | None
    relative: bool
    instructions: Instructions
    threads: int
    compile: bool | str | os.PathLike[str]
    effort: float
    precision: Precision
    weights: ArrayLike | None
    fallback: ArrayLike | None
    not_ok: NotOk
