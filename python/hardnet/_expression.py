"""Arrays of expressions, with NumPy's manners.

An Expression is a model and an array of node numbers. Whatever only moves elements (indexing,
reshape, concatenate, ...) is done by NumPy on the numbers; operators make new nodes, all elements
in one call of the extension. A comparison returns a Condition (_condition.py).

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import numbers
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks, _formula
from ._errors import InvalidError

if TYPE_CHECKING:
    from ._condition import Condition
    from ._model import Model

__all__ = ["Expression", "ExpressionLike", "apply", "array", "fold", "nodes_of"]

Nodes = NDArray[np.uint32]
Shape = tuple[int, ...]
Axis = Union[int, Sequence[int], None]
ExpressionLike = Union["Expression", ArrayLike]

# ---- operands ----


def nodes_of(model: Model, value: Any) -> Nodes:
    """The nodes of an operand in a model: of an expression, or of constants made from numbers."""
    if isinstance(value, Expression):
        if value._model is not model:
            raise InvalidError("expressions of two models cannot be combined")
        return value._nodes
    if is_collection(value) and _has_expressions(value):
        return nodes_of(model, array(value))
    return model._constants(numbers_of(value))


def is_collection(value: Any) -> bool:
    """A list, or an array of objects: expressions may be in it."""
    if isinstance(value, np.ndarray):
        return value.dtype == object and value.ndim > 0
    return isinstance(value, (list, tuple))


def refuse_learned(value: Any) -> None:
    """A tensor with a gradient, or a value that JAX traces, would become a constant of the model."""
    tracer = any(kind.__name__ == "Tracer" for kind in type(value).__mro__)
    if getattr(value, "requires_grad", False) is True or tracer:
        raise TypeError(
            f"a model holds constants, and this {type(value).__name__} is learned or traced: make it "
            'an input of the model, p = m.inputs("p", shape), use p in the constraints, and pass '
            "its values with x when the layer is called; or detach it"
        )


def numbers_of(value: Any, name: str = "an array beside an expression") -> NDArray[np.float64]:
    """Real numbers as float64."""
    if isinstance(value, numbers.Real) and not isinstance(value, np.generic):
        return np.asarray(float(value))
    if not isinstance(value, np.ndarray):
        refuse_learned(value)
    found = _checks.numbers(value, name)
    if found.dtype.kind not in "biuf":
        raise TypeError(
            f"{type(value).__name__} of type {found.dtype} is not an array of real numbers"
        )
    return found.astype(np.float64, copy=False)


def _has_expressions(values: Any) -> bool:
    return any(
        isinstance(value, Expression) or (is_collection(value) and _has_expressions(value))
        for value in values
    )


def joint_shape(*shapes: Shape) -> Shape:
    """The shape that these broadcast to."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(str(shape) for shape in shapes)
        raise InvalidError(f"operands do not fit together: shapes {listed}") from None


def spread(nodes: Nodes, shape: Shape) -> Nodes:
    """The nodes in a shape, in one block of memory."""
    return np.ascontiguousarray(np.broadcast_to(nodes, shape)).reshape(shape)


def _operand(nodes: Nodes, shape: Shape) -> Nodes:
    """Likewise for an operator, which takes a single element for all."""
    return nodes if nodes.size == 1 and nodes.flags.c_contiguous else spread(nodes, shape)


def apply(model: Model, operator: str, *operands: Any) -> Expression:
    """An operator of the library, element by element; operands broadcast."""
    nodes = [nodes_of(model, operand) for operand in operands]
    shape = joint_shape(*(list_.shape for list_ in nodes)) if len(nodes) > 1 else nodes[0].shape
    model._check_room(shape)
    out = np.empty(shape, np.uint32)
    model._open().apply(operator, out, *(_operand(list_, shape) for list_ in nodes))
    return Expression._of(model, out)


def fold(operand: Expression, operator: str, axis: Axis, keepdims: bool) -> Expression:
    """One operator along axes, from left to right: "sum", "mul", "min", "max", "and", "or"."""
    nodes = operand._nodes
    axes = tuple(range(nodes.ndim)) if axis is None else _axes(axis, nodes.ndim)
    kept = [i for i in range(nodes.ndim) if i not in axes]
    shape = tuple(nodes.shape[i] for i in kept)
    terms = np.ascontiguousarray(nodes.transpose(*kept, *axes))
    if terms.size == 0 and operator != "sum" and 0 not in shape:
        raise InvalidError(f"the {operator} of no elements is not defined")
    out = np.empty(shape, np.uint32)
    operand._model._open().fold(operator, out, terms)
    if keepdims:
        out = out.reshape([1 if i in axes else n for i, n in enumerate(nodes.shape)])
    return Expression._of(operand._model, out)


def _axes(axis: Axis, ndim: int) -> tuple[int, ...]:
    """Axes from 0 on, in order."""
    given = axis if isinstance(axis, (tuple, list)) else (axis,)
    axes = sorted(_axis(one, ndim) for one in given)
    if len(set(axes)) != len(axes):
        raise InvalidError("an axis is named twice")
    return tuple(axes)


def _axis(axis: Any, ndim: int) -> int:
    number = int(axis.__index__())
    if not -ndim <= number < ndim:
        raise InvalidError(f"axis {number} is out of bounds for an array of {ndim} axes")
    return number % ndim


# ---- expressions ----


class Expression:
    """An array of expressions in a model. It is made by models and operators, not by its class.

    Indexing, broadcasting, operators and functions are NumPy's: ufuncs such as `numpy.cos` work,
    and so do `numpy.sum`, `numpy.concatenate` and others. Elements cannot be assigned.

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", (4, 2))
    >>> y[1:, 0] - y[:-1, 0]
    Expression(shape=(3,))
    >>> (np.eye(2) @ y.T + np.cos(y.T)).shape
    (2, 4)
    >>> y.sum(axis=0).shape
    (2,)
    """

    __slots__ = ("_model", "_stored")
    __array_priority__ = 1000.0
    __hash__ = None  # type: ignore[assignment]

    _model: Model
    _stored: Nodes

    def __init__(self) -> None:
        raise TypeError("expressions are made by a model: m.inputs(...), m.outputs(...)")

    @classmethod
    def _of(cls, model: Model, nodes: Nodes) -> Expression:
        self = object.__new__(Expression)
        self._model = model
        self._stored = nodes
        return self

    # ---- type and shape ----

    @property
    def _nodes(self) -> Nodes:
        return self._stored

    @property
    def model(self) -> Model:
        """The model that it belongs to."""
        return self._model

    @property
    def nodes(self) -> Nodes:
        """The numbers of its nodes in the model's graph; equal numbers are equal expressions."""
        nodes: Nodes = self._nodes.view()
        nodes.flags.writeable = False
        return nodes

    @property
    def shape(self) -> Shape:
        """As of a NumPy array."""
        return self._nodes.shape

    @property
    def ndim(self) -> int:
        """As of a NumPy array."""
        return len(self.shape)

    @property
    def size(self) -> int:
        """As of a NumPy array."""
        return int(self._nodes.size)

    @property
    def dtype(self) -> np.dtype[Any]:
        """object: an expression is not a number."""
        return np.dtype(object)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a scalar expression has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Expression]:
        if not self.shape:
            raise TypeError("a scalar expression cannot be iterated over")
        return (self[i] for i in range(self.shape[0]))

    def __repr__(self) -> str:
        return f"{type(self).__name__}(shape={self.shape})"

    def __str__(self) -> str:
        """What it computes, as a formula; long ones are cut.

        >>> import hardnet
        >>> m = hardnet.Model()
        >>> y = m.outputs("y", 3)
        >>> print(hardnet.cos(y[0] - 1) ** 2 + 3 * y[1] / y[2])
        cos(y[0] - 1)**2 + 3 * y[1] / y[2]
        """
        return _formula.text_of(self._model, self._nodes)

    def __bool__(self) -> bool:
        raise TypeError(
            "an expression is neither true nor false: compare it, in hardnet.where(...)"
        )

    def __float__(self) -> float:
        raise TypeError(
            "an expression is not a number: for math.cos write hardnet.cos; "
            "m.value(expression, y, x) gives its value"
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> NDArray[Any]:
        if dtype is not None and np.dtype(dtype) == object:  # who asks for objects gets them
            elements = np.empty(self.size, object)
            for i, node in enumerate(self._nodes.ravel()):
                elements[i] = Expression._of(self._model, np.array(node))
            return elements.reshape(self.shape)
        raise TypeError(
            "an expression cannot become an array of numbers; hardnet.array and numpy.stack join "
            "expressions, hardnet.matmul(matrix, expression) is the product with a sparse matrix, "
            "a.filled(0) a masked array's numbers; m.value(expression, y, x) evaluates"
        )

    def __copy__(self) -> Expression:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Expression:
        return Expression._of(copy.deepcopy(self._model, memo), self._nodes)

    def __reduce__(self) -> Any:
        raise TypeError("expressions cannot be pickled; pickle their model")

    # ---- moving elements ----

    def _moved(self, move: Callable[[Nodes], Any]) -> Expression:
        return Expression._of(self._model, np.asarray(move(self._nodes)))

    def __getitem__(self, key: Any) -> Expression:
        return self._moved(lambda nodes: nodes[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError(
            "elements of expressions cannot be assigned; join the parts with hardnet.concatenate, "
            "hardnet.stack or hardnet.where"
        )

    def reshape(self, *shape: Any) -> Expression:
        """As of a NumPy array."""
        return self._moved(lambda nodes: nodes.reshape(*shape))

    def ravel(self) -> Expression:
        """As of a NumPy array."""
        return self._moved(lambda nodes: nodes.ravel())

    def flatten(self) -> Expression:
        """As of a NumPy array."""
        return self.ravel()

    def transpose(self, *axes: Any) -> Expression:
        """As of a NumPy array."""
        return self._moved(lambda nodes: nodes.transpose(*axes))

    def squeeze(self, axis: Any = None) -> Expression:
        """As of a NumPy array."""
        return self._moved(lambda nodes: nodes.squeeze(axis))

    def swapaxes(self, first: int, second: int) -> Expression:
        """As of a NumPy array."""
        return self._moved(lambda nodes: nodes.swapaxes(first, second))

    @property
    def T(self) -> Expression:
        """As of a NumPy array."""
        return self.transpose()

    # ---- along axes ----

    def sum(self, axis: Axis = None, keepdims: bool = False) -> Expression:
        """The sum of the elements, or along axes."""
        return fold(self, "sum", axis, keepdims)

    def prod(self, axis: Axis = None, keepdims: bool = False) -> Expression:
        """The product of the elements, or along axes."""
        return fold(self, "mul", axis, keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> Expression:
        """The smallest element, or along axes."""
        return fold(self, "min", axis, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> Expression:
        """The largest element, or along axes."""
        return fold(self, "max", axis, keepdims)

    def mean(self, axis: Axis = None, keepdims: bool = False) -> Expression:
        """The mean of the elements, or along axes."""
        total = self.sum(axis, keepdims)
        if total.size == 0:
            return total
        if self.size == 0:
            raise InvalidError("the mean of no elements is not defined")
        return total / (self.size // total.size)

    def dot(self, other: ExpressionLike) -> Expression:
        """As numpy.dot."""
        result: Expression = np.dot(self, other)
        return result

    # ---- operators; NumPy's arrays on the left come through __array_ufunc__ ----

    def _with(self, operator: str, other: Any, mirrored: bool = False) -> Expression:
        if not is_operand(other):
            return NotImplemented  # type: ignore[no-any-return]
        pair = (other, self) if mirrored else (self, other)
        return apply(self._model, operator, *pair)

    def __add__(self, other: Any) -> Expression:
        return self._with("add", other)

    def __radd__(self, other: Any) -> Expression:
        return self._with("add", other, True)

    def __sub__(self, other: Any) -> Expression:
        return self._with("sub", other)

    def __rsub__(self, other: Any) -> Expression:
        return self._with("sub", other, True)

    def __mul__(self, other: Any) -> Expression:
        return self._with("mul", other)

    def __rmul__(self, other: Any) -> Expression:
        return self._with("mul", other, True)

    def __truediv__(self, other: Any) -> Expression:
        return self._with("div", other)

    def __rtruediv__(self, other: Any) -> Expression:
        return self._with("div", other, True)

    def __pow__(self, other: Any) -> Expression:
        return self._with("pow", other)

    def __rpow__(self, other: Any) -> Expression:
        return self._with("pow", other, True)

    def __matmul__(self, other: Any) -> Expression:
        return _matmul(self, other)

    def __rmatmul__(self, other: Any) -> Expression:
        return _matmul(other, self)

    def __neg__(self) -> Expression:
        return apply(self._model, "neg", self)

    def __pos__(self) -> Expression:
        return self

    def __abs__(self) -> Expression:
        return apply(self._model, "abs", self)

    # ---- comparisons ----

    def _compared(self, relation: str, other: Any) -> Condition:
        if not is_operand(other):
            return NotImplemented  # type: ignore[no-any-return]
        from ._condition import compare

        return compare(self._model, relation, self, other)

    def __le__(self, other: Any) -> Condition:
        return self._compared("<=", other)

    def __ge__(self, other: Any) -> Condition:
        return self._compared(">=", other)

    def __lt__(self, other: Any) -> Condition:
        return self._compared("<", other)

    def __gt__(self, other: Any) -> Condition:
        return self._compared(">", other)

    def __eq__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("==", other)

    def __ne__(self, other: Any) -> Condition:  # type: ignore[override]
        return self._compared("!=", other)

    def __rshift__(self, other: Any) -> Condition:
        return self._compared(">>", other)

    def __lshift__(self, other: Any) -> Condition:
        return self._compared("<<", other)

    __rlshift__, __rrshift__ = __rshift__, __lshift__

    # ---- NumPy's protocols ----

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **keywords: Any) -> Any:
        from ._numpy import call_ufunc

        return call_ufunc(ufunc, method, inputs, keywords)

    def __array_function__(
        self, function: Any, types: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        from ._numpy import call_function

        return call_function(function, arguments, keywords)


def _matmul(a: Any, b: Any) -> Expression:
    from ._products import matmul

    product: Expression = matmul(a, b)
    return product


def is_operand(value: Any) -> bool:
    """Whether a value may stand beside an expression; others are asked what they make of it."""
    kinds = (Expression, numbers.Real, np.ndarray, np.generic, list, tuple)
    return isinstance(value, kinds) or hasattr(value, "__array__")


def model_of(values: Any) -> Model:
    """The model of the first expression among values and lists of them."""
    for value in values:
        if isinstance(value, Expression):
            return value._model
        if is_collection(value) and _has_expressions(value):
            return model_of(value)
    raise TypeError("there is no expression among these")


def array(values: Any) -> Expression:
    """An array of expressions from nested lists, or arrays of objects, of expressions and numbers.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.array([[y[0], 0.5], [1.0, y[2]]])
    Expression(shape=(2, 2))
    """
    if isinstance(values, Expression):
        return values
    if not is_collection(values):
        raise TypeError("hardnet.array joins lists of expressions and numbers")
    if isinstance(values, np.ndarray) and values.ndim > 1:
        return array(values.ravel()).reshape(values.shape)
    model = model_of(values)
    parts = [nodes_of(model, value) for value in values]
    if len({part.shape for part in parts}) > 1:
        raise InvalidError(f"the parts have different shapes: {[part.shape for part in parts]}")
    return Expression._of(model, np.stack(parts))
