"""A controller for a unicycle, trained in PyTorch: network, layer, and the loss that trains best.

The network maps the unicycle's state x to a plan: ten states to come and ten controls. hardnet's
layer corrects the plan, so that it obeys the dynamics, stays out of the obstacle and within the
limits of the controls. Three ways of training the same network are compared:

    improve   loss = improve_loss(layer, net(x), x): the raw plan is drawn towards what the layer and
              one step of refinement make of it; no labels, no penalties to tune
    paper     loss = cost(y), y = paper_layer(net(x), x), through 500 damped steps (HardNet++, 2026)
    penalty   loss = cost(y) + 1000 |violation(y)|^2, y = net(x): no layer at all

A sixth of the states are met on the way: where the plan leads, the next training step begins. So
the controller also knows what comes after the box that it starts from, and drives to the target.

    python unicycle_torch.py --seconds 120 --out y.npy --net net.safetensors
    hardnet eval models/unicycle.mod --net net.safetensors --x data/unicycle/states.npy

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
parser.add_argument("--seconds", type=float, default=120, help="time to train (%(default)g)")
choices = ["improve", "paper", "penalty"]
parser.add_argument("--loss", choices=choices, default="improve", help="(%(default)s)")
parser.add_argument("--compare", action="store_true", help="train all three, for as long each")
parser.add_argument("--seed", type=int, default=1, help="of weights and states (%(default)d)")
parser.add_argument("--out", help="write the plans of the 100 test states to this .npy file")
parser.add_argument("--net", help="write the network to this file, for hardnet eval and rollout")
parser.add_argument("--picture", default="unicycle_torch.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()
torch.set_num_threads(1)  # its threads and the layer's would wait for each other

# %% [markdown]
# The model is a file in the AMPL language: three inputs (the state), fifty outputs (the plan), 60
# rows. `layer` is hardnet's default, which corrects to 1e-8; `paper` takes 500 damped steps.

# %%
root = Path(__file__).resolve().parents[2]
model = hardnet.Model.from_file(root / "models" / "unicycle.mod")
layer = hardnet.torch.Layer(model)
paper = hardnet.torch.Layer(model, "paper")
print(model)


def cost(y, x):
    return hardnet.torch.objective(model, y, x)


def improve(y_raw, x):
    return hardnet.torch.improve_loss(layer, y_raw, x, explore=0.01)


def through_paper(y_raw, x):
    return cost(paper(y_raw, x), x).mean()


def penalty(y_raw, x):
    squares = hardnet.torch.residual(model, y_raw, x).square().sum(-1)
    return (cost(y_raw, x) + 1000 * squares).mean()


losses = {"improve": improve, "paper": through_paper, "penalty": penalty}
finish = {"improve": layer, "paper": paper, "penalty": lambda y_raw, x: y_raw}

# %% [markdown]
# Adam with a warm-up and a rate that falls along a cosine. Weights are kept that are best on
# separate validation states, in which a violation costs 1000 times its square.


# %%
@torch.no_grad()
def validate(net, name, x):
    y = finish[name](net(x), x)
    return (cost(y, x) + 1000 * hardnet.torch.residual(model, y, x).square().sum(-1)).mean().item()


def states(step, met):
    """The next states to train on: fresh ones, and some where the last plans led."""
    x = hardnet.torch.sample_inputs(model, 240, seed=arguments.seed, step=step)
    if met is None:
        return x
    on = torch.rand(40) > 0.05  # a drive ends after 20 steps on average
    x[:40][on] = met[:40][on]
    return x


def train(name, seconds):
    torch.manual_seed(arguments.seed)
    net = hardnet.torch.Network.for_model(model, [256] * 4, seed=arguments.seed)
    optimizer = torch.optim.Adam(net.parameters())
    validation = hardnet.torch.sample_inputs(model, 500, seed=arguments.seed + 1000)
    begun, step, met, least, best, shown = time.perf_counter(), 0, None, math.inf, None, 0
    while (progress := (time.perf_counter() - begun) / seconds) < 1:
        rate = 2e-3 * min(1, (step + 1) / 50) * (0.505 + 0.495 * math.cos(math.pi * progress))
        optimizer.param_groups[0]["lr"] = rate
        x = states(step, met)
        y_raw = net(x)
        loss = losses[name](y_raw, x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        with torch.no_grad():
            met = layer(y_raw, x)[:, :3]  # the first state of the plan
        step += 1
        if step % 50 == 0 or step == 1:
            now = validate(net, name, validation)
            if now < least:
                least, best = now, copy.deepcopy(net.state_dict())
        if progress >= shown:
            print(
                f"{name}: {100 * progress:.0f} %, step {step}, validation {least:.2f}", flush=True
            )
            shown += 0.1
    net.load_state_dict(best)
    net.double()  # float32 is for training; rounded to it, no output holds to 1e-8
    print(
        f"{name}: {step} steps of 240 in {time.perf_counter() - begun:.1f} s, validation {least:.2f}"
    )
    return net


names = list(losses) if arguments.compare else [arguments.loss]
nets = {name: train(name, arguments.seconds) for name in names}

# %% [markdown]
# The 100 test states have played no part so far. IPOPT's costs for them are stored beside them.
# Outputs that violate their constraints can cost less than the optimum; so they are also judged
# after a correction.

# %%
x = torch.from_numpy(np.load(root / "data" / "unicycle" / "states.npy"))
reference = torch.from_numpy(np.load(root / "data" / "unicycle" / "costs.npy"))
plans = {}
print(f"{'':22s}  suboptimality mean, max     largest violation    ok")
with torch.no_grad():
    for name, net in nets.items():
        plans[name] = finish[name](net(x), x)
        if name != "improve":
            plans[f"{name}, corrected"] = layer(plans[name], x)
    for name, y in plans.items():
        excess = (cost(y, x) - reference).clamp_min(0) / reference
        violation = hardnet.torch.violation(model, y, x)
        print(
            f"{name:22s}{excess.mean():12.5f}{excess.max():12.4f}{violation.max():18.1e}"
            f"{(violation <= 1e-8).sum():12d}"
        )
first = names[0]
if arguments.out:
    np.save(arguments.out, plans[first].numpy())
if arguments.net:
    hardnet.torch.save_policy(nets[first], layer, arguments.net)

# %% [markdown]
# In closed loop only the first control of each plan is applied; then the network plans anew. The
# first state of the plan is where that leads, because the plan obeys the dynamics.


# %%
@torch.no_grad()
def drive(net, x, steps=20):
    path = [x]
    for _ in range(steps):
        path.append(layer(net(path[-1]), path[-1])[:, :3])
    return torch.stack(path).numpy()


def draw(plt):
    figure, axes = plt.subplots(1, len(nets), figsize=(5.4 * len(nets), 3.6), squeeze=False)
    angle = np.linspace(0, 2 * np.pi, 200)
    colours = plt.cm.viridis((x[:40, 1].numpy() + 2.4) / 4.8)
    for axis, (name, net) in zip(axes[0], nets.items()):
        axis.fill(1.4 * np.cos(angle), 1.05 * np.sin(angle), color="#d0d0d0")
        for path, colour in zip(drive(net, x[:40]).transpose(1, 0, 2), colours):
            axis.plot(path[:, 0], path[:, 1], color=colour, linewidth=1)
            axis.plot(path[0, 0], path[0, 1], "o", color=colour, markersize=4)
        axis.plot(3.5, 0, "*", color="#d62728", markersize=14)
        axis.set(aspect="equal", title=f"{name}: 40 states in closed loop")
        axis.set(xlim=(-4.3, 4.6), ylim=(-2.7, 2.7))
    figure.tight_layout()
    figure.savefig(arguments.picture, dpi=120)
    print(f"drawn: {arguments.picture}")


try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    draw(plt)
