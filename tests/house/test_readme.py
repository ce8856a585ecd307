"""README has links that lead somewhere, names `make` before what needs a build, and its C compiles as C11 and as C++20; links of the documents lead
somewhere, too. CITATION.cff has the library's version and the paper; the table of methods has every method."""
import argparse
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def links_of(text):
    """Markdown links in running text, without blocks of code."""
    return re.findall(r"\[[^\]]+\]\(([^)\s]+)\)", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))


def anchors_of(path):
    """The anchors that code hosts give to the headings of a document."""
    headings = re.findall(r"^#+ (.*)$", re.sub(r"^```.*?^```$", "", path.read_text(), flags=re.M | re.S), re.M)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def check_local_links(source, name):
    found = [link for link in links_of((source / name).read_text()) if "://" not in link]
    for link in found:
        place, _, anchor = link.partition("#")
        target = (source / name).parent / place if place else source / name
        if target.suffix == ".html" and name.startswith("docs/"):  # a page that only the site has
            continue
        assert target.exists(), f"{name}: {link}: there is no such file"
        assert not anchor or anchor in anchors_of(target), f"{name}: {link}: there is no such heading"
    return found


def check_readme(source):
    text = (source / "README.md").read_text()
    linked = set(check_local_links(source, "README.md"))
    prose = re.sub(r"\[[^\]]+\]\([^)]*\)|`[^`\n]*`|<[^>]*>", "", re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S))
    assert not re.findall(r"\b[\w/]+\.md\b", prose), "a document is named in README without a link"
    for path in (source / "docs").glob("*.md"):
        assert path.name in ("index.md", "misra.md", "benchmarks.md") or f"docs/{path.name}" in linked, f"README does not link {path.name}"
    assert "https://arxiv.org/abs/2604.19669" in links_of(text) and "CITATION.cff" in linked
    first = text[:text.index("\n## ")]
    for command in ("pip install .", "make", "make demo", "make test", "make test-all"):
        assert re.search(rf"^{re.escape(command)} +#", first, re.M), f"{command} is not in the first part"
    assert text.index("\nmake  ") < text.index("build/hardnet check"), "what needs a build comes before `make`"
    assert "subject_to" in first and "import torch" in first and "x86-64" in first


def check_c(source, compiler, folder):
    """The C of README compiles where the names that it uses are declared: as C11, and as C++20, which wants initialisers in their order."""
    body = re.search(r"^```c\n(.*?)^```$", (source / "README.md").read_text(), re.M | re.S).group(1)
    names = ("hn_model *model, hn_layer *layer, hn_pool *pool, hn_error error, const double *x, const double *raw, double *y, void *tape, "
             "hn_report *reports, hn_gradient gradient")
    languages = [("c", "c11", compiler)] + [("c++", "c++20", found) for found in [shutil.which("c++") or shutil.which("clang++")] if found]
    program = folder / "readme.c"
    program.write_text(f"#include <hardnet/hardnet.h>\n#include <math.h>\nvoid use({names});\nvoid use({names}) {{\n{body}}}\n")
    for language, standard, found in languages:
        command = [found, "-x", language, f"-std={standard}", "-Wall", "-Wextra", "-Wpedantic", "-Wno-missing-field-initializers", "-Werror",
                   f"-I{source}/include", "-fsyntax-only"]
        done = subprocess.run([*command, str(program)], stderr=subprocess.PIPE, text=True)
        assert done.returncode == 0, (language, done.stderr)


def check_citation(source):
    text = (source / "CITATION.cff").read_text()
    header = (source / "include/hardnet/base.h").read_text()
    version = ".".join(re.findall(r"#define HN_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", header))
    for line in ("cff-version: 1.2.0", "type: software", f"version: {version}", "license: MIT"):
        assert re.search(rf"^{re.escape(line)}$", text, re.M), line
    for key in ("message", "title", "authors", "references"):
        assert re.search(rf"^{key}:", text, re.M), key
    assert re.findall(r"family-names: (\w+)", text) == ["Goertzen", "Alim", "Min", "Azizan"]


SEARCHES = {"nearest", "optimal"}  # training does not name them
METHOD_LISTS = {"docs/hardnet.1": r"\\-\\-method \" \" (auto .*?)\n", "python/hardnet/_options.py": r"\nMethod = Literal\[(.*?)\]",
                "web/hardnet.js": r"methods: \[(.*?)\]", "web/hardnet.d.ts": r"type Method = (.*?);"}


def check_methods(source):
    """The table "which method when" has a row for every method, and whoever chooses one is led there."""
    methods = re.findall(r'X\(HN_METHOD_\w+, "(\w+)"\)', (source / "include/hardnet/layer.h").read_text())
    section = re.search(r"^## Which method when\n(.*?)^## ", (source / "docs/method.md").read_text(), re.M | re.S).group(1)
    assert sorted(re.findall(r"^\| `(\w+)`", section, re.M)) == sorted(methods) and len(methods) >= 8, methods
    step = re.search(r"^## The step\n(.*?)^## ", (source / "docs/method.md").read_text(), re.M | re.S).group(1)
    assert set(methods) <= set(re.findall(r"^\| `(\w+)`", step, re.M)), methods
    for name, pattern in METHOD_LISTS.items():
        for found in re.findall(pattern, (source / name).read_text(), re.S):
            assert set(methods) - SEARCHES <= set(re.findall(r"\w+", found)), (name, found)
    assert "`hardnet`: HardNet-Aff (2024)" in section and "afety filter" in section
    for name in ("README.md", "docs/python.md", "docs/index.md"):
        assert any(link.endswith("method.md#which-method-when") for link in links_of((source / name).read_text())), name
    for name in ("_model.py", "_layer.py"):
        assert "Which method when" in (source / "python/hardnet" / name).read_text(), name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    parser.add_argument("--compiler", default="cc")
    options = parser.parse_known_args()[0]
    source = options.source.resolve()
    check_readme(source)
    for path in (source / "docs").glob("*.md"):
        check_local_links(source, f"docs/{path.name}")
    with tempfile.TemporaryDirectory() as folder:
        check_c(source, options.compiler, pathlib.Path(folder))
    check_citation(source)
    check_methods(source)
    return 0


sys.exit(main())
