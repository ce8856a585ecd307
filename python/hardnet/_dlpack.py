"""Calls of a layer on arrays of other libraries that lie on a CUDA device: CuPy's, and all that have
`__dlpack__`.

Such an array is used where it is. What comes back is in memory of our own, handed to the array's
library through its `from_dlpack`. A call waits for the device: the reports of its samples are on the
host when it returns. Kernels run on the default stream, which the array's library has told to wait
for what it computes.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from . import _checks, _core
from ._errors import InvalidError
from ._result import REPORT, Gradient, Result

if TYPE_CHECKING:
    from ._layer import Layer

__all__ = ["Run", "call", "device_of", "gradient"]

_CUDA = (2, 13)  # DLPack's numbers: memory of a CUDA device, and memory that it manages
_REAL, _UNSIGNED, _BOOL = 2, 1, 6
_DEFAULT_STREAM = 1  # as DLPack counts
Shape = tuple[int, ...]


def device_of(array: Any) -> int | None:
    """The number of the CUDA device that an array is on; None for everything else."""
    if isinstance(array, np.ndarray):
        return None
    ask = getattr(array, "__dlpack_device__", None)
    if ask is None:
        return None
    kind, number = ask()
    return int(number) if kind in _CUDA else None


# ---- arrays that come in ----


class _View:
    """An array for kernels: float64, contiguous. It keeps the array alive."""

    __slots__ = ("_capsule", "address", "dtype", "lead", "like")

    def __init__(self, array: Any, name: str, width: int) -> None:
        self.like = array
        self.dtype = None if _described(array)[:2] == (_REAL, 64) else array.dtype
        if self.dtype is not None:
            array = _converted(array, name)
        if not _described(array)[3]:
            array = array.contiguous() if hasattr(array, "contiguous") else array.copy()
        self._capsule = array.__dlpack__(stream=_DEFAULT_STREAM)
        self.address, _, _, kind, bits, shape, contiguous = _core.dlpack_look(self._capsule)
        if (kind, bits) != (_REAL, 64) or not contiguous:
            raise TypeError(f"{name} must be of float64, and contiguous, on a device")
        _checks.width(shape, name, width)
        self.lead: Shape = shape[:-1]


def _described(array: Any) -> tuple[int, int, Shape, bool]:
    _, _, _, kind, bits, shape, contiguous = _core.dlpack_look(
        array.__dlpack__(stream=_DEFAULT_STREAM)
    )
    return kind, bits, shape, contiguous


def _converted(array: Any, name: str) -> Any:
    """The array in float64, by its own library."""
    if _described(array)[0] != _REAL:
        raise TypeError(f"{name} must be an array of real numbers, not of {array.dtype}")
    return array.astype("float64") if hasattr(array, "astype") else array.double()


def _taken_over(own: _core.DeviceArray, like: Any, dtype: Any = None) -> Any:
    """Our memory as an array of the library that `like` is from, in its type."""
    space = getattr(like, "__array_namespace__", None)
    library: Any = space() if space else sys.modules[type(like).__module__.partition(".")[0]]
    array = library.from_dlpack(own)
    if dtype is None:
        return array
    return array.astype(dtype) if hasattr(array, "astype") else array.to(dtype)


def _joined(y_raw: _View | None, x: _View | None) -> Shape:
    if y_raw is None or x is None:
        given = y_raw if x is None else x
        return () if given is None else given.lead
    for one, other in ((y_raw, x), (x, y_raw)):
        if one.lead == other.lead or one.lead == () or set(one.lead) == {1}:
            return other.lead
    raise InvalidError(
        f"y_raw and x do not fit together: leading shapes {y_raw.lead} and {x.lead}; on a device they "
        "are equal, or one is a single row"
    )


def _checked_device(arrays: dict[str, Any]) -> int:
    """The device that all of them are on."""
    numbers = {name: device_of(array) for name, array in arrays.items() if array is not None}
    if len(set(numbers.values())) > 1:
        places = " and ".join(
            f"{name} on {'the host' if number is None else f'CUDA device {number}'}"
            for name, number in numbers.items()
        )
        raise InvalidError(f"{places}: they must be on the same device")
    number = next(iter(numbers.values()))
    if number is None:
        raise InvalidError(f"{' and '.join(numbers)} must be on the device of the call")
    return number


# ---- forward ----


class Run:
    """What `gradient` needs of a call on a device."""

    __slots__ = ("count", "device", "like", "reports", "tape", "x", "y", "y_raw")

    device: int
    count: int
    x: _View | None
    y_raw: _View | None
    y: _core.DeviceArray
    reports: _core.DeviceArray
    tape: _core.DeviceArray | None
    like: Any

    def repeats(self, view: _View | None, lead: Shape) -> bool:
        return view is not None and view.lead != lead and self.count > 0


def _doubles(device: int, *shape: int) -> _core.DeviceArray:
    return _core.DeviceArray(device, shape, _REAL, 64)


def _bytes(device: int, count: int) -> _core.DeviceArray:
    return _core.DeviceArray(device, (count,), _UNSIGNED, 8)


def _at(view: _View | _core.DeviceArray | None) -> int | None:
    return None if view is None else view.address


def call(layer: Layer, y_raw: Any, x: Any, tape: bool, residual: bool) -> Result:
    """`Layer.__call__` on the device of y_raw and x."""
    sizes = layer.info
    run = Run()
    run.device = _checked_device({"y_raw": y_raw, "x": x})
    core = layer.devices.find(run.device)
    run.y_raw = None if y_raw is None else _View(y_raw, "y_raw", sizes["outputs"])
    run.x = None if x is None else _View(x, "x", sizes["inputs"])
    if run.x is None and sizes["inputs"]:
        raise InvalidError(f"x is missing: the model has {sizes['inputs']} inputs")
    run.like = x if y_raw is None else y_raw
    lead = _joined(run.y_raw, run.x)
    run.count = count = int(np.prod(lead, dtype=np.int64))
    run.y = _doubles(run.device, *lead, sizes["outputs"])
    run.reports = _bytes(run.device, count * REPORT.itemsize)
    run.tape = _bytes(run.device, core.tape_bytes(count)) if tape else None
    rows = _doubles(run.device, *lead, sizes["rows"]) if residual else None
    forces = _doubles(run.device, *lead, sizes["rows"]) if layer.proves else None
    workspace = _bytes(run.device, core.workspace_bytes(max(count, 1)))
    reports = np.empty(count, REPORT)
    if count > 0:
        core.run(
            count, _at(run.x), _at(run.y_raw), run.y.address, run.reports.address,
            workspace.address, residual=_at(rows), tape=_at(run.tape),
            repeat_x=run.repeats(run.x, lead), repeat_y=run.repeats(run.y_raw, lead),
            multipliers=_at(forces),
        )  # fmt: skip
        run.reports.read(reports.view(np.uint8))  # waits
    batch = SimpleNamespace(
        lead=lead, x=None, y_raw=None, y=None, tape=run,
        residual=None if rows is None else _taken_over(rows, run.like),
        multipliers=None if forces is None else _taken_over(forces, run.like),
    )  # fmt: skip
    dtype = None if run.y_raw is None else run.y_raw.dtype
    return Result(layer, batch, _taken_over(run.y, run.like, dtype), reports)


# ---- backward ----


def _gradient_view(run: Run, lead: Shape, given: Any, name: str, width: int) -> _View:
    """A loss's gradient by what the call gave back: `name` is grad_ and that."""
    if _checked_device({name: given}) != run.device:
        raise InvalidError(f"{name} must be on CUDA device {run.device}, where y is")
    view = _View(given, name, width)
    if view.lead != lead:
        raise InvalidError(f"{name} has the leading shape {view.lead}, y has {lead}")
    return view


def gradient(
    layer: Layer,
    result: Result,
    grad_y: Any,
    bounds: bool,
    weights: bool,
    grad_multipliers: Any,
) -> Gradient:
    """What `Layer.gradient` does, for a result of `call`."""
    run, lead, sizes = result._tape, result._shape, layer.info
    if run.tape is None:
        raise InvalidError("the call kept no tape: on a device, call the layer with tape=True")
    grad = _gradient_view(run, lead, grad_y, "grad_y", sizes["outputs"])
    forces = None
    if grad_multipliers is not None:
        forces = _gradient_view(run, lead, grad_multipliers, "grad_multipliers", sizes["rows"])
    core, device, count = layer.devices.find(run.device), run.device, run.count
    by_y = _doubles(device, *lead, sizes["outputs"])
    by_x = _doubles(device, *lead, sizes["inputs"]) if sizes["inputs"] else None
    lower, upper = (_doubles(device, *lead, sizes["rows"]) if bounds else None for _ in range(2))
    by_weights = _doubles(device, *lead, sizes["outputs"]) if weights else None
    marks = _core.DeviceArray(device, (count,), _BOOL, 8)
    workspace = _bytes(device, core.workspace_bytes(max(count, 1)))
    flagged = np.empty(lead, np.bool_)
    if count > 0:
        core.gradient(
            count, _at(run.x), _at(run.y_raw), run.y.address, run.reports.address,
            workspace.address, run.tape.address, grad.address, by_y.address, grad_x=_at(by_x),
            grad_lower=_at(lower), grad_upper=_at(upper), flagged=marks.address,
            repeat_x=run.repeats(run.x, lead), repeat_y=run.repeats(run.y_raw, lead),
            grad_multipliers=_at(forces), grad_weights=_at(by_weights),
        )  # fmt: skip
        marks.read(flagged.reshape(-1).view(np.uint8))  # waits
    arrays = [
        None if one is None else _taken_over(one, run.like)
        for one in (by_y, by_x, lower, upper, by_weights)
    ]
    return Gradient(arrays[0], arrays[1], arrays[2], arrays[3], flagged[()], arrays[4])
