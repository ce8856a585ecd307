#!/usr/bin/env python3
"""What the shipped models must say, from formulas typed a second time (formulas/); shares no code with the reader.

usage: expected.py        print the tables of all models

test_models.c runs it and compares the reader with its tables: c, the bounds, the objective, the start and J at two points of
every model. J comes from the formulas by the complex step, exact to rounding. Needs numpy; exits 77 without it.

A table is lines of words: model FILE; counts INPUTS COLUMNS ROWS NONZEROS; input NAME LOWER UPPER; column NAME; group
NAME ROWS; and per point x ..., y ..., start ..., objective F, definition NAME VALUE, row NAME LOWER C UPPER, and J as
entry ROW COLUMN VALUE or, for large ones, as products with fixed vectors: forward ROW (J s)_ROW with s_j = cos(j + 1),
backward COLUMN (J't)_COLUMN with t_i = cos(2 i + 1). Rows and columns count from 0.
"""
import sys

sys.dont_write_bytecode = True
try:
    import numpy as np
except ImportError:
    print("numpy is not installed")
    sys.exit(77)

from formulas import MODELS, ROOT  # noqa: E402

LARGE = 400  # nonzeros beyond which J is printed as products


def points(m):
    """Two points: the start, and one beside it, at two places of the inputs' box."""
    lower, upper = (np.array([i[k] for i in m["inputs"]]) for k in (1, 2))
    for share, distance in ((0.4, 0.0), (0.3, 0.1)):
        x = lower + (upper - lower) * (share + 0.2 * np.sin(np.arange(len(lower))))
        start = np.array(m["start"](x) if callable(m["start"]) else m["start"], float)
        y = start + distance * (1 + np.abs(start)) * np.cos(1.0 + np.arange(len(start)))
        for j in m["fixed"]:
            y[j] = start[j]
        yield x, y, start


def evaluate(m, x, y):
    """Rows (name, lower, c, upper), groups (name, count), objective, definitions."""
    groups, objective, *definitions = m["function"](x, y)
    rows = [row for g in groups for row in zip(g[1], *(np.asarray(part).tolist() for part in g[2:]))]
    return rows, [(g[0], len(g[3])) for g in groups], objective, (definitions or [{}])[0]


def values(m, x, y):
    return np.concatenate([g[3] for g in m["function"](x, y)[0]])


def jacobian(m, x, y):
    """By the complex step: dc/dy_j = imag c(y + ih e_j) / h."""
    J = np.empty((len(values(m, x, y)), len(y)))
    for j in range(len(y)):
        shifted = y.astype(complex)
        shifted[j] += 1e-30j
        J[:, j] = values(m, x, shifted).imag / 1e-30
    J[:, list(m["fixed"])] = 0
    return J


def pattern(m, at_points):
    """Where J is not zero at some of three points: the two and one more."""
    *_, (x, y, _) = points(m)
    spread = y + 0.05 * (1 + np.abs(y)) * np.sin(3.0 + np.arange(len(y)))
    for j in m["fixed"]:
        spread[j] = y[j]
    return np.any([J != 0 for J in (*at_points, jacobian(m, x, spread))], axis=0)


def derivative_lines(J, nonzero):
    if nonzero.sum() <= LARGE:
        return [("entry", i, j, J[i, j]) for i, j in zip(*np.nonzero(nonzero))]
    forward = J @ np.cos(np.arange(J.shape[1]) + 1.0)
    backward = J.T @ np.cos(2.0 * np.arange(J.shape[0]) + 1)
    return [("forward", i, v) for i, v in enumerate(forward)] + [("backward", j, v) for j, v in enumerate(backward)]


def lines(name, m):
    """The table of one model, as tuples of words and numbers."""
    jacobians = [jacobian(m, x, y) for x, y, _ in points(m)]
    nonzero = pattern(m, jacobians)
    yield "model", f"models/{name}.mod"
    yield ("counts", *m["counts"])
    for i in m["inputs"]:
        yield ("input", *i)
    for c in m["columns"]:
        yield "column", c
    for k, (x, y, start) in enumerate(points(m)):
        rows, groups, objective, definitions = evaluate(m, x, y)
        found = len(m["inputs"]), len(m["columns"]), len(rows), int(nonzero.sum())
        assert found == m["counts"], (name, found)
        if k == 0:
            yield from (("group", *g) for g in groups)
        yield ("x", *x)
        yield ("y", *y)
        yield ("start", *start)
        if objective is not None:
            yield "objective", objective
        yield from (("definition", *d) for d in definitions.items())
        yield from (("row", *row) for row in rows)
        yield from derivative_lines(jacobians[k], nonzero)


def word(value):
    if isinstance(value, (str, int, np.integer)):
        return str(value)
    return repr(float(value))


def main():
    shipped = {str(p.relative_to(ROOT / "models").with_suffix("")) for p in (ROOT / "models").rglob("*.mod")}
    if shipped != set(MODELS):
        sys.exit(f"models without expectations or the other way round: {sorted(shipped ^ set(MODELS))}")
    for name in sorted(MODELS):
        for line in lines(name, MODELS[name]):
            print(*map(word, line))


if __name__ == "__main__":
    main()
