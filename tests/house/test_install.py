"""An outside project builds the public example against the installed package, by CMake and by pkg-config, and runs it.

Each way with the shared and with the static library; the executable itself says which one it took. The installed headers
compile alone, as C11 and as C++, and the shared library carries the version in its names.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(outside LANGUAGES C)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_EXTENSIONS OFF)
add_compile_options(-Wall -Wextra -Werror)
find_package(hardnet @version@ REQUIRED)
foreach(library hardnet hardnet_shared)
    add_executable(with_${library} correct.c)
    target_link_libraries(with_${library} PRIVATE hardnet::${library})
endforeach()
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def with_paths(**paths):
    return {**os.environ, **{name: str(path) for name, path in paths.items()}}


def header_version(source):
    text = pathlib.Path(source, "include/hardnet/base.h").read_text()
    return ".".join(re.findall(r"#define HN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def dynamic(path, kind):
    """The entries of this kind (NEEDED, SONAME) in the dynamic section."""
    return re.findall(rf"\({kind}\)[^\[]*\[([^\]]*)\]", run("readelf", "-d", path))


def check_example(program, soname, **paths):
    """It takes the library that was asked for (soname None: the static one), runs, and corrects three samples of four."""
    taken = [name for name in dynamic(program, "NEEDED") if name.startswith("libhardnet")]
    assert taken == ([soname] if soname else []), (program, taken)
    lines = run(program, env=with_paths(**paths)).splitlines()
    outcomes = [line.split(")")[2].split()[0] for line in lines]
    assert outcomes[:3] == ["ok"] * 3 and outcomes[3:] in (["stalled"], ["locally_infeasible"]), lines


def check_names(folder, version):
    """libhardnet.so -> libhardnet.so.MAJOR.MINOR -> the file, which says MAJOR.MINOR itself; gives that name."""
    plain, soname, whole = "libhardnet.so", f"libhardnet.so.{version.rpartition('.')[0]}", f"libhardnet.so.{version}"
    assert os.readlink(folder / plain) == soname and os.readlink(folder / soname) == whole, list(folder.iterdir())
    assert not (folder / whole).is_symlink() and dynamic(folder / whole, "SONAME") == [soname], whole
    return soname


def compile_text(compiler, language, text, include):
    return subprocess.run([compiler, *language, "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{include}", "-fsyntax-only", "-"],
                          input=text, stderr=subprocess.PIPE, text=True)


def check_headers(source, include, compiler):
    names = sorted(path.name for path in pathlib.Path(source, "include/hardnet").iterdir())
    assert sorted(path.name for path in (include / "hardnet").iterdir()) == names, "not the headers of the source tree"
    ways = [(compiler, ("-x", "c", "-std=c11"))]
    ways += [(found, ("-x", "c++")) for found in [shutil.which("c++") or shutil.which("clang++")] if found]
    for way, language in ways:
        assert compile_text(way, language, "hn_status status;\n", include).returncode != 0, "a missing header goes unnoticed"
        for name in names:
            done = compile_text(way, language, f"#include <hardnet/{name}>\nhn_status status(void);\n", include)
            assert done.returncode == 0, (way, name, done.stderr)


def check_moved(prefix, *origins):
    """Nothing that was installed, as text, remembers where it was built."""
    for path in prefix.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h"):
            for origin in origins:
                assert str(origin) not in path.read_text(), f"{path} names {origin}"


def build_with_cmake(options, work, prefix):
    run(options.cmake, "-S", work, "-B", work / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={options.compiler}")
    run(options.cmake, "--build", work / "build")


def build_with_pkg_config(options, work, described, name, *static):
    flags = run("pkg-config", *(f"-{flag}" for flag in static), "--cflags", "--libs", "hardnet",
                env=with_paths(PKG_CONFIG_PATH=described)).split()
    run(options.compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *static, "correct.c", *flags, "-o", name, cwd=work)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_known_args()[0]
    if shutil.which("pkg-config") is None:
        print("skipped: pkg-config is not installed")
        return 77
    version = header_version(options.source)
    with tempfile.TemporaryDirectory() as folder:
        prefix, work = pathlib.Path(folder, "prefix"), pathlib.Path(folder, "work")
        work.mkdir()
        shutil.copy(pathlib.Path(options.source, "examples/correct.c"), work)
        (work / "CMakeLists.txt").write_text(PROJECT.replace("@version@", version))
        run(options.cmake, "--install", options.build, "--prefix", prefix)
        described = next(prefix.rglob("hardnet.pc")).parent
        libraries = described.parent

        check_headers(options.source, prefix / "include", options.compiler)
        check_moved(prefix, options.source, options.build)
        soname = check_names(libraries, version)
        build_with_cmake(options, work, prefix)
        check_example(work / "build/with_hardnet", None)
        check_example(work / "build/with_hardnet_shared", soname)
        build_with_pkg_config(options, work, described, "shared")
        check_example(work / "shared", soname, LD_LIBRARY_PATH=libraries)
        build_with_pkg_config(options, work, described, "static", "-static")
        check_example(work / "static", None)
    return 0


sys.exit(main())
