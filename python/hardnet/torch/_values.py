"""The objective and the rows of a model as functions of PyTorch, for losses and penalties.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor

from .. import _core
from .. import _layer as plain
from .._errors import InvalidError
from .._model import Model
from . import _handles
from ._arguments import broadcast, double
from ._layer import Layer
from ._operators import Operator, batch_first, differentiable, differentiable_once, numbers

__all__ = ["objective", "residual", "violation"]

_WANTED = {
    "value": ["objective"],
    "slope": ["gradient_y", "gradient_x"],
    "rows": ["residual", "lower", "upper"],
    "pull": ["jacobian_y_w", "jacobian_x_w", "lower_x", "upper_x"],
}


class Values:
    """The evaluators of a model, made when they are first used; nothing of the model is kept."""

    def __init__(self, core: _core.Model, contents: str) -> None:
        self.core = core
        self.inputs, self.outputs, self.rows = core.input_count, core.output_count, core.row_count
        self.sign = -1.0 if core.goal is not None and core.goal[2] else 1.0
        self.contents = contents
        self.number = _handles.register(self)
        self._evaluators: dict[str, _core.Evaluator] = {}

    def run(self, what: str, y: Tensor, x: Tensor, **given: Any) -> dict[str, Any]:
        """The quantities that `what` stands for, one row for each sample."""
        if what not in self._evaluators:
            self._evaluators[what] = _core.Evaluator(self.core, _WANTED[what])
        evaluator = self._evaluators[what]
        count = y.shape[:-1].numel()
        results = {name: np.empty((count, evaluator.width(name))) for name in _WANTED[what]}
        if count > 0:
            evaluator.run(count, numbers(x), numbers(y), results, **given)
        return results

    def pattern(self, name: str) -> tuple[Any, Any]:
        """Rows and columns of the nonzeros of a matrix among `pull`."""
        first, column = self._evaluators["pull"].pattern(name)[2:4]
        starts = np.frombuffer(first, np.uintp).astype(np.int64)
        rows = np.repeat(np.arange(self.rows), np.diff(starts))
        return rows, np.frombuffer(column, np.uint32).astype(np.int64)


def _values_of(owner: Model | plain.Layer | Layer) -> Values:
    model = owner if isinstance(owner, Model) else getattr(owner, "model", None)
    if not isinstance(model, Model):
        raise TypeError(f"a model or a layer is needed, not {type(owner).__name__}")
    core = model.core  # more may have been added to the model

    def make() -> Values:
        return Values(core, _handles.contents_of("model", model))

    values: Values = model._cached("torch", make)
    return values


def _made(text: str) -> Values:
    return _values_of(Model.from_text(text))


_handles.makers["model"] = _made


def _arguments(owner: Any, y: Tensor, x: Tensor | None) -> tuple[Values, Tensor, Tensor]:
    values = _values_of(owner)
    inputs = None if x is None else double(x, "x")
    return values, *broadcast(values, double(y, "y"), inputs, "y")


# ---- the objective ----


def _objective(y: Tensor, x: Tensor, contents: str, number: int) -> Tensor:
    values = _handles.find(contents, number)
    found = torch.from_numpy(values.sign * values.run("value", y, x)["objective"])
    return found.reshape(y.shape[:-1])


def _objective_gradient(y: Tensor, x: Tensor, contents: str, number: int) -> tuple[Tensor, Tensor]:
    values = _handles.find(contents, number)
    found = values.run("slope", y, x)
    by_y, by_x = (torch.from_numpy(values.sign * found[name]) for name in _WANTED["slope"])
    return by_y.reshape(y.shape), by_x.reshape(x.shape)


def _objective_shape(y: Tensor, x: Tensor, contents: str, number: int) -> Tensor:
    return y.new_empty(y.shape[:-1])


def _objective_batch(
    info: Any, in_dims: Any, y: Tensor, x: Tensor, contents: str, number: int
) -> Any:
    return objective_operator(*batch_first(info, in_dims, y, x), contents, number), 0


def _gradient_shapes(y: Tensor, x: Tensor, contents: str, number: int) -> tuple[Tensor, Tensor]:
    return y.new_empty(y.shape), x.new_empty(x.shape)


def _gradient_batch(
    info: Any, in_dims: Any, y: Tensor, x: Tensor, contents: str, number: int
) -> Any:
    return gradient_operator(*batch_first(info, in_dims, y, x), contents, number), (0, 0)


objective_operator = Operator("objective", _objective, _objective_shape, _objective_batch)
gradient_operator = Operator(
    "objective_gradient", _objective_gradient, _gradient_shapes, _gradient_batch, direct=False
)
_slope = differentiable_once(gradient_operator, "the objective")


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor, str, int], output: Tensor) -> None:
    y, x, *ctx.values = inputs
    ctx.owner = _handles.find(inputs[2], int(inputs[3]))
    ctx.save_for_backward(y, x)


def _objective_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    by_y, by_x = _slope(*ctx.saved_tensors, *ctx.values)
    return grad.unsqueeze(-1) * by_y, grad.unsqueeze(-1) * by_x, None, None


_objective_of = differentiable(objective_operator, "the objective", _keep, _objective_backward)


def objective(owner: Model | plain.Layer | Layer, y: Tensor, x: Tensor | None = None) -> Tensor:
    """The objective of a model at outputs y and inputs x, one value for each sample.

    It has the sign with which it was written, also where the model maximises it, the type of y, and
    gradients by y and x.

    >>> import torch, hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text("var y{1..2}; minimize f: y[1]^2 + 3 * y[2];")
    >>> y = torch.tensor([[1.0, 2.0], [3.0, 0.0]], requires_grad=True)
    >>> f = hardnet.torch.objective(model, y)
    >>> f.detach()
    tensor([7., 9.])
    >>> f.sum().backward()
    >>> y.grad
    tensor([[2., 3.],
            [6., 3.]])
    """
    values, rows, inputs = _arguments(owner, y, x)
    if values.core.goal is None:
        raise InvalidError("the model has no objective (minimize or maximize)")
    found: Tensor = _objective_of(rows, inputs, values.contents, values.number)
    return found.to(y.dtype)


# ---- the rows ----


def _residual(y: Tensor, x: Tensor, contents: str, number: int) -> Tensor:
    values = _handles.find(contents, number)
    found = values.run("rows", y, x)["residual"]
    return torch.from_numpy(found).reshape(*y.shape[:-1], values.rows)


def _subtract_bound(values: Values, pulled: Any, bound: str, weights: Any) -> None:
    """Takes (d bound/dx)' weights from the gradient by x."""
    rows, columns = values.pattern(bound)
    np.add.at(pulled["jacobian_x_w"].T, columns, -(pulled[bound] * weights[:, rows]).T)


def _residual_gradient(
    grad: Tensor, y: Tensor, x: Tensor, contents: str, number: int
) -> tuple[Tensor, Tensor]:
    values = _handles.find(contents, number)
    found = values.run("rows", y, x)
    residual, equal = found["residual"], found["lower"] == found["upper"]
    below, above = residual < 0, (residual > 0) | (equal & (residual == 0))
    weights = np.where(below | above, numbers(grad).reshape(residual.shape), 0.0)
    pulled = values.run("pull", y, x, w=weights)
    _subtract_bound(values, pulled, "lower_x", np.where(below, weights, 0.0))
    _subtract_bound(values, pulled, "upper_x", np.where(above, weights, 0.0))
    by_y, by_x = (torch.from_numpy(pulled[name]) for name in ("jacobian_y_w", "jacobian_x_w"))
    return by_y.reshape(y.shape), by_x.reshape(x.shape)


def _residual_shape(y: Tensor, x: Tensor, contents: str, number: int) -> Tensor:
    return y.new_empty((*y.shape[:-1], _handles.find(contents, int(number)).rows))


def _residual_batch(
    info: Any, in_dims: Any, y: Tensor, x: Tensor, contents: str, number: int
) -> Any:
    return residual_operator(*batch_first(info, in_dims, y, x), contents, number), 0


def _pull_shapes(
    grad: Tensor, y: Tensor, x: Tensor, contents: str, number: int
) -> tuple[Tensor, Tensor]:
    return y.new_empty(y.shape), x.new_empty(x.shape)


def _pull_batch(
    info: Any, in_dims: Any, grad: Tensor, y: Tensor, x: Tensor, contents: str, number: int
) -> Any:
    return pull_operator(*batch_first(info, in_dims, grad, y, x), contents, number), (0, 0)


residual_operator = Operator("residual", _residual, _residual_shape, _residual_batch)
pull_operator = Operator(
    "residual_gradient", _residual_gradient, _pull_shapes, _pull_batch, direct=False
)
_pull = differentiable_once(pull_operator, "the residual")


def _residual_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return *_pull(grad, *ctx.saved_tensors, *ctx.values), None, None


_residual_of = differentiable(residual_operator, "the residual", _keep, _residual_backward)


def residual(owner: Model | plain.Layer | Layer, y: Tensor, x: Tensor | None = None) -> Tensor:
    """What each row lacks at y and x: positive above its upper bound, negative below its lower one.

    The shape is (..., rows), the type that of y. Its gradients make penalties:
    `residual(model, y, x).square().sum(-1)`.

    >>> import torch, hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text("var y{1..2}; subject to c: 1 <= y[1] + y[2] <= 2;")
    >>> hardnet.torch.residual(model, torch.tensor([[0.0, 0.0], [1.0, 0.5], [3.0, 3.0]]))
    tensor([[-1.],
            [ 0.],
            [ 4.]])
    """
    values, rows, inputs = _arguments(owner, y, x)
    found: Tensor = _residual_of(rows, inputs, values.contents, values.number)
    return found.to(y.dtype)


def violation(owner: Model | plain.Layer | Layer, y: Tensor, x: Tensor | None = None) -> Tensor:
    """The largest |residual| of each sample; 0 if all constraints are satisfied.

    >>> import torch, hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text("var y{1..2}; subject to c: 1 <= y[1] + y[2] <= 2;")
    >>> hardnet.torch.violation(model, torch.tensor([[0.0, 0.0], [1.0, 0.5], [3.0, 3.0]]))
    tensor([1., 0., 4.])
    """
    rows = residual(owner, y, x)
    return rows.abs().amax(-1) if rows.shape[-1] else rows.sum(-1)
