"""The models of models/tasks/ that have no time."""
import numpy as np

from .common import INF, box, equal, group, model, names, numbered

STEPS, JOINTS = numbered(1, 6), numbered(1, 3)


# rows: 2 + 18 + 24 + 18. Nonzeros: 3 + 3; 3 + 15*2; 6*(2*2 + 2*3); 18 bounds.
@model("tasks/arm", (5, 18, 62, 117), box("start", [JOINTS], [0.7, -0.4, -0.4], [1.3, 0.4, 0.4])
       + [("distance", 1.5, 2.0), ("direction", -0.9, -0.1)],
       names("angle", STEPS, JOINTS), lambda x: np.tile(x[:3], 6))
def arm(x, y):
    angle = y.reshape(6, 3)
    moves = np.diff(np.vstack([x[None, :3], angle]), axis=0)
    heading = np.cumsum(angle, axis=1)
    links = np.array([1, 0.8, 0.6])[None, :, None] * np.stack([np.cos(heading), np.sin(heading)], axis=2)
    ends = np.cumsum(links, axis=1)
    # middle and end of the second and the third link
    points = np.stack([ends[:, 1:] - links[:, 1:] / 2, ends[:, 1:]], axis=2)
    off = ((points - np.array([1.5, 0.35])) ** 2).sum(axis=3)
    return ([equal("reach_x", ends[5, 2, 0], x[3] * np.cos(x[4])), equal("reach_y", ends[5, 2, 1], x[3] * np.sin(x[4])),
             group("speed", moves.ravel(), -0.6, 0.6, names("speed", STEPS, JOINTS)),
             group("clear", off.ravel(), 0.35**2, INF, names("clear", STEPS, [2, 3], [1, 2])),
             group("angle", y, np.tile([-2, -2.6, -2.6], 6), np.tile([2, 2.6, 2.6], 6), names("angle", STEPS, JOINTS))],
            (moves.real**2).sum())


GENERATORS = ["Alta", "ParkCity", "Solitude", "Sundance", "Brighton"]
MOST_P, MOST_Q = np.array([0.4, 1.7, 5.2, 2, 6]), np.array([0.3, 1.275, 3.9, 1.5, 4.5])
AT = [0, 0, 2, 3, 4]
# from, to, r, x, charging, rate
LINES = [(1, 2, 0.00281, 0.0281, 0.00712, 4), (1, 4, 0.00304, 0.0304, 0.00658, 0), (1, 5, 0.00064, 0.0064, 0.03126, 0),
         (2, 3, 0.00108, 0.0108, 0.01852, 0), (3, 4, 0.00297, 0.0297, 0.00674, 0), (4, 5, 0.00297, 0.0297, 0.00674, 2.4)]
LOADS = np.array([3, 3, 4, 0.9861, 0.9861, 1.3147])


def injections(vm, va):
    """S = V conj(Y V) by rectangular parts, and the power that enters each end of each line."""
    e, f = vm * np.cos(va), vm * np.sin(va)
    ends = []
    for a, b, r, reactance, charging, rate in LINES + [(line[1], line[0], *line[2:]) for line in LINES]:
        i, j = a - 1, b - 1
        z2 = r * r + reactance * reactance
        g, s = r / z2, -reactance / z2
        # I = (g + i s)(V_i - V_j) + i c/2 V_i
        ie = g * (e[i] - e[j]) - s * (f[i] - f[j]) - charging / 2 * f[i]
        jf = g * (f[i] - f[j]) + s * (e[i] - e[j]) + charging / 2 * e[i]
        ends.append((i, j, e[i] * ie + f[i] * jf, f[i] * ie - e[i] * jf, rate))
    return ends


# Balances: 5 buses and 12 ends, 2 columns each, and 5 generators: 39 each; 4 flows of 4; 15 bounds; less the fixed angle's:
# bus 4's own and those of its 3 neighbours in both balances, and 2 flows.
@model("tasks/opf5", (6, 20, 29, 99), box("pd", [[2, 3, 4]], 0.8 * LOADS[:3], 1.1 * LOADS[:3])
       + box("qd", [[2, 3, 4]], 0.8 * LOADS[3:], 1.1 * LOADS[3:]),
       names("pg", GENERATORS) + names("qg", GENERATORS) + names("vm", numbered(1, 5)) + names("va", numbered(1, 5)),
       list(MOST_P / 2) + [0] * 5 + [1] * 5 + [0] * 5, fixed=[18])
def opf5(x, y):
    pg, qg, vm, va = y[:5], y[5:10], y[10:15], y[15:]
    ends = injections(vm, va)
    balance = [[0] * 5, [0] * 5]
    for i, _, p, q, _ in ends:
        balance[0][i], balance[1][i] = balance[0][i] + p, balance[1][i] + q
    for k, i in enumerate(AT):
        balance[0][i], balance[1][i] = balance[0][i] - pg[k], balance[1][i] - qg[k]
    bound = np.zeros((2, 5))
    for part, load in enumerate((x[:3], x[3:])):
        bound[part][1] = -load[0]  # bus 2 has no generator: its load is the row's bound
        balance[part][2] = balance[part][2] + load[1]
        balance[part][3] = balance[part][3] + load[2]
    limited = [(i, j, p, q, rate) for i, j, p, q, rate in ends if rate > 0]
    return ([equal("active", np.array(balance[0]), bound[0], names("active", numbered(1, 5))),
             equal("reactive", np.array(balance[1]), bound[1], names("reactive", numbered(1, 5))),
             group("flow", np.array([p * p + q * q for _, _, p, q, _ in limited]), -INF,
                   np.array([rate**2 for *_, rate in limited]), [f"flow[{i + 1},{j + 1}]" for i, j, *_ in limited]),
             group("pg", pg, 0, MOST_P, names("pg", GENERATORS)),
             group("qg", qg, -MOST_Q, MOST_Q, names("qg", GENERATORS)),
             group("vm", vm, 0.9, 1.1, names("vm", numbered(1, 5)))], 100 * np.array([14, 15, 30, 40, 10]) @ pg)


EXPOSURE = np.array([[16, 4, 0], [14, -3, 5], [18, 6, 2], [12, 0, -6], [9, -7, 1],
                     [11, 5, 7], [20, 8, -3], [7, -2, 4], [13, 1, 9], [8, -6, -5]])
COVARIANCE = EXPOSURE @ EXPOSURE.T + np.diag(np.array([10, 8, 14, 9, 6, 11, 15, 5, 12, 7]) ** 2)
ASSETS = numbered(1, 10)


# rows: 1 + 1 + 3 + 10; nonzeros: 10 in each of capital, risk, all sectors together, and bounds
@model("tasks/portfolio", (11, 10, 15, 40), box("expected", [ASSETS], 3, 12) + [("volatility", 11.0, 16.0)],
       names("weight", ASSETS), [0.1] * 10)
def portfolio(x, y):
    variance = y @ COVARIANCE @ y
    sectors = np.array([y[:4].sum(), y[4:7].sum(), y[7:].sum()])
    return ([equal("capital", y.sum(), 1), group("risk", variance, -INF, x[10] ** 2),
             group("spread", sectors, -INF, 0.6, names("spread", numbered(1, 3))),
             group("weight", y, 0, 0.25, names("weight", ASSETS))],
            0.02 * variance - x[:10] @ y)  # maximised: what is minimised is its negative


PRODUCTS = ["X", "Y", "Z"]
INTO = ["fed[A,1]", "fed[B,1]", "fed[B,2]", "fed[C,2]"]


# rows: 2 + 2 + 2 + 3 + 3 and 15 bounds; nonzeros: 2*5, 2*2, 2*6, 3*3, 3*5, 15
@model("tasks/blending", (7, 15, 27, 65), box("demand", [PRODUCTS], 0.6, 1.4)
       + box("price", [["A", "B", "C"]], [4, 7, 10], [7, 11, 15]) + [("clean_price", 14.0, 20.0)],
       INTO + names("quality", [1, 2]) + names("drawn", [1, 2], PRODUCTS) + names("bypass", PRODUCTS),
       lambda x: [0.5] * 4 + [1.5] * 2 + [d / 3 for _ in range(3) for d in x[:3]])
def blending(x, y):
    fed, quality, drawn, bypass = y[:4], y[4:6], y[6:12].reshape(2, 3), y[12:]
    filled = np.array([fed[0] + fed[1], fed[2] + fed[3]])
    carried = np.array([3 * fed[0] + 1.8 * fed[1], 1.8 * fed[2] + fed[3]])
    tank = [names(name, [1, 2]) for name in ("balance", "least", "mixed")]
    return ([equal("balance", filled - drawn.sum(axis=1), 0, tank[0]), group("least", filled, 0.3, INF, tank[1]),
             equal("mixed", quality * drawn.sum(axis=1) - carried, 0, tank[2]),
             equal("blend", drawn.sum(axis=0) + bypass, x[:3], names("blend", PRODUCTS)),
             group("product_quality", quality @ drawn + 0.4 * bypass, -INF, np.array([2.2, 1.4, 0.9]) * x[:3],
                   names("product_quality", PRODUCTS)),
             group("fed", fed, 0, 4, INTO), group("quality", quality, 0.5, 3, names("quality", [1, 2])),
             group("drawn", y[6:12], 0, INF, names("drawn", [1, 2], PRODUCTS)),
             group("bypass", bypass, 0, INF, names("bypass", PRODUCTS))],
            x[[3, 4, 4, 5]] @ fed + x[6] * bypass.sum())
