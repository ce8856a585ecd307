#!/usr/bin/env python3
"""misra.py BUILD/hardnet [--all]: MISRA C:2012 in emitted files, by the addon of cppcheck: nothing but what docs/misra.md lists.

Several files are emitted and read as any C99 compiler would (without the extensions of gcc and clang that they use where those compile
them). Every finding is counted by its rule; a rule that is not in the table of docs/misra.md, a rule of the table that is mandatory,
and a row of the table that no finding needs are mistakes. --all prints the findings as well.

A check that cannot fail shows nothing: a file with a violation of each rule of PLANTED added to it must have a finding of that rule more.
"""
import collections
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "misra.md"
ELLIPSE = ROOT / "models" / "ellipse.mod"
CARTPOLE = ROOT / "models" / "tasks" / "cartpole.mod"  # its stages are rolled into loops
FILES = {  # model, options of emit, those of a network
    "paper, double": (ELLIPSE, "--method paper --iterations 100", None),
    "auto, double, with gradients": (ELLIPSE, "--adjoint", None),
    "auto, float": (ELLIPSE, "--real float", None),
    "auto, double, for CasADi": (ELLIPSE, "--abi casadi", None),
    "auto, float, with a network": (CARTPOLE, "--real float", "--hidden 8,8 --structure residual --norm layer --candidates 1 --refine 0"),
    "auto, double, with candidates and refinement": (ELLIPSE, "", "--hidden 8 --candidates 2 --refine 1"),
}
MANDATORY = "9.1 12.5 13.6 17.3 17.4 17.6 19.1 21.13 21.17 21.18 21.19 21.20 22.2 22.4 22.5 22.6".split()

# rule: what is added to the end of an emitted file
PLANTED = {
    "16.3": "int planted_choice(int n);\nint planted_choice(int n) {\n    switch (n) {\n    case 0:\n        n = 2;\n    default:\n        break;\n    }\n"
            "    return n;\n}\n",
    "17.2": "int planted_again(int n);\nint planted_again(int n) {\n    return (n > 0) ? planted_again(n - 1) : 0;\n}\n",
    "18.8": "void planted_array(int n);\nvoid planted_array(int n) {\n    int numbers[n];\n    numbers[0] = 0;\n}\n",
    "21.3": "#include <stdlib.h>\nvoid *planted_memory(void);\nvoid *planted_memory(void) {\n    return malloc(4u);\n}\n",
}
OPTIONS = ["--std=c99", "--addon=misra", "--quiet", "--enable=style", "--suppress=missingIncludeSystem", "--platform=unix64", "-U__GNUC__",
           "-U__clang__", "-U__cplusplus", "-U__FAST_MATH__", "-U__FINITE_MATH_ONLY__", "-DREAL_PLAIN", "--template={file}:{line}: {id}"]


def run(words, **more):
    return subprocess.run([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False, **more)


def findings(folder):
    """[(place, rule)] in layer.h, layer.c."""
    done = run(["cppcheck", *OPTIONS, "layer.c"], cwd=folder)
    found = re.findall(r"(?m)^(\S+:\d+): misra-c2012-(\d+\.\d+)$", done.stdout)
    if done.returncode or not found:
        sys.exit(f"misra: cppcheck did not end its work\n{done.stdout[-2000:]}")
    return found


def must_run(words):
    done = run(words)
    if done.returncode:
        sys.exit(f"misra: {done.stdout}")


def emit(tool, model, options, network, folder):
    words = options.split()
    if network:
        net = folder.with_suffix(".safetensors")
        must_run([tool, "train", model, "--out", net, "--steps", "2", *network.split()])
        words += ["--net", net]
    must_run([tool, "emit", model, "--out", folder, "--name", "layer", *words])


def declared():
    """{rule: its row} of the page's table."""
    return {rule: row for row, rule in re.findall(r"(?m)^(\| (\d+\.\d+) \| .*\|)$", PAGE.read_text())}


def planted_is_found(rule, text, folder, copy):
    shutil.copytree(folder, copy)
    before = sum(found == rule for _, found in findings(copy))
    with (copy / "layer.c").open("a") as file:
        file.write(text)
    return sum(found == rule for _, found in findings(copy)) > before


def main():
    tool = pathlib.Path(sys.argv[1]).resolve()
    if not shutil.which("cppcheck"):
        print("skipped: cppcheck is not installed")
        return 77
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as crew:
        folders = {words: pathlib.Path(name) / f"file{i}" for i, words in enumerate(FILES)}
        for words, folder in folders.items():
            emit(tool, *FILES[words], folder)
        lists = dict(zip(folders, crew.map(findings, folders.values())))
        first = next(iter(folders.values()))
        noticed = sum(crew.map(lambda one: planted_is_found(*one, first, pathlib.Path(name) / f"planted{one[0]}"), PLANTED.items()))
    for words, found in lists.items():
        counts = collections.Counter(rule for _, rule in found)
        print(f"{words}: " + ", ".join(f"{rule} {counts[rule]}" for rule in sorted(counts, key=lambda r: tuple(map(int, r.split("."))))))
        if "--all" in sys.argv:
            print("\n".join(f"  {place}: {rule}" for place, rule in found))
    every = [rule for found in lists.values() for _, rule in found]
    rows = declared()
    wrong = [rule for rule in every if rule not in rows or rule in MANDATORY]
    unneeded = sorted(set(rows) - set(every))
    print(f"misra: {len(lists)} emitted files, {len(wrong)} findings that are not declared ({', '.join(sorted(set(wrong))) or 'none'}), {len(rows)} rules "
          f"declared, {len(unneeded)} of them unneeded ({', '.join(unneeded) or 'none'}); {len(PLANTED)} planted violations, {len(PLANTED) - noticed} not noticed")
    return 1 if wrong or unneeded or noticed < len(PLANTED) else 0


if __name__ == "__main__":
    sys.exit(main())
