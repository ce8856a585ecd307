"""Programs of another age run on the present library.

tests/house/frozen has the headers of the kept interface as a release had them, and a program that uses all of its structs. It is
compiled with these headers; with structs that end earlier, as older headers had them; and with the present headers whose structs
have a field more, as later headers will have them. All three print the same, on the static and on the shared library. Whatever the stored headers define
stands in the present ones at the same place, with the same value. A C++ program uses the present headers.
"""
import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

STRUCT = re.compile(r"typedef struct (hn_\w+) \{\n(.*?)\n\} \1;", re.S)
GROWING = ("hn_report",)                # without a size of its own: arrays have a stride
WHOLE = ("hn_evaluation", "hn_message")  # the last field is an array that all need; the library fills it

CPP = """
#include <hardnet/hardnet.h>
#include <cstdio>
int main() {
    hn_model *model = nullptr;
    hn_error error;
    if (hn_model_create(&model, nullptr, &error) != HN_OK)
        return 1;
    hn_expr y = hn_output(model, "y");
    hn_constrain(model, "square", 4, hn_mul(y, y), 9);
    if (hn_model_finish(model, &error) != HN_OK)
        return 1;
    hn_layer *layer = nullptr;
    hn_pool *pool = nullptr;
    hn_layer_options options = hn_layer_defaults();
    if (hn_layer_create(&layer, model, &options, &error) != HN_OK || hn_pool_create(&pool, layer, 1, &error) != HN_OK)
        return 1;
    double raw = 5, corrected = 0;
    hn_report report;
    hn_batch batch = hn_batch();
    batch.size = sizeof batch;
    batch.count = 1;
    batch.y_raw = &raw;
    batch.y = &corrected;
    batch.report_size = sizeof report;
    batch.reports = &report;
    if (hn_pool_run(pool, &batch, &error) != HN_OK || report.outcome != HN_OUTCOME_OK)
        return 1;
    std::printf("%s %.6f\\n", hn_model_row(model, 0).name, corrected);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
"""


def run(*command, **options):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}"
    return done.stdout


def plain(text):
    return re.sub(r"/\*.*?\*/", lambda found: "\n" * found.group(0).count("\n"), text, flags=re.S)


def grows(name, body):
    return name in GROWING or (body.lstrip().startswith("size_t size;") and name not in WHOLE)


def shortened(text):
    """Every struct that may grow without its last field."""
    def cut(found):
        name, body = found.groups()
        fields = [field for field in re.split(r"(?<=;)", body) if field.strip()]
        return f"typedef struct {name} {{\n{''.join(fields[:-1])}\n}} {name};" if grows(name, body) else found.group(0)
    return STRUCT.sub(cut, plain(text))


def lengthened(text):
    """Every struct that may grow with a field more, behind those that it has got since."""
    def add(found):
        name, body = found.groups()
        return f"typedef struct {name} {{\n{body}\n    double since[8], later;\n}} {name};" if grows(name, body) else found.group(0)
    return STRUCT.sub(add, plain(text))


def copy_headers(headers, to, change):
    to.mkdir(parents=True)
    changed = 0
    for header in headers.glob("*.h"):
        text = header.read_text()
        (to / header.name).write_text(change(text))
        changed += sum(grows(name, body) for name, body in STRUCT.findall(plain(text)))
    return changed


def compiled(options, include, name, folder, libraries, *flags):
    run(options.compiler, "-std=c11", "-Wall", "-Wextra", "-Werror", *flags, f"-I{include}",
        f"{options.source}/tests/house/frozen/program.c", *libraries, "-lm", "-pthread", "-o", folder / name)
    return run(folder / name, env={**os.environ, "LD_LIBRARY_PATH": str(options.build)})


def check_ages(options, frozen, folder):
    present = pathlib.Path(options.source, "include/hardnet")
    ages = (("stored", frozen, str, ()), ("earlier", frozen, shortened, ("-DEARLIER",)), ("later", present, lengthened, ("-DLATER",)))
    printed, sizes = {}, {}
    for age, headers, change, flags in ages:
        include = folder / age
        assert copy_headers(headers, include / "hardnet", change) >= 15, "structs are not found"
        for kind, libraries in (("static", [f"{options.build}/libhardnet.a"]), ("shared", [f"-L{options.build}", "-lhardnet"])):
            text = compiled(options, include, f"{age}_{kind}", folder, libraries, *flags)
            printed[age, kind] = [line for line in text.splitlines() if not line.startswith("size")]
            sizes[age] = [int(number) for number in re.findall(r"\d+", next(line for line in text.splitlines() if line.startswith("size")))]
    first = printed["stored", "static"]
    assert sum(line.startswith("ok ") for line in first) >= 15 and "behind the reports: nothing" in first, first
    for key, lines in printed.items():
        assert lines == first, (key, [pair for pair in zip(lines, first) if pair[0] != pair[1]][:3], lines[len(first):])
    assert sizes["earlier"][0] < sizes["stored"][0] < sizes["later"][0], sizes
    assert sizes["earlier"][1] < sizes["stored"][1] < sizes["later"][1], sizes


def check_layouts(options, frozen, folder):
    """The place of every field and the number of every enumerator in the stored headers, as the compiler sees both."""
    questions = []
    for header in sorted(frozen.glob("*.h")):
        text = plain(header.read_text())
        for name, body in STRUCT.findall(text):
            body = re.sub(r"\(\*(\w+)\)\s*\([^;]*\)", r"\1", body) # pointers to functions
            questions += [f"offsetof({name}, {field})" for field in re.findall(r"(\w+)(?:\[[^\]]*\])?(?=\s*[,;])", body)]
        names = re.findall(r"\bX\((HN_\w+)", text)
        for listed in re.findall(r"\benum[ \w]*\{([^}]*)\}", text):
            names += [name for name in re.findall(r"\bHN_\w+", listed) if not name.endswith(("_LIST", "_COUNT", "_ENUMERATE"))]
        questions += [f"(long){name}" for name in names]
    assert len(questions) > 150 and "offsetof(hn_batch, watch)" in questions and "(long)HN_UNSUPPORTED" in questions
    assert "(long)HN_SEVERITY_ERROR" in questions and "(long)HN_FINGERPRINT_BYTES" in questions, questions
    lines = "".join(f'    printf("%ld {question}\\n", (long)({question}));\n' for question in questions)
    source = folder / "layout.c"
    source.write_text('#include "hardnet/evaluate.h"\n#include "hardnet/layer.h"\n#include "hardnet/read.h"\n#include <stdio.h>\n'
                      f"int main(void) {{\n{lines}    return 0;\n}}\n")
    answers = []
    for include in (frozen.parent, pathlib.Path(options.source, "include")):
        run(options.compiler, "-std=c11", f"-I{include}", source, "-o", folder / "layout")
        answers.append(run(folder / "layout").splitlines())
    moved = [pair for pair in zip(*answers) if pair[0] != pair[1]]
    assert not moved, f"the kept interface has changed: {moved[:5]}"


def check_cpp(options, folder):
    compiler = shutil.which("c++") or shutil.which("clang++")
    if not compiler:
        return
    source = folder / "program.cpp"
    source.write_text(CPP)
    for standard in ("c++11", "c++20"):
        run(compiler, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Werror", f"-I{options.source}/include", source,
            f"{options.build}/libhardnet.a", "-lm", "-pthread", "-o", folder / "cpp")
        assert run(folder / "cpp") == "square 3.000000\n", run(folder / "cpp")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--build", required=True)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_known_args()[0]
    frozen = pathlib.Path(options.source, "tests/house/frozen/include/hardnet")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        check_ages(options, frozen, folder)
        check_layouts(options, frozen, folder)
        check_cpp(options, folder)
    return 0


sys.exit(main())
