"""Our declarations of XLA's structs against the header that this jaxlib ships, by the compiler.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
import shutil
import subprocess

import pytest

try:
    from jax import ffi
except ImportError:
    from jax.extend import ffi

HERE = pathlib.Path(__file__).resolve().parent


def compile_layout(root: pathlib.Path, *flags: str) -> subprocess.CompletedProcess[str]:
    compiler = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if not compiler:
        pytest.skip("no C++ compiler; the headers of older versions are C++ only")
    folders = [ffi.include_dir(), str(root / "python/src"), str(root / "include")]
    command = [
        compiler,
        "-std=c++17",
        "-fsyntax-only",
        *(f"-I{folder}" for folder in folders),
        *flags,
    ]
    return subprocess.run(
        [*command, str(HERE / "xla_layout.cc")], capture_output=True, text=True, check=False
    )


def test_every_offset_and_constant_is_that_of_the_shipped_header(root: pathlib.Path) -> None:
    done = compile_layout(root)
    assert done.returncode == 0, done.stderr


def test_a_wrong_offset_is_noticed(root: pathlib.Path) -> None:
    done = compile_layout(root, "-DSABOTAGE")
    assert done.returncode != 0
    assert "rank" in done.stderr
