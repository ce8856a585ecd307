"""NaN in gives NaN out, half precision is judged after rounding, and samples that are not ok return what was chosen.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hardnet
import hardnet.jax

NOT_FINITE = "y_raw or x has entries that are not finite"


def samples(count: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(4)
    return generator.normal(size=(count, 3)), generator.uniform(0.5, 2, size=(count, 1))


# ---- NaN ----


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("where", [0, 1])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_what_is_not_finite_stays_so_in_outputs_and_gradients(
    ring: hardnet.Model, compiled: bool, where: int, value: float
) -> None:
    layer = hardnet.jax.layer(ring)
    arrays = samples(5)
    good = np.asarray(layer(*arrays))
    arrays[where][2, 0] = value
    change: Any = jax.jit if compiled else lambda function: function
    with pytest.warns(RuntimeWarning, match=NOT_FINITE):
        y, report = jax.block_until_ready(change(layer.with_report)(*arrays))
    rest = [0, 1, 3, 4]
    assert np.isnan(y[2]).all() and np.array_equal(np.asarray(y)[rest], good[rest])
    assert report.violation[2] == np.inf and report.worst[2] == -1 and not report.ok[2]

    def loss(y_raw: Any, x: Any) -> Any:
        return jnp.sum(layer(y_raw, x) ** 2)

    def masked(y_raw: Any, x: Any) -> Any:
        y, report = layer.with_report(y_raw, x)
        return jnp.sum(jnp.where(report.ok[:, None], y, 0.0))

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        value_of, gradients = change(jax.value_and_grad(loss, argnums=(0, 1)))(*arrays)
        kept = change(jax.grad(masked, argnums=(0, 1)))(*arrays)
    assert np.isnan(value_of)
    for gradient, without in zip(gradients, kept):
        assert np.isnan(gradient[2]).all() and np.isfinite(np.asarray(gradient)[rest]).all()
        assert np.isfinite(without).all() and (np.asarray(without)[2] == 0).all()


@pytest.mark.parametrize("settings", [{"fallback": [1.0, 0.0, 2.0]}, {"not_ok": "fallback"}])
def test_a_fallback_is_returned_without_a_warning(ring: hardnet.Model, settings: Any) -> None:
    y_raw, x = samples(4)
    y_raw[1, 2] = np.nan
    expected = ring.layer(**settings)(y_raw, x)
    layer = hardnet.jax.layer(ring, **settings)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y, report = jax.jit(layer.with_report)(y_raw, x)
        gradient = jax.grad(lambda raw: jnp.sum(layer(raw, x)))(y_raw)
    assert np.array_equal(y, expected.y) and np.array_equal(report.violation, expected.violation)
    assert (np.asarray(gradient)[1] == 0).all() and np.isfinite(gradient).all()
    assert hardnet.jax.layer(ring) != layer


def test_multipliers_of_what_is_not_finite_are_nan(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring, "nearest")
    y_raw, x = samples(3)
    y_raw[1] = np.nan
    y, multipliers = jax.jit(layer.with_multipliers)(y_raw, x)
    assert np.isnan(y[1]).all() and np.isnan(multipliers[1]).all()
    assert np.isfinite(np.asarray(y)[[0, 2]]).all()
    gradient = jax.grad(lambda raw: jnp.sum(layer.with_multipliers(raw, x)[0]))(y_raw)
    assert np.isnan(gradient[1]).all() and np.isfinite(np.asarray(gradient)[[0, 2]]).all()


# ---- half precision ----


@pytest.mark.parametrize("kind", [np.float16, jnp.bfloat16])
@pytest.mark.parametrize("tolerance", [1e-8, 3e-3])
@pytest.mark.parametrize("way", ["plain", "jit", "vmap"])
def test_half_precision_is_judged_after_rounding(
    ring: hardnet.Model, kind: Any, tolerance: float, way: str
) -> None:
    layer = hardnet.jax.layer(ring, tolerance=tolerance)
    raw, x = samples(40)
    y_raw = jnp.asarray(raw).astype(kind)
    change: Any = {"plain": lambda f: f, "jit": jax.jit, "vmap": jax.vmap}[way]
    y, report = change(layer.with_report)(y_raw, x)
    assert y.dtype == kind
    residual = ring.evaluate(np.asarray(y, np.float64), x).residual
    true = np.abs(residual).max(-1)
    assert np.array_equal(report.violation, true)
    assert np.array_equal(report.ok, true <= tolerance)
    assert bool(report.ok.any()) == (tolerance > 1e-8)
    beyond = np.asarray(report.outcome)[~np.asarray(report.ok)]
    assert (beyond == hardnet.Outcome.STALLED).all()
    gradient = jax.grad(lambda raw: jnp.sum(layer(raw, x).astype(np.float32)))(y_raw)
    assert gradient.dtype == kind and np.isfinite(gradient).all()


@pytest.mark.parametrize("kind", [np.float16, jnp.bfloat16])
def test_every_number_is_rounded_as_a_conversion_does(kind: Any) -> None:
    free = hardnet.jax.layer("var y; subject to c: y <= 1e300;")
    exponents = np.linspace(-40, 17, 4001)
    y_raw = np.concatenate([2.0**exponents, -(2.0**exponents), [0.0, 65504, 65519, 65520]])
    wide = jnp.asarray(y_raw, np.float32)
    from hardnet.jax._layer import _to_half

    found = jax.jit(lambda y: _to_half(y, np.dtype(kind).name))(wide)
    assert np.array_equal(found, np.asarray(wide).astype(kind).astype(np.float32))
    half = jnp.asarray(y_raw).astype(kind)[:, None]
    assert np.array_equal(jax.jit(free)(half)[jnp.isfinite(half)], half[jnp.isfinite(half)])


def test_half_precision_beyond_the_tolerance_is_told(ring: hardnet.Model) -> None:
    raw, x = samples(4)
    y_raw = jnp.asarray(raw).astype(jnp.bfloat16)
    with pytest.warns(RuntimeWarning, match="samples are not ok"):
        jax.block_until_ready(jax.jit(hardnet.jax.layer(ring, on_fail="warn"))(y_raw, x))
    with pytest.raises(Exception, match="samples are not ok"):
        jax.block_until_ready(jax.jit(hardnet.jax.layer(ring, on_fail="raise"))(y_raw, x))
    loose = hardnet.jax.layer(ring, tolerance=0.1, on_fail="raise")
    jax.block_until_ready(jax.jit(loose)(y_raw, x))


# ---- not ok ----

FILTER = """
param s;
var a >= -6, <= 6;
var b >= -1, <= 1;
subject to brake: a + 0.1 * b^2 <= -s;
subject to turn: b = sin(a);
"""


@pytest.mark.parametrize("not_ok", ["best", "clip", "fallback"])
def test_an_infeasible_state_returns_what_was_chosen(not_ok: str) -> None:
    model = hardnet.Model.from_text(FILTER)
    s, y_raw = np.array([[1.0], [20.2], [2.0]]), np.zeros((3, 2))
    layer = hardnet.jax.layer(model, not_ok=not_ok, fallback=[-5.5, 0.5])
    y, report = jax.jit(layer.with_report)(y_raw, s)
    assert np.array_equal(y, layer.inner(y_raw, s).y)
    residual = model.evaluate(np.asarray(y), s).residual
    assert np.array_equal(report.violation, np.abs(residual).max(-1))
    assert report.ok.tolist() == [True, False, True]
    assert (abs(float(y[1, 0])) > 7) == (not_ok == "best")
    gradient = jax.grad(lambda raw: jnp.sum(layer(raw, s)))(y_raw)
    assert (np.asarray(gradient)[1] == 0).all() or not_ok == "best"


def test_a_traced_value_in_a_model_is_refused_with_the_way() -> None:
    def build(limit: Any) -> Any:
        m = hardnet.Model()
        y = m.outputs("y", 2)
        m.subject_to(y <= limit)
        return limit.sum()

    with pytest.raises(TypeError, match="an input of the model"):
        jax.grad(build)(jnp.ones(2))
