#!/usr/bin/env python3
"""platforms.py [NAME...]: builds the library and tests/bits/platform_main.c for every platform whose compiler and emulator are here, runs
it, and prints one table: the platform, its digests, and the seconds. Exit status 1 where one differs from the first row or does not run.

NAME: only those platforms (by the words in the table, e.g. "aarch64"). What is missing is skipped by name. Builds are kept under
build-platforms/ for the next time. `make setup-targets` installs the Debian packages.
"""
import concurrent.futures
import dataclasses
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILDS = ROOT / "build-platforms"
PROGRAM = ["tests/bits/platform_main.c", "tests/bits/bits_models.c", "tests/bits/bits_random.c", "tests/bits/bits_run.c",
           "tests/bits/bits_record.c"]
MOST_SECONDS = 900  # of one run, emulated on a busy machine


@dataclasses.dataclass(frozen=True)
class Platform:
    name: str
    compiler: str
    flags: str
    processor: str = "x86_64"
    runner: tuple = ()  # what runs the program where this machine does not
    arguments: tuple = ()
    own: bool = False  # this machine may run it itself
    link: str = ""
    file: str = "platform"
    environment: tuple = ()


CROSS = "-O2 -static"
FAKE = str(BUILDS / "fake")  # of a CUDA driver: tests/cuda/fake_device.h
WEB = "-sNODERAWFS=1 -sALLOW_MEMORY_GROWTH=1 -sTOTAL_STACK=4MB -sEXIT_RUNTIME=1 -sERROR_ON_UNDEFINED_SYMBOLS=0 -Wno-js-compiler"
NODE_PATH = ":".join(["/usr/share/nodejs", *filter(None, [os.environ.get("NODE_PATH")])])  # where Debian keeps what emcc needs
PLATFORMS = (
    Platform("x86-64 gcc, portable", "gcc", "-O2", arguments=("portable",)),
    Platform("x86-64 gcc, avx2", "gcc", "-O2", arguments=("avx2",)),
    Platform("x86-64 gcc, avx512", "gcc", "-O2", arguments=("avx512",)),
    Platform("x86-64 gcc, compiled kernels", "gcc", "-O2", arguments=("compiled",)),
    Platform("x86-64 clang -O3 -march=native", "clang", "-O3 -march=native"),
    Platform("x86-64 musl", "musl-gcc", CROSS),
    Platform("i386 SSE2", "i686-linux-gnu-gcc", CROSS + " -msse2 -mfpmath=sse", "i686", ("qemu-i386",), own=True),
    Platform("aarch64", "aarch64-linux-gnu-gcc", CROSS, "aarch64", ("qemu-aarch64",)),
    Platform("armhf", "arm-linux-gnueabihf-gcc", CROSS, "armv7l", ("qemu-arm",)),
    Platform("riscv64", "riscv64-linux-gnu-gcc", CROSS, "riscv64", ("qemu-riscv64",)),
    Platform("s390x, big-endian", "s390x-linux-gnu-gcc", CROSS, "s390x", ("qemu-s390x",)),
    Platform("WebAssembly, node", "emcc", "-O2 -msimd128", "wasm32", ("node", "--no-experimental-fetch"), link=WEB, file="platform.js"),
    Platform("CUDA kernels, on the processor", "gcc", "-O2", arguments=("cuda",), environment=(("LD_LIBRARY_PATH", FAKE),)),
    Platform("CUDA", "gcc", "-O2", arguments=("cuda",)),
)
NOT_HERE = ("does not have", "there is no driver", "there is no device")  # what this processor or this machine lacks
WITHOUT_SSE2 = "i386 x87"  # must be refused while it is compiled


class Failure(Exception):
    """With the words of whatever failed."""


def command(words, seconds=None, environment=()):
    done = subprocess.run([str(word) for word in words], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=seconds,
                          env=dict(os.environ, XDG_CACHE_HOME=str(BUILDS / "cache"), NODE_PATH=NODE_PATH, **dict(environment)))
    text = done.stdout.decode(errors="replace").strip()
    if done.returncode:
        raise Failure(text[-2000:] or f"exit status {done.returncode}")
    return text


# ---- builds ----

def folder_of(platform):
    return BUILDS / "".join(c if c.isalnum() else "-" for c in f"{platform.compiler} {platform.flags}")


def build(platform):
    """Only what the program needs: the library's archive, and the program over it."""
    folder = folder_of(platform)
    folder.mkdir(parents=True, exist_ok=True)
    web = platform.compiler == "emcc"
    cache = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") and not web else []
    own = ["emcmake", "cmake"] if web else ["cmake", "-DCMAKE_SYSTEM_NAME=Linux", f"-DCMAKE_C_COMPILER={platform.compiler}",
                                            f"-DCMAKE_SYSTEM_PROCESSOR={platform.processor}"]
    strict = "" if web else " -Werror"  # its compiler has opinions about unused arguments
    command([*own, "-S", ROOT, "-B", folder, "-G", "Ninja", "-DHARDNET_TESTS=OFF", "-DHARDNET_IPOPT=OFF", "-DHARDNET_COMMAND=OFF", "-DHARDNET_INSTALL=OFF",
             "-DCMAKE_BUILD_TYPE=None", f"-DCMAKE_C_FLAGS={platform.flags}{strict}", *cache])
    command(["ninja", "-k", "0", "-C", folder, "hardnet_internal"])
    command([platform.compiler, *platform.flags.split(), "-std=c11", "-D_POSIX_C_SOURCE=200809L", "-ffp-contract=off",
             "-DBITS_STRUCTS_HAVE_SIZES", "-DBITS_INSTRUCTIONS_ARE_NUMBERS", "-Iinclude", "-Isrc", *PROGRAM,
             folder / "libhardnet_internal.a", "-lm", *(platform.link.split() if web else ["-pthread", "-ldl"]), "-o",
             folder / platform.file])


def build_fake_driver():
    """CUDA's driver and compiler in the host's memory, with which the kernels' text runs on this processor."""
    pathlib.Path(FAKE).mkdir(parents=True, exist_ok=True)
    for name, version in (("cuda", 1), ("nvrtc", 13)):
        command(["gcc", "-O1", "-std=gnu11", "-shared", "-fPIC", "-Iinclude", "-Isrc", "-Itests/cuda", f"tests/cuda/fake_{name}.c", "-ldl",
                 "-o", f"{FAKE}/lib{name}.so.{version}"])


# ---- rows ----

def runner_of(platform):
    """What stands before the program: nothing where this machine runs it itself."""
    if platform.own:
        try:
            command([folder_of(platform) / platform.file, "none"])
        except OSError:  # another format
            return list(platform.runner)
        except Failure:  # of the argument
            return []
    return list(platform.runner)


def missing(platform):
    runner = [] if platform.own else platform.runner[:1]
    return [tool for tool in (platform.compiler, *runner) if not shutil.which(tool)]


def run(platform):
    """The program's three digests, seconds, and None; or no digests, and why not."""
    start = time.monotonic()
    try:
        text = command([*runner_of(platform), folder_of(platform) / platform.file, *platform.arguments], MOST_SECONDS, platform.environment)
    except Failure as failure:
        return None, 0, str(failure)
    except subprocess.TimeoutExpired:
        return None, 0, f"not ended after {MOST_SECONDS} s"
    except OSError as error:
        return None, 0, str(error)
    digests = tuple(line.split()[1] for line in text.splitlines())
    return (digests, time.monotonic() - start, None) if len(digests) == 3 else (None, 0, text)


def x87_is_refused():
    """Without SSE2 the compiler keeps numbers in longer registers: the library's own sentence must stop it."""
    compiler, flags = "i686-linux-gnu-gcc", "-O1 -mno-sse -mfpmath=387"
    if not shutil.which(compiler):
        return True
    done = subprocess.run([compiler, *flags.split(), "-std=c11", "-Iinclude", "-Isrc", "-fsyntax-only", "src/base/machine.c"], cwd=ROOT,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    refused = done.returncode != 0 and b"-mfpmath=sse" in done.stdout
    print(f"{WITHOUT_SSE2:32} {'refused by name' if refused else 'NOT REFUSED'}")
    return refused


def build_all(platforms):
    """Those that could be built; the others are told."""
    failed, built = {}, set()
    for platform in platforms:
        folder = folder_of(platform)
        if folder not in built and folder not in failed:
            try:
                build(platform)
                built.add(folder)
            except Failure as failure:
                failed[folder] = str(failure)
    return failed


def table(platforms):
    """Prints a row each. The digests that were found, how many platforms (compilers with their targets) gave them, how many rows failed."""
    found, places, failures = [], set(), 0
    there = [platform for platform in platforms if not missing(platform)]
    unbuilt = build_all(there)
    if any(platform.environment for platform in there):
        build_fake_driver()
    print(f"{'platform':32} {'corrections':16} {'gradients':16} {'training':16}", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        ready = [platform for platform in there if folder_of(platform) not in unbuilt]
        runs = {platform: pool.submit(run, platform) for platform in ready}
        for platform in platforms:
            if platform in runs:
                digests, seconds, why = runs[platform].result()
            elif platform in there:
                digests, why = None, "cannot be built: " + unbuilt[folder_of(platform)]
            else:
                digests, why = None, None
                print(f"{platform.name:32} skipped: {', '.join(missing(platform))} is not installed")
            if digests:
                same = digests == (found or [digests])[0]
                found.append(digests)
                places.add((platform.compiler, "cuda" in platform.arguments and not platform.environment))
                print(f"{platform.name:32} {' '.join(d[:16] for d in digests)} {seconds:7.1f} s{'' if same else '  DIFFERS'}", flush=True)
            elif why and any(words in why for words in NOT_HERE):
                print(f"{platform.name:32} not run here: {why.splitlines()[-1]}")
            elif why:
                failures += 1
                print(f"{platform.name:32} FAILED: {why}")
    return found, len(places), failures


def main(wanted):
    (BUILDS / "cache").mkdir(parents=True, exist_ok=True)
    found, places, failures = table([p for p in PLATFORMS if not wanted or any(word in p.name for word in wanted)])
    refused = x87_is_refused()
    same = len(set(found)) == 1
    if same:
        print(f"SHA-256 over all three: {hashlib.sha256(' '.join(found[0]).encode()).hexdigest()}")
    print(f"{len(found)} rows, {places} platforms, {len(set(found))} different results, {failures} failed")
    return 0 if same and refused and not failures else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
