"""Hard constraints for neural networks.

State the constraints once; correct any network's outputs onto them, to a tolerance, with an
outcome for every sample; and train through the correction.

>>> import hardnet
>>> model = hardnet.Model.from_text("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
>>> layer = model.layer(tolerance=1e-8)
>>> layer([3.0, 4.0]).y.round(2)
array([0.6, 0.8])

`hardnet.torch` and `hardnet.jax` have the same layer for PyTorch and JAX; they are imported on
first use.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from . import _core, _functions, _matrix, _sets
from ._check import Check
from ._condition import Condition
from ._errors import (
    Error,
    FileError,
    InvalidError,
    OutOfMemoryError,
    UnknownNameError,
    UnsupportedError,
)
from ._evaluate import Evaluation, SparseRows
from ._expression import Expression
from ._functions import *  # noqa: F403
from ._layer import Gradient, Layer, Result
from ._matrix import *  # noqa: F403
from ._model import Model
from ._outcome import Outcome, Outcomes
from ._policy import Policy, PolicyResult
from ._reading import Message, ModelWarning
from ._sets import *  # noqa: F403
from ._train import train

__version__: str = _core.version

__all__ = [
    "Check",
    "Condition",
    "Error",
    "Evaluation",
    "Expression",
    "FileError",
    "Gradient",
    "InvalidError",
    "Layer",
    "Message",
    "Model",
    "ModelWarning",
    "OutOfMemoryError",
    "Outcome",
    "Outcomes",
    "Policy",
    "PolicyResult",
    "Result",
    "SparseRows",
    "UnknownNameError",
    "UnsupportedError",
    "train",
]
__all__ += _functions.__all__
__all__ += _matrix.__all__
__all__ += _sets.__all__

if not TYPE_CHECKING:  # type checkers must report missing names

    def __getattr__(name: str) -> Any:
        if name in ("torch", "jax"):
            return importlib.import_module(f".{name}", __name__)
        raise AttributeError(f"module 'hardnet' has no attribute '{name}'")
