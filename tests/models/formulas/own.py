"""The models of models/ and of models/infeasible/."""
import numpy as np

from .common import INF, box, equal, group, model, names, numbered


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
