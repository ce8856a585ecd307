"""Expressions of the judge: their text in AMPL, their value at 50 digits with a bound on what doubles make of it, their derivatives.

Shares no code and no rule with the library. A tree is a tuple: ("number", 1.5), ("x", 0), ("y", 2), or an operator with its parts.

`value` gives the exact value (50 digits) and a bound on the distance to it of an evaluation in doubles, operation by operation as it is written: a
running error analysis. Each of + - * / and sqrt is rounded once (half a unit in the last place, and half the smallest subnormal number),
each elementary function to two units. Undefined: there is no value: a part of the formula has none, be it in a condition; of an `if`
the branch that is not taken is no part. Undecided: rounding decides whether there is one, or it is beyond the range of doubles.

`quick` gives the same in doubles, for what they can decide: a number and a bound on its distance to the exact value and to what
another evaluation in doubles makes of it, or None.
"""
import math

import exact as e50
from exact import exact

UNIT, SMALLEST, LARGEST = 2.0 ** -53, 5e-324, exact(1.7976931348623157e308)
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
    """exponent: 0, 2, 3, -1, 1.5"""
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


def unless(a, b, yes, no):
    """if not (a < b) then yes else no"""
    return ("unless", a, b, yes, no)


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
    if kind == "unless":
        return "(if not ({} < {}) then {} else {})".format(*map(text, tree[1:]))
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
    v = e50.sqrt(a)
    return rounded(v, ea if ea == 0 else float(v - e50.sqrt(a - ea)))


def _power(a, ea, exponent):
    if exponent == 0:
        return exact(1), 0.0
    if exponent == -1:
        return _divide(exact(1), 0.0, a, ea)
    if exponent in (2, 3):
        v, e = rounded(a * a, float(2 * abs(a)) * ea + ea * ea)
        return (v, e) if exponent == 2 else rounded(v * a, float(abs(a)) * e + float(v) * ea + e * ea)
    if a + ea < 0:
        raise Undefined
    if a < ea:
        raise Undecided
    v = e50.power(a, exponent)
    return rounded(v, 0.0 if ea == 0 else float(e50.power(a + ea, exponent) - e50.power(a - ea, exponent)), ELEMENTARY)


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
        v = e50.exp(a)
        return rounded(v, float(v) * math.expm1(ea), ELEMENTARY)
    if name == "log":
        if a + ea < 0 or (a == 0 and ea == 0):
            raise Undefined
        if a <= ea:
            raise Undecided
        return rounded(e50.log(a), -float(e50.log1p(-ea / a)), ELEMENTARY)
    return rounded(getattr(e50, name)(a), min(ea, 4.0), ELEMENTARY)  # sin cos atan tanh: slopes of 1 at most


def _both(left, right, point):
    """The values of two parts; what is undefined in one of them is told though the other cannot be decided."""
    try:
        a = value(left, point)
    except Undecided:
        value(right, point)
        raise
    return a, value(right, point)


def _plain(tree):
    """An `unless` as the `if` with its branches exchanged."""
    return tree if tree[0] == "if" else ("if", tree[1], tree[2], tree[4], tree[3])


def _branch(tree, point):
    (a, ea), (b, eb) = _both(tree[1], tree[2], point)
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
        return exact(tree[1]), 0.0
    if kind == "x":
        return point[0][tree[1]], 0.0
    if kind == "y":
        return point[1][tree[1]], 0.0
    if kind == "call":
        return _call(tree[1], *value(tree[2], point))
    if kind == "^":
        return _power(*value(tree[1], point), tree[2])
    if kind in ("if", "unless"):
        return _branch(_plain(tree), point)
    (a, ea), (b, eb) = _both(tree[1], tree[2], point)
    if kind == "+":
        return rounded(a + b, ea + eb)
    if kind == "-":
        return rounded(a - b, ea + eb)
    if kind == "*":
        return rounded(a * b, float(abs(a)) * eb + float(abs(b)) * ea + ea * eb)
    if kind == "/":
        return _divide(a, ea, b, eb)
    return (min if kind == "min" else max)(a, b), max(ea, eb)


# ---- the same in doubles ----

def _quick_round(v, e, units=UNIT):
    e = e * (1 + 16 * UNIT) + units * (abs(v) + e) * (1 + 16 * UNIT) + 8 * SMALLEST
    return (v, e) if abs(v) + e < 1e300 else None


def _quick_call(name, a, ea):
    low = a - ea * (1 + 4 * UNIT)
    if name == "-":
        return -a, ea
    if name == "abs":
        return abs(a), ea
    if name == "sqrt":
        return _quick_round(math.sqrt(a), ea / math.sqrt(low)) if low > 0 else None
    if name == "exp":
        return _quick_round(math.exp(a), math.exp(a) * math.expm1(ea) * 2, ELEMENTARY) if a < 600 and ea < 1 else None
    if name == "log":
        return _quick_round(math.log(a), 2 * ea / low, ELEMENTARY) if low > 0 else None
    return _quick_round(getattr(math, name)(a), min(ea, 4.0), ELEMENTARY)


def _quick_power(a, ea, exponent):
    size = abs(a) + ea
    if exponent == 0:
        return 1.0, 0.0
    if exponent == -1:
        return _quick_divide(1.0, 0.0, a, ea)
    if exponent in (2, 3):
        if not size < 1e99:
            return None
        return _quick_round(a ** exponent, exponent * size ** (exponent - 1) * ea * 2 + UNIT * size ** exponent * 2 + size * SMALLEST)
    if a <= 2 * ea or not size < 1e99:
        return None
    return _quick_round(math.pow(a, exponent), abs(exponent) * max(size ** (exponent - 1), (a - ea) ** (exponent - 1)) * ea * 2, ELEMENTARY)


def _quick_divide(a, ea, b, eb):
    if not abs(b) > 2 * eb or abs(b) < 1e-290 or abs(a) > 1e10 * abs(b) * 1e290:
        return None
    v = a / b
    return _quick_round(v, 2 * (ea + abs(v) * (1 + 4 * UNIT) * eb) / abs(b))


def quick(tree, x, y):
    """A double and a bound on its error, and None where doubles decide nothing."""
    kind = tree[0]
    if kind == "number":
        return tree[1], 0.0
    if kind == "x":
        return x[tree[1]], 0.0
    if kind == "y":
        return y[tree[1]], 0.0
    first = quick(tree[2] if kind == "call" else tree[1], x, y)
    if first is None:
        return None
    if kind == "call":
        return _quick_call(tree[1], *first)
    if kind == "^":
        return _quick_power(*first, tree[2])
    second = quick(tree[2], x, y)
    if second is None:
        return None
    (a, ea), (b, eb) = first, second
    if kind in ("if", "unless"):
        tree = _plain(tree)
        return quick(tree[3] if a < b else tree[4], x, y) if abs(a - b) > 2 * (ea + eb) else None
    if kind == "+":
        return _quick_round(a + b, ea + eb)
    if kind == "-":
        return _quick_round(a - b, ea + eb)
    if kind == "*":
        return _quick_round(a * b, abs(a) * eb + abs(b) * ea + ea * eb)
    if kind == "/":
        return _quick_divide(a, ea, b, eb)
    return (min if kind == "min" else max)(a, b), max(ea, eb)


# ---- derivatives: exact, and how far doubles may be ----

WORK = 8 * UNIT  # of a few operations, in whatever order derivatives are made of them
SLOPES = {"-": lambda a: exact(-1), "abs": e50.sign, "exp": e50.exp, "log": lambda a: 1 / a, "sin": e50.cos, "cos": lambda a: -e50.sin(a),
          "sqrt": lambda a: 1 / (2 * e50.sqrt(a)), "atan": lambda a: 1 / (1 + a * a), "tanh": lambda a: 1 - e50.tanh(a) ** 2}


class Slope:
    """A value and its derivatives by y, each with a bound on the distance of what doubles make of it."""

    def __init__(self, value, error, slopes, errors):
        self.value, self.error, self.slopes, self.errors = value, error, slopes, errors


def _chain(inner, outer, factor):
    """outer = (value, error) of a function of inner, whose derivative is factor."""
    a, ea = inner.value, exact(inner.error)
    f = factor(a)
    ef = WORK * abs(f) + SMALLEST
    if ea > 0:
        ef += 2 * max(abs(factor(a + ea) - f), abs(factor(a - ea) - f))
    return Slope(*outer, [f * d for d in inner.slopes],
                 [abs(f) * e + ef * (abs(d) + e) + SMALLEST if d or e else exact(0) for d, e in zip(inner.slopes, inner.errors)])


def _slope_of_one(tree, point, count):
    inner = slope(tree[2] if tree[0] == "call" else tree[1], point, count)
    a, ea = inner.value, inner.error
    if tree[0] == "^":
        exponent = tree[2]
        if abs(a) <= ea and exponent not in (0, 2, 3):
            raise Undefined if exponent < 0 and ea == 0 else Undecided
        return _chain(inner, _power(a, ea, exponent), lambda b: exponent * e50.power(b, exponent - 1) if exponent else exact(0))
    if tree[1] in ("abs", "sqrt", "log") and abs(a) <= ea:
        raise Undecided
    return _chain(inner, _call(tree[1], a, ea), SLOPES[tree[1]])


def _slope_of_two(kind, a, b):
    if kind in "+-":
        sign = 1 if kind == "+" else -1
        return ([p + sign * q for p, q in zip(a.slopes, b.slopes)],
                [e + f + WORK * (abs(p) + abs(q)) for p, e, q, f in zip(a.slopes, a.errors, b.slopes, b.errors)])
    found, errors = [], []
    v, ev = (a.value, exact(a.error)) if kind == "*" else _divide(a.value, a.error, b.value, b.error)
    for p, e, q, f in zip(a.slopes, a.errors, b.slopes, b.errors):
        if kind == "*":
            d = v * q + b.value * p
            error = abs(v) * f + ev * (abs(q) + f) + abs(b.value) * e + b.error * (abs(p) + e) + WORK * (abs(v * q) + abs(b.value * p))
        else:
            d = (p - v * q) / b.value
            error = (e + abs(v) * f + ev * (abs(q) + f) + WORK * (abs(p) + abs(v * q)) + abs(d) * b.error) / (abs(b.value) - b.error)
        found.append(d)
        errors.append(error + SMALLEST if d or error else exact(0))
    return found, errors


def slope(tree, point, count):
    """The Slope of a tree; Undecided at a kink."""
    kind, zero = tree[0], [exact(0)] * count
    if kind in ("number", "x"):
        return Slope(*value(tree, point), zero, zero)
    if kind == "y":
        return Slope(point[1][tree[1]], 0.0, [exact(int(j == tree[1])) for j in range(count)], zero)
    if kind in ("if", "unless"):
        tree = _plain(tree)
        (a, ea), (b, eb) = value(tree[1], point), value(tree[2], point)
        if tree[1] != tree[2] and abs(a - b) <= ea + eb:
            raise Undecided
        return slope(tree[3] if a < b else tree[4], point, count)
    if kind in ("call", "^"):
        return _slope_of_one(tree, point, count)
    a, b = slope(tree[1], point, count), slope(tree[2], point, count)
    if kind in ("min", "max"):
        if abs(a.value - b.value) <= a.error + b.error:
            raise Undecided
        return a if (a.value < b.value) == (kind == "min") else b
    outer = {"+": lambda: rounded(a.value + b.value, a.error + b.error), "-": lambda: rounded(a.value - b.value, a.error + b.error),
             "*": lambda: rounded(a.value * b.value, float(abs(a.value)) * b.error + float(abs(b.value)) * a.error + a.error * b.error),
             "/": lambda: _divide(a.value, a.error, b.value, b.error)}[kind]()
    return Slope(*outer, *_slope_of_two(kind, a, b))
