"""hardnet.train, hardnet.Policy and the command that the package carries.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import hardnet

DISC = """
param radius >= 0.5, <= 2;
var y{1..2} >= -2, <= 2;
maximize gain: 3 - (y[1] - 3)^2 - y[2]^2;
subject to disc: y[1]^2 + y[2]^2 <= radius^2;
subject to line: y[1] + y[2] >= 0.1;
"""
SHORT = {"hidden": (16, 16), "epochs": 2, "steps_per_epoch": 20}
WORDS = ["--hidden=16,16", "--epochs=2", "--steps-per-epoch=20"]


def command(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """`python -m hardnet WORDS...`"""
    return subprocess.run(
        [sys.executable, "-m", "hardnet", *words], capture_output=True, text=True, **options
    )  # type: ignore[call-overload,no-any-return]


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> hardnet.Policy:
    path = tmp_path_factory.mktemp("train") / "net.safetensors"
    return hardnet.train(hardnet.Model.from_text(DISC), path, **SHORT, progress=False)


def test_the_command_has_all_its_verbs(tmp_path: pathlib.Path) -> None:
    done = command("version")
    assert (done.returncode, done.stdout) == (0, f"hardnet {hardnet.__version__}\n")
    verbs = [line.split()[0] for line in command("help").stdout.splitlines() if line[:2] == "  "]
    assert {"check", "project", "train", "eval", "rollout", "emit"} < set(verbs)
    for verb in verbs:
        assert f"hardnet {verb}" in command("help", verb).stdout
    (tmp_path / "disc.mod").write_text(DISC)
    assert command("check", "disc.mod", cwd=tmp_path).returncode == 0
    assert command("chekc", "disc.mod", cwd=tmp_path).returncode == 2


def test_a_training_gives_the_bytes_of_the_command(
    trained: hardnet.Policy, tmp_path: pathlib.Path
) -> None:
    (tmp_path / "disc.mod").write_text(DISC)
    done = command("train", "disc.mod", "--out", "net.safetensors", *WORDS, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "net.safetensors").read_bytes() == pathlib.Path(trained.path).read_bytes()


def test_a_model_written_in_python_trains_to_the_same_bytes(
    trained: hardnet.Policy, tmp_path: pathlib.Path
) -> None:
    m = hardnet.Model()
    radius = m.inputs("radius", lower=0.5, upper=2)
    y = m.outputs("y", 2, lower=-2, upper=2)
    m.subject_to(y[0] ** 2 + y[1] ** 2 <= radius**2, name="disc")
    m.subject_to(y[0] + y[1] >= 0.1, name="line")
    m.maximize(3 - (y[0] - 3) ** 2 - y[1] ** 2, name="gain")
    assert m.fingerprint == trained.model.fingerprint
    policy = hardnet.train(m, tmp_path / "net.safetensors", **SHORT, progress=False)
    x = m.sample_inputs(50)
    assert policy(x).y.tobytes() == trained(x).y.tobytes()


def test_a_policy_satisfies_the_constraints_and_lowers_the_objective(
    trained: hardnet.Policy,
) -> None:
    x = trained.model.sample_inputs(60).reshape(3, 20, 1)
    result = trained(x)
    assert result.y.shape == (3, 20, 2) and result.ok.all() and result.ok.shape == (3, 20)
    at = trained.model.evaluate(result.y, x)
    assert (at.violation <= 1e-8).all()
    np.testing.assert_allclose(result.objective, at.objective, rtol=1e-14)
    start = trained.model.layer()(None, x)
    assert result.objective.mean() > trained.model.evaluate(start.y, x).objective.mean()
    one = trained(x[0, 0])
    assert one.ok and (one.y == result.y[0, 0]).all()
    assert "Policy(inputs=1, outputs=2, hidden=(16, 16)" in repr(trained)
    assert trained.texts["train.hidden"] == "16,16" and "Training" in trained.report


def test_a_policy_computes_what_the_command_computes(
    trained: hardnet.Policy, tmp_path: pathlib.Path
) -> None:
    x = trained.model.sample_inputs(40)
    np.save(tmp_path / "x.npy", x)
    (tmp_path / "disc.mod").write_text(DISC)
    files = ["--net", trained.path, "--x", "x.npy", "--out", "y.npy"]
    done = command("eval", "disc.mod", *files, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert np.load(tmp_path / "y.npy").tobytes() == trained(x).y.tobytes()


def test_a_policy_is_loaded_pickled_and_shared_by_threads(trained: hardnet.Policy) -> None:
    x = trained.model.sample_inputs(30)
    expected = trained(x).y
    loaded = hardnet.Policy.load(trained.path, hardnet.Model.from_text(DISC), threads=1)
    assert (loaded(x).y == expected).all()
    assert (pickle.loads(pickle.dumps(trained))(x).y == expected).all()
    results: list[bool] = []

    def call() -> None:
        results.extend(bool((loaded(x).y == expected).all()) for _ in range(20))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [True] * 80


def test_inputs_and_targets_are_learned_from(tmp_path: pathlib.Path) -> None:
    m = hardnet.Model.from_text(DISC)
    x = m.sample_inputs(64)
    targets = m.layer("optimal")(None, x).y
    short = {"hidden": (16,), "steps": 300, "batch": 32, "progress": False}
    policy = hardnet.train(m, tmp_path / "net.safetensors", x=x, targets=targets, **short)
    assert policy.texts["train.targets"].startswith("64 x 2 numbers")
    assert np.abs(policy(x).y - targets).max() < 0.3


def test_wrong_trainings_are_refused(trained: hardnet.Policy, tmp_path: pathlib.Path) -> None:
    m, out = trained.model, tmp_path / "net.safetensors"
    other = hardnet.Model.from_text("param a >= 0, <= 1; var y; minimize c: y^2;")
    none = hardnet.Model.from_text("param a >= 0, <= 1; var y; subject to c: y >= a;")
    for kind, text, call in (
        (hardnet.InvalidError, "--epochs", lambda: hardnet.train(m, out, epochs=0)),
        (hardnet.InvalidError, "mean --epochs", lambda: hardnet.train(m, out, epoch=3)),
        (hardnet.InvalidError, "--hidden", lambda: hardnet.train(m, out, hidden="wide")),
        (hardnet.InvalidError, "1 x 2 numbers", lambda: hardnet.train(m, out, x=[[1.0, 2.0]])),
        (hardnet.InvalidError, "no objective", lambda: hardnet.train(none, out)),
        (hardnet.InvalidError, "threads", lambda: hardnet.train(m, out, threads=-1)),
        (hardnet.Error, "nowhere", lambda: hardnet.train(m, tmp_path / "nowhere/a", epochs=1)),
        (TypeError, "model must be", lambda: hardnet.train(DISC, out)),
        (TypeError, "batch must be", lambda: hardnet.train(m, out, batch=object())),
        (hardnet.Error, "another model|model", lambda: hardnet.Policy.load(trained.path, other)),
        (hardnet.FileError, "none", lambda: hardnet.Policy.load(tmp_path / "none", m)),
        (hardnet.InvalidError, "x is missing", lambda: trained()),
        (hardnet.InvalidError, r"x\[:, None\]", lambda: trained(np.ones(9))),
    ):
        with pytest.raises(kind, match=text):
            call()
    assert list(tmp_path.iterdir()) == []


def test_a_warning_of_the_command_is_pythons(tmp_path: pathlib.Path) -> None:
    hard = hardnet.Model.from_text(
        "param a >= 0, <= 1; var y; minimize c: y^2; subject to r: y^2 <= a - 0.5;"
    )
    with pytest.warns(RuntimeWarning, match="not ok|infeasible") as caught:
        hardnet.train(hard, tmp_path / "net.safetensors", **SHORT, progress=False)
    assert caught[0].filename == __file__


# ---- progress and Ctrl-C ----

LONG = """
import os, signal, sys, threading
import hardnet
model = hardnet.Model.from_file(sys.argv[1])
path = sys.argv[2]

class Ends:
    '''A standard error that interrupts after the second line about a step.'''
    seen = 0
    def isatty(self): return False
    def flush(self): sys.__stderr__.flush()
    def write(self, text):
        sys.__stderr__.write(text)
        self.seen += text.startswith("hardnet: step")
        if self.seen == 2:
            self.seen = 99
            os.kill(os.getpid(), signal.SIGINT)

sys.stderr = Ends()
try:
    hardnet.train(model, path, epochs=100000, steps_per_epoch=20)
    print("not stopped")
except KeyboardInterrupt as stopped:
    print("stopped:", stopped)
"""


def test_progress_shows_and_ctrl_c_leaves_a_checkpoint(
    root: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    path = tmp_path / "net.safetensors"
    done = subprocess.run(
        [sys.executable, "-c", LONG, root / "models/tasks/cartpole.mod", path],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("stopped: interrupted after step"), done.stdout + done.stderr
    assert "of 2000000, " in done.stderr and " left, loss " in done.stderr
    assert [entry.name for entry in tmp_path.iterdir()] == ["net.safetensors.checkpoint"]


def test_a_training_goes_on_from_its_checkpoint(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "net.safetensors"
    m = hardnet.Model.from_text(DISC)
    part = {**SHORT, "epochs": 1, "keep": True}
    hardnet.train(m, path, **part, progress=False)
    assert (tmp_path / "net.safetensors.checkpoint").exists()
    hardnet.train(m, path, **SHORT, resume=True, progress=False)
    assert hardnet.Policy.load(path, m).texts["train.steps-done"] == "40"


def test_a_command_that_is_killed_is_told(tmp_path: pathlib.Path) -> None:
    m = hardnet.Model.from_text(DISC)
    from hardnet import _command

    began = _command._Verb._follow

    def follow(verb: _command._Verb) -> int:
        os.kill(verb._process.pid, signal.SIGKILL)
        return began(verb)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_command._Verb, "_follow", follow)
        with pytest.raises(hardnet.Error, match="SIGKILL"):
            hardnet.train(m, tmp_path / "net.safetensors", epochs=10000, progress=False)


def test_in_a_terminal_a_step_replaces_the_one_before(monkeypatch: pytest.MonkeyPatch) -> None:
    from hardnet import _command

    class Terminal:
        text = ""

        def isatty(self) -> bool:
            return True

        def flush(self) -> None:
            pass

        def write(self, text: str) -> None:
            self.text += text

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    screen = _command._Screen(True)
    for line in ("hardnet: step 1 of 2", "hardnet: step 2 of 2", "Training"):
        screen.show(line)
    screen.close()
    erase = "\r\033[K"
    assert terminal.text == f"hardnet: step 1 of 2{erase}hardnet: step 2 of 2{erase}Training\n"
