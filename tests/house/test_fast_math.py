"""A build with -ffast-math, or a part of it that changes results, stops: in CMake with any compiler, and where the compiler says
what it may do also with an #error. One without it compiles."""
import argparse
import shutil
import subprocess
import sys
import tempfile

PARTS = ("-ffast-math", "-Ofast", "-ffinite-math-only", "-funsafe-math-optimizations", "-freciprocal-math",
         "-fassociative-math -fno-signed-zeros -fno-trapping-math")
SENTENCE = "must not be compiled with -ffast-math"


def compile_wide(compiler, options, *flags):
    text = '#define WIDTH 1\n#include "base/simd.h"\nint unused;\n'
    return subprocess.run([compiler, "-std=c11", f"-I{options.source}/src", *flags, "-x", "c", "-fsyntax-only", "-"],
                          input=text, stderr=subprocess.PIPE, text=True)


def configure(compiler, options, flags):
    """CMake with these flags, and with a compiler that adds them by itself, which no list of flags shows."""
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run([options.cmake, "-S", options.source, "-B", folder, f"-DCMAKE_C_COMPILER={compiler}",
                               f"-DCMAKE_C_FLAGS={flags}", "-DHARDNET_COMMAND=OFF"], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_known_args()[0]
    plain = compile_wide(options.compiler, options)
    assert plain.returncode == 0, plain.stderr
    is_clang = "clang" in subprocess.run([options.compiler, "--version"], stdout=subprocess.PIPE, text=True).stdout
    for flags in PARTS[:3] if is_clang else PARTS:
        fast = compile_wide(options.compiler, options, *flags.split())
        assert fast.returncode != 0 and SENTENCE in fast.stderr, (flags, fast.stderr)
    for compiler in {options.compiler, shutil.which("clang") or options.compiler}:
        assert configure(compiler, options, "-O2 -fno-fast-math").returncode == 0, compiler
        for flags in PARTS[3:]:
            done = configure(compiler, options, flags)
            assert done.returncode != 0 and SENTENCE in " ".join(done.stdout.split()), (compiler, flags, done.stdout)
    return check_hidden(options)


def check_hidden(options):
    """clang with the flags in a script of its own, where nobody can read them."""
    clang = shutil.which("clang")
    if not clang:
        return 0
    with tempfile.TemporaryDirectory() as folder:
        script = f"{folder}/compiler"
        with open(script, "w") as file:
            file.write(f'#!/bin/sh\nexec {clang} -funsafe-math-optimizations "$@"\n')
        subprocess.run(["chmod", "+x", script], check=True)
        done = configure(script, options, "")
        assert done.returncode != 0 and SENTENCE in " ".join(done.stdout.split()), done.stdout
    return 0


sys.exit(main())
