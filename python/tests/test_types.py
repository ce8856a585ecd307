"""Type hints: the package passes mypy --strict, and so do programs that use it.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import importlib.util
import json
import os
import pathlib
import re
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
m = hardnet.Model()
y = m.outputs("y", 3)
A, b = np.ones((2, 3)), np.ones(2)
m.subject_to(A @ y <= b)
m.subject_to(np.sin(y) <= 1, y @ A.T >= -b, b >= A @ y, name=["sine", "above", "below"])
m.subject_to(hardnet.sum(y**2) <= 1, hardnet.between(0, np.cos(y), 1), y == 0, name="norm")
m.minimize(np.sum(y**2) + hardnet.norm(A @ y))
values = m.value(A @ y, [1.0, 2.0, 3.0])
P = m.outputs("P", (2, 2), start=np.eye(2), symmetric=True)
m.subject_to(hardnet.logdet(P) >= -1, hardnet.solve(P, b) <= hardnet.diag(hardnet.inv(P)))
m.layer("nearest", weights=[1, 1, 1], precision="float32", instructions="avx2", compile=True)
policy: hardnet.Policy = hardnet.train(m, "net.safetensors", epochs=3, hidden=(16, 16))
outputs: hardnet.PolicyResult = policy(np.ones((5, 2)))
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
    "a method that is none": "hardnet.Model().layer(method='newton')",
    "instructions that are none": "hardnet.Model().layer(instructions='sse')",
    "a precision that is none": "hardnet.Model().layer(precision='float16')",
    "a derivative that is none": "hardnet.Model().jacobian(wrt='z')",
    "a condition that is a number": "hardnet.Model().subject_to(1.0)",
}

JAX_RIGHT = """
import jax
import jax.numpy as jnp
import numpy as np
import hardnet
import hardnet.jax

model = hardnet.Model.from_text("var y; subject to c: y >= 1;")
layer: hardnet.jax.Layer = hardnet.jax.layer(model, "auto", 1e-8, threads=1, on_fail="warn")
y: jax.Array = layer(jnp.zeros((2, 1)))
both: tuple[jax.Array, hardnet.jax.Report] = layer(np.zeros((2, 1)), return_report=True)
y, report = layer.with_report(y)
ok: jax.Array = report.ok
gradients: hardnet.jax.Gradients = layer.gradient(y, None, y)
reveal_type(layer(y))
reveal_type(report.violation)
"""

JAX_WRONG = {
    "a method that is none": "hardnet.jax.layer('var y;', method='newton')",
    "an answer that is none": "hardnet.jax.layer('var y;', on_fail='shout')",
    "an option that is none": "hardnet.jax.layer('var y;', speed=3)",
    "an option of a wrong type": "hardnet.jax.layer('var y;', threads='two')",
    "a result that is a number": "number: int = hardnet.jax.layer('var y;')([1.0])",
    "raw outputs that are a model": "hardnet.jax.layer('var y;')(hardnet.Model())",
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


def refused(
    root: pathlib.Path, tmp_path: pathlib.Path, wrong: dict[str, str], imports: str
) -> None:
    """Each of these lines is refused."""
    for number, line in enumerate(wrong.values()):
        (tmp_path / f"wrong{number}.py").write_text(f"import {imports}\n{line}\n")
    said = mypy(root, tmp_path, *(f"wrong{number}.py" for number in range(len(wrong))))
    missed = [name for number, name in enumerate(wrong) if f"wrong{number}.py:2: error" not in said]
    assert not missed, said


def test_wrong_programs_are_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    refused(root, tmp_path, WRONG, "hardnet")


def test_a_right_program_of_jax_is_accepted_and_its_results_have_types(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    pytest.importorskip("jax")
    (tmp_path / "right.py").write_text(JAX_RIGHT)
    said = mypy(root, tmp_path, "right.py")
    assert "error" not in said, said
    assert len(re.findall(r'Revealed type is "jax\S*\.Array"', said)) == 2, said


def test_wrong_programs_of_jax_are_refused(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    pytest.importorskip("jax")
    refused(root, tmp_path, JAX_WRONG, "hardnet.jax")


def test_pyright_agrees(root: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Where pyright is installed, with its node."""
    pytest.importorskip("pyright")
    (tmp_path / "right.py").write_text(RIGHT)
    for number, line in enumerate(WRONG.values()):
        (tmp_path / f"wrong{number}.py").write_text(f"import hardnet\n{line}\n")
    (tmp_path / "pyrightconfig.json").write_text(
        json.dumps({"typeCheckingMode": "standard", "extraPaths": [str(root / "python")]})
    )
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    if not done.stdout.startswith("{"):
        pytest.skip(f"pyright does not run here: {(done.stdout + done.stderr).strip()[-200:]}")
    findings = json.loads(done.stdout)["generalDiagnostics"]
    files = {pathlib.Path(found["file"]).name for found in findings if found["severity"] == "error"}
    assert files == {f"wrong{number}.py" for number in range(len(WRONG))}, findings


def test_hints_are_there_for_others(root: pathlib.Path) -> None:
    assert (root / "python/hardnet/py.typed").exists()
