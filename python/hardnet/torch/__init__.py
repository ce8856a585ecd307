"""hardnet in PyTorch: the layer as a module, and tools for training.

>>> import torch, hardnet, hardnet.torch
>>> model = hardnet.Model.from_text("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
>>> layer = hardnet.torch.Layer(model)
>>> layer(torch.tensor([3.0, 4.0]))
tensor([0.6000, 0.8000])

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

try:
    import torch as _torch  # noqa: F401
except ImportError as missing:
    raise ImportError("hardnet.torch needs PyTorch: pip install torch") from missing

from ._improve import Improvement, improve, improve_loss
from ._layer import Layer, NotOkError, NotOkWarning, Reports
from ._network import Network, sample_inputs
from ._policy import Policy, load_policy, save_policy
from ._values import objective, residual, violation

__all__ = [
    "Improvement",
    "Layer",
    "Network",
    "NotOkError",
    "NotOkWarning",
    "Policy",
    "Reports",
    "improve",
    "improve_loss",
    "load_policy",
    "objective",
    "residual",
    "sample_inputs",
    "save_policy",
    "violation",
]
