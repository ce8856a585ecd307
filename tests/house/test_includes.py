"""A module includes itself, the modules before it and the public headers, and nothing else.

A module is a folder of src/; codegen and cuda have subfolders. ampl is a client of the public API: besides that it includes base and
io only. Public headers include each other. cpu compiles the kernels of all modules: its kernels.h includes their *_kernel.h. The parts
of a layer are private: later modules use hardnet/layer.h. Only cpu, kernels and files called *_lanes know how many samples are
computed side by side. tools/, the command line, includes public headers, base and its own folders only; tools/baselines, and nothing
else of it, also autodiff, linalg, core and cpu.
"""
import argparse
import pathlib
import re
import sys
import tempfile

MODULES = ("base io model ampl autodiff linalg core plan cpu codegen/ir codegen/passes codegen/print codegen/kernel evaluate nearest layer check nn "
           "codegen/emit codegen/cuda cuda training").split()
MAY_SEE = {module: set(MODULES[: MODULES.index(module) + 1]) - {"ampl"} for module in MODULES}
MAY_SEE["ampl"] = {"base", "io", "ampl"}


def module_of(path):
    """The module of a file, given by its path below src/."""
    folder = str(pathlib.PurePath(path).parent)
    return "cuda" if folder == "cuda/kernels" else folder


def knows_lanes(folder, name):
    return folder == "cpu" or name.endswith("_kernel.h") or name[:-2].endswith("_lanes")


def breach(folder, target, name="a.c"):
    """What is wrong when the file src/<folder>/<name> or include/hardnet/<name> includes "target"; None when nothing is."""
    module = module_of(target)
    if (folder, name) == ("cpu", "kernels.h") and target.endswith("_kernel.h"):
        return None
    if module == "layer" and folder != "layer" and target != "layer/layer_plan.h":
        return "a layer is used through hardnet/layer.h, its plan through layer/layer_plan.h"
    if target == "base/lanes.h" and folder != "base" and not knows_lanes(folder, name):
        return "only cpu, kernels and files called *_lanes know lanes"
    if module == "hardnet":
        return None
    if folder == "hardnet":
        return "a public header includes public headers only"
    if module not in MODULES:
        return "includes name a module: \"module/file.h\""
    if module not in MAY_SEE[folder]:
        return f"{folder} may not look into {module}"
    return None


def tool_breach(source, target, folder="", name="a.c"):
    """What is wrong when the file tools/<folder>/<name> includes "target"; None when nothing is."""
    top = pathlib.PurePath(target).parts[0]
    if top == "hardnet":
        return None if (source / "include" / target).exists() else "there is no such file"
    baselines = folder == "baselines"
    if target == "base/lanes.h" and not (baselines and knows_lanes(folder, name)):
        return "the command line does not know lanes, but for files called *_lanes in tools/baselines"
    if top == "base" or (baselines and top in BASELINES_SEE):
        return None if (source / "src" / target).exists() else "there is no such file"
    if (source / "tools" / target).exists() and not (source / "src" / target).exists():
        return None
    return "the command line includes public headers, base and its own folders only"


BASELINES_SEE = ("autodiff", "linalg", "core", "cpu")


def tool_breaches(source):
    for path in sorted([*source.glob("tools/*.[ch]"), *source.glob("tools/*/*.[ch]")]):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            wrong = found and tool_breach(source, found.group(1), path.parent.name, path.name)
            if wrong:
                yield f"{path.relative_to(source)}:{number}: {line.strip()}: {wrong}"


def breaches(source):
    yield from tool_breaches(source)
    for path in sorted([*source.glob("src/**/*.[ch]"), *source.glob("include/hardnet/*.h")]):
        folder = module_of(path.relative_to(source / path.relative_to(source).parts[0]))
        for number, line in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if re.search(r"\bLANES\b", line) and folder != "base" and not knows_lanes(folder, path.name):
                yield f"{path.relative_to(source)}:{number}: {line.strip()}: LANES are not known here"
            if found is None:
                continue
            known = folder in [*MODULES, "hardnet"]
            wrong = breach(folder, found.group(1), path.name) if known else f"{folder} is no module"
            if wrong is None and not any((source / top / found.group(1)).exists() for top in ("src", "include")):
                wrong = "there is no such file"
            if wrong:
                yield f"{path.relative_to(source)}:{number}: {line.strip()}: {wrong}"


def self_check():
    """Builds a small tree with one include of every kind and expects exactly the bad ones to be found."""
    bad = {("base", "model/b.h"), ("ampl", "model/b.h"), ("autodiff", "cpu/b.h"), ("layer", "ampl/b.h"),
           ("hardnet", "base/b.h"), ("model", "b.h"), ("model", "base/missing.h")}
    good = {("model", "base/b.h"), ("ampl", "hardnet/b.h"), ("cpu", "autodiff/b.h"), ("hardnet", "hardnet/b.h")}
    with tempfile.TemporaryDirectory() as folder:
        tree = pathlib.Path(folder)
        for index, (module, target) in enumerate(bad | good):
            for name, text in (f"a{index}.h", f'#include "{target}"\n'), ("b.h", ""):
                path = tree / ("include" if module == "hardnet" else "src") / module / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
        found = list(breaches(tree))
        assert len(found) == len(bad), "\n".join(found)
        (tree / "tools" / "common").mkdir(parents=True)
        (tree / "tools" / "common" / "c.h").write_text('#include "hardnet/b.h"\n#include "base/b.h"\n')
        (tree / "tools" / "a.c").write_text('#include "common/c.h"\n')
        assert not list(tool_breaches(tree))
        for target in "model/b.h", "common/missing.h", "base/missing.h", "hardnet/missing.h", "base/lanes.h", "c.h":
            (tree / "tools" / "common" / "bad.c").write_text(f'#include "{target}"\n')
            assert len(list(tool_breaches(tree))) == 1, target
        (tree / "tools" / "common" / "bad.c").unlink()
        (tree / "tools" / "baselines").mkdir()
        for target, wrong in ("cpu/b.h", 0), ("model/b.h", 1), ("base/lanes.h", 1):
            (tree / "src" / target).write_text("") if target == "base/lanes.h" else None
            (tree / "tools" / "baselines" / "a.c").write_text(f'#include "{target}"\n')
            assert len(list(tool_breaches(tree))) == wrong, target
    assert breach("cpu", "nn/b_kernel.h", "kernels.h") is None and breach("cpu", "nn/b.h")
    assert breach("training", "layer/layer_parts.h") and breach("layer", "layer/layer_parts.h") is None
    assert breach("training", "base/lanes.h") and breach("training", "base/lanes.h", "a_lanes.c") is None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    self_check()
    found = list(breaches(parser.parse_known_args()[0].source))
    print("\n".join(found) if found else "all includes point up")
    return 1 if found else 0


sys.exit(main())
