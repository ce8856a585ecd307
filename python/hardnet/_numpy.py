"""NumPy's functions on expressions, such as `numpy.cos(e)` and `numpy.concatenate([e, f])`.

NumPy asks an argument that is not a NumPy array: __array_ufunc__ for ufuncs,
__array_function__ for other functions. The tables below say what each becomes; what is not in them
is refused by name.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _checks, _matrix, _products
from ._condition import Condition, compare
from ._errors import InvalidError
from ._expression import (
    Expression,
    apply,
    fold,
    joint_shape,
    model_of,
    nodes_of,
    spread,
)

__all__ = ["call_function", "call_ufunc"]

# ---- ufuncs ----

# By the names of operators in the library; arguments in the same order.
_PLAIN = {
    np.add: "add",
    np.subtract: "sub",
    np.multiply: "mul",
    np.true_divide: "div",
    np.negative: "neg",
    np.power: "pow",
    np.float_power: "pow",
    np.sqrt: "sqrt",
    np.exp: "exp",
    np.log: "log",
    np.log10: "log10",
    np.sin: "sin",
    np.cos: "cos",
    np.tan: "tan",
    np.arcsin: "asin",
    np.arccos: "acos",
    np.arctan: "atan",
    np.arctan2: "atan2",
    np.sinh: "sinh",
    np.cosh: "cosh",
    np.tanh: "tanh",
    np.arcsinh: "asinh",
    np.arccosh: "acosh",
    np.arctanh: "atanh",
    np.absolute: "abs",
    np.fabs: "abs",
    np.minimum: "min",
    np.maximum: "max",
}

_RELATIONS = {
    np.less_equal: "<=",
    np.left_shift: "<<",
    np.right_shift: ">>",
    np.greater_equal: ">=",
    np.less: "<",
    np.greater: ">",
    np.equal: "==",
    np.not_equal: "!=",
}

_LOGICAL = {
    np.logical_and: "and",
    np.logical_or: "or",
    np.logical_not: "not",
    np.bitwise_and: "and",
    np.bitwise_or: "or",
    np.invert: "not",
}

_FOLDS = {np.add: "sum", np.multiply: "mul", np.minimum: "min", np.maximum: "max"}


def _sign(a: Any) -> Any:
    return where(a > 0, 1.0, where(a < 0, -1.0, 0.0))


_MADE: dict[Any, Callable[..., Any]] = {
    np.positive: lambda a: a,
    np.square: lambda a: a * a,
    np.reciprocal: lambda a: 1 / a,
    np.hypot: lambda a, b: (a * a + b * b) ** 0.5,
    np.exp2: lambda a: 2.0**a,
    np.log2: lambda a: np.log(a) / np.log(2.0),
    np.deg2rad: lambda a: a * (np.pi / 180),
    np.radians: lambda a: a * (np.pi / 180),
    np.rad2deg: lambda a: a * (180 / np.pi),
    np.degrees: lambda a: a * (180 / np.pi),
    np.sign: _sign,
    np.logaddexp: lambda a, b: (
        np.maximum(a, b) + np.log(1 + np.exp(np.minimum(a, b) - np.maximum(a, b)))
    ),
}


def call_ufunc(ufunc: Any, method: str, inputs: Sequence[Any], keywords: dict[str, Any]) -> Any:
    """What NumPy's ufunc machinery calls."""
    if keywords.get("out") is not None:
        raise TypeError(f"numpy.{ufunc.__name__} cannot write expressions into an array of numbers")
    if method == "reduce" and ufunc in _FOLDS:
        return _reduce(ufunc, inputs[0], **keywords)
    keywords = {name: value for name, value in keywords.items() if value is not None}
    if method == "outer" and not keywords and len(inputs) == 2:
        first, second = (
            value if isinstance(value, Expression) else np.asarray(value) for value in inputs
        )
        return ufunc(first.reshape(first.shape + (1,) * second.ndim), second)
    if method != "__call__" or keywords:
        raise TypeError(
            f"numpy.{ufunc.__name__} takes no {method}, {list(keywords)} on expressions"
        )
    return _call(ufunc, inputs)


def _call(ufunc: Any, inputs: Sequence[Any]) -> Any:
    model = model_of(inputs)
    if ufunc in _PLAIN:
        return apply(model, _PLAIN[ufunc], *inputs)
    if ufunc in _RELATIONS:
        return compare(model, _RELATIONS[ufunc], *inputs)
    if ufunc in _LOGICAL:
        return Condition._joined(apply(model, _LOGICAL[ufunc], *inputs))
    if ufunc is np.matmul:
        return _products.matmul(*inputs)
    if ufunc in _MADE:
        return _MADE[ufunc](*(Expression._of(model, nodes_of(model, value)) for value in inputs))
    raise TypeError(f"numpy.{ufunc.__name__} is not a function that models have")


def _reduce(ufunc: Any, operand: Any, axis: Any = 0, keepdims: bool = False, **others: Any) -> Any:
    if any(value is not None for value in others.values()):
        raise TypeError(f"numpy.{ufunc.__name__}.reduce takes axis and keepdims on expressions")
    return fold(operand, _FOLDS[ufunc], axis, keepdims)


# ---- functions that move elements: NumPy does it, on the node numbers ----

_MOVING: list[Any] = [
    np.reshape,
    np.ravel,
    np.transpose,
    np.moveaxis,
    np.swapaxes,
    np.rollaxis,
    np.squeeze,
    np.expand_dims,
    np.broadcast_to,
    np.broadcast_arrays,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.concatenate,
    np.stack,
    np.vstack,
    np.hstack,
    np.dstack,
    np.column_stack,
    np.append,
    np.insert,
    np.delete,
    np.split,
    np.array_split,
    np.hsplit,
    np.vsplit,
    np.roll,
    np.flip,
    np.fliplr,
    np.flipud,
    np.rot90,
    np.tile,
    np.repeat,
    np.take,
    np.take_along_axis,
    np.compress,
    np.diagonal,
    np.copy,
]

# Which of their arguments, beside the first, are elements; in others numbers are numbers.
_ELEMENTS = {np.append: (0, 1), np.insert: (0, 2), np.broadcast_arrays: (0, 1, 2, 3, 4, 5, 6, 7)}
_LISTS = (np.concatenate, np.stack, np.vstack, np.hstack, np.dstack, np.column_stack)


def _move(function: Any, arguments: Sequence[Any], keywords: dict[str, Any]) -> Any:
    if keywords.get("out") is not None or keywords.get("dtype") is not None:
        raise TypeError(f"numpy.{function.__name__} takes neither out nor dtype on expressions")
    values = list(arguments)
    model = model_of([*values, *keywords.values()])
    if function in _LISTS and values:
        values[0] = [nodes_of(model, value) for value in values[0]]
    for i in _ELEMENTS.get(function, (0,) if function not in _LISTS else ()):
        if i < len(values):
            values[i] = nodes_of(model, values[i])
    named = {n: v._nodes if isinstance(v, Expression) else v for n, v in keywords.items()}
    return _wrapped(model, function(*values, **named))


def _wrapped(model: Any, moved: Any) -> Any:
    if isinstance(moved, (list, tuple)):
        return type(moved)(_wrapped(model, part) for part in moved)
    return Expression._of(model, np.asarray(moved))


# ---- functions that compute ----

_FUNCTIONS: dict[Any, Callable[..., Any]] = {}


def _implements(*functions: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    def note(implementation: Callable[..., Any]) -> Callable[..., Any]:
        for function in functions:
            _FUNCTIONS[function] = implementation
        return implementation

    return note


def _along(operator: str) -> Callable[..., Any]:
    def function(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
        return fold(_expression(a), operator, axis, keepdims)

    return function


def _expression(value: Any) -> Expression:
    if isinstance(value, Expression):
        return value
    model = model_of([value])
    return Expression._of(model, nodes_of(model, value))


_implements(np.sum)(_along("sum"))
_implements(np.prod)(_along("mul"))
_implements(np.min, np.amin)(_along("min"))
_implements(np.max, np.amax)(_along("max"))
_implements(np.all)(lambda *a, **k: Condition._joined(_along("and")(*a, **k)))
_implements(np.any)(lambda *a, **k: Condition._joined(_along("or")(*a, **k)))
_implements(np.dot)(_products.dot)
_implements(np.vdot)(lambda a, b: _products.dot(np.ravel(a), np.ravel(b)))
_implements(np.inner)(_products.inner)
_implements(np.outer)(_products.outer)
_implements(np.tensordot)(_products.tensordot)
_implements(np.einsum)(_products.einsum)
_implements(np.kron)(_matrix.kron)
_implements(np.linalg.cholesky)(_matrix.cholesky)
_implements(np.linalg.inv)(_matrix.inv)
_implements(np.linalg.solve)(_matrix.solve)
_implements(np.shape)(lambda a: a.shape)
_implements(np.ndim)(lambda a: a.ndim)
_implements(np.size)(lambda a, axis=None: a.size if axis is None else a.shape[axis])
_implements(np.zeros_like)(lambda a: np.zeros(a.shape))
_implements(np.ones_like)(lambda a: np.ones(a.shape))
_implements(np.full_like)(lambda a, fill_value: np.full(a.shape, fill_value))
_implements(np.iscomplexobj)(lambda a: False)


@_implements(np.mean)
def _mean(a: Any, axis: Any = None, keepdims: bool = False) -> Any:
    return _expression(a).mean(axis, keepdims)


@_implements(np.where)
def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition is true, else y."""
    model = model_of([condition, x, y])
    if isinstance(condition, Expression):
        return apply(model, "if", condition, x, y)
    known = _checks.numbers(condition, "the condition")
    yes, no = nodes_of(model, x), nodes_of(model, y)
    shape = model._check_room(joint_shape(known.shape, yes.shape, no.shape))
    return Expression._of(model, np.where(known, spread(yes, shape), spread(no, shape)))


@_implements(np.clip)
def _clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    if a_min is None and a_max is None:
        raise InvalidError("numpy.clip needs a lower or an upper limit")
    raised = a if a_min is None else np.maximum(a, a_min)
    return raised if a_max is None else np.minimum(raised, a_max)


@_implements(np.diff)
def _diff(a: Any, n: int = 1, axis: int = -1) -> Any:
    last = np.moveaxis(a, axis, -1)
    for _ in range(n):
        last = last[..., 1:] - last[..., :-1]
    return np.moveaxis(last, -1, axis)


@_implements(np.cumsum)
def _cumsum(a: Any, axis: int | None = None) -> Any:
    terms = a.ravel() if axis is None else np.moveaxis(a, axis, 0)
    sums = [terms[:1]] if len(terms) else [terms]
    for i in range(1, len(terms)):
        sums.append(sums[-1] + terms[i : i + 1])
    return np.moveaxis(np.concatenate(sums), 0, 0 if axis is None else axis)


@_implements(np.diag)
def _diag(v: Any, k: int = 0) -> Any:
    if v.ndim == 2:
        return np.diagonal(v, k)
    if v.ndim != 1:
        raise InvalidError("numpy.diag needs one or two axes")
    count = len(v) + abs(k)
    nodes = spread(v._model._constants(np.zeros(())), (count, count)).copy()
    row = np.arange(len(v)) - min(k, 0)
    nodes[row, row + k] = v._nodes
    return Expression._of(v._model, nodes)


@_implements(np.trace)
def _trace(a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    return np.diagonal(a, offset, axis1, axis2).sum(axis=-1)


@_implements(np.cross)
def _cross(a: Any, b: Any) -> Any:
    if a.shape[-1] != 3 or np.shape(b)[-1] != 3:
        raise InvalidError("numpy.cross of expressions needs last axes of length 3")
    model = model_of([a, b])
    p, q = (Expression._of(model, nodes_of(model, v)) for v in (a, b))
    parts = [p[..., i] * q[..., j] - p[..., j] * q[..., i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return np.stack(parts, axis=-1)


@_implements(np.linalg.norm)
def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if axis is None and x.ndim > 1 and ord is not None:
        raise TypeError("numpy.linalg.norm of a matrix of expressions takes no ord; name an axis")
    if isinstance(axis, (tuple, list)) and ord is not None:
        raise TypeError("numpy.linalg.norm of expressions takes no ord along two axes")
    if ord is None or ord == 2:
        return (x * x).sum(axis, keepdims) ** 0.5
    if ord == 1:
        return abs(x).sum(axis, keepdims)
    if ord == np.inf:
        return abs(x).max(axis, keepdims)
    raise TypeError(f"numpy.linalg.norm of expressions has no ord={ord!r}; 1, 2 and inf are there")


# Arguments that NumPy passes by default.
_DEFAULTS = {"initial", "where", "dtype", "out"}
_NO_VALUE: Any = getattr(np, "_NoValue", None)  # NumPy's mark for them; its older stubs lack it


def call_function(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """What NumPy's functions call."""
    if function in _MOVING:
        return _move(function, arguments, keywords)
    if function not in _FUNCTIONS:
        raise TypeError(f"numpy.{function.__name__} is not a function that expressions have")
    given = {
        name: value
        for name, value in keywords.items()
        if not (name in _DEFAULTS and (value is None or value is _NO_VALUE))
    }
    implementation = _FUNCTIONS[function]
    try:
        inspect.signature(implementation).bind(*arguments, **given)
    except TypeError:
        raise TypeError(
            f"numpy.{function.__name__} of expressions does not take these arguments"
        ) from None
    return implementation(*arguments, **given)
