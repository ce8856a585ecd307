"""Texts about network inputs: params without a value, wherever they may stand.

SPDX-License-Identifier: MIT
"""
from math import sqrt

from .engine import Text, atan2, choose, cos, sin, total


def order():
    t = Text("inputs_order")
    b = t.input("b", [("p", 1), ("p", 2), ("q", 1), ("q", 2)])
    a = t.input("a")
    x = t.var("x", ["p", "q"])
    for s in "pq":
        t.row(("c1", s), b[s, 1] * x[s], upper=b[s, 2] + 5)
    t.eq("c2", 1.5 * x["p"] + 2.5 * x["q"], 2 * a)
    t.minimize("f", (x["p"] - a) ** 2 + (x["q"] - a) ** 2)
    return t


def bounds():
    t = Text("inputs_bounds")
    p = t.input("p", [1, 2], x={1: 0.7, 2: 1.6})
    q = t.input("q", x=1.3, lower=0)
    mean = (p[1] + p[2]) / 2
    w = {i: p[i] - mean + 1 for i in p}
    x = t.var("x", [1, 2], lower=-q, upper=lambda i: q + i, start=p)
    y = t.var("y", lower=0, start=q * q)
    z = t.var("z", fixed=2 * mean, start=2 * mean)
    energy = t.define("energy", (x[1] - p[1]) ** 2 + (x[2] - p[2]) ** 2)
    t.row("c1", x[1] - x[2], -q, 2 * q)
    t.row("c2", energy, upper=q * q)
    for i in x:
        t.row(("c3", i), x[i] * z, lower=w[i])
    t.eq("c4", y + z, mean)
    t.minimize("f", energy + w[1] * y)
    return t


def checks():
    t = Text("inputs_check")
    z = t.input("z", [1, 2], x={1: 0.5, 2: 4.75}, lower={1: -2, 2: 1}, upper={1: 2, 2: 5})
    s, r = t.input("t", x=0.3, lower=0, upper=1), t.input("s", x=4.75, upper=9)
    t.require(s > 0)
    t.require(s < 1)
    t.require(z[1] + z[2] <= 5)
    t.require(z[1] ** 2 >= s and r != z[1])
    t.require(z[2] ** 2 >= s and r != z[2])
    t.require(abs(r) < 100 or s < 0.5)
    x = t.var("x", [1, 2])
    for i in x:
        t.row(("c", i), x[i], lower=z[i] * s)
    return t


def vehicle():
    t = Text("inputs_vehicle")
    z0 = t.input("z0", [1, 2, 3], lower=-3, upper=3)
    z = t.var("z", [(k, i) for k in (1, 2, 3) for i in (1, 2, 3)])
    u = t.var("u", [(k, j) for k in (0, 1, 2) for j in (1, 2)], lower=-1, upper=1)
    old = {(k, i): t.define(("old", (k, i)), z0[i] if k == 1 else z[k - 1, i]) for k, i in z}
    for k, i in z:
        rate = (u[k - 1, 1] * cos(old[k, 3]), u[k - 1, 1] * sin(old[k, 3]), u[k - 1, 2])[i - 1]
        t.eq(("dynamics", (k, i)), z[k, i] - old[k, i] - 0.2 * rate)
    for k in (1, 2, 3):
        t.row(("obstacle", k), z[k, 1] ** 2 + 2 * z[k, 2] ** 2, lower=1)
    t.minimize("cost", total(z[k, 1] ** 2 + z[k, 2] ** 2 + atan2(sin(z[k, 3]), cos(z[k, 3])) ** 2 for k in (1, 2, 3))
               + 0.1 * total(v * v for v in u.values()))
    return t


def coefficients():
    t = Text("inputs_coefficients")
    a = t.input("A", [(i, j) for i in (1, 2) for j in (1, 2, 3)])
    b = t.input("b", [1, 2], x={1: -0.4, 2: 0.9})
    c = t.input("c", [1, 2, 3], lower=0)
    x = t.var("x", [1, 2, 3], lower=0)
    for i in b:
        t.row(("rows", i), total(a[i, j] * x[j] for j in x), lower=b[i])
    t.eq("sum_to_one", x[1] + x[2] + x[3], 1)
    for i in b:
        t.row(("signs", i), choose(b[i] >= 0.5, x[1], x[2]), upper=sqrt(abs(b[i])))
    t.minimize("f", total(c[j] * x[j] for j in x))
    return t


def texts():
    return [order(), bounds(), checks(), vehicle(), coefficients()]
