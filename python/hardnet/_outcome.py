"""What happened to samples: an enum, and arrays of it.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import enum
from typing import Any

import numpy as np

__all__ = ["Outcome", "Outcomes"]


class Outcome(enum.IntEnum):
    """What happened to one sample."""

    OK = 0
    ITERATION_LIMIT = 1
    LOCALLY_INFEASIBLE = 2
    STALLED = 3
    BAD_BOUNDS = 4
    NONFINITE_INPUT = 5
    NONFINITE_EVALUATION = 6
    CANCELLED = 7

    def __str__(self) -> str:
        return self.name.lower()


class Outcomes(np.ndarray[Any, np.dtype[np.int32]]):
    """An integer array whose entries are of type Outcome.

    >>> import numpy as np
    >>> from hardnet import Outcome, Outcomes
    >>> outcomes = np.array([0, 2]).view(Outcomes)
    >>> outcomes
    Outcomes([ok, locally_infeasible])
    >>> outcomes[1] is Outcome.LOCALLY_INFEASIBLE
    True
    >>> outcomes == Outcome.OK
    array([ True, False])
    """

    def __getitem__(self, key: Any) -> Any:
        item = super().__getitem__(key)
        return item if isinstance(item, np.ndarray) else Outcome(int(item))

    def __iter__(self) -> Any:
        return (self[i] for i in range(len(self)))

    def tolist(self) -> Any:
        """Nested lists of Outcome."""
        if self.ndim == 0:
            return self[()]
        return [row.tolist() if isinstance(row, Outcomes) else row for row in self]

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        plain = np.asarray(array)
        return plain[()] if return_scalar or plain.ndim == 0 else plain

    def __repr__(self) -> str:
        def name(code: Any) -> str:
            return str(Outcome(int(code)))

        body = np.array2string(np.asarray(self), separator=", ", formatter={"int": name})
        return f"Outcomes({body})"

    __str__ = __repr__
