"""Models: what must hold.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._layer import Layer

__all__ = ["Model"]


class Model:
    """A description of inputs, outputs and constraints."""

    def __init__(self, core: _core.Model) -> None:
        self.core = core

    @classmethod
    def from_text(cls, text: str) -> Model:
        """A model from a text in the AMPL modelling language."""
        return cls(_core.read_text(text))

    @property
    def row_names(self) -> list[str]:
        """The names of the rows."""
        return self.core.row_names

    def layer(self, method: str = "auto", tolerance: float = 1e-8, **settings: Any) -> Layer:
        """A layer that corrects outputs onto this model."""
        return Layer(self, method, tolerance, **settings)
