"""Expressions as text in Python's notation, as shown by print.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._expression import Nodes
    from ._model import Model

__all__ = ["text_of"]

MOST_DEPTH = 12
MOST_TERMS = 6

# Operator precedence: an operand of lower precedence is put in parentheses.
_COMPARED, _OR, _AND, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(8)

_JOINED = {
    "sub": (" - ", _SUM),
    "mul": (" * ", _PRODUCT),
    "div": (" / ", _PRODUCT),
    "pow": ("**", _POWER),
    "less": (" < ", _COMPARED),
    "less_equal": (" <= ", _COMPARED),
    "equal": (" == ", _COMPARED),
    "not_equal": (" != ", _COMPARED),
    "and": (" & ", _AND),
    "or": (" | ", _OR),
}

_CALLED = {"if": "where", "min": "minimum", "max": "maximum"}


class _Writer:
    """Writes expressions of one model."""

    def __init__(self, model: Model) -> None:
        self.core = model._open()
        self.names = {
            "input": self.core.input_names,
            "output": self.core.output_names,
            "defined": self.core.definition_names,
        }

    def text(self, node: int, depth: int = 0) -> tuple[str, int]:
        """A node's text, and how tightly it binds."""
        operator, value, arguments, coefficients = self.core.node(node)
        if operator == "constant":
            return f"{value:g}", _ATOM if value >= 0 else _SIGN
        if operator in self.names:
            return self.names[operator][int(value)], _ATOM
        if depth > MOST_DEPTH:
            return "...", _ATOM
        if operator in ("sum", "add"):
            return self.sum(arguments, depth), _SUM
        if operator == "linear":
            return self.sum(arguments, depth, coefficients), _SUM
        if operator == "mul" and arguments[0] == arguments[1]:
            return f"{self.inner(arguments[0], _POWER + 1, depth)}**2", _POWER
        if operator == "neg":
            return f"-{self.inner(arguments[0], _SIGN, depth)}", _SIGN
        if operator == "not":
            return f"~{self.inner(arguments[0], _SIGN, depth)}", _SIGN
        if operator in _JOINED:
            sign, tight = _JOINED[operator]
            first, second = arguments
            if operator == "mul" and self.core.node(second)[0] == "constant":
                first, second = second, first
            left = self.inner(first, tight + (operator == "pow"), depth)
            return f"{left}{sign}{self.inner(second, tight + 1, depth)}", tight
        listed = ", ".join(self.text(argument, depth + 1)[0] for argument in arguments)
        return f"{_CALLED.get(operator, operator)}({listed})", _ATOM

    def inner(self, node: int, tight: int, depth: int) -> str:
        """An argument, in parentheses where it binds less."""
        text, own = self.text(node, depth + 1)
        return text if own >= tight else f"({text})"

    def term(self, node: int, factor: float, depth: int) -> str:
        """An argument of a sum, times a number."""
        if abs(factor) == 1:
            sign = "-" if factor < 0 else ""
            return sign + self.inner(node, _SIGN if sign else _SUM + 1, depth)
        return f"{factor:g} * {self.inner(node, _PRODUCT + 1, depth)}"

    def sum(
        self, terms: tuple[int, ...], depth: int, factors: tuple[float, ...] | None = None
    ) -> str:
        """Terms with their signs; of many the first ones and the last."""
        pairs = list(zip(terms, factors or (1.0,) * len(terms)))
        shown = [self.term(node, factor, depth) for node, factor in pairs[:MOST_TERMS]]
        if len(pairs) > MOST_TERMS:
            shown = [*shown[:-2], "...", self.term(*pairs[-1], depth)]
        text = shown[0]
        for term in shown[1:]:
            text += f" - {term[1:]}" if term.startswith("-") else f" + {term}"
        return text


def text_of(model: Model, nodes: Nodes) -> str:
    """An array of expressions as NumPy shows arrays; of many elements the outer ones."""
    writer = _Writer(model)

    def one(node: Any) -> str:
        return writer.text(int(node))[0]

    if nodes.ndim == 0:
        return one(nodes[()])
    return np.array2string(
        nodes, separator=", ", threshold=12, edgeitems=2, formatter={"int_kind": one}
    )
