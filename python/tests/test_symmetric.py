"""Symmetric outputs: the lower triangle in y, the whole matrix in Python.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import pickle
import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hardnet

RANDOM = np.random.default_rng(5)


def model() -> hardnet.Model:
    m = hardnet.Model()
    r = m.inputs("r", lower=1, upper=2)
    m.outputs("u", 2)
    P = m.outputs(
        "P", (3, 3), lower=-9, upper=r * np.full((3, 3), 9), start=np.eye(3), symmetric=True
    )
    m.outputs("v", lower=0)
    m.subject_to(np.trace(P) == r, name="scale")
    return m


NAMES = "P[0,0] P[1,0] P[1,1] P[2,0] P[2,1] P[2,2]".split()


def matrices(count: int) -> np.ndarray:
    part = RANDOM.normal(size=(count, 3, 3))
    return part + part.swapaxes(1, 2)


def test_y_has_the_lower_triangle_and_the_array_is_symmetric() -> None:
    m = model()
    P = m["P"]
    assert m.output_names == ("u[0]", "u[1]", *NAMES, "v")
    assert m.outputs_count == 9
    assert P.shape == (3, 3)
    np.testing.assert_array_equal(P.nodes, P.nodes.T)
    assert len(set(P.nodes.ravel().tolist())) == 6
    assert str(P[0, 2]) == str(m["P[2,0]"]) == "P[2,0]"
    assert "P[0,2]" not in m
    assert m.groups["P"] == slice(1, 7)
    assert m.row_names[1:7] == tuple(NAMES)
    assert re.search(r"output +P +3 x 3, symmetric ", repr(m))


def test_samples_are_unpacked_to_matrices_and_packed() -> None:
    m = model()
    y = RANDOM.normal(size=(4, 5, 9))
    parts = m.unpack(y)
    assert {name: part.shape for name, part in parts.items()} == {
        "u": (4, 5, 2),
        "P": (4, 5, 3, 3),
        "v": (4, 5),
    }
    np.testing.assert_array_equal(parts["P"], parts["P"].swapaxes(-1, -2))
    np.testing.assert_array_equal(parts["P"][..., 2, 1], y[..., 6])
    np.testing.assert_array_equal(m.pack(**parts), y)
    np.testing.assert_array_equal(m.value(m["P"], y, [1.0]), parts["P"])
    nearly = parts["P"].copy()
    nearly[..., 0, 1] *= 1 + 1e-15
    np.testing.assert_array_equal(m.pack(**{**parts, "P": nearly}), y)
    assert np.isnan(m.pack(**{**parts, "P": np.full((3, 3), np.nan)})[..., 2:8]).all()


def test_a_layer_corrects_the_lower_triangle() -> None:
    m = model()
    layer = m.layer()
    raw = m.pack(u=[0.0, 0.0], P=matrices(50), v=1.0)
    result = layer(raw, np.full((50, 1), 1.5))
    assert result.ok.all() and result.y.shape == (50, 9)
    corrected = m.unpack(result.y)["P"]
    np.testing.assert_allclose(corrected.trace(axis1=1, axis2=2), 1.5, atol=2e-8)
    start = m.unpack(layer(None, np.full((1, 1), 3.0)).y)["P"]
    np.testing.assert_allclose(start[0], np.eye(3), atol=1e-15)


def test_a_model_with_a_symmetric_matrix_is_written_and_read_back() -> None:
    m = model()
    again = hardnet.Model.from_text(m.to_ampl())
    assert again.fingerprint == m.fingerprint
    assert again.names_fingerprint == m.names_fingerprint
    assert again.output_names == m.output_names
    assert again["P"].shape == (6,)  # a text does not say that it is symmetric


def test_copies_know_the_matrix() -> None:
    m = model()
    for same in (
        m.copy(),
        copy.copy(m),
        copy.deepcopy(m),
        m.snapshot(),
        pickle.loads(pickle.dumps(m)),
    ):
        np.testing.assert_array_equal(same["P"].nodes, same["P"].nodes.T)
        assert same.unpack(np.zeros(9))["P"].shape == (3, 3)
        assert repr(same) == repr(m)
    layer = pickle.loads(pickle.dumps(m.layer()))
    assert layer.model["P"].shape == (3, 3)


def test_sizes_from_zero_on() -> None:
    for n in (0, 1, 2, 10):
        m = hardnet.Model()
        P = m.outputs("P", (n, n), symmetric=True)
        m.outputs("z")
        assert P.shape == (n, n)
        assert m.outputs_count == n * (n + 1) // 2 + 1
        y = RANDOM.normal(size=m.outputs_count)
        parts = m.unpack(y)
        if n:
            assert parts["P"].shape == (n, n)
            np.testing.assert_array_equal(parts["P"][np.tril_indices(n)], y[:-1])
        np.testing.assert_array_equal(m.pack(**parts), y)


def test_bounds_starts_and_fixed_values_as_matrices() -> None:
    m = model()
    P = m["P"]
    values = matrices(1)[0]
    m.start(P, values)
    np.testing.assert_array_equal(m.unpack(m.evaluate(None, [1.0]).start)["P"], values)
    m.bound(P, lower=values - 1, upper=np.inf)
    np.testing.assert_array_equal(
        m.evaluate(None, [1.0]).lower[1:7], values[np.tril_indices(3)] - 1
    )
    m.fix(P[:2, :2], values[:2, :2])
    fixed = m.unpack(m.evaluate(None, [1.0]).fixed)["P"]
    np.testing.assert_array_equal(fixed[:2, :2], values[:2, :2])
    assert np.isnan(fixed[2]).all()
    assert "3 fixed" in repr(m)


def test_a_matrix_of_numbers_times_a_symmetric_matrix() -> None:
    m = hardnet.Model()
    P = m.outputs("P", (3, 3), symmetric=True)
    numbers = RANDOM.normal(size=(20, 9))
    m.subject_to(numbers @ P.ravel() <= 1, name="flat")
    y = RANDOM.normal(size=6)
    np.testing.assert_allclose(m.evaluate(y).rows, numbers @ m.unpack(y)["P"].ravel(), atol=1e-13)
    jacobian = np.asarray(m.jacobian(y).toarray())
    np.testing.assert_allclose(jacobian @ y, m.evaluate(y).rows, atol=1e-13)


def test_mistakes_name_both_entries_and_leave_the_model_as_it_was() -> None:
    m = model()
    P, r = m["P"], m["r"]
    skew = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 5.0], [3.0, 6.0, 7.0]])
    before = m.fingerprint, m.names_fingerprint
    same = "but they are the same output"
    entries = r"\[1,2\] is 5 and \[2,1\] is 6"
    mistakes: list[tuple[str, Callable[[], Any]]] = [
        ("outputs Q: .* not the shape", lambda: m.outputs("Q", (2, 3), symmetric=True)),
        ("outputs Q: .* not the shape", lambda: m.outputs("Q", 3, symmetric=True)),
        ("outputs Q: .* not the shape", lambda: m.outputs("Q", symmetric=True)),
        ("outputs Q: .* not the shape", lambda: m.outputs("Q", (2, 2, 2), symmetric=True)),
        ("no value meets", lambda: m.outputs("Q", (2, 2), lower=1, upper=0, symmetric=True)),
        ("taken", lambda: m.outputs("P", (2, 2), symmetric=True)),
        (f"P: the matrix is not symmetric: {entries}", lambda: m.pack(u=[0, 0], P=skew, v=0)),
        (r"P has the shape \(6,\)", lambda: m.pack(u=[0, 0], P=np.zeros(6), v=0)),
        (
            rf"fix: \[0\] is 1 and \[2\] is 2, {same}",
            lambda: m.fix(P[[0, 1, 2], [2, 1, 0]], [1, 0, 2]),
        ),
    ]
    for side in ("lower", "upper", "start"):
        values = skew - 50 if side == "lower" else skew
        text = r"outputs Q: \[1,2\] is .* and \[2,1\] is .*, but they are"
        mistakes.append(
            (text, lambda s=side, v=values: m.outputs("Q", (3, 3), symmetric=True, **{s: v}))
        )
    by_input = np.array([[1.0, 1.0], [2.0, 1.0]]) * r
    mistakes += [
        (
            r"outputs Q: \[0,1\] is r and \[1,0\] is 2 \* r",
            lambda: m.outputs("Q", (2, 2), start=by_input, symmetric=True),
        ),
        (f"start: {entries}, {same}", lambda: m.start(P, skew)),
        (f"bound: {entries}, {same}", lambda: m.bound(P, lower=-np.inf, upper=skew)),
        (f"fix: {entries}, {same}", lambda: m.fix(P, skew)),
    ]
    for text, call in mistakes:
        with pytest.raises(ValueError, match=text):
            call()
    assert (m.fingerprint, m.names_fingerprint) == before
    assert m.outputs("Q", (2, 2), symmetric=True).shape == (2, 2)


def test_a_limit_of_nodes_is_told() -> None:
    m = hardnet.Model(max_nodes=1000)
    with pytest.raises(hardnet.Error, match="P"):
        m.outputs("P", (100, 100), symmetric=True)
    assert m.outputs_count == 0
