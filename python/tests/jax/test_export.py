"""Compiled functions that leave the process: exported ones, and those of the cache on disk.

They find their layer by its contents: another process must have made an equal one.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import hardnet.jax

TEXT = "param r; var y{1..2}; subject to circle: y[1]^2 + y[2]^2 = r^2;"
HERE = f"""
import pathlib, sys
import jax, numpy as np
import hardnet.jax
jax.config.update("jax_enable_x64", True)
TEXT = {TEXT!r}
"""


@pytest.fixture()
def export() -> Any:
    """jax.export, where exported functions can be written."""
    pytest.importorskip("flatbuffers", reason="jax.export needs flatbuffers")
    return pytest.importorskip("jax.export", reason="this JAX has no jax.export")


def checks(export: Any) -> list[Any]:
    return [export.DisabledSafetyCheck.custom_call(f"hardnet_{n}") for n in ("forward", "backward")]


def run(program: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", HERE + program, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=os.environ, check=False)


CALL = """
from jax import export
if "made" in sys.argv:
    hardnet.jax.layer(TEXT)
called = export.deserialize(bytearray(pathlib.Path(sys.argv[1]).read_bytes()))
kind = sys.argv[-1]
y = called.call(np.array([3.0, 4.0]).astype(kind), np.array([1.0]).astype(kind))
print(np.asarray(y).tobytes().hex())
"""


@pytest.mark.parametrize("kind", ["float64", "float32", "bfloat16", "float16"])
@pytest.mark.parametrize("backward", [False, True])
def test_an_exported_function_works_where_an_equal_layer_was_made(
    export: Any, tmp_path: pathlib.Path, backward: bool, kind: str
) -> None:
    layer = hardnet.jax.layer(TEXT)
    call = jax.jit(jax.grad(lambda y_raw, x: layer(y_raw, x)[0]) if backward else layer)
    at = (jnp.array([3.0, 4.0], kind), jnp.array([1.0], kind))
    with pytest.raises(ValueError, match="hardnet_"):
        export.export(call)(*at)
    path = tmp_path / "exported"
    path.write_bytes(export.export(call, disabled_checks=checks(export))(*at).serialize())
    found = run(CALL, path, "made", kind)
    assert found.returncode == 0, found.stderr
    assert bytes.fromhex(found.stdout.strip()) == np.asarray(call(*at)).tobytes()
    lost = run(CALL, path, kind)
    assert lost.returncode == 1
    assert "is not known in this process" in lost.stderr


@pytest.mark.skipif(
    jax.__version_info__ < (0, 4, 33), reason="jax 0.4.31 cannot give handlers symbolic shapes"
)
def test_the_batch_of_an_exported_function_may_be_symbolic(export: Any) -> None:
    layer = hardnet.jax.layer(TEXT)
    (count,) = export.symbolic_shape("count")
    shapes = [jax.ShapeDtypeStruct((count, width), np.float64) for width in (2, 1)]
    exported = export.export(jax.jit(layer), disabled_checks=checks(export))(*shapes)
    y_raw, x = np.random.default_rng(1).normal(size=(5, 2)), np.ones((5, 1))
    assert np.array_equal(exported.call(y_raw, x), layer(y_raw, x))


def test_the_cache_on_disk_serves_another_process(tmp_path: pathlib.Path) -> None:
    program = """
jax.config.update("jax_compilation_cache_dir", sys.argv[1])
jax.config.update("jax_persistent_cache_min_compile_time_secs", 0)
jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)
layer = hardnet.jax.layer(TEXT)
for kind in ("float64", "float32", "bfloat16", "float16"):
    at = np.array([3.0, 4.0]).astype(kind), np.array([1.0]).astype(kind)
    print(np.asarray(jax.jit(layer)(*at)).tobytes().hex())
"""
    first = run(program, tmp_path)
    assert first.returncode == 0, first.stderr
    second = run(program, tmp_path)
    assert second.returncode == 0, second.stderr
    assert first.stdout == second.stdout
