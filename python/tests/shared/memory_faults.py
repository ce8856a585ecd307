"""Every allocation of the extension fails in turn, once and for ever after, in the calls of the package.

Run by test_faults.py with failing_malloc.c preloaded, whose path is the argument. A call that meets a fault raises MemoryError or comes
through with the bits it always has; afterwards it gives them again. Prints how many allocations failed.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import ctypes
import gc
import hashlib
import pathlib
import sys
import tempfile
from collections.abc import Callable

import numpy as np

import hardnet
from hardnet import _core

TEXT = (
    "param a >= 0.5, <= 3; var y{1..2} >= -4, <= 4; minimize f: y[1]^2 + (y[2] - a)^2;"
    "subject to disc: y[1]^2 + y[2]^2 <= a; subject to line: y[1] + 2*y[2] >= 0.1;"
)
RAW = np.array([[3.0, 1.0], [-1.0, 0.5], [0.0, 0.0]])
X = np.array([[1.0], [2.0], [0.7]])


def watch(preloaded: str) -> ctypes.CDLL:
    """The preloaded functions, told where the extension lies."""
    functions = ctypes.CDLL(preloaded)
    name = pathlib.Path(_core.__file__).name
    spans = [
        [int(part, 16) for part in line.split()[0].split("-")]
        for line in pathlib.Path("/proc/self/maps").read_text().splitlines()
        if line.endswith(name)
    ]
    functions.malloc_watch(
        ctypes.c_size_t(min(a for a, _ in spans)), ctypes.c_size_t(max(b for _, b in spans))
    )
    functions.malloc_failed.restype = ctypes.c_long
    return functions


def built() -> bytes:
    m = hardnet.Model()
    r = m.inputs("r", lower=0.5, upper=2)
    y = m.outputs("y", 3, lower=-2, upper=2)
    m.subject_to(hardnet.sum(y**2) <= r**2, y[0] + hardnet.sin(y[1]) >= 0.1, name=["disc", "line"])
    m.minimize(hardnet.sum((y - 1) ** 2))
    return m.to_ampl().encode()


def read() -> bytes:
    return hardnet.Model.from_text(TEXT).fingerprint.encode()


def read_file() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "m.mod"
        path.write_text(TEXT)
        return hardnet.Model.from_file(path).fingerprint.encode()


def corrected(method: str) -> Callable[[], bytes]:
    model = hardnet.Model.from_text(TEXT)

    def call() -> bytes:
        layer = model.layer(method=method, threads=2)
        result = layer(RAW, X, tape=True)
        return result.y.tobytes() + layer.gradient(result, RAW).y_raw.tobytes()

    return call


def evaluated() -> bytes:
    model = hardnet.Model.from_text(TEXT)
    rows = np.ones((len(RAW), model.rows_count))
    parts = [model.evaluate(RAW, X).rows, model.jacobian(RAW, X).toarray()]
    parts += [model.gradient(RAW, X), model.hessian(RAW, X, rows).toarray()]
    return b"".join(part.tobytes() for part in parts)


def checked() -> bytes:
    return str(len(hardnet.Model.from_text(TEXT).check().findings)).encode()


CALLS: dict[str, Callable[[], bytes]] = {
    "a model built": built,
    "a model read": read,
    "a model of a file": read_file,
    "a layer, auto": corrected("auto"),
    "a layer, nearest": corrected("nearest"),
    "a layer, optimal": corrected("optimal"),
    "values and derivatives": evaluated,
    "a check": checked,
}


def fault(functions: ctypes.CDLL, name: str, k: int, for_ever: bool, good: bytes) -> bool:
    """Whether there was a k-th allocation, which failed."""
    functions.malloc_fail_at(ctypes.c_long(k), int(for_ever))
    try:
        outcome: object = CALLS[name]()
    except MemoryError as error:
        outcome = error
    finally:
        failed = functions.malloc_failed() > 0
        functions.malloc_fail_at(ctypes.c_long(0), 0)
    if isinstance(outcome, MemoryError):
        assert failed and str(outcome), f"{name}, allocation {k}: {outcome!r}"
    else:
        assert outcome == good, f"{name}, allocation {k}: other bits without an error"
    return failed


def main() -> None:
    functions = watch(sys.argv[1])
    every = int(sys.argv[2])
    count = 0
    for name, call in CALLS.items():
        good = call()
        for for_ever in (False, True):
            k = 1
            while fault(functions, name, k, for_ever, good):
                count += 1
                k += every + k // 16
                if count % 16 == 0:
                    gc.collect()
                    assert call() == good, f"{name}: not the same after allocation {k} failed"
            assert k > 3, name
        print(f"{name}: {hashlib.sha256(good).hexdigest()[:16]}")
    print(f"{count} allocations of Python calls failed, 0 crashes")


main()
