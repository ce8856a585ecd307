"""Models as shown by repr and notebooks.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ._errors import Error
from ._names import families_of

if TYPE_CHECKING:
    from . import _core
    from ._model import Model

__all__ = ["html_of", "text_of"]

Reals = NDArray[np.float64]
Line = tuple[str, str, str, str]  # kind, name, shape, description


_MOST_INTERVALS = 3


def _text(value: float) -> str:
    return "by inputs" if np.isnan(value) else f"{value:g}"


def _interval(lower: float, upper: float) -> str:
    """Bounds; NaN if they depend on inputs."""
    if lower == -np.inf and upper == np.inf:
        return "free"
    if upper == np.inf:
        return f">= {_text(lower)}"
    if lower == -np.inf:
        return f"<= {_text(upper)}"
    return f"[{_text(lower)}, {_text(upper)}]"


def _extent(side: str, values: Reals) -> str:
    """The smallest and the largest of many bounds."""
    finite = values[np.isfinite(values)]
    parts = [f"{float(finite.min()):g} to {float(finite.max()):g}"] if finite.size else []
    parts += ["by inputs"] if np.isnan(values).any() else []
    parts += ["free"] if np.isinf(values).any() else []
    return f"{side} {' or '.join(parts)}"


def _range(lower: Reals, upper: Reals) -> str:
    """Bounds of several: a few intervals, or how far they reach."""
    intervals = list(dict.fromkeys(_interval(low, high) for low, high in zip(lower, upper)))
    if len(intervals) <= _MOST_INTERVALS:
        return " or ".join(intervals)
    return ", ".join([_extent("lower", lower), _extent("upper", upper)])


def _constants(core: _core.Model, nodes: NDArray[np.uint32]) -> Reals:
    """Values of nodes, NaN if not constant."""
    known, values = np.empty(nodes.shape, np.bool_), np.empty(nodes.shape)
    core.constants(nodes, known, values)
    return values


def _input_lines(core: _core.Model) -> Iterator[Line]:
    count = core.input_count
    nodes, lower, upper = np.empty(count, np.uint32), np.empty(count), np.empty(count)
    core.input_parts(nodes, lower, upper)
    for family in families_of(core.input_names).values():
        text = _range(lower[family.index], upper[family.index])
        yield "input", family.name, family.size_text, text


def _output_lines(core: _core.Model, symmetric: frozenset[str]) -> Iterator[Line]:
    parts = [np.empty(core.output_count, np.uint32) for _ in range(5)]
    core.output_parts(*parts)
    lower, upper = _constants(core, parts[1]), _constants(core, parts[2])
    fixed = parts[4] != 0
    for family in families_of(core.output_names, symmetric).values():
        text = _range(lower[family.index], upper[family.index])
        held = int(np.count_nonzero(fixed[np.unique(family.index)]))
        yield "output", family.name, family.size_text, text + (f", {held} fixed" if held else "")


def _group_lines(core: _core.Model) -> Iterator[Line]:
    parts = [np.empty(core.row_count, np.uint32) for _ in range(3)]
    core.row_parts(*parts)
    low, high = _constants(core, parts[0]), _constants(core, parts[2])
    equal = parts[0] == parts[2]
    relations = np.where(
        equal, "==", np.where(low == -np.inf, "<=", np.where(high == np.inf, ">=", "between"))
    )
    names, outputs = core.row_names, set(core.output_names)
    constraint = np.array([name not in outputs for name in names], np.bool_)
    for name, first, count in core.groups:
        rows = np.arange(first, first + count)[constraint[first : first + count]]
        if rows.size == 0:
            continue
        family = families_of([names[i] for i in rows])[name]
        yield "constraint", name, family.size_text, " or ".join(dict.fromkeys(relations[rows]))


def _lines(model: Model) -> tuple[str, list[Line], str]:
    """The headline, the lines, and what is wrong with the model, if anything."""
    wrong = ""
    try:
        core = model.core
    except Error as error:
        core, wrong = model._open(), str(error)
    lines = [*_input_lines(core), *_output_lines(core, model._symmetric)]
    if core.finished:
        lines += _group_lines(core)
    if core.goal is not None:
        lines.append(("maximize" if core.goal[2] else "minimize", core.goal[0], "", ""))
    for family in families_of(core.definition_names).values():
        lines.append(("definition", family.name, family.size_text, ""))
    if core.requirement_count:
        lines.append(("requirement", "", str(core.requirement_count), "on inputs"))
    return _headline(core), lines, wrong


def _headline(core: _core.Model) -> str:
    def some(count: int, word: str) -> str:
        return f"{count} {word}{'' if count == 1 else 's'}"

    sizes = [some(core.input_count, "input"), some(core.output_count, "output")]
    if core.finished:
        sizes.append(some(core.row_count, "row"))
    return "Model: " + ", ".join(sizes)


def text_of(model: Model) -> str:
    """Several lines of text."""
    headline, lines, wrong = _lines(model)
    wide = [max((len(line[i]) for line in lines), default=0) for i in range(4)]
    shown = [
        "  " + "  ".join(part.ljust(width) for part, width in zip(line, wide)).rstrip()
        for line in lines
    ]
    return "\n".join([headline, *shown, *([f"  ({wrong})"] if wrong else [])])


def html_of(model: Model) -> str:
    """A table."""

    def cell(text: Any) -> str:
        return f'<td style="text-align: left">{html.escape(str(text))}</td>'

    headline, lines, wrong = _lines(model)
    rows = "".join(
        f'<tr>{cell(kind)}<td style="text-align: left"><b>{html.escape(name)}</b></td>'
        f"{cell(shape).replace(' x ', ' &times; ')}{cell(text)}</tr>"
        for kind, name, shape, text in lines
    )
    note = f"<p>{html.escape(wrong)}</p>" if wrong else ""
    head = '<tr><th colspan="4" style="text-align: left">' + html.escape(headline) + "</th></tr>"
    return f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>{note}"
