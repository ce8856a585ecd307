"""Run in a separate process: a layer with so many iterations, through torch.compile and eager mode.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import sys

import torch
from torch_cases import model, ring_samples

import hardnet.torch


def main() -> None:
    layer = hardnet.torch.Layer(model("ring"), iterations=int(sys.argv[1]))
    y_raw, x = ring_samples(6)
    results = []
    for function in (torch.compile(layer, fullgraph=True), layer):
        start = y_raw.detach().clone().requires_grad_()
        y = function(start, x)
        results.append((y.detach(), *torch.autograd.grad(y.square().sum(), (start,))))
    for found, expected in zip(*results):
        assert torch.equal(found, expected)


if __name__ == "__main__":
    main()
