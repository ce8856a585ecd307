"""The models of models/feasibility/ that are problems of Hock and Schittkowski and of CUTEst."""
import numpy as np

from .common import INF, equal, group, model, names, numbered


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
