"""Values and derivatives of a model's rows and objective.

Every function takes outputs y of shape (..., outputs) and inputs x of shape (..., inputs), whose
leading shapes broadcast; results have the joint leading shape. A maximised objective, and its
derivatives, have the sign with which they were written.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks, _core
from ._errors import InvalidError
from ._expression import Expression, Shape, numbers_of

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Evaluation", "SparseRows"]

Reals = NDArray[np.float64]


# ---- samples ----


@dataclasses.dataclass(frozen=True)
class _Samples:
    lead: Shape
    count: int
    x: Reals | None
    y: Reals | None


def _rows(value: ArrayLike | None, name: str, width: int) -> Reals | None:
    if value is None:
        return None
    array = numbers_of(value, name)
    _checks.width(array.shape, name, width)
    return array


def _samples(model: Model, y: ArrayLike | None, x: ArrayLike | None) -> _Samples:
    inputs, outputs = model.inputs_count, model.outputs_count
    if inputs and x is None:
        raise InvalidError(f"x is missing: the model has {inputs} inputs")
    if not inputs and x is not None and np.size(x):
        raise InvalidError("x was given, but the model has no inputs")
    given = _rows(y, "y", outputs), _rows(x if inputs else None, "x", inputs)
    shapes = [array.shape[:-1] for array in given if array is not None]
    try:
        lead = np.broadcast_shapes(*shapes)
    except ValueError:
        raise InvalidError(f"y and x do not fit together: leading shapes {shapes}") from None
    of_y, of_x = (
        None if a is None else np.ascontiguousarray(np.broadcast_to(a, (*lead, a.shape[-1])))
        for a in given
    )
    return _Samples(lead, int(np.prod(lead, dtype=np.int64)), of_x, of_y)


def _evaluator(model: Model, *wanted: str) -> _core.Evaluator:
    evaluator: _core.Evaluator = model._cached(
        wanted, lambda: _core.Evaluator(model.core, list(wanted))
    )
    return evaluator


def _run(model: Model, samples: _Samples, *wanted: str, **given: Any) -> dict[str, Reals]:
    """The quantities, each with the leading shape of the samples."""
    evaluator = _evaluator(model, *wanted)
    results = {name: np.empty((*samples.lead, evaluator.width(name))) for name in wanted}
    evaluator.run(samples.count, samples.x, samples.y, results, **given)
    return results


def _sign(model: Model) -> float:
    goal = model.core.goal
    return -1.0 if goal is not None and goal[2] else 1.0


def _at(model: Model, y: ArrayLike | None, x: ArrayLike | None) -> _Samples:
    """Samples; without y at the start values."""
    samples = _samples(model, y, x)
    if samples.y is None:
        start = _run(model, samples, "start")["start"]
        samples = dataclasses.replace(samples, y=np.ascontiguousarray(start))
    return samples


# ---- values ----


class Evaluation:
    """Values at y and x, returned by `m.evaluate(y, x)`. All have the leading shape of the call."""

    __slots__ = ("_names", "fixed", "lower", "objective", "residual", "rows", "start", "upper", "y")

    def __init__(self, model: Model, y: Reals, values: dict[str, Reals]) -> None:
        self._names = model.row_names
        self.y = y  #: the outputs
        self.rows = values["rows"]  #: c(x, y)
        self.lower = values["lower"]  #: lower bounds of the rows
        self.upper = values["upper"]  #: upper bounds of the rows
        self.residual = values["residual"]  #: c - upper above, c - lower below, else 0
        self.start = values["start"]  #: start values of outputs
        self.fixed = values["fixed"]  #: what fixed outputs are fixed at; NaN for free ones
        #: the objective as it was written; NaN where the model has none
        self.objective: Any = values["objective"][..., 0] * _sign(model)
        if model.core.goal is None:
            self.objective = np.full_like(self.objective, np.nan)[()]

    @property
    def violation(self) -> Any:
        """The largest |residual|, 0 without rows; NaN where one is undefined."""
        return np.max(np.abs(self.residual), axis=-1, initial=0.0)

    @property
    def worst(self) -> Any:
        """The name of the row with the largest |residual|; "" where none is violated."""
        if not self._names:
            return np.full(self.residual.shape[:-1], "")[()]
        size = np.where(np.isnan(self.residual), np.inf, np.abs(self.residual))
        names = np.array(self._names)[size.argmax(axis=-1)]
        return np.where(size.max(axis=-1) > 0, names, "")[()]

    def __repr__(self) -> str:
        if self.rows.ndim > 1:
            worst = float(np.max(self.violation, initial=0.0))
            return f"Evaluation(rows.shape={self.rows.shape}, violation<={worst:.3g})"
        return f"Evaluation(objective={float(self.objective):g}, violation={self.violation:.3g})"


def evaluate(model: Model, y: ArrayLike | None, x: ArrayLike | None) -> Evaluation:
    samples = _at(model, y, x)
    quantities = ("rows", "lower", "upper", "residual", "objective", "start", "fixed")
    assert samples.y is not None
    return Evaluation(model, samples.y, _run(model, samples, *quantities))


def value(model: Model, expression: Any, y: ArrayLike | None, x: ArrayLike | None) -> Any:
    if not isinstance(expression, Expression) or expression.model is not model:
        raise TypeError("expression must be an expression of this model")
    nodes = np.ascontiguousarray(expression._nodes)
    if nodes.size and int(nodes.max()) > model.core.node_count:
        model._closed = None  # it was made after the model was last finished
    samples = _at(model, y, x)
    values = np.empty((*samples.lead, nodes.size))
    empty = np.empty((samples.count, 0))
    inputs = empty if samples.x is None else samples.x
    assert samples.y is not None
    model.core.values(nodes, samples.count, inputs, samples.y, values)
    return values.reshape(samples.lead + expression.shape)[()]


# ---- derivatives ----


class SparseRows:
    """Sparse matrices of one pattern by rows: row i has the entries indptr[i] to indptr[i + 1].

    `values` has a leading shape, one matrix for each sample; `indices` are columns.
    """

    __slots__ = ("indices", "indptr", "shape", "values")

    def __init__(
        self, shape: tuple[int, int], indptr: NDArray[Any], indices: NDArray[Any], values: Reals
    ) -> None:
        self.shape = shape
        self.indptr = indptr
        self.indices = indices
        self.values = values

    @property
    def nnz(self) -> int:
        """Entries of each matrix."""
        return int(self.indices.size)

    def _row_of_entries(self) -> NDArray[np.intp]:
        return np.repeat(np.arange(self.shape[0]), np.diff(self.indptr))

    def toarray(self) -> Reals:
        """Dense: (..., rows, columns)."""
        dense = np.zeros((*self.values.shape[:-1], *self.shape))
        dense[..., self._row_of_entries(), self.indices] = self.values
        return dense

    todense = toarray

    def toscipy(self) -> Any:
        """A scipy.sparse.csr_array, for one sample."""
        sparse: Any = importlib.import_module("scipy.sparse")
        if self.values.ndim > 1:
            raise InvalidError("these are the matrices of several samples: index one of them")
        return sparse.csr_array((self.values, self.indices, self.indptr), shape=self.shape)

    def __len__(self) -> int:
        if self.values.ndim == 1:
            raise TypeError("one matrix has no length")
        return len(self.values)

    def __getitem__(self, sample: Any) -> SparseRows:
        """The matrices of some samples."""
        if self.values.ndim == 1:
            raise IndexError("this is the matrix of a single sample")
        key = sample if isinstance(sample, tuple) else (sample,)
        values = self.values[key + (Ellipsis, slice(None))]
        return SparseRows(self.shape, self.indptr, self.indices, values)

    def __repr__(self) -> str:
        lead = self.values.shape[:-1]
        return f"SparseRows(shape={self.shape}, nnz={self.nnz}, samples={lead})"

    def _symmetric(self) -> SparseRows:
        """With the upper triangle mirrored from the lower one, which is what is there."""
        row, column = self._row_of_entries(), self.indices.astype(np.intp)
        below = np.flatnonzero(row != column)
        rows = np.concatenate([row, column[below]])
        columns = np.concatenate([column, row[below]])
        order = np.lexsort((columns, rows))
        source = np.concatenate([np.arange(row.size), below])[order]
        indptr = np.searchsorted(rows[order], np.arange(self.shape[0] + 1))
        return SparseRows(
            self.shape,
            indptr.astype(np.int32),
            columns[order].astype(np.int32),
            self.values[..., source],
        )


def _matrix(model: Model, samples: _Samples, quantity: str, **given: Any) -> SparseRows:
    values = _run(model, samples, quantity, **given)[quantity]
    rows, columns, first, column, _ = _evaluator(model, quantity).pattern(quantity)
    indptr = np.frombuffer(first, np.uintp).astype(np.int32)
    indices = np.frombuffer(column, np.uint32).astype(np.int32)
    return SparseRows((rows, columns), indptr, indices, values)


def _given_out(matrix: SparseRows) -> Any:
    """One sample's matrix as scipy's where scipy is there."""
    if matrix.values.ndim == 1:
        try:
            return matrix.toscipy()
        except ImportError:
            pass
    return matrix


_JACOBIANS = {
    ("rows", "y"): "jacobian_y",
    ("rows", "x"): "jacobian_x",
    ("lower", "x"): "lower_x",
    ("upper", "x"): "upper_x",
}


def jacobian(model: Model, y: ArrayLike | None, x: ArrayLike | None, wrt: str, of: str) -> Any:
    if (of, wrt) not in _JACOBIANS:
        raise InvalidError(f"of={of!r}, wrt={wrt!r}: rows by y or x, lower and upper by x")
    return _given_out(_matrix(model, _at(model, y, x), _JACOBIANS[of, wrt]))


def gradient(model: Model, y: ArrayLike | None, x: ArrayLike | None, wrt: str) -> Reals:
    if wrt not in ("y", "x"):
        raise InvalidError(f"wrt must be 'y' or 'x', not {wrt!r}")
    if model.core.goal is None:
        raise InvalidError("the model has no objective")
    quantity = f"gradient_{wrt}"
    return _run(model, _at(model, y, x), quantity)[quantity] * _sign(model)


def hessian(
    model: Model,
    y: ArrayLike | None,
    x: ArrayLike | None,
    multipliers: ArrayLike | None,
    sigma: ArrayLike,
    block: str,
) -> Any:
    if block not in ("yy", "yx", "xx"):
        raise InvalidError(f"block must be 'yy', 'yx' or 'xx', not {block!r}")
    samples = _at(model, y, x)
    rows = model.core.row_count
    weights = np.zeros(rows) if multipliers is None else _rows(multipliers, "multipliers", rows)
    assert weights is not None
    lambdas = np.ascontiguousarray(np.broadcast_to(weights, (*samples.lead, rows)))
    factor = np.broadcast_to(numbers_of(sigma) * _sign(model), samples.lead)
    matrix = _matrix(
        model,
        samples,
        f"hessian_{block}",
        sigma=np.ascontiguousarray(factor),
        multipliers=lambdas,
    )
    return _given_out(matrix if block == "yx" else matrix._symmetric())
