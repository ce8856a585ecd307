"""The layer's operators over tensors on a CUDA device.

Everything is started on the current stream and nothing is waited for: what happened to the samples
stays on the device until `layer.last` is asked for. All memory comes from PyTorch's allocator, so
that calls can be captured into CUDA graphs. A record has the tape first, where it is aligned as the
kernels want it, then the reports.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .. import _core, _rounding
from .. import _layer as plain
from .._errors import InvalidError
from .._outcome import Outcome
from .._result import REPORT
from . import _handles, _nonfinite

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["correct", "correct_taped", "pull", "pull_again", "record_bytes", "solve"]


def _capturing() -> bool:
    return torch.cuda.is_available() and torch.cuda.is_current_stream_capturing()


def _kernels(inner: plain.Layer, device: torch.device) -> _core.DeviceLayer:
    """A layer's kernels on a device."""
    number = device.index or 0  # tensors know theirs
    if number not in inner.devices and _capturing():
        raise RuntimeError(
            "hardnet: the layer's kernels must be there before a CUDA graph is captured: "
            "call the layer once before"
        )
    return inner.devices.find(number)


def _bytes_of(layer: Layer, device: torch.device) -> int:
    """For one sample, rounded up: enough for any number of samples times as many."""
    size: int = REPORT.itemsize + _kernels(layer.inner, device).tape_bytes(1)
    return size


def _record_bytes(contents: str, number: int, index: int | None) -> int:
    device = torch.device("cuda") if index is None else torch.device("cuda", index)
    return _bytes_of(_handles.find(contents, number), device)


#: The bytes of a record per sample. torch.compile takes them as they are: the layer and its tape
#: do not change.
_constant: Any = torch.compiler.assume_constant_result
record_bytes: Any = _constant(_record_bytes)


def _dense(tensor: Tensor) -> Tensor:
    return tensor.detach().contiguous()


def _stream(device: torch.device) -> int:
    stream: int = torch.cuda.current_stream(device).cuda_stream
    return stream


def _workspace(core: _core.DeviceLayer, count: int, device: torch.device) -> Tensor:
    return torch.empty(core.workspace_bytes(count), dtype=torch.uint8, device=device)


def _at(tensor: Tensor | None) -> int | None:
    return None if tensor is None else tensor.data_ptr()


# They stay where they are: a graph that was captured reads them again.
_fallbacks: weakref.WeakKeyDictionary[plain.Layer, dict[torch.device, Tensor]] = (
    weakref.WeakKeyDictionary()
)


def _fallback(inner: plain.Layer, device: torch.device) -> Tensor | None:
    """The layer's fallback in the memory of the device."""
    if inner.settings["not_ok"] != "best":
        raise InvalidError(
            f"not_ok={inner.settings['not_ok']!r} computes on the CPU: call y_raw.cpu() before"
        )
    if inner.fallback is None:
        return None
    known = _fallbacks.setdefault(inner, {})
    if device not in known:
        known[device] = torch.from_numpy(inner.fallback).to(device)
    return known[device]


def _run(
    inner: plain.Layer,
    y_raw: Tensor,
    x: Tensor,
    reports: Tensor,
    tape: Tensor | None,
    multipliers: Tensor | None = None,
) -> Tensor:
    """y; memory that ends here is used again on this stream only, after the kernel."""
    device, count = y_raw.device, y_raw.shape[:-1].numel()
    core, spare = _kernels(inner, device), _fallback(inner, device)
    y = torch.empty(y_raw.shape, dtype=torch.float64, device=device)
    if count > 0:
        raw, inputs, workspace = _dense(y_raw), _dense(x), _workspace(core, count, device)
        core.run(
            count, inputs.data_ptr(), raw.data_ptr(), y.data_ptr(), reports.data_ptr(),
            workspace.data_ptr(), tape=_at(tape), stream=_stream(device),
            multipliers=_at(multipliers), fallback=_at(spare),
        )  # fmt: skip
    return y


def _record_parts(layer: Layer, record: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """The tape and the reports within a record, as bytes."""
    flat = record.detach().reshape(-1)
    middle = _kernels(layer.inner, record.device).tape_bytes(count)
    return flat[:middle], flat[middle : middle + count * REPORT.itemsize]


def _empty_reports(y: Tensor) -> Tensor:
    shape = (*y.shape[:-1], REPORT.itemsize)
    return torch.empty(shape, dtype=torch.uint8, device=y.device)


def keep_verdict(fresh: Tensor, y: Tensor, reports: Tensor) -> None:
    """As _rounding.keep_verdict: what is known at the rounded y, into the reports of the correction."""
    column, finite = _nonfinite.column, y.isfinite().all(-1)
    violation = column(fresh, "violation", torch.float64)
    column(reports, "violation", torch.float64).copy_(violation.where(finite, torch.inf))
    worst = column(fresh, "worst", torch.int64)
    column(reports, "worst", torch.int64).copy_(worst.where(finite, -1))
    outcome = column(reports, "outcome", torch.int32)
    within = finite & (column(fresh, "outcome", torch.int32) == int(Outcome.OK))
    outcome.masked_fill_((outcome == int(Outcome.OK)) & ~within, int(Outcome.STALLED))


def correct(layer: Layer, y_raw: Tensor, x: Tensor, kind: torch.dtype | None) -> Tensor:
    """y, rounded to a type in half precision where there is one."""
    reports = _empty_reports(y_raw)
    y = _run(layer.inner, y_raw, x, reports, None)
    if kind is not None:
        y, fresh = y.to(kind).to(torch.float64), _empty_reports(y)
        _run(_rounding.judge_of(layer.inner), y, x, fresh, None)
        keep_verdict(fresh, y, reports)
    _note(layer, y, reports)
    return y


def _taped(
    layer: Layer, y_raw: Tensor, x: Tensor, bytes_each: int, multipliers: Tensor | None = None
) -> tuple[Tensor, Tensor, Tensor]:
    """y, a record, and a copy of the reports within it."""
    lead = y_raw.shape[:-1]
    record = torch.empty((*lead, bytes_each), dtype=torch.uint8, device=y_raw.device)
    tape, reports = _record_parts(layer, record, lead.numel())
    # A copy: a view would hold the whole record, which need not begin where numbers may.
    y = _run(layer.inner, y_raw, x, reports, tape, multipliers)
    return y, record, reports.clone().view(*lead, REPORT.itemsize)


def _note(layer: Layer, y: Tensor, reports: Tensor) -> None:
    """Keeps the reports, and makes outputs NaN that have to be."""
    if layer.spreads_nan:
        _nonfinite.spread(y, reports)
    layer.note_device_reports(reports)


def correct_taped(layer: Layer, y_raw: Tensor, x: Tensor, bytes_each: int) -> tuple[Tensor, Tensor]:
    """y and a record."""
    y, record, reports = _taped(layer, y_raw, x, bytes_each)
    _handles.keep_alive(record, layer)
    _note(layer, y, reports)
    return y, record


def solve(layer: Layer, y_raw: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """y, multipliers and a record: "nearest" and "optimal"."""
    device, lead, rows = y_raw.device, y_raw.shape[:-1], layer.inner.info["rows"]
    multipliers = torch.empty((*lead, rows), dtype=torch.float64, device=device)
    y, record, reports = _taped(layer, y_raw, x, _bytes_of(layer, device), multipliers)
    _note(layer, y, reports)
    if layer.spreads_nan:
        _nonfinite.spread_multipliers(multipliers, reports)
    return y, multipliers, record


def pull(
    layer: Layer,
    grad_y: Tensor,
    run: tuple[Tensor, ...],
    by_x: bool,
    grad_multipliers: Tensor | None = None,
) -> tuple[Tensor, Tensor]:
    """Gradients by y_raw and x."""
    y_raw, x, y, record = run
    device, count = y_raw.device, y_raw.shape[:-1].numel()
    grad_y_raw = torch.empty(y_raw.shape, dtype=torch.float64, device=device)
    grad_x = torch.empty(x.shape if by_x else (0,), dtype=torch.float64, device=device)
    flagged = torch.zeros(y_raw.shape[:-1], dtype=torch.bool, device=device)
    if count > 0:
        core, (tape, reports) = _kernels(layer.inner, device), _record_parts(layer, record, count)
        dense = [_dense(tensor) for tensor in (x, y_raw, y, grad_y)]
        workspace = _workspace(core, count, device)
        forces = None if grad_multipliers is None else _dense(grad_multipliers)
        at_x, at_raw, at_y, at_grad = (tensor.data_ptr() for tensor in dense)
        core.gradient(
            count, at_x, at_raw, at_y, reports.data_ptr(), workspace.data_ptr(), tape.data_ptr(),
            at_grad, grad_y_raw.data_ptr(), grad_x=grad_x.data_ptr() if by_x else None,
            flagged=flagged.data_ptr(), stream=_stream(device), grad_multipliers=_at(forces),
        )  # fmt: skip
        if layer.spreads_nan:
            bad = _nonfinite.nonfinite(reports.clone().view(*flagged.shape, REPORT.itemsize))
            gradients = [grad_y_raw, grad_x] if by_x else [grad_y_raw]
            _nonfinite.spread_gradients(bad, grad_y, grad_multipliers, *gradients)
    layer.note_flagged(flagged)
    return grad_y_raw, grad_x


def pull_again(
    layer: Layer, grad_y: Tensor, run: tuple[Tensor, Tensor], by_x: bool
) -> tuple[Tensor, Tensor]:
    """The same without a record: the correction is run once more."""
    y, record, _ = _taped(layer, *run, _bytes_of(layer, run[0].device))
    return pull(layer, grad_y, (*run, y, record), by_x)
