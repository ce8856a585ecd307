"""Checks of arguments: each raises a TypeError or an InvalidError that names the argument.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import operator
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._errors import InvalidError

__all__ = [
    "apart",
    "core_of",
    "numbers",
    "path",
    "real",
    "reals",
    "text",
    "whole",
    "width",
    "written",
]

Reals = NDArray[np.float64]


def _kind(value: object) -> str:
    return type(value).__name__


def text(value: Any, name: str) -> str:
    """A text that can be a name."""
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a str, not {_kind(value)}")
    if not value.isprintable():
        raise InvalidError(f"{name} {value!r} is unknown")
    return value


def path(value: Any, name: str, kinds: str = "a path") -> str:
    """The name of a file."""
    if not isinstance(value, (str, os.PathLike)):
        raise TypeError(f"{name} must be {kinds}, not {_kind(value)}")
    chosen = os.fspath(value)
    if not isinstance(chosen, str) or "\0" in chosen or not chosen:
        raise InvalidError(f"{name}: {value!r} cannot be a path", "argument", name)
    return chosen


def real(value: Any, name: str) -> float:
    """A number; NumPy's scalars are numbers, too."""
    if isinstance(value, (str, bytes, bytearray)):
        raise TypeError(f"{name} must be a number, not {_kind(value)}")
    try:
        return float(value)
    except TypeError:
        raise TypeError(f"{name} must be a number, not {_kind(value)}") from None


def whole(value: Any, name: str, most: int = 2**31 - 1) -> int:
    """An integer from 0 to `most`."""
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, not {_kind(value)}") from None
    if not 0 <= number <= most:
        raise InvalidError(f"{name} must be 0 to {most}, not {number}", "option", name)
    return number


def numbers(value: Any, name: str) -> NDArray[Any]:
    """The value as an array. Lists of different lengths, masked elements and gradients are refused."""
    if getattr(value, "requires_grad", False) is True:
        raise TypeError(
            f"{name} has a gradient, which an array of NumPy loses: hardnet.torch.Layer takes and "
            f"returns tensors; or give {name}.detach()"
        )
    try:
        found = np.asanyarray(value)
    except ValueError as error:
        raise InvalidError(
            f"{name} is not a rectangular array: {error}", "argument", name
        ) from None
    if isinstance(found, np.ma.MaskedArray) and np.ma.is_masked(found):
        raise InvalidError(
            f"{name} has masked elements: fill them with numbers (a.filled(0)), or leave them out "
            "(a.compressed())",
            "argument",
            name,
        )
    return np.asarray(found)


_FLOATS = (np.float64, np.float32, np.float16)


def reals(value: Any, name: str) -> NDArray[Any]:
    """The value as an array of real numbers; integers become float64."""
    array = numbers(value, name)
    if array.dtype.type in _FLOATS:
        return array
    if array.dtype.kind not in "biuf":
        raise TypeError(f"{name} must be an array of real numbers, not of {array.dtype}")
    return array.astype(np.float64)


def width(shape: tuple[int, ...], name: str, wanted: int) -> None:
    """The last axis of an array of samples."""
    if shape and shape[-1] == wanted:
        return
    hint = f"; for {shape[0]} samples write {name}[:, None]" if wanted == 1 == len(shape) else ""
    text = f"{name} has the shape {shape}; its last axis must be {wanted} long{hint}"
    raise InvalidError(text, "argument", name)


def core_of(model: Any) -> _core.Model:
    """The extension's model behind a hardnet.Model."""
    core = getattr(model, "core", None)
    if not isinstance(core, _core.Model):
        raise TypeError(f"model must be a hardnet.Model, not {_kind(model)}")
    return core


def written(array: Any, name: str, shape: tuple[int, ...]) -> Reals:
    """An array of the caller's that is written to."""
    if not isinstance(array, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array of float64, not {_kind(array)}")
    if array.dtype.type is not np.float64:
        raise TypeError(f"{name} must be an array of float64, not of {array.dtype}")
    if array.shape != shape:
        raise InvalidError(f"{name} has the shape {array.shape}; it must be {shape}")
    flags = array.flags
    if not (flags.c_contiguous and flags.aligned and array.dtype.isnative):
        raise InvalidError(
            f"{name} must be contiguous, in C order, aligned and in native byte order"
        )
    if not flags.writeable:
        raise InvalidError(f"{name} is read-only")
    return array


def apart(array: Reals, name: str, other: NDArray[Any] | None, other_name: str) -> None:
    """Two arrays that may not share memory."""
    if other is not None and np.may_share_memory(array, other):
        raise InvalidError(f"{name} shares memory with {other_name}")
