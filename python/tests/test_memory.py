"""Memory: ten thousand calls leave nothing behind, and contiguous doubles are not copied.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import gc
import pathlib
import pickle
import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

import hardnet
from hardnet._result import REPORT

RING = "param r; var y{1..3} >= -3, <= 3; subject to ring: y[1]^2 + y[2]^2 = r^2;"
Y = np.array([[1.0, 2.0, 0.5], [0.1, 0.0, 9.0]])
X = np.array([[1.0], [1.5]])


def resident() -> int:
    """Bytes of this process that are in memory."""
    text = pathlib.Path("/proc/self/smaps_rollup").read_text()
    lines = [line.split() for line in text.splitlines()]
    return sum(1024 * int(line[1]) for line in lines if line[0] == "Anonymous:")


def growth(call: Callable[[], object], times: int) -> int:
    """By how much so many calls make the process grow, after it has warmed up."""
    for _ in range(times // 10):
        call()
    gc.collect()
    before = resident()
    for _ in range(times):
        call()
    gc.collect()
    return resident() - before


@pytest.fixture(scope="module")
def layer() -> hardnet.Layer:
    return hardnet.Model.from_text(RING).layer(threads=2)


def refused(call: Callable[[], object]) -> Callable[[], object]:
    def attempt() -> None:
        with pytest.raises(Exception):  # noqa: B017
            call()

    return attempt


def forward(layer: hardnet.Layer) -> Callable[[], object]:
    return lambda: layer(Y, X)


def every_option(layer: hardnet.Layer) -> Callable[[], object]:
    out, warm = np.empty_like(Y), np.zeros_like(Y)
    return lambda: (
        layer(
            Y, X, out=out, warm=warm, fallback=[0, 0, 0], residual=True, tape=True, seconds=1
        ).worst
    )


def gradient(layer: hardnet.Layer) -> Callable[[], object]:
    result = layer(Y, X, tape=True)
    return lambda: layer.gradient(result, Y, bounds=True)


def gradient_without_a_tape(layer: hardnet.Layer) -> Callable[[], object]:
    result = layer(Y, X)
    return lambda: layer.gradient(result, Y)


def single_precision(layer: hardnet.Layer) -> Callable[[], object]:
    y, x = Y.astype(np.float32), X.astype(np.float32)
    return lambda: layer(y, x).y


def wrong_shapes(layer: hardnet.Layer) -> Callable[[], object]:
    return refused(lambda: layer(Y[:, :2], X))


def wrong_kinds(layer: hardnet.Layer) -> Callable[[], object]:
    return refused(lambda: layer(Y, X, out=Y.astype(np.float32)))


def models(layer: hardnet.Layer) -> Callable[[], object]:
    return lambda: hardnet.Model.from_text(RING).layer(threads=1)(Y, X)


def expressions(layer: hardnet.Layer) -> Callable[[], object]:
    def build() -> object:
        m = hardnet.Model()
        x, y = m.inputs("x", 2, lower=0, upper=1), m.outputs("y", (2, 2), upper=3)
        m.subject_to(np.cos(y) @ x >= 0.1, hardnet.sum(y**2) <= 4)
        m.minimize(hardnet.norm(y[0] - x))
        return m.fingerprint

    return build


def evaluations(layer: hardnet.Layer) -> Callable[[], object]:
    return lambda: (layer.model.evaluate(Y, X).worst, layer.model.jacobian(Y, X))


def pickles(layer: hardnet.Layer) -> Callable[[], object]:
    return lambda: pickle.loads(pickle.dumps(layer.model))


def wrong_expressions(layer: hardnet.Layer) -> Callable[[], object]:
    y = hardnet.Model().outputs("y", 3)
    return refused(lambda: y + np.zeros(7))


def wrong_models(layer: hardnet.Layer) -> Callable[[], object]:
    return refused(lambda: hardnet.Model.from_text("var y; subject to c: y = nobody;"))


def wrong_options(layer: hardnet.Layer) -> Callable[[], object]:
    return refused(lambda: layer.model.layer("hardnet", tolerance=-1))


CALLS = [
    forward,
    every_option,
    gradient,
    gradient_without_a_tape,
    single_precision,
    wrong_shapes,
    wrong_kinds,
    models,
    expressions,
    evaluations,
    pickles,
    wrong_expressions,
    wrong_models,
    wrong_options,
]


@pytest.mark.parametrize("make", CALLS, ids=lambda make: make.__name__)
def test_ten_thousand_calls_leave_nothing_behind(
    make: Callable[[hardnet.Layer], Callable[[], object]], layer: hardnet.Layer, sanitized: bool
) -> None:
    grown = growth(make(layer), 100 if sanitized else 10000)
    assert grown < 1 << 20 or sanitized


# ---- copies ----

REPORTS_OF_5000 = 5000 * REPORT.itemsize


def test_contiguous_doubles_are_neither_copied_in_nor_out(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer()
    y_raw, x, out = np.tile(raw, (50, 1)), np.tile(states, (50, 1)), np.empty((5000, 50))
    layer(y_raw, x, out=out)
    before = y_raw.copy()
    tracemalloc.start()
    result = layer(y_raw, x, out=out)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert result.y is out
    assert peak < REPORTS_OF_5000 + 50000  # y alone is 2 MB
    assert np.array_equal(y_raw, before)


def test_without_out_y_is_the_only_array_of_its_size(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer()
    y_raw, x = np.tile(raw, (50, 1)), np.tile(states, (50, 1))
    layer(y_raw, x)
    tracemalloc.start()
    layer(y_raw, x)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < y_raw.nbytes + REPORTS_OF_5000 + 50000


def test_y_raw_itself_may_be_out(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer()
    expected, own = layer(raw, states).y, raw.copy()
    assert layer(own, states, out=own).y is own
    assert np.array_equal(own, expected)
