"""Layers and models as text, from which another process can create an equal one.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import base64
import json
import zlib
from typing import TYPE_CHECKING, Any

from ._errors import UnsupportedError

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["model_text", "pack", "spelled", "unpack"]


def model_text(model: Model) -> str | None:
    """The model as a text that gives the same bits; None for one that divides by 0 or contains NaN."""
    try:
        return model.to_ampl()
    except UnsupportedError:
        return None


def spelled(parts: Any) -> str:
    """The same text for equal parts, in every process. Numbers may be NumPy's."""
    return json.dumps(parts, sort_keys=True, default=lambda value: value.item())


def pack(parts: Any) -> str:
    """A short text for a list of texts, numbers and settings."""
    return base64.b85encode(zlib.compress(spelled(parts).encode())).decode()


def unpack(text: str) -> Any:
    """What `pack` was given."""
    return json.loads(zlib.decompress(base64.b85decode(text)))
