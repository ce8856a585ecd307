"""Policies: a network and its layer as one module, and their files.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from typing import Any, TypeGuard

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from .. import _layer as plain
from .._errors import InvalidError, UnsupportedError
from .._result import REPORT
from .._model import Model
from . import _handles
from ._arguments import checked_inputs, double
from ._correct import ROUNDS, finished
from ._layer import Layer, returned_type
from ._network import _ACTIVATIONS, Network
from ._operators import Operator, batch_first, differentiable, numbers
from ._perceptron import core_network

__all__ = ["Policy", "load_policy", "save_policy"]

Path = str | os.PathLike[str]


# ---- applying ----


def _choose(ok: Any, objective: Any) -> Any:
    """The best candidate of each row: ok before not ok, then the lowest objective."""
    best = np.zeros(len(ok), np.int64)
    rows = np.arange(len(ok))
    for k in range(1, ok.shape[1]):
        kept, found = ok[rows, best], ok[:, k]
        lower = objective[:, k] < objective[rows, best]
        best[(found & ~kept) | ((found == kept) & lower)] = k
    return best


def _refined(
    y_raw: Tensor, x: Tensor, contents: str, number: int, outputs: int, steps: int, rounds: int
) -> Tensor:
    layer = _handles.find(contents, number)
    lead, count = y_raw.shape[:-1], y_raw.shape[:-1].numel()
    candidates = y_raw.shape[-1] // outputs
    y = np.empty((count * candidates, outputs))
    objective = np.empty(count * candidates)
    reports = np.empty(count * candidates * REPORT.itemsize, np.uint8)
    inputs = np.repeat(numbers(x).reshape(count, layer.inputs), candidates, axis=0)
    if count > 0:
        layer.refiners.run(
            steps, count * candidates, inputs, numbers(y_raw), y,
            objective=objective, reports=reports,
        )  # fmt: skip
    records = reports.view(REPORT).reshape(count, candidates)
    best = _choose(records["outcome"] == 0, objective.reshape(count, candidates))
    rows = np.arange(count)
    chosen = y.reshape(count, candidates, outputs)[rows, best].reshape(*lead, outputs)
    kept = records[rows, best].view(np.uint8)
    return finished(layer, x, torch.from_numpy(chosen), kept, rounds)


def _refined_shape(
    y_raw: Tensor, x: Tensor, contents: str, number: int, outputs: int, steps: int, rounds: int
) -> Tensor:
    return y_raw.new_empty((*y_raw.shape[:-1], outputs))


def _refined_batch(info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, *rest: Any) -> Any:
    return refine_operator(*batch_first(info, in_dims, y_raw, x), *rest), 0


def _keep_nothing(ctx: Any, inputs: Any, output: Any) -> None:
    pass


def _refuse(ctx: Any, grad: Tensor) -> Any:
    raise NotImplementedError(
        "hardnet: refinement and the choice among candidates have no gradient; "
        "improve_loss learns from them"
    )


refine_operator = Operator("refine", _refined, _refined_shape, _refined_batch)
_refine = differentiable(refine_operator, "refinement", _keep_nothing, _refuse)


def _is_own(module: nn.Module) -> TypeGuard[Network]:
    """Whether the result has the library's bits."""
    return isinstance(module, Network) and type(module).forward is Network.forward


class Policy(nn.Module):
    """Maps inputs to outputs that satisfy the constraints: a network, its layer, and refinement.

    The network computes K candidates for each input; each is corrected and refined by `refine` steps,
    and the best is returned: ok before not ok, then the lowest objective. With one candidate and no
    refinement it is layer(network(x), x), with its gradient. Otherwise it has no gradient, and with
    a `Network` it computes the bits of `hardnet eval`.
    """

    def __init__(
        self, network: nn.Module, layer: Layer, candidates: int = 1, refine: int = 0
    ) -> None:
        super().__init__()
        if candidates < 1 or refine < 0:
            raise InvalidError("candidates must be at least 1 and refine at least 0")
        if (candidates > 1 or refine > 0) and layer.model.core.goal is None:
            raise InvalidError("the model has no objective: candidates and refinement need one")
        self.network = network
        self.layer = layer
        self.candidates = candidates
        self.refine = refine

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (..., outputs) at inputs (..., inputs)."""
        if self.candidates == 1 and self.refine == 0:
            y: Tensor = self.layer(self.network(x), x)
            return y
        inputs = checked_inputs(self.layer, double(x, "x"))
        if _is_own(self.network):
            raw, kind = self.network.exact(x), self.network.output_shift.dtype
            if torch.is_grad_enabled() and not torch.compiler.is_compiling():
                raw.requires_grad_()  # so that backward raises an error with the reason
        else:
            given: Tensor = self.network(x)
            raw, kind = double(given, "y_raw"), returned_type(given)
        if raw.shape[-1] != self.candidates * self.layer.outputs:
            raise InvalidError(
                f"the network gives {raw.shape[-1]} numbers; {self.candidates} candidates have "
                f"{self.candidates * self.layer.outputs}"
            )
        owner = self.layer.contents, self.layer._number, self.layer.outputs
        found: Tensor = _refine(raw, inputs, *owner, self.refine, ROUNDS.get(kind, 0))
        return found.to(kind)

    def extra_repr(self) -> str:
        """What print(module) shows."""
        return f"candidates={self.candidates}, refine={self.refine}"


# ---- files ----


def load_policy(
    path: Path, model: Model | None = None, *, dtype: torch.dtype | None = None, threads: int = 0
) -> Network | Policy:
    """A network that `hardnet train` or `save_policy` wrote, as a module.

    Without a model it is the network alone, from inputs to raw outputs. With the model that it was
    trained for it is a `Policy` that does what `hardnet eval` does with the file. A file for
    another model is refused.

    dtype: of the weights; torch's default unless given. Files hold float64.
    """
    if model is None:
        return Network._from_core(_core.Network.load(path), dtype)
    core = _core.Network.load(path, model.core)
    settings = dict(core.policy or {})
    scheme = settings.pop("scheme")
    if scheme != "layer":
        raise UnsupportedError(
            f"{os.fspath(path)}: the policy's scheme is {scheme}, and only layer is known here",
            "file",
            os.fspath(path),
        )
    candidates, refine = settings.pop("candidates"), settings.pop("refine")
    for name in ("iterations", "damping"):  # negative: the method's own
        settings[name] = None if settings[name] < 0 else settings[name]
    layer = Layer(model, **settings, threads=threads)
    return Policy(Network._from_core(core, dtype), layer, candidates, refine)


def _bare(module: nn.Module) -> nn.Module:
    """The module within wrappers of torch.compile and of data parallel training."""
    inner = getattr(module, "_orig_mod", None)
    if isinstance(module, (nn.parallel.DistributedDataParallel, nn.DataParallel)):
        inner = module.module
    return _bare(inner) if isinstance(inner, nn.Module) else module


def _steps_of(module: nn.Module) -> list[nn.Module]:
    """The modules of nested sequences in turn, without those that do nothing."""
    if type(module) is nn.Sequential:  # a class derived from it may do anything
        return [step for part in module for step in _steps_of(part)]
    return [] if isinstance(module, nn.Identity) else [module]


def _taken_apart(module: nn.Module) -> tuple[list[nn.Linear], str, Network | None]:
    """The linear layers of a perceptron, its activation, and the Network that it is, if any."""
    if _is_own(module):
        own = [layer for layer in module.layers if isinstance(layer, nn.Linear)]
        return own, module.activation, module
    linear: list[nn.Linear] = []
    found: set[str] = set()
    for i, step in enumerate(_steps_of(module)):
        name = next((n for n, kind in _ACTIVATIONS.items() if type(step) is kind), None)
        if i % 2 == 0 and type(step) is nn.Linear:
            linear.append(step)
        elif i % 2 == 1 and name is not None:
            found.add(name)
        else:
            raise TypeError(
                f"a network is nn.Linear and nn.ReLU, nn.Tanh or nn.SiLU in turn; "
                f"module {i} is {type(step).__name__}"
            )
    if not linear or i % 2 == 1:
        raise TypeError("a network ends with nn.Linear")
    if len(found) > 1:
        raise TypeError(f"a network has one activation, not {' and '.join(sorted(found))}")
    return linear, found.pop() if found else "relu", None


def _array(tensor: Tensor) -> Any:
    return tensor.detach().cpu().to(torch.float64).contiguous().numpy().reshape(-1)


def _core_of(module: nn.Module) -> _core.Network:
    linear, activation, own = _taken_apart(module)
    widths = [linear[0].in_features, *(layer.out_features for layer in linear)]
    parts = []
    for layer in linear:
        has_bias = isinstance(layer.bias, Tensor)
        bias = _array(layer.bias) if has_bias else np.zeros(layer.out_features)
        parts += [_array(layer.weight), bias]
    if own is None:
        ends = [np.full(widths[i], value) for i in (0, -1) for value in (0.0, 1.0)]
    else:
        tensors = (own.input_shift, own.input_scale, own.output_shift, own.output_scale)
        ends = [_array(tensor) for tensor in tensors]
    shape = (False, False) if own is None else (own.residual, own.layer_norm)
    return core_network(parts, ends, activation, *shape)


def save_policy(
    module: nn.Module, layer: Layer | plain.Layer, path: Path, *, refine: int | None = None,
    texts: dict[str, str] | None = None,
) -> None:  # fmt: skip
    """Writes a network with its layer's settings to a file that `hardnet eval` and `rollout` take.

    module: a `Network`, a `Policy`, or an nn.Sequential of nn.Linear and one of nn.ReLU, nn.Tanh,
        nn.SiLU in turn. Its outputs number K times those of the model, K candidates.
    refine: steps of refinement after the correction; the policy's own, or none.
    texts: travel beside the weights, as `Network.texts` of what is loaded.
    """
    bare = _bare(module)
    if isinstance(bare, Policy):
        refine = bare.refine if refine is None else refine
        bare = _bare(bare.network)
    inner = layer.inner if isinstance(layer, Layer) else layer
    core = _core_of(bare)
    settings, model = inner.settings, inner.model.core
    outputs = core.info["outputs"]
    if outputs % model.output_count != 0:
        raise InvalidError(
            f"the network gives {outputs} numbers, and the model has {model.output_count} outputs"
        )
    core.save(
        path, model, settings["method"],
        -1 if settings["iterations"] is None else settings["iterations"],
        -1.0 if settings["damping"] is None else settings["damping"],
        settings["tolerance"], settings["relative"], outputs // model.output_count, refine or 0,
        dict(texts or {}), settings["effort"],
    )  # fmt: skip
