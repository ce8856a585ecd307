"""Writes exported programs, or runs those of another process, and prints the numbers.

    exported_once.py write FOLDER    exports and traces modules into FOLDER, and runs them here
    exported_once.py read FOLDER     runs the programs in FOLDER, in a process that has made other layers before

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
import sys
import warnings

import torch

import hardnet
import hardnet.torch

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
minimize near: (y[1] - 2)^2 + (y[2] - r)^2 + y[3]^2;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""

LINE = "param r; var y{1..3}; minimize f: y[1]; subject to line: y[1] + y[2] + y[3] = 100 * r;"


class Values(torch.nn.Module):
    """What a model says about outputs."""

    def __init__(self, model: hardnet.Model) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        y = torch.cat([x, x + 1, x - 1], -1)
        cost = hardnet.torch.objective(self.model, y, x)
        return torch.cat([cost.unsqueeze(-1), hardnet.torch.residual(self.model, y, x)], -1)


def network() -> torch.nn.Module:
    torch.manual_seed(3)
    return torch.nn.Sequential(torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3))


class Policy(torch.nn.Module):
    """A network, or none, and its layer."""

    def __init__(self, layer: hardnet.torch.Layer, net: torch.nn.Module | None) -> None:
        super().__init__()
        self.net, self.layer = net, layer

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        raw = torch.cat([x, 2 * x, x.sin()], -1) if self.net is None else self.net(x)
        return self.layer(raw, x)


def modules() -> dict[str, torch.nn.Module]:
    model = hardnet.Model.from_text(RING)
    layer = hardnet.torch.Layer(model, tolerance=1e-10)
    nearest = hardnet.torch.Layer(model, "nearest", weights=[1, 2, 3], relative=True, threads=1)
    own = hardnet.torch.Network.for_model(model, hidden=(8,))
    return {
        "learned": Policy(layer, network()),
        "plain": Policy(layer, None),
        "nearest": Policy(nearest, network()),
        "half": Policy(layer, network().bfloat16()),
        "refined": hardnet.torch.Policy(own, layer, refine=2),
        "values": Values(model),
    }


def inputs(name: str) -> torch.Tensor:
    x = torch.linspace(0.6, 1.9, 5).unsqueeze(-1)
    return x.bfloat16() if name == "half" else x


def say(name: str, function) -> None:
    with torch.no_grad():
        print(name, [float(v).hex() for v in function(inputs(name)).reshape(-1)])


def write(folder: pathlib.Path) -> None:
    made = modules()
    for name, module in made.items():
        x = inputs(name)
        batch = {"x": {0: torch.export.Dim("batch", min=2)}}
        torch.export.save(
            torch.export.export(module, (x[:3],), dynamic_shapes=batch), folder / f"{name}.pt2"
        )
        with torch.no_grad():
            torch.jit.trace(module, (x,)).save(folder / f"{name}.pt")
        say(name, module)
        say(name, module)


def read(folder: pathlib.Path) -> None:
    other = hardnet.Model.from_text(LINE)
    layers = [hardnet.torch.Layer(other, tolerance=1e-3) for _ in range(50)]
    hardnet.torch.objective(other, torch.zeros(3), torch.zeros(1))
    for name in modules_in(folder):
        say(name, torch.export.load(folder / f"{name}.pt2").module())
        say(name, torch.jit.load(folder / f"{name}.pt"))
    assert all(layer.last is None for layer in layers)


def modules_in(folder: pathlib.Path) -> list[str]:
    return sorted((path.stem for path in folder.glob("*.pt2")), key=ORDER.index)


ORDER = ["learned", "plain", "nearest", "half", "refined", "values"]

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    {"write": write, "read": read}[sys.argv[1]](pathlib.Path(sys.argv[2]))
