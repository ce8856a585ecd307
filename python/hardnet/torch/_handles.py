"""Numbers that stand for layers and models in calls of operators.

An operator of PyTorch takes tensors and numbers only. Whoever wants to be found by its operators is
registered here and gets a number that nothing else ever gets in this process; the registry holds it
weakly, so that it is collected as everything else is. A record that backward needs keeps its owner
alive (see `keep_alive`).

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import itertools
import weakref
from typing import Any

from torch import Tensor

_owners: weakref.WeakValueDictionary[int, Any] = weakref.WeakValueDictionary()
_numbers = itertools.count(1)


def register(owner: Any) -> int:
    """A number of its own for `owner`, for as long as it lives."""
    key = next(_numbers)
    _owners[key] = owner
    return key


def find(key: int) -> Any:
    """The owner of a number."""
    owner = _owners.get(key)
    if owner is None:
        raise RuntimeError(
            "hardnet: the layer or model behind this operator no longer exists; "
            "keep it until the last call of its compiled function or of backward"
        )
    return owner


def keep_alive(tensor: Tensor, owner: Any) -> None:
    """Lets `owner` live at least as long as `tensor` does."""
    setattr(tensor, "hardnet_owner", owner)  # noqa: B010
