"""Functions and operators of expressions against those of NumPy.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from expressions import agree

import hardnet


# ---- functions ----

UNARY = [
    (np.negative, -2, 2),
    (np.positive, -2, 2),
    (np.sqrt, 0, 4),
    (np.exp, -3, 3),
    (np.exp2, -3, 3),
    (np.log, 0.1, 9),
    (np.log2, 0.1, 9),
    (np.log10, 0.1, 9),
    (np.sin, -9, 9),
    (np.cos, -9, 9),
    (np.tan, -1.5, 1.5),
    (np.arcsin, -1, 1),
    (np.arccos, -1, 1),
    (np.arctan, -9, 9),
    (np.sinh, -3, 3),
    (np.cosh, -3, 3),
    (np.tanh, -3, 3),
    (np.arcsinh, -9, 9),
    (np.arccosh, 1, 9),
    (np.arctanh, -0.99, 0.99),
    (np.absolute, -2, 2),
    (np.fabs, -2, 2),
    (np.square, -2, 2),
    (np.reciprocal, 0.1, 2),
    (np.sign, -2, 2),
    (np.deg2rad, -360, 360),
    (np.degrees, -7, 7),
    (np.logical_not, -2, 2),
]

BINARY = [
    np.add,
    np.subtract,
    np.multiply,
    np.true_divide,
    np.arctan2,
    np.minimum,
    np.maximum,
    np.hypot,
    np.logaddexp,
    np.less,
    np.less_equal,
    np.greater,
    np.greater_equal,
    np.equal,
    np.not_equal,
    np.logical_and,
    np.logical_or,
]


@pytest.mark.parametrize(
    ("function", "low", "high"), UNARY, ids=lambda v: getattr(v, "__name__", "")
)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_ufuncs_of_one(function: Any, low: float, high: float, shape: tuple[int, ...]) -> None:
    agree(function, shape, low=low, high=high)


@pytest.mark.parametrize("function", BINARY, ids=lambda v: v.__name__)
def test_ufuncs_of_two(function: Any) -> None:
    agree(function, (4, 3), (4, 3))
    agree(function, (4, 1), (3,))
    agree(lambda a: function(a, 0.7), (3,))
    agree(lambda a: function(np.array([0.1, 0.2, -0.3]), a), (2, 3))
    agree(lambda a: function(np.float64(0.3), a), (2,))
    agree(lambda a: function([1, 2], a), (2,))


def test_every_operator_of_the_library_is_reached() -> None:
    from hardnet import _core, _numpy

    reached = {*_numpy._PLAIN.values(), *_numpy._LOGICAL.values(), "if"}
    reached |= {"less", "less_equal", "equal", "not_equal"}
    assert reached == set(_core.operators())


NAMES = "sqrt exp log log10 sin cos tan sinh cosh tanh abs"
INVERSE = "arcsin arccos arctan arcsinh arctanh"


@pytest.mark.parametrize("name", [*NAMES.split(), *INVERSE.split()])
def test_functions_of_the_package(name: str) -> None:
    function = getattr(hardnet, name)
    agree(function, (2, 3), low=0.1, high=0.9)
    assert function(0.5) == getattr(np, name)(0.5)
    if name.startswith("arc"):
        assert getattr(hardnet, "a" + name[3:]) is function
    m = hardnet.Model()
    y = m.outputs("y", 2)
    assert function([y[0], 0.5]).shape == (2,)


def test_arccosh_and_functions_of_two() -> None:
    agree(hardnet.arccosh, (3,), low=1, high=5)
    agree(hardnet.atan2, (3,), (3,))
    agree(hardnet.minimum, (3, 1), (4,))
    agree(hardnet.maximum, (3, 1), (4,))
    assert hardnet.maximum(1.0, 2.0) == 2


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 0.5, -1, -2, 1.5, 7])
def test_powers(exponent: float) -> None:
    agree(lambda a: a**exponent, (5,), low=0.2, high=2)
    agree(lambda a: exponent**a if exponent > 0 else a, (5,))
    agree(lambda a, b: a**b, (5,), (5,), low=0.2, high=2)


def test_operators() -> None:
    agree(lambda a, b: a + b - a * b / (a + 3) ** 2, (4, 3), (3,))
    agree(lambda a: 1 + a, (3,))
    agree(lambda a: 1 - a, (3,))
    agree(lambda a: 2 * a, (3,))
    agree(lambda a: 1 / a, (3,), low=0.5)
    agree(lambda a: -a + +a + abs(a), (3,))
    agree(lambda a: True * a + np.int32(2) * a + np.float32(0.5), (3,))
    agree(lambda a: np.arange(6.0).reshape(2, 3) * a, (3,))
    agree(lambda a: np.arange(6).reshape(2, 3) - a, (2, 3))
