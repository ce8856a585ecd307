#!/usr/bin/env python3
"""hardnet beside solvers and layers from PyPI: the same samples, one thread each, in one run on one machine.

    python3 -m venv build/venv-solvers && build/venv-solvers/bin/pip install -r bench/solvers-requirements.txt
    PYTHONPATH=build/python build/venv-solvers/bin/python bench/solvers.py [--quick] [--tasks WORD...] [--solvers WORD...]

Prints a table per task. solved: the share of samples that hold every row to 1e-8 with an objective at most 1e-8 max(1,
|f|) above the best that any solver found. objective: the mean of the first two samples. alone, batch: processor time per sample, one by one (the median) and 1000 at
once; solvers without batches are called in a loop, for as many samples as fit --seconds. gradient: of a random loss, by
the linear term c; its error is against the optimality conditions' own, solved densely by NumPy at our solution, and is
that of the median sample. What is not installed is named at the end.

SPDX-License-Identifier: MIT
"""

import argparse
import os

for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"):
    os.environ[variable] = "1"
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import contextlib
import platform
import time
import warnings

import numpy as np
import solver_models
import solver_tasks as tasks
from solver_peers import PEERS, Skip


def list_tasks(quick, batch):
    few = min(batch, 100)
    yield tasks.simplex(batch)
    yield tasks.polyhedron(batch)
    yield tasks.ball(batch)
    yield tasks.ellipse(batch)
    yield tasks.dc3(batch)
    yield tasks.dc3(batch, sine=True)
    yield tasks.fsnet(batch)
    yield tasks.fsnet(batch, sine=True)
    for size in (10, 100, 1000) if quick else (10, 100, 1000, 10000):
        yield tasks.sparse(batch if size <= 100 else few if size == 1000 else 4, size)


def measure(solver, task, seconds):
    """y of some samples, times alone and in a batch."""
    solver(0)
    alone, begun = [], time.process_time()
    while len(alone) < min(len(task), 50) and (
        len(alone) < 2 or time.process_time() - begun < seconds / 4
    ):
        at = time.process_time()
        solver(len(alone))
        alone.append(time.process_time() - at)
    each = float(np.median(alone))
    if solver.batched:
        solver.batch(min(len(task), 16))
    count = len(task) if solver.batched else max(2, min(len(task), int(seconds / max(each, 1e-6))))
    at = time.process_time()
    y = solver.batch(count)
    return y, each, (time.process_time() - at) / count


def exact_gradient(task, y, k, w):
    """Of w' y by c, by the optimality conditions at y with the rows that are active there."""
    n = len(task.q)
    rows = [np.zeros((0, n))] if task.a is None else [np.asarray(task.a)]
    if task.g is not None:
        rows.append(task.g[np.abs(task.g @ y - task.h[k]) < 1e-9])
    on = (np.abs(y - task.low) < 1e-9) | (np.abs(y - task.high) < 1e-9)
    active = np.vstack([*rows, np.eye(n)[on]])
    kkt = np.block([[np.diag(task.q), active.T], [active, np.zeros((len(active),) * 2)]])
    return -np.linalg.lstsq(kkt, np.r_[w, np.zeros(len(active))], rcond=None)[0][:n]


def measure_gradient(solver, task, best):
    if solver.gradient is None or not task.quadratic or task.sparse:
        return "", ""
    count = min(len(task), 64)
    w = np.random.RandomState(9).standard_normal((count, len(task.q)))
    solver.gradient(count, w)
    at = time.process_time()
    found = solver.gradient(count, w)
    each = (time.process_time() - at) / count
    errors = [np.abs(found[k] - exact).max() / max(1, np.abs(exact).max())
              for k in range(count) for exact in [exact_gradient(task, best[k], k, w[k])]]  # fmt: skip
    return f"{1e6 * each:.4g}", f"{np.median(errors):.0e}"


def run_task(task, arguments, missing):
    rows = {}
    for name, kind in PEERS.items():
        if not chosen(name, arguments) or name in missing:
            continue
        try:
            solver = kind(task)
            y, alone, batch = measure(solver, task, arguments.seconds)
            rows[name] = solver, y, alone, batch
        except Skip:
            continue
        except ImportError as error:
            missing[name] = str(error)
        except Exception as error:  # noqa: BLE001 - a peer that fails on a task is a line of the table
            rows[name] = None, f"{type(error).__name__}: {error}"[:70], 0, 0
    show(task, rows)


def show(task, rows):
    done = {name: row for name, row in rows.items() if row[0] is not None}
    least = np.full(len(task), np.inf)
    ours = None
    for name, (_, y, *_rest) in done.items():
        good = task.violation(y) <= 1e-8
        least[: len(y)] = np.where(
            good, np.minimum(least[: len(y)], task.objective(y)), least[: len(y)]
        )
        ours = y if ours is None and name.startswith("hardnet") else ours
    print(f"\n{task.name}, {len(task)} samples")
    print(
        "| | solved | samples | objective | violation | alone, us | batch, us | gradient, us | its error |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, (solver, y, alone, batch) in rows.items():
        if solver is None:
            print(f"| {name} | failed: {y} | | | | | | | |")
            continue
        f, violation, best = task.objective(y), task.violation(y), least[: len(y)]
        solved = (violation <= 1e-8) & (f <= best + 1e-8 * np.maximum(1, np.abs(best)))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            gradient = measure_gradient(solver, task, ours) if ours is not None else ("", "")
        print(f"| {name} | {100 * solved.mean():.4g} % | {len(y)} | {f[:2].mean():.10g} | {violation.max():.0e} | "
              f"{1e6 * alone:.4g} | {1e6 * batch:.4g} | {gradient[0]} | {gradient[1]} |", flush=True)  # fmt: skip


def chosen(name, arguments):
    given = [word.lower() for word in arguments.solvers]
    return not given or any(word in name.lower() for word in given)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--quick", action="store_true", help="fewer samples, less time: two minutes or so"
    )
    parser.add_argument("--seconds", type=float, help="for one solver on one task (10; quick: 1)")
    parser.add_argument("--batch", type=int, help="samples of a batch (1000; quick: 200)")
    parser.add_argument(
        "--tasks",
        nargs="*",
        default=[],
        metavar="WORD",
        help="tasks whose name has one of these words",
    )
    parser.add_argument("--solvers", nargs="*", default=[], metavar="WORD", help="solvers likewise")
    arguments = parser.parse_args()
    arguments.seconds = arguments.seconds or (1.0 if arguments.quick else 10.0)
    arguments.batch = arguments.batch or (200 if arguments.quick else 1000)
    missing = {}
    warnings.simplefilter("ignore")
    print(
        f"{platform.machine()}, Python {platform.python_version()}, one thread each, processor time"
    )
    for task in list_tasks(arguments.quick, arguments.batch):
        if not arguments.tasks or any(
            word.lower() in task.name.lower() for word in arguments.tasks
        ):
            run_task(task, arguments, missing)
    solver_models.run(arguments, missing)
    for name, why in missing.items():
        print(f"\nskipped: {name} ({why})")


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
