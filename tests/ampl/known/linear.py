"""Texts that are linear, and mostly within what GNU MathProg reads too: glpsol.py compares these counts and coefficients.

SPDX-License-Identifier: MIT
"""
from .engine import Text, total


def diet():
    t = Text("diet")
    foods = {"oats": (0.85, 1, 12), "soy milk": (1.10, 0, 8), "lentils": (0.70, 2, 10), "spinach": (1.45, 0.5, 6)}
    amounts = {"iron": (4.7, 1.5, 6.6, 0.8), "protein": (16.9, 7.0, 17.9, 0.9), "C": (0, 0, 9, 30)}
    limits = {"iron": (18, 60), "protein": (50, 300), "C": (45, 900)}
    buy = t.var("Buy", list(foods), lower=lambda f: foods[f][1], upper=lambda f: foods[f][2])
    for nutrient, (low, high) in limits.items():
        t.row(("Diet", nutrient), total(a * b for a, b in zip(amounts[nutrient], buy.values())), low, high)
    t.minimize("Total_Cost", total(foods[f][0] * buy[f] for f in foods))
    return t


def transport():
    t = Text("transport")
    cost = {"KIEL": {"BONN": 39, "GERA": 14, "HAM": 11}, "ULM": {"BONN": 27, "GERA": 9, "HAM": 50}}
    trans = t.var("Trans", [(i, j) for i in cost for j in ("BONN", "GERA", "HAM")], lower=0)
    for i, amount in ("KIEL", 90), ("ULM", 60):
        t.eq(("Supply", i), trans[i, "BONN"] + trans[i, "GERA"] + trans[i, "HAM"], amount)
    for j, amount in ("BONN", 70), ("GERA", 50), ("HAM", 30):
        t.eq(("Demand", j), trans["KIEL", j] + trans["ULM", j], amount)
    t.minimize("total_cost", total(cost[i][j] * trans[i, j] for i, j in trans))
    return t


def steel():
    t = Text("steelT")
    goods = ("rods", "wire")
    market = {"rods": (6000, 6000, 4000), "wire": (4000, 2500, 3500)}
    revenue = {"rods": (25, 26, 27), "wire": (30, 35, 37)}
    weeks = [(p, k) for p in goods for k in (1, 2, 3)]
    make = t.var("Make", weeks, lower=0)
    inv = t.var("Inv", [(p, k) for p in goods for k in (0, 1, 2, 3)], lower=0)
    sell = t.var("Sell", weeks, lower=0, upper=lambda p, k: market[p][k - 1])
    for k, hours in (1, 40), (2, 40), (3, 32):
        t.row(("time_limit", k), make["rods", k] * (1 / 200) + make["wire", k] * (1 / 140), upper=hours)
    t.eq("initial[rods]", inv["rods", 0], 10)
    t.eq("initial[wire]", inv["wire", 0], 0)
    for p, k in weeks:
        t.eq(("balance", (p, k)), make[p, k] + inv[p, k - 1] - sell[p, k] - inv[p, k])
    spent = {"rods": (10, 2.5), "wire": (11, 3)}
    t.maximize("total_profit", total(revenue[p][k - 1] * sell[p, k] - spent[p][0] * make[p, k] - spent[p][1] * inv[p, k]
                                     for p, k in weeks))
    return t


def netflow():
    t = Text("netflow")
    arcs = [("s", "a"), ("s", "b"), ("a", "b"), ("a", "t"), ("b", "t")]
    ship = t.var("Ship", arcs, lower=0, upper=lambda i, j: 4 if (i, j) == ("a", "b") else 7)
    for k, supply in ("s", 9), ("a", 0), ("b", 0), ("t", -9):
        flow = total([ship[a] for a in arcs if a[0] == k] + [-ship[a] for a in arcs if a[1] == k])
        t.eq(("Keep", k), flow, supply)
    t.minimize("Bill", total(p * ship[a] for a, p in zip(arcs, (2, 3, 1, 5, 2))))
    return t


def multi():
    t = Text("multi")
    cost = {"bands": {"G": (30, 10, 8), "C": (22, 7, 10)}, "coils": {"G": (39, 14, 11), "C": (27, 9, 12)}}
    places = [(i, j) for i in "GC" for j in "FDL"]
    trans = t.var("Trans", [(i, j, p) for i, j in places for p in cost], lower=0)
    supply = {("G", "bands"): 400, ("G", "coils"): 800, ("C", "bands"): 700, ("C", "coils"): 1600}
    for (i, p), amount in supply.items():
        t.row(("Supply", (i, p)), trans[i, "F", p] + trans[i, "D", p] + trans[i, "L", p], upper=amount)
    for i, j in places:
        t.row(("Multi", (i, j)), trans[i, j, "bands"] + trans[i, j, "coils"], upper=500 if i + j == "GF" else 625)
    t.minimize("total", total(cost[p][i]["FDL".index(j)] * trans[i, j, p] for i, j, p in trans))
    return t


def blend():
    t = Text("blend")
    x = t.var("x", [1, 2, 3], lower=0)
    spill = t.var("spill", lower=0, upper=5)
    t.eq("Volume", x[1] + x[2] + x[3] + spill, 60)
    t.row("Octane", 11 * x[1] - 8 * x[3], lower=0)
    t.row("Cap", 6 * x[1] - 5 * x[2] - 13 * x[3], upper=0)
    t.row("Sulphur", 0.3 * x[1] + 0.1 * x[2] + (0.4 / 3 - 0.1) * x[3], -10, 2)
    t.row("Share[1]", 0.5 * x[1] - 0.5 * x[2] - 0.5 * x[3], upper=0)
    t.row("Share[2]", 0.5 * x[2] - 0.5 * x[1] - 0.5 * x[3], upper=0)
    t.maximize("Margin", 3 * x[1] + 2.5 * x[2] + 2 * x[3] - 10 * spill + 100)
    return t


def assign():
    t = Text("assign", relax=True)
    hours = {"Ann": (4, 2, 8), "Bob": (4, 3, 7), "Eve": (3, 1, 6)}
    do = t.var("do", [(p, k) for p in hours for k in (1, 2, 3)], lower=0, upper=1)
    for p in hours:
        t.eq(("one_task", p), do[p, 1] + do[p, 2] + do[p, 3], 1)
    for k in (1, 2, 3):
        t.eq(("one_person", k), do["Ann", k] + do["Bob", k] + do["Eve", k], 1)
    t.minimize("time", total(hours[p][k - 1] * do[p, k] for p, k in do))
    t.note("do")
    return t


def knapsack():
    t = Text("knapsack", relax=True)
    items = {"tent": (12, 4, 2), "stove": (2, 2, 2), "rope": (1, 1, 9), "lamp": (4, 10, 2)}
    take = t.var("take", list(items), lower=0, upper=lambda i: items[i][2])
    t.row("fits", total(items[i][1] * take[i] for i in items), upper=15)
    t.maximize("worth", total(items[i][0] * take[i] for i in items))
    t.note("take")
    return t


def cutting():
    t = Text("cutting")
    cut = t.var("Cut", [1, 2, 3, 4], lower=0)
    t.row("Fill[20]", 5 * cut[1] + cut[3] + 3 * cut[4], lower=48)
    t.row("Fill[45]", 2 * cut[2] + 2 * cut[3], lower=35)
    t.row("Fill[50]", cut[4], lower=24)
    t.minimize("Number", total(cut.values()))
    return t


def maxflow():
    t = Text("maxflow")
    roads = {("a", "b"): 50, ("a", "c"): 100, ("b", "d"): 40, ("b", "c"): 20, ("c", "d"): 60, ("c", "e"): 20, ("d", "e"): 90}
    f = t.var("Traff", list(roads), lower=0, upper=lambda i, j: roads[i, j])
    t.eq("Balance[b]", f["a", "b"] - f["b", "d"] - f["b", "c"])
    t.eq("Balance[c]", f["a", "c"] + f["b", "c"] - f["c", "d"] - f["c", "e"])
    t.eq("Balance[d]", f["b", "d"] + f["c", "d"] - f["d", "e"])
    t.maximize("Entering", f["a", "b"] + f["a", "c"])
    return t


def regions():
    t = Text("regions")
    people = {("north", "Kiel"): 5, ("north", "Husum"): 1}
    people |= {("south", "Ulm"): 3, ("south", "Isny"): 1.5, ("south", "Wangen"): 2}
    visit = t.var("visit", list(people), lower=0)
    north = visit["north", "Kiel"] + visit["north", "Husum"]
    south = visit["south", "Ulm"] + visit["south", "Isny"] + visit["south", "Wangen"]
    t.row("cover[north]", north, lower=2)
    t.row("cover[south]", south, lower=3)
    t.row("mix[north,Kiel]", visit["north", "Kiel"] - 0.7 * north, upper=0)
    t.row("mix[south,Ulm]", visit["south", "Ulm"] - 0.7 * south, upper=0)
    t.minimize("effort", total((1 + people[k]) * visit[k] for k in people))
    return t


def curve_fit():
    t = Text("curve_fit")
    slope, shift, worst = t.var("slope"), t.var("shift"), t.var("worst", lower=0)
    points = [(0, -0.25), (0.5, 1.5), (1, 1.75), (1.5, 3.5), (2, 3.75)]
    for i, (a, b) in enumerate(points, 1):
        t.row(("above", i), slope * a + shift - b - worst, upper=0)
    for i, (a, b) in enumerate(points, 1):
        t.row(("below", i), b - slope * a - shift - worst, upper=0)
    t.minimize("deviation", worst)
    return t


def setcover():
    t = Text("setcover")
    pick = t.var("pick", list("abcde"), lower=0, upper=1)
    link = t.var("link", [(i, j) for i in "cd" for j in "abe"], lower=0)
    for j in "abe":
        t.row(("each", j), pick[j] + link["c", j] + link["d", j], lower=1)
    t.row("few", pick["c"] + pick["d"], upper=2)
    t.minimize("size", total((2 if i in "cd" else 1) * pick[i] for i in pick) + 5 * total(link.values()))
    return t


def workforce():
    t = Text("workforce")
    works = {1: (1, 2, 5, 6), 5: (2, 3, 4), 9: (1, 4, 5, 6)}
    hire = t.var("hire", [1, 5, 9], lower=0)
    extra = t.var("extra", [1, 2, 3, 4, 5, 6], lower=0, upper=1)
    for i in extra:
        t.row(("staff", i), total(hire[k] for k in works if i in works[k]) + extra[i], lower=5 if i > 4 else 3)
    for i in (1, 2, 3, 4, 5):
        t.row(("calm", i), extra[i] + extra[i + 1], upper=1.5)
    t.minimize("pay", 10.5 * hire[1] + 12.5 * hire[5] + 14.5 * hire[9] + 40 * total(extra.values()))
    return t


def empty_sets():
    t = Text("empty_sets")
    x = t.var("x", [1, 2, 3, 4], lower=0)
    for i in x:
        t.row(("some", i), x[i], lower=2)
    t.minimize("f", total(x.values()))
    return t


def portfolio():
    t = Text("portfolio")
    returns = {"bonds": (1.08, 1.04, 1.05), "gold": (0.9, 1.3, 1.15), "stock": (1.2, 0.8, 1.3)}
    x = t.var("X", list(returns), lower=0)
    y = t.var("Y", [1, 2, 3], lower=0)
    away = {k: total((r[k - 1] - sum(r) / 3) * x[a] for a, r in returns.items()) for k in y}
    t.eq("all_in", total(x.values()), 1)
    for k in y:
        t.row(("up", k), away[k] - y[k], upper=0)
    for k in y:
        t.row(("down", k), -y[k] - away[k], upper=0)
    means = {a: (r[0] * r[1] * r[2]) ** (1 / 3) for a, r in returns.items()}
    t.maximize("payoff", 2 * total(means[a] * x[a] for a in x) - total(y.values()) / 3)
    return t


def texts():
    return [diet(), transport(), steel(), netflow(), multi(), blend(), assign(), knapsack(), cutting(), maxflow(),
            regions(), curve_fit(), setcover(), workforce(), empty_sets(), portfolio()]
