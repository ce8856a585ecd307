"""Expressions against NumPy: the same operations on a model's expressions and on arrays.

A model has outputs a and b; an expression of them, evaluated at random values, must be what NumPy
computes from the same values. Shapes, broadcasting and indexing are NumPy's by the same comparison.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import fractions
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hardnet
from hardnet import Condition, Expression

RANDOM = np.random.default_rng(7)


def both(
    function: Callable[..., Any], *shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0
) -> tuple[Any, Any]:
    """function of expressions, evaluated, and the same of arrays."""
    m = hardnet.Model()
    arrays = [RANDOM.uniform(low, high, size=shape) for shape in shapes]
    outputs = [m.outputs(f"v{i}", shape) for i, shape in enumerate(shapes)]
    if not any(array.size for array in arrays):
        m.outputs("one")
        arrays.append(np.zeros(1))
    result = function(*outputs)
    y = np.concatenate([array.ravel() for array in arrays])
    wanted = function(*arrays[: len(outputs)])
    if isinstance(result, (list, tuple)):
        return [m.value(part, y) for part in result], wanted
    assert isinstance(result, Expression)
    return m.value(result, y), wanted


def agree(function: Callable[..., Any], *shapes: tuple[int, ...], **limits: float) -> None:
    ours, numpys = both(function, *shapes, **limits)
    if isinstance(ours, list):
        assert len(ours) == len(numpys)
        for one, other in zip(ours, numpys):
            assert one.shape == other.shape
            np.testing.assert_array_equal(one, other)
        return
    assert np.shape(ours) == np.shape(numpys)
    np.testing.assert_allclose(ours, np.asarray(numpys, float), rtol=2e-15, atol=1e-15)


# ---- functions ----

UNARY = [
    (np.negative, -2, 2),
    (np.positive, -2, 2),
    (np.sqrt, 0, 4),
    (np.exp, -3, 3),
    (np.exp2, -3, 3),
    (np.log, 0.1, 9),
    (np.log2, 0.1, 9),
    (np.log10, 0.1, 9),
    (np.sin, -9, 9),
    (np.cos, -9, 9),
    (np.tan, -1.5, 1.5),
    (np.arcsin, -1, 1),
    (np.arccos, -1, 1),
    (np.arctan, -9, 9),
    (np.sinh, -3, 3),
    (np.cosh, -3, 3),
    (np.tanh, -3, 3),
    (np.arcsinh, -9, 9),
    (np.arccosh, 1, 9),
    (np.arctanh, -0.99, 0.99),
    (np.absolute, -2, 2),
    (np.fabs, -2, 2),
    (np.square, -2, 2),
    (np.reciprocal, 0.1, 2),
    (np.sign, -2, 2),
    (np.deg2rad, -360, 360),
    (np.degrees, -7, 7),
    (np.logical_not, -2, 2),
]

BINARY = [
    np.add,
    np.subtract,
    np.multiply,
    np.true_divide,
    np.arctan2,
    np.minimum,
    np.maximum,
    np.hypot,
    np.logaddexp,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
    np.logical_and,
    np.logical_or,
]


@pytest.mark.parametrize(
    ("function", "low", "high"), UNARY, ids=lambda v: getattr(v, "__name__", "")
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_ufuncs_of_one(function: Any, low: float, high: float, shape: tuple[int, ...]) -> None:
    agree(function, shape, low=low, high=high)


@pytest.mark.parametrize("function", BINARY, ids=lambda v: v.__name__)
def test_ufuncs_of_two(function: Any) -> None:
    agree(function, (4, 3), (4, 3))
    agree(function, (4, 1), (3,))
    agree(lambda a: function(a, 0.7), (3,))
    agree(lambda a: function(np.array([0.1, 0.2, -0.3]), a), (2, 3))
    agree(lambda a: function(np.float64(0.3), a), (2,))
    agree(lambda a: function([1, 2], a), (2,))


def test_every_operator_of_the_library_is_reached() -> None:
    from hardnet import _core, _numpy

    reached = {*_numpy._PLAIN.values(), *_numpy._LOGICAL.values(), "if"}
    reached |= {"less", "less_equal", "equal", "not_equal"}
    assert reached == set(_core.operators())


NAMES = "sqrt exp log log10 sin cos tan sinh cosh tanh abs"
INVERSE = "arcsin arccos arctan arcsinh arctanh"


@pytest.mark.parametrize("name", [*NAMES.split(), *INVERSE.split()])
def test_functions_of_the_package(name: str) -> None:
    function = getattr(hardnet, name)
    agree(function, (2, 3), low=0.1, high=0.9)
    assert function(0.5) == getattr(np, name)(0.5)
    if name.startswith("arc"):
        assert getattr(hardnet, "a" + name[3:]) is function
    m = hardnet.Model()
    y = m.outputs("y", 2)
    assert function([y[0], 0.5]).shape == (2,)


def test_arccosh_and_functions_of_two() -> None:
    agree(hardnet.arccosh, (3,), low=1, high=5)
    agree(hardnet.atan2, (3,), (3,))
    agree(hardnet.minimum, (3, 1), (4,))
    agree(hardnet.maximum, (3, 1), (4,))
    assert hardnet.maximum(1.0, 2.0) == 2


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 0.5, -1, -2, 1.5, 7])
def test_powers(exponent: float) -> None:
    agree(lambda a: a**exponent, (5,), low=0.2, high=2)
    agree(lambda a: exponent**a if exponent > 0 else a, (5,))
    agree(lambda a, b: a**b, (5,), (5,), low=0.2, high=2)


def test_operators() -> None:
    agree(lambda a, b: a + b - a * b / (a + 3) ** 2, (4, 3), (3,))
    agree(lambda a: 1 + a, (3,))
    agree(lambda a: 1 - a, (3,))
    agree(lambda a: 2 * a, (3,))
    agree(lambda a: 1 / a, (3,), low=0.5)
    agree(lambda a: -a + +a + abs(a), (3,))
    agree(lambda a: True * a + np.int32(2) * a + np.float32(0.5), (3,))
    agree(lambda a: np.arange(6.0).reshape(2, 3) * a, (3,))
    agree(lambda a: np.arange(6).reshape(2, 3) - a, (2, 3))


# ---- broadcasting, indexing, moving: NumPy's rules by comparison ----


def random_shape(most: int = 3) -> tuple[int, ...]:
    return tuple(int(n) for n in RANDOM.integers(0, 4, size=RANDOM.integers(0, most + 1)))


def test_broadcasting_follows_numpy() -> None:
    allowed = refused = 0
    for _ in range(300):
        a, b = random_shape(), random_shape()
        try:
            np.broadcast_shapes(a, b)
        except ValueError:
            with pytest.raises(ValueError, match="do not fit together"):
                both(np.add, a, b)
            refused += 1
        else:
            agree(np.add, a, b)
            agree(np.less, a, b)
            allowed += 1
    assert allowed > 50
    assert refused > 50


KEYS = [
    0,
    -1,
    np.int64(1),
    slice(None),
    slice(1, None),
    slice(None, None, -1),
    slice(0, 0),
    Ellipsis,
    None,
    (0, 1),
    (slice(None), 0),
    (Ellipsis, -1),
    (slice(None), None, slice(1, 3)),
    (slice(1, None), slice(None, None, 2), 0),
    [0, 2, 2],
    ([0, 1], [1, 2]),
    np.array([[0, 1], [2, 0]]),
    np.array([True, False, True]),
    (slice(None), np.array([True, True, False, True])),
    (np.array([0, 2]), slice(None), np.array([1, 0])),
    np.arange(24).reshape(3, 4, 2) % 3 == 0,
    (),
]


@pytest.mark.parametrize("key", KEYS, ids=repr)
def test_indexing_is_numpys(key: Any) -> None:
    agree(lambda a: a[key] * 1, (3, 4, 2))


@pytest.mark.parametrize("key", [3, (0, 0, 0, 0), "a", 1.5, (slice(None), 9)])
def test_wrong_indices_are_numpys_errors(key: Any) -> None:
    m = hardnet.Model()
    with pytest.raises(IndexError):
        m.outputs("y", (3, 4, 2))[key]


MOVES: list[Callable[..., Any]] = [
    lambda a: a.T,
    lambda a: a.transpose(1, 0, 2),
    lambda a: a.reshape(6, -1),
    lambda a: a.reshape((4, 3, 2)),
    lambda a: a.ravel(),
    lambda a: a.flatten(),
    lambda a: a.swapaxes(0, 2),
    lambda a: a[:1].squeeze(0),
    lambda a: np.reshape(a, (4, 6)),
    lambda a: np.ravel(a),
    lambda a: np.transpose(a, (2, 0, 1)),
    lambda a: np.moveaxis(a, 0, -1),
    lambda a: np.swapaxes(a, 0, 1),
    lambda a: np.squeeze(a[:, :1]),
    lambda a: np.expand_dims(a, 1),
    lambda a: np.broadcast_to(a[0], (5, 4, 2)),
    lambda a: np.roll(a, 1, axis=1),
    lambda a: np.flip(a, 0),
    lambda a: np.tile(a[0], (2, 1)),
    lambda a: np.repeat(a, 2, axis=1),
    lambda a: np.take(a, [1, 0, 1], axis=1),
    lambda a: np.diagonal(a),
    lambda a: np.atleast_2d(a[0, 0]),
    lambda a: np.concatenate([a, a], axis=1),
    lambda a: np.concatenate([a, np.ones((3, 4, 2))]),
    lambda a: np.concatenate((np.zeros(2), a[0, 0]), axis=0),
    lambda a: np.stack([a, a + 1], axis=-1),
    lambda a: np.vstack([a[0], a[1]]),
    lambda a: np.hstack([a[0], np.ones((4, 1))]),
    lambda a: np.column_stack([a[:, 0, 0], a[:, 1, 0]]),
    lambda a: np.append(a[0], a[1], axis=0),
    lambda a: np.split(a, 2, axis=1),
    lambda a: np.array_split(a, 3, axis=1),
    lambda a: np.broadcast_arrays(a, a[0]),
    lambda a: hardnet.concatenate([a[0], a[1]], axis=1),
    lambda a: hardnet.stack([a[0], a[1]]),
]


@pytest.mark.parametrize("move", MOVES)
def test_moving_elements_is_numpys(move: Callable[..., Any]) -> None:
    agree(move, (3, 4, 2))


FOLDS: list[Callable[..., Any]] = [
    lambda a, **k: a.sum(**k),
    lambda a, **k: a.prod(**k),
    lambda a, **k: a.min(**k),
    lambda a, **k: a.max(**k),
    lambda a, **k: a.mean(**k),
    np.sum,
    np.prod,
    np.min,
    np.amax,
    np.mean,
    np.add.reduce,
    np.maximum.reduce,
    hardnet.sum,
    hardnet.prod,
    hardnet.min,
    hardnet.max,
    hardnet.mean,
]


@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (0, 1, 2), ()])
@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("fold", FOLDS)
def test_folds_are_numpys(fold: Callable[..., Any], axis: Any, keepdims: bool) -> None:
    ours, numpys = both(lambda a: fold(a, axis=axis, keepdims=keepdims), (3, 4, 2))
    assert np.shape(ours) == np.shape(numpys)
    np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)


def test_folds_of_nothing() -> None:
    agree(lambda a: a.sum(), (0,))
    agree(lambda a: a.sum(axis=0), (0, 3))
    agree(lambda a: a.max(axis=1), (0, 3))
    for method in ("min", "max", "prod", "mean"):
        with pytest.raises(ValueError):
            both(lambda a, name=method: getattr(a, name)(), (0,))


@pytest.mark.parametrize("bad", [3, -4, (0, 0), "x", 1.5])
def test_wrong_axes_are_refused(bad: Any) -> None:
    m = hardnet.Model()
    with pytest.raises((ValueError, TypeError, AttributeError)):
        m.outputs("y", (3, 4, 2)).sum(axis=bad)


COMPUTED: list[Callable[..., Any]] = [
    lambda a: np.diff(a),
    lambda a: np.diff(a, n=2, axis=0),
    lambda a: np.cumsum(a, axis=1),
    lambda a: np.cumsum(a),
    lambda a: np.clip(a, -0.5, 0.5),
    lambda a: np.clip(a, None, 0.5),
    lambda a: np.where(a > 0, a, -2 * a),
    lambda a: np.where(np.arange(4) > 1, a, 0.0),
    lambda a: np.linalg.norm(a),
    lambda a: np.linalg.norm(a, axis=1),
    lambda a: np.linalg.norm(a, ord=1, axis=0),
    lambda a: np.linalg.norm(a, ord=np.inf, axis=0, keepdims=True),
    lambda a: hardnet.norm(a, axis=0),
    lambda a: np.trace(a),
    lambda a: np.diag(a),
    lambda a: np.diag(a[0]),
    lambda a: np.diag(a[0], 1),
    lambda a: np.diag(a[0], -2),
    lambda a: np.cross(a[:, :3], a[:, 1:]),
    lambda a: np.cross(a[0, :3], np.array([1.0, 2.0, 3.0])),
    lambda a: np.outer(a[0], a[1]),
    lambda a: np.inner(a, a),
    lambda a: np.tensordot(a, a, axes=([0], [0])),
    lambda a: np.add.outer(a[0], a[1]),
    lambda a: np.vdot(a, a),
    lambda a: np.einsum("ij,jk->ik", a, a),
    lambda a: np.einsum("ij,jk", a, np.arange(16.0).reshape(4, 4)),
    lambda a: np.einsum("ki,ij,kj->k", a, np.arange(16.0).reshape(4, 4), a),
    lambda a: np.einsum("ii->i", a),
    lambda a: np.einsum("ii", a),
    lambda a: np.einsum("ij->ji", a),
    lambda a: np.einsum("ij->", a),
    lambda a: np.einsum("i,j->ij", a[0], a[1]),
]


@pytest.mark.parametrize("function", COMPUTED)
def test_functions_that_compute_are_numpys(function: Callable[..., Any]) -> None:
    ours, numpys = both(function, (4, 4))
    assert np.shape(ours) == np.shape(numpys)
    np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)


SHAPES = [
    ((3,), (3,)),
    ((2, 3), (3,)),
    ((2,), (2, 3)),
    ((2, 3), (3, 4)),
    ((5, 2, 3), (3, 4)),
    ((2, 3), (5, 3, 4)),
    ((5, 2, 3), (5, 3, 4)),
    ((5, 2, 3), (3,)),
    ((3,), (5, 3, 2)),
    ((0, 3), (3, 2)),
    ((2, 0), (0, 3)),
]


@pytest.mark.parametrize(("left", "right"), SHAPES)
def test_matrix_products_are_numpys(left: tuple[int, ...], right: tuple[int, ...]) -> None:
    a, b = RANDOM.normal(size=left), RANDOM.normal(size=right)
    a[np.abs(a) < 0.3] = 0
    for function in (
        lambda p, q: both(lambda x, y: x @ y, left, right),
        lambda p, q: both(lambda y: p @ y, right),
        lambda p, q: both(lambda x: x @ q, left),
        lambda p, q: both(lambda x: np.matmul(x, q), left),
        lambda p, q: both(lambda x: hardnet.matmul(x, q), left),
    ):
        ours, numpys = function(a, b)
        assert np.shape(ours) == np.shape(numpys)
        np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)
    if max(len(left), len(right)) < 3:
        ours, numpys = both(np.dot, left, right)
        np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)
        ours, numpys = both(lambda x: x.dot(b), left)
        np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)


def test_dot_with_more_axes_and_scalars() -> None:
    for left, right in (((2, 3), (4, 3, 5)), ((3,), (2, 3, 2)), ((), (3,)), ((2,), ())):
        ours, numpys = both(np.dot, left, right)
        assert np.shape(ours) == np.shape(numpys)
        np.testing.assert_allclose(ours, numpys, rtol=1e-13, atol=1e-13)


def test_matrices_that_do_not_fit_are_refused() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (2, 3))
    for bad in (
        lambda: y @ y,
        lambda: np.ones((2, 2)) @ y.T,
        lambda: y @ 2.0,
        lambda: [1, 2] @ y.T,
    ):
        with pytest.raises(ValueError):
            bad()


def test_einsum_refuses_what_it_does_not_know() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (2, 3))
    for bad in ("ij,jk->ik", "i->i", "ij->k", "ij->ii", "...j->j", 3):
        with pytest.raises((ValueError, TypeError)):
            np.einsum(bad, y)
    with pytest.raises(ValueError):
        np.einsum("ij,jk->ik", y, y)


def test_zeros_of_a_matrix_of_numbers_make_no_terms() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    matrix = np.array([[0.0, 2.0, 0.0], [0.0, 0.0, 0.0]])
    product = matrix @ hardnet.exp(y)
    assert product[0].nodes == (2 * hardnet.exp(y[1])).nodes
    assert m.value(product, [1000.0, 0.0, 0.0]).tolist() == [2.0, 0.0]


def test_sparse_matrices_of_scipy() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(6, 5, density=0.4, random_state=3, format="coo")
    for form in ("csr", "csc", "coo"):
        ours, numpys = both(
            lambda a, f=form: (
                hardnet.matmul(matrix.asformat(f), a)
                if isinstance(a, Expression)
                else matrix.toarray() @ a
            ),
            (5,),
        )
        np.testing.assert_allclose(ours, numpys, rtol=1e-14)
    ours, numpys = both(
        lambda a: a @ matrix if isinstance(a, Expression) else a @ matrix.toarray(), (2, 6)
    )
    np.testing.assert_allclose(ours, numpys, rtol=1e-14)


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
        lambda: np.linalg.inv(y),
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
