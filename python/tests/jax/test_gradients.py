"""Gradients through the layer: against differences and the layer for NumPy, and what is refused.

Differences are taken at a tolerance of 1e-13, where the number of steps is constant within them, at
samples that are ok, unflagged and away from kinks: of the unicycle (3 inputs, 50 outputs), of a
ring (nonlinear equality and inequality), of a box whose bounds are inputs, and of a model with
fewer rows than outputs, which the method "hardnet" takes.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import hardnet
import hardnet.jax

METHODS = ["auto", "paper", "lm"]  # "hardnet" needs models with fewer rows than outputs


def samples(model: str, count: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Raw outputs and inputs of a model, by its name."""
    generator = np.random.default_rng(7)
    if model == "ring":
        return generator.normal(size=(count, 3)), generator.uniform(0.6, 1.9, size=(count, 1))
    if model == "few":
        return generator.normal(size=(count, 4)), generator.uniform(-1, 1, size=(count, 1))
    x = np.stack([generator.uniform(0.6, 1.9, count), generator.uniform(0.2, 0.9, count)], 1)
    return generator.normal(scale=2, size=(count, 2)), x


def smooth(layer: hardnet.jax.Layer, y_raw: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Which samples are ok and unflagged, and stay so with the same steps in a neighbourhood.

    A kink nearby shows as another number of steps, or as a gradient that jumps.
    """
    good = np.ones(len(y_raw), bool)
    ones = np.ones_like(y_raw)
    here = layer.gradient(y_raw, x, ones)
    steps = np.asarray(layer.with_report(y_raw, x)[1].iterations)
    generator = np.random.default_rng(3)
    for _ in range(8):
        near_y = y_raw + 1e-5 * generator.normal(size=y_raw.shape)
        near_x = x + 1e-5 * generator.normal(size=x.shape)
        report = layer.with_report(near_y, near_x)[1]
        near = layer.gradient(near_y, near_x, ones)
        jump = np.abs(np.asarray(near.y_raw) - np.asarray(here.y_raw)).max(-1)
        good &= np.asarray(report.ok) & ~np.asarray(near.flagged) & (jump < 1e-2)
        good &= np.asarray(report.iterations) == steps
    return good & ~np.asarray(here.flagged)


def check(layer: hardnet.jax.Layer, y_raw: np.ndarray, x: np.ndarray, least: int) -> None:
    """At so many good samples, one by one and as a batch."""
    chosen = np.flatnonzero(smooth(layer, y_raw, x))[:least]
    assert len(chosen) == least
    for k in chosen:
        check_grads(layer, (y_raw[k], x[k]), order=1, modes=["rev"], atol=1e-6, rtol=1e-6, eps=1e-6)
    batch = (y_raw[chosen], x[chosen])
    check_grads(jax.jit(layer), batch, order=1, modes=["rev"], atol=1e-6, rtol=1e-6, eps=1e-6)


@pytest.mark.parametrize(
    ("name", "method"),
    [
        (n, m)
        for n in ("ring", "box", "few")
        for m in [*METHODS, "hardnet"][: 4 if n == "few" else 3]
    ],
)
def test_gradients_of_small_models_match_differences(request: Any, name: str, method: str) -> None:
    model = request.getfixturevalue(name)
    damping = {"paper": 1e-3}.get(method)
    layer = hardnet.jax.layer(model, method, 1e-13, damping=damping)
    check(layer, *samples(name), least=10)


@pytest.mark.parametrize("method", METHODS)
def test_gradients_of_the_unicycle_match_differences(
    unicycle: hardnet.Model, states: np.ndarray, method: str
) -> None:
    settings = {"damping": 1e-3, "iterations": 1500} if method == "paper" else {}
    layer = hardnet.jax.layer(unicycle, method, 1e-13, **settings)
    nearby = unicycle.layer(tolerance=1e-13)(None, states).y
    y_raw = nearby + np.random.default_rng(1).normal(scale=0.02, size=nearby.shape)
    check(layer, y_raw, states, least=3)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("compiled", [False, True])
def test_gradients_have_the_bits_of_the_layer_for_numpy(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray, method: str, compiled: bool
) -> None:
    iterations = 50 if method == "paper" else None
    plain = unicycle.layer(method, iterations=iterations)
    layer = hardnet.jax.layer(plain)
    weight = np.random.default_rng(2).normal(size=raw.shape)

    def pulled(y_raw: Any, x: Any) -> Any:
        return jax.vjp(layer, y_raw, x)[1](weight)

    by_y, by_x = (jax.jit(pulled) if compiled else pulled)(raw, states)
    expected = plain.gradient(plain(raw, states, tape=True), weight)
    assert np.array_equal(np.asarray(by_y).view(np.int64), expected.y_raw.view(np.int64))
    assert np.array_equal(np.asarray(by_x).view(np.int64), expected.x.view(np.int64))
    gradients = layer.gradient(raw, states, weight)
    assert np.array_equal(gradients.y_raw, expected.y_raw)
    assert np.array_equal(gradients.flagged, expected.flagged)


def test_backward_in_blocks_gives_the_bits_of_one_batch(
    unicycle: hardnet.Model, states: np.ndarray
) -> None:
    """200 samples of 500 steps: 41 MB of tape, more than a block takes."""
    plain = unicycle.layer("paper", iterations=500, threads=2)
    layer = hardnet.jax.layer(plain)
    x = np.tile(states[:50], (4, 1))
    y_raw = np.random.default_rng(4).normal(scale=0.3, size=(200, 50))
    weight = np.ones_like(y_raw)
    together = layer.gradient(y_raw, x, weight)
    for k in range(0, 200, 50):
        part = slice(k, k + 50)
        alone = layer.gradient(y_raw[part], x[part], weight[part])
        assert np.array_equal(together.y_raw[part], alone.y_raw)
        assert np.array_equal(together.x[part], alone.x)


def test_start_values_have_gradients_by_x(unicycle: hardnet.Model, states: np.ndarray) -> None:
    layer = hardnet.jax.layer(unicycle, tolerance=1e-13)
    at = states[3]
    check_grads(lambda x: layer(x=x), (at,), order=1, modes=["rev"], atol=1e-6, rtol=1e-6, eps=1e-6)


def test_a_model_without_inputs_has_gradients_by_y_raw() -> None:
    layer = hardnet.jax.layer(
        "var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;", tolerance=1e-13
    )
    check_grads(layer, (np.array([3.0, 4.0]),), order=1, modes=["rev"], atol=1e-6, rtol=1e-6)


def test_only_y_is_differentiated(ring: hardnet.Model) -> None:
    layer = hardnet.jax.layer(ring)
    at = (jnp.array([1.0, 2.0, 0.0]), jnp.ones(1))
    by_violation = jax.grad(lambda raw: layer.with_report(raw, at[1])[1].violation)(at[0])
    assert not by_violation.any()


# ---- what is refused ----


def loss(layer: Any) -> Any:
    return lambda y_raw: (layer(y_raw, jnp.ones(1)) ** 3).sum()


AT = np.array([1.0, 2.0, 0.0])


@pytest.mark.parametrize("compiled", [False, True])
def test_second_derivatives_are_refused_with_a_sentence(
    ring: hardnet.Model, compiled: bool
) -> None:
    f = loss(hardnet.jax.layer(ring))
    twice = jax.grad(lambda raw: jax.grad(f)(raw).sum())
    with pytest.raises(NotImplementedError, match="differentiated once, in reverse mode"):
        (jax.jit(twice) if compiled else twice)(AT)


@pytest.mark.parametrize("compiled", [False, True])
def test_forward_mode_is_refused_with_a_sentence(ring: hardnet.Model, compiled: bool) -> None:
    f = loss(hardnet.jax.layer(ring))
    f = jax.jit(f) if compiled else f
    for transform in (jax.jacfwd, jax.hessian):
        with pytest.raises(
            (TypeError, NotImplementedError), match="can't apply forward-mode|differentiated once"
        ):
            transform(f)(AT)
    with pytest.raises(TypeError, match="can't apply forward-mode"):
        jax.jvp(f, (AT,), (AT,))
