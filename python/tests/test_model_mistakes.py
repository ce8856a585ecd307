"""Mistakes in building a model: each is refused by name and leaves the model as it was.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import numpy as np
import pytest
from python_unicycle import unicycle

import hardnet


def test_mistakes_are_refused_and_leave_the_model_as_it_was() -> None:
    m = unicycle()
    z, u, z0 = m["z"], m["u"], m["z0"]
    other = hardnet.Model().outputs("y", 3)
    before = m.fingerprint, m.names_fingerprint
    mistakes = [
        (ValueError, "taken", lambda: m.subject_to(z >= 0, name="dynamics")),
        (ValueError, "taken", lambda: m.inputs("z", 3)),
        (ValueError, "taken", lambda: m.outputs("cost")),
        (ValueError, "taken", lambda: m.define("before", z)),
        (ValueError, "cannot be a name", lambda: m.outputs("a b")),
        (ValueError, "cannot be a name", lambda: m.outputs("")),
        (ValueError, "cannot be a name", lambda: m.outputs("a[1]")),
        (ValueError, "cannot be a name", lambda: m.outputs("2y")),
        (ValueError, "cannot be a name", lambda: m.subject_to(z >= 0, name="a`b")),
        (TypeError, "must be a str", lambda: m.outputs(3)),
        (ValueError, "objective already, cost", lambda: m.minimize(z[0, 0])),
        (ValueError, "scalar", lambda: hardnet.Model().minimize([1.0, 2.0])),
        (ValueError, "negative", lambda: m.outputs("n", (2, -1))),
        (TypeError, "integer", lambda: m.outputs("n", 2.5)),
        (ValueError, "broadcast", lambda: m.outputs("n", 3, lower=[1, 2])),
        (ValueError, "no value meets", lambda: m.outputs("n", 3, lower=1, upper=[1, 2, 0])),
        (ValueError, "no value meets", lambda: m.outputs("n", lower=np.nan)),
        (ValueError, "no value meets", lambda: m.outputs("n", lower=np.inf)),
        (ValueError, "not depend on outputs", lambda: m.outputs("n", lower=z[0, 0])),
        (ValueError, "not depend on outputs", lambda: m.outputs("n", start=z[0, 0])),
        (ValueError, "range is empty", lambda: m.inputs("n", lower=1, upper=0)),
        (ValueError, "range is empty", lambda: m.inputs("n", lower=np.nan)),
        (TypeError, "must be numbers", lambda: m.inputs("n", lower=z0[0])),
        (ValueError, "not depend on outputs", lambda: m.fix(z[0, 0], u[0, 0])),
        (ValueError, "not all outputs", lambda: m.fix(z[0, 0] + 1, 2)),
        (ValueError, "not all outputs", lambda: m.fix(z0, 2)),
        (TypeError, "outputs of this model", lambda: m.fix(other, 2)),
        (ValueError, "not all outputs", lambda: m.bound(z + 1, 2)),
        (ValueError, "no value meets", lambda: m.bound(u, lower=3)),
        (ValueError, "not depend on outputs", lambda: m.bound(u, upper=z[0, 0])),
        (TypeError, "outputs of this model", lambda: m.start(3.0, 2)),
        (TypeError, "needs a condition", lambda: m.subject_to()),
        (TypeError, "not True", lambda: m.subject_to(1 <= 2)),
        (TypeError, "not Expression", lambda: m.subject_to(z - 1)),
        (ValueError, "another model", lambda: m.subject_to(other <= 1)),
        (TypeError, "strict", lambda: m.subject_to(z < 1)),
        (TypeError, "strict", lambda: m.subject_to(z > 1)),
        (TypeError, "!=", lambda: m.subject_to(z != 1)),
        (TypeError, "one by one", lambda: m.subject_to((z <= 1) & (z >= 0))),
        (ValueError, "as many names", lambda: m.subject_to(z <= 1, z >= 0, name="a")),
        (ValueError, "cannot be met", lambda: m.subject_to(hardnet.between(2, z, 1))),
        (ValueError, "cannot be met", lambda: m.subject_to(z <= np.nan)),
        (ValueError, "cannot be met", lambda: m.subject_to(z >= np.inf)),
        (ValueError, "not on outputs", lambda: m.subject_to(hardnet.between(z[0, 0], u, 1))),
        (ValueError, "does not hold", lambda: m.subject_to(z[0] - z[0] >= 1)),
        (ValueError, "about inputs", lambda: m.require(z <= 1)),
        (ValueError, "does not hold", lambda: m.require((z0 - z0) > 0)),
        (TypeError, "condition on inputs", lambda: m.require(True)),
        (ValueError, "two models", lambda: m.minimize(other[0])),
        (TypeError, "by name", lambda: m[0]),
    ]
    for kind, text, mistake in mistakes:
        with pytest.raises(kind, match=text):
            mistake()
    assert (m.fingerprint, m.names_fingerprint) == before
    m.subject_to(z >= -9, name="fine")
    assert m.rows_count == 90


def test_a_model_without_outputs_can_be_shown_but_not_used() -> None:
    m = hardnet.Model()
    assert repr(m).startswith("Model: 0 inputs, 0 outputs")
    with pytest.raises(hardnet.Error, match="no outputs"):
        m.layer()
    y = m.outputs("y")
    assert m.layer()([1.0]).ok
    assert y.shape == ()


def test_a_limit_of_nodes_is_told_and_leaves_the_model_as_it_was() -> None:
    m = hardnet.Model(max_nodes=1000)
    y = m.outputs("y", 20)
    calls = [
        lambda: y[:, None] * y,
        lambda: y + np.arange(1000.0)[:, None],
        lambda: np.broadcast_to(y, (50, 20)).sum(),
        lambda: np.ones((400, 20)) @ y,
        lambda: m.outputs("z", 300),
        lambda: m.inputs("z", 300),
        lambda: m.subject_to(np.broadcast_to(y, (50, 20)) >= y[0], name="rows"),
    ]
    for call in calls:
        with pytest.raises(hardnet.Error, match="max_nodes is 1000") as caught:
            call()
        assert (caught.value.code, caught.value.subject) == ("option", "max_nodes")
    m.subject_to(y * y <= 1, name="fine")
    assert m.rows_count == 20
    again = hardnet.Model.from_text("var y{1..20};", max_nodes=1000)
    with pytest.raises(hardnet.Error, match="max_nodes is 1000"):
        _ = again["y"][:, None] * again["y"]
    assert again.rows_count == 0


def test_empty_arrays_are_allowed() -> None:
    m = hardnet.Model()
    m.outputs("none", 0)
    y = m.outputs("y", 2)
    m.subject_to(y[:0] >= 1, name="nothing")
    assert (m.outputs_count, m.rows_count) == (2, 0)


# ---- the extension never trusts its caller ----


def test_the_extension_checks_nodes_and_arrays() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 3)
    core, nodes = m._open(), np.array(y.nodes)
    out, column = np.empty(3, np.uint32), np.arange(3, dtype=np.uint32)
    wrong = [
        lambda: core.apply("add", out, nodes, nodes + 1000),
        lambda: core.apply("add", out, nodes, nodes * 0),
        lambda: core.apply("add", out, nodes, nodes[:2]),
        lambda: core.apply("add", out, nodes),
        lambda: core.apply("add", out[::2], nodes, nodes),
        lambda: core.apply("add", out.astype(np.int64), nodes, nodes),
        lambda: core.apply("nothing", out, nodes, nodes),
        lambda: core.apply("sin", np.broadcast_to(out, (3,)), nodes),
        lambda: core.apply("if", out, nodes, nodes),
        lambda: core.fold("sin", out, nodes),
        lambda: core.fold("sum", out[:2], nodes),
        lambda: core.fold("min", out, nodes[:0]),
        lambda: core.products(np.array([0, 9]), nodes - 1, np.ones(3), nodes, out[:1]),
        lambda: core.products(np.array([0, 2, 1, 3]), nodes - 1, np.ones(3), nodes, out),
        lambda: core.products(np.array([], np.int64), nodes - 1, np.ones(3), nodes, out),
        lambda: core.products(np.array([0, 3]), nodes + 9, np.ones(3), nodes, out[:1]),
        lambda: core.products(np.array([0, 3]), nodes * 0, np.ones(3), nodes, out[:1]),
        lambda: core.products(np.array([0, 3]), column, np.array([1, np.nan, 1]), nodes, out[:1]),
        lambda: core.products(np.array([0, 3]), column, np.ones(2), nodes, out[:1]),
        lambda: core.products(np.array([0, 3]), column, np.ones(3), nodes, out),
        lambda: core.constant(np.zeros(3, np.float32), out),
        lambda: core.outputs("z", (2,), out),
        lambda: core.outputs("z", (-3,), out),
        lambda: core.outputs("z", [3], out),
        lambda: core.outputs("z", (1 << 62, 4), out),
        lambda: core.range(nodes, np.zeros(3), np.ones(3)),
        lambda: core.bounds(nodes, nodes, nodes),
        lambda: core.relate("r", (2,), 0, nodes, nodes),
        lambda: core.values(nodes, 1, np.zeros(0), np.zeros(3), np.zeros(3)),
        lambda: m.core.values(nodes, 2, np.zeros(0), np.zeros(3), np.zeros(3)),
        lambda: m.core.values(nodes, -1, np.zeros(0), np.zeros(3), np.zeros(3)),
        lambda: m.core.values(nodes, 1 << 61, np.zeros(0), np.zeros(3), np.zeros(3)),
        lambda: m.core.apply("sin", out, nodes),
        lambda: m.core.outputs("z", (3,), out),
        lambda: core.fingerprint,
        lambda: m.core.input_parts(out),
        lambda: m.core.output_parts(out, out, out, out, out[:2]),
    ]
    for call in wrong:
        with pytest.raises((TypeError, ValueError, OverflowError)):
            call()
    m.subject_to(y >= 0, name="fine")
    assert m.rows_count == 3
