"""An outside project builds the public example against the installed package, by CMake and by pkg-config, and runs it.

Each way with the shared and with the static library; the executable itself says which one it took. The installed headers
compile by themselves, as C11 and as C++, also where other platforms' macros are defined, and the shared library carries the version in
its names. A library folder of two levels, a project that includes this one, stripping and uninstalling are tried, too. With HN_TEST_LONG=1 that
project is also built, which compiles the library once more; else the commands that would do so are judged.
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
foreach(library hardnet hardnet_static hardnet_shared)
    add_executable(with_${library} correct.c)
    target_link_libraries(with_${library} PRIVATE hardnet::${library})
endforeach()
"""

# A project that has this one inside.
PARENT = """
cmake_minimum_required(VERSION 3.20)
project(parent LANGUAGES C)
add_subdirectory(@source@ hardnet)
add_executable(parent correct.c)
target_link_libraries(parent PRIVATE hardnet::hardnet)
install(TARGETS parent)
"""

# What headers of other platforms, and old compilers, define.
FOREIGN = ("near", "far", "small", "huge", "interface", "pascal", "cdecl", "hyper", "unix", "linux", "major", "minor", "IN", "OUT",
           "OPTIONAL", "ERROR", "DELETE", "CONST", "VOID", "TRUE", "FALSE", "I", "byte", "environ", "signals", "slots", "emit")


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
    """libhardnet.so -> libhardnet.so.0, the soname -> the file with the whole version; gives the soname."""
    plain, soname, whole = "libhardnet.so", "libhardnet.so.0", f"libhardnet.so.{version}"
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
        macros = "".join(f"#include <{standard}.h>\n" for standard in ("stdbool", "stddef", "stdint"))
        macros += "".join(f"#undef {word}\n#define {word} #\n" for word in FOREIGN)
        done = compile_text(way, language, macros + "#include <hardnet/hardnet.h>\n", include)
        assert done.returncode == 0, (way, "macros of other platforms", done.stderr)
        assert compile_text(way, language, macros + "int near;\n", include).returncode != 0, "the macros do nothing"


def check_moved(prefix, *origins):
    """Nothing that was installed, as text, remembers where it was built."""
    for path in prefix.rglob("*"):
        if path.suffix in (".cmake", ".pc", ".h"):
            for origin in origins:
                assert str(origin) not in path.read_text(), f"{path} names {origin}"


def build_with_cmake(options, work, prefix, build="build", *definitions):
    run(options.cmake, "-S", work, "-B", work / build, f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DCMAKE_C_COMPILER={options.compiler}", *definitions)
    run(options.cmake, "--build", work / build)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_symlink() or path.is_file())


def check_installed(prefix):
    """What --help and the headers name is there, and nothing carries debugging information, which would make it several times as large: below 4 MB each."""
    found = files(prefix)
    for wanted in ("share/doc/hardnet/LICENSE", "share/doc/hardnet/docs/method.md", "share/doc/hardnet/examples/correct.c",
                   "share/hardnet/models/unicycle.mod", "share/hardnet/hardnet.spdx.json", "share/man/man1/hardnet.1", "bin/hardnet"):
        assert wanted in found, (wanted, found)
    binaries = [path for path in prefix.rglob("*") if not path.is_symlink() and (path.name == "hardnet" and path.parent.name == "bin"
                                                                               or path.name.startswith("libhardnet"))]
    assert len(binaries) == 3, binaries
    for path in binaries:
        assert ".debug_info" not in run("readelf", "-S", "--wide", path), path
        assert path.stat().st_size < 4e6, (path, path.stat().st_size)


def check_uninstall(options, prefix):
    """What was installed goes, what was there before stays."""
    own = prefix / "include/own.h"
    own.write_text("")
    run(options.cmake, "--install", options.build, "--prefix", prefix, "--strip")
    run(options.cmake, "-D", f"manifest={options.build}/install_manifest.txt", "-P", f"{options.source}/cmake/uninstall.cmake")
    assert files(prefix) == ["include/own.h"], files(prefix)
    assert not list(prefix.rglob("hardnet")), list(prefix.rglob("hardnet"))


def check_deep_folder(options, work):
    """The pkg-config file where the library folder has two levels, as in distributions."""
    build, prefix = work / "deep", work / "deep_prefix"
    run(options.cmake, "-S", options.source, "-B", build, f"-DCMAKE_C_COMPILER={options.compiler}", "-DHARDNET_COMMAND=OFF",
        "-DCMAKE_INSTALL_LIBDIR=lib/some-linux-gnu")
    described = build / "hardnet.pc"
    folder = prefix / "lib/some-linux-gnu/pkgconfig"
    folder.mkdir(parents=True)
    shutil.copy(described, folder)
    flags = run("pkg-config", "--cflags", "--libs", "hardnet", env=with_paths(PKG_CONFIG_PATH=folder)).split()
    places = [pathlib.Path(flag[2:]).resolve() for flag in flags if flag.startswith(("-I", "-L"))]
    assert places == [(prefix / "include").resolve(), (prefix / "lib/some-linux-gnu").resolve()], flags


def check_inside(options, work):
    """Inside another project nothing of ours is in its `all`, but what it links, and nothing in its `install`."""
    folder = work / "parent"
    folder.mkdir()
    shutil.copy(work / "correct.c", folder)
    (folder / "CMakeLists.txt").write_text(PARENT.replace("@source@", str(options.source)))
    for shared in ("OFF", "ON"):
        build = folder / shared
        run(options.cmake, "-S", folder, "-B", build, "-G", "Ninja", f"-DCMAKE_C_COMPILER={options.compiler}",
            f"-DBUILD_SHARED_LIBS={shared}", "-DCMAKE_BUILD_TYPE=None")
        planned = run("ninja", "-C", build, "-t", "commands", "all")
        planned = planned.replace(str(options.source), "")  # wherever we lie
        for stranger in ("hardnet_internal", "hardnet_tool", "tools/", "tests/", "bench/"):
            assert stranger not in planned, (stranger, planned)
        made = {name for name in ("libhardnet.a", "libhardnet.so.0") if re.search(rf"(qc| -o) \S*{re.escape(name)}", planned)}
        assert made == {"libhardnet.so.0" if shared == "ON" else "libhardnet.a"}, (made, planned)
    if os.environ.get("HN_TEST_LONG") != "1":
        return
    run(options.cmake, "--build", folder / "OFF", "-j", str(os.cpu_count()))
    check_example(folder / "OFF/parent", None)
    run(options.cmake, "--install", folder / "OFF", "--prefix", folder / "prefix")
    assert files(folder / "prefix") == ["bin/parent"], files(folder / "prefix")


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
        run(options.cmake, "--install", options.build, "--prefix", prefix, "--strip")
        described = next(prefix.rglob("hardnet.pc")).parent
        libraries = described.parent

        check_headers(options.source, prefix / "include", options.compiler)
        check_moved(prefix, options.source, options.build)
        check_installed(prefix)
        soname = check_names(libraries, version)
        build_with_cmake(options, work, prefix)
        check_example(work / "build/with_hardnet", None)
        check_example(work / "build/with_hardnet_static", None)
        check_example(work / "build/with_hardnet_shared", soname)
        build_with_cmake(options, work, prefix, "build_shared", "-DBUILD_SHARED_LIBS=ON")
        check_example(work / "build_shared/with_hardnet", soname)
        build_with_pkg_config(options, work, described, "shared")
        check_example(work / "shared", soname, LD_LIBRARY_PATH=libraries)
        build_with_pkg_config(options, work, described, "static", "-static")
        check_example(work / "static", None)
        check_uninstall(options, prefix)
        check_deep_folder(options, work)
        if shutil.which("ninja"):
            check_inside(options, work)
    return 0


sys.exit(main())
