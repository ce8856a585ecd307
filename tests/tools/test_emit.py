"""The verb `emit`: its files compile without a warning and without a library, give the library's bits in double, hold the tolerance in
float, and mistakes leave nothing behind.

Run with the path of the built program: test_emit.py BUILD/hardnet.
"""
import fcntl
import json
import os
import re
import shutil
import subprocess
from fractions import Fraction as F

import emitted
import tool
from samples import np

UNICYCLE = tool.root / "models" / "unicycle.mod"
STATES = tool.root / "data" / "unicycle" / "states.npy"
DISC = "param r >= 0.5, <= 2; var y{1..2} >= -2, <= 2, := r; subject to disc: y[1]^2 + y[2]^2 <= r^2;\n" \
       "subject to line: y[1] + y[2] >= 0.1;\n"
SHORT = [] if tool.all_of_it else ["--let", "N=3"]  # where compilers are judged, not the model
ELEMENTARY = "exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh sqrt".split()


class Emit(tool.Tool):
    def emit(self, model, *options, **more):
        folder = self.folder / "out"
        shutil.rmtree(folder, ignore_errors=True)
        self.run_it("emit", model, "--out", folder, "--name", "layer", *options, **more)
        return folder

    def project(self, model, x, y, *options):
        """What the library makes of the same samples: statuses, iterations, worst rows, violations and outputs."""
        np.save(self.folder / "raw.npy", y)
        arguments = ["--y", self.folder / "raw.npy", "--out", self.folder / "y.npy", "--report", self.folder / "r.json"]
        if x.shape[-1]:
            np.save(self.folder / "x.npy", x)
            arguments += ["--x", self.folder / "x.npy"]
        self.run_it("project", model, *options, "--allow-infeasible", "--isa", "portable", *arguments)
        samples = json.loads((self.folder / "r.json").read_text())["samples"]
        return samples, np.load(self.folder / "y.npy")

    def rows_of(self, model):
        self.run_it("check", model, "--json", self.folder / "check.json", "--points", "1")
        return json.loads((self.folder / "check.json").read_text())

    def agrees(self, model, x, y, *options, **compiler):
        """The emitted file has the library's bits."""
        folder = self.emit(model, *options)
        mine = emitted.run_host(folder, x, y, **compiler)
        theirs, outputs = self.project(model, x, y, *options)
        self.assertEqual(len(mine), len(theirs))
        for (outcome, iterations, _, violation, own), sample, output in zip(mine, theirs, outputs):
            self.assertEqual((outcome, iterations), (sample["status"], sample["iterations"]))
            self.assertEqual(own.tobytes(), output.tobytes())
            if sample["violation"] is not None:
                self.assertEqual(violation, sample["violation"])
        return mine

    # ---- the library's bits ----

    def test_the_unicycle_has_the_library_s_bits(self):
        x = np.load(STATES)
        rng = np.random.default_rng(1)
        short = set() if tool.all_of_it else {"--method lm", "--method auto --relative", "--method lm --damping 0.1 --iterations 9"}
        methods = ("--method auto", "--method lm", "--method paper --iterations 7", "--method auto --relative",
                   "--method lm --damping 0.1 --iterations 9")
        for words in methods[1:2] if tool.sanitized else methods:
            options = words.split() + (SHORT if words in short else [])
            with self.subTest(options=options):
                self.agrees(UNICYCLE, x[:40], 2 * rng.normal(size=(40, 15 if words in short else 50)), *options,
                            flags=["-O1" if words == "--method lm" or tool.all_of_it else "-O0"])

    def test_small_models_have_the_library_s_bits(self):
        """Restarts, steps that are not finite, infeasible rows, all of auto's stages."""
        rng = np.random.default_rng(2)
        names = "feasibility/hs13 feasibility/pal_s4 feasibility/creep_far feasibility/fsnet_qp infeasible/square infeasible/sine"
        models = [tool.root / "models" / f"{name}.mod" for name in names.split()]
        seen, refused = set(), 0
        for model in models:
            with self.subTest(model=model.name):
                done = subprocess.run([tool.program, "emit", model, "--out", self.folder / "try"], stderr=subprocess.PIPE, text=True,
                                      stdout=subprocess.DEVNULL, check=False)
                if done.returncode == 1:
                    self.assertRegex(done.stderr, "for straight code: [0-9]+")
                    refused += 1
                    continue
                facts = self.rows_of(model)
                columns, inputs = len(facts["columns"]), len(facts["inputs"])
                y = 3 * rng.normal(size=(4, columns))
                mine = self.agrees(model, np.ones((4, inputs)), y, "--iterations", "600", flags=["-O0"])
                seen |= {outcome for outcome, *_ in mine}
        self.assertTrue("ok" in seen and len(seen) > 2, seen)
        self.assertLess(refused, len(models) / 3)

    def test_every_outcome_is_the_library_s(self):
        model = self.file("m.mod", "param a; param b; var y >= a, <= b, := 1; subject to c: log(y) >= -2; c2: y^2 >= 0.01;\n")
        x = np.array([[0, 2], [2, 0], [np.nan, 1], [0, np.inf], [-5, -4], [0, 1]])
        y = np.array([[1], [1], [1], [1], [-4.5], [np.inf]])
        for options in ([], ["--iterations", "0"], ["--method", "lm", "--iterations", "3"]):
            mine = self.agrees(model, x, y, *options)
        self.assertIn("bad_bounds", {outcome for outcome, *_ in mine})
        self.assertIn("nonfinite_input", {outcome for outcome, *_ in mine})

    def test_zeros_keep_their_signs(self):
        """Outputs that are 0 or -0 and that 0 times a multiplier moves: sums of a step that lost their leading 0 must not show it."""
        model = self.file("m.mod", "var y{1..5}; subject to c: y[1]^2 + y[2]^2 <= 4; d: y[1] + y[4] * y[5] >= 1; e: y[2] - y[4] * y[5] <= -1;\n")
        values = [0.0, -0.0, 0.75, -2.0]
        y = np.array([[values[i >> 2 * j & 3] for j in range(4)] + [values[i % 3]] for i in range(256)])
        for options in ([], ["--method", "lm"]):
            mine = np.array([own for *_, own in self.agrees(model, np.zeros((256, 0)), y, *options)])
            self.assertTrue((np.signbit(mine) & (mine == 0)).any())
            self.assertTrue((~np.signbit(mine) & (mine == 0)).any())

    @tool.without_sanitizers
    def test_other_compilers_and_levels_give_the_same_bits(self):
        x, y = np.load(STATES)[:10], np.zeros((1, 15 if SHORT else 50))
        for compiler in ("gcc", "clang"):
            for flags in (["-O0"], ["-O3", "-march=native"], ["-O1", "-DNO_PAIRS"]):
                if shutil.which(compiler):
                    with self.subTest(compiler=compiler, flags=flags):
                        self.agrees(UNICYCLE, x, y, *SHORT, compiler=compiler, flags=flags)

    # ---- networks ----

    def trained(self, *options):  # options: SHORT among them where the layer is
        net = self.folder / "net.safetensors"
        self.run_it("train", UNICYCLE, "--out", net, "--epochs", "1", "--steps-per-epoch", "2", "--hidden", "20,13", *options)
        return net

    def test_a_network_has_the_library_s_bits(self):
        x = np.load(STATES)[:20]
        np.save(self.folder / "x.npy", x)
        kinds = (("relu", "--structure", "residual", "--hidden", "13,13,20,20", "--norm", "layer"), ("relu",), ("silu", "--norm", "layer"),
                 ("tanh", "--structure", "residual", "--hidden", "13,13"))
        for options in kinds[:1] if tool.sanitized else kinds:
            net = self.trained(*SHORT, "--activation", *options)
            self.run_it("eval", UNICYCLE, *SHORT, "--net", net, "--x", self.folder / "x.npy", "--out", self.folder / "y.npy",
                        "--allow-infeasible")
            mine = emitted.run_host(self.emit(UNICYCLE, *SHORT, "--net", net), x, np.zeros((1, 15 if SHORT else 50)), flags=["-O0"])
            self.assertEqual(b"".join(own.tobytes() for *_, own in mine), np.load(self.folder / "y.npy").tobytes())

    def test_a_network_of_another_model_is_refused(self):
        self.refused("emit", self.file("m.mod", DISC), "--out", self.folder / "out", "--net", self.trained(), code=1,
                     saying="another model|inputs")
        self.assertFalse((self.folder / "out").exists())

    # ---- float ----

    @tool.without_sanitizers
    def test_the_float_file_stands_alone(self):
        net = self.trained(*SHORT, "--structure", "residual", "--norm", "layer", "--hidden", "13,13")
        for libm, allowed in (("no", set()), ("yes", {"sqrtf", "sinf", "cosf", "logf", "expf", "tanhf", "sincosf"})):
            folder = self.emit(UNICYCLE, *SHORT, "--net", net, "--real", "float", "--libm", libm)
            for compiler in filter(shutil.which, ("gcc", "clang")):
                for level in ("-O2", "-Os") if tool.all_of_it or libm == "no" else ("-O2",):
                    subprocess.run([compiler, *emitted.STRICT, level, "-ffreestanding", "-c", str(folder / "layer.c"), "-o",
                                    str(folder / "layer.o")], check=True)
                    self.assertLessEqual(emitted.undefined(folder / "layer.o"), allowed)

    @tool.without_sanitizers
    def test_float_holds_its_tolerance_judged_in_double(self):
        x = np.load(STATES).astype("f4").astype("f8")
        mine = emitted.run_host(self.emit(UNICYCLE, "--real", "float"), x, np.zeros((1, 50)), single=True,
                                flags=["-O2" if tool.all_of_it else "-O0"])
        self.assertEqual({outcome for outcome, *_ in mine}, {"ok"})
        y = np.array([own for *_, own in mine], dtype="f8")
        samples, _ = self.project(UNICYCLE, x, y, "--iterations", "0", "--tolerance", "1e-4")
        worst = max(sample["violation_before"] for sample in samples)
        print(f"float: largest violation, judged in double: {worst:.4e}")
        self.assertLessEqual(worst, 1e-4)

    # Where terms are large, cancel, or are undefined nearby; x and y as they come. Rows: the model's, in exact or double arithmetic.
    ROUNDED = {
        "large terms": ("param x; var y{1..2}; subject to c: y[1]*1000 - y[2]*1000 + x = 0.5;",
                        lambda x, y: [abs(1000 * F(y[0]) - 1000 * F(y[1]) + F(x[0]) - F(1, 2))]),
        "a large constant": ("param x; var y{1..2}; subject to c: (y[1] + 40000.1) - (y[2] + 40000.7) + x <= 0.25; d: y[1] + y[2] >= 1;",
                             lambda x, y: [F(y[0]) + F("40000.1") - F(y[1]) - F("40000.7") + F(x[0]) - F(1, 4), 1 - F(y[0]) - F(y[1])]),
        "functions": ("param x; var y{1..2} >= -4, <= 4; subject to c: 300 * sin(y[1] * 40) + exp(2 * y[2]) = x; d: sqrt(5 + y[1]) * y[2] <= 3;",
                      lambda x, y: [abs(300 * np.sin(40 * y[0]) + np.exp(2 * y[1]) - x[0]), np.sqrt(5 + y[0]) * y[1] - 3,
                                    *(np.abs(y) - 4)]),
    }

    @tool.without_sanitizers
    def test_ok_in_float_holds_in_exact_arithmetic_where_terms_are_large(self):
        """Judged outside: whatever is ok is within the tolerance, and what rounding hides is bounded by the report."""
        rng, counts = np.random.default_rng(1), {}
        for name, (text, rows) in self.ROUNDED.items():
            folder = self.emit(self.file("m.mod", text + "\n"), "--real", "float")
            for scale in (0.01, 1, 10, 100):
                x, y = (s * rng.normal(size=(200, n)).astype("f4").astype("f8") for s, n in ((1, 1), (scale, 2)))
                mine = emitted.run_host(folder, x, y.astype("f4").astype("f8"), single=True)
                beyond = [max(rows(one, own.astype("f8"))) > F(1, 10000) for one, (*_, own) in zip(x.astype("f4").astype("f8"), mine)]
                oks = [outcome == "ok" for outcome, *_ in mine]
                self.assertEqual(sum(a and b for a, b in zip(oks, beyond)), 0, (name, scale))
                counts[name, scale] = sum(oks)
        print("float: ok of 200:", counts)
        self.assertEqual(counts["large terms", 0.01], 200)  # nothing is lost where terms are of size 10
        self.assertGreater(counts["large terms", 1], 100)

    def test_float_functions_are_accurate(self):
        inputs = np.concatenate([np.linspace(-12, 12, 401), 10.0 ** np.linspace(-20, 30, 201), -10.0 ** np.linspace(-20, 30, 101)])
        inputs = inputs.astype("f4").astype("f8")
        names = ELEMENTARY + ["power", "angle"]
        texts = [f"{name}(x)" for name in ELEMENTARY] + ["x ^ 2.3", "atan2(x, 2 - x)"]
        starts = "".join(f"var v_{name} := {text};\n" for name, text in zip(names, texts))
        model = self.file("m.mod", "param x;\n" + starts + "subject to c: v_exp <= 1e30;\n")
        folder = self.emit(model, "--real", "float")
        (folder / "main.c").write_text(
            '#include "layer.h"\n#include <stdio.h>\n#include <string.h>\n#include <stdint.h>\nint main(void) {\n'
            "    static layer_work work;\n    layer_real x[1], y[layer_OUTPUTS];\n    layer_init(&work);\n"
            "    while (fread(x, sizeof x, 1, stdin) == 1) {\n        layer_start(&work, x, y);\n"
            "        fwrite(y, sizeof y, 1, stdout);\n    }\n    return 0;\n}\n")
        subprocess.run(["cc", "-O2", "-DREAL_PLAIN", f"-I{folder}", str(folder / "layer.c"), str(folder / "main.c"), "-o", str(folder / "main")],
                       check=True)  # the square root of targets without an instruction for it
        done = subprocess.run([str(folder / "main")], input=inputs.astype("f4").tobytes(), stdout=subprocess.PIPE, check=True)
        mine = np.frombuffer(done.stdout, "f4").reshape(len(inputs), len(names)).astype("f8")
        with np.errstate(all="ignore"):
            spelled = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}
            exact = [getattr(np, spelled.get(n, n))(inputs) for n in ELEMENTARY] + [inputs ** np.float64(np.float32(2.3)), np.arctan2(inputs, 2 - inputs)]
            for k, name in enumerate(names):
                want, got = np.asarray(exact[k]), mine[:, k]
                rounded = want.astype("f4")
                place = np.spacing(np.abs(rounded)).astype("f8")
                wrong = np.where(np.isfinite(rounded), np.abs(got - want) / np.where(np.isfinite(place), place, 1),
                                 np.where((got == rounded) | (np.isnan(got) & np.isnan(rounded)), 0, 100))
                inside = ~((name == "angle") & (np.abs(inputs) > 1e6))  # 2 - x is rounded to float there
                self.assertLess(np.max(wrong[inside]), 1.3 if name not in ("angle",) else 2.6, f"{name} at {inputs[np.argmax(wrong * inside)]}")

    # ---- gradients; tests/codegen/test_adjoint.c compares their bits with the library's ----

    @tool.without_sanitizers
    def test_the_gradient_through_a_network_agrees_with_differences(self):
        self.gradient_agrees(self.trained(*SHORT, "--activation", "tanh"))
        self.gradient_agrees(self.trained(*SHORT, "--activation", "silu", "--structure", "residual", "--norm", "layer", "--hidden", "13,20,20,20"))

    def gradient_agrees(self, net):
        layer = emitted.Loaded(self.emit(UNICYCLE, *SHORT, "--net", net, "--adjoint"))
        x, rng = np.load(STATES)[7], np.random.default_rng(5)
        weights, step = rng.normal(size=layer.outputs), 1e-6

        def loss(at):
            outcome, y = layer.solve(at)
            self.assertEqual(outcome, 0)
            return float(weights @ y)
        loss(x)
        flagged, _, grad_x = layer.gradient(x, weights)
        wanted = [(loss(x + step * e) - loss(x - step * e)) / (2 * step) for e in np.eye(len(x))]
        self.assertFalse(flagged)
        np.testing.assert_allclose(grad_x, wanted, rtol=1e-5, atol=1e-6 * np.max(np.abs(wanted)))

    @tool.without_sanitizers
    def test_gradients_stand_alone_too(self):
        net = self.trained(*SHORT, "--structure", "residual", "--norm", "layer", "--hidden", "13,13")
        for real in ("double", "float"):
            folder = self.emit(UNICYCLE, *SHORT, "--net", net, "--real", real, "--adjoint")
            for compiler in filter(shutil.which, ("gcc", "clang")):
                subprocess.run([compiler, *emitted.STRICT, "-O2", "-ffreestanding", "-c", str(folder / "layer.c"), "-o",
                                str(folder / "layer.o")], check=True)
                self.assertEqual(emitted.undefined(folder / "layer.o"), set())

    def test_the_workspace_is_as_large_as_the_header_says(self):
        model = self.file("m.mod", DISC)
        for options in ([], ["--adjoint"], ["--adjoint", "--real", "float"], ["--adjoint", "--iterations", "0"]):
            folder = self.emit(model, *options)
            (folder / "main.c").write_text('#include "layer.h"\n#include <stdio.h>\nint main(void) {\n'
                                           '    printf("%d", (int)sizeof(layer_work));\n    return 0;\n}\n')
            subprocess.run(["cc", "-std=c99", "-pedantic-errors", str(folder / "main.c"), "-o", str(folder / "main")], check=True)
            size = subprocess.run([str(folder / "main")], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertRegex((folder / "layer.h").read_text(), f"workspace  {size}\n")

    def test_a_tape_too_large_is_refused_with_its_figure(self):
        self.refused("emit", UNICYCLE, "--out", self.folder / "out", "--adjoint", "--method", "lm", "--iterations", "900000", code=1,
                     saying="tape of 900000 steps over 50 outputs would take [0-9]+ bytes")

    # ---- what comes along ----

    @tool.without_sanitizers
    def test_the_example_builds_and_runs(self):
        folder = self.emit(UNICYCLE, *SHORT)
        if not shutil.which("cmake"):
            self.skipTest("cmake is not installed")
        subprocess.run(["cmake", "-S", folder, "-B", folder / "build"], stdout=subprocess.DEVNULL, check=True)
        subprocess.run(["cmake", "--build", folder / "build"], stdout=subprocess.DEVNULL, check=True)
        done = subprocess.run([folder / "build" / "layer_example", "-3", "0.2", "0.1"], stdout=subprocess.PIPE, check=True, text=True)
        self.assertRegex(done.stdout, r"^ok after \d+ steps")
        self.assertEqual(len(done.stdout.splitlines()), 16 if SHORT else 51)

    @tool.without_sanitizers
    def test_warm_starts_take_fewer_steps(self):
        folder = self.emit(UNICYCLE, *SHORT)
        (folder / "main.c").write_text(
            '#include "layer.h"\n#include <stdio.h>\nint main(void) {\n    static layer_work work;\n'
            "    layer_real x[3] = {-3, 0.2, 0.1}, y[layer_OUTPUTS];\n    layer_report report;\n    layer_init(&work);\n"
            "    work.warm_start = 1;\n    for (int i = 0; i < 3; i++) {\n        for (int j = 0; j < layer_OUTPUTS; j++)\n"
            "            y[j] = j % 5 - 2;\n        layer_solve(&work, x, y, &report);\n        printf(\"%d %d\\n\", report.outcome, report.iterations);\n"
            "        x[0] += 0.01;\n    }\n    return 0;\n}\n")
        subprocess.run(["cc", "-O0", f"-I{folder}", str(folder / "layer.c"), str(folder / "main.c"), "-o", str(folder / "main")], check=True)
        lines = subprocess.run([str(folder / "main")], stdout=subprocess.PIPE, check=True, text=True).stdout.splitlines()
        outcomes, steps = zip(*(map(int, line.split()) for line in lines))
        self.assertEqual(outcomes, (0, 0, 0))
        self.assertLess(steps[2], steps[0])

    @tool.without_sanitizers
    def test_the_header_is_a_header_of_cpp(self):
        plus = shutil.which("c++")
        if not plus:
            self.skipTest("no C++ compiler")
        folder = self.emit(UNICYCLE, *SHORT)
        self.file("a.cpp", '#include "out/layer.h"\nint main() { static layer_work w; layer_init(&w); return 0; }\n')
        subprocess.run([plus, "-fsyntax-only", "-Wall", "-Wextra", "-Werror", self.folder / "a.cpp"], check=True)
        text = (folder / "layer.h").read_text()
        for word in ("workspace", "constants", "code", "stack", "operations", "instructions", "model  ", "names  "):
            self.assertIn(word, text)

    def test_two_runs_write_the_same_bytes(self):
        folder = self.emit(UNICYCLE, *SHORT)
        once = {path.name: path.read_bytes() for path in folder.iterdir()}
        self.run_it("emit", UNICYCLE, *SHORT, "--out", folder, "--name", "layer")  # over its own files
        self.assertEqual(once, {path.name: path.read_bytes() for path in folder.iterdir()})
        self.assertEqual(sorted(once), ["CMakeLists.txt", "example.c", "layer.c", "layer.h"])

    def test_what_a_layer_needs_is_printed_with_a_limit_of_steps_that_does(self):
        model = self.file("m.mod", DISC)
        printed, _ = self.run_it("emit", model, "--out", self.folder / "out", "--name", "layer")
        header = (self.folder / "out" / "layer.h").read_text()
        for words in (r"code +about \d+ kB on a Cortex-M7", r"at most 8192 of stack", r"at most 5000 steps: \S+ operations, \S+ instr"):
            self.assertRegex(printed, words)
        self.assertEqual(re.search(r"(\d+) bytes of workspace", printed)[1], re.search(r"workspace  (\d+)", header)[1])
        found = re.search(r"(\d+) of 1000 sampled inputs are ok from the model's start values, 99\.9 % of these after at most (\d+) steps: "
                          r"--iterations \2 would do", printed)
        self.assertEqual(found[1], "1000")
        for real, words in (("float", r"start values in double \(float adds .*\), 99\.9 %"), ("double", r"values, 99\.9 %")):
            self.assertRegex(self.run_it("emit", model, "--out", self.folder / real, "--real", real)[0], words)
        shorter = self.emit(model, "--iterations", found[2])
        bound = [float(re.search(r"instructions (\d+) in a call", text)[1]) for text in (header, (shorter / "layer.h").read_text())]
        self.assertLess(bound[1], bound[0] / 20)
        x = np.random.default_rng(8).uniform(0.5, 2, size=(500, 1))  # others from the same box; y starts at r
        mine = emitted.run_host(shorter, x, np.repeat(x, 2, 1))
        self.assertGreater(sum(outcome == "ok" for outcome, *_ in mine), 495)

    # ---- mistakes ----

    def test_mistakes_leave_nothing_behind(self):
        model, out = self.file("my-model.mod", DISC), self.folder / "out"
        self.refused("emit", model, code=2, saying="--out")
        self.refused("emit", model, "--out", out, code=2, saying="--name my-model: .* C identifier")
        for name in ("2a", "double", "a b", "a" * 41):
            self.refused("emit", model, "--out", out, "--name", name, code=2, saying="C identifier")
        self.refused("emit", model, "--out", out, "--name", "a", "--real", "half", code=2, saying="--real")
        self.refused("emit", model, "--out", out, "--name", "a", "--real", "float", "--tolerance", "1e-9", code=2, saying="--tolerance")
        self.refused("emit", model, "--out", self.folder / "no" / "out", "--name", "a", code=1, saying="No such file")
        self.refused("emit", model, "--out", model, "--name", "a", code=1, saying="my-model.mod")
        self.refused("emit", model, "--out", out, "--name", "a", "--real", "float", "--abi", "casadi", code=2, saying="--abi casadi: .* doubles")
        self.refused("emit", model, "--out", out, "--name", "a", "--abi", "fortran", code=2, saying="--abi")
        huge = self.file("huge.mod", "var y; subject to c: 1e300 * y <= 1;\n")
        self.refused("emit", huge, "--out", out, "--real", "float", code=1, saying="1e\\+?300 does not fit a float")
        self.assertFalse(out.exists())

    def test_the_name_of_the_example_is_refused(self):
        out = self.folder / "out"
        self.refused("emit", self.file("example.mod", DISC), "--out", out, code=2, saying="--name example: example.c would be two files")
        self.refused("emit", self.file("m.mod", DISC), "--out", out, "--name", "Example", code=2, saying="--name Example")
        self.assertFalse(out.exists())

    # ---- a header and a source of different runs ----

    KILLER = """#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int rename(const char *from, const char *to) {
    const char *last = strrchr(to, '/');
    if (strstr(from, "/.emit-") && !strstr(to, "/.emit-") && last && strcmp(last + 1, getenv("KILLED_AT")) == 0)
        raise(SIGKILL);
    return renameat(AT_FDCWD, from, AT_FDCWD, to);
}
"""

    def compiles(self, folder):
        return subprocess.run(["cc", "-std=c99", "-fsyntax-only", str(folder / "layer.c")], stderr=subprocess.PIPE, text=True, check=False)

    def must_not_compile(self, folder):
        done = self.compiles(folder)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("layer.h and layer.c are from different runs of hardnet emit", done.stderr)

    def test_a_header_and_a_source_of_different_runs_do_not_compile(self):
        model = self.file("m.mod", DISC)
        first = {path.name: path.read_bytes() for path in self.emit(model).iterdir()}
        folder = self.emit(model, "--iterations", "7")  # the same header but for its numbers
        self.assertEqual(self.compiles(folder).returncode, 0)
        (folder / "layer.h").write_bytes(first["layer.h"])
        self.must_not_compile(folder)
        (folder / "layer.c").write_bytes(first["layer.c"])
        self.assertEqual(self.compiles(folder).returncode, 0)

    @tool.without_sanitizers
    def test_a_run_killed_between_its_renames_leaves_files_that_do_not_compile_and_the_next_one_sweeps(self):
        model, killer = self.file("m.mod", DISC), self.folder / "killer.so"
        subprocess.run(["cc", "-shared", "-fPIC", str(self.file("killer.c", self.KILLER)), "-o", str(killer)], check=True)
        folder = self.emit(model, "--adjoint")
        words = [tool.program, "emit", model, "--out", folder, "--name", "layer"]
        done = subprocess.run([str(word) for word in words], env={**os.environ, "LD_PRELOAD": str(killer), "KILLED_AT": "layer.c"},
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, -9)
        left = [name for name in os.listdir(folder) if name.startswith(".emit-")]
        self.assertEqual(len(left), 1)
        self.must_not_compile(folder)
        (folder / ".emit-mine00").mkdir()  # of the same form, with a file that hardnet emit has not made
        (folder / ".emit-mine00" / "notes").write_text("mine")
        self.run_it("emit", model, "--out", folder, "--name", "layer")
        self.assertEqual(self.compiles(folder).returncode, 0)
        self.assertEqual(sorted(os.listdir(folder)), [".emit-mine00", "CMakeLists.txt", "example.c", "layer.c", "layer.h"])
        self.assertEqual((folder / ".emit-mine00" / "notes").read_text(), "mine")

    def test_a_folder_that_another_run_writes_to_is_named(self):
        folder = self.emit(self.file("m.mod", DISC))
        handle = os.open(folder, os.O_RDONLY)
        fcntl.flock(handle, fcntl.LOCK_EX)
        self.refused("emit", self.file("m.mod", DISC), "--out", folder, "--name", "layer", code=1, saying="another hardnet emit is writing there")
        os.close(handle)

    def test_files_of_somebody_else_are_not_replaced(self):
        model, out = self.file("m.mod", DISC), self.folder / "out"
        out.mkdir()
        (out / "CMakeLists.txt").write_text("project(mine)\n")
        self.refused("emit", model, "--out", out, code=1, saying="CMakeLists.txt exists and was not written by hardnet emit")
        self.assertEqual(os.listdir(out), ["CMakeLists.txt"])

    def test_a_folder_that_cannot_be_written_is_named(self):
        out = self.folder / "out"
        out.mkdir()
        out.chmod(0o500)
        if os.access(out, os.W_OK):
            self.skipTest("root may write everywhere")
        self.refused("emit", self.file("m.mod", DISC), "--out", out, code=1, saying="Permission denied")


tool.main()
