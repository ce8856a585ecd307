"""A build with -ffast-math stops with an #error, and one without it compiles."""
import argparse
import subprocess
import sys


def compile_wide(options, *flags):
    text = '#define WIDTH 1\n#include "base/wide.h"\nint unused;\n'
    return subprocess.run([options.compiler, "-std=c11", f"-I{options.source}/src", *flags, "-x", "c", "-fsyntax-only", "-"],
                          input=text, stderr=subprocess.PIPE, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_known_args()[0]
    plain = compile_wide(options)
    assert plain.returncode == 0, plain.stderr
    for flag in ("-ffast-math", "-Ofast", "-ffinite-math-only"):
        fast = compile_wide(options, flag)
        assert fast.returncode != 0 and "must not be compiled with -ffast-math" in fast.stderr, (flag, fast.stderr)


sys.exit(main())
