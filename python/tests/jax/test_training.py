"""A network is trained through the layer, in 32 and 64 bits: the loss falls, constraints hold.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hardnet
import hardnet.jax

# The point of a circle, whose radius is an input, that is nearest to a target.
MODEL = """
param radius >= 0.5, <= 2;
var y{1..2};
subject to circle: y[1]^2 + y[2]^2 = radius^2;
"""
TARGET = np.array([3.0, 4.0])


def network(weights: Any, x: Any) -> Any:
    hidden = jnp.tanh(x @ weights["a"] + weights["b"])
    return hidden @ weights["c"] + weights["d"]


@pytest.mark.parametrize("wide", [False, True])
def test_a_network_is_trained_through_the_layer(wide: bool) -> None:
    jax.config.update("jax_enable_x64", wide)
    layer = hardnet.jax.layer(MODEL, on_fail="raise")
    generator = np.random.default_rng(1)
    shapes = {"a": (1, 16), "b": (16,), "c": (16, 2), "d": (2,)}
    weights = {name: jnp.asarray(generator.normal(scale=0.5, size=s)) for name, s in shapes.items()}
    x = jnp.asarray(generator.uniform(0.5, 2, size=(64, 1)))

    def loss(weights: Any) -> Any:
        return ((layer(network(weights, x), x) - TARGET) ** 2).sum(-1).mean()

    @jax.jit
    def steps(weights: Any) -> Any:
        def step(weights: Any, _: Any) -> Any:
            value, gradient = jax.value_and_grad(loss)(weights)
            return jax.tree_util.tree_map(lambda w, g: w - 0.05 * g, weights, gradient), value

        return jax.lax.scan(step, weights, None, length=200)

    weights, losses = steps(weights)
    best = float(((5 - np.asarray(x)) ** 2).mean())
    assert losses[-1] < losses[0]
    assert losses[-1] < 1.001 * best
    y = layer(network(weights, x), x)
    assert y.dtype == (np.float64 if wide else np.float32)
    assert np.allclose((y**2).sum(-1), x[:, 0] ** 2, atol=1e-7 if wide else 1e-5)
