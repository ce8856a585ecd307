"""Forward: the bits are those of the layer for NumPy, whatever JAX does around it.

XLA computes with denormal numbers flushed to zero; the library must not see that, on no thread.

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

METHODS = ["auto", "paper", "hardnet", "lm"]

TINY = """
param s;
var y{1..3};
subject to line: y[1] + 2 * y[2] = s;
subject to curve: y[3] = exp(y[1]) - 1 + y[2] / 1000;
"""


def bits(array: Any) -> Any:
    array = np.asarray(array)
    return array.view(np.int64 if array.dtype == np.float64 else np.int32)


def ways(layer: hardnet.jax.Layer) -> dict[str, Any]:
    """Ways to call a layer on a batch."""
    return {
        "plain": layer,
        "jit": jax.jit(layer),
        "vmap": jax.vmap(layer),
        "jit of vmap": jax.jit(jax.vmap(layer)),
        "last axis": lambda y, x: jax.vmap(layer, in_axes=(1, 1), out_axes=1)(y.T, x.T).T,
        "map": lambda y, x: jax.lax.map(lambda pair: layer(*pair), (y, x)),
        "pmap": lambda y, x: jax.pmap(layer)(
            y.reshape(2, -1, y.shape[-1]), x.reshape(2, -1, x.shape[-1])
        ).reshape(y.shape),
    }


WAYS = ["plain", "jit", "vmap", "jit of vmap", "last axis", "map", "pmap"]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["auto", "paper", "lm"])
def test_forward_has_the_bits_of_the_layer_for_numpy(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray, method: str, way: str
) -> None:
    plain = unicycle.layer(method, iterations=50 if method == "paper" else None)
    y = ways(hardnet.jax.layer(plain))[way](jnp.asarray(raw), jnp.asarray(states))
    assert y.dtype == np.float64
    assert np.array_equal(bits(y), bits(plain(raw, states).y))


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", METHODS)
def test_denormal_numbers_are_not_flushed(method: str, way: str, threads: int) -> None:
    generator = np.random.default_rng(1)
    y_raw = generator.normal(size=(1000, 3)) * 10.0 ** generator.uniform(-322, -300, size=(1000, 3))
    x = generator.normal(size=(1000, 1)) * 1e-310
    model = hardnet.Model.from_text(TINY)
    plain = model.layer(method, 0.0, iterations=5, threads=threads)
    expected = plain(y_raw, x)
    smallest = np.finfo(np.float64).tiny
    assert np.count_nonzero((expected.y != 0) & (np.abs(expected.y) < smallest)) > 900
    y = ways(hardnet.jax.layer(plain))[way](jnp.asarray(y_raw), jnp.asarray(x))
    assert np.array_equal(bits(y), bits(expected.y))


def test_denormal_gradients_are_not_flushed() -> None:
    generator = np.random.default_rng(1)
    y_raw, x = generator.normal(size=(200, 3)), generator.normal(size=(200, 1))
    weight = generator.normal(size=(200, 3)) * 1e-310
    plain = hardnet.Model.from_text(TINY).layer(threads=2)
    expected = plain.gradient(plain(y_raw, x, tape=True), weight)
    gradients = jax.jit(hardnet.jax.layer(plain).gradient)(y_raw, x, weight)
    assert np.count_nonzero(expected.y_raw) > 100
    assert np.array_equal(bits(gradients.y_raw), bits(expected.y_raw))
    assert np.array_equal(bits(gradients.x), bits(expected.x))


def test_denormal_float32_numbers_are_not_flushed() -> None:
    generator = np.random.default_rng(1)
    y_raw = (generator.normal(size=(100, 3)) * 1e-42).astype(np.float32)
    x = (generator.normal(size=(100, 1)) * 1e-42).astype(np.float32)
    plain = hardnet.Model.from_text(TINY).layer("hardnet", 0.0, iterations=3)
    expected = plain(y_raw, x)
    assert np.count_nonzero(expected.y) > 100
    y = jax.jit(hardnet.jax.layer(plain))(y_raw, x)
    assert y.dtype == np.float32
    assert np.array_equal(bits(y), bits(expected.y))


def test_what_xla_computes_around_it_stays_flushed() -> None:
    """The handler gives XLA its own floating-point mode back."""
    layer = hardnet.jax.layer(TINY)

    @jax.jit
    def halves(y_raw: Any, x: Any) -> Any:
        before = y_raw * 0.5
        y = layer(y_raw, x)
        return before, (y_raw + 0 * y) * 0.5

    before, after = halves(jnp.full(3, 4e-310), jnp.ones(1))
    assert np.array_equal(bits(before), bits(after))


@pytest.mark.parametrize("method", ["auto", "paper", "lm"])
def test_a_sample_has_the_same_bits_in_any_batch(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray, method: str
) -> None:
    layer = jax.jit(hardnet.jax.layer(unicycle, method, iterations=30))
    together = layer(raw, states)
    for part in (slice(0, 1), slice(3, 4), slice(10, 17), slice(0, 64)):
        assert np.array_equal(bits(layer(raw[part], states[part])), bits(together[part]))
    assert np.array_equal(bits(layer(raw[7], states[7])), bits(together[7]))
    assert np.array_equal(bits(layer(raw[::-1], states[::-1])[::-1]), bits(together))


def test_reports_are_those_of_the_layer_for_numpy(ring: hardnet.Model) -> None:
    generator = np.random.default_rng(2)
    y_raw, x = generator.normal(scale=3, size=(50, 3)), generator.uniform(0.5, 2, size=(50, 1))
    y_raw[7, 1], x[9, 0] = np.nan, np.inf
    plain = ring.layer(iterations=3, fallback=[1.0, 1.0, 2.0])  # without one they would be NaN
    expected = plain(y_raw, x)
    y, report = jax.jit(hardnet.jax.layer(plain).with_report)(y_raw, x)
    assert set(np.asarray(report.outcome)) > {0}
    assert np.array_equal(y, expected.y)
    assert np.array_equal(report.outcome, expected.outcome)
    assert np.array_equal(report.ok, expected.ok)
    assert np.array_equal(report.iterations, expected.iterations)
    assert np.array_equal(report.violation, expected.violation, equal_nan=True)
    names = np.array([*ring.row_names, ""])
    assert np.array_equal(names[np.asarray(report.worst)], expected.worst)
