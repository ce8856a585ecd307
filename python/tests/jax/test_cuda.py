"""hardnet.jax on CUDA devices. What a program becomes is looked at everywhere; running it needs one.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hardnet
import hardnet.jax
from hardnet.jax import _cuda

if not hasattr(jax, "ffi"):
    pytest.skip("CUDA devices need jax.ffi, of jax 0.5 and later", allow_module_level=True)

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""
FREE = "var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;"


def has_device() -> bool:
    try:
        return len(jax.devices("cuda")) > 0
    except RuntimeError:
        return False


def has_driver() -> bool:
    """JAX on the CPU alone (JAX_PLATFORMS) sees no device where there is one."""
    try:
        ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    return True


needs_device = pytest.mark.skipif(not has_device(), reason="no CUDA device")


def wide() -> Any:
    """64-bit types for a while."""
    return _cuda._wide_types()


def samples(count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    return generator.normal(size=(count, 3)), generator.uniform(0.5, 2, size=(count, 1))


def same_bits(a: Any, b: Any) -> bool:
    a, b = np.asarray(a), np.asarray(b)
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


# ---- without a device ----


class Sizes:
    """What lowering asks of kernels."""

    def tape_bytes(self, count: int) -> int:
        return 1 << 20 if count == 1 else count << 20

    def workspace_bytes(self, count: int) -> int:
        return 256


def text_for_cuda(monkeypatch: pytest.MonkeyPatch, layer: Any, function: Any, *arrays: Any) -> str:
    monkeypatch.setitem(_cuda._finders, layer.key, (lambda number: Sizes(), 1))
    text: str = jax.jit(function).trace(*arrays).lower(lowering_platforms=("cuda",)).as_text()
    return text


def test_a_program_for_cuda_computes_in_float64(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = hardnet.jax.layer(RING)
    arrays = jnp.ones((4, 3), jnp.float32), jnp.ones((4, 1), jnp.float32)
    text = text_for_cuda(monkeypatch, layer, layer.with_report, *arrays)
    assert "@hardnet_forward_cuda" in text
    assert "(tensor<4x3xf64>, tensor<4x1xf64>) -> (tensor<4x3xf64>, tensor<4x" in text
    assert "-> (tensor<4x3xf32>" in text  # and gives what it got


def test_the_tape_of_a_gradient_has_a_most(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = hardnet.jax.layer(RING)

    def loss(y: Any, x: Any) -> Any:
        return layer(y, x).sum()

    arrays = [jnp.ones((5000, 3)), jnp.ones((5000, 1))]
    text = text_for_cuda(monkeypatch, layer, jax.grad(loss, (0, 1)), *arrays)
    assert "@hardnet_backward_cuda" in text and f"tensor<{2 << 30}xui8>" in text
    few = text_for_cuda(monkeypatch, layer, jax.grad(loss), *(a[:10] for a in arrays))
    assert f"tensor<{10 << 20}xui8>" in few


def test_warnings_are_refused_for_cuda(monkeypatch: pytest.MonkeyPatch) -> None:
    for wish in ("warn", "raise"):
        layer = hardnet.jax.layer(FREE, on_fail=wish)
        with pytest.raises(NotImplementedError, match="look at the report"):
            text_for_cuda(monkeypatch, layer, layer, jnp.ones((4, 2)))


def test_without_a_driver_a_program_for_cuda_is_a_sentence() -> None:
    if has_driver():
        pytest.skip("there is a driver")
    layer = hardnet.jax.layer(FREE)
    with pytest.raises(hardnet.UnsupportedError, match="no driver"):
        jax.jit(layer).trace(jnp.ones((4, 2))).lower(lowering_platforms=("cuda",))


def test_a_released_layer_is_forgotten() -> None:
    layer = hardnet.jax.layer(FREE, tolerance=3e-7)
    again = hardnet.jax.layer(FREE, tolerance=3e-7)
    layer.release()
    assert layer.key in _cuda._finders
    again.release()
    assert layer.key not in _cuda._finders


# ---- on a device ----


@needs_device
def test_results_and_gradients_have_the_bits_of_the_cpu() -> None:
    raw, x = samples(300)
    raw[4] = np.nan
    weight = np.random.default_rng(3).normal(size=raw.shape)
    for method in ("auto", "paper", "lm"):
        layer = hardnet.jax.layer(RING, method)
        plain = layer.inner(raw, x, tape=True)
        expected = layer.inner.gradient(plain, weight)
        with wide():
            arrays = jax.device_put((raw, x, weight), jax.devices("cuda")[0])
            y, report = jax.jit(layer.with_report)(*arrays[:2])
            found = jax.jit(layer.gradient)(*arrays)
        good = np.arange(300) != 4
        assert same_bits(y[good], plain.y[good]) and np.isnan(y[4]).all()
        assert np.array_equal(report.outcome, plain.outcome)
        assert np.array_equal(report.iterations, plain.iterations)
        assert np.array_equal(report.violation[good], plain.violation[good], equal_nan=True)
        assert same_bits(found.y_raw[good], expected.y_raw[good])
        assert same_bits(found.x[good], expected.x[good]) and np.isnan(found.y_raw[4]).all()
        assert np.array_equal(found.flagged, expected.flagged)


@needs_device
def test_float32_is_widened_on_the_device() -> None:
    raw, x = (array.astype(np.float32) for array in samples(100))
    layer = hardnet.jax.layer(RING)
    y = layer(*jax.device_put((raw, x), jax.devices("cuda")[0]))
    assert y.dtype == jnp.float32 and same_bits(y, layer.inner(raw, x).y)


@needs_device
def test_blocks_of_a_gradient_give_the_same_bits(monkeypatch: pytest.MonkeyPatch) -> None:
    raw, x = samples(257)
    with wide():
        arrays = jax.device_put((raw, x), jax.devices("cuda")[0])
        layer = hardnet.jax.layer(RING, tolerance=2e-8)
        whole = jax.jit(jax.grad(lambda y, x: (layer(y, x) ** 2).sum(), (0, 1)))(*arrays)
        each = layer.inner.devices.find(0).tape_bytes(1)
        monkeypatch.setattr(_cuda, "_MOST_TAPE", 100 * each)
        parts = jax.jit(jax.grad(lambda y, x: (1 * layer(y, x) ** 2).sum(), (0, 1)))(*arrays)
    assert all(same_bits(a, b) for a, b in zip(whole, parts, strict=True))


@needs_device
def test_vmap_scan_and_models_without_inputs_work() -> None:
    raw, x = samples(40)
    layer, free = hardnet.jax.layer(RING), hardnet.jax.layer(FREE)
    with wide():
        far, inputs = jax.device_put((raw, x), jax.devices("cuda")[0])
        whole = layer(far, inputs)
        assert same_bits(jax.jit(jax.vmap(layer))(far, inputs), whole)
        pairs = far.reshape(4, 10, 3), inputs.reshape(4, 10, 1)
        _, scanned = jax.lax.scan(lambda c, pair: (c, layer(*pair)), 0, pairs)
        assert same_bits(scanned.reshape(40, 3), whole)
        assert same_bits(free(far[:, :2]), free.inner(raw[:, :2]).y)
        assert layer(far[:0], inputs[:0]).shape == (0, 3)
        start = layer(None, inputs)
    assert same_bits(start, layer.inner(None, x).y)
