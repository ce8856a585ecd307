"""Optimal power flow in microseconds: loads in, the cheapest dispatch of three generators out.

Nine buses, three generators, three loads (models/opf.mod): the network sees the loads and says what
the generators deliver, all voltages and all angles. What it says must satisfy the equations of
alternating current exactly, and the limits of generators, voltages and lines: the layer sees to
that. Two networks are compared with IPOPT's dispatch on 100 loads that played no part in training:

    network and layer   improve_loss: drawn towards what correction and refinement make of its output
    network alone       cost + 1000 |violation|^2: no layer

    python power_flow.py --seconds 60 --out y.npy --net net.safetensors
    hardnet eval models/opf.mod --net net.safetensors --x data/opf/loads.npy

SPDX-License-Identifier: MIT
"""

# %%
import argparse
import copy
import math
import time
from pathlib import Path

import numpy as np
import torch

import hardnet
import hardnet.torch

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=60, help="time to train (%(default)g)")
parser.add_argument("--seed", type=int, default=1, help="of weights and loads (%(default)d)")
parser.add_argument("--out", help="write the dispatch of the 100 test loads to this .npy file")
parser.add_argument("--net", help="write the network to this file, for hardnet eval")
parser.add_argument("--picture", default="power_flow.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()
torch.set_num_threads(1)  # its threads and the layer's would wait for each other

# %% [markdown]
# The model has six inputs (active and reactive loads at buses 5, 7 and 9), 24 outputs and 51 rows.

# %%
root = Path(__file__).resolve().parents[2]
model = hardnet.Model.from_file(root / "models" / "opf.mod")
layer = hardnet.torch.Layer(model)
print(model)


def cost(y, x):
    """Dollars per hour."""
    return hardnet.torch.objective(model, y, x)


def squares(y, x):
    return hardnet.torch.residual(model, y, x).square().sum(-1)


losses = {
    "network and layer": lambda y_raw, x: hardnet.torch.improve_loss(layer, y_raw, x, explore=0.01),
    "network alone": lambda y_raw, x: (cost(y_raw, x) / 100 + 1000 * squares(y_raw, x)).mean(),
}

# %% [markdown]
# Adam with a warm-up and a rate that falls along a cosine. Weights are kept that are best on
# separate validation loads.


# %%
@torch.no_grad()
def validate(net, name, x):
    if name == "network alone":
        return losses[name](net(x), x).item()
    y = layer(net(x), x)
    return cost(y, x).mean().item() if layer.last.ok.all() else math.inf


def train(name, seconds):
    net = hardnet.torch.Network.for_model(model, seed=arguments.seed)
    optimizer = torch.optim.Adam(net.parameters())
    validation = hardnet.torch.sample_inputs(model, 500, seed=arguments.seed + 1000)
    begun, step, least, best, shown = time.perf_counter(), 0, math.inf, None, 0
    while (progress := (time.perf_counter() - begun) / seconds) < 1:
        rate = 2e-3 * min(1, (step + 1) / 50) * (0.505 + 0.495 * math.cos(math.pi * progress))
        optimizer.param_groups[0]["lr"] = rate
        x = hardnet.torch.sample_inputs(model, 240, seed=arguments.seed, step=step)
        loss = losses[name](net(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if step % 50 == 0 or best is None:
            now = validate(net, name, validation)
            if now < least or best is None:
                least, best = now, copy.deepcopy(net.state_dict())
        if progress >= shown:
            print(
                f"{name}: {100 * progress:.0f} %, step {step}, validation {least:.4g}", flush=True
            )
            shown += 0.1
    net.load_state_dict(best)
    net.double()  # float32 is for training; rounded to it, no output holds to 1e-8
    print(f"{name}: {step} steps of 240 in {time.perf_counter() - begun:.1f} s")
    return net


nets = {name: train(name, arguments.seconds / 2) for name in losses}

# %% [markdown]
# The 100 test loads have played no part so far. IPOPT's costs for them are stored beside them. A
# dispatch that violates the equations can cost less than the optimum: it delivers less than is used.

# %%
x = torch.from_numpy(np.load(root / "data" / "opf" / "loads.npy"))
reference = torch.from_numpy(np.load(root / "data" / "opf" / "costs.npy"))
with torch.no_grad():
    raw = nets["network alone"](x)
    dispatch = {"network alone": raw, "corrected afterwards": layer(raw, x)}
    dispatch["network and layer"] = layer(nets["network and layer"](x), x)
excess = {name: (cost(y, x) - reference) / reference for name, y in dispatch.items()}
violation = {name: hardnet.torch.violation(model, y, x) for name, y in dispatch.items()}
print(f"{'':22s}cost above IPOPT's: mean         max   violation in MW: mean       max   ok")
for name in dispatch:
    e, v = excess[name], 100 * violation[name]
    print(
        f"{name:22s}{e.mean():24.4%}{e.max():12.3%}{v.mean():24.1e}{v.max():10.1e}"
        f"{(v <= 1e-6).sum():5d}"
    )
if arguments.out:
    np.save(arguments.out, dispatch["network and layer"].numpy())
if arguments.net:
    hardnet.torch.save_policy(nets["network and layer"], layer, arguments.net)

# %% [markdown]
# Left: the grid at the largest of the test loads, its lines coloured by how much of their limit is
# used. Definitions of the model, such as `p_flow`, can be evaluated by name.

# %%
BRANCHES = [(1, 4), (4, 5), (5, 6), (3, 6), (6, 7), (7, 8), (8, 2), (8, 9), (9, 4)]
RATES = np.array([250, 250, 150, 300, 150, 250, 250, 250, 250])
PLACES = {4: (0, -1), 5: (-0.9, -0.4), 6: (-0.9, 0.5), 7: (0, 0.9), 8: (0.9, 0.5), 9: (0.9, -0.4)}
PLACES |= {1: (0, -1.8), 2: (1.8, 0.9), 3: (-1.8, 0.9)}


def draw_grid(plt, axis):
    heaviest = int(x[:, :3].sum(1).argmax())
    at = dispatch["network and layer"][heaviest].numpy(), x[heaviest].numpy()
    power = np.hypot(model.value(model["p_flow"], *at), model.value(model["q_flow"], *at))
    for (i, j), used in zip(BRANCHES, 100 * np.maximum(power[:9], power[9:]) / RATES):
        (x0, y0), (x1, y1) = PLACES[i], PLACES[j]
        axis.plot([x0, x1], [y0, y1], color=plt.cm.turbo(used), linewidth=5, zorder=1)
        axis.text((x0 + x1) / 2, (y0 + y1) / 2, f"{used:.0%}", fontsize=8, ha="center", zorder=3)
    for bus, (px, py) in PLACES.items():
        colour = "#2ca02c" if bus < 4 else "#d62728" if bus in (5, 7, 9) else "#888888"
        axis.plot(px, py, "o", color=colour, markersize=17, zorder=2)
        axis.text(px, py, str(bus), color="white", ha="center", va="center", zorder=3)
    for bus, delivered in zip((1, 2, 3), at[0]):
        px, py = PLACES[bus]
        axis.text(px, py - 0.4 if bus == 1 else py + 0.25, f"{100 * delivered:.0f} MW", ha="center")
    for bus, used in zip((5, 7, 9), at[1]):
        px, py = PLACES[bus]
        axis.text(px * 1.45, py + 0.2, f"-{100 * used:.0f} MW", ha="center")
    axis.set(title="the grid at its heaviest load", aspect="equal", xticks=[], yticks=[])
    axis.set(xlim=(-2.4, 2.4), ylim=(-2.4, 1.5))


def draw(plt):
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
    draw_grid(plt, left)
    for name, colour in zip(dispatch, ("#d62728", "#ff9f40", "#1f77b4")):
        points = 100 * violation[name].numpy(), 100 * excess[name].numpy()
        right.scatter(*points, s=14, color=colour, label=name)
    right.set(xscale="log", title="100 loads", xlabel="largest violation in MW")
    right.set_yscale("symlog", linthresh=1e-3)
    right.set_ylabel("cost above IPOPT's, per cent")
    right.axhline(0, color="#999999", linewidth=0.8)
    right.axvline(1e-6, color="#999999", linewidth=0.8, linestyle=":", label="tolerance")
    right.legend(fontsize=8, loc="lower left")
    figure.savefig(arguments.picture, dpi=120)
    print(f"drawn: {arguments.picture}")


try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    draw(plt)
