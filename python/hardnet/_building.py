"""Building a model: inputs, outputs, constraints.

A model keeps two models of the extension: one that is open, in which expressions are made, and a
finished copy of it, which layers and evaluators are made from. The copy is made when it is first
needed, and anew after something was added; node numbers are the same in both.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Union, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core
from ._condition import SETS, Condition
from ._errors import InvalidError
from ._expression import (
    Expression,
    ExpressionLike,
    Nodes,
    Shape,
    nodes_of,
    numbers_of,
    spread,
)
from ._matrix import differing, entry_text
from ._names import check_name, mirrored
from ._parts import names_in, output_parts, place_of_nan
from ._reading import Message
from ._sets import lower_triangle

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Building"]

ShapeLike = Union[int, Sequence[int]]

# NumPy's type hints declare `A @ y <= b` and `numpy.sin(y) <= 1` are arrays of truth values, though
# they are conditions: an expression takes over such operations.
ConditionLike = Union[Condition, NDArray[np.bool_]]

_RELATIONS = {"<=": -1, "==": 0, ">=": 1}


class Building:
    """The part of Model that adds to it; not made by itself."""

    def __init__(self, *, max_nodes: int = 0) -> None:
        """max_nodes: the limit of the model's size; 0 is the library's own."""
        self._building: _core.Model | None = _core.Model(max_nodes)
        self._closed: _core.Model | None = None
        self._messages: tuple[Message, ...] = ()
        self._taken_names: set[str] | None = set()
        self._unnamed_count = 0
        self._symmetric: frozenset[str] = frozenset()  # families of outputs
        self._cache: dict[Any, Any] = {}

    # ---- the two models behind it ----

    def _open(self) -> _core.Model:
        """The model that can be added to."""
        if self._building is None:
            self._building = self.core.copy()
        return self._building

    def _adding(self) -> _core.Model:
        """The same, for adding a part: what was made from the model before does not know it."""
        building = self._open()
        self._closed = None
        self._cache = {}
        return building

    @property
    def core(self) -> _core.Model:
        """The finished model as the extension has it, with all that was added so far."""
        if self._closed is None:
            assert self._building is not None
            copy = self._building.copy()
            copy.finish()
            self._closed = copy
        return self._closed

    def _constants(self, numbers: NDArray[np.float64]) -> Nodes:
        out = np.empty(numbers.shape, np.uint32)
        self._open().constant(np.ascontiguousarray(numbers), out)
        return out

    def _check_room(self, shape: Shape, name: str = "") -> Shape:
        """The shape, when the model has room for so many elements."""
        self._open().check_room(min(math.prod(shape), 2**62), name)
        return shape

    @property
    def _taken(self) -> set[str]:
        """The names of families and of the objective."""
        if self._taken_names is None:
            self._taken_names = names_in(self.core)
        return self._taken_names

    def _take_name(self, name: str, kind: str) -> str:
        if check_name(name, kind) in self._taken:
            raise InvalidError(f"the name {name} is taken", "part", name)
        return name

    @property
    def _model(self) -> Model:
        return cast("Model", self)

    def _expression(self, nodes: Nodes) -> Expression:
        return Expression._of(self._model, nodes)

    def _check_defined(self, nodes: Nodes, what: str) -> None:
        """Refuses NaN among the numbers that these expressions are made of."""
        core = self._open()
        place = place_of_nan(core, nodes) if core.has_nan else None
        if place is not None:
            raise InvalidError(f"{what}{place}: a number in it is NaN", "part", what)

    # ---- inputs and outputs ----

    def inputs(
        self,
        name: str,
        shape: ShapeLike = (),
        lower: ArrayLike = -np.inf,
        upper: ArrayLike = np.inf,
    ) -> Expression:
        """The next entries of x: an array of inputs.

        lower, upper: numbers, or arrays that broadcast; the box from which inputs are sampled.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> m.inputs("x", 3, lower=[-1, -1, 0], upper=1)
        Expression(shape=(3,))
        >>> m.input_names
        ('x[0]', 'x[1]', 'x[2]')
        """
        self._take_name(name, "inputs")
        out = np.empty(self._check_room(_shape(shape), name), np.uint32)
        low, high = (
            np.ascontiguousarray(_box(v, out.shape, f"inputs {name}"), np.float64)
            for v in (lower, upper)
        )
        if not np.all(low <= high):
            raise InvalidError(f"inputs {name}: a range is empty or not a number")
        core = self._adding()
        core.inputs(name, out.shape, out)
        self._taken.add(name)
        core.range(out, low, high)
        return self._expression(out)

    def outputs(
        self,
        name: str,
        shape: ShapeLike = (),
        lower: ExpressionLike = -np.inf,
        upper: ExpressionLike = np.inf,
        start: ExpressionLike = 0.0,
        symmetric: bool = False,
    ) -> Expression:
        """The next entries of y: an array of outputs.

        lower, upper: bounds, each a row of the group `name`; numbers or expressions of inputs.
        start: where a correction without a raw output starts; numbers or expressions of inputs.
        symmetric: a symmetric matrix of shape (n, n). Only its lower triangle is in y, row by row:
            "P[0,0]", "P[1,0]", "P[1,1]", ...; `pack` and `unpack` have the whole matrix.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> r = m.inputs("r", lower=0.5, upper=2)
        >>> m.outputs("y", (2, 2), lower=0, upper=r, start=r / 2)
        Expression(shape=(2, 2))
        >>> m.output_names
        ('y[0,0]', 'y[0,1]', 'y[1,0]', 'y[1,1]')
        >>> print(hardnet.Model().outputs("P", (2, 2), symmetric=True))
        [[P[0,0], P[1,0]],
         [P[1,0], P[1,1]]]
        """
        self._take_name(name, "outputs")
        out = np.empty(self._check_room(_shape(shape), name), np.uint32)
        places = _lower_triangle(out.shape, name) if symmetric else None
        low, high, begin = (
            self._of_inputs(v, out.shape, name, places) for v in (lower, upper, start)
        )
        self._check_bounds(low, high, name)
        core = self._adding()
        if places is None:
            core.outputs(name, out.shape, out)
        else:
            out = _add_triangle(core, name, len(out))[places]
            self._symmetric |= {name}
        self._taken.add(name)
        core.bounds(out, low, high)
        core.start(out, begin)
        return self._expression(out)

    def _of_inputs(
        self, value: Any, shape: Shape, name: str, places: NDArray[Any] | None = None
    ) -> Nodes:
        """Nodes in a shape that do not depend on outputs, the same at equal places."""
        nodes = _fitted(nodes_of(self._model, value), shape, f"outputs {name}")
        on_x, on_y = np.empty(shape, np.bool_), np.empty(shape, np.bool_)
        self._open().depends(nodes, on_x, on_y)
        if on_y.any():
            raise InvalidError(f"outputs {name}: bounds and starts may not depend on outputs")
        self._check_defined(nodes, f"outputs {name}")
        if places is not None:
            self._check_equal(nodes, places, f"outputs {name}")
        return nodes

    def _check_equal(self, nodes: Nodes, places: NDArray[Any], what: str) -> None:
        """Refuses different expressions at equal places."""
        _, first, inverse = np.unique(places, return_index=True, return_inverse=True)
        source = first[inverse.reshape(-1)].reshape(nodes.shape)
        different = differing(self._model, nodes, nodes.reshape(-1)[source])
        for place in map(tuple, np.argwhere(different)[:1]):
            other = tuple(np.unravel_index(source[place], nodes.shape))
            one, two = (entry_text(self._expression(nodes), p) for p in (other, place))
            raise InvalidError(
                f"{what}: {one} and {two}, but they are the same output", "part", what
            )

    def _check_bounds(self, low: Nodes, high: Nodes, name: str) -> None:
        (known_low, lower), (known_high, upper) = self._numbers(low), self._numbers(high)
        wrong = known_low & known_high & ~((lower <= upper) & (lower < np.inf) & (upper > -np.inf))
        wrong |= (known_low & ~(lower < np.inf)) | (known_high & ~(upper > -np.inf))
        if wrong.any():
            raise InvalidError(f"outputs {name}: no value meets these bounds")

    def _numbers(self, nodes: Nodes) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Which nodes are constants, and their values."""
        known, values = np.empty(nodes.shape, np.bool_), np.empty(nodes.shape)
        self._open().constants(nodes, known, values)
        return known, values

    def fix(self, outputs: Expression, value: ExpressionLike) -> None:
        """Fixes outputs at values, which may depend on inputs. They keep their place in y.

        A constant value outside constant bounds of its output is an error when the model is used.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3)
        >>> m.fix(y[0], 1.5)
        >>> m.evaluate([9.0, 9.0, 9.0]).fixed
        array([1.5, nan, nan])
        """
        nodes = self._outputs_among(outputs)
        values = self._of_inputs(value, nodes.shape, "to fix", nodes)
        core = self._adding()
        core.fix(nodes, values)
        core.start(nodes, values)

    def start(self, outputs: Expression, value: ExpressionLike) -> None:
        """Sets start values of outputs; they may depend on inputs."""
        nodes = self._outputs_among(outputs)
        values = self._of_inputs(value, nodes.shape, "to start", nodes)
        self._adding().start(nodes, values)

    def bound(
        self,
        outputs: Expression,
        lower: ExpressionLike | None = None,
        upper: ExpressionLike | None = None,
    ) -> None:
        """Replaces bounds of outputs; bounds that are not given are unchanged.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3, lower=0)
        >>> m.bound(y[1:], upper=[1, 2])
        >>> m.evaluate().upper
        array([inf,  1.,  2.])
        """
        nodes = self._outputs_among(outputs)
        parts = output_parts(self._open())
        place = np.minimum(np.searchsorted(parts[0], nodes), len(parts[0]) - 1)
        if not np.array_equal(parts[0][place], nodes):
            raise InvalidError("these are not all outputs, but expressions")
        low, high = (
            now[place] if value is None else self._of_inputs(value, nodes.shape, "to bound", nodes)
            for now, value in zip(parts[1:3], (lower, upper))
        )
        self._check_bounds(low, high, "to bound")
        self._adding().bounds(nodes, low, high)

    def _outputs_among(self, outputs: Expression) -> Nodes:
        if not isinstance(outputs, Expression) or outputs.model is not self:
            raise TypeError("outputs must be outputs of this model")
        return np.ascontiguousarray(outputs._nodes).reshape(outputs.shape)

    # ---- constraints ----

    def subject_to(
        self, *conditions: ConditionLike, name: str | Sequence[str] | None = None
    ) -> None:
        """Adds constraints: conditions with <=, >= or ==, hardnet.between(...), M >> 0 or
        hardnet.soc(t, u).

        Every element is a row. Rows of a condition named "dynamics" are called "dynamics[0]",
        "dynamics[1]", ... by their place in it, a scalar one "dynamics"; without a name conditions
        are called c1, c2, ...

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3)
        >>> m.subject_to(y[1:] >= y[:-1], name="ascending")
        >>> m.subject_to(y[0] == 1, hardnet.between(2, y[1] ** 2, 3))
        >>> m.row_names
        ('ascending[0]', 'ascending[1]', 'c1', 'c2')
        """
        if not conditions:
            raise TypeError("subject_to needs a condition")
        names = [name] if name is None or isinstance(name, str) else list(name)
        if len(names) != len(conditions) and names != [None]:
            raise InvalidError("there must be as many names as conditions")
        for condition in conditions:
            self._check_constraint(condition)
        for i, condition in enumerate(cast("tuple[Condition, ...]", conditions)):
            self._constrain(condition, None if names == [None] else names[i])

    def _check_constraint(self, condition: Any) -> None:
        if not isinstance(condition, Condition):
            raise TypeError(
                f"a constraint is a condition on expressions, such as y[0] <= 1, not {condition!r}"
            )
        if condition.model is not self:
            raise InvalidError("this condition belongs to another model")
        if condition.relation == "logical":
            raise TypeError(
                "conditions joined by &, | or ~ cannot be constraints; add them one by one"
            )
        if condition.relation in ("<", ">"):
            relation = condition.relation
            raise TypeError(
                f"a constraint cannot be strict: write {relation}= instead of {relation}"
            )
        if condition.relation == "!=":
            raise TypeError("!= cannot be a constraint")

    def _constrain(self, condition: Condition, name: str | None) -> None:
        name = self._unnamed() if name is None else self._take_name(name, "a constraint")
        for side in condition._sides:
            self._check_defined(side, f"constraint {name}")
        sides = [np.ascontiguousarray(side) for side in condition._sides]
        core = self._adding()
        if condition.relation in SETS:
            self._constrain_blocks(core, name, condition.relation, sides[0])
        elif condition.relation == "between":
            core.between(name, condition.shape, *sides)
        else:
            core.relate(name, condition.shape, _RELATIONS[condition.relation], *sides)
        self._taken.add(name)

    def _constrain_blocks(self, core: _core.Model, name: str, kind: str, nodes: Nodes) -> None:
        inner = 2 if kind == "psd" else 1
        places = list(np.ndindex(nodes.shape[:-inner]))
        names = [f"{name}[{','.join(map(str, place))}]" if place else name for place in places]
        if kind == "psd":
            parts = [lower_triangle(self._model, nodes[p], n) for p, n in zip(places, names)]
        else:
            parts = [np.ascontiguousarray(nodes[place]) for place in places]
        for part, label in zip(parts, names):
            core.block(label, kind == "psd", nodes.shape[-1], part)

    def _unnamed(self) -> str:
        while f"c{self._unnamed_count + 1}" in self._taken:
            self._unnamed_count += 1
        return f"c{self._unnamed_count + 1}"

    def minimize(self, expression: ExpressionLike, name: str = "cost") -> None:
        """Sets the objective, which training and refinement aim at: a scalar expression."""
        self._aim(expression, name, False)

    def maximize(self, expression: ExpressionLike, name: str = "gain") -> None:
        """Likewise, to be maximised."""
        self._aim(expression, name, True)

    def _aim(self, expression: ExpressionLike, name: str, maximize: bool) -> None:
        nodes = nodes_of(self._model, expression)
        if nodes.size != 1:
            raise InvalidError(f"an objective is a scalar; this has the shape {nodes.shape}")
        goal = self._open().goal
        if goal is not None:
            raise InvalidError(f"the model has an objective already, {goal[0]}")
        self._take_name(name, "an objective")
        self._check_defined(nodes.reshape(()), f"objective {name}")
        self._adding().objective(name, np.ascontiguousarray(nodes).reshape(()), maximize)
        self._taken.add(name)

    def require(self, condition: Expression | NDArray[Any]) -> None:
        """A condition on inputs that sampled inputs must satisfy, all elements of it.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> x = m.inputs("x", 2, lower=-1, upper=1)
        >>> y = m.outputs("y")
        >>> m.require(hardnet.sum(x ** 2) <= 1)
        """
        if not isinstance(condition, Expression) or condition.model is not self:
            raise TypeError("a requirement is a condition on inputs of this model")
        nodes = np.ascontiguousarray(condition._nodes).reshape(-1)
        on_x, on_y = np.empty(nodes.shape, np.bool_), np.empty(nodes.shape, np.bool_)
        self._open().depends(nodes, on_x, on_y)
        known, values = self._numbers(nodes)
        if on_y.any():
            raise InvalidError(
                "a requirement is about inputs; what outputs must hold is a constraint"
            )
        self._check_defined(nodes, "a requirement")
        if np.any(known & (values == 0)):
            raise InvalidError("a requirement does not depend on inputs and does not hold")
        core = self._adding()
        for node in nodes[~known]:
            number = core.requirement_count + 1
            core.require(f"check {number}", (), np.array(node, np.uint32))

    def define(self, name: str, expression: ExpressionLike) -> Expression:
        """Gives an expression a name, under which rollouts and files know it; returns it.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 2)
        >>> speed = m.define("speed", hardnet.norm(y))
        >>> m["speed"]
        Expression(shape=())
        """
        self._take_name(name, "a definition")
        nodes = nodes_of(self._model, expression)
        self._check_room(nodes.shape, name)
        self._check_defined(nodes, f"definition {name}")
        self._adding().define(name, nodes.shape, np.ascontiguousarray(nodes))
        self._taken.add(name)
        return self._expression(nodes)


def _shape(shape: ShapeLike) -> Shape:
    extents = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
    found = tuple(operator.index(extent) for extent in extents)
    if any(extent < 0 for extent in found):
        raise InvalidError(f"a shape has no negative extents: {found}")
    return found


def _lower_triangle(shape: Shape, name: str) -> NDArray[np.intp]:
    """The places of the entries of a symmetric matrix among its outputs."""
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InvalidError(f"outputs {name}: {shape} is not the shape (n, n) of a symmetric matrix")
    return mirrored(shape[0] * (shape[0] + 1) // 2)


def _add_triangle(core: _core.Model, name: str, n: int) -> Nodes:
    """Adds the lower triangle of a matrix of outputs, row by row."""
    out = np.empty(n * (n + 1) // 2, np.uint32)
    for k, (i, j) in enumerate(zip(*np.tril_indices(n))):
        core.outputs(f"{name}[{i},{j}]", (), out[k : k + 1])
    return out


def _fitted(array: NDArray[Any], shape: Shape, what: str) -> NDArray[Any]:
    """The array in a shape, in one block of memory."""
    try:
        return spread(array, shape)
    except ValueError:
        raise InvalidError(
            f"{what}: an array of shape {array.shape} does not fit the shape {shape}", "part", what
        ) from None


def _box(value: ArrayLike, shape: Shape, what: str) -> NDArray[Any]:
    if isinstance(value, Expression):
        raise TypeError("the range of inputs must be numbers")
    return _fitted(numbers_of(value), shape, what)
