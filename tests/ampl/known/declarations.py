"""Texts about declarations: attributes, recursion, bounds, defined variables, forms of rows, objectives, names.

SPDX-License-Identifier: MIT
"""
from .engine import Text, exp, total


def params_attributes():
    t = Text("params_attributes")
    x = t.var("x", range(1, 7), lower=0.25, upper=lambda i: 7 if i == 2 else 36)
    for i in (2, 4, 6):
        t.row(("c1", i), x[i] - 3, upper=20)
    for i in (1, 2, 3):
        t.row(("c2", i), x[i] - x[i + 3] + 1, lower=0)
    t.minimize("f", total((7 - i) * x[i] for i in x))
    return t


def params_recursive():
    t = Text("params_recursive")
    e = 1 + 1 + 1 / 2 + 1 / 6 + 1 / 24 + 1 / 120 + 1 / 720
    b, s = t.var("b", range(7), lower=0), t.var("t", y=0.3, lower=0, upper=1, start=e - 2.5)
    r = 1 - s
    powers = [r**6, s * r**5, s**2 * r**4, s**3 * r**3, s**4 * r**2, s**5 * r, s**6]
    for k, binomial in enumerate((1, 6, 15, 20, 15, 6, 1)):
        t.eq(("poly", k), b[k] - binomial * powers[k])
    t.eq("total", total(b.values()), 1)
    t.minimize("f", b[0] + b[1] + b[2] + 2 * b[3] + 3 * b[4] + 5 * b[5] + 8 * b[6] + 32 * s)
    return t


def vars_bounds():
    t = Text("vars_bounds")
    a = t.var("a", lower=0, upper=2, start=1)
    b = t.var("b", upper=7, start=3)
    c = t.var("c", lower=-5, upper=5)
    d = t.var("d", [1, 2, 3, 4], lower={1: -1, 3: -3, 4: -4}, upper={1: 10, 2: 20}, start=lambda i: i / 2)
    e = t.var("e", [1, 2, 3, 4], lower={1: 0})
    g = t.define("g", a + b)
    h = t.var("h", lower=3, upper=3)
    k = t.var("k", [(1, 2), (2, 1), (3, 1), (3, 2)], lower=lambda i, j: i - j, upper=lambda i, j: i + j,
              start=lambda i, j: i * j)
    free = t.var("free", [1, 2])
    for i in d:
        t.row(("r1", i), d[i] + e[i], upper=4)
    t.row("r2", g + h, lower=1)
    t.eq("r3", total(k.values()) + free[1] - free[2], 0)
    t.minimize("f", a + b + c + g * g)
    return t


def vars_defined():
    t = Text("vars_defined")
    u = t.var("u", [0, 1, 2], lower=-2, upper=2)
    s = {0: t.define("s[0]", 1)}
    for k in (1, 2, 3):
        s[k] = t.define(("s", k), s[k - 1] + u[k - 1] / 3)
    cost = [t.define(("cost", k), (s[k] ** 2 + u[k] * u[k]) / 3) for k in (0, 1, 2)]
    t.define("total", total(cost))
    t.define("sharp[1]", exp(s[1]))
    t.define("sharp[3]", exp(s[3]))
    t.define("unused", u[0] * u[1])
    for k in (1, 2, 3):
        t.row(("safe", k), s[k], lower=0.2)
    t.row("mild[1]", exp(s[1]), upper=4)
    t.row("mild[3]", exp(s[3]), upper=4)
    t.minimize("f", total(cost) + 10 * s[3] * s[3])
    return t


def rows_forms():
    t = Text("rows_forms")
    x = t.var("x", [1, 2, 3], start=1)
    t.eq("one", x[1] + x[2], 1)
    t.row("two[1]", x[1] - x[2], upper=0)
    t.row("two[2]", x[2] - x[3], upper=0)
    t.row("three[1,2]", x[1] * x[2], lower=-1)
    t.row("three[1,3]", x[1] * x[3], lower=-1)
    t.row("three[2,3]", x[2] * x[3], lower=-2)
    t.eq("four[1]", x[1] ** 2 - x[3])
    t.eq("four[2]", x[2] ** 2 - x[3])
    t.row("five", x[1] - x[2], -1, 1)
    t.row("six", x[1] + x[3], 2, 4)
    t.eq("seven", 3 * x[1] - 6 * x[2])
    t.row("eight", x[1] + x[2] + x[3], upper=10)
    t.row("nine", x[2], lower=0)
    t.minimize("f", x[1] * x[2] * x[3])
    return t


def rows_free():
    t = Text("rows_free")
    x = t.var("x", [1, 2, 3, 4], upper={2: 2, 4: 4})
    t.row("mixed[2]", x[2] + x[3], upper=2)
    t.row("mixed[3]", x[3] + x[2], lower=-3)
    t.row("mixed[4]", x[4] + x[1], upper=4)
    t.row("half", x[1] - x[2], upper=5)
    t.row("least[1]", x[1], lower=-1e300)
    t.row("least[2]", x[2], lower=-1e300)
    t.minimize("f", total((x[i] - i) ** 2 for i in x))
    return t


def rows_constant():
    t = Text("rows_constant")
    x = t.var("x", [1, 2, 3])
    t.var("gone", fixed=4, start=4)
    t.row("a[1]", 0, upper=1)
    t.row("a[2]", 5 * x[2], upper=2)
    t.row("a[3]", 0, upper=3)
    t.row("b[1]", x[2] + x[3], lower=-7)
    t.row("b[2]", x[3], lower=-7)
    t.row("b[3]", 0, lower=-7)
    t.row("c", 15, upper=20)
    t.eq("d", 4 * x[1], 0)
    t.minimize("f", total(v * v for v in x.values()))
    return t


def objectives():
    t = Text("objectives")
    x, y = t.var("x", lower=0, upper=4, start=1), t.var("y", lower=0, start=2)
    t.row("limit", x + y, upper=5)
    t.maximize("profit", 3 * x + 2 * y - x * x)
    t.note("waste")
    t.note("other")
    return t


def no_objective():
    t = Text("no_objective")
    x, y = t.var("x", start=3), t.var("y", start=-2)
    t.row("ellipse", x * x / 4 + y * y / 9, upper=1)
    t.eq("line", 2 * x + y, 1.5)
    return t


def names():
    t = Text("names")
    first, last = t.var("first", start=1), t.var("last", lower=0)
    following = t.var("next", [1, 2])
    data, model = t.var("data_", lower=-1), t.var("model_1", [1, 2], lower=lambda i: i)
    t.row("limit_1", 2.5 * first + 4 * last, upper=3)
    for i in (1, 2):
        t.row(("Limit_1", i), following[i] + 1 - model[i], lower=0)
    t.eq("solution", first * data, 1)
    t.minimize("cost", first + last + 0.5 * (following[1] + following[2]) + data)
    return t


def comments():
    t = Text("comments")
    x, y = t.var("x", [1, 2, 3]), t.var("y", lower=0, upper=1)
    for i in x:
        t.row(("c", i), i * i * x[i] - y, upper=0)
    t.row("d", x[1] + x[2] + x[3], lower=-1)
    t.minimize("f", y)
    return t


def texts():
    return [params_attributes(), params_recursive(), vars_bounds(), vars_defined(), rows_forms(), rows_free(),
            rows_constant(), objectives(), no_objective(), names(), comments()]
