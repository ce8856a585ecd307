"""The models of models/feasibility/ on which steps creep: long chains, linear programmes, outputs that travel far."""
import numpy as np

from .common import INF, equal, group, model, names, numbered


def creep(name, counts, columns, start):
    return model(f"feasibility/creep_{name}", counts, (), columns, start)


@creep("chain", (0, 201, 202, 402), names("y", range(201)), [0] * 201)
def chain(x, y):
    return [equal("first", y[0]), group("link", y[1:] - y[:-1], -INF, 1, names("link", numbered(1, 200))),
            group("last", y[200], 199.5)], None


@creep("far", (0, 2, 1, 2), ["y", "u"], [5, 0])
def far(x, y):
    return [group("curve", 400 * (1 + y[0] ** 2) - y[1], -INF, 0)], None


@creep("growth", (0, 24, 25, 48), names("y", numbered(1, 24)), [0] * 24)
def growth(x, y):
    return [group("first", y[0], 1), group("grow", y[1:] - 1.6 * y[:-1], 0, INF, names("grow", numbered(2, 23))),
            group("last", y[23], -INF, 1.0001 * 1.6**23)], None


@creep("budget", (0, 242, 485, 845), names("rate", range(121)) + names("stock", range(121)), [0] * 242)
def budget(x, y):
    rate, stock, k = y[:121], y[121:], np.arange(1, 121)
    return [equal("empty", stock[0]), equal("rest", rate[0]), equal("halt", rate[120]),
            equal("adds", stock[1:] - stock[:-1] - rate[1:], 0, names("adds", k)),
            group("slow", rate[1:] - rate[:-1], -0.1, 0.1, names("slow", k)),
            group("limit", stock[1:], -INF, 0.05 * k * (k + 1), names("limit", k)), group("reach", stock[120], 319),
            group("rate", rate, 0, 4, names("rate", range(121)))], None


@creep("integrator", (0, 151, 153, 451), names("p", range(151)), [0] * 151)
def integrator(x, y):
    return [equal("begin", y[0]), equal("rest", y[1]), equal("end", y[150], 1), equal("still", y[149], 1),
            group("force", y[2:] - 2 * y[1:-1] + y[:-2], -1.9e-4, 1.9e-4, names("force", numbered(1, 149)))], None


@creep("order", (0, 100, 129, 480), names("p", numbered(1, 10), numbered(1, 10)), [1] * 100)
def order(x, y):
    p = y.reshape(10, 10)
    mean = p @ np.arange(1, 11)
    return [equal("sends", p.sum(axis=1), 1, names("sends", numbered(1, 10))),
            equal("gets", p.sum(axis=0), 1, names("gets", numbered(1, 10))),
            group("rises", mean[1:] - mean[:-1], 0.99, INF, names("rises", numbered(2, 9))),
            group("p", y, 0, INF, names("p", numbered(1, 10), numbered(1, 10)))], None


@creep("hull", (0, 40, 53, 560), names("w", numbered(1, 40)), [1] * 40)
def hull(x, y):
    i, k = np.arange(1, 41)[:, None], np.arange(1, 13)
    v = np.sin(1.3 * i * k + k**2)
    return [equal("one", y.sum(), 1), equal("meets", y @ v, v[4:30:5].mean(axis=0), names("meets", k)),
            group("w", y, 0, INF, names("w", numbered(1, 40)))], None


@creep("bent", (0, 101, 302, 600), names("r", range(101)), [1] * 101)
def bent(x, y):
    return [equal("left", y[0], 1), equal("right", y[100], 1.2),
            group("bent", y[1:-1] ** 2 - y[:-2] * y[2:], 1e-3, INF, names("bent", numbered(1, 99))),
            group("gentle", y[1:] - y[:-1], -0.05, 0.05, names("gentle", numbered(1, 100))),
            group("r", y, 1, 2, names("r", range(101)))], None
