"""Arrays of other libraries on a CUDA device, through DLPack; and what is said where there is none.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import hardnet
from hardnet import _core

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""


def ring(**settings: Any) -> hardnet.Layer:
    return hardnet.Model.from_text(RING).layer(**settings)


def samples(count: int) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(1)
    return generator.normal(size=(count, 3)), generator.uniform(0.5, 2, size=(count, 1))


def has_device() -> bool:
    try:
        ring().devices.find(0)
    except hardnet.UnsupportedError:
        return False
    return True


needs_device = pytest.mark.skipif(not has_device(), reason="no CUDA device")


class Far:
    """An array that says it is on a CUDA device."""

    def __init__(self, array: np.ndarray, number: int = 0) -> None:
        self.array, self.number = array, number

    def __dlpack_device__(self) -> tuple[int, int]:
        return 2, self.number

    def __dlpack__(self, **options: Any) -> Any:
        return self.array.__dlpack__()


# ---- without a device ----


def test_without_a_driver_a_device_is_a_sentence() -> None:
    if has_device():
        pytest.skip("there is a device")
    raw, x = samples(4)
    with pytest.raises(hardnet.UnsupportedError, match="no driver"):
        ring()(Far(raw), Far(x))
    with pytest.raises(hardnet.UnsupportedError, match="no driver"):
        ring()(x=Far(x))
    with pytest.raises(RuntimeError, match="no driver of CUDA"):
        _core.DeviceArray(0, (3,), 2, 64)


def test_arrays_on_different_devices_are_refused() -> None:
    raw, x = samples(4)
    layer = ring()
    with pytest.raises(ValueError, match="y_raw on CUDA device 0 and x on the host"):
        layer(Far(raw), x)
    with pytest.raises(ValueError, match="y_raw on the host and x on CUDA device 1"):
        layer(raw, Far(x, 1))
    with pytest.raises(ValueError, match="y_raw on CUDA device 0 and x on CUDA device 2"):
        layer(Far(raw), Far(x, 2))


def test_what_a_device_does_not_have_is_refused() -> None:
    raw, x = samples(4)
    for options in ({"out": raw}, {"warm": raw}, {"fallback": raw[0]}, {"seconds": 1.0}):
        with pytest.raises(ValueError, match="not there on a device"):
            ring()(Far(raw), Far(x), **options)


def test_a_capsule_is_looked_at() -> None:
    array = np.arange(24.0).reshape(2, 3, 4)
    address, kind, _, number, bits, shape, contiguous = _core.dlpack_look(array.__dlpack__())
    assert (address, kind, number, bits) == (array.ctypes.data, 1, 2, 64)
    assert shape == (2, 3, 4) and contiguous
    part = array[:, 1:, ::2]
    address, *_, shape, contiguous = _core.dlpack_look(part.__dlpack__())
    assert address == part.ctypes.data and shape == (2, 2, 2) and not contiguous
    assert _core.dlpack_look(array[:0, :, ::2].__dlpack__())[-1]
    assert _core.dlpack_look(np.ones(3, np.float32).__dlpack__())[4] == 32
    with pytest.raises(TypeError, match="capsule of DLPack"):
        _core.dlpack_look(3)


def test_other_objects_with_dlpack_on_the_host_are_arrays() -> None:
    class Near(Far):
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __array__(self, *arguments: Any, **options: Any) -> np.ndarray:
            return self.array

    raw, x = samples(4)
    assert np.array_equal(ring()(Near(raw), Near(x)).y, ring()(raw, x).y)


def test_a_device_layer_checks_its_arguments() -> None:
    core = ring().model.core
    common = (-1, -1.0, 1e-8, False, 1.0)
    with pytest.raises(ValueError, match="method 'best' is unknown"):
        _core.DeviceLayer(core, "best", *common, 0, "float64")
    with pytest.raises(ValueError, match="precision 'half' is unknown"):
        _core.DeviceLayer(core, "auto", *common, 0, "half")
    with pytest.raises(TypeError, match="model"):
        _core.DeviceLayer(3, "auto", *common, 0, "float64")
    with pytest.raises(hardnet.Error):
        _core.DeviceLayer(core, "auto", *common, 99, "float64")
    with pytest.raises(ValueError, match="precision 'half' is unknown"):
        ring(precision="half")


def test_no_library_is_imported_for_a_device() -> None:
    code = (
        "import sys, hardnet\n"
        "layer = hardnet.Model.from_text('var y; subject to c: y >= 1;').layer()\n"
        "layer([0.0])\n"
        "print([m for m in ('cupy', 'torch', 'jax') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_tests_of_a_device_pass_on_the_driver_that_is_none(
    root: pathlib.Path, tmp_path: pathlib.Path, sanitized: bool
) -> None:
    folder = root / "build" / "tests" / "cuda" / "fake"
    if has_device() or sanitized:
        pytest.skip("there is a device, or a sanitizer")
    if not (folder / "libcuda.so.1").exists() or not shutil.which("c++"):
        pytest.skip("the fake driver is not built, or there is no C++ compiler")
    there = {"LD_LIBRARY_PATH": str(folder), "XDG_CACHE_HOME": str(tmp_path), FAKE: "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__]
    done = subprocess.run(command, env={**os.environ, **there}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= 11, done.stdout  # with those that need a device


# ---- on a device ----


FAKE = "HARDNET_TEST_FAKE"  # set where the driver is the one that is none


def libraries() -> list[tuple[str, Any, Any]]:
    """Name, to the device, and back."""
    found: list[tuple[str, Any, Any]] = []
    if FAKE in os.environ:
        import far_arrays

        return [("far", far_arrays.Far, far_arrays.near)]
    try:
        import cupy

        found.append(("cupy", cupy.asarray, cupy.asnumpy))
    except ImportError:
        pass
    try:
        import torch

        found.append(("torch", lambda a: torch.from_numpy(a).cuda(), lambda t: t.cpu().numpy()))
    except ImportError:
        pass
    return found


@needs_device
def test_arrays_of_other_libraries_are_corrected_where_they_are() -> None:
    raw, x = samples(200)
    raw[5] = np.nan
    weight = np.random.default_rng(3).normal(size=raw.shape)
    layer = ring()
    here = layer(raw, x, tape=True, residual=True)
    back = layer.gradient(here, weight, bounds=True)
    for name, far, near in libraries():
        there = layer(far(raw), far(x), tape=True, residual=True)
        assert type(there.y) is type(far(raw)), name
        assert near(there.y).tobytes() == here.y.tobytes()
        assert near(there.residual).tobytes() == here.residual.tobytes()
        assert there.reports.tobytes() == here.reports.tobytes() or all(
            np.array_equal(
                there.reports[f], here.reports[f], equal_nan=here.reports[f].dtype.kind == "f"
            )
            for f in here.reports.dtype.names
        )
        gradient = layer.gradient(there, far(weight), bounds=True)
        for field in ("y_raw", "x", "lower", "upper"):
            assert near(getattr(gradient, field)).tobytes() == getattr(back, field).tobytes(), field
        assert np.array_equal(gradient.flagged, back.flagged)


@needs_device
def test_multipliers_and_weights_have_the_bits_of_the_cpu() -> None:
    raw, x = samples(40)
    generator = np.random.default_rng(4)
    weight = generator.normal(size=raw.shape)
    for settings in ({}, {"weights": [1.0, 2.0, 0.5]}):
        layer = ring(method="nearest", **settings)
        here = layer(raw, x, tape=True)
        force = generator.normal(size=here.multipliers.shape)
        wanted = {"grad_multipliers": force, "weights": bool(settings)}
        back = layer.gradient(here, weight, **wanted)
        for name, far, near in libraries():
            there = layer(far(raw), far(x), tape=True)
            assert near(there.multipliers).tobytes() == here.multipliers.tobytes(), name
            wanted["grad_multipliers"] = far(force)
            gradient = layer.gradient(there, far(weight), **wanted)
            for field in ("y_raw", "x", *(["weights"] if settings else [])):
                assert near(getattr(gradient, field)).tobytes() == getattr(back, field).tobytes()
            with pytest.raises(ValueError, match="grad_multipliers must be on the device"):
                layer.gradient(there, far(weight), grad_multipliers=force)
            with pytest.raises(ValueError, match="grad_multipliers has the leading shape"):
                layer.gradient(there, far(weight), grad_multipliers=far(force[:3]))


@needs_device
def test_other_types_layouts_and_single_rows_are_taken() -> None:
    raw, x = samples(20)
    layer = ring()
    for _, far, near in libraries():
        small = layer(far(raw.astype(np.float32)), far(x))
        assert near(small.y).dtype == np.float32
        assert np.array_equal(near(small.y), layer(raw.astype(np.float32), x).y)
        turned = far(np.ascontiguousarray(raw.T)).T
        assert near(layer(turned, far(x)).y).tobytes() == layer(raw, x).y.tobytes()
        assert near(layer(far(raw), far(x[0])).y).tobytes() == layer(raw, x[0]).y.tobytes()
        assert near(layer(far(raw[0]), far(x[0])).y).shape == (3,)
        assert near(layer(x=far(x)).y).tobytes() == layer(x=x).y.tobytes()
        assert layer(far(raw[:0]), far(x[:0])).y.shape == (0, 3)
        with pytest.raises(ValueError, match="do not fit together"):
            layer(far(raw), far(x[:7]))
        with pytest.raises(ValueError, match="its last axis must be 3 long"):
            layer(far(x), far(x))
        with pytest.raises(ValueError, match="tape=True"):
            layer.gradient(layer(far(raw), far(x)), far(raw))


@needs_device
def test_a_device_that_is_not_there_is_a_sentence() -> None:
    with pytest.raises(hardnet.UnsupportedError, match="no device number 99"):
        ring().devices.find(99)


@needs_device
def test_memory_goes_back_when_arrays_end() -> None:
    import gc

    for name, far, _ in libraries():
        if name != "torch":
            continue
        import torch

        raw, x = (far(array) for array in samples(100_000))
        layer = ring()
        kept = layer(raw, x).y
        gc.collect()
        free = torch.cuda.mem_get_info()[0]
        for _ in range(20):
            layer(raw, x, tape=True)
        gc.collect()
        tape = layer.devices.find(0).tape_bytes(len(raw))  # others may use the device, too
        assert free - torch.cuda.mem_get_info()[0] < 8 * tape
        assert torch.isfinite(kept).all()
