"""Many threads call one layer; nothing is lost, nothing grows.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import gc
import os
import pathlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import jax
import numpy as np
import pytest

import hardnet
import hardnet.jax

THREADS = 8


def resident() -> int:
    """Bytes of this process in memory."""
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.parametrize("workers", [1, 2])
def test_eight_threads_get_the_serial_bits(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray, workers: int
) -> None:
    layer = hardnet.jax.layer(unicycle, threads=workers)
    call = jax.jit(jax.value_and_grad(lambda y, x: (layer(y, x) ** 2).sum(), argnums=(0, 1)))
    parts = [(raw[k::THREADS], states[k::THREADS]) for k in range(THREADS)]
    serial = [jax.tree_util.tree_map(np.asarray, call(*part)) for part in parts]
    begin = threading.Barrier(THREADS)

    def work(k: int) -> bool:
        begin.wait()
        same = True
        for _ in range(30):
            result = jax.tree_util.tree_map(np.asarray, call(*parts[k]))
            pairs = zip(*map(jax.tree_util.tree_leaves, (result, serial[k])), strict=True)
            same = same and all(np.array_equal(a, b) for a, b in pairs)
        return same

    with ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(THREADS)))


def test_warnings_from_many_threads_do_not_block() -> None:
    layer = hardnet.jax.layer("var y; subject to nowhere: y^2 = -1;", on_fail="warn")
    call = jax.jit(layer)

    def work(_: int) -> bool:
        return bool(np.isfinite(call(np.ones((5, 1)))).all())

    with pytest.warns(RuntimeWarning, match="5 of 5 samples"), ThreadPoolExecutor(THREADS) as pool:
        assert all(pool.map(work, range(200)))


def test_a_layer_is_released_while_others_call_it() -> None:
    text = "var y{1..2}; subject to curve: y[1]^3 + y[2] = 7;"
    kept = hardnet.jax.layer(text)
    call = jax.jit(kept)
    expected = np.asarray(call(np.ones((50, 2))))
    stop = threading.Event()

    def calls() -> tuple[int, int]:
        right = lost = 0
        while not stop.is_set():
            try:
                right += bool(np.array_equal(call(np.ones((50, 2))), expected))
            except Exception as error:
                assert "is not known in this process" in str(error)
                lost += 1
        return right, lost

    with ThreadPoolExecutor(4) as pool:
        running = [pool.submit(calls) for _ in range(4)]
        for _ in range(100):
            kept.release()
            kept = hardnet.jax.layer(text)
        stop.set()
        assert sum(future.result()[0] for future in running) > 0


@pytest.mark.parametrize("backward", [False, True])
def test_ten_thousand_calls_grow_memory_by_less_than_a_mebibyte(
    ring: hardnet.Model, backward: bool
) -> None:
    layer = hardnet.jax.layer(ring)
    y_raw, x = np.ones((16, 3), np.float32), np.ones((16, 1), np.float32)

    def loss(y_raw: Any, x: Any) -> Any:
        return layer(y_raw, x).sum()

    call = jax.jit(jax.grad(loss) if backward else loss)
    for _ in range(3000):
        call(y_raw, x).block_until_ready()
    gc.collect()
    before = resident()
    for _ in range(10000):
        call(y_raw, x).block_until_ready()
    gc.collect()
    assert resident() - before < 1 << 20
