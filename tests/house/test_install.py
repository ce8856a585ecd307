"""An outside project builds against the installed package, by CMake and by pkg-config, and runs."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """
#include <hardnet/hardnet.h>
#include <string.h>
int main(void) { return strcmp(hn_status_text(HN_OK), "ok"); }
"""
PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(outside LANGUAGES C)
find_package(hardnet REQUIRED)
foreach(library hardnet hardnet_shared)
    add_executable(with_${library} outside.c)
    target_link_libraries(with_${library} PRIVATE hardnet::${library})
endforeach()
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_known_args()[0]
    if shutil.which("pkg-config") is None:
        print("skipped: pkg-config is not installed")
        return 77
    with tempfile.TemporaryDirectory() as folder:
        prefix, work = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "work")
        work.mkdir()
        (work / "outside.c").write_text(PROGRAM)
        (work / "CMakeLists.txt").write_text(PROJECT)
        run(options.cmake, "--install", options.build, "--prefix", prefix)

        run(options.cmake, "-S", work, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_C_COMPILER={options.compiler}")
        run(options.cmake, "--build", work / "build")
        for library in ("hardnet", "hardnet_shared"):
            run(work / "build" / f"with_{library}")

        described = next(prefix.rglob("hardnet.pc")).parent
        flags = run("pkg-config", "--cflags", "--libs", "hardnet",
                    env={**os.environ, "PKG_CONFIG_PATH": str(described)}).split()
        run(options.compiler, "outside.c", *flags, "-o", "outside", cwd=work)
        run(work / "outside", env={**os.environ, "LD_LIBRARY_PATH": str(described.parent)})
    return 0


sys.exit(main())
