#!/usr/bin/env python3
"""The paper's step in plain PyTorch and in jitted JAX on the CPU, one thread, by the size of the batch: us per sample and step.

    PYTHONPATH=build/python taskset -c 0 python3 bench/frameworks.py [--rounds R] [--steps K]

The iteration is that of bench/gpu.py, in float64; lines are `series,batch,microseconds`, as in docs/pictures/data/throughput.csv.

SPDX-License-Identifier: MIT
"""

import argparse
import os
import statistics
import time

os.environ["JAX_PLATFORMS"] = "cpu"
os.environ.setdefault(
    "XLA_FLAGS", "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
)

import gpu
import jax
import jax.numpy as jnp
import numpy as np
import torch

BATCHES = (1, 10, 100, 1000)


def median_time(call, rounds):
    call()
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    jax.config.update("jax_enable_x64", True)
    torch.set_num_threads(1)
    by_torch = gpu.Torch(torch.float64, options.steps, "cpu")
    by_jax = gpu.jax_iteration(jnp.float64, options.steps)
    source = np.random.default_rng(1)
    for batch in BATCHES:
        y, x = 0.5 * source.normal(size=(batch, 50)), source.uniform(-1, 1, (batch, 3))
        torch_y, torch_x = torch.tensor(y), torch.tensor(x)
        jax_y, jax_x = jnp.asarray(y), jnp.asarray(x)
        seconds = median_time(lambda: by_torch(torch_y, torch_x), options.rounds)
        print(f"torch_cpu,{batch},{1e6 * seconds / batch / options.steps:.4g}", flush=True)
        seconds = median_time(lambda: by_jax(jax_y, jax_x).block_until_ready(), options.rounds)
        print(f"jax_cpu,{batch},{1e6 * seconds / batch / options.steps:.4g}", flush=True)


if __name__ == "__main__":
    main()
