"""Corrected outputs together with their multipliers, both differentiable: "nearest" and "optimal".

A call of the host: it can be compiled, batched and differentiated once, and runs on the CPU.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import functools
import inspect
from typing import TYPE_CHECKING, Any

import jax
import numpy as np

from .._outcome import Outcome
from ._varying import varying_as

if TYPE_CHECKING:
    from .. import _layer as plain

__all__ = ["solve"]


def _shape(array: Any, width: int, like: Any) -> Any:
    described: Any = jax.ShapeDtypeStruct
    return described((*array.shape[:-1], width), like.dtype)


def _spread_nan(layer: plain.Layer, result: Any, *arrays: Any) -> None:
    """NaN where y_raw or x is not finite, unless the layer has a fallback."""
    of = layer.settings
    if of["fallback"] is None and of["not_ok"] != "fallback":
        for array in arrays:
            array[result.outcome == Outcome.NONFINITE_INPUT] = np.nan


def _run(layer: plain.Layer, y_raw: Any, x: Any, tape: bool) -> Any:
    inputs = np.asarray(x, np.float64) if layer.info["inputs"] else None
    return layer(np.asarray(y_raw, np.float64), inputs, tape=tape)


def _host(call: Any, shapes: Any, *arguments: Any) -> Any:
    """What the host computes. jax before 0.4.34 leaves arguments that no vmap is over as they are."""
    if "vmap_method" in inspect.signature(jax.pure_callback).parameters:
        return jax.pure_callback(call, shapes, *arguments, vmap_method="broadcast_all")

    def call_alike(*arrays: Any) -> Any:
        lead = np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
        return call(*(np.broadcast_to(array, (*lead, array.shape[-1])) for array in arrays))

    return jax.pure_callback(call_alike, shapes, *arguments, vectorized=True)


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def solve(layer: plain.Layer, y_raw: Any, x: Any) -> Any:
    """y and multipliers of (..., outputs) and (..., inputs) with equal leading shapes."""

    def call(raw: Any, inputs: Any) -> Any:
        result = _run(layer, raw, inputs, False)
        _spread_nan(layer, result, result.y, result.multipliers)
        return result.y.astype(raw.dtype), result.multipliers.astype(raw.dtype)

    info = layer.info
    shapes = (_shape(y_raw, info["outputs"], y_raw), _shape(y_raw, info["rows"], y_raw))
    return varying_as(_host(call, shapes, y_raw, x), [y_raw, x])


def _forward(layer: plain.Layer, y_raw: Any, x: Any) -> Any:
    return solve(layer, y_raw, x), (y_raw, x)


def _backward(layer: plain.Layer, kept: Any, cotangents: Any) -> Any:
    def call(raw: Any, inputs: Any, grad_y: Any, grad_multipliers: Any) -> Any:
        result = _run(layer, raw, inputs, True)
        gradient = layer.gradient(result, grad_y, grad_multipliers=grad_multipliers)
        by_x = np.zeros(inputs.shape) if gradient.x is None else gradient.x
        _spread_nan(layer, result, gradient.y_raw, by_x)
        return gradient.y_raw.astype(raw.dtype), by_x.astype(inputs.dtype)

    y_raw, x = kept
    shapes = (_shape(y_raw, y_raw.shape[-1], y_raw), _shape(x, x.shape[-1], x))
    return varying_as(_host(call, shapes, y_raw, x, *cotangents), [y_raw, x])


solve.defvjp(_forward, _backward)
