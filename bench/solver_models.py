"""Shipped models for bench/solvers.py: hardnet beside IPOPT, which gets the same mathematics through CasADi.

From the published raw outputs of the unicycle where they are there (HARDNET_SHARED/data/unicycle), and else from what
auto finds plus noise. Distances (nearest) and objectives (optimal) are compared sample by sample.

SPDX-License-Identifier: MIT
"""

import os
import pathlib
import time

import numpy as np
from solver_peers import IPOPT
from solver_tasks import ROOT, Casadi


def samples(name, model, count):
    published = (
        pathlib.Path(os.environ.get("HARDNET_SHARED", ROOT.parent / "shared")) / "data/unicycle"
    )
    if name == "unicycle" and (published / "y_raw_published.npy").exists():
        return np.load(published / "x_test.npy")[:count], np.load(
            published / "y_raw_published.npy"
        )[:count]
    x = model.sample_inputs(count, seed=5)
    y = model.layer("auto", threads=1)(None, x).y
    return x, y + 0.05 * np.random.RandomState(6).standard_normal(y.shape)


def ipopt(model, x, raw, seconds, nearest):
    """The nearest points or the optima, as many as there was time for, and their times."""
    import casadi

    text = Casadi(model)
    target = casadi.SX.sym("target", model.outputs_count)
    goal = 0.5 * casadi.sumsqr(text.y - target) if nearest else text.objective
    problem = {
        "x": text.y,
        "p": casadi.vertcat(text.x, target),
        "f": goal,
        "g": casadi.vertcat(*text.rows),
    }
    solver = casadi.nlpsol("solver", "ipopt", problem, IPOPT)
    found, times = [], []
    while len(found) < len(x) and (len(found) < 2 or sum(times) < seconds):
        k = len(found)
        low, high = text.bounds(x[k])
        at = time.process_time()
        answer = solver(
            x0=raw[k], p=np.r_[x[k], raw[k]], lbx=low, ubx=high, lbg=text.low, ubg=text.high
        )
        times.append(time.process_time() - at)
        found.append(np.array(answer["x"]).ravel())
    return np.array(found), times


def measure(model, method, x, raw):
    """y, and the times alone and in a batch."""
    layer = model.layer(method, threads=1)
    layer(raw, x)
    at = time.process_time()
    y = layer(raw, x).y
    batch, alone = (time.process_time() - at) / len(x), []
    for k in range(min(10, len(x))):
        at = time.process_time()
        layer(raw[k], x[k])
        alone.append(time.process_time() - at)
    return y, np.median(alone), batch


def line(name, model, x, raw, found, nearest):
    """What is made small, of every sample; infinite where a row does not hold."""
    y, alone, batch = found
    seen = model.evaluate(y, x[: len(y)])
    figure = np.linalg.norm(y - raw[: len(y)], axis=-1) if nearest else seen.objective
    good = seen.violation <= 1e-8
    cells = [
        f"{100 * good.mean():.4g} % of {len(y)}",
        f"{figure.mean():.8g}",
        f"{seen.violation.max():.0e}",
    ]
    print(f"| {name} | {' | '.join(cells)} | {1e6 * alone:.4g} | {1e6 * batch:.4g} |", flush=True)
    return np.where(good, figure, np.inf)


def report(name, model, method, arguments, missing):
    x, raw = samples(name, model, 20 if arguments.quick else 100)
    nearest = method == "nearest"
    print(f"\n{method} of {name}, {len(x)} samples")
    print(
        f"| | feasible | {'distance' if nearest else 'objective'} | violation | alone, us | batch, us |"
    )
    print("|---|---|---|---|---|---|")
    ours = line(f"hardnet {method}", model, x, raw, measure(model, method, x, raw), nearest)
    auto = line("hardnet auto", model, x, raw, measure(model, "auto", x, raw), nearest)
    try:
        y, times = ipopt(model, x, raw, arguments.seconds, nearest)
    except ImportError as error:
        missing["IPOPT, CasADi"] = str(error)
        return
    other = line("IPOPT, CasADi", model, x, raw, (y, np.median(times), np.mean(times)), nearest)
    good = ours[: len(other)] <= other + 1e-6
    print(
        f"\nat most 1e-6 above IPOPT: {good.sum()} of {len(good)}; above auto: {(ours > auto + 1e-8).sum()}"
    )


def run(arguments, missing):
    import hardnet

    for name in ("unicycle", "opf57"):
        if arguments.tasks and not any(word.lower() in name for word in arguments.tasks):
            continue
        model = hardnet.Model.from_file(ROOT / "models" / f"{name}.mod")
        for method in ("nearest", "optimal"):
            report(name, model, method, arguments, missing)
