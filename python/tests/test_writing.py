"""Models as text and back: to_ampl, pickling; the same fingerprints, no blow-up.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import pathlib
import pickle
import subprocess
import sys

import numpy as np
import pytest

import hardnet

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = sorted((ROOT / "models").glob("*.mod"))


def check_round_trip(m: hardnet.Model) -> hardnet.Model:
    again = hardnet.Model.from_text(m.to_ampl())
    assert again.fingerprint == m.fingerprint
    assert again.names_fingerprint == m.names_fingerprint
    assert again.messages == ()
    return again


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_model_files_come_back(path: pathlib.Path) -> None:
    check_round_trip(hardnet.Model.from_file(path))


def rich() -> hardnet.Model:
    """Every function, bounds and starts by inputs, fixed outputs, choices, requirements."""
    m = hardnet.Model()
    x = m.inputs("x", (2, 2), lower=-1, upper=[[1, np.inf], [2, 3]])
    t = m.inputs("t")
    y = m.outputs("y", (3, 2), lower=x[0] - 2, upper=[[np.inf, 4]], start=t)
    z = m.outputs("z", 4, start=[0, 1, -2, 1e-300])
    w = m.outputs("w")
    m.fix(z[1], t + 1)
    inside = y**2 / 7 + 0.5
    many = [
        np.sqrt(inside), np.exp(y), np.log(inside), np.log10(inside), np.sin(y), np.cos(y),
        np.tan(y), np.arcsin(y / 9), np.arccos(y / 9), np.arctan(y), np.sinh(y), np.cosh(y),
        np.tanh(y), np.arcsinh(y), np.arccosh(inside + 1), np.arctanh(y / 9), abs(y), inside**1.5,
        np.arctan2(y, x[0]), np.minimum(y, z[:1]), np.maximum(y, w), 2.0**y, -y, y.prod(axis=0),
        hardnet.where((y > 0) & ~(y >= 1) | (y == 3), y, 1 / inside), y @ x, (y != 2) * y,
    ]  # fmt: skip
    for i, e in enumerate(many):
        m.subject_to(e <= i, name=f"f{i}")
    m.subject_to(y[1:] == y[:-1] * w, name="chain")
    m.subject_to(hardnet.between(-t, z, [1, 2, t, np.inf]), name="within")
    m.require((x[0] <= x[1]) | (t > 0))
    m.require(t != 0.25)
    m.define("speed", hardnet.norm(y, axis=1))
    m.maximize(hardnet.sum(y**2) - w, name="gain")
    return m


def test_a_rich_model_comes_back_and_computes_the_same() -> None:
    m = rich()
    again = check_round_trip(m)
    random = np.random.default_rng(2)
    y, x = random.normal(size=(20, 11)), random.uniform(-1, 1, size=(20, 5))
    for one, other in (
        (m.evaluate(y, x), again.evaluate(y, x)),
        (m.evaluate(x=x), again.evaluate(x=x)),
    ):
        np.testing.assert_array_equal(one.residual, other.residual)
        np.testing.assert_array_equal(one.objective, other.objective)
        np.testing.assert_array_equal(one.start, other.start)
        np.testing.assert_array_equal(one.fixed, other.fixed)
    assert repr(again) == repr(m)


def test_random_models_come_back() -> None:
    random = np.random.default_rng(5)
    for _ in range(40):
        m = hardnet.Model()
        x = m.inputs("x", int(random.integers(1, 4)))
        y = m.outputs("y", int(random.integers(1, 5)), lower=random.normal() - 9)
        pool = [*x, *y, x.sum() * 0.1]
        for _ in range(30):
            a, b = (pool[int(random.integers(len(pool)))] for _ in range(2))
            choice = int(random.integers(8))
            made = [a + b, a - b, a * b, a / (b * b + 1), np.sin(a), abs(a), np.maximum(a, b), -a][
                choice
            ]
            pool.append(made * random.normal() if random.random() < 0.3 else made)
        m.subject_to(hardnet.array(pool[-8:]) <= random.normal(size=8), name="rows")
        m.minimize(pool[-1])
        check_round_trip(m)


def test_shared_expressions_are_written_once() -> None:
    m = hardnet.Model()
    y = m.outputs("y", 2)
    e = y[0]
    for _ in range(60):
        e = e * hardnet.sin(e) + y[1]
    m.subject_to(e == 1, name="deep")
    assert len(m.to_ampl()) < 10_000
    check_round_trip(m)


WORDS = """and or not in within union setof by less div sum min max if then else exists forall
    Infinity integer binary symbolic default dimen complements logical diff symdiff inter cross mod
    prod set param var minimize maximize subject to check let fix unfix data model include end
    display option node arc for repeat sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh
    atanh exp log log10 sqrt abs größe""".split()


@pytest.mark.parametrize("word", WORDS)
def test_names_that_are_words_of_model_files_come_back(word: str) -> None:
    for kind in range(5):
        m = hardnet.Model()
        x = m.inputs(word if kind == 0 else "x", 2)
        y = m.outputs(word if kind == 1 else "y", 2, lower=0)
        e = hardnet.where(y > 0, np.cos(y), np.sqrt(np.minimum(y, x[0]))).sum()
        m.subject_to(e >= hardnet.exp(x), name=word if kind == 2 else "row")
        m.minimize(e + y[0] ** 2, name=word if kind == 3 else "cost")
        m.define(word if kind == 4 else "defined", e * hardnet.log10(abs(e)))
        check_round_trip(m)


def test_models_and_layers_are_pickled_as_text() -> None:
    m = rich()
    again = pickle.loads(pickle.dumps(m))
    assert isinstance(again, hardnet.Model)
    assert (again.fingerprint, again.names_fingerprint) == (m.fingerprint, m.names_fingerprint)
    again.subject_to(again["w"] <= 5, name="more")  # and takes more
    small = hardnet.Model()
    y = small.outputs("y", 2)
    small.subject_to(hardnet.sum(y**2) == 1, name="circle")
    layer = small.layer(tolerance=1e-10)
    other = pickle.loads(pickle.dumps(layer))
    assert other.settings == layer.settings
    np.testing.assert_array_equal(other([3.0, 4.0]).y, layer([3.0, 4.0]).y)


def test_a_pickle_is_read_by_another_process(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "model.pickle"
    m = rich()
    path.write_bytes(pickle.dumps(m))
    code = f"import pickle; print(pickle.load(open({str(path)!r}, 'rb')).fingerprint)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == m.fingerprint


def test_a_model_that_cannot_be_finished_cannot_be_written() -> None:
    m = hardnet.Model()
    m.inputs("x")
    with pytest.raises(hardnet.Error, match="no outputs"):
        m.to_ampl()
    with pytest.raises(hardnet.Error, match="no outputs"):
        pickle.dumps(m)
    with pytest.raises(ValueError, match="not finished"):
        m._open().write()


def test_nan_which_no_text_can_express_is_refused_by_name() -> None:
    m = hardnet.Model()
    y = m.outputs("y")
    with pytest.raises(hardnet.Error, match="constraint undefined: a number in it is NaN"):
        m.subject_to(y * np.nan <= 1, name="undefined")
    assert "undefined" not in m.to_ampl()
