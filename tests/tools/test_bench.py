"""The verb `bench` as a user meets it: which figures it gives, and that they fit together. How fast it is, is not judged.

Run with the path of the built program: test_bench.py BUILD/hardnet.
"""
import json
import os
import pathlib
import shutil
import signal
import stat
import subprocess

import tool
from samples import DISC, INFEASIBLE, UNICYCLE, SampleTool, np, unicycle_samples


class Bench(SampleTool):
    def bench(self, model, *options):
        """Report, what was printed, what was said."""
        target = self.folder / "bench.json"
        out, err = self.run_it("bench", model, "--report", target, "--repeat", 2, *options)
        return json.loads(target.read_text()), out, err

    def test_all_figures_are_there_and_fit_together(self):
        report, out, err = self.bench(UNICYCLE, "--samples", 40, "--method", "paper", "--iterations", 20, "--threads", 2)
        self.assertEqual(err, "")
        self.assertEqual((report["version"], report["samples"], report["method"]), (1, 40, "paper"))
        self.assertEqual((report["inputs"], report["outputs"], report["rows"], report["jacobian_nonzeros"]), (3, 50, 60, 145))
        self.assertEqual(report["steps"], {"min": 20, "median": 20, "max": 20})
        self.assertEqual(sum(report["statuses"].values()), 40)
        self.assertGreater(report["operators"], 0)
        self.assertGreater(report["multiply_adds"], 0)
        places = [(one["threads"], one["batch"], one["backward"]) for one in report["timings"]]
        self.assertEqual(sorted(places), sorted((t, b, g) for t in (1, 2) for b in (1, 40) for g in (False, True)))
        for one in report["timings"]:
            self.assertGreater(one["seconds"], 0)
            self.assertGreaterEqual(one["runs"], 2)
            self.assertAlmostEqual(one["per_sample"], one["seconds"] / one["batch"])
            self.assertAlmostEqual(one["per_step"], one["per_sample"] / 20)
        for wanted in (r"40 samples, inputs sampled from their box, outputs near the start values", r"method paper, ",
                       report["instructions"] + r", \d+ operators and \d+ multiply-adds", r"steps +min 20, median 20, max 20",
                       r"\n +1 +1  forward +\d+ ", r"\n +2 +40  forward and backward +2 "):
            self.assertRegex(out, wanted)

    def test_the_same_seed_gives_the_same_samples(self):
        model = ["--samples", 64, "--method", "lm"]
        one, again, other = [self.bench(UNICYCLE, *model, "--seed", seed)[0] for seed in (5, 5, 6)]
        self.assertEqual((one["steps"], one["statuses"]), (again["steps"], again["statuses"]))
        self.assertEqual(one["seed"], 5)
        self.assertEqual(other["seed"], 6)

    def test_one_thread_is_timed_once(self):
        report, _, _ = self.bench(self.file("m.mod", DISC), "--samples", 8, "--method", "lm", "--threads", 1)
        self.assertEqual([(one["batch"], one["backward"]) for one in report["timings"]],
                         [(1, False), (8, False), (1, True), (8, True)])
        report, _, _ = self.bench(self.file("m.mod", DISC), "--samples", 1, "--method", "lm", "--threads", 1)
        self.assertEqual([one["batch"] for one in report["timings"]], [1, 1])

    def test_samples_may_come_from_files(self):
        x, raw = unicycle_samples(12)
        report, out, _ = self.bench(UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method", "lm")
        self.assertEqual(report["samples"], 12)
        self.assertRegex(out, "inputs from --x, outputs from --y")
        report, _, _ = self.bench(UNICYCLE, "--x", self.array("x.npy", x[:1]), "--samples", 5, "--method", "lm")
        self.assertEqual(report["samples"], 5)
        report, _, _ = self.bench(UNICYCLE, "--x", self.array("x.npy", x[:1]), "--y", self.array("y.npy", raw[:1]), "--method", "lm")
        self.assertEqual(report["samples"], 1)

    def test_samples_that_are_not_ok_are_a_figure(self):
        report, _, _ = self.bench(INFEASIBLE, "--samples", 3, "--method", "lm")
        self.assertEqual(report["statuses"]["ok"], 0)
        self.assertEqual(sum(report["statuses"].values()), 3)

    def test_no_step_has_no_time_per_step(self):
        report, out, _ = self.bench(INFEASIBLE, "--samples", 3, "--method", "lm", "--iterations", 0)
        self.assertEqual({one["per_step"] for one in report["timings"]}, {None})
        self.assertRegex(out, r" -\n")

    def test_instruction_sets_can_be_chosen(self):
        report, _, _ = self.bench(self.file("m.mod", DISC), "--samples", 3, "--method", "lm", "--isa", "portable")
        self.assertEqual(report["instructions"], "portable")

    def test_inputs_that_no_sample_meets_are_warned_about(self):
        model = self.file("m.mod", "param p; check: p > 2 and p < 1; var y; s.t. c: y^2 >= p;")
        _, _, err = self.bench(model, "--samples", 4, "--method", "lm")
        self.assertRegex(err, "for 4 of 4 samples none of 1000 sampled inputs")

    def test_a_device_is_timed_with_copies_and_without(self):
        fake = pathlib.Path(tool.program).parent / "tests" / "cuda" / "fake"
        if not fake.exists() or not shutil.which("c++"):
            self.skipTest("there is neither a driver that is none nor a C++ compiler")
        target, model = self.folder / "bench.json", self.file("m.mod", DISC)
        out, _ = self.run_it("bench", model, "--method", "lm", "--samples", 5, "--repeat", 2, "--device", "cuda", "--report", target,
                             env={**os.environ, "LD_LIBRARY_PATH": str(fake), "XDG_CACHE_HOME": str(self.folder)})
        report = json.loads(target.read_text())
        self.assertRegex(report["device"], "a device that is none")
        self.assertEqual((report["precision"], report["statuses"]["ok"]), ("float64", 5))
        self.assertRegex(out, r"a device that is none .* in float64, \d+ operators")
        self.assertEqual(out.count("without copies"), len(report["timings"]))
        for one in report["timings"]:
            inside = one["without_copies"]
            self.assertGreater(inside["seconds"], 0)
            self.assertLess(inside["seconds"], one["seconds"])
            self.assertAlmostEqual(inside["per_sample"], inside["seconds"] / one["batch"])

    def test_misuse_is_named(self):
        model, x = self.file("m.mod", DISC), self.array("x.npy", np.ones((3, 1)))
        for arguments, saying in [(["--samples", "0"], "--samples: '0'"), (["--repeat", "0"], "--repeat: '0'"),
                                  (["--seed", "x"], "--seed: 'x'"), (["--method", "pap"], "--method: 'pap'"),
                                  (["--x", x, "--samples", "4"], r"--samples 4, but .*x\.npy has 3 rows"),
                                  (["--y", x], r"--y .*x\.npy: 3 x 1 numbers, but the model has 2 columns"),
                                  (["--out", "y.npy"], "--out: unknown option")]:
            self.refused("bench", model, *arguments, code=2, saying=saying)

    def test_reports_that_cannot_be_written_are_an_error(self):
        model = self.file("m.mod", DISC)
        self.refused("bench", model, "--method", "lm", "--report", "/dev/full", code=1, saying="--report /dev/full")
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
        with open("/dev/full", "w", encoding="utf-8") as full:
            self.run_it("bench", model, "--method", "lm", "--samples", 2, code=1, stdout=full)

    def test_control_c_ends_with_130(self):
        with subprocess.Popen([tool.program, "bench", UNICYCLE, "--method", "paper", "--iterations", "100000"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            self.wait_for_work(child, 0.3)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)

    def test_every_option_is_explained(self):
        self.assertRegex(self.run_it("bench", "--help")[0], r"(?s)Usage: hardnet bench MODEL.*Example\n +hardnet bench ")
        self.explained("bench")


if __name__ == "__main__":
    tool.main()
