"""Models written in Python: parts and names, rows as in model files, more after use.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import copy
import os
import pathlib
import time

import numpy as np
import pytest
from python_unicycle import unicycle

import hardnet

MODELS = pathlib.Path(__file__).resolve().parents[2] / "models"


def same(m: hardnet.Model, text: str) -> bool:
    """Whether the mathematics is that of a text."""
    return m.fingerprint == hardnet.Model.from_text(text).fingerprint


# ---- the unicycle ----


def test_the_unicycle_in_python_is_the_unicycle_of_the_model_file() -> None:
    m = unicycle()
    path = MODELS / "unicycle.mod"
    if not path.exists():
        pytest.skip("the model files are not here")
    of_file = hardnet.Model.from_file(path)
    assert m.rows_count == of_file.rows_count == 60
    assert m.fingerprint == of_file.fingerprint
    assert m.row_names[:4] == ("dynamics[0,0]", "dynamics[0,1]", "dynamics[0,2]", "dynamics[1,0]")
    x, y = np.array([-3.0, 0.4, 0.1]), np.random.default_rng(1).normal(size=50)
    np.testing.assert_array_equal(m.evaluate(y, x).residual, of_file.evaluate(y, x).residual)
    assert m.evaluate(y, x).objective == of_file.evaluate(y, x).objective
    np.testing.assert_array_equal(m.layer()(y, x).y, of_file.layer()(y, x).y)


def test_the_example_of_the_documentation() -> None:
    m = hardnet.Model()
    x = m.inputs("x", 2, lower=-1, upper=1)
    y = m.outputs("y", (10, 3), lower=-2)
    m.subject_to(y[1:, 0] == y[:-1, 0] + 0.1 * hardnet.cos(y[:-1, 2]), name="dynamics")
    m.subject_to(1 <= hardnet.sum(y[:, :2] ** 2, axis=1), name="obstacle")
    m.minimize(hardnet.sum((y - x[0]) ** 2))
    assert same(
        m,
        """param x{0..1} >= -1, <= 1;
        var y{0..9, 0..2} >= -2;
        minimize cost: sum{i in 0..9, j in 0..2} (y[i,j] - x[0])^2;
        subject to dynamics{k in 0..8}: y[k+1,0] = y[k,0] + 0.1*cos(y[k,2]);
        subject to obstacle{k in 0..9}: 1 <= sum{j in 0..1} y[k,j]^2;""",
    )
    result = m.layer()(np.random.default_rng(1).normal(size=(20, 30)), np.zeros(2))
    assert result.ok.all()


# ---- rows as the reader of model files makes them ----

ROWS = [
    (lambda x, y: y[0] <= 1, "y[0] <= 1"),
    (lambda x, y: 1 >= y[0], "1 >= y[0]"),
    (lambda x, y: y[0] == x, "y[0] = x"),
    (lambda x, y: x == y[0], "x = y[0]"),
    (lambda x, y: x <= y[0] * y[1], "x <= y[0]*y[1]"),
    (lambda x, y: y[0] >= y[1], "y[0] >= y[1]"),
    (lambda x, y: y[0] + x == y[1] * 2, "y[0] + x = y[1]*2"),
    (lambda x, y: x + 1 >= y[1] ** 2, "x + 1 >= y[1]^2"),
    (lambda x, y: hardnet.between(x - 1, y[0] ** 3, x**2 + 1), "x - 1 <= y[0]^3 <= x^2 + 1"),
    (lambda x, y: hardnet.between(1, y[0] - y[1], 2), "1 <= y[0] - y[1] <= 2"),
    (
        lambda x, y: y[0] / 3 == hardnet.where(x > 0, y[1], -y[1]),
        "y[0]/3 = if x > 0 then y[1] else -y[1]",
    ),
    (lambda x, y: abs(y[0]) <= hardnet.maximum(x, 1), "abs(y[0]) <= max(x, 1)"),
]


@pytest.mark.parametrize(("condition", "text"), ROWS, ids=[text for _, text in ROWS])
def test_a_row_is_that_of_the_model_file(condition: object, text: str) -> None:
    m = hardnet.Model()
    x, y = m.inputs("x"), m.outputs("y", 2)
    m.subject_to(condition(x, y), name="row")
    read = hardnet.Model.from_text(f"param x; var y{{0..1}}; subject to row: {text};")
    assert m.fingerprint == read.fingerprint
    assert m.names_fingerprint == read.names_fingerprint


def test_each_element_takes_the_side_that_has_outputs() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x"), m.outputs("y", 3)
    m.subject_to(hardnet.array([x, y[0], 2.0]) <= hardnet.array([y[0], y[1], y[2]]), name="r")
    assert same(
        m,
        "param x; var y{0..2}; s.t. a: x <= y[0]; s.t. b: y[0] <= y[1]; s.t. c: 2 <= y[2];",
    )


def test_bounds_starts_fixed_values_and_ranges() -> None:
    m = hardnet.Model()
    x = m.inputs("x", (), -1, 1)
    w = m.inputs("w", 2, lower=[0, -np.inf])
    y = m.outputs("y", 3, lower=x - 1, upper=[1, 2, np.inf], start=[x, 1, 2])
    z = m.outputs("z", upper=5)
    m.fix(y[1], x + 3)
    m.start(z, w[0])
    m.maximize(y[0] * z, name="profit")
    m.require(hardnet.array([w[0] - w[1] <= 1, x + w[0] != 0]) == 1)
    read = hardnet.Model.from_text(
        """param x >= -1, <= 1; param w{i in 0..1}; param hi{0..2} default Infinity;
        var y{i in 0..2} >= x - 1, <= if i = 0 then 1 else if i = 1 then 2 else Infinity,
            := if i = 0 then x else if i = 1 then x + 3 else 2;
        var z <= 5, := w[0];
        maximize profit: y[0]*z; fix y[1];
        check: w[0] - w[1] <= 1; check: x + w[0] != 0;"""
    )
    at, other = m.evaluate(x=[0.5, 1, 1]), read.evaluate(x=[0.5, 1, 1])
    np.testing.assert_array_equal(at.start, other.start)
    np.testing.assert_array_equal(at.fixed, [np.nan, 3.5, np.nan, np.nan])
    np.testing.assert_array_equal(at.lower, other.lower)
    np.testing.assert_array_equal(at.upper, other.upper)
    assert at.objective == other.objective == 0.5
    assert m.row_names == (
        "y[0]",
        "y[1]",
        "y[2]",
        "z",
    )  # y[1] is fixed at x + 3: its bounds are a row
    assert "maximize" in repr(m)


def test_bounds_can_be_set_later() -> None:
    m = hardnet.Model()
    x, y = m.inputs("x"), m.outputs("y", (2, 2), lower=0)
    m.bound(y[1], lower=x, upper=[1, 2])
    m.bound(y[0, 1], upper=5)
    assert same(
        m,
        """param x; var a >= 0; var b >= 0, <= 5; var c >= x, <= 1; var d >= x, <= 2;""",
    )


def test_names_of_rows_are_their_places() -> None:
    m = hardnet.Model()
    y = m.outputs("y", (2, 2))
    m.subject_to(y.sum() == 1, name="one")
    m.subject_to(y[0] <= 1, y >= 0)
    m.subject_to(y[1] <= 1)
    m.subject_to(y[0, 0] >= 0, y[0, 1] >= 0, name=["a", "b"])
    assert m.row_names == (
        "one",
        *("c1[0]", "c1[1]"),
        *("c2[0,0]", "c2[0,1]", "c2[1,0]", "c2[1,1]"),
        *("c3[0]", "c3[1]"),
        *("a", "b"),
    )
    assert m.groups["c2"] == slice(3, 7)


def test_unnamed_constraints_do_not_take_names_that_are_there() -> None:
    m = hardnet.Model()
    c1 = m.outputs("c1", 2)
    m.subject_to(c1 >= 0)
    m.subject_to(c1 <= 0)
    assert set(m.groups) == {"c2", "c3"}


def test_parts_by_name() -> None:
    m = unicycle()
    assert m["z"].shape == (10, 3)
    assert m["u[3,1]"].shape == ()
    assert m["u[3,1]"].nodes == m["u"][3, 1].nodes
    assert m["stage"].shape == ()
    assert m["error"].shape == (10, 3)
    assert "z" in m
    assert "z[0,1]" in m
    assert "nothing" not in m
    assert 0 not in m
    with pytest.raises(KeyError):
        m["nothing"]
    with pytest.raises(KeyError):
        m["z[99,1]"]
    read = hardnet.Model.from_text("var y{i in 1..3, j in i..3}; var z{{'a', 'b'}}; var w;")
    assert read["y"].shape == (6,)
    assert read["z"].shape == (2,)
    assert read["w"].shape == ()


def test_packing_and_unpacking() -> None:
    m = unicycle()
    y = np.random.default_rng(1).normal(size=(4, 5, 50))
    parts = m.unpack(y)
    assert parts["z"].shape == (4, 5, 10, 3)
    assert parts["u"].shape == (4, 5, 10, 2)
    assert parts["z"].base is not None  # not copied
    np.testing.assert_array_equal(parts["z"], m.value(m["z"], y, np.zeros(3)))
    np.testing.assert_array_equal(m.pack(**parts), y)
    packed = m.pack(z=y[0, 0, :30].reshape(10, 3), u=parts["u"])
    np.testing.assert_array_equal(packed[2, 3, :30], y[0, 0, :30])
    assert m.unpack_inputs([1.0, 2.0, 3.0])["z0"].tolist() == [1, 2, 3]
    np.testing.assert_array_equal(m.pack_inputs(z0=[1, 2, 3]), [1, 2, 3])
    scalar = hardnet.Model.from_text("var a; var b{i in 1..2, j in 1..i}; var c;")
    assert scalar.unpack(np.arange(5.0))["c"] == 4
    np.testing.assert_array_equal(scalar.pack(a=1, b=[2, 3, 4], c=[[5], [6]]).shape, (2, 1, 5))
    for wrong in (
        lambda: m.unpack(y[..., 1:]),
        lambda: m.unpack(1.0),
        lambda: m.pack(z=parts["z"]),
        lambda: m.pack(**parts, w=1),
        lambda: m.pack(z=parts["z"], u=parts["z"]),
        lambda: m.pack(z=parts["z"][1:], u=parts["u"]),
        lambda: m.pack(z="a", u=parts["u"]),
    ):
        with pytest.raises((TypeError, ValueError)):
            wrong()


def test_inputs_are_sampled_from_their_box() -> None:
    m = unicycle()
    x = m.sample_inputs(500, seed=3)
    assert x.shape == (500, 3)
    assert (x >= [-4, -2.4, -0.45]).all()
    assert (x <= [-2.2, 2.4, 0.45]).all()
    assert (0.51020408 * x[:, 0] ** 2 + 0.90702948 * x[:, 1] ** 2 >= 1.2).all()
    np.testing.assert_array_equal(x, m.sample_inputs(500, seed=3))
    assert not np.array_equal(x, m.sample_inputs(500, seed=4))
    assert not np.array_equal(x, m.sample_inputs(500, seed=3, step=1))
    assert m.sample_inputs(0).shape == (0, 3)
    for wrong in (-1, 1.5, None, 2**63):
        with pytest.raises((TypeError, ValueError, MemoryError)):
            m.sample_inputs(wrong)
    with pytest.raises(ValueError):
        m.sample_inputs(1, seed=-1)
    with pytest.raises(ValueError):
        m.sample_inputs(1, step=-1)


# ---- more after use ----


def test_a_model_takes_more_after_it_was_used() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    m.subject_to(y[0] + y[1] == 1, name="line")
    layer = m.layer()
    first = layer([3.0, 4.0])
    m.subject_to(y[0] >= 2, name="right")
    assert layer.model.row_names == ("line",)
    assert str(first.worst) in ("", "line")
    assert m.row_names == ("line", "right")
    second = m.layer()([3.0, 4.0])
    assert second.ok
    assert second.y[0] >= 2 - 1e-8
    assert m.evaluate([3.0, 4.0]).rows.tolist() == [7.0, 3.0]
    z = m.outputs("z")
    m.subject_to(z == y[0])
    assert m.evaluate([3.0, 4.0, 5.0]).rows.tolist() == [7.0, 3.0, 2.0]


def test_a_model_from_a_file_takes_more() -> None:
    m = hardnet.Model.from_text("param a; var y{1..3} >= 0; s.t. total: sum{i in 1..3} y[i] = a;")
    before = m.fingerprint
    other = m.copy()
    m.subject_to(m["y"][0] == 2 * m["y"][1], name="ratio")
    assert m.row_names == ("total", "ratio", "y[1]", "y[2]", "y[3]")
    assert other.fingerprint == before
    assert same(
        m,
        """param a; var y{1..3} >= 0; s.t. total: sum{i in 1..3} y[i] = a;
        s.t. ratio: y[1] = 2*y[2];""",
    )
    with pytest.raises(ValueError, match="taken"):
        m.subject_to(m["y"] >= 1, name="total")


def test_copies_are_independent() -> None:
    m = unicycle()
    for other in (copy.copy(m), copy.deepcopy(m), m.copy(), m.snapshot()):
        assert other.fingerprint == m.fingerprint
        assert other.names_fingerprint == m.names_fingerprint
        other.subject_to(other["z"][0] >= -9, name="more")
        assert other.rows_count == m.rows_count + 3


# ---- size ----


# Of processor time, which a busy machine does not change much; sanitizers do.
SLOWER = 10 if "LD_PRELOAD" in os.environ else 1


def test_large_models_are_built_in_about_a_second() -> None:
    count = 100_000
    begin = time.process_time()
    m = hardnet.Model()
    y = m.outputs("y", count, lower=-1, upper=1)
    m.subject_to(y[1:] == y[:-1] + 0.1 * hardnet.cos(y[:-1]), name="dynamics")
    m.minimize(hardnet.sum(y**2))
    assert m.rows_count == 2 * count - 1
    seconds = time.process_time() - begin
    assert seconds < 2 * SLOWER, f"{seconds:.2f} s"  # 0.4 s on an idle core


def test_a_long_loop_of_scalars_is_bearable() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2000)
    begin = time.process_time()
    total = y[0]
    for i in range(1, 2000):
        total = total + y[i] * y[i - 1]
        m.subject_to(total >= 0)
    seconds = time.process_time() - begin
    assert seconds < 0.5 * SLOWER, f"{seconds:.2f} s"  # 0.06 s on an idle core
