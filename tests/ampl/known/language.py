"""Texts about the rest of the language: random functions, piecewise-linear terms, networks, loops, orders, intervals.

SPDX-License-Identifier: MIT
"""
import math
import struct

from .engine import Grad, Text, grad, total

# ---- random functions, from the definition in docs/models.md ----

MASK = (1 << 64) - 1
GOLDEN = 0x9E3779B97F4A7C15


def mix(z):
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB & MASK
    return z ^ (z >> 31)


def with_word(key, word):
    return mix(mix((key + GOLDEN) & MASK) ^ word)


def with_text(key, text):
    for byte in text.encode():
        key = with_word(key, byte)
    return with_word(key, len(text.encode()))


class Draw:
    """The values that one call of a random function takes."""

    def __init__(self, seed, owner, number, *dummies, runs=0):
        key = with_word(0, seed)
        key = with_text(key, owner) if isinstance(owner, str) else with_word(with_word(key, owner), runs)
        key = with_word(key, number)
        for dummy in dummies:
            bits = struct.unpack("<Q", struct.pack("<d", dummy))[0] if not isinstance(dummy, str) else None
            key = with_text(key, dummy) if bits is None else with_word(key, bits)
        self.key, self.count = key, 0

    def word(self):
        self.count += 1
        return mix((self.key + GOLDEN * self.count) & MASK)

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * (self.word() >> 11) * 2.0**-53

    def disc(self):
        while True:
            u, v = 2 * self.uniform() - 1, 2 * self.uniform() - 1
            if 0 < u * u + v * v < 1:
                return u, v, u * u + v * v

    def normal(self):
        u, _, square = self.disc()
        return u * math.sqrt(-2 * math.log(square) / square)

    def cauchy(self):
        u, v, _ = self.disc()
        return v / u

    def exponential(self):
        return -math.log(1 - self.uniform())


def random_values():
    t = Text("random_values")
    places, three, seed = ["east", "west"], [1, 2, 3], 77
    keys = [(i, p) for i in three for p in places]
    early = {p: Draw(seed, "early", 1, p).uniform(10, 20) for p in places}
    cost = {k: round(Draw(seed, "cost", 1, *k).uniform(1, 100)) for k in keys}
    noise = {i: 5 + 0.5 * Draw(seed, "noise", 1, i).normal() + Draw(seed, "noise", 2, i).normal() for i in three}
    chosen = [i for i in range(1, 13) if Draw(seed, "S", 1, i).uniform() < 0.5]
    assert 0 < len(chosen) < 12
    x = t.var("x", chosen, lower=0, start={i: Draw(seed, "x", 1, i).exponential() for i in chosen})
    start = {k: Draw(seed, "y", 1, *k).cauchy() for k in keys}
    start |= {(2, p): Draw(5, 1, 1, p, runs=1).uniform() for p in places}
    start[3, "west"] = Draw(5, 2, 1, runs=2).uniform()
    y = t.var("y", keys, lower=0, start=start)
    for i in three:
        t.row(("c", i), y[i, "east"] + y[i, "west"], lower=noise[i])
    supply = total(x.values()) + early["east"] * y[1, "east"] + early["west"] * y[1, "west"]
    t.row("d", supply, upper=Draw(seed, "whole", 1).word() >> 40)
    varied = total(Draw(seed, "f", 1, i).uniform(1, 2) * x[i] ** 2 for i in chosen)
    t.minimize("f", varied + total(cost[k] * y[k] for k in keys))
    t.note("random values differ from those of AMPL")
    return t


# ---- piecewise-linear terms ----


def pieces(x, breakpoints, slopes, zero=0.0):
    """The integral of the slope from zero to x; at a breakpoint the slope on its right."""

    def rises(a, b):
        points = [a] + [p for p in breakpoints if a < p < b] + [b]
        return sum(slopes[sum(p <= q for p in breakpoints)] * (r - q) for q, r in zip(points, points[1:]))

    x = grad(x)
    value = rises(zero, x.v) if x.v >= zero else -rises(x.v, zero)
    return Grad(value, {j: s * slopes[sum(p <= x.v for p in breakpoints)] for j, s in x.d.items()}, True)


def piecewise():
    t = Text("piecewise")
    ship = t.var("ship", ["road", "rail"], y={"road": 2.25, "rail": 3.5}, lower=0, upper=20)
    over, at_kink = t.var("over"), t.var("at_kink", y=4, start=4)
    t.row("demand", ship["road"] + ship["rail"], lower=7 + 0.5 * 5)
    t.row("band", pieces(ship["road"] - over, [0, 2], [1, -1, 1], 1), lower=-6, upper=6)
    t.row("kink", pieces(at_kink, [4, 6], [-1, 2, 3], 5) + 2 * over, upper=8)
    cost = pieces(ship["road"], [1.5, 4], [1, 2.5, 4]) + pieces(ship["rail"], [3], [2, 0.25])
    t.minimize("cost", cost + 3 * pieces(over, [-1, 1], [-4, 0, 4]) - 5)
    return t


def vars_suffix():
    t = Text("vars_suffix")
    u = t.input("u", lower=1, upper=3)
    x = t.var("x", [1, 2, 3], lower=lambda i: -i, upper=lambda i: i * u, start=lambda i: i / 2)
    y = t.var("y", ["a", "b"], lower=0.5, start={"a": 4, "b": 14})
    z = t.var("z", upper=9)
    for i in (2, 3):
        for s in y:
            t.row(("inside", (i, s)), x[i] + y[s], upper=i * u - 0.5)
    t.row("top", z, upper=8)
    t.minimize("f", total((x[i] - (-i + i * u) / 2) ** 2 for i in x) + (z - 14) ** 2)
    return t


# ---- networks and columns ----


def network():
    t = Text("network")
    cities, links = "ABC", {("A", "B"): 3, ("A", "C"): 4, ("B", "C"): 5, ("C", "A"): 6}
    demand = {"A": 1, "B": 2.5, "C": -0.5}
    made = t.var("Make", lower=0, upper=8)
    send = t.var("Send", list(cities), lower=0)
    ship = t.var("Ship", list(links), lower=0, upper=4)
    share, spare = t.var("Share", start=1), t.var("Spare")
    t.row("Plant", made, lower=2, upper=9)
    for c in cities:
        came = total((0.8 if k == ("A", "C") else 0.9) * ship[k] for k in links if k[1] == c)
        went = total(ship[k] for k in links if k[0] == c)
        net = send[c] + came - went + (0.75 * share if c != "B" else 0) - (spare if c == "C" else 0)
        t.eq(("City", c), net, demand[c])
    t.eq("Hub", made - total(send.values()) - 2 * share)
    t.row("Store", 0.5 * share + spare + 1, lower=3)
    bill = 2 * made + send["A"] + 1.5 * send["B"] + 1.5 * send["C"]
    t.minimize("expense", bill + total(cost * ship[k] for k, cost in links.items()))
    return t


def columnwise():
    t = Text("columnwise")
    left = t.var("left", lower=0)
    buy = t.var("Buy", ["bread", "milk", "eggs"], lower=0, upper=10)
    extra = t.var("extra", lower=0)
    bread, milk, eggs = buy.values()
    t.row("enough[energy]", 9 * bread + 4 * milk + 3 * eggs, lower=20)
    t.row("enough[protein]", bread + 2 * milk + 4 * eggs + extra, lower=5)
    t.row("parts", 3 * (bread + milk + eggs), lower=1, upper=12)
    t.row("together", left + 2 * milk, upper=5)
    t.minimize("money", 2 * bread + 1.5 * milk + 3 * eggs + 4)
    t.note("variety")
    return t


# ---- commands in commands ----


def blocks():
    t = Text("blocks")
    six, a = range(1, 7), {1: 0, 2: 4, 3: -1, 4: 16, 5: 8, 6: 36}
    fib = {1: 1, 2: 1, 3: 2, 4: 3, 5: 5, 6: 8}
    start = {i: i / 10 for i in six} | {4: 4.4, 6: 6.6}
    x = t.var("x", list(six), start=start, fixed={4: 4.4, 6: 6.6})
    y = t.var("y", lower=0, start=16)
    for i in (4, 6):
        t.row(("c", i), x[i] + y, lower=fib[i])
    for i in (3, 4, 5, 6):
        t.row(("d", i), x[i], upper=100)
    t.minimize("f", total((x[i] - 2 * a[i]) ** 2 for i in six) + 49 * y)
    t.note("print in a block is skipped")
    return t


def drops():
    t = Text("drops")
    x = t.var("x", [1, 2, 3, 4], lower=0, upper=3)
    for i in (1, 3):
        t.row(("a", i), x[i], upper=i)
    t.row("b", total(x.values()), lower=2)
    t.row("c[2]", x[2] + x[3], upper=4)
    t.maximize("second[2]", 2 * x[1] - x[3])
    return t


# ---- orders and intervals ----


def orders():
    t = Text("orders")
    load = t.input("load", lower=0.25, upper=4)
    late, down = ["jan", "mar", "apr", "may"], [8, 5, 2, 1]
    place = {m: i + 1 for i, m in enumerate(late)}
    x = t.var("x", late, lower=0, upper=lambda m: 5 * place[m], start=lambda m: place[m])
    y = t.var("y", down)
    z = t.var("z", [3, 6, 7], upper=7)
    w = t.var("w", [2, 3, 9], lower=0)
    t.row("a[1]", x["mar"] + y[1], lower=load)
    t.row("a[2]", x["jan"] + y[1], lower=load)
    for i, after in ((1.5, 2), (2, 3), (3, 1.5)):
        t.row(("b", i), y[1] * after, upper=9)
    t.row("c[a,1]", y[1] + x["may"], upper=4 + 0.5)
    t.row("c[b,2]", y[2] + x["may"], upper=3 + 0.25)
    t.row("e", x["jan"], upper=10 * 2 + 2)
    for k in w:
        t.row(("g", k), w[k], upper=k)
    steps = total((y[b] - y[a]) ** 2 for a, b in zip(down, down[1:]))
    t.minimize("f", total(place[m] * x[m] ** 2 for m in late) + steps + total(v**2 for v in z.values()))
    t.require(load < 4)
    return t


def texts():
    return [random_values(), piecewise(), vars_suffix(), network(), columnwise(), blocks(), drops(), orders()]
