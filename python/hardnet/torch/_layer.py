"""`hardnet.torch.Layer`: the correction as a module of PyTorch.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from .. import _layer as plain
from .. import _rounding
from .._errors import Error, InvalidError
from .._model import Model
from .._options import Method, OnFail
from .._outcome import Outcome
from .._result import REPORT
from .._shared import Sharing
from .._warnings import stacklevel
from . import _cuda, _handles, _nonfinite
from ._arguments import broadcast, check_devices, double
from ._buffers import Buffers
from ._correct import ROUNDS, corrected, corrected_taped
from ._multipliers import with_multipliers
from ._operators import is_tracing
from ._refine import Refiners
from ._shared import corrected_shared, joined

__all__ = ["Layer", "NotOkError", "NotOkWarning", "Reports"]

_ON_FAIL = ("return", "warn", "raise")

#: What every copy of a layer has for itself.
_OWN = (
    "_reports",
    "_flagged",
    "_number",
    "contents",
    "input_shapes",
    "memory",
    "record_bytes",
    "refiners",
    "sharings",
    "spreads_nan",
)

_exporting: Any = getattr(torch.compiler, "is_exporting", lambda: False)


def _is_exported() -> bool:
    """Whether a program is made that may run elsewhere, where a record has another size."""
    if torch.compiler.is_compiling():
        return bool(_exporting())
    return bool(is_tracing())


def returned_type(y_raw: Tensor) -> torch.dtype:
    """The type of y: that of y_raw, but never one that autocast has chosen for products."""
    if y_raw.dtype in ROUNDS and torch.is_autocast_enabled(y_raw.device.type):
        return torch.float32
    return y_raw.dtype


class NotOkError(Error, RuntimeError):
    """Samples that could not be corrected, with on_fail="raise".

    `reports` has what happened to each sample of the call.
    """

    reports: Reports | None = None


class NotOkWarning(RuntimeWarning):
    """Samples that could not be corrected, with on_fail="warn"."""


class Reports(plain.Result):
    """What happened to the samples of a call: `outcome`, `ok`, `iterations`, `violation`, `worst`,
    and the rest of what a `hardnet.Result` has, but for `y`.
    """

    __slots__ = ()

    def __init__(self, layer: Any, reports: NDArray[Any]) -> None:
        self._layer = layer
        self._reports = reports.reshape(-1)
        self._shape = reports.shape
        self._residual = None
        self._multipliers = None

    def summary(self) -> str:
        """One sentence about the samples that are not ok."""
        wrong = self._reports[self._reports["outcome"] != 0]
        counts = Counter(str(Outcome(int(code))) for code in wrong["outcome"])
        kinds = ", ".join(f"{name} {count}" for name, count in counts.most_common())
        text = f"{len(wrong)} of {self._reports.size} samples are not ok ({kinds})"
        names = self._layer.model.row_names
        if len(wrong):
            worst = wrong[np.nan_to_num(wrong["violation"], nan=np.inf).argmax()]
        if len(wrong) and worst["worst"] < len(names):
            row = names[worst["worst"]]
            text += f"; the largest violation is {worst['violation']:.3g}, in {row}"
        return text

    def __repr__(self) -> str:
        count = self._reports.size
        good = int(np.count_nonzero(self._reports["outcome"] == 0))
        return f"Reports(ok={good} of {count})"


def _on_host(reports: Tensor) -> NDArray[Any]:
    """Reports from the bytes that a device has."""
    records: NDArray[Any] = reports.cpu().numpy().view(REPORT)[..., 0]
    return records


class Layer(nn.Module):
    """A differentiable layer that corrects a network's outputs onto the constraints of a model.

    >>> import torch, hardnet, hardnet.torch
    >>> model = hardnet.Model.from_text("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
    >>> layer = hardnet.torch.Layer(model)
    >>> y_raw = torch.tensor([[3.0, 4.0], [0.0, 2.0]], requires_grad=True)
    >>> y = layer(y_raw)
    >>> y.detach()
    tensor([[0.6000, 0.8000],
            [0.0000, 1.0000]])
    >>> layer.last.ok
    array([ True,  True])
    >>> y.sum().backward()
    >>> y_raw.grad.shape
    torch.Size([2, 2])

    It has no parameters and an empty state_dict. It computes in float64 on y_raw's device, CPU or
    CUDA; y has the type of y_raw. float32 outputs are rounded once, after the outcome is determined.
    Reports of float16 and bfloat16 outputs are about the rounded y: `ok` needs a tolerance that
    fits the type. Under autocast y is float32 if y_raw is in half precision. Gradients are those of
    the whole correction, with respect to y_raw and x; second derivatives and forward mode raise.

    NaN in gives NaN out: if y_raw or x is not finite, y and its gradient are NaN, with one
    warning (NotOkWarning). A layer with a `fallback` returns that instead.

    On a CUDA device calls are asynchronous; only `layer.last`, `layer.flagged` and
    on_fail="raise" wait for it.
    """

    round: Tensor  #: calls of improve_loss so far

    def __init__(
        self,
        model: Model | plain.Layer,
        method: Method = "auto",
        tolerance: float = 1e-8,
        *,
        on_fail: OnFail = "return",
        **settings: Any,
    ) -> None:
        """
        model: a `hardnet.Model`; or a `hardnet.Layer`, whose settings are then taken.
        method, tolerance, settings: as for `hardnet.Layer`.
        on_fail: what to do about samples that are not ok: "return" the best that was found, "warn"
            (NotOkWarning) or "raise" (NotOkError). `layer.last` tells in each case. On a CUDA device
            "warn" warns when `layer.last` is read, "raise" makes every call wait for the device.
        """
        super().__init__()
        if on_fail not in _ON_FAIL:
            raise InvalidError(f"on_fail must be one of {', '.join(_ON_FAIL)}, not {on_fail!r}")
        if isinstance(model, plain.Layer):
            if settings or (method, tolerance) != ("auto", 1e-8):
                raise TypeError("a hardnet.Layer was given: it has its own settings")
            self.inner = model
        else:
            self.inner = plain.Layer(model, method, tolerance, **settings)
        self.on_fail = on_fail
        self.inputs: int = self.inner.info["inputs"]  #: of the model
        self.outputs: int = self.inner.info["outputs"]  #: of the model
        self.register_buffer("round", torch.zeros((), dtype=torch.int64), persistent=False)
        self._prepare()

    def _prepare(self) -> None:
        """What is not part of the state, and made anew in every copy."""
        self._flagged: NDArray[np.bool_] | Tensor | None = None
        self._reports: NDArray[Any] | Tensor | None = None  # bytes, where they are on a device
        settings = self.inner.settings
        self.contents = _handles.contents_of("layer", self.inner.model, settings, self.on_fail)
        self._number = _handles.register(self)
        #: whether outputs are NaN where y_raw or x is not finite
        self.spreads_nan = settings["fallback"] is None and settings["not_ok"] != "fallback"
        self.input_shapes = {name: f.shape for name, f in self.model._families("input").items()}
        self.sharings: dict[tuple[str, int], Sharing] = {}
        self.memory = Buffers()
        self.refiners = Refiners(self.inner)
        self.record_bytes: int = REPORT.itemsize + self.core.tape_bytes(1)

    def forward(
        self,
        y_raw: Tensor,
        x: Tensor | None = None,
        shared: Tensor | Mapping[str, Tensor] | None = None,  # torch.onnx passes it by position
    ) -> Tensor:
        """Corrected outputs. y_raw is (..., outputs), x (..., inputs); leading shapes broadcast.

        shared: inputs with the same values for all samples, which are not copied: a dict of tensors by
            name, or one row, the first inputs; x has the others. Their gradient is the sum over the
            samples in their order. On the CPU.
        """
        raw, given = double(y_raw, "y_raw", True), None if x is None else double(x, "x", True)
        check_devices(raw, given)
        if shared is not None:
            return self._forward_shared(y_raw, raw, given, shared)
        raw, inputs = broadcast(self, raw, given)
        kind = returned_type(y_raw)
        rounds, layer = ROUNDS.get(kind, 0), (self.contents, self._number)
        needs_grad = torch.is_grad_enabled() and (raw.requires_grad or inputs.requires_grad)
        y: Tensor
        if needs_grad and rounds == 0 and not _is_exported():
            each = self.record_bytes
            if raw.is_cuda:
                each = _cuda.record_bytes(*layer, raw.device.index)
            y, _ = corrected_taped(raw, inputs, *layer, each)
        else:
            y = corrected(raw, inputs, *layer, rounds)
        return y if kind is torch.float64 else y.to(kind)

    def _forward_shared(
        self, y_raw: Tensor, raw: Tensor, given: Tensor | None, shared: Any
    ) -> Tensor:
        if raw.is_cuda:
            raise InvalidError(
                f"y_raw is on {raw.device}: shared inputs are for the CPU; expand them into x instead"
            )
        row, names = joined(self, shared)
        raw, inputs = broadcast(self, raw, given, shared=row.shape[0])
        kind = returned_type(y_raw)
        rounds = ROUNDS.get(kind, 0)
        differentiated = torch.is_grad_enabled() and any(
            tensor.requires_grad for tensor in (raw, inputs, row)
        )
        each = self.record_bytes if differentiated and rounds == 0 and not _is_exported() else 0
        y: Tensor
        y, _ = corrected_shared(raw, inputs, row, names, self.contents, self._number, rounds, each)
        return y if kind is torch.float64 else y.to(kind)

    def with_multipliers(self, y_raw: Tensor, x: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Corrected outputs and the multipliers of the rows, (..., rows), which have gradients, too.

        For the methods "nearest" and "optimal", where y_raw is; both in the type of y_raw.
        """
        if self.inner.settings["method"] not in ("nearest", "optimal"):
            method = self.inner.settings["method"]
            raise InvalidError(f"the method {method} has no multipliers; nearest and optimal have")
        raw, given = double(y_raw, "y_raw", True), None if x is None else double(x, "x", True)
        check_devices(raw, given)
        raw, inputs = broadcast(self, raw, given)
        kind = returned_type(y_raw)
        y, multipliers = with_multipliers(self, raw, inputs)
        if kind in ROUNDS and y.is_cpu:
            self._judge(y.detach().to(kind).to(torch.float64), inputs)
        return y.to(kind), multipliers.to(kind)

    def _judge(self, y: Tensor, x: Tensor) -> None:
        """Makes the reports of the last call about y, which was rounded to half precision."""
        reports: Any = self._reports
        inputs = x.detach().contiguous().numpy() if self.inputs else None
        _rounding.judge(self.inner, inputs, y.numpy(), reports)
        self._complain(reports)

    # ---- for the operators ----

    @property
    def core(self) -> Any:
        """The layer of the extension."""
        return self.inner.core

    def note_reports(self, reports: NDArray[Any], wrong: bool = True) -> None:
        """Keeps the reports of a call, and complains where that is wanted.

        wrong: whether samples may be not ok.
        """
        self.__dict__["_reports"] = reports
        if wrong:
            self._complain(reports)

    def _complain(self, reports: NDArray[Any]) -> None:
        if not reports["outcome"].any():
            return
        if self.on_fail == "return":
            if self.spreads_nan and (reports["outcome"] == Outcome.NONFINITE_INPUT).any():
                warnings.warn(_nonfinite.WARNING, NotOkWarning, stacklevel=3)
            return
        last = Reports(self, reports)
        if self.on_fail == "raise":
            error = NotOkError(last.summary())
            error.reports = last
            raise error
        warnings.warn(last.summary(), NotOkWarning, stacklevel=stacklevel(torch.__file__))

    def note_device_reports(self, reports: Tensor) -> None:
        """Keeps the reports of a call on a device, as bytes; only on_fail="raise" looks at them."""
        self.__dict__["_reports"] = reports
        if self.on_fail != "raise":
            return
        if torch.cuda.is_current_stream_capturing():
            raise RuntimeError(
                "hardnet: on_fail='raise' waits for the device, which a CUDA graph cannot: capture a "
                "layer with on_fail='return', and look at layer.last"
            )
        self._complain(_on_host(reports))

    def note_flagged(self, flagged: NDArray[np.bool_] | Tensor) -> None:
        """Keeps where a gradient is missing."""
        self.__dict__["_flagged"] = flagged

    # ---- looking ----

    @property
    def last(self) -> Reports | None:
        """What happened to the samples of the last call; None before there was one.

        After a call on a CUDA device, or a replay of the graph that it was captured into, this waits
        for the device.
        """
        if isinstance(self._reports, Tensor):
            reports = _on_host(self._reports)
            if self.on_fail != "raise":  # which has been already
                self._complain(reports)
            return Reports(self, reports)
        return None if self._reports is None else Reports(self, self._reports)

    @property
    def flagged(self) -> NDArray[np.bool_] | None:
        """Where the last backward had no finite gradient to give; waits as `last` does."""
        if isinstance(self._flagged, Tensor):
            host: NDArray[np.bool_] = self._flagged.cpu().numpy()
            return host
        return self._flagged

    @property
    def model(self) -> Model:
        """The model of the constraints."""
        return self.inner.model

    @property
    def settings(self) -> dict[str, Any]:
        """What the layer was made with."""
        return self.inner.settings

    def extra_repr(self) -> str:
        """What print(module) shows."""
        info, options = self.inner.info, self.inner.options
        return (
            f"method={options['method']}, tolerance={options['tolerance']:g}, "
            f"inputs={info['inputs']}, outputs={info['outputs']}, rows={info['rows']}"
        )

    # ---- copies ----

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in _OWN}

    def __setstate__(self, state: dict[str, Any]) -> None:
        restore: Any = super().__setstate__
        restore(state)
        self._non_persistent_buffers_set.add("round")  # it was part of the state once
        self._prepare()

    def _load_from_state_dict(
        self, state_dict: dict[str, Any], prefix: str, *arguments: Any
    ) -> None:
        """Earlier checkpoints have the round."""
        number = state_dict.pop(prefix + "round", None)
        if number is not None:
            self.round.copy_(number)
        load: Any = super()._load_from_state_dict
        load(state_dict, prefix, *arguments)


def _made(text: str, settings: dict[str, Any], on_fail: OnFail) -> Layer:
    return Layer(plain.Layer(Model.from_text(text), **settings), on_fail=on_fail)


_handles.makers["layer"] = _made
