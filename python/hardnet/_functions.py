"""The functions that models have, for expressions and for numbers.

On expressions each makes expressions; on numbers it is NumPy's function of the same name. So the
same text can build a model and compute with arrays.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _numpy
from ._condition import between
from ._expression import Axis, Expression, ExpressionLike, array, is_collection
from ._products import dot, matmul

__all__ = [
    "abs",
    "acos",
    "acosh",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "array",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "between",
    "concatenate",
    "cos",
    "cosh",
    "dot",
    "exp",
    "log",
    "log10",
    "matmul",
    "max",
    "maximum",
    "mean",
    "min",
    "minimum",
    "norm",
    "prod",
    "sin",
    "sinh",
    "sqrt",
    "stack",
    "sum",
    "tan",
    "tanh",
    "where",
]


def _given(value: Any) -> Any:
    """Lists of expressions become one expression; the rest is NumPy's to understand."""
    if is_collection(value):
        try:
            return array(value)
        except TypeError:
            return value
    return value


def sqrt(a: ExpressionLike) -> Any:
    """The square root, element by element."""
    return np.sqrt(_given(a))


def exp(a: ExpressionLike) -> Any:
    """e to the power of each element."""
    return np.exp(_given(a))


def log(a: ExpressionLike) -> Any:
    """The natural logarithm of each element."""
    return np.log(_given(a))


def log10(a: ExpressionLike) -> Any:
    """The logarithm to base 10 of each element."""
    return np.log10(_given(a))


def sin(a: ExpressionLike) -> Any:
    """The sine of each element."""
    return np.sin(_given(a))


def cos(a: ExpressionLike) -> Any:
    """The cosine of each element.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.cos(y)
    Expression(shape=(3,))
    >>> float(hardnet.cos(0.0))
    1.0
    """
    return np.cos(_given(a))


def tan(a: ExpressionLike) -> Any:
    """The tangent of each element."""
    return np.tan(_given(a))


def arcsin(a: ExpressionLike) -> Any:
    """The inverse sine of each element."""
    return np.arcsin(_given(a))


def arccos(a: ExpressionLike) -> Any:
    """The inverse cosine of each element."""
    return np.arccos(_given(a))


def arctan(a: ExpressionLike) -> Any:
    """The inverse tangent of each element."""
    return np.arctan(_given(a))


def arctan2(y: ExpressionLike, x: ExpressionLike) -> Any:
    """The angle of the point (x, y), element by element."""
    return np.arctan2(_given(y), _given(x))


def sinh(a: ExpressionLike) -> Any:
    """The hyperbolic sine of each element."""
    return np.sinh(_given(a))


def cosh(a: ExpressionLike) -> Any:
    """The hyperbolic cosine of each element."""
    return np.cosh(_given(a))


def tanh(a: ExpressionLike) -> Any:
    """The hyperbolic tangent of each element."""
    return np.tanh(_given(a))


def arcsinh(a: ExpressionLike) -> Any:
    """The inverse hyperbolic sine of each element."""
    return np.arcsinh(_given(a))


def arccosh(a: ExpressionLike) -> Any:
    """The inverse hyperbolic cosine of each element."""
    return np.arccosh(_given(a))


def arctanh(a: ExpressionLike) -> Any:
    """The inverse hyperbolic tangent of each element."""
    return np.arctanh(_given(a))


# The shorter names, as in model files.
asin, acos, atan, atan2 = arcsin, arccos, arctan, arctan2
asinh, acosh, atanh = arcsinh, arccosh, arctanh


def abs(a: ExpressionLike) -> Any:
    """The absolute value of each element."""
    return np.absolute(_given(a))


def minimum(a: ExpressionLike, b: ExpressionLike) -> Any:
    """The smaller of two, element by element."""
    return np.minimum(_given(a), _given(b))


def maximum(a: ExpressionLike, b: ExpressionLike) -> Any:
    """The larger of two, element by element."""
    return np.maximum(_given(a), _given(b))


def where(condition: Any, yes: ExpressionLike, no: ExpressionLike) -> Any:
    """yes where the condition is true, else no. The other branch may be undefined.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.where(y > 0, hardnet.sqrt(y), 0.0)
    Expression(shape=(3,))
    """
    parts = _given(condition), _given(yes), _given(no)
    if any_expression(*parts):
        return _numpy.where(*parts)
    return np.where(*parts)


def any_expression(*values: Any) -> bool:
    for value in values:
        if isinstance(value, Expression):
            return True
    return False


def sum(a: ExpressionLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The sum of the elements, or along axes.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", (10, 3))
    >>> hardnet.sum(y[:, :2] ** 2, axis=1)
    Expression(shape=(10,))
    """
    return np.sum(_given(a), axis=_numpys(axis), keepdims=keepdims)


def prod(a: ExpressionLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The product of the elements, or along axes."""
    return np.prod(_given(a), axis=_numpys(axis), keepdims=keepdims)


def mean(a: ExpressionLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The mean of the elements, or along axes."""
    return np.mean(_given(a), axis=_numpys(axis), keepdims=keepdims)


def min(a: ExpressionLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The smallest element, or along axes."""
    return np.min(_given(a), axis=_numpys(axis), keepdims=keepdims)


def max(a: ExpressionLike, axis: Axis = None, keepdims: bool = False) -> Any:
    """The largest element, or along axes."""
    return np.max(_given(a), axis=_numpys(axis), keepdims=keepdims)


def _numpys(axis: Axis) -> Any:
    return tuple(axis) if isinstance(axis, list) else axis


def norm(a: ExpressionLike, ord: Any = None, axis: Axis = None, keepdims: bool = False) -> Any:
    """The length of a vector, or along an axis: ord 2 (by default), 1 or inf."""
    return np.linalg.norm(_given(a), ord=ord, axis=_numpys(axis), keepdims=keepdims)


def concatenate(parts: Any, axis: int | None = 0) -> Any:
    """Arrays joined along an axis that they have."""
    return np.concatenate([_given(part) for part in parts], axis=axis)


def stack(parts: Any, axis: int = 0) -> Any:
    """Arrays joined along a new axis; numbers among them become constants.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.stack([y[0], 2.0, y[1] * y[2]])
    Expression(shape=(3,))
    """
    return np.stack([_given(part) for part in parts], axis=axis)
