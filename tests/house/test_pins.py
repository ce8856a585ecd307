"""What scripts install from PyPI has a version: in the command itself, in a requirements file, or in scripts/constraints.txt."""
import argparse
import pathlib
import re
import sys

# JAX of several versions is what this one is about.
EXEMPT = {"jax-versions"}


def normal(name):
    return re.sub(r"[-_.]+", "-", name).lower()


def pinned(path):
    lines = [line.split("#")[0].strip() for line in path.read_text().splitlines()]
    for line in filter(None, lines):
        assert re.match(r"[A-Za-z0-9._-]+==[0-9][^ ;]*(; *python_version [<>=]+ *\"3\.[0-9]+\")?$", line), f"{path.name}: {line} is no pin"
    return {normal(re.split("==", line)[0]) for line in lines if line}


def installed(text):
    """Yields the words that are packages in calls of pip, and in the lists that such calls are given."""
    text = re.sub(r"(?m)(^|\s)#.*$", "", text)
    lists = dict(re.findall(r'(?m)^(needs|frameworks)="([^"]*)"', text))
    for call in re.findall(r"(?m)(?:pip_install|pip\"? install)(.*)$", text):
        words = re.split(r"\s*(?:\|\||&&|;|>)", call)[0].replace("$needs", lists.get("needs", "")).replace("$frameworks", lists.get("frameworks", ""))
        words = re.sub(r"-[rc] \S+", "", words).split()
        yield from (word.strip("'\"") for word in words if not word.startswith(("-", "$", '"$', "build/", "(", "{", ")")))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", default=pathlib.Path(__file__).resolve().parents[2])
    scripts = pathlib.Path(parser.parse_known_args()[0].source, "scripts")
    known = pinned(scripts / "constraints.txt")
    pinned(scripts / "website" / "requirements.txt")
    found = 0
    for path in sorted(scripts.iterdir()):
        if not path.is_file() or path.name in EXEMPT or not path.read_bytes().startswith(b"#!/bin/sh"):
            continue
        text = path.read_text()
        for word in installed(text):
            found += 1
            name, version = re.match(r"([A-Za-z0-9._-]+)(.*)", word).groups()
            assert version.startswith("==") or normal(name) in known, f"scripts/{path.name}: {word} has no version"
            assert version.startswith("==") or "constraints.txt" in text, f"scripts/{path.name}: scripts/constraints.txt is not used"
    assert found >= 8, f"only {found} packages were found: the test sees nothing"
    return 0


sys.exit(main())
