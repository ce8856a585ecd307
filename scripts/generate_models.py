#!/usr/bin/env python3
"""Writes the generated data of models/feasibility: the .dat files beside pal_s3 ... pal_warp and fsnet_*.

usage: generate_models.py [--full] [--check] [FOLDER]

Without FOLDER it is models/feasibility. --full writes all 50 cones of fsnet_socp (5.1 MB) in place of the first 10.
--check writes nothing and compares the files with what would be written, number by number, to 1e-12.

All random numbers are numpy's legacy Mersenne twister, whose stream is frozen: key[0] = seed, key[i] = 1812433253
(key[i-1] xor (key[i-1] >> 30)) + i; 53-bit uniform numbers; normal numbers by the polar method. Seeds: 2025 for FSNet,
as published; 2026 plus the number of the problem for PAL, where any generator may stand in. What passes through LAPACK
(h, K, W, P) may differ in its last bits on another machine; nothing else may.
"""
import argparse
import pathlib
import re
import sys

import numpy as np

HOME = pathlib.Path(__file__).resolve().parent.parent / "models" / "feasibility"
CONES_SHIPPED, CONES = 10, 50


# ---- PAL ("Only Project Once", 2026): matrices of the problems that have some ----

def unit(rows):
    return rows / np.sqrt((rows**2).sum(-1, keepdims=True))


def with_condition(random, n, condition):
    """Symmetric, eigenvalues evenly from 1 to condition, random axes."""
    axes, _ = np.linalg.qr(random.normal(size=(n, n)))
    matrix = axes @ np.diag(np.linspace(1, condition, n)) @ axes.T
    return (matrix + matrix.T) / 2


def pal_s3():
    random = np.random.RandomState(2026 + 3)
    first = unit(random.normal(size=20))
    return {"a": np.vstack([first, unit(first + 1e-3 * random.normal(size=(4, 20)))])}


def pal_s4():
    random = np.random.RandomState(2026 + 4)
    A = unit(random.normal(size=(10, 15)))
    At = 0.5 * random.normal(size=(10, 5))
    B = 0.3 * random.normal(size=(15, 5))
    return {"A": A, "At": At, "B": B, "K": np.linalg.pinv(A) @ At, "W": with_condition(random, 15, 5)}


def pal_s5():
    return {"P": with_condition(np.random.RandomState(2026 + 5), 4, 3)}


def pal_s6():
    random = np.random.RandomState(2026 + 6)
    parents = unit(random.normal(size=(25, 50)))
    chosen = (25 * random.uniform(size=50)).astype(int)
    return {"a": np.vstack([parents, parents[chosen] + 1e-4 * random.normal(size=(50, 50))])}


def pal_warp():
    random = np.random.RandomState(2026 + 7)
    a, b = random.normal(size=(2, 8))
    a = unit(a)
    return {"a": a, "b": unit(b - (a @ b) * a)}


# ---- FSNet (NeurIPS 2025): one stream; qp and qcqp share G and h, all three share q, p and A ----

def fsnet_stream():
    random = np.random.RandomState(2025)
    data = {"q": 0.5 * random.uniform(size=100), "p": random.uniform(-1, 1, 100),
            "A": random.uniform(-1, 1, (50, 100))}
    X = random.uniform(-1, 1, (10000, 50))
    expect(data["p"][0], -0.2679708161392307, "p[0]")
    expect(data["A"][0, 0], 0.4051440269968247, "A[0,0]")
    expect(X[0, 0], 0.48360159285599513, "X[0,0]")
    return random, data


def fsnet():
    return fsnet_stream()[1]


def fsnet_rows():
    random, data = fsnet_stream()
    G = random.uniform(-1, 1, (50, 100))
    h = np.abs(G @ np.linalg.pinv(data["A"])).sum(1)
    expect(G[0, 0], -0.5686513821733195, "G[0,0]")
    expect(h[0], 4.846946311560932, "h[0]", 1e-13)
    return {"G": G, "h": h}, random


def fsnet_linear():
    return fsnet_rows()[0]


def fsnet_quadratic():
    H = fsnet_rows()[1].uniform(0, 0.1, (50, 100))
    expect(H[0, 0], 0.024022423770164936, "H[0,0]")
    return {"H": H}


def fsnet_socp(cones):
    random, _ = fsnet_stream()
    x0 = random.uniform(-1, 1, 100)
    G, h, C = np.empty((CONES, 50, 100)), np.empty((CONES, 50)), np.empty((CONES, 100))
    for i in range(CONES):
        G[i], h[i], C[i] = random.uniform(-1, 1, (50, 100)), random.uniform(-1, 1, 50), random.uniform(-1, 1, 100)
    d = np.sqrt(((G @ x0 + h) ** 2).sum(1)) - C @ x0
    return {"cones": cones, "G": G[:cones], "h": h[:cones], "C": C[:cones], "d": d[:cones]}


def expect(value, published, name, tolerance=0.0):
    """The check values that came with the definition; a generator that misses one is not the published one."""
    if not abs(value - published) <= tolerance:
        sys.exit(f"{name} is {value!r}, published is {published!r}")


# ---- AMPL data ----

def number(value):
    return repr(float(value))  # the shortest text that reads back to the same bits; at most 17 digits


def table(matrix, first):
    columns = " ".join(str(first + j) for j in range(matrix.shape[1]))
    rows = (f"  {first + i} " + " ".join(map(number, row)) for i, row in enumerate(matrix))
    return f": {columns} :=\n" + "\n".join(rows)


def param(name, value, first):
    value = np.asarray(value)
    if value.ndim == 0:
        return f"param {name} := {value};\n"
    if value.ndim == 1:
        return f"param {name} :=\n" + "\n".join(f"  {first + i} {number(v)}" for i, v in enumerate(value)) + ";\n"
    if value.ndim == 2:
        return f"param {name}{table(value, first)};\n"
    slices = (f"  [{first + i},*,*]{table(matrix, first)}" for i, matrix in enumerate(value))
    return f"param {name} :=\n" + "\n".join(slices) + ";\n"


def text(data, first):
    head = "# Written by scripts/generate_models.py, which says how.\n"
    return head + "".join("\n" + param(name, value, first) for name, value in data.items())


def files(full):
    """Name and text of every file. Indices count from 0 in PAL and from 1 in FSNet."""
    for make in (pal_s3, pal_s4, pal_s5, pal_s6, pal_warp):
        yield make.__name__ + ".dat", text(make(), 0)
    for make in (fsnet, fsnet_linear, fsnet_quadratic):
        yield make.__name__ + ".dat", text(make(), 1)
    yield "fsnet_socp.dat", text(fsnet_socp(CONES if full else CONES_SHIPPED), 1)


def same(one, other):
    """The same words, and numbers alike to 1e-12."""
    one, other = re.split(r"[\s,;]+", one), re.split(r"[\s,;]+", other)
    try:
        return len(one) == len(other) and all(a == b or abs(float(a) - float(b)) <= 1e-12 for a, b in zip(one, other))
    except ValueError:
        return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=HOME)
    arguments = parser.parse_args()
    for name, content in files(arguments.full):
        path = arguments.folder / name
        if not arguments.check:
            path.write_text(content)
        elif not same(path.read_text(), content):
            sys.exit(f"{path} is not what this script writes")


if __name__ == "__main__":
    main()
