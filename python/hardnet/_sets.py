"""Sets: matrices that must be positive semidefinite, and second-order cones.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _formula
from ._condition import Condition
from ._errors import InvalidError
from ._expression import Expression, ExpressionLike, Nodes, joint_shape, model_of, nodes_of, spread

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["psd", "soc"]

_POINTS = 3  # at which entries are compared
_ROUNDING = 1e-9


def psd(matrix: ExpressionLike) -> Condition:
    """The condition that a symmetric matrix is positive semidefinite, for m.subject_to.

    matrix has the shape (n, n) with n up to 32, or (..., n, n) for several matrices. `M >> N` is
    psd(M - N), `M << N` is psd(N - M), and 0 is the zero matrix. The violation of a matrix is
    -lambda_min.

    >>> import hardnet, numpy
    >>> m = hardnet.Model()
    >>> y = m.outputs("y", 3)
    >>> P = hardnet.array([[y[0], y[1]], [y[1], y[2]]])
    >>> m.subject_to(hardnet.psd(P), name="positive")
    >>> m.subject_to(P << 4 * numpy.eye(2), name="small")
    >>> result = m.layer()([1.0, 2.0, 1.0])
    >>> bool(result.ok), bool(numpy.linalg.eigvalsh(m.value(P, result.y)).min() >= -1e-8)
    (True, True)
    """
    return _condition(model_of((matrix,)), nodes_of(model_of((matrix,)), matrix))


def soc(t: ExpressionLike, u: ExpressionLike) -> Condition:
    """The condition |u| <= t with the 2-norm, a second-order cone, for m.subject_to.

    u has the shape (..., k) with k up to 1024, t the shape (...): one cone per vector along the last
    axis. The violation is |u| - t.

    >>> import hardnet
    >>> m = hardnet.Model()
    >>> force, limit = m.outputs("force", (4, 3)), m.outputs("limit", 4)
    >>> m.subject_to(hardnet.soc(limit, force), name="cone")
    >>> m.row_names[:5]
    ('cone[0]', 'cone[0,1]', 'cone[0,2]', 'cone[0,3]', 'cone[1]')
    """
    model = model_of((t, u))
    bound, vectors = nodes_of(model, t), nodes_of(model, u)
    if vectors.ndim == 0 or vectors.shape[-1] == 0:
        raise InvalidError(f"u of a cone is a vector; this has the shape {vectors.shape}")
    shape = joint_shape(bound.shape, vectors.shape[:-1])
    width = vectors.shape[-1]
    sides = spread(bound, shape)[..., None], spread(vectors, (*shape, width))
    return Condition._from(model, "soc", (np.concatenate(sides, axis=-1),))


def compare_matrices(model: Model, larger: Any, smaller: Any) -> Condition:
    """psd(larger - smaller), where 0 is the zero matrix."""
    sides = [nodes_of(model, larger), nodes_of(model, smaller)]
    for number, side in zip((larger, smaller), sides):
        if side.ndim == 0 and not _is_zero(number):
            raise InvalidError("a scalar beside << or >> must be 0; write c * numpy.eye(n)")
    shape = joint_shape(*(side.shape for side in sides))
    first, second = (Expression._of(model, spread(side, shape)) for side in sides)
    return _condition(model, (first if _is_zero(smaller) else first - second)._nodes)


def _is_zero(value: Any) -> bool:
    return not isinstance(value, Expression) and np.ndim(value) == 0 and value == 0


def _condition(model: Model, nodes: Nodes) -> Condition:
    if nodes.ndim < 2 or nodes.shape[-1] != nodes.shape[-2]:
        raise InvalidError(f"a semidefinite matrix is square; this has the shape {nodes.shape}")
    return Condition._from(model, "psd", (nodes,))


def lower_triangle(model: Model, nodes: Nodes, name: str) -> Nodes:
    """The lower triangle by rows of a matrix that is symmetric."""
    upper = nodes.T
    differ = np.argwhere(np.tril(nodes != upper))
    if len(differ):
        _check_equal(model, nodes, differ, name)
    return np.ascontiguousarray(nodes[np.tril_indices(len(nodes))])


def _check_equal(model: Model, nodes: Nodes, places: Any, name: str) -> None:
    """Entries made in another order are different expressions: their values are compared."""
    random = np.random.default_rng(1)
    core = model._open().copy()
    core.finish()
    rows, columns = places.T
    both = np.ascontiguousarray(np.stack([nodes[rows, columns], nodes[columns, rows]]))
    x = random.standard_normal((_POINTS, core.input_count))
    y = random.standard_normal((_POINTS, core.output_count))
    out = np.empty((_POINTS, *both.shape))
    core.values(both, _POINTS, x, y, out)
    left, right = out[:, 0], out[:, 1]
    wrong = np.abs(left - right) > _ROUNDING * (1 + np.abs(left) + np.abs(right))
    if wrong.any():
        i, j = (int(k) for k in places[np.argwhere(wrong.any(axis=0))[0, 0]])
        texts = [_formula.text_of(model, np.asarray(nodes[a, b])) for a, b in ((i, j), (j, i))]
        raise InvalidError(
            f"constraint {name}: the matrix is not symmetric: entry [{i}, {j}] is {texts[0]}, "
            f"entry [{j}, {i}] is {texts[1]}"
        )
