"""Between flat samples and the arrays that they are made of.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks
from ._errors import InvalidError
from ._expression import joint_shape, numbers_of
from ._matrix import check_symmetric
from ._names import Family

__all__ = ["pack", "unpack"]


def unpack(families: Mapping[str, Family], flat: Any, name: str) -> dict[str, Any]:
    """The array of each family in flat samples; what only slices and reshapes need be known of."""
    if not hasattr(flat, "shape") or not hasattr(flat, "reshape"):
        flat = numbers_of(flat, name)
    width = sum(family.size for family in families.values())
    shape = tuple(flat.shape)
    _checks.width(shape, name, width)
    return {
        family.name: flat[..., _columns(family)].reshape(shape[:-1] + family.shape)
        for family in families.values()
    }


def _columns(family: Family) -> Any:
    """The position of a family: a slice if possible, so that nothing is copied."""
    first, count = int(family.index[0]), family.index.size
    if family.index[-1] == first + count - 1:
        return slice(first, first + count)
    return family.index


def pack(
    families: Mapping[str, Family], arrays: Mapping[str, ArrayLike], kind: str
) -> NDArray[np.float64]:
    """Flat samples from an array for each family."""
    unknown, missing = set(arrays) - set(families), set(families) - set(arrays)
    if unknown or missing:
        wrong = "there is no" if unknown else "there must be an array for the"
        raise TypeError(f"{wrong} {kind} {min(unknown or missing)}")
    given = {name: numbers_of(value, name) for name, value in arrays.items()}
    leads = [_lead(given[family.name], family) for family in families.values()]
    lead = joint_shape(*leads)
    flat = np.empty((*lead, sum(family.size for family in families.values())))
    for family in families.values():
        if family.symmetric:
            check_symmetric(given[family.name], family.name)
        value = np.broadcast_to(given[family.name], lead + family.shape)
        flat[..., family.index] = value.reshape((*lead, family.index.size))
    return flat


def _lead(array: NDArray[Any], family: Family) -> tuple[int, ...]:
    """The axes of an array before those of its family."""
    axes = array.ndim - len(family.shape)
    if axes < 0 or array.shape[axes:] != family.shape:
        raise InvalidError(
            f"{family.name} has the shape {array.shape}; it must end in {family.shape}"
        )
    return array.shape[:axes]
