"""Kills the program at every system call, and makes every call fail, while it writes: whatever is there afterwards is whole.

Run with the path of the built program: kills.py BUILD/hardnet [--every N]. strace(1) counts the calls of a run, then ends it by SIGKILL
at the first, the second, ... (with --every N at every N-th), and in other runs makes it fail with an error of its kind. After each run:

    every file is the old one or the new one, to the last byte; a report is the old one or whole JSON; a log is as far as it has come
    an exit status of 0 means that all files are the new ones; any other comes with a sentence, and never from a crash
    in every eighth case the same run without a fault gives all new files; a training goes on from its checkpoint to the same bytes

The verbs: project with a report, solve with multipliers, train with checkpoints and a log, emit, compile into the cache, project with
a kernel from there, eval, write, check.
Exit status 77 where there is no strace.
"""
import argparse
import itertools
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ELLIPSE = str(ROOT / "models" / "ellipse.mod")
OLD = b"what was there before\n"
NEW_EVERY = 8
# Which error a call that fails may have.
ERRORS = {"openat": ("EMFILE", "EACCES"), "read": ("EIO",), "pread64": ("EIO",), "write": ("ENOSPC", "EIO"), "fsync": ("EIO",),
          "close": ("EIO",), "rename": ("EACCES",), "linkat": ("ENOSPC",), "unlink": ("EACCES",), "unlinkat": ("EACCES",),
          "mkdir": ("ENOSPC",), "mmap": ("ENOMEM",), "fchmod": ("EPERM",), "newfstatat": ("EIO",), "fstat": ("EIO",),
          "rmdir": ("EACCES",), "clone": ("EAGAIN",), "clone3": ("EAGAIN",), "vfork": ("EAGAIN",), "memfd_create": ("EMFILE",)}
CRASHES = (-4, -6, -7, -8, -11, 132, 134, 135, 136, 139)


class Wrong(Exception):
    pass


def array(rows, columns, numbers):
    header = f"{{'descr': '<f8', 'fortran_order': False, 'shape': ({rows}, {columns}), }}"
    header += " " * (-(11 + len(header)) % 64) + "\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + struct.pack(f"<{len(numbers)}d", *numbers)


# A compiler that has compiled it before: what is judged is not the compiler.
COMPILER = """#!/bin/sh
for word in "$@"; do case $last in -o) out=$word ;; esac; last=$word; done
if [ ! -e {kept} ]; then {cc} "$@" && cp "$out" {kept}.part && mv {kept}.part {kept}; exit; fi
cp {kept} "$out"
"""


class Verb:
    """One command, the files that it writes, and those of them that hold times: these are JSON."""

    def __init__(self, name, words, files, reports=(), old=True, before=None, resumes=False):
        self.name, self.words, self.files, self.reports = name, words, files, reports
        self.old = old  # files of these names are there before
        self.before = before  # what has made them; None: any bytes
        self.resumes = resumes


TRAIN = ["train", ELLIPSE, "--hidden", "3", "--steps", "4", "--batch", "8", "--validation", "8", "--validate-every", "2",
         "--checkpoint-steps", "1", "--threads", "1", "--out", "net", "--log", "log.csv"]
VERBS = (
    Verb("project", ["project", ELLIPSE, "--x", "x.npy", "--threads", "1", "--out", "y.npy", "--report", "r.json"], ["y.npy"], ["r.json"]),
    Verb("solve", ["solve", ELLIPSE, "--x", "x.npy", "--threads", "1", "--out", "y.npy", "--multipliers", "m.npy", "--report", "r.json"],
         ["y.npy", "m.npy"], ["r.json"]),
    Verb("train", TRAIN, ["net", "log.csv"], resumes=True),
    Verb("eval", ["eval", ELLIPSE, "--net", "given", "--x", "x.npy", "--threads", "1", "--out", "y.npy", "--report", "r.json"], ["y.npy"],
         ["r.json"]),
    Verb("emit", ["emit", ELLIPSE, "--out", "emitted"], ["emitted/ellipse.c", "emitted/ellipse.h", "emitted/example.c",
                                                          "emitted/CMakeLists.txt"],
         before=["emit", ELLIPSE, "--out", "emitted", "--adjoint"]),
    Verb("compile", ["compile", ELLIPSE, "--isa", "portable"], ["cache/hardnet/KERNEL"], old=False),
    Verb("project with a kernel", ["project", ELLIPSE, "--x", "x.npy", "--threads", "1", "--isa", "portable", "--compile", "--out", "y.npy"],
         ["y.npy"]),
    Verb("write", ["write", ELLIPSE, "--out", "w.mod"], ["w.mod"]),
    Verb("check", ["check", ELLIPSE, "--json", "c.json", "--threads", "1"], [], ["c.json"]),
)


class Scene:
    """A folder with inputs, in which a verb runs again and again; what a good run leaves there."""

    def __init__(self, program, verb, folder):
        self.program, self.verb, self.folder = program, verb, folder
        (folder / "kept").mkdir()
        compiler = folder / "kept" / "cc"
        compiler.write_text(COMPILER.format(kept=folder / "kept" / "object", cc=os.environ.get("CC", "cc")))
        compiler.chmod(0o755)
        self.environment = dict(os.environ, CC=str(compiler), XDG_CACHE_HOME=str(folder / "work" / "cache"), TMPDIR=str(folder / "work"))
        self.given, self.old = None, None
        self.clean()
        if verb.name == "eval":
            self.must([*TRAIN[:-3], "given"])
            self.given = (self.work / "given").read_bytes()
        self.new, self.old = {}, {}
        if verb.before:
            self.must(verb.before)
            self.old = {name: (self.work / name).read_bytes() for name in verb.files}
        self.clean()
        self.must(verb.words)
        self.find_kernel()
        self.new = {name: (self.work / name).read_bytes() for name in verb.files}

    @property
    def work(self):
        return self.folder / "work"

    def find_kernel(self):
        """The name of a kernel is its digest."""
        kernels = [path.name for path in self.work.glob("cache/hardnet/*.so")]
        self.verb.files = [name.replace("KERNEL", kernels[0] if kernels else "") for name in self.verb.files]

    def clean(self):
        shutil.rmtree(self.work, ignore_errors=True)
        (self.work / "cache").mkdir(parents=True)
        (self.work / "x.npy").write_bytes(array(3, 1, [-1, 0.5, 1]))
        if self.given:
            (self.work / "given").write_bytes(self.given)
        if self.verb.old and self.old is not None:
            for name in [*self.verb.files, *self.verb.reports]:
                (self.work / name).parent.mkdir(exist_ok=True)
                (self.work / name).write_bytes(self.old.get(name, OLD))

    def run(self, words, before=()):
        return subprocess.run([*before, self.program, *words], cwd=self.work, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)

    def must(self, words):
        done = self.run(words)
        if done.returncode:
            raise Wrong(f"{words}: {done.stderr.decode()}")

    def calls(self):
        """The system calls of a run, in their order."""
        log = self.folder / "calls"
        self.clean()
        self.run(self.verb.words, ["strace", "-o", str(log)])
        names = [line.partition("(")[0] for line in log.read_text(errors="replace").splitlines() if "(" in line]
        return [name for name in names if name.isidentifier()]

    def with_fault(self, fault):
        self.clean()
        return self.run(self.verb.words, ["strace", "-o", "/dev/null", "-e", f"inject={fault}"])

    # ---- what is there afterwards ----

    def is_new(self, name):
        """True for the new file, False for the old one or none where there was none; anything else is wrong."""
        path = self.work / name
        if not path.exists():
            if self.verb.old:
                raise Wrong(f"{name} is gone")
            return False
        data = path.read_bytes()
        if data == self.new.get(name):
            return True
        if self.verb.old and data == self.old.get(name, OLD):
            return False
        if name in self.new:
            if name.endswith(".csv") and self.new[name].startswith(data):
                return False
            raise Wrong(f"{name} is neither the old nor the new one: {len(data)} of {len(self.new[name])} bytes")
        json.loads(data)
        return True

    def judge(self, status, words):
        """After a run: the files, and whether the exit status tells the truth."""
        new = {name: self.is_new(name) for name in [*self.verb.files, *self.verb.reports]}
        for name in new:
            told = name.endswith(".csv") and f"warning: {name}: ".encode() in words  # a log never stops a training
            if status == 0 and not new[name] and not told:
                raise Wrong(f"exit status 0, and {name} is not the new one")
        if status in CRASHES:
            raise Wrong(f"it crashed: {status}")
        if status > 0 and not words.strip():
            raise Wrong(f"exit status {status} without a word")

    def again(self):
        """The same run once more, in the folder as it was left."""
        words = self.verb.words
        if self.verb.resumes and (self.work / "net.checkpoint").exists():
            words = [*words, "--resume"]
        self.must(words)
        self.judge(0, b"")


def kill_everywhere(scene, calls, step):
    count = 0
    for number in range(1, len(calls) + 1, step):
        done = scene.with_fault(f"all:signal=KILL:when={number}")
        try:
            scene.judge(0 if done.returncode == 0 else -9, done.stderr)
            if count % NEW_EVERY == 0:
                scene.again()
        except Wrong as wrong:
            raise Wrong(f"{scene.verb.name} killed at call {number}, {calls[number - 1]}: {wrong}") from None
        count += 1
    return count


def fail_everywhere(scene, calls, step):
    count, loader = 0, calls[:calls.index("set_robust_list")]  # what comes before is the dynamic loader's, which may crash
    faults = [(name, error, when + 1) for name, errors in ERRORS.items() for error in errors
              for when in range(loader.count(name), calls.count(name))]
    for (name, error, when), how in itertools.product(faults[::step], ("", "+")):
        done = scene.with_fault(f"{name}:error={error}:when={when}{how}")
        try:
            scene.judge(done.returncode, done.stderr or (b"stderr fails, too" if name == "write" else b""))
            if count % NEW_EVERY == 0:
                scene.again()
        except Wrong as wrong:
            raise Wrong(f"{scene.verb.name}, {name} number {when}{how} with {error}: {wrong}\n{done.stderr.decode()}") from None
        count += 1
    return count


def run_verb(program, verb, step):
    with tempfile.TemporaryDirectory() as folder:
        scene = Scene(program, verb, pathlib.Path(folder))
        calls = scene.calls()
        kills, failures = kill_everywhere(scene, calls, step), fail_everywhere(scene, calls, step)
    print(f"{verb.name}: {len(calls)} calls, {kills} kills, {failures} failing calls, 0 torn", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--every", type=int, default=1, metavar="N")
    parser.add_argument("--only", metavar="VERB")
    given = parser.parse_args()
    if not shutil.which("strace"):
        print("skipped: strace is not installed")
        return 77
    for verb in VERBS:
        if given.only in (None, verb.name):
            run_verb(os.path.abspath(given.program), verb, given.every)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Wrong as wrong:
        print(f"WRONG: {wrong}")
        sys.exit(1)
