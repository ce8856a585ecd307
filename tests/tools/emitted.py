"""Emitted files, compiled and run: what the tests of `emit` and those on other targets share.

A harness (tests/targets/harness.c) calls the emitted file for a list of inputs and prints outcome, iterations, worst row, violation and
the bits of y.
"""
import ctypes
import pathlib
import re
import subprocess

from samples import np

TARGETS = pathlib.Path(__file__).resolve().parents[1] / "targets"
OUTCOMES = "ok iteration_limit locally_infeasible stalled bad_bounds nonfinite_input nonfinite_evaluation cancelled".split()
STRICT = "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wdouble-promotion -Werror".split()


def literal(value, single):
    if np.isnan(value):
        return "(0.0f / 0.0f)"
    if np.isinf(value):
        return "(1.0f / 0.0f)" if value > 0 else "(-1.0f / 0.0f)"
    return float(np.float32(value) if single else value).hex() + ("f" if single else "")


def states_header(path, x, y, single):
    """states.h of the harness: inputs x, and raw outputs y (one row, or one for each row of x)."""
    def rows(a):
        return ",\n".join("{" + (", ".join(literal(v, single) for v in row) or "0") + "}" for row in a)
    x, y = np.atleast_2d(x), np.atleast_2d(y)
    count = max(len(x), len(y))
    x = np.repeat(x, count, 0) if len(x) < count else x
    pathlib.Path(path).write_text(
        f"enum {{ COUNT = {count}, RAW_ROWS = {len(y)} }};\n"
        f"static const layer_real states[COUNT][layer_INPUTS + 1] = {{\n{rows(x)}\n}};\n"
        f"static const layer_real raw[RAW_ROWS][layer_OUTPUTS] = {{\n{rows(y)}\n}};\n")


def parse(text, single):
    """(outcome, iterations, worst row or None, violation, y) of each line."""
    digits, kind = (8, ">f4") if single else (16, ">f8")
    found = []
    for line in text.split():
        numbers = np.frombuffer(bytes.fromhex(line[18:]), kind).astype("f4" if single else "f8")
        worst = int(line[10:18], 16)
        found.append((OUTCOMES[int(line[:2], 16)], int(line[2:10], 16), None if worst == 0xffffffff else worst,
                      float(numbers[0]), numbers[1:]))
        assert len(line) == 18 + digits * len(numbers)
    return found


def compile_host(folder, x, y, single, compiler="cc", flags=("-O2",)):
    """The harness around FOLDER/layer.c, compiled for this machine: the path of the program."""
    folder = pathlib.Path(folder)
    states_header(folder / "states.h", x, y, single)
    program = folder / "harness"
    subprocess.run([compiler, *STRICT, *flags, "-c", str(folder / "layer.c"), "-o", str(folder / "layer.o")], check=True)
    subprocess.run([compiler, "-std=gnu99", "-O1", f"-I{folder}", str(TARGETS / "harness.c"), str(TARGETS / "hosted.c"),
                    str(folder / "layer.o"), "-o", str(program), "-lm"], check=True)
    return program


def run_host(folder, x, y, single=False, **more):
    program = compile_host(folder, x, y, single, **more)
    done = subprocess.run([str(program)], stdout=subprocess.PIPE, check=True, timeout=300)
    return parse(done.stdout.decode(), single)


def undefined(path, nm="nm"):
    listing = subprocess.run([nm, "-u", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def report_of(real):
    """layer_report; the last two fields are there with several candidates or refinement only."""
    class Report(ctypes.Structure):
        _fields_ = [(name, ctypes.c_int32) for name in "outcome iterations steps worst culprit".split()] + \
                   [(name, real) for name in "violation_before violation moved damping".split()] + \
                   [("candidate", ctypes.c_int32), ("objective", real)]
    return Report()


class Loaded:
    """An emitted file, in double unless it is single, compiled and loaded, with a workspace of its own."""

    def __init__(self, folder, single=False):
        header, path = (folder / "layer.h").read_text(), folder / "layer.so"
        subprocess.run(["cc", "-std=c99", "-O0", "-fPIC", "-shared", str(folder / "layer.c"), "-o", str(path)], check=True)
        self.object = ctypes.CDLL(str(path))
        self.inputs, self.outputs = (int(re.search(rf"layer_{name} = (\d+)", header)[1]) for name in ("INPUTS", "OUTPUTS"))
        self.real, self.kind = (ctypes.c_float, "f4") if single else (ctypes.c_double, "f8")
        self.work = (self.real * (int(re.search(r"workspace +(\d+)", header)[1]) // ctypes.sizeof(self.real)))()
        self.object.layer_init(self.work)

    @staticmethod
    def address(array):
        return array.ctypes.data_as(ctypes.c_void_p)

    def report(self, x):
        """The outputs of the network at x, corrected, and the report."""
        x, y, report = np.ascontiguousarray(x, self.kind), np.zeros(self.outputs, self.kind), report_of(self.real)
        self.object.layer_solve(self.work, self.address(x), self.address(y), ctypes.byref(report))
        return y, report

    def solve(self, x, y=None):
        x, y = np.ascontiguousarray(x, "f8"), np.zeros(self.outputs) if y is None else np.array(y, "f8")
        return self.object.layer_solve(self.work, self.address(x), self.address(y), None), y

    def gradient(self, x, grad_y):
        """Whether it is flagged, by the raw output, by x; of the last solve."""
        x, grad_y = np.ascontiguousarray(x, "f8"), np.ascontiguousarray(grad_y, "f8")
        raw, by_x = np.full(self.outputs, np.nan), np.full(self.inputs, np.nan)
        flagged = self.object.layer_gradient(self.work, self.address(x), self.address(grad_y), self.address(raw), self.address(by_x))
        return flagged, raw, by_x
