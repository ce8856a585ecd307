"""Wrong calls of many kinds: a clear exception each, and the interpreter lives on.

SPDX-License-Identifier: MIT
"""

from __future__ import annotations

import json
import pathlib
import re
import subprocess
import sys
from typing import Any

import pytest
import wrong_calls

PROGRAM = pathlib.Path(wrong_calls.__file__)
WRONG = wrong_calls.everything()
PYTHONS_OWN = {"an outcome that is none"}  # an enum's ValueError; all others are a hardnet.Error


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    """The messages of every wrong call, made in a separate process."""
    done = subprocess.run([sys.executable, PROGRAM], capture_output=True, text=True, timeout=500)
    found = [json.loads(line) for line in done.stdout.splitlines()]
    last = [line["begins"] for line in found if "begins" in line][-1:]
    assert done.returncode == 0 and found[-1].get("survived"), f"it died of {last}: {done.stderr}"
    return found


def test_there_are_many_kinds() -> None:
    names = [wrong.name for wrong in WRONG]
    assert len(set(names)) == len(names) > 100


@pytest.mark.parametrize("wrong", WRONG, ids=lambda wrong: wrong.name.replace("\0", "0"))
def test_it_raises_what_names_the_culprit(wrong: Any, lines: list[dict[str, Any]]) -> None:
    (answer,) = [line for line in lines if line.get("name") == wrong.name]
    kinds = wrong.kind if isinstance(wrong.kind, tuple) else (wrong.kind,)
    assert {kind.__name__ for kind in kinds} & set(answer["kinds"]), answer
    if "ValueError" in answer["kinds"] and wrong.name not in PYTHONS_OWN:
        assert "Error" in answer["kinds"], "not a hardnet.Error"
    assert answer["text"] and re.search(wrong.text, answer["text"]), answer
    assert answer["same"], "the layer gives other bits afterwards"
