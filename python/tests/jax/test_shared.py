"""Inputs that are given once for all samples: traced, batched, differentiated; gradients in order.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from shared_case import CHOICES, MODEL, flat, parts, samples

import hardnet.jax

try:
    from jax import shard_map

    UNCHECKED: dict[str, Any] = {}
except ImportError:  # before 0.6, where shard_map knew few primitives
    from jax.experimental.shard_map import shard_map

    UNCHECKED = {"check_rep": False}

COUNT = 21


def loss(layer: Any, shared: Any, y_raw: Any, others: Any, weights: Any = 1.0) -> Any:
    return (weights * layer(y_raw, others, shared=shared)).sum()


@pytest.mark.parametrize("method", ["auto", "nearest", "lm"])
def test_bits_and_gradients_are_those_of_the_layer_for_numpy(method: str) -> None:
    layer = hardnet.jax.layer(MODEL, method)
    weights = np.random.default_rng(4).normal(size=(COUNT, 4))
    by = jax.jit(jax.grad(loss, argnums=(1, 2)), static_argnums=0)
    for names, columns in CHOICES:
        y_raw, x = samples(columns, COUNT)
        shared, others = parts(names, columns, x)
        result = layer.inner(y_raw, others, shared=shared, tape=True)
        wanted = layer.inner.gradient(result, weights)
        y, report = jax.jit(lambda r, o, s: layer(r, o, shared=s, return_report=True))(
            y_raw, others, shared
        )
        np.testing.assert_array_equal(y, result.y)
        np.testing.assert_array_equal(report.outcome, result.outcome)
        by_shared, by_raw = by(layer, shared, y_raw, others, weights)
        np.testing.assert_array_equal(by_raw, wanted.y_raw)
        np.testing.assert_array_equal(flat(by_shared), flat(wanted.shared))
        if others is not None:
            by_x = jax.grad(loss, argnums=3)(layer, shared, y_raw, others, weights)
            np.testing.assert_array_equal(by_x, wanted.x)


def test_vmap_over_samples_and_over_shared_inputs() -> None:
    layer = hardnet.jax.layer(MODEL)
    y_raw, x = samples([0, 1], COUNT)
    others, p = x[:, 2:], x[0, :2]
    y = layer(y_raw, others, shared=p)
    over_samples = jax.vmap(lambda raw, own: layer(raw, own, shared=p))(y_raw, others)
    np.testing.assert_array_equal(over_samples, y)
    several = np.stack([p, p + 0.1])
    over_shared = jax.vmap(lambda q: layer(y_raw, others, shared=q))(several)
    by_shared = jax.vmap(jax.grad(lambda q: loss(layer, q, y_raw, others)))(several)
    for i in range(2):
        np.testing.assert_array_equal(over_shared[i], layer(y_raw, others, shared=several[i]))
        one = jax.grad(loss, argnums=1)(layer, several[i], y_raw, others)
        np.testing.assert_array_equal(by_shared[i], one)


def test_rows_of_x_broadcast_and_leading_shapes() -> None:
    layer = hardnet.jax.layer(MODEL)
    y_raw, x = samples([0, 1, 2, 3, 4], 12)
    y = layer(y_raw, x)
    np.testing.assert_array_equal(layer(y_raw, x[0, 2:], shared=x[0, :2]), y)
    np.testing.assert_array_equal(layer(y_raw, shared=x[0]), y)
    shaped = layer(y_raw.reshape(3, 4, 4), x[:, 2:].reshape(3, 4, 3), shared={"p": x[0, :2]})
    np.testing.assert_array_equal(shaped.reshape(12, 4), y)
    np.testing.assert_array_equal(layer(shared=x[0]), layer(None, x[0]))
    none = jax.grad(loss, argnums=1)(layer, x[0, :2], np.zeros((0, 4)), np.zeros((0, 3)))
    np.testing.assert_array_equal(none, [0, 0])


def test_single_precision() -> None:
    jax.config.update("jax_enable_x64", False)
    layer = hardnet.jax.layer(MODEL, tolerance=1e-4)
    y_raw, x = (jnp.asarray(a, jnp.float32) for a in samples([0, 1], COUNT))
    by = jax.grad(lambda p: loss(layer, p, y_raw, x[:, 2:]))(x[0, :2])
    assert by.dtype == jnp.float32 and by.shape == (2,) and np.isfinite(by).all()
    np.testing.assert_array_equal(layer(y_raw, x[:, 2:], shared=x[0, :2]), layer(y_raw, x))


def test_samples_may_be_divided_among_devices() -> None:
    layer = hardnet.jax.layer(MODEL)
    y_raw, x = samples([0, 1], 8)
    mesh = jax.sharding.Mesh(np.array(jax.devices("cpu")[:2]), ("samples",))
    part, whole = jax.sharding.PartitionSpec("samples"), jax.sharding.PartitionSpec()
    divided = shard_map(
        lambda raw, own, p: layer(raw, own, shared=p), mesh=mesh, in_specs=(part, part, whole),
        out_specs=part, **UNCHECKED,
    )  # fmt: skip
    wanted = layer(y_raw, x[:, 2:], shared=x[0, :2])
    np.testing.assert_array_equal(divided(y_raw, x[:, 2:], x[0, :2]), wanted)
    by = jax.grad(lambda p: divided(y_raw, x[:, 2:], p).sum())(jnp.asarray(x[0, :2]))
    np.testing.assert_allclose(
        by, jax.grad(loss, argnums=1)(layer, x[0, :2], y_raw, x[:, 2:]), rtol=1e-12
    )


BAD = [
    ({"r": jnp.ones(1)}, "called r"),
    ({"p": jnp.ones((9, 2))}, r"shared: p has the shape \(9, 2\); it must be \(2,\)"),
    (jnp.ones((9, 2)), r"shared has the shape \(9, 2\); it must be one row"),
    (jnp.ones(6), r"shared has the shape \(6,\)"),
    (jnp.ones(1), r"x has the shape \(9, 3\); its last axis must be 4 long"),
]


@pytest.mark.parametrize(("shared", "words"), BAD)
def test_what_does_not_fit_is_refused_by_name(shared: Any, words: str) -> None:
    layer = hardnet.jax.layer(MODEL)
    y_raw, x = samples([0, 1], 9)
    with pytest.raises(ValueError, match=words):
        jax.jit(lambda s: layer(y_raw, x[:, 2:], shared=s))(shared)


def test_other_mistakes_are_named() -> None:
    layer = hardnet.jax.layer(MODEL)
    y_raw, x = samples([0, 1], 9)
    with pytest.raises(ValueError, match="x is missing: the model has 3 other inputs"):
        layer(y_raw, shared=x[0, :2])
    with pytest.raises(TypeError, match="shared must be an array of real numbers"):
        layer(y_raw, x[:, 2:], shared=jnp.ones(2) * 1j)
