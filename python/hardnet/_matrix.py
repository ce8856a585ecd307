"""Functions of matrices, which expand into the model's graph.

A matrix is the last two axes of an array, as in numpy.linalg. Arrays of numbers are passed to NumPy.
Terms with a factor that is the number 0 are left out, so that sparse matrices have sparse factors.
Elimination, M = (I + l) u, orders rows by the pattern of zeros, not by sizes, which are unknown:

    c(i,k) = M(i,k) - sum over t < k of l(i,t) u(t,k),  i >= k;  the pivot is c(k,k)
    u(k,j) = M(k,j) - sum over t < k of l(k,t) u(t,j),  j > k;   c(j,k) if M is symmetric
    l(i,k) = c(i,k) / c(k,k)

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidError
from ._expression import (
    Expression,
    ExpressionLike,
    Nodes,
    Shape,
    apply,
    joint_shape,
    nodes_of,
    spread,
)
from ._products import matmul, operand_of

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["cholesky", "diag", "inv", "kron", "logdet", "solve", "trace"]

_COFACTORS = 4  # the largest order with M^-1 = adj(M) / det(M)
_ROUNDING = 1e-12  # relative to the largest number: mirrored numbers that count as equal
_MOST_TEXT = 40  # characters of an entry in an error

Bools = NDArray[np.bool_]
Reals = NDArray[np.float64]

# ---- arguments ----


def _dense(value: Any) -> Any:
    """An array of expressions or numbers; sparse matrices become dense."""
    operand = operand_of(value)
    return operand.toarray() if hasattr(operand, "toarray") else operand


def _square(value: Any, name: str) -> Any:
    """A matrix, or a stack of matrices."""
    matrix = _dense(value)
    if matrix.ndim < 2 or matrix.shape[-1] != matrix.shape[-2]:
        raise InvalidError(f"{name}: an array of shape {matrix.shape} is not a square matrix")
    return matrix


def close(a: Reals, b: Reals) -> Bools:
    """Which numbers are equal up to rounding of the largest."""
    largest = np.abs(a[np.isfinite(a)]).max(initial=0.0)
    return np.isclose(a, b, rtol=0, atol=_ROUNDING * largest, equal_nan=True)


def differing(model: Model, a: Nodes, b: Nodes) -> Bools:
    """Which nodes are neither the same expression nor numbers that are equal up to rounding."""
    different: Bools = a != b
    if different.any():
        (known_a, x), (known_b, y) = model._numbers(a), model._numbers(b)
        different &= ~(known_a & known_b & close(x, y))
    return different


def entry_text(entries: Any, place: tuple[Any, ...]) -> str:
    """An entry for an error, "[0,1] is 2.5": a number, or a formula, which is cut if it is long."""
    entry = entries[place]
    text = str(entry) if isinstance(entry, Expression) else f"{entry:g}"
    text = text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 3] + "..."
    return f"[{','.join(str(int(i)) for i in place)}] is {text}"


def check_symmetric(matrix: Any, name: str) -> None:
    """Refuses a matrix, or stacked ones, of expressions or numbers that is not symmetric."""
    mirror = matrix.swapaxes(-1, -2)
    if isinstance(matrix, Expression):
        pair = (spread(one._nodes, one.shape) for one in (matrix, mirror))
        places = np.argwhere(differing(matrix._model, *pair))
    else:
        places = np.argwhere(~close(matrix, mirror))
    for place in map(tuple, places[:1]):
        one, two = place, (*place[:-2], place[-1], place[-2])
        raise InvalidError(
            f"{name}: the matrix is not symmetric: {entry_text(matrix, one)} and "
            f"{entry_text(matrix, two)}; its symmetric part is (M + M.T) / 2"
        )


def _is_symmetric(matrix: Expression) -> bool:
    return np.array_equal(matrix._nodes, matrix._nodes.T)


def _check_definite(pivot: Expression, name: str) -> None:
    """Refuses a pivot that is a number and not positive."""
    known, value = _numbers(pivot)
    if known and not value > 0:
        raise InvalidError(f"{name}: the matrix is not positive definite: a pivot is {value:g}")


# ---- entries ----


def _of_numbers(model: Model, numbers: Reals) -> Expression:
    return Expression._of(model, model._constants(numbers))


def _numbers(e: Expression) -> tuple[Bools, Reals]:
    """Which entries are numbers, and their values."""
    return e._model._numbers(spread(e._nodes, e.shape))


def _zeros(e: Expression) -> Bools:
    """Which entries are the number 0."""
    known, values = _numbers(e)
    zeros: Bools = known & (values == 0)
    return zeros


def _times(a: Expression, b: Expression) -> Expression:
    """a * b; 0 where a factor is the number 0."""
    product = a * b
    zero = np.broadcast_to(_zeros(a) | _zeros(b), product.shape)
    nothing = _of_numbers(a._model, np.zeros(()))
    return Expression._of(a._model, np.where(zero, nothing._nodes, product._nodes))


def _minus(base: Expression, left: Expression, right: Expression) -> Expression:
    """base(i) - sum over t of left(i,t) right(t)."""
    return base - _times(left, right).sum(-1) if right.size else base


def _diagonal(matrix: Expression) -> Expression:
    return matrix[np.arange(len(matrix)), np.arange(len(matrix))]


def _with_row(rows: Expression, zeros: int, *parts: Expression) -> Expression:
    """Rows and one more: zeros, followed by vectors."""
    nodes = [rows._model._constants(np.zeros(zeros)), *(part._nodes for part in parts)]
    return Expression._of(rows._model, np.concatenate([rows._nodes, [np.concatenate(nodes)]]))


def _over_stack(shape: Shape, function: Callable[..., Any], *stacks: Expression) -> Expression:
    """Applies a function to each matrix of stacks; its results have this shape."""
    model, lead = stacks[0]._model, stacks[0].shape[:-2]
    out = np.empty(lead + shape, np.uint32)
    for place in np.ndindex(lead) if out.size else ():
        out[place] = nodes_of(model, function(*(stack[place] for stack in stacks)))
    return Expression._of(model, out)


# ---- elimination ----


@dataclasses.dataclass
class _Factors:
    """M[order] = (I + left') upper."""

    order: NDArray[np.intp]
    left: Expression  #: the columns of l, as rows
    upper: Expression
    symmetric: bool  #: upper = D (I + left), and no rows were exchanged

    def exchange(self, k: int, other: int) -> None:
        """Exchanges two rows."""
        rows = np.arange(len(self.order))
        rows[[k, other]] = other, k
        self.order, self.left, self.symmetric = self.order[rows], self.left[:, rows], False


def _row_order(zero: Bools, name: str) -> NDArray[np.intp]:
    """An order of the rows in which no leading minor is 0 by the pattern of M; as they are, if possible.

    A minor is not 0 by its pattern if its columns can be matched with rows (Kuhn's algorithm); with
    the entries of a matching on the diagonal each leading minor has a matching.
    """
    column_of = np.full(len(zero), -1)

    def matched(column: int, rows: int, seen: set[int]) -> bool:
        for row in (column, *range(rows)):
            if zero[row, column] or row in seen:
                continue
            seen.add(row)
            if column_of[row] < 0 or matched(column_of[row], rows, seen):
                column_of[row] = column
                return True
        return False

    natural = True
    for k in range(len(zero)):
        leading = matched(k, k + 1, set())
        natural &= leading
        if not leading and not matched(k, len(zero), set()):
            raise InvalidError(f"{name}: the matrix is singular")
    return np.arange(len(zero)) if natural else np.argsort(column_of)


def _pivot_place(column: Expression, tiny: float, name: str) -> int:
    """0, or where that entry is a number up to `tiny` the largest number or the first expression."""
    known, values = _numbers(column)
    sizes = np.where(known, np.abs(values), 0.0)
    small = known & (sizes <= tiny)
    if not sizes.any() and known.all():
        raise InvalidError(f"{name}: the matrix is singular")
    if not small[0] or small.all():
        return 0
    return int(sizes.argmax() if sizes.max() > tiny else small.argmin())


def _eliminated(matrix: Expression, name: str, definite: bool = False) -> _Factors:
    """The factors; of a definite matrix the lower triangle is read, and rows are not exchanged."""
    natural = np.arange(len(matrix))
    order = natural if definite else _row_order(_zeros(matrix), name)
    symmetric = definite or (_is_symmetric(matrix) and np.array_equal(order, natural))
    f = _Factors(order, matrix[:0], matrix[:0], symmetric)
    known, values = _numbers(matrix)
    tiny = _ROUNDING * np.abs(values[known]).max(initial=0.0)
    for k in range(len(matrix)):
        column = _minus(matrix[f.order[k:], k], f.left[:, k:].T, f.upper[:, k])
        if definite:
            _check_definite(column[0], name)
        elif place := _pivot_place(column, tiny, name):
            f.exchange(k, k + place)
            column = _minus(matrix[f.order[k:], k], f.left[:, k:].T, f.upper[:, k])
        row = column[1:]
        if not f.symmetric:
            row = _minus(matrix[f.order[k], k + 1 :], f.upper[:, k + 1 :].T, f.left[:, k])
        f.left = _with_row(f.left, k + 1, _times(column[1:], 1 / column[:1]))
        f.upper = _with_row(f.upper, k, column[:1], row)
    return f


def _forward(f: _Factors, b: Expression) -> Expression:
    """(I + l)^-1 b[order]."""
    z = b[:0]
    for i, place in enumerate(f.order):
        z = _with_row(z, 0, _minus(b[place], z.T, f.left[:i, i]))
    return z


def _backward(f: _Factors, z: Expression) -> Expression:
    """upper^-1 z."""
    x = z[:0]  # in reverse
    for i in reversed(range(len(z))):
        x = _with_row(x, 0, _times(_minus(z[i], x.T, f.upper[i, :i:-1]), 1 / f.upper[i, i]))
    return x[::-1]


def _cholesky(matrix: Expression) -> Expression:
    """L(k,k) = sqrt(c(k,k)), L(i,k) = c(i,k) / L(k,k), where l = L and u = L'."""
    rows = matrix[:0]
    for k in range(len(matrix)):
        column = _minus(matrix[k:, k], rows[:, k:].T, rows[:, k])
        _check_definite(column[0], "cholesky")
        root = column[:1] ** 0.5
        rows = _with_row(rows, k, root, _times(column[1:], 1 / root))
    return rows.T


def _logdet(matrix: Expression) -> Expression:
    """The sum of log(pivot), which is NaN where one is negative."""
    pivots = _diagonal(_eliminated(matrix, "logdet", definite=True).upper)
    return apply(matrix._model, "log", pivots).sum()


# ---- cofactors ----


def _minors(a: Expression) -> Callable[[tuple[int, ...], tuple[int, ...]], Expression]:
    """The determinants of parts of M, by rows and columns, each expanded along its first row."""

    @functools.cache
    def minor(rows: tuple[int, ...], columns: tuple[int, ...]) -> Expression:
        total = _of_numbers(a._model, np.ones(()) * (not rows))
        for i, j in enumerate(columns):
            term = _times(a[rows[0], j], minor(rows[1:], columns[:i] + columns[i + 1 :]))
            total = total - term if i % 2 else total + term
        return total

    return minor


def _by_cofactors(a: Expression, name: str) -> tuple[Expression, Expression]:
    """adj(M), and 1 / det(M)."""
    minor, all_ = _minors(a), tuple(range(len(a)))
    determinant = minor(all_, all_)
    if _zeros(determinant):
        raise InvalidError(f"{name}: the matrix is singular")
    nodes, symmetric = np.empty(a.shape, np.uint32), _is_symmetric(a)
    for i, j in np.ndindex(a.shape):
        if symmetric and j < i:
            nodes[j, i] = nodes[i, j]
            continue
        cofactor = minor(all_[:i] + all_[i + 1 :], all_[:j] + all_[j + 1 :])
        nodes[j, i] = (-cofactor if (i + j) % 2 else cofactor)._nodes
    return Expression._of(a._model, nodes), 1 / determinant


def _inverse(matrix: Expression) -> Expression:
    n = len(matrix)
    if n <= _COFACTORS:
        return _times(*_by_cofactors(matrix, "inv"))
    f = _eliminated(matrix, "inv")
    z = _forward(f, _of_numbers(matrix._model, np.eye(n)))
    if not f.symmetric:
        return _backward(f, z)
    scaled = _times(z, 1 / _diagonal(f.upper)[:, None])
    nodes = np.empty((n, n), np.uint32)
    for j in range(n):  # z' D^-1 z
        nodes[j, j:] = nodes[j:, j] = _times(scaled[:, j:].T, z[:, j]).sum(-1)._nodes
    return Expression._of(matrix._model, nodes)


def _solution(matrix: Expression, b: Expression) -> Expression:
    """M^-1 b of a matrix b."""
    if len(matrix) <= _COFACTORS:
        adjugate, scale = _by_cofactors(matrix, "solve")
        return _times(_times(adjugate[:, None], b.T).sum(-1), scale)
    f = _eliminated(matrix, "solve")
    return _backward(f, _forward(f, b))


def _inverse_of_numbers(matrix: Reals, name: str) -> Reals:
    places = np.argwhere(~np.isfinite(matrix))
    if len(places):
        raise InvalidError(f"{name}: of the matrix {entry_text(matrix, tuple(places[0]))}")
    try:
        return np.asarray(np.linalg.inv(matrix), np.float64)
    except np.linalg.LinAlgError:
        raise InvalidError(f"{name}: the matrix is singular") from None


# ---- functions ----


def trace(M: ExpressionLike) -> Any:
    """The sum of the diagonal of a square matrix.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> P = m.outputs("P", (2, 2))
    >>> print(hardnet.trace(P))
    P[0,0] + P[1,1]
    """
    return np.diagonal(_square(M, "trace"), axis1=-2, axis2=-1).sum(-1)


def logdet(M: ExpressionLike) -> Any:
    """log(det(M)) of a symmetric positive definite matrix.

    Where M is not positive definite it is NaN, or -inf where M is singular: the outcome of such a
    sample is nonfinite_evaluation.

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> P = m.outputs("P", (2, 2), symmetric=True)
    >>> print(hardnet.logdet(P).shape, float(hardnet.logdet(np.eye(2))))
    () 0.0
    """
    matrix = _square(M, "logdet")
    check_symmetric(matrix, "logdet")
    if isinstance(matrix, Expression):
        return _over_stack((), _logdet, matrix)
    definite = (np.linalg.eigvalsh(matrix) > 0).all(-1)
    return np.where(definite, np.linalg.slogdet(matrix)[1], np.nan)[()]


def cholesky(M: ExpressionLike) -> Any:
    """The lower triangular L with M = L @ L.T of a symmetric positive definite matrix M.

    Where M is not positive definite, L has NaN, but its first columns may be numbers.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> P = m.outputs("P", (2, 2), symmetric=True)
    >>> print(hardnet.cholesky(P)[0])
    [sqrt(P[0,0]), 0]
    """
    matrix = _square(M, "cholesky")
    check_symmetric(matrix, "cholesky")
    if isinstance(matrix, Expression):
        return _over_stack(matrix.shape[-2:], _cholesky, matrix)
    return np.linalg.cholesky(matrix)


def inv(M: ExpressionLike) -> Any:
    """The inverse of a square matrix; the inverse of a symmetric one is symmetric.

    Up to 4 x 4 it is adj(M) / det(M), undefined where M is singular. Larger matrices are eliminated
    in an order that does not depend on values: the inverse is also undefined where a leading minor
    is 0, and loses digits near it. Definite and diagonally dominant matrices have no such minor.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 2)
    >>> print(hardnet.inv(hardnet.array([[2.0, y[0]], [0.0, 0.25]])))
    [[0.5, -2 * y[0]],
     [0, 4]]
    """
    matrix = _square(M, "inv")
    if isinstance(matrix, Expression):
        return _over_stack(matrix.shape[-2:], _inverse, matrix)
    return np.linalg.inv(matrix)


def solve(M: ExpressionLike, b: ExpressionLike) -> Any:
    """The x with M @ x = b, for a vector b or a matrix of columns; undefined as `inv` is.

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 2)
    >>> print(hardnet.solve(np.array([[2.0, 0.0], [0.0, 4.0]]), y))
    [0.5 * y[0], 0.25 * y[1]]
    """
    matrix, right = _square(M, "solve"), _dense(b)
    if right.ndim == 0 or right.shape[-2 if right.ndim > 1 else 0] != matrix.shape[-1]:
        raise InvalidError(f"solve: shapes {matrix.shape} and {right.shape} do not fit together")
    if not isinstance(matrix, Expression):
        if not isinstance(right, Expression):
            return np.linalg.solve(matrix, right)
        return matmul(_inverse_of_numbers(matrix, "solve"), right)
    model, columns = matrix._model, nodes_of(matrix._model, right)
    columns = columns if right.ndim > 1 else columns[:, None]
    lead = joint_shape(matrix.shape[:-2], columns.shape[:-2])
    stacks = (
        Expression._of(model, spread(nodes, lead + nodes.shape[-2:]))
        for nodes in (matrix._nodes, columns)
    )
    x = _over_stack(columns.shape[-2:], _solution, *stacks)
    return x if right.ndim > 1 else x[..., 0]


def kron(A: ExpressionLike, B: ExpressionLike) -> Any:
    """The Kronecker product, as numpy.kron.

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 2)
    >>> print(hardnet.kron(np.eye(2), y))
    [[y[0], y[1], 0, 0],
     [0, 0, y[0], y[1]]]
    """
    a, b = _dense(A), _dense(B)
    if not isinstance(a, Expression) and not isinstance(b, Expression):
        return np.kron(a, b)
    model = (a if isinstance(a, Expression) else b)._model
    axes = max(a.ndim, b.ndim)
    first, second = (
        nodes.reshape((1,) * (axes - nodes.ndim) + nodes.shape)
        for nodes in (nodes_of(model, a), nodes_of(model, b))
    )
    shape = np.multiply(first.shape, second.shape).astype(int)
    first = np.expand_dims(first, tuple(range(1, 2 * axes, 2)))
    second = np.expand_dims(second, tuple(range(0, 2 * axes, 2)))
    return _times(Expression._of(model, first), Expression._of(model, second)).reshape(shape)


def diag(v: ExpressionLike, k: int = 0) -> Any:
    """The diagonal matrix of a vector, or the diagonal of a matrix, as numpy.diag.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 2)
    >>> print(hardnet.diag(y))
    [[y[0], 0],
     [0, y[1]]]
    """
    return np.diag(_dense(v), k)
