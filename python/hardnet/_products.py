"""Matrix products of expressions and numbers.

A matrix of numbers, dense or of scipy.sparse, counts by its entries that are not zero: each element
of the product is the sum of these only. It goes into the model as numbers, without an expression
for each entry.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidError
from ._expression import Expression, array, fold, is_collection, joint_shape, numbers_of

__all__ = ["dot", "einsum", "inner", "matmul", "operand_of", "outer", "tensordot"]


def _is_sparse(value: Any) -> bool:
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def matmul(a: Any, b: Any) -> Any:
    """a @ b, as numpy.matmul; a matrix may also be one of scipy.sparse.

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.matmul(np.ones((2, 3)), y)
    Expression(shape=(2,))
    """
    a, b = operand_of(a), operand_of(b)
    if not isinstance(a, Expression) and not isinstance(b, Expression):
        return a @ b
    if min(a.ndim, b.ndim) == 0:
        raise InvalidError("a factor of a matrix product is a scalar: use * instead")
    if a.shape[-1] != b.shape[-2 if b.ndim > 1 else 0]:
        raise InvalidError(f"matrices do not fit together: shapes {a.shape} and {b.shape}")
    if not isinstance(a, Expression) and a.ndim == 2 and b.ndim <= 2:
        return _numbers_times(a, b)
    if not isinstance(b, Expression) and b.ndim == 2 and a.ndim <= 2:
        return _numbers_times(b.T, a.T).T
    return _general(a, b)


def operand_of(value: Any) -> Any:
    """Expressions, also from lists of them, a sparse matrix, or numbers."""
    if isinstance(value, Expression) or _is_sparse(value):
        return value
    if is_collection(value):
        try:
            return array(value)
        except TypeError:
            pass
    return numbers_of(value)


def _general(a: Any, b: Any) -> Expression:
    """Products of all pairs, summed."""
    if b.ndim == 1:
        return fold(a * b, "sum", -1, False)
    by_columns = b.swapaxes(-1, -2)  # ..., n, k
    if a.ndim == 1:
        return fold(a * by_columns, "sum", -1, False)
    joint_shape(a.shape[:-2], b.shape[:-2])
    return fold(a[..., :, None, :] * by_columns[..., None, :, :], "sum", -1, False)


def _entries(matrix: Any) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float64]]:
    """Row starts, columns and values of a matrix by rows (CSR), without zeros."""
    if _is_sparse(matrix):
        rows = matrix.tocsr(copy=True)
        rows.sum_duplicates()
        rows.eliminate_zeros()
        values = numbers_of(rows.data)
        return rows.indptr.astype(np.int64), rows.indices.astype(np.uint32), values
    there = matrix != 0
    first = np.zeros(matrix.shape[0] + 1, np.int64)
    np.cumsum(np.count_nonzero(there, axis=1), out=first[1:])
    numbers = np.arange(matrix.shape[1], dtype=np.uint32)
    return first, np.broadcast_to(numbers, matrix.shape)[there], matrix[there]


def _check_finite(
    first: NDArray[np.int64], column: NDArray[np.uint32], values: NDArray[np.float64]
) -> None:
    finite = np.isfinite(values)
    if not finite.all():
        entry = int(np.argmin(finite))
        row = int(np.searchsorted(first, entry, side="right")) - 1
        raise InvalidError(f"row {row} of the matrix has {values[entry]} in column {column[entry]}")


def _numbers_times(matrix: Any, right: Expression) -> Expression:
    """matrix @ right, for a vector or a matrix of expressions."""
    first, column, values = _entries(matrix)
    _check_finite(first, column, values)
    model = right._model
    columns = right if right.ndim == 2 else right[:, None]
    out = np.empty((columns.shape[1], matrix.shape[0]), np.uint32)
    for line, place in zip(np.ascontiguousarray(columns._nodes.T), out):
        model._open().products(first, column, values, line, place)
    product = Expression._of(model, np.ascontiguousarray(out.T))
    return product if right.ndim == 2 else product[:, 0]


def dot(a: Any, b: Any) -> Any:
    """As numpy.dot.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> hardnet.dot(y, y)
    Expression(shape=())
    """
    a, b = operand_of(a), operand_of(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    if b.ndim <= 2:
        return matmul(a, b)
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 2,)))


def inner(a: Any, b: Any) -> Any:
    """As numpy.inner: the sum of products along the last axes."""
    a, b = operand_of(a), operand_of(b)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    return tensordot(a, b, ((a.ndim - 1,), (b.ndim - 1,)))


def outer(a: Any, b: Any) -> Any:
    """As numpy.outer: all products of two flattened arrays."""
    a, b = operand_of(a), operand_of(b)
    return a.reshape(-1, 1) * b.reshape(1, -1)


def tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """As numpy.tensordot: the sum of products along pairs of axes."""
    a, b = operand_of(a), operand_of(b)
    if isinstance(axes, (int, np.integer)):
        pairs = [list(range(a.ndim - int(axes), a.ndim)), list(range(int(axes)))]
    else:
        pairs = [[one] if np.ndim(one) == 0 else list(one) for one in axes]
    of_a, of_b = ([int(i) % f.ndim for i in list_] for list_, f in zip(pairs, (a, b)))
    free_a = [i for i in range(a.ndim) if i not in of_a]
    free_b = [i for i in range(b.ndim) if i not in of_b]
    summed = int(np.prod([a.shape[i] for i in of_a], dtype=int))
    if [a.shape[i] for i in of_a] != [b.shape[i] for i in of_b]:
        raise InvalidError(f"arrays do not fit together: shapes {a.shape} and {b.shape}")
    left = a.transpose(*free_a, *of_a).reshape(-1, summed)
    right = b.transpose(*of_b, *free_b).reshape(summed, -1)
    shape = [a.shape[i] for i in free_a] + [b.shape[i] for i in free_b]
    return matmul(left, right).reshape(shape)


def einsum(subscripts: str, *operands: Any) -> Any:
    """As numpy.einsum, with letters for all axes: einsum("ij,jk->ik", a, b).

    >>> import hardnet, numpy as np
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", (5, 3))
    >>> np.einsum("ki,ij,kj->k", y, np.eye(3), y)
    Expression(shape=(5,))
    """
    if not isinstance(subscripts, str) or not set(subscripts) <= _SUBSCRIPTS:
        raise TypeError("einsum of expressions needs a text with a letter for every axis")
    given, arrow, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    letters = "".join(dict.fromkeys("".join(terms)))
    if not arrow:
        result = "".join(sorted(one for one in letters if "".join(terms).count(one) == 1))
    factors = [operand_of(operand) for operand in operands]
    if (
        len(terms) != len(factors)
        or not set(result) <= set(letters)
        or len(set(result)) < len(result)
    ):
        raise InvalidError(f"einsum: {subscripts!r} does not fit {len(factors)} operands")
    order = result + "".join(one for one in letters if one not in result)
    product = _aligned(factors[0], terms[0], order)
    for factor, term in zip(factors[1:], terms[1:]):
        product = product * _aligned(factor, term, order)
    return product.sum(tuple(range(len(result), len(order))))


_SUBSCRIPTS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ,-> ")


def _aligned(factor: Any, term: str, order: str) -> Any:
    """A factor with an axis for every letter of the order, diagonals taken of repeated ones."""
    if factor.ndim != len(term):
        raise InvalidError(f"einsum: {term!r} does not fit an array of {factor.ndim} axes")
    for letter in dict.fromkeys(term):
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            factor = np.diagonal(factor, 0, first, second)
            term = "".join(one for i, one in enumerate(term) if i not in (first, second)) + letter
    there = [letter for letter in order if letter in term]
    factor = factor.transpose([term.index(letter) for letter in there])
    return factor.reshape([factor.shape[there.index(one)] if one in there else 1 for one in order])
