#!/usr/bin/env python3
"""Writes the data of the published tasks: a .dat file for each model of data/published, and inputs as .npy files.

usage: task_data.py [--check] FOLDER TASK...

TASK is dc3, snarenet, qcqp or fsnet. Each task writes TASK.dat (the numbers of its model; fsnet's ship with models/feasibility)
and TASK_test.npy, the inputs that the published figures are about, and TASK_validation.npy, by which settings are chosen.
--check writes nothing: it compares with the check values and ends.

Only Python itself is needed. The random numbers are numpy's legacy Mersenne twister, whose stream is frozen: key[0] = seed,
key[i] = 1812433253 (key[i-1] xor (key[i-1] >> 30)) + i; 53-bit uniform numbers; normal numbers by the polar method, the second
of a pair first. Seeds are the published ones: 17 for DC3 (ICLR 2021), 2025 for SnareNet (2026) and FSNet (NeurIPS 2025). DC3's
test set is rows 9167 to 9999 of 10 000, and so is SnareNet's, rows 8334 to 9166 are for validation; FSNet's sets are a split by
another generator, for which the first rows stand in: no row was trained on, as trainings draw their own.
"""
import argparse
import math
import operator
import pathlib
import random
import struct

ROWS, SIZE, VALIDATION, TEST = 50, 100, range(8334, 9167), range(9167, 10000)


# ---- random numbers ----

class Stream:
    def __init__(self, seed):
        key = [seed]
        for i in range(1, 624):
            key.append((1812433253 * (key[-1] ^ key[-1] >> 30) + i) & 0xFFFFFFFF)
        self.source = random.Random()
        self.source.setstate((3, (*key, 624), None))
        self.kept = None

    def uniform(self, low=0.0, high=1.0):
        return low + (high - low) * self.source.random()

    def normal(self):
        if self.kept is not None:
            kept, self.kept = self.kept, None
            return kept
        while True:
            x1, x2 = 2 * self.source.random() - 1, 2 * self.source.random() - 1
            r2 = x1 * x1 + x2 * x2
            if 0 < r2 < 1:
                break
        f = math.sqrt(-2 * math.log(r2) / r2)
        self.kept = f * x1
        return f * x2

    def vector(self, count, low=0.0, high=1.0):
        return [self.uniform(low, high) for _ in range(count)]

    def matrix(self, rows, columns, low=0.0, high=1.0):
        return [self.vector(columns, low, high) for _ in range(rows)]

    def normals(self, rows, columns):
        return [[self.normal() for _ in range(columns)] for _ in range(rows)]


# ---- linear algebra ----

def dot(a, b):
    return math.fsum(map(operator.mul, a, b))


def times(matrix, vector):
    return [dot(row, vector) for row in matrix]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def pseudo_inverse(A):
    """A' (A A')^-1 of a matrix of full row rank, by Gauss and Jordan with pivots."""
    n = len(A)
    board = [[dot(a, b) for b in A] + [float(i == j) for j in range(n)] for i, a in enumerate(A)]
    for k in range(n):
        pivot = max(range(k, n), key=lambda i: abs(board[i][k]))
        board[k], board[pivot] = board[pivot], board[k]
        scale = board[k][k]
        board[k] = [v / scale for v in board[k]]
        for i in range(n):
            if i != k and board[i][k] != 0:
                factor = board[i][k]
                board[i] = [v - factor * w for v, w in zip(board[i], board[k])]
    inverse = [row[n:] for row in board]
    return [times(transposed(inverse), column) for column in transposed(A)]


def largest_eigenvalue(apply, n):
    """Of a symmetric operator on n numbers: Lanczos' method to the end, then bisection on Sturm's sequence."""
    basis, alpha, beta = [], [], []
    v = [1 / math.sqrt(n) + 0.01 * math.sin(i) for i in range(n)]
    for _ in range(n):
        length = math.sqrt(dot(v, v))
        if basis and length < 1e-12 * max(map(abs, alpha)):
            break
        if basis:
            beta.append(length)
        basis.append([x / length for x in v])
        v = apply(basis[-1])
        alpha.append(dot(v, basis[-1]))
        for _ in range(2):  # twice is enough
            for b in basis:
                share = dot(v, b)
                v = [x - share * y for x, y in zip(v, b)]

    def all_below(x):
        d = 1.0
        for i, a in enumerate(alpha):
            d = a - x - (beta[i - 1] ** 2 / d if i else 0)
            if d >= 0:
                return False
        return True
    low, high = 0.0, max(map(abs, alpha)) + 2 * max([0.0, *beta])
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (low, middle) if all_below(middle) else (middle, high)
    return high


# ---- the tasks: parameters of the model, and inputs by name ----

def row_sums(G, inverse):
    """Row sums of |G A^+|: with |x| <= 1 the point A^+ x satisfies G y <= h."""
    columns = transposed(inverse)
    return [math.fsum(abs(dot(g, c)) for c in columns) for g in G]


def sets(X):
    return {"validation": [X[i] for i in VALIDATION], "test": [X[i] for i in TEST]}


def dc3():
    stream = Stream(17)
    q, p, A = stream.vector(SIZE), stream.vector(SIZE), stream.normals(ROWS, SIZE)
    X, G = stream.matrix(10000, ROWS, -1, 1), stream.normals(ROWS, SIZE)
    h = row_sums(G, pseudo_inverse(A))
    expect("q[0]", q[0], 0.2946650026871097)
    expect("A[49,99]", A[49][99], -0.9052132532261159)
    expect("X[9999,49]", X[9999][49], 0.906526962999926)
    expect("G[0,0]", G[0][0], -0.016588598629359425)
    expect("h[49]", h[49], 7.203740823664246, 1e-11)
    return {"q": q, "p": p, "A": A, "G": G, "h": h}, sets(X)


def snarenet():
    stream = Stream(2025)
    q, p = stream.vector(SIZE), stream.vector(SIZE)
    G, A = stream.normals(ROWS, SIZE), stream.normals(ROWS, SIZE)
    X = stream.matrix(10000, ROWS, -1, 1)
    expect("q[0]", q[0], 0.1354881636779618)
    expect("A[0,0]", G[0][0], 0.4792592272334571)
    expect("C[0,0]", A[0][0], 1.5612198307637457)
    expect("X[0,0]", X[0][0], 0.18991395180424409)
    return {"q": q, "p": p, "A": A, "G": G, "h": row_sums(G, pseudo_inverse(A))}, sets(X)


def qcqp():
    stream = Stream(2025)
    q, p = [0.5 * u for u in stream.vector(SIZE)], stream.vector(SIZE, -1, 1)
    A, X = stream.matrix(ROWS, SIZE, -1, 1), stream.matrix(10000, ROWS, -0.5, 0.5)
    G, H = stream.matrix(ROWS, SIZE, -1, 1), stream.matrix(ROWS, SIZE, 0, 0.1)
    inverse = pseudo_inverse(A)
    columns, radius = transposed(inverse), max(math.sqrt(dot(x, x)) for x in X)
    h = []
    for g, d in zip(G, H):
        bent = largest_eigenvalue(lambda v, d=d: times(columns, [a * b for a, b in zip(d, times(inverse, v))]), ROWS)
        flat = math.sqrt(math.fsum(dot(g, c) ** 2 for c in columns))
        h.append(bent * radius**2 + flat * radius + 0.1)
    expect("q[0]", q[0], 0.0677440818389809)
    expect("G[0,0]", G[0][0], -0.5686513821733195)
    expect("H[0,0]", H[0][0], 0.024022423770164936)
    expect("h[0]", h[0], 2.250556909657375, 1e-11)
    return {"q": q, "p": p, "A": A, "G": G, "H": H, "h": h}, sets(X)


def fsnet():
    stream = Stream(2025)
    stream.vector(SIZE), stream.vector(SIZE)
    A, X = stream.matrix(ROWS, SIZE, -1, 1), stream.matrix(2000, ROWS, -1, 1)
    expect("A[0,0]", A[0][0], 0.4051440269968247)
    expect("X[0,0]", X[0][0], 0.48360159285599513)
    return None, {"validation": X[1000:], "test": X[:1000]}


def expect(name, value, published, tolerance=0.0):
    """The check values that came with the definition; a generator that misses one is not the published one."""
    if not abs(value - published) <= tolerance:
        raise SystemExit(f"{name} is {value!r}, published is {published!r}")


# ---- files ----

def param(name, value):
    if not isinstance(value[0], list):
        return f"param {name} :=\n" + "\n".join(f"  {i} {v!r}" for i, v in enumerate(value, 1)) + ";\n"
    head = " ".join(str(j) for j in range(1, len(value[0]) + 1))
    return f"param {name}: {head} :=\n" + "\n".join(f"  {i} " + " ".join(map(repr, row)) for i, row in enumerate(value, 1)) + ";\n"


def write_array(path, rows):
    """The .npy format, version 1, float64."""
    head = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({len(rows)}, {len(rows[0])}), }}"
    head += " " * (-(10 + len(head) + 1) % 64) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        for row in rows:
            file.write(struct.pack(f"<{len(row)}d", *row))


TASKS = {make.__name__: make for make in (dc3, snarenet, qcqp, fsnet)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("tasks", nargs="+", metavar="TASK", choices=sorted(TASKS))
    arguments = parser.parse_args()
    for name in arguments.tasks:
        data, arrays = TASKS[name]()
        if arguments.check:
            continue
        arguments.folder.mkdir(parents=True, exist_ok=True)
        if data:
            head = "# Written by scripts/task_data.py, which says how.\n"
            (arguments.folder / f"{name}.dat").write_text(head + "".join("\n" + param(*item) for item in data.items()))
        for kind, rows in arrays.items():
            write_array(arguments.folder / f"{name}_{kind}.npy", rows)


if __name__ == "__main__":
    main()
