#!/usr/bin/env python3
"""The layer on a CUDA device beside the same iteration in plain PyTorch and in jitted JAX.

    PYTHONPATH=build/python python3 bench/gpu.py [--rounds R] [--batches 1000,10000,100000]

The unicycle, models/unicycle.mod, with the paper's step: y <- y - J' (J J' + 0.3 I)^-1 r. Plain PyTorch
and JAX compute it on whole batches, with the Jacobian written by hand and their own batched Cholesky
factorisation; the layer computes all steps of a sample in one thread. Calls take turns in one process;
times are medians from the start of a call until the device is done. Raw outputs are normal numbers
of standard deviation 0.5; inputs are drawn from their box.

SPDX-License-Identifier: MIT
"""

import argparse
import os
import pathlib
import statistics
import time

os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")

import jax
import jax.numpy as jnp
import numpy as np
import torch

import hardnet
import hardnet.jax
import hardnet.torch

ROOT = pathlib.Path(__file__).resolve().parent.parent
STAGES, DT, DAMPING, STEPS = 10, 0.2, 0.3, 500
ELLIPSE = (0.51020408, 0.90702948)
EPOCH, BATCH = 16800, 1000

# ---- the unicycle by hand: outputs are states z[k, 3], then controls u[k, 2] ----


def pattern():
    """The constant part of the Jacobian of the 60 rows, and where its other entries are."""
    constant, places = np.zeros((60, 50)), []
    for k in range(STAGES):
        for i in range(3):
            constant[3 * k + i, 3 * k + i] = 1
            if k > 0:
                constant[3 * k + i, 3 * (k - 1) + i] = -1
        constant[3 * k + 2, 30 + 2 * k + 1] = -DT
        constant[40 + 2 * k, 30 + 2 * k] = constant[41 + 2 * k, 31 + 2 * k] = 1
    places += [(3 * k + i, 30 + 2 * k) for i in range(2) for k in range(STAGES)]
    places += [(3 * k + i, 3 * (k - 1) + 2) for i in range(2) for k in range(1, STAGES)]
    places += [(30 + k, 3 * k + i) for i in range(2) for k in range(STAGES)]
    rows, columns = np.array(places).T
    return constant, rows, columns


def rows_and_entries(lib, join, y, x):
    """The residual of all rows, and the entries of the Jacobian that vary."""
    z, u = y[:, :30].reshape(-1, STAGES, 3), y[:, 30:].reshape(-1, STAGES, 2)
    before = join([x[:, None, :], z[:, :-1]], 1)
    speed, heading = u[..., 0], before[..., 2]
    sine, cosine = lib.sin(heading), lib.cos(heading)
    moves = lib.stack([speed * cosine, speed * sine, u[..., 1]], -1)
    dynamics = (z - before - DT * moves).reshape(-1, 30)
    clear = ELLIPSE[0] * z[..., 0] ** 2 + ELLIPSE[1] * z[..., 1] ** 2 - 1
    low, high = (
        lib.stack([0 * speed, 0 * speed - 1.5], -1),
        lib.stack([0 * speed + 2, 0 * speed + 1.5], -1),
    )
    limits = (u - lib.minimum(lib.maximum(u, low), high)).reshape(-1, 20)
    residual = join([dynamics, lib.minimum(clear, 0 * clear), limits], 1)
    entries = join(
        [-DT * cosine, -DT * sine, (DT * speed * sine)[:, 1:], (-DT * speed * cosine)[:, 1:],
         2 * ELLIPSE[0] * z[..., 0], 2 * ELLIPSE[1] * z[..., 1]], 1,
    )  # fmt: skip
    return residual, entries


class Torch:
    """Plain PyTorch."""

    def __init__(self, dtype, steps, device="cuda"):
        constant, rows, columns = pattern()
        self.constant = torch.tensor(constant, dtype=dtype, device=device)
        self.rows = torch.tensor(rows, device=device)
        self.columns = torch.tensor(columns, device=device)
        self.damping = DAMPING * torch.eye(60, dtype=dtype, device=device)
        self.steps = steps

    def step(self, y, x):
        residual, entries = rows_and_entries(torch, torch.cat, y, x)
        jacobian = self.constant.repeat(len(y), 1, 1)
        jacobian[:, self.rows, self.columns] = entries
        factor, _ = torch.linalg.cholesky_ex(jacobian @ jacobian.mT + self.damping)
        solved = torch.cholesky_solve(residual.unsqueeze(-1), factor)
        return y - (jacobian.mT @ solved).squeeze(-1)

    def __call__(self, y, x):
        with torch.no_grad():
            for _ in range(self.steps):
                y = self.step(y, x)
        return y


def jax_iteration(dtype, steps):
    """The same in JAX, all steps in one compiled program."""
    constant, rows, columns = pattern()
    template = jnp.asarray(constant, dtype)
    damping = DAMPING * jnp.eye(60, dtype=dtype)

    def step(_, state):
        y, x = state
        residual, entries = rows_and_entries(jnp, jnp.concatenate, y, x)
        jacobian = (
            jnp.broadcast_to(template, (y.shape[0], 60, 50)).at[:, rows, columns].set(entries)
        )
        normal = jnp.einsum("bij,bkj->bik", jacobian, jacobian, precision="highest") + damping
        factor = jnp.linalg.cholesky(normal, symmetrize_input=False)
        solved = jax.scipy.linalg.cho_solve((factor, True), residual[..., None])[..., 0]
        return y - jnp.einsum("bij,bi->bj", jacobian, solved, precision="highest"), x

    return jax.jit(lambda y, x: jax.lax.fori_loop(0, steps, step, (y, x))[0])


# ---- measuring ----


def timed(call):
    torch.cuda.synchronize()
    begin = time.perf_counter()
    result = call()
    if isinstance(result, jax.Array):
        result.block_until_ready()
    torch.cuda.synchronize()
    return time.perf_counter() - begin


def medians(calls, rounds):
    """The median time of each call, in seconds; they take turns."""
    for call in calls.values():
        timed(call)
        timed(call)
    times = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            times[name].append(timed(call))
    return {name: statistics.median(each) for name, each in times.items()}


def samples(model, count, seed=1):
    x = hardnet.torch.sample_inputs(model, count, seed, dtype=torch.float64).cuda()
    generator = torch.Generator(device="cuda").manual_seed(seed)
    y = torch.randn(count, 50, dtype=torch.float64, device="cuda", generator=generator)
    return 0.5 * y, x


def as_jax(tensor):
    return jnp.asarray(tensor.cpu().numpy())


def has(layer):
    """Whether this layer can be made on the device."""
    try:
        layer.inner.devices.find(0)
    except hardnet.UnsupportedError:
        return False
    return True


def check_others(model):
    """The three must compute the same: 20 steps in float64."""
    y, x = samples(model, 200)
    ours = hardnet.torch.Layer(model, "paper", iterations=20)(y, x)
    of_torch = (Torch(torch.float64, 20)(y, x) - ours).abs().max().item()
    of_jax = np.abs(
        np.asarray(jax_iteration(jnp.float64, 20)(as_jax(y), as_jax(x))) - ours.cpu().numpy()
    ).max()
    print(f"20 steps in float64 differ by at most {of_torch:.1e} (PyTorch), {of_jax:.1e} (JAX)")


def our_calls(layer, y, x):
    """Forward, and forward and backward; nothing where the device cannot."""
    leaf, ones = y.clone().requires_grad_(), torch.ones_like(y)
    calls = {
        "ours": lambda: layer(y, x),
        "both": lambda: torch.autograd.grad(layer(leaf, x), leaf, ones),
    }
    return calls if has(layer) else {}


def paper_step(model, batches, rounds):
    """us per sample and step of the paper's method."""
    print("\nthe paper's step, us per sample and step (ours: 500 steps a call)")
    print(f"{'batch':>8} {'type':8}{'ours':>10}{'backward':>10}{'PyTorch':>10}{'JAX':>10}")
    for count in batches:
        y64, x64 = samples(model, count)
        for name in ("float32", "float64"):
            dtype = getattr(torch, name)
            y, x = y64.to(dtype), x64.to(dtype)
            few = 10 if count < 50000 else 3
            plain, compiled = Torch(dtype, few), jax_iteration(getattr(jnp, name), few)
            raw, inputs = as_jax(y), as_jax(x)
            calls = our_calls(hardnet.torch.Layer(model, "paper", precision=name), y64, x64)
            calls["torch"] = lambda plain=plain, y=y, x=x: plain(y, x)
            calls["jax"] = lambda compiled=compiled, raw=raw, inputs=inputs: compiled(raw, inputs)
            found = medians(calls, rounds)
            steps = {"ours": STEPS, "both": STEPS, "torch": few, "jax": few}
            cells = "".join(
                f"{1e6 * found[key] / count / steps[key]:10.5f}" if key in found else f"{'-':>10}"
                for key in steps
            )
            print(f"{count:8} {name:8}{cells}", flush=True)


def automatic(model, batches, rounds):
    """auto to 1e-8: us per sample."""
    print("\nauto to 1e-8, us per sample; JAX: our layer in a jitted program")
    print(
        f"{'batch':>8} {'type':8}{'steps':>8}{'ok':>8}{'forward':>10}{'backward':>10}{'in JAX':>10}{'grad':>10}"
    )
    for count in batches:
        y, x = samples(model, count)
        for name in ("float32", "float64"):
            layer = hardnet.torch.Layer(model, precision=name)
            if not has(layer):
                continue
            wrapped = hardnet.jax.layer(layer.inner)
            in_jax = jax.jit(wrapped)
            grad = jax.jit(jax.grad(lambda y, x: wrapped(y, x).sum()))
            raw, inputs = as_jax(y), as_jax(x)
            leaf, ones = y.clone().requires_grad_(), torch.ones_like(y)
            layer(y, x)
            steps, ok = layer.last.iterations.mean(), layer.last.ok.mean()
            found = medians(
                {
                    "ours": lambda: layer(y, x),
                    "both": lambda: torch.autograd.grad(layer(leaf, x), leaf, ones),
                    "jax": lambda: in_jax(raw, inputs),
                    "grad": lambda: grad(raw, inputs),
                },
                rounds,
            )
            each = "".join(f"{1e6 * seconds / count:10.4f}" for seconds in found.values())
            print(f"{count:8} {name:8}{steps:8.1f}{ok:8.4f}{each}", flush=True)


def epoch(model, rounds):
    """An epoch of training in PyTorch, with the layer and without."""
    layer = hardnet.torch.Layer(model)
    net = hardnet.torch.Network.for_model(model).cuda()
    optimizer = torch.optim.Adam(net.parameters(), 1e-4)
    x = hardnet.torch.sample_inputs(model, EPOCH).cuda()

    def train(through):
        for part in x.split(BATCH):
            loss = through(net(part), part).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()

    found = medians(
        {"layer": lambda: train(layer), "network": lambda: train(lambda y, x: y)}, rounds
    )
    more = found["layer"] - found["network"]
    steps = layer.last.iterations.mean()
    print(f"\nan epoch of {EPOCH} samples at batch {BATCH}: {1e3 * found['layer']:.1f} ms with the layer (auto, "
          f"{steps:.1f} steps), {1e3 * found['network']:.1f} ms without: {1e3 * more:.1f} ms of the layer")  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7, help="turns of each call (7)")
    parser.add_argument("--batches", default="1000,10000,100000", help="numbers of samples")
    options = parser.parse_args()
    batches = [int(text) for text in options.batches.split(",")]
    jax.config.update("jax_enable_x64", True)
    model = hardnet.Model.from_file(ROOT / "models/unicycle.mod")
    info = hardnet.torch.Layer(model).inner.devices.find(0).info
    print(
        f"{info['name']}, torch {torch.__version__}, jax {jax.__version__}, driver of CUDA {info['driver']}"
    )
    print(
        f"kernels: {'from the cache' if info['found'] else 'compiled'} in {info['seconds']:.2f} s"
    )
    check_others(model)
    automatic(model, batches, options.rounds)
    epoch(model, options.rounds)
    paper_step(model, batches, options.rounds)


if __name__ == "__main__":
    main()
