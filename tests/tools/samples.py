"""What the tests of the verbs share and need numpy for: models, their residuals, samples, and arrays as files.

Without numpy a script that imports this exits with 77, for skipped.
"""
import sys

try:
    import numpy as np
except ImportError:
    print("skipped: numpy is not installed")
    sys.exit(77)

from tool import Tool, root  # noqa: E402

UNICYCLE = str(root / "models" / "unicycle.mod")
INFEASIBLE = str(root / "models" / "infeasible.mod")
PUBLISHED = root.parent / "shared" / "data" / "unicycle"

DISC = """
param radius >= 0.5, <= 2;
check: radius <> 1.5;
var y{1..2} := 0.25;
subject to disc: y[1]^2 + y[2]^2 <= radius^2;
subject to line: y[1] + y[2] >= 0.1;
"""
BAND = "param a >= 0, <= 4; var y := 1.2; subject to band: a <= y^2 <= 2;"  # crossed for a > 2


def residual(lower, value, upper):
    return np.maximum(0, value - upper) - np.maximum(0, lower - value)


def disc_residual(radius, y):
    """Rows disc and line of DISC, for every sample."""
    disc = residual(-np.inf, (y ** 2).sum(axis=1), radius ** 2)
    return np.stack([disc, residual(0.1, y.sum(axis=1), np.inf)], axis=1)


def unicycle_residual(x, y, horizon=10, dt=0.2):
    """The groups of models/unicycle.mod, each samples x rows."""
    z, u = y[:, :3 * horizon].reshape(-1, horizon, 3), y[:, 3 * horizon:].reshape(-1, horizon, 2)
    before = np.concatenate([np.broadcast_to(x, (len(y), 3))[:, None], z[:, :-1]], axis=1)
    heading, speed = before[..., 2], u[..., 0]
    step = np.stack([speed * np.cos(heading), speed * np.sin(heading), u[..., 1]], axis=2)
    distance = 0.51020408 * z[..., 0] ** 2 + 0.90702948 * z[..., 1] ** 2
    return {"dynamics": (z - before - dt * step).reshape(len(y), -1),
            "obstacle": residual(1, distance, np.inf),
            "u": residual(np.array([0, -1.5]), u, np.array([2, 1.5])).reshape(len(y), -1)}


def unicycle_samples(count, seed=3):
    """Inputs in their box and clear of the obstacle, and outputs near a straight drive."""
    source = np.random.RandomState(seed)
    x = source.uniform([-4, -2.4, -0.45], [-2.2, 2.4, 0.45], (4 * count, 3))
    x = x[0.51020408 * x[:, 0] ** 2 + 0.90702948 * x[:, 1] ** 2 >= 1.2][:count]
    k = 0.2 * np.arange(1, 11)[None, :]
    z = np.stack([x[:, :1] + k * np.cos(x[:, 2:]), x[:, 1:2] + k * np.sin(x[:, 2:]), x[:, 2:] + 0 * k], axis=2)
    u = np.stack([np.ones((count, 10)), np.zeros((count, 10))], axis=2)
    y = np.concatenate([z.reshape(count, -1), u.reshape(count, -1)], axis=1)
    return x, y + 0.1 * source.standard_normal(y.shape)


class SampleTool(Tool):
    def array(self, name, values, dtype=np.float64):
        path = self.folder / name
        np.save(path, np.asarray(values, dtype=dtype))
        return str(path)
