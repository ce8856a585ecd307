"""The verb `eval` as a user meets it: its figures judged by formulas, its reference by optima that are known, its cache, its mistakes.

Run with the path of the built program: test_eval.py BUILD/hardnet. Networks are written here (networks.py): y_raw = W x + b, so that
what comes out is known.
"""
import json
import os
import pathlib
import signal
import subprocess
import time
import zlib

import networks
import tool
from samples import BAND, UNICYCLE, SampleTool, disc_residual, np, unicycle_residual, unicycle_samples

DISC = """
param radius >= 0.5, <= 2;
check: radius <> 1.5;
var y{1..2} := 0.25;
minimize cost: (y[1] - 3)^2 + y[2]^2;                # optimal at (radius, 0)
subject to disc: y[1]^2 + y[2]^2 <= radius^2;
subject to line: y[1] + y[2] >= 0.1;
"""
VALLEYS = """
param tilt >= 0.1, <= 0.5;
var y >= -2, <= 2, := 1;
minimize cost: (y^2 - 1)^2 + tilt*y;                 # two valleys, the deeper one near -1
subject to square: y^2 <= 4;
"""


def cost(y):
    return (y[:, 0] - 3) ** 2 + y[:, 1] ** 2


class Eval(SampleTool):
    def fingerprint(self, model, *options):
        target = self.folder / "check.json"
        self.run_it("check", model, "--json", target, *options)
        return json.loads(target.read_text())["fingerprint"]

    def network(self, model, weight, bias, name="net.safetensors", **settings):
        return networks.linear(self.folder / name, self.fingerprint(model), weight, bias, **settings)

    def eval(self, model, net, *options, code=0):
        """Outputs, report, what was printed, what was said."""
        out, report = self.folder / "y.npy", self.folder / "report.json"
        printed, said = self.run_it("eval", model, "--net", net, "--out", out, "--report", report, *options, code=code)
        y = np.load(out)
        self.assertEqual(y.dtype, np.float64)
        self.assertTrue(np.isfinite(y).all())
        return y, json.loads(report.read_text()), printed, said

    def disc(self, **settings):
        """A model and a network whose outputs (radius / 2, 0.3) are feasible: the layer leaves them alone."""
        model = self.file("disc.mod", DISC)
        return model, self.network(model, [[0.5], [0]], [0, 0.3], **settings)

    def need_reference(self):
        model, net = self.disc()
        done = subprocess.run([tool.program, "eval", model, "--net", net, "--reference", "ipopt", "--samples", "1"],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if b"IPOPT was not found" in done.stderr:
            self.assertEqual(done.returncode, 1)
            self.skipTest("IPOPT is not installed")

    # ---- the contract ----

    def test_outputs_of_known_weights_and_a_true_report(self):
        model, net = self.disc()
        radius = np.linspace(0.71, 2, 27)[:, None]
        y, report, printed, said = self.eval(model, net, "--x", self.array("x.npy", radius))
        np.testing.assert_array_equal(y, np.concatenate([0.5 * radius, np.full((27, 1), 0.3)], axis=1))
        self.assertEqual(said, "")
        self.assertEqual(list(report)[:4], ["version", "samples", "groups", "seconds"])
        self.assertEqual((report["version"], report["verb"]), (1, "eval"))
        self.assertEqual(list(report["samples"][0]),
                         ["status", "iterations", "violation_before", "violation", "worst", "moved", "objective",
                          "reference", "suboptimality"])
        self.assertEqual({one["status"] for one in report["samples"]}, {"ok"})
        np.testing.assert_allclose([one["objective"] for one in report["samples"]], cost(y), rtol=1e-15)
        self.assertAlmostEqual(report["objective"]["mean"], cost(y).mean(), delta=1e-12)
        self.assertEqual((report["objective"]["name"], report["objective"]["sense"]), ("cost", "minimize"))
        self.assertEqual((report["reference"], report["suboptimality"], report["samples"][0]["reference"]), (None,) * 3)
        self.assertEqual((report["candidates"], report["refine"], report["method"]), (1, 0, "auto"))
        for key in ("network", "layer", "all", "together", "alone"):
            self.assertGreater(report["seconds_per_sample"][key], 0)
        for wanted in (r"network 1-2, tanh, 1 candidate, 0 refinement steps", r"method auto, .*tolerance 1e-08",
                       r"27 samples from .*x\.npy", r"\n  ok +27\n", r"\n  disc +0 +0\n", r"Objective: minimize cost",
                       r"\n  network +mean 5\.52\d+ of the samples", r"Time per sample, one thread, 27 at a time",
                       r"\n  layer +\S+ [mun]?s\n", r"\n  the whole run +\S+ [mun]?s, "):
            self.assertRegex(printed, wanted)
        self.assertNotIn("Not ok", printed)

    def test_corrected_outputs_are_judged_by_the_equations(self):
        source = np.random.RandomState(4)
        x, raw = unicycle_samples(60)
        weight = 0.1 * source.standard_normal((50, 3))
        net = self.network(UNICYCLE, weight, raw.mean(axis=0))
        y, report, _, _ = self.eval(UNICYCLE, net, "--x", self.array("x.npy", x))
        groups = unicycle_residual(x, y)
        rows = np.abs(np.concatenate(list(groups.values()), axis=1))
        self.assertLessEqual(rows.max(), 1e-8)
        np.testing.assert_allclose([one["violation"] for one in report["samples"]], rows.max(axis=1), atol=1e-14)
        before = x @ weight.T + raw.mean(axis=0)
        np.testing.assert_allclose([one["moved"] for one in report["samples"]], np.linalg.norm(y - before, axis=1), rtol=1e-9)
        for name, values in groups.items():
            self.assertAlmostEqual(report["groups"][name]["mean"], np.abs(values).mean(), delta=1e-14)
            self.assertAlmostEqual(report["groups"][name]["max"], np.abs(values).max(), delta=1e-14)

    def test_threads_and_batches_change_no_bit(self):
        x, raw = unicycle_samples(130)
        net = self.network(UNICYCLE, np.zeros((50, 3)), raw[0])
        wanted, report, _, _ = self.eval(UNICYCLE, net, "--x", self.array("x.npy", x), "--threads", 1)
        y, other, _, _ = self.eval(UNICYCLE, net, "--x", self.array("x.npy", x), "--threads", 3)
        np.testing.assert_array_equal(y, wanted)
        self.assertEqual((other["samples"], other["groups"]), (report["samples"], report["groups"]))
        y, _, _, _ = self.eval(UNICYCLE, net, "--x", self.array("x.npy", x[97:98]))
        np.testing.assert_array_equal(y[0], wanted[97])

    def test_inputs_are_drawn_by_the_seed_within_their_box_and_their_checks(self):
        model = self.file("m.mod", "param a >= 2, <= 3; check: a <= 2.5; var y; subject to c: y <= 9; minimize f: y;")
        net = self.network(model, [[1]], [0])
        draws = [self.eval(model, net, *options)[0] for options in ([], ["--seed", 1], ["--seed", 2], ["--samples", 7])]
        np.testing.assert_array_equal(draws[0], draws[1])
        np.testing.assert_array_equal(draws[0][:7], draws[3])
        self.assertFalse((draws[0] == draws[2]).any())
        self.assertEqual(draws[0].shape, (100, 1))
        self.assertTrue(((draws[0] >= 2) & (draws[0] <= 2.5)).all())
        self.assertGreater(np.ptp(draws[0]), 0.4)

    def test_a_model_without_an_objective(self):
        model = self.file("m.mod", BAND)
        net = self.network(model, [[0]], [1.3])
        _, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", [[1.0], [1.5]]))
        self.assertIsNone(report["objective"])
        self.assertIsNone(report["samples"][0]["objective"])
        self.assertNotIn("Objective", printed)
        self.refused("eval", model, "--net", net, "--reference", "ipopt", code=2, saying="no objective")

    # ---- the reference ----

    def check_suboptimality(self, report, wanted):
        """Samples and summary, by the formula."""
        np.testing.assert_allclose([one["suboptimality"] for one in report["samples"]], wanted, rtol=1e-5, atol=1e-7)
        exact = np.array([one["suboptimality"] for one in report["samples"]])
        summary = report["suboptimality"]
        self.assertEqual(summary["samples"], len(wanted))
        self.assertAlmostEqual(summary["mean"], exact.mean(), delta=1e-13)
        self.assertEqual(summary["max"], exact.max())
        for key, percent in (("p50", 50), ("p90", 90), ("p99", 99)):
            self.assertAlmostEqual(summary[key], np.percentile(exact, percent), delta=1e-13)

    def test_suboptimality_against_optima_that_are_known(self):
        self.need_reference()
        model, net = self.disc()
        radius = np.linspace(0.7, 2, 23)[:, None]
        x = self.array("x.npy", radius)
        y, report, printed, said = self.eval(model, net, "--x", x, "--reference", "ipopt")
        self.assertEqual(said, "")
        best = (3 - radius[:, 0]) ** 2
        np.testing.assert_allclose([one["reference"] for one in report["samples"]], best, rtol=1e-6)
        self.check_suboptimality(report, (cost(y) - best) / best)
        reference = report["reference"]
        self.assertRegex(reference["name"], "^IPOPT 3")
        self.assertEqual([reference[key] for key in ("starts", "found", "solved", "cached", "better")], [3, 23, 23, 0, 0])
        self.assertAlmostEqual(reference["mean"], best.mean(), delta=1e-5)
        self.assertRegex(printed, r"reference +mean \S+, IPOPT \S+, best of 3 starts\n +23 of 23 found, 23 of them solved")
        self.assertRegex(printed, r"suboptimality +mean \S+, max \S+, median \S+, 90 % \S+, 99 % \S+ \(23 samples\)")

    def test_what_is_maximized_has_the_users_sign(self):
        self.need_reference()
        model = self.file("m.mod", DISC.replace("minimize cost: (y[1] - 3)^2 + y[2]^2", "maximize gain: 40 - (y[1] - 3)^2 - y[2]^2"))
        net = self.network(model, [[0.5], [0]], [0, 0.3])
        radius = np.array([[0.7], [1.1], [2.0]])
        y, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", radius), "--reference", "ipopt")
        best = 40 - (3 - radius[:, 0]) ** 2
        np.testing.assert_allclose([one["objective"] for one in report["samples"]], 40 - cost(y), rtol=1e-14)
        np.testing.assert_allclose([one["reference"] for one in report["samples"]], best, rtol=1e-6)
        self.assertAlmostEqual(report["objective"]["mean"], (40 - cost(y)).mean(), delta=1e-12)
        self.assertEqual(report["objective"]["sense"], "maximize")
        self.check_suboptimality(report, (best - 40 + cost(y)) / best)
        self.assertRegex(printed, "Objective: maximize gain")

    def test_several_starts_find_the_deeper_valley(self):
        self.need_reference()
        model = self.file("m.mod", VALLEYS)
        net = self.network(model, [[0]], [-1.1])
        x = self.array("x.npy", [[0.3], [0.4]])
        _, report, printed, _ = self.eval(model, net, "--x", x, "--reference", "ipopt", "--starts", 1)
        self.assertEqual(report["reference"]["better"], 2)
        self.assertEqual([one["suboptimality"] for one in report["samples"]], [0, 0])
        self.assertRegex(printed, "2 samples clearly better than the reference")
        _, report, _, _ = self.eval(model, net, "--x", x, "--reference", "ipopt", "--starts", 2)
        self.assertEqual(report["reference"]["better"], 0)
        for one, tilt in zip(report["samples"], (0.3, 0.4)):
            y = np.linspace(-2, 2, 400001)
            self.assertAlmostEqual(one["reference"], ((y ** 2 - 1) ** 2 + tilt * y).min(), delta=1e-8)
            self.assertGreater(one["suboptimality"], 0)
        far = self.network(model, [[0]], [0.9], name="far.safetensors")  # it and the model start in the wrong valley
        _, report, _, _ = self.eval(model, far, "--x", x, "--reference", "ipopt", "--starts", 12)
        self.assertLess(report["samples"][0]["reference"], 0)

    def test_the_number_of_processes_changes_no_bit(self):
        self.need_reference()
        x, raw = unicycle_samples(9)
        net = self.network(UNICYCLE, np.zeros((50, 3)), raw[0])
        reports = [self.eval(UNICYCLE, net, "--x", self.array("x.npy", x), "--reference", "ipopt", "--threads", threads)[1]
                   for threads in (1, 4)]
        self.assertEqual(reports[0]["samples"], reports[1]["samples"])
        self.assertEqual(reports[0]["reference"]["found"], 9)

    # ---- the cache ----

    def cached(self, *arguments, code=0):
        return self.eval(*arguments, "--reference", "ipopt", "--cache", self.folder / "some" / "cache", code=code)

    def cache_file(self):
        files = list((self.folder / "some" / "cache").iterdir())
        self.assertEqual([path.suffix for path in files], [".npy"])
        return files[0]

    def test_optima_are_kept_and_found_again(self):
        self.need_reference()
        model, net = self.disc()
        radius = np.linspace(0.7, 2, 11)[:, None]
        x = self.array("x.npy", radius)
        _, first, _, _ = self.cached(model, net, "--x", x)
        table = np.load(self.cache_file())
        self.assertEqual(table.shape, (11, 1 + 2 + 3))
        self.assertEqual(self.cache_file().stem, self.fingerprint(model))
        np.testing.assert_allclose(table[:, 1], table[:, 0], rtol=1e-6)
        _, second, printed, said = self.cached(model, net, "--x", x)
        self.assertEqual((first["reference"]["cached"], second["reference"]["cached"], said), (0, 11, ""))
        self.assertEqual(first["samples"], second["samples"])
        self.assertRegex(printed, "11 from the cache")
        _, other, _, _ = self.cached(model, net, "--x", self.array("x2.npy", [[0.9], [2.0]]))
        self.assertEqual((other["reference"]["cached"], len(np.load(self.cache_file()))), (1, 12))
        _, more, _, _ = self.cached(model, net, "--x", x, "--starts", 4)
        self.assertEqual((more["reference"]["cached"], len(np.load(self.cache_file()))), (0, 12))
        self.assertEqual(self.cached(model, net, "--x", x, "--starts", 4)[1]["reference"]["cached"], 11)
        self.assertEqual(self.cached(model, net, "--x", x)[1]["reference"]["cached"], 11)

    def test_damaged_entries_are_solved_again(self):
        self.need_reference()
        model, net = self.disc()
        x = self.array("x.npy", np.linspace(0.7, 2, 5)[:, None])
        _, first, _, _ = self.cached(model, net, "--x", x)
        path = self.cache_file()
        good = np.load(path)
        damages = [(0, 1, 0.3), (1, 2, np.nan), (2, 3, 0), (3, 5, -1), (0, 1, good[0, 1] * (1 + 1e-12)), (4, 3, np.inf)]
        for row, column, value in damages:
            table = good.copy()
            table[row, column] = value
            np.save(path, table)
            _, report, _, said = self.cached(model, net, "--x", x)
            self.assertEqual((report["reference"]["cached"], said), (4, ""), (row, column, value))
            self.assertEqual(report["samples"], first["samples"])
        np.testing.assert_array_equal(np.sort(np.load(path), axis=0), np.sort(good, axis=0))
        for damage in (b"no table", good.tobytes(), b""):
            path.write_bytes(damage)
            _, report, _, said = self.cached(model, net, "--x", x)
            self.assertRegex(said, "warning: --cache: .*; it is replaced")
            self.assertEqual((report["reference"]["cached"], report["samples"]), (0, first["samples"]))
        np.save(path, good[:, 1:])
        self.assertRegex(self.cached(model, net, "--x", x)[3], "warning: --cache: .*5 columns instead of 6; it is replaced")
        self.assertEqual(self.cached(model, net, "--x", x)[1]["reference"]["cached"], 5)

    def test_a_network_that_is_better_than_the_cache_asks_again(self):
        self.need_reference()
        model = self.file("m.mod", VALLEYS)
        far, near = self.network(model, [[0]], [0.9], name="far"), self.network(model, [[0]], [-1.1], name="near")
        x = self.array("x.npy", [[0.3]])
        _, report, _, _ = self.cached(model, far, "--x", x, "--starts", 2)
        self.assertGreater(report["samples"][0]["reference"], 0)
        _, report, _, _ = self.cached(model, near, "--x", x, "--starts", 2)
        self.assertEqual((report["reference"]["cached"], report["reference"]["better"]), (0, 0))
        self.assertLess(report["samples"][0]["reference"], 0)
        _, report, _, _ = self.cached(model, far, "--x", x, "--starts", 2)
        self.assertEqual(report["reference"]["cached"], 1)
        self.assertLess(report["samples"][0]["reference"], 0)

    # ---- settings ----

    def test_refine_overrides_what_the_network_carries(self):
        x = self.array("x.npy", [[0.8], [1.9]])
        model, net = self.disc(refine="30")
        plain, report, _, _ = self.eval(model, net, "--x", x, "--refine", 0)
        self.assertEqual(report["refine"], 0)
        np.testing.assert_array_equal(plain, [[0.4, 0.3], [0.95, 0.3]])
        refined, report, _, _ = self.eval(model, net, "--x", x)
        self.assertEqual(report["refine"], 30)
        self.assertTrue((cost(refined) < cost(plain)).all())
        again, _, printed, _ = self.eval(model, self.disc()[1], "--x", x, "--refine", 30)
        np.testing.assert_array_equal(again, refined)
        self.assertRegex(printed, "30 refinement steps at most")

    def test_the_best_candidate_counts(self):
        model = self.file("disc.mod", DISC)
        net = self.network(model, [[0], [0], [0], [0]], [0.1, 0.2, 0.4, 0.1], candidates="2")
        y, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", [[1.0]]))
        np.testing.assert_array_equal(y, [[0.4, 0.1]])
        self.assertEqual(report["candidates"], 2)
        self.assertRegex(printed, "2 candidates")

    def test_the_tolerance_is_the_callers_and_relative_comes_from_the_network(self):
        model = self.file("m.mod", "param a >= 0, <= 1; var y; s.t. c: y <= 1000; minimize f: -y;")
        x, settings = self.array("x.npy", [[0.5]]), {"method": "paper", "iterations": "0", "tolerance": (0.02).hex()}
        net = self.network(model, [[0]], [1010], **settings)
        _, report, printed, _ = self.eval(model, net, "--x", x, "--tolerance", 0.02, code=3)
        self.assertEqual(report["samples"][0]["status"], "iteration_limit")
        self.assertRegex(printed, r"Not ok: 1 of 1.*\n  sample 0 +iteration_limit +10  c\n")
        self.assertNotIn("the file says", printed)
        net = self.network(model, [[0]], [1010], **settings, relative="true")
        _, report, _, _ = self.eval(model, net, "--x", x, "--tolerance", 0.02)
        self.assertEqual(report["samples"][0]["status"], "ok")
        _, report, printed, _ = self.eval(model, net, "--x", x, code=3)
        self.assertEqual((report["tolerance"], report["file_tolerance"]), (1e-8, 0.02))
        self.assertRegex(printed, r"tolerance 1e-08.* \(the file says 0.02\)\n")

    def test_a_file_cannot_make_everything_ok_or_run_for_ever(self):
        model, x = self.file("disc.mod", DISC), self.array("x.npy", [[1.0]])
        for settings, part in (({"tolerance": (1e308).hex()}, "tolerance 1e+308"), ({"refine": "2147483647"}, "refine"),
                               ({"iterations": "2147483647"}, "iterations 2147483647")):
            net = self.network(model, [[0], [0]], [5, 5], **settings)
            _, said = self.run_it("eval", model, "--net", net, "--x", x, code=1)
            self.assertIn(part, said)

    def test_a_network_without_correction_is_judged_as_it_is(self):
        model, x = self.file("disc.mod", DISC), self.array("x.npy", [[1.0], [2.0]])
        net = self.network(model, [[1], [0]], [0.25, 0], scheme="none")
        y, report, printed, _ = self.eval(model, net, "--x", x, code=3)
        np.testing.assert_array_equal(y, [[1.25, 0], [2.25, 0]])
        self.assertEqual([one["status"] for one in report["samples"]], ["iteration_limit"] * 2)
        self.assertEqual([one["violation"] for one in report["samples"]], [1.25 ** 2 - 1, 2.25 ** 2 - 4])
        self.assertEqual((report["scheme"], report["method"], report["objective"]["mean"]), ("none", None, None))
        self.assertRegex(printed, r"\n  no correction, tolerance 1e-08\n")
        self.assertNotRegex(printed, r"\n  layer ")
        _, report, printed, _ = self.eval(model, net, "--x", x, "--allow-infeasible")
        self.assertAlmostEqual(report["objective"]["mean"], cost(y).mean())
        self.assertRegex(printed, "of all samples, ok or not")
        self.run_it("eval", model, "--net", net, "--x", x, "--refine", 1, code=1)

    def test_samples_that_are_not_ok_are_compared_when_they_are_allowed(self):
        self.need_reference()
        model = self.file("m.mod", "param a >= 1, <= 2; var y := 1; minimize f: y^2; s.t. c: y >= a;")
        net = self.network(model, [[0.5]], [1], scheme="none")
        options = ["--x", self.array("x.npy", [[1.5], [2], [2.5]]), "--reference", "ipopt"]
        _, report, _, _ = self.eval(model, net, *options, code=3)
        self.assertEqual(report["suboptimality"]["samples"], 2)
        _, report, _, _ = self.eval(model, net, *options, "--allow-infeasible")
        self.assertEqual(report["suboptimality"]["samples"], 3)
        self.assertEqual(report["samples"][2]["suboptimality"], 0)  # lower than is possible

    def test_dc3_completes_and_corrects(self):
        model = self.file("m.mod", "param p >= 1, <= 2; var a; var b; s.t. total: a + 2*b = p; s.t. most: a <= 1.0625;"
                                   "minimize f: a^2;")
        wanted = {"scheme": "dc3", "independent": "1 with checksum %08x" % zlib.crc32(bytes(4)), "momentum": (0.0).hex(),
                  "correction-rate": (0.25).hex(), "correction-steps": "3"}
        net = self.network(model, [[1]], [0], **wanted)
        y, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", [[1.0], [1.5625], [2]]), "--allow-infeasible")
        a = np.array([1, 1.0625 + 0.5 / 8, 1.0625 + 0.9375 / 8])  # each step halves what is violated
        np.testing.assert_allclose(y, np.column_stack([a, (np.array([1, 1.5625, 2]) - a) / 2]), rtol=0, atol=1e-12)
        self.assertEqual([one["status"] for one in report["samples"]], ["ok", "iteration_limit", "iteration_limit"])
        self.assertEqual([one["iterations"] for one in report["samples"]], [0, 3, 3])
        self.assertEqual(report["correction"], {"steps": 3, "rate": 0.25, "momentum": 0})
        self.assertRegex(printed, r"network 1-1, .*\n  dc3, at most 3 steps of 0.25 with momentum 0, tolerance 1e-08\n")

    def test_let_reaches_the_model(self):
        net = networks.linear(self.folder / "n4", self.fingerprint(UNICYCLE, "--let", "N=4"), np.zeros((20, 3)), np.zeros(20))
        y, _, _, _ = self.eval(UNICYCLE, net, "--let", "N=4", "--samples", 3, "--allow-infeasible")
        self.assertEqual(y.shape, (3, 20))

    # ---- samples and inputs that are not good ----

    def test_samples_that_are_not_ok(self):
        self.need_reference()
        model = self.file("m.mod", BAND + "minimize f: y;")
        net = self.network(model, [[0]], [1.3])
        x = self.array("x.npy", [[1], [3], [np.nan], [1.5]])
        _, report, printed, _ = self.eval(model, net, "--x", x, "--reference", "ipopt", code=3)
        self.assertEqual([one["status"] for one in report["samples"]], ["ok", "bad_bounds", "nonfinite_input", "ok"])
        self.assertEqual([one["suboptimality"] is None for one in report["samples"]], [False, True, True, False])
        self.assertEqual((report["reference"]["found"], report["suboptimality"]["samples"]), (2, 2))
        self.assertRegex(printed, r"\n  bad_bounds +1\n")
        self.assertRegex(printed, r"Not ok: 2 of 4")
        self.assertEqual(report["groups"]["band"]["not_finite"], 1)
        self.eval(model, net, "--x", x, "--allow-infeasible")

    def test_inputs_outside_the_box_and_against_a_check_are_warned_about(self):
        model, net = self.disc()
        x = self.array("x.npy", [[1], [1.5], [0.6], [2.5], [3]])
        y, report, printed, said = self.eval(model, net, "--x", x, "--allow-infeasible")
        self.assertRegex(said, r"warning: .*1 of 5 rows break a requirement.*row 1, counted from 0 \(check 1\)")
        self.assertRegex(said, r"warning: .*2 of 5 rows lie outside the box .*row 3, counted from 0 \(radius\)")
        self.assertEqual((report["outside"], report["broken"]), (2, 1))
        self.assertRegex(printed, r"outside the box of the inputs: 2\)")
        self.assertLessEqual(np.abs(disc_residual(np.load(x)[:, 0], y)).max(), 1e-8)
        single = self.array("s.npy", [[0.7], [2]], np.float32)
        self.assertEqual(self.eval(model, net, "--x", single)[3], "")

    # ---- what is refused ----

    def test_networks_that_do_not_fit_are_refused(self):
        model, net = self.disc()
        other = self.file("other.mod", DISC.replace("0.1;", "0.2;"))
        self.refused("eval", other, "--net", net, code=1, saying=r"net\.safetensors: .*another model: .*[0-9a-f]{12}, .*[0-9a-f]{12}\n")
        self.refused("eval", UNICYCLE, "--net", net, code=1, saying="1 inputs, and the model 3")
        wide = self.network(model, np.zeros((3, 1)), np.zeros(3), name="wide")
        self.refused("eval", model, "--net", wide, code=1, saying="3 outputs for 1 candidate, and the model 2 for each")
        self.refused("eval", model, "--net", self.network(model, [[0], [0]], [0, 0], name="m", method="newton"), code=1,
                     saying="policy.method is \"newton\"")
        self.refused("eval", model, "--net", self.network(model, [[0], [0]], [0, 0], name="s", sense="none"), code=1,
                     saying="policy.sense is not known")
        whole = pathlib.Path(net).read_bytes()
        for at in (20, len(whole) // 2, len(whole) - 1):
            damaged = self.folder / "damaged"
            damaged.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1:])
            self.refused("eval", model, "--net", damaged, code=1, saying="damaged: ")
        self.refused("eval", model, "--net", self.folder / "none", code=1, saying="none: ")

    def test_misuse_is_explained(self):
        model, net = self.disc()
        x = self.array("x.npy", [[1.0]])
        self.refused("eval", model, code=2, saying="--net: ")
        self.refused("eval", "--net", net, code=2, saying="no model file")
        self.refused("eval", model, "--net", net, "--x", x, "--samples", 3, code=2, saying="--samples and --x")
        self.refused("eval", model, "--net", net, "--cache", self.folder / "c", code=2, saying="--cache")
        self.refused("eval", model, "--net", net, "--reference", "ipop", code=2, saying="did you mean ipopt")
        self.refused("eval", model, "--net", net, "--starts", 0, code=2, saying="--starts: '0'")
        self.refused("eval", model, "--net", net, "--x", self.array("w.npy", [[1.0, 2.0]]), code=2, saying="1 x 2 numbers")
        self.refused("eval", model, "--net", net, "--refin", 3, code=2, saying="did you mean --refine")
        for option in ("--out", "--report"):
            self.refused("eval", model, "--net", net, option, self.folder, code=1, saying=option)
            self.refused("eval", model, "--net", net, option, self.folder / "none" / "f", code=1, saying="none/f: ")

    def test_a_cache_that_cannot_be_is_an_error(self):
        self.need_reference()
        model, net = self.disc()
        plain = self.file("plain", "")
        self.refused("eval", model, "--net", net, "--reference", "ipopt", "--cache", plain + "/c", code=1, saying="--cache .*plain/c: ")

    # ---- processes ----

    def children(self, process):
        """The living ones, and the seconds of processor time that each has had."""
        found = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                state, parent, seconds = tool.process_state(path.name)
            except OSError:
                continue
            if parent == process.pid and state != "Z":
                found[int(path.name)] = seconds
        return found

    def start_long(self, *options):
        """A run that will take long, after each of its two processes has worked for a while, and these processes."""
        net = self.network(UNICYCLE, np.zeros((50, 3)), np.zeros(50))
        process = subprocess.Popen(
            [tool.program, "eval", UNICYCLE, "--net", net, "--reference", "ipopt", "--starts", "2", "--threads", "2",
             "--report", str(self.folder / "r.json"), *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            children = self.children(process)
            if len(children) == 2 and min(children.values()) > 2:
                return process, list(children)
            time.sleep(0.05)
        self.fail("the processes do not work")

    def test_control_c_ends_with_130_and_keeps_the_cache(self):
        self.need_reference()
        process, children = self.start_long("--samples", 20000, "--cache", self.folder / "c")
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130, (out, err))
        self.assertIn(b"interrupted; nothing was written but", err)
        self.assertRegex(out, rb"\n  ok +\d+\n")
        self.assertFalse((self.folder / "r.json").exists())
        self.assertGreater(len(np.load(next((self.folder / "c").iterdir()))), 0)
        for child in children:
            self.assertFalse(pathlib.Path(f"/proc/{child}").exists())

    def test_a_process_that_dies_takes_its_samples_alone(self):
        self.need_reference()
        process, children = self.start_long("--samples", 300)
        os.kill(children[0], signal.SIGKILL)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, (out, err))
        self.assertRegex(err, rb"warning: a process .* ended early: \d+ samples have no new optimum")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertIn(report["reference"]["found"], range(150, 300))
        self.assertEqual(report["suboptimality"]["samples"], report["reference"]["found"])

    def test_every_option_is_explained(self):
        out, err = self.run_it("eval", "--help")
        self.assertRegex(out, r"(?s)Usage: hardnet eval MODEL.*--net NET.*Example\n +hardnet eval ")
        self.assertEqual(err, "")
        self.explained("eval")


if __name__ == "__main__":
    tool.main()
