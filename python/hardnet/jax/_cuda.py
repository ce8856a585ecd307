"""The primitives on CUDA devices: float64 in and out, around a call of the extension's handlers.

A program that is compiled for CUDA converts its numbers to float64, also where JAX has no 64-bit types
enabled, calls the handler, and takes outcome, iterations, violation and worst row from the records
that it fills. Memory for the call, the tape of backward above all, is an unused result: XLA
plans it with its own.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import contextlib
import importlib
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.interpreters import mlir

from .. import _core
from .._result import REPORT

__all__ = ["Finder", "backward", "forget", "forward", "know", "lower"]

#: Gives the kernels for the device of a number.
Finder = Callable[[int], _core.DeviceLayer]

_MOST_TAPE = 2 << 30  # bytes; more samples than it has room for are differentiated in blocks
_WORDS = REPORT.itemsize // 4


def _word(name: str) -> int:
    """Where a field of a record begins, in words of 4 bytes."""
    offset: int = (REPORT.fields or {})[name][1]
    return offset // 4


# ---- kernels by the keys of their layers ----

_finders: dict[str, tuple[Finder, int]] = {}


def know(key: str, finder: Finder) -> None:
    """A layer whose kernels programs may ask for; equal ones are one."""
    first, count = _finders.get(key, (finder, 0))
    _finders[key] = first, count + 1


def forget(key: str) -> None:
    """Undoes one `know`."""
    finder, count = _finders.pop(key)
    if count > 1:
        _finders[key] = finder, count - 1


def _kernels(call: Any) -> _core.DeviceLayer:
    """Those of the first device: their sizes are the same on all."""
    if not hasattr(jax, "ffi"):
        raise NotImplementedError("hardnet: CUDA devices need jax 0.5 or later")
    if call.on_fail != "return":
        raise NotImplementedError(
            f"hardnet: on_fail={call.on_fail!r} is not there on CUDA devices, where nothing waits for "
            "a sample: use on_fail='return' and look at the report (layer.with_report)"
        )
    if call.replaces:
        raise NotImplementedError(
            "hardnet: a layer with fallback or not_ok computes on the CPU, and this program is "
            "compiled for a CUDA device"
        )
    if call.key not in _finders:
        raise RuntimeError("hardnet: the layer of this program was released before it was compiled")
    return _finders[call.key][0](0)


# ---- the calls, in terms of JAX ----


def _wide_types() -> Any:
    """64-bit types while a program is made."""
    switch: Any = getattr(jax, "enable_x64", None)
    if not callable(switch):
        switch = importlib.import_module("jax.experimental").enable_x64
    return switch(True)


def _shape(lead: Any, *last: int, dtype: Any = np.float64) -> Any:
    struct: Any = jax.ShapeDtypeStruct
    return struct((*lead, *last), dtype)


def _bytes(count: int) -> Any:
    return _shape((), count, dtype=np.uint8)


def _lead(operands: Any) -> tuple[tuple[int, ...], int]:
    lead = tuple(operands[0].shape[:-1]) if operands else ()
    return lead, math.prod(lead)


def forward(*operands: Any, call: Any) -> tuple[Any, ...]:
    """y, outcome, iterations, violation, worst."""
    core, (lead, count) = _kernels(call), _lead(operands)
    shapes = [
        _shape(lead, call.outputs),
        _shape(lead, _WORDS, dtype=np.int32),
        _bytes(core.workspace_bytes(max(count, 1))),
    ]
    wide = [operand.astype(np.float64) for operand in operands]
    y, words, _ = jax.ffi.ffi_call("hardnet_forward_cuda", shapes)(*wide, layer=call.key)
    at = _word("violation")
    violation = jax.lax.bitcast_convert_type(words[..., at : at + 2], jnp.float64)
    return (
        y.astype(call.y_type),
        words[..., _word("outcome")],
        words[..., _word("iterations")],
        violation.astype(call.violation_type),
        words[..., _word("worst")],  # SIZE_MAX, for none, ends in the word -1
    )


def backward(*operands: Any, call: Any) -> tuple[Any, ...]:
    """grad_y_raw, grad_x where there are inputs, flagged."""
    core, (lead, count) = _kernels(call), _lead(operands)
    whole, one = core.tape_bytes(max(count, 1)), core.tape_bytes(1)
    shapes = [
        _shape(lead, call.outputs),
        *([_shape(lead, call.inputs)] if call.inputs else []),
        _shape(lead, dtype=np.bool_),
        _shape(lead, call.outputs),
        _shape(lead, _WORDS, dtype=np.int32),
        _bytes(min(whole, max(_MOST_TAPE, one))),
        _bytes(core.workspace_bytes(max(count, 1))),
    ]
    wide = [operand.astype(np.float64) for operand in operands]
    by_y, *others = jax.ffi.ffi_call("hardnet_backward_cuda", shapes)(*wide, layer=call.key)
    flagged = others[1 if call.inputs else 0]
    by_x = [others[0].astype(operands[-2].dtype)] if call.inputs else []
    return by_y.astype(call.y_type), *by_x, flagged


def lower(function: Callable[..., Any]) -> Any:
    """A lowering rule for a primitive, from what it is in terms of JAX."""
    rule = mlir.lower_fun(function, multiple_results=True)

    def lowered(context: Any, *operands: Any, call: Any) -> Any:
        wide: contextlib.AbstractContextManager[Any] = _wide_types()
        with wide:
            return rule(context, *operands, call=call)

    return lowered
