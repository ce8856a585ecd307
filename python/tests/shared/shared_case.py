"""A model whose rows, bounds, start values and objective depend on inputs, and samples of it.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np

import hardnet

MODEL = hardnet.Model.from_text("""
param p{1..2}; param a; param q{1..2};
var y{j in 1..4} := q[1] + j * p[2];
minimize f: sum {j in 1..4} (y[j] - q[2])^2 + p[1] * y[1];
subject to ball: sum {j in 1..4} y[j]^2 <= exp(p[1]) + a^2;
subject to curve: y[1] + p[2] * y[2] + sin(y[3]) = a * q[1];
subject to edge: y[4] - 0.1 * y[1] * q[1] <= q[2];
""")
METHODS = ["auto", "paper", "hardnet", "lm", "nearest", "enforce", "snarenet", "optimal"]

#: Names of the shared inputs and their columns; None: one row, the first inputs.
CHOICES = [
    (("p",), [0, 1]),
    (("q", "p"), [0, 1, 3, 4]),
    (("a",), [2]),
    (("q", "a", "p"), [0, 1, 2, 3, 4]),
    (None, [0, 1, 2]),
    (None, [0, 1, 2, 3, 4]),
]


def samples(columns: list[int], count: int, seed: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """y_raw, and x of all inputs with equal values in these columns."""
    generator = np.random.default_rng(seed)
    x = generator.uniform(0.5, 1.5, size=(count, 5))
    x[:, columns] = x[0, columns]
    return 3 * generator.normal(size=(count, 4)), x


def parts(names: tuple[str, ...] | None, columns: list[int], x: np.ndarray) -> tuple:
    """The shared inputs in the form of a call, and the others; None if there are none."""
    others = np.delete(x, columns, axis=1)
    inputs = MODEL.unpack_inputs(x[0])
    shared = x[0, columns] if names is None else {name: inputs[name] for name in names}
    return shared, others if others.size else None


def summed(rows: np.ndarray) -> np.ndarray:
    """The sum of the rows in their order; NumPy's own sums pairs."""
    total = np.zeros(rows.shape[1:])
    for row in rows:
        total = total + row
    return total


def flat(gradient: object) -> np.ndarray:
    """A gradient in the form of shared inputs as numbers in the order of the model."""
    if not isinstance(gradient, dict):
        return np.asarray(gradient)
    order = [name for name in ("p", "a", "q") if name in gradient]
    return np.concatenate([np.reshape(gradient[name], -1) for name in order])
