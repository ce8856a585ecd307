"""The pages of the site are laid out from the tree: every public function, exported name and verb is on one, every block of the documents is
marked, and a broken link is noticed. The site itself is built by `make site`."""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile


def run(*command):
    return subprocess.run([sys.executable, "-B", *map(str, command)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def check_pages(source, pages):
    done = run(source / "scripts/website/stage.py", source, pages)
    assert done.returncode == 0, done.stdout
    reference = "".join(path.read_text() for path in (pages / "c").glob("*.md"))
    for path in (source / "include/hardnet").glob("*.h"):
        plain = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
        for name in re.findall(r"^[\w *]*?\b(hn_\w+)\(", plain, re.M):
            assert f'<a id="{name}"></a>' in reference, f"{name} of {path.name} has no place"
    command = (pages / "command.md").read_text()
    for verb in re.findall(r"^\.SS hardnet (\w+)", (source / "docs/hardnet.1").read_text(), re.M):
        assert f"### hardnet {verb}" in command, verb
    python = (pages / "python-interface.md").read_text()
    for name in ("hardnet.Model", "hardnet.Layer", "hardnet.sum", "hardnet.torch.Layer", "hardnet.jax.layer"):
        assert f"{{ #{name} }}" in python, name
    check_constructors(python)
    index = (pages / "index.md").read_text()
    assert "correction-light.svg#only-light" in index and "correction-dark.svg#only-dark" in index
    assert "](models.md)" in (pages / "python.md").read_text() and "<!-- not run" not in (pages / "emit.md").read_text()
    tree = (pages.parent / "mkdocs.yml").read_text()
    for path in pages.rglob("*.md"):
        assert path.relative_to(pages).as_posix() in tree, f"{path.name} is not in the navigation"


def check_constructors(python):
    """A class is shown with its constructor, its call and what it inherits from a class without a page, and not with what is internal."""
    for text in ("Layer(\n    model: Model,\n    method: Method='auto',", "layer(\n    y_raw: ArrayLike | None=None,", "Model(*, max_nodes: int=0)",
                 "Model.subject_to(*conditions: Condition", "    on_fail: OnFail='return',", "layer(\n    y_raw: Tensor,\n    x: Tensor | None=None,",
                 "layer(", "Network(\n    inputs: int,", "\n- `tolerance`: "):
        assert text in python, text
    for text in ("note_reports", "Layer.core", "Model.core", "-> None\n)"):
        assert text not in python, text


def check_links(source, folder):
    good = "".join(f'<a href="other.html#place">{i}</a>' for i in range(101))
    (folder / "other.html").write_text('<p id="place">')
    for text, sentence in (("", None), ('<a href="no.html">', "no such file"), ('<a href="other.html#no">', "no such place"),
                           ('<script src="https://cdn/x.js"></script>', "loads")):
        (folder / "index.html").write_text(good + text)
        done = run(source / "scripts/website/links.py", folder)
        assert (done.returncode != 0) == bool(sentence) and (not sentence or sentence in done.stdout), (text, done.stdout)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    source = parser.parse_known_args()[0].source.resolve()
    with tempfile.TemporaryDirectory() as folder:
        check_pages(source, pathlib.Path(folder) / "pages")
    with tempfile.TemporaryDirectory() as folder:
        check_links(source, pathlib.Path(folder))
    done = run(source / "scripts/website/blocks.py", "--marks")
    assert done.returncode == 0 and "0 wrong" in done.stdout, done.stdout
    return 0


sys.exit(main())
