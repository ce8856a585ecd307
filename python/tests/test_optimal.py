"""The methods nearest and optimal for NumPy: proofs, multipliers and their gradients, weights.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hardnet

PORTFOLIO = """
param a{1..3} >= -1, <= 1;
var y{1..3} >= 0, := 1/3;
minimize risk: sum{j in 1..3} ((j + 1)*y[j]^2/2 - a[j]*y[j]) + 0.3*y[1]*y[2];
subject to whole: y[1] + y[2] + y[3] = 1;
subject to few: y[1]^2 + y[2]^2 <= 0.5;
"""


@pytest.fixture(scope="module")
def portfolio() -> hardnet.Model:
    return hardnet.Model.from_text(PORTFOLIO)


def slope(y: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The gradient of the risk."""
    mixed = 0.3 * np.stack([y[..., 1], y[..., 0], 0 * y[..., 0]], axis=-1)
    return np.arange(2, 5) * y - a + mixed


def pulled(y: np.ndarray, multipliers: np.ndarray) -> np.ndarray:
    """J' multipliers, rows in the order of the model."""
    curved = 2 * y * [1, 1, 0]
    return multipliers[..., :1] + multipliers[..., 1:2] * curved + multipliers[..., 2:]


def test_an_optimum_meets_its_conditions(portfolio: hardnet.Model) -> None:
    assert portfolio.row_names == ("whole", "few", "y[1]", "y[2]", "y[3]")
    generator = np.random.default_rng(1)
    a, raw = generator.uniform(-1, 1, (200, 3)), generator.normal(size=(200, 3))
    result = portfolio.layer("optimal")(raw, a)
    assert result.certified.all() and result.ok.all() and (result.kkt <= 1e-8).all()
    assert (result.programmes > 0).all() and (result.factorisations >= result.programmes).all()
    m = result.multipliers
    assert m.shape == (200, 5)
    assert abs(slope(result.y, a) - pulled(result.y, m)).max() <= 1e-7
    assert (m[:, 1] <= 0).all() and (m[:, 2:] >= -1e-12).all()
    assert abs(m[:, 2:] * result.y).max() <= 1e-7
    risk = (np.arange(2, 5) * result.y**2 / 2 - a * result.y).sum(1)
    risk += 0.3 * result.y[:, 0] * result.y[:, 1]
    assert abs(result.objective - risk).max() <= 1e-12
    feasible = portfolio.layer()(raw, a)
    assert np.isinf(feasible.objective).all() and not feasible.certified.any()


def test_y_raw_only_says_where_to_start(portfolio: hardnet.Model) -> None:
    layer = portfolio.layer("optimal")
    a = np.array([0.2, -0.3, 0.5])
    ends = layer(np.random.default_rng(2).normal(size=(20, 3)), a)
    assert abs(ends.y - ends.y[0]).max() <= 1e-9
    gradient = layer.gradient(ends, np.ones((20, 3)))
    assert (gradient.y_raw == 0).all() and not gradient.flagged.any()


@pytest.mark.parametrize("method", ["optimal", "nearest"])
def test_gradients_are_those_of_differences(portfolio: hardnet.Model, method: str) -> None:
    layer = portfolio.layer(method)
    generator = np.random.default_rng(3)
    compared = 0
    for _ in range(30):
        a, raw = generator.uniform(-1, 1, 3), generator.normal(size=3)
        p, g, along, turn = (generator.normal(size=n) for n in (3, 5, 3, 3))

        def loss(t: float, a: np.ndarray = a, raw: np.ndarray = raw) -> float:
            r = layer(raw + t * turn, a + t * along)
            return float(p @ r.y + g @ r.multipliers)

        result = layer(raw, a, tape=True)
        gradient = layer.gradient(result, p, grad_multipliers=g)
        if gradient.flagged:
            continue
        wide, narrow = ((loss(h) - loss(-h)) / (2 * h) for h in (1e-4, 5e-5))
        if abs(wide - narrow) > 1e-5 * max(1, abs(narrow)):
            continue  # a row came or left
        best = narrow + (narrow - wide) / 3
        assert abs(gradient.x @ along + gradient.y_raw @ turn - best) <= 1e-6 * max(1, abs(best))
        compared += 1
    assert compared >= 20


def test_weights_turn_the_way_to_the_nearest_point() -> None:
    line = hardnet.Model.from_text("var y{1..2}; subject to line: y[1] + y[2] = 0;")
    layer = line.layer("nearest", weights=[1, 2])
    result = layer([3.0, 1.0])
    assert abs(result.y - [-0.2, 0.2]).max() <= 1e-9
    assert abs(result.distance - np.hypot(3.2, 1.6)) <= 1e-9
    assert abs(result.multipliers - [-3.2]).max() <= 1e-8
    again = pickle.loads(pickle.dumps(layer))
    assert (again([3.0, 1.0]).y == result.y).all()


def test_misuse_is_refused_by_name(portfolio: hardnet.Model) -> None:
    line = hardnet.Model.from_text("var y{1..2}; subject to line: y[1] + y[2] = 0;")
    with pytest.raises(ValueError, match="the model has no objective"):
        line.layer("optimal")
    with pytest.raises(ValueError, match="weights: the method optimal has none"):
        portfolio.layer("optimal", weights=[1, 1, 1])
    with pytest.raises(ValueError, match="weights: entry 1 is -1"):
        line.layer("nearest", weights=[1, -1])
    with pytest.raises(ValueError, match="weights has the shape"):
        line.layer("nearest", weights=[1, 1, 1])
    with pytest.raises(ValueError, match="one row of 2"):
        line.layer("nearest", weights=[[1, 1]])
    auto = line.layer()
    result = auto([1.0, 2.0], tape=True)
    with pytest.raises(ValueError, match="the method auto has no multipliers"):
        _ = result.multipliers
    with pytest.raises(ValueError, match="the method auto has no multipliers"):
        auto.gradient(result, [1.0, 1.0], grad_multipliers=[1.0])
    nearest = line.layer("nearest")
    with pytest.raises(ValueError, match="grad_multipliers has the shape"):
        nearest.gradient(nearest([1.0, 2.0]), [1.0, 1.0], grad_multipliers=[1.0, 2.0])


def test_gradients_by_weights_are_those_of_differences(portfolio: hardnet.Model) -> None:
    a, raw, p = np.array([0.2, -0.3, 0.5]), np.array([1.4, 0.3, -0.9]), np.array([1.0, -2.0, 0.5])
    weights, along = np.array([1.0, 0.5, 2.0]), np.array([0.3, -0.7, 0.4])

    def loss(t: float) -> float:
        return float(p @ portfolio.layer("nearest", weights=weights + t * along)(raw, a).y)

    layer = portfolio.layer("nearest", weights=weights)
    gradient = layer.gradient(layer(raw, a, tape=True), p, weights=True)
    assert not gradient.flagged and gradient.weights.shape == (3,)
    assert abs(gradient.weights @ along - (loss(1e-5) - loss(-1e-5)) / 2e-5) <= 1e-8
    assert abs(gradient.weights @ along) > 1e-3
    auto = portfolio.layer()
    with pytest.raises(ValueError, match="auto has no weights"):
        auto.gradient(auto(raw, a, tape=True), p, weights=True)


def test_what_is_locally_infeasible_is_proven_by_its_rows() -> None:
    model = hardnet.Model.from_text(
        "param r; var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= 1;"
        "subject to far: y[1] + y[2] >= r;"
    )
    raw = np.random.default_rng(2).normal(size=(6, 2))
    result = model.layer("nearest")(raw, np.array([[0.5], [3], [4], [5], [6], [7.0]]))
    assert [str(outcome) for outcome in result.outcome] == ["ok"] + ["locally_infeasible"] * 5
    assert result.certified[0] and result.complementarity[0] <= 1e-8 and np.isinf(result.proof[0])
    w, y = result.multipliers[1:], result.proof_y[1:]
    rest = 2 * y * w[:, :1] + w[:, 1:]  # J' w
    assert (w[:, 0] < 0).all() and (w[:, 1] > 0).all()
    assert abs(abs(rest).sum(1) - result.proof[1:]).max() <= 1e-9 and result.proof[1:].max() <= 1e-5
    weighed = -w[:, 0] * ((y**2).sum(1) - 1) + w[:, 1] * (np.arange(3, 8) - y.sum(1))
    assert abs(weighed - 1).max() <= 1e-9


def test_the_point_of_auto_is_returned_where_nothing_is_feasible() -> None:
    model = hardnet.Model.from_text(
        "var y{1..2}; subject to a: y[1]^2 + y[2]^2 = 0.0001; subject to b: y[1] >= 5;"
        "subject to c: sin(y[2]) = 2; minimize f: y[1];"
    )
    raw = [-4.548478881673502, -0.623493735004022]
    plain = model.layer()(raw)
    for method in ("nearest", "optimal"):
        result = model.layer(method)(raw)
        assert str(result.outcome) == "locally_infeasible" and result.proof <= 1e-6
        assert (result.y == plain.y).all() and result.violation == plain.violation
        assert (result.proof_y != plain.y).any() and result.reason == ""


def test_kinks_are_split_and_reasons_have_texts() -> None:
    fit = hardnet.Model.from_text(
        "param b{1..6}; var a{1..2}; minimize e: sum{i in 1..6} abs(a[1] + a[2]*i - b[i]);"
    )
    b = np.array([[1.1, 2, 3.2, 3.9, 9, 6.1], [1, 2, 3, 4, 5, 6.0]])
    result = fit.layer("optimal")(np.zeros((2, 2)), b)
    assert result.certified.all() and abs(result.objective - [4.3, 0]).max() <= 1e-9
    assert result.reason.tolist() == ["", ""]
    endless = hardnet.Model.from_text("var y <= 1; minimize f: y;").layer("optimal")([0.0])
    assert endless.ok and not endless.certified and "unbounded" in endless.reason
    kink = hardnet.Model.from_text("var x; minimize f: (abs(x) - 1)*(abs(x) + 2);")
    result = kink.layer("optimal")([3.0])
    assert result.ok and not result.certified and "kink" in result.reason
    assert result.objective <= -2 + 1e-3
