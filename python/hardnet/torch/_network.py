"""Networks that the command line knows, too: multilayer perceptrons with shifts and scales.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import layer_norm as normalized

from .. import _core
from .. import _layer as plain
from .._errors import InvalidError
from .._model import Model
from ._arguments import double
from ._layer import Layer
from ._perceptron import perceptron
from ._refine import scaled

__all__ = ["Network", "sample_inputs"]

_ACTIVATIONS: dict[str, type[nn.Module]] = {"relu": nn.ReLU, "tanh": nn.Tanh, "silu": nn.SiLU}
_BATCHES = 1 << 48  # the stream that `hardnet train` draws its batches from
_MOST_SEED = 1 << 64


def _model_of(owner: Model | plain.Layer | Layer) -> Model:
    model = owner if isinstance(owner, Model) else getattr(owner, "model", None)
    if not isinstance(model, Model):
        raise TypeError(f"a model or a layer is needed, not {type(owner).__name__}")
    return model


def _checked_seed(seed: int) -> int:
    if not 0 <= seed < _MOST_SEED:
        raise InvalidError(f"seed must be from 0 to 2^64 - 1, not {seed}")
    return int(seed)


def sample_inputs(
    owner: Model | plain.Layer | Layer, count: int, seed: int = 1, step: int = 0, *,
    dtype: torch.dtype | None = None,
) -> Tensor:  # fmt: skip
    """Inputs to train on, (count, inputs): each from its box, and meeting the model's requirements.

    They are those that `hardnet train` with this seed learns from in this step.

    >>> import hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text(
    ...     "param a >= 0, <= 2; check: a >= 1; var y; subject to c: y >= a;"
    ... )
    >>> x = hardnet.torch.sample_inputs(model, 100)
    >>> x.shape, bool(((x >= 1) & (x <= 2)).all())
    (torch.Size([100, 1]), True)
    """
    core = _model_of(owner).core
    if count < 0 or not 0 <= step < _BATCHES:
        raise InvalidError("count and step must not be negative")
    x = np.empty((count, core.input_count))
    _core.sample_inputs(core, _checked_seed(seed), _BATCHES + step, count, x)
    return torch.from_numpy(x).to(dtype or torch.get_default_dtype())


class Network(nn.Module):
    """A multilayer perceptron as `hardnet train` trains it, its weights drawn by the same rule.

        h_0 = (x - input_shift) * input_scale,   z_k = W_k h_(k-1) + b_k,   h_k = activation(z_k)
        y = output_shift + output_scale * (W h + b)

    A residual one adds z_(k-1) to z_k between hidden layers of the same width; layer_norm normalises
    each z_k over its neurons before the activation.

    >>> import torch, hardnet.torch
    >>> net = hardnet.torch.Network(3, 50, hidden=(16, 16), activation="silu")
    >>> net(torch.zeros(7, 3)).shape
    torch.Size([7, 50])
    """

    input_shift: Tensor
    input_scale: Tensor
    output_shift: Tensor
    output_scale: Tensor

    def __init__(
        self, inputs: int, outputs: int, hidden: Sequence[int] = (128, 128, 128, 128),
        activation: str = "relu", *, seed: int = 1, uniform: bool = False,
        residual: bool = False, layer_norm: bool = False, dtype: torch.dtype | None = None,
    ) -> None:  # fmt: skip
        """
        activation: "relu", "tanh" or "silu".
        seed: of the first weights.
        uniform: first weights and biases uniform up to 1 / sqrt(inputs); else normal, and 0.
        """
        super().__init__()
        core = _core.Network(
            inputs, outputs, tuple(hidden), activation, _checked_seed(seed), uniform, residual,
            layer_norm,
        )  # fmt: skip
        self._fill(core, dtype)

    @classmethod
    def for_model(
        cls, owner: Model | plain.Layer | Layer, hidden: Sequence[int] = (128, 128, 128, 128),
        activation: str = "relu", *, candidates: int = 1, seed: int = 1, x: Any = None,
        residual: bool = False, layer_norm: bool = False, dtype: torch.dtype | None = None,
    ) -> Network:  # fmt: skip
        """A network from the inputs of a model to its outputs, with shifts and scales that fit.

        They are those that `hardnet train` begins with: inputs by the middle and half width of
        their box, outputs by mean and standard deviation of corrected start values.

        candidates: number of outputs that the network computes for each input.
        x: rows of inputs, (count, inputs), where the model's boxes do not say where inputs lie.
        """
        model = _model_of(owner).core
        core = _core.Network(
            model.input_count, candidates * model.output_count, tuple(hidden), activation,
            _checked_seed(seed), False, residual, layer_norm,
        )  # fmt: skip
        rows = None if x is None else np.array(torch.as_tensor(x, dtype=torch.float64).numpy())
        if rows is not None and (rows.ndim != 2 or rows.shape[1] != model.input_count):
            raise InvalidError(f"x has the shape {rows.shape}, not (count, {model.input_count})")
        scaled(core, model, seed, rows)
        return cls._from_core(core, dtype)

    @classmethod
    def _from_core(cls, core: _core.Network, dtype: torch.dtype | None) -> Network:
        network = cls.__new__(cls)
        nn.Module.__init__(network)
        network._fill(core, dtype)
        return network

    # ---- numbers ----

    def _fill(self, core: _core.Network, dtype: torch.dtype | None) -> None:
        info = core.info
        kind = dtype or torch.get_default_dtype()
        widths = (info["inputs"], *info["hidden"], info["outputs"])
        self.activation: str = info["activation"]
        self.residual: bool = info["residual"]
        self.layer_norm: bool = info["layer_norm"]
        self.texts: dict[str, str] = core.texts  #: the metadata of the file
        self.layers = nn.ModuleList(
            nn.Linear(a, b, dtype=kind) for a, b in zip(widths[:-1], widths[1:])
        )
        self.activate = _ACTIVATIONS[self.activation]()
        numbers = [np.empty(info["parameters"])]
        numbers += [np.empty(info[side]) for side in ("inputs", "inputs", "outputs", "outputs")]
        core.get(*numbers)
        names = ("input_shift", "input_scale", "output_shift", "output_scale")
        for name, array in zip(names, numbers[1:]):
            self.register_buffer(name, torch.from_numpy(array).to(kind))
        self._set_parameters(torch.from_numpy(numbers[0]))

    def _set_parameters(self, flat: Tensor) -> None:
        parameters = list(self.layers.parameters())  # W and b of each layer in turn, as in the file
        end = 0
        with torch.no_grad():
            for parameter in parameters:
                begin, end = end, end + parameter.numel()
                parameter.copy_(flat[begin:end].view(parameter.shape))

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return self.input_shift.numel()

    @property
    def outputs(self) -> int:
        """The number of outputs, of all candidates together."""
        return self.output_shift.numel()

    def forward(self, x: Tensor) -> Tensor:
        """Raw outputs (..., outputs) of inputs (..., inputs)."""
        h = (x - self.input_shift) * self.input_scale
        before: Tensor | None = None
        for layer in self.layers[:-1]:
            z: Tensor = layer(h)
            if self.residual and before is not None and before.shape[-1] == z.shape[-1]:
                z = z + before
            before = z
            h = self.activate(normalized(z, z.shape[-1:]) if self.layer_norm else z)
        y: Tensor = self.layers[-1](h)
        return self.output_shift + self.output_scale * y

    def exact(self, x: Tensor) -> Tensor:
        """The same in float64 and with the bits of `hardnet eval`, without a gradient."""
        parts = [parameter.detach() for parameter in self.layers.parameters()]
        ends = [self.input_shift, self.input_scale, self.output_shift, self.output_scale]
        y: Tensor = perceptron(
            double(x, "x").detach(), parts, ends, self.activation, self.residual, self.layer_norm
        )
        return y
