"""Memory that does not grow.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import gc
import pathlib

import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed")

import hardnet.torch  # noqa: E402
from torch_cases import model, ring_samples  # noqa: E402


def resident() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return 4096 * pages


def growth(call, warm: int, count: int) -> float:
    """MiB that so many calls add."""
    for _ in range(warm):
        call()
    gc.collect()
    before = resident()
    for _ in range(count):
        call()
    gc.collect()
    return (resident() - before) / 2**20


def test_calls_do_not_grow_the_memory() -> None:
    layer = hardnet.torch.Layer(model("ring"), threads=1)
    y_raw, x = ring_samples(8)
    y_raw.requires_grad_()

    def correct() -> None:
        layer(y_raw, x).sum().backward()
        y_raw.grad = None

    def learn() -> None:
        hardnet.torch.improve_loss(layer, y_raw, x).backward()
        y_raw.grad = None

    assert growth(correct, 1000, 10000) < 1
    assert growth(learn, 500, 3000) < 1


def test_layers_come_and_go_without_growing_the_memory() -> None:
    ring = model("ring")
    y_raw, x = ring_samples(100)
    y_raw.requires_grad_()

    def use() -> None:
        hardnet.torch.Layer(ring, threads=1)(y_raw, x).sum().backward()

    assert growth(use, 200, 400) < 2
