"""The tasks of bench/solvers.py: quadratic programmes as arrays, and nonlinear ones with their CasADi expressions.

    minimise 1/2 y' Q y + c' y   or   1/2 y' Q y + c' sin(y)   subject to  A y = b,  G y <= h,  low <= y <= high,
                                                                          sum_j D_j y_j^2 <= r   (ball, ellipse)

Q is diagonal. c, b and h have one row per sample. DC3's and FSNet's data are drawn as their papers' programs draw them
(Donti, Rolnick, Kolter, "DC3", 2021; Nguyen, Donti, "FSNet", 2025), from the numbers that NumPy's legacy generator gives.

SPDX-License-Identifier: MIT
"""

import dataclasses
import pathlib
import re

import numpy as np
import scipy.sparse

ROOT = pathlib.Path(__file__).resolve().parent.parent


@dataclasses.dataclass
class Programme:
    """Arrays; None for absent parts. `sine`: the linear term is of sin(y), `wave`: rows are of sin(y)."""

    name: str
    q: np.ndarray  # outputs
    c: np.ndarray  # samples x outputs
    a: object = None
    b: np.ndarray = None  # samples x rows
    g: object = None
    h: np.ndarray = None  # samples x rows
    low: float = -np.inf
    high: float = np.inf
    d: np.ndarray = None  # outputs
    radius: float = np.inf
    sine: bool = False
    wave: bool = False

    @property
    def quadratic(self):
        return not self.sine and not self.wave and self.d is None

    @property
    def projection(self):
        return self.quadratic and np.ptp(self.q) == 0

    @property
    def sparse(self):
        return scipy.sparse.issparse(self.g)

    def __len__(self):
        return len(self.c)

    def objective(self, y):
        linear = np.sin(y) if self.sine else y
        return 0.5 * (self.q * y * y).sum(-1) + (self.c[: len(y)] * linear).sum(-1)

    def violation(self, y):
        """The largest violation of each sample."""
        worst = [np.zeros(len(y)), (self.low - y).max(-1), (y - self.high).max(-1)]
        if self.a is not None:
            worst.append(np.abs((self.a @ y.T).T - self.b[: len(y)]).max(-1))
        if self.g is not None:
            worst.append(
                ((self.g @ (np.sin(y) if self.wave else y).T).T - self.h[: len(y)]).max(-1)
            )
        if self.d is not None:
            worst.append((self.d * y * y).sum(-1) - self.radius)
        return np.max(worst, axis=0)


def simplex(count):
    raw = np.random.RandomState(1).uniform(-1, 1, (count, 10))
    return Programme(
        "simplex, 10", np.ones(10), -raw, np.ones((1, 10)), np.ones((count, 1)), low=0.0, high=1.0
    )


def ball(count):
    raw = 2 * np.random.RandomState(2).standard_normal((count, 10))
    return Programme("ball, 10", np.ones(10), -raw, d=np.ones(10), radius=1.0)


def ellipse(count):
    raw = 2 * np.random.RandomState(3).standard_normal((count, 10))
    return Programme("ellipsoid, 10", np.ones(10), -raw, d=np.linspace(0.2, 4, 10), radius=1.0)


def polyhedron(count):
    random = np.random.RandomState(4)
    g, h = random.standard_normal((40, 20)), random.uniform(0.1, 1, 40)
    raw = 2 * random.standard_normal((count, 20))
    return Programme("polyhedron, 20, 40 rows", np.ones(20), -raw, g=g, h=np.tile(h, (count, 1)))


def dc3(count, sine=False):
    """Seed 17; what is called test set there comes first."""
    random = np.random.RandomState(17)
    q, p = random.rand(100), random.rand(100)
    a, x, g = (
        random.normal(size=(50, 100)),
        random.uniform(-1, 1, (10000, 50)),
        random.normal(size=(50, 100)),
    )
    h = np.abs(g @ np.linalg.pinv(a)).sum(1)
    assert abs(q[0] - 0.2946650026871097) < 1e-15 and abs(h[0] - 5.749452028572408) < 1e-12
    name = "DC3, nonconvex" if sine else "DC3, convex"
    order = np.r_[9167:10000, 0:9167][:count]
    return Programme(
        name, q, np.tile(p, (count, 1)), a, x[order], g, np.tile(h, (count, 1)), sine=sine
    )


def fsnet(count, sine=False):
    """Seed 2025; the nonconvex one has G sin(y) <= h cos(x)."""
    random = np.random.RandomState(2025)
    q, p = 0.5 * random.rand(100), random.uniform(-1, 1, 100)
    a, x, g = (
        random.uniform(-1, 1, (50, 100)),
        random.uniform(-1, 1, (10000, 50)),
        random.uniform(-1, 1, (50, 100)),
    )
    h = np.abs(g @ np.linalg.pinv(a)).sum(1)
    assert abs(p[0] + 0.2679708161392307) < 1e-15 and abs(h[0] - 4.846946311560932) < 1e-12
    bounds = h * np.cos(x[:count]) if sine else np.tile(h, (count, 1))
    name = "FSNet, nonconvex" if sine else "FSNet, convex"
    return Programme(
        name, q, np.tile(p, (count, 1)), a, x[:count], g, bounds, -5.0, 5.0, sine=sine, wave=sine
    )


def sparse(count, size):
    """Rows of four neighbours: a quarter as many equalities as unknowns, half as many inequalities."""
    random = np.random.RandomState(size)

    def rows(number):
        first = random.randint(0, size - 7, number)
        columns = first[:, None] + np.array(
            [random.choice(8, 4, replace=False) for _ in range(number)]
        )
        entries = (
            random.standard_normal((number, 4)).ravel(),
            (np.repeat(np.arange(number), 4), columns.ravel()),
        )
        return scipy.sparse.csr_matrix(entries, (number, size))

    a, g, inside = rows(max(1, size // 4)), rows(size // 2), random.uniform(-1, 1, (count, size))
    h = (g @ inside.T).T + random.uniform(0, 0.5, (count, g.shape[0]))
    return Programme(f"sparse, {size}", random.uniform(0.1, 1, size), random.uniform(-1, 1, (count, size)), a,
                     (a @ inside.T).T, g, h, -2.0, 2.0)  # fmt: skip


# ---- models as files: what they mean is read from the text that hardnet writes ----

FUNCTIONS = {"sin", "cos", "tan", "exp", "log", "sqrt", "atan2", "tanh"}
NAME = re.compile(r"`[^`]+`(?:\[[\d,]+\])?|\$\d+(?:\[[\d,]+\])?|[A-Za-z_]\w*(?:\[[\d,]+\])?")


class Casadi:
    """A shipped model's objective and rows as CasADi expressions of y and x, and the numbers of its bounds."""

    def __init__(self, model):
        import casadi

        self.model, self.casadi = model, casadi
        self.y, self.x = (
            casadi.SX.sym("y", model.outputs_count),
            casadi.SX.sym("x", model.inputs_count),
        )
        self.known = {name: self.y[k] for k, name in enumerate(model.output_names)}
        self.known |= {name: self.x[k] for k, name in enumerate(model.input_names)}
        self.rows, self.low, self.high, self.objective = [], [], [], None
        text = re.split(r"\ndata;", re.sub(r"#.*", "", model.to_ampl()))[0]
        for statement in text.split(";"):
            self.read(" ".join(statement.split()))

    def value(self, text):
        def place(match):
            name = match.group(0).replace("`", "")
            return match.group(0) if name in FUNCTIONS else f"known[{name!r}]"

        names = {name: getattr(self.casadi, name) for name in FUNCTIONS}
        return eval(NAME.sub(place, text.replace("^", "**")), {"known": self.known, **names})

    def read(self, text):
        defined = re.match(r"(?:var|param) (\S+) = (.*)", text)
        row = re.match(r"subject to (?:`[^`]*`|\S+): (.*)", text)
        goal = re.match(r"minimize (?:`[^`]*`|\S+): (.*)", text)
        if defined:
            self.known[defined.group(1).replace("`", "")] = self.value(defined.group(2))
        elif goal:
            self.objective = self.value(goal.group(1))
        elif row:
            parts = re.split(r" (<=|>=|=) ", row.group(1))
            for left, sign, right in zip(parts[::2], parts[1::2], parts[2::2]):
                self.rows.append(self.value(left) - self.value(right))
                self.low.append(-np.inf if sign == "<=" else 0.0)
                self.high.append(np.inf if sign == ">=" else 0.0)

    def bounds(self, x):
        """Of the outputs, by rows that have their names, and of the rows of the model."""
        seen, names = self.model.evaluate(None, x), self.model.row_names
        low = np.full(self.model.outputs_count, -np.inf)
        high = np.full(self.model.outputs_count, np.inf)
        for k, name in enumerate(self.model.output_names):
            if name in names:
                low[k], high[k] = seen.lower[names.index(name)], seen.upper[names.index(name)]
            if np.isfinite(seen.fixed[k]):
                low[k] = high[k] = seen.fixed[k]
        return low, high
