"""What the verb `check` says by running the layer: factor, correction, conflicts, rank, the theorem's constants.

Run with the path of the built program: test_check_layer.py BUILD/hardnet. Expected numbers are computed here from the formulas.
"""
import csv
import json
import pathlib

import tool
from samples import INFEASIBLE, UNICYCLE, SampleTool, np

SIGMA = np.array([2.0, 1.5, 0.8])  # singular values of affine_model


def affine_matrix():
    """U diag(SIGMA) V' with reflections U, V: 3 x 5."""
    u, v = np.array([1, 2, -1.0]), np.array([2, -1, 1, 3, 1.0])
    left, right = [np.eye(len(w)) - 2 * np.outer(w, w) / (w @ w) for w in (u, v)]
    return left @ np.hstack([np.diag(SIGMA), np.zeros((3, 2))]) @ right


def rows_of(matrix, rhs, relation="="):
    terms = [" ".join(f"{value:+.17g}*y[{j + 1}]" for j, value in enumerate(row)) for row in matrix]
    return "".join(f"s.t. r{i + 1}: {text} {relation} {b};" for i, (text, b) in enumerate(zip(terms, rhs)))


def affine_model():
    return "var y{j in 1..5} := 0.1*j; " + rows_of(affine_matrix(), [3, -2, 1])


def k_of(eps, smooth, lipschitz):
    """k of the theorem."""
    return min(1 / s - smooth / (2 * s * s) for s in (eps, eps + lipschitz ** 2))


class CheckLayer(SampleTool):
    def check(self, model, *options):
        """Report and what was printed, for a model text or the path of one."""
        target = self.folder / "report.json"
        path = model if model.endswith(".mod") else self.file("m.mod", model)
        out, _ = self.run_it("check", path, "--json", target, *options)
        return json.loads(target.read_text()), out

    def conflict(self, model, *options):
        report, out = self.check(model, *options)
        self.assertRegex(out, r"no point was found where (these hold together|this holds)")
        return report["conflict"]

    # ---- the layer and the correction ----

    def test_the_unicycle_has_all_parts(self):
        report, out = self.check(UNICYCLE)
        for wanted in (r"\nLayer \(method auto\)\n  system +\d+ unknowns, one per (row|column)\n  factor +\d+ nonzeros below the "
                       r"diagonal, (sparse|dense)\n  each step +\d+ operators for c and J, \d+ multiply-adds\n",
                       r"\nCorrecting the start \(method auto, tolerance 1e-08\): 4 of 4 ok\n",
                       r"\n  inputs of point 0 +ok +\d+ ", r"\n  active rows +\d+ of 60\n  rank +\d+, full\n  singular values",
                       r"\nThe paper's theorem \(estimates from samples, no bounds", r"\n  L +at least [\d.]+ ",
                       r"\n  mu +at most ", r"\n  G +at least ", r"the paper's eps = 0\.3 is outside",
                       r"rate 1 - 2 mu k = 0\.99\d+ \(1 at L/2\)", r"measured, eps = 0\.3 +V falls to 0\.\d+"):
            self.assertRegex(out, wanted)
        self.assertLess(report["seconds"], 60)  # 0.02 on a quiet machine; sanitizers and busy ones are slow

    def test_the_report_has_all_fields_and_they_fit_together(self):
        report, _ = self.check(UNICYCLE)
        layer, correction, rank = report["layer"], report["correction"], report["rank"]
        self.assertEqual((layer["skipped"], layer["method"]), (None, "auto"))
        self.assertEqual(layer["unknowns"], {"rows": 60, "columns": 50}[layer["side"]])
        self.assertGreater(min(layer["factor_nonzeros"], layer["operators"], layer["multiply_adds"]), 0)
        self.assertEqual((correction["ok"], len(correction["samples"]), correction["tolerance"]), (4, 4, 1e-8))
        for point, one in enumerate(correction["samples"]):
            self.assertEqual((one["point"], one["status"]), (point, "ok"))
            self.assertLessEqual(one["violation"], 1e-8)
            self.assertEqual(one["moved"] > 0, one["violation_before"] > 1e-8)
        self.assertNotIn("conflict", report)
        self.assertGreaterEqual(rank["active"], 30)
        self.assertEqual((rank["rank"], rank["dependent"]), (rank["active"], []))
        self.assertLess(0, rank["smallest_singular_value"])
        self.assertLess(rank["smallest_singular_value"], rank["largest_singular_value"])

    def test_a_feasible_start_is_left_alone(self):
        report, _ = self.check("var x := 0.5; var y := 0.5; s.t. disc: x^2 + y^2 <= 1;")
        only = report["correction"]["samples"]
        self.assertEqual([(one["status"], one["iterations"], one["moved"]) for one in only], [("ok", 0, 0)])
        self.assertEqual(report["rank"]["active"], 0)
        self.assertEqual(report["findings"], [])

    def test_a_model_without_rows_has_nothing_to_correct(self):
        report, out = self.check("var x := 1; minimize f: x^2;")
        self.assertRegex(out, r"\nLayer \(method auto\)\n  none: the model has no rows\n")
        self.assertEqual(report["layer"], {"skipped": "the model has no rows"})
        self.assertFalse({"correction", "conflict", "rank", "theorem_estimates"} & set(report))

    def test_a_start_that_is_not_finite_is_named(self):
        report, out = self.check("param p >= -2, <= -1; var x := 1; var y >= 0 := log(p); s.t. c: x*y <= 1;")
        self.assertEqual({one["status"] for one in report["correction"]["samples"]}, {"nonfinite_input"})
        self.assertEqual(report["conflict"]["skipped"], "the start of y is not finite")
        self.assertRegex(out, "not searched for: the start of y is not finite")

    # ---- conflicts ----

    def test_two_groups_that_cannot_hold_together_are_named(self):
        conflict = self.conflict(INFEASIBLE)
        self.assertEqual((conflict["groups"], conflict["minimal"], conflict["smallest"]),
                         (["disc", "halfplane"], True, True))
        self.assertEqual({one["row"] for one in conflict["violated"]}, {"disc", "halfplane"})
        self.assertTrue(all(one["violation"] > 0.2 for one in conflict["violated"]))

    def test_a_search_that_did_not_arrive_claims_no_more_than_that(self):
        out = self.check(INFEASIBLE)[1]
        self.assertRegex(out, r"groups that together look infeasible \(not proven\)")
        self.assertRegex(out, "from this start and auto's restarts: no proof that there is no such point")
        self.assertNotIn("cannot hold", out)

    def test_a_third_group_without_a_part_in_it_is_not_named(self):
        for order in ("abc", "bca", "cab"):
            rows = {"a": "s.t. low{i in 1..3}: x + i*y <= i;", "b": "s.t. curve: z^2 + y = 2;", "c": "s.t. high: x + y >= 5;"}
            conflict = self.conflict("var x := 1; var y := 2; var z >= 0, <= 3 := 1;" + "".join(rows[one] for one in order))
            self.assertEqual(sorted(conflict["groups"]), ["high", "low"])
            self.assertEqual({one["row"] for one in conflict["violated"]}, {"high", "low[1]"})

    def test_three_groups_of_which_every_two_can_hold(self):
        conflict = self.conflict("var x; var y; var z := 1; s.t. a: x >= 1; s.t. b: y >= 1; s.t. c: x + y <= 1; s.t. d: z^2 <= 4;")
        self.assertEqual((conflict["groups"], conflict["smallest"]), (["a", "b", "c"], True))

    def test_the_smallest_of_two_conflicts_is_found(self):
        three, two = "s.t. a: x >= 1; s.t. b: y >= 1; s.t. c: x + y <= 1;", "s.t. d: z >= 1; s.t. e: z^3 <= 0;"
        for text in (three + two, two + three):
            self.assertEqual(self.conflict("var x; var y; var z := 2;" + text)["groups"], ["d", "e"])

    def test_a_group_that_cannot_hold_by_itself(self):
        report, out = self.check("var x := 1; var y >= 0; s.t. c{i in 1..20}: x^2 + i*y^2 <= 11 - i; s.t. d: x + y = 1;")
        self.assertRegex(out, r"no point was found where this holds: group c\n")
        self.assertRegex(out, r"warning: group that looks infeasible \(not proven\) \(1\):\n    c\n")
        self.assertEqual(report["conflict"]["groups"], ["c"])
        self.assertIn("c[20]", [one["row"] for one in report["conflict"]["violated"]])
        self.assertEqual({one["kind"] for one in report["findings"]} & {"not_corrected", "conflict"},
                         {"not_corrected", "conflict"})
        self.assertRegex(self.check("var x := 1; s.t. c: x^2 <= -1;")[1], "it is the only group")

    def test_a_conflict_at_some_inputs_alone_is_found_there(self):
        model = "param a >= 0, <= 4; var y; s.t. low: y >= a; s.t. high: y^3 <= 15.625;"
        conflict = self.conflict(model, "--x", self.array("x.npy", [[1], [3], [2]]))
        self.assertEqual((conflict["point"], conflict["groups"]), (1, ["low", "high"]))

    def test_bounds_fixed_values_and_definitions_survive_relaxing(self):
        model = """
            param p{1..2} >= 1, <= 2;  param q >= 3, <= 4;
            var x{i in 1..3} >= -p[1], <= p[2] := p[1]/2;  var f := 7;  var w;  fix f;
            var twice{i in 1..3} = 2*x[i] + f;
            s.t. harmless{i in 1..2}: sin(x[i]) + w*p[i] = twice[i+1];
            s.t. large: twice[1] >= f + 2*q;
            s.t. other: w <= 100*q;"""
        conflict = self.conflict(model)
        self.assertEqual((conflict["groups"], conflict["minimal"]), (["large", "x"], True))
        self.assertEqual({one["row"] for one in conflict["violated"]}, {"large", "x[1]"})

    def test_bounds_of_the_unicycle_can_be_in_conflict(self):
        text = pathlib.Path(UNICYCLE).read_text(encoding="utf-8")
        at = text.index("subject to dynamics")
        conflict = self.conflict(text[:at] + "subject to backwards {k in 1..N}: u[k-1,1] <= -1;\n" + text[at:])
        self.assertEqual(sorted(conflict["groups"]), ["backwards", "u"])

    def test_a_conflict_among_many_groups_takes_few_attempts(self):
        many = "".join(f"s.t. c{i}: x[{i}]^2 + x[{i + 1}] <= 3;" for i in range(1, 60))
        conflict = self.conflict("var x{1..60} := 0.5;" + many + "s.t. top: x[7]^2 + x[20]^2 <= 1; s.t. sum7: x[7] + x[20] >= 2;")
        self.assertEqual((conflict["groups"], conflict["minimal"]), (["top", "sum7"], True))
        self.assertLess(conflict["models_tried"], 61)

    # ---- rank ----

    def test_a_dependent_row_is_named_with_what_it_depends_on(self):
        report, out = self.check("var x := 1; var y := 2; var z := 1; var w; s.t. a: x + y + z = 3; s.t. b: x - y + w = 0;"
                                 "s.t. c: 3*x + y + 2*z + w = 6; s.t. d: x*y <= 9;")
        self.assertRegex(out, r"\n  rank +2\n(.*\n)?  dependent rows +c: depends on a, b\n")
        rank = report["rank"]
        self.assertEqual((rank["active"], rank["rank"]), (3, 2))
        self.assertEqual(rank["dependent"], [{"row": "c", "depends_on_count": 2, "depends_on": ["a", "b"]}])
        self.assertEqual([one["names"] for one in report["findings"] if one["kind"] == "dependent_row"],
                         [["c (depends on a, b)"]])

    def test_a_row_without_a_gradient_is_dependent(self):
        report, _ = self.check("var x; var y := 1; s.t. a: x^2 = 0; s.t. b: x + y = 1;")
        self.assertEqual(report["rank"]["dependent"], [{"row": "a", "depends_on_count": 0, "depends_on": []}])

    def test_units_of_rows_do_not_change_the_rank(self):
        report, _ = self.check("var x := 1; var y; s.t. a: 1e9*x + 1e9*y = 1e9; s.t. b: 1e-4*x - 1e-4*y = 1e-4;")
        self.assertEqual(report["rank"]["rank"], 2)
        self.assertIn("badly_scaled", [one["kind"] for one in report["findings"]])

    def test_singular_values_are_those_of_the_active_rows(self):
        rank = self.check(affine_model() + "s.t. far: y[1]^2 <= 1e6;")[0]["rank"]
        self.assertEqual((rank["active"], rank["rank"]), (3, 3))
        self.assertAlmostEqual(rank["largest_singular_value"], SIGMA.max(), places=3)
        self.assertAlmostEqual(rank["smallest_singular_value"], SIGMA.min(), places=3)

    def test_what_is_too_large_is_left_out_with_a_sentence(self):
        report, out = self.check("param N := 30000; var x{1..N} := 0.5; s.t. c{i in 2..N}: x[i]^2 + sin(x[i-1]) = 1;")
        self.assertRegex(out, r"not computed: at least 29999 active rows and 30000 columns are too many")
        self.assertRegex(out, r"not estimated: the model is too large")
        self.assertEqual(report["correction"]["ok"], 1)

    def test_a_hessian_out_of_proportion_is_left_out(self):
        report, out = self.check(str(tool.root / "models" / "feasibility" / "fsnet_socp.mod"))
        self.assertRegex(out, "too large to be formed; its products are checked")
        self.assertNotIn("hessian_nonzeros", report["sizes"])
        self.assertLess(report["derivative_check"]["hessian_product"]["error"], 1e-6)
        survey = report["survey"]  # whose optima would take a second each
        self.assertEqual((survey["feasible"], survey["too_large_for_optima"], survey["optimised"]), (200, True, 0))
        self.assertRegex(out, "several optima +not searched for: the model is large")

    # ---- the theorem ----

    def test_the_estimates_approach_constants_that_are_known(self):
        smooth, strong, lipschitz = SIGMA.max() ** 2, SIGMA.min() ** 2, SIGMA.max()
        found = self.check(affine_model())[0]["theorem_estimates"]
        self.assertLess(found["L_at_least"], smooth * (1 + 1e-6))
        self.assertGreater(found["L_at_least"], smooth * 0.97)
        self.assertGreater(found["mu_at_most"], strong * (1 - 1e-6))
        self.assertLess(found["mu_at_most"], strong * 1.03)
        self.assertLess(found["G_at_least"], lipschitz * (1 + 1e-9))
        self.assertGreater(found["G_at_least"], lipschitz * 0.97)
        self.assertAlmostEqual(found["best_eps"], smooth / np.sqrt(2), delta=0.03 * smooth)  # where G^2 = L
        self.assertFalse(found["paper_eps_inside"])

    def test_the_formulas_are_those_of_the_theorem(self):
        for model in (UNICYCLE, affine_model()):
            found = self.check(model)[0]["theorem_estimates"]
            smooth, lipschitz, eps = found["L_at_least"], found["G_at_least"], found["best_eps"]
            self.assertEqual(found["least_eps"], smooth / 2)
            self.assertAlmostEqual(found["k"], k_of(eps, smooth, lipschitz), places=12)
            self.assertAlmostEqual(found["rate"], 1 - 2 * found["mu_at_most"] * found["k"], places=12)
            others = np.geomspace(smooth / 2, 100 * smooth, 2000)
            self.assertGreaterEqual(found["k"] * (1 + 1e-9), max(k_of(other, smooth, lipschitz) for other in others))
            for measured in (found["measured_at_best_eps"], found["measured_at_paper_eps"]):
                self.assertTrue(0 < measured["mean"] <= measured["worst"])
            self.assertEqual((found["measured_at_best_eps"]["eps"], found["measured_at_paper_eps"]["eps"]), (eps, 0.3))
            self.assertLess(found["measured_at_best_eps"]["worst"], found["rate"] + 1e-3)

    def test_the_paper_s_eps_can_be_inside(self):
        found = self.check("var x := 3; var y := 1; s.t. a: 0.5*x + 0.1*y = 4; s.t. b: 0.4*y = 1;")[0]["theorem_estimates"]
        self.assertTrue(found["paper_eps_inside"])
        self.assertLess(found["measured_at_paper_eps"]["worst"], 1)

    def test_where_nothing_is_violated_there_is_nothing_to_estimate(self):
        report, out = self.check("var x >= 0, <= 1 := 0.5; s.t. a: x^3 <= 2;")
        self.assertEqual(report["theorem_estimates"], {"skipped": "no checked point violates a row"})
        self.assertIn("not estimated: no checked point violates a row", out)

    def test_a_vanishing_mu_is_said_plainly(self):
        report, out = self.check(INFEASIBLE)
        self.assertLess(report["theorem_estimates"]["mu_at_most"], 1e-6)
        self.assertRegex(out, "mu is as good as 0")
        self.assertRegex(out, r"V\* = 0 is assumed, but no such point was found")

    def test_the_bound_holds_where_the_constants_are_known(self):
        matrix, rhs, model = affine_matrix(), np.array([3, -2, 1]), self.file("a.mod", affine_model())
        smooth, strong, lipschitz = SIGMA.max() ** 2, SIGMA.min() ** 2, SIGMA.max()
        trace = self.folder / "trace.csv"
        raw = self.array("y.npy", np.random.RandomState(5).standard_normal((6, 5)) * 3)
        for eps in smooth * np.array([0.501, 0.6, np.sqrt(0.5), 1, 3, 40]):
            rate = 1 - 2 * strong * k_of(eps, smooth, lipschitz)
            self.assertTrue(0 <= rate < 1)
            self.run_it("project", model, "--y", raw, "--method", "paper", "--damping", float(eps), "--iterations", 30, "--trace",
                        trace, "--allow-infeasible")
            with open(trace, encoding="utf-8", newline="") as file:
                lines = list(csv.reader(file))[1:]
            y = np.array([line[4:] for line in lines], dtype=float).reshape(6, 31, 5)
            energy = ((y @ matrix.T - rhs) ** 2).sum(axis=2) / 2
            self.assertTrue((energy[:, 1:] <= rate * energy[:, :-1] * (1 + 1e-9) + 1e-22).all(), eps)


if __name__ == "__main__":
    tool.main()
