"""What the tests of hardnet.jax share: JAX on the CPU and on CUDA devices that it has, 64-bit types,
models.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Iterator


def platforms() -> str:
    """The CPU first, which is where tests run that do not name a device."""
    plugins = ("jax_cuda12_plugin", "jax_cuda13_plugin")
    if not any(importlib.util.find_spec(name) for name in plugins):
        return "cpu"
    try:
        works = ctypes.CDLL("libcuda.so.1").cuInit(0) == 0
    except OSError:
        works = False
    return "cpu,cuda" if works else "cpu"


os.environ.setdefault("JAX_PLATFORMS", platforms())
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2 " + os.environ.get(
    "XLA_FLAGS", ""
)

import jax
import pytest

import hardnet

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""

# The input is in the bounds of the outputs, too.
BOX = """
param width >= 0.5, <= 2;
param shift >= -1, <= 1;
var y{1..2} >= shift - width, <= shift + width;
subject to product: y[1] * y[2] <= shift;
"""

# Fewer rows than outputs, as the method "hardnet" asks for.
FEW = """
param total >= -1, <= 1;
var y{1..4};
subject to balance: y[1] + y[2] + y[3] + y[4] = total;
subject to band: -0.1 <= y[1] - sin(y[2]) <= 0.1;
"""


@pytest.fixture(autouse=True)
def x64() -> Iterator[None]:
    """64-bit types are enabled in every test that does not disable them."""
    before = jax.config.jax_enable_x64
    jax.config.update("jax_enable_x64", True)
    yield
    jax.config.update("jax_enable_x64", before)


@pytest.fixture(scope="session")
def ring() -> hardnet.Model:
    return hardnet.Model.from_text(RING)


@pytest.fixture(scope="session")
def box() -> hardnet.Model:
    return hardnet.Model.from_text(BOX)


@pytest.fixture(scope="session")
def few() -> hardnet.Model:
    return hardnet.Model.from_text(FEW)
