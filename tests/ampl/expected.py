"""Writes expected/*.txt: what every text in texts/ must come out as, from its mathematics typed again in known/*.py.

    python3 tests/ampl/expected.py            write the files
    python3 tests/ampl/expected.py --check    say whether the files are those that would be written

The reader has no part in this. A file is line by line a word and its values: counts, the point (x, y), then at that point c,
its bounds, J and the objective. Rows stand in the order of the constraints' declarations, last index fastest, then the
bounds in the order of the columns.

SPDX-License-Identifier: MIT
"""
import importlib
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOMS = "linear expressions sets declarations data commands inputs nonlinear language".split()


def texts():
    sys.path.insert(0, str(HERE))
    importlib.import_module("known.engine").self_check()
    for room in ROOMS:
        yield from importlib.import_module(f"known.{room}").texts()


def main():
    check, folder, bad = "--check" in sys.argv, HERE / "expected", []
    folder.mkdir(exist_ok=True)
    wanted = {f"{text.name}.txt": "\n".join(text.lines()) + "\n" for text in texts()}
    for name, content in wanted.items():
        path = folder / name
        if not check:
            path.write_text(content)
        elif not path.exists() or path.read_text() != content:
            bad.append(f"{name} is not what expected.py writes")
    bad += [f"{path.name} belongs to no text" for path in folder.glob("*.txt") if path.name not in wanted]
    named = {file for text in wanted.values() for file in text.splitlines()[0].split()[1:]}
    bad += [f"{path.name} has no expected values" for path in (HERE / "texts").glob("*.mod") if path.name not in named]
    print("\n".join(bad) if bad else f"{len(wanted)} texts")
    return 1 if bad else 0


sys.dont_write_bytecode = True
sys.exit(main())
