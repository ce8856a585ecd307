"""The verb `solve` as a user meets it: optima, multipliers, objectives, several starts, its exit codes.

Run with the path of the built program: test_solve.py BUILD/hardnet. Optima are judged by formulas, and by the optimality conditions
of the model in numpy.
"""
import csv
import json

import numpy as np
import samples
import tool

UNICYCLE = str(tool.root / "models" / "unicycle.mod")

# Two basins: y = 1.07 with -0.64, and y = -0.93 with 0.36, about.
DOUBLE = "param a >= 0, <= 2; var y := 1; maximize f: 2*y^2 - y^4 + 0.5*a*y; subject to box: -3 <= y <= 3;"

PROFIT = """
param demand >= 0, <= 9;
var y{1..2} >= 0;
maximize profit: 3*y[1] + 2*y[2];
subject to total: y[1] + y[2] <= demand;
subject to first: y[1] <= 3;
"""


class Solve(samples.SampleTool):
    def solve(self, model, *options, code=0):
        """Optima, objectives, multipliers, the report and what was printed."""
        files = {name: self.folder / (name + ".npy") for name in ("out", "objective", "multipliers")}
        report = self.folder / "report.json"
        line = [part for name, path in files.items() for part in ("--" + name, path)]
        printed, _ = self.run_it("solve", model, *line, "--report", report, *options, code=code)
        return (*(np.load(path) for path in files.values()), json.loads(report.read_text()), printed)

    def test_a_linear_programme_has_its_corner_and_its_prices(self):
        demand = np.array([[1.0], [2.5], [4.0], [9.0]])
        y, f, m, report, printed = self.solve(self.file("m.mod", PROFIT), "--x", self.array("x.npy", demand))
        known = np.hstack([np.minimum(demand, 3), np.maximum(demand - 3, 0)])
        self.assertLessEqual(np.abs(y - known).max(), 1e-8)
        self.assertLessEqual(np.abs(f - known @ [[3], [2]]).max(), 1e-7)
        self.assertLessEqual(np.abs(m[3] - [-2, -1, 0, 0][:m.shape[1]]).max(), 1e-6)  # what one more unit is worth, rows in order
        self.assertEqual(report["verb"], "solve")
        for sample, value in zip(report["samples"], f[:, 0]):
            self.assertEqual((sample["status"], sample["certified"]), ("ok", True))
            self.assertEqual(sample["objective"], value)
            self.assertLessEqual(sample["kkt"], 1e-8)
        self.assertRegex(printed, r"certified optimal +4\n")
        self.assertRegex(printed, r"objective +min 3, median")

    def test_the_solution_of_one_sample_is_printed_by_name(self):
        model = self.file("m.mod", PROFIT)
        *_, printed = self.solve(model, "--x", self.array("x.npy", np.array([[4.0]])))
        solution = printed[printed.index("\nSolution"):]
        for pattern in (r"\n  y\[1\] +3\n  y\[2\] +1\n", r"\n  total +4 +0 +-2\n", r"\n  first +3 +0 +-1\n",
                        r"\n  y\[1\] +3 +3 +0\n"):  # value, slack and multiplier of rows, bounds of outputs among them
            self.assertRegex(solution, pattern)
        *_, printed = self.solve(model, "--x", self.array("x.npy", np.array([[4.0], [5.0]])))
        self.assertNotIn("Solution", printed)
        many = self.file("many.mod", "var y{1..30} >= 0; minimize f: sum{i in 1..30} (y[i] - i)^2;")
        *_, printed = self.solve(many)
        self.assertIn("  ... 10 more; --out FILE.csv writes all\n", printed)
        self.assertNotRegex(printed, r"y\[21\]")

    def test_files_that_end_in_csv_have_columns_by_name(self):
        model, x = self.file("m.mod", PROFIT), self.array("x.npy", np.array([[4.0], [2.5]]))
        y, f, m, _, _ = self.solve(model, "--x", x)
        names = {"out": ["y[1]", "y[2]"], "multipliers": ["total", "first", "y[1]", "y[2]"], "objective": ["profit"]}
        line = [part for name in names for part in ("--" + name, self.folder / (name + ".csv"))]
        self.run_it("solve", model, "--x", x, *line)
        for (name, columns), values in zip(names.items(), (y, m, f)):
            rows = list(csv.reader((self.folder / (name + ".csv")).read_text().splitlines()))
            self.assertEqual(rows[0], ["sample", "status", *columns])
            self.assertEqual([row[:2] for row in rows[1:]], [["0", "ok"], ["1", "ok"]])
            np.testing.assert_array_equal([[float(v) for v in row[2:]] for row in rows[1:]], values)

    def test_the_reason_of_what_is_not_certified_is_told(self):
        model = self.file("m.mod", "var y <= 1; minimize f: y;")
        y, f, m, report, printed = self.solve(model, code=3)
        reason = "the objective is unbounded along a feasible direction"
        self.assertRegex(printed, r"not certified +1  " + reason + "\n")
        self.assertEqual((report["samples"][0]["certified"], report["samples"][0]["reason"]), (False, reason))
        self.assertLess(f[0, 0], -1e6)
        *_, report, printed = self.solve(self.file("n.mod", "var y <= 1; minimize f: y^2;"))
        self.assertIsNone(report["samples"][0]["reason"])
        self.assertNotIn("not certified", printed)

    def test_project_finds_the_same(self):
        model, x = self.file("m.mod", PROFIT), self.array("x.npy", np.array([[4.0], [5.0]]))
        y, f, m, report, _ = self.solve(model, "--x", x)
        self.run_it("project", model, "--x", x, "--method", "optimal", "--out", self.folder / "p.npy", "--multipliers",
                    self.folder / "pm.npy", "--report", self.folder / "p.json")
        np.testing.assert_array_equal(np.load(self.folder / "p.npy"), y)
        np.testing.assert_array_equal(np.load(self.folder / "pm.npy"), m)
        theirs = json.loads((self.folder / "p.json").read_text())
        self.assertEqual([s["objective"] for s in theirs["samples"]], [s["objective"] for s in report["samples"]])

    def test_the_best_of_several_starts_is_kept(self):
        model, x = self.file("m.mod", DOUBLE), self.array("x.npy", np.full((3, 1), 1.0))
        raw = np.array([[-1.0], [-0.9], [1.0]])
        one = self.solve(model, "--x", x, "--y", self.array("y.npy", raw))
        many = self.solve(model, "--x", x, "--y", self.array("y.npy", raw), "--multistart", 4)
        self.assertLess(one[0][:2].max(), 0)
        self.assertGreater(many[0].min(), 0)
        self.assertTrue((many[1] >= one[1]).all())
        self.assertEqual([s["start"] for s in many[3]["samples"]], [1, 1, 0])  # the model's own start leads there
        self.assertEqual(many[3]["multistart"], 4)
        self.assertIn("the best of 4 starts", many[4])
        self.assertNotIn("start", one[3]["samples"][0])

    def test_what_comes_out_depends_on_the_sample_alone(self):
        x = np.load(tool.root / "data" / "unicycle" / "states.npy")[:7]
        raw = np.random.RandomState(2).standard_normal((7, 50))
        whole = self.solve(UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--multistart", 3, "--threads", 2)
        for k in (0, 5):
            alone = self.solve(UNICYCLE, "--x", self.array("x.npy", x[k:k + 1]), "--y", self.array("y.npy", raw[k:k + 1]),
                               "--multistart", 3, "--threads", 1, "--isa", "portable")
            for ours, theirs in zip(whole[:3], alone[:3]):
                np.testing.assert_array_equal(ours[k], theirs[0])

    def test_what_has_no_solution_is_said_to_have_none(self):
        model = self.file("m.mod", "var y := 2; minimize f: y; subject to never: y^2 <= -1;")
        _, f, m, report, _ = self.solve(model, code=3)
        self.assertTrue(np.isinf(f).all() and (m <= 0).all())  # weights that prove it, at an upper bound
        self.assertEqual((report["samples"][0]["certified"], report["samples"][0]["objective"]), (False, None))
        falls = self.file("f.mod", "var y{1..2}; minimize f: y[1]; subject to line: y[1] + y[2] = 1;")
        y, _, _, report, _ = self.solve(falls, code=3)
        self.assertEqual((report["samples"][0]["status"], report["samples"][0]["certified"]), ("ok", False))
        self.assertLessEqual(abs(y.sum() - 1), 1e-8)
        self.solve(falls, "--allow-infeasible")

    def test_misuse_is_refused(self):
        model = self.file("m.mod", PROFIT)
        x = self.array("x.npy", np.array([[4.0]]))
        for starts in ("0", "-1", "1.5", "none"):
            self.refused("solve", model, "--x", x, "--multistart", starts, code=2, saying="--multistart: '" + starts)
        self.refused("solve", self.file("n.mod", "var y; subject to r: y >= 1;"), code=2, saying="the model has no objective")
        self.refused("project", self.file("n.mod", "var y; subject to r: y >= 1;"), "--method", "optimal", code=2,
                     saying="--method optimal: the model has no objective")
        self.refused("solve", model, code=2, saying="--x")
        self.refused("solve", model, "--x", x, "--method", "lm", code=2, saying="--method")
        self.refused("project", model, "--x", x, "--method", "optimal", "--weights", x, code=2, saying="--weights: only --method nearest")
        self.refused("emit", model, "--method", "optimal", "--out", self.folder / "out", code=2, saying="--method optimal: it cannot be")


if __name__ == "__main__":
    tool.main()
