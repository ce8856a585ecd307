"""What reads files of others is built with what compilers and loaders offer against overwritten memory.

The command and the shared library have protected stacks, fortified calls of the C library, read-only relocations and immediate
binding; the command is position-independent. Looked at in the files themselves.
"""
import argparse
import pathlib
import platform
import re
import subprocess
import sys


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def imported(path):
    return {line.split()[-1].split("@")[0] for line in output("nm", "-D", "--undefined-only", path).splitlines()}


def faults(path, program):
    headers, dynamic, names = output("readelf", "-lW", path), output("readelf", "-dW", path), imported(path)
    if "GNU_RELRO" not in headers:
        yield "relocations stay writable"
    if not re.search(r"BIND_NOW|FLAGS_1.*\bNOW\b", dynamic):
        yield "functions are bound when they are called"
    if program and not re.search(r"FLAGS_1.*\bPIE\b", dynamic):
        yield "it is not position-independent"
    if re.search(r"GNU_STACK.*RWE", headers):
        yield "its stack is executable"
    if "__stack_chk_fail" not in names and "__stack_chk_guard" not in names:
        yield "no function protects its stack"
    if not any(name.endswith("_chk") and name.startswith("__") and "stack" not in name for name in names):
        yield "no call of the C library is fortified"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", type=pathlib.Path)
    options = parser.parse_known_args()[0]
    build = options.build or pathlib.Path(options.source, "build")
    cache = (build / "CMakeCache.txt").read_text()
    if platform.system() != "Linux" or re.search(r"(?m)^CMAKE_BUILD_TYPE:\w+=Debug$", cache):
        print("skipped: an unoptimised build, or no Linux")
        return 77
    found = [f"{path.name}: {fault}" for path, program in ((build / "hardnet", True), (build / "libhardnet.so", False)) if path.exists()
             for fault in faults(path, program)]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
