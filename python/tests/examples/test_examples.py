"""The examples of examples/python: each runs for a second or two, and what it writes is judged here.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
FOLDER = ROOT / "examples" / "python"
NEEDS = {
    "conservation": "torch",
    "image": "torch",
    "power_flow": "torch",
    "unicycle_jax": "jax",
    "unicycle_numpy": "numpy",
    "unicycle_torch": "torch",
}


def run(name: str, folder: pathlib.Path, *arguments: str, path: str = "") -> str:
    """What an example prints; it must end well. `path` comes first where modules are looked for."""
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "MPLBACKEND": "Agg"}
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))
    command = [sys.executable, str(FOLDER / f"{name}.py"), *arguments]
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def outputs(name: str, folder: pathlib.Path, *arguments: str) -> tuple[np.ndarray, str]:
    """What an example writes to --out in a second, and what it prints."""
    pytest.importorskip(NEEDS[name])
    text = run(name, folder, "--seconds", "1", "--out", "y.npy", *arguments)
    assert re.search(r"\d %, step \d+, ", text), "no progress is shown while it trains"
    return np.load(folder / "y.npy"), text


def check_plans(y: np.ndarray) -> None:
    """The unicycle's plans for the 100 states, by the equations."""
    x = np.load(ROOT / "data" / "unicycle" / "states.npy")
    z, u = y[:, :30].reshape(-1, 10, 3), y[:, 30:].reshape(-1, 10, 2)
    before = np.concatenate([x[:, None], z[:, :-1]], axis=1)
    speed, heading = u[..., 0], before[..., 2]
    rate = np.stack([speed * np.cos(heading), speed * np.sin(heading), u[..., 1]], axis=-1)
    assert np.abs(before + 0.2 * rate - z).max() <= 1.01e-8
    assert (0.51020408 * z[..., 0] ** 2 + 0.90702948 * z[..., 1] ** 2).min() >= 1 - 1.01e-8
    assert u.min(axis=(0, 1)).tolist() >= [-1.01e-8, -1.5 - 1.01e-8]
    assert (u.max(axis=(0, 1)) <= np.array([2, 1.5]) + 1.01e-8).all()


def test_plans_of_the_numpy_example_hold_the_constraints(tmp_path: pathlib.Path) -> None:
    y, text = outputs("unicycle_numpy", tmp_path, "--net", "net.npz")
    check_plans(y)
    assert "ok 100 of 100" in text
    assert np.load(tmp_path / "net.npz")["arr_0"].shape == (3, 128)


def test_plans_of_the_jax_example_hold_the_constraints(tmp_path: pathlib.Path) -> None:
    y, text = outputs("unicycle_jax", tmp_path, "--net", "net.npz")
    check_plans(y)
    assert "ok 100 of 100" in text
    assert np.load(tmp_path / "net.npz")["arr_0"].shape == (3, 128)


def evaluate(model: str, net: pathlib.Path, x: str, y: np.ndarray) -> None:
    """The command line takes the network, and finds the same outputs to the tolerance."""
    tool = pathlib.Path(os.environ.get("HARDNET_BUILD", ROOT / "build")) / "hardnet"
    if not tool.exists():
        return
    out = net.with_name("evaluated.npy")
    command = [str(tool), "eval", f"models/{model}", "--net", str(net), "--x", x, "--out", str(out)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert np.abs(np.load(out) - y).max() <= 1e-6


def test_the_torch_example_compares_three_losses(tmp_path: pathlib.Path) -> None:
    net = tmp_path / "net.safetensors"
    y, text = outputs("unicycle_torch", tmp_path, "--compare", "--net", str(net))
    check_plans(y)
    rows = [line.split("  ")[0] for line in text.splitlines()]
    assert {"improve", "paper", "paper, corrected", "penalty", "penalty, corrected"} <= set(rows)
    evaluate("unicycle.mod", net, "data/unicycle/states.npy", y)


def test_dispatch_of_the_power_flow_example_balances_at_every_bus(tmp_path: pathlib.Path) -> None:
    net = tmp_path / "net.safetensors"
    y, _ = outputs("power_flow", tmp_path, "--net", str(net))
    x = np.load(ROOT / "data" / "opf" / "loads.npy")
    # Bus 1 feeds bus 4 through a reactance of 0.0576: p = vm1 vm4 sin(va1 - va4) / 0.0576.
    p = y[:, 6] * y[:, 9] * np.sin(y[:, 15] - y[:, 18]) / 0.0576
    assert np.abs(p - y[:, 0]).max() <= 1.01e-8
    lost = y[:, :3].sum(1) - x[:, :3].sum(1)
    assert (lost > 0).all() and (lost < 0.25).all()
    evaluate("opf.mod", net, "data/opf/loads.npy", y)


def test_planets_keep_energy_and_momentum(tmp_path: pathlib.Path) -> None:
    path, _ = outputs("conservation", tmp_path, "--net", "net.pt")
    q, v = path[..., :2], path[..., 2:]
    energy = (v**2).sum(-1) / 2 - 1 / np.linalg.norm(q, axis=-1)
    momentum = q[..., 0] * v[..., 1] - q[..., 1] * v[..., 0]
    assert path.shape == (201, 200, 4)
    assert np.abs(energy - energy[0]).max() <= 201e-12 * 1.1
    assert np.abs(momentum - momentum[0]).max() <= 201e-12 * 1.1
    assert (tmp_path / "net.pt").exists()


def test_arms_seen_in_images_have_links_of_the_right_length(tmp_path: pathlib.Path) -> None:
    y, text = outputs("image", tmp_path, "--net", "net.pt")
    joints = np.concatenate([np.zeros((500, 1, 2)), y.reshape(500, 4, 2)], axis=1)
    lengths = np.linalg.norm(np.diff(joints, axis=1), axis=-1)
    assert "ok 500 of 500" in text
    assert joints[..., 1].min() >= -1.01e-8
    assert lengths.min() >= 0.2 - 1e-7 and lengths.max() <= 0.5 + 1e-7


def test_help_names_the_options(tmp_path: pathlib.Path) -> None:
    options = ("--seconds", "--out", "--net", "--picture")
    text = run("unicycle_numpy", tmp_path, "--help")
    assert all(option in text for option in options)
    for name in NEEDS:  # importing the frameworks of the others takes long
        source = (FOLDER / f"{name}.py").read_text()
        assert all(f'add_argument("{option}"' in source for option in options)


def test_a_picture_is_drawn_where_matplotlib_is_installed(tmp_path: pathlib.Path) -> None:
    pytest.importorskip("matplotlib")
    run("unicycle_numpy", tmp_path, "--seconds", "0.5", "--picture", "drawn.svg")
    assert "<svg" in (tmp_path / "drawn.svg").read_text()


def test_without_matplotlib_an_example_says_so(tmp_path: pathlib.Path) -> None:
    (tmp_path / "matplotlib.py").write_text("raise ImportError('left out by a test')\n")
    text = run("unicycle_numpy", tmp_path, "--seconds", "0.5", path=str(tmp_path))
    assert "no picture: matplotlib is not installed" in text


def test_every_example_is_tested_here() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.py")) == sorted(NEEDS)


# ---- notebooks ----


def test_notebooks_are_those_of_the_scripts() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "notebooks"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", sorted(NEEDS))
def test_a_notebook_runs(name: str) -> None:
    pytest.importorskip(NEEDS[name])
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    if not importlib.util.find_spec("ipykernel"):
        pytest.skip("ipykernel is not installed")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", 4)
    shorter = notebook.cells[1].source.replace('"20"', '"1", "--picture", os.devnull')
    notebook.cells[1].source = shorter.replace("import sys", "import os, sys")
    resources = {"metadata": {"path": str(FOLDER)}}
    nbclient.NotebookClient(notebook, timeout=300, resources=resources).execute()
    assert all(cell.get("execution_count", 1) for cell in notebook.cells)
