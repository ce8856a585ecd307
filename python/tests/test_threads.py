"""Threads, processes and signals: one layer for many threads, after a fork, and under Ctrl-C.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import concurrent.futures
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest

import hardnet


def everything(layer: hardnet.Layer, y_raw: np.ndarray, x: np.ndarray) -> bytes:
    """The bits of a call and of its gradient."""
    result = layer(y_raw, x, tape=True, residual=True)
    gradient = layer.gradient(result, np.cos(result.y), bounds=True)
    parts = [result.y, result.outcome, result.iterations, result.violation, result.residual]
    parts += [gradient.y_raw, gradient.x, gradient.lower, gradient.upper, gradient.flagged]
    return b"".join(np.asarray(part).tobytes() for part in parts)


@pytest.mark.parametrize("threads", [1, 2])
def test_eight_threads_on_one_layer_give_the_serial_bits(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray, threads: int
) -> None:
    layer = unicycle.layer(threads=threads)
    pieces = [slice(start, start + 1 + start % 13) for start in range(0, 88, 3)]
    serial = [everything(layer, raw[piece], states[piece]) for piece in pieces]
    barrier = threading.Barrier(8)

    def work(member: int) -> bool:
        barrier.wait()
        order = np.random.default_rng(member).permutation(len(pieces))
        return all(everything(layer, raw[pieces[k]], states[pieces[k]]) == serial[k] for k in order)

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(8))) == [True] * 8


def test_other_threads_run_while_a_call_computes(
    unicycle: hardnet.Model, states: np.ndarray
) -> None:
    layer = unicycle.layer("paper", iterations=2000, threads=1)
    count, done = 0, threading.Event()

    def work() -> None:
        layer(None, np.tile(states, (5, 1)))
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.001)
    thread.join()
    assert count > 20


def test_a_call_that_takes_longer_than_those_before_is_finished(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray, sanitized: bool
) -> None:
    """After quick calls the next is tried under a deadline, and repeated where that passes."""
    layer = unicycle.layer(threads=1)
    expected = layer(raw, states)
    for _ in range(20):  # nothing to correct: a tenth of the time per sample
        layer(np.tile(expected.y, (20, 1)), np.tile(states, (20, 1)))
    times = 10 if sanitized else 1500
    result = layer(np.tile(raw, (times, 1)), np.tile(states, (times, 1)), tape=False)
    assert result.ok.all()
    assert np.array_equal(result.y, np.tile(expected.y, (times, 1)))
    assert np.array_equal(result.iterations, np.tile(expected.iterations, times))


# ---- processes ----


def in_child(queue: Any, layer: hardnet.Layer, y_raw: np.ndarray, x: np.ndarray) -> None:
    queue.put(everything(layer, y_raw, x))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_uses_the_layer_of_its_parent(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer(threads=2)
    y_raw, x = np.tile(raw, (5, 1)), np.tile(states, (5, 1))
    expected = everything(layer, y_raw, x)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    children = [context.Process(target=in_child, args=(queue, layer, y_raw, x)) for _ in range(3)]
    for child in children:
        child.start()
    answers = [queue.get(timeout=60) for _ in children]
    for child in children:
        child.join(60)
        assert child.exitcode == 0
    assert answers == [expected] * 3
    assert everything(layer, y_raw, x) == expected


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_process_forked_during_a_call_can_use_the_layer(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer(threads=2)
    expected = everything(layer, raw, states)
    stop = threading.Event()

    def busy() -> None:
        while not stop.is_set():
            layer(np.tile(raw, (10, 1)), np.tile(states, (10, 1)))

    thread = threading.Thread(target=busy)
    thread.start()
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    try:
        for _ in range(5):
            child = context.Process(target=in_child, args=(queue, layer, raw, states))
            child.start()
            assert queue.get(timeout=60) == expected
            child.join(60)
            assert child.exitcode == 0
    finally:
        stop.set()
        thread.join()


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_other_processes_get_layers_by_pickling(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray, method: str, sanitized: bool
) -> None:
    if sanitized and method == "forkserver":
        pytest.skip("takes long under sanitizers, and shows no more than spawn")
    layer = unicycle.layer("lm", 1e-9, threads=1)
    with multiprocessing.get_context(method).Pool(1) as pool:
        answer = pool.apply(layer, (raw[:5], states[:5])).y
    assert np.array_equal(answer, layer(raw[:5], states[:5]).y)


def test_copies_and_pickles_give_the_same_bits(
    unicycle: hardnet.Model, raw: np.ndarray, states: np.ndarray
) -> None:
    layer = unicycle.layer("paper", 1e-3, iterations=30, damping=0.2, relative=True, threads=2)
    expected = everything(layer, raw, states)
    for again in (copy.copy(layer), copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert again.settings == layer.settings
        assert everything(again, raw, states) == expected
    model = pickle.loads(pickle.dumps(unicycle))
    assert model.fingerprint == unicycle.fingerprint and model.row_names == unicycle.row_names


END = """
import threading, numpy as np, hardnet
model = hardnet.Model.from_file("models/unicycle.mod")
x = np.tile(np.load("data/unicycle/states.npy").astype(float), (200, 1))
layer = model.layer("paper", iterations=10**9, threads=2)
quick = model.layer(threads=1)
threading.Thread(target=lambda: layer(None, x, seconds=100), daemon=True).start()
threading.Thread(target=lambda: [quick(None, x[:9]) for _ in range(10**9)], daemon=True).start()
quick(None, x[:9])
print("ends")
"""


def test_the_interpreter_ends_while_other_threads_compute(root: Any) -> None:
    """Threads that the interpreter ends leave the memory of their calls to the operating system."""
    options = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
    for _ in range(3):
        done = subprocess.run(
            [sys.executable, "-c", END],
            cwd=root,
            capture_output=True,
            text=True,
            timeout=100,
            env={**os.environ, "ASAN_OPTIONS": options},
        )
        assert (done.returncode, done.stdout) == (0, "ends\n"), done.stderr


# ---- Ctrl-C ----

INTERRUPT = """
import os, signal, sys, threading, time
import numpy as np, hardnet
model = hardnet.Model.from_text(open("models/unicycle.mod").read())
x = np.tile(np.load("data/unicycle/states.npy").astype(float), (200, 1))
layer = model.layer("paper", iterations={iterations}, threads={threads})
short = model.layer(threads={threads})
slow = model.layer("paper", iterations=500, threads={threads})
result = slow(None, np.tile(x[:100], ({tiles}, 1)), tape=True) if {gradient} else None
sent = []

def send():
    sent.append(time.monotonic())
    os.kill(os.getpid(), signal.SIGINT)

timer = threading.Timer(0.3, send)
timer.start()
try:
    {call}
    print("not stopped")
except KeyboardInterrupt:
    print(time.monotonic() - sent[0])
assert short(None, x[:10]).ok.all() and layer.model.fingerprint == model.fingerprint
"""

LONG = {
    "forward": "layer(None, x)",
    "out": "layer(None, x, out=np.empty((20000, 50)), residual=True)",
    "one sample": "layer(None, x[0])",
    "gradient": "slow.gradient(result, result.y)",
    "many calls": "[short(None, x[:3]) for _ in range(10**7)]",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("call", LONG.values(), ids=LONG.keys())
def test_ctrl_c_stops_a_long_call(root: Any, call: str, threads: int, sanitized: bool) -> None:
    if sanitized and threads == 1:
        pytest.skip("takes long under sanitizers, and two threads do more")
    program = INTERRUPT.format(
        call=call,
        threads=threads,
        iterations=10**9,
        gradient="gradient" in call,
        tiles=8 if sanitized else 80,
    )
    for _ in range(3):  # a busy machine may be late once
        done = subprocess.run(
            [sys.executable, "-c", program], cwd=root, capture_output=True, text=True, timeout=100
        )
        assert done.returncode == 0, done.stderr
        if float(done.stdout) < 0.5 or sanitized:
            return
    pytest.fail(f"stopped {float(done.stdout)} s after the signal")
