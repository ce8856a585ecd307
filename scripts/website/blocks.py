"""Runs what the documents show: blocks.py [--marks] [PAGE...] in a built tree. Every fenced block is one of

    sh             run, in the order of the page, in a scratch folder where build, models, data, scripts, examples and include are the tree's;
                   lines `# prints: TEXT` say how some of what the block prints begins, in their order
    after <!-- save: NAME -->            written to that file
    after <!-- not run: REASON -->       left out, with its reason
    js             run by Node with build/web/hardnet.js, where `make web` has made it
    python, pycon  run by python/tests/test_documents.py, which takes the same pages
    math           drawn when the site is built
    text           no code

and any other one, or an indented one, is an error. Trainings and loops are short here, and networks that were trained so briefly may fail: build/hardnet
is a script in front of the program.
Prints one line for each block and how many were run; --marks runs none, and looks only whether each is one of these. SPDX-License-Identifier: MIT
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGES = ("README.md", *sorted(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")), "SECURITY.md")
BLOCK = re.compile(r"(?:^<!-- (save|not run): (.*?) -->\n)?^```(\w*)\n(.*?)^```$", re.M | re.S)
SHORT = """#!/bin/sh
more=
case ${{1-}} in
train) more="--steps 30 --multistart 0" ;;
eval) more="--samples 4 --allow-infeasible" ;;
rollout) more="--steps 4 --allow-infeasible --allow-outside" ;;
esac
case "$*" in "eval "*--closed-loop*) more="$more --steps 4 --allow-outside" ;; esac
exec "{program}" "$@" $more
"""


def scratch(folder):
    """A folder as a user of the tree sees it."""
    for name in ("models", "data", "scripts", "examples", "include"):
        (folder / name).symlink_to(ROOT / name)
    (folder / "build").mkdir()
    for path in (ROOT / "build").glob("libhardnet.*"):
        (folder / "build" / path.name).symlink_to(path)
    program = folder / "build/hardnet"
    program.write_text(SHORT.format(program=ROOT / "build/hardnet"))
    program.chmod(0o755)


def indented(text):
    """Lines of indented blocks: four blanks after an empty line, outside of fences and lists."""
    plain = BLOCK.sub(lambda found: "\n" * found.group(0).count("\n"), text)
    lines = plain.splitlines()
    for number, line in enumerate(lines):
        before = next((other for other in reversed(lines[:number]) if other.strip()), "")
        if line.startswith("    ") and number and not lines[number - 1].strip() and not re.match(r"\s*([-*]|\d+\.|:) |\s{2,}", before):
            yield number + 1


def run(text, folder):
    """What is wrong about a block of commands; None where nothing is."""
    done = subprocess.run(["sh", "-eu", "-c", text], cwd=folder, env={**os.environ, "HARDNET": str(folder / "build/hardnet")}, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=540)
    if done.returncode != 0:
        return f"exit status {done.returncode}\n{done.stdout}"
    said = iter(done.stdout.splitlines())
    for promised in re.findall(r"^# prints: ?(.*)$", text, re.M):
        if not any(line.startswith(promised.rstrip()) for line in said):
            return f"does not print: {promised}\n{done.stdout}"
    return None


def run_script(text):
    """The same for a block of JavaScript; a sentence in place of a run where there is nothing to run it with."""
    library = ROOT / "build/web/hardnet.js"
    if not library.exists() or not shutil.which("node"):
        return "not run: no build/web/hardnet.js or no Node", None
    script = f"const hardnet = require({str(library)!r}); (async () => {{\n{text}\n}})();"
    done = subprocess.run(["node", "-e", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=120)
    return "run", done.stdout if done.returncode != 0 else None


def judge(page, folder, marks_only=False):
    """Yields (line, what was done, what is wrong) for every block of a page."""
    text = (ROOT / page).read_text()
    for line in indented(text):
        yield line, "indented", "an indented block: fence it, and say what it is"
    for found in BLOCK.finditer(text):
        (mark, said, language, body), line = found.groups(), text[:found.start()].count("\n") + 1
        if mark == "save":
            (folder / said).write_text(body)
            yield line, f"saved as {said}", None
        elif mark == "not run":
            yield line, f"not run: {said}", None
        elif language == "sh":
            yield line, "run", None if marks_only else run(body, folder)
        elif language == "js":
            yield line, *(("run", None) if marks_only else run_script(body))
        elif language in ("python", "pycon"):
            yield line, "python", None
        elif language in ("math", "text"):
            yield line, language, None
        else:
            yield line, language or "no language", "neither run, nor saved, nor marked with a reason"


def main(arguments):
    pages = [page for page in arguments if page != "--marks"]
    counts, wrong = {}, 0
    for page in pages or PAGES:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            scratch(folder)
            for line, done, fault in judge(page, folder, "--marks" in arguments):
                kind = done.split(":")[0].split(" as ")[0]
                counts[kind] = counts.get(kind, 0) + 1
                print(f"{page}:{line}: {done}", flush=True)
                if fault:
                    wrong += 1
                    print(f"{page}:{line}: FAILED: {fault}", flush=True)
    print("blocks: " + ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) + f"; {wrong} wrong")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
