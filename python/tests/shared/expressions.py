"""Expressions against NumPy: the same operations on a model's expressions and on arrays.

A model has outputs; an expression of them, evaluated at random values, must be what NumPy computes
from the same values. Shapes, broadcasting and indexing are NumPy's by the same comparison.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import hardnet
from hardnet import Expression


RANDOM = np.random.default_rng(7)


def both(
    function: Callable[..., Any], *shapes: tuple[int, ...], low: float = -2.0, high: float = 2.0
) -> tuple[Any, Any]:
    """function of expressions, evaluated, and the same of arrays."""
    m = hardnet.Model()
    arrays = [RANDOM.uniform(low, high, size=shape) for shape in shapes]
    outputs = [m.outputs(f"v{i}", shape) for i, shape in enumerate(shapes)]
    if not any(array.size for array in arrays):
        m.outputs("one")
        arrays.append(np.zeros(1))
    result = function(*outputs)
    y = np.concatenate([array.ravel() for array in arrays])
    wanted = function(*arrays[: len(outputs)])
    if isinstance(result, (list, tuple)):
        return [m.value(part, y) for part in result], wanted
    assert isinstance(result, Expression)
    return m.value(result, y), wanted


def agree(function: Callable[..., Any], *shapes: tuple[int, ...], **limits: float) -> None:
    ours, numpys = both(function, *shapes, **limits)
    if isinstance(ours, list):
        assert len(ours) == len(numpys)
        for one, other in zip(ours, numpys):
            assert one.shape == other.shape
            np.testing.assert_array_equal(one, other)
        return
    assert np.shape(ours) == np.shape(numpys)
    np.testing.assert_allclose(ours, np.asarray(numpys, float), rtol=2e-15, atol=1e-15)
