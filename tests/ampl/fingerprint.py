"""Fingerprints computed anew from docs/fingerprint.md, without the library: its definition is complete, and this is it.

Run with the path of the built program: fingerprint.py BUILD/hardnet. Models are written twice, as AMPL and as trees.
"""
import hashlib
import json
import math
import pathlib
import struct
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))
import tool  # noqa: E402

NOTHING = b"0" + bytes(16)
INFINITE = ("constant", math.inf)
MINUS_INFINITE = ("constant", -math.inf)


def count(n):
    return struct.pack("<Q", n)


def text(t):
    return count(len(t.encode())) + t.encode()


def number(v):
    return struct.pack("<d", v) if not math.isnan(v) else struct.pack("<Q", 0x7FF8 << 48)


def half(*parts):
    return hashlib.sha256(b"".join(parts)).digest()[:16]


# ---- affine expressions: {(space, index): coefficient}, constant ----

def affine(tree):
    kind = tree[0]
    if kind == "constant":
        return {}, float(tree[1])
    if kind in "xy":
        return {tree: 1.0}, 0.0
    if kind == "-" and len(tree) == 2:
        return scaled(affine(tree[1]), lambda v: -v)
    if kind in "+-":
        parts = [affine(one) for one in tree[1:]]
        if None in parts:
            return None
        pairs, constant = dict(parts[0][0]), parts[0][1]
        for more, number_ in parts[1:]:
            sign = -1 if kind == "-" else 1
            constant += sign * number_
            for column, v in more.items():
                pairs[column] = pairs[column] + sign * v if column in pairs else sign * v
        return pairs, constant
    if kind == "*" and "constant" in (tree[1][0], tree[2][0]):
        c, other = (tree[1], tree[2]) if tree[1][0] == "constant" else (tree[2], tree[1])
        return scaled(affine(other), lambda v: v * c[1])
    if kind == "/" and tree[2][0] == "constant":
        return scaled(affine(tree[1]), lambda v: v / tree[2][1])
    return None


def scaled(form, change):
    return form and ({column: change(v) for column, v in form[0].items()}, change(form[1]))


# ---- other expressions: sign and digest ----

def signed(tree):
    kind = tree[0]
    if kind == "constant":
        return -1 if tree[1] < 0 else 1, half(text("constant"), number(abs(tree[1])))
    if kind in "xy":
        return 1, half(text(kind), count(tree[1]))
    parts = [signed(one) for one in tree[1:]]
    if kind == "-" and len(parts) == 1:
        return -parts[0][0], parts[0][1]
    if kind in "+-":
        total = parts[0]
        for sign, digest in parts[1:]:
            total = two(total, (-sign if kind == "-" else sign, digest))
        return total
    if kind == "*":
        return parts[0][0] * parts[1][0], half(text("mul"), *sorted(digest for _, digest in parts))
    if kind == "/":
        return parts[0][0] * parts[1][0], half(text("div"), *(digest for _, digest in parts))
    if kind == "abs":
        return 1, half(text("abs"), b"+", parts[0][1])
    marks = [mark_of(one) for one in parts]
    if kind in ("equal", "not_equal", "and", "or"):
        marks.sort()
    return 1, half(text(kind), *marks)


def two(a, b):
    p, q = sorted((a, b), key=lambda one: (one[1], -one[0]))
    return p[0], half(text("sum"), p[1], b"+" if p[0] == q[0] else b"-", q[1])


def mark_of(pair):
    return (b"+" if pair[0] > 0 else b"-") + pair[1]


def mark(tree):
    if tree is None:
        return NOTHING
    form = affine(tree)
    if form is None or not all(map(math.isfinite, [form[1], *form[0].values()])):
        return mark_of(signed(tree))
    pairs = sorted((column, v) for column, v in form[0].items() if v != 0)
    return b"=" + half(text("affine"), number(form[1] if form[1] != 0 else 0.0),
                       *(column[0].encode() + count(column[1]) + number(v) for column, v in pairs))


# ---- models ----

def mathematics(inputs, outputs, rows, objective, requirements, definitions):
    parts = [text("hardnet mathematics 1"), text("inputs"), count(len(inputs))]
    parts += [number(v) for one in inputs for v in one]
    parts += [text("outputs"), count(len(outputs))] + [mark(tree) for one in outputs for tree in one]
    parts += [text("rows"), count(len(rows))] + [mark(tree) for one in rows for tree in one]
    parts += [text("objective"), count(objective is not None), mark(objective)]
    parts += [text("requirements"), count(len(requirements))] + [mark(tree) for tree in requirements]
    parts += [text("definitions"), count(len(definitions))] + [mark_of(signed(tree)) for tree in definitions]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def names(inputs, outputs, rows, objective, requirements, definitions):
    parts = [text("hardnet names 1")]
    for title, list_ in (("inputs", inputs), ("outputs", outputs), ("rows", rows)):
        parts += [text(title), count(len(list_))] + [text(one) for one in list_]
    parts += [text(objective[0]), count(len(objective) - 1)] + [text(one) for one in objective[1:]]
    parts += [text("requirements"), count(len(requirements))] + [text(one) for one in requirements]
    parts += [text("definitions"), count(len(definitions))] + [text(one) for one in definitions]
    return hashlib.sha256(b"".join(parts)).hexdigest()


def c(value):
    return ("constant", value)


X, Y, Z = ("x", 0), ("y", 0), ("y", 1)
FREE = (MINUS_INFINITE, INFINITE)


class Fingerprint(tool.Tool):
    def check(self, model, expected):
        target = self.folder / "check.json"
        self.run_it("check", self.file("m.mod", model), "--json", target)
        report = json.loads(target.read_text())
        self.assertEqual((report["fingerprint"], report["names_fingerprint"]), expected)

    def test_affine_rows_and_bounds(self):
        model = """param x >= -1, <= 2; var y >= -3, <= x, := 0.5; var z := 1;
            subject to sum_of: 0.1*y + (3*z - y) - 2 <= x/3;
            subject to other: x <= -(z - 4) <= 7; var e = y + 2*z;
            fix z := 2;"""
        outputs = [(c(-3), X, c(0.5), None), (*FREE, c(2), c(2))]
        body = ("+", ("*", c(0.1), Y), ("-", ("*", c(3), Z), Y), c(-2))
        rows = [(MINUS_INFINITE, body, ("/", X, c(3))), (X, ("-", c(4), Z), c(7)), (c(-3), Y, X)]
        self.check(model, (mathematics([(-1, 2)], outputs, rows, None, [], [("+", Y, ("*", c(2), Z))]),
                           names(["x"], ["y", "z"], ["sum_of", "other", "y"], ["minimize"], [], ["e"])))

    def test_what_is_computed(self):
        model = """param x; check: x <> 2 and x > 1; var y; var z; var d = sin(y - z)*x;
            subject to a{k in 1..2}: -d + k*exp(y*z) - z = (if y < z then abs(-z) else y/x);
            subject to b: min(y, z^2) + atan2(z, -y)^x - sqrt(y + 1) >= log(x);
            maximize profit: d + y^3 - z/4;"""
        d = ("*", ("sin", ("-", Y, Z)), X)
        choice = ("if", ("less", Y, Z), ("abs", Z), ("/", Y, X))
        product = ("exp", ("*", Y, Z))
        left = [("+", ("-", d), p, ("-", Z)) for p in (product, ("*", c(2), product))]
        rows = [(c(0), ("-", one, choice), c(0)) for one in left]
        power = ("pow", ("atan2", Z, ("-", Y)), X)
        rows.append((("log", X), ("+", ("min", Y, ("*", Z, Z)), power, ("-", ("sqrt", ("+", Y, c(1))))), INFINITE))
        cube = ("*", ("*", Y, Y), Y)
        objective = ("-", ("+", d, cube, ("-", ("*", c(0.25), Z))))
        required = ("and", ("not_equal", X, c(2)), ("less", c(1), X))
        self.check(model, (mathematics([(-math.inf, math.inf)], [(*FREE, c(0), None)] * 2, rows, objective, [required], [d]),
                           names(["x"], ["y", "z"], ["a[1]", "a[2]", "b"], ["maximize", "profit"], ["check 1"], ["d"])))

    def test_what_may_be_undefined_is_not_dropped(self):
        model = """var y; subject to a: exp(if sin(y) < 0.5 then y else y) + y^0 <= 2;
            subject to b: exp(if log(y) < 0.5 then y else y) + 1^sqrt(y) <= 2;"""
        choice = ("if", ("less", ("log", Y), c(0.5)), Y, Y)
        rows = [(MINUS_INFINITE, ("+", ("exp", Y), c(1)), c(2)),
                (MINUS_INFINITE, ("+", ("exp", choice), ("pow", c(1), ("sqrt", Y))), c(2))]
        self.check(model, (mathematics([], [(*FREE, c(0), None)], rows, None, [], []),
                           names([], ["y"], ["a", "b"], ["minimize"], [], [])))


if __name__ == "__main__":
    tool.main()
