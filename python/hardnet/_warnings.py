"""Warnings that point to the caller's line.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import sys
from types import FrameType

__all__ = ["stacklevel"]

_MADE = "<eval_with_key>"  # begins the file name of code that torch.compile makes
_OWN = os.path.dirname(os.path.abspath(__file__)) + os.sep


def stacklevel(*packages: str) -> int:
    """The stacklevel for warnings.warn, called by the caller of this: the first frame outside this
    package, and outside the files of the others, each given by the path of its __init__.py.
    """
    folders = (_OWN, _MADE, *(os.path.dirname(os.path.abspath(file)) + os.sep for file in packages))
    frame: FrameType | None = sys._getframe(1)
    level = 1
    while frame is not None and frame.f_code.co_filename.startswith(folders):
        frame, level = frame.f_back, level + 1
    return level
