"""Matrices: comparing entries.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidError
from ._expression import Expression, Nodes, spread

if TYPE_CHECKING:
    from ._model import Model

__all__: list[str] = []

_ROUNDING = 1e-12  # relative to the largest number: mirrored numbers that count as equal
_MOST_TEXT = 40  # characters of an entry in an error

Bools = NDArray[np.bool_]
Reals = NDArray[np.float64]


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
