"""A layer inside somebody else's network: an image in, the pose of a robot arm out.

A convolutional network looks at an image of an arm with four links and says where its joints are.
The lengths of the links are known, and no joint is below the floor; the network does not know that.
One line behind it does:

    joints = layer(network(image, lengths), lengths)

The images are drawn by this script: an arm of random lengths and angles, a patch that hides a part
of it, and noise. Compared are the network alone, the same network with the layer added afterwards,
and a network that was trained through the layer.

    python image.py --seconds 60 --out y.npy --net net.pt

SPDX-License-Identifier: MIT
"""

# %%
import argparse
import copy
import math
import time

import numpy as np
import torch
from torch import nn

import hardnet
import hardnet.torch

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("--seconds", type=float, default=60, help="time to train (%(default)g)")
parser.add_argument("--seed", type=int, default=1, help="of weights and images (%(default)d)")
parser.add_argument("--out", help="write the joints of the test images to this .npy file")
parser.add_argument("--net", help="write the network's weights to this file, by torch.save")
parser.add_argument("--picture", default="image.png", help="where to draw (%(default)s)")
arguments = parser.parse_args()
torch.set_num_threads(1)  # its threads and the layer's would wait for each other
LINKS, ROWS, COLUMNS, IMAGES = 4, 24, 36, 4000

# %% [markdown]
# What must hold: every link has its length, and the joints stay above the floor. The arm begins at
# the origin. Lengths are inputs of the layer: each image has its own.

# %%
model = hardnet.Model()
length = model.inputs("length", LINKS, lower=0.2, upper=0.5)
joint = model.outputs("joint", (LINKS, 2), start=0.1)
model.subject_to(joint[:, 1] >= 0, name="floor")
step = joint[1:] - joint[:-1]
model.subject_to(hardnet.sum(joint[0] ** 2) == length[0] ** 2, name="shoulder")
model.subject_to(hardnet.sum(step**2, axis=1) == length[1:] ** 2, name="links")
layer = hardnet.torch.Layer(model)
print(model)

# %% [markdown]
# Images of 24 by 36 pixels. A pixel is bright where it is near a link; the first link is the
# brightest.

# %%
rng = np.random.default_rng(arguments.seed)
torch.manual_seed(arguments.seed)
across, up = torch.linspace(-1.4, 1.4, COLUMNS), torch.linspace(1.7, -0.1, ROWS)
pixels = torch.stack(torch.meshgrid(across, up, indexing="xy"), -1)


def arms(count):
    """Random lengths, and joints of arms that are above the floor."""
    lengths, joints = np.empty((0, LINKS)), np.empty((0, LINKS, 2))
    while len(joints) < count:
        some = rng.uniform(0.2, 0.5, (count, LINKS))
        bend = rng.uniform(-1.2, 1.2, (count, LINKS))
        bend[:, 0] = rng.uniform(0.1, np.pi - 0.1, count)
        angle = np.cumsum(bend, axis=1)
        links = some[..., None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
        ends = np.cumsum(links, axis=1)
        good = (ends[..., 1] >= 0).all(1)
        lengths, joints = (
            np.concatenate([lengths, some[good]]),
            np.concatenate([joints, ends[good]]),
        )
    return tuple(torch.from_numpy(a[:count]).float() for a in (lengths, joints))


def images(joints):
    """What a camera sees of the arms: strokes, a patch in front of them, noise."""
    ends = joints[:, :, None, None]
    begins = torch.cat([torch.zeros_like(ends[:, :1]), ends[:, :-1]], 1)
    along, to_pixel = ends - begins, pixels - begins
    share = ((to_pixel * along).sum(-1) / (along**2).sum(-1)).clamp(0, 1)
    squares = ((to_pixel - share[..., None] * along) ** 2).sum(-1)
    bright = torch.tensor([1.0, 0.85, 0.7, 0.55])[:, None, None]
    image = (bright * torch.exp(-squares / 0.04**2)).amax(1)
    corner = torch.rand(len(joints), 1, 1, 2) * torch.tensor([1.8, 1.0]) + torch.tensor([-1.2, 0.2])
    hidden = ((pixels >= corner) & (pixels < corner + 0.45)).all(-1)
    image = torch.where(hidden, torch.tensor(0.3), image)
    return (image + 0.1 * torch.randn_like(image))[:, None]


def data(count):
    """Images, lengths and joints, drawn in parts to keep memory small."""
    lengths, joints = arms(count)
    return torch.cat([images(part) for part in joints.split(250)]), lengths, joints


# %% [markdown]
# The network, as somebody else might have written it.


# %%
class Eye(nn.Module):
    def __init__(self):
        super().__init__()
        widths = [1, 16, 32, 64]
        self.look = nn.Sequential()
        for n, m in zip(widths, widths[1:]):
            self.look.extend([nn.Conv2d(n, m, 3, stride=2, padding=1), nn.ReLU()])
        self.look.append(nn.Flatten())
        self.think = nn.Sequential(nn.LazyLinear(128), nn.ReLU(), nn.Linear(128, 2 * LINKS))

    def forward(self, image, lengths):
        return self.think(torch.cat([self.look(image), lengths], 1))


def train(net, through, seconds, first, last):
    optimizer = torch.optim.Adam(net.parameters())
    begun, steps, shown = time.perf_counter(), 0, 0
    while (progress := (time.perf_counter() - begun) / seconds) < 1:
        rate = last + (first - last) * 0.5 * (1 + math.cos(math.pi * progress))
        optimizer.param_groups[0]["lr"] = rate * min(1, (steps + 1) / 30)
        some = torch.randint(IMAGES, (64,))
        image = seen[some] + 0.1 * torch.randn(64, 1, ROWS, COLUMNS)
        raw, truth = net(image, lengths[some]), joints[some].flatten(1)
        loss = ((raw - truth) ** 2).mean()
        if through:
            loss = 0.1 * loss + ((layer(raw, lengths[some]) - truth) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        steps += 1
        if progress >= shown:
            print(f"{100 * progress:.0f} %, step {steps}, loss {loss.item():.3g}", flush=True)
            shown += 0.1
    return steps


seen, lengths, joints = data(IMAGES)
net = Eye()
print("steps", train(net, False, arguments.seconds / 2, 2e-3, 5e-4))
through = copy.deepcopy(net)
print("steps without", train(net, False, arguments.seconds / 4, 5e-4, 1e-5))
print("steps through", train(through, True, arguments.seconds / 4, 5e-4, 1e-5))

# %% [markdown]
# 500 test images. Errors are distances of joints, in units in which the links are 0.2 to 0.5 long.

# %%
seen, lengths, joints = data(500)
with torch.no_grad():
    y_raw, y_through = net(seen, lengths).double(), through(seen, lengths).double()
    poses = {"network alone": y_raw, "layer added afterwards": layer(y_raw, lengths.double())}
    poses["trained through the layer"] = layer(y_through, lengths.double())
print(f"ok {layer.last.ok.sum()} of 500")
print(f"{'':27s}{'error of joints':>16s}{'of link lengths':>17s}{'violation, largest':>20s}")
for name, pose in poses.items():
    distance = (pose.reshape(-1, LINKS, 2) - joints).norm(dim=-1)
    chain = torch.cat([pose.new_zeros(500, 1, 2), pose.reshape(-1, LINKS, 2)], 1)
    found = chain.diff(dim=1).norm(dim=-1)
    worst = model.evaluate(pose.numpy(), lengths.double().numpy()).violation.max()
    print(f"{name:27s}{distance.mean():16.4f}{(found - lengths).abs().mean():17.1e}{worst:20.1e}")
if arguments.out:
    np.save(arguments.out, poses["trained through the layer"].numpy())
if arguments.net:
    torch.save(through.state_dict(), arguments.net)


# %%
def draw(plt):
    figure, axes = plt.subplots(2, 6, figsize=(13, 3.3), layout="constrained")
    names, colours = ("network alone", "trained through the layer"), ("#ff5050", "#30d0ff")
    error = (poses[names[0]].reshape(-1, LINKS, 2) - joints).norm(dim=-1).mean(1)
    worst = error[:100].argsort(descending=True)[:6].tolist()
    for row, name, colour in zip(axes, names, colours):
        for axis, i in zip(row, worst):
            axis.imshow(
                seen[i, 0], cmap="gray", extent=(-1.44, 1.44, -0.14, 1.74), vmin=0, vmax=1.2
            )
            truth, pose = joints[i].numpy(), poses[name][i].reshape(LINKS, 2).numpy()
            axis.plot(*np.vstack([[0, 0], truth]).T, color="#ffff80", linewidth=1)
            axis.plot(
                *np.vstack([[0, 0], pose]).T, color=colour, linewidth=2, marker="o", markersize=4
            )
            axis.set(xticks=[], yticks=[], xlim=(-1.44, 1.44), ylim=(-0.14, 1.74))
        row[0].set_ylabel(name, fontsize=8)
    figure.savefig(arguments.picture, dpi=120)
    print(f"drawn: {arguments.picture}")


try:
    import matplotlib.pyplot as plt
except ImportError:
    print("no picture: matplotlib is not installed")
else:
    draw(plt)
