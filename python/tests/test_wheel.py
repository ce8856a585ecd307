"""The wheel holds what it should, and runs on every CPython from 3.10.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import email
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = {
    name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "LD_PRELOAD")
}

if "PYTHONPATH" in os.environ:
    pytest.skip("this build's package is not a wheel", allow_module_level=True)


@pytest.fixture(scope="module")
def wheel() -> pathlib.Path:
    found = list((ROOT / "build/wheel").glob("*.whl"))
    assert len(found) == 1, "scripts/python wheel leaves one wheel in build/wheel"
    return found[0]


@pytest.fixture(scope="module")
def extension(wheel: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    folder = tmp_path_factory.mktemp("wheel")
    with zipfile.ZipFile(wheel) as archive:
        return pathlib.Path(archive.extract("hardnet/_core.abi3.so", folder))


def version() -> str:
    header = (ROOT / "include/hardnet/base.h").read_text()
    return ".".join(re.findall(r"#define HN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))


def package_files() -> Iterator[str]:
    for path in (ROOT / "python/hardnet").rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".so":
            yield path.relative_to(ROOT / "python").as_posix()


def nm(extension: pathlib.Path, which: str) -> set[str]:
    done = subprocess.run(
        ["nm", "-D", which, extension], check=True, capture_output=True, text=True, env=LAUNCH
    )
    return {line.split()[-1].split("@")[0] for line in done.stdout.splitlines()}


def test_one_wheel_serves_all_versions(wheel: pathlib.Path) -> None:
    assert re.fullmatch(rf"hardnet-{version()}-cp310-abi3-linux_\w+\.whl", wheel.name)


def test_it_holds_the_package_the_extension_and_the_licence(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        info = f"hardnet-{version()}.dist-info"
        assert archive.read(f"{info}/licenses/LICENSE") == (ROOT / "LICENSE").read_bytes()
        modes = {entry.filename: entry.external_attr >> 16 for entry in archive.infolist()}
    ours = {*package_files(), "hardnet/_core.abi3.so", "hardnet/_bin/hardnet"}
    assert modes["hardnet/_bin/hardnet"] & 0o111 == 0o111
    assert {"hardnet/py.typed", "hardnet/_core.pyi", "hardnet/__init__.py"} < ours
    assert names == ours | {
        f"{info}/{name}"
        for name in ("METADATA", "RECORD", "WHEEL", "entry_points.txt", "licenses/LICENSE")
    }


def test_pip_installs_the_command(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    """Into a separate folder: a script hardnet, and python -m hardnet."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target"]
    subprocess.run([*pip, tmp_path, wheel], check=True, capture_output=True, env=LAUNCH)
    inside = {**LAUNCH, "PYTHONPATH": str(tmp_path)}
    for command in ([tmp_path / "bin/hardnet"], [sys.executable, "-m", "hardnet"]):
        done = subprocess.run([*command, "version"], capture_output=True, text=True, env=inside)
        assert (done.returncode, done.stdout) == (0, f"hardnet {version()}\n"), done.stderr


def test_the_command_needs_the_c_library_only(wheel: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        program = archive.extract("hardnet/_bin/hardnet", tmp_path)
    done = subprocess.run(
        ["readelf", "-d", program], check=True, capture_output=True, text=True, env=LAUNCH
    )
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)
    assert set(libraries) <= {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2"}
    assert not re.search(r"R(UN)?PATH", done.stdout)


def test_it_depends_on_numpy_only(wheel: pathlib.Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = email.message_from_bytes(archive.read(f"hardnet-{version()}.dist-info/METADATA"))
    needs = metadata.get_all("Requires-Dist", [])
    assert [need for need in needs if "extra ==" not in need] == ["numpy>=1.22"]
    assert set(metadata.get_all("Provides-Extra", [])) == {"torch", "jax"}
    assert metadata["Version"] == version() and metadata["Requires-Python"] == ">=3.10"


def test_the_extension_uses_the_stable_interface_of_3_10(extension: pathlib.Path) -> None:
    abi3info = pytest.importorskip("abi3info")
    kept = {
        symbol.name
        for table in (abi3info.FUNCTIONS, abi3info.DATAS)
        for symbol, entry in table.items()
        if (entry.added.major, entry.added.minor) <= (3, 10)
    }
    used = {name for name in nm(extension, "--undefined-only") if re.match(r"_?Py", name)}
    assert "PyModuleDef_Init" in used and len(kept) > 500
    assert not used - kept


def test_the_extension_shows_one_name_and_needs_the_c_library_only(extension: pathlib.Path) -> None:
    assert nm(extension, "--defined-only") == {"PyInit__core"}
    done = subprocess.run(
        ["readelf", "-d", extension], check=True, capture_output=True, text=True, env=LAUNCH
    )
    libraries = re.findall(r"\(NEEDED\).*\[(.*)\]", done.stdout)
    assert set(libraries) <= {"libc.so.6", "libm.so.6", "libpthread.so.0"}
    assert not re.search(r"R(UN)?PATH", done.stdout)


def test_the_source_archive_holds_what_a_build_needs(tmp_path: pathlib.Path) -> None:
    hook = "import sys, scikit_build_core.build as build; print(build.build_sdist(sys.argv[1]))"
    subprocess.run(
        [sys.executable, "-c", hook, tmp_path], cwd=ROOT, check=True, capture_output=True
    )
    (archive,) = tmp_path.iterdir()
    with tarfile.open(archive) as source:
        names = {name.split("/", 1)[1] for name in source.getnames()}
    tops = {name.split("/")[0] for name in names}
    assert tops == {
        "CHANGELOG.md",
        "CITATION.cff",
        "CMakeLists.txt",
        "CONTRIBUTING.md",
        "LICENSE",
        "PKG-INFO",
        "README.md",
        "SECURITY.md",
        "cmake",
        "include",
        "pyproject.toml",
        "python",
        "src",
        "tools",
    }
    assert {"python/src/core_module.c", "python/tests/test_wheel.py", "src/base/memory.c"} < names
    assert not [name for name in names if re.search(r"\.(so|o|pyc|npy|whl)$|__pycache__", name)]


# ---- other interpreters ----

SMOKE = """
import sys, numpy, hardnet
model = hardnet.Model.from_text("param r; var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= r^2;")
layer = model.layer()
result = layer([[3.0, 4.0], [0.1, 0.2]], [[1.0], [1.0]], tape=True)
assert result.ok.all() and abs(numpy.hypot(*result.y[0]) - 1) < 1e-7
assert layer.gradient(result, numpy.ones((2, 2))).y_raw.shape == (2, 2)
try:
    hardnet.Model.from_text("var y; subject to c: z = 1;")
    sys.exit("no error")
except hardnet.Error as error:
    assert "z" in str(error)
print(result.y.tobytes().hex())
"""


def interpreters() -> list[str]:
    """CPythons from 3.10 on, one per minor version, besides the one that runs this."""
    found: dict[tuple[int, int], str] = {}
    pyenv = pathlib.Path(os.environ.get("PYENV_ROOT", pathlib.Path.home() / ".pyenv"))
    for minor in range(10, 20):
        paths = [
            *sorted(pyenv.glob(f"versions/3.{minor}.*/bin/python3.{minor}")),
            shutil.which(f"python3.{minor}"),
        ]
        if paths[0] and minor != sys.version_info.minor:
            found[3, minor] = str(paths[0])
    return list(found.values())


def environment(python: str) -> pathlib.Path | None:
    """A virtual environment of that interpreter with NumPy, kept in build/; None when there can be none."""
    folder = ROOT / "build" / f"venv-{pathlib.Path(python).name}"
    inside = folder / "bin/python"
    if not inside.exists():
        subprocess.run([python, "-m", "venv", folder], capture_output=True, env=LAUNCH)
    for _ in range(2 if inside.exists() else 0):
        if (
            subprocess.run(
                [inside, "-c", "import numpy"], capture_output=True, env=LAUNCH
            ).returncode
            == 0
        ):
            return inside
        subprocess.run(
            [inside, "-m", "pip", "install", "-q", "numpy"], capture_output=True, env=LAUNCH
        )
    return None


def smoke(python: str | pathlib.Path, wheel: pathlib.Path, folder: pathlib.Path) -> str:
    """What the few lines above print when they use the wheel, unpacked."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder)
    done = subprocess.run(
        [python, "-c", SMOKE],
        capture_output=True,
        text=True,
        env={**LAUNCH, "PYTHONPATH": str(folder)},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("python", interpreters())
def test_it_runs_on_other_versions(
    python: str, wheel: pathlib.Path, tmp_path: pathlib.Path
) -> None:
    inside = environment(python)
    if inside is None:
        pytest.skip(f"no virtual environment with NumPy can be made for {python}")
    assert smoke(inside, wheel, tmp_path / "other") == smoke(
        sys.executable, wheel, tmp_path / "this"
    )
