"""The verb `compile` and the options --compile and --kernel as a user meets them: the same bytes, a cache, and a sentence for whatever
goes wrong.

Run with the path of the built program: test_compile.py BUILD/hardnet. Skipped where there is no C compiler.
"""
import os
import pathlib
import re
import resource
import signal
import stat
import subprocess
import sys
import time

import tool
from samples import DISC, UNICYCLE, SampleTool, np, unicycle_samples

COMPILER = "cc"
LINES = "param a >= 0, <= 1; var y{1..3} := 0.5; minimize f: sum{i in 1..3} (y[i] - 1)^2;\n" \
        "subject to s: y[1] + y[2] + y[3] = a; subject to c: y[1] * y[2] <= 0.2;\n"


def has_compiler():
    try:
        return subprocess.run([COMPILER, "--version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


def instruction_sets():
    flags = set(re.findall(r"(?m)^flags\s*:(.*)$", pathlib.Path("/proc/cpuinfo").read_text())[:1] or [""])
    words = set(" ".join(flags).split())
    sets = ["portable"] + ["avx2"] * ("avx2" in words)
    return sets + ["avx512"] * ({"avx512f", "avx512dq", "avx512vl"} <= words)


def runs(number):
    """Whether the process does; one that nobody has waited for yet does not."""
    try:
        return pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def read_terminal(terminal):
    """What is to be read there; nothing when the other side is closed."""
    try:
        return os.read(terminal, 4096)
    except OSError:
        return b""


class Compile(SampleTool):
    def setUp(self):
        super().setUp()
        self.scratch, self.cache = self.folder / "tmp", self.folder / "cache"
        self.scratch.mkdir()
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.cache), "TMPDIR": str(self.scratch)}
        self.environment.pop("CC", None)

    def tearDown(self):
        self.assertEqual(list(self.scratch.iterdir()), [], "a compiler's folder was left behind")

    def run_it(self, *arguments, code=0, **more):
        return super().run_it(*arguments, code=code, env={**self.environment, **more.pop("env", {})}, **more)

    def refused(self, *arguments, code, saying, **more):
        _, err = self.run_it(*arguments, code=code, **more)
        self.assertRegex(err, saying)
        self.assertEqual(err.count("hardnet: error:"), 1, err)
        return err

    def kernels(self):
        return sorted(path.name for path in (self.cache / "hardnet").iterdir()) if (self.cache / "hardnet").exists() else []

    def unicycle(self, count=50):
        x, raw = unicycle_samples(count)
        return ["--x", self.array("x.npy", x), "--y", self.array("y.npy", raw)]

    def corrected(self, *arguments, **more):
        """The bytes of project's outputs, and what was said."""
        out = self.folder / "out.npy"
        _, err = self.run_it("project", *arguments, "--out", out, "--allow-infeasible", **more)
        return out.read_bytes(), err

    def script(self, name, text):
        path = self.folder / name
        path.write_text("#!/bin/sh\n" + text)
        path.chmod(0o700)
        return str(path)

    # ---- files ----

    def test_a_kernel_in_a_file_is_reported_and_used(self):
        kernel = self.folder / "k.so"
        out, err = self.run_it("compile", UNICYCLE, "--out", kernel)
        self.assertRegex(err, r"compiling \d+ kB of C with cc \.\.\.")
        for wanted in (r"method auto, \w+, with gradients", r"\n  text +\d+ kB", r"\n  code +\d+ kB", r"\n  compiled in +[\d.]+ m?s",
                       r"\n  written +" + re.escape(str(kernel))):
            self.assertRegex(out, wanted)
        self.assertEqual(stat.S_IMODE(kernel.stat().st_mode), 0o644)
        self.assertEqual(self.kernels(), [])
        samples = self.unicycle()
        listed, _ = self.corrected(UNICYCLE, *samples)
        compiled, err = self.corrected(UNICYCLE, *samples, "--kernel", kernel)
        self.assertEqual((listed, err), (compiled, ""))
        compiled, _ = self.corrected(UNICYCLE, *samples, "--kernel", kernel, "--tolerance", 1e-6, "--iterations", 7)
        listed, _ = self.corrected(UNICYCLE, *samples, "--tolerance", 1e-6, "--iterations", 7)
        self.assertEqual(listed, compiled)

    def test_a_kernel_in_a_file_follows_the_umask_and_is_never_writable_for_others(self):
        for mask, expected in (0o077, 0o600), (0o027, 0o640), (0, 0o644):
            kernel = self.folder / f"{mask}.so"
            self.run_it("compile", self.file("m.mod", "var y; s.t. c: y^2 + y <= 1;"), "--out", kernel, preexec_fn=lambda: os.umask(mask))
            self.assertEqual(stat.S_IMODE(kernel.stat().st_mode), expected)

    def test_a_kernel_of_something_else_is_refused(self):
        model, kernel = self.file("m.mod", DISC), self.folder / "k.so"
        self.run_it("compile", model, "--out", kernel, "--no-gradients", "--isa", "portable")
        x = ["--x", self.array("x.npy", np.ones((3, 1))), "--kernel", kernel]
        self.run_it("project", model, *x, "--isa", "portable")
        self.refused("project", model, *x, "--isa", "portable", "--method", "lm", code=1, saying="k.so: a kernel of the method auto")
        self.refused("project", self.file("o.mod", LINES), *x, "--isa", "portable", code=1, saying="k.so: a kernel of another model")
        for other in instruction_sets()[1:]:
            self.refused("project", model, *x, "--isa", other, code=1, saying="k.so: a kernel for the instruction set portable")
        self.refused("project", model, *x, "--isa", "portable", "--compile", code=2, saying="--kernel has no effect with --compile")

    def test_a_file_that_is_no_whole_kernel_is_refused(self):
        model, kernel = self.file("m.mod", DISC), self.folder / "k.so"
        self.run_it("compile", model, "--out", kernel, "--no-gradients")
        whole = kernel.read_bytes()
        x = ["--x", self.array("x.npy", np.ones((3, 1))), "--kernel", kernel]
        for count in (0, 1, 1000, len(whole) // 2, len(whole) - 1):
            kernel.write_bytes(whole[:count])
            self.refused("project", model, *x, code=1, saying="k.so: not a hardnet kernel, or truncated")
        kernel.write_bytes(whole[:2000] + b"x" + whole[2001:])
        self.refused("project", model, *x, code=1, saying="k.so: the kernel is damaged")
        kernel.write_bytes(whole)
        kernel.chmod(0o666)
        self.refused("project", model, *x, code=1, saying=r"k.so: others may write to it \(mode 0666\)")
        self.refused("project", model, *x[:2], "--kernel", self.folder, code=1, saying="not a regular file")
        self.refused("project", model, *x[:2], "--kernel", self.folder / "none", code=1, saying="none: cannot open")

    def test_a_kernel_that_cannot_be_written_is_not_compiled(self):
        model = self.file("m.mod", DISC)
        err = self.refused("compile", model, "--out", self.folder / "nowhere" / "k.so", code=1, saying="--out .*: cannot write")
        self.assertNotIn("compiling", err)
        self.refused("compile", model, "--out", model, code=2, saying="--out")

    # ---- the cache ----

    @tool.without_sanitizers
    def test_every_method_and_instruction_set_keeps_its_bytes(self):
        """The unicycle by auto as users have it; the rest not optimised, unless all of it is asked for."""
        plain = {} if tool.all_of_it else {"CC": self.script("plain", f'exec {COMPILER} "$@" -O0')}
        disc, samples = self.file("m.mod", DISC), self.unicycle(20)
        radius = ["--x", self.array("r.npy", np.linspace(0.5, 2, 20)[:, None]),
                  "--y", self.array("d.npy", np.random.RandomState(1).normal(size=(20, 2)))]
        for isa in instruction_sets():
            for model, given, methods in (UNICYCLE, samples, ("auto", "paper", "lm")), (disc, radius, ("auto", "hardnet")):
                for method in methods:
                    choice = [model, *given, "--method", method, "--isa", isa]
                    listed, _ = self.corrected(*choice)
                    own = {} if (model, method, isa) == (UNICYCLE, "auto", instruction_sets()[-1]) else plain
                    compiled, err = self.corrected(*choice, "--compile", env=own)
                    self.assertRegex(err, r"compiled in [\d.]+ m?s, \d+ (kB|bytes) of machine code")
                    again, err = self.corrected(*choice, "--compile", env=own)
                    self.assertRegex(err, r"^hardnet: kernel from the cache in [\d.]+ [mu]?s, \d+ (kB|bytes) of machine code\n$")
                    self.assertEqual((listed, listed), (compiled, again), choice)

    def test_the_cache_is_private_and_holds_whole_kernels(self):
        model = self.file("m.mod", DISC)
        for wanted in "compiled in", "in the cache":
            out, _ = self.run_it("compile", model, preexec_fn=lambda: os.umask(0))
            self.assertIn(wanted, out)
        folder, names = self.cache / "hardnet", self.kernels()
        self.assertEqual(len(names), 1)
        self.assertEqual(stat.S_IMODE(folder.stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE((folder / names[0]).stat().st_mode), 0o600)
        self.assertIn("compiled in", self.run_it("compile", model, "--again")[0])
        self.assertIn("in the cache", self.run_it("compile", model, "--no-gradients")[0])  # it has more than is asked for
        self.assertEqual(self.kernels(), names)
        (folder / names[0]).write_bytes(b"damaged")
        self.assertIn("compiled in", self.run_it("compile", model)[0])
        self.assertIn("in the cache", self.run_it("compile", model)[0])

    def test_a_cache_that_others_reach_is_refused(self):
        model, folder = self.file("m.mod", DISC), self.cache / "hardnet"
        self.cache.mkdir()
        folder.mkdir(mode=0o755)
        self.refused("compile", model, code=1, saying=r"cache/hardnet: others may use it \(mode 0755\)")
        folder.rmdir()
        folder.symlink_to(self.scratch)
        self.refused("compile", model, code=1, saying="cache/hardnet: it is not a folder, or a symbolic link")
        folder.unlink()
        folder.mkdir(mode=0o700)
        name = re.search(r"written +(.*)", self.run_it("compile", model)[0]).group(1)
        os.chmod(name, 0o620)
        self.refused("compile", model, code=1, saying="others may write to it")
        self.assertTrue(os.path.exists(name))
        self.refused("compile", model, code=1, saying="neither XDG_CACHE_HOME nor HOME", env={"XDG_CACHE_HOME": "", "HOME": ""})

    def test_a_cache_that_cannot_be_written_is_told(self):
        model, folder = self.file("m.mod", DISC), self.cache / "hardnet"
        x = ["--x", self.array("x.npy", np.ones((3, 1)))]
        listed, _ = self.corrected(model, *x)
        self.cache.write_text("in the way")
        full = {"XDG_CACHE_HOME": "/dev/full/hardnet"}
        words = {"cache/hardnet: cannot make the folder": {}, "/dev/full/hardnet.*: cannot make the folder": full}
        if os.geteuid() != 0:
            self.cache.unlink()
            folder.mkdir(parents=True)
            folder.chmod(0o500)
            words = {"cache/hardnet/.*: cannot (write|create)": {}}
        for saying, environment in words.items():
            self.refused("compile", model, code=1, saying=saying, env=environment)
            self.refused("project", model, *x, "--compile", code=1, saying=saying, env=environment)
            tried, err = self.corrected(model, *x, "--compile=try", env=environment)
            self.assertEqual(tried, listed)
            self.assertRegex(err, "warning: --compile=try: .*" + saying)

    def test_a_disk_without_room_is_told(self):
        """A limit on the size of files stands for it; calls that fail one by one are in tests/faults."""
        model = self.file("m.mod", DISC)
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
        self.refused("compile", model, code=1, saying="kernel.c: cannot write: File too large", preexec_fn=limit, restore_signals=False)
        self.assertEqual(self.kernels(), [])

    def test_a_kernel_of_another_model_in_the_cache_is_compiled_again(self):
        """Somebody has copied files about: a whole kernel under a name that is not its own."""
        models = [self.file("m.mod", DISC), self.file("o.mod", LINES)]
        names = [re.search(r"written +(.*)", self.run_it("compile", model)[0]).group(1) for model in models]
        with open(names[0], "rb") as other, open(names[1], "wb") as own:
            own.write(other.read())
        self.assertIn("compiled in", self.run_it("compile", models[1])[0])
        self.assertIn("in the cache", self.run_it("compile", models[1])[0])

    def test_two_at_once_both_succeed(self):
        model = self.file("m.mod", LINES)
        running = [subprocess.Popen([tool.program, "compile", model], env=self.environment, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE) for _ in range(4)]
        for process in running:
            out, err = process.communicate(timeout=100)
            self.assertEqual(process.returncode, 0, err)
            self.assertIn(b"Kernel", out)
        self.assertEqual(len(self.kernels()), 1)
        self.assertIn("in the cache", self.run_it("compile", model)[0])

    # ---- compilers ----

    def test_compilers_that_do_not_work_are_told(self):
        model = self.file("m.mod", DISC)
        x = ["--x", self.array("x.npy", np.ones((3, 1)))]
        listed, _ = self.corrected(model, *x)
        compilers = {
            "no-such-compiler -O9": "the compiler no-such-compiler is not there",
            self.script("fails", "echo 'kernel.c:1:2: error: out of ideas' >&2; exit 3"): r"failed \(exit code 3\): .*: error: out of ideas",
            self.script("dies", "kill -9 $$"): "was ended by signal 9",
            "true": "the compiler true wrote no shared object",
            self.script("lies", 'while [ "$1" != -o ]; do shift; done; echo nonsense > "$2"'): "the compiled kernel: .*",
            self.script("else", f'while [ "$1" != -o ]; do shift; done; echo "int x;" > "$3"; exec {COMPILER} -shared -o "$2" "$3"'):
                "the compiled kernel: .*hardnet_kernel is missing",
            self.script("moves", r'for f; do :; done; sed -i "s/^    \(v[0-9]*\) += /    \1 -= /" "$f"; ' f'exec {COMPILER} "$@"'):
                "the kernel does not compute the library's bits",
        }
        for compiler, words in compilers.items():
            environment = {"CC": compiler}
            self.refused("compile", model, "--out", self.folder / "k.so", code=1, saying=words, env=environment)
            self.refused("project", model, *x, "--compile", code=1, saying=words, env=environment)
            tried, err = self.corrected(model, *x, "--compile=try", env=environment)
            self.assertEqual(tried, listed)
            self.assertRegex(err, "warning: --compile=try: .*" + words + ".*; using the built-in kernels")
        self.assertFalse((self.folder / "k.so").exists())
        self.assertEqual(self.kernels(), [])

    def test_the_compiler_of_the_environment_is_taken_with_its_words(self):
        model, log = self.file("m.mod", DISC), self.folder / "log"
        compiler = self.script("logs", f'echo "$@" > {log}; exec {COMPILER} "$@"')
        environment = {"CC": f" {compiler}  -DMARK -ffast-math ", "CFLAGS": "-freciprocal-math -DWRONG"}
        x = ["--x", self.array("x.npy", np.ones((3, 1)))]
        listed, _ = self.corrected(model, *x)
        compiled, err = self.corrected(model, *x, "--compile", env=environment)
        self.assertEqual(listed, compiled)
        self.assertIn("compiled in", err)
        words = log.read_text().split()
        self.assertEqual(words[0], "-DMARK")
        self.assertLess(words.index("-ffast-math"), words.index("-fno-fast-math"))
        self.assertIn("-ffp-contract=off", words)
        self.assertNotIn("-DWRONG", words)
        self.assertNotIn("-freciprocal-math", words)

    def waiting(self, *arguments):
        """The tool while its compiler, and a child of that, wait for ever; and the number of the child's process."""
        child, begun = self.folder / "child", self.folder / "begun"
        compiler = self.script("sleeps", f"sleep 600 & echo $! > {child}; touch $TMPDIR/half.s; mv {child} {begun}; wait; wait")
        process = subprocess.Popen([tool.program, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**self.environment, "CC": compiler}, start_new_session=True)
        deadline = time.monotonic() + 60
        while not begun.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        number = int(begun.read_text())
        begun.unlink()
        return process, number

    def assertEnds(self, number):
        deadline = time.monotonic() + 30
        while runs(number) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(runs(number), "a compiler's child goes on")

    def test_signals_end_the_compiler_and_leave_nothing(self):
        model, kernel = self.file("m.mod", LINES), self.folder / "k.so"
        net = ["--out", self.folder / "n.safetensors", "--epochs", 1]
        for verb, more in ("compile", ["--out", kernel]), ("compile", []), ("bench", ["--compile=try"]), ("train", [*net, "--compile"]):
            for number, code in (signal.SIGINT, 130), (signal.SIGTERM, 143):
                process, child = self.waiting(verb, model, *more)
                os.kill(process.pid, number)  # to this process alone: its compiler is ended by it
                _, err = process.communicate(timeout=60)
                self.assertEqual(process.returncode, code, err)
                self.assertEqual(err.count("interrupted; nothing was compiled"), 1, err)
                self.assertNotIn("own kernels run", err)
                self.assertEnds(child)
                self.assertEqual(list(self.scratch.iterdir()), [])
        process, child = self.waiting("compile", model, "--out", kernel)
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertEnds(child)
        self.assertFalse(kernel.exists() or net[1].exists())
        self.assertEqual(self.kernels(), [])

    def test_a_program_that_is_killed_leaves_a_folder_that_the_next_one_removes_after_a_day(self):
        process, child = self.waiting("compile", self.file("m.mod", DISC))
        process.kill()
        process.communicate(timeout=60)
        os.kill(child, signal.SIGKILL)
        self.assertEqual(len(list(self.scratch.iterdir())), 1)
        self.run_it("compile", self.file("m.mod", DISC))
        left, = self.scratch.iterdir()
        self.assertTrue((left / "half.s").exists())
        os.utime(left, (0, time.time() - 90000))
        self.run_it("compile", self.file("m.mod", DISC), "--again")
        self.assertFalse(left.exists())

    def test_a_compiler_that_takes_too_long_is_ended(self):
        model = self.file("m.mod", DISC)
        process, child = self.waiting("compile", model, "--seconds", 2)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 1)
        self.assertRegex(err, r"the compiler .*sleeps was ended after [\d.]+ s, because it took too long")
        self.assertEnds(child)
        self.refused("compile", model, "--seconds", 0, code=2, saying="--seconds must be more than 0, not 0")
        self.refused("compile", model, "--seconds", "nan", code=2, saying="--seconds")

    def test_a_terminal_sees_how_long_it_takes(self):
        model = self.file("m.mod", DISC)
        compiler = self.script("slow", "sleep 2.5; exit 1")
        ours, theirs = self.terminal()
        done = subprocess.run([tool.program, "compile", model], stdout=subprocess.DEVNULL, stderr=theirs,
                              env={**self.environment, "TERM": "xterm", "CC": compiler}, timeout=100, check=False)
        os.close(theirs)
        seen = b""
        while part := read_terminal(ours):
            seen += part
        os.close(ours)
        self.assertEqual(done.returncode, 1)
        self.assertRegex(seen, rb"compiling \.\.\. [12] s\x1b\[K(.|\n)*\r\x1b\[K(.|\n)*error: .*the compiler")
        self.assertNotIn("so far", self.refused("compile", model, code=1, saying="slow failed", env={"CC": compiler}))

    def test_a_model_that_is_too_large_is_told_with_a_figure(self):
        rows = "".join(f"subject to r{i}: sum{{j in 1..90}} ({i} + j * j) * y[j] {'=' if i % 2 else '<='} {i} + a;\n" for i in range(90))
        model = self.file("m.mod", "param a;\nvar y{1..90};\n" + rows)
        x = ["--x", self.array("x.npy", np.ones((3, 1)))]
        self.refused("compile", model, code=1, saying=r"not worthwhile for this model: its linear system is dense.* \d+ kB of C")
        listed, _ = self.corrected(model, *x)
        tried, err = self.corrected(model, *x, "--compile=try")
        self.assertEqual(listed, tried)
        self.assertRegex(err, "warning: --compile=try: .* kB of C.*; using the built-in kernels")

    # ---- verbs ----

    def test_a_network_is_trained_to_the_same_bytes_and_used(self):
        model, files = self.file("m.mod", LINES), [self.folder / name for name in ("a.safetensors", "b.safetensors")]
        few = ["--epochs", 2, "--steps-per-epoch", 5, "--batch", 32, "--validation", 40, "--hidden", 8]
        for more in ["--loss", "improve"], ["--loss", "objective"], ["--method", "lm", "--loss", "objective"]:
            self.run_it("train", model, "--out", files[0], *few, *more)
            _, err = self.run_it("train", model, "--out", files[1], *few, *more, "--compile")
            self.assertRegex(err, "compiled in|from the cache")
            self.assertEqual(files[0].read_bytes(), files[1].read_bytes(), more)
        outputs = [self.folder / "a.npy", self.folder / "b.npy"]
        self.run_it("eval", model, "--net", files[0], "--samples", 30, "--out", outputs[0], "--allow-infeasible")
        _, err = self.run_it("eval", model, "--net", files[0], "--samples", 30, "--out", outputs[1], "--allow-infeasible", "--compile")
        self.assertRegex(err, "compiled in|from the cache")
        self.assertEqual(outputs[0].read_bytes(), outputs[1].read_bytes())
        self.refused("train", model, "--out", files[0], "--method", "soft", "--compile", code=2, saying="this method has no layer")

    @tool.without_sanitizers
    def test_the_unicycle_is_trained_to_the_same_bytes(self):
        files = [self.folder / name for name in ("a.safetensors", "b.safetensors")]
        few = ["--epochs", 2, "--steps-per-epoch", 4, "--batch", 48, "--validation", 30, "--seed", 3]
        self.run_it("train", UNICYCLE, "--out", files[0], *few)
        plain = {"CC": self.script("plain", f'exec {COMPILER} "$@" -O0')}
        _, err = self.run_it("train", UNICYCLE, "--out", files[1], *few, "--compile", env=plain)
        self.assertRegex(err, "compiled in")
        self.assertEqual(files[0].read_bytes(), files[1].read_bytes())

    def test_loops_and_timings_run_compiled_code(self):
        model = self.file("m.mod", LINES + "var next = 0.5 * y[1]^2;\n")
        net, tables = self.folder / "n.safetensors", [self.folder / "a.csv", self.folder / "b.csv"]
        self.run_it("train", model, "--out", net, "--steps", 3, "--batch", 16, "--validation", 20, "--hidden", 4, "--candidates", 3)
        loop = ["rollout", model, "--net", net, "--x0", "0.3", "--feedback", "a=next", "--steps", 4, "--allow-infeasible"]
        self.run_it(*loop, "--states", self.folder / "a.npy")
        _, err = self.run_it(*loop, "--states", self.folder / "b.npy", "--compile")
        self.assertRegex(err, "compiled in|from the cache")
        self.assertEqual((self.folder / "a.npy").read_bytes(), (self.folder / "b.npy").read_bytes())
        out, err = self.run_it("bench", model, "--samples", 20, "--repeat", 1, "--compile")
        self.assertRegex(err, "compiled in|from the cache")
        self.assertRegex(out, "compiled")

    def test_words_that_are_none_are_refused(self):
        model = self.file("m.mod", DISC)
        self.refused("project", model, "--compile=tyr", code=2, saying="--compile: 'tyr' is not one of try; did you mean try")
        self.refused("compile", model, "--compile", code=2, saying="--compile: unknown option")
        self.refused("compile", model, "--again=yes", code=2, saying="--again takes no value")
        self.refused("compile", code=2, saying="no model file is given")

    def test_every_option_is_explained(self):
        for verb in "compile", "project", "bench", "train", "eval", "rollout":
            self.explained(verb)


if __name__ == "__main__":
    if not has_compiler():
        print("skipped: there is no C compiler")
        sys.exit(77)
    tool.main()
