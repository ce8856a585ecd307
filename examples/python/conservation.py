"""Planets that keep their energy: a conservation law as a layer behind a learned simulator.

A network learns from noisy data to move a planet forward by one time step. Applied again and again
it drifts: tiny errors of energy and angular momentum add up, until the planet falls into its sun or
leaves it. A layer behind the network holds both exactly, step by step:

    energy(y) = energy(x),   momentum(y) = momentum(x),   y = layer(x + dt network(x), x)

Three simulators are compared on orbits that none of them has seen: the network alone, the same
network with the layer added afterwards, and a network that was trained through the layer.

    python conservation.py --seconds 30 --out y.npy --net net.pt

SPDX-License-Identifier: MIT
"""

# %%
import argparse
import copy
import math
import time

import numpy as np
import torch

import hardnet
import hardnet.torch

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=30, help="time to train (%(default)g)")
parser.add_argument("--seed", type=int, default=1, help="of weights and data (%(default)d)")
parser.add_argument("--out", help="write the simulated test orbits to this .npy file")
parser.add_argument("--net", help="write the network's weights to this file, by torch.save")
parser.add_argument("--picture", default="conservation.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()
torch.set_num_threads(1)  # its threads and the layer's would wait for each other

# %% [markdown]
# What must hold, in Python. A state is a position and a velocity; the sun has mass 1.


# %%
def energy(s):
    return 0.5 * (s[..., 2] ** 2 + s[..., 3] ** 2) - (s[..., 0] ** 2 + s[..., 1] ** 2) ** -0.5


def momentum(s):
    return s[..., 0] * s[..., 3] - s[..., 1] * s[..., 2]


model = hardnet.Model()
now = model.inputs("now", 4)
after = model.outputs("after", 4, start=now)
model.subject_to(energy(after) == energy(now), name="energy")
model.subject_to(momentum(after) == momentum(now), name="momentum")
layer = hardnet.torch.Layer(model, tolerance=1e-12)
print(model)

# %% [markdown]
# The same two functions work on NumPy arrays; they judge the results below. Data: ellipses of
# different sizes and eccentricities, 1000 pairs of states one time step apart, the second of them
# measured with noise of 0.01.

# %%
DT, NOISE, PAIRS, STEPS = 0.15, 0.01, 1000, 200
rng = np.random.default_rng(arguments.seed)
torch.manual_seed(arguments.seed)


def states(count):
    """Random points of random ellipses, from Kepler's equation M = E - e sin E."""
    a, e = rng.uniform(0.8, 1.2, count), rng.uniform(0, 0.3, count)
    turn, mean = rng.uniform(0, 2 * np.pi, (2, count))
    E = mean
    for _ in range(30):
        E = mean + e * np.sin(E)
    b, rate = a * np.sqrt(1 - e**2), a**-1.5 / (1 - e * np.cos(E))
    q = a * (np.cos(E) - e) + 1j * b * np.sin(E)
    v = rate * (-a * np.sin(E) + 1j * b * np.cos(E))
    q, v = q * np.exp(1j * turn), v * np.exp(1j * turn)
    return np.stack([q.real, q.imag, v.real, v.imag], axis=-1)


def simulate(s, parts=40):
    """The truth after DT, by the leapfrog method in small steps."""
    q, v, h = s[:, :2], s[:, 2:], DT / parts
    for _ in range(parts):
        q = q + 0.5 * h * v
        v = v - h * q / np.linalg.norm(q, axis=1, keepdims=True) ** 3
        q = q + 0.5 * h * v
    return np.concatenate([q, v], axis=1)


x = states(PAIRS)
y = simulate(x) + NOISE * rng.normal(size=x.shape)
x, y = torch.from_numpy(x), torch.from_numpy(y)
truth = [states(200)]
for _ in range(STEPS):
    truth.append(simulate(truth[-1]))
truth = np.array(truth)

# %% [markdown]
# Half of the time goes into plain regression. Then one copy goes on like that, and the other is
# trained through the layer.


# %%
def train(net, through, seconds, first, last):
    optimizer = torch.optim.Adam(net.parameters())
    begun, steps, shown = time.perf_counter(), 0, 0
    while (progress := (time.perf_counter() - begun) / seconds) < 1:
        rate = last + (first - last) * 0.5 * (1 + math.cos(math.pi * progress))
        optimizer.param_groups[0]["lr"] = rate * min(1, (steps + 1) / 30)
        some = torch.randint(PAIRS, (256,))
        y_raw = x[some] + DT * net(x[some])
        loss = ((y_raw - y[some]) ** 2).mean()
        if through:
            loss = ((layer(y_raw, x[some]) - y[some]) ** 2).mean() + 0.1 * loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1
        if progress >= shown:
            print(f"{100 * progress:.0f} %, step {steps}, loss {loss.item():.3g}", flush=True)
            shown += 0.1
    return steps


net = torch.nn.Sequential(
    torch.nn.Linear(4, 64),
    torch.nn.SiLU(),
    torch.nn.Linear(64, 64),
    torch.nn.SiLU(),
    torch.nn.Linear(64, 4),
).double()
train(net, False, arguments.seconds / 2, 5e-3, 1e-3)
trained = copy.deepcopy(net)
print("steps without", train(net, False, arguments.seconds / 4, 1e-3, 1e-5))
print("steps through", train(trained, True, arguments.seconds / 4, 1e-3, 1e-5))

# %% [markdown]
# Five orbits of 200 test planets, each from its first state alone.


# %%
@torch.no_grad()
def roll(net, with_layer):
    s = torch.from_numpy(truth[0])
    path = [s]
    for _ in range(STEPS):
        y_raw = s + DT * net(s)
        s = layer(y_raw, s) if with_layer else y_raw
        path.append(s)
    return torch.stack(path).numpy()


orbits = {
    "network alone": roll(net, False),
    "layer added afterwards": roll(net, True),
    "trained through the layer": roll(trained, True),
}
print(f"{'':27s}{'one step':>10s}{'1 orbit':>10s}{'5 orbits':>10s}   energy changes by (largest)")
drift, error = {}, {}
for name, path in orbits.items():
    error[name] = np.linalg.norm(path[..., :2] - truth[..., :2], axis=-1)
    drift[name] = np.abs(energy(path) - energy(path[0]))
    figures = [np.median(error[name][k]) for k in (1, STEPS // 5, STEPS)]
    print(f"{name:27s}" + "".join(f"{f:10.4f}" for f in figures), f"  {drift[name].max():.1e}")
if arguments.out:
    np.save(arguments.out, orbits["trained through the layer"])
if arguments.net:
    torch.save(trained.state_dict(), arguments.net)


# %%
def draw(plt):
    figure, axes = plt.subplot_mosaic("ABCD;ABCE", figsize=(13, 4), layout="constrained")
    shown = {"A": truth, "B": orbits["network alone"], "C": orbits["trained through the layer"]}
    for key, name in zip("ABC", ("truth", "network alone", "trained through the layer")):
        for i, colour in enumerate(("#1f77b4", "#2ca02c", "#9467bd")):
            axes[key].plot(*shown[key][:, i, :2].T, color=colour, linewidth=0.7)
            axes[key].plot(*shown[key][0, i, :2], "o", color=colour, markersize=6)
        axes[key].plot(0, 0, "o", color="#ffb000", markersize=14, markeredgecolor="#cc8800")
        axes[key].set(aspect="equal", title=name, xlim=(-1.6, 1.6), ylim=(-1.6, 1.6))
        axes[key].set(xticks=[], yticks=[])
    times = np.arange(1, STEPS + 1) / 40
    for name, colour in zip(orbits, ("#d62728", "#ff9f40", "#1f77b4")):
        axes["D"].semilogy(times, np.median(drift[name][1:], axis=1), color=colour, label=name)
        axes["E"].semilogy(times, np.median(error[name][1:], axis=1), color=colour, label=name)
    axes["D"].set(title="median change of energy", xticks=[])
    axes["E"].set(title="median error of position", xlabel="orbits")
    axes["E"].legend(fontsize=7)
    figure.savefig(arguments.picture, dpi=120)
    print(f"drawn: {arguments.picture}")


try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    draw(plt)
