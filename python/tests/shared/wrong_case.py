"""One wrong call, and the model that such calls are made with.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import hardnet

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
"""

MODEL = hardnet.Model.from_text(RING)


class Wrong(NamedTuple):
    """A wrong call: what it does, what it must raise, and what the text must match."""

    name: str
    call: Callable[[], object]
    kind: type[BaseException] | tuple[type[BaseException], ...]
    text: str
