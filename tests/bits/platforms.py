#!/usr/bin/env python3
"""platforms.py [NAME...]: builds the library and tests/bits/platform_main.c for every platform whose compiler and emulator are here, runs
it, and prints one table: the platform, its digests, and the seconds. Exit status 1 where one differs from the first row.

NAME: only those platforms (by the words in the table, e.g. "aarch64"). What is missing is skipped by name. Builds are kept under
build-platforms/ for the next time. `make setup-targets` installs the Debian packages.
"""
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = ROOT / "build-platforms"
PROGRAM = ["tests/bits/platform_main.c", "tests/bits/bits_models.c", "tests/bits/bits_random.c", "tests/bits/bits_run.c",
           "tests/bits/bits_record.c"]
# name: compiler, its flags, emulator, processor for CMake, arguments of the program
PLATFORMS = {
    "x86-64 gcc, portable": ("gcc", "-O2", [], "x86_64", ["portable"]),
    "x86-64 gcc, avx2": ("gcc", "-O2", [], "x86_64", ["avx2"]),
    "x86-64 gcc, avx512": ("gcc", "-O2", [], "x86_64", ["avx512"]),
    "x86-64 gcc, compiled": ("gcc", "-O2", [], "x86_64", ["compiled"]),
    "x86-64 clang -O3 -march=native": ("clang", "-O3 -march=native", [], "x86_64", []),
    "x86-64 musl": ("musl-gcc", "-O1 -static", [], "x86_64", []),
    "i386 SSE2": ("i686-linux-gnu-gcc", "-O1 -static -msse2 -mfpmath=sse", ["qemu-i386"], "i686", []),
    "aarch64": ("aarch64-linux-gnu-gcc", "-O1 -static", ["qemu-aarch64"], "aarch64", []),
    "armhf": ("arm-linux-gnueabihf-gcc", "-O1 -static", ["qemu-arm"], "armv7l", []),
    "riscv64": ("riscv64-linux-gnu-gcc", "-O1 -static", ["qemu-riscv64"], "riscv64", []),
    "s390x": ("s390x-linux-gnu-gcc", "-O1 -static", ["qemu-s390x"], "s390x", []),
}
WITHOUT_SSE2 = "i386 x87"  # must be refused while it is compiled


def folder_of(compiler, flags):
    return BUILDS / "".join(c if c.isalnum() else "-" for c in f"{compiler} {flags}")


def configure(build, compiler, flags, processor):
    subprocess.run(["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_SYSTEM_NAME=Linux", "-DHARDNET_TESTS=OFF",
                    f"-DCMAKE_SYSTEM_PROCESSOR={processor}", f"-DCMAKE_C_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=None",
                    f"-DCMAKE_C_FLAGS={flags}"], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)


def build(compiler, flags, processor):
    """The program; raises CalledProcessError with the compiler's words where it cannot be built."""
    folder = folder_of(compiler, flags)
    folder.mkdir(parents=True, exist_ok=True)
    configure(folder, compiler, flags, processor)
    subprocess.run(["ninja", "-C", str(folder), "hardnet_internal"], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    program = folder / "platform"
    subprocess.run([compiler, *flags.split(), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off", "-DBITS_STRUCTS_HAVE_SIZES",
                    "-DBITS_INSTRUCTIONS_ARE_NUMBERS", "-Iinclude", "-Isrc", *PROGRAM, str(folder / "libhardnet_internal.a"), "-lm",
                    "-pthread", "-ldl", "-o", str(program)], cwd=ROOT, check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return program


def run(name):
    """The program's three digests, or None where something is missing."""
    compiler, flags, emulator, processor, arguments = PLATFORMS[name]
    missing = [tool for tool in [compiler, *emulator] if not shutil.which(tool)]
    if missing:
        print(f"{name:32} skipped: {', '.join(missing)} is not installed", flush=True)
        return None
    program, start = build(compiler, flags, processor), time.monotonic()
    done = subprocess.run([*emulator, str(program), *arguments], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=1800)
    text = done.stdout.decode()
    if done.returncode and "does not have" in text:  # an instruction set that this processor lacks
        print(f"{name:32} skipped: {text.strip()}", flush=True)
        return None
    if done.returncode:
        return text.strip()
    digests = " ".join(line.split()[1] for line in text.splitlines())
    print(f"{name:32} {' '.join(d[:16] for d in digests.split())} {time.monotonic() - start:7.1f} s", flush=True)
    return digests


def x87_is_refused():
    """Without SSE2 the compiler keeps numbers in longer registers: the library's own sentence must stop it."""
    compiler, flags = "i686-linux-gnu-gcc", "-O1 -mno-sse -mfpmath=387"
    if not shutil.which(compiler):
        return True
    done = subprocess.run([compiler, *flags.split(), "-std=c11", "-Iinclude", "-Isrc", "-fsyntax-only", "src/base/arithmetic.c"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    refused = done.returncode != 0 and b"-mfpmath=sse" in done.stdout
    print(f"{WITHOUT_SSE2:32} {'refused by name' if refused else 'NOT REFUSED'}")
    return refused


def main(wanted):
    names = [name for name in PLATFORMS if not wanted or any(word in name for word in wanted)]
    found = {}
    print(f"{'platform':32} {'corrections':16} {'gradients':16} {'training':16}")
    for name in names:
        try:
            digests = run(name)
        except subprocess.CalledProcessError as error:
            digests = error.stdout.decode()[-2000:] if error.stdout else str(error)
        if digests:
            found[name] = digests
            if digests != next(iter(found.values())):
                print(f"{name:32} DIFFERS: {digests}")
    same = len(set(found.values())) == 1
    refused = x87_is_refused()
    print(f"{len(found)} platforms: {'one SHA-256 each for corrections, gradients and training' if same else 'NOT THE SAME'}")
    return 0 if same and refused else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
