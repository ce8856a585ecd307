"""The kernels of a layer on CUDA devices, created on first use.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import numpy as np

from . import _checks, _core
from ._errors import InvalidError

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["Devices", "checked_precision"]

_PRECISIONS = ("float64", "float32")


def checked_precision(precision: object) -> str:
    """What kernels compute in."""
    text = _checks.text(precision, "precision")
    if text not in _PRECISIONS:
        raise InvalidError(f"precision '{text}' is unknown; there are float64 and float32")
    return text


class Devices:
    """The kernels of one layer, by the number of the device. Thread-safe."""

    def __init__(self, layer: Layer) -> None:
        self._model = layer.model
        self._settings = layer.settings
        self._lock = threading.Lock()
        self._made: dict[int, _core.DeviceLayer] = {}

    def __contains__(self, number: int) -> bool:
        return number in self._made

    def find(self, number: int) -> _core.DeviceLayer:
        """Those of a device: generated, compiled and loaded, or as they were before.

        hardnet.UnsupportedError: the driver, the device or the run-time compiler is missing.
        """
        made = self._made.get(number)
        if made is not None:
            return made
        with self._lock:
            if number not in self._made:
                self._made[number] = self._make(number)
            return self._made[number]

    def _make(self, number: int) -> _core.DeviceLayer:
        of = self._settings
        return _core.DeviceLayer(
            _checks.core_of(self._model),
            of["method"],
            -1 if of["iterations"] is None else int(of["iterations"]),
            -1.0 if of["damping"] is None else float(of["damping"]),
            float(of["tolerance"]),
            of["relative"],
            float(of["effort"]),
            number,
            of["precision"],
            None if of["weights"] is None else np.asarray(of["weights"], np.float64).tobytes(),
        )
