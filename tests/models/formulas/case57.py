"""models/opf57.mod: the IEEE 57-bus system, from pypower's case57."""
import numpy as np

from .common import box, equal, group, model, names, numbered

# from, to, r, x, charging, ratio of a transformer
BRANCHES = np.array([
    [1, 2, 0.0083, 0.028, 0.129, 1], [2, 3, 0.0298, 0.085, 0.0818, 1], [3, 4, 0.0112, 0.0366, 0.038, 1],
    [4, 5, 0.0625, 0.132, 0.0258, 1], [4, 6, 0.043, 0.148, 0.0348, 1], [6, 7, 0.02, 0.102, 0.0276, 1],
    [6, 8, 0.0339, 0.173, 0.047, 1], [8, 9, 0.0099, 0.0505, 0.0548, 1], [9, 10, 0.0369, 0.1679, 0.044, 1],
    [9, 11, 0.0258, 0.0848, 0.0218, 1], [9, 12, 0.0648, 0.295, 0.0772, 1], [9, 13, 0.0481, 0.158, 0.0406, 1],
    [13, 14, 0.0132, 0.0434, 0.011, 1], [13, 15, 0.0269, 0.0869, 0.023, 1], [1, 15, 0.0178, 0.091, 0.0988, 1],
    [1, 16, 0.0454, 0.206, 0.0546, 1], [1, 17, 0.0238, 0.108, 0.0286, 1], [3, 15, 0.0162, 0.053, 0.0544, 1],
    [4, 18, 0, 0.555, 0, 0.97], [4, 18, 0, 0.43, 0, 0.978], [5, 6, 0.0302, 0.0641, 0.0124, 1],
    [7, 8, 0.0139, 0.0712, 0.0194, 1], [10, 12, 0.0277, 0.1262, 0.0328, 1], [11, 13, 0.0223, 0.0732, 0.0188, 1],
    [12, 13, 0.0178, 0.058, 0.0604, 1], [12, 16, 0.018, 0.0813, 0.0216, 1], [12, 17, 0.0397, 0.179, 0.0476, 1],
    [14, 15, 0.0171, 0.0547, 0.0148, 1], [18, 19, 0.461, 0.685, 0, 1], [19, 20, 0.283, 0.434, 0, 1],
    [21, 20, 0, 0.7767, 0, 1.043], [21, 22, 0.0736, 0.117, 0, 1], [22, 23, 0.0099, 0.0152, 0, 1],
    [23, 24, 0.166, 0.256, 0.0084, 1], [24, 25, 0, 1.182, 0, 1], [24, 25, 0, 1.23, 0, 1],
    [24, 26, 0, 0.0473, 0, 1.043], [26, 27, 0.165, 0.254, 0, 1], [27, 28, 0.0618, 0.0954, 0, 1],
    [28, 29, 0.0418, 0.0587, 0, 1], [7, 29, 0, 0.0648, 0, 0.967], [25, 30, 0.135, 0.202, 0, 1],
    [30, 31, 0.326, 0.497, 0, 1], [31, 32, 0.507, 0.755, 0, 1], [32, 33, 0.0392, 0.036, 0, 1],
    [34, 32, 0, 0.953, 0, 0.975], [34, 35, 0.052, 0.078, 0.0032, 1], [35, 36, 0.043, 0.0537, 0.0016, 1],
    [36, 37, 0.029, 0.0366, 0, 1], [37, 38, 0.0651, 0.1009, 0.002, 1], [37, 39, 0.0239, 0.0379, 0, 1],
    [36, 40, 0.03, 0.0466, 0, 1], [22, 38, 0.0192, 0.0295, 0, 1], [11, 41, 0, 0.749, 0, 0.955],
    [41, 42, 0.207, 0.352, 0, 1], [41, 43, 0, 0.412, 0, 1], [38, 44, 0.0289, 0.0585, 0.002, 1],
    [15, 45, 0, 0.1042, 0, 0.955], [14, 46, 0, 0.0735, 0, 0.9], [46, 47, 0.023, 0.068, 0.0032, 1],
    [47, 48, 0.0182, 0.0233, 0, 1], [48, 49, 0.0834, 0.129, 0.0048, 1], [49, 50, 0.0801, 0.128, 0, 1],
    [50, 51, 0.1386, 0.22, 0, 1], [10, 51, 0, 0.0712, 0, 0.93], [13, 49, 0, 0.191, 0, 0.895],
    [29, 52, 0.1442, 0.187, 0, 1], [52, 53, 0.0762, 0.0984, 0, 1], [53, 54, 0.1878, 0.232, 0, 1],
    [54, 55, 0.1732, 0.2265, 0, 1], [11, 43, 0, 0.153, 0, 0.958], [44, 45, 0.0624, 0.1242, 0.004, 1],
    [40, 56, 0, 1.195, 0, 0.958], [56, 41, 0.553, 0.549, 0, 1], [56, 42, 0.2125, 0.354, 0, 1],
    [39, 57, 0, 1.355, 0, 0.98], [57, 56, 0.174, 0.26, 0, 1], [38, 49, 0.115, 0.177, 0.003, 1],
    [38, 48, 0.0312, 0.0482, 0, 1], [9, 55, 0, 0.1205, 0, 0.94]])

# bus, MW, MVAr
LOADS = np.array([
    [1, 55, 17], [2, 3, 88], [3, 41, 21], [5, 13, 4], [6, 75, 2], [8, 150, 22], [9, 121, 26], [10, 5, 2],
    [12, 377, 24], [13, 18, 2.3], [14, 10.5, 5.3], [15, 22, 5], [16, 43, 3], [17, 42, 8], [18, 27.2, 9.8],
    [19, 3.3, 0.6], [20, 2.3, 1], [23, 6.3, 2.1], [25, 6.3, 3.2], [27, 9.3, 0.5], [28, 4.6, 2.3], [29, 17, 2.6],
    [30, 3.6, 1.8], [31, 5.8, 2.9], [32, 1.6, 0.8], [33, 3.8, 1.9], [35, 6, 3], [38, 14, 7], [41, 6.3, 3],
    [42, 7.1, 4.4], [43, 2, 1], [44, 12, 1.8], [47, 29.7, 11.6], [49, 18, 8.5], [50, 21, 10.5], [51, 18, 5.3],
    [52, 4.9, 2.2], [53, 20, 10], [54, 4.1, 1.4], [55, 6.8, 3.4], [56, 7.6, 2.2], [57, 6.7, 2]])

# bus, least and most MW, least and most MVAr, cost of MW squared and of MW
GENERATORS = np.array([
    [1, 0, 575.88, -140, 200, 0.0775795, 20], [2, 0, 100, -17, 50, 0.01, 40], [3, 0, 140, -10, 60, 0.25, 20],
    [6, 0, 100, -8, 25, 0.01, 40], [8, 0, 550, -140, 200, 0.0222222, 20], [9, 0, 100, -3, 9, 0.01, 40],
    [12, 0, 410, -150, 155, 0.0322581, 20]])

SHUNTS = {18: 10, 25: 5.9, 53: 6.3}  # MVAr at 1 per unit

AT, WHERE = GENERATORS[:, 0].astype(int), LOADS[:, 0].astype(int)
LEAST, MOST = GENERATORS[:, [1, 3]] / 100, GENERATORS[:, [2, 4]] / 100


def flows(vm, va):
    """Active and reactive power into each branch at its two ends: (bus, p, q).

    Real parts are spelt out, so that the complex step may pass through. Behind the ideal transformer the voltage at
    `from` is V/n, and the current into it comes out as I/n.
    """
    e, f = vm * np.cos(va), vm * np.sin(va)
    for start, end, r, reactance, charging, ratio in BRANCHES:
        i, j = int(start) - 1, int(end) - 1
        g, b = r / (r * r + reactance * reactance), -reactance / (r * r + reactance * reactance)
        for bus, own, far in ((i, 1 / ratio, 1), (j, 1, 1 / ratio)):
            other = j if bus == i else i
            a, c, d, h = own * e[bus], own * f[bus], far * e[other], far * f[other]
            total = b + charging / 2
            real, imaginary = g * a - total * c - g * d + b * h, g * c + total * a - g * h - b * d
            yield bus, a * real + c * imaginary, c * real - a * imaginary


# Balances: per bus 2 own columns and 2 per neighbour (156 in all), 7 generators: 433 each; 71 bounds; less the 10
# entries of the fixed angle, in the balances of bus 1 and of its four neighbours.
@model("opf57", (84, 128, 185, 927), box("pd", [WHERE], 0.9 * LOADS[:, 1] / 100, 1.1 * LOADS[:, 1] / 100)
       + box("qd", [WHERE], 0.9 * LOADS[:, 2] / 100, 1.1 * LOADS[:, 2] / 100),
       names("pg", AT) + names("qg", AT) + names("vm", numbered(1, 57)) + names("va", numbered(1, 57)),
       [*(LEAST + MOST).T.ravel() / 2, *[1] * 57, *[0] * 57], fixed=[71])
def opf57(x, y):
    pg, qg, vm, va = y[:7], y[7:14], y[14:71], y[71:]
    balance = [[0] * 57, [0] * 57]
    for bus, p, q in flows(vm, va):
        balance[0][bus], balance[1][bus] = balance[0][bus] + p, balance[1][bus] + q
    for k, bus in enumerate(AT - 1):
        balance[0][bus], balance[1][bus] = balance[0][bus] - pg[k], balance[1][bus] - qg[k]
    for bus, shunt in SHUNTS.items():
        balance[1][bus - 1] = balance[1][bus - 1] - shunt / 100 * vm[bus - 1] ** 2
    given = np.zeros((2, 57), x.dtype)  # a load stays on the right of the equation where no column stands beside it
    for kind in range(2):
        for k, bus in enumerate(WHERE - 1):
            load = x[42 * kind + k]
            if bus + 1 in AT or (kind == 1 and bus + 1 in SHUNTS):
                balance[kind][bus] = balance[kind][bus] + load
            else:
                given[kind, bus] = -load
    cost = GENERATORS[:, 5] @ (100 * pg) ** 2 + GENERATORS[:, 6] @ (100 * pg)
    return ([equal("active", np.array(balance[0]), given[0], names("active", numbered(1, 57))),
             equal("reactive", np.array(balance[1]), given[1], names("reactive", numbered(1, 57))),
             group("pg", pg, LEAST[:, 0], MOST[:, 0], names("pg", AT)),
             group("qg", qg, LEAST[:, 1], MOST[:, 1], names("qg", AT)),
             group("vm", vm, 0.94, 1.06, names("vm", numbered(1, 57)))], cost)
