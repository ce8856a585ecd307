"""What the known values of a text are made of: numbers that carry their gradient, and a text's columns, rows and objective.

Nothing here reads a model. A text's mathematics is typed again as plain Python over Grad numbers; every value is computed at
once, at the point that the text is declared with. A gradient is a dictionary column -> derivative, and its keys are the
pattern: a key is there when the variable appears, unless its factor is the constant 0.

SPDX-License-Identifier: MIT
"""
import math
import random

INF = math.inf


class Grad:
    """A value and its derivatives by the columns on which it depends."""

    def __init__(self, value, slopes=(), bent=False):
        self.v = float(value)
        self.d = dict(slopes)
        self.bent = bent  # not linear

    def scaled(self, value, slope):
        """f(self) where f has this value and this derivative."""
        return Grad(value, {j: slope * s for j, s in self.d.items()}, bool(self.d))

    def __add__(self, other):
        other = grad(other)
        return Grad(self.v + other.v, merged(self.d, other.d), self.bent or other.bent)

    def __mul__(self, other):
        other = grad(other)
        slopes = merged(times(self.d, other), times(other.d, self))
        return Grad(self.v * other.v, slopes, bool(slopes) and bool(self.bent or other.bent or self.d and other.d))

    def __truediv__(self, other):
        other = grad(other)
        return self * other.scaled(1 / other.v, -1 / other.v**2)

    def __pow__(self, other):
        other = grad(other)
        if not other.d:
            k = other.v
            return self.scaled(self.v**k, k * self.v ** (k - 1))
        if not self.d:
            return other.scaled(self.v**other.v, math.log(self.v) * self.v**other.v)
        return exp(other * log(self))

    def __neg__(self):
        return self * -1.0

    def __sub__(self, other):
        return self + -grad(other)

    def __radd__(self, other):
        return grad(other) + self

    def __rsub__(self, other):
        return grad(other) - self

    def __rmul__(self, other):
        return grad(other) * self

    def __rtruediv__(self, other):
        return grad(other) / self

    def __rpow__(self, other):
        return grad(other) ** self

    def __lt__(self, other):
        return self.v < grad(other).v

    def __le__(self, other):
        return self.v <= grad(other).v

    def __gt__(self, other):
        return self.v > grad(other).v

    def __ge__(self, other):
        return self.v >= grad(other).v


def grad(a):
    return a if isinstance(a, Grad) else Grad(a)


def merged(a, b):
    out = dict(a)
    for j, s in b.items():
        out[j] = out.get(j, 0.0) + s
    return out


def times(slopes, factor):
    """Slopes times a value; a factor that is the constant 0 takes the variables away."""
    if not factor.d and factor.v == 0:
        return {}
    return {j: s * factor.v for j, s in slopes.items()}


def one_argument(value, slope):
    def apply(a):
        if not isinstance(a, Grad):
            return value(a)
        return a.scaled(value(a.v), slope(a.v))

    return apply


sin = one_argument(math.sin, math.cos)
cos = one_argument(math.cos, lambda a: -math.sin(a))
tan = one_argument(math.tan, lambda a: 1 / math.cos(a) ** 2)
asin = one_argument(math.asin, lambda a: 1 / math.sqrt(1 - a * a))
acos = one_argument(math.acos, lambda a: -1 / math.sqrt(1 - a * a))
atan = one_argument(math.atan, lambda a: 1 / (1 + a * a))
sinh = one_argument(math.sinh, math.cosh)
cosh = one_argument(math.cosh, math.sinh)
tanh = one_argument(math.tanh, lambda a: 1 / math.cosh(a) ** 2)
asinh = one_argument(math.asinh, lambda a: 1 / math.sqrt(a * a + 1))
acosh = one_argument(math.acosh, lambda a: 1 / math.sqrt(a * a - 1))
atanh = one_argument(math.atanh, lambda a: 1 / (1 - a * a))
exp = one_argument(math.exp, math.exp)
log = one_argument(math.log, lambda a: 1 / a)
log10 = one_argument(math.log10, lambda a: 1 / (a * math.log(10)))
sqrt = one_argument(math.sqrt, lambda a: 0.5 / math.sqrt(a))
absolute = one_argument(abs, lambda a: math.copysign(1.0, a))


def atan2(b, a):
    b, a = grad(b), grad(a)
    r = a.v**2 + b.v**2
    return Grad(math.atan2(b.v, a.v), merged(times(b.d, Grad(a.v / r)), times(a.d, Grad(-b.v / r))), True)


def choose(condition, yes, no):
    """if condition then yes else no, where the condition depends on variables: the pattern is that of both branches."""
    yes, no = grad(yes), grad(no)
    taken, other = (yes, no) if condition else (no, yes)
    return Grad(taken.v, merged(taken.d, {j: 0.0 for j in other.d}), True)


def smallest(*items):
    out = grad(items[0])
    for item in items[1:]:
        out = choose(out <= item, out, item)
    return out


def largest(*items):
    out = grad(items[0])
    for item in items[1:]:
        out = choose(out >= item, out, item)
    return out


def product(items):
    out = Grad(1)
    for item in items:
        out = out * item
    return out


def total(items):
    out = Grad(0)
    for item in items:
        out = out + item
    return out


def label(name, key):
    if key is None:
        return name
    parts = key if isinstance(key, tuple) else (key,)
    return f"{name}[{','.join(p if isinstance(p, str) else f'{p:g}' for p in parts)}]"


def at(rule, key):
    """One entry of what may be a number for all, a dictionary (None where a key is missing) or a function of the key."""
    if callable(rule):
        return rule(*key) if isinstance(key, tuple) else rule(key)
    if isinstance(rule, dict):
        return rule.get(key)
    return rule


class Text:
    """The known values of one text, in the order of its declarations."""

    def __init__(self, name, *files, let=(), relax=False):
        self.name, self.files, self.let, self.relax = name, files or (name + ".mod",), let, relax
        self.inputs, self.x, self.columns, self.y = [], [], [], []
        self.rows, self.bounds, self.goal, self.definitions = [], [], None, []
        self.requirements, self.notes = [], []
        self.random = random.Random(name)

    def input(self, name, keys=None, x=None, lower=-INF, upper=INF):
        """Network inputs; gives their values back: one, or a dictionary by key."""
        values = {}
        for key in keys or [None]:
            value = at(x, key)
            values[key] = round(self.random.uniform(0.3, 1.7), 3) if value is None else float(value)
            low, high = at(lower, key), at(upper, key)
            self.inputs.append((label(name, key), -INF if low is None else low, INF if high is None else high))
            self.x.append(values[key])
        return values if keys else values[None]

    def var(self, name, keys=None, y=None, lower=-INF, upper=INF, start=0, fixed=None):
        """Columns at values y, with their bounds; keys are numbers, texts or tuples."""
        made = {}
        for key in [None] if keys is None else keys:
            column, value, held = len(self.columns), at(y, key), at(fixed, key)
            value = round(self.random.uniform(0.2, 1.8), 3) if value is None else float(value)
            low, high = at(lower, key), at(upper, key)
            low, high = -INF if low is None else low, INF if high is None else high
            self.columns.append((label(name, key), at(start, key) or 0, held))
            self.y.append(value)
            made[key] = Grad(value, {column: 1.0}) if held is None else Grad(held)
            if held is None and (low > -INF or high < INF):
                self.bounds.append((label(name, key), made[key], low, high))
        return made[None] if keys is None else made

    def row(self, name, body, lower=-INF, upper=INF):
        """lower <= body <= upper; name is a text or a pair of name and key."""
        full = label(*name) if isinstance(name, tuple) else name
        if lower > -INF or upper < INF:
            self.rows.append((full, grad(body), float(lower), float(upper)))

    def eq(self, name, body, value=0):
        self.row(name, body, value, value)

    def minimize(self, name, value):
        self.goal = (name, grad(value), "minimize")

    def maximize(self, name, value):
        self.goal = (name, grad(value), "maximize")

    def define(self, name, value):
        self.definitions.append((label(*name) if isinstance(name, tuple) else name, grad(value).v))
        return value

    def require(self, holds):
        self.requirements.append(1 if holds else 0)

    def note(self, words):
        self.notes.append(words)

    def linear(self):
        goal = [] if self.goal is None else [self.goal[1]]
        return not self.inputs and not any(value.bent for value in goal + [body for _, body, _, _ in self.rows])

    def lines(self):
        """The text's file of expectations."""
        rows = self.rows + self.bounds
        out = [f"files {' '.join(self.files)}"]
        out += [f"let {let}" for let in self.let] + ["relax"] * self.relax + ["linear"] * self.linear()
        out += [f"inputs {len(self.x)}", f"columns {len(self.y)}", f"rows {len(rows)}"]
        out += [f"nonzeros {sum(len(body.d) for _, body, _, _ in rows)}"]
        groups = {}
        for name, *_ in rows:
            groups[name.split("[")[0]] = groups.get(name.split("[")[0], 0) + 1
        out += [f"group {name} {count}" for name, count in groups.items()]
        out += ["x " + " ".join(map(repr, self.x))] * bool(self.x)
        out += ["y " + " ".join(map(repr, self.y))] * bool(self.y)
        for i, (name, low, high) in enumerate(self.inputs):
            out += [f"name_input {i} {name}", f"range {i} {number(low)} {number(high)}"]
        for j, (name, start, held) in enumerate(self.columns):
            out += [f"name_column {j} {name}", f"start {j} {number(start)}"]
            out += [] if held is None else [f"fixed {j} {number(held)}"]
        for i, (name, body, low, high) in enumerate(rows):
            out += [f"name_row {i} {name}", f"c {i} {number(body.v)}"]
            out += [f"lower {i} {number(low)}", f"upper {i} {number(high)}"]
            out += [f"J {i} {j} {number(body.d[j])}" for j in sorted(body.d)]
        out += ["no_objective"] if self.goal is None else [f"{self.goal[2]} {number(self.goal[1].v)} {self.goal[0]}"]
        if self.goal is not None:
            out += [f"gradient {j} {number(s)}" for j, s in sorted(self.goal[1].d.items())]
        out += [f"definitions {len(self.definitions)}", f"requirements {len(self.requirements)}"]
        out += [f"definition {number(value)} {name}" for name, value in self.definitions]
        out += [f"holding {sum(self.requirements)}"] * bool(self.requirements)
        return out + [f"note {words}" for words in self.notes]


def number(a):
    a = float(a.v if isinstance(a, Grad) else a)
    return {INF: "Infinity", -INF: "-Infinity"}.get(a, repr(a))


def self_check():
    """Every rule of differentiation against central differences."""
    functions = [sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, atanh, exp, log, log10, sqrt, absolute]
    functions += [lambda a: acosh(a + 1), lambda a: a**3, lambda a: 3**a, lambda a: a**a, lambda a: 1 / a]
    functions += [lambda a: atan2(a * a, 2 - a), lambda a: a * a * a - 2 * a / 3, lambda a: smallest(a, a * a, 0.9)]
    for i, function in enumerate(functions):
        made, h = function(Grad(0.6, {0: 1.0})), 1e-6
        slope = (grad(function(Grad(0.6 + h))).v - grad(function(Grad(0.6 - h))).v) / (2 * h)
        assert abs(made.d[0] - slope) < 1e-7 * (1 + abs(slope)), (i, made.d[0], slope)
