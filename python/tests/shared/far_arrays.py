"""A library of arrays that say they are on a CUDA device, for the driver that is none, whose memory
is the host's (tests/cuda/fake_device.h).

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np

from hardnet import _core


class Far:
    """What DLPack asks of an array, and the little that a layer asks of its library."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        self.dtype, self.shape = array.dtype, array.shape

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, 0

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()

    @property
    def T(self) -> Far:  # noqa: N802 (the name that libraries give it)
        return Far(self.array.T)

    def astype(self, dtype: Any) -> Far:
        return Far(self.array.astype(dtype))

    def copy(self) -> Far:
        return Far(np.ascontiguousarray(self.array))

    def reshape(self, *shape: int) -> Far:
        return Far(self.array.reshape(*shape))


def from_dlpack(own: Any) -> Far:
    """A copy of what it shows: doubles."""
    address, _, _, _, _, shape, _ = _core.dlpack_look(own.__dlpack__())
    count = int(np.prod(shape))
    numbers = (ctypes.c_double * count).from_address(address) if count else []
    return Far(np.array(numbers, np.float64).reshape(shape))


def near(far: Far) -> np.ndarray:
    """Back to the host."""
    return far.array
