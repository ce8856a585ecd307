"""Expressions of the judge: their text in AMPL, their value at 50 digits with a bound on what doubles make of it, their derivatives.

Shares no code and no rule with the library. A tree is a tuple: ("number", 1.5), ("x", 0), ("y", 2), or an operator with its parts.

`value` gives the exact value and a bound on the distance to it of an evaluation in doubles, operation by operation as it is written: a
running error analysis. Each of + - * / and sqrt is rounded once (half a unit in the last place, and half the smallest subnormal number),
each elementary function to two units. Undefined: there is no value. Undecided: rounding decides whether there is one, or it is
beyond the range of doubles.
"""
import math

from mpmath import mp, mpf

mp.dps = 50
UNIT, SMALLEST, LARGEST = 2.0 ** -53, 5e-324, mpf(1.7976931348623157e308)
ELEMENTARY = 4 * UNIT


class Undefined(Exception):
    pass


class Undecided(Exception):
    pass


# ---- making them ----

def number(value):
    return ("number", float(value))


def x(i):
    return ("x", i)


def y(j):
    return ("y", j)


def add(a, b):
    return ("+", a, b)


def sub(a, b):
    return ("-", a, b)


def mul(a, b):
    return ("*", a, b)


def over(a, b):
    return ("/", a, b)


def power(a, exponent):
    """exponent: 2, 3, -1, 1.5"""
    return ("^", a, exponent)


def call(name, a):
    return ("call", name, a)


def least(a, b):
    return ("min", a, b)


def most(a, b):
    return ("max", a, b)


def choose(a, b, yes, no):
    """if a < b then yes else no"""
    return ("if", a, b, yes, no)


# ---- text ----

def text(tree):
    kind = tree[0]
    if kind == "number":
        return repr(tree[1]) if math.copysign(1, tree[1]) > 0 else f"({tree[1]!r})"
    if kind in "xy":
        return f"{kind}[{tree[1] + 1}]"
    if kind in "+-*/":
        return f"({text(tree[1])} {kind} {text(tree[2])})"
    if kind == "^":
        return f"({text(tree[1])}^{tree[2]})" if tree[2] > 0 else f"({text(tree[1])}^({tree[2]}))"
    if kind == "call":
        return f"(-{text(tree[2])})" if tree[1] == "-" else f"{tree[1]}({text(tree[2])})"
    if kind == "if":
        return "(if {} < {} then {} else {})".format(*map(text, tree[1:]))
    return f"{kind}({text(tree[1])}, {text(tree[2])})"


# ---- value and bound ----

def rounded(value, error, units=UNIT):
    """A result that is rounded, with the error of its parts already in it."""
    size = abs(value)
    if not size <= LARGEST:
        raise Undecided
    error = error * (1 + 8 * UNIT) + units * (float(size) + error) + SMALLEST
    if not math.isfinite(error):
        raise Undecided
    return value, error


def _divide(a, ea, b, eb):
    if b == 0 and eb == 0:
        raise Undefined
    if abs(b) <= eb:
        raise Undecided
    v = a / b
    return rounded(v, float((ea + abs(v) * eb) / (abs(b) - eb)))


def _root(a, ea):
    if a + ea < 0:
        raise Undefined
    if a < ea:
        raise Undecided
    v = mp.sqrt(a)
    return rounded(v, ea if ea == 0 else float(v - mp.sqrt(a - ea)))


def _power(a, ea, exponent):
    if exponent == -1:
        return _divide(mpf(1), 0.0, a, ea)
    if exponent in (2, 3):
        v, e = rounded(a * a, float(2 * abs(a)) * ea + ea * ea)
        return (v, e) if exponent == 2 else rounded(v * a, float(abs(a)) * e + float(v) * ea + e * ea)
    if a + ea < 0:
        raise Undefined
    if a < ea:
        raise Undecided
    v = mp.power(a, exponent)
    return rounded(v, 0.0 if ea == 0 else float(mp.power(a + ea, exponent) - mp.power(a - ea, exponent)), ELEMENTARY)


def _call(name, a, ea):
    if name == "-":
        return -a, ea
    if name == "abs":
        return abs(a), ea
    if name == "sqrt":
        return _root(a, ea)
    if name == "exp":
        if a > 709 or a + ea > 709:
            raise Undecided
        v = mp.exp(a)
        return rounded(v, float(v) * math.expm1(ea), ELEMENTARY)
    if name == "log":
        if a + ea < 0 or (a == 0 and ea == 0):
            raise Undefined
        if a <= ea:
            raise Undecided
        return rounded(mp.log(a), -float(mp.log1p(-ea / a)), ELEMENTARY)
    return rounded(getattr(mp, name)(a), min(ea, 2.0), ELEMENTARY)  # sin cos atan tanh: slopes of 1 at most


def _branch(tree, point):
    try:
        (a, ea), (b, eb) = value(tree[1], point), value(tree[2], point)
    except Undefined:  # false where a side is undefined, but a side that is infinite decides (docs/models.md): nothing is said
        raise Undecided from None
    if tree[1] == tree[2] or a == b and ea == 0 and eb == 0 or abs(a - b) > ea + eb:
        return value(tree[3] if a < b else tree[4], point)
    try:
        (v, e), (w, f) = value(tree[3], point), value(tree[4], point)  # rounding decides: either
    except Undefined:
        raise Undecided from None
    return (v + w) / 2, max(e, f) + float(abs(v - w))


def value(tree, point):
    """The exact value at point = (x, y), and how far from it doubles may be."""
    kind = tree[0]
    if kind == "number":
        return mpf(tree[1]), 0.0
    if kind == "x":
        return point[0][tree[1]], 0.0
    if kind == "y":
        return point[1][tree[1]], 0.0
    if kind == "call":
        return _call(tree[1], *value(tree[2], point))
    if kind == "^":
        return _power(*value(tree[1], point), tree[2])
    if kind == "if":
        return _branch(tree, point)
    (a, ea), (b, eb) = value(tree[1], point), value(tree[2], point)
    if kind == "+":
        return rounded(a + b, ea + eb)
    if kind == "-":
        return rounded(a - b, ea + eb)
    if kind == "*":
        return rounded(a * b, float(abs(a)) * eb + float(abs(b)) * ea + ea * eb)
    if kind == "/":
        return _divide(a, ea, b, eb)
    return (min if kind == "min" else max)(a, b), max(ea, eb)


# ---- derivatives, exact ----

SLOPES = {"-": lambda a: mpf(-1), "exp": mp.exp, "log": lambda a: 1 / a, "sin": mp.cos, "cos": lambda a: -mp.sin(a),
          "sqrt": lambda a: 1 / (2 * mp.sqrt(a)), "atan": lambda a: 1 / (1 + a * a), "tanh": lambda a: 1 - mp.tanh(a) ** 2}


def slope(tree, point, count):
    """Value and derivatives by y; Undecided at a kink."""
    kind = tree[0]
    if kind in ("number", "x"):
        return value(tree, point)[0], [mpf(0)] * count
    if kind == "y":
        return point[1][tree[1]], [mpf(int(j == tree[1])) for j in range(count)]
    if kind == "if":
        (a, ea), (b, eb) = value(tree[1], point), value(tree[2], point)
        if tree[1] != tree[2] and abs(a - b) <= ea + eb:
            raise Undecided
        return slope(tree[3] if a < b else tree[4], point, count)
    if kind in ("call", "^"):
        a, da = slope(tree[2] if kind == "call" else tree[1], point, count)
        if kind == "^":
            factor = tree[2] * mp.power(a, tree[2] - 1) if a != 0 or tree[2] >= 1 else None
            v = mp.power(a, tree[2]) if a != 0 or tree[2] > 0 else None
        else:
            if a == 0 and tree[1] in ("abs", "sqrt", "log"):
                raise Undecided
            v = _call(tree[1], a, 0.0)[0]
            factor = mp.sign(a) if tree[1] == "abs" else SLOPES[tree[1]](a)
        if v is None or factor is None:
            raise Undefined
        return v, [factor * d for d in da]
    (a, da), (b, db) = slope(tree[1], point, count), slope(tree[2], point, count)
    if kind == "+":
        return a + b, [p + q for p, q in zip(da, db)]
    if kind == "-":
        return a - b, [p - q for p, q in zip(da, db)]
    if kind == "*":
        return a * b, [a * q + b * p for p, q in zip(da, db)]
    if kind == "/":
        if b == 0:
            raise Undefined
        return a / b, [(p - a / b * q) / b for p, q in zip(da, db)]
    if a == b:
        raise Undecided
    return (a, da) if (a < b) == (kind == "min") else (b, db)
