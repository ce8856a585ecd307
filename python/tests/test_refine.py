"""Refiners and networks of the extension, which hardnet.torch is made of: numbers and wrong calls.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
import threading
from typing import Any

import numpy as np
import pytest

import hardnet
from hardnet import _core
from hardnet._result import REPORT

DISC = """
param a >= -1, <= 1;
var y{1..2} >= -3, <= 3;
minimize far: (y[1] - 3)^2 + (y[2] - a)^2;
subject to disc: y[1]^2 + y[2]^2 <= 1 + a^2;
"""


@pytest.fixture(scope="module")
def disc() -> hardnet.Model:
    return hardnet.Model.from_text(DISC)


def samples(count: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    return generator.normal(size=(count, 2)), generator.uniform(-1, 1, size=(count, 1))


# ---- refiners ----


def test_refined_outputs_hold_the_constraints_and_reach_the_optimum(disc: hardnet.Model) -> None:
    y_raw, x = samples(90)
    refiner = _core.Refiner(disc.core, disc.layer().core, 6, 1, 2)
    y, objective = np.empty_like(y_raw), np.empty(90)
    reports = np.empty(90, REPORT)
    refiner.run(90, x, y_raw, y, objective=objective, reports=reports.view(np.uint8))
    radius = np.sqrt(1 + x[:, 0] ** 2)
    best = np.column_stack([np.full(90, 3.0), x[:, 0]])
    best *= (radius / np.linalg.norm(best, axis=1))[:, None]
    assert (reports["outcome"] == 0).all()
    np.testing.assert_allclose(y, best, atol=1e-4)
    np.testing.assert_allclose(objective, disc.evaluate(y, x).objective, rtol=1e-12)
    multipliers = np.empty((90, 3))
    refiner.run(90, x, y_raw, y, multipliers=multipliers)
    refiner.run(90, x, y, y, multipliers=multipliers, known=True)
    assert (multipliers[:, 0] < 0).all()  # at the upper bound


def test_targets_have_the_bits_of_refined_outputs(disc: hardnet.Model) -> None:
    y_raw, x = samples(50)
    layer = disc.layer().core
    targets, y = np.empty((50, 2, 2)), np.empty((50, 2))
    pairs = np.stack([y_raw, y_raw[::-1]], axis=1)
    best, objective = np.empty(50, np.int64), np.empty((50, 2))
    _core.Refiner(disc.core, layer, 1, 2, 1).improve(
        50, x, pairs, targets, best=best, objective=objective
    )
    refiner = _core.Refiner(disc.core, None, 1, 1, 1)
    refiner.run(50, x, y_raw, y)
    np.testing.assert_array_equal(targets[:, 0], y)
    refiner.run(50, x, np.ascontiguousarray(pairs[:, 1]), y)
    np.testing.assert_array_equal(targets[:, 1], y)
    np.testing.assert_array_equal(best, objective.argmin(axis=1))
    refiner.improve(0, np.empty((0, 1)), np.empty((0, 2)), np.empty((0, 2)))


def test_wrong_calls_of_refiners_are_refused(disc: hardnet.Model) -> None:
    y_raw, x = samples(4)
    y = np.empty((4, 2))
    refiner = _core.Refiner(disc.core, None, 1, 1, 1)
    frozen = y.copy()
    frozen.flags.writeable = False
    calls: list[tuple[type[Exception], str, Any]] = [
        (ValueError, "count is negative", lambda: refiner.run(-1, x, y_raw, y)),
        (ValueError, "x has 4 elements", lambda: refiner.run(3, x, y_raw, y)),
        (TypeError, "y_raw must be a NumPy array", lambda: refiner.run(4, x, [1.0], y)),
        (TypeError, "array of float64", lambda: refiner.run(4, x, y_raw.astype("f4"), y)),
        (ValueError, "y is read-only", lambda: refiner.run(4, x, y_raw, frozen)),
        (ValueError, "y_raw must be contiguous", lambda: refiner.run(4, x, y_raw.T, y)),
        (ValueError, "objective has", lambda: refiner.run(4, x, y_raw, y, objective=np.empty(3))),
        (TypeError, "array of int64", lambda: refiner.improve(4, x, y_raw, y, best=y)),
        (hardnet.Error, "negative", lambda: refiner.improve(4, x, y_raw, y, explore=-1.0)),
        (hardnet.Error, "negative", lambda: refiner.improve(4, x, y_raw, y, round=-1)),
        (ValueError, "instead of", lambda: refiner.run(2**62, x, y_raw, y)),
        (hardnet.Error, "steps", lambda: _core.Refiner(disc.core, None, -1, 1, 1)),
        (hardnet.Error, "candidates", lambda: _core.Refiner(disc.core, None, 1, -1, 1)),
        (hardnet.Error, "threads", lambda: _core.Refiner(disc.core, None, 1, 1, -1)),
        (TypeError, "layer must be", lambda: _core.Refiner(disc.core, disc.core, 1, 1, 1)),
        (TypeError, "model must be", lambda: _core.Refiner(3, None, 1, 1, 1)),
    ]
    for kind, sentence, call in calls:
        with pytest.raises(kind, match=sentence):
            call()
    other = hardnet.Model.from_text("var z; minimize f: z^2; subject to c: z >= 1;")
    with pytest.raises(hardnet.Error, match="another model"):
        _core.Refiner(other.core, disc.layer().core, 1, 1, 1)
    with pytest.raises(hardnet.Error, match="no objective"):
        _core.Refiner(hardnet.Model.from_text("var z >= 1;").core, None, 1, 1, 1)


def test_a_second_call_at_the_same_time_is_refused_or_waits_its_turn(disc: hardnet.Model) -> None:
    y_raw, x = samples(20000)
    refiner = _core.Refiner(disc.core, None, 20, 1, 1)
    expected = np.empty_like(y_raw)
    refiner.run(20000, x, y_raw, expected)
    results: list[Any] = []

    def call() -> None:
        y = np.empty_like(y_raw)
        try:
            refiner.run(20000, x, y_raw, y)
            results.append(np.array_equal(y, expected))
        except RuntimeError as error:
            results.append("one call at a time" in str(error))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 4


# ---- networks ----


def numbers_of(network: _core.Network) -> list[np.ndarray]:
    info = network.info
    sides = (info["inputs"], info["inputs"], info["outputs"], info["outputs"])
    numbers = [np.empty(info["parameters"]), *(np.empty(side) for side in sides)]
    network.get(*numbers)
    return numbers


def save(network: _core.Network, path: Any, model: hardnet.Model, **other: Any) -> None:
    settings = {
        "method": "auto", "iterations": -1, "damping": -1.0, "tolerance": 1e-8, "relative": False,
        "candidates": 1, "refine": 0, "texts": {},
    }  # fmt: skip
    network.save(path, model.core, **{**settings, **other})


def test_networks_come_back_from_their_files(disc: hardnet.Model, tmp_path: pathlib.Path) -> None:
    network = _core.Network(1, 4, (3, 5), "silu", 7, False)
    x = np.empty((100, 1))
    _core.sample_inputs(disc.core, 3, 4, 100, x)
    assert (abs(x) <= 1).all() and x.std() > 0.3
    network.scale(disc.core, 100, x, 0, None)
    path = tmp_path / "net.safetensors"
    save(network, path, disc, method="lm", candidates=2, refine=3, texts={"a": "b", "ä": "ö"})
    plain, policy = _core.Network.load(path), _core.Network.load(str(path), disc.core)
    for back in (plain, policy):
        assert back.info == network.info
        assert back.texts["a"] == "b" and back.texts["ä"] == "ö"
        for a, b in zip(numbers_of(back), numbers_of(network)):
            np.testing.assert_array_equal(a, b)
    y = np.empty((3, 4))
    network.run(3, x[:3], y)
    expected = np.empty((1, 4))
    plain.run(1, x[2:3], expected)
    np.testing.assert_array_equal(y[2:], expected)
    assert plain.policy is None
    expected = {"method": "lm", "candidates": 2, "refine": 3, "scheme": "layer", "damping": -1.0}
    assert policy.policy is not None and expected.items() <= policy.policy.items()
    with pytest.raises(ValueError, match="belongs to a policy"):
        policy.set(*numbers_of(policy))
    changed = [2 * array + 1 for array in numbers_of(plain)]
    plain.set(*changed)
    for a, b in zip(numbers_of(plain), changed):
        np.testing.assert_array_equal(a, b)


def test_wrong_calls_of_networks_are_refused(disc: hardnet.Model, tmp_path: pathlib.Path) -> None:
    network = _core.Network(1, 2, (), "relu", 0, True)
    good = numbers_of(network)
    x = np.zeros((3, 1))
    path = tmp_path / "net"
    calls: list[tuple[type[Exception], str, Any]] = [
        (ValueError, "activation 'gelu'", lambda: _core.Network(1, 1, (), "gelu", 0, False)),
        (TypeError, "tuple of widths", lambda: _core.Network(1, 1, [3], "relu", 0, False)),
        (ValueError, "17 hidden layers", lambda: _core.Network(1, 1, (1,) * 17, "relu", 0, False)),
        (hardnet.Error, "no neurons", lambda: _core.Network(1, 1, (0,), "relu", 0, False)),
        (OverflowError, "negative", lambda: _core.Network(1, 1, (-2,), "relu", 0, False)),
        (hardnet.Error, "at least one input", lambda: _core.Network(-1, 1, (), "relu", 0, False)),
        (hardnet.Error, "memory", lambda: _core.Network(2**40, 2**40, (), "relu", 0, False)),
        (ValueError, "parameters has 1", lambda: network.set(np.zeros(1), *good[1:])),
        (hardnet.Error, "must be finite", lambda: network.set(*good[:4], np.full(2, np.nan))),
        (TypeError, "argument", lambda: network.get(good[0])),
        (ValueError, "y has 3 elements", lambda: network.run(3, x, x)),
        (ValueError, "out of range", lambda: network.run(-1, x, x)),
        (ValueError, "x has 3 elements", lambda: network.scale(disc.core, 4, x, 0, None)),
        (hardnet.Error, "x is NULL", lambda: network.scale(disc.core, 0, x[:0], 0, None)),
        (ValueError, "out of range", lambda: network.scale(disc.core, -1, x, 0, None)),
        (ValueError, "out of range", lambda: _core.sample_inputs(disc.core, 1, 1, -1, x)),
        (ValueError, "x has 3", lambda: _core.sample_inputs(disc.core, 1, 1, 2, x)),
        (TypeError, "model must be", lambda: _core.sample_inputs(disc, 1, 1, 3, x)),
        (ValueError, "method 'best'", lambda: save(network, path, disc, method="best")),
        (hardnet.Error, "candidates", lambda: save(network, path, disc, candidates=-1)),
        (hardnet.Error, "refine", lambda: save(network, path, disc, refine=-1)),
        (hardnet.Error, "tolerance", lambda: save(network, path, disc, tolerance=2.0)),
        (TypeError, "texts must be a dict", lambda: save(network, path, disc, texts=[])),
        (TypeError, "texts for keys", lambda: save(network, path, disc, texts={"a": 1})),
        (UnicodeEncodeError, "surrog", lambda: save(network, path, disc, texts={"a": "\ud800"})),
        (hardnet.Error, "policy.x", lambda: save(network, path, disc, texts={"policy.x": ""})),
        (ValueError, "null", lambda: save(network, "a\0b", disc)),
        (OSError, "nowhere", lambda: _core.Network.load(tmp_path / "nowhere")),
        (TypeError, "model must be", lambda: _core.Network.load(path, 3)),
    ]
    for kind, sentence, call in calls:
        with pytest.raises(kind, match=sentence):
            call()
    assert list(tmp_path.iterdir()) == []
    path.write_bytes(b"\0" * 100)
    with pytest.raises(hardnet.Error):
        _core.Network.load(path)
