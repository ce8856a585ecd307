"""Names of parts: "y[3,1]" is an element of the family "y".

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidError, UnknownNameError

__all__ = ["Family", "check_name", "families_of", "family_name", "mirrored", "unknown_name"]

_MOST_NAMES = 10  # that an exception lists

_SUBSCRIPTS = re.compile(r"'(?:[^']|'')*'|[^,]+")


def check_name(name: str, kind: str) -> str:
    """The name, when it can be one: what can name a variable of Python."""
    if not isinstance(name, str):
        raise TypeError(f"the name of {kind} must be a str, not {name!r}")
    if not name.isidentifier():
        raise InvalidError(f"{name!r} cannot be a name: letters, digits and _ make names")
    return name


def family_name(name: str) -> str:
    """The name without its subscripts."""
    return name.split("[", 1)[0]


def unknown_name(name: str, parts: Sequence[str]) -> UnknownNameError:
    """The exception for a name that no part has: the closest name, or the names there are."""
    family = family_name(name)
    names = list(dict.fromkeys(family_name(part) for part in parts))
    if family in names:
        names = [part for part in parts if family_name(part) == family]
    text = f"no input, output or definition is called {name}"
    close = difflib.get_close_matches(name, names, 1)
    if close:
        text += f"; did you mean {close[0]}?"
    elif names:
        more = ", ..." if len(names) > _MOST_NAMES else ""
        text += f"; there are {', '.join(names[:_MOST_NAMES])}{more}"
    return UnknownNameError(text, "part", name)


@dataclasses.dataclass(frozen=True)
class Family:
    """The elements of one name among a list of names."""

    name: str
    index: NDArray[np.intp]  #: positions in the list, in the order of the shape
    shape: tuple[
        int, ...
    ]  #: of the subscripts where these are all of a box, in order, else (count,)
    symmetric: bool = False  #: index has the positions of a lower triangle, mirrored

    @property
    def size(self) -> int:
        """The number of its names."""
        n = len(self.index)
        return (n + math.isqrt(n)) // 2 if self.symmetric else n

    @property
    def size_text(self) -> str:
        """The shape for people."""
        return " x ".join(str(n) for n in self.shape) + (", symmetric" if self.symmetric else "")


def families_of(names: Sequence[str], symmetric: frozenset[str] = frozenset()) -> dict[str, Family]:
    """The families in the order in which they appear; `symmetric` are lower triangles of matrices."""
    members: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        members.setdefault(family_name(name), []).append(i)
    families = {
        family: Family(family, np.array(index, np.intp), _shape(names, family, index))
        for family, index in members.items()
    }
    for family in symmetric & families.keys():
        index = families[family].index
        places = mirrored(index.size)
        families[family] = Family(family, index[places].ravel(), places.shape, True)
    return families


def mirrored(count: int) -> NDArray[np.intp]:
    """A symmetric matrix of the places 0 to count - 1 of its lower triangle, row by row."""
    n = math.isqrt(2 * count)
    places = np.zeros((n, n), np.intp)
    places[np.tril_indices(n)] = np.arange(count)
    mirror: NDArray[np.intp] = np.maximum(places, places.T)
    return mirror


def _shape(names: Sequence[str], family: str, index: list[int]) -> tuple[int, ...]:
    if len(index) == 1 and names[index[0]] == family:
        return ()
    start = len(family) + 1
    keys = [tuple(_SUBSCRIPTS.findall(names[i][start:-1])) for i in index]
    axes = len(keys[0])
    if any(len(key) != axes for key in keys):
        return (len(keys),)
    extents = [list(dict.fromkeys(key[axis] for key in keys)) for axis in range(axes)]
    shape = tuple(len(values) for values in extents)
    if int(np.prod(shape)) != len(keys):
        return (len(keys),)
    places = [{value: i for i, value in enumerate(values)} for values in extents]
    flat = 0
    for key in keys:
        place = 0
        for axis in range(axes):
            place = place * shape[axis] + places[axis][key[axis]]
        if place != flat:
            return (len(keys),)
        flat += 1
    return shape
