"""Random problems of ten kinds, each from a seed of its own: what is written, samples, and what is known about them.

A problem is made around a point: bounds are laid about what the rows are there. It counts as feasible where the point holds them all in
doubles, too, whatever their rounding. Those of the kind `infeasible` contradict themselves by more than any rounding.
"""
import random

import trees as t
from exact import exact

KINDS = "smooth kinks undefined scaled huge subnormal cancelling simplifiable duplicated infeasible".split()


class Row:
    """lower <= body <= upper; bounds are trees without y, or None. sides: written as left <relation> right, whose difference is the body."""

    def __init__(self, body, lower=None, upper=None, sides=None):
        self.body, self.lower, self.upper, self.sides = body, lower, upper, sides

    def written(self):
        if self.sides:
            return f"{t.text(self.sides[0])} {self.sides[1]} {t.text(self.sides[2])}"
        if self.lower is not None and self.lower == self.upper:
            return f"{t.text(self.body)} = {t.text(self.upper)}"
        low = "" if self.lower is None else f"{t.text(self.lower)} <= "
        return f"{low}{t.text(self.body)}" + ("" if self.upper is None else f" <= {t.text(self.upper)}")


class Problem:
    """Outputs y in a box where there is one, rows by their names, an objective, inputs, and raw outputs to correct."""

    def __init__(self, kind, seed):
        self.kind, self.random = kind, random.Random(seed)
        self.outputs, self.inputs = self.random.randint(1, 4), self.random.randint(0, 2)
        self.feasible, self.box, self.rows = kind != "infeasible", None, {}
        self.x = [self.random.uniform(-1, 1) for _ in range(self.inputs)]
        self.size = 1.0
        self.point = [self.random.uniform(-2, 2) for _ in range(self.outputs)]
        getattr(self, "_" + kind)()
        self._finish()
        self.feasible = self.feasible and self.holds()

    # ---- parts ----

    def one(self, *choices):
        return self.random.choice(choices)

    def leaf(self):
        kind = self.random.random()
        if kind < 0.7:
            return t.y(self.random.randrange(self.outputs))
        if kind < 0.85 and self.inputs:
            return t.x(self.random.randrange(self.inputs))
        return t.number(round(self.random.uniform(-3, 3), 3))

    def expression(self, depth, also=()):
        """Formulas that are defined everywhere, of moderate size; `also` are makers of further ones from two parts."""
        if depth == 0 or self.random.random() < 0.15:
            return self.leaf()
        a, b = (self.expression(depth - 1, also) for _ in range(2))
        if also and self.random.random() < 0.4:
            return self.one(*also)(a, b)
        return self.one(
            lambda: t.add(a, b), lambda: t.sub(a, b), lambda: t.mul(t.number(round(self.random.uniform(-2, 2), 2)), a),
            lambda: t.call(self.one("sin", "cos", "tanh", "atan"), a), lambda: t.mul(a, b), lambda: t.power(a, 2),
            lambda: t.over(a, t.add(t.number(2), t.power(b, 2))), lambda: t.call("exp", t.call("sin", a)))()

    def straight(self):
        """A linear part, so that rows are seldom flat."""
        total = t.mul(t.number(round(self.random.uniform(0.5, 2), 3)), t.y(self.random.randrange(self.outputs)))
        for j in range(self.outputs):
            if self.random.random() < 0.5:
                total = t.add(total, t.mul(t.number(round(self.random.uniform(-2, 2), 3)), t.y(j)))
        return total

    def body(self, also=(), depth=2):
        return t.add(self.straight(), t.mul(t.number(self.one(0.2, 0.3, 0.5)), self.expression(depth, also)))

    def at_point(self, tree):
        """The value at the drawn point, as a double; None where there is none."""
        try:
            return float(t.value(tree, ([exact(v) for v in self.x], [exact(v) for v in self.point]))[0])
        except (t.Undefined, t.Undecided):
            return None

    # ---- rows ----

    def hold(self, body, equality=False, room=1.0):
        """A row that the drawn point holds; none where the body has no value there."""
        v = self.at_point(body)
        if v is None:
            return
        name = f"c{len(self.rows) + 1}"
        if equality and abs(v) < 1e6:
            self.rows[name] = Row(body, t.number(v), t.number(v))
            return
        gap = self.random.uniform(0.05, 1) * room
        below, above = t.number(v - gap), t.number(v + gap)
        form = self.random.randrange(4)
        if form == 0:
            self.rows[name] = Row(body, below, above)
        elif form == 1:
            self.rows[name] = Row(body, None, above)
        elif form == 2:
            self.rows[name] = Row(body, below)
        else:  # variables on both sides
            right = t.add(t.y(self.random.randrange(self.outputs)), t.number(0.5))
            difference = self.at_point(t.sub(body, right))
            if difference is None or difference > 0:
                right = t.add(right, t.number((difference or 0) + gap))
            whole = t.sub(body, right)
            if self.at_point(whole) is not None and self.at_point(whole) <= 0:
                self.rows[name] = Row(whole, None, t.number(0), (body, "<=", right))

    def usual_rows(self, also=(), depth=2):
        equalities = self.random.randint(0, (self.outputs + 1) // 2)
        for i in range(self.random.randint(1, 4)):
            self.hold(self.body(also, depth), i < equalities)

    # ---- kinds ----

    def _smooth(self):
        self.usual_rows()

    def _kinks(self):
        self.usual_rows([lambda a, b: t.call("abs", a), t.least, t.most, lambda a, b: t.choose(a, b, t.add(a, t.number(0.5)), b)])

    def _undefined(self):
        self.usual_rows([lambda a, b: t.call("log", a), lambda a, b: t.call("sqrt", a), t.over, lambda a, b: t.power(a, -1),
                         lambda a, b: t.power(a, 1.5), lambda a, b: t.choose(a, b, t.call("log", a), t.call("sqrt", b))])

    def _scaled(self):
        """Rows in units of 1e-100 to 1e100, and outputs in units of their own."""
        self.size = 10.0 ** self.random.randint(-6, 6)
        self.point = [v * self.size for v in self.point]
        for _ in range(self.random.randint(1, 4)):
            scale = 10.0 ** self.random.randint(-100, 100)
            body = self._in_units(self.body(), self.size)
            self.hold(t.mul(t.number(scale), body), room=scale)

    def _in_units(self, tree, unit):
        """Every y[j] as y[j] / unit."""
        if tree[0] == "y":
            return t.over(tree, t.number(unit))
        return tuple(self._in_units(part, unit) if isinstance(part, tuple) else part for part in tree)

    def _huge(self):
        if self.random.random() < 0.5:
            self.size = 10.0 ** self.random.randint(20, 140)
            self.point = [v * self.size for v in self.point]
        for _ in range(self.random.randint(1, 3)):
            factor = 10.0 ** self.random.randint(30, 150)
            body = self.one(lambda: t.mul(t.number(factor), self.straight()), lambda: t.power(self.straight(), 2),
                            lambda: t.add(self.straight(), t.number(factor)),
                            lambda: t.sub(t.mul(self.straight(), t.number(factor)), t.mul(self.leaf(), t.number(factor))))()
            v = self.at_point(body)
            if v is not None:
                self.hold(body, room=max(abs(v), factor * self.size if factor * self.size < 1e300 else abs(v), 1.0))

    def _subnormal(self):
        tiny = [5e-324, 1e-320, 1e-310, 3e-308, 1e-300, 1e-200]
        for _ in range(self.random.randint(1, 4)):
            small, other = t.number(self.random.choice(tiny)), t.number(self.random.choice(tiny))
            a = self.straight()
            self.hold(self.one(lambda: t.add(t.over(t.mul(a, small), small), self.leaf()), lambda: t.add(a, t.mul(small, self.body())),
                               lambda: t.mul(small, a), lambda: t.add(self.body(), t.mul(t.mul(small, a), other)),
                               lambda: t.add(a, t.over(small, t.add(t.power(self.leaf(), 2), other))))())

    def _cancelling(self):
        def there_and_back(a, b):
            far = t.number(self.one(1.0, -1.0) * 10.0 ** self.random.randint(4, 16) * self.random.uniform(1, 9))
            return self.one(lambda: t.sub(t.add(a, far), far), lambda: t.add(a, t.sub(t.add(b, far), far)),
                            lambda: t.sub(t.mul(t.add(a, b), far), t.mul(a, far)),
                            lambda: t.sub(t.power(t.add(a, far), 2), t.power(far, 2)))()
        for _ in range(self.random.randint(1, 4)):
            self.hold(t.add(self.straight(), there_and_back(self.leaf(), self.leaf()) if self.random.random() < 0.5 else
                            t.over(there_and_back(self.leaf(), self.leaf()), t.number(10.0 ** self.random.randint(4, 16)))), room=0.5)

    def _simplifiable(self):
        def same(a, b):
            zero = t.number(0)
            undefined = self.one(lambda: t.call("log", a), lambda: t.power(a, -1), lambda: t.call("sqrt", a), lambda: a)()
            s = undefined
            return self.one(lambda: t.sub(s, s), lambda: t.over(s, s), lambda: t.mul(zero, s), lambda: t.over(zero, s),
                            lambda: t.add(s, t.call("-", s)), lambda: t.call("-", t.call("-", s)), lambda: t.least(s, s),
                            lambda: t.over(t.mul(s, t.number(3)), t.number(3)), lambda: t.call("log", t.call("exp", t.call("sin", s))),
                            lambda: t.sub(t.add(s, b), b), lambda: t.choose(s, s, b, s), lambda: t.mul(t.number(1), s),
                            lambda: t.add(zero, s), lambda: t.power(t.call("sqrt", s), 2), lambda: t.choose(s, b, b, b),
                            lambda: t.unless(s, zero, b, b), lambda: t.choose(b, zero, t.choose(s, b, a, a), a),
                            lambda: t.mul(t.choose(zero, s, t.number(2), t.number(2)), b), lambda: t.power(s, 0))()
        self.usual_rows([same], depth=3)

    def _duplicated(self):
        for _ in range(self.random.randint(1, 2)):
            self.hold(self.body(), self.random.random() < 0.4)
        for row in list(self.rows.values()):
            if row.sides:
                continue
            for _ in range(self.random.randint(1, 3)):
                name, scale = f"c{len(self.rows) + 1}", self.one(1.0, 1.0, 2.0, -0.5, 4.0)
                lower, upper = (bound and t.number(bound[1] * scale) for bound in (row.lower, row.upper))
                body = row.body if scale == 1 else t.mul(t.number(scale), row.body)
                self.rows[name] = Row(body, lower, upper) if scale > 0 else Row(body, upper, lower)

    def _infeasible(self):
        body, gap = self.body(), 10.0 ** self.random.uniform(-5, 1)
        v = self.at_point(body)
        form = self.random.randrange(4)
        if form == 0:
            self.rows = {"c1": Row(body, None, t.number(v)), "c2": Row(body, t.number(v + gap))}
        elif form == 1:
            self.rows = {"c1": Row(t.power(body, 2), None, t.number(-gap))}
        elif form == 2:
            self.rows = {"c1": Row(t.call("exp", t.call("sin", body)), None, t.number(-gap))}
        else:
            self.rows = {"c1": Row(t.add(t.call("abs", body), t.call("abs", self.leaf())), t.number(-gap), t.number(-gap))}
        if self.random.random() < 0.5:
            self.hold(self.body())

    # ---- the whole ----

    def _finish(self):
        if not self.rows:
            self.hold(self.straight())
        if not self.rows:
            self.rows["c1"] = Row(t.y(0), t.number(self.point[0] - 1))
        if self.random.random() < 0.4:
            low, high = min(self.point) - 2 * self.size, max(self.point) + 2 * self.size
            self.box = (low, high)
        goal = [round(self.random.uniform(-2, 2), 2) * self.size for _ in range(self.outputs)]
        self.objective = t.number(0)
        for j, g in enumerate(goal):
            self.objective = t.add(self.objective, t.power(t.over(t.sub(t.y(j), t.number(g)), t.number(self.size)), 2))
        spread = self.random.choice([0.1, 0.5, 2.0]) * self.size
        self.raw = [[p + self.random.gauss(0, spread) for p in self.point], [self.random.gauss(0, 3) * self.size for _ in self.point]]

    def holds(self):
        """Whether the drawn point holds every row also where it is evaluated in doubles, whatever their rounding."""
        point = [exact(v) for v in self.x], [exact(v) for v in self.point]
        for row in self.all_rows().values():
            v, e = t.value(row.body, point)
            above = v + e - row.upper[1] if row.upper is not None else 0
            below = row.lower[1] - v + e if row.lower is not None else 0
            if max(above, below) > 5e-9:
                return False
        return True

    def all_rows(self):
        """By the name that the library gives them: those of the box come last, as y[1], y[2], ..."""
        rows = dict(self.rows)
        if self.box:
            for j in range(self.outputs):
                rows[f"y[{j + 1}]"] = Row(t.y(j), *map(t.number, self.box))
        return rows

    def written(self):
        box = f" >= {t.text(t.number(self.box[0]))}, <= {t.text(t.number(self.box[1]))}" if self.box else ""
        given = f"param x{{1..{self.inputs}}};\n" if self.inputs else ""
        rows = "".join(f"subject to {name}: {row.written()};\n" for name, row in self.rows.items())
        return f"{given}var y{{1..{self.outputs}}}{box};\nminimize f: {t.text(self.objective)};\n{rows}"
