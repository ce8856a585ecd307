"""What m.check() finds, as data; and how models and checks are shown.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import dataclasses
import html.parser
import json
import pathlib
import subprocess
from typing import Any

import numpy as np
import pytest

import hardnet
from hardnet import Outcome

ROOT = pathlib.Path(__file__).resolve().parents[2]


def conflicting() -> hardnet.Model:
    m = hardnet.Model()
    y = m.outputs("y", 2, start=1)
    m.subject_to(hardnet.sum(y**2) == 1, name="circle")
    m.subject_to(y[0] >= 2, name="far")
    m.subject_to(y[1] <= 5, name="harmless")
    return m


def test_a_conflict_is_found_and_named() -> None:
    found = conflicting().check()
    assert found.conflict is not None
    assert found.conflict.groups == ("circle", "far")
    assert found.conflict.minimal
    assert found.conflict.violated[0][0] in ("circle", "far")
    assert found.correction is not None
    assert found.correction.ok == 0
    assert found.correction.outcomes[0] in (Outcome.LOCALLY_INFEASIBLE, Outcome.STALLED)
    assert not found.ok
    assert any(finding.severity == "warning" for finding in found.findings)
    assert repr(found).splitlines()[1].startswith("  warning: ")
    assert "no common point found of: circle, far" in repr(found)


def test_a_good_model_has_its_numbers_checked() -> None:
    m = hardnet.Model()
    x = m.inputs("x", lower=1, upper=2)
    y = m.outputs("y", 2, lower=-5, start=1)
    twice = m.define("twice", 2 * x)
    m.subject_to(hardnet.sum(y**2) == twice, name="circle")
    m.maximize(y[0] + 1)
    found = m.check()
    assert found.ok
    assert (found.inputs, found.outputs, found.rows) == (1, 2, 3)
    assert found.objective == 2
    assert found.definitions == {"twice": 3.0}
    np.testing.assert_array_equal(found.x[0], [1.5])
    assert found.y.shape == (4, 2)
    np.testing.assert_array_equal(found.row_value, [2, 1, 1])
    np.testing.assert_array_equal(found.violation, [1, 0, 0])
    np.testing.assert_allclose(found.row_norm, [np.sqrt(8), 1, 1])
    assert [group.name for group in found.groups] == ["circle", "y"]
    assert found.groups[0].equalities == 1
    assert found.groups[0].worst == "circle"
    assert found.groups[1].output_bounds
    assert {d.name for d in found.differences if d.checked} >= {
        "jacobian_y",
        "gradient_y",
        "hessian",
    }
    assert all(d.error < 1e-6 for d in found.differences)
    by_name = {d.name: d for d in found.differences}
    assert by_name["jacobian_y"].where.startswith("circle by y[")
    assert found.correction is not None
    assert found.correction.ok == found.correction.count == 4
    assert found.correction.y.shape == (4, 2)
    assert found.rank is not None
    assert found.rank.rank == found.rank.active == 1
    assert found.theorem is not None
    assert found.sizes["jacobian_nonzeros"] == 4
    assert dataclasses.asdict(found)["groups"][0]["name"] == "circle"


def test_dependent_rows_are_named() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    m.subject_to(y[0] + y[1] == 1, name="line")
    m.subject_to(2 * y[0] + 2 * y[1] == 2, name="twice")
    found = m.check()
    assert found.rank is not None
    assert (found.rank.active, found.rank.rank) == (2, 1)
    assert {found.rank.dependent[0].row, *found.rank.dependent[0].others} == {"line", "twice"}
    assert found.findings


def test_points_seeds_and_inputs() -> None:
    m = hardnet.Model()
    x = m.inputs("x", 2, lower=-1, upper=1)
    y = m.outputs("y", 2)
    m.subject_to(y == x, name="same")
    np.testing.assert_array_equal(
        m.check(points=2, x=[[0.1, 0.2], [0.3, 0.4]]).x, [[0.1, 0.2], [0.3, 0.4]]
    )
    assert m.check(points=3).x.shape == (3, 2)
    assert not np.array_equal(m.check(seed=1).x, m.check(seed=2).x)
    np.testing.assert_array_equal(m.check(seed=2).x, m.check(seed=2).x)
    assert m.check(sample_start=True).x[0].any()
    for wrong in (
        {"points": 0},
        {"points": 9},
        {"threads": -1},
        {"seed": "a"},
        {"x": [1.0, 2.0, 3.0]},
    ):
        with pytest.raises((TypeError, ValueError)):
            m.check(**wrong)


COMMAND = ROOT / "build/hardnet"


@pytest.mark.skipif(not COMMAND.exists(), reason="the command hardnet is not built")
@pytest.mark.parametrize("name", ["unicycle", "infeasible", "pooling", "ellipse"])
def test_everything_that_the_command_writes_is_there(name: str, tmp_path: pathlib.Path) -> None:
    path, report = ROOT / f"models/{name}.mod", tmp_path / "report.json"
    subprocess.run([COMMAND, "check", path, "--json", report], capture_output=True, check=True)
    written = json.loads(report.read_text())
    m = hardnet.Model.from_file(path)
    found = m.check()
    assert m.fingerprint == written["fingerprint"]
    assert [
        {
            "kind": f.kind,
            "warning": f.severity == "warning",
            "text": f.text,
            "names": list(f.subjects),
        }
        for f in found.findings
    ] == written["findings"]
    assert [group.name for group in found.groups] == list(written["groups"])
    for group in found.groups:
        other = written["groups"][group.name]
        assert (group.mean, group.max, group.worst) == (other["mean"], other["max"], other["worst"])
        assert group.equalities + group.one_sided + group.two_sided == other["rows"]
    assert found.definitions == written["definitions"]
    check_parts(found, written)


def check_parts(found: hardnet.Check, written: dict[str, Any]) -> None:
    assert found.correction is not None
    runs = written["correction"]["samples"]
    assert [str(outcome) for outcome in found.correction.outcomes] == [r["status"] for r in runs]
    assert list(found.correction.iterations) == [r["iterations"] for r in runs]
    assert list(found.correction.violation) == [r["violation"] for r in runs]
    assert (found.conflict is None) == ("conflict" not in written)
    if found.conflict is not None:
        assert list(found.conflict.groups) == written["conflict"]["groups"]
        assert [row for row, _ in found.conflict.violated] == [
            row["row"] for row in written["conflict"]["violated"]
        ]
    assert found.rank is not None
    assert found.rank.rank == written["rank"]["rank"]
    assert found.rank.largest == written["rank"]["largest_singular_value"]
    assert found.theorem is not None
    assert found.theorem.L == written["theorem_estimates"]["L_at_least"]
    assert (
        found.theorem.at_best.mean == written["theorem_estimates"]["measured_at_best_eps"]["mean"]
    )
    derivative, other = found.differences[0], written["derivative_check"]["jacobian"]
    assert (derivative.error, derivative.checked) == (other["error"], other["checked"])
    assert derivative.where == f"{other['row']} by {other['column']}"


# ---- how models are shown ----


class Cells(html.parser.HTMLParser):
    """The texts of a table, and whether its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.tags.pop() == tag

    def handle_data(self, data: str) -> None:
        self.texts.append(data)


def shown() -> hardnet.Model:
    m = hardnet.Model()
    x = m.inputs("x", 2, lower=[-1, -2], upper=1)
    free = m.inputs("t")
    y = m.outputs("y", (4, 3), lower=-2, upper=free)
    z = m.outputs("z", 2)
    m.fix(z[0], 1.0)
    m.subject_to(y[1:] >= y[:-1], name="up")
    m.subject_to(hardnet.between(-1, y.sum(), 1), name="total")
    m.subject_to(y[:, 0] == x[0], name="start")
    m.require(x[0] <= x[1])
    m.define("speed", y[0] * 2)
    m.maximize(y[0, 0], name="gain")
    return m


SHOWN = """\
Model: 3 inputs, 14 outputs, 26 rows
  input        x      2      [-1, 1] or [-2, 1]
  input        t             free
  output       y      4 x 3  [-2, by inputs]
  output       z      2      free, 1 fixed
  constraint   up     3 x 3  >=
  constraint   total         between
  constraint   start  4      ==
  maximize     gain
  definition   speed  3
  requirement         1      on inputs"""


def test_repr_shows_inputs_outputs_and_groups() -> None:
    assert repr(shown()) == SHOWN


def test_html_is_a_table_of_the_same() -> None:
    cells = Cells()
    cells.feed(shown()._repr_html_())
    assert cells.tags == []
    for text in ("Model: 3 inputs, 14 outputs, 26 rows", "up", "3 × 3", ">=", "maximize", "gain"):
        assert text in cells.texts


def test_models_of_files_are_shown_likewise() -> None:
    m = hardnet.Model.from_text(
        "param a{1..2}; var y{i in 1..3} >= i; s.t. r{i in 1..2}: y[i] <= a[i];"
    )
    assert repr(m).splitlines() == [
        "Model: 2 inputs, 3 outputs, 5 rows",
        "  input       a  2  free",
        "  output      y  3  >= 1 or >= 2 or >= 3",
        "  constraint  r  2  <=",
    ]


def test_many_different_bounds_are_shown_by_their_extent() -> None:
    m = hardnet.Model()
    x = m.inputs("x")
    lower = hardnet.concatenate([np.arange(4.0), x[None]])
    m.outputs("y", 5, lower=lower, upper=[9, 8, 7, 6, np.inf])
    line = "  output  y  5  lower 0 to 3 or by inputs, upper 6 to 9 or free"
    assert repr(m).splitlines()[2] == line


def test_a_model_that_cannot_be_finished_is_shown_with_the_reason() -> None:
    m = hardnet.Model()
    m.inputs("x", 2)
    assert repr(m).splitlines()[-1] == "  (model: no outputs)"
    assert "no outputs" in m._repr_html_()
