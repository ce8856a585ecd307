"""The verb `emit` with several candidates and refinement: emitted files have the bits of the library's policies, and what is left out
is left out.

Run with the path of the built program: test_emit_policy.py BUILD/hardnet.
"""
import json
import pathlib
import re
import shutil
import subprocess
import tempfile

import emitted
import tool
from samples import np

MODELS = tool.root / "models"
UNICYCLE, SHORT = MODELS / "unicycle.mod", ["--let", "N=3"]
STATES = tool.root / "data" / "unicycle" / "states.npy"
# Two valleys, at y = 1 and y = -1: the input decides which is deeper. Where x > 0.9 no y satisfies the rows.
VALLEYS = "param x >= -1, <= 1; var y >= -2, <= 2, := 1; var z; minimize f: (y^2 - 1)^2 + 0.3*x*y + z^2 + exp(0.1*y);\n" \
          "subject to c: z = 0.1*y; subject to d: y^2 + 4*x^2 <= 7; subject to e: log(y + 3) >= x - 0.9 + 0.1*z^2;\n"


class Policy(tool.Tool):
    def trained(self, model, *options):
        """A network of a few steps, and the inputs of its validation."""
        net, inputs = self.folder / "net.safetensors", self.folder / "inputs.npy"
        self.run_it("train", model, "--out", net, "--steps", "3", "--batch", "40", "--hidden", "16,11", "--validation", "60", "--survey", "0",
                    "--validation-inputs", inputs, *options)
        return net, np.load(inputs)

    def emit(self, model, net, *options):
        """A folder of its own, because a library that is loaded once stays under its name; and what is said on stderr."""
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.folder))
        return folder, self.run_it("emit", model, "--net", net, "--out", folder, "--name", "layer", *options)[1]

    def evaluated(self, model, net, x, *options):
        """What the library's policy makes of x: outputs and samples of the report."""
        np.save(self.folder / "x.npy", x)
        self.run_it("eval", model, "--net", net, "--x", self.folder / "x.npy", "--out", self.folder / "y.npy", "--report",
                    self.folder / "r.json", "--allow-infeasible", *options)
        return np.load(self.folder / "y.npy"), json.loads((self.folder / "r.json").read_text())["samples"]

    def agrees(self, model, net, x, lets=(), settings=(), **compiler):
        """The emitted file has the policy's bits; these are its outputs."""
        self.emitted, _ = self.emit(model, net, *lets, *settings)
        outputs, samples = self.evaluated(model, net, x, *lets, *settings)
        mine = emitted.run_host(self.emitted, x, np.zeros((1, outputs.shape[1])), **compiler)
        self.assertEqual(len(mine), len(x))
        for (outcome, iterations, _, violation, own), sample, output in zip(mine, samples, outputs):
            self.assertEqual((outcome, iterations), (sample["status"], sample["iterations"]))
            self.assertEqual(violation, sample["violation"])
            self.assertEqual(own.tobytes(), output.tobytes())
        return outputs

    # ---- the policy's bits ----

    def test_candidates_and_refinement_have_the_library_s_bits(self):
        net, x = self.trained(UNICYCLE, *SHORT, "--candidates", "3", "--refine", "2")
        whole = self.agrees(UNICYCLE, net, x[:20], SHORT, flags=["-O0" if tool.sanitized else "-O2"])
        if not tool.sanitized:
            plain = self.agrees(UNICYCLE, net, x[:20], SHORT, ["--refine", "0"], flags=["-O0"])
            more = self.agrees(UNICYCLE, net, x[:20], SHORT, ["--refine", "5"], flags=["-O0"])
            self.assertTrue((whole != plain).any() and (whole != more).any())  # it does refine

    @tool.without_sanitizers
    def test_other_compilers_and_models_give_the_same_bits(self):
        """Equality rows, trigonometric rows, a maximised objective."""
        compilers = [name for name in ("gcc", "clang") if shutil.which(name)]
        names = "ellipse pooling opf tasks/portfolio tasks/blending".split() + (["tasks/arm", "opf57"] if tool.all_of_it else [])
        for i, name in enumerate(names):
            with self.subTest(model=name):
                model = MODELS / f"{name}.mod"
                net, x = self.trained(model, "--candidates", "2", "--refine", "2", "--activation", "tanh")
                self.agrees(model, net, x[:15], compiler=compilers[i % len(compilers)], flags=["-O1"])

    @tool.without_sanitizers
    def test_every_kind_of_factor_has_the_library_s_bits(self):
        """Rows that all have the same outputs, and an output that is in all rows and is kept out of the factor."""
        dense = "param b{1..2} >= 1, <= 2; var y{1..4} >= -9, <= 9; minimize f: sum{j in 1..4} (y[j] - j)^2 + sin(y[1]);\n" \
                "subject to c{i in 1..20}: sum{j in 1..4} (1 + 0.1*sin(i*j))*y[j] <= 3 + 0.1*i + b[1 + i mod 2];\n"
        border = "param b >= 1, <= 2; var t >= -5, <= 5; var y{1..60} >= -9, <= 9, := 1;\n" \
                 "maximize f: t - sum{i in 1..60} (y[i] - 0.01*i)^2 - t^2; subject to c{i in 1..60}: y[i]^2 + t <= 2 + b;\n" \
                 "subject to d{i in 1..59}: y[i] + y[i+1] + 0.1*t >= -1;\n"
        for text, kind in ((dense, "FACTOR_DENSE, .order = 24, .added = 0"), (border, "FACTOR_LISTED, .order = 181, .added = 1")):
            model = self.file("m.mod", text)
            net, x = self.trained(model, "--candidates", "2", "--refine", "3")
            self.agrees(model, net, x[:20], flags=["-O1"])
            self.assertIn(kind, (self.emitted / "layer.c").read_text())

    @tool.without_sanitizers
    def test_samples_that_are_not_ok_have_the_library_s_bits(self):
        """Infeasible inputs, inputs that are not finite, and limits of steps: the choice among candidates that are not ok."""
        model = self.file("valleys.mod", VALLEYS)
        net, _ = self.trained(model, "--candidates", "3", "--refine", "2", "--iterations", "40")
        x = np.concatenate([np.linspace(-1.4, 3, 40)[:, None], [[np.nan], [np.inf], [0.9]]])
        folder, _ = self.emit(model, net)
        mine = emitted.run_host(folder, x, np.zeros((1, 2)), flags=["-O0"])
        outputs, samples = self.evaluated(model, net, x)
        self.assertEqual([outcome for outcome, *_ in mine], [sample["status"] for sample in samples])
        self.assertEqual(b"".join(own.tobytes() for *_, own in mine), outputs.tobytes())
        self.assertGreaterEqual(len({outcome for outcome, *_ in mine}), 3)

    @tool.without_sanitizers
    def test_defaults_of_train_can_be_emitted(self):
        """Several optima are found, so that train chooses several candidates; nothing is said to emit about them."""
        model = self.file("valleys.mod", VALLEYS)
        net = self.folder / "net.safetensors"
        out, _ = self.run_it("train", model, "--out", net, "--hidden", "16,16", "--steps", "1000", "--batch", "40", "--validation", "60",
                             "--norm", "none", "--rate", "0.002")
        self.assertRegex(out, r"[248] candidates")
        self.agrees(model, net, np.linspace(-1, 0.8, 19)[:, None], flags=["-O0"])

    # ---- what it reports ----

    @tool.without_sanitizers
    def test_the_chosen_candidate_is_the_best_one(self):
        """Of files with the first 1, 2 and 3 candidates each is as good as the one before, and the same where it chooses the same."""
        net, x = self.trained(UNICYCLE, *SHORT, "--candidates", "3", "--refine", "1", "--activation", "tanh")
        layers = []
        for k in "123":
            folder, said = self.emit(UNICYCLE, net, *SHORT, "--candidates", k)
            self.assertEqual("objective may be higher" in said, k != "3", said)
            layers.append(emitted.Loaded(folder))
        chosen = set()
        for row in x[:30]:
            reports = [layer.report(row) for layer in layers]
            for (y, r), (z, s) in zip(reports, reports[1:]):
                self.assertEqual((r.outcome, s.outcome), (0, 0))
                self.assertLessEqual(s.objective, r.objective)
                if s.candidate == r.candidate:
                    self.assertEqual((y.tobytes(), r.objective, r.iterations), (z.tobytes(), s.objective, s.iterations))
                else:
                    self.assertLess(s.objective, r.objective)
            chosen.add(reports[2][1].candidate)
        self.assertGreater(len(chosen), 1)
        _, samples = self.evaluated(UNICYCLE, net, x[:30], *SHORT)
        for row, sample in zip(x, samples):
            self.assertAlmostEqual(layers[2].report(row)[1].objective, sample["objective"], delta=1e-12 * abs(sample["objective"]))

    @tool.without_sanitizers
    def test_workspace_and_instructions_are_within_what_the_header_says(self):
        net, x = self.trained(UNICYCLE, *SHORT, "--candidates", "2", "--refine", "1")
        for options in ([], ["--refine", "0"], ["--real", "float"], ["--refine", "0", "--adjoint"]):
            folder, _ = self.emit(UNICYCLE, net, *SHORT, *options)
            (folder / "main.c").write_text('#include "layer.h"\n#include <stdio.h>\nint main(void) {\n'
                                           '    printf("%d", (int)sizeof(layer_work));\n    return 0;\n}\n')
            subprocess.run(["cc", "-std=c99", "-pedantic-errors", str(folder / "main.c"), "-o", str(folder / "main")], check=True)
            size = subprocess.run([str(folder / "main")], stdout=subprocess.PIPE, text=True, check=True).stdout
            self.assertRegex((folder / "layer.h").read_text(), f"workspace  {size}\n")
        if not shutil.which("valgrind") or not shutil.which("gcc"):
            self.skipTest("valgrind or gcc is not installed")
        for real in ("double", "float"):
            self.bound_is_near(*self.count(net, x[:3], real))

    def count(self, net, x, real):
        """The header's bound, and what callgrind counts where every quadratic program takes all its iterations."""
        folder, _ = self.emit(UNICYCLE, net, *SHORT, "--method", "paper", "--iterations", "20", "--refine", "2", "--real", real)
        path = folder / "layer.c"
        text = path.read_text()
        self.assertEqual(text.count("&& !refine_all_done(p, all, count)"), 1)
        path.write_text(text.replace("&& !refine_all_done(p, all, count)", "&& (!refine_all_done(p, all, count) || 1)"))
        harness = emitted.compile_host(folder, x, np.zeros((1, 15)), real == "float", compiler="gcc")
        counts = self.folder / "counts"
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=layer_solve", f"--callgrind-out-file={counts}", str(harness)],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        total = int(re.search(r"(?m)^(?:summary|totals): (\d+)", counts.read_text())[1])
        return int(re.search(r"instructions (\d+) in a call", (folder / "layer.h").read_text())[1]), total / len(x)

    def bound_is_near(self, bound, counted):
        print(f"bound {bound}, callgrind {counted:.0f}, {counted / bound:.3f} of it")
        self.assertLess(counted, bound)
        self.assertGreater(counted, 0.8 * bound)

    # ---- float, libraries, gradients ----

    @tool.without_sanitizers
    def test_files_stand_alone_and_floats_hold_their_tolerance(self):
        net, x = self.trained(UNICYCLE, *SHORT, "--candidates", "2", "--refine", "2")
        for real in ("double", "float"):
            folder, _ = self.emit(UNICYCLE, net, *SHORT, "--real", real)
            for compiler in filter(shutil.which, ("gcc", "clang")):
                subprocess.run([compiler, *emitted.STRICT, "-O2", "-ffreestanding", "-c", str(folder / "layer.c"), "-o",
                                str(folder / "layer.o")], check=True)
                self.assertEqual(emitted.undefined(folder / "layer.o"), set())
        x = x.astype("f4").astype("f8")
        mine = emitted.run_host(folder, x, np.zeros((1, 15)), single=True, flags=["-O1"])
        self.assertEqual({outcome for outcome, *_ in mine}, {"ok"})
        np.save(self.folder / "raw.npy", np.array([own for *_, own in mine], dtype="f8"))
        np.save(self.folder / "x.npy", x)
        self.run_it("project", UNICYCLE, *SHORT, "--x", self.folder / "x.npy", "--y", self.folder / "raw.npy", "--iterations", "0",
                    "--tolerance", "1e-4", "--report", self.folder / "r.json")
        judged = json.loads((self.folder / "r.json").read_text())["samples"]
        self.assertLessEqual(max(sample["violation_before"] for sample in judged), 1e-4)
        self.floats_refine(net, x)

    def floats_refine(self, net, x):
        """The objective of floats is near that of doubles, and refinement lowers it."""
        found = {}
        for refine in ("0", "2"):
            layer = emitted.Loaded(self.emit(UNICYCLE, net, *SHORT, "--real", "float", "--refine", refine)[0], single=True)
            found[refine] = np.mean([layer.report(row)[1].objective for row in x])
            wanted = np.mean([sample["objective"] for sample in self.evaluated(UNICYCLE, net, x, *SHORT, "--refine", refine)[1]])
            self.assertAlmostEqual(found[refine], wanted, delta=1e-3 * wanted)
        self.assertLess(found["2"], found["0"])

    @tool.without_sanitizers
    def test_the_gradient_is_that_of_the_chosen_candidate(self):
        net, x = self.trained(UNICYCLE, *SHORT, "--candidates", "3", "--refine", "0", "--activation", "tanh")
        folder, _ = self.emit(UNICYCLE, net, *SHORT, "--adjoint")
        layer, rng, step, chosen = emitted.Loaded(folder), np.random.default_rng(5), 1e-6, set()
        for row in x[:12]:
            weights = rng.normal(size=layer.outputs)
            outcome = layer.report(row)[1]
            _, _, by_x = layer.gradient(row, weights)
            around = [layer.report(row + sign * step * e) for e in np.eye(len(row)) for sign in (1, -1)]
            self.assertEqual({r.candidate for _, r in around}, {outcome.candidate})
            values = [float(weights @ y) for y, _ in around]
            wanted = [(a - b) / (2 * step) for a, b in zip(values[::2], values[1::2])]
            np.testing.assert_allclose(by_x, wanted, rtol=1e-4, atol=1e-5 * np.max(np.abs(wanted)))
            chosen.add(outcome.candidate)
        self.assertGreater(len(chosen), 1)

    # ---- mistakes, and what train says ----

    def test_what_cannot_be_emitted_is_refused_with_the_way_out(self):
        net, _ = self.trained(UNICYCLE, *SHORT, "--candidates", "2", "--refine", "1")
        emit = ["emit", UNICYCLE, *SHORT, "--out", self.folder / "out"]
        self.refused(*emit, "--net", net, "--adjoint", code=1, saying="--refine 1: .* not differentiated; .*--refine 0")
        self.refused(*emit, "--net", net, "--candidates", "3", code=2, saying="--candidates 3: the network has 2")
        self.refused(*emit, "--net", net, "--candidates", "0", code=2, saying="--candidates")
        self.refused(*emit, "--refine", "1", code=2, saying="--net is missing")
        self.refused(*emit, "--candidates", "2", code=2, saying="--net is missing")
        self.assertFalse((self.folder / "out").exists())
        self.emit(UNICYCLE, net, *SHORT, "--adjoint", "--refine", "0")

    def test_train_says_first_whether_its_network_can_be_emitted(self):
        net, few = self.folder / "n", ["--steps", "1", "--batch", "4", "--validation", "4", "--hidden", "4", "--survey", "20"]
        out, err = self.run_it("train", MODELS / "ellipse.mod", "--out", net, *few, "--candidates", "2", "--refine", "1")
        self.assertRegex(out, r"^Emission\n  possible, with candidates and refinement: hardnet emit\nInputs")
        self.assertEqual(err, "")
        self.run_it("emit", MODELS / "ellipse.mod", "--net", net, "--out", self.folder / "out")
        for options, reason in ((["--method", "nearest"], "method nearest: it cannot be emitted"),
                                (["--method", "soft"], "--method soft do not go")):
            out, err = self.run_it("train", MODELS / "ellipse.mod", "--out", net, *few, *options)
            self.assertRegex(err, f"hardnet emit will refuse this network: .*{reason}")
            self.assertNotIn("Emission", out)


tool.main()
