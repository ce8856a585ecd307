"""Values and derivatives of models: against NumPy, against differences, in any leading shape.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pytest

import hardnet

RANDOM = np.random.default_rng(3)


def example(maximize: bool = False) -> hardnet.Model:
    """Rows and an objective with all kinds of derivatives."""
    m = hardnet.Model()
    x = m.inputs("x", 2, lower=0.5, upper=2)
    y = m.outputs("y", 3, lower=-1, upper=x[0], start=x[1])
    m.subject_to(y[0] * y[1] == hardnet.sin(y[2]) * x[0], name="product")
    m.subject_to(hardnet.between(-(x[0] ** 2), hardnet.exp(y), x[0] * x[1]), name="exps")
    objective = hardnet.sum(y**3) * x[1] + y[0] * y[2] * x[0]
    if maximize:
        m.maximize(objective)
    else:
        m.minimize(objective)
    return m


def rows_of(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    product = y[..., 0] * y[..., 1] - np.sin(y[..., 2]) * x[..., 0]
    return np.concatenate([product[..., None], np.exp(y), y], axis=-1)


def objective_of(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (y**3).sum(-1) * x[..., 1] + y[..., 0] * y[..., 2] * x[..., 0]


def samples(*lead: int) -> tuple[np.ndarray, np.ndarray]:
    return RANDOM.normal(size=(*lead, 3)), RANDOM.uniform(0.5, 2, size=(*lead, 2))


def differences(function: Any, at: np.ndarray) -> np.ndarray:
    """d function / d at by central differences: (..., of at)."""
    step, columns = 1e-6, []
    for i in range(at.size):
        move = np.zeros(at.size)
        move[i] = step
        columns.append((function(at + move) - function(at - move)) / (2 * step))
    return np.stack(columns, axis=-1)


# ---- values ----


@pytest.mark.parametrize("lead", [(), (1,), (5,), (2, 3), (0,), (2, 0)])
def test_values_are_numpys(lead: tuple[int, ...]) -> None:
    m = example()
    y, x = samples(*lead)
    at = m.evaluate(y, x)
    np.testing.assert_allclose(at.rows, rows_of(y, x), rtol=1e-14)
    np.testing.assert_allclose(at.objective, objective_of(y, x), rtol=1e-13)
    assert np.shape(at.objective) == np.shape(at.violation) == np.shape(at.worst) == lead
    lower, upper = np.full(at.rows.shape, -1.0), np.empty(at.rows.shape)
    lower[..., 0], lower[..., 1:4] = 0, -(x[..., :1] ** 2)
    upper[..., 0], upper[..., 1:4], upper[..., 4:] = (
        0,
        (x[..., 0] * x[..., 1])[..., None],
        x[..., :1],
    )
    np.testing.assert_allclose(at.lower, lower, rtol=1e-15)
    np.testing.assert_allclose(at.upper, upper, rtol=1e-15)
    residual = np.maximum(0, at.rows - at.upper) - np.maximum(0, at.lower - at.rows)
    np.testing.assert_array_equal(at.residual, residual)
    np.testing.assert_array_equal(at.violation, np.abs(residual).max(-1, initial=0))
    np.testing.assert_array_equal(at.start, np.broadcast_to(x[..., 1:], y.shape))
    assert np.isnan(at.fixed).all()
    assert "Evaluation" in repr(at)


def test_worst_names_the_row() -> None:
    m = example()
    at = m.evaluate([[0.0, 0.0, 0.0], [0.0, 0.0, 9.0], [np.nan, 0.0, 0.0]], [1.0, 2.0])
    assert at.worst.tolist() == ["", "exps[2]", "product"]
    assert np.isnan(at.violation[2])


def test_leading_shapes_broadcast() -> None:
    m = example()
    y, x = samples(4)
    single = m.evaluate(y, x[0])
    np.testing.assert_array_equal(single.rows, m.evaluate(y, np.tile(x[0], (4, 1))).rows)
    grid = m.evaluate(y[:, None], x)
    assert grid.rows.shape == (4, 4, 7)
    np.testing.assert_array_equal(grid.rows[1, 2], m.evaluate(y[1], x[2]).rows)


def test_without_y_the_start_is_taken() -> None:
    m = example()
    x = np.array([[1.0, 0.5], [1.0, 1.5]])
    np.testing.assert_array_equal(m.evaluate(x=x).y, [[0.5] * 3, [1.5] * 3])
    np.testing.assert_array_equal(m.evaluate(x=x).rows, m.evaluate(m.evaluate(x=x).y, x).rows)


def test_other_types_are_taken_as_numbers() -> None:
    m = example()
    y, x = samples()
    wanted = m.evaluate(y.astype(np.float32), x.tolist()).rows
    np.testing.assert_array_equal(wanted, m.evaluate(y.astype(np.float32).astype(float), x).rows)
    m.evaluate(np.array([1, 2, 3]), [1, 2])


def test_an_objective_that_is_maximised_has_its_own_sign() -> None:
    m, other = example(), example(maximize=True)
    y, x = samples(3)
    np.testing.assert_array_equal(m.evaluate(y, x).objective, other.evaluate(y, x).objective)
    np.testing.assert_array_equal(m.gradient(y, x), other.gradient(y, x))
    np.testing.assert_array_equal(
        m.hessian(y, x, sigma=2.0).values, other.hessian(y, x, sigma=2.0).values
    )


def test_a_model_without_objective_has_nan() -> None:
    m = hardnet.Model()
    m.outputs("y", 2)
    assert np.isnan(m.evaluate([1.0, 2.0]).objective)
    assert m.evaluate([1.0, 2.0]).violation == 0
    assert m.evaluate([1.0, 2.0]).worst == ""
    with pytest.raises(ValueError, match="no objective"):
        m.gradient([1.0, 2.0])


def test_values_of_expressions() -> None:
    m = example()
    y, x = samples(2, 3)
    expression = m["y"][:, None] * m["x"]
    np.testing.assert_allclose(m.value(expression, y, x), y[..., :, None] * x[..., None, :])
    assert m.value(m["y"].sum(), y[0, 0], x[0, 0]).shape == ()
    before = m.core
    m.value(m["y"][0], y, x)
    assert m.core is before  # nothing new: nothing is finished again
    m.value(hardnet.tanh(m["y"]) * 3, y, x)
    assert m.fingerprint == example().fingerprint


# ---- derivatives ----


@pytest.mark.parametrize(
    ("of", "wrt", "function"),
    [
        ("rows", "y", lambda m, y, x: (lambda v: m.evaluate(v, x).rows, y)),
        ("rows", "x", lambda m, y, x: (lambda v: m.evaluate(y, v).rows, x)),
        ("lower", "x", lambda m, y, x: (lambda v: m.evaluate(y, v).lower, x)),
        ("upper", "x", lambda m, y, x: (lambda v: m.evaluate(y, v).upper, x)),
    ],
)
def test_jacobians_are_differences(of: str, wrt: str, function: Any) -> None:
    m = example()
    y, x = samples()
    jacobian = m.jacobian(y, x, wrt=wrt, of=of)
    np.testing.assert_allclose(jacobian.toarray(), differences(*function(m, y, x)), atol=1e-8)
    many_y, many_x = samples(2, 3)
    many = m.jacobian(many_y, many_x, wrt=wrt, of=of)
    assert isinstance(many, hardnet.SparseRows)
    assert many.values.shape == (2, 3, many.nnz)
    assert many.toarray().shape == (2, 3, *many.shape)
    one = m.jacobian(many_y[1, 2], many_x[1, 2], wrt=wrt, of=of)
    np.testing.assert_array_equal(many.toarray()[1, 2], one.toarray())
    np.testing.assert_array_equal(many[1, 2].toarray(), one.toarray())
    np.testing.assert_array_equal(many[1].toarray(), many.toarray()[1])
    assert len(many) == 2


def test_gradients_are_differences() -> None:
    m = example()
    y, x = samples()
    by_y = differences(lambda v: m.evaluate(v, x).objective, y)
    by_x = differences(lambda v: m.evaluate(y, v).objective, x)
    np.testing.assert_allclose(m.gradient(y, x), by_y, atol=1e-7)
    np.testing.assert_allclose(m.gradient(y, x, wrt="x"), by_x, atol=1e-7)
    many_y, many_x = samples(4)
    assert m.gradient(many_y, many_x).shape == (4, 3)
    np.testing.assert_array_equal(m.gradient(many_y, many_x)[2], m.gradient(many_y[2], many_x[2]))


def test_hessians_are_differences_of_gradients() -> None:
    m = example()
    y, x = samples()
    weights, sigma = RANDOM.normal(size=7), 0.7

    def by_y(v: np.ndarray, w: np.ndarray) -> np.ndarray:
        return sigma * m.gradient(v, w) + weights @ m.jacobian(v, w).toarray()

    def by_x(v: np.ndarray, w: np.ndarray) -> np.ndarray:
        return sigma * m.gradient(v, w, wrt="x") + weights @ m.jacobian(v, w, wrt="x").toarray()

    yy = m.hessian(y, x, weights, sigma).toarray()
    yx = m.hessian(y, x, weights, sigma, block="yx").toarray()
    xx = m.hessian(y, x, weights, sigma, block="xx").toarray()
    np.testing.assert_allclose(yy, differences(lambda v: by_y(v, x), y), atol=1e-7)
    np.testing.assert_allclose(yx, differences(lambda w: by_y(y, w), x), atol=1e-7)
    np.testing.assert_allclose(xx, differences(lambda w: by_x(y, w), x), atol=1e-7)
    np.testing.assert_array_equal(yy, yy.T)
    many_y, many_x = samples(4)
    many = m.hessian(many_y, many_x, weights, [0.1, 0.2, 0.3, 0.4])
    third = m.hessian(many_y[2], many_x[2], weights, 0.3)
    np.testing.assert_array_equal(many.toarray()[2], third.toarray())


def test_one_sample_is_scipys_where_scipy_is(monkeypatch: pytest.MonkeyPatch) -> None:
    m = example()
    y, x = samples()
    dense = m.jacobian(y[None], x[None]).toarray()[0]
    monkeypatch.setitem(sys.modules, "scipy.sparse", None)
    ours = m.jacobian(y, x)
    assert isinstance(ours, hardnet.SparseRows)
    assert repr(ours) == f"SparseRows(shape=(7, 3), nnz={ours.nnz}, samples=())"
    np.testing.assert_array_equal(ours.toarray(), dense)
    with pytest.raises(TypeError):
        len(ours)
    with pytest.raises(IndexError):
        ours[0]
    monkeypatch.undo()
    sparse = pytest.importorskip("scipy.sparse")
    theirs = m.jacobian(y, x)
    assert sparse.issparse(theirs)
    assert theirs.format == "csr"
    np.testing.assert_array_equal(theirs.toarray(), dense)
    np.testing.assert_allclose(theirs @ y, dense @ y)
    with pytest.raises(ValueError, match="several samples"):
        m.jacobian(y[None], x[None]).toscipy()


def test_fixed_outputs_have_no_derivatives() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x"), m.outputs("y", 2)
    m.fix(y[0], x**2)
    m.subject_to(y[0] * y[1] == 1, name="product")
    assert m.jacobian([7.0, 3.0], [2.0]).toarray().tolist() == [[0.0, 4.0]]
    assert m.jacobian([7.0, 3.0], [2.0], wrt="x").toarray().tolist() == [[12.0]]
    assert m.evaluate([7.0, 3.0], [2.0]).rows.tolist() == [12.0]


# ---- mistakes ----


def test_mistakes_are_refused() -> None:
    m = example()
    y, x = samples(2)
    none = hardnet.Model()
    none.outputs("y", 2)
    mistakes = [
        (ValueError, "x is missing", lambda: m.evaluate(y)),
        (ValueError, "last axis", lambda: m.evaluate(y[:, :2], x)),
        (ValueError, "last axis", lambda: m.evaluate(y, x[:, :1])),
        (ValueError, "last axis", lambda: m.evaluate(1.0, x)),
        (ValueError, "do not fit", lambda: m.evaluate(np.zeros((3, 3)), x)),
        (ValueError, "no inputs", lambda: none.evaluate([1.0, 2.0], [1.0])),
        (TypeError, "real numbers", lambda: m.evaluate(y * 1j, x)),
        (TypeError, "real numbers", lambda: m.evaluate("abc", x)),
        (ValueError, "wrt", lambda: m.jacobian(y, x, wrt="z")),
        (ValueError, "of=", lambda: m.jacobian(y, x, of="lower")),
        (ValueError, "wrt", lambda: m.gradient(y, x, wrt="z")),
        (ValueError, "block", lambda: m.hessian(y, x, block="xy")),
        (ValueError, "multipliers", lambda: m.hessian(y, x, multipliers=[1.0])),
        (ValueError, "broadcast", lambda: m.hessian(y, x, sigma=[1.0, 2.0, 3.0])),
        (TypeError, "expression of this model", lambda: m.value(3.0, y, x)),
        (TypeError, "expression of this model", lambda: m.value(none["y"], y, x)),
    ]
    for kind, text, mistake in mistakes:
        with pytest.raises(kind, match=text):
            mistake()


def test_the_extension_checks_what_it_is_given() -> None:
    from hardnet import _core

    m = example()
    evaluator = _core.Evaluator(m.core, ["rows", "jacobian_y"])
    x, y, rows = np.zeros((2, 2)), np.zeros((2, 3)), np.empty((2, 7))
    wrong = [
        lambda: _core.Evaluator(m.core, ["nothing"]),
        lambda: _core.Evaluator(m.core, [3]),
        lambda: _core.Evaluator(m.core, 3),
        lambda: _core.Evaluator(m, ["rows"]),
        lambda: _core.Evaluator(m.core, ["rows"], False, "none"),
        lambda: evaluator.run(2, x, y, {"rows": rows[:1]}),
        lambda: evaluator.run(2, x, y[:1], {"rows": rows}),
        lambda: evaluator.run(2, None, y, {"rows": rows}),
        lambda: evaluator.run(2, x, None, {"rows": rows}),
        lambda: evaluator.run(2, x, y, {"residual": rows}),
        lambda: evaluator.run(2, x, y, {"rows": rows.astype(np.float32)}),
        lambda: evaluator.run(2, x, y, {"rows": np.broadcast_to(rows[0], (2, 7))}),
        lambda: evaluator.run(2, x, y, [rows]),
        lambda: evaluator.run(-1, x, y, {"rows": rows}),
        lambda: evaluator.run(1 << 62, x, y, {"rows": rows}),
        lambda: evaluator.run(2, x, y, {"rows": rows}, threads=-1),
        lambda: evaluator.pattern("rows"),
        lambda: evaluator.pattern("hessian_yy"),
        lambda: evaluator.width("nothing"),
    ]
    for call in wrong:
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call()
    evaluator.run(2, x, y, {"rows": rows}, threads=2)
    again = np.empty_like(rows)
    evaluator.run(2, x[:1], y, {"rows": again}, repeat_x=True)
    np.testing.assert_array_equal(rows, again)
    assert evaluator.info["rows"] == 7
