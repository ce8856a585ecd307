"""Two primitives of JAX, forward and backward, that become calls of the extension's handlers.

Both take any leading axes as their batch, so that vmap only adds one more in front. They know no
derivatives: those of the layer come from `custom_vjp` around them, and second derivatives and
forward mode raise an error that says so.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import functools
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import ShapedArray
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

from .. import _core
from . import _cuda

try:
    from jax import ffi
except ImportError:  # before 0.5
    from jax.extend import ffi  # type: ignore[attr-defined,no-redef]

__all__ = ["Call", "backward", "forward"]


class Call(NamedTuple):
    """What is fixed in a call of a layer: part of the compiled program."""

    key: str  #: of the layer, in the extension's registry
    on_fail: str
    inputs: int
    outputs: int
    has_y_raw: bool  #: else the start values are corrected
    y_type: str  #: of y and of its gradients where there is no y_raw
    violation_type: str
    spreads_nan: bool  #: y is NaN where y_raw or x is not finite
    replaces: bool  #: the layer has a fallback, or not_ok
    rounds: str  #: the type in half precision that y is returned in; "" for another
    judge: str  #: the key of the layer that judges rounded outputs


def _lead(call: Call, operands: Any) -> tuple[Any, ...]:
    return tuple(operands[0].shape[:-1]) if operands else ()


def _forward_shapes(*operands: Any, call: Call) -> list[ShapedArray]:
    lead = _lead(call, operands)
    return [
        ShapedArray((*lead, call.outputs), np.dtype(call.y_type)),
        ShapedArray(lead, np.dtype(np.int32)),
        ShapedArray(lead, np.dtype(np.int32)),
        ShapedArray(lead, np.dtype(call.violation_type)),
        ShapedArray(lead, np.dtype(np.int32)),
    ]


def _backward_shapes(*operands: Any, call: Call) -> list[ShapedArray]:
    lead = _lead(call, operands)
    shapes = [ShapedArray((*lead, call.outputs), np.dtype(call.y_type))]
    if call.inputs:
        shapes.append(ShapedArray((*lead, call.inputs), operands[-2].dtype))
    return [*shapes, ShapedArray(lead, np.dtype(np.bool_))]


def _lower_for_cpu(target: str) -> Any:
    rule = ffi.ffi_lowering(target)

    def lower(context: Any, *operands: Any, call: Call) -> Any:
        return rule(context, *operands, layer=call.key, on_fail=call.on_fail)

    return lower


def _lower_elsewhere(context: Any, *operands: Any, call: Call) -> Any:
    platforms = ", ".join(getattr(context.module_context, "platforms", None) or ["this platform"])
    raise NotImplementedError(
        "hardnet layers run on the CPU and on CUDA devices, and this program is compiled for "
        f"{platforms}: there is no handler for it. Run this part on the CPU, with jax.default_device(jax.devices('cpu')[0])"
    )


def _batch(primitive: Any, operands: Any, axes: Any, *, call: Call) -> Any:
    """One more leading axis; operands that do not have it are repeated along it."""
    mapped = [(o, a) for o, a in zip(operands, axes, strict=True) if a is not None]
    size = mapped[0][0].shape[mapped[0][1]]
    moved = [
        jnp.broadcast_to(o, (size, *o.shape)) if a is None else jnp.moveaxis(o, a, 0)
        for o, a in zip(operands, axes, strict=True)
    ]
    results = primitive.bind(*moved, call=call)
    return results, [0] * len(results)


def _no_derivative(primals: Any, tangents: Any, *, call: Call) -> Any:
    raise NotImplementedError(
        "a hardnet layer is differentiated once, in reverse mode (grad, vjp, jacrev): second "
        "derivatives and forward mode (jvp, jacfwd, hessian) through it are not available"
    )


def _make(name: str, shapes: Any, on_cuda: Any) -> Any:
    """A primitive, and the function that calls it."""
    target = f"hardnet_{name}"
    handlers = _core.xla_handlers
    ffi.register_ffi_target(target, handlers[name], platform="cpu")
    ffi.register_ffi_target(f"{target}_cuda", handlers[f"{name}_cuda"], platform="CUDA")
    primitive: Any = Primitive(target)
    primitive.multiple_results = True
    primitive.def_abstract_eval(shapes)
    mlir.register_lowering(primitive, _lower_for_cpu(target), platform="cpu")
    mlir.register_lowering(primitive, _cuda.lower(on_cuda), platform="cuda")
    mlir.register_lowering(primitive, _lower_elsewhere)
    batching.primitive_batchers[primitive] = functools.partial(_batch, primitive)
    ad.primitive_jvps[primitive] = _no_derivative

    @functools.partial(jax.jit, static_argnames="call")
    def compiled(*operands: Any, call: Call) -> Any:
        return primitive.bind(*operands, call=call)

    primitive.def_impl(compiled)
    return primitive.bind


forward = _make("forward", _forward_shapes, _cuda.forward)
backward = _make("backward", _backward_shapes, _cuda.backward)
