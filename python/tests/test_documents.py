"""What the documents and docstrings show runs, and what the package offers is described.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import os
import pathlib
import pkgutil
import re
import subprocess
import sys
import warnings

import pytest

import hardnet

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOCUMENTS = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")))
FRAMEWORKS = ("torch", "jax")


def needs(text: str) -> None:
    """Skips where a framework that the text is about cannot be imported."""
    for name in FRAMEWORKS:
        used = re.search(rf"\bimport {name}\b|\bhardnet\.{name}\b|^from {name}\b", text, re.M)
        if used and "asan" in os.environ.get("LD_PRELOAD", ""):
            pytest.skip(f"{name} does not run under a preloaded AddressSanitizer")
        if used and importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} cannot be imported; make test-python installs it")


# ---- docstrings ----

MODULES = [module.name for module in pkgutil.walk_packages(hardnet.__path__, "hardnet.")]


@pytest.mark.parametrize("name", ["hardnet", *(n for n in MODULES if not n.endswith("_core"))])
def test_examples_in_docstrings_run(
    name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(name)
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = importlib.import_module(name)
        found = doctest.testmod(module, optionflags=doctest.ELLIPSIS, raise_on_error=False)
    assert found.failed == 0


def test_every_public_class_and_function_has_a_docstring() -> None:
    bare = []
    for name in hardnet.__all__:
        thing = getattr(hardnet, name)
        if not (thing.__doc__ or "").strip():
            bare.append(name)
        for part, value in vars(thing).items() if isinstance(thing, type) else ():
            described = isinstance(value, property) or callable(value)
            if not part.startswith("_") and described and not (value.__doc__ or "").strip():
                bare.append(f"{name}.{part}")
    assert not bare


# ---- documents ----


def sections(document: str) -> list[tuple[str, str]]:
    """The Python in each section of a document, joined, with the section's heading."""
    found = []
    for part in re.split(r"^## ", (ROOT / document).read_text(), flags=re.M):
        heading, _, body = part.partition("\n")
        body = re.sub(r"^<!-- not run: .*? -->\n```.*?^```$", "", body, flags=re.M | re.S)
        blocks = re.findall(r"^```python\n(.*?)^```$", body, re.M | re.S)
        if blocks:
            found.append((f"{document}: {heading}", "\n".join(blocks)))
    return found


SECTIONS = [section for document in DOCUMENTS for section in sections(document)]


@pytest.mark.parametrize("heading, text", SECTIONS, ids=[heading for heading, _ in SECTIONS])
def test_the_python_of_a_section_runs(heading: str, text: str, tmp_path: pathlib.Path) -> None:
    """Lines `# prints: TEXT` say what the print in the line before prints."""
    needs(text)
    for folder in ("models", "data"):
        (tmp_path / folder).symlink_to(ROOT / folder)
    done = subprocess.run(
        [sys.executable, "-c", text], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr
    promised = re.findall(r"#\s+prints: ?(.*)$", text, re.M)
    assert [line.rstrip() for line in promised] == [
        line.rstrip() for line in done.stdout.splitlines()
    ]


def test_the_documents_have_python() -> None:
    assert len(sections("docs/python.md")) >= 8 and len(sections("README.md")) == 1


# ---- the list of names ----


def described() -> set[str]:
    """The names in the table of docs/python.md, `| `hardnet.NAME` | ... |`."""
    table = re.search(
        r"^## All names\n(.*?)(?=^## |\Z)", (ROOT / "docs/python.md").read_text(), re.M | re.S
    )
    assert table, "docs/python.md has a section All names"
    return set(re.findall(r"`hardnet\.(\w+)", table.group(1)))


def test_all_names_are_described_and_no_others() -> None:
    assert described() == {*hardnet.__all__, *FRAMEWORKS}
    assert all(hasattr(hardnet, name) for name in hardnet.__all__)


def test_nothing_else_looks_public() -> None:
    modules = {name for name, value in vars(hardnet).items() if isinstance(value, type(sys))}
    shown = {name for name in vars(hardnet) if not name.startswith("_")} - modules
    assert shown == set(hardnet.__all__) | (shown & {"Any", "TYPE_CHECKING", "annotations"})
