"""Prints what every text in texts/ must come out as, from its mathematics typed again in known/*.py.

    python3 tests/ampl/expected.py

test_texts.c runs it and compares the reader with it; glpsol.py takes the linear texts from it. The reader has no part in
this. After the line "text NAME" each line is a word and its values: counts, the point (x, y), then at that point c,
its bounds, J and the objective. Rows are in the order of the constraints' declarations, last index fastest, then the
bounds in the order of the columns.

SPDX-License-Identifier: MIT
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
MODULES = "linear expressions sets declarations data commands inputs nonlinear language".split()

sys.dont_write_bytecode = True
sys.path.insert(0, str(HERE))


def texts():
    """Name and lines of every text; fails when a file of texts/ belongs to none."""
    importlib.import_module("known.engine").self_check()
    known = [text for module in MODULES for text in importlib.import_module(f"known.{module}").texts()]
    wanted = {text.name: text.lines() for text in sorted(known, key=lambda text: text.name)}
    assert len(wanted) == len(known), "two texts have the same name"
    named = {file for lines in wanted.values() for file in lines[0].split()[1:]}
    missing = sorted(path.name for path in (HERE / "texts").glob("*.mod") if path.name not in named)
    assert not missing, f"no expected values: {missing}"
    return wanted


if __name__ == "__main__":
    for name, lines in texts().items():
        print(f"text {name}", *lines, sep="\n")
