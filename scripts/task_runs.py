"""What scripts/tasks and scripts/own-tasks share: hardnet and its times on two cores, inputs that no training draws, reports, tables."""
import json
import os
import pathlib
import resource
import subprocess
import sys

HOME = pathlib.Path(__file__).resolve().parent.parent
OUT = HOME / "out" / "tasks"
PROGRAM = HOME / "build" / "hardnet"
FRESH_SEED = 2026  # of test inputs; trainings have another


def seconds_so_far():
    """Processor time of this script and of all commands it has run, on two cores: what a busy machine does not change."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent) / 2


def run(*arguments):
    """Seconds of a command that ends, with all samples ok or not."""
    begun = seconds_so_far()
    environment = {"OPENBLAS_NUM_THREADS": "1", **os.environ}  # the solver's matrices are small, and its processes many
    done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, text=True, check=False, env=environment)
    if done.returncode not in (0, 3):  # 3: something is not ok, which the report says
        sys.exit(f"tasks: hardnet {' '.join(map(str, arguments))}: exit code {done.returncode}")
    return seconds_so_far() - begun


def fresh_inputs(model, count, path, seed=FRESH_SEED):
    """The validation inputs of a training with another seed, which is not carried on."""
    run("train", model, "--out", OUT / f"{path.stem}_unused.safetensors", "--steps", 1, "--batch", 8, "--hidden", "4", "--survey", 0,
        "--candidates", 1, "--refine", 0, "--open-loop", "--seed", seed, "--validation", count, "--validation-inputs", path)


def report_of(path):
    return json.loads(path.read_text())


def threads(arguments):
    return [] if arguments.threads is None else ["--threads", arguments.threads]


def print_line(widths, *columns):
    print("".join(str(text).ljust(width) for text, width in zip(columns, widths)).rstrip(), flush=True)
