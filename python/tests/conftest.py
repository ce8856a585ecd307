"""What several test files share: the repository's root, the unicycle, and whether sanitizers watch.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import sys

import numpy as np
import pytest

import hardnet

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Tests import what several of them share. (Not this folder itself: it has a torch and a jax.)
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent / "shared"))


@pytest.fixture(scope="session")
def root() -> pathlib.Path:
    return ROOT


@pytest.fixture(scope="session")
def sanitized() -> bool:
    """Whether this runs under AddressSanitizer, where memory and time say nothing."""
    return "asan" in os.environ.get("LD_PRELOAD", "")


@pytest.fixture(scope="session")
def unicycle() -> hardnet.Model:
    """A unicycle around an obstacle, models/unicycle.mod: 3 inputs, 50 outputs, 60 rows."""
    return hardnet.Model.from_text((ROOT / "models/unicycle.mod").read_text())


@pytest.fixture(scope="session")
def states() -> np.ndarray:
    """A hundred inputs of the unicycle."""
    return np.asarray(np.load(ROOT / "data/unicycle/states.npy"), dtype=np.float64)


@pytest.fixture(scope="session")
def raw() -> np.ndarray:
    """A hundred raw outputs of the unicycle."""
    return np.random.default_rng(5).normal(scale=0.5, size=(100, 50))
