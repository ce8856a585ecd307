"""Texts about expressions: precedence, functions, conditions, numbers.

SPDX-License-Identifier: MIT
"""
import math

from .engine import (Text, absolute, acos, acosh, asin, asinh, atan, atan2, atanh, choose, cos, cosh, exp, largest, log,
                     log10, sin, sinh, smallest, sqrt, tan, tanh, total)


def precedence_power():
    t = Text("precedence_power")
    x, y = t.var("x", start=2), t.var("y", start=1.5)
    t.row("c1", 512 * y - x * x, lower=-10)
    t.row("c2", 1 / (x * x) + 3 / (y * y), upper=9)
    t.eq("c3", -4 - x * y, 0)
    t.row("c4", x * x - 2 * x * x * x - y ** math.sqrt(2), upper=0)
    t.row("c5", exp(y * log(x)) + exp(x * log(y)) - exp(-x * math.log(2)), upper=100)
    t.row("c6", 1.5 * x / y - x - y - 1, lower=-7)
    t.minimize("f", y * y / 2 - x * x + x)
    return t


def precedence_sum():
    t = Text("precedence_sum")
    x, s = t.var("x", [1, 2, 3], start=1), t.var("s", lower=1)
    a, b, c = x.values()
    t.row("c1", a + b + c + 1, upper=9)
    t.row("c2", 2 * a * a + 2 * b * b + 2 * c * c - a - b - c, upper=9)
    t.row("c3", 2 * (a * s + b * s + c * s), lower=0)
    t.row("c4", (a + b + c) * (a + b + c) / s, upper=40)
    t.eq("c5", a * b * c + (b - 1) * (c - 1), 1)
    t.row("c6", -(a + b + c) - s, upper=0)
    t.row("c7", a * a + a * b + a * c + b * b + b * c + c * c, lower=-1)
    t.row("c8", (a - b) ** 2 + (a - c) ** 2 + (b - c) ** 2, upper=30)
    t.row("c9", s + a + b + c, upper=12)
    t.minimize("f", (a + 2 * b + 3 * c) / 2 + s)
    return t


def precedence_logic():
    t = Text("precedence_logic")
    x = t.var("x", [1, 2, 3, 4, 5, 6])
    members = {"a": (1, 3), "b": (1, 2), "c": (2, 4, 5), "d": (2, 4), "e": (2, 4, 6), "g": (1, 5), "h": (1,), "k": (2, 3, 4)}
    for bound, (name, indices) in enumerate(members.items(), 1):
        for i in indices:
            t.row((name, i), x[i], lower=-bound)
    t.minimize("f", total(v * v for v in x.values()))
    return t


def functions_circle():
    t = Text("functions_circle")
    a, u = t.var("t", y=0.43, start=0.4), t.var("u", y=0.71, start=0.3)
    t.row("c1", tan(a) - 0.5, upper=1)
    t.row("c2", asin(u) + acos(u / 2), lower=0)
    t.eq("c3", atan(a * u) - atan2(u, a), 0)
    t.row("c4", atan2(-1, a - 2), upper=0)
    t.row("c5", sin(a + u) / cos(a - u) - math.tan(0.25), lower=-1)
    t.row("c6", math.pi / 6 * a + math.pi / 3 * u + math.atan(2) + 0.75 * math.pi, upper=9)
    t.minimize("f", sin(a) * sin(a) + cos(a) * cos(u))
    return t


def functions_hyperbolic():
    t = Text("functions_hyperbolic")
    p, q = t.var("p", y=0.37, lower=0.1, start=0.5), t.var("q", y=1.83, start=1.5)
    t.row("c1", asinh(q) + acosh(q) + atanh(p), upper=5)
    t.row("c2", exp(-p) + log(q) + log10(q + 1), lower=0)
    t.row("c3", sqrt(p) * absolute(p - q), upper=3)
    t.row("c4", 2 * p + 3 * q + 1, upper=100)
    rest = math.tanh(0.25) + math.asinh(1) + math.acosh(2) + math.atanh(0.5)
    t.row("c5", math.sinh(1) * p - math.cosh(0.5) * q + rest, lower=-9)
    t.minimize("f", sinh(p) + cosh(q) - tanh(p * q))
    return t


def functions_rounding():
    t = Text("functions_rounding")
    x = t.var("x", range(1, 8), y={1: 0.3, 2: 0.9, 3: 1.4}, lower=0)
    for i, high in (1, 2), (2, 5), (3, 8):
        t.row(("c1", i), x[i] + x[7 - i], upper=high)
    t.row("c2[3]", x[3], lower=-3)
    t.row("c2[6]", x[6], lower=-2)
    t.row("c3", -2 * x[1] + 3 * x[2] + 2.7 * x[3] + 20 * x[4], lower=0)
    t.row("c4", x[5], upper=2)
    t.row("c5", x[6], upper=8)
    for i in (1, 2, 3):
        t.row(("c6", i), choose(x[i] > 0.5, x[i] - 0.5, 0), upper=2)
    t.row("c7", -3 * x[1] - 3 * x[2] + 3 * x[3] + 3, lower=-40)
    t.minimize("f", x[1] + 2 * x[2] + x[4] + 2 * x[5] + x[7])
    return t


def functions_minmax():
    t = Text("functions_minmax")
    x = t.var("x", [1, 2, 3], y={1: 1.2, 2: 0.7, 3: 1.9}, lower=-1, upper=4, start={1: 1, 2: 2, 3: 2})
    t.row("c1", largest(x[1], x[2], x[3]), upper=4)
    t.row("c2", smallest(x[1] - 1, x[2] - 2, x[3] - 3), lower=-6)
    t.row("c3", smallest(x[1] + x[2], x[2] * x[3]) - largest(x[3], 1), upper=2)
    t.eq("c4", 2 * x[1] + 6 * x[2], 10)
    t.minimize("f", largest(x[1], x[2] * x[2], 0.1))
    return t


def if_constant():
    t = Text("if_constant")
    z = t.var("z", [(k, i) for k in (1, 2, 3, 4) for i in (1, 2)])
    u = t.var("u", [0, 1, 2, 3], lower=-1, upper=1)
    t.eq("rate[1]", z[1, 1], 1 + 0.25 * 2)
    for k in (2, 3, 4):
        t.eq(("rate", k), z[k, 1] - z[k - 1, 1] - 0.25 * z[k - 1, 2])
    t.eq("push[1]", z[1, 2] - 2 - 0.25 * u[0])
    for k in (2, 3, 4):
        t.eq(("push", k), z[k, 2] - z[k - 1, 2] - 0.25 * u[k - 1])
    t.row("ends[1]", z[1, 1], upper=3)
    t.row("ends[4]", z[4, 1], upper=1)
    for k in (1, 2, 3):
        t.row(("jump", k), z[k, 2] - z[k + 1, 2], upper=2)
    t.row("jump[4]", z[4, 2], upper=2)
    t.minimize("f", total(z[k, 1] ** 2 for k in (1, 2, 3, 4)) + total(v * v for v in u.values()))
    return t


def if_variable():
    t = Text("if_variable")
    x, y, z = t.var("x", y=0.8, start=0.5), t.var("y", y=1.1, start=1), t.var("z", y=0.6)
    t.row("c1", choose(False, z, 0) + y, upper=2)
    t.row("c2", choose(True, x * y, choose(False, z * z, y * z)), lower=-1)
    t.row("c3", choose(True, sin(x), cos(y)), upper=3)
    t.eq("c4", choose(False, choose(False, x, y), choose(False, z, x * z)), 0)
    t.row("c5", 2 * choose(False, x, 3 * z) + y, lower=0)
    t.row("c6", choose(True, log(x), x), lower=-9)
    t.minimize("f", choose(True, x * x, -x))
    return t


def exists_forall():
    t = Text("exists_forall")
    x = t.var("x", [1, 2, 3, 4, 5], lower=0)
    for i in (1, 2, 3, 4):
        t.row(("touched", i), x[i], lower=1)
    t.eq("alone[5]", x[5], 0)
    for i in (1, 2, 3, 5):
        t.row(("order", i), x[i], upper=10 - i)
    t.minimize("f", 2 * x[1] + 2 * x[2] + 2 * x[3] + x[4] + x[5])
    return t


def numbers():
    t = Text("numbers")
    x, y, z = t.var("x", upper=100, start=0.5), t.var("y", lower=0.5), t.var("z")
    t.row("c1", 0.5 * x + 100 * y, upper=100)
    t.row("c2", -15 * x + 0.25 * z, lower=-10)
    t.minimize("f", 0.001 * x + 0.5 * y - 5 * z)
    return t


def constants():
    t = Text("constants")
    x, y = t.var("x"), t.var("y")
    t.row("c1", x + 1, upper=3)
    t.row("c2", x + y - 1, upper=3)
    t.row("c3", 2 * x - y + 4, 3, 16)
    t.eq("c4", x + 2 - y - 4)
    t.row("c5", x - y, -10, 10)
    t.row("c6", 2 * (x + 3) - 6 - y / 2, lower=0)
    t.eq("c7", x * y, 4)
    t.eq("c8", x - 3 * y, 0)
    return t


def texts():
    return [precedence_power(), precedence_sum(), precedence_logic(), functions_circle(), functions_hyperbolic(),
            functions_rounding(), functions_minmax(), if_constant(), if_variable(), exists_forall(), numbers(), constants()]
