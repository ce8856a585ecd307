"""Every shipped model once more, in numpy: counts, names, boxes, starts, and functions for c, bounds and objective.

The functions take complex y, so that check_models.py can differentiate them by the complex step.
"""
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "scripts"))
import generate_models as generated  # noqa: E402  (the matrices behind the .dat files)

INF = np.inf
MODELS = {}
S3, S4, S5, S6, WARP = (getattr(generated, f"pal_{name}")() for name in ("s3", "s4", "s5", "s6", "warp"))
PLAIN, LINEAR, QUADRATIC = generated.fsnet(), generated.fsnet_linear(), generated.fsnet_quadratic()
CONIC = generated.fsnet_socp(generated.CONES_SHIPPED)


def model(name, counts, inputs=(), columns=(), start=None, fixed=()):
    """Registers a function (x, y) -> groups, objective and perhaps definitions.

    counts are inputs, columns, rows and nonzeros of J, counted by hand; an input is (name, lower, upper); start is a
    list or a function of x; fixed are columns that hold their start.
    """
    def register(function):
        MODELS[name] = {"counts": counts, "inputs": list(inputs), "columns": list(columns), "start": start,
                        "fixed": set(fixed), "function": function}
        return function
    return register


def names(name, *ranges):
    """names('u', range(2), range(1, 3)) = u[0,1] u[0,2] u[1,1] u[1,2]"""
    out = [""]
    for r in ranges:
        out = [f"{o},{i}" if o else f"{i}" for o in out for i in r]
    return [f"{name}[{o}]" for o in out]


def box(name, ranges, lower, upper):
    """Inputs NAME[...] within bounds, one for all or one each."""
    labels = names(name, *ranges)
    lower, upper = np.broadcast_to(lower, len(labels)), np.broadcast_to(upper, len(labels))
    return list(zip(labels, map(float, lower), map(float, upper)))


def group(name, c, lower=-INF, upper=INF, labels=None):
    """Rows lower <= c <= upper; labels without: one row of the group's own name."""
    c = np.atleast_1d(np.asarray(c))
    return (name, labels or [name], np.broadcast_to(lower, c.shape), c, np.broadcast_to(upper, c.shape))


def equal(name, c, value=0.0, labels=None):
    return group(name, c, value, value, labels)


def numbered(first, count):
    return range(first, first + count)


# ---- models/ ----

def unicycle_start(x):
    k = np.arange(1, 11)[:, None]
    z = np.asarray(x) + 0.2 * k * np.array([np.cos(x[2]), np.sin(x[2]), 0])
    return np.concatenate([z.ravel(), np.tile([1.0, 0.0], 10)])


def wrapped(e):
    return (e + np.pi) % (2 * np.pi) - np.pi


@model("unicycle", (3, 50, 60, 145), box("z0", [numbered(1, 3)], [-4, -2.4, -0.45], [-2.2, 2.4, 0.45]),
       names("z", numbered(1, 10), numbered(1, 3)) + names("u", range(10), numbered(1, 2)), unicycle_start)
def unicycle(x, y):
    z, u = y[:30].reshape(10, 3), y[30:].reshape(10, 2)
    old = np.vstack([x[None, :], z[:-1]])
    move = np.stack([u[:, 0] * np.cos(old[:, 2]), u[:, 0] * np.sin(old[:, 2]), u[:, 1]], axis=1)
    groups = [equal("dynamics", (z - old - 0.2 * move).ravel(), 0, names("dynamics", numbered(1, 10), numbered(1, 3))),
              group("obstacle", 0.51020408 * z[:, 0] ** 2 + 0.90702948 * z[:, 1] ** 2, 1, INF,
                    names("obstacle", numbered(1, 10))),
              group("u", u.ravel(), np.tile([0, -1.5], 10), np.tile([2, 1.5], 10),
                    names("u", range(10), numbered(1, 2)))]

    def error(state):
        e = state.real - np.array([3.5, 0, 0])
        e[..., 2] = wrapped(e[..., 2])
        return e
    control = u.real
    reached = (x + 0.2 * np.array([control[0, 0] * np.cos(x[2]), control[0, 0] * np.sin(x[2]), control[0, 1]])).real
    last = np.array([10, 10, 1])
    cost = (error(z) ** 2).sum() + (last * error(z)[-1] ** 2).sum() + 0.1 * (control**2).sum()
    definitions = {f"next[{i + 1}]": reached[i] for i in range(3)}
    definitions["stage"] = (error(reached) ** 2).sum() + 0.1 * (control[0] ** 2).sum()
    definitions["final"] = (last * error(reached) ** 2).sum()
    definitions["clearance"] = 0.51020408 * reached[0] ** 2 + 0.90702948 * reached[1] ** 2 - 1
    return groups, cost, definitions


@model("figure2", (0, 2, 2, 4), (), ["y[1]", "y[2]"], [2, 2.5])
def figure2(x, y):
    return [group("halfplane", y[1] - 0.5 * y[0], -1), group("ellipse", 0.25 * y[0] ** 2 + y[1] ** 2, -INF, 1)], None


@model("ellipse", (1, 2, 2, 4), [("offset", -2.0, 2.0)], ["y1", "y2"], [2, 1])
def ellipse(x, y):
    return ([group("inside", 0.25 * y[0] ** 2 + y[1] ** 2, -INF, 1), equal("line", y[0] + y[1], x[0])],
            (y[0] - 2) ** 2 + (y[1] - 1) ** 2)


@model("simplex", (10, 10, 11, 20), box("x", [numbered(1, 10)], -1, 1), names("y", numbered(1, 10)), [0.1] * 10)
def simplex(x, y):
    return [equal("total", y.sum(), 1), group("y", y, 0, 1, names("y", numbered(1, 10)))], ((y - x) ** 2).sum()


@model("infeasible", (0, 2, 2, 4), (), ["y1", "y2"], [-1, 2])
def infeasible(x, y):
    return [group("disc", (y**2).sum(), -INF, 1), group("halfplane", y.sum(), 2)], None


# ---- models/infeasible/ ----

@model("infeasible/balls", (0, 3, 2, 6), (), names("y", numbered(1, 3)), [4, -3, 2])
def infeasible_balls(x, y):
    return [group("first", (y**2).sum(), -INF, 1),
            group("second", ((y - np.array([2, 2, 1])) ** 2).sum(), -INF, 1)], None


@model("infeasible/affine", (0, 4, 3, 10), (), names("y", numbered(1, 4)), [1, -2, 3, 0.5])
def infeasible_affine(x, y):
    rows = np.array([[1, 2, -1, 1], [2, -1, 1, 0], [3, 1, 0, 1]]) @ y
    return [equal(name, row, value) for name, row, value in zip(("first", "second", "third"), rows, (1, 0, 2))], None


@model("infeasible/square", (0, 3, 1, 3), (), names("y", numbered(1, 3)), [3, -1, 0.5])
def infeasible_square(x, y):
    steps = np.array([y[0] - y[1], y[1] - y[2], y[2] - 1])
    return [group("squares", (steps**2).sum(), -INF, -1)], None


@model("infeasible/logarithm", (0, 3, 2, 6), (), names("y", numbered(1, 3)), [0.2, 0.2, 0.2])
def infeasible_logarithm(x, y):
    return [group("product", np.log(y).sum(), 1), group("total", y.sum(), -INF, 3)], None


@model("infeasible/sine", (0, 2, 1, 2), (), ["t", "y"], [2, -1])
def infeasible_sine(x, y):
    return [equal("wave", 3 * np.sin(y[0]) + 4 * np.cos(y[0]) - y[1] ** 2, 6)], None


@model("infeasible/triangle", (0, 2, 3, 6), (), ["y1", "y2"], [5, -3])
def infeasible_triangle(x, y):
    a, b = np.array([0, 2, 1]), np.array([0, 0, np.sqrt(3)])
    return [group("disc", (y[0] - a) ** 2 + (y[1] - b) ** 2, -INF, 1.21, names("disc", numbered(1, 3)))], None


FEEDS = [0, 0.6, 0.8, 0.4], [0.15, 1, 1.2, 0.8]


# quality, pooled X Y, bypass X Y; rows: 2 + 2 + 2 + 3 + 3 + 3 + 4 bounds
@model("pooling", (4, 5, 10, 19), list(zip(["feed[A]", "feed[B]", "demand[X]", "demand[Y]"], *FEEDS)),
       ["quality", "pooled[X]", "pooled[Y]", "bypass[X]", "bypass[Y]"],
       lambda x: [2, x[2] / 2, x[3] / 2, x[2] / 2, x[3] / 2])
def pooling(x, y):
    q, px, py, bx, by = y
    content = np.array([q * px + 2 * bx, q * py + 2 * by])
    most = np.array([2.5 * x[2], 1.5 * x[3]])
    return ([equal("pool_balance", px + py, x[0] + x[1]),
             equal("blend", np.array([px + bx, py + by]), x[2:], ["blend[X]", "blend[Y]"]),
             equal("pool_quality", q * (px + py), 3 * x[0] + x[1]),
             group("product_quality", content, -INF, most, ["product_quality[X]", "product_quality[Y]"]),
             group("pooled", y[1:3], 0, INF, ["pooled[X]", "pooled[Y]"]),
             group("bypass", y[3:5], 0, INF, ["bypass[X]", "bypass[Y]"])], ((most - content) ** 2).sum())


BRANCHES = np.array([[1, 4, 0, 0.0576, 0, 250], [4, 5, 0.017, 0.092, 0.158, 250], [5, 6, 0.039, 0.17, 0.358, 150],
                     [3, 6, 0, 0.0586, 0, 300], [6, 7, 0.0119, 0.1008, 0.209, 150], [7, 8, 0.0085, 0.072, 0.149, 250],
                     [8, 2, 0, 0.0625, 0, 250], [8, 9, 0.032, 0.161, 0.306, 250], [9, 4, 0.01, 0.085, 0.176, 250]])
NOMINAL = np.array([0.9, 1.0, 1.25, 0.3, 0.35, 0.5])


# Balances: per bus 2 own columns, 2 per neighbour (18 in all), 3 generators: 57 each; 18 flows of 4; 15 bounds; less
# the 6 entries of the fixed angle: its own and its neighbour's balances and both ends of the branch between.
@model("opf", (6, 24, 51, 195), box("pd", [[5, 7, 9]], 0.7 * NOMINAL[:3], 1.2 * NOMINAL[:3])
       + box("qd", [[5, 7, 9]], 0.7 * NOMINAL[3:], 1.2 * NOMINAL[3:]),
       names("pg", numbered(1, 3)) + names("qg", numbered(1, 3)) + names("vm", numbered(1, 9))
       + names("va", numbered(1, 9)),
       [1] * 3 + [0] * 3 + [1] * 9 + [0] * 9, fixed=[15])
def opf(x, y):
    pg, qg, vm, va = y[:3], y[3:6], y[6:15], y[15:]
    # complex power at both ends as two real parts, so that the complex step may pass through
    ends, flows = [], []
    for f, t, r, reactance, charging, _ in np.vstack([BRANCHES, BRANCHES[:, [1, 0, 2, 3, 4, 5]]]):
        i, j = int(f) - 1, int(t) - 1
        z2 = r * r + reactance * reactance
        g, b = r / z2, -reactance / z2
        # I = (g + ib + ic/2) V_i - (g + ib) V_j and S = V_i conj(I), in rectangular parts
        ei, fi, ej, fj = vm[i] * np.cos(va[i]), vm[i] * np.sin(va[i]), vm[j] * np.cos(va[j]), vm[j] * np.sin(va[j])
        total = b + charging / 2
        current = g * ei - total * fi - g * ej + b * fj, g * fi + total * ei - g * fj - b * ej
        ends.append((i, j))
        flows.append((ei * current[0] + fi * current[1], fi * current[0] - ei * current[1]))
    active, reactive = [0] * 9, [0] * 9
    for (i, _), (p, q) in zip(ends, flows):
        active[i], reactive[i] = active[i] + p, reactive[i] + q
    for k in range(3):
        active[k], reactive[k] = active[k] - pg[k], reactive[k] - qg[k]
    load = np.zeros((2, 9))
    load[:, [4, 6, 8]] = x.reshape(2, 3)
    limit = np.concatenate([BRANCHES[:, 5], BRANCHES[:, 5]]) / 100
    cost = np.array([0.11, 0.085, 0.1225]) @ (100 * pg) ** 2 + np.array([5, 1.2, 1]) @ (100 * pg) + 150 + 600 + 335
    return ([equal("active", np.array(active), -load[0], names("active", numbered(1, 9))),
             equal("reactive", np.array(reactive), -load[1], names("reactive", numbered(1, 9))),
             group("flow", np.array([p * p + q * q for p, q in flows]), -INF, limit**2,
                   [f"flow[{i + 1},{j + 1}]" for i, j in ends]),
             group("pg", pg, 0.1, [2.5, 3, 2.7], names("pg", numbered(1, 3))),
             group("qg", qg, -3, 3, names("qg", numbered(1, 3))),
             group("vm", vm, 0.9, 1.1, names("vm", numbered(1, 9)))], cost)


# ---- models/feasibility: Hock and Schittkowski, CUTEst ----

def hs(number, counts, start):
    return model(f"feasibility/hs{number}", counts, (), names("x", numbered(1, len(start))), start)


def bounds(y, lower, upper):
    return group("x", y, lower, upper, names("x", numbered(1, len(y))))


@hs(13, (0, 2, 3, 4), [-2, -2])
def hs13(x, y):
    return [group("cusp", (1 - y[0]) ** 3 - y[1], 0), bounds(y, 0, INF)], (y[0] - 2) ** 2 + y[1] ** 2


@model("feasibility/hs19", (0, 2, 4, 6), (), ["x1", "x2"], [20.1, 5.84])
def hs19(x, y):
    return ([group("outside", (y[0] - 5) ** 2 + (y[1] - 5) ** 2, 100),
             group("inside", (y[0] - 6) ** 2 + (y[1] - 5) ** 2, -INF, 82.81),
             group("x1", y[0], 13, 100), group("x2", y[1], 0, 100)], (y[0] - 10) ** 3 + (y[1] - 20) ** 3)


@hs(61, (0, 3, 2, 4), [0, 0, 0])
def hs61(x, y):
    a, b, c = y
    return ([equal("parabola2", 3 * a - 2 * b * b - 7), equal("parabola3", 4 * a - c * c - 11)],
            4 * a * a + 2 * b * b + 2 * c * c - 33 * a + 16 * b - 24 * c)


@hs(64, (0, 3, 4, 6), [1, 1, 1])
def hs64(x, y):
    a, b, c = y
    return ([group("load", 4 / a + 32 / b + 120 / c, -INF, 1), bounds(y, 1e-5, INF)],
            5 * a + 5e4 / a + 20 * b + 7.2e4 / b + 10 * c + 1.44e5 / c)


@hs(65, (0, 3, 4, 6), [-5, 5, 0])
def hs65(x, y):
    most = np.array([4.5, 4.5, 5])
    return ([group("ball", y @ y, -INF, 48), bounds(y, -most, most)],
            (y[0] - y[1]) ** 2 + (y[0] + y[1] - 10) ** 2 / 9 + (y[2] - 5) ** 2)


@hs(72, (0, 4, 6, 12), [1] * 4)
def hs72(x, y):
    return ([group("first", np.array([4, 2.25, 1, 0.25]) @ (1 / y), -INF, 0.0401),
             group("second", np.array([0.16, 0.36, 0.64, 0.64]) @ (1 / y), -INF, 0.010085),
             bounds(y, 0.001, [4e5, 3e5, 2e5, 1e5])], 1 + y.sum())


@hs(73, (0, 4, 7, 16), [1] * 4)
def hs73(x, y):
    spread = np.sqrt(np.array([0.28, 0.19, 20.5, 0.62]) @ y**2)
    return ([group("fat", np.array([2.3, 5.6, 11.1, 1.3]) @ y, 5),
             group("protein", np.array([12, 11.9, 41.8, 52.1]) @ y - 21 - 1.645 * spread, 0),
             equal("mixture", y.sum(), 1), bounds(y, 0, INF)], np.array([24.55, 26.75, 39, 40.5]) @ y)


POSYNOMIALS = [  # coefficient and the exponents of x1..x7 of each term
    [(.5, .5, 0, -1, 0, 0, -2, 1), (.7, 3, 1, -2, 0, 0, 1, .5), (.2, 0, -1, 1, -.5, 0, 2 / 3, .25)],
    [(1.3, -.5, 1, -1, 0, -1, 1, 0), (.8, 0, 0, 1, -1, -1, 2, 0), (3.1, -1, .5, 0, -2, -1, 1 / 3, 0)],
    [(2, 1, 0, -1.5, 0, 1, -1, 1 / 3), (.1, 0, 1, -.5, 0, 1, -1, -.5), (1, -1, 1, .5, 0, 1, 0, 0),
     (.65, 0, -2, 1, 0, 1, -1, 1)],
    [(.2, -2, 1, 0, -1, .5, 0, 1 / 3), (.3, .5, 2, 1, 1 / 3, -2 / 3, 0, .25), (.4, -3, -2, 1, 0, 1, 0, .75),
     (.5, 0, 0, -2, 1, 0, 0, .5)]]
LAST_POSYNOMIAL = [(15, -1, -2, 1, 1, -1, 0, -.5), (20, -2, 1, 0, -1, -2, 1, 0), (25, 2, 2, -1, 0, .5, -2, 1)]


def posynomial(terms, y):
    return sum(t[0] * np.prod([y[i] ** t[i + 1] for i in range(7) if t[i + 1]]) for t in terms)


def hs101(a):
    def function(x, y):
        f = posynomial([(10, 1, -1, 0, 2, 0, -3, a)] + LAST_POSYNOMIAL, y)
        rows = [group(f"g{k + 1}", posynomial(terms, y), -INF, 1) for k, terms in enumerate(POSYNOMIALS)]
        return rows + [group("g5", f, -INF, 3000), bounds(y, [0.1] * 6 + [0.01], 10)], f
    return function


for problem, power in ((101, -0.25), (102, 0.125), (103, 0.5)):
    hs(problem, (0, 7, 12, 38), [6] * 7)(hs101(power))  # g1 lacks x5, g2 x7, g3 x4, g4 x6: 4 * 6 + 7 + 7


@hs(104, (0, 8, 13, 25), [6, 3, 0.4, 0.2, 6, 6, 1, 0.5])
def hs104(x, y):
    x1, x2, x3, x4, x5, x6, x7, x8 = y
    f = 0.4 * (x1 / x7) ** 0.67 + 0.4 * (x2 / x8) ** 0.67 + 10 - x1 - x2
    return ([group("g1", 0.0588 * x5 * x7 + 0.1 * x1, -INF, 1),
             group("g2", 0.0588 * x6 * x8 + 0.1 * (x1 + x2), -INF, 1),
             group("g3", (4 * x3 + 2 * x3**-0.71) / x5 + 0.0588 * x3**-1.3 * x7, -INF, 1),
             group("g4", (4 * x4 + 2 * x4**-0.71) / x6 + 0.0588 * x4**-1.3 * x8, -INF, 1),
             group("g5", f, 1, 4.2), bounds(y, 0.1, 10)], f)


@hs(106, (0, 8, 14, 25), [5000, 5000, 5000, 200, 350, 150, 225, 425])
def hs106(x, y):
    x1, x2, x3, x4, x5, x6, x7, x8 = y
    return ([group("g1", (x4 + x6) / 400, -INF, 1), group("g2", (x5 + x7 - x4) / 400, -INF, 1),
             group("g3", (x8 - x5) / 100, -INF, 1),
             group("g4", x1 * (x6 - 100) - 833.33252 * x4 + 83333.333, 0),
             group("g5", x2 * (x7 - x4) + 1250 * (x4 - x5), 0),
             group("g6", x3 * (x8 - x5) + 2500 * x5 - 1250000, 0),
             bounds(y, [100] + [1000] * 2 + [10] * 5, [10000] * 3 + [1000] * 5)], x1 + x2 + x3)


@hs(111, (0, 10, 13, 24), [-2.3] * 10)
def hs111(x, y):
    e = np.exp(y)
    c = np.array([-6.089, -17.164, -34.054, -5.914, -24.721, -14.986, -24.1, -10.708, -26.662, -22.179])
    rows = np.array([[1, 2, 2, 0, 0, 1, 0, 0, 0, 1],
                     [0, 0, 0, 1, 2, 1, 1, 0, 0, 0],
                     [0, 0, 1, 0, 0, 0, 1, 1, 2, 1]]) @ e
    return ([equal("g1", rows[0], 2), equal("g2", rows[1], 1), equal("g3", rows[2], 1), bounds(y, -100, 100)],
            e @ (c + y - np.log(e.sum())))


# 2 + 2 + 2 + 3 + 3 + 2 + 2 + 5 + 6 + 5 + 3 + 2 + 3 + 3 = 43 and 13 bounds
@hs(116, (0, 13, 27, 56), [.5, .8, .9, .1, .14, .5, 489, 80, 650, 450, 150, 150, 150])
def hs116(x, y):
    x1, x2, x3, x4, x5, x6, x7, x8, x9, x10, x11, x12, x13 = y

    def stage(u, v):
        return v - 0.03475 * u - 0.975 * u * v + 0.00975 * u * u

    def recycle(w, v, u):
        return w - 1.262626 * v + 1.231059 * u * v
    rows = [x3 - x2, x2 - x1, 0.002 * (x7 - x8), x11 + x12 + x13, recycle(x13, x10, x3), stage(x2, x5), stage(x3, x6),
            x5 * x7 - x1 * x8 - x4 * x7 + x4 * x8,
            1 - 0.002 * (x2 * x9 + x5 * x8 - x1 * x8 - x6 * x9) - x5 - x6,
            (x2 - x6) * (x9 - 500) + x10 * (x2 - x3), x2 - 0.9 - 0.002 * x10 * (x2 - x3), stage(x1, x4),
            recycle(x11, x8, x1), recycle(x12, x9, x2)]
    limits = [(0, INF)] * 2 + [(-INF, 1), (50, 250)] + [(0, INF)] * 10
    lower = [.1, .1, .1, 1e-4, .1, .1, .1, .1, 500, .1, 1, 1e-4, 1e-4]
    upper = [1, 1, 1, .1, .9, .9, 1e3, 1e3, 1e3, 500, 150, 150, 150]
    groups = [group(f"g{k + 1}", c, *limits[k]) for k, c in enumerate(rows)]
    return groups + [bounds(y, lower, upper)], x11 + x12 + x13


@model("feasibility/bt8", (0, 5, 2, 6), (), names("x", numbered(1, 5)), [1, 1, 1, 0, 0])
def bt8(x, y):
    return ([equal("g1", y[0] - 1 - y[3] ** 2 + y[1] ** 2), equal("g2", y[0] ** 2 + y[1] ** 2 - y[4] ** 2 - 1)],
            (y[:3] ** 2).sum())


@model("feasibility/powellbs", (0, 2, 2, 4), (), ["x1", "x2"], [0, 1])
def powellbs(x, y):
    return [equal("product", 1e4 * y[0] * y[1], 1), equal("decay", np.exp(-y[0]) + np.exp(-y[1]), 1.0001)], None


@model("feasibility/powellsq", (0, 2, 2, 3), (), ["x1", "x2"], [3, 1])
def powellsq(x, y):
    return [equal("square", y[0] ** 2), equal("ratio", 10 * y[0] / (y[0] + 0.1) + 2 * y[1] ** 2)], None


@model("feasibility/cluster", (0, 2, 2, 4), (), ["x1", "x2"], [0, 0])
def cluster(x, y):
    a, b = y
    return [equal("first", (a - b**2) * (a - np.sin(b))), equal("second", (np.cos(b) - a) * (b - np.cos(a)))], None


@model("feasibility/wachbieg", (0, 3, 4, 6), (), ["x1", "x2", "x3"], [-2, 1, 1])
def wachbieg(x, y):
    return ([equal("parabola", y[0] ** 2 - y[1] - 1), equal("line", y[0] - y[2] - 0.5),
             group("x2", y[1], 0), group("x3", y[2], 0)], y[0])


# ---- models/feasibility: PAL ----

def pal(name, counts, inputs, n, low, high, start):
    """A model with one variable y[0..n-1] in a box; its function gives the other groups."""
    def register(function):
        labels = names("y", range(n))

        def whole(x, y):
            groups, f = function(x, y)
            return groups + [group("y", y, low, high, labels)], f
        return model("feasibility/pal_" + name, counts, inputs, labels, start)(whole)
    return register


@pal("s1", (1, 4, 5, 8), [("c", 0.5, 2.0)], 4, -2.5, 2.5, [0.5] * 4)
def pal_s1(x, y):
    z = y[:2] - (x[0] / np.sqrt(2) - 1)
    return [equal("sphere", y @ y, x[0] ** 2)], (1 - z[0]) ** 2 + 100 * (z[1] - z[0] ** 2) ** 2


@pal("s2", (2, 10, 11, 20), box("c", [range(2)], -1, 1), 10, 0, 1, [0.5] * 10)
def pal_s2(x, y):
    t = 0.4 + 0.05 * x[0] + 0.02 * x[1]
    return [equal("total", y.sum(), 1)], (t - y[0]) ** 2 + 10 * ((y[1:5] - y[:4] ** 2) ** 2).sum()


@pal("s3", (1, 20, 26, 130), [("c", 0.1, 1.0)], 20, -1.5, 1.5, [0] * 20)
def pal_s3(x, y):
    a, c = S3["a"], x[0]
    t = np.repeat([c, c**2 / np.sqrt(10)], 10)
    weights = c ** (2 * np.arange(10) / 9)
    return ([equal("plane", a[0] @ y, a[0] @ t), group("ball", (y[10:] ** 2).sum(), -INF, c**4),
             group("half_space", a[1:] @ y, -INF, a[1:] @ t + 0.2, names("half_space", numbered(1, 4)))],
            0.5 * weights @ (y[:10] - t[:10]) ** 2)


@model("feasibility/pal_s4", (5, 30, 56, 225), box("c", [range(5)], 0.5, 1.5),
       names("u", range(15)) + names("v", range(15)), [0] * 30)
def pal_s4(x, y):
    m = S4
    u, v = y[:15], y[15:]
    best = np.sin(np.linalg.pinv(m["A"]) @ (m["At"] @ x)) + m["B"] @ x
    return ([equal("linear", m["A"] @ u, m["At"] @ x, names("linear", range(10))),
             equal("sine", v - np.sin(u), m["B"] @ x, names("sine", range(15))),
             group("ball", v @ v, -INF, best @ best + 1),
             group("u", u, -5, 5, names("u", range(15))), group("v", v, -5, 5, names("v", range(15)))],
            0.5 * (v - best) @ m["W"] @ (v - best))


@pal("s5", (5, 4, 9, 16), box("c", [range(5)], 0.5, 1.5), 4, -2, 2, [1] * 4)
def pal_s5(x, y):
    angle = np.pi * x[2], np.pi * (x[3] + x[4] / 2)
    best = np.array([x[0] * np.cos(angle[0]), x[0] * np.sin(angle[0]),
                     x[1] * np.cos(angle[1]), x[1] * np.sin(angle[1])])

    def values(p):
        return p[0] ** 2 + p[1] ** 2, p[2] ** 2 + p[3] ** 2, p[0] * p[2], p[1] * p[3], p[0] * p[3] - p[1] * p[2]
    rows = zip(["circle0", "circle1", "product0", "product1", "cross_product"], values(y), values(best))
    return [equal(*row) for row in rows], 0.5 * (y - best) @ S5["P"] @ (y - best)


@pal("s6", (20, 50, 140, 3830), box("c", [range(20)], 0.5, 1.5), 50, 0.3, 1.7, [1] * 50)
def pal_s6(x, y):
    a, t = S6["a"], np.concatenate([x, x, x[:10]])
    return ([equal("link", y[:15] - 0.5 * y[15:30], t[:15] - 0.5 * t[15:30], names("link", range(15))),
             group("half_space", a @ y, -INF, a @ t + 0.2, names("half_space", range(75)))],
            0.5 * ((y[15:] - t[15:]) ** 2).sum())


@pal("warp", (8, 8, 9, 16), box("x", [range(8)], -1.5, 1.5), 8, -4, 4, lambda x: x)
def pal_warp(x, y):
    a, b = WARP["a"], WARP["b"]

    def unwarped(p):
        return p - a * np.sin(1000 * (b @ p))
    return [equal("warp", a @ y - np.sin(1000 * (b @ y)))], ((unwarped(y) - unwarped(x)) ** 2).sum()


# ---- models/feasibility: KKT-HardNet, FSNet ----

@model("feasibility/pooling", (4, 5, 6, 15), list(zip(["x1", "x2", "x3", "x4"], *FEEDS)),
       ["y1", "y2", "y3", "y4", "y5"], [2] + [0.5] * 4)
def bare_pooling(x, y):
    x1, x2, x3, x4 = x
    y1, y2, y3, y4, y5 = y
    return [equal("pool", y2 + y3, x1 + x2), equal("product3", y2 + y4, x3), equal("product4", y3 + y5, x4),
            equal("sulphur", y1 * (y2 + y3), 3 * x1 + x2), group("limit3", y1 * y2 + 2 * y4, -INF, 2.5 * x3),
            group("limit4", y1 * y3 + 2 * y5, -INF, 1.5 * x4)], None


@model("feasibility/column", (3, 9, 6, 18), [("x1", 0.5, 2.0), ("x2", 0.5, 2.0), ("x3", 0.1, 1.0)],
       [f"y{i}" for i in numbered(1, 9)], [1, 1] + [0.3] * 6 + [0.5])
def column(x, y):
    y1, y2, y3, y4, y5, y6, y7, y8, y9 = y
    return [equal("total", y1 + y2, x[0] + x[1]), equal("first", y1 * y3 + y2 * y6, 0.697616946 * x[0]),
            equal("second", y1 * y4 + y2 * y7, 0.302383054 * x[0]), equal("composition1", y3 + y4 + y5, 1),
            equal("composition2", y6 + y7 + y8, 1), equal("ratio", x[2] * y1 - y9)], None


def fsnet(kind, rows, nonzeros):
    def register(function):
        def whole(x, y):
            labels = names("equation", numbered(1, 50))
            last = group("y", y, -5, 5, names("y", numbered(1, 100)))
            f = 0.5 * PLAIN["q"] @ y**2 + PLAIN["p"] @ np.sin(y)
            return [equal("equation", PLAIN["A"] @ y, x, labels), function(x, y), last], f
        return model("feasibility/fsnet_" + kind, (50, 100, rows, nonzeros), box("x", [numbered(1, 50)], -1, 1),
                     names("y", numbered(1, 100)), [1] * 100)(whole)
    return register


@fsnet("qp", 200, 10100)
def fsnet_qp(x, y):
    return group("limit", LINEAR["G"] @ np.sin(y), -INF, LINEAR["h"] * np.cos(x), names("limit", numbered(1, 50)))


@fsnet("qcqp", 200, 10100)
def fsnet_qcqp(x, y):
    c = 0.5 * QUADRATIC["H"] @ y**2 + LINEAR["G"] @ np.cos(y)
    return group("limit", c, -INF, LINEAR["h"], names("limit", numbered(1, 50)))


@fsnet("socp", 160, 6100)
def fsnet_socp(x, y):
    norms = np.sqrt(((CONIC["G"] @ np.cos(y) + CONIC["h"]) ** 2).sum(1))
    return group("cone", norms - CONIC["C"] @ y, -INF, CONIC["d"], names("cone", numbered(1, 10)))
