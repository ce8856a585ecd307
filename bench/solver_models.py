"""Shipped models for bench/solvers.py: hardnet beside IPOPT, which gets the same mathematics through CasADi.

nearest: from the published raw outputs of the unicycle where they are there (HARDNET_SHARED/data/unicycle), and else
from what auto finds plus noise. Distances are compared sample by sample.

SPDX-License-Identifier: MIT
"""

import os
import pathlib
import time

import numpy as np
from solver_peers import Ipopt
from solver_tasks import ROOT, Casadi


def samples(name, model, count):
    published = pathlib.Path(os.environ.get("HARDNET_SHARED", ROOT.parent / "shared")) / "data/unicycle"
    if name == "unicycle" and (published / "y_raw_published.npy").exists():
        return np.load(published / "x_test.npy")[:count], np.load(published / "y_raw_published.npy")[:count]
    x = model.sample_inputs(count, seed=5)
    y = model.layer("auto", threads=1)(None, x).y
    return x, y + 0.05 * np.random.RandomState(6).standard_normal(y.shape)


def ipopt(model, x, raw, seconds):
    """The nearest points, their times, and how many there was time for."""
    import casadi

    text = Casadi(model)
    target = casadi.SX.sym("target", model.outputs_count)
    goal = 0.5 * casadi.sumsqr(text.y - target)
    problem = {"x": text.y, "p": casadi.vertcat(text.x, target), "f": goal, "g": casadi.vertcat(*text.rows)}
    solver = casadi.nlpsol("solver", "ipopt", problem, Ipopt.options)
    found, times = [], []
    while len(found) < len(x) and (len(found) < 2 or sum(times) < seconds):
        k = len(found)
        low, high = text.bounds(x[k])
        at = time.process_time()
        answer = solver(x0=raw[k], p=np.r_[x[k], raw[k]], lbx=low, ubx=high, lbg=text.low, ubg=text.high)
        times.append(time.process_time() - at)
        found.append(np.array(answer["x"]).ravel())
    return np.array(found), times


def report(name, model, arguments, missing):
    count = 20 if arguments.quick else 100
    x, raw = samples(name, model, count)
    print(f"\nnearest point of {name}, {len(x)} samples\n| | feasible | distance | violation | alone, us | batch, us |\n"
          "|---|---|---|---|---|---|")  # fmt: skip
    distances = {}
    for method in ("nearest", "auto"):
        layer = model.layer(method, threads=1)
        layer(raw, x)
        at = time.process_time()
        y = layer(raw, x).y
        batch = (time.process_time() - at) / len(x)
        alone = []
        for k in range(min(10, len(x))):
            at = time.process_time()
            layer(raw[k], x[k])
            alone.append(time.process_time() - at)
        distances[method] = line(f"hardnet {method}", model, x, raw, y, np.median(alone), batch)
    try:
        y, times = ipopt(model, x, raw, arguments.seconds)
    except ImportError as error:
        missing["IPOPT, CasADi"] = str(error)
        return
    distances["ipopt"] = line("IPOPT, CasADi", model, x, raw, y, np.median(times), np.mean(times))
    both = min(len(distances["ipopt"]), len(distances["nearest"]))
    nearer = distances["nearest"][:both] <= distances["ipopt"][:both] + 1e-6
    further = distances["nearest"] > distances["auto"] + 1e-8
    print(f"\nnearest at most 1e-6 further than IPOPT: {nearer.sum()} of {both}; further than auto: {further.sum()}")


def line(name, model, x, raw, y, alone, batch):
    seen = model.evaluate(y, x[: len(y)])
    distance = np.linalg.norm(y - raw[: len(y)], axis=-1)
    good = seen.violation <= 1e-8
    print(f"| {name} | {100 * good.mean():.4g} % of {len(y)} | {distance.mean():.8g} | {seen.violation.max():.0e} | "
          f"{1e6 * alone:.4g} | {1e6 * batch:.4g} |", flush=True)  # fmt: skip
    return np.where(good, distance, np.inf)


def run(arguments, missing):
    import hardnet

    for name in ("unicycle", "opf57"):
        if not arguments.tasks or any(word.lower() in name for word in arguments.tasks):
            report(name, hardnet.Model.from_file(ROOT / "models" / f"{name}.mod"), arguments, missing)
