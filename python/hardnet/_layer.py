"""The layer: corrects raw outputs onto the constraints, and computes gradients.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _checks, _core, _dlpack, _rounding
from ._devices import Devices, checked_precision
from ._errors import InvalidError
from ._options import Instructions, Method, NotOk, Precision
from ._result import REPORT, Gradient, Result
from ._shared import Values

if TYPE_CHECKING:
    from ._model import Model

__all__ = ["Gradient", "Layer", "Result"]

Reals = NDArray[np.float64]
Shape = tuple[int, ...]


class _Batch:
    """The arrays of one call in the form of the extension: float64, contiguous."""

    __slots__ = (
        "count",
        "lead",
        "multipliers",
        "proof_y",
        "repeat_x",
        "repeat_y",
        "residual",
        "shared",
        "tape",
        "x",
        "y",
        "y_raw",
    )

    lead: Shape
    count: int
    x: Reals | None
    y_raw: Reals | None
    y: Reals
    repeat_x: bool
    repeat_y: bool
    tape: NDArray[np.uint8] | None
    residual: Reals | None
    multipliers: Reals | None
    proof_y: Reals | None
    shared: Values


_NOT_OK = ("best", "clip", "fallback")


def _reals(value: ArrayLike, name: str, width: int) -> NDArray[Any]:
    """The array of a real argument whose last axis has this width."""
    array = _checks.reals(value, name)
    _checks.width(array.shape, name, width)
    return array


def _rows(array: NDArray[Any]) -> Reals:
    """float64 and contiguous; the array itself where it already is."""
    return np.ascontiguousarray(array, dtype=np.float64)


def _spread(array: NDArray[Any], lead: Shape) -> tuple[Reals, bool]:
    """Rows for a leading shape, and whether a single row is broadcast."""
    single = array.size == array.shape[-1]
    if single or array.shape[:-1] == lead:
        return _rows(array), single and lead != array.shape[:-1]
    return _rows(np.broadcast_to(array, (*lead, array.shape[-1]))), False


def _joined(y_raw: NDArray[Any] | None, x: NDArray[Any] | None) -> Shape:
    """The leading shape of a call."""
    if y_raw is None or x is None:
        given = y_raw if x is None else x
        return () if given is None else given.shape[:-1]
    if y_raw.shape[:-1] == x.shape[:-1]:
        return y_raw.shape[:-1]
    try:
        return np.broadcast_shapes(y_raw.shape[:-1], x.shape[:-1])
    except ValueError:
        raise InvalidError(
            f"y_raw and x do not fit together: leading shapes {y_raw.shape[:-1]} and {x.shape[:-1]}"
        ) from None


class Layer:
    """Corrects raw outputs onto the constraints of a model. Created by `model.layer(...)`.

    A layer is constant: any number of threads may call it. The same sample gives the same bits in
    any batch, at any index, on any number of threads.

    >>> import hardnet
    >>> model = hardnet.Model.from_text("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
    >>> layer = model.layer()
    >>> result = layer([3.0, 4.0])
    >>> result.outcome
    <Outcome.OK: 0>
    >>> bool(result.violation <= 1e-8)
    True
    >>> layer([[3.0, 4.0], [1.0, 1.0], [float("nan"), 0.0]]).outcome
    Outcomes([ok, ok, nonfinite_input])
    """

    def __init__(
        self,
        model: Model,
        method: Method = "auto",
        tolerance: float = 1e-8,
        *,
        iterations: int | None = None,
        damping: float | None = None,
        relative: bool = False,
        instructions: Instructions = "best",
        threads: int = 0,
        compile: bool | str | os.PathLike[str] = False,
        effort: float = 1,
        precision: Precision = "float64",
        weights: ArrayLike | None = None,
        fallback: ArrayLike | None = None,
        not_ok: NotOk = "best",
    ) -> None:
        """
        method: docs/method.md, Which method when, compares them. Use "nearest" for a safety filter.
        tolerance: the largest violation that counts as ok, in the units of the rows.
        iterations, damping: the method's own unless given.
        relative: measure violations relative to max(1, |bound|).
        instructions: "best", "portable", "avx2" or "avx512"; all compute the same bits.
        threads: of one call; 0 is one per core.
        compile: True runs batches with code that the system's C compiler makes for this model, several
            times as fast and with the same bits; it is kept in the user's cache. A path is that of
            a kernel that `hardnet compile` has written.
        effort: effort of "auto" before it gives up on a sample, as a factor: above 0, at most
            1000.
        precision: precision on a GPU: "float64", with the bits of the CPU, or "float32", faster,
            with a verdict in double. The CPU computes in float64.
        weights: of "nearest": S in |S (y - y_raw)|, one per output, finite and not negative.
        fallback: one number per output, returned where y_raw or x is not finite; the start values,
            clipped to their bounds, unless given.
        not_ok: what is returned for samples that are not ok: "best", the iterate with the smallest
            violation; "clip", the same clipped to the bounds of the outputs; or "fallback". The
            report is about the y that is returned; its outcome is that of the correction.
        """
        steps = -1 if iterations is None else _checks.whole(iterations, "iterations")
        eps = -1.0 if damping is None else _checks.real(damping, "damping")
        if damping is not None and not eps >= 0:
            raise InvalidError(f"damping must be 0 or more, not {damping}", "option", "damping")
        kernel = (
            None
            if isinstance(compile, bool)
            else _checks.path(compile, "compile", "True, False or a path")
        )
        core = _checks.core_of(model)
        scales = None if weights is None else _checked_row(weights, "weights", model)
        spare = None if fallback is None else _checked_row(fallback, "fallback", model)
        self.fallback: Reals | None = spare  #: None: the start values
        self.model = model.snapshot()  # more may be added to the other one
        self.settings: dict[str, Any] = {
            "method": method,
            "tolerance": tolerance,
            "iterations": iterations,
            "damping": damping,
            "relative": relative,
            "instructions": instructions,
            "threads": threads,
            "compile": compile if kernel is None else kernel,
            "effort": effort,
            "precision": checked_precision(precision),
            "weights": None if scales is None else scales.tolist(),
            "fallback": None if spare is None else spare.tolist(),
            "not_ok": _checked_not_ok(not_ok),
        }
        self.core = _core.Layer(
            core,
            _checks.text(method, "method"),
            steps,
            eps,
            _checks.real(tolerance, "tolerance"),
            relative,
            _checks.text(instructions, "instructions"),
            _checks.whole(threads, "threads", 1024),
            compile is True,
            kernel,
            _checks.real(effort, "effort"),
            scales,
        )
        info = self.core.info
        self._inputs: int = info["inputs"]
        self._outputs: int = info["outputs"]
        self._rows: int = info["rows"]
        self.proves = method in ("nearest", "optimal")  #: there are multipliers
        self.devices = Devices(self)  #: its kernels on CUDA devices
        self.judge: Layer | None = (
            None  #: the layer that _rounding.py checks with, created on demand
        )

    # ---- calls ----

    def __call__(
        self,
        y_raw: ArrayLike | None = None,
        x: ArrayLike | None = None,
        *,
        shared: ArrayLike | Mapping[str, ArrayLike] | None = None,
        out: Reals | None = None,
        warm: Reals | None = None,
        fallback: ArrayLike | None = None,
        seconds: float = 0.0,
        tape: bool = False,
        residual: bool = False,
    ) -> Result:
        """Corrects y_raw, of shape (..., outputs), at inputs x, of shape (..., inputs).

        Leading shapes broadcast. Arrays on a CUDA device, CuPy's and others that have `__dlpack__`,
        are corrected there, and y is an array of the same library; the call waits for the device.
        Without y_raw the model's start values are corrected. Everything is computed in float64; y has
        the type of y_raw. float32 outputs are rounded once, after the verdict; the reports of float16
        outputs are about the rounded y.

        shared: inputs with the same values for all samples, which are not copied: a dict of arrays by
            name, or one row, the first inputs. x then has the other inputs. `gradient` sums theirs.
        out: an array for y: float64, contiguous; it may be y_raw itself.
        warm: y - y_raw of the call before, updated in place: float64, zeros at first.
        fallback: in place of the layer's own.
        seconds: a time limit; samples that are not done by then are `cancelled`.
        tape: store a tape, so that `gradient` does not repeat the forward pass.
        residual: store the residual of every constraint, `result.residual`.
        """
        if _dlpack.device_of(y_raw) is not None or _dlpack.device_of(x) is not None:
            given = (out, warm, fallback, shared)
            if any(one is not None for one in given) or seconds != 0:
                raise InvalidError(
                    "out, warm, fallback, shared and seconds are not there on a device"
                )
            if self.fallback is not None or self.settings["not_ok"] != "best":
                raise InvalidError("a layer with fallback or not_ok computes on the CPU")
            return _dlpack.call(self, y_raw, x, tape, residual)
        batch, kind = self._batch(y_raw, x, out, Values(self.model, shared))
        batch.tape = np.empty(self.core.tape_bytes(batch.count), np.uint8) if tape else None
        batch.residual = np.empty((batch.count, self._rows)) if residual else None
        batch.multipliers = np.empty((batch.count, self._rows)) if self.proves else None
        batch.proof_y = np.empty((batch.count, self._outputs)) if self.proves else None
        reports = np.empty(batch.count, REPORT)
        spare = self.fallback
        if fallback is not None:
            spare = _rows(_reals(fallback, "fallback", self._outputs))
        self.core.run(
            batch.count,
            batch.x,
            batch.y_raw,
            batch.y,
            reports.view(np.uint8),
            residual=batch.residual,
            tape=batch.tape,
            warm=None if warm is None else _checked_warm(warm, batch),
            fallback=spare,
            repeat_x=batch.repeat_x,
            repeat_y=batch.repeat_y,
            seconds=_checks.real(seconds, "seconds"),
            multipliers=batch.multipliers,
            not_ok=self.settings["not_ok"],
            proof_y=batch.proof_y,
            **batch.shared.keywords,
        )
        y: NDArray[Any] = batch.y if kind is np.float64 else batch.y.astype(kind)
        if kind is np.float16:
            exact = y.astype(np.float64)
            _rounding.judge(self, batch.x, exact, reports, batch.residual, batch.shared.keywords)
        return Result(self, batch, y, reports)

    def gradient(
        self,
        result: Result,
        grad_y: ArrayLike,
        *,
        bounds: bool = False,
        weights: bool = False,
        grad_multipliers: ArrayLike | None = None,
    ) -> Gradient:
        """The gradient of a loss with respect to y_raw and x, from its gradient at the corrected y.

        result: the result of a call of this layer. Without its tape the forward pass is repeated.
            Its arrays y_raw, x and y must be unchanged.
        bounds: also with respect to the bounds of the constraints, `lower` and `upper`.
        weights: of "nearest": also with respect to the weights, per sample.
        grad_multipliers: of "nearest" and "optimal": the loss's gradient by `result.multipliers`.

        >>> import hardnet
        >>> model = hardnet.Model.from_text("var y{1..2}; subject to line: y[1] + y[2] = 1;")
        >>> layer = model.layer()
        >>> result = layer([3.0, 4.0], tape=True)
        >>> layer.gradient(result, [1.0, 0.0]).y_raw.round(3)
        array([ 0.5, -0.5])
        """
        if not isinstance(result, Result) or result._layer is not self:
            raise TypeError("result must be what a call of this layer returned")
        if grad_multipliers is not None and not self.proves:
            raise InvalidError(f"the method {self.settings['method']} has no multipliers")
        if weights and self.settings["method"] != "nearest":
            raise InvalidError(f"the method {self.settings['method']} has no weights")
        if isinstance(result._tape, _dlpack.Run):
            return _dlpack.gradient(self, result, grad_y, bounds, weights, grad_multipliers)
        grad = _reals(grad_y, "grad_y", self._outputs)
        lead, count = result._shape, result._reports.size
        if grad.shape[:-1] != lead:
            raise InvalidError(f"grad_y has the shape {grad.shape}, y has {(*lead, self._outputs)}")
        force = None
        if grad_multipliers is not None:
            force = _rows(_reals(grad_multipliers, "grad_multipliers", self._rows))
            if force.shape[:-1] != lead:
                wanted = (*lead, self._rows)
                raise InvalidError(
                    f"grad_multipliers has the shape {force.shape}, multipliers have {wanted}"
                )
        x, y_raw, tape, shared = result._x, result._y_raw, result._tape, result._shared
        own = self._inputs - shared.count
        repeat_x = x is not None and own > 0 and x.size != count * own
        repeat_y = y_raw is not None and y_raw.size != count * self._outputs
        y, reports = result._y64, result._reports
        if tape is None:
            y, reports = np.empty_like(y), np.empty_like(reports)
            tape = np.empty(self.core.tape_bytes(count), np.uint8)
            self.core.run(
                count,
                x,
                y_raw,
                y,
                reports.view(np.uint8),
                tape=tape,
                fallback=self.fallback,
                repeat_x=repeat_x,
                repeat_y=repeat_y,
                not_ok=self.settings["not_ok"],
                **shared.keywords,
            )
            overwritten = y_raw is not None and _same_place(y_raw, result._y64)
            if overwritten or not np.array_equal(y, result._y64):
                raise InvalidError(
                    "the call cannot be repeated: it was warm or ran out of time, or y_raw, x or y "
                    "were changed since; call the layer with tape=True"
                )
        by_y = np.empty((*lead, self._outputs))
        by_x = np.empty((*lead, own)) if own else None
        by_shared = np.zeros(shared.count) if shared.sharing else None
        lower = np.empty((*lead, self._rows)) if bounds else None
        upper = np.empty((*lead, self._rows)) if bounds else None
        by_weights = np.empty((*lead, self._outputs)) if weights else None
        flagged = np.empty(lead, np.bool_)
        self.core.gradient(
            count,
            x,
            y_raw,
            y,
            reports.view(np.uint8),
            tape,
            _rows(grad),
            by_y,
            grad_x=by_x,
            grad_lower=lower,
            grad_upper=upper,
            flagged=flagged,
            repeat_x=repeat_x,
            repeat_y=repeat_y,
            grad_multipliers=force,
            grad_weights=by_weights,
            grad_shared=by_shared,
            **shared.keywords,
        )
        return Gradient(by_y, by_x, lower, upper, flagged[()], by_weights, shared.shaped(by_shared))

    def _batch(
        self, y_raw: ArrayLike | None, x: ArrayLike | None, out: Reals | None, shared: Values
    ) -> tuple[_Batch, type[np.floating[Any]]]:
        raw = None if y_raw is None else _reals(y_raw, "y_raw", self._outputs)
        inputs = self._checked_inputs(x, self._inputs - shared.count)
        batch = _Batch()
        batch.shared = shared
        batch.lead = lead = _joined(raw, inputs)
        batch.count = count = _product(lead)
        batch.x, batch.repeat_x = (None, False) if inputs is None else _spread(inputs, lead)
        batch.y_raw, batch.repeat_y = (None, False) if raw is None else _spread(raw, lead)
        shape = (*lead, self._outputs)
        batch.y = np.empty(shape) if out is None else _checked_out(out, shape, batch)
        kind = np.float64 if raw is None or out is not None else raw.dtype.type
        if batch.repeat_x and count == 0:
            batch.repeat_x = False
            batch.x = np.empty((0, self._inputs - shared.count))
        if batch.repeat_y and count == 0:
            batch.repeat_y = False
            batch.y_raw = np.empty((0, self._outputs))
        return batch, kind

    def _checked_inputs(self, x: ArrayLike | None, own: int) -> NDArray[Any] | None:
        """The inputs that are not shared."""
        others = "other " if own < self._inputs else ""
        if own == 0:
            if x is not None and np.size(x) != 0:
                raise InvalidError(f"x was given, but the model has no {others}inputs")
            return None
        if x is None:
            raise InvalidError(f"x is missing: the model has {own} {others}inputs")
        return _reals(x, "x", own)

    # ---- looking ----

    @property
    def info(self) -> dict[str, Any]:
        """Sizes: inputs, outputs, rows, nonzeros of Jacobian and factor, operations per step."""
        return self.core.info

    @property
    def options(self) -> dict[str, Any]:
        """The options in use, with the method's own numbers filled in."""
        return self.core.options

    @property
    def tape_bytes(self) -> int:
        """Bytes of a tape per sample."""
        return self.core.tape_bytes(2) - self.core.tape_bytes(1)

    def __repr__(self) -> str:
        options = self.options
        return (
            f"Layer(method='{options['method']}', tolerance={options['tolerance']:g}, "
            f"inputs={self._inputs}, outputs={self._outputs}, rows={self._rows})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (self.model, self.settings)

    def __copy__(self) -> Layer:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        return self


def _checked_row(values: ArrayLike, name: str, model: Model) -> Reals:
    """One number per output."""
    outputs = len(model.output_names)
    array = _rows(_reals(values, name, outputs))
    if array.ndim != 1:
        raise InvalidError(f"{name} has the shape {array.shape}; it must be one row of {outputs}")
    if name == "fallback" and not np.isfinite(array).all():
        raise InvalidError("fallback must be finite")
    return array


def _checked_not_ok(not_ok: object) -> str:
    text = _checks.text(not_ok, "not_ok")
    if text not in _NOT_OK:
        raise InvalidError(f"not_ok '{text}' is unknown; choose one of {', '.join(_NOT_OK)}")
    return text


def _checked_out(out: Any, shape: Shape, batch: _Batch) -> Reals:
    """The caller's array for y, which may be y_raw itself but no other part of it."""
    _checks.written(out, "out", shape)
    _checks.apart(out, "out", batch.x, "x")
    if batch.y_raw is not None and not _same_place(out, batch.y_raw):
        _checks.apart(out, "out", batch.y_raw, "y_raw, but is not the same array")
    return out  # type: ignore[no-any-return]


def _same_place(a: NDArray[Any], b: NDArray[Any]) -> bool:
    return a.size == b.size and a.ctypes.data == b.ctypes.data


def _checked_warm(warm: Any, batch: _Batch) -> Reals:
    _checks.written(warm, "warm", batch.y.shape)
    _checks.apart(warm, "warm", batch.y, "out")
    _checks.apart(warm, "warm", batch.y_raw, "y_raw")
    _checks.apart(warm, "warm", batch.x, "x")
    return warm  # type: ignore[no-any-return]


def _restore(model: Model, settings: dict[str, Any]) -> Layer:
    return Layer(model, **settings)


def _product(shape: Shape) -> int:
    count = 1
    for extent in shape:
        count *= extent
    return count
