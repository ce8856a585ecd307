"""Matrices that must be positive semidefinite, and second-order cones.

SPDX-License-Identifier: MIT
"""

import numpy as np
import pytest

import hardnet


def lyapunov(n, a):
    m = hardnet.Model()
    p = m.outputs("p", (n, n), symmetric=True)
    m.subject_to(-(a.T @ p + p @ a) >> np.eye(n), name="lyapunov")
    m.subject_to(p >> 0.1 * np.eye(n), name="positive")
    return m, p


def stable(rng, n):
    a = rng.standard_normal((n, n))
    return a - (np.linalg.eigvals(a).real.max() + 0.1 + rng.random()) * np.eye(n)


@pytest.mark.parametrize("n", [1, 2, 4, 8])
def test_random_stable_systems_have_a_lyapunov_matrix(n):
    rng = np.random.default_rng(n)
    for _ in range(20):
        a = stable(rng, n)
        m, p = lyapunov(n, a)
        result = m.layer()(rng.standard_normal(m.outputs_count))
        assert result.ok
        value = m.value(p, result.y)
        assert np.linalg.eigvalsh(value).min() >= 0.1 - 1.01e-8
        assert np.linalg.eigvalsh(-(a.T @ value + value @ a)).min() >= 1 - 1.01e-8


def test_violation_and_residual_are_eigenvalues():
    rng = np.random.default_rng(1)
    m, p = lyapunov(3, stable(rng, 3))
    y = rng.standard_normal((50, 6))
    at = m.evaluate(y)
    values = m.value(p, y) - 0.1 * np.eye(3)
    least = np.minimum(np.linalg.eigvalsh(values), 0)
    rows = list(m.row_names).index("positive") + np.array([0, 2, 5])
    np.testing.assert_allclose(at.residual[:, rows], least, atol=1e-14)
    result = m.layer()(y)
    np.testing.assert_allclose(result.violation_before, at.violation, rtol=1e-14, atol=1e-15)
    assert set(np.unique(at.worst)) <= {"lyapunov", "positive"}


def test_the_nearest_matrix_of_an_affine_block_is_not_far():
    """For M = P itself the correction ends near the projection, which clips eigenvalues."""
    m = hardnet.Model()
    p = m.outputs("p", (3, 3), symmetric=True)
    m.subject_to(p >> 0)
    raw = np.random.default_rng(2).standard_normal((100, 6))
    scale = np.array([1, np.sqrt(2), 1, np.sqrt(2), np.sqrt(2), 1])
    w, q = np.linalg.eigh(m.value(p, raw))
    clipped = np.einsum("sia,sa,sja->sij", q, np.maximum(w, 0), q)
    distance = np.linalg.norm(clipped - m.value(p, raw), axis=(1, 2))
    result = m.layer()(raw)
    assert result.ok.all()
    moved = np.linalg.norm((result.y - raw) * scale, axis=1)
    assert (moved <= 1.5 * distance + 1e-7).all()


def test_cones_broadcast():
    m = hardnet.Model()
    u, t = m.outputs("u", (4, 3)), m.outputs("t", 4)
    m.subject_to(hardnet.soc(t, u), name="cone")
    m.subject_to(hardnet.soc(2.0, u[:, :2]), name="ball")
    result = m.layer()(np.random.default_rng(3).standard_normal((100, 16)) * 3)
    assert result.ok.all()
    y = m.unpack(result.y)
    assert (np.linalg.norm(y["u"], axis=-1) - y["t"]).max() <= 1.01e-8
    assert np.linalg.norm(y["u"][..., :2], axis=-1).max() <= 2 + 1.01e-8


def test_gradients_are_those_of_differences():
    rng = np.random.default_rng(4)
    m = hardnet.Model()
    a = m.inputs("a", (3, 3))
    p = m.outputs("p", (3, 3), symmetric=True)
    m.subject_to(-(a.T @ p + p @ a) >> np.eye(3))
    layer = m.layer()
    x, raw, weights = (
        stable(rng, 3).reshape(1, 9),
        rng.standard_normal((1, 6)),
        rng.standard_normal(6),
    )
    result = layer(raw, x, tape=True)
    gradient = layer.gradient(result, weights[None])
    h = 1e-5
    for array, found in ((x, gradient.x), (raw, gradient.y_raw)):
        for j in range(array.shape[1]):
            step = np.zeros_like(array)
            step[0, j] = h
            low, high = (
                (raw + s * step, x) if array is raw else (raw, x + s * step) for s in (-1, 1)
            )
            change = (layer(*high).y - layer(*low).y) @ weights / (2 * h)
            assert found[0, j] == pytest.approx(change[0], rel=1e-6, abs=1e-6)


def test_relations_of_matrices():
    m = hardnet.Model()
    p = m.outputs("p", (2, 2), symmetric=True)
    m.subject_to(p >> 0, p << 3 * np.eye(2), np.eye(2) << p, 2 * np.eye(2) >> p - 1 * np.eye(2))
    result = m.layer()([9.0, 5.0, -3.0])
    assert result.ok
    w = np.linalg.eigvalsh(m.value(p, result.y))
    assert 1 - 1e-7 <= w.min() and w.max() <= 3 + 1e-7


def test_entries_in_another_order_are_the_same_matrix():
    m = hardnet.Model()
    y = m.outputs("y", 3)
    matrix = hardnet.array([[y[0], y[0] + y[1] + y[2]], [y[2] + y[1] + y[0], y[1]]])
    m.subject_to(matrix >> 0)
    assert m.layer()([1.0, -2.0, 3.0]).ok


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (
            lambda y: hardnet.array([[y[0], y[1]], [y[2], y[0]]]) >> 0,
            "entry \\[1, 0\\] is y\\[2\\]",
        ),
        (lambda y: y[:2] >> 0, "square"),
        (lambda y: y[[[0, 1], [1, 2]]] >> 1, "must be 0"),
        (lambda y: hardnet.soc(y[0], y[1]), "vector"),
        (lambda y: hardnet.psd(y[np.zeros((33, 33), int)]), "at most 32"),
    ],
)
def test_wrong_sets_are_refused(make, words):
    m = hardnet.Model()
    y = m.outputs("y", 3)
    with pytest.raises(hardnet.InvalidError, match=words):
        m.subject_to(make(y))
    assert m.rows_count == 0


def test_a_set_is_only_a_constraint():
    m = hardnet.Model()
    y = m.outputs("y", 3)
    with pytest.raises(TypeError, match="can only be a constraint"):
        hardnet.where(y[[[0, 1], [1, 2]]] >> 0, y[0], y[1])
    with pytest.raises(TypeError):
        y[[[0, 1], [1, 2]]] >> "a"


@pytest.mark.parametrize("method", ["auto", "lm", "paper"])
def test_a_compiled_layer_has_the_same_bits(method):
    rng = np.random.default_rng(5)
    m, p = lyapunov(3, stable(rng, 3))
    m.subject_to(hardnet.soc(40.0, p.reshape(-1)), p[0, 0] <= 20)
    raw, weights = rng.standard_normal((2, 40, 6))
    found = []
    for compiled in (False, True):
        layer = m.layer(method=method, compile=compiled, iterations=60)
        result = layer(raw, tape=True)
        found.append((result.y, layer.gradient(result, weights).y_raw))
    for one, other in zip(*found):
        np.testing.assert_array_equal(one, other)
