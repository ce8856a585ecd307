"""The methods of the verb `project`, judged by the formulas of the models and of the methods' papers, evaluated anew with numpy.

Run with the path of the built program: test_project_methods.py BUILD/hardnet.
"""
import tool
from projects import ProjectTool
from samples import PUBLISHED, UNICYCLE, np, unicycle_residual, unicycle_samples

MIXED = """
param x >= -1, <= 1;
var y{1..5};
subject to sphere: sum{i in 1..5} y[i]^2 = 4;
subject to product: y[1] * y[2] - y[3] = x;
subject to band{i in 4..5}: -0.3 <= y[i] + 0.5 * y[1]^2 <= 0.4;  # a straight row would be on its bound after a step, but for rounding
subject to growth: exp(y[1]) + y[2] <= 2;
subject to steep: 1000 * sin(y[3]) <= 300;
"""


def mixed_rows(x, y):
    """Residuals of MIXED at one y, its Jacobian, and which rows are equalities."""
    c = np.array([(y ** 2).sum(), y[0] * y[1] - y[2], y[3] + 0.5 * y[0] ** 2, y[4] + 0.5 * y[0] ** 2, np.exp(y[0]) + y[1],
                  1000 * np.sin(y[2])])
    lower = np.array([4, x, -0.3, -0.3, -np.inf, -np.inf])
    upper = np.array([4, x, 0.4, 0.4, 2, 300])
    jacobian = np.array([2 * y, [y[1], y[0], -1, 0, 0], [y[0], 0, 0, 1, 0], [y[0], 0, 0, 0, 1], [np.exp(y[0]), 1, 0, 0, 0],
                         [0, 0, 1000 * np.cos(y[2]), 0, 0]])
    return np.maximum(0, c - upper) - np.maximum(0, lower - c), jacobian, lower == upper


def enforce_step(r, jacobian, equality):
    """The undamped step by the rows that count, the pseudoinverse in place of J' (J J')^-1; None where they are dependent."""
    counts = equality | (r != 0)
    unit = jacobian[counts] / np.linalg.norm(jacobian[counts], axis=1, keepdims=True)
    independent = counts.sum() <= unit.shape[1] and np.linalg.svd(unit)[1].min() > 1e-3
    return np.linalg.pinv(jacobian[counts]) @ r[counts] if independent else None


def snarenet_step(r, jacobian, equality):
    """(J' J + 0.01 I)^-1 J' r, all rows."""
    return np.linalg.solve(jacobian.T @ jacobian + 0.01 * np.eye(jacobian.shape[1]), jacobian.T @ r)


class Methods(ProjectTool):
    def test_the_nearest_point_is_certified_with_its_multipliers(self):
        model = self.file("ball.mod", "var y{1..3}; subject to ball: sum{j in 1..3} y[j]^2 <= 4;")
        raw = np.random.RandomState(3).standard_normal((20, 3)) * 3
        y, report, printed = self.project(model, "--y", self.array("y.npy", raw), "--method", "nearest", "--multipliers",
                                          self.folder / "m.npy")
        size = np.linalg.norm(raw, axis=1)
        known = raw * np.minimum(1, 2 / size)[:, None]
        self.assertLessEqual(np.abs(y - known).max(), 1e-9)
        m = np.load(self.folder / "m.npy")
        self.assertEqual(m.shape, (20, 1))
        self.assertLessEqual(np.abs(y - raw - 2 * y * m).max(), 1e-8)  # y - y_raw = J' m
        self.assertTrue((m <= 0).all())  # an upper bound
        for k, sample in enumerate(report["samples"]):
            self.assertTrue(sample["certified"])
            self.assertLessEqual(sample["kkt"], 1e-8)
            self.assertAlmostEqual(sample["distance"], max(0, size[k] - 2), delta=1e-9)
        self.assertRegex(printed, r"certified nearest +20")

    def test_weights_turn_the_way_to_the_nearest_point(self):
        model = self.file("line.mod", "var y{1..2}; subject to line: y[1] + y[2] = 0;")
        raw = self.array("y.npy", np.array([[3.0, 1.0]]))
        y, report, _ = self.project(model, "--y", raw, "--method", "nearest", "--weights",
                                    self.array("s.npy", np.array([1.0, 2.0])))
        self.assertLessEqual(np.abs(y - [[-0.2, 0.2]]).max(), 1e-9)
        self.assertAlmostEqual(report["samples"][0]["distance"], np.hypot(3.2, 1.6), delta=1e-9)
        for weights, saying in (([1.0, -1.0], "--weights: entry 1 is -1"), ([1.0, np.nan], "--weights: entry 1 is NaN"),
                                ([1.0, 1.0, 1.0], "--weights .*: 3 x 1 numbers"), ([[1.0, 1.0]] * 2, "2 rows; the weights are one row")):
            self.refused("project", model, "--y", raw, "--method", "nearest", "--weights",
                         self.array("bad.npy", np.array(weights)), code=2, saying=saying)
        for option in ("--weights", "--multipliers"):
            self.refused("project", model, "--y", raw, option, raw if option == "--weights" else self.folder / "m.npy",
                         code=2, saying=f"{option}: only --method nearest (has|and --method optimal have) {option[2:]}")
        self.refused("emit", model, "--method", "nearest", "--out", self.folder / "out", code=2, saying="--method nearest: it cannot be")

    def test_the_unicycle_by_the_paper_and_by_levenberg_and_marquardt(self):
        x, raw = unicycle_samples(30)
        names = [f"dynamics[{k},{i}]" for k in range(1, 11) for i in range(1, 4)] + [
            f"obstacle[{k}]" for k in range(1, 11)] + [f"u[{k},{i}]" for k in range(10) for i in (1, 2)]
        for method in ("paper", "lm"):
            y, report, printed = self.project(UNICYCLE, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw),
                                              "--method", method, "--allow-infeasible")
            groups = unicycle_residual(x, y)
            self.judge(report, y, raw, groups, names)
            for one in report["samples"]:
                self.assertEqual(one["status"] == "ok", one["violation"] <= 1e-8)
                self.assertLessEqual(one["violation"], one["violation_before"])
            if method == "paper":
                self.assertEqual({one["iterations"] for one in report["samples"]}, {500})
                self.assertEqual((report["damping"], report["iterations"]), (0.3, 500))
            self.assertRegex(printed, r"dynamics +\S+ +\S+  dynamics\[\d+,\d\] \(sample \d+\)")

    def test_enforce_and_snarenet_take_the_steps_of_their_papers(self):
        random = np.random.RandomState(5)
        x, raw = random.uniform(-1, 1, (40, 1)), random.standard_normal((40, 5))
        model, x_file, raw_file = self.file("m.mod", MIXED), self.array("x.npy", x), self.array("y.npy", raw)
        for method, step in (("enforce", enforce_step), ("snarenet", snarenet_step)):
            for most in (1, 3, 100):
                y, report, _ = self.project(model, "--x", x_file, "--y", raw_file, "--method", method,
                                            *([] if most == 100 else ["--iterations", most]), "--allow-infeasible")
                compared = 0
                self.assertEqual((report["damping"], report["iterations"]), (0 if method == "enforce" else 0.01, most))
                for k, sample in enumerate(report["samples"]):
                    at, best, change = raw[k], (np.inf, raw[k]), raw[k]
                    for steps in range(most + 1):
                        r, jacobian, equality = mixed_rows(x[k, 0], at)
                        best = min(best, (np.abs(r).max(), at), key=lambda pair: pair[0])
                        if np.abs(r).max() <= 1e-8 or steps == most:
                            break
                        change = step(r, jacobian, equality)
                        if change is None:
                            break
                        at = at - change
                    self.assertEqual(sample["status"] == "ok", sample["violation"] <= 1e-8)
                    if change is not None and (most <= 3 or best[0] <= 1e-8) and np.abs(at).max() < 10:
                        np.testing.assert_allclose(y[k], best[1], rtol=0, atol=2e-7, err_msg=f"{method}, {most} steps, sample {k}")
                        self.assertEqual(sample["iterations"], steps)
                        compared += 1
                self.assertGreater(compared, 5, (method, most))

    def test_an_undamped_step_leaves_rows_out_that_depend_on_others(self):
        model = self.file("m.mod", "var y{1..2}; s.t. a: y[1] + y[2] = 1; s.t. b: 2*y[1] + 2*y[2] = 2; s.t. c: y[1] <= 0;")
        y, report, _ = self.project(model, "--y", self.array("y.npy", [[3.0, 1.0]]), "--method", "enforce")
        np.testing.assert_allclose(y, [[0, 1]], atol=1e-12)
        self.assertEqual((report["samples"][0]["status"], report["samples"][0]["iterations"]), ("ok", 1))
        self.refused("project", model, "--method", "enforce", "--damping", 0.1, code=2, saying="the method enforce has none")

    def test_the_published_figures_come_out(self):
        if not PUBLISHED.exists():
            self.skipTest(f"{PUBLISHED} is not there")
        y, report, _ = self.project(UNICYCLE, "--x", PUBLISHED / "x_test.npy", "--y", PUBLISHED / "y_raw_published.npy",
                                    "--method", "paper", "--damping", 0.3, "--iterations", 500, "--tolerance", 0,
                                    "--allow-infeasible")
        self.assertLess(np.abs(y - np.load(PUBLISHED / "y_500_double.npy")).max(), 1e-9)
        for name, wanted in (("dynamics", "5.79e-02"), ("obstacle", "5.74e-03"), ("u", "9.89e-03")):
            self.assertEqual("%.2e" % report["groups"][name]["max"], wanted)

    def test_the_damped_step_is_that_of_the_paper(self):
        y, _, _ = self.project(self.file("m.mod", "var y := 3; s.t. c: y^2 = 2;"), "--method", "paper", "--damping", 0.3,
                               "--iterations", 1, "--allow-infeasible")
        self.assertAlmostEqual(y[0, 0], 3 - 6 * 7 / (36 + 0.3), delta=1e-14)

    def test_hardnet_is_refused_for_more_rows_than_outputs(self):
        model = self.file("m.mod", "var y; s.t. a: y <= 1; s.t. b: y >= -1;")
        _, err = self.run_it("project", model, "--method", "hardnet", code=2)
        self.assertRegex(err, "error: --method hardnet: .*2 rows and 1 output")
        _, err = self.run_it("project", model, "--method", "hardnet", "--damping", 0.3, code=2)
        self.assertRegex(err, "error: --damping 0.3: ")
        y, _, _ = self.project(self.file("l.mod", "var y{1..2} := 3; s.t. a: y[1] + y[2] = 1;"), "--method", "hardnet")
        np.testing.assert_allclose(y, [[0.5, 0.5]], atol=1e-12)

    def test_compiled_searches_have_the_same_bits(self):
        model = self.file("m.mod", "var y{1..2} := 3; minimize f: y[1]^2 + y[2]; subject to ball: y[1]^2 + y[2]^2 <= 4;")
        for method in ("nearest", "optimal"):
            plain, _, _ = self.project(model, "--method", method)
            compiled, _, _ = self.project(model, "--method", method, "--compile")
            np.testing.assert_array_equal(plain, compiled)
            self.refused("emit", model, "--out", self.folder / "emitted", "--method", method, code=2, saying=f"--method {method}: ")

    def test_what_is_locally_infeasible_has_weights_that_prove_it(self):
        model = self.file("m.mod", "param r; var y{1..3}; s.t. ball: sum{j in 1..3} y[j]^2 <= 1;"
                                   "s.t. far: y[1] + 2*y[2] >= r; s.t. curve: y[3]^2 - y[1] <= -r; s.t. other: y[2] >= -9;")
        x = np.linspace(3, 9, 12)[:, None]
        raw = np.random.RandomState(5).standard_normal((12, 3))
        for method in ("nearest", "optimal"):
            if method == "optimal":
                model = self.file("o.mod", open(model).read() + "minimize f: (y[1] - 1)^2 + y[3];")
            y, report, _ = self.project(model, "--x", self.array("x.npy", x), "--y", self.array("y.npy", raw), "--method", method,
                                        "--multipliers", self.folder / "m.npy", "--proof-point", self.folder / "p.npy", code=3)
            weights, points = np.load(self.folder / "m.npy"), np.load(self.folder / "p.npy")
            plain, _, _ = self.project(model, "--x", self.folder / "x.npy", "--y", self.folder / "y.npy", code=3)
            np.testing.assert_array_equal(y, plain)  # the point of auto
            for k, sample in enumerate(report["samples"]):
                self.assertEqual((sample["status"], sample["kkt"], sample["complementarity"]), ("locally_infeasible", None, None))
                w, p = weights[k], points[k]
                jacobian = np.array([2 * p, [1, 2, 0], [-1, 0, 2 * p[2]], [0, 1, 0]])
                beyond = np.array([(p ** 2).sum() - 1, x[k, 0] - p[0] - 2 * p[1], p[2] ** 2 - p[0] + x[k, 0], -9 - p[1]])
                self.assertTrue((w * [-1, 1, -1, 1] >= 0).all())  # the bounds that the rows have
                self.assertAlmostEqual(np.abs(w) @ beyond, 1, delta=1e-9)
                self.assertAlmostEqual(sample["proof"], np.abs(jacobian.T @ w).sum(), delta=1e-9)
                self.assertLessEqual(np.abs(jacobian.T @ w).max(), 1e-5 * np.abs(w).max())



if __name__ == "__main__":
    tool.main()
