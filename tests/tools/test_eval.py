"""The verb `eval` as a user meets it: its figures judged by formulas, its settings, its mistakes.

Run with the path of the built program: test_eval.py BUILD/hardnet.
"""
import pathlib
import zlib

import networks
import tool
from evals import DISC, EvalTool, cost
from samples import BAND, UNICYCLE, disc_residual, np, unicycle_residual, unicycle_samples


class Eval(EvalTool):
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
                          "reference", "suboptimality", "gap", "relative_gap"])
        self.assertEqual({one["status"] for one in report["samples"]}, {"ok"})
        np.testing.assert_allclose([one["objective"] for one in report["samples"]], cost(y), rtol=1e-15)
        self.assertAlmostEqual(report["objective"]["mean"], cost(y).mean(), delta=1e-12)
        self.assertEqual((report["objective"]["name"], report["objective"]["sense"]), ("cost", "minimize"))
        self.assertEqual((report["reference"], report["suboptimality"], report["gap"], report["samples"][0]["gap"]), (None,) * 4)
        self.assertEqual((report["candidates"], report["refine"], report["method"]), (1, 0, "auto"))
        for key in ("network", "layer", "all", "together", "alone"):
            self.assertGreater(report["seconds_per_sample"][key], 0)
        for wanted in (r"network 1-2, tanh, 1 candidate, 0 refinement steps", r"method auto, .*tolerance 1e-08",
                       r"27 samples from .*x\.npy", r"\n  ok +27\n", r"\n  disc +0 +0\n", r"Objective: minimize cost",
                       r"\n  network +mean 5\.52\d+ of the samples", r"Time per sample, one thread, 27 at a time",
                       r"\n  layer +\S+ [mun]?s\n", r"\n  the whole run +\S+ [mun]?s, "):
            self.assertRegex(printed, wanted)
        self.assertNotIn("Not ok", printed)

    def test_the_effort_is_the_networks_own_or_what_is_given(self):
        model, net = self.disc(effort=(4.0).hex())
        self.assertEqual(self.eval(model, net)[1]["effort"], 4)
        self.assertEqual(self.eval(model, net, "--effort", 0.5)[1]["effort"], 0.5)
        self.assertEqual(self.eval(model, self.disc()[1])[1]["effort"], 1)

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
        self.refused("eval", other, "--net", net, code=1, saying=r"net\.safetensors: .*another model: .*[0-9a-f]{12}, .*[0-9a-f]{12}; hardnet train --init takes its weights over\n")
        self.refused("eval", UNICYCLE, "--net", net, code=1, saying="1 inputs, and the model 3")
        wide = self.network(model, np.zeros((3, 1)), np.zeros(3), name="wide")
        self.refused("eval", model, "--net", wide, code=1, saying="3 outputs for 1 candidate, and the model 2 for each")
        self.refused("eval", model, "--net", self.network(model, [[0], [0]], [0, 0], name="m", method="newton"), code=1,
                     saying="policy.method is \"newton\"")
        self.refused("eval", model, "--net", self.network(model, [[0], [0]], [0, 0], name="s", sense="none"), code=1,
                     saying="unknown setting policy.sense")
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

    def test_every_option_is_explained(self):
        out, err = self.run_it("eval", "--help")
        self.assertRegex(out, r"(?s)Usage: hardnet eval MODEL.*--net NET.*Example\n +hardnet eval ")
        self.assertEqual(err, "")
        self.explained("eval")


if __name__ == "__main__":
    tool.main()
