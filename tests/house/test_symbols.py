"""The built library keeps no writable data, exports hn_* alone and never touches the floating-point control register."""
import argparse
import pathlib
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def writable(archive):
    """Symbols in the archive's objects that live in writable memory: .bss, .data and common."""
    for line in output("nm", "-A", archive).splitlines():
        if len(line.split()) > 2 and line.split()[-2] in "BbDdCcGgSs":
            yield f"{line.split(':')[1]}: {line.split()[-1]} is writable"


def exported(library):
    names = [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]
    if not any(name.startswith("hn_") for name in names):
        yield "the shared library exports nothing"
    for name in names:
        if not name.startswith("hn_"):
            yield f"{name} is exported"


def control_register(archive):
    for instruction in ("ldmxcsr", "fldcw"):
        if instruction in output("objdump", "-d", "--no-show-raw-insn", archive):
            yield f"{instruction} is used"


def self_check(compiler):
    """A library that breaks every rule must be caught by each of them."""
    with tempfile.TemporaryDirectory() as folder:
        source, thing = pathlib.Path(folder, "bad.c"), pathlib.Path(folder, "bad.o")
        shared = pathlib.Path(folder, "bad.so")
        source.write_text("int bad_counter; static int hidden = 3; int *bad_pointer(void); int *bad_pointer(void) {"
                          " return hidden++ ? &bad_counter : &hidden; }\n")
        subprocess.run([compiler, "-fPIC", "-c", source, "-o", thing], check=True)
        subprocess.run([compiler, "-shared", thing, "-o", shared], check=True)
        archive = pathlib.Path(folder, "bad.a")
        output("ar", "rc", archive, thing)
        assert len(list(writable(archive))) == 2
        assert any("bad_pointer" in line for line in exported(shared))
        if output(compiler, "-dumpmachine").startswith("x86_64"):
            source.write_text("void set(unsigned a); void set(unsigned a) { __builtin_ia32_ldmxcsr(a); }\n")
            subprocess.run([compiler, "-c", source, "-o", thing], check=True)
            assert list(control_register(thing))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_known_args()[0]
    self_check(options.compiler)
    archive, library = f"{options.build}/libhardnet.a", f"{options.build}/libhardnet.so"
    found = [*writable(archive), *exported(library), *control_register(archive)]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
