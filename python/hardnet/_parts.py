"""The parts of the extension's models: their nodes and names.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import math

import numpy as np

from . import _core
from ._expression import Nodes
from ._names import family_name

__all__ = ["definition_nodes", "input_nodes", "names_in", "output_parts", "place_of_nan"]


def output_parts(core: _core.Model) -> list[Nodes]:
    """Nodes of outputs, their bounds, starts and fixed values."""
    parts = [np.empty(core.output_count, np.uint32) for _ in range(5)]
    core.output_parts(*parts)
    return parts


def input_nodes(core: _core.Model) -> Nodes:
    """Nodes of inputs."""
    count = core.input_count
    nodes = np.empty(count, np.uint32)
    core.input_parts(nodes, np.empty(count), np.empty(count))
    return nodes


def definition_nodes(core: _core.Model) -> Nodes:
    """Nodes of definitions."""
    nodes = np.empty(core.definition_count, np.uint32)
    core.named_parts(nodes, np.empty(core.requirement_count, np.uint32))
    return nodes


def names_in(core: _core.Model) -> set[str]:
    """The names of families and of the objective."""
    kinds = ("input", "output", "row", "definition", "requirement")
    names = {family_name(name) for kind in kinds for name in getattr(core, f"{kind}_names")}
    return names if core.goal is None else names | {core.goal[0]}


def place_of_nan(core: _core.Model, nodes: Nodes) -> str | None:
    """The place of the first element below which there is NaN, as "[1,2]"; None: nowhere."""
    clean: set[int] = set()
    for index in np.ndindex(nodes.shape):
        below = [int(nodes[index])]
        while below:
            number = below.pop()
            if number in clean:
                continue
            operator, value, arguments, _ = core.node(number)
            if operator == "constant" and math.isnan(value):
                return f"[{','.join(map(str, index))}]" if index else ""
            clean.add(number)
            below += arguments
    return None
