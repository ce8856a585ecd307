"""What the formulas are written with: names, boxes of inputs, groups of rows, and the list of all models."""
import pathlib

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[3]
INF = np.inf
MODELS = {}


def model(name, counts, inputs=(), columns=(), start=None, fixed=()):
    """Registers a function (x, y) -> groups, objective and perhaps definitions.

    counts are inputs, columns, rows and nonzeros of J, counted by hand; an input is (name, lower, upper); start is a
    list or a function of x; fixed are columns that hold their start.
    """
    def register(function):
        MODELS[name] = {"counts": counts, "inputs": list(inputs), "columns": list(columns), "start": start,
                        "fixed": set(fixed), "function": function}
        return function
    return register


def names(name, *ranges):
    """names('u', range(2), range(1, 3)) = u[0,1] u[0,2] u[1,1] u[1,2]"""
    out = [""]
    for r in ranges:
        out = [f"{o},{i}" if o else f"{i}" for o in out for i in r]
    return [f"{name}[{o}]" for o in out]


def box(name, ranges, lower, upper):
    """Inputs NAME[...] within bounds, one for all or one each."""
    labels = names(name, *ranges)
    lower, upper = np.broadcast_to(lower, len(labels)), np.broadcast_to(upper, len(labels))
    return list(zip(labels, map(float, lower), map(float, upper)))


def group(name, c, lower=-INF, upper=INF, labels=None):
    """Rows lower <= c <= upper; labels without: one row of the group's own name."""
    c = np.atleast_1d(np.asarray(c))
    return (name, labels or [name], np.broadcast_to(lower, c.shape), c, np.broadcast_to(upper, c.shape))


def equal(name, c, value=0.0, labels=None):
    return group(name, c, value, value, labels)


def numbered(first, count):
    return range(first, first + count)
