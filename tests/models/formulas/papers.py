"""The models of models/feasibility/ that come from papers: PAL, KKT-HardNet, FSNet."""
import sys

import numpy as np

from .common import INF, ROOT, box, equal, group, model, names, numbered
from .own import FEEDS

sys.path.insert(0, str(ROOT / "scripts"))
import generate_models as generated  # noqa: E402  (the matrices behind the .dat files)

S3, S4, S5, S6, WARP = (getattr(generated, f"pal_{name}")() for name in ("s3", "s4", "s5", "s6", "warp"))
PLAIN, LINEAR, QUADRATIC = generated.fsnet(), generated.fsnet_linear(), generated.fsnet_quadratic()
CONIC = generated.fsnet_socp(generated.CONES_SHIPPED)


# ---- PAL ----

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


# ---- KKT-HardNet, FSNet ----

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
