"""The verb `eval` against IPOPT: optima that are known, the cache of optima, and the processes that solve.

Run with the path of the built program: test_eval_reference.py BUILD/hardnet.
"""
import json
import os
import pathlib
import signal
import subprocess
import time

import tool
from evals import DISC, EvalTool, cost
from samples import UNICYCLE, np, unicycle_samples

VALLEYS = """
param tilt >= 0.1, <= 0.5;
var y >= -2, <= 2, := 1;
minimize cost: (y^2 - 1)^2 + tilt*y;                 # two valleys, the deeper one near -1
subject to square: y^2 <= 4;
"""

CROSSING = """
param level >= -40, <= 40;
var y >= -2, <= 2, := 1;
minimize cost: y^2 + level;                          # the optimum is the level, which may be 0
"""


class EvalReference(EvalTool):
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

    def test_the_method_optimal_is_a_reference_that_is_always_there(self):
        model, net = self.disc()
        radius = np.linspace(0.7, 2, 23)[:, None]
        x, cache = self.array("x.npy", radius), self.folder / "cache"
        y, report, printed, said = self.eval(model, net, "--x", x, "--reference", "optimal", "--cache", cache)
        self.assertEqual(said, "")
        best = (3 - radius[:, 0]) ** 2
        np.testing.assert_allclose([one["reference"] for one in report["samples"]], best, rtol=1e-6)
        self.check_suboptimality(report, (cost(y) - best) / best)
        reference = report["reference"]
        self.assertEqual(reference["name"], "hardnet, method optimal")
        self.assertEqual([reference[key] for key in ("starts", "found", "solved", "cached", "better")], [3, 23, 23, 0, 0])
        self.assertRegex(printed, r"reference +mean \S+, hardnet, method optimal, best of 3 starts")
        again = self.eval(model, net, "--x", x, "--reference", "optimal", "--cache", cache)[1]["reference"]
        self.assertEqual((again["cached"], [path.name.count(".optimal.npy") for path in cache.iterdir()]), (23, [1]))

    def test_options_about_a_solver_that_is_not_asked_for_are_warned_about(self):
        model, net = self.disc()
        x = self.array("x.npy", [[1.0]])
        self.assertEqual(self.eval(model, net, "--x", x)[3], "")
        for option in ("--starts", "--reference-seconds"):
            said = self.eval(model, net, "--x", x, option, 2)[3]
            self.assertRegex(said, f"warning: {option} is about the solver of --reference, which is not given")

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

    def test_a_gap_near_an_optimum_of_zero_is_told_by_what_is_typical(self):
        self.need_reference()
        model = self.file("m.mod", CROSSING)
        net = self.network(model, [[0]], [0.5])  # 0.25 above every optimum
        level = np.array([-40, -20, 0, 1e-9, 20, 40.0])[:, None]
        _, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", level), "--reference", "ipopt")
        self.assertGreater(report["suboptimality"]["max"], 1e7)  # the old key says what it always said
        gap = report["gap"]
        self.assertAlmostEqual(gap["typical"], 20, delta=1e-6)
        np.testing.assert_allclose([one["gap"] for one in report["samples"]], 0.25, atol=1e-6)
        wanted = 0.25 / np.maximum(np.abs(level[:, 0]), 20)
        np.testing.assert_allclose([one["relative_gap"] for one in report["samples"]], wanted, rtol=1e-5)
        self.assertAlmostEqual(gap["relative"]["mean"], wanted.mean(), delta=1e-7)
        self.assertAlmostEqual(gap["relative"]["max"], 0.0125, delta=1e-7)
        self.assertAlmostEqual(gap["absolute"]["max"], 0.25, delta=1e-6)
        self.assertEqual(list(gap["within"].values()), [0, 2 / 6, 1])
        self.assertNotRegex(printed, "suboptimality|e[+]0[4-9]")
        self.assertRegex(printed, r"relative gap +mean 0\.01042, max 0\.0125.*\n.*max\(\|f\*\|, 20\), as some optima are near 0; "
                                  r"within 0\.1 %: 0\.0 %, 1 %: 33\.3 %, 10 %: 100\.0 %\n")

    def test_where_every_optimum_is_zero_gaps_are_absolute(self):
        self.need_reference()
        model = self.file("m.mod", CROSSING.replace("+ level", ""))
        net = self.network(model, [[0]], [0.5])
        _, report, printed, _ = self.eval(model, net, "--x", self.array("x.npy", [[1.0], [2.0]]), "--reference", "ipopt")
        self.assertEqual((report["gap"]["typical"], report["gap"]["relative"]["mean"]), (None, None))
        self.assertAlmostEqual(report["gap"]["absolute"]["mean"], 0.25, delta=1e-6)
        self.assertRegex(printed, "every optimum is 0: no gap is relative")

    def test_a_solve_that_takes_too_long_is_cut_and_counted(self):
        self.need_reference()
        net = self.network(UNICYCLE, np.zeros((50, 3)), np.zeros(50))
        cache = self.folder / "cache"
        options = ["--x", self.array("x.npy", unicycle_samples(2)[0]), "--reference", "ipopt", "--starts", 1, "--cache", cache]
        _, report, printed, _ = self.eval(UNICYCLE, net, *options, "--reference-seconds", 1e-9, "--allow-infeasible")
        self.assertEqual((report["reference"]["late"], report["reference"]["seconds_limit"]), (2, 1e-9))
        self.assertEqual(report["reference"]["solved"], 0)
        self.assertRegex(printed, "2 solves cut at 1e-09 s")
        _, report, _, _ = self.eval(UNICYCLE, net, *options, "--reference-seconds", 100, "--allow-infeasible")
        self.assertEqual([report["reference"][key] for key in ("late", "found", "solved", "cached")], [0, 2, 2, 0])

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
            if len(children) == 2 and min(children.values()) > 1:
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
        samples = 100 if tool.sanitized else 300
        process, children = self.start_long("--samples", samples)
        os.kill(children[0], signal.SIGKILL)
        out, err = process.communicate(timeout=200)
        self.assertEqual(process.returncode, 0, (out, err))
        self.assertRegex(err, rb"warning: a process .* ended early: \d+ samples have no new optimum")
        report = json.loads((self.folder / "r.json").read_text())
        self.assertIn(report["reference"]["found"], range(samples // 2, samples))
        self.assertEqual(report["suboptimality"]["samples"], report["reference"]["found"])


if __name__ == "__main__":
    tool.main()
