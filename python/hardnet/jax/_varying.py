"""Axes that values vary over inside shard_map, which later versions of JAX check (check_vma).

A primitive of ours gives results that are not marked as varying; they vary as its operands do.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import jax

__all__ = ["alike", "varying_as"]

_typeof: Any = getattr(jax, "typeof", None)


def _axes(value: Any) -> frozenset[Any]:
    """The axes that a value varies over; none outside of shard_map, or without the check."""
    kind = None if _typeof is None else _typeof(value)
    own = getattr(kind, "manual_axis_type", None)
    return getattr(kind, "vma", None) or getattr(own, "varying", None) or frozenset()


def _cast(value: Any, axes: frozenset[Any]) -> Any:
    missing = tuple(sorted(axes - _axes(value), key=str))
    if not missing:
        return value
    lax: Any = jax.lax
    if hasattr(lax, "pcast"):
        return lax.pcast(value, missing, to="varying")
    return lax.pvary(value, missing)


def alike(values: list[Any]) -> list[Any]:
    """The values, each varying over the axes of all; None stays None."""
    axes = frozenset().union(*(_axes(value) for value in values if value is not None))
    return [None if value is None else _cast(value, axes) for value in values]


def varying_as(results: Any, operands: Any) -> tuple[Any, ...]:
    """The results of a call, varying over the axes of its operands."""
    axes = frozenset().union(*(_axes(operand) for operand in operands if operand is not None))
    return tuple(_cast(result, axes) for result in results)
