"""The pictures of the documents are what scripts/illustrate draws from the data beside them; a changed one is noticed."""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree


def check(root):
    return subprocess.run([sys.executable, root / "scripts/illustrate", "--check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", required=True, type=pathlib.Path)
    source = parser.parse_known_args()[0].source
    done = check(source)
    assert done.returncode == 0, done.stdout
    pictures = sorted((source / "docs/pictures").glob("*.svg"))
    assert len(pictures) == len(done.stdout.splitlines()) == 12, done.stdout
    for picture in pictures:
        root = ElementTree.parse(picture).getroot()
        names = {child.tag.split("}")[1] for child in root}
        assert {"title", "desc"} <= names and "script" not in names, picture
        assert "http" not in picture.read_text().replace("http://www.w3.org/2000/svg", ""), f"{picture} loads something"
    with tempfile.TemporaryDirectory() as folder:
        copy = pathlib.Path(folder)
        shutil.copytree(source / "docs/pictures", copy / "docs/pictures")
        shutil.copytree(source / "scripts", copy / "scripts", ignore=shutil.ignore_patterns("__pycache__"))
        data = copy / "docs/pictures/data/table.csv"
        data.write_text(data.read_text().replace("HardNet++,published,0.0137", "HardNet++,published,0.0237"))
        done = check(copy)
        assert done.returncode != 0 and "table-light.svg is not what its data give" in done.stdout, done.stdout
    return 0


sys.exit(main())
