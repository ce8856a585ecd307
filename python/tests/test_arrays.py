"""Broadcasting, indexing, moving, folding and products of expressions against NumPy.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expressions import RANDOM, agree, both

import hardnet
from hardnet import Expression


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
