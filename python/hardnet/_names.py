"""Names of parts: "y[3,1]" is an element of the family "y".

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ._errors import InvalidError

__all__ = ["Family", "check_name", "families_of", "family_name"]

_SUBSCRIPTS = re.compile(r"'(?:[^']|'')*'|[^,]+")


def check_name(name: str, kind: str) -> str:
    """The name, when it can be one: what can name a variable of Python."""
    if not isinstance(name, str):
        raise TypeError(f"the name of {kind} must be a str, not {name!r}")
    if not name.isidentifier():
        raise InvalidError(f"{name!r} cannot be a name: letters, digits and _ make names")
    return name


def family_name(name: str) -> str:
    """What stands before the subscripts."""
    return name.split("[", 1)[0]


@dataclasses.dataclass(frozen=True)
class Family:
    """The elements of one name among a list of names."""

    name: str
    index: NDArray[np.intp]  #: where they stand in the list
    shape: tuple[
        int, ...
    ]  #: of the subscripts where these are all of a box, in order, else (count,)

    @property
    def size_text(self) -> str:
        """The shape for people."""
        return " x ".join(str(n) for n in self.shape)


def families_of(names: Sequence[str]) -> dict[str, Family]:
    """The families in the order in which they appear."""
    members: dict[str, list[int]] = {}
    for i, name in enumerate(names):
        members.setdefault(family_name(name), []).append(i)
    return {
        family: Family(family, np.array(index, np.intp), _shape(names, family, index))
        for family, index in members.items()
    }


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
