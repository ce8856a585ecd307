"""Models and samples that the tests of hardnet.torch share.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import sys

import torch

import hardnet
import hardnet.torch

ROOT = pathlib.Path(__file__).resolve().parents[3]

RING = """
param r >= 0.5, <= 2;
var y{1..3} >= -3, <= 3;
minimize near: (y[1] - 2)^2 + (y[2] - r)^2 + y[3]^2;
subject to ring: y[1]^2 + y[2]^2 = r^2;
subject to above: y[3] >= sin(y[1]) + r;
"""

# As many rows as outputs at most, which the method "hardnet" wants.
CURVE = """
param a{1..2} >= -1, <= 1;
var y{1..4};
minimize size: sum {i in 1..4} y[i]^2;
subject to product: y[1] * y[2] = 1 + a[1]^2;
subject to wave: y[3] + sin(y[4]) = a[2];
"""

FREE = "var y{1..2}; minimize far: -y[1]; subject to circle: y[1]^2 + y[2]^2 = 1;"


def model(name: str) -> hardnet.Model:
    """One of the above by name, or a model file that ships."""
    texts = {"ring": RING, "curve": CURVE, "free": FREE}
    if name in texts:
        return hardnet.Model.from_text(texts[name])
    return hardnet.Model.from_file(ROOT / "models" / f"{name}.mod")


def doubles(*shape: int, seed: int = 1, scale: float = 1.0) -> torch.Tensor:
    """Normal numbers."""
    generator = torch.Generator().manual_seed(seed)
    return scale * torch.randn(*shape, dtype=torch.float64, generator=generator)


def ring_samples(count: int, seed: int = 1) -> tuple[torch.Tensor, torch.Tensor]:
    """Raw outputs and inputs of the ring."""
    generator = torch.Generator().manual_seed(seed + 1000)
    x = 0.5 + 1.5 * torch.rand(count, 1, dtype=torch.float64, generator=generator)
    return doubles(count, 3, seed=seed), x


# ---- what runs in other processes: it must be importable there ----


class Corrected(torch.utils.data.Dataset):
    """Raw outputs that are corrected where they are loaded."""

    def __init__(self, layer: torch.nn.Module, y_raw: torch.Tensor, x: torch.Tensor) -> None:
        self.layer, self.y_raw, self.x = layer, y_raw, x

    def __len__(self) -> int:
        return len(self.y_raw)

    def __getitem__(self, i: int) -> torch.Tensor:
        return self.layer(self.y_raw[i], self.x[i])


class Policy(torch.nn.Module):
    """A small network and its layer."""

    def __init__(self) -> None:
        super().__init__()
        torch.manual_seed(3)
        self.net = torch.nn.Sequential(
            torch.nn.Linear(1, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)
        ).double()
        self.layer = hardnet.torch.Layer(model("ring"), threads=1)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.layer(self.net(x), x)


def train(wrap, part: slice, steps: int = 20, device: str = "cpu") -> dict[str, torch.Tensor]:
    """Weights after some steps of gradient descent on a part of each batch."""
    policy = Policy().to(device)
    aim = torch.tensor([2.0, 0.5, 0.0]).double().to(device)
    wrapped = wrap(policy)
    optimizer = torch.optim.SGD(policy.parameters(), lr=0.05)
    for step in range(steps):
        x = ring_samples(16, seed=step)[1][part].to(device)
        loss = (wrapped(x) - aim).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return {
        name: weights.detach().cpu().clone() for name, weights in policy.net.state_dict().items()
    }


def leave() -> None:
    """End this process here: gloo's threads can outlive their group, and then an ordinary exit now and then aborts."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def ddp_worker(rank: int, world: int, store: str, path: str, device: str = "cpu") -> None:
    """One of `world` processes, which train together; the first writes the weights."""
    from torch import distributed

    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{store}", rank=rank, world_size=world
    )
    wrap = torch.nn.parallel.DistributedDataParallel
    weights = train(wrap, slice(8 * rank, 8 * rank + 8), device=device)
    if rank == 0:
        torch.save(weights, path)
    distributed.barrier()
    distributed.destroy_process_group()
    leave()
