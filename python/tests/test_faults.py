"""Memory that runs out in a call: MemoryError, the interpreter lives on, and the next call is good.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

SHARED = pathlib.Path(__file__).resolve().parent / "shared"


def test_every_allocation_may_fail(tmp_path: pathlib.Path, sanitized: bool) -> None:
    if sanitized:
        pytest.skip("AddressSanitizer has the allocator")
    if not shutil.which("cc") or not sys.platform.startswith("linux"):
        pytest.skip("there is no C compiler, or no C library whose allocator can be replaced")
    library = tmp_path / "failing_malloc.so"
    source = SHARED / "failing_malloc.c"
    subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    environment = dict(os.environ, LD_PRELOAD=str(library), OPENBLAS_NUM_THREADS="1")
    every = os.environ.get("HN_FAULTS_EVERY", "5")
    done = subprocess.run(
        [sys.executable, str(SHARED / "memory_faults.py"), str(library), every],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    print(done.stdout)
    found = re.search(r"(\d+) allocations of Python calls failed, 0 crashes", done.stdout)
    assert found and int(found.group(1)) > 100, done.stdout
