"""hardnet::perceptron: the outputs of a network with the bits of the library.

PyTorch may add up a neuron's inputs in any order. The library has a fixed one, and refinement
enlarges the difference: from 1e-15 to 1e-10 in five steps. So what is refined is computed by the
library.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from ._operators import Operator, batch_first, numbers


def core_network(
    parts: list[Any], ends: list[Any], activation: str, residual: bool, layer_norm: bool
) -> _core.Network:
    """A network of the library from W and b of each layer, and from shifts and scales."""
    hidden = tuple(len(bias) for bias in parts[1:-1:2])
    sizes = len(ends[0]), len(ends[2])
    core = _core.Network(*sizes, hidden, activation, 0, True, residual, layer_norm)
    core.set(np.concatenate([part.reshape(-1) for part in parts]), *ends)
    return core


def _perceptron(
    x: Tensor, parts: list[Tensor], ends: list[Tensor], activation: str, residual: bool,
    layer_norm: bool,
) -> Tensor:  # fmt: skip
    arrays = [numbers(part.to(torch.float64)) for part in (*parts, *ends)]
    core = core_network(arrays[:-4], arrays[-4:], activation, residual, layer_norm)
    y = torch.empty((*x.shape[:-1], core.info["outputs"]), dtype=torch.float64)
    core.run(x.shape[:-1].numel(), numbers(x), y.numpy())
    return y


def _shape(
    x: Tensor, parts: list[Tensor], ends: list[Tensor], activation: str, residual: bool,
    layer_norm: bool,
) -> Tensor:  # fmt: skip
    return x.new_empty((*x.shape[:-1], ends[-1].shape[0]))


def _batch(info: Any, in_dims: Any, x: Tensor, *others: Any) -> Any:
    return perceptron(*batch_first(info, in_dims, x), *others), 0


perceptron = Operator("perceptron", _perceptron, _shape, _batch, direct=False)
