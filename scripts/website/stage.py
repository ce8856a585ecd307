"""Lays out the pages of the site: stage.py ROOT PAGES [PLAYGROUND]

Documents are copied from docs/, with links where they name each other; the C interface comes from the headers, the Python interface
from docstrings, the command line from the manual. Pictures go along in two tones, the playground as it was built.

SPDX-License-Identifier: MIT
"""
import pathlib
import re
import shutil
import sys

import docstrings
import headers
import manual

TITLES = {"tour": "the tour", "models": "model files", "python": "Python", "kernels": "compiled code", "emit": "emitted files",
          "device": "on a GPU", "evaluate": "values and derivatives", "method": "the method", "reproduction": "the paper's experiment",
          "fingerprint": "fingerprints", "decisions": "decisions", "reliability": "reliability", "benchmarks": "benchmarks",
          "compare": "how it compares", "web": "in a browser", "misra": "MISRA C", "cones": "cones by hand",
          "architecture": "architecture"}
OTHERS = {"CHANGELOG.md": "changelog.md", "SECURITY.md": "security.md", "bench/results.md": "results.md"}
HIDDEN = {"index.md": "navigation, toc", "compare.md": "toc"}  # columns beside a page that would only be in its way
CODE = re.compile(r"(^```.*?^```$|^(?: {4}|\t).*$|``.+?``|`[^`\n]+`|<!--.*?-->|\[[^\]]*\]\([^)]*\))", re.M | re.S)
PICTURE = re.compile(r'<picture>\s*<source [^>]*srcset="([^"]*)-dark\.svg">\s*<img src="[^"]*" alt="([^"]*)">\s*</picture>')


def linked(text, page):
    """Names of documents in running text become links."""
    up = "../" * page.count("/")

    def one(found):
        name = found.group(1)
        return f"[{TITLES[name]}]({up}{name}.md)" if name in TITLES and name != page else found.group(0)

    def other(found):
        target = OTHERS[found.group(0)]
        return f"[{found.group(0)}]({up}{target})" if target != f"{page}.md" else found.group(0)
    pieces = CODE.split(text)
    for i in range(0, len(pieces), 2):
        pieces[i] = re.sub(r"(?<![\w/])docs/(\w+)\.md", one, pieces[i])
        pieces[i] = re.sub("|".join(re.escape(name) for name in OTHERS), other, pieces[i])
    return "".join(pieces)


def pictured(text):
    """<picture> with two sources becomes two images, of which the style shows the one that fits."""
    def both(found):
        place, said = found.groups()
        name = pathlib.PurePath(place).name
        return "\n".join(f'<img src="pictures/{name}-{tone}.svg#only-{tone}" alt="{said}">' for tone in ("light", "dark"))
    return PICTURE.sub(both, text)


def without_marks(text):
    """Remarks for the tests of the blocks go."""
    return re.sub(r"^<!-- (run|save|not run|check)\b.*?-->\n", "", text, flags=re.M)


def stage(root, pages, playground):
    shutil.rmtree(pages, ignore_errors=True)
    pages.mkdir(parents=True)
    sources = {path.stem: path for path in (root / "docs").glob("*.md")}
    for name, path in OTHERS.items():
        sources[pathlib.PurePath(path).stem] = root / name
    texts = {f"{name}.md": linked(pictured(without_marks(path.read_text())), name) for name, path in sources.items()}
    texts.update({name: linked(text, name[:-3]) for name, text in headers.pages(root).items()})
    texts["command.md"] = manual.page(root)
    texts["python-interface.md"] = linked(docstrings.page(root), "python-interface")
    if not playground:
        texts["index.md"] = re.sub(r"<!-- playground -->.*?<!-- end -->\n", "", texts["index.md"], flags=re.S)
    for name, columns in HIDDEN.items():
        texts[name] = f"---\nhide: [{columns}]\n---\n\n{texts[name]}"
    for name, text in texts.items():
        (pages / name).parent.mkdir(exist_ok=True)
        (pages / name).write_text(text)
    shutil.copytree(root / "docs/pictures", pages / "pictures", ignore=shutil.ignore_patterns("data"))
    if playground:
        shutil.copytree(playground, pages / "playground")
    configure(root, pages, playground)


def configure(root, pages, playground):
    """The configuration beside the pages, with the headers and the playground in its navigation."""
    text = (root / "scripts/website/mkdocs.yml").read_text()
    listed = "".join(f"\n          - {name[2:-3]}.h: {name}" for name in headers.header_names(root))
    text = text.replace("      - C interface: c/index.md", f"      - C interface:\n          - c/index.md{listed}")
    if playground:
        text = text.replace("  - Start:\n", "  - Playground: playground/index.html\n  - Start:\n")
    tools = root / "scripts/website"
    text = text.replace("docs_dir: ../../build/site-pages", f"docs_dir: {pages}").replace("site_dir: ../../build/site", f"site_dir: {root}/build/site")
    text = text.replace("custom_dir: theme", f"custom_dir: {tools}/theme").replace("[hooks.py]", f"[{tools}/hooks.py]")
    (pages.parent / "mkdocs.yml").write_text(text)


if __name__ == "__main__":
    stage(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]) if len(sys.argv) > 3 else None)
