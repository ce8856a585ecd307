"""A controller for a unicycle, trained with NumPy alone: network, backward pass and Adam by hand.

The network maps the unicycle's state x to a plan: ten states to come and ten controls. hardnet's
layer corrects the plan, so that it obeys the dynamics, stays out of the obstacle and within the
limits of the controls. Training goes through the layer:

    y_raw = network(x),   y = layer(y_raw, x),   loss = cost(y) + 20 |y - y_raw|^2

The cost is the model's objective, `model.gradient` its gradient. `layer.gradient` turns a gradient
by y into one by y_raw; from there on it is the usual backward pass. The second term of the loss
keeps raw plans where corrections are small: the layer jumps where a constraint becomes active, and
a slope does not see a jump. With a weight of 1 training undoes itself after some hundred steps,
with 20 later or not at all; the weights that were best on validation states are kept.
unicycle_torch.py has the loss that trains best.

    python unicycle_numpy.py --seconds 10 --out y.npy --net net.npz

SPDX-License-Identifier: MIT
"""

# %%
import argparse
import os
import time
from pathlib import Path

# Threads of BLAS and those of the layer would wait for each other.
os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np

import hardnet

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=10, help="time to train (%(default)g)")
parser.add_argument("--seed", type=int, default=1, help="of weights and states (%(default)d)")
parser.add_argument("--out", help="write the plans of the 100 test states to this .npy file")
parser.add_argument("--net", help="write the network to this .npz file")
parser.add_argument("--picture", default="unicycle_numpy.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()

# %% [markdown]
# The model is a file in the AMPL language: three inputs (the state), fifty outputs (the plan).

# %%
root = Path(__file__).resolve().parents[2]
model = hardnet.Model.from_file(root / "models" / "unicycle.mod")
layer = model.layer()
rng = np.random.default_rng(arguments.seed)


def sample(count):
    """States to start from: in a box, clear of the obstacle."""
    x = rng.uniform([-4.0, -2.4, -0.45], [-2.2, 2.4, 0.45], (2 * count, 3))
    clear = 0.51020408 * x[:, 0] ** 2 + 0.90702948 * x[:, 1] ** 2 >= 1.2
    return x[clear][:count]


# %% [markdown]
# The network is 3-128-128-128-128-50 with relu. Shifts and scales make its numbers around 1; those
# of the outputs come from the model's start values (the unicycle drives on), corrected by the layer.

# %%
widths = [3, 128, 128, 128, 128, 50]
weights = [rng.normal(0, np.sqrt(2 / n), (n, m)) for n, m in zip(widths, widths[1:])]
weights[-1] *= 0.07
biases = [np.zeros(m) for m in widths[1:]]
starts = layer(None, sample(300)).y
shift = starts.mean(0)
scale = np.maximum(starts.std(0), np.r_[np.tile(0.15, 30), np.tile([0.3, 0.45], 10)])


def forward(x):
    """Raw plans, and what each layer of weights took in."""
    taken = [(x - [-3.1, 0, 0]) / [0.9, 2.4, 0.45]]
    for w, b in zip(weights[:-1], biases[:-1]):
        taken.append(np.maximum(0, taken[-1] @ w + b))
    return shift + scale * (taken[-1] @ weights[-1] + biases[-1]), taken


def backward(taken, gradient):
    """Gradients by weights and biases, from the gradient by the raw plans."""
    delta, by_weights, by_biases = gradient * scale, [], []
    for w, h in zip(reversed(weights), reversed(taken)):
        by_weights.insert(0, h.T @ delta)
        by_biases.insert(0, delta.sum(0))
        delta = (delta @ w.T) * (h > 0)
    return by_weights + by_biases


# %% [markdown]
# One step: the gradient by the raw plan is clipped sample by sample, and left out where the layer
# reports that a sample is not ok.


# %%
def gradient_of(x):
    y_raw, taken = forward(x)
    result = layer(y_raw, x, tape=True)
    moved = result.y - y_raw
    by_y = model.gradient(result.y, x) + 40 * moved
    by_raw = layer.gradient(result, by_y).y_raw - 40 * moved
    norm = np.linalg.norm(by_raw, axis=1, keepdims=True)
    by_raw *= result.ok[:, None] * np.minimum(1, 100 / np.maximum(norm, 1e-9)) / len(x)
    return backward(taken, by_raw)


def validate(x):
    result = layer(forward(x)[0], x)
    return model.evaluate(result.y, x).objective.mean() if result.ok.all() else np.inf


parameters = weights + biases
moments = [[np.zeros_like(p) for p in parameters] for _ in range(2)]
validation, best, least, curve = sample(500), None, np.inf, []
begun, step, shown = time.perf_counter(), 0, 0
while (progress := (time.perf_counter() - begun) / arguments.seconds) < 1:
    step += 1
    rate = 1e-3 * min(1, step / 50) * (0.505 + 0.495 * np.cos(np.pi * progress))
    for p, g, m, v in zip(parameters, gradient_of(sample(240)), *moments):  # Adam
        m += 0.1 * (g - m)
        v += 0.001 * (g * g - v)
        p -= rate * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
    if step % 20 == 0 or step == 1:
        curve.append((progress * arguments.seconds, validate(validation)))
        if curve[-1][1] < least:
            least, best = curve[-1][1], [p.copy() for p in parameters]
    if progress >= shown:
        print(f"{100 * progress:.0f} %, step {step}, validation {least:.2f}", flush=True)
        shown += 0.1
for p, kept in zip(parameters, best):
    p[:] = kept
print(f"trained {step} steps of 240 in {time.perf_counter() - begun:.1f} s, validation {least:.2f}")

# %% [markdown]
# The 100 test states have played no part so far. IPOPT's costs for them are stored beside them.

# %%
x = np.load(root / "data" / "unicycle" / "states.npy")
result = layer(forward(x)[0], x)
reference = np.load(root / "data" / "unicycle" / "costs.npy")
excess = np.maximum(0, model.evaluate(result.y, x).objective - reference) / reference
print(f"ok {result.ok.sum()} of {len(x)}, largest violation {result.violation.max():.1e}")
print(f"suboptimality {excess.mean():.4f} mean, {excess.max():.4f} max")
if arguments.out:
    np.save(arguments.out, result.y)
if arguments.net:
    np.savez(arguments.net, *parameters, shift=shift, scale=scale)

# %% [markdown]
# The plans of 40 test states, and how training went.


# %%
def draw(plt):
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), width_ratios=[1, 1.2])
    angle = np.linspace(0, 2 * np.pi, 200)
    left.fill(1.4 * np.cos(angle), 1.05 * np.sin(angle), color="#d0d0d0")
    plans = np.concatenate([x[:, None], result.y[:, :30].reshape(-1, 10, 3)], axis=1)[:40]
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
