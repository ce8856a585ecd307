"""Operators of PyTorch that are made from functions over NumPy arrays.

An operator can be called in three ways that give the same bits:

    directly            the kernel itself, for plain tensors in eager mode: an operator's dispatch
                        costs 160 us with cold caches, as much as 50 samples of the unicycle
    as an operator      where a transform of torch.func or a mode that looks at operators is active
    by torch.compile    as one node with known shapes; by torch.jit.trace, too

Gradients are never called directly: they may be batched in a way that cannot be seen from here
(torch.autograd.grad with is_grads_batched).

Its gradient is a torch.autograd.Function, which is what eager mode and torch.func want, and also
registered with the operator, which is what torch.compile wants: that follows no Function with a
jvp, and the jvp is what lets forward mode raise a sentence.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd import forward_ad

# PyTorch's own names for what is active; where one is missing, nothing is called directly.
_transforms_active = getattr(torch._C, "_are_functorch_transforms_active", lambda: True)
_modes_active = getattr(torch._C, "_len_torch_dispatch_stack", lambda: 1)
_PLAIN = (Tensor, nn.Parameter)
is_tracing: Any = getattr(torch._C, "_is_tracing", lambda: False)

# A kernel keeps reports beside its results, which memory that torch.compile(mode="reduce-overhead") plans for its
# graphs has no place for: such a graph is made of what lies around the operators.
_TAGS: dict[str, Any] = (
    {"tags": (torch.Tag.cudagraph_unsafe,)} if hasattr(torch.Tag, "cudagraph_unsafe") else {}
)


def _is_plain(arguments: tuple[Any, ...]) -> bool:
    """Whether a kernel may look at the numbers of these tensors."""
    if _transforms_active() or _modes_active() or is_tracing():
        return False
    return all(type(a) in _PLAIN for a in arguments if isinstance(a, Tensor))


def _is_constant(arguments: tuple[Any, ...]) -> bool:
    """Whether no derivative of what is computed from them can be asked for."""
    if getattr(forward_ad, "_current_level", 0) >= 0:
        return False
    if not torch.is_grad_enabled():
        return True
    return not any(a.requires_grad for a in arguments if isinstance(a, Tensor))


def refuse_onnx() -> None:
    """ONNX has no such operators: its exporter would raise something else, or write constants."""
    if torch.onnx.is_in_onnx_export():
        raise NotImplementedError(
            "hardnet: ONNX has no operator for a layer; use torch.export (a .pt2 that needs "
            "nothing but hardnet.torch), or export the network without its layer"
        )


class Operator:
    """hardnet::name, with its kernel, the shapes of its results, and a rule for vmap."""

    def __init__(
        self, name: str, kernel: Callable[..., Any], shapes: Callable[..., Any],
        batch: Callable[..., Any], direct: bool = True, devices: Sequence[str] = ("cpu",),
    ) -> None:  # fmt: skip
        self.kernel = kernel
        self.direct = direct
        self.operator = torch.library.custom_op(
            f"hardnet::{name}", kernel, mutates_args=(), device_types=tuple(devices), **_TAGS
        )
        self.operator.register_fake(shapes)
        self.operator.register_vmap(batch)

    def __call__(self, *arguments: Any) -> Any:
        if self.direct and not torch.compiler.is_compiling() and _is_plain(arguments):
            return self.kernel(*arguments)
        return self.operator(*arguments)


class _ReverseOnly(torch.autograd.Function):
    """A function with a backward; forward mode raises a sentence that names it."""

    name = "this function"
    generate_vmap_rule = True

    @classmethod
    def jvp(cls, ctx: Any, *tangents: Any) -> Any:
        raise NotImplementedError(
            f"hardnet: {cls.name} has gradients in reverse mode only "
            "(no forward mode, torch.func.jvp, jacfwd)"
        )


def differentiable(
    operator: Operator, what: str, keep: Callable[..., None], backward: Callable[..., Any]
) -> Callable[..., Any]:
    """A function like `operator` with a gradient: keep(ctx, inputs, output), backward(ctx, ...)."""

    members = {
        "name": what,
        "forward": staticmethod(operator.__call__),
        "setup_context": staticmethod(keep),
        "backward": staticmethod(backward),
    }
    function: Any = type(operator.kernel.__name__, (_ReverseOnly,), members)
    operator.operator.register_autograd(backward, setup_context=keep)

    def call(*arguments: Any) -> Any:
        if torch.compiler.is_compiling() or is_tracing():
            refuse_onnx()
            return operator.operator(*arguments)
        if operator.direct and _is_plain(arguments) and _is_constant(arguments):
            return operator.kernel(*arguments)
        return function.apply(*arguments)

    return call


def differentiable_once(operator: Operator, what: str) -> Callable[..., Any]:
    """A function like `operator`, the gradient of `what`; differentiating it again raises."""

    def keep(ctx: Any, inputs: Any, output: Any) -> None:
        pass

    def backward(ctx: Any, *gradients: Any) -> Any:
        raise NotImplementedError(
            f"hardnet: the gradient of {what} is not differentiated again "
            "(double backward, create_graph=True)"
        )

    return differentiable(operator, what, keep, backward)


def batch_first(info: Any, in_dims: Any, *tensors: Tensor) -> tuple[Tensor, ...]:
    """The tensors with the dimension that vmap maps over in front, repeated where there is none."""
    return tuple(
        tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
        for tensor, dim in zip(tensors, in_dims)
    )


def numbers(tensor: Tensor) -> Any:
    """A NumPy view of a tensor; of a contiguous copy where it is not."""
    plain = tensor.detach()
    return (plain if plain.is_contiguous() else plain.contiguous()).numpy()
