"""What a call from Python costs beyond the same call from C, on the unicycle.

    build/venv/bin/python bench/python_overhead.py [--rounds N] [--check]

One sample from NumPy, and batches of 1000 from NumPy and PyTorch, against hn_pool_run on the same
numbers (build/bench/call_time). The two are measured in turns of a few milliseconds, so that a busy
machine harms both alike; a figure is the least of all rounds, which is what the calls take when
nothing else runs. --check fails when a limit is exceeded: 25 us for one sample, 5 % for a batch of 1000.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import argparse
import pathlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable

import numpy as np

import hardnet

ROOT = pathlib.Path(__file__).resolve().parents[1]
MODEL = ROOT / "models/unicycle.mod"
PROGRAM = ROOT / "build/bench/call_time"


class CallsFromC:
    """A process that makes calls of the library and says how long they took."""

    def __init__(self, x: np.ndarray, y_raw: np.ndarray, threads: int) -> None:
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(x.tobytes() + y_raw.tobytes())
        self.process = subprocess.Popen(
            [PROGRAM, MODEL, file.name, str(len(x)), str(threads)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.seconds(1)
        pathlib.Path(file.name).unlink()

    def seconds(self, calls: int) -> float:
        assert self.process.stdin and self.process.stdout
        print(calls, file=self.process.stdin, flush=True)
        return float(self.process.stdout.readline())

    def close(self) -> None:
        self.process.communicate()


def seconds(call: Callable[[], object], calls: int) -> float:
    begin = time.perf_counter()
    for _ in range(calls):
        call()
    return time.perf_counter() - begin


def compare(c: CallsFromC, call: Callable[[], object], rounds: int) -> tuple[float, float, float]:
    """Microseconds of a call from C, from Python, and of their difference."""
    calls = max(1, int(0.02 / max(1e-6, seconds(call, 3) / 3)))
    pairs = [(c.seconds(calls), seconds(call, calls)) for _ in range(rounds)]
    from_c, from_python = (min(side) / calls * 1e6 for side in zip(*pairs))
    return from_c, from_python, from_python - from_c


def calls(x: np.ndarray, y_raw: np.ndarray, threads: int) -> dict[str, Callable[[], object]]:
    """What is measured on a batch, by name."""
    model = hardnet.Model.from_file(MODEL)
    layer, out = model.layer(threads=threads), np.empty_like(y_raw)
    found: dict[str, Callable[[], object]] = {}
    if len(x) == 1:
        found["NumPy"] = lambda: layer(y_raw[0], x[0])
    else:
        found["NumPy"] = lambda: layer(y_raw, x)
        found["NumPy, out="] = lambda: layer(y_raw, x, out=out)
        found |= torch_calls(model, x, y_raw, threads)
    return found


def torch_calls(
    model: hardnet.Model, x: np.ndarray, y_raw: np.ndarray, threads: int
) -> dict[str, Callable[[], object]]:
    try:
        import torch

        import hardnet.torch
    except ImportError:
        print("skipped: PyTorch cannot be imported")
        return {}
    layer = hardnet.torch.Layer(model, threads=threads)
    inputs, outputs = torch.from_numpy(x), torch.from_numpy(y_raw)

    def without_gradient() -> object:
        with torch.no_grad():
            return layer(outputs, inputs)

    return {"PyTorch": without_gradient}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    states = np.load(ROOT / "data/unicycle/states.npy").astype(np.float64)
    raw = np.random.default_rng(1).normal(scale=0.5, size=(1000, 50))
    wrong = []
    print("| batch | threads | from | C us | Python us | more |")
    print("|---|---|---|---|---|---|")
    for count, threads in ((1, 1), (1000, 1), (1000, 0)):
        x, y_raw = np.tile(states, (10, 1))[:count].copy(), raw[:count].copy()
        c = CallsFromC(x, y_raw, threads)
        for name, call in calls(x, y_raw, threads).items():
            from_c, from_python, more = compare(c, call, arguments.rounds)
            percent = 100 * more / from_c
            shown = f"{more:.1f} us" if count == 1 else f"{percent:.1f} %"
            print(
                f"| {count} | {threads or 'all'} | {name} | {from_c:.1f} | {from_python:.1f} | {shown} |"
            )
            if (count == 1 and more > 25) or (count > 1 and percent > 5):
                wrong.append(f"{name} at batch {count}, threads {threads}: {shown} more")
        c.close()
    print("\n".join(wrong), end="\n" if wrong else "")
    return 1 if arguments.check and wrong else 0


if __name__ == "__main__":
    sys.exit(main())
