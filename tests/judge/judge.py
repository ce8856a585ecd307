"""An independent judge of the layer: problems of its own, every method, verdicts at 50 digits.

    judge.py [--problems N] [--seed S] [--processes P] [--kinds A,B] [--only INDEX]

Needs gmpy2 or mpmath (exact.py), and the package hardnet where Python finds it (PYTHONPATH=BUILD/python). Problem i of seed S is the
same everywhere. For every problem and method it judges

    ok             every row holds to the tolerance, but for the rounding of its own evaluation in doubles (trees.py bounds it)
    undefined      nothing is ok where a row has no value
    violation      what is reported is what the formulas say, but for the same rounding
    proofs         certified samples of nearest and optimal satisfy their optimality conditions, with derivatives of our own
    gradients      of every tenth problem: against differences along a direction, for raw outputs and inputs together
    feasible       how many samples auto calls ok of problems that have a solution in doubles, from raw outputs where rows have a value

Exit status 0: no false ok, nothing undefined called ok, no false proof, no wrong gradient, and at least 99.5 % of the feasible are ok.
"""
import argparse
import collections
import multiprocessing
import sys

try:
    import numpy as np
    from exact import exact
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

import hardnet
import kinds
import trees as t

METHODS = "auto lm paper hardnet enforce snarenet nearest optimal".split()
TOLERANCE, CERTIFIED = 1e-8, 1e-8
FEASIBLE = 99.5
GRADIENTS = 10  # every so many problems
FIXED_STEPS = {"paper": 60, "hardnet": 30, "snarenet": 60}  # what always takes all of its steps takes fewer here


class Count(collections.Counter):
    """What was counted, and sentences about what was found."""

    def __init__(self):
        super().__init__()
        self.findings, self.worst_proof, self.worst_gradient = [], 0.0, 0.0

    def find(self, what, problem, index, method, sample, *more):
        self[what] += 1
        if self[what] <= 4:
            self.findings.append(f"{what}: problem {index}, {problem.kind}, method {method}, sample {sample}\n{problem.written()}"
                                 f"x = {problem.x}\ny_raw = {problem.raw[sample]}\n" + "\n".join(map(str, more)))

    def parts(self):
        """What another process is told."""
        return dict(self), self.findings, self.worst_proof, self.worst_gradient

    def join(self, numbers, findings, worst_proof, worst_gradient):
        self.update(numbers)
        self.findings += findings
        self.worst_proof = max(self.worst_proof, worst_proof)
        self.worst_gradient = max(self.worst_gradient, worst_gradient)


# ---- rows ----

def beyond(row, point):
    """How far the row is beyond its bounds, exactly, and the rounding of an evaluation in doubles."""
    v, e = t.value(row.body, point)
    worst = exact(0)
    for bound, sign in ((row.upper, 1), (row.lower, -1)):
        if bound is not None:
            b, eb = t.value(bound, point)
            e = max(e, e + eb + t.UNIT * float(abs(v - b)) + t.SMALLEST)
            worst = max(worst, sign * (v - b))
    return worst, e


def is_inside(row, x, y):
    """Whether doubles show that the row has a value and is within its bounds, exactly and in any evaluation in doubles."""
    found = t.quick(row.body, x, y)
    if found is None:
        return False
    v, e = found[0], 2 * found[1] + 4 * t.UNIT * abs(found[0]) + t.SMALLEST
    return (row.upper is None or v + e < row.upper[1]) and (row.lower is None or v - e > row.lower[1])


def largest(rows, point):
    """The largest distance beyond a bound less and with rounding, the row of the first, and how many rows could not be decided."""
    least, most, name, undecided = exact(0), exact(0), None, 0
    x, y = ([float(v) for v in part] for part in point)
    for key, row in rows.items():
        if is_inside(row, x, y):
            continue
        try:
            worst, e = beyond(row, point)
        except t.Undecided:
            undecided += 1
            continue
        most = max(most, worst + e)
        if worst - e > least:
            least, name = worst - e, key
    return least, most, name, undecided


def has_value(tree, x, y):
    if t.quick(tree, x, y) is not None:
        return True
    try:
        t.value(tree, ([exact(v) for v in x], [exact(v) for v in y]))
    except (t.Undefined, t.Undecided):
        return False
    return True


def defined(rows, problem, k):
    """Whether every row has a value at the raw output."""
    return all(has_value(row.body, problem.x, problem.raw[k]) for row in rows.values())


# ---- proofs ----

def proof(problem, method, rows, names, raw, point, multipliers):
    """The residual of the optimality conditions, as docs/method.md states it, and what rounding may add to it: of y, of the rows' values
    and derivatives, each evaluated once in doubles, and of their sum."""
    count = problem.outputs
    if method == "nearest":
        gradient, errors = [a - exact(b) for a, b in zip(point[1], raw)], [exact(0)] * count
    else:
        goal = t.slope(problem.objective, point, count)
        gradient, errors = goal.slopes, goal.errors
    size, complementary, rounding = exact(1), exact(0), exact(0)
    terms = [abs(g) for g in gradient]
    for name, multiplier in zip(names, map(exact, map(float, multipliers))):
        if multiplier == 0:
            continue
        row = rows[name]
        body = t.slope(row.body, point, count)
        v, slopes = body.value, body.slopes
        size = max(size, abs(multiplier) * min(1, max(map(abs, slopes))))
        gradient = [g - multiplier * s for g, s in zip(gradient, slopes)]
        terms = [a + abs(multiplier * s) for a, s in zip(terms, slopes)]
        errors = [e + abs(multiplier) * own for e, own in zip(errors, body.errors)]
        bound = row.lower if multiplier > 0 else row.upper
        if bound is None:
            return exact("inf"), exact(0)
        b, _ = t.value(bound, point)
        room = v - b if multiplier > 0 else b - v  # beyond the bound the row is violated, which is judged as such
        if row.lower != row.upper:
            complementary = max(complementary, abs(multiplier) * room)
        moved = sum(t.UNIT * abs(s) * (abs(a) + abs(exact(b))) + own * abs(a - exact(b))  # y on its way from raw, by slopes in doubles
                    for s, own, a, b in zip(slopes, body.errors, point[1], raw))
        rounding = max(rounding, abs(multiplier) * (body.error + moved))
    stationary = max(abs(g) for g in gradient) / size
    return max(stationary, complementary), 4 * rounding + (200 * t.UNIT * max(terms) + 2 * max(errors)) / size


def judge_proof(count, problem, index, method, rows, names, k, point, result):
    try:
        found, rounding = proof(problem, method, rows, names, problem.raw[k], point, result.multipliers[k])
    except (t.Undefined, t.Undecided):
        count["proofs at kinks"] += 1
        return
    count["proofs"] += 1
    count["proofs lost in rounding"] += rounding > CERTIFIED
    count.worst_proof = max(count.worst_proof, float(found - rounding))
    if not found <= CERTIFIED * 1.001 + rounding:
        count.find("false proof", problem, index, method, k, f"y = {result.y[k].tolist()}", f"residual {float(found):.3g}, "
                   f"reported {result.kkt[k]:.3g}, rounding {float(rounding):.3g}", f"multipliers {result.multipliers[k].tolist()}")


# ---- gradients ----

def gradient_error(count, problem, index, method, layer, h):
    """How far a gradient is from differences along a random direction, of two lengths, and both in words; None where nothing can be said:
    these do not agree, steps differ, or y itself is no neighbour of what the differences are of (another optimum)."""
    source = np.random.default_rng(index)
    raw, x = np.array(problem.raw[0]), np.array(problem.x)
    along, by_x, weights = source.normal(size=len(raw)) * problem.size, source.normal(size=len(x)), source.normal(size=len(raw))
    lengths = np.array([0, h, -h, 2 * h, -2 * h])[:, None]
    result = layer(raw + lengths * along, x + lengths * by_x if len(x) else None, tape=True)
    if not result.ok.all() or len(set(result.steps.tolist())) > 1:
        return None
    gradient = layer.gradient(result, np.tile(weights, (5, 1)))
    if gradient.flagged[0]:
        return None
    bend = np.abs(result.y[1] - 2 * result.y[0] + result.y[2]).max()
    if bend > 0.1 * np.abs(result.y[1] - result.y[2]).max() + 1e-14 * np.abs(result.y).max():
        count["gradients at jumps"] += 1
        return None
    loss = result.y @ weights
    short, long = (loss[1] - loss[2]) / (2 * h), (loss[3] - loss[4]) / (4 * h)
    found = gradient.y_raw[0] @ along + (gradient.x[0] @ by_x if len(x) else 0)
    known = 4e-16 * np.abs(result.y).max()  # what y is known to
    if method == "nearest":  # the nearest point is where kkt is 0
        known += result.kkt.max() if np.isfinite(result.kkt).all() else np.inf
    doubt = abs(short - long) + known * np.abs(weights).max() / h
    scale = max(problem.size, abs(short), np.abs(gradient.y_raw[0]).max() * problem.size)
    if not doubt <= 1e-4 * scale:
        return None
    return max(0.0, abs(found - (4 * short - long) / 3) - 4 * doubt) / scale, f"found {found!r}, differences {short!r}, {long!r}"


def judge_gradient(count, problem, index, method, layer):
    """What looks wrong is looked at again with ten times the length: there rounding, by which differences may agree, is a tenth."""
    if problem.kind in ("cancelling", "subnormal"):  # rounding makes stairs of them, which differences see and derivatives do not
        return
    if method == "optimal" and problem.size != 1:  # kkt is in the user's units: f is flat there
        return
    h = 1e-3 if method in ("nearest", "optimal") else 1e-5
    found = gradient_error(count, problem, index, method, layer, h)
    if found and found[0] > 1e-6:
        found = min(found, gradient_error(count, problem, index, method, layer, 10 * h) or found)
    if not found:
        return
    count["gradients"] += 1
    count.worst_gradient = max(count.worst_gradient, float(found[0]))
    if found[0] > 1e-6:
        count.find("wrong gradient", problem, index, method, 0, found[1])


# ---- a problem ----

def judge_ok(count, problem, index, method, rows, k, point, result):
    try:
        least, most, name, undecided = largest(rows, point)
    except t.Undefined:
        count.find("undefined ok", problem, index, method, k, f"y = {result.y[k].tolist()}")
        return
    count["undecided"] += undecided > 0
    count["judged"] += 1
    if least > TOLERANCE:
        count.find("false ok", problem, index, method, k, f"y = {result.y[k].tolist()}", f"row {name} is {float(least):.3g} beyond its bound")
    if not (least <= result.violation[k] and (undecided or result.violation[k] <= most * (1 + 1e-15))):
        count.find("wrong violation", problem, index, method, k, f"y = {result.y[k].tolist()}",
                   f"reported {result.violation[k]!r}, by the formulas {float(least)!r} to {float(most)!r}")


def judge_method(count, problem, index, method, model, names):
    try:
        layer = model.layer(method=method, threads=1, iterations=FIXED_STEPS.get(method))
    except hardnet.Error:
        count["refused layers"] += 1
        return
    rows, x = problem.all_rows(), problem.x or None
    result = layer(problem.raw, x)
    for k in range(len(problem.raw)):
        ok = bool(result.ok[k])
        count["samples"] += 1
        if method == "auto" and problem.feasible and defined(rows, problem, k):
            for name in ("all", problem.kind):
                count[f"feasible {name}"] += 1
                count[f"feasible {name} ok"] += ok
        if not ok:
            continue
        count[f"ok {method}"] += 1
        count["infeasible ok"] += problem.kind == "infeasible"
        point = ([exact(v) for v in problem.x], [exact(float(v)) for v in result.y[k]])
        judge_ok(count, problem, index, method, rows, k, point, result)
        if method in ("nearest", "optimal") and result.certified[k]:
            judge_proof(count, problem, index, method, rows, names, k, point, result)
    if index // len(kinds.KINDS) % GRADIENTS == 0:
        judge_gradient(count, problem, index, method, layer)


def judge_problem(count, seed, index):
    problem = kinds.Problem(kinds.KINDS[index % len(kinds.KINDS)], f"{seed} {index}")
    count["problems"] += 1
    try:
        model = hardnet.Model.from_text(problem.written())
    except hardnet.Error as said:
        count["refused"] += 1
        if problem.feasible:
            count.find("refused though feasible", problem, index, "none", 0, said)
        return
    names = model.row_names
    for method in METHODS:
        judge_method(count, problem, index, method, model, names)


def judge_some(job):
    seed, indices = job
    count = Count()
    for index in indices:
        judge_problem(count, seed, index)
    return count.parts()


# ---- all ----

def share(count, name):
    return 100 * count[f"feasible {name} ok"] / max(1, count[f"feasible {name}"])


def report(count):
    for finding in sorted(count.findings)[:60]:
        print(finding, end="\n\n")
    for kind in kinds.KINDS:
        if count[f"feasible {kind}"]:
            print(f"feasible, {kind}: {share(count, kind):.2f} % of {count[f'feasible {kind}']} ok by auto")
    print("ok by method: " + ", ".join(f"{method} {count[f'ok {method}']}" for method in METHODS))
    print(f"refused models {count['refused']}, layers {count['refused layers']}; undecided {count['undecided']} of {count['judged']}; "
          f"proofs {count['proofs']}, at kinks {count['proofs at kinks']}, lost in rounding {count['proofs lost in rounding']}, "
          f"largest residual {count.worst_proof:.2g}; "
          f"gradients {count['gradients']}, at jumps {count['gradients at jumps']}, largest error {count.worst_gradient:.2g}")
    bad = {what: count[what] for what in ("false ok", "infeasible ok", "undefined ok", "wrong violation", "false proof", "wrong gradient")}
    print(f"judge: {count['problems']} problems, {count['judged']} ok verdicts judged: "
          + ", ".join(f"{number} {what}" for what, number in bad.items()) + f"; feasible ok {share(count, 'all'):.2f} %")
    return not any(bad.values()) and count["judged"] > 0 and share(count, "all") >= FEASIBLE


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--problems", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--processes", type=int, default=multiprocessing.cpu_count())
    parser.add_argument("--kinds", default=",".join(kinds.KINDS))
    parser.add_argument("--only", type=int)
    options = parser.parse_args()
    wanted = [kinds.KINDS.index(kind) for kind in options.kinds.split(",")]
    indices = [i for i in range(options.problems) if i % len(kinds.KINDS) in wanted] if options.only is None else [options.only]
    jobs = [(options.seed, indices[i:i + 100]) for i in range(0, len(indices), 100)]
    count = Count()
    if options.processes == 1 or len(jobs) == 1:
        for job in jobs:
            count.join(*judge_some(job))
    else:
        with multiprocessing.get_context("spawn").Pool(options.processes) as pool:
            for part in pool.imap_unordered(judge_some, jobs):
                count.join(*part)
    sys.exit(0 if report(count) else 1)


if __name__ == "__main__":
    main()
