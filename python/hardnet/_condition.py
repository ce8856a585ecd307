"""Conditions: the result of comparing expressions. They store their sides, so that they can be
constraints.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _formula
from ._expression import (
    Axis,
    Expression,
    ExpressionLike,
    Nodes,
    Shape,
    apply,
    fold,
    joint_shape,
    model_of,
    nodes_of,
    spread,
)

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Condition", "between", "compare"]

_CHAINED = (
    "a condition on expressions is neither true nor false here. Of a chain like `1 <= e <= 2` "
    "Python asks that: write `hardnet.between(1, e, 2)`, or two conditions. For `and`, `or` and "
    "`not` write `&`, `|` and `~`; for `if`, hardnet.where(condition, yes, no); for Python's max(y), "
    "min(y) and sorted(y), hardnet.max(y) and hardnet.min(y)"
)

# Relations of all elements together.
SETS = ("psd", "soc")

# The operator of the library behind a relation, and whether its arguments change places.
_OPERATORS = {
    "<=": ("less_equal", False),
    ">=": ("less_equal", True),
    "<": ("less", False),
    ">": ("less", True),
    "==": ("equal", False),
    "!=": ("not_equal", False),
}


class Condition(Expression):
    """An array of conditions: the result of comparing expressions.

    With `<=`, `>=` or `==` it can be a constraint: m.subject_to(y[0] <= 1). It is also an
    expression that is 1 where it holds and 0 elsewhere, for hardnet.where and m.require. Conditions
    are joined by `&`, `|` and `~`.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> y <= 2
    Condition('<=', shape=(3,))
    >>> hardnet.between(-1, y, 1)
    Condition('between', shape=(3,))
    >>> hardnet.where((y > 0) & (y < 1), y, 0.0)
    Expression(shape=(3,))
    """

    __slots__ = ("_relation", "_sides")

    _relation: str
    _sides: tuple[Nodes, ...]  # two, or lower, body and upper of "between", or none

    @classmethod
    def _from(cls, model: Model, relation: str, sides: tuple[Nodes, ...]) -> Condition:
        self = object.__new__(Condition)
        self._model = model
        self._relation = relation
        self._sides = sides
        return self

    @classmethod
    def _joined(cls, expression: Expression) -> Condition:
        """A condition that is not a constraint."""
        self = cls._from(expression._model, "logical", ())
        self._stored = expression._nodes
        return self

    @property
    def relation(self) -> str:
        """ "<=", ">=", "==", "<", ">", "!=", "between", "psd", "soc", or "logical" (combined)."""
        return self._relation

    @property
    def shape(self) -> Shape:
        """As of a NumPy array."""
        return self._sides[0].shape if self._sides else self._stored.shape

    @property
    def _nodes(self) -> Nodes:  # created on demand: constraints never need them
        if not hasattr(self, "_stored"):
            self._stored = self._made()._nodes
        return self._stored

    def _made(self) -> Expression:
        if self._relation in SETS:
            raise TypeError(f"hardnet.{self._relation}(...) can only be a constraint")
        sides = [Expression._of(self._model, side) for side in self._sides]
        if self._relation == "between":
            lower, body, upper = sides
            above = apply(self._model, "less_equal", lower, body)
            return apply(self._model, "and", above, apply(self._model, "less_equal", body, upper))
        operator, mirrored = _OPERATORS[self._relation]
        return apply(self._model, operator, *(reversed(sides) if mirrored else sides))

    def _moved(self, move: Callable[[Nodes], Any]) -> Expression:
        if not self._sides:
            return Condition._joined(super()._moved(move))
        sides = tuple(np.asarray(move(side)) for side in self._sides)
        return Condition._from(self._model, self._relation, sides)

    def __deepcopy__(self, memo: dict[int, Any]) -> Expression:
        model = copy.deepcopy(self._model, memo)
        if not self._sides:
            return Condition._joined(Expression._of(model, self._stored))
        return Condition._from(model, self._relation, self._sides)

    def __bool__(self) -> bool:
        raise TypeError(_CHAINED)

    def __repr__(self) -> str:
        return f"Condition({self._relation!r}, shape={self.shape})"

    def __str__(self) -> str:
        sign = "<=" if self._relation == "between" else self._relation
        sides = [_formula.text_of(self._model, side) for side in self._sides]
        if sign in SETS:
            return f"{sign}({sides[0]})"
        return f" {sign} ".join(sides) if sides else super().__str__()

    def _logical(self, operator: str, other: Any) -> Condition:
        if not isinstance(other, Condition) and np.asarray(other).dtype != np.bool_:
            return NotImplemented  # type: ignore[no-any-return]
        return Condition._joined(apply(self._model, operator, self, other))

    def __and__(self, other: Any) -> Condition:
        return self._logical("and", other)

    __rand__ = __and__

    def __or__(self, other: Any) -> Condition:
        return self._logical("or", other)

    __ror__ = __or__

    def __invert__(self) -> Condition:
        return Condition._joined(apply(self._model, "not", self))

    def all(self, axis: Axis = None, keepdims: bool = False) -> Condition:
        """Whether all are true, or along axes."""
        return Condition._joined(fold(self, "and", axis, keepdims))

    def any(self, axis: Axis = None, keepdims: bool = False) -> Condition:
        """Whether any is true, or along axes."""
        return Condition._joined(fold(self, "or", axis, keepdims))


def compare(model: Model, relation: str, left: Any, right: Any) -> Condition:
    """The condition left relation right, broadcast; >> and << compare matrices."""
    if relation in (">>", "<<"):
        from ._sets import compare_matrices

        return compare_matrices(model, *((left, right) if relation == ">>" else (right, left)))
    sides = nodes_of(model, left), nodes_of(model, right)
    shape = model._check_room(joint_shape(*(side.shape for side in sides)))
    return Condition._from(model, relation, tuple(spread(side, shape) for side in sides))


def between(lower: ExpressionLike, expression: ExpressionLike, upper: ExpressionLike) -> Condition:
    """lower <= expression <= upper as one condition, one row per element in m.subject_to.

    lower and upper are numbers, arrays of them, or expressions of inputs.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", (2, 3))
    >>> m.subject_to(hardnet.between(1, y.sum(axis=0), 2), name="total")
    >>> m.row_names
    ('total[0]', 'total[1]', 'total[2]')
    """
    parts = (lower, expression, upper)
    model = model_of(parts)
    sides = [nodes_of(model, part) for part in parts]
    shape = model._check_room(joint_shape(*(side.shape for side in sides)))
    return Condition._from(model, "between", tuple(spread(side, shape) for side in sides))
