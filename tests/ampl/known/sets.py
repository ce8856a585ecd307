"""Texts about sets: operators, tuples, families, order, steps, conditions, symbols.

SPDX-License-Identifier: MIT
"""
from .engine import Text, total


def operators():
    t = Text("sets_operators")
    p, q, r = t.var("p", [1, 2, 3, 4, 5]), t.var("q", [2]), t.var("r", [1, 2, 5])
    s, pair, u = t.var("s", [4, 5]), t.var("t", [(1, 4), (7, 7)]), t.var("u", [1, 3])
    for i in (1, 3):
        t.row(("c1", i), u[i] + p[i], upper=i)
    for i in (1, 2):
        for j in (4, 5):
            t.row(("c2", (i, j)), r[i] + s[j], lower=i * j)
    t.row("c3", pair[1, 4] + q[2], lower=7)
    t.minimize("f", total(i * p[i] for i in p) + q[2] + total(i * r[i] for i in r) + s[4] * s[4] + s[5] * s[5]
               + 5 * pair[1, 4] + 14 * pair[7, 7])
    return t


def tuples():
    t = Text("sets_tuples")
    x = t.var("x", [(1, 2), (2, 3), (1, 3), (3, 1)], lower=0)
    y = t.var("y", [(1, 2, "a"), (2, 3, "b"), (1, 3, "a")])
    t.eq("a[1,3]", x[1, 3] - x[3, 1])
    t.eq("a[3,1]", x[3, 1] - x[1, 3])
    t.row("b[1,2,3]", x[1, 2] + x[2, 3], lower=1)
    t.row("b[2,3,1]", x[2, 3] + x[3, 1], lower=1)
    t.row("b[3,1,2]", x[3, 1] + x[1, 2], lower=1)
    t.row("c[1]", x[1, 2] + x[1, 3], upper=4)
    t.row("c[2]", x[2, 3], upper=4)
    t.row("c[3]", x[3, 1], upper=4)
    t.eq("d", x[1, 2] + x[1, 3] + y[2, 3, "b"] + y[1, 3, "a"], 2)
    t.row("e[1,2,a]", y[1, 2, "a"] - x[1, 2], upper=0)
    t.row("e[1,3,a]", y[1, 3, "a"] - x[1, 3], upper=0)
    t.row("g[3]", 0, lower=-3)
    t.row("g[1]", y[1, 2, "a"] + y[1, 3, "a"], lower=-1)
    t.row("g[2]", 0, lower=-2)
    t.minimize("f", x[1, 2] + x[2, 3] + 2 * x[1, 3] + 2 * x[3, 1] + total(v * v for v in y.values()))
    return t


def setof():
    t = Text("sets_setof")
    go = t.var("go", [("KIEL", "ULM"), ("KIEL", "BONN"), ("ULM", "BONN"), ("BONN", "KIEL")], lower=0)
    g = t.var("g", [(3, 1, 3), (2, 2, 4), (1, 3, 3)])
    s = t.var("s", [2, 3, 4, 5, 6])
    t.row("leave[KIEL]", go["KIEL", "ULM"] + go["KIEL", "BONN"], upper=2)
    t.row("leave[ULM]", go["ULM", "BONN"], upper=2)
    t.row("leave[BONN]", go["BONN", "KIEL"], upper=2)
    t.row("arrive[BONN]", go["KIEL", "BONN"] + go["ULM", "BONN"], lower=1)
    t.row("arrive[KIEL]", go["BONN", "KIEL"], lower=1)
    t.row("turn[BONN,KIEL]", go["KIEL", "BONN"], upper=3)
    t.row("turn[BONN,ULM]", go["ULM", "BONN"], upper=3)
    t.row("turn[KIEL,BONN]", go["BONN", "KIEL"], upper=3)
    t.eq("same", g[2, 2, 4] - s[4] - s[6])
    t.minimize("f", total(k * s[k] for k in s) + 3 * g[3, 1, 3] + 4 * g[2, 2, 4] + 3 * g[1, 3, 3])
    return t


def indexed():
    t = Text("sets_indexed")
    x = t.var("x", [(1, 1), (1, 2), (1, 3), (2, 2), (2, 3), (3, 3)], lower=0)
    y = t.var("y", [1, 2, 4, 3, 9])
    t.row("c1[1]", x[3, 3], upper=3)
    t.row("c1[2]", x[2, 2] + x[2, 3], upper=2)
    t.row("c1[3]", x[1, 1] + x[1, 2] + x[1, 3], upper=1)
    t.row("c2[1,2]", y[1] + y[2], lower=2)
    t.row("c2[1,3]", y[1] + y[3], lower=3)
    t.row("c2[2,3]", y[2] + y[3], lower=6)
    t.eq("c3[2]", y[1] + y[2], 2)
    t.eq("c3[3]", y[1] + y[2] + y[3], 3)
    t.row("c4", y[1] + y[2] + y[3] + y[9], upper=10)
    t.minimize("f", total((i + j) * x[i, j] for i, j in x) + total(k * y[k] for k in y))
    return t


def ordered():
    t = Text("sets_ordered")
    weeks = ["w27", "w28", "w29", "w30"]
    make, store = t.var("make", weeks, lower=0), t.var("store", weeks, lower=0)
    on = t.var("on", [8, 10, 12, 14])
    for before, week, demand in ("w27", "w28", 6), ("w28", "w29", 3), ("w29", "w30", 7):
        t.eq(("balance", week), make[week] + store[before] - demand - store[week])
    t.eq("opening", make["w27"] + 5 - 4 - store["w27"])
    t.row("closing", store["w30"], lower=2)
    for a, b in zip(weeks, weeks[1:]):
        t.row(("smooth", a), make[b] - make[a], upper=3)
    t.row("wide[w27]", make["w29"] + make["w28"], lower=1)
    t.row("wide[w28]", make["w30"] + make["w29"], lower=1)
    t.row("third", make["w29"], upper=11)
    for h in (8, 10, 12):
        t.row(("ramp", h), on[h + 2] - on[h] - 0.2, lower=0)
    t.row("back[12]", on[8] - on[12], upper=0)
    t.row("back[14]", on[10] - on[14], upper=0)
    t.minimize("cost", total(i * make[w] for i, w in enumerate(weeks, 1)) + total(store.values()))
    return t


def circular():
    t = Text("sets_circular")
    need = {"spring": 3, "summer": 8, "autumn": 5, "winter": 2}
    hire, a = t.var("hire", list(need), lower=0), t.var("a", [1, 2, 3, 4])
    for before, season in ("winter", "spring"), ("spring", "summer"), ("summer", "autumn"), ("autumn", "winter"):
        t.row(("staff", season), hire[season] + hire[before], lower=need[season])
    for before, i, after in (4, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 1):
        t.eq(("turn", i), a[after] - 2 * a[i] + a[before], 0)
    t.row("across[1]", a[3] + a[2], upper=1)
    t.row("across[2]", a[4] + a[3], upper=2)
    t.minimize("f", total(hire.values()))
    return t


def steps():
    t = Text("sets_steps")
    x, y, z = t.var("x", [10, 7, 4, 1], lower=0), t.var("y", [0, 0.25, 0.5, 0.75, 1]), t.var("z", [4, 10])
    for i in (7, 4, 1):
        t.row(("c1", i), x[i] - x[i + 3], upper=0)
    for s in (0.25, 0.5, 0.75, 1):
        t.row(("c2", s), y[s] - y[s - 0.25], lower=0)
    t.row("c3[1]", x[1] + 30, upper=99)
    t.row("c3[6]", x[7] + 24, upper=99)
    t.row("c4[-1]", z[4], upper=-1)
    t.row("c4[1]", z[10], upper=1)
    t.minimize("f", total(i * x[i] for i in x) + total(s * y[s] for s in y))
    return t


def conditions():
    t = Text("sets_conditions")
    x = t.var("x", [(i, j) for i in range(1, 5) for j in range(i, 5)])
    for i, j in (1, 2), (1, 3), (2, 3), (2, 4), (3, 4):
        t.row(("c1", (i, j)), x[i, j] - x[i, i] - x[j, j], upper=0)
    t.eq("c2[1]", x[1, 2] + x[1, 3] + x[1, 4], 1)
    t.eq("c2[2]", x[1, 2] + x[2, 3] + x[2, 4], 1)
    t.eq("c2[3]", x[1, 3] + x[2, 3] + x[3, 4], 1)
    t.eq("c2[4]", x[1, 4] + x[2, 4] + x[3, 4], 1)
    t.row("c3[1,4]", x[1, 4], lower=0.1)
    t.row("c3[4,1]", x[1, 4], lower=0.1)
    for i, j in (1, 2), (1, 4), (2, 3), (3, 4):
        t.row(("c4", (i, j)), x[i, j] - total(x[k, k] for k in range(i, j + 1)), upper=0)
    t.row("c5[1]", x[1, 4], upper=5)
    t.row("c5[2]", x[2, 4], upper=5)
    t.row("c6[2]", x[2, 2], lower=-2)
    t.row("c6[4]", x[4, 4], lower=-4)
    t.minimize("f", total((i + 10 * j) * x[i, j] for i, j in x))
    return t


def symbols():
    t = Text("sets_symbols")
    pump, valve, its, seven = t.var("load", ["pump", "valve 2", "'it''s'", 7], lower=0).values()
    t.row("c1", valve + pump, lower=1)
    t.row("c2[pump]", pump, upper=1)
    t.row("c2[7]", seven, upper=2)
    t.row("c3['it''s']", its - valve, upper=0)
    t.row("c3[7]", seven - valve, upper=0)
    t.minimize("f", pump + 3 * valve + 3 * its + 2 * seven)
    return t


def within():
    t = Text("sets_within")
    ship = t.var("ship", [tuple(k) for k in ("arx", "asx", "bsx", "bsy", "ary")], lower=0)
    opened = t.var("open", [tuple(k) for k in ("ar", "as", "bs")], lower=0, upper=1)
    arx, asx, bsx, bsy, ary = ship.values()
    ar, as_, bs = opened.values()
    t.row("use[a,r]", arx + ary - 10 * ar, upper=0)
    t.row("use[a,s]", asx - 10 * as_, upper=0)
    t.row("use[b,s]", bsx + bsy - 10 * bs, upper=0)
    t.row("sell[r,x]", arx, lower=1)
    t.row("sell[r,y]", ary, lower=1)
    t.row("sell[s,x]", asx + bsx, lower=1)
    t.row("sell[s,y]", bsy, lower=1)
    t.eq("home[a,r]", ar, 1)
    t.eq("home[a,s]", as_, 1)
    t.row("far[a,r]", ar, upper=0.5)
    t.minimize("f", total(ship.values()) + 3 * (ar + as_ + bs))
    return t


def texts():
    return [operators(), tuples(), setof(), indexed(), ordered(), circular(), steps(), conditions(), symbols(), within()]
