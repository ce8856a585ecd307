"""hardnet in PyTorch: the layer as a module, and what trains networks best.

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

from ._layer import Layer, NotOkError, NotOkWarning, Reports

__all__ = ["Layer", "NotOkError", "NotOkWarning", "Reports"]
