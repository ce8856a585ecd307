"""Models that are wrong: from texts, from files, and written with expressions.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator

import numpy as np
from wrong_case import MODEL, Wrong

import hardnet
from hardnet import _core


def texts() -> Iterator[Wrong]:
    """Wrong models from texts and files."""
    text = hardnet.Model.from_text
    file = hardnet.Model.from_file
    here = str(pathlib.Path(__file__).resolve().parent)
    error = hardnet.Error
    yield Wrong("a text that is a number", lambda: text(3), TypeError, "text")
    yield Wrong("a text that is bytes", lambda: text(b"var y;"), TypeError, "text")
    yield Wrong("a text that is None", lambda: text(None), TypeError, "text")
    yield Wrong("a text with half a character", lambda: text("var \udcff;"), ValueError, ".")
    yield Wrong("a text with a zero", lambda: text("var y;\0 var z;"), ValueError, ".")
    yield Wrong(
        "a mistake in a text", lambda: text("var y; subject to c: y = nobody;"), error, "nobody"
    )
    yield Wrong("bounds that cross", lambda: text("var y >= 2, <= 1;"), error, r"\by\b")
    yield Wrong("no outputs", lambda: text("param p := 3;").layer(), error, "output")
    yield Wrong(
        "a text that nests", lambda: text("var y; subject to c: " + "(" * 10**6), error, "."
    )
    yield Wrong(
        "too many nodes", lambda: text("var y{1..1000} >= 0;", max_nodes=10), error, "nodes"
    )
    yield Wrong(
        "fewer nodes than none",
        lambda: text("var y;", max_nodes=-1),
        (ValueError, OverflowError),
        "max_nodes|negative",
    )
    yield Wrong(
        "a let of None", lambda: text("param n; var y;", let={"n": None}), TypeError, r"\bn\b"
    )
    yield Wrong(
        "a let of a truth", lambda: text("param n; var y;", let={"n": True}), TypeError, r"\bn\b"
    )
    yield Wrong("a let of nobody", lambda: text("var y;", let={"nobody": 1}), error, "nobody")
    yield Wrong(
        "a let that is a list",
        lambda: text("var y;", let=["n=1"]),
        (TypeError, AttributeError),
        ".",
    )
    yield Wrong(
        "a file that is not there", lambda: file("nowhere.mod"), hardnet.FileError, "nowhere.mod"
    )
    yield Wrong("a folder", lambda: file(here), hardnet.FileError, "shared")
    yield Wrong("a file by number", lambda: file(3), TypeError, ".")
    yield Wrong("a file with a zero", lambda: file("a\0b.mod"), ValueError, ".")


def built() -> tuple[hardnet.Model, hardnet.Expression, hardnet.Expression]:
    model = hardnet.Model()
    return model, model.inputs("x", 2, lower=-1, upper=1), model.outputs("y", (2, 3))


def matrices(
    m: hardnet.Model, x: hardnet.Expression, y: hardnet.Expression, other: hardnet.Expression
) -> Iterator[Wrong]:
    """Wrong functions of matrices, and outputs that are not symmetric."""
    square = y[:, :2]
    for name in ("logdet", "trace", "inv", "cholesky"):
        function = getattr(hardnet, name)
        yield Wrong(
            f"{name} of a rectangle", lambda f=function: f(y), ValueError, rf"{name}: .*2, 3"
        )
        yield Wrong(f"{name} of a text", lambda f=function: f("abc"), TypeError, "numbers")
        yield Wrong(f"{name} of a list", lambda f=function: f([y[0], x]), ValueError, "shapes")
    for name in ("logdet", "cholesky"):
        function = getattr(hardnet, name)
        text = rf"{name}: .* \[0,1\] is y\[0,1\] and \[1,0\] is y\[1,0\]"
        yield Wrong(f"{name} without symmetry", lambda f=function: f(square), ValueError, text)
    yield Wrong(
        "a solution that does not fit", lambda: hardnet.solve(square, y[0]), ValueError, "solve"
    )
    yield Wrong("a product of two models", lambda: hardnet.kron(y, other), ValueError, "models")
    yield Wrong("a diagonal of a scalar", lambda: hardnet.diag(y[0, 0]), ValueError, "axes")
    yield Wrong(
        "a symmetric matrix that is not square",
        lambda: m.outputs("s", (2, 3), symmetric=True),
        ValueError,
        r"outputs s: \(2, 3\)",
    )
    yield Wrong(
        "a start that is not symmetric",
        lambda: m.outputs("s", (2, 2), start=[[1, 2], [3, 1]], symmetric=True),
        ValueError,
        r"\[0,1\] is 2 and \[1,0\] is 3",
    )


def expressions() -> Iterator[Wrong]:
    """Wrong models, written with expressions."""
    m, x, y = built()
    _, _, other = built()
    yield Wrong("shapes that differ", lambda: y + np.zeros(7), ValueError, "shape")
    yield Wrong("two models", lambda: y + other, ValueError, "models")
    yield Wrong("an index beyond the end", lambda: y[5], IndexError, "5|bounds")
    yield Wrong("an expression as a truth", lambda: bool(y[0, 0]), TypeError, ".")
    yield Wrong(
        "a condition as a truth", lambda: bool(y[0, 0] <= 1), TypeError, "between|condition"
    )
    yield Wrong("an expression as a number", lambda: float(y[0, 0]), TypeError, ".")
    yield Wrong("an expression and a text", lambda: y + "a", TypeError, ".")
    yield Wrong("an expression and None", lambda: y + None, TypeError, ".")
    yield Wrong("an expression and a complex number", lambda: y * 1j, TypeError, ".")
    yield Wrong("an assignment", lambda: y.__setitem__(0, 1), (TypeError, AttributeError), ".")
    yield Wrong("an expression by its class", lambda: hardnet.Expression(), TypeError, "model")
    yield Wrong(
        "an expression without a beginning", without_beginning, (AttributeError, TypeError), "."
    )
    yield Wrong("a ufunc that models lack", lambda: np.gcd(y, y), TypeError, "gcd")
    yield Wrong("a hash of an expression", lambda: hash(y), TypeError, "hash")
    yield Wrong(
        "an axis that is none", lambda: hardnet.sum(y, axis=4), (ValueError, IndexError), "4"
    )
    yield Wrong("matrices that do not fit", lambda: y @ y, ValueError, "shape|fit|mismatch")
    yield from matrices(m, x, y, other)
    yield Wrong("a name twice", lambda: m.outputs("y", 2), ValueError, r"\by\b")
    yield Wrong("a name that is empty", lambda: m.outputs("", 2), ValueError, "name")
    yield Wrong("a name that is a number", lambda: m.outputs(3, 2), TypeError, "name|str")
    yield Wrong("a name with a zero", lambda: m.outputs("a\0b"), ValueError, "name")
    yield Wrong("a negative shape", lambda: m.outputs("a", -1), ValueError, ".")
    yield Wrong("a shape that is a text", lambda: m.outputs("a", "3"), TypeError, ".")
    yield Wrong(
        "a shape beyond memory",
        lambda: m.outputs("a", (2**40, 2**40)),
        (ValueError, MemoryError, OverflowError),
        ".",
    )
    yield Wrong(
        "more than there may be",
        lambda: hardnet.Model(max_nodes=10).outputs("a", 100),
        hardnet.Error,
        "nodes",
    )
    yield Wrong("an empty range", lambda: m.inputs("b", lower=2, upper=1), ValueError, r"\bb\b")
    yield Wrong(
        "bounds that no value meets", lambda: m.outputs("c", lower=2, upper=1), ValueError, r"\bc\b"
    )
    yield Wrong("a bound that is NaN", lambda: m.outputs("d", lower=np.nan), ValueError, r"\bd\b")
    yield Wrong("a bound of outputs", lambda: m.outputs("e", lower=y[0, 0]), ValueError, "outputs")
    yield Wrong("no condition", lambda: m.subject_to(), TypeError, "condition")
    yield Wrong("a truth as a condition", lambda: m.subject_to(True), TypeError, "condition")
    yield Wrong("a strict condition", lambda: m.subject_to(y < 1), TypeError, "strict")
    yield Wrong("a chain", lambda: m.subject_to(0 <= y[0, 0] <= 1), TypeError, "between")
    yield Wrong("another model's condition", lambda: m.subject_to(other >= 0), ValueError, "model")
    yield Wrong("an objective that is not a scalar", lambda: m.minimize(y), ValueError, "scalar")
    yield Wrong(
        "an objective that is a text", lambda: m.minimize("y"), (TypeError, ValueError), "."
    )
    yield Wrong("a requirement of outputs", lambda: m.require(y[0, 0] >= 0), ValueError, "inputs")
    yield Wrong(
        "outputs to fix that are none", lambda: m.fix(x, 1.0), (ValueError, hardnet.Error), "output"
    )
    yield Wrong("a model of a core", lambda: hardnet.Model(m.core), TypeError, ".")
    yield Wrong(
        "values at a wrong y", lambda: m.evaluate(np.zeros(5), np.zeros(2)), ValueError, r"\by\b"
    )
    yield Wrong("values without x", lambda: m.evaluate(np.zeros(6)), ValueError, r"\bx\b")
    yield Wrong(
        "a Jacobian of nobody",
        lambda: m.jacobian(np.zeros(6), np.zeros(2), wrt="z"),
        ValueError,
        "z",
    )
    yield Wrong("too many points", lambda: m.check(points=1000), ValueError, "points")
    yield Wrong("a part of nobody", lambda: m["nobody"], KeyError, "nobody")
    yield Wrong(
        "a model without a beginning",
        lambda: hardnet.Model.__new__(hardnet.Model).layer(),
        (AttributeError, TypeError),
        ".",
    )
    core = _core.Model(0)
    nodes = np.array([10**6], np.uint32)
    out = np.empty(1, np.uint32)
    yield Wrong(
        "nodes that are none",
        lambda: core.apply("sin", out, nodes),
        (ValueError, hardnet.Error),
        ".",
    )
    yield Wrong(
        "an operator that is none", lambda: core.apply("sinus", out, nodes), ValueError, "sinus"
    )
    yield Wrong(
        "too few operands", lambda: core.apply("add", out, nodes), (TypeError, ValueError), "."
    )
    yield Wrong(
        "constants into a short array", lambda: core.constant(np.zeros(3), out), ValueError, "out"
    )
    yield Wrong(
        "a finished model, added to",
        lambda: MODEL.core.constant(np.zeros(1), out),
        (ValueError, hardnet.Error),
        ".",
    )


def without_beginning() -> object:
    return object.__new__(hardnet.Expression) + 1
