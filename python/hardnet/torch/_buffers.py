"""Memory for records, used again and again.

A record has room for as many steps as a layer may take, of which a sample takes a few: for the
unicycle 62 kB per sample, of which 4 kB are touched. From the allocator it would be new memory in
every call, which the kernel clears page by page, or 2 MB by 2 MB: three times the time of the
correction itself. So records come from mappings with small pages, which go back to their layer when
the last tensor that looks at them is gone.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import mmap
import weakref

import numpy as np
import torch
from torch import Tensor

_MOST_IDLE = 2  # mappings that wait for the next call: training and validation take turns
_MOST_BYTES = 1 << 28  # of one that waits


def _new_mapping(size: int) -> mmap.mmap:
    mapping = mmap.mmap(-1, size)
    if hasattr(mmap, "MADV_NOHUGEPAGE"):
        mapping.madvise(mmap.MADV_NOHUGEPAGE)
    return mapping


class Buffers:
    """The unused mappings of one layer."""

    def __init__(self) -> None:
        self._idle: list[mmap.mmap] = []

    def take(self, shape: tuple[int, ...]) -> Tensor:
        """A tensor of bytes with any contents."""
        size = int(np.prod(shape))
        if size == 0:
            return torch.empty(shape, dtype=torch.uint8)
        mapping = self._find(size) or _new_mapping(size)
        view = np.frombuffer(mapping, np.uint8, size)
        if len(mapping) <= _MOST_BYTES:
            weakref.finalize(view, self._give_back, mapping).atexit = False
        return torch.from_numpy(view).view(shape)

    def _find(self, size: int) -> mmap.mmap | None:
        """An idle mapping that is large enough, and not much too large."""
        for mapping in self._idle:
            if size <= len(mapping) <= 4 * size:
                self._idle.remove(mapping)
                return mapping
        return None

    def _give_back(self, mapping: mmap.mmap) -> None:
        self._idle.append(mapping)
        if len(self._idle) > _MOST_IDLE:
            self._idle.pop(0)
