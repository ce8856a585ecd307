"""Matrices of numbers in a model: A @ y without an expression for each entry.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np
import pytest

import hardnet


def test_a_matrix_product_needs_a_node_per_row() -> None:
    matrix = np.random.default_rng(1).normal(size=(40, 50))
    m = hardnet.Model()
    y = m.outputs("y", 50)
    before = m._open().node_count
    product = matrix @ y
    assert m._open().node_count == before + 40
    at = np.random.default_rng(2).normal(size=50)
    values = np.asarray(m.value(product, at))
    for i in range(40):  # from left to right, to the last bit
        total = 0.0
        for j in range(50):
            total += matrix[i, j] * at[j]
        assert values[i] == total


def test_constraints_by_a_matrix_have_its_jacobian() -> None:
    generator = np.random.default_rng(3)
    matrix, right = generator.normal(size=(20, 30)), generator.normal(size=20)
    matrix[generator.random(size=matrix.shape) < 0.2] = 0
    m = hardnet.Model()
    y = m.outputs("y", 30)
    m.subject_to(matrix @ y <= right, name="limit")
    at = generator.normal(size=30)
    np.testing.assert_array_equal(np.asarray(m.jacobian(at).toarray()), matrix)
    result = m.layer()(at)
    assert bool(result.ok)
    assert (matrix @ result.y <= right + 2e-8).all()


def test_sparse_matrices_and_columns_of_outputs() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    matrix = sparse.random(30, 60, density=0.5, random_state=4, format="coo")
    m = hardnet.Model()
    y = m.outputs("y", (60, 2))
    at = np.random.default_rng(5).normal(size=(60, 2))
    for product, wanted in (
        (hardnet.matmul(matrix, y), matrix @ at),
        (hardnet.matmul(y.T, matrix.T), (matrix @ at).T),
    ):
        np.testing.assert_allclose(m.value(product, at.ravel()), wanted, atol=1e-12)


def test_a_quadratic_form_costs_a_node_per_row() -> None:
    matrix = np.random.default_rng(6).normal(size=(60, 60))
    m = hardnet.Model()
    y = m.outputs("y", 60)
    before = m._open().node_count
    m.subject_to(y @ matrix @ y <= 1)
    assert m._open().node_count < before + 3 * 60
    at = np.random.default_rng(7).normal(size=60)
    found = np.asarray(m.jacobian(at).toarray())
    np.testing.assert_allclose(found[0], (matrix + matrix.T) @ at, rtol=1e-10)


def test_a_long_sum_prints_as_a_sum() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 20)
    matrix = np.full((1, 20), 2.0)
    matrix[0, 1:3] = -1.0, 1.0
    assert str((matrix @ y)[0]) == "2 * y[0] - y[1] + y[2] + 2 * y[3] + ... + 2 * y[19]"


def test_a_model_with_matrices_is_written_and_read_back() -> None:
    generator = np.random.default_rng(8)
    m = hardnet.Model()
    y, x = m.outputs("y", 30, lower=-5), m.inputs("x", 2)
    m.subject_to(generator.normal(size=(4, 30)) @ y + hardnet.sin(y[:4]) <= x[0], name="mixed")
    m.minimize(hardnet.sum(generator.normal(size=30) * y) - y[0] * y[1])
    again = hardnet.Model.from_text(m.to_ampl())
    assert again.fingerprint == m.fingerprint


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_are_named(bad: float) -> None:
    matrix = np.ones((4, 20))
    matrix[2, 7] = bad
    m = hardnet.Model()
    y = m.outputs("y", 20)
    with pytest.raises(ValueError, match=f"row 2 of the matrix has {bad} in column 7"):
        matrix @ y
    assert str(y[0]) == "y[0]"  # the model goes on


def test_a_matrix_beyond_the_limit_is_refused() -> None:
    m = hardnet.Model(max_nodes=1000)
    y = m.outputs("y", 40)
    with pytest.raises(hardnet.Error, match="a matrix of 1200 numbers does not fit"):
        np.ones((30, 40)) @ y
    m.subject_to(np.ones((10, 40)) @ y <= 1)
    assert m.layer()(np.ones(40)).ok
