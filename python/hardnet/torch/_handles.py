"""Layers and models in calls of operators: by their contents.

An operator of PyTorch takes tensors, numbers and texts. A layer or a model is passed as

    contents   a text with the model and all settings, from which an equal one can be made
    number     its number in this process, which no other object has

The number finds the object whose `last` is updated. It means nothing in another process: there, as
in a program that was exported or that comes from a cache on disk, the number may belong to another
layer. So an object counts only if its contents are equal; otherwise one is made from the contents,
and kept for the next call.

The registry holds objects weakly. A record that backward needs keeps its owner alive (`keep_alive`).

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import functools
import itertools
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from torch import Tensor

from .. import _contents

if TYPE_CHECKING:
    from .._model import Model

_MOST_MADE = 64  # objects that were made from their contents, and are kept

_owners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)

#: What makes an object from the parts of its contents, by kind.
makers: dict[str, Callable[..., Any]] = {}


def contents_of(kind: str, model: Model, *settings: Any) -> str:
    """The contents of an object; makers[kind](text of the model, *settings) makes an equal one."""
    text = _contents.model_text(model)
    named = None if text is not None else [model.fingerprint, model.names_fingerprint]
    return _contents.pack([kind, text, named, *settings])


def register(owner: Any) -> int:
    """A unique number for `owner`, which has `contents`, for as long as it lives."""
    number = next(_numbers)
    _owners[number] = owner
    return number


def find(contents: str, number: int) -> Any:
    """The object of this number if it has these contents; else one with these contents."""
    owner = _owners.get(number)
    return owner if owner is not None and owner.contents == contents else _made(contents)


@functools.lru_cache(_MOST_MADE)
def _made(contents: str) -> Any:
    kind, text, _, *settings = _contents.unpack(contents)
    if text is None:
        raise RuntimeError(
            "hardnet: the layer or model of this operator no longer exists, and it cannot be made "
            "again, because its model has no text (it divides by 0 or contains NaN)"
        )
    return makers[kind](text, *settings)


def keep_alive(tensor: Tensor, owner: Any) -> None:
    """Lets `owner` live at least as long as `tensor` does."""
    setattr(tensor, "hardnet_owner", owner)  # noqa: B010
