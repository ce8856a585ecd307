"""The manners of expressions and conditions: what they look like, print and refuse.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import fractions
import math
import pickle
from typing import Any

import numpy as np
import pytest
from expressions import agree

import hardnet
from hardnet import Condition, Expression


# ---- manners ----


def test_an_expression_looks_like_an_array() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (2, 3))
    assert (y.shape, y.ndim, y.size, len(y)) == ((2, 3), 2, 6, 2)
    assert (np.shape(y), np.ndim(y), np.size(y)) == ((2, 3), 2, 6)
    assert y.dtype == object
    assert [row.shape for row in y] == [(3,), (3,)]
    first, second = y
    assert np.array_equal(first.nodes, y[0].nodes)
    assert second.model is m
    assert repr(y) == "Expression(shape=(2, 3))"
    assert y.T.T.nodes.tolist() == y.nodes.tolist()
    with pytest.raises(ValueError):
        y.nodes[0] = 1


def test_print_shows_formulas() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x"), m.outputs("y", 3)
    a, b, c = y
    values = {"x": 0.7, "y": np.array([0.4, 0.9, 1.3])}
    names = {"where": np.where, "minimum": np.minimum, "atan2": np.arctan2}
    for expression, text in (
        (a + b - c, "y[0] + y[1] - y[2]"),
        (a - (b - c), "y[0] - (y[1] - y[2])"),
        (a * (b + 1), "y[0] * (y[1] + 1)"),
        (a / (b * c), "y[0] / (y[1] * y[2])"),
        ((x + a) ** 2, "(x + y[0])**2"),
        (-(a + 1), "-(y[0] + 1)"),
        ((2 - a) ** 1.5, "(2 - y[0])**1.5"),
        (a ** (b**c), "y[0]**(y[1]**y[2])"),
        (np.arctan2(a, b), "atan2(y[0], y[1])"),
        (hardnet.where(a > 0, b, -2.5), "where(0 < y[0], y[1], -2.5)"),
        (np.minimum(a, 1), "minimum(y[0], 1)"),
        ((a > 0) & ((b < 1) | ~(c == 0)), "(0 < y[0]) & (~(0 == y[2]) | (y[1] < 1))"),
        (a <= b + 1, "y[0] <= y[1] + 1"),
        (hardnet.between(1, a, x), "1 <= y[0] <= x"),
        (y[:2] * 2, "[2 * y[0], 2 * y[1]]"),
        (hardnet.sum(np.tile(y, 9) * np.arange(27)[::-1]), None),
    ):
        shown = str(expression)
        assert text is None or shown == text
        assert len(shown) < 200
        if text and expression.ndim == 0:
            ours = m.value(expression, values["y"], [values["x"]])
            assert eval(text, {**names, **values}) == pytest.approx(ours)
    deep = a
    for _ in range(500):
        deep = hardnet.sin(deep) * b + c
    assert "..." in str(deep)
    assert len(str(deep)) < 500
    assert "..." in str(m.outputs("z", 1000))


def test_equal_expressions_are_one_node() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    assert (y[0] * y[1]).nodes == (y[1] * y[0]).nodes
    assert np.array_equal((y + y).nodes, (2 * y).nodes)


def test_what_an_expression_is_not() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    for misuse in (
        lambda: bool(y[0]),
        lambda: float(y[0]),
        lambda: int(y[0]),
        lambda: hash(y),
        lambda: len(y[0]),
        lambda: list(y[0]),
        lambda: np.array(y),
        lambda: np.asarray([y[0], y[1]]),
        lambda: np.array([1.0, 2.0, 3.0]).__iadd__(y),
        lambda: y.__setitem__(0, 1.0),
        lambda: y + "a",
        lambda: y + None,
        lambda: y + 1j,
        lambda: y + np.array(["a", "b", "c"]),
        lambda: y + np.array([None, None, None]),
        lambda: y // 2,
        lambda: y % 2,
        lambda: np.floor(y),
        lambda: np.sort(y),
        lambda: np.linalg.eigvalsh(y),
        lambda: np.sum(y, dtype=int),
        lambda: np.sum(y, where=[True, False, True]),
        lambda: np.add(y, 1, out=np.zeros(3)),
        lambda: np.concatenate([y, y], out=np.zeros(6)),
        lambda: np.multiply.accumulate(y),
        lambda: Expression(),
        lambda: Condition(),
        lambda: pickle.dumps(y),
    ):
        with pytest.raises(TypeError):
            misuse()
    assert m.outputs_count == 3  # and the model is as good as before
    m.subject_to(y[0] <= 1)
    assert m.rows_count == 1


def test_two_models_do_not_mix() -> None:
    y, z = hardnet.Model().outputs("y", 2), hardnet.Model().outputs("z", 2)
    for misuse in (
        lambda: y + z,
        lambda: y <= z,
        lambda: np.concatenate([y, z]),
        lambda: hardnet.where(y > 0, z, 1.0),
        lambda: hardnet.between(0, y, z),
        lambda: y @ z,
    ):
        with pytest.raises(ValueError, match="two models"):
            misuse()


def test_arrays_from_lists() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    joined = hardnet.array([[y[0], 0.5, y[2]], (y[1], 1, 2)])
    np.testing.assert_array_equal(m.value(joined, [7, 8, 9]), [[7, 0.5, 9], [8, 1, 2]])
    np.testing.assert_array_equal(m.value(y + [1, 2, y[0]], [7, 8, 9]), [8, 10, 16])
    assert hardnet.array(y) is y
    for bad in ([], [1.0, 2.0], 3, "y", [[y[0]], [y[0], y[1]]]):
        with pytest.raises((TypeError, ValueError)):
            hardnet.array(bad)


def test_arrays_of_objects_and_other_numbers_are_understood() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    objects = np.empty((2, 2), object)
    objects[0] = [y[0], 2]
    objects[1] = [y[1] * y[0], 0.5]
    values = np.array([[3.0, 2.0], [12.0, 0.5]])
    for expression, wanted in (
        (hardnet.array(objects), values),
        (y + objects, [3.0, 4.0] + values),
        (objects * y, [3.0, 4.0] * values),
        (hardnet.cos(objects), np.cos(values)),
        (hardnet.matmul(objects, y), values @ [3.0, 4.0]),
        (y * fractions.Fraction(1, 4), [0.75, 1.0]),
        (sum(y), 7.0),
        (hardnet.array(np.array(y, dtype=object)), [3.0, 4.0]),
        (hardnet.array(np.array([[y[0]], [1]], dtype=object)), [[3.0], [1.0]]),
    ):
        np.testing.assert_allclose(m.value(expression, [3.0, 4.0]), wanted)

    class Foreign:  # as arrays of other libraries are
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([2.0, 5.0])

    np.testing.assert_array_equal(m.value(y * Foreign(), [3.0, 4.0]), [6.0, 20.0])
    with pytest.raises(TypeError, match="hardnet.cos"):
        math.cos(y[0])
    with pytest.raises(OverflowError):
        y + 10**400


def test_copies() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    assert copy.copy(y) is y
    other_model, other = copy.deepcopy((m, y))
    assert other.model is other_model
    assert other_model is not m
    other_model.subject_to(other >= 0, name="positive")
    assert other_model.rows_count == 3
    assert m.rows_count == 0


# ---- conditions ----


def test_conditions_have_shapes_and_values() -> None:
    agree(lambda a: a <= 0.5, (3,))
    agree(lambda a: (a > -1) & (a < 1), (3,))
    agree(lambda a: (a < -1) | (a > 1) | np.array([True, False, False]), (3,))
    agree(lambda a: np.array([True, False, True]) & (a > 0), (3,))
    agree(lambda a: ~(a < 0), (3,))
    agree(lambda a: (a > 0) * a, (3,))
    agree(lambda a: (a[:, None] > a)[0], (3,))
    agree(lambda a: np.all(a > -1, axis=0), (3, 2))
    agree(lambda a: np.any(a > 1.5, axis=1), (3, 2))
    agree(lambda a: (a > 0).all(), (3, 2))
    m = hardnet.Model()
    y = m.outputs("y", 3)
    inside = hardnet.between(-1, y, [1, 2, 3])
    assert inside.shape == (3,)
    np.testing.assert_array_equal(m.value(inside, [1.5, 1.5, -2]), [0, 1, 0])
    assert isinstance(inside[0], Condition)
    assert inside[0].relation == "between"
    assert (y <= 1)[:2].relation == "<="
    assert repr(1 <= y) == "Condition('>=', shape=(3,))"
    assert (np.ones(3) <= y).relation == "<="


def test_conditions_are_neither_true_nor_false() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    for misuse in (
        lambda: 1 <= y[0] <= 2,
        lambda: bool(y[0] == y[1]),
        lambda: y[0] in [y[1]],
        lambda: (y[0] > 0) and (y[1] > 0),
        lambda: not (y[0] > 0),
    ):
        with pytest.raises(TypeError, match="hardnet.between"):
            misuse()
    with pytest.raises(TypeError):
        (y > 0) & 1.5


def test_where_takes_what_is_chosen_only() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    root = hardnet.where(y > 0, hardnet.sqrt(y), 0.0)
    m.subject_to(root <= 1, name="root")
    np.testing.assert_array_equal(m.value(root, [4.0, -4.0]), [2, 0])
    assert np.isfinite(m.jacobian([4.0, -4.0]).toarray()).all()
    np.testing.assert_array_equal(hardnet.where([True, False], 1.0, 2.0), [1, 2])
    known = hardnet.where([True, False], y, 5.0)
    assert known[0].nodes == y[0].nodes
