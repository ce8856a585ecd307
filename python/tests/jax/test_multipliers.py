"""Optima, nearest points and their multipliers under JAX.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="JAX is not installed")

import jax.numpy as jnp  # noqa: E402

import hardnet.jax  # noqa: E402

MODEL = """
param a{1..2} >= -2, <= 2;
var y{1..2};
minimize away: sum{j in 1..2} (y[j] - a[j])^2/2;
subject to line: y[1] + y[2] = 1;
subject to cap: y[1] <= 0.8;
"""


@pytest.fixture(scope="module")
def optimal() -> hardnet.jax.Layer:
    return hardnet.jax.layer(MODEL, "optimal")


def test_optima_and_their_gradients_are_known(optimal: hardnet.jax.Layer) -> None:
    a = jnp.array([[0.1, 0.3], [1.5, 0.2]])
    y = jax.jit(optimal)(jnp.zeros((2, 2)), a)
    np.testing.assert_allclose(y, [[0.4, 0.6], [0.8, 0.2]], atol=1e-6)
    by_a = jax.grad(lambda a: optimal(jnp.zeros((2, 2)), a)[:, 0].sum())(a)
    np.testing.assert_allclose(by_a, [[0.5, -0.5], [0, 0]], atol=1e-6)
    by_raw = jax.grad(lambda raw: optimal(raw, a).sum())(jnp.ones((2, 2)))
    np.testing.assert_allclose(by_raw, np.zeros((2, 2)))


def test_multipliers_and_their_gradients_are_known(optimal: hardnet.jax.Layer) -> None:
    a = jnp.array([2.0, 0.0])
    y, m = jax.jit(optimal.with_multipliers)(jnp.zeros(2), a)
    np.testing.assert_allclose(y, [0.8, 0.2], atol=1e-6)
    np.testing.assert_allclose(m, [0.2, -1.4], atol=1e-6)
    by_a = jax.grad(lambda a: optimal.with_multipliers(jnp.zeros(2), a)[1].sum())(a)
    np.testing.assert_allclose(by_a, [-1, 0], atol=1e-6)
    many = jax.vmap(lambda a: optimal.with_multipliers(jnp.zeros(2), a)[1])(jnp.stack([a, a]))
    np.testing.assert_allclose(many, np.stack([m, m]), atol=1e-6)


def test_nearest_takes_weights() -> None:
    layer = hardnet.jax.layer(
        "var y{1..2}; subject to line: y[1] + y[2] = 0;", "nearest", weights=[1, 2]
    )
    np.testing.assert_allclose(layer(jnp.array([3.0, 1.0])), [-0.2, 0.2], atol=1e-6)
    by_raw = jax.jacobian(layer)(jnp.array([3.0, 1.0]))
    np.testing.assert_allclose(by_raw, [[0.2, -0.8], [-0.2, 0.8]], atol=1e-6)


def test_other_methods_have_none() -> None:
    with pytest.raises(ValueError, match="the method auto has no multipliers"):
        hardnet.jax.layer(MODEL).with_multipliers(jnp.zeros(2), jnp.zeros(2))
