"""Type hints: the package passes mypy --strict, and so do programs that use it.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import subprocess
import sys

import pytest

pytest.importorskip("mypy")

RIGHT = """
import numpy as np
import hardnet

model: hardnet.Model = hardnet.Model.from_text("var y; subject to c: y >= 1;", let={})
layer: hardnet.Layer = model.layer("auto", 1e-8, threads=1)
result: hardnet.Result = layer([[0.5], [2.0]], out=np.empty((2, 1)))
total: float = float(result.y.sum())
names: tuple[str, ...] = model.row_names
gradient: hardnet.Gradient = layer.gradient(result, np.ones((2, 1)))
try:
    hardnet.Model.from_file("nowhere.mod")
except hardnet.Error as error:
    place: tuple[str, str, int] = (error.code, error.subject, error.line)
"""

WRONG = {
    "a method that is a number": "hardnet.Model.from_text('var y;').layer(method=3)",
    "a text that is bytes": "hardnet.Model.from_text(b'var y;')",
    "an option that is none": "hardnet.Model.from_text('var y;').layer(speed=3)",
    "a class that is none": "hardnet.Modle()",
    "an outcome that is none": "hardnet.Outcome.FINE",
}


def mypy(root: pathlib.Path, tmp_path: pathlib.Path, *arguments: str) -> str:
    """What mypy says; empty when all is well."""
    environment = {**os.environ, "MYPYPATH": str(root / "python"), "LD_PRELOAD": ""}
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--config-file", root / "pyproject.toml"),
            *("--no-error-summary", "--cache-dir", root / "build/mypy", *arguments),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env=environment,
    )
    return done.stdout + done.stderr


def test_the_package_is_strict(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    absent = [name for name in ("torch", "jax") if importlib.util.find_spec(name) is None]
    skipped = [f"--exclude=/hardnet/{name}/" for name in absent]
    assert mypy(root, tmp_path, *skipped, str(root / "python/hardnet")) == ""


def test_a_right_program_is_accepted(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    (tmp_path / "right.py").write_text(RIGHT)
    assert mypy(root, tmp_path, "right.py") == ""


def test_wrong_programs_are_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    for number, line in enumerate(WRONG.values()):
        (tmp_path / f"wrong{number}.py").write_text(f"import hardnet\n{line}\n")
    said = mypy(root, tmp_path, *(f"wrong{number}.py" for number in range(len(WRONG))))
    missed = [name for number, name in enumerate(WRONG) if f"wrong{number}.py:2: error" not in said]
    assert not missed, said


def test_hints_are_there_for_others(root: pathlib.Path) -> None:
    assert (root / "python/hardnet/py.typed").exists()
