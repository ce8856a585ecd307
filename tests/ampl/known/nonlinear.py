"""Texts in the manner of the public collections: nonlinear programs, optimal control, networks, fits.

SPDX-License-Identifier: MIT
"""
import math

from .engine import Text, absolute, cos, exp, log, product, sin, sqrt, total


def hs_product():
    t = Text("hs_product")
    x = t.var("x", [1, 2, 3, 4], lower=1, upper=5, start={1: 1, 2: 5, 3: 5, 4: 1})
    t.row("constr1", x[1] * x[2] * x[3] * x[4], lower=25)
    t.eq("constr2", x[1] ** 2 + x[2] ** 2 + x[3] ** 2 + x[4] ** 2, 40)
    t.minimize("obj", x[1] * x[4] * (x[1] + x[2] + x[3]) + x[3])
    return t


def hs_exponents():
    t = Text("hs_exponents")
    x = t.var("x", [1, 2, 3], lower=0.1, upper=10, start=lambda j: j)
    a, b, c = x.values()
    t.row("posy[1]", 0.1 * a / b + 0.2 * b**2 * c**0.5 + 0.3 * a**-0.5 * c, upper=1)
    # the second table is transposed: its columns are k, its rows j
    t.row("posy[2]", 0.05 * a / c + 0.15 * b * c + 0.25 * a**2 / b, upper=1)
    t.minimize("obj", 1 / a * b**0.5 + 40 * a * c ** (1 / 3))
    return t


def rosen_chain():
    t = Text("rosen_chain")
    x = t.var("x", range(1, 7), start=lambda i: -1.2 if i % 2 else 1)
    for k in (1, 2, 3, 4):
        a, b, c = x[k], x[k + 1], x[k + 2]
        t.eq(("cons1", k), 3 * b**3 + 2 * c - 5 + sin(b - c) * sin(b + c) + 4 * b - a * exp(a - b) - 3, 0)
    t.minimize("f", total(100 * (x[i + 1] - x[i] ** 2) ** 2 + (1 - x[i]) ** 2 for i in range(1, 6)))
    return t


def catenary():
    t = Text("catenary")
    x = t.var("x", range(6), start=lambda i: {0: 0, 5: 1.5}.get(i, i / 5), fixed={0: 0, 5: 1.5})
    y = t.var("y", range(6), start=lambda i: 1 + 2 * i / 5, fixed={0: 1, 5: 3})
    square = {i: (x[i] - x[i - 1]) ** 2 + (y[i] - y[i - 1]) ** 2 for i in range(1, 6)}
    for i in square:
        t.eq(("link", i), square[i], 0.64)
    t.row("whole", total(sqrt(s) for s in square.values()), upper=4)
    t.minimize("energy", total((y[i - 1] + y[i]) / 2 for i in square))
    return t


def rocket():
    t = Text("rocket")
    grid = range(5)
    h = t.var("h", grid, y=lambda i: 1 + i / 300, lower=1, start=1)
    v = t.var("v", grid, y=lambda i: 0.02 + 0.03 * i, lower=0, start=lambda k: k / 4 * (1 - k / 4))
    m = t.var("m", grid, y=lambda i: 0.95 - 0.06 * i, lower=0.6, upper=1, start=lambda k: 1 - 0.4 * k / 4)
    thrust = t.var("T", grid, lower=0, upper=3.5, start=1.75)
    step = t.var("step", y=0.21, lower=0, start=0.25)
    drag = {i: t.define(("D", i), 310 * v[i] ** 2 * exp(-500 * (h[i] - 1))) for i in grid}
    g = {i: t.define(("g", i), (1 / h[i]) ** 2) for i in grid}
    pull = {i: (thrust[i] - drag[i] - m[i] * g[i]) / m[i] for i in grid}
    for j in (1, 2, 3, 4):
        t.eq(("h_eqn", j), h[j] - h[j - 1] - 0.5 * step * (v[j] + v[j - 1]))
    for j in (1, 2, 3, 4):
        t.eq(("v_eqn", j), v[j] - v[j - 1] - 0.5 * step * (pull[j] + pull[j - 1]))
    for j in (1, 2, 3, 4):
        t.eq(("m_eqn", j), m[j] - m[j - 1] + step * (thrust[j] + thrust[j - 1]))
    t.eq("h_ic", h[0], 1)
    t.eq("v_ic", v[0], 0)
    t.eq("m_ic", m[0], 1)
    t.eq("m_fc", m[4], 0.6)
    t.maximize("final_height", h[4])
    return t


def membrane():
    t = Text("membrane")
    points = [(i, j) for i in range(5) for j in range(4)]
    inner = [(i, j) for i in (1, 2, 3) for j in (1, 2)]
    edge = {(i, j): 1 + (i / 4) ** 2 - j / 3 for i, j in points if (i, j) not in inner}
    v = t.var("v", points, lower=lambda i, j: math.sin(3.2 * i / 4) * math.sin(3.3 * j / 3) - 2,
              start=lambda i, j: edge.get((i, j), (i / 4) ** 2 + (j / 3) ** 2), fixed=edge)
    for i, j in inner:
        across = (2 * v[i, j] - v[i + 1, j] - v[i - 1, j]) * 16
        t.row(("load", (i, j)), across + (2 * v[i, j] - v[i, j + 1] - v[i, j - 1]) * 9, -0.5, 20)
    t.minimize("area", total(1 / 24 * sqrt(1 + (4 * (v[i + 1, j] - v[i, j])) ** 2 + (3 * (v[i, j + 1] - v[i, j])) ** 2)
                             for i in range(4) for j in range(3)))
    return t


def fitting():
    t = Text("fitting")
    b = t.var("b", [1, 2, 3, 4], start={1: 2, 2: 1.1, 3: 0.9, 4: 0.8})
    seen = {1: (0, 3.1, 1), 2: (0.5, 2.2, 1), 3: (1, 1.7, 2), 4: (2, 1, 1), 5: (4, 0.45, 4)}
    r = {i: t.define(("r", i), b[1] * exp(-b[2] * s) + b[3] / (1 + b[4] * s**2) - y) for i, (s, y, _) in seen.items()}
    t.row("robust[3]", absolute(r[3]), upper=0.5)
    t.row("robust[5]", absolute(r[5]), upper=0.5)
    t.row("decay", b[2] * b[4], lower=0.01)
    t.minimize("ssq", total(seen[i][2] * r[i] ** 2 for i in seen))
    return t


def logistic():
    t = Text("logistic")
    rows = {1: (0.5, 1, 1), 2: (-0.3, 0.2, -1), 3: (0.8, -0.4, 1), 4: (-0.6, -0.9, -1)}
    w = t.var("w", ["age", "dose", "one"])
    s = t.var("s", [1, 2, 3, 4], lower=0)
    side = {i: sign * (a * w["age"] + d * w["dose"] + w["one"]) for i, (a, d, sign) in rows.items()}
    t.row("ball", sqrt(0.01 + w["age"] ** 2 + w["dose"] ** 2), upper=2)
    for i in rows:
        t.row(("margin", i), side[i] - 1 + s[i], lower=0)
    t.minimize("loss", total(log(1 + exp(-side[i])) for i in rows) / 4 + 0.1 * total(s.values()))
    return t


def pooling():
    t = Text("pooling")
    x = t.var("x", [("crude", "pool"), ("sweet", "pool"), ("gas", "tank")], lower=0)
    y = t.var("y", [(p, k) for p in ("pool", "tank") for k in ("reg", "super")], lower=0)
    q = t.var("q", ["pool", "tank"], lower=0, upper=3)
    crude, sweet, gas = x.values()
    out = {p: y[p, "reg"] + y[p, "super"] for p in q}
    t.eq("volume[pool]", crude + sweet - out["pool"])
    t.eq("volume[tank]", gas - out["tank"])
    t.eq("quality[pool]", 3 * crude + sweet - q["pool"] * out["pool"])
    t.eq("quality[tank]", 2 * gas - q["tank"] * out["tank"])
    for k, limit in ("reg", 2.5), ("super", 1.5):
        flow = y["pool", k] + y["tank", k]
        t.row(("blend", k), q["pool"] * y["pool", k] + q["tank"] * y["tank", k] - limit * flow, upper=0)
    t.row("most[reg]", y["pool", "reg"] + y["tank", "reg"], upper=100)
    t.row("most[super]", y["pool", "super"] + y["tank", "super"], upper=200)
    sales = 9 * (y["pool", "reg"] + y["tank", "reg"]) + 15 * (y["pool", "super"] + y["tank", "super"])
    t.minimize("cost", 6 * crude + 16 * sweet + 10 * gas - sales)
    return t


def opf():
    t = Text("opf")
    load = t.input("load", [1, 2, 3])
    v = t.var("V", [1, 2, 3], y={1: 1.02, 2: 0.97, 3: 1.04}, lower=0.9, upper=1.1, start=1)
    th = t.var("th", [1, 2, 3], y={1: 7, 2: -0.1, 3: 0.2}, fixed={1: 0})
    p = t.var("p", [1, 2], lower=0, upper=2)
    lines = {(1, 2): (0.02, 0.1), (2, 3): (0.03, 0.12), (1, 3): (0.01, 0.08)}
    flow, back = {}, {}
    for (i, j), (r, x) in lines.items():
        g, b = r / (r * r + x * x), -x / (r * r + x * x)
        flow[i, j] = g * v[i] ** 2 - v[i] * v[j] * (g * cos(th[i] - th[j]) + b * sin(th[i] - th[j]))
        back[i, j] = g * v[j] ** 2 - v[i] * v[j] * (g * cos(th[i] - th[j]) - b * sin(th[i] - th[j]))
    for key in lines:
        t.define(("flow", key), flow[key])
    for key in lines:
        t.define(("flow_back", key), back[key])
    t.eq("balance[1]", p[1] - load[1] - flow[1, 2] - flow[1, 3])
    t.eq("balance[2]", p[2] - load[2] - flow[2, 3] - back[1, 2])
    t.eq("balance[3]", back[2, 3] + back[1, 3], -load[3])
    for key in lines:
        t.row(("thermal", key), flow[key], -0.8, 0.8)
    t.minimize("fuel", 0.1 * p[1] ** 2 + p[1] + 0.2 * p[2] ** 2 + p[2])
    return t


def pendulum():
    t = Text("pendulum")
    th, om = t.var("th", range(5), start=math.pi), t.var("om", range(5))
    tau, time = t.var("tau", range(4), lower=-5, upper=5), t.var("T", lower=0.5, upper=4, start=1)
    for k in tau:
        t.eq(("kin", k), th[k + 1] - th[k] - time / 4 * (om[k + 1] + om[k]) / 2)
    for k in tau:
        t.eq(("dyn", k), om[k + 1] - om[k] - time / 4 * (tau[k] - 19.62 * sin((th[k] + th[k + 1]) / 2)))
    t.eq("start1", th[0], math.pi)
    t.eq("start2", om[0], 0)
    t.eq("final1", cos(th[4]), 1)
    t.eq("final2", om[4], 0)
    t.minimize("effort", time / 4 * total(v * v for v in tau.values()))
    return t


def polygon():
    t = Text("polygon")
    rho = t.var("rho", [1, 2, 3, 4], lower=0, upper=1, start={1: 16 / 25, 2: 24 / 25, 3: 24 / 25}, fixed={4: 0})
    start = {1: math.pi / 4, 2: math.pi / 2, 3: 3 * math.pi / 4, 4: math.pi}
    theta = t.var("theta", [1, 2, 3, 4], lower=0, upper=math.pi, start=start, fixed={4: math.pi})
    for i, j in (1, 2), (1, 3), (1, 4), (2, 3), (2, 4), (3, 4):
        t.row(("cons1", (i, j)), rho[i] ** 2 + rho[j] ** 2 - 2 * rho[i] * rho[j] * cos(theta[j] - theta[i]), upper=1)
    t.row("cons2[1]", theta[1] - theta[2], upper=0)
    t.row("cons2[2]", theta[2] - theta[3], upper=0)
    t.row("cons2[3]", theta[3] - theta[4], upper=0)  # a fixed variable is still one
    t.maximize("area", 0.5 * total(rho[i + 1] * rho[i] * sin(theta[i + 1] - theta[i]) for i in (1, 2, 3)))
    return t


def collocation():
    t = Text("collocation")
    roots = (0.211324865405, 0.788675134595)
    v = t.var("v", [1, 2])
    w = t.var("w", [(1, 1), (1, 2), (2, 1), (2, 2)])
    theta = t.var("theta", [1, 2], lower=0)
    u = {(i, j): v[i] + 0.75 * (w[i, 1] * roots[j - 1] + w[i, 2] * roots[j - 1] ** 2 / 2) for i, j in w}
    du = {(i, j): w[i, 1] + w[i, 2] * roots[j - 1] for i, j in w}
    for key in w:
        t.define(("u", key), u[key])
    for key in w:
        t.define(("Du", key), du[key])
    for key in w:
        t.eq(("colloc", key), du[key] + (theta[1] + theta[2]) * u[key] ** 2)
    t.eq("continuity[1]", v[1] + 0.75 * w[1, 1] + 0.375 * w[1, 2] - v[2])
    t.eq("start", v[1], 1)
    t.minimize("misfit", (v[1] - math.exp(-1)) ** 2 + (v[2] - math.exp(-2)) ** 2)
    return t


def equilibrium():
    t = Text("equilibrium")
    n = t.var("n", [1, 2, 3, 4], lower=1e-6, start=0.5)
    whole = t.define("all", n[1] + n[2] + n[3] + n[4])
    t.eq("element[H]", n[1] + 2 * n[2] + 2 * n[3], 2)
    t.eq("element[O]", n[3] + 2 * n[4], 1)
    for j in (2, 3, 4):
        t.row(("ratio", j), n[j] / whole, upper=0.9)
    t.minimize("energy", total(n[j] * (c + log(n[j] / whole)) for j, c in zip(n, (-6.089, -17.164, -34.054, -5.914))))
    return t


def thomson():
    t = Text("thomson")
    x = t.var("x", [1, 2, 3, 4], start=lambda i: 1 if i == 1 else math.cos(2 * i), fixed={1: 1})
    y = t.var("y", [1, 2, 3, 4], start=lambda i: math.sin(2 * i))
    z = t.var("z", [1, 2, 3, 4], start=lambda i: (2 * i - 1) / 4 - 1)
    pairs = [(i, j) for i in x for j in x if i < j]
    for i in x:
        t.eq(("ball", i), product([x[i], x[i]]) + y[i] ** 2 + z[i] ** 2, 1)
    for i, j in (1, 2), (2, 3), (3, 4):
        t.row(("far", (i, j)), (x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2, lower=0.01)
    t.minimize("potential", total(1 / sqrt((x[i] - x[j]) ** 2 + (y[i] - y[j]) ** 2 + (z[i] - z[j]) ** 2) for i, j in pairs))
    return t


def texts():
    return [hs_product(), hs_exponents(), rosen_chain(), catenary(), rocket(), membrane(), fitting(), logistic(), pooling(),
            opf(), pendulum(), polygon(), collocation(), equilibrium(), thomson()]
