"""Learning from improved outputs: targets, and the loss that the trainer of the command line uses.

    improve        every output is corrected, then moved along the constraints to a lower
                   objective; what comes out is a target for what went in
    improve_loss   the distance of a network's outputs from their targets

The distance is measured in units of the outputs' scales by Huber's function h(d): d^2 up to
`huber`, then linear, so that an output between two goals takes one of them and not their middle.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import torch
from torch import Tensor

from .._errors import InvalidError
from .._result import REPORT
from . import _handles
from ._arguments import check_width, checked_inputs, double
from ._layer import Layer
from ._operators import Operator, batch_first, numbers

__all__ = ["Improvement", "improve", "improve_loss"]


@dataclasses.dataclass(frozen=True)
class Improvement:
    """The results of `improve` for inputs of shape (...), with K candidates."""

    targets: Tensor  #: (..., K * outputs): refined outputs; y_raw where it could not be corrected
    best: Tensor  #: (...): the best candidate: ok before not ok, then the lowest objective
    objective: Tensor  #: (..., K): of the refined outputs, with the sign as it was written
    ok: Tensor  #: (..., K): whether the refined outputs satisfy the constraints


def _improve(
    y_raw: Tensor, x: Tensor, round: Tensor, contents: str, number: int, outputs: int, steps: int, explore: float,
    scaled: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    layer = _handles.find(contents, number)
    lead, count = y_raw.shape[:-1], y_raw.shape[:-1].numel()
    candidates = y_raw.shape[-1] // outputs
    targets = torch.empty(y_raw.shape, dtype=torch.float64)
    best = torch.zeros(lead, dtype=torch.int64)
    objective = torch.zeros((*lead, candidates), dtype=torch.float64)
    reports = np.zeros(count * candidates * REPORT.itemsize, np.uint8)
    if count > 0:
        layer.refiners.improve(
            (steps, candidates), count, numbers(x), numbers(y_raw), targets.numpy(),
            best=best.numpy(), objective=objective.numpy(), reports=reports, explore=explore,
            round=int(round),
        )  # fmt: skip
    ok = torch.from_numpy(reports.view(REPORT)["outcome"] == 0).reshape(objective.shape)
    scale = torch.from_numpy(layer.refiners.output_scale().copy() if scaled else np.empty(0))
    return targets, best, layer.refiners.sign * objective, ok, scale


def _shapes(
    y_raw: Tensor, x: Tensor, round: Tensor, contents: str, number: int, outputs: int, steps: int, explore: float,
    scaled: bool,
) -> tuple[Tensor, Tensor, Tensor, Tensor, Tensor]:  # fmt: skip
    lead = y_raw.shape[:-1]
    each = (*lead, y_raw.shape[-1] // outputs)
    return (
        y_raw.new_empty(y_raw.shape),
        y_raw.new_empty(lead, dtype=torch.int64),
        y_raw.new_empty(each),
        y_raw.new_empty(each, dtype=torch.bool),
        y_raw.new_empty(outputs if scaled else 0),
    )


def _batch(info: Any, in_dims: Any, y_raw: Tensor, x: Tensor, round: Tensor, *rest: Any) -> Any:
    if in_dims[2] is not None:
        raise RuntimeError("hardnet: the round of improve cannot be mapped over")
    tensors = batch_first(info, in_dims, y_raw, x)
    return improve_operator(*tensors, round, *rest), (0, 0, 0, 0, None)


improve_operator = Operator("improve", _improve, _shapes, _batch)


def _prepared(layer: Layer, y_raw: Tensor, x: Tensor | None) -> tuple[Tensor, Tensor]:
    """Outputs of any number of candidates, and inputs, detached, with one leading shape."""
    if not isinstance(layer, Layer):
        raise TypeError(f"layer must be a hardnet.torch.Layer, not {type(layer).__name__}")
    raw = double(y_raw, "y_raw").detach()
    inputs = checked_inputs(layer, None if x is None else double(x, "x").detach())
    if raw.dim() == 0 or raw.shape[-1] == 0 or raw.shape[-1] % layer.outputs != 0:
        check_width(raw, "y_raw", layer.outputs)
    if inputs is None:
        return raw, raw.new_empty((*raw.shape[:-1], 0))
    if inputs.dim() > 1 and inputs.shape[:-1] != raw.shape[:-1]:
        raise InvalidError(
            f"y_raw and x do not fit together: leading shapes {tuple(raw.shape[:-1])} "
            f"and {tuple(inputs.shape[:-1])}"
        )
    return raw, inputs.expand(*raw.shape[:-1], layer.inputs)


def improve(
    layer: Layer, y_raw: Tensor, x: Tensor | None = None, steps: int = 1, explore: float = 0.0,
    round: int = 0,
) -> Improvement:  # fmt: skip
    """Targets for a network's outputs: outputs that satisfy the constraints and cost less.

    y_raw is (..., outputs), or (..., K * outputs) for a network with K candidates, of which the
    best counts; x is (..., inputs). Nothing is differentiated.

    steps: refinement steps, each the solution of a QP.
    explore: above 0: also tries, for every input, where the output of another one leads, and takes
        that for a target when it lowers the objective by this share. Inputs look among 40.
    round: of a training; exploring happens in every fourth, each time from another input.

    >>> import torch, hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text(
    ...     "var y{1..2}; minimize f: y[1]^2 + y[2]^2; subject to line: y[1] + y[2] = 2;"
    ... )
    >>> layer = hardnet.torch.Layer(model)
    >>> hardnet.torch.improve(layer, torch.tensor([[5.0, 0.0]])).targets.round(decimals=3)
    tensor([[1., 1.]])
    """
    raw, inputs = _prepared(layer, y_raw, x)
    number = torch.tensor(round, dtype=torch.int64)
    owner = layer.contents, layer._number, layer.outputs
    found = improve_operator(raw, inputs, number, *owner, steps, float(explore), False)
    targets, best, objective, ok, _ = found
    return Improvement(targets.to(y_raw.dtype), best, objective.to(y_raw.dtype), ok)


def _huber(distances: Tensor, counts: Tensor, huber: float) -> Tensor:
    """h of the length of each last dimension. Rows whose square is not finite are 0 unless they count."""
    kept = counts | distances.detach().square().sum(-1, keepdim=True).isfinite()
    squares = torch.where(kept, distances, torch.zeros_like(distances)).square().sum(-1)
    if huber <= 0:
        return squares
    length = squares.clamp_min(huber * huber).sqrt()
    return torch.where(squares > huber * huber, huber * (2 * length - huber), squares)


def improve_loss(
    layer: Layer, y_raw: Tensor, x: Tensor | None = None, steps: int = 1, explore: float = 0.0, *,
    scale: Tensor | None = None, huber: float = 0.1, others: float = 0.1,
) -> Tensor:  # fmt: skip
    """How far a network's outputs are from their improved selves: the loss that trains best.

        loss = hardnet.torch.improve_loss(layer, net(x), x)

    It is the loss that `hardnet train` uses unless told otherwise (there with explore=0.01): the
    mean over inputs of h(y_raw - targets), see `improve`. Of K candidates the best counts fully,
    the others with the weight `others`, so that none stops learning. Samples that cannot be
    corrected have no gradient. Where y_raw or x is not finite the loss is NaN.

    scale: units of the outputs, (outputs,) or (K * outputs,); those that `Network.for_model` has
        unless given.
    huber: where h turns linear; 0: the square everywhere.

    In training mode each call advances `layer.round`, which decides when to explore.
    """
    raw, inputs = _prepared(layer, y_raw, x)
    owner = layer.contents, layer._number, layer.outputs
    found = improve_operator(raw, inputs, layer.round, *owner, steps, float(explore), scale is None)
    targets, best, objective, _, own = found  # before the round is over
    if layer.training:
        layer.round += 1
    unit = own if scale is None else double(scale.detach(), "scale")
    candidates = objective.shape[-1]
    if unit.shape[-1] == layer.outputs:
        unit = unit.repeat(candidates)
    distances = (y_raw.to(torch.float64) - targets) / unit
    bad = ~(raw.isfinite().all(-1, keepdim=True) & inputs.isfinite().all(-1, keepdim=True))
    distances = distances + torch.where(bad, torch.nan, 0.0)
    apart = distances.unflatten(-1, (candidates, layer.outputs))
    losses = _huber(apart, bad.unsqueeze(-1), huber)
    is_best = torch.arange(candidates) == best.unsqueeze(-1)
    weights = torch.where(is_best, losses.new_ones(()), losses.new_full((), others))
    count = max(1, best.numel())
    loss: Tensor = (weights * losses).sum() / count
    return loss.to(y_raw.dtype)
