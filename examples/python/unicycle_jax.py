"""A controller for a unicycle, trained in JAX: fifty steps of training in one compiled function.

The network maps the unicycle's state x to a plan: ten states to come and ten controls. hardnet's
layer corrects the plan, so that it obeys the dynamics, stays out of the obstacle and within the
limits of the controls. Training goes through the layer, whose gradient is exact:

    y_raw = network(x),   y = layer(y_raw, x),   loss = cost(y) + 20 |y - y_raw|^2

Network and Adam are written with jax.numpy; the layer is one more function, inside jit, grad and
scan. The second term of the loss keeps raw plans where corrections are small: the layer jumps where
a constraint becomes active, and a slope does not see a jump. Still some trainings undo themselves
after a while; the weights that were best on validation states are kept. unicycle_torch.py has the
loss that trains best.

    python unicycle_jax.py --seconds 20 --out y.npy --net net.npz

SPDX-License-Identifier: MIT
"""

# %%
import argparse
import time
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np

import hardnet
import hardnet.jax

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=20, help="time to train (%(default)g)")
parser.add_argument("--seed", type=int, default=1, help="of weights and states (%(default)d)")
parser.add_argument("--out", help="write the plans of the 100 test states to this .npy file")
parser.add_argument("--net", help="write the network to this .npz file")
parser.add_argument("--picture", default="unicycle_jax.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()

# %% [markdown]
# The model is a file in the AMPL language: three inputs (the state), fifty outputs (the plan). Its
# objective is written once more in jax.numpy.

# %%
jax.config.update("jax_enable_x64", True)
root = Path(__file__).resolve().parents[2]
model = hardnet.Model.from_file(root / "models" / "unicycle.mod")
layer = hardnet.jax.layer(model)
LOW, HIGH = jnp.array([-4.0, -2.4, -0.45]), jnp.array([-2.2, 2.4, 0.45])


def sample(key, count):
    """States to start from: in a box, clear of the obstacle."""
    x = jax.random.uniform(key, (2 * count, 3), minval=LOW, maxval=HIGH)
    near = 0.51020408 * x[:, 0] ** 2 + 0.90702948 * x[:, 1] ** 2 < 1.2
    return x[jnp.argsort(near, stable=True)[:count]]  # the clear ones come first


def cost(y):
    """Distance from the target, and effort."""
    error, u = y[:, :30].reshape(-1, 10, 3) - jnp.array([3.5, 0, 0]), y[:, 30:]
    heading = jnp.arctan2(jnp.sin(error[..., 2]), jnp.cos(error[..., 2]))
    squares = jnp.stack([error[..., 0] ** 2, error[..., 1] ** 2, heading**2], axis=-1)
    stages, last = squares.sum((1, 2)), squares[:, -1] @ jnp.array([10.0, 10, 1])
    return stages + last + 0.1 * (u**2).sum(1)


# %% [markdown]
# The network is 3-128-128-128-128-50 with relu. Shifts and scales make its numbers around 1; those
# of the outputs come from the model's start values (the unicycle drives on), corrected by the layer.

# %%
starts = layer(None, sample(jax.random.key(arguments.seed + 1), 300))
least_scale = jnp.concatenate([jnp.full(30, 0.15), jnp.tile(jnp.array([0.3, 0.45]), 10)])
shift, scale = starts.mean(0), jnp.maximum(starts.std(0), least_scale)


def fresh(key):
    widths = [3, 128, 128, 128, 128, 50]
    keys = jax.random.split(key, 5)
    draw = [jax.random.normal(k, (n, m)) for k, n, m in zip(keys, widths, widths[1:])]
    weights = [w * (2 / len(w)) ** 0.5 for w in draw]
    weights[-1] *= 0.07
    return [(w, jnp.zeros(w.shape[1])) for w in weights]


def network(parameters, x):
    h = (x - (LOW + HIGH) / 2) / ((HIGH - LOW) / 2)
    for w, b in parameters[:-1]:
        h = jax.nn.relu(h @ w + b)
    w, b = parameters[-1]
    return shift + scale * (h @ w + b)


@jax.custom_vjp
def clipped(y_raw):
    """y_raw itself; on the way back the gradient of each sample is at most 100 long."""
    return y_raw


def clip(_, gradient):
    norm = jnp.linalg.norm(gradient, axis=1, keepdims=True)
    return (gradient * jnp.minimum(1, 100 / jnp.maximum(norm, 1e-9)),)


clipped.defvjp(lambda y_raw: (y_raw, None), clip)


def loss(parameters, x):
    y_raw = clipped(network(parameters, x))
    y = layer(y_raw, x)
    return (cost(y) + 20 * ((y - y_raw) ** 2).sum(1)).sum()


# %% [markdown]
# Fifty steps of Adam, compiled into one call: sampling, network, layer and their gradients.


# %%
def adam(carry, key):
    parameters, first, second, step, rate = carry
    gradient = jax.tree.map(lambda g: g / 240, jax.grad(loss)(parameters, sample(key, 240)))
    step = step + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    speed = rate * jnp.minimum(1, step / 50)

    def move(p, m, v):
        return p - speed * (m / (1 - 0.9**step)) / (jnp.sqrt(v / (1 - 0.999**step)) + 1e-8)

    parameters = jax.tree.map(move, parameters, first, second)
    return (parameters, first, second, step, rate), None


@jax.jit
def fifty(carry, key):
    return jax.lax.scan(adam, carry, jax.random.split(key, 50))[0]


@jax.jit
def apply(parameters, x):
    y, report = layer.with_report(network(parameters, x), x)
    return y, cost(y), report


key = jax.random.key(arguments.seed)
parameters = fresh(key)
zeros = jax.tree.map(jnp.zeros_like, parameters)
carry = parameters, zeros, zeros, jnp.zeros(()), jnp.zeros(())
jax.block_until_ready(fifty(carry, key))  # compiles; a rate of 0 changes nothing
validation = sample(jax.random.key(arguments.seed + 2), 500)
best, least, curve = parameters, float(apply(parameters, validation)[1].mean()), []
begun, shown = time.perf_counter(), 0
while (progress := (time.perf_counter() - begun) / arguments.seconds) < 1:
    key, now = jax.random.split(key)
    rate = 1e-3 * (0.505 + 0.495 * np.cos(np.pi * progress))
    carry = fifty((*carry[:4], jnp.asarray(rate)), now)
    _, costs, report = apply(carry[0], validation)
    curve.append((time.perf_counter() - begun, float(costs.mean())))
    if report.ok.all() and curve[-1][1] < least:
        best, least = carry[0], curve[-1][1]
    if progress >= shown:
        print(f"{100 * progress:.0f} %, step {int(carry[3])}, validation {least:.2f}", flush=True)
        shown += 0.1
print(f"trained {int(carry[3])} steps of 240 in {curve[-1][0]:.1f} s, validation {least:.2f}")

# %% [markdown]
# The 100 test states have played no part so far. IPOPT's costs for them are stored beside them.

# %%
x = np.load(root / "data" / "unicycle" / "states.npy")
y, costs, report = apply(best, x)
reference = np.load(root / "data" / "unicycle" / "costs.npy")
excess = np.maximum(0, costs - reference) / reference
print(f"ok {report.ok.sum()} of {len(x)}, largest violation {report.violation.max():.1e}")
print(f"suboptimality {excess.mean():.4f} mean, {excess.max():.4f} max")
if arguments.out:
    np.save(arguments.out, np.asarray(y))
if arguments.net:
    np.savez(arguments.net, *jax.tree.leaves(best), shift=shift, scale=scale)


# %%
def draw(plt):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[1, 1.2])
    angle = np.linspace(0, 2 * np.pi, 200)
    left.fill(1.4 * np.cos(angle), 1.05 * np.sin(angle), color="#d0d0d0")
    plans = np.concatenate([x[:, None], y[:, :30].reshape(-1, 10, 3)], axis=1)[:40]
    for plan, colour in zip(plans, plt.cm.viridis((plans[:, 0, 1] + 2.4) / 4.8)):
        left.plot(plan[:, 0], plan[:, 1], ".-", color=colour, linewidth=1, markersize=3)
        left.plot(plan[0, 0], plan[0, 1], "o", color=colour, markersize=5)
    left.set(aspect="equal", title="plans of 40 test states", xlabel="px", ylabel="py")
    right.plot(*np.transpose(curve), color="#1f77b4")
    right.axhline(least, color="#999999", linewidth=0.8)
    right.set(title="cost of validation states", xlabel="seconds of training", yscale="log")
    right.set_yticks([325, 350, 400, 500], ["325", "350", "400", "500"])
    right.minorticks_off()
    figure.tight_layout()
    figure.savefig(arguments.picture, dpi=120)
    print(f"drawn: {arguments.picture}")


try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    draw(plt)
