"""How many systems are corrected from random raw outputs onto matrix inequalities.

LMI-Net's two problems on their training and out-of-distribution sets (arXiv 2604.05374), Lyapunov inequalities of random stable
systems, and bilinear stabilisation, P and K at once, of random pairs (A, B). Raw outputs are normal; an output is judged by NumPy's
eigenvalues. Prints shares, steps, and microseconds per sample on one thread.

    build/venv/bin/python bench/sets.py [COUNT]

SPDX-License-Identifier: MIT
"""

import sys
import time

import numpy as np

import hardnet

DECAY = 0.1


def constrain(model, *matrices):
    for matrix in matrices:
        model.subject_to(matrix >> 0)
    return matrices


def ellipsoid():
    """LMI-Net A: an invariant ellipsoid of x' = A x + Bw w, |w| <= 1."""
    m = hardnet.Model()
    a, b = m.inputs("A", (2, 2)), m.inputs("Bw", 2)
    p = m.outputs("P", (2, 2), symmetric=True)
    v, corner = p @ b, np.full((1, 1), -DECAY)
    block = hardnet.concatenate([a.T @ p + p @ a + DECAY * p, v[None]])
    right = hardnet.concatenate([v[:, None], corner])
    return m, constrain(m, -hardnet.concatenate([block, right], axis=1), p - 1e-6 * np.eye(2))


def gain():
    """LMI-Net B: the same with a gain, in Q = P^-1 and Y = K Q; A is symmetric."""
    m = hardnet.Model()
    entries = m.inputs("A", 3)
    a, b, w = entries[[[0, 1], [1, 2]]], m.inputs("B", 2), m.inputs("Bw", 2)
    q, y = m.outputs("Q", (2, 2), symmetric=True), m.outputs("Y", 2)
    rate = a @ q + q @ a + DECAY * q + b[:, None] * y[None] + y[:, None] * b[None]
    right = hardnet.concatenate([w[:, None], np.full((1, 1), -DECAY)])
    left = hardnet.concatenate([rate, w[None]])
    return m, constrain(m, -hardnet.concatenate([left, right], axis=1), q - 1e-3 * np.eye(2))


def lyapunov(n):
    m = hardnet.Model()
    a, p = m.inputs("A", (n, n)), m.outputs("P", (n, n), symmetric=True)
    return m, constrain(m, -(a.T @ p + p @ a) - np.eye(n), p - 0.1 * np.eye(n))


def bilinear(n, k):
    m = hardnet.Model()
    a, b = m.inputs("A", (n, n)), m.inputs("B", (n, k))
    p, gains = m.outputs("P", (n, n), symmetric=True), m.outputs("K", (k, n))
    closed = a + b @ gains
    return m, constrain(m, -(closed.T @ p + p @ closed) - np.eye(n), p - 0.1 * np.eye(n))


# ---- inputs ----


def rotations(rng, count):
    turn = rng.uniform(0, 2 * np.pi, count)
    rows = [np.stack([np.cos(turn), -np.sin(turn)], -1), np.stack([np.sin(turn), np.cos(turn)], -1)]
    return np.stack(rows, -2)


def stable_symmetric(low, high, size):
    def draw(rng, count):
        u, rate = rotations(rng, count), rng.uniform(low, high, (count, 2))
        a = u @ (-rate[:, :, None] * u.swapaxes(1, 2))
        return np.concatenate([a.reshape(count, 4), rng.normal(0, size, (count, 2))], axis=1)

    return draw


def unstable_symmetric(low, high, one_positive):
    def draw(rng, count):
        u, rate = rotations(rng, count), rng.uniform(low, high, (count, 2))
        sign = np.where(rng.random((count, 2)) < 0.5, 1, -1)
        if one_positive:
            sign = np.where(rng.random(count) < 0.5, 1, -1)[:, None] * np.array([1, -1])
        a = u @ ((sign * rate)[:, :, None] * u.swapaxes(1, 2))
        entries = np.stack([a[:, 0, 0], a[:, 1, 0], a[:, 1, 1]], axis=1)
        return np.concatenate([entries, rng.normal(size=(count, 4))], axis=1)

    return draw


def stable(n):
    def draw(rng, count):
        a = rng.normal(size=(count, n, n))
        slowest = np.linalg.eigvals(a).real.max(axis=1)
        a -= (slowest + 0.1 + rng.random(count))[:, None, None] * np.eye(n)
        return a.reshape(count, -1)

    return draw


def pairs(n, k):
    return lambda rng, count: rng.normal(size=(count, n * n + n * k))


CASES = [
    ("LMI-Net A, train", ellipsoid(), stable_symmetric(0.5, 5, 1), 1),
    ("LMI-Net A, slow", ellipsoid(), stable_symmetric(0.05, 0.5, 1), 1),
    ("LMI-Net A, large", ellipsoid(), stable_symmetric(0.5, 5, 3), 1),
    ("LMI-Net B, train", gain(), unstable_symmetric(0.1, 1, False), 1),
    ("LMI-Net B, out of distribution", gain(), unstable_symmetric(0.3, 1.5, True), 1),
    ("Lyapunov, n = 4", lyapunov(4), stable(4), 1),
    ("Lyapunov, n = 8", lyapunov(8), stable(8), 4),
    ("Lyapunov, n = 16", lyapunov(16), stable(16), 25),
    ("bilinear, n = 4, m = 2", bilinear(4, 2), pairs(4, 2), 4),
]


def false_ok(model, matrices, result, x):
    """Samples that are ok although NumPy finds an eigenvalue below the tolerance; its own rounding is allowed for."""
    low = np.zeros(len(x), bool)
    for matrix in matrices:
        w = np.linalg.eigvalsh(model.value(matrix, result.y, x))
        low |= w[:, 0] < -1e-8 - 1e-14 * np.abs(w).max(axis=1)
    return int((result.ok & low).sum())


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    print(
        f"{'':32}{'ok':>14}{'false':>7}{'steps: median':>15}{'90 %':>6}{'most':>6}{'us a sample':>13}"
    )
    for name, (model, matrices), draw, share in CASES:
        rng = np.random.default_rng(0)
        size = max(count // share, 1)
        x, raw = draw(rng, size), rng.normal(size=(size, model.outputs_count))
        layer = model.layer(threads=1)
        layer(raw[:1], x[:1])
        start = time.perf_counter()
        result = layer(raw, x)
        spent = time.perf_counter() - start
        steps = result.iterations
        share_ok = f"{result.ok.sum()} of {size}"
        print(
            f"{name:32}{share_ok:>14}{false_ok(model, matrices, result, x):>7}{np.median(steps):>15.0f}"
            f"{np.quantile(steps, 0.9):>6.0f}{steps.max():>6}{spent / size * 1e6:>13.1f}"
        )


if __name__ == "__main__":
    main()
