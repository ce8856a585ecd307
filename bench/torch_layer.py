#!/usr/bin/env python3
"""What a call from PyTorch costs beside the library's own, for 1000 samples of the unicycle.

    PYTHONPATH=build/python build/venv/bin/python bench/torch_layer.py [--threads N] [--rounds R]

Calls take turns, so that whatever else the machine does disturbs them alike; the smallest time of
each counts. "library" is the same call on arrays that are there already.

SPDX-License-Identifier: MIT
"""

import argparse
import pathlib
import time

import numpy as np
import torch

import hardnet
import hardnet.torch
from hardnet._layer import REPORT

ROOT = pathlib.Path(__file__).resolve().parent.parent
COUNT = 1000


class Library:
    """The calls of the extension, on arrays that are made once."""

    def __init__(self, layer, y_raw, x):
        self.core = layer.core
        self.x, self.y_raw, self.y = x.numpy(), y_raw.numpy(), np.empty(y_raw.shape)
        self.reports = np.empty(COUNT * REPORT.itemsize, np.uint8)
        self.tape = np.empty(self.core.tape_bytes(COUNT), np.uint8)
        self.grad_y, self.grad_y_raw = np.ones(y_raw.shape), np.empty(y_raw.shape)
        self.grad_x = np.empty(x.shape)

    def forward(self, tape=None):
        self.core.run(COUNT, self.x, self.y_raw, self.y, self.reports, tape=tape)

    def both(self):
        self.forward(self.tape)
        self.core.gradient(
            COUNT, self.x, self.y_raw, self.y, self.reports, self.tape, self.grad_y,
            self.grad_y_raw, grad_x=self.grad_x,
        )  # fmt: skip


def samples(layer, noise):
    """Raw outputs that the layer takes a few steps for: corrected starts with noise."""
    x = hardnet.torch.sample_inputs(layer, COUNT, dtype=torch.float64)
    start = torch.from_numpy(layer.inner(x=x.numpy()).y)
    generator = torch.Generator().manual_seed(1)
    return start + noise * torch.randn(start.shape, dtype=torch.float64, generator=generator), x


def pairs(layer, y_raw, x):
    """What is compared: (name, the library's call, the call from PyTorch)."""
    library = Library(layer, y_raw, x)
    leaves = y_raw.clone().requires_grad_(), x.clone().requires_grad_()
    ones = torch.ones_like(y_raw)

    def forward():
        with torch.no_grad():
            layer(y_raw, x)

    def both():
        torch.autograd.grad(layer(*leaves), leaves, ones)

    compiled = torch.compile(lambda y, x: layer(y, x), fullgraph=True)
    return [
        ("forward", library.forward, forward),
        ("forward with tape", lambda: library.forward(library.tape), lambda: layer(*leaves)),
        ("forward and backward", library.both, both),
        ("the same, compiled", library.both,
         lambda: torch.autograd.grad(compiled(*leaves), leaves, ones)),
    ]  # fmt: skip


def shortest(calls, rounds):
    """The smallest time of each, in us."""
    best = [float("inf")] * len(calls)
    for number in range(rounds + 3):
        for i, call in enumerate(calls):
            begin = time.perf_counter()
            call()
            if number >= 3:
                best[i] = min(best[i], 1e6 * (time.perf_counter() - begin))
    return best


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--threads", type=int, default=1, help="of the layer (1)")
    parser.add_argument("--rounds", type=int, default=200, help="turns of each call (200)")
    parser.add_argument("--noise", type=float, default=0.1, help="on corrected starts (0.1)")
    options = parser.parse_args()
    torch.set_num_threads(1)
    model = hardnet.Model.from_file(ROOT / "models/unicycle.mod")
    layer = hardnet.torch.Layer(model, threads=options.threads)
    y_raw, x = samples(layer, options.noise)
    layer(y_raw, x)
    print(f"{COUNT} samples, {layer.last.iterations.mean():.1f} steps in the mean")
    print(f"{'':24}{'library':>10}{'PyTorch':>10}{'more':>8}")
    for name, library, torch_call in pairs(layer, y_raw, x):
        a, b = shortest([library, torch_call], options.rounds)
        print(f"{name:24}{a:7.0f} us{b:7.0f} us{100 * (b / a - 1):6.1f} %")


main()
