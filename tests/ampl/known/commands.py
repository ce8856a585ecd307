"""Texts about commands and options: let, fix, unfix, solve, what is skipped, line ends, values and relaxation by the caller.

SPDX-License-Identifier: MIT
"""
from .engine import Text, total


def let_fix():
    t = Text("let_fix")
    x = t.var("x", [1, 2, 3, 4], lower=0, start={1: 5, 2: 6, 3: 0.5, 4: 1}, fixed={1: 5, 3: 0.5})
    y = t.var("y", [1, 2, 3, 4], lower=lambda i: -i, start={1: 1.5, 2: 11, 3: -1.5, 4: -2}, fixed={3: -1.5})
    z = t.var("z", lower=1, start=7)
    for i in (1, 2, 4):
        t.row(("r", i), x[i] + y[i] - z, upper=0)
    t.minimize("f", x[1] ** 2 + 20 * x[2] ** 2 + 3 * x[3] ** 2 + 40 * x[4] ** 2 + 8 * z)
    return t


def solve_stops():
    t = Text("solve_stops")
    x, y = t.var("x", lower=0, start=2), t.var("y")
    t.eq("c", x * y, 1)
    t.minimize("f", (x - 3) ** 2 + y * y)
    t.note("solve_stops.mod:7:1")
    t.note("solve")
    return t


def skipped():
    t = Text("skipped")
    x = t.var("x", [1, 2], lower=0)
    t.row("c", x[1] + x[2], lower=1)
    t.minimize("f", x[1] ** 2 + x[2] ** 2)
    for word in "option display print printf write close expand show suffix priority".split():
        t.note(word)
    t.note("skipped.mod:11:1")
    return t


def dialect():
    t = Text("dialect")
    x = t.var("x", [2, 3, 4], lower=0, start={2: 0.5, 3: 0.25, 4: 0})
    inter = t.var("inter", ["a", "b", "c"], upper=9, start=1)
    for p, q in (("a", "b"), ("a", "c"), ("b", "c")):
        t.row(("cross", (p, q)), inter[p] + inter[q], lower=1.5)
    t.row("band", x[2] - x[3], lower=-1, upper=1)
    t.row(("meet", (2, 3)), x[2] * x[3], upper=3)
    t.row(("meet", (3, 4)), x[3] * x[4], upper=4)
    t.row("last_one", x[3], upper=6)
    quadratic = inter["a"] ** 2 + 2.5 * inter["b"] ** 2 + 4 * inter["c"] ** 2
    t.minimize("cost", quadratic + x[2] ** 2 + 5 * x[3] ** 2 + x[4] ** 2)
    for words in ("suffix is skipped, here and 1 more time", "start value of a multiplier", "multiplier of cross", "band.dual"):
        t.note(words)
    return t


def crlf():
    t = Text("crlf")
    x = t.var("x", [1, 2], lower=0)
    t.row("c[1]", x[1], lower=1)
    t.row("c[2]", x[2], lower=2)
    t.minimize("f", 3 * x[1] ** 2 + 4 * x[2] ** 2)
    return t


def override():
    t = Text("override", let=("N=4", "who=b", "load=2.5"))
    x = t.var("x", [1, 2, 3, 4], lower=0)
    t.row("c1", total(x.values()), upper=16)
    t.row("c2", x[1], lower=2.5)
    t.minimize("f", total(i * x[i] ** 2 for i in x))
    return t


def relaxed():
    t = Text("relaxed", relax=True)
    k = t.var("k", lower=0, upper=10, start=4)
    opened = t.var("open", [1, 2, 3], lower=0, upper=1, start=1)
    free, even = t.var("free", [1, 2]), t.var("even", [1, 2], lower=2)
    t.row("c1", k - 4 * (opened[1] + opened[2] + opened[3]), upper=0)
    for i in (1, 2):
        t.row(("c2", i), free[i] - even[i] + k, lower=0)
    t.minimize("f", k * k + opened[1] + 2 * opened[2] + 3 * opened[3])
    for name in ("k", "open", "free", "even"):
        t.note(f"variable {name}")
    return t


def texts():
    return [let_fix(), solve_stops(), skipped(), dialect(), crlf(), override(), relaxed()]
