"""What is judged is what was written: random formulas, evaluated here operation by operation in doubles.

Run with the path of the built program: as_written.py BUILD/hardnet. A formula is drawn once and printed twice, as AMPL and as a tree
that this script evaluates from the leaves up, one rounding per operation, with the IEEE rules for what is infinite or undefined. A row
in which a part has no value has none, though these rules may end with a number: 1/(1/0), min(1/0, 3).
The violations that `hardnet project` reports, before and after its correction, must be these numbers to the last bit where the
formula has exactly rounded operations only; where it has logarithms and powers, a row may be called ok only where it is defined.
"""
import json
import math
import pathlib
import random
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import tool  # noqa: E402
from samples import SampleTool, np  # noqa: E402

TOLERANCE = 1e-8
OUTPUTS, INPUTS = 3, 2
NUMBERS = [0.1, 3, 0.7, 1e16, 5, 0.3, 2, 1 / 3, 7e8, 1]


poles = []  # of the formula that is being evaluated: parts without a value


def divide(a, b):
    if b != 0:
        return a / b
    poles.append((a, b))
    return math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1, b)


def choose(a, b, smaller):
    """min and max hand on what is undefined."""
    return a if math.isnan(a) or (a < b if smaller else b < a) else b


EXACT = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": divide,
    "neg": lambda a: -a, "square": lambda a: a * a, "abs": abs, "half": lambda a: a / 2,
    "sqrt": lambda a: math.sqrt(a) if a >= 0 else math.nan,
    "min": lambda a, b: choose(a, b, True), "max": lambda a, b: choose(a, b, False),
}
LOOSE = {
    "log": lambda a: math.log(a) if a > 0 else (poles.append(a) or -math.inf if a == 0 else math.nan),
    "exp": lambda a: math.exp(a) if a < 709 else (math.inf if a > 710 else math.nan if math.isnan(a) else 1e308),
    "inverse": lambda a: divide(1, a),
}
TEXTS = {"neg": "-{}", "square": "{}^2", "abs": "abs({})", "half": "{}/2", "sqrt": "sqrt({})", "min": "min({}, {})",
         "max": "max({}, {})", "log": "log({})", "exp": "exp({})", "inverse": "{}^(-1)"}


def value(tree, x, y):
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind in "xy":
        return (x if kind == "x" else y)[tree[1] - 1]
    if kind == "chain":  # + and - without parentheses, from left to right; first sign "" or "-"
        total = None
        for sign, term in tree[1]:
            v = value(term, x, y)
            total = (-v if sign == "-" else v) if total is None else total - v if sign == "-" else total + v
        return total
    if kind == "over":  # sum {k in 1..n} c[k]*body, the numbers c are data
        total = 0.0
        for factor in tree[1]:
            total += factor * value(tree[2], x, y)
        return total
    return {**EXACT, **LOOSE}[kind](*[value(one, x, y) for one in tree[1:]])


def text(tree, data):
    kind = tree[0]
    if kind == "number":
        return repr(float(tree[1])) if tree[1] >= 0 else f"({float(tree[1])!r})"
    if kind in "xy":
        return f"{kind}[{tree[1]}]"
    if kind == "chain":
        return "(" + "".join(f"{sign} {text(term, data)} " for sign, term in tree[1]) + ")"
    if kind == "over":
        data.append(tree[1])
        name = f"c{len(data)}"
        return f"(sum {{k in 1..{len(tree[1])}}} {name}[k]*{text(tree[2], data)})"
    parts = [text(one, data) for one in tree[1:]]
    return "(" + TEXTS[kind].format(*parts) + ")" if kind in TEXTS else f"({parts[0]} {kind} {parts[1]})"


def leaf(source):
    kind = source.choice("xyyyn")
    if kind == "n":
        return ("number", source.choice(NUMBERS) * source.choice([1, 1, 1, 0]))
    return (kind, source.randint(1, INPUTS if kind == "x" else OUTPUTS))


def formula(source, depth, names):
    if depth == 0:
        return leaf(source)
    kind = source.choice(["chain", "chain", "chain", "over", *names])
    inner = lambda: formula(source, source.randint(0, depth - 1), names)  # noqa: E731
    if kind == "chain":
        return ("chain", [(source.choice(["", "-"]), inner())]
                + [(source.choice("+-"), inner()) for _ in range(source.randint(1, 3))])
    if kind == "over":
        return ("over", [source.choice(NUMBERS) * source.choice([1, -1, 0]) for _ in range(3)], inner())
    if kind in ("same-", "same/"):  # where a simplification is tempting
        one = inner()
        return (kind[-1], one, one)
    return (kind, *[inner() for _ in range(2 if kind in ("+", "-", "*", "/", "min", "max") else 1)])


def model_of(left, relation, right):
    data = []
    sides = f"{text(left, data)} {relation} {text(right, data)}"
    params = "".join(f"param c{i + 1}{{1..3}};\n" for i in range(len(data)))
    values = "".join(f"param c{i + 1} := " + ", ".join(f"{k + 1} {float(v)!r}" for k, v in enumerate(one)) + ";\n"
                     for i, one in enumerate(data))
    return (f"param x{{1..{INPUTS}}};\nvar y{{1..{OUTPUTS}}};\n{params}subject to row: {sides};\n"
            f"subject to all: y[1] + y[2] + y[3] >= -1e300;\ndata;\n{values}")


def violation(left, relation, right, x, y):
    """Of left relation right: one subtraction. None where a side is infinite: it is no bound there, or a row without a value."""
    poles.clear()
    a, b = value(left, x, y), value(right, x, y)
    d = a - b
    if math.isinf(a) or math.isinf(b):
        return None
    if math.isnan(d) or poles:
        return math.nan
    return max(0, d if relation == "<=" else -d if relation == ">=" else abs(d))


class AsWritten(SampleTool):
    def project(self, model, x, y):
        """Outputs and samples of the report; None for a model that is refused."""
        path, out, report = self.file("m.mod", model), self.folder / "out.npy", self.folder / "report.json"
        given = ["--x", self.array("x.npy", x)] if x is not None else []
        done = subprocess.run([tool.program, "project", path, *given, "--y", self.array("y.npy", y), "--out", str(out),
                               "--report", str(report), "--iterations", "30"], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=300, check=False)
        if done.returncode not in (0, 3):
            self.assertRegex(done.stderr.decode(), r"m\.mod:\d+:\d+: .*(never satisfied|bound|NaN|division by zero)")
            return None
        return np.load(out), json.loads(report.read_text())["samples"]

    # ---- a time in seconds ----

    def check_time(self, declaration, start):
        source = np.random.RandomState(5)
        t0 = 1.7e9
        times = t0 + source.standard_normal(2000) * 3
        z = source.standard_normal(2000) * 3
        model = f"param t0 := {t0!r}; {declaration}; var z; subject to near: z + (t - t0) <= 1;"
        y, samples = self.project(model, times[:, None] if start is None else None,
                                  z[:, None] if start is None else np.stack([times, z], axis=1))
        t = times if start is None else y[:, 0]
        beyond = [k for k, one in enumerate(samples)
                  if one["status"] == "ok" and not y[k, -1] + (t[k] - t0) - 1 <= TOLERANCE]
        self.assertEqual(beyond, [])
        self.assertGreater(sum(one["status"] == "ok" for one in samples), 1900)

    def test_a_time_minus_a_time_is_subtracted_first(self):
        self.check_time("param t", None)
        self.check_time("var t", "output")

    # ---- every bit ----

    def check_formulas(self, count, names, judge, seed):
        source = random.Random(seed)
        numbers = np.random.RandomState(seed)
        refused = 0
        for _ in range(count):
            left, right = formula(source, 3, names), formula(source, source.randint(0, 2), names)
            relation = source.choice(["<=", ">=", "="])
            x, y = self.points(numbers, 24)
            model = model_of(left, relation, right)
            result = self.project(model, x, y)
            if result is None:
                refused += 1
                continue
            for k, sample in enumerate(result[1]):
                for name, point in (("violation_before", y[k]), ("violation", result[0][k])):
                    expected = violation(left, relation, right, x[k].tolist(), point.tolist())
                    judge(sample, name, expected, f"{model}\nx = {x[k].tolist()}\ny = {point.tolist()}\n{sample}")
        self.assertLess(refused, count / 4)

    def points(self, numbers, count):
        """Numbers of all sizes, whole ones and zeros among them."""
        def draw(n):
            plain = numbers.standard_normal((count, n)) * 10.0 ** numbers.randint(-2, 3, (count, n))
            whole = numbers.randint(-2, 3, (count, n))
            large = 1.7e9 + plain
            kind = numbers.randint(0, 4, (count, n))
            return np.where(kind == 0, whole, np.where(kind == 1, large, plain))
        return draw(INPUTS), draw(OUTPUTS)

    def same(self, sample, name, expected, about):
        if expected is None:
            return
        if not math.isfinite(expected):
            self.assertIsNone(sample[name], about)
        else:
            self.assertEqual(sample[name], expected, f"{name}: {expected!r} by the formula as written\n{about}")

    def test_reported_violations_are_those_of_the_formula_to_the_last_bit(self):
        names = ["+", "-", "*", "*", "/", "neg", "square", "half", "abs", "min", "max", "sqrt"]
        self.check_formulas(150, names, self.same, 11)

    # ---- what is not defined ----

    def defined(self, sample, name, expected, about):
        """Logarithms of two libraries may differ in the last digits: what counts is whether there is a value at all."""
        if name == "violation" and sample["status"] == "ok" and expected is not None:
            self.assertFalse(math.isnan(expected), f"called ok where it is not defined\n{about}")

    def test_a_row_is_ok_only_where_its_formula_is_defined(self):
        names = ["*", "/", "log", "log", "sqrt", "exp", "same-", "same/", "same-", "same/", "inverse"]
        self.check_formulas(150, names, self.defined, 12)

    def test_simplifications_that_are_tempting_are_not_made(self):
        for body in ("y/y", "0/y", "log(y) - log(y)", "0*log(y)", "(y/y)^2", "0*(1/y)", "log(y)*0", "0*(y - 1)^(-1) + 0/y",
                     "sqrt(y - 1) - sqrt(y - 1)", "(1/y)/(1/y)", "1/y - 1/y", "(y/y)^(-1)", "0*(y/y)", "sum {i in 1..2} 0*log(y)",
                     "3 + log(y) - 3 - log(y)", "(if y >= 0 then log(y)*0 else 1)"):
            model = f"var y; subject to row: -2 <= {body} <= 2;"
            y, samples = self.project(model, None, np.array([[0.0]]))
            self.assertFalse(samples[0]["status"] == "ok" and y[0, 0] == 0, body)
            self.assertIsNone(samples[0]["violation_before"], body)


if __name__ == "__main__":
    tool.main()
