"""Inputs that a call is given once for all samples.

They are a mapping from names of inputs to arrays of their shapes, or one array: the first inputs. All
others are in x, in their order.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from . import _checks
from ._errors import InvalidError
from ._names import Family, unknown_name

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Sharing", "Values", "sharing_of"]


class Sharing:
    """Which inputs are shared.

    Values are joined as they are given, one array after the other; `order` sorts them as the model has
    its inputs.
    """

    __slots__ = ("families", "inputs", "order")

    families: list[Family] | None  #: of a mapping, in its order; None: the first inputs
    inputs: NDArray[np.int64]  #: their numbers, ascending
    order: NDArray[np.intp] | None  #: None: the values are sorted

    def __init__(self, model: Model, names: Iterable[str] | None, count: int = 0) -> None:
        """names: of a mapping; None: the first `count` inputs."""
        self.families, self.order = None, None
        self.inputs = np.arange(count, dtype=np.int64)
        if names is None:
            return
        self.families = [_family(model, name) for name in names]
        joined = np.concatenate([np.empty(0, np.intp), *(f.index for f in self.families)])
        order = np.argsort(joined)
        self.inputs = joined[order].astype(np.int64)
        self.order = None if np.array_equal(joined, self.inputs) else order

    def sorted(self, joined: Any) -> Any:
        """Joined values as the model has its inputs."""
        return joined if self.order is None else joined[self.order]

    def joined(self, row: NDArray[np.float64]) -> NDArray[np.float64]:
        """The inverse of `sorted`."""
        if self.order is None:
            return row
        result = np.empty_like(row)
        result[self.order] = row
        return result

    def shaped(self, row: NDArray[np.float64]) -> Any:
        """Sorted values in the form in which the inputs are given."""
        if self.families is None:
            return row
        ends = np.cumsum([family.index.size for family in self.families])
        parts = np.split(self.joined(row), ends[:-1]) if len(ends) else []
        return {f.name: part.reshape(f.shape) for f, part in zip(self.families, parts)}


def _family(model: Model, name: Any) -> Family:
    found = model._families("input").get(name)
    if found is not None:
        return found
    if not isinstance(name, str):
        raise TypeError(f"shared: the name of an input must be a str, not {name!r}")
    raise unknown_name(name, model.input_names)


def _refuse(text: str) -> InvalidError:
    return InvalidError(f"shared{text}", "argument", "shared")


def sharing_of(
    model: Model, shared: Any, shape_of: Callable[[Any], tuple[int, ...]] = np.shape
) -> Sharing:
    """Which inputs are shared in this form, whose shapes are checked."""
    if not isinstance(shared, Mapping):
        shape, most = tuple(shape_of(shared)), len(model.input_names)
        if len(shape) != 1 or shape[0] > most:
            raise _refuse(
                f" has the shape {shape}; it must be one row, for all samples, of at most {most} "
                "inputs, or a dict of inputs by name"
            )
        return Sharing(model, None, shape[0])
    sharing = Sharing(model, shared)
    for family in sharing.families or []:
        shape = tuple(shape_of(shared[family.name]))
        if shape != family.shape:
            raise _refuse(f": {family.name} has the shape {shape}; it must be {family.shape}")
    return sharing


class Values:
    """Shared inputs of a call of NumPy, in the form of the extension."""

    __slots__ = ("count", "keywords", "sharing")

    sharing: Sharing | None  #: None: no inputs are shared
    count: int
    keywords: dict[str, Any]  #: arguments of the extension

    def __init__(self, model: Model | None, shared: Any) -> None:
        self.sharing, self.count, self.keywords = None, 0, {}
        if model is None or shared is None:
            return
        if isinstance(shared, Mapping):
            shared = {name: _checks.reals(value, "shared") for name, value in shared.items()}
            parts = [np.empty(0), *(value.reshape(-1) for value in shared.values())]
        else:
            shared = _checks.reals(shared, "shared")
            parts = [shared.reshape(-1)]
        self.sharing = sharing_of(model, shared)
        row = self.sharing.sorted(np.concatenate(parts).astype(np.float64, copy=False))
        self.count = int(row.size)
        self.keywords = {"shared": row, "shared_inputs": self.sharing.inputs}

    def shaped(self, row: NDArray[np.float64] | None) -> Any:
        """A gradient in the form in which the inputs were given; None if there were none."""
        return None if self.sharing is None or row is None else self.sharing.shaped(row)
