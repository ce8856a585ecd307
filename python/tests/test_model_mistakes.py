"""Mistakes in building a model: each is refused by name and leaves the model as it was.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import re
import subprocess
import sys

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
        (
            hardnet.InvalidError,
            r"outputs n: .* \(2,\) does not fit",
            lambda: m.outputs("n", 3, lower=[1, 2]),
        ),
        (hardnet.InvalidError, "inputs n: .* does not fit", lambda: m.inputs("n", 3, upper=[1, 2])),
        (hardnet.InvalidError, "does not fit", lambda: m.start(z[0], [1, 2, 3, 4])),
        (hardnet.InvalidError, "does not fit", lambda: m.fix(z[0], [1, 2, 3, 4])),
        (hardnet.InvalidError, "does not fit", lambda: m.bound(z[0], lower=[1, 2, 3, 4])),
        (ValueError, "no value meets", lambda: m.outputs("n", 3, lower=1, upper=[1, 2, 0])),
        (ValueError, "outputs n: .* is NaN", lambda: m.outputs("n", lower=np.nan)),
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
        (ValueError, r"constraint c1\[0,0\]: .* is NaN", lambda: m.subject_to(z <= np.nan)),
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
        with pytest.raises(hardnet.Error, match=r"raise max_nodes \(1000") as caught:
            call()
        assert (caught.value.code, caught.value.subject) == ("option", "max_nodes")
    m.subject_to(y * y <= 1, name="fine")
    assert m.rows_count == 20
    again = hardnet.Model.from_text("var y{1..20};", max_nodes=1000)
    with pytest.raises(hardnet.Error, match=r"raise max_nodes \(1000"):
        _ = again["y"][:, None] * again["y"]
    assert again.rows_count == 0


HUGE = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
import numpy as np, hardnet
m = hardnet.Model()
y = m.outputs("y", 2000)
long = np.broadcast_to(y[:1], (10**9,))
for call in (
    lambda: m.outputs("z", 10**9),
    lambda: m.inputs("z", 10**9),
    lambda: m.outputs("z", (2000, 3, 10**6), lower=0, upper=1),
    lambda: m.inputs("z", (2**40, 2**40)),
    lambda: y[:, None, None] * y[:, None] * y,
    lambda: long <= 1,
    lambda: hardnet.between(0, long, 1),
    lambda: m.define("d", long),
):
    try:
        call()
        print("accepted")
    except hardnet.InvalidError as error:
        print(error)
"""


def test_a_shape_that_is_too_large_is_refused_before_memory_is_taken(sanitized: bool) -> None:
    if sanitized:
        pytest.skip("AddressSanitizer reserves more than the limit of this test")
    done = subprocess.run([sys.executable, "-c", HUGE], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    limit = r"\d+ elements may take more nodes .*; raise max_nodes \(20000000, .*\)"
    assert len(lines) == 8 and all(re.search(limit, line) for line in lines), lines
    assert lines[0].startswith("z: 1000000000 elements")


def test_nan_is_refused_where_a_part_is_added_and_named() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x", lower=0, upper=1), m.outputs("y", (2, 2))
    nan = np.array([[0, 0], [np.nan, 0]])
    mistakes = [
        (r"constraint speed\[1,0\]", lambda: m.subject_to(y + nan <= 1, name="speed")),
        (r"constraint c1\[1,0\]", lambda: m.subject_to(hardnet.between(-1, y * nan, 1))),
        ("constraint c1:", lambda: m.subject_to(hardnet.sin(y[0, 0] + 2 * nan[1, 0]) == x)),
        (
            r"constraint w\[0\]",
            lambda: m.subject_to(hardnet.where(y[0] > 0, y[0], np.nan) <= 1, name="w"),
        ),
        (
            r"constraint g\[1\]",
            lambda: m.subject_to(hardnet.log(hardnet.array([y[0, 0], -1])) <= 1, name="g"),
        ),
        ("objective cost:", lambda: m.minimize(y[0, 0] * np.nan)),
        (r"definition d\[1,0\]", lambda: m.define("d", y + nan)),
        (r"outputs u\[0\]", lambda: m.outputs("u", 2, upper=x + np.nan)),
        ("a requirement", lambda: m.require(x + np.nan <= 1)),
    ]
    for text, mistake in mistakes:
        with pytest.raises(hardnet.InvalidError, match=text + ".* is NaN"):
            mistake()
    assert (m.rows_count, m.outputs_count) == (0, 4)
    m.subject_to(y <= 1, name="fine")
    assert m.layer()(np.zeros(4), [0.0]).ok


def test_masked_elements_are_refused_and_their_absence_is_not() -> None:
    m = hardnet.Model.from_text("param r; var y{1..3}; subject to c: y[1] <= r;")
    y = m["y"]
    some = np.ma.masked_array([1.0, 2.0, 3.0], [True, False, False])
    layer = m.layer()
    for call in (
        lambda: y * some,
        lambda: y <= some,
        lambda: some @ y,
        lambda: layer(some, [1.0]),
        lambda: m.evaluate(some, [1.0]),
        lambda: m.pack(y=some),
        lambda: hardnet.where(np.ma.masked_array([True, False, True], some.mask), y, 0),
    ):
        with pytest.raises(hardnet.InvalidError, match="masked elements: fill them"):
            call()
    with pytest.raises(TypeError, match="masked"):
        _ = some * y
    none = np.ma.masked_array([1.0, 2.0, 3.0])
    assert layer(none, [1.0]).ok and (y * none).shape == (3,)


def test_an_unknown_name_lists_the_names_there_are() -> None:
    m = hardnet.Model.from_text("param radius; var y{1..3}; subject to c: y[1] <= radius;")
    for name, text in (
        ("nope", "nope; there are radius, y"),
        ("radus", "did you mean radius?"),
        ("y[4]", r"did you mean y\[\d\]?"),
    ):
        with pytest.raises(KeyError, match=text) as caught:
            m[name]
        assert isinstance(caught.value, hardnet.Error) and caught.value.subject == name
    assert "nope" not in m


def test_the_name_of_a_file_is_no_text() -> None:
    with pytest.raises(hardnet.InvalidError, match="use hardnet.Model.from_file"):
        hardnet.Model.from_text("models/unicycle.mod")


def test_pythons_max_is_told_apart_from_ours() -> None:
    y = hardnet.Model().outputs("y", 3)
    with pytest.raises(TypeError, match=r"hardnet\.max\(y\)"):
        max(y)


def test_a_column_of_samples_is_suggested() -> None:
    m = hardnet.Model.from_text("param r; var y{1..3}; subject to c: y[1] <= r;")
    for call in (m.layer(), m.evaluate):
        with pytest.raises(hardnet.InvalidError, match=r"for 1000 samples write x\[:, None\]"):
            call(np.zeros((1000, 3)), np.zeros(1000))


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
