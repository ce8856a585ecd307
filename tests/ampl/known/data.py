"""Texts about data: lists, tables, slices, columns, sets, starts, modes, symbols, further files.

SPDX-License-Identifier: MIT
"""
from .engine import Text, total


def lists():
    t = Text("data_lists")
    x = t.var("x", [1, 2, 3, 4], lower=0)
    factors = {1: (11, 12), 2: (-1, -1), 3: (-1, -32), 4: (-1, -1)}
    for i in x:
        for j in (1, 2):
            t.row(("r1", (i, j)), factors[i][j - 1] * x[i], upper=25)
    for i, factor, low in (1, 7, 4), (2, 9, 8), (3, 7, 4), (4, 7, -1):
        t.row(("r2", i), factor * x[i], lower=low)
    t.minimize("f", 10 * x[1] - 20 * x[2] + 30 * x[3] + 0.5 * x[4])
    return t


def tables():
    t = Text("data_tables")
    columns = ("c1", "c2", "c3", "c4")
    x = t.var("x", [(r, c) for r in ("r1", "r2") for c in columns])
    p, q = [x["r1", c] for c in columns], [x["r2", c] for c in columns]
    t.row("row[r1]", 2 * p[1] + 3 * p[3], upper=10)
    t.row("row[r2]", q[0] - q[2], upper=10)
    for k, c in enumerate(columns):
        t.row(("col", c), (k + 1) + (k + 5) + (k + 1) / 10 * p[k] + (k + 5) / 10 * q[k], lower=-10)
    linear = p[0] + 2 * p[1] + 3 * p[2] + 4.5 * p[3] + 5 * q[0] - 6 * q[1] + 7 * q[2] + 8 * q[3]
    squares = total(w * v * v for w, v in zip((1, 1, 2, 2, 3, 3, 4, 4), p + q))
    t.minimize("f", linear + squares)
    return t


def slices():
    t = Text("data_slices")
    y = t.var("y", [(p, k) for p in ("in", "out") for k in (1, 2, 3)], lower=-1, upper=1)
    a, b = [y["in", k] for k in (1, 2, 3)], [y["out", k] for k in (1, 2, 3)]
    t.row("c1[1,1]", 10 * a[0] + 30 * b[0], upper=1)
    t.row("c1[1,2]", 20 * a[1] + 40 * b[1], upper=1)
    t.row("c1[2,1]", 50 * a[0] + 60 * b[0], upper=2)
    t.row("c1[2,2]", 70 * b[1], upper=2)
    t.eq("c2[1]", 2 * a[0] - a[1] - b[0])
    t.eq("c2[2]", -a[0] + 2 * a[1] - a[2] - b[1])
    t.eq("c2[3]", -a[1] + 2 * a[2] - b[2])
    t.minimize("f", a[0] + 3 * a[1] + 5 * a[2] + 2 * b[0] + 4 * b[1] + 6 * b[2])
    return t


def columns():
    t = Text("data_columns")
    x = t.var("x", ["ore", "coal", "salt"], lower=0)
    f = t.var("f", [("ore", "coal"), ("coal", "salt"), ("salt", "ore")], lower=0)
    for s, high in ("ore", 11), ("coal", 101), ("salt", 34):
        t.row(("limit", s), x[s], upper=high)
    for key, high in zip(f, (9, 4, 8)):
        t.row(("flow", key), f[key], upper=high)
    for i, c, d in (1, 1, -1), (2, 2, -2), (3, 3, -30):
        t.row(("mix", i), c * total(x.values()) + d * total(f.values()), lower=0)
    t.minimize("cost", x["ore"] + 2 * x["coal"] + 3 * x["salt"] + total(n * v for n, v in zip((2.5, 1.5, 7), f.values())))
    return t


def sets():
    t = Text("data_sets")
    x = t.var("x", [(a, b) for a in ("a1", "a2", "a3") for b in "uv"], lower=0)
    for a, b, k in ("a1", "u", 1), ("a1", "v", 2), ("a2", "u", 5), ("a3", "v", 6):
        t.row(("c1", (a, b, k)), x[a, b], upper=k)
    t.row("c2[1]", x["a1", "u"] + x["a2", "u"], lower=-1)
    t.row("c2[2]", 0, lower=-2)
    t.row("c2[3]", x["a3", "u"], lower=-3)
    for k, a, b in (1, "a1", "u"), (1, "a2", "v"), (1, "a3", "v"), (2, "a2", "u"):
        t.row(("c3", (k, a, b)), x[a, b], lower=k)
    t.minimize("f", (x["a1", "u"] + x["a2", "v"] + x["a3", "u"]) + 2 * (x["a1", "v"] + x["a3", "v"])
               + 3 * (x["a1", "u"] + x["a2", "v"]))
    return t


def starts():
    t = Text("data_vars")
    x = t.var("x", [1, 2, 3], lower=0, start={1: 0.5, 2: 1.5, 3: 2.5})
    y = t.var("y", [("p", 1), ("p", 2), ("q", 1), ("q", 2)], start={("p", 1): 1, ("p", 2): 2, ("q", 1): 3, ("q", 2): 9})
    z = t.var("z", start=-4)
    v, w = t.var("v", ["p", "q"], start={"p": 10, "q": 30}), t.var("w", ["p", "q"], start={"p": 20, "q": 40})
    t.eq("c", x[1] + x[2] + x[3] - z)
    t.minimize("f", total(a * a for a in x.values()) + z * z + v["p"] * w["p"] + v["q"] * w["q"]
               + y["p", 1] * y["p", 2] + y["q", 1] * y["q", 2])
    return t


def modes():
    t = Text("data_modes")
    x = t.var("x", [1, 2, 3], lower=0)
    for i in x:
        t.row(("c", i), x[i], lower=i)
    t.row("d", x[1] + x[2] + x[3], upper=12)
    t.minimize("f", 5 * x[1] + 6 * x[2] + 7 * x[3])
    return t


def symbols():
    t = Text("data_symbols")
    x = t.var("x", ["Jan-1", "Jan-15", "1 Feb", "Mar_1.5"], lower=0)
    y = t.var("y", ["in", "sum", 7, -3, 200, "var", "a.b"])
    for day, worth in ("Jan-15", 2), ("1 Feb", 3), ("Mar_1.5", 4):
        t.row(("c1", day), x[day], upper=worth)
    for unit, factor in zip(y, (1, 2, 1, 5, 6, 8, 1)):
        t.row(("c2", unit), factor * y[unit], lower=1)
    t.minimize("f", total(n * v for n, v in enumerate(x.values(), 1)))
    return t


def pair():
    t = Text("pair", "pair.mod", "pair.dat")
    x = t.var("x", ["one", "two", "three"], lower=0, upper=4)
    t.row("total", total(x.values()), upper=8)
    t.maximize("f", x["one"] + 2 * x["two"] + 3 * x["three"])
    return t


def files():
    t = Text("files")
    x = t.var("x", [1, 2], lower=0)
    t.row("cap", x[1] + x[2], upper=8)
    t.minimize("f", 3 * x[1] ** 2 + 5 * x[2] ** 2)
    return t


def texts():
    return [lists(), tables(), slices(), columns(), sets(), starts(), modes(), symbols(), pair(), files()]
