"""Checks and conversions of the tensors that come in.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _checks
from .._errors import InvalidError

_broadcast_shapes: Any = torch.broadcast_shapes
_FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


def double(tensor: Tensor, name: str, cuda: bool = False) -> Tensor:
    """The tensor in float64; itself where it is. Says clearly what cannot be taken.

    cuda: whether it may be on a CUDA device.
    """
    if not isinstance(tensor, Tensor):
        raise TypeError(f"{name} must be a tensor, not {type(tensor).__name__}")
    here = tensor.is_cpu or (cuda and tensor.is_cuda)
    if here and tensor.dtype is torch.float64:
        return tensor
    if not here:
        where = "on the CPU and on CUDA devices" if cuda else "this on the CPU"
        raise InvalidError(
            f"{name} is on {tensor.device}: hardnet computes {where}; call {name}.cpu() before"
        )
    if tensor.dtype not in _FLOATS:
        raise TypeError(f"{name} must be of a floating-point type, not {tensor.dtype}")
    return tensor.to(torch.float64)


def check_devices(y_raw: Tensor, x: Tensor | None) -> None:
    """Says clearly that two tensors are not on the same device."""
    if x is not None and x.device != y_raw.device:
        raise InvalidError(
            f"y_raw is on {y_raw.device} and x on {x.device}: they must be on the same device"
        )


def check_width(tensor: Tensor, name: str, width: int) -> None:
    """Says clearly that the last dimension is not what it must be."""
    _checks.width(tuple(tensor.shape), name, width)


def checked_inputs(sizes: Any, x: Tensor | None, shared: int = 0) -> Tensor | None:
    """x, checked to have the inputs that are not shared; None if all are."""
    width, others = sizes.inputs - shared, "other " if shared else ""
    if width == 0:
        if x is not None and x.numel() != 0:
            raise InvalidError(f"x was given, but the model has no {others}inputs")
        return None
    if x is None:
        raise InvalidError(f"x is missing: the model has {width} {others}inputs")
    check_width(x, "x", width)
    return x


def broadcast(
    sizes: Any, y: Tensor, x: Tensor | None, name: str = "y_raw", shared: int = 0
) -> tuple[Tensor, Tensor]:
    """Outputs and inputs with equal leading shapes; a model without inputs has none per sample."""
    check_width(y, name, sizes.outputs)
    x = checked_inputs(sizes, x, shared)
    if x is None:
        return y, y.new_empty((*y.shape[:-1], 0))
    if y.shape[:-1] == x.shape[:-1]:
        return y, x
    try:
        lead = _broadcast_shapes(y.shape[:-1], x.shape[:-1])
    except RuntimeError:
        raise InvalidError(
            f"{name} and x do not fit together: leading shapes {tuple(y.shape[:-1])} "
            f"and {tuple(x.shape[:-1])}"
        ) from None
    return y.expand(*lead, sizes.outputs), x.expand(*lead, x.shape[-1])
