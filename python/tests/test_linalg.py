"""logdet, inv, solve, cholesky, trace, kron and diag of expressions against NumPy and differences.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from expressions import agree

import hardnet

RANDOM = np.random.default_rng(41)
SIZES = [1, 2, 3, 4, 5, 7]


def definite(n: int) -> np.ndarray:
    """A random positive definite matrix with eigenvalues from 0.5 on."""
    part = RANDOM.normal(size=(n, n))
    return part @ part.T + 0.5 * np.eye(n)


def dominant(n: int) -> np.ndarray:
    """A random matrix without symmetry whose leading minors are not 0."""
    return RANDOM.uniform(-1, 1, size=(n, n)) + n * np.eye(n)


def numpys_logdet(matrix: np.ndarray) -> Any:
    return np.linalg.slogdet(matrix)[1]


def symmetric_part(e: Any) -> Any:
    return (e + e.T) / 2


# ---- values ----


@pytest.mark.parametrize("n", SIZES)
def test_functions_of_definite_matrices_are_numpys(n: int) -> None:
    m = hardnet.Model()
    matrix = symmetric_part(m.outputs("y", (n, n)))
    at = definite(n)
    for ours, numpys in (
        (hardnet.logdet, numpys_logdet),
        (hardnet.cholesky, np.linalg.cholesky),
        (hardnet.inv, np.linalg.inv),
        (hardnet.trace, np.trace),
    ):
        found = m.value(ours(matrix), at.ravel())
        np.testing.assert_allclose(found, numpys(at), rtol=1e-11, atol=1e-11)
        np.testing.assert_allclose(ours(at), numpys(at), rtol=1e-11, atol=1e-11)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("matrix_of", [definite, dominant])
def test_inverses_and_solutions_are_numpys(n: int, matrix_of: Callable[[int], Any]) -> None:
    m = hardnet.Model()
    y, b = m.outputs("y", (n, n)), m.outputs("b", (n, 2))
    matrix = symmetric_part(y) if matrix_of is definite else y
    at, right = matrix_of(n), RANDOM.normal(size=(n, 2))
    values = np.concatenate([at.ravel(), right.ravel()])
    close = {"rtol": 1e-11, "atol": 1e-11}
    np.testing.assert_allclose(m.value(hardnet.inv(matrix), values), np.linalg.inv(at), **close)
    wanted = np.linalg.solve(at, right)
    np.testing.assert_allclose(m.value(hardnet.solve(matrix, b), values), wanted, **close)
    np.testing.assert_allclose(
        m.value(hardnet.solve(matrix, b[:, 0]), values), wanted[:, 0], **close
    )
    np.testing.assert_allclose(m.value(hardnet.solve(at, b), values), wanted, **close)
    np.testing.assert_allclose(m.value(hardnet.solve(matrix, right), values), wanted, **close)
    np.testing.assert_allclose(hardnet.solve(at, right), wanted, **close)


def test_numpys_functions_of_expressions_are_these() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (3, 3))
    P = symmetric_part(y)
    pairs = [
        (np.linalg.inv(y), hardnet.inv(y)),
        (np.linalg.cholesky(P), hardnet.cholesky(P)),
        (np.linalg.solve(y, y[0]), hardnet.solve(y, y[0])),
        (np.kron(y, P), hardnet.kron(y, P)),
        (np.trace(y), hardnet.trace(y)),
        (np.diag(y[0], 1), hardnet.diag(y[0], 1)),
    ]
    for one, other in pairs:
        np.testing.assert_array_equal(one.nodes, other.nodes)


@pytest.mark.parametrize(
    "shapes", [((2, 3), (4, 2)), ((3,), (2, 2)), ((2, 2), (3,)), ((2,), (3,)), ((), (2, 2))]
)
def test_kron_is_numpys(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    agree(hardnet.kron, *shapes)
    numbers = RANDOM.normal(size=shapes[0])
    agree(lambda a: hardnet.kron(numbers, a), shapes[1])
    agree(lambda a: hardnet.kron(a, numbers), shapes[1])


def test_trace_and_diag_are_numpys() -> None:
    agree(hardnet.trace, (4, 4))
    agree(lambda a: hardnet.diag(a), (3,))
    agree(lambda a: hardnet.diag(a, -2), (3,))
    agree(lambda a: hardnet.diag(a), (3, 4))
    agree(lambda a: hardnet.diag(a, 1), (3, 4))


def test_stacks_of_matrices() -> None:
    m = hardnet.Model()
    y, b = m.outputs("y", (2, 5, 5)), m.outputs("b", 5)
    at, right = np.stack([definite(5), definite(5)]), RANDOM.normal(size=5)
    P = (y + y.swapaxes(1, 2)) / 2
    values = np.concatenate([at.ravel(), right])
    pairs = [
        (hardnet.logdet(P), numpys_logdet(at)),
        (hardnet.trace(P), at.trace(axis1=1, axis2=2)),
        (hardnet.cholesky(P), np.linalg.cholesky(at)),
        (hardnet.inv(y), np.linalg.inv(at)),
        (hardnet.solve(y, b), np.stack([np.linalg.solve(one, right) for one in at])),
        (
            hardnet.solve(P[0], b[:, None] * np.ones((4, 5, 2)))[3, :, 1],
            np.linalg.solve(at[0], right),
        ),
    ]
    for ours, numpys in pairs:
        assert ours.shape == np.shape(numpys)
        np.testing.assert_allclose(m.value(ours, values), numpys, rtol=1e-10, atol=1e-10)
    assert hardnet.inv(y[:0]).shape == (0, 5, 5)
    assert hardnet.trace(y[0, :0, :0]).shape == ()


# ---- derivatives ----


FUNCTIONS: list[Callable[[Any], Any]] = [
    hardnet.logdet,
    hardnet.cholesky,
    hardnet.inv,
    lambda P: hardnet.solve(P, np.arange(len(P)) + 1.0),
    lambda P: hardnet.solve(hardnet.diag(np.arange(len(P)) + 1.0) + P * P[::-1], P[0]),
    lambda P: hardnet.kron(P, P[:1]),
    lambda P: hardnet.trace(P @ P) * hardnet.diag(P),
]


@pytest.mark.parametrize("n", [2, 4, 6])
@pytest.mark.parametrize("function", FUNCTIONS)
def test_derivatives_are_those_of_differences(function: Callable[[Any], Any], n: int) -> None:
    m = hardnet.Model()
    x = m.inputs("x", (n, n))
    P = m.outputs("P", (n, n), symmetric=True)
    m.subject_to(function(P + symmetric_part(x)) == 0, name="value")
    at, shift = definite(n), 0.1 * RANDOM.normal(size=n * n)
    y = m.pack(P=at)
    step = 1e-6 * np.eye(y.size)
    rows = m.evaluate(np.stack([y + step, y - step]), shift).rows
    difference = (rows[0] - rows[1]).T / 2e-6
    found = np.asarray(m.jacobian(y, shift).toarray())
    np.testing.assert_allclose(found, difference, rtol=1e-5, atol=1e-6 * np.abs(found).max())
    step = 1e-6 * np.eye(n * n)
    rows = m.evaluate(y, np.stack([shift + step, shift - step])).rows
    found = np.asarray(m.jacobian(y, shift, wrt="x").toarray())
    difference = (rows[0] - rows[1]).T / 2e-6
    np.testing.assert_allclose(found, difference, rtol=1e-5, atol=1e-6 * np.abs(found).max())


@pytest.mark.parametrize("n", [1, 3, 5, 8])
def test_the_derivatives_of_logdet_are_those_of_its_formula(n: int) -> None:
    m = hardnet.Model()
    P = m.outputs("P", (n, n), symmetric=True)
    m.minimize(hardnet.logdet(P))
    at = definite(n)
    inverse = np.linalg.inv(at)
    row, column = np.tril_indices(n)
    twice = np.where(row == column, 1.0, 2.0)
    gradient = twice * inverse[row, column]  # d log det = tr(P^-1 dP)
    np.testing.assert_allclose(m.gradient(m.pack(P=at)), gradient, rtol=1e-9, atol=1e-9)
    pairs = inverse[row][:, row] * inverse[column][:, column]
    pairs += inverse[row][:, column] * inverse[column][:, row]
    hessian = -0.5 * np.outer(twice, twice) * pairs  # d2 log det = -tr(P^-1 dP P^-1 dP)
    found = np.asarray(m.hessian(m.pack(P=at)).toarray())
    np.testing.assert_allclose(found, hessian, rtol=1e-8, atol=1e-8)


def test_a_layer_with_functions_of_matrices_corrects_and_differentiates() -> None:
    m = hardnet.Model()
    level = m.inputs("level", lower=0, upper=1)
    P = m.outputs("P", (3, 3), symmetric=True)
    m.subject_to(hardnet.logdet(P) >= level, hardnet.inv(P)[0, 0] <= 1, name=["size", "corner"])
    m.subject_to(hardnet.trace(P) == 3, name="scale")
    raw = m.pack(P=np.stack([definite(3) for _ in range(20)]))
    x = RANDOM.uniform(-2, -1, size=(20, 1))
    layer = m.layer("nearest", tolerance=1e-12)
    result = layer(raw, x)
    assert result.ok.all()
    corrected = m.unpack(result.y)["P"]
    np.testing.assert_allclose(corrected.trace(axis1=1, axis2=2), 3, rtol=0, atol=1e-11)
    assert (np.linalg.slogdet(corrected)[1] >= x[:, 0] - 1e-11).all()
    assert (np.linalg.inv(corrected)[:, 0, 0] <= 1 + 1e-10).all()
    weights = RANDOM.normal(size=6)
    gradient = layer.gradient(layer(raw, x, tape=True), np.broadcast_to(weights, raw.shape))
    usable = ~gradient.flagged
    assert usable.sum() >= 15
    for j in range(6):
        step = np.zeros(6)
        step[j] = 1e-6
        difference = (layer(raw + step, x).y - layer(raw - step, x).y) @ weights / 2e-6
        np.testing.assert_allclose(gradient.y_raw[usable, j], difference[usable], atol=2e-5)


# ---- the graph ----


def test_expressions_of_numbers_are_folded() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (5, 5))
    at = definite(5)
    numbers = hardnet.concatenate([y[:0], at])
    for found in (
        hardnet.inv(numbers),
        hardnet.cholesky(numbers),
        hardnet.logdet(numbers),
        hardnet.solve(numbers, at),
        hardnet.kron(numbers, at),
    ):
        known, _ = m._numbers(np.ascontiguousarray(found.nodes).reshape(found.shape))
        assert known.all()
    np.testing.assert_allclose(
        m.value(hardnet.solve(numbers, at), np.zeros(25)), np.eye(5), atol=1e-12
    )


def test_a_solution_with_numbers_is_a_sum_for_each_entry() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 30)
    before = m._open().node_count
    hardnet.solve(dominant(30), y)
    assert m._open().node_count == before + 30


def test_mixtures_of_numbers_inputs_and_outputs() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x", 2), m.outputs("y", 2)
    matrix = hardnet.array([[2.0, x[0], 0.0], [x[0], 3 + y[0] ** 2, y[1]], [0.0, y[1], x[1]]])
    at = np.array([[2.0, 0.5, 0.0], [0.5, 3.25, -0.3], [0.0, -0.3, 1.5]])
    place = [0.5, -0.3], [0.5, 1.5]
    assert abs(m.value(hardnet.logdet(matrix), *place) - numpys_logdet(at)) < 1e-14
    np.testing.assert_allclose(m.value(hardnet.inv(matrix), *place), np.linalg.inv(at), atol=1e-14)


def test_the_inverse_of_a_symmetric_matrix_is_symmetric() -> None:
    for n in SIZES:
        m = hardnet.Model()
        nodes = hardnet.inv(m.outputs("P", (n, n), symmetric=True)).nodes
        np.testing.assert_array_equal(nodes, nodes.T)


def test_zeros_stay_zeros() -> None:
    n = 40
    m = hardnet.Model()
    y, z = m.outputs("y", n), hardnet.exp(m.outputs("z", n - 1))
    band = hardnet.diag(y) + hardnet.diag(z, 1) + hardnet.diag(z, -1)
    before = m._open().node_count
    factor = hardnet.cholesky(band)
    assert m._open().node_count < before + 8 * n
    assert (factor.nodes != factor.nodes[0, -1]).sum() == 2 * n - 1
    blocks = hardnet.kron(np.eye(3), hardnet.exp(band[:5, :5]))
    assert (blocks.nodes != blocks.nodes[0, -1]).sum() == 3 * 25
    inverse = hardnet.inv(blocks)
    assert (inverse.nodes != inverse.nodes[0, -1]).sum() == 3 * 25


def test_rows_are_exchanged_where_a_pivot_is_the_number_zero() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (3, 3))
    saddle = np.zeros((6, 6))
    saddle[:3, 3:], saddle[3:, :3] = np.eye(3)[::-1], np.eye(3)
    matrix = hardnet.concatenate([np.concatenate([saddle[:3, :3], y], axis=1), saddle[3:]])
    at = dominant(3)
    value = saddle.copy()
    value[:3, 3:] = at
    found = m.value(hardnet.inv(matrix), at.ravel())
    np.testing.assert_allclose(found, np.linalg.inv(value), atol=1e-13)
    symmetric = hardnet.concatenate(
        [np.concatenate([np.zeros((3, 3)), y], 1), np.concatenate([y.T, np.zeros((3, 3))], 1)]
    )
    value[3:, :3] = at.T
    found = m.value(hardnet.solve(symmetric, np.arange(6.0)), at.ravel())
    np.testing.assert_allclose(found, np.linalg.solve(value, np.arange(6.0)), atol=1e-13)


@pytest.mark.parametrize("symmetric", [False, True])
def test_any_pattern_of_zeros_numbers_and_expressions(symmetric: bool) -> None:
    solved = refused = 0
    for _ in range(200):
        n = int(RANDOM.integers(2, 8))
        m = hardnet.Model()
        y, at = m.outputs("y", (n, n), symmetric=symmetric), definite(n)
        kind, number = RANDOM.integers(0, 4, size=(n, n)), at.round(1) - 1
        kind = np.tril(kind) + np.tril(kind, -1).T if symmetric else kind
        kind[0, 0] = 2  # 0: zero, 1: number, 2: output, 3: expression
        matrix = hardnet.where(kind == 1, number, hardnet.where(kind == 2, y, hardnet.exp(y) - 2))
        matrix = hardnet.where(kind == 0, 0.0, matrix)
        value = np.select([kind == 0, kind == 1, kind == 2], [0 * at, number, at], np.exp(at) - 2)
        condition = np.linalg.cond(value)
        try:
            inverse = hardnet.inv(matrix)
        except hardnet.InvalidError:
            assert condition > 1e12
            refused += 1
            continue
        if condition > 1e5:
            continue
        found = m.value(inverse, m.pack(y=at))
        np.testing.assert_allclose(found @ value, np.eye(n), atol=1e-6)
        solved += 1
    assert solved > 100 and refused > 0


# ---- where they are undefined ----


def test_a_matrix_that_is_not_definite_gives_nan() -> None:
    for n in SIZES:
        m = hardnet.Model()
        P = m.outputs("P", (n, n), symmetric=True)
        values = m.value(hardnet.logdet(P), m.pack(P=[definite(n), -definite(n), np.zeros((n, n))]))
        assert np.isfinite(values[0]) and not np.isfinite(values[1:]).any()
        factors = m.value(hardnet.cholesky(P), m.pack(P=[definite(n), -definite(n)]))
        assert np.isfinite(factors[0]).all() and np.isnan(factors[1]).any()
    swapped = np.array([[0.0, 1.0], [1.0, 0.0]])  # eigenvalues 1 and -1
    for indefinite in (swapped, np.diag([1.0, -1.0, -1.0]), -np.eye(2)):
        assert np.isnan(hardnet.logdet(indefinite))
        m = hardnet.Model()
        P = m.outputs("P", indefinite.shape, symmetric=True)
        assert not np.isfinite(m.value(hardnet.logdet(P), m.pack(P=indefinite)))
    np.testing.assert_array_equal(hardnet.logdet(np.stack([np.eye(2), swapped])), [0, np.nan])


def test_a_sample_that_is_not_definite_harms_no_other() -> None:
    m = hardnet.Model()
    P = m.outputs("P", (2, 2), symmetric=True, start=np.eye(2))
    m.subject_to(hardnet.logdet(P) >= 0, name="size")
    raw = np.array([[2.0, 0.1, 0.4], [-1.0, 0.0, -1.0], [0.3, 0.0, 0.3]])
    result = m.layer("lm")(raw)
    assert [outcome.name for outcome in result.outcome] == ["OK", "NONFINITE_EVALUATION", "OK"]
    np.testing.assert_array_equal(result.y[[0, 2]], m.layer("lm")(raw[[0, 2]]).y)
    again = m.layer("auto")(raw)  # restarts from the start values
    assert again.ok.all()
    assert (np.linalg.eigvalsh(m.unpack(again.y)["P"]) > 0).all()


# ---- mistakes ----


def test_mistakes_are_refused_and_name_the_culprit() -> None:
    m = hardnet.Model()
    y, P = m.outputs("y", (3, 3)), m.outputs("P", (3, 3), symmetric=True)
    other = hardnet.Model().outputs("y", (3, 3))
    differs = r"the matrix is not symmetric: \[0,1\] is y\[0,1\] and \[1,0\] is y\[1,0\]"
    far = hardnet.stack([P, P * np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 1.0], [1.0, 1.0, 1.0]])])
    hollow = hardnet.concatenate([P[:2], np.zeros((1, 3))])
    bad = np.eye(3)
    bad[2, 1] = np.nan
    mistakes: list[tuple[type[Exception], str, Callable[[], Any]]] = [
        (ValueError, f"logdet: {differs}", lambda: hardnet.logdet(y)),
        (ValueError, f"cholesky: {differs}", lambda: hardnet.cholesky(y)),
        (ValueError, r"\[1,0,2\] is 2 \* P\[2,0\] and \[1,2,0\] is", lambda: hardnet.logdet(far)),
        (ValueError, r"\[0,1\] is 2 and \[1,0\] is 3", lambda: hardnet.logdet([[1, 2], [3, 4]])),
        (ValueError, r"\[0,1\] is 2 and \[1,0\] is 3", lambda: hardnet.cholesky([[1, 2], [3, 4]])),
        (
            ValueError,
            "definite: a pivot is 0",
            lambda: hardnet.logdet(hardnet.diag([0.0, y[0, 0]])),
        ),
        (ValueError, r"inv: the matrix is singular", lambda: hardnet.inv(hollow)),
        (ValueError, r"solve: the matrix is singular", lambda: hardnet.solve(hollow, y)),
        (ValueError, "singular", lambda: hardnet.inv(hardnet.kron(np.eye(2), hollow))),
        (ValueError, "singular", lambda: hardnet.solve(np.ones((3, 3)), y)),
        (ValueError, r"matrix \[2,1\] is nan", lambda: hardnet.solve(bad, y)),
        (
            ValueError,
            "cholesky: the matrix is not positive definite: a pivot is -1",
            lambda: hardnet.cholesky(hardnet.diag([2.0, -1.0, y[0, 0]])),
        ),
        (ValueError, r"do not fit together", lambda: hardnet.solve(P, y[:2])),
        (ValueError, r"\(3, 3\) and \(2,\)", lambda: hardnet.solve(P, [1.0, 2.0])),
        (ValueError, r"\(3, 3\) and \(\)", lambda: hardnet.solve(P, 1.0)),
        (ValueError, "do not fit together", lambda: hardnet.solve(far, np.ones((3, 3, 1)))),
        (ValueError, "one or two axes", lambda: hardnet.diag(far)),
        (ValueError, "two models", lambda: hardnet.solve(P, other)),
        (ValueError, "two models", lambda: hardnet.kron(P, other)),
        (TypeError, "real numbers", lambda: hardnet.kron(P, "a")),
        (TypeError, "real numbers", lambda: hardnet.inv(np.eye(2) * 1j)),
        (TypeError, "these arguments", lambda: np.linalg.cholesky(P, upper=True)),
    ]
    for name in ("logdet", "trace", "inv", "cholesky"):
        for wrong in (y[:2], y[0], y[0, 0], 3.0, np.ones((2, 3))):
            text = rf"{name}: an array of shape \(.*\) is not a square matrix"
            mistakes.append((ValueError, text, lambda n=name, w=wrong: getattr(hardnet, n)(w)))
    for kind, text, call in mistakes:
        with pytest.raises(kind, match=text):
            call()


def test_numbers_may_differ_by_rounding() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    matrix = hardnet.array([[y[0], 0.1 + 0.2], [0.3, y[1]]])
    assert abs(m.value(hardnet.logdet(matrix), [1.0, 1.0]) - np.log(0.91)) < 1e-15
    with pytest.raises(ValueError, match=r"\[0,1\] is 0.3 and \[1,0\] is 0.30001"):
        hardnet.logdet(hardnet.array([[y[0], 0.3], [0.30001, y[1]]]))
