"""Layers with compiled code: the bits of those without, from the cache, from a file, in other processes.

Skipped where there is no C compiler.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import pickle
import shutil
import subprocess
import sys

import hardnet
import numpy as np
import pytest

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")


@pytest.fixture(autouse=True)
def cache(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> pathlib.Path:
    """One cache for the tests of this file, so that each kernel is compiled once."""
    folder = tmp_path_factory.getbasetemp() / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder))
    monkeypatch.delenv("CC", raising=False)
    return folder / "hardnet"


@pytest.mark.parametrize("method", ["auto", "paper", "lm", "nearest", "optimal"])
def test_a_compiled_layer_has_the_same_bits(
    unicycle: hardnet.Model, states: np.ndarray, raw: np.ndarray, method: str
) -> None:
    listed, compiled = unicycle.layer(method), unicycle.layer(method, compile=True)
    assert compiled.info["compiled"] and compiled.info["compiled_gradients"]
    assert not listed.info["compiled"]
    expected, result = listed(raw, states, tape=True), compiled(raw, states, tape=True)
    assert result.y.tobytes() == expected.y.tobytes()
    assert result.reports.tobytes() == expected.reports.tobytes()
    one, other = (
        listed.gradient(expected, raw, bounds=True),
        compiled.gradient(result, raw, bounds=True),
    )
    for name in "y_raw", "x", "lower", "upper":
        assert getattr(one, name).tobytes() == getattr(other, name).tobytes()


@pytest.mark.parametrize("method", ["nearest", "optimal"])
def test_affine_rows_are_still_solved_without_steps(root: pathlib.Path, method: str) -> None:
    model = hardnet.Model.from_file(root / "models/simplex.mod")
    x = model.sample_inputs(50)
    raw = np.random.default_rng(3).normal(size=(50, model.outputs_count))
    expected = model.layer(method)(raw, x)
    result = model.layer(method, compile=True)(raw, x)
    assert (expected.iterations == 0).all() and expected.certified.all()
    for name in "y", "reports", "multipliers":
        assert getattr(result, name).tobytes() == getattr(expected, name).tobytes()


def test_a_locally_infeasible_sample_has_the_same_proof(root: pathlib.Path) -> None:
    model = hardnet.Model.from_file(root / "models/infeasible/triangle.mod")
    raw = np.random.default_rng(4).normal(size=(40, model.outputs_count))
    expected, result = model.layer("nearest")(raw), model.layer("nearest", compile=True)(raw)
    assert not expected.ok.any()
    for name in "y", "reports", "multipliers":
        assert getattr(result, name).tobytes() == getattr(expected, name).tobytes()


def test_a_kernel_is_compiled_once_and_found_by_copies(cache: pathlib.Path) -> None:
    model = hardnet.Model.from_text("var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = 1;")
    before = set(cache.iterdir()) if cache.exists() else set()
    layer = model.layer(compile=True)
    (made,) = set(cache.iterdir()) - before
    time = made.stat().st_mtime_ns
    again = pickle.loads(pickle.dumps(layer))
    assert again.info["compiled"] and again.settings["compile"] is True
    assert made.stat().st_mtime_ns == time
    from_file = model.layer(compile=made)
    assert from_file.info["compiled"] and from_file.settings["compile"] == str(made)
    y = np.array([[3.0, 4.0], [0.1, 0.2]])
    assert from_file(y).y.tobytes() == again(y).y.tobytes() == model.layer()(y).y.tobytes()
    with pytest.raises(hardnet.InvalidError, match="a kernel of the method auto"):
        model.layer("paper", compile=made)
    other = hardnet.Model.from_text("var y{1..3}; subject to circle: y[1]^2 + y[2]^2 = y[3];")
    with pytest.raises(hardnet.InvalidError, match="a kernel of another model"):
        other.layer(compile=str(made))


def test_what_cannot_be_compiled_or_loaded_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    model = hardnet.Model.from_text("var y; subject to half: y^2 <= 0.5;")
    monkeypatch.setenv("CC", "no-such-compiler")
    with pytest.raises(hardnet.UnsupportedError, match="no-such-compiler is not there") as caught:
        model.layer(compile=True)
    assert caught.value.code == "compiler"
    with pytest.raises(hardnet.FileError, match="cannot open"):
        model.layer(compile=tmp_path / "none.so")
    (tmp_path / "text.so").write_text("no kernel")
    with pytest.raises(hardnet.Error, match="not a hardnet kernel"):
        model.layer(compile=tmp_path / "text.so")


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (3, TypeError),
        (None, TypeError),
        (b"k.so", TypeError),
        ("", ValueError),
        ("a\0b", ValueError),
    ],
)
def test_what_is_neither_a_bool_nor_a_path_is_refused(value: object, kind: type[Exception]) -> None:
    model = hardnet.Model.from_text("var y; subject to half: y^2 <= 0.5;")
    with pytest.raises(kind, match="compile"):
        model.layer(compile=value)  # type: ignore[arg-type]


INTERRUPT = """
import os, pathlib, signal, threading, time
import hardnet
model = hardnet.Model.from_text("var y; subject to c: y^2 = 2;")
began = pathlib.Path(os.environ["BEGAN"])

def send():
    while not began.exists():
        time.sleep(0.01)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=send).start()
try:
    model.layer(compile=True)
    print("not stopped")
except KeyboardInterrupt:
    print("stopped")
"""


def test_ctrl_c_ends_the_compiler(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiler, began, scratch = tmp_path / "compiler", tmp_path / "began", tmp_path / "scratch"
    scratch.mkdir()
    compiler.write_text(
        f"#!/bin/sh\necho $$ > {tmp_path}/own; mv {tmp_path}/own {began}; sleep 600\n"
    )
    compiler.chmod(0o700)
    for name, value in ("CC", compiler), ("BEGAN", began), ("TMPDIR", scratch):
        monkeypatch.setenv(name, str(value))
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPT], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout) == (0, "stopped\n"), done.stderr
    assert list(scratch.iterdir()) == []
    with pytest.raises(ProcessLookupError):
        os.kill(int(began.read_text()), 0)
