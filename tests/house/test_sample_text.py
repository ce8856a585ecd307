"""The decisions about a sample (src/core/sample*.h, point*.h) are one text for every executor: it compiles as C99 and as C++ without a
warning, and the decisions themselves call nothing but sqrt, whoever says what a function and a constant look like."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ["-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", "-Werror"]
PROBE = "-DSAMPLE_FUNCTION=extern"  # every function is compiled and visible, used or not


def compile_text(command, source, text, folder, *flags):
    suffix = ".c" if "c99" in " ".join(command) else ".cpp"
    path, out = pathlib.Path(folder, "text" + suffix), pathlib.Path(folder, "text.o")
    path.write_text(text)
    run = subprocess.run([*command, *WARNINGS, f"-I{source}/include", f"-I{source}/src", "-O1", "-fno-math-errno", "-ffp-contract=off",
                          *flags, "-c", str(path), "-o", str(out)], stderr=subprocess.PIPE, text=True)
    assert run.returncode == 0, run.stderr
    return out


def undefined(path):
    listing = subprocess.run(["nm", "-u", str(path)], stdout=subprocess.PIPE, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_known_args()[0]
    plus = shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    commands = [[options.compiler, "-std=c99"]] + ([[plus, "-std=c++17"]] if plus else [])
    with tempfile.TemporaryDirectory() as folder:
        for command in commands:
            declared = '#include "core/sample.h"\n'
            calls = undefined(compile_text(command, options.source, declared, folder, PROBE))
            assert calls <= {"sqrt"}, f"{command}: the decisions call {calls}"
            compile_text(command, options.source, '#include "core/solver_adjoint.h"\nint unused;\n', folder)
    if not plus:
        print("skipped: there is no C++ compiler")
        return 77
    print("one text, two languages, no call but sqrt")
    return 0


sys.exit(main())
