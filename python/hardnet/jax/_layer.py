"""`hardnet.jax.layer`: the correction as a function of JAX arrays.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import functools
import hashlib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, overload

import jax
import jax.numpy as jnp
import numpy as np

from .. import _core
from .. import _checks, _contents, _rounding
from .. import _layer as plain
from .._errors import InvalidError
from .._model import Model
from .._options import Method, OnFail, Path, Settings
from .._outcome import Outcome
from . import _cuda
from ._multipliers import solve
from ._primitives import Call, backward, forward
from ._shared import SharedRow
from ._varying import alike, varying_as

if TYPE_CHECKING:
    from jax.typing import ArrayLike
    from typing_extensions import Unpack

__all__ = ["Gradients", "Layer", "Report", "layer"]

_ON_FAIL = ("return", "warn", "raise")
_OK, _STALLED = int(Outcome.OK), int(Outcome.STALLED)
_NONFINITE = int(Outcome.NONFINITE_INPUT)
_HALF = ("float16", "bfloat16")


class Report(NamedTuple):
    """What happened to each sample: arrays with the leading shape of the call."""

    outcome: jax.Array  #: int32, a number of hardnet.Outcome; 0 is ok
    iterations: jax.Array  #: int32, steps computed
    violation: jax.Array  #: the largest violation at y; of float32 before rounding, of half after
    worst: jax.Array  #: int32, the row of the largest violation; -1 where none is violated

    @property
    def ok(self) -> jax.Array:
        """Whether a fresh evaluation at y found every row within the tolerance."""
        return self.outcome == 0


class Gradients(NamedTuple):
    """Gradients of a loss through a layer, and flags of missing ones."""

    y_raw: jax.Array | None  #: None where y_raw was not given
    x: jax.Array | None  #: None for a model without inputs
    flagged: jax.Array  #: bool: the sample is not ok, or no finite gradient was found


# ---- the function that is differentiated ----


def _operands(call: Call, *arrays: Any) -> list[Any]:
    return [array for array in arrays if array is not None]


def _to_half(y: Any, kind: str) -> Any:
    """y rounded to a type in half precision, but still in its own.

    XLA may drop a conversion there and back, which it must not do here. Its own rounding takes the
    subnormal numbers of float16, multiples of 2^-24 below 2^-14, for 0.
    """
    if kind == "bfloat16":
        return jax.lax.reduce_precision(y, exponent_bits=8, mantissa_bits=7)
    normal = jax.lax.reduce_precision(y, exponent_bits=5, mantissa_bits=10)
    return jnp.where(jnp.abs(y) < 2.0**-14, jnp.round(y * 2.0**24) * 2.0**-24, normal)


def _rounded(call: Call, x: Any, columns: list[Any]) -> list[Any]:
    """y in half precision, and reports about it: the judge's, which takes no step.

    A sample that is ok only before it is rounded is stalled. y depends on the judge's outcomes,
    which are never negative, so that a compiler does not remove the judge: it may complain.
    """
    y, outcome, iterations, *_ = columns
    y = _to_half(y, call.rounds)
    judge = call._replace(key=call.judge, has_y_raw=True)
    fresh = varying_as(forward(*_operands(call, y, x), call=judge), [y])
    finite = jnp.isfinite(y).all(-1)
    within = finite & (fresh[1] == _OK)
    outcome = jnp.where((outcome == _OK) & ~within, _STALLED, outcome)
    violation = jnp.where(finite, fresh[3], jnp.inf).astype(fresh[3].dtype)
    worst = jnp.where(finite, fresh[4], -1)
    y = jnp.where((fresh[1] < 0)[..., None], jnp.nan, y).astype(y.dtype)
    return [y, outcome, iterations, violation, worst]


def _spread_nan(columns: list[Any]) -> list[Any]:
    """NaN where y_raw or x is not finite, and reports about that."""
    y, outcome, iterations, violation, worst = columns
    bad = outcome == _NONFINITE
    y = jnp.where(bad[..., None], jnp.nan, y).astype(y.dtype)
    violation = jnp.where(bad, jnp.inf, violation).astype(violation.dtype)
    return [y, outcome, iterations, violation, jnp.where(bad, -1, worst)]


@functools.partial(jax.custom_vjp, nondiff_argnums=(0,))
def _correct(call: Call, y_raw: Any, x: Any) -> Any:
    operands = _operands(call, y_raw, x)
    quiet = call._replace(on_fail="return") if call.rounds else call  # the judge complains
    columns = list(varying_as(forward(*operands, call=quiet), operands))
    if call.rounds:
        columns = _rounded(call, x, columns)
    return tuple(_spread_nan(columns) if call.spreads_nan else columns)


def _correct_forward(call: Call, y_raw: Any, x: Any) -> Any:
    return _correct(call, y_raw, x), (y_raw, x)


def _any_nonfinite(operands: list[Any], like: Any) -> Any:
    """Which samples have an operand that is not finite."""
    bad = jnp.zeros_like(like)
    for array in operands:
        bad |= ~jnp.isfinite(array).all(-1)
    return bad


def _pull(call: Call, y_raw: Any, x: Any, grad_y: Any) -> Gradients:
    operands = _operands(call, y_raw, x, grad_y)
    by_y, *by_x, flagged = varying_as(backward(*operands, call=call), operands)
    if call.spreads_nan:  # unless the loss does not depend on these outputs
        bad = (grad_y != 0).any(-1) & _any_nonfinite(operands[:-1], flagged)
        by_y = jnp.where(bad[..., None], jnp.nan, by_y).astype(by_y.dtype)
        by_x = [jnp.where(bad[..., None], jnp.nan, by).astype(by.dtype) for by in by_x]
    return Gradients(by_y if call.has_y_raw else None, by_x[0] if by_x else None, flagged)


def _correct_backward(call: Call, kept: Any, cotangents: Any) -> Any:
    y_raw, x = kept
    return _pull(call, y_raw, x, cotangents[0])[:2]


_correct.defvjp(_correct_forward, _correct_backward)

_correct_compiled = jax.jit(_correct, static_argnums=0)
_pull_compiled = jax.jit(_pull, static_argnums=0)


# ---- arguments ----


def _default_type() -> Any:
    """float64 where JAX has 64-bit types enabled, else float32."""
    return jnp.result_type(float)


def _real(value: Any, name: str) -> Any:
    array = jnp.asarray(value)
    if not jnp.issubdtype(array.dtype, jnp.floating):
        if jnp.issubdtype(array.dtype, jnp.complexfloating):
            raise TypeError(f"{name} must be an array of real numbers, not of {array.dtype}")
        array = array.astype(_default_type())
    return array


def _reals(value: Any, name: str, width: int) -> Any:
    array = _real(value, name)
    _checks.width(array.shape, name, width)
    return array


def _wide(array: Any) -> Any:
    """float32 or float64, which the handlers accept. Half precision is widened, which is exact."""
    wide = array.dtype in (np.float32, np.float64)
    return array if wide else array.astype(np.float32)


def _joined(arrays: list[tuple[str, Any]]) -> Any:
    """The common leading shape."""
    try:
        return jnp.broadcast_shapes(*(array.shape[:-1] for _, array in arrays))
    except ValueError:
        shapes = " and ".join(str(tuple(array.shape[:-1])) for _, array in arrays)
        names = " and ".join(name for name, _ in arrays)
        raise InvalidError(f"{names} do not fit together: leading shapes {shapes}") from None


def _model_of(model: Any) -> Model:
    if isinstance(model, Model):
        return model
    if isinstance(model, str) and (";" in model or "\n" in model):
        return Model.from_text(model)
    if isinstance(model, (str, os.PathLike)):
        return Model.from_file(model)
    raise TypeError(f"model must be a hardnet.Model, a path or a text, not {type(model).__name__}")


def _key_of(layer: plain.Layer) -> str:
    """The same for the same model and settings, in every process.

    The model counts by its text: fingerprints are equal for rows that mean the same but are rounded
    differently. They do where there is no text: for models that divide by 0 or contain NaN.
    """
    model = _contents.model_text(layer.model)
    if model is None:
        model = layer.model.fingerprint + layer.model.names_fingerprint
    unset = {"fallback": None, "not_ok": "best"}  # keys of earlier versions are without them
    settings = {k: v for k, v in layer.settings.items() if k not in unset or v != unset[k]}
    text = _contents.spelled([model, settings, layer.options])
    return hashlib.sha256(text.encode()).hexdigest()


def _keep(key: str, layer: plain.Layer) -> None:
    """Into the table that compiled functions look layers up in."""
    spare, settings = layer.fallback, layer.settings
    _core.xla_keep(
        key, layer.core, settings["threads"], layer.devices.find,
        None if spare is None else spare.tobytes(), settings["not_ok"],
    )  # fmt: skip
    _cuda.know(key, layer.devices.find)


# ---- the layer ----


class Layer:
    """Corrects a network's outputs onto the constraints of a model. Made by `hardnet.jax.layer`.

    A pure function: `layer(y_raw, x)` may be traced, compiled, batched and differentiated as any
    other; the layer itself may be an argument, or a part of a tree of parameters. y has the type of
    y_raw and is computed in double precision, whatever that type is. float32 outputs are rounded once,
    after the verdict; reports of float16 and bfloat16 outputs are about the rounded y. Where y_raw or
    x is not finite y is NaN, and so is its gradient, with one RuntimeWarning on the CPU; a layer with
    a `fallback` returns that instead. Gradients by y_raw and x are those of the whole correction. They are computed by running it again, so that nothing but y_raw and x is
    stored between forward and backward. Where a sample is not ok its gradient may be zero:
    `gradient` says where.

    >>> import jax, jax.numpy as jnp, hardnet.jax
    >>> layer = hardnet.jax.layer(\"\"\"
    ...     param radius >= 0.5, <= 2;
    ...     var y{1..2};
    ...     subject to circle: y[1]^2 + y[2]^2 = radius^2;
    ... \"\"\")
    >>> y_raw, x = jnp.array([[3.0, 4.0], [0.0, 2.0]]), jnp.ones((2, 1))
    >>> y, report = jax.jit(layer.with_report)(y_raw, x)
    >>> bool(report.ok.all())
    True

    Compiled functions find the layer in a table of the process, by a key made from the model's
    text and the settings; two equal layers are one. It stays there until the process ends,
    since compiled functions may outlive every object; `release` takes it out. A function that was
    exported (jax.export, with the checks for hardnet_forward and hardnet_backward disabled) or
    compiled into a cache on disk works in another process once that has made an equal layer.
    """

    def __init__(self, plain_layer: plain.Layer, on_fail: OnFail = "return") -> None:
        if on_fail not in _ON_FAIL:
            raise InvalidError(f"on_fail must be one of {', '.join(_ON_FAIL)}, not {on_fail!r}")
        self.inner = plain_layer
        self.on_fail = on_fail
        self.key = _key_of(plain_layer)
        self.__name__ = "hardnet_layer"  # what JAX calls a function that is compiled from it
        info = plain_layer.info
        self.inputs: int = info["inputs"]
        self.outputs: int = info["outputs"]
        self._kept = True
        self._judge_key = hashlib.sha256(f"{self.key} judge".encode()).hexdigest()
        _keep(self.key, plain_layer)
        # A program in half precision calls it, too, also one that another process has exported.
        _keep(self._judge_key, _rounding.judge_of(plain_layer))

    # ---- calls ----

    @overload
    def __call__(
        self,
        y_raw: ArrayLike | None = None,
        x: ArrayLike | None = None,
        *,
        shared: ArrayLike | Mapping[str, ArrayLike] | None = None,
        return_report: Literal[False] = False,
    ) -> jax.Array: ...

    @overload
    def __call__(
        self,
        y_raw: ArrayLike | None = None,
        x: ArrayLike | None = None,
        *,
        shared: ArrayLike | Mapping[str, ArrayLike] | None = None,
        return_report: Literal[True],
    ) -> tuple[jax.Array, Report]: ...

    def __call__(
        self, y_raw: Any = None, x: Any = None, *, shared: Any = None, return_report: bool = False
    ) -> Any:
        """Corrects y_raw, of shape (..., outputs), at inputs x, of shape (..., inputs).

        Leading shapes broadcast. Without y_raw the model's start values are corrected. With
        return_report the result is a pair of y and a `Report`.

        shared: inputs with the same values for all samples: a dict of arrays by name, or one row, the
            first inputs; x has the others. Their gradient is the sum over the samples of the call in
            their order.
        """
        call, arrays, dtype = self._prepared(y_raw, x, shared=shared)
        y, *columns = _correct_compiled(call, *arrays)
        y = y if y.dtype == dtype else y.astype(dtype)
        return (y, Report(*map(jax.lax.stop_gradient, columns))) if return_report else y

    def with_report(
        self, y_raw: ArrayLike | None = None, x: ArrayLike | None = None
    ) -> tuple[jax.Array, Report]:
        """y and the outcome of each sample."""
        pair: tuple[jax.Array, Report] = self(y_raw, x, return_report=True)
        return pair

    def with_multipliers(
        self, y_raw: ArrayLike, x: ArrayLike | None = None
    ) -> tuple[jax.Array, jax.Array]:
        """y and the multipliers of the rows, (..., rows), which have gradients, too.

        For the methods "nearest" and "optimal", on the CPU; both in the type of y_raw.
        """
        if self.inner.settings["method"] not in ("nearest", "optimal"):
            method = self.inner.settings["method"]
            raise InvalidError(f"the method {method} has no multipliers; nearest and optimal have")
        call, (raw, inputs), dtype = self._prepared(y_raw, x)
        if raw is None:
            raise InvalidError("y_raw is missing")
        if inputs is None:
            inputs = jnp.zeros((*raw.shape[:-1], 0), raw.dtype)
        raw, inputs = alike([raw, inputs])
        y, multipliers = solve(self.inner, raw, inputs)
        return y.astype(dtype), multipliers.astype(dtype)

    def gradient(
        self, y_raw: ArrayLike | None, x: ArrayLike | None, grad_y: ArrayLike
    ) -> Gradients:
        """Gradients of a loss from its gradient with respect to y, and flags of missing ones.

        They equal those of `jax.grad`. All leading shapes are the same, or broadcast.
        """
        grad = _reals(grad_y, "grad_y", self.outputs)
        call, arrays, _ = self._prepared(y_raw, x, _wide(grad))
        gradients: Gradients = _pull_compiled(call, *arrays)
        return gradients

    def _all_inputs(self, raw: Any, x: Any, shared: Any) -> Any:
        """x together with shared inputs."""
        row = SharedRow(self.model, shared, _real)
        others = self._checked_inputs(x, row.count)
        given = [(n, a) for n, a in (("y_raw", raw), ("x", others)) if a is not None]
        return row.beside(others, _joined(given) if given else (), self.inputs)

    def _prepared(
        self, y_raw: Any, x: Any, *others: Any, shared: Any = None
    ) -> tuple[Call, list[Any], Any]:
        """The call, operands that have the same leading shape, and the type of y."""
        raw = None if y_raw is None else _reals(y_raw, "y_raw", self.outputs)
        inputs = self._checked_inputs(x) if shared is None else self._all_inputs(raw, x, shared)
        named = [("y_raw", raw), ("x", inputs), *(("grad_y", other) for other in others)]
        given = [(name, array) for name, array in named if array is not None]
        lead = _joined(given) if given else ()
        dtype = _default_type() if raw is None else raw.dtype
        wide = np.dtype(np.float64 if dtype == np.float64 else np.float32)
        call = Call(
            self.key,
            self.on_fail,
            self.inputs,
            self.outputs,
            raw is not None,
            wide.name,
            np.dtype(_default_type()).name,
            *self._returns(dtype),
        )
        spread = [
            None if array is None else jnp.broadcast_to(_wide(array), (*lead, array.shape[-1]))
            for _, array in named
        ]
        return call, alike(spread), dtype

    def _returns(self, dtype: Any) -> tuple[bool, bool, str, str]:
        """What a call knows about the outputs that it returns: the last fields of `Call`."""
        fallback, not_ok = self.inner.settings["fallback"], self.inner.settings["not_ok"]
        spreads = fallback is None and not_ok != "fallback"
        replaces = fallback is not None or not_ok != "best"
        name = np.dtype(dtype).name
        return (spreads, replaces, *((name, self._judge_key) if name in _HALF else ("", "")))

    def _checked_inputs(self, x: Any, shared: int = 0) -> Any:
        width, others = self.inputs - shared, "other " if shared else ""
        if width == 0:
            if x is not None and np.size(x) != 0:
                raise InvalidError(f"x was given, but the model has no {others}inputs")
            return None
        if x is None:
            raise InvalidError(f"x is missing: the model has {width} {others}inputs")
        return _reals(x, "x", width)

    # ---- life and looks ----

    def release(self) -> None:
        """Takes the layer out of the table that compiled functions look it up in, and frees it.

        Functions that were compiled with it then raise when they are called, unless an equal layer
        was made meanwhile. For programs that make very many different layers.
        """
        if self._kept:
            self._kept = False
            for key in (self.key, self._judge_key):
                _core.xla_drop(key)
                _cuda.forget(key)

    @property
    def model(self) -> Model:
        """The model of the constraints."""
        return self.inner.model

    @property
    def settings(self) -> dict[str, Any]:
        """What the layer was made with."""
        return {**self.inner.settings, "on_fail": self.on_fail}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layer):
            return NotImplemented
        return (self.key, self.on_fail) == (other.key, other.on_fail)

    def __hash__(self) -> int:
        return hash((self.key, self.on_fail))

    def __repr__(self) -> str:
        return f"hardnet.jax.{self.inner!r}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Layer, (self.inner, self.on_fail)

    def __copy__(self) -> Layer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        return self


# In a tree of arrays a layer is a part of the structure.
jax.tree_util.register_pytree_node(Layer, lambda node: ((), node), lambda node, _: node)


def layer(
    model: Model | plain.Layer | Path,
    method: Method = "auto",
    tolerance: float = 1e-8,
    *,
    on_fail: OnFail = "return",
    **settings: Unpack[Settings],
) -> Layer:
    """A layer for JAX.

    model: a `hardnet.Model`, the path of a model file, or its text; or a `hardnet.Layer`, whose
        settings are then taken.
    method, tolerance, settings: as for `hardnet.Layer`.
    on_fail: what to do about samples that are not ok: "return" the best that was found, "warn"
        (RuntimeWarning) or "raise" (JAX's XlaRuntimeError, when the results are waited for). All
        three work in compiled functions; backward tells it again. `with_report` tells in each case.
    """
    if isinstance(model, plain.Layer):
        if settings or (method, tolerance) != ("auto", 1e-8):
            raise TypeError("a hardnet.Layer was given: it has its own settings")
        return Layer(model, on_fail)
    return Layer(plain.Layer(_model_of(model), method, tolerance, **settings), on_fail)
