"""Inputs that are given once for all samples.

They become columns of x, repeated for every sample: XLA's buffers have no strides. Their gradient is the
sum over the samples in their order; jnp.sum would add in an order that depends on the machine.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np

from .._shared import Sharing, sharing_of
from ._varying import alike

if TYPE_CHECKING:
    from .._model import Model

__all__ = ["SharedRow"]


@jax.custom_vjp
def _repeated(row: Any, rows: Any) -> Any:
    """The row in place of each of `rows`."""
    return jnp.broadcast_to(row, rows.shape)


def _repeated_forward(row: Any, rows: Any) -> Any:
    return _repeated(row, rows), None


def _repeated_backward(_: None, grad: Any) -> Any:
    rows = grad.reshape(-1, grad.shape[-1])
    zeros, rows = alike([jnp.zeros(rows.shape[1:], rows.dtype), rows])
    total, _ = jax.lax.scan(lambda total, row: (total + row, None), zeros, rows, unroll=8)
    return total, jnp.zeros_like(grad)


_repeated.defvjp(_repeated_forward, _repeated_backward)


class SharedRow:
    """The shared inputs of a call."""

    def __init__(self, model: Model, shared: Any, reals: Any) -> None:
        """reals: makes an array of real numbers of one argument, by its name."""
        if isinstance(shared, Mapping):
            arrays = {name: reals(value, "shared") for name, value in shared.items()}
            self.sharing: Sharing = sharing_of(model, arrays, jnp.shape)
            parts = [value.reshape(-1) for value in arrays.values()]
            row = jnp.concatenate(parts) if parts else jnp.zeros(0)
        else:
            row = reals(shared, "shared")
            self.sharing = sharing_of(model, row, jnp.shape)
        self.row: Any = self.sharing.sorted(row)
        self.count: int = self.row.shape[0]

    def beside(self, x: Any, lead: tuple[int, ...], inputs: int) -> Any:
        """All inputs of samples with this leading shape; x has those that are not shared, or is None."""
        row = self.row if x is None else self.row.astype(jnp.result_type(self.row, x))
        kept = jnp.zeros((*lead, self.count), row.dtype)
        if x is None:
            row, kept = alike([row, kept])
            return _repeated(row, kept)
        row, kept, x = alike([row, kept, x])
        others = jnp.broadcast_to(x, (*lead, x.shape[-1]))
        numbers = np.setdiff1d(np.arange(inputs), self.sharing.inputs)
        place = np.argsort(np.concatenate([self.sharing.inputs, numbers]))
        joined = jnp.concatenate([_repeated(row, kept), others.astype(row.dtype)], -1)
        return joined if np.array_equal(place, np.arange(inputs)) else joined[..., place]
