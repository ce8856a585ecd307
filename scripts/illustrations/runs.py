"""Makes the data of the pictures by runs of the command line: run(name, root, folder) writes folder/NAME.csv.

Times are those of one thread; on a busy machine run this before all others (`chrt -f 10 scripts/illustrate --run violation`).

SPDX-License-Identifier: MIT
"""
import csv
import json
import os
import pathlib
import random
import statistics
import struct
import subprocess
import sys
import tempfile

MODEL, STATES = "models/unicycle.mod", "data/unicycle/states.npy"
STEPS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 20, 30, 50, 100, 200, 500)
MOST = {"paper": 500, "lm": 200, "auto": 5000}  # steps that a method takes unless told otherwise; the others 100
CONVERGING = ("lm", "auto", "enforce")
METHODS = ("paper", "snarenet", *CONVERGING, "nearest", "optimal")
BATCHES = (1, 10, 100, 1000, 10000)


def save_rows(path, rows):
    """A .npy file, version 1.0, of doubles."""
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    header += " " * (63 - (10 + len(header)) % 64) + "\n"
    body = b"".join(struct.pack(f"<{len(row)}d", *row) for row in rows)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + body)


class Runner:
    def __init__(self, root, scratch):
        self.root, self.scratch = root, pathlib.Path(scratch)
        self.program = os.environ.get("HARDNET", str(root / "build/hardnet"))

    def hardnet(self, *arguments):
        done = subprocess.run([self.program, *map(str, arguments)], cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        if done.returncode != 0:
            sys.exit(f"illustrate: hardnet {arguments[0]} failed\n{done.stdout}")

    def report(self, *arguments):
        path = self.scratch / "report.json"
        self.hardnet(*arguments, "--report", path)
        return json.loads(path.read_text())

    def raw_outputs(self):
        """Of a network that was trained with a penalty only, for the paper's 100 states."""
        net, raw = self.scratch / "raw.safetensors", self.scratch / "raw.npy"
        self.hardnet("train", MODEL, "--out", net, "--method", "soft", "--steps", 300, "--batch", 240, "--rate", 0.001)
        self.hardnet("eval", MODEL, "--net", net, "--x", STATES, "--out", raw, "--allow-infeasible")
        return raw


def where(runner):
    """The commit and the processor, for the head of a data file."""
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=runner.root, stdout=subprocess.PIPE, text=True).stdout.strip()
    cpu = next((line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")), "unknown processor")
    return f"commit {commit}, {cpu}"


def write(path, heads, rows):
    with open(path, "w", newline="") as file:
        file.writelines(f"# {head}\n" for head in heads)
        table = csv.writer(file, lineterminator="\n")
        table.writerows(rows)


def run_correction(runner, folder):
    """60 raw outputs around the crescent; every iterate of auto."""
    source = random.Random(7)
    save_rows(runner.scratch / "y.npy", [(source.gauss(0.3, 1.6), source.gauss(0.2, 1.2)) for _ in range(60)])
    trace = runner.scratch / "trace.csv"
    runner.hardnet("project", folder / "correction.mod", "--y", runner.scratch / "y.npy", "--trace", trace)
    with open(trace, newline="") as file:
        rows = [[row[0], row[1], f"{float(row[2]):.4g}", f"{float(row[4]):.5f}", f"{float(row[5]):.5f}"]
                for row in list(csv.reader(file))[1:]]
    write(folder / "correction.csv", [f"hardnet project correction.mod --y Y --trace FILE; {where(runner)}"],
          [["sample", "iteration", "violation", "y[1]", "y[2]"], *rows])


def measure(runner, raw, method, steps):
    """Seconds per sample of the whole batch, and its violations, when a method may take so many steps."""
    limit = ["--method", method, *(["--iterations", steps] if steps else [])]
    common = [MODEL, "--x", STATES, "--y", raw, *limit]
    corrected = runner.report("project", *common, "--allow-infeasible")
    violations = [sample["violation"] for sample in corrected["samples"]]
    times = runner.report("bench", *common, "--threads", 1, "--repeat", 41)["timings"]
    whole = next(t for t in times if t["batch"] > 1 and not t["backward"])
    return whole["per_sample"], statistics.median(violations), max(violations)


def kept_lines(path, names):
    """Lines of a data file, and its remarks, that are about these names: other machines have made them."""
    lines = path.read_text().splitlines() if path.exists() else []
    return [line for line in lines if line.lstrip("# ").startswith(names)]


def run_violation(runner, folder):
    path, raw = folder / "violation.csv", runner.raw_outputs()
    kept = kept_lines(path, ("ipopt",))
    rows = [["method", "steps", "microseconds", "median", "largest"]]
    for method in METHODS:
        for steps in [k for k in STEPS if k <= MOST.get(method, 100)] if method not in ("nearest", "optimal") else (None,):
            seconds, median, largest = measure(runner, raw, method, steps)
            rows.append([method, steps or "", f"{1e6 * seconds:.4g}", f"{median:.4g}", f"{largest:.4g}"])
            if method in CONVERGING and largest <= 1e-8:
                break
    rows += [line.split(",") for line in kept if not line.startswith("#")]
    write(path, [f"raw outputs of a network for {STATES}, {MODEL}, a batch of 100, one thread; hardnet project and bench --iterations STEPS; "
                 f"{where(runner)}", *(line[2:] for line in kept if line.startswith("#"))], rows)


def run_throughput(runner, folder):
    """What this machine can say; the lines of GPUs and frameworks stay."""
    path = folder / "throughput.csv"
    kept = kept_lines(path, ("gpu", "torch", "jax"))
    rows = [["series", "batch", "microseconds"]]
    for name, more in (("cpu", []), ("compiled", ["--compile"])):
        for batch in BATCHES:
            timings = runner.report("bench", MODEL, "--method", "paper", "--iterations", 100, "--samples", batch, "--repeat", 9, *more)["timings"]
            best = next(t for t in timings if t["batch"] == batch and not t["backward"] and t["threads"] == 1)
            rows.append([name, batch, f"{1e6 * best['per_step']:.4g}"])
    rows += [line.split(",") for line in kept if not line.startswith("#")]
    write(path, [f"cpu and compiled, one thread: hardnet bench {MODEL} --method paper --iterations 100 [--compile]; {where(runner)}",
                 *(line[2:] for line in kept if line.startswith("#"))], rows)


def run_paths(runner, folder):
    """From out/mpc/rollout.json of `make demo`: per controller the places, and on their first line cost and largest violation."""
    report = json.loads((runner.root / "out/mpc/rollout.json").read_text())
    rows = [["controller", "step", "x", "y", "cost", "violation"]]
    for controller in report["controllers"]:
        judged = [f"{controller['cost']:.6g}", f"{controller['violation']:.2g}"]
        for k, step in enumerate(controller["starts"][0]["steps"]):
            rows.append([controller["name"], k, *(f"{value:.5f}" for value in step["x"][:2]), *(judged if k == 0 else ["", ""])])
    write(folder / "paths.csv", [f"make demo: hardnet rollout {MODEL} --x0=-3.2,0.3,-0.1 --steps 20; {where(runner)}"], rows)


RUNS = {"correction": run_correction, "violation": run_violation, "throughput": run_throughput, "paths": run_paths}


def run(name, root, folder):
    if name not in RUNS:
        print(f"illustrate: {name}: no runs; its data are kept as they are")
        return
    with tempfile.TemporaryDirectory() as scratch:
        RUNS[name](Runner(root, scratch), folder)
    print(f"illustrate: {(folder / name).relative_to(root)}.csv")
