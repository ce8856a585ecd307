"""For every linear text, GNU glpsol's own reader must agree: rows, columns, nonzeros and each coefficient by name.

    python3 tests/ampl/glpsol.py        exit status 77 when glpsol (Debian: glpk-utils) is missing

A text is linear when its expectations say so, and then a line of its opening comment is `# linear`. Where it needs more of the
language than GNU MathProg has, mathprog/ holds the same model in MathProg's words. glpsol counts the objective among the
rows, and bounds of variables are no rows there; both are taken into account.

SPDX-License-Identifier: MIT
"""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from expected import texts

HERE = pathlib.Path(__file__).resolve().parent


def plain(name):
    return name.replace("'", "")  # Buy['soy milk']


def expectation(lines):
    """What the expectations of a text say about constraints: columns, rows, and coefficients by (row name, column name)."""
    columns, rows, entries, files = {}, {}, {}, []
    for line in lines:
        word, *rest = line.split(" ", 2)
        if word == "files":
            files = line.split()[1:]
        elif word == "name_column":
            columns[rest[0]] = plain(rest[1])
        elif word == "name_row":
            rows[rest[0]] = plain(rest[1])
        elif word == "J":
            column, value = rest[1].split()
            entries[rest[0], column] = float(value)
    bounds = {i for i, name in rows.items() if name in columns.values()}
    matrix = {(rows[i], columns[j]): value for (i, j), value in entries.items() if i not in bounds}
    return files, set(columns.values()), {rows[i] for i in rows if i not in bounds}, matrix


def generated(files, folder):
    """The same from glpsol; the counts that it prints are checked against the problem that it writes."""
    written = folder / f"{files[0]}.glp"
    model = HERE / "mathprog" / files[0]
    command = ["glpsol", "--check", "--math", str(model) if model.exists() else files[0], "--wglp", str(written)]
    for data in files[1:]:
        command += ["--data", data]
    run = subprocess.run(command, capture_output=True, text=True, cwd=HERE / "texts")
    if run.returncode != 0 or not written.exists():
        raise RuntimeError(run.stdout[-400:])
    names, entries, goal = {}, {}, None
    for line in written.read_text().splitlines():
        part = line.split(" ", 3)
        if part[:1] == ["n"] and part[1] in "ij":
            names[part[1], part[2]] = plain(part[3])
        elif part[:2] == ["n", "z"]:
            goal = part[2]
        elif part[:1] == ["a"] and part[1] != "0":
            entries[part[1], part[2]] = float(part[3])
    counts = [int(n) for n in re.findall(r"^Number of (?:rows|columns|non-zeros \(matrix\)) *= *(\d+)", run.stdout, re.M)]
    rows = {i: name for (kind, i), name in names.items() if kind == "i"}
    columns = {j: name for (kind, j), name in names.items() if kind == "j"}
    assert counts == [len(rows), len(columns), len(entries)], f"glpsol says {counts}"
    matrix = {(rows[i], columns[j]): value for (i, j), value in entries.items() if rows[i] != goal}
    return set(columns.values()), set(rows.values()) - {goal}, matrix


def differences(lines, folder):
    files, columns, rows, matrix = expectation(lines)
    other_columns, other_rows, other_matrix = generated(files, folder)
    if columns != other_columns:
        yield f"columns: glpsol and expected differ by {sorted(other_columns ^ columns)}"
    if rows != other_rows:
        yield f"rows: glpsol and expected differ by {sorted(other_rows ^ rows)}"
    if len(matrix) != len(other_matrix):
        yield f"nonzeros: {len(other_matrix)} from glpsol, {len(matrix)} expected"
    signs = {row: -1 if other_matrix.get((row, column)) == -value else 1 for (row, column), value in matrix.items()}
    for row, column in sorted(matrix.keys() | other_matrix.keys()):
        a, b = matrix.get((row, column)), other_matrix.get((row, column))
        # a row may come out with its sides exchanged
        if a is None or b is None or abs(a - signs[row] * b) > 1e-12 * max(1, abs(a)):
            yield f"{row}, {column}: {b} from glpsol, {a} expected"


def marked(path):
    return re.search(r"^# linear$", path.read_text(), re.M) is not None


def main():
    if shutil.which("glpsol") is None:
        print("skipped: glpsol is not installed")
        return 77
    bad, count = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, lines in texts().items():
            linear = "linear" in lines
            if marked(HERE / "texts" / expectation(lines)[0][0]) != linear:
                bad.append(f"{name}: the mark # linear is {'missing' if linear else 'wrong'}")
            if not linear:
                continue
            count += 1
            try:
                bad += [f"{name}: {what}" for what in differences(lines, pathlib.Path(folder))]
            except (RuntimeError, AssertionError) as error:
                bad.append(f"{name}: {error}")
    print("\n".join(bad + [f"{count} linear texts, {len(bad)} differences"]))
    return 1 if bad or count == 0 else 0


sys.exit(main())
