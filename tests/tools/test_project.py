"""The verb `project` as a user meets it: what it prints and writes, its exit codes, and that nothing crashes it.

Run with the path of the built program: test_project.py BUILD/hardnet. What comes out is judged by the formulas of the models,
evaluated here anew with numpy.
"""
import csv
import json
import os
import re
import resource
import signal
import stat
import subprocess
import time

import tool
from projects import ProjectTool
from samples import (BAND, DISC, INFEASIBLE, PUBLISHED, UNICYCLE, SampleTool, disc_residual, np, unicycle_residual,
                     unicycle_samples)


class Project(ProjectTool):
    # ---- the contract ----

    def test_outputs_reach_the_constraints_and_the_report_is_true(self):
        radius = np.linspace(0.5, 2, 37)[:, None]
        raw = np.random.RandomState(1).standard_normal((37, 2)) * 2
        y, report, printed = self.project(self.file("m.mod", DISC), "--x", self.array("x.npy", radius), "--y",
                                          self.array("y.npy", raw), "--method", "lm")
        r = disc_residual(radius[:, 0], y)
        self.assertLessEqual(np.abs(r).max(), 1e-8)
        self.assertEqual(list(report)[:4], ["version", "samples", "groups", "seconds"])
        self.assertEqual(report["version"], 1)
        self.assertEqual(list(report["samples"][0])[:6],
                         ["status", "iterations", "violation_before", "violation", "worst", "moved"])
        self.assertEqual({one["status"] for one in report["samples"]}, {"ok"})
        self.judge(report, y, raw, {"disc": r[:, :1], "line": r[:, 1:]}, ["disc", "line"])
        before = np.abs(disc_residual(radius[:, 0], raw)).max(axis=1)
        np.testing.assert_allclose([one["violation_before"] for one in report["samples"]], before, atol=1e-14)
        self.assertGreater(report["seconds"], 0)
        self.assertEqual((report["method"], report["tolerance"]), ("lm", 1e-8))
        self.assertRegex(printed, r"37 samples, method lm, .*tolerance 1e-08")
        self.assertRegex(printed, r"\n  ok +37\n")
        self.assertNotIn("Not ok", printed)
        for wanted in (r"steps +min \d+, median \d+(\.5)?, max \d+", r"distance moved +median ", r"time +\S+ \w+, \S+ \w+ per sample",
                       r"\n  disc +\S+ +\S+", r"\n  line +\S+ +\S+"):
            self.assertRegex(printed, wanted)

    def test_a_feasible_output_is_left_alone(self):
        raw = [[0.2, 0.3]]
        y, report, _ = self.project(self.file("m.mod", DISC), "--x", self.array("x.npy", [[1]]), "--y",
                                    self.array("y.npy", raw), "--method", "lm")
        np.testing.assert_array_equal(y, raw)
        self.assertEqual((report["samples"][0]["iterations"], report["samples"][0]["moved"]), (0, 0))
        self.assertIsNone(report["samples"][0]["worst"])

    def test_samples_without_solution_end_early_and_with_more_effort_later(self):
        nominal = np.array([0.9, 1, 1.25, 0.3, 0.35, 0.5])
        x = nominal * np.array([1, 3.2, 1.1, 2.9])[:, None]  # the generators give 8.2 in all, 2.6 times nominal
        steps = {}
        for effort in (1, 3):
            _, report, printed = self.project(UNICYCLE.replace("unicycle", "opf"), "--x", self.array("x.npy", x), "--effort", effort,
                                              "--allow-infeasible")
            self.assertEqual([one["status"] for one in report["samples"]], ["ok", "locally_infeasible"] * 2)
            self.assertEqual([one["slope"] is None for one in report["samples"]], [True, False] * 2)
            self.assertEqual(report["effort"], effort)
            self.assertEqual("effort 3, " in printed, effort == 3)
            steps[effort] = [one["iterations"] for one in report["samples"]]
        self.assertEqual(steps[1][::2], steps[3][::2])
        for less, more in zip(steps[1][1::2], steps[3][1::2]):
            self.assertLess(less, 60)
            self.assertGreater(more, 1.5 * less)

    def test_efforts_that_are_none_are_refused(self):
        model, x = self.file("m.mod", DISC), self.array("x.npy", [[1]])
        for value, wanted in (("0", "--effort 0: it must be above 0 and at most 1000"),
                              ("1000.5", "--effort 1000.5: it must be above 0 and at most 1000"),
                              ("-1", "--effort: '-1' is not"), ("much", "--effort: 'much' is not")):
            self.refused("project", model, "--x", x, "--effort", value, code=2, saying=wanted)
        self.refused("project", model, "--x", x, "--effort", 2, "--method", "lm", code=2, saying="the method lm has none")

    def test_without_outputs_it_starts_from_the_start_values(self):
        x, _ = unicycle_samples(5)
        k = 0.2 * np.arange(1, 11)
        y, report, _ = self.project(UNICYCLE, "--x", self.array("x.npy", x), "--method", "lm", "--iterations", 0,
                                    "--allow-infeasible")
        np.testing.assert_allclose(y[:, 0:30:3], x[:, :1] + k * np.cos(x[:, 2:]), atol=1e-15)
        np.testing.assert_array_equal(y[:, 30::2], 1)
        self.assertEqual({one["moved"] for one in report["samples"]}, {0})

    def test_a_model_without_inputs_needs_no_file_at_all(self):
        y, report, _ = self.project(self.file("m.mod", "var y{i in 1..3} := i; s.t. c: sum{i in 1..3} y[i]^2 = 1;"),
                                    "--method", "lm")
        self.assertEqual(y.shape, (1, 3))
        self.assertAlmostEqual((y ** 2).sum(), 1, delta=1e-8)
        self.assertEqual(len(report["samples"]), 1)

    def test_single_rows_are_repeated(self):
        model = self.file("m.mod", DISC)
        raw, radius = np.array([[3, 1], [-2, 0.5], [0, 9]]), np.array([[1.0], [0.7], [1.9]])
        one_x = self.project(model, "--x", self.array("x.npy", [[1.2]]), "--y", self.array("y.npy", raw), "--method", "lm")
        all_x = self.project(model, "--x", self.array("x.npy", [[1.2]] * 3), "--y", self.array("y.npy", raw), "--method", "lm")
        np.testing.assert_array_equal(one_x[0], all_x[0])
        one_y = self.project(model, "--x", self.array("x.npy", radius), "--y", self.array("y.npy", [[3, 1]]), "--method", "lm")
        all_y = self.project(model, "--x", self.array("x.npy", radius), "--y", self.array("y.npy", [[3, 1]] * 3), "--method", "lm")
        np.testing.assert_array_equal(one_y[0], all_y[0])
        self.assertEqual((len(one_x[1]["samples"]), len(one_y[1]["samples"])), (3, 3))

    def test_one_dimension_is_one_row(self):
        y, _, _ = self.project(self.file("m.mod", DISC), "--x", self.array("x.npy", [1.0]), "--y",
                               self.array("y.npy", [3.0, 1.0]), "--method", "lm")
        self.assertEqual(y.shape, (1, 2))

    def test_float32_is_read_as_the_numbers_that_it_holds(self):
        x, raw = unicycle_samples(6)
        single = x.astype(np.float32), raw.astype(np.float32)
        results = [self.project(UNICYCLE, "--x", self.array("x.npy", single[0], dtype), "--y",
                                self.array("y.npy", single[1], dtype), "--method", "lm", "--allow-infeasible")[0]
                   for dtype in (np.float32, np.float64)]
        np.testing.assert_array_equal(*results)

    def test_threads_chunks_and_instruction_sets_change_no_bit(self):
        x, raw = unicycle_samples(150)
        common = ["--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method", "lm", "--allow-infeasible"]
        wanted, report, _ = self.project(UNICYCLE, *common, "--threads", 1)
        for more in (["--threads", 2], ["--threads", 5], ["--isa", "portable"], ["--isa", "avx2"], ["--isa", "avx512"]):
            done = subprocess.run([tool.program, "project", UNICYCLE, *map(str, common + more)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            if done.returncode == 1 and b"processor does not have it" in done.stderr:
                continue
            y, other, _ = self.project(UNICYCLE, *common, *more)
            np.testing.assert_array_equal(y, wanted)
            self.assertEqual((other["samples"], other["groups"]), (report["samples"], report["groups"]))
        alone = self.project(UNICYCLE, "--x", self.array("x.npy", x[97:98]), "--y", self.array("y.npy", raw[97:98]),
                             "--method", "lm", "--allow-infeasible")
        np.testing.assert_array_equal(alone[0][0], wanted[97])

    def test_let_reaches_the_model(self):
        x, _ = unicycle_samples(2)
        y, _, _ = self.project(UNICYCLE, "--let", "N=4", "--x", self.array("x.npy", x), "--method", "lm", "--allow-infeasible")
        self.assertEqual(y.shape, (2, 20))

    # ---- settings ----

    def test_tolerance_and_iterations_decide(self):
        model = self.file("m.mod", "var y := 3; s.t. c: y^2 = 2;")
        _, report, _ = self.project(model, "--method", "paper", "--damping", 0, "--iterations", 3, code=3)
        self.assertEqual((report["samples"][0]["status"], report["samples"][0]["iterations"]), ("iteration_limit", 3))
        violation = report["samples"][0]["violation"]
        _, report, _ = self.project(model, "--method", "paper", "--damping", 0, "--iterations", 3, "--tolerance",
                                    violation * 1.01)
        self.assertEqual(report["samples"][0]["status"], "ok")
        self.assertEqual((report["damping"], report["iterations"]), (0, 3))

    def test_relative_tolerance_is_measured_by_the_bound(self):
        model = self.file("m.mod", "var y := 1010; s.t. c: y <= 1000;")
        arguments = [model, "--method", "paper", "--iterations", 0, "--tolerance", 0.02]
        self.assertEqual(self.project(*arguments, code=3)[1]["samples"][0]["status"], "iteration_limit")
        self.assertEqual(self.project(*arguments, "--relative")[1]["samples"][0]["status"], "ok")

    def test_a_time_limit_cancels_what_is_left(self):
        x, raw = unicycle_samples(40)
        start = time.monotonic()
        y, report, printed = self.project(UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method",
                                          "paper", "--iterations", 2000000000, "--tolerance", 0, "--time-limit", 0.5,
                                          code=3)
        self.assertLess(time.monotonic() - start, 60)
        self.assertEqual(y.shape, raw.shape)
        self.assertEqual({one["status"] for one in report["samples"]}, {"cancelled"})
        begun = [one["violation"] is not None for one in report["samples"]]
        self.assertTrue(any(begun))
        for one, before, after, ran in zip(report["samples"], raw, y, begun):
            if ran:
                self.assertLessEqual(one["violation"], one["violation_before"])
            else:  # not evaluated: what came in
                self.assertEqual((one["violation_before"], one["iterations"]), (None, 0))
                self.assertEqual(before.tolist(), after.tolist())
        self.assertRegex(printed, r"\n  cancelled +40\n")

    # ---- samples that are not ok ----

    def test_an_infeasible_model_says_so_and_exits_with_3(self):
        y, report, printed = self.project(INFEASIBLE, "--method", "lm", code=3)
        self.assertIn(report["samples"][0]["status"], ("locally_infeasible", "stalled", "iteration_limit"))
        violation = max(max(0, (y ** 2).sum() - 1), max(0, 2 - y.sum()))
        self.assertAlmostEqual(report["samples"][0]["violation"], violation, delta=1e-13)
        self.assertRegex(printed, r"Not ok: 1 of 1.*\n  sample 0 +\w+ +\S+ +(disc|halfplane)\n")
        self.project(INFEASIBLE, "--method", "lm", "--allow-infeasible")

    def test_numbers_that_are_not_finite_are_a_status_of_their_sample(self):
        radius = np.array([[1.0], [np.nan], [1.2], [0.8], [1.1]])
        raw = np.array([[3.0, 1], [3, 1], [3, np.inf], [2, 2], [np.nan, 1]])
        model, x_path, y_path = self.file("m.mod", DISC), self.array("x.npy", radius), self.array("y.npy", raw)
        y, report, printed = self.project(model, "--x", x_path, "--y", y_path, "--method", "lm", code=3)
        self.assertEqual([one["status"] for one in report["samples"]],
                         ["ok", "nonfinite_input", "nonfinite_input", "ok", "nonfinite_input"])
        np.testing.assert_array_equal(y[[1, 2, 4]], 0.25)
        for saying in (r"sample 1 +nonfinite_input +\S+ +radius is nan \(row 1, column 0 of .*x\.npy\)",
                       r"sample 2 +nonfinite_input +\S+ +y\[2\] is inf \(row 2, column 1 of .*y\.npy\)",
                       r"sample 4 +nonfinite_input +\S+ +y\[1\] is nan \(row 4, column 0 of .*y\.npy\)"):
            self.assertRegex(printed, saying)
        self.assertIsNone(report["samples"][1]["violation_before"])
        self.assertIsNone(report["groups"]["disc"]["mean"])
        self.assertEqual(report["groups"]["disc"]["not_finite"], 1)
        self.assertEqual(report["groups"]["line"]["not_finite"], 0)
        clean, _, _ = self.project(model, "--x", self.array("x0.npy", radius[[0, 3]]), "--y", self.array("y0.npy", raw[[0, 3]]),
                                   "--method", "lm")
        np.testing.assert_array_equal(clean, y[[0, 3]])

    def test_crossed_bounds_are_a_status_and_the_row_is_named(self):
        y, report, printed = self.project(self.file("m.mod", BAND), "--x", self.array("x.npy", [[1], [3], [2]]), "--method", "lm",
                                          code=3)
        self.assertEqual([one["status"] for one in report["samples"]], ["ok", "bad_bounds", "ok"])
        self.assertRegex(printed, r"sample 1 +bad_bounds .*bounds of band")
        self.assertAlmostEqual(y[2, 0] ** 2, 2, delta=1e-8)

    def test_functions_that_have_no_value_are_a_status(self):
        y, report, _ = self.project(self.file("m.mod", "var y := -1; s.t. c: log(y) <= 0;"), "--method", "lm", code=3)
        self.assertEqual(report["samples"][0]["status"], "nonfinite_evaluation")
        self.assertIsNone(report["samples"][0]["violation_before"])
        self.assertEqual(y[0, 0], -1)

    def test_the_first_five_are_listed(self):
        radius = np.full((9, 1), np.nan)
        printed, _ = self.run_it("project", self.file("m.mod", DISC), "--x", self.array("x.npy", radius), "--method", "lm", code=3)
        self.assertRegex(printed, "Not ok: 9 of 9")
        self.assertEqual(re.findall(r"\n  sample (\d+)", printed), list("01234"))
        self.assertRegex(printed, r"\.\.\. 4 more; --report")

    def test_inputs_that_break_a_check_are_warned_about_and_counted(self):
        x = self.array("x.npy", [[1], [1.5], [np.nan], [1.5]])
        out, err = self.run_it("project", self.file("m.mod", DISC), "--x", x, "--method", "lm", code=3)
        self.assertRegex(err, r"warning: .*2 of 4 rows break a requirement.*row 1, counted from 0 \(check 1\)")
        self.assertRegex(out, r"break a requirement of the model: 2")

    # ---- the trace ----

    def test_inputs_outside_their_box_are_warned_about_and_counted(self):
        x = self.array("x.npy", [[1], [2 + 1e-9], [2.5], [0.1], [np.nan]])
        _, report, printed = self.project(self.file("m.mod", DISC), "--x", x, code=3)
        self.assertEqual((report["outside"], report["outside_farthest"], report["broken"]), (2, 0.5, 0))
        self.assertRegex(printed, r"rows of --x outside the box of the inputs: 2; the farthest by 0\.5, radius\)")
        _, err = self.run_it("project", self.folder / "m.mod", "--x", x, code=3)
        self.assertRegex(err, r"warning: --x .*2 of 5 rows lie outside the box .* row 2, counted from 0 \(radius\); the farthest by 0.5 ")
        _, err = self.run_it("bench", self.folder / "m.mod", "--x", x, "--repeat", "1")
        self.assertRegex(err, r"warning: --x .*2 of 5 rows lie outside the box .*the farthest by 0.5 ")
        _, err = self.run_it("project", self.folder / "m.mod", "--x", self.array("x.npy", [[1]]))
        self.assertEqual(err, "")

    def test_the_trace_shows_every_iterate_in_order(self):
        x, raw = unicycle_samples(70)
        common = ["--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method", "lm", "--allow-infeasible"]
        texts = []
        for threads in (1, 3):
            trace = self.folder / "trace.csv"
            y, report, _ = self.project(UNICYCLE, *common, "--trace", trace, "--threads", threads)
            texts.append(trace.read_text())
        self.assertEqual(texts[0], texts[1])
        lines = list(csv.reader(texts[0].splitlines()))
        self.assertEqual(lines[0][:6], ["sample", "iteration", "violation", "damping", "z[1,1]", "z[1,2]"])
        self.assertEqual(lines[0][-1], "u[9,2]")
        self.assertNotIn("-", {line[3][0] for line in lines[1:]})  # no damping is negative
        numbers = np.array(lines[1:], dtype=float)
        places = [tuple(row) for row in numbers[:, :2].astype(int)]
        self.assertEqual(places, sorted(set(places)))
        self.assertEqual(sorted({sample for sample, _ in places}), list(range(70)))
        sample = numbers[:, 0].astype(int)
        groups = unicycle_residual(x[sample], numbers[:, 4:])
        worst = np.abs(np.concatenate(list(groups.values()), axis=1)).max(axis=1)
        np.testing.assert_allclose(numbers[:, 2], worst, atol=1e-12, rtol=1e-12)
        for k in range(70):
            mine = numbers[sample == k]
            self.assertTrue((mine[:, 4:] == y[k]).all(axis=1).any(), k)
            self.assertLessEqual(mine[:, 1].max(), report["samples"][k]["iterations"])

    def test_odd_names_are_quoted_in_the_trace(self):
        trace = self.folder / "t.csv"
        model = self.file("m.mod", "set S; var x{S} >= 1, <= 2; s.t. c{s in S}: x[s]^2 <= 3; data; set S := 'a\"b' 'c,d';")
        self.run_it("project", model, "--method", "lm", "--trace", trace)
        names = list(csv.reader(trace.read_text().splitlines()))[0][4:]
        self.assertEqual([name.replace("'", "") for name in names], ['x[a"b]', "x[c,d]"])

    # ---- misuse ----

    def test_wrong_options_are_named(self):
        model = self.file("m.mod", "var y := 1; s.t. c: y^2 = 2;")
        for arguments, saying in [(["--damping", "-1"], "--damping: '-1' is not a finite number of at least 0"),
                                  (["--damping", "nan"], "--damping: 'nan'"), (["--damping", "inf"], "--damping: 'inf'"),
                                  (["--damping", "0.3x"], "--damping: '0.3x'"), (["--damping="], "--damping: E is missing"),
                                  (["--iterations", "-5"], "--iterations: '-5'"), (["--iterations", "1.5"], "--iterations"),
                                  (["--iterations", "99999999999"], "--iterations"),
                                  (["--tolerance", "-1e-9"], "--tolerance: '-1e-9'"), (["--tolerance", "1e999"], "--tolerance"),
                                  (["--threads", "0"], "--threads: '0'"), (["--time-limit", "0"], "--time-limit: '0'.*above 0"),
                                  (["--method", "papre"], "--method: 'papre' is not one of auto, paper, hardnet, lm, .*; did you mean paper"),
                                  (["--method", "simplex"], "--method: 'simplex' is not one of"),
                                  (["--isa", "avx521"], "--isa: 'avx521' is not one of .*; did you mean avx512"),
                                  (["--ouput", "x"], "--ouput: unknown option; did you mean --out"),
                                  (["--x"], r"--x: X\.npy is missing"), (["--relative=yes"], "--relative takes no value")]:
            self.refused("project", model, *arguments, code=2, saying=saying)
        self.refused("project", code=2, saying="no model file")
        self.refused("project", model, "--let", "N=2", code=2, saying="--let N=2")

    def test_missing_inputs_are_asked_for_by_name(self):
        self.refused("project", UNICYCLE, code=2, saying=r"3 inputs \(z0\[1\], z0\[2\], z0\[3\]\).*--x")
        many = self.file("m.mod", "param p{1..40}; var y; s.t. c{i in 1..40}: y >= p[i];")
        self.refused("project", many, code=2, saying=r"40 inputs \(p\[1\], .*\.\.\. p\[40\]\)")

    def test_wrong_shapes_are_misuse_and_name_file_and_shapes(self):
        model = self.file("m.mod", DISC)
        one, two = self.array("one.npy", [[1]]), self.array("two.npy", np.ones((2, 1)))
        self.refused("project", model, "--x", self.array("x.npy", np.ones((4, 2))), code=2,
                     saying=r"--x .*x\.npy: 4 x 2 numbers, but the model has 1 input, radius")
        self.refused("project", model, "--x", one, "--y", self.array("y.npy", np.ones((4, 3))), code=2,
                     saying=r"--y .*y\.npy: 4 x 3 numbers, but the model has 2 columns, y\[1\] to y\[2\]")
        self.refused("project", model, "--x", one, "--y", self.array("y.npy", np.ones((0, 2))), code=2, saying="0 x 2 numbers")
        self.refused("project", model, "--x", two, "--y", self.array("y.npy", np.ones((3, 2))), code=2,
                     saying=r"--x .*two\.npy has 2 rows and --y .*y\.npy has 3")
        self.refused("project", INFEASIBLE, "--x", one, code=2, saying="the model has no inputs")

    def test_files_that_cannot_be_read_are_an_error(self):
        model, x = self.file("m.mod", DISC), self.array("x.npy", [[1]])
        self.refused("project", self.folder / "none.mod", code=1, saying=r"none\.mod: cannot open")
        self.refused("project", model, "--x", self.folder / "none.npy", code=1, saying=r"none\.npy: cannot open")
        self.refused("project", model, "--x", self.file("bad.npy", "no array"), code=1, saying=r"bad\.npy")
        self.refused("project", model, "--x", x, "--y", self.array("i.npy", [[1, 2]], np.complex128), code=1, saying=r"i\.npy")
        self.refused("project", self.file("bad.mod", "var y >= ;"), code=1, saying=r"bad\.mod:1:10")

    def test_crossed_constant_bounds_are_an_error_of_the_model(self):
        _, err = self.run_it("project", self.file("m.mod", "var y; s.t. c: 3 <= y <= 2;"), "--method", "lm", code=1)
        self.assertRegex(err, r"c: .*3.* 2")

    # ---- output ----

    def test_devices_and_missing_folders_are_refused_before_the_work(self):
        model, link = self.file("m.mod", "var y := 1; s.t. c: y^2 = 2;"), self.folder / "link.npy"
        link.symlink_to("/dev/full")
        (self.folder / "circle").symlink_to("circle")
        for option in ("--out", "--report", "--trace"):
            self.refused("project", model, "--method", "lm", option, "/dev/full", code=1, saying=option + " /dev/full: ")
            self.assertTrue(stat.S_ISCHR(os.stat("/dev/full").st_mode))
            self.refused("project", model, "--method", "lm", option, link, code=1, saying=option)
            self.refused("project", model, "--method", "lm", option, self.folder / "circle", code=1, saying="cannot follow the link")
            self.refused("project", model, "--method", "lm", option, self.folder / "none" / "f", code=1, saying="none/f: ")
            self.refused("project", model, "--method", "lm", option, self.folder, code=1, saying=option)

    def test_results_go_through_links(self):
        model, link = self.file("m.mod", "var y := 1; s.t. c: y^2 = 2;"), self.folder / "link.npy"
        (self.folder / "elsewhere").mkdir()
        link.symlink_to("elsewhere/target.npy")
        for _ in range(2): # where nothing is yet, and over what is there
            self.run_it("project", model, "--method", "lm", "--out", link)
            self.assertTrue(link.is_symlink())
            np.testing.assert_allclose(np.load(self.folder / "elsewhere/target.npy"), [[2 ** 0.5]])

    def test_a_full_standard_output_is_an_error(self):
        model = self.file("m.mod", "var y := 1; s.t. c: y^2 = 2;")
        for arguments in (["project", model, "--method", "lm"], ["project", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                _, err = self.run_it(*arguments, code=1, stdout=full)
            self.assertIn("cannot write", err)

    def test_a_write_that_fails_leaves_the_old_file(self):
        x, raw = unicycle_samples(20)
        common = ["project", UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method", "lm",
                  "--allow-infeasible"]

        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        for option, name in (("--out", "o.npy"), ("--report", "r.json"), ("--trace", "t.csv")):
            target = self.folder / name
            target.write_text("old")
            _, err = self.run_it(*common, option, target, code=1, preexec_fn=limit)
            self.assertRegex(err, re.escape(name) + ": cannot write")
            self.assertEqual(target.read_text(), "old")
        self.assertFalse(list(self.folder.glob("*.tmp")))

    def test_control_c_ends_with_130_and_writes_nothing(self):
        x, raw = unicycle_samples(40)
        target = self.folder / "out.npy"
        target.write_text("old")
        with subprocess.Popen([tool.program, "project", UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw),
                               "--method", "paper", "--iterations", "2000000000", "--tolerance", "0", "--out", str(target),
                               "--report", str(self.folder / "r.json")], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
            self.wait_for_work(child, 0.5)
            child.send_signal(signal.SIGINT)
            out, err = child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130, (out, err))
        self.assertIn(b"interrupted", err)
        self.assertRegex(out, rb"\n  cancelled +40\n")
        self.assertEqual(target.read_text(), "old")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["out.npy", "x.npy", "y.npy"])

    def test_every_option_is_explained(self):
        out, err = self.run_it("project", "--help")
        self.assertRegex(out, r"(?s)Usage: hardnet project MODEL.*--y Y\.npy.*Example\n +hardnet project ")
        self.assertEqual(err, "")
        self.explained("project")


if __name__ == "__main__":
    tool.main()
