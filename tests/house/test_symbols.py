"""The built libraries keep no writable data, show the public names only, and never touch the floating-point control register.

The installed static library defines nothing global but hn_*: a program that has functions of its own with the names of all our
inner ones links with it, and its results are right. The shared library has the names and versions of cmake/hardnet.map, which
lists what the public headers declare.
"""
import argparse
import pathlib
import re
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


def defined(archive):
    """The global names that an archive defines."""
    return [words[-1] for words in map(str.split, output("nm", "-g", "--defined-only", archive).splitlines()) if len(words) > 2]


def strangers(names):
    if not any(name.startswith("hn_") for name in names):
        yield "the library exports nothing"
    for name in names:
        if not name.startswith(("hn_", "HARDNET_")):
            yield f"{name} is exported"


def exported(library):
    return [line.split()[-1] for line in output("nm", "-D", "--defined-only", library).splitlines()]


def versions(library, mapped):
    """Every name under its node of the map, and nothing else."""
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(mapped).read_text(), flags=re.S)
    wanted = {name: node for node, body in re.findall(r"(HARDNET_[\w.]+) \{(.*?)\}", text, flags=re.S)
              for name in re.findall(r"\b(hn_\w+);", body)}
    found = dict(name.split("@@") for name in exported(library) if "@@" in name)
    for name in sorted(set(wanted) | set(found)):
        if wanted.get(name) != found.get(name):
            yield f"{name} has the version {found.get(name)}, and {wanted.get(name)} in {mapped}"


def control_register(archive):
    for instruction in ("ldmxcsr", "fldcw"):
        if instruction in output("objdump", "-d", "--no-show-raw-insn", archive):
            yield f"{instruction} is used"


def namesakes(options, folder, archive, names):
    """Whether a program with functions of these names, none of which may be called, is right with the archive."""
    own, program = pathlib.Path(folder, "own.c"), pathlib.Path(folder, "program")
    own.write_text("void abort(void);\n" + "".join(f"void {name}(void);\nvoid {name}(void) {{\n    abort();\n}}\n" for name in names))
    done = subprocess.run([options.compiler, "-std=c11", "-fno-builtin", f"-I{options.source}/include", own,
                           f"{options.source}/examples/correct.c", archive, "-lm", "-pthread", "-o", program],
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        return False
    done = subprocess.run([program], stdout=subprocess.PIPE, text=True)
    return done.returncode == 0 and done.stdout.count(")  ok ") == 3


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
        assert any("bad_pointer" in line for line in strangers(exported(shared)))
        assert any("bad_pointer" in line for line in strangers(defined(archive)))
        if output(compiler, "-dumpmachine").startswith("x86_64"):
            source.write_text("void set(unsigned a); void set(unsigned a) { __builtin_ia32_ldmxcsr(a); }\n")
            subprocess.run([compiler, "-c", source, "-o", thing], check=True)
            assert list(control_register(thing))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--cmake", default="cmake")
    options = parser.parse_known_args()[0]
    self_check(options.compiler)
    library = f"{options.build}/libhardnet.so"
    found = output(sys.executable, "-B", f"{options.source}/scripts/symbols", "--check").splitlines()
    with tempfile.TemporaryDirectory() as folder:
        output(options.cmake, "--install", options.build, "--prefix", f"{folder}/prefix", "--strip")
        archive = next(pathlib.Path(folder, "prefix").rglob("libhardnet.a"))
        internal = f"{options.build}/libhardnet_internal.a"
        inner = [name for name in defined(internal) if not name.startswith("hn_")]
        assert "base_allocate" in inner and len(inner) > 100, inner
        assert not namesakes(options, folder, internal, inner), "functions of the same name go unnoticed"
        if not namesakes(options, folder, archive, inner):
            found.append("a program with functions that are called as our inner ones gets wrong results")
        found += [*writable(archive), *strangers(defined(archive)), *control_register(archive)]
    found += [*strangers(exported(library)), *versions(library, f"{options.source}/cmake/hardnet.map")]
    print("\n".join(found))
    return 1 if found else 0


sys.exit(main())
