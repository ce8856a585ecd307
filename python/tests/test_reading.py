"""Models from files and texts: arguments, messages, mistakes.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import hardnet

RING = "param r >= 0.5, <= 2; var y{1..2} >= -3, <= 3; subject to ring: y[1]^2 + y[2]^2 = r^2;"
SIZED = "param n; param a{1..n}; var y{1..n} >= 0; subject to total: sum{i in 1..n} a[i]*y[i] = 1;"


def test_a_text_gives_names_sizes_and_fingerprints() -> None:
    m = hardnet.Model.from_text(RING)
    assert (m.inputs_count, m.outputs_count, m.rows_count) == (1, 2, 3)
    assert m.input_names == ("r",)
    assert m.output_names == ("y[1]", "y[2]")
    assert m.row_names == ("ring", "y[1]", "y[2]")
    assert len(m.fingerprint) == len(m.names_fingerprint) == 64
    assert m.messages == ()


def test_files_are_read_as_texts_are(tmp_path: pathlib.Path) -> None:
    model, data = tmp_path / "größe.mod", tmp_path / "numbers.dat"
    model.write_text(SIZED)
    data.write_text("param n := 2; param a := 1 3  2 4;")
    m = hardnet.Model.from_file(model, str(data))
    same = hardnet.Model.from_text(SIZED, "param n := 2; param a := 1 3  2 4;")
    assert m.fingerprint == same.fingerprint
    assert m.names_fingerprint == same.names_fingerprint
    assert m.inputs_count == 0


@pytest.mark.parametrize("three", [3, 3.0, "3", np.int64(3), np.float32(3)])
def test_let_gives_values(three: object) -> None:
    m = hardnet.Model.from_text(SIZED, let={"n": three})
    assert m.outputs_count == 3
    assert m.inputs_count == 3


@pytest.mark.parametrize("bad", [None, [1], np.array([1, 2]), True, 1j])
def test_let_refuses_what_is_no_value(bad: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        hardnet.Model.from_text(SIZED, let={"n": bad})


def test_let_of_an_unknown_param_is_an_error() -> None:
    with pytest.raises(hardnet.Error, match="unknown"):
        hardnet.Model.from_text(SIZED, let={"unknown": 3})


def test_a_mistake_names_its_place_and_all_are_told() -> None:
    with pytest.raises(ValueError) as caught:
        hardnet.Model.from_text("var y;\nsubject to a: z <= 1;\nsubject to b: w <= 1;")
    error = caught.value
    assert isinstance(error, hardnet.Error)
    assert (error.code, error.subject, error.line) == ("position", "text", 2)
    assert str(error).startswith("text:2:15: ")
    assert [message.line for message in error.messages] == [2, 3]
    first = error.messages[0]
    assert first.severity == "error"
    assert first.excerpt == "subject to a: z <= 1;"
    assert first.excerpt[first.caret] == "z"
    assert str(first).splitlines()[2].index("^") == 4 + first.caret


def test_warnings_are_given_and_kept() -> None:
    with pytest.warns(hardnet.ModelWarning, match="continuous") as given:
        m = hardnet.Model.from_text("var y integer >= 0;", relax_integrality=True)
    assert given[0].filename == __file__
    assert [message.severity for message in m.messages] == ["warning"]
    with pytest.raises(hardnet.UnsupportedError, match="relax_integrality"):
        hardnet.Model.from_text("var y integer >= 0;")


def test_notes_are_kept_without_a_warning() -> None:
    m = hardnet.Model.from_text("var y >= 0; option solver ipopt; solve; display y;")
    assert m.messages
    assert all(message.severity == "note" for message in m.messages)


def test_a_missing_file_is_an_oserror(tmp_path: pathlib.Path) -> None:
    with pytest.raises(OSError, match="nowhere.mod") as caught:
        hardnet.Model.from_file(tmp_path / "nowhere.mod")
    assert isinstance(caught.value, hardnet.FileError)


def test_a_limit_of_nodes_is_kept() -> None:
    with pytest.raises(hardnet.Error, match="max_nodes"):
        hardnet.Model.from_text("var y{1..1000} >= 0;", max_nodes=100)


def test_a_stranger_s_model_opens_no_other_file(tmp_path: pathlib.Path) -> None:
    (tmp_path / "more.mod").write_text("var z >= 0;")
    path = tmp_path / "m.mod"
    path.write_text("var y >= 0;\ninclude more.mod;")
    assert hardnet.Model.from_file(path).outputs_count == 2
    with pytest.raises(hardnet.Error, match="untrusted"):
        hardnet.Model.from_file(path, untrusted=True)
    endless = "var y >= 0; param k default 0; repeat { let k := k + 1; }"
    with pytest.raises(hardnet.Error, match="more than 800000 steps"):
        hardnet.Model.from_text(endless, untrusted=True)


@pytest.mark.parametrize("bad", [b"var y;", None, 3, ["var y;"]])
def test_what_is_no_text_is_refused(bad: object) -> None:
    with pytest.raises(TypeError):
        hardnet.Model.from_text(bad)
    with pytest.raises((TypeError, OSError)):
        hardnet.Model.from_file(bad if not isinstance(bad, int) else None)


def test_texts_with_a_zero_in_them_are_an_error_not_a_crash() -> None:
    with pytest.raises(ValueError):
        hardnet.Model.from_text("var y >= 0;\0")
    with pytest.raises(ValueError):
        hardnet.Model.from_file("a\0b")
    with pytest.raises(ValueError):
        hardnet.Model.from_text("param n; var y{1..n};", let={"n\0": 3})


def test_a_model_without_outputs_is_an_error() -> None:
    with pytest.raises(hardnet.Error, match="no outputs"):
        hardnet.Model.from_text("param x;")
