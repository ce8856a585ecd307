#!/usr/bin/python3
"""scripts/unicycle_states.py OUT.npy   the 100 states of data/unicycle/README.md, made again from the rule there."""
import sys

import numpy


def states(count=100, seed=101):
    random = numpy.random.default_rng(seed)
    kept = []
    while len(kept) < count:
        x = random.uniform([-4.0, -2.4, -0.45], [-2.2, 2.4, 0.45])
        if 0.51020408 * x[0] ** 2 + 0.90702948 * x[1] ** 2 > 1.2:
            kept.append(x)
    return numpy.array(kept).astype(numpy.float32).astype(numpy.float64)


if __name__ == "__main__":
    numpy.save(sys.argv[1], states())
