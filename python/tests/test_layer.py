"""The layer for NumPy: shapes and types, reports, gradients, state that is the caller's.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import hardnet
from hardnet import Outcome, Outcomes

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""


@pytest.fixture(scope="module")
def ring() -> hardnet.Model:
    return hardnet.Model.from_text(RING)


def samples(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(count, 3)), generator.uniform(0.5, 2, size=(count, 1))


def residual(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    """The largest violation, from the equations."""
    ring = abs(y[..., 0] ** 2 + y[..., 1] ** 2 - x[..., 0] ** 2)
    above = np.maximum(0, np.sin(y[..., 0]) + x[..., 0] - y[..., 2])
    return np.maximum(np.maximum(ring, above), np.maximum(0, abs(y) - 3).max(-1))


def test_every_sample_that_is_ok_holds_the_equations(ring: hardnet.Model) -> None:
    y_raw, x = samples(200)
    result = ring.layer()(y_raw, x)
    assert result.ok.all()
    assert residual(result.y, x).max() <= 1e-8 + 1e-15
    assert np.allclose(result.violation, residual(result.y, x), atol=1e-15)
    assert np.allclose(result.moved, np.linalg.norm(result.y - y_raw, axis=1))
    assert np.allclose(result.violation_before, residual(y_raw, x))


@pytest.mark.parametrize("lead", [(), (1,), (7,), (2, 3), (2, 0, 3), (1, 1, 4)])
def test_any_leading_shape_gives_the_bits_of_a_flat_batch(
    ring: hardnet.Model, lead: tuple[int, ...]
) -> None:
    layer = ring.layer()
    count = int(np.prod(lead))
    y_raw, x = samples(count)
    flat = layer(y_raw, x)
    shaped = layer(y_raw.reshape(*lead, 3), x.reshape(*lead, 1))
    assert shaped.y.shape == (*lead, 3)
    assert np.shape(shaped.ok) == np.shape(shaped.iterations) == np.shape(shaped.worst) == lead
    assert np.array_equal(shaped.y.reshape(-1, 3), flat.y)


def test_leading_shapes_broadcast(ring: hardnet.Model) -> None:
    layer = ring.layer()
    y_raw, x = samples(6)
    full = layer(np.repeat(y_raw[:, None], 4, axis=1), np.repeat(x[None, :4], 6, axis=0))
    assert np.array_equal(layer(y_raw[:, None], x[:4]).y, full.y)
    assert np.array_equal(layer(y_raw, x[0]).y, full.y[:, 0])
    assert np.array_equal(layer(y_raw[0], x[:4]).y, full.y[0])
    with pytest.raises(ValueError, match="do not fit together"):
        layer(y_raw, x[:4])


def test_a_single_sample_has_scalars(ring: hardnet.Model) -> None:
    result = ring.layer()([0.1, 0.2, 0.3], [1.0])
    assert result.outcome is Outcome.OK
    assert result.ok and isinstance(result.ok, (bool, np.bool_))
    assert int(result.iterations) > 0
    assert isinstance(str(result.worst), str)
    with pytest.raises(TypeError):
        len(result)


def test_without_raw_outputs_the_start_values_are_corrected(ring: hardnet.Model) -> None:
    _, x = samples(5)
    result = ring.layer()(x=x)
    assert result.y.shape == (5, 3)
    assert np.array_equal(result.y, ring.layer()(np.zeros((5, 3)), x).y)


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_smaller_floats_are_computed_in_double(ring: hardnet.Model, kind: type) -> None:
    """float32 is judged before it is rounded, float16 after."""
    y_raw, x = samples(20)
    small = ring.layer()(y_raw.astype(kind), x)
    double = ring.layer()(y_raw.astype(kind).astype(np.float64), x)
    assert small.y.dtype == kind
    assert np.array_equal(small.y, double.y.astype(kind))
    assert np.array_equal(small.violation, double.violation) == (kind is np.float32)


def test_integers_lists_and_strided_arrays_are_taken(ring: hardnet.Model) -> None:
    layer = ring.layer()
    expected = layer(np.array([[1.0, 2.0, 0.0]]), np.array([[1.0]])).y
    assert np.array_equal(layer([[1, 2, 0]], [[1]]).y, expected)
    wide = np.zeros((1, 6))
    wide[:, ::2] = [[1, 2, 0]]
    assert np.array_equal(layer(wide[:, ::2], [[1]]).y, expected)
    swapped = np.array([[1, 2, 0]], dtype=">f8")
    assert np.array_equal(layer(swapped, [[1]]).y, expected)


def test_contiguous_doubles_are_not_copied(ring: hardnet.Model) -> None:
    y_raw, x = samples(4)
    out = np.empty_like(y_raw)
    result = ring.layer()(y_raw, x, out=out)
    assert result.y is out
    assert result._y_raw is y_raw or np.shares_memory(result._y_raw, y_raw)
    assert np.shares_memory(result._x, x)
    in_place = y_raw.copy()
    assert np.array_equal(ring.layer()(in_place, x, out=in_place).y, out)


def test_outcomes_are_an_array_of_an_enum(ring: hardnet.Model) -> None:
    y_raw, x = samples(3)
    y_raw[1, 0] = np.nan
    result = ring.layer()(y_raw, x)
    assert isinstance(result.outcome, Outcomes)
    assert result.outcome[1] is Outcome.NONFINITE_INPUT
    assert list(result.outcome) == [Outcome.OK, Outcome.NONFINITE_INPUT, Outcome.OK]
    assert result.outcome.tolist()[1] is Outcome.NONFINITE_INPUT
    assert isinstance(result.outcome[:2], Outcomes)
    assert (result.outcome == Outcome.OK).tolist() == [True, False, True]
    assert type(result.outcome == Outcome.OK) is np.ndarray
    assert np.isfinite(result.y).all()
    assert [o.name.lower() for o in Outcome] == hardnet._core.outcomes


def test_a_sample_that_cannot_be_corrected_says_so() -> None:
    model = hardnet.Model.from_text(
        "param p; var y; subject to low: y <= 0; subject to high: y >= p;"
    )
    result = model.layer()([[0.0], [0.0]], [[-1.0], [1.0]])
    assert result.outcome.tolist() == [Outcome.OK, Outcome.LOCALLY_INFEASIBLE]
    assert result.violation[1] == pytest.approx(0.5, abs=1e-6)
    assert result.worst[1] in ("low", "high")


@pytest.mark.parametrize("tolerance", [1e-8, 1e-3])
@pytest.mark.parametrize("relative", [False, True])
def test_reports_of_half_precision_are_about_the_rounded_outputs(
    ring: hardnet.Model, tolerance: float, relative: bool
) -> None:
    y_raw, x = samples(40)
    y_raw[7] = np.nan
    layer = ring.layer(tolerance=tolerance, relative=relative)
    result = layer(y_raw.astype(np.float16), x, residual=True)
    at = ring.evaluate(result.y.astype(np.float64), x)
    assert np.array_equal(result.residual, at.residual)
    residual = np.abs(at.residual)
    assert np.array_equal(result.violation, residual.max(-1))
    bound = np.where(at.residual > 0, at.upper, at.lower)
    allowed = tolerance * (np.maximum(1, np.abs(bound)) if relative else 1)
    within = (residual <= allowed).all(-1)
    assert result.outcome[7] is hardnet.Outcome.NONFINITE_INPUT and not result.ok[7]
    within[7] = False
    assert np.array_equal(result.ok, within)
    assert 0 < within.sum() < 40 if tolerance == 1e-3 else not within.any()
    assert (result.outcome[~within] == hardnet.Outcome.STALLED).sum() == (~within).sum() - 1


FILTER = """
param s;
var a >= -6, <= 6;
var b >= -1, <= 1;
subject to brake: a + 0.1 * b^2 <= -s;
subject to turn: b = sin(a);
"""


@pytest.mark.parametrize("not_ok", ["best", "clip", "fallback"])
@pytest.mark.parametrize("method", ["auto", "nearest", "lm"])
def test_an_infeasible_state_returns_what_was_chosen(not_ok: str, method: str) -> None:
    model = hardnet.Model.from_text(FILTER)
    s = np.array([[1.0], [20.2], [2.0], [30.0], [1.0]])
    y_raw = np.zeros((5, 2))
    y_raw[4, 0] = np.inf
    layer = pickle.loads(pickle.dumps(model.layer(method, not_ok=not_ok, fallback=[-5.5, 0.5])))
    best = model.layer(method)(y_raw, s)
    result = layer(y_raw, s)
    assert result.ok.tolist() == [True, False, True, False, False]
    assert np.array_equal(result.outcome, best.outcome)
    assert np.array_equal(result.y[[0, 2]], best.y[[0, 2]])
    assert np.array_equal(result.y[4], [-5.5, 0.5])
    expected = {
        "best": best.y,
        "clip": np.clip(best.y, [-6, -1], [6, 1]),
        "fallback": np.full((5, 2), [-5.5, 0.5]),
    }[not_ok]
    assert np.array_equal(result.y[[1, 3]], expected[[1, 3]])
    assert abs(best.y[1, 0]) > 7  # far outside of its bounds
    residual = model.evaluate(result.y, s).residual
    assert np.array_equal(result.violation, np.abs(residual).max(-1))
    gradient = layer.gradient(result, np.ones((5, 2)))
    assert gradient.flagged.tolist() == [False, True, False, True, True]
    if not_ok != "best":
        assert (gradient.y_raw[[1, 3]] == 0).all() and (result.steps[[1, 3]] == 0).all()


def test_fallback_is_returned_for_unusable_input(ring: hardnet.Model) -> None:
    result = ring.layer()([np.inf, 0, 0], [1.0], fallback=[1.0, 0.0, 2.0])
    assert result.outcome is Outcome.NONFINITE_INPUT
    assert result.y.tolist() == [1.0, 0.0, 2.0]


def test_residual_is_kept_on_request(ring: hardnet.Model) -> None:
    y_raw, x = samples(4)
    result = ring.layer("paper", iterations=1)(y_raw, x, residual=True)
    assert result.residual.shape == (4, 5)
    assert np.allclose(abs(result.residual).max(1), result.violation)
    with pytest.raises(ValueError, match="residual=True"):
        ring.layer()(y_raw, x).residual  # noqa: B018


def test_warm_starts_are_the_callers_state(ring: hardnet.Model) -> None:
    layer = ring.layer()
    y_raw, x = samples(30)
    warm = np.zeros_like(y_raw)
    cold = layer(y_raw, x, warm=warm)
    assert np.array_equal(warm, cold.y - y_raw)
    again = layer(y_raw, x, warm=warm)
    assert again.ok.all() and again.iterations.max() <= 1


def test_a_deadline_cancels(ring: hardnet.Model) -> None:
    result = ring.layer()(*samples(1000), seconds=1e-9)
    assert (result.outcome == Outcome.CANCELLED).any()


@pytest.mark.parametrize("method", ["auto", "lm", "paper", "hardnet", "enforce", "snarenet"])
def test_gradients_are_those_of_differences(method: str) -> None:
    # without the box: hardnet refuses more rows than outputs
    model = hardnet.Model.from_text(RING.replace(" >= -3, <= 3", ""))
    layer = model.layer(method, 1e-13)
    y_raw, x = samples(6)
    weight = np.random.default_rng(3).normal(size=(6, 3))
    result = layer(y_raw, x, tape=True)
    gradient = layer.gradient(result, weight)
    h = 1e-6

    def loss(dy: np.ndarray, dx: np.ndarray) -> np.ndarray:
        return (layer(y_raw + dy, x + dx).y * weight).sum(1)

    for j in range(3):
        step = h * np.eye(3)[j]
        quotient = (loss(step, np.zeros(1)) - loss(-step, np.zeros(1))) / (2 * h)
        assert np.allclose(gradient.y_raw[:, j], quotient, rtol=1e-4, atol=1e-6)
    quotient = (loss(np.zeros(3), np.array([h])) - loss(np.zeros(3), np.array([-h]))) / (2 * h)
    assert np.allclose(gradient.x[:, 0], quotient, rtol=1e-4, atol=1e-6)


def test_a_gradient_without_a_tape_runs_forward_again(ring: hardnet.Model) -> None:
    layer = ring.layer()
    y_raw, x = samples(9)
    weight = np.ones((9, 3))
    with_tape = layer.gradient(layer(y_raw, x, tape=True), weight, bounds=True)
    without = layer.gradient(layer(y_raw, x), weight, bounds=True)
    for name in ("y_raw", "x", "lower", "upper", "flagged"):
        assert np.array_equal(getattr(with_tape, name), getattr(without, name))
    assert with_tape.lower.shape == (9, 5)
    assert layer.gradient(layer(y_raw[0], x, tape=True), weight).y_raw.shape == (9, 3)


def test_what_is_not_ok_is_flagged_and_counts_nothing(ring: hardnet.Model) -> None:
    layer = ring.layer()
    y_raw, x = samples(3)
    y_raw[2] = np.nan
    gradient = layer.gradient(layer(y_raw, x, tape=True), np.ones((3, 3)))
    assert gradient.flagged.tolist() == [False, False, True]
    assert np.array_equal(gradient.y_raw[2], np.zeros(3))


def test_the_bits_do_not_depend_on_threads_instructions_or_batch(ring: hardnet.Model) -> None:
    y_raw, x = samples(300)
    expected = ring.layer(threads=1, instructions="portable")(y_raw, x)
    for settings in ({"threads": 2}, {"threads": 5}, {}):
        assert np.array_equal(ring.layer(**settings)(y_raw, x).y, expected.y)
    one_by_one = [ring.layer(threads=1)(y_raw[i], x[i]).y for i in range(0, 300, 30)]
    assert np.array_equal(one_by_one, expected.y[::30])


def test_options_are_checked(ring: hardnet.Model) -> None:
    for wrong in (
        {"method": "newton"},
        {"tolerance": -1.0},
        {"tolerance": float("nan")},
        {"iterations": -1},
        {"damping": -0.5},
        {"effort": 0},
        {"effort": 1001},
        {"effort": float("nan")},
        {"effort": 2, "method": "lm"},
        {"threads": -1},
        {"instructions": "mmx"},
    ):
        with pytest.raises(ValueError, match=r"."):
            ring.layer(**wrong)
    with pytest.raises(hardnet.Error, match="tolerance") as caught:
        ring.layer(tolerance=-1.0)
    assert (caught.value.code, caught.value.subject) == ("option", "tolerance")
    assert isinstance(caught.value, ValueError)


def test_samples_without_solution_end_early() -> None:
    m = hardnet.Model()
    b = m.inputs("b", lower=0, upper=1)
    y = m.outputs("y", 2, lower=0, upper=1)
    m.subject_to(y[0] * y[1] + y[0] == b, name="product")
    x = np.array([[0.5], [4.0], [0.9]])  # at most 2 is possible
    results = [m.layer(effort=effort)(x=x) for effort in (1, 1000)]
    for result in results:
        assert [str(outcome) for outcome in result.outcome] == ["ok", "locally_infeasible", "ok"]
        assert np.isinf(result.slope).tolist() == [True, False, True]
    assert results[0].iterations[1] < 100 < results[1].iterations[1]
    assert np.array_equal(results[0].y[::2], results[1].y[::2])
    assert m.layer(effort=3).options["effort"] == 3


def test_it_describes_itself(ring: hardnet.Model) -> None:
    layer = ring.layer("lm")
    assert repr(layer) == "Layer(method='lm', tolerance=1e-08, inputs=1, outputs=3, rows=5)"
    assert layer.info["rows"] == 5
    assert layer.options["method"] == "lm"
    assert layer.tape_bytes > 0
    assert "ok=2 of 2" in repr(layer(*samples(2)))


def test_a_long_name_in_an_error_is_cut_without_harm() -> None:
    with pytest.raises(hardnet.Error) as caught:
        hardnet.Model.from_text("var `" + "ä" * 999 + "`; subject to c: z = 1;")
    assert str(caught.value)
    for length in range(200, 260):
        with pytest.raises(hardnet.Error) as caught:
            hardnet.Model.from_text("subject to `" + "x" * length + "ä" * 400 + "`: 1 = 2;")
        assert isinstance(caught.value.subject, str)


def test_a_search_is_never_cut_short_by_a_call_that_was_quick_before() -> None:
    model = hardnet.Model()
    goal = model.inputs("goal", 20)
    y = model.outputs("y", 20)
    random = np.random.default_rng(3)
    model.subject_to(random.normal(size=(40, 20)) @ y <= random.uniform(0.1, 1, 40), name="face")
    model.minimize(hardnet.sum((y - goal) ** 2))
    layer = model.layer("optimal", threads=1)
    x = random.normal(size=(1000, 20))
    for k in range(50):
        layer(np.zeros(20), x[k])
    for _ in range(4):  # y_raw holds the rows: a sample that is left as it is would be ok
        assert layer(np.zeros((1000, 20)), x).certified.all()
