"""The recipes of CONTRIBUTING.md: stored patches add an operator, a step method and an executor.

Each patch of tests/recipes applies and touches no more files of the product than its recipe may. With --try they are
applied to a copy of the tree, which is built, and the tests that judge what they add pass in it. When a patch no longer
applies, apply it with `git apply --3way` or by hand, and store `git diff -U2`.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

OUTSIDE = ("tests/", "python/tests/", "fuzz/", "bench/", "CHANGELOG.md")  # not the product
MODEL = """
var y{1..3} >= -2, <= 2;
minimize f: (y[1] - 1)^2 + erf(y[3])^2;
subject to a: erf(y[1]) + y[2]^2 <= 0.5;
subject to b: erf(y[2] - y[3]) >= erf(0.25);
"""
PRECISIONS = (["--real", "double", "--adjoint"], ["--real", "float"], ["--libm", "yes"])

# Recipe: files of the product that it may touch, and the tests that judge it.
RECIPES = {
    "operator": (10, "base/elementary base/wide model/operators model/inspect autodiff/operators autodiff/branches "
                     "autodiff/program conformance/executors"),
    "method": (8, "layer/calls layer/outcomes plan/plan tools/project tools/project_methods house/readme"),
    "executor": (4, "conformance/executors conformance/batch_bits layer/many_problems"),
}


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}"
    return done.stdout


def git_apply(folder, patch, *options):
    environment = {**os.environ, "GIT_CEILING_DIRECTORIES": str(folder.parent)}  # a folder without .git is no part of another one
    run("git", "apply", *options, patch, cwd=folder, env=environment)


def check_patch(source, name):
    """The patch applies; returns its path."""
    patch = source / f"tests/recipes/add_{name}.patch"
    product = [file for file in re.findall(r"^diff --git a/(\S+)", patch.read_text(), re.M) if not file.startswith(OUTSIDE)]
    assert 0 < len(product) <= RECIPES[name][0], f"{patch.name} touches {len(product)} files: {' '.join(product)}"
    git_apply(source, patch, "--check")
    return patch


def copy_of(source, folder):
    def generated(path, names):
        top = pathlib.Path(path) == source
        return [name for name in names if name == "__pycache__" or (top and (name == ".git" or name.startswith("build")))]

    return pathlib.Path(shutil.copytree(source, folder / "tree", ignore=generated))


def is_program(test):
    return not test.startswith(("tools/", "house/"))


def build(tree, cmake):
    """The command, and the tests of all recipes."""
    tests = sorted({test for _, names in RECIPES.values() for test in names.split()})
    run(cmake, "--preset", "release", "-DHARDNET_PYTHON=OFF", cwd=tree)
    targets = ["test_" + test.replace("/", "_") for test in tests if is_program(test)]
    run(cmake, "--build", "build", "-j", os.cpu_count(), "--target", "hardnet_tool", *targets, cwd=tree)
    return tests


def judge(tree, ctest, tests):
    found = run(ctest, "--test-dir", "build", "--output-on-failure", "-R", f"^({'|'.join(tests)})$", cwd=tree)
    assert f"out of {len(tests)}\n" in found, found


def emit(tree, compiler, *options):
    """A model with the new operator as C, compiled."""
    with tempfile.TemporaryDirectory() as folder:
        model, out = pathlib.Path(folder, "erf.mod"), pathlib.Path(folder, "out")
        model.write_text(MODEL)
        run(tree / "build/hardnet", "emit", model, "--out", out, "--name", "layer", *options)
        run(compiler, "-std=c99", "-O1", "-Wall", "-Werror", "-c", "layer.c", "-o", "layer.o", cwd=out)


def try_all(source, options):
    with tempfile.TemporaryDirectory() as folder:
        tree = copy_of(source, pathlib.Path(folder))
        for name in RECIPES:
            git_apply(tree, source / f"tests/recipes/add_{name}.patch")
        tests = build(tree, options.cmake)
        judge(tree, pathlib.Path(options.cmake).with_name("ctest"), tests)
        for precision in PRECISIONS:
            emit(tree, options.compiler, *precision)
            emit(tree, options.compiler, "--method", "levenberg", *precision)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cmake", default="cmake")
    parser.add_argument("--build", nargs="?")
    parser.add_argument("--try", action="store_true", dest="all")
    options = parser.parse_known_args()[0]
    if not shutil.which("git"):
        print("skipped: git is not installed")
        return 77
    source = options.source.resolve()
    for name in RECIPES:
        check_patch(source, name)
    if options.all:
        try_all(source, options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
