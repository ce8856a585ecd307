"""The verb `check` as a user meets it: what it prints and writes, its exit codes, and that nothing crashes it.

Run with the path of the built program: test_check.py BUILD/hardnet. Expected numbers come from the formulas of the models, computed
here.
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import struct
import subprocess
import time
import xml.dom.minidom

import tool

UNICYCLE = """
param N := 10;  param dt := 0.2;
param lo{1..3};  param hi{1..3};  param goal{1..3};
param z0{i in 1..3} >= lo[i], <= hi[i];
check: 0.51020408*z0[1]^2 + 0.90702948*z0[2]^2 >= 1.2;
var z{1..N, 1..3};
var u{k in 0..N-1, i in 1..2} >= if i = 1 then 0 else -1.5, <= if i = 1 then 2 else 1.5;
var wrapped{k in 1..N} = atan2(sin(z[k,3] - goal[3]), cos(z[k,3] - goal[3]));
var stage{k in 1..N} = (z[k,1] - goal[1])^2 + (z[k,2] - goal[2])^2 + wrapped[k]^2 + 0.1*(u[k-1,1]^2 + u[k-1,2]^2);
var final = 10*(z[N,1] - goal[1])^2 + 10*(z[N,2] - goal[2])^2 + wrapped[N]^2;
minimize cost: sum{k in 1..N} stage[k] + final;
subject to dynamics {k in 1..N, i in 1..3}:
    z[k,i] = (if k = 1 then z0[i] else z[k-1,i]) + dt * (
        if i = 1 then u[k-1,1]*cos(if k = 1 then z0[3] else z[k-1,3])
        else if i = 2 then u[k-1,1]*sin(if k = 1 then z0[3] else z[k-1,3]) else u[k-1,2]);
subject to obstacle {k in 1..N}: 0.51020408*z[k,1]^2 + 0.90702948*z[k,2]^2 >= 1;
"""
UNICYCLE_DATA = """
data;
param lo := 1 -4  2 -2.4  3 -0.45;
param hi := 1 -2.2  2 2.4  3 0.45;
param goal := 1 3.5  2 0  3 0;
"""
ODD = """
param p;  param q >= 0;
var x >= 0 := -1;  var y := 2;  var w;  var lonely;  var unused{1..3};  var fx := 3;  fix fx;
minimize f: log(x) + abs(w) + lonely^2;
s.t. a: x + 2*y >= 1;
s.t. b: -3*x - 6*y <= 5;
s.t. c: log(x) + y <= 3;
s.t. d: 1e9*x*y <= 1;
s.t. e: fx^2 <= 4;
s.t. g: 2*fx >= q;
s.t. h {i in 1..2}: abs(w) + y/w <= i*p;
s.t. k: p <= x*y <= q;
"""


def npy(rows):
    """Bytes of a .npy file of doubles."""
    header = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(rows), len(rows[0]))
    header = header.ljust(117) + "\n"
    numbers = b"".join(struct.pack("<d", value) for row in rows for value in row)
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + numbers


class Report(tool.Tool):
    def report(self, model, *options):
        """The JSON report on a model text."""
        target = self.folder / "report.json"
        self.run_it("check", self.file("m.mod", model), "--json", target, *options)
        return json.loads(target.read_text())


class Check(Report):
    # ---- the contract ----

    def test_the_unicycle_is_described_as_promised(self):
        out, err = self.run_it("check", self.file("unicycle.mod", UNICYCLE + UNICYCLE_DATA))
        self.assertEqual(err, "")
        for wanted in (r"3 inputs, 50 columns, 60 rows in 3 groups, minimize cost", r"z0\[1\] +\[-4, -2\.2\]",
                       r"z\[1,1\] \.\. z\[10,3\] +30 columns +free +start 0", r"u\[0,1\] \.\. u\[9,2\] +20 columns",
                       r"dynamics +30 +30 ", r"obstacle +10 ", r"\n  u +20 .*bounds of columns", r"145 nonzeros",
                       r"87 of them constant", r"inputs: the middle of their box"):
            self.assertRegex(out, wanted)
        errors = re.findall(r"(?m)^  (?:J|gradient.*?|dc/dx|Hessian.*?) +([0-9.e-]+) +\d+ ", out)
        self.assertGreaterEqual(len(errors), 5)
        for error in errors:
            self.assertLess(float(error), 1e-6)

    def test_an_error_is_shown_with_its_line(self):
        model = self.file("m.mod", "var speed;\n\tc: spede + 1 <= 1;\n")
        _, said = self.run_it("check", model, code=1)
        self.assertEqual(said, f"{model}:2:5: error: spede is not declared\n     c: spede + 1 <= 1;\n        ^\n"
                               "    did you mean speed?\n")

    def test_let_changes_the_horizon(self):
        report = self.report(UNICYCLE + UNICYCLE_DATA, "--let", "N=100", "--survey", 0)
        self.assertEqual({name: group["rows"] for name, group in report["groups"].items()},
                         {"dynamics": 300, "obstacle": 100, "u": 200})
        twice = self.report(UNICYCLE + UNICYCLE_DATA, "--let=N=20", "--let", "dt=0.1")
        self.assertEqual(twice["sizes"]["columns"], 100)

    def test_forgotten_data_shows_as_inputs(self):
        model = UNICYCLE.replace("param lo{1..3};  param hi{1..3};", "").replace(">= lo[i], <= hi[i]", "")
        out, _ = self.run_it("check", self.file("m.mod", model))
        self.assertRegex(out, r"6 inputs, 50 columns")
        self.assertRegex(out, r"goal\[3\] +free")
        self.assertRegex(out, r"inputs without a finite box")

    def test_data_may_stand_in_a_file_of_its_own(self):
        out, _ = self.run_it("check", self.file("u.mod", UNICYCLE), self.file("u.dat", UNICYCLE_DATA[6:]))
        self.assertIn("3 inputs, 50 columns", out)

    def test_values_at_the_start_point_are_those_of_the_formulas(self):
        report = self.report(UNICYCLE + UNICYCLE_DATA)
        self.assertAlmostEqual(report["objective"]["value"], 20 * 3.5 ** 2, places=9)
        dynamics = report["groups"]["dynamics"]
        self.assertAlmostEqual(dynamics["max"], 3.1)
        self.assertAlmostEqual(dynamics["mean"], 3.1 / 30)
        self.assertEqual(dynamics["worst"], "dynamics[1,1]")
        self.assertEqual(report["groups"]["obstacle"]["max"], 1)
        self.assertEqual(report["groups"]["u"]["max"], 0)
        self.assertEqual(report["requirements"], ["check 1"])
        self.assertAlmostEqual(report["definitions"]["stage[3]"], 3.5 ** 2)

    def test_the_pattern_in_the_report_is_that_of_the_model(self):
        report = self.report("var x{1..4}; s.t. c{i in 1..3}: x[i]^2 + 2*x[i+1] <= i; s.t. d: x[4] + x[1] = 0;")
        jacobian = report["jacobian"]
        self.assertEqual(jacobian["first"], [0, 2, 4, 6, 8])
        self.assertEqual(jacobian["column"], [0, 1, 1, 2, 2, 3, 0, 3])
        self.assertEqual((jacobian["nonzeros"], jacobian["constant"], jacobian["density"]), (8, 5, 0.5))
        self.assertEqual(report["sizes"]["hessian_nonzeros"], 3)

    def test_every_row_is_listed_on_request(self):
        path = self.file("m.mod", "var x >= 0, <= 9 := 2; s.t. c: 1 <= x^2 <= 3;")
        out, _ = self.run_it("check", path, "--all")
        self.assertRegex(out, r"c +1 +4 +3 +1 +4\n")
        self.assertRegex(out, r"x +0 +2 +9 +0 +1\n")
        self.assertNotIn("Rows at the start", self.run_it("check", path)[0])

    def test_maximize_reports_what_is_maximized(self):
        report = self.report("var x := 3; maximize f: 5 - x^2; s.t. c: x <= 1;")
        self.assertEqual(report["objective"], {"name": "f", "maximize": True, "value": -4})

    # ---- findings ----

    def test_suspicious_things_are_found(self):
        found = {one["kind"]: one["names"] for one in self.report(ODD)["findings"]}
        self.assertEqual(found["violated_constant_row"], ["e"])
        self.assertEqual(found["constant_row"], ["g"])
        self.assertEqual(found["duplicated_row"], ["b (-3 times a)", "h[2] (same as h[1])"])
        self.assertEqual(found["unused_column"], ["unused[1]", "unused[2]", "unused[3]"])
        self.assertEqual(found["unconstrained_column"], ["lonely"])
        self.assertEqual(found["unbounded_input"], ["p", "q"])
        self.assertEqual([name.split()[0] for name in found["badly_scaled"]], ["x", "d"])
        self.assertEqual(found["not_finite"], ["c (log(-1) is NaN)", "h[1] (2 / 0 divides by zero)",
                                               "h[2] (2 / 0 divides by zero)", "f (log(-1) is NaN)"])
        self.assertNotIn("derivative", found)

    def test_a_clean_model_has_no_findings(self):
        self.assertEqual(self.report("param r >= 1, <= 2; var x := 1; s.t. c: x^2 = r;")["findings"], [])

    def test_crossed_bounds_at_the_start_are_named(self):
        report = self.report("param a >= 2, <= 4; var x; s.t. c: a <= x <= 1;")
        self.assertEqual(report["findings"][0]["names"], ["c (3 > 1)"])

    def test_kinks_are_left_out_and_not_called_wrong(self):
        report = self.report("var a; var b; minimize f: abs(a); s.t. c: abs(a) + exp(50*b) <= 2;"
                             "s.t. d: (if a <= 0 then 0 else 1) + b <= 3;")
        self.assertEqual(report["derivative_check"]["jacobian"]["kinks"], 2)
        self.assertLess(report["derivative_check"]["jacobian"]["error"], 1e-6)
        self.assertNotIn("derivative", [one["kind"] for one in report["findings"]])

    def test_derivatives_of_every_function_agree_with_differences(self):
        functions = "sin cos tan asin acos atan sinh cosh tanh asinh atanh exp".split()
        rows = "".join(f"s.t. {name}_row: {name}(0.3*x + 0.1*y*x) <= 1;" for name in functions)
        rows += "s.t. others: log(2+x) + log10(3+y) + sqrt(4+x*y) + (2+x)^(1.5+y) + atan2(x,1+y) + acosh(2+x^2) <= 1;"
        report = self.report("var x >= 0.2, <= 0.9 := 0.5; var y >= 0.1, <= 0.8 := 0.3; minimize f: x/(1+y);" + rows)
        for name, one in report["derivative_check"].items():
            if name != "points":
                self.assertLess(one["error"], 1e-8, name)
                self.assertEqual((one["not_finite"], one["kinks"]), (0, 0))

    # ---- inputs ----

    def test_inputs_come_from_a_file(self):
        rows = [[-3, 1, 0.1], [0, 0, 0], [-2.5, 0.5, 0]]
        model, x = UNICYCLE + UNICYCLE_DATA, self.file("x.npy", npy(rows))
        report = self.report(model, "--x", x)
        self.assertEqual([one["value"] for one in report["inputs"]], rows[0])
        _, err = self.run_it("check", self.file("u.mod", model), "--x", x)
        self.assertRegex(err, r"1 of 3 rows break a requirement .* row 2 \(check 1\)")

    def test_wrong_shapes_of_inputs_are_misuse(self):
        model = self.file("u.mod", UNICYCLE + UNICYCLE_DATA)
        self.refused("check", model, "--x", self.file("x.npy", npy([[1, 2]])), code=2,
                     saying=r"--x .*1 x 2 numbers, but the model has 3 inputs, z0\[1\] to z0\[3\]")
        self.refused("check", self.file("m.mod", "var x >= 0;"), "--x", self.file("x.npy", npy([[1]])), code=2,
                     saying="the model has no inputs")
        self.refused("check", model, "--x", self.file("bad.npy", b"no array"), code=1, saying=r"bad\.npy")

    def test_sampled_inputs_lie_in_their_box_and_depend_on_the_seed(self):
        one, again, other = [self.report(UNICYCLE + UNICYCLE_DATA, "--seed", seed)["inputs"] for seed in (7, 7, 8)]
        self.assertEqual(one, again)
        self.assertNotEqual(one, other)
        for entry in one + other:
            self.assertTrue(entry["lower"] <= entry["value"] <= entry["upper"])

    def test_requirements_that_no_sample_meets_are_warned_about(self):
        _, err = self.run_it("check", self.file("m.mod", "param p; check: p > 2 and p < 1; var x; s.t. c: x >= p;"))
        self.assertRegex(err, "for 4 of 4 points none of 1000 sampled inputs")

    # ---- options ----

    def test_help_and_version(self):
        self.assertRegex(self.run_it("--version")[0], r"^hardnet \d+\.\d+\.\d+\n$")
        self.assertIn("check", self.run_it("--help")[0])
        self.assertEqual(self.run_it("version"), self.run_it("--version"))
        self.assertEqual(self.run_it("help"), self.run_it("--help"))
        for verb in ("check", "train", "table"):
            self.assertEqual(self.run_it("help", verb), self.run_it(verb, "--help"))
        for line in (["help", "proj"], ["proj"], ["pr", "m.mod"]):
            self.refused(*line, code=2, saying="unknown verb; did you mean project")
        self.refused("hepl", code=2, saying="did you mean help")
        out, err = self.run_it("check", "--help")
        self.assertRegex(out, r"(?s)Usage: hardnet check MODEL.*--let NAME=VALUE.*Example\n +hardnet check ")
        self.assertEqual(err, "")

    def test_wrong_options_are_named(self):
        model = self.file("m.mod", "var x >= 0;")
        for arguments, saying in [(["chekc", model], "chekc: unknown verb; did you mean check"),
                                  (["zzzzzz"], "zzzzzz: unknown verb"),
                                  (["check"], "no model file"),
                                  (["check", model, "--pionts", "3"], "--pionts.*did you mean --points"),
                                  (["check", model, "--points", "9"], "--points: '9' .*from 1 to 8"),
                                  (["check", model, "--points", "-1"], "--points: '-1'"),
                                  (["check", model, "--seed=99999999999999999999"], "--seed"),
                                  (["check", model, "--points"], "--points: K is missing"),
                                  (["check", model, "--json="], "--json: FILE is missing"),
                                  (["check", model, "--all=yes"], "--all takes no value"),
                                  (["check", model, "-a"], "-a: unknown option"),
                                  (["check", model, "--picture", "x.png"], r"--picture x.png.*\.svg or \.pbm"),
                                  (["check", model, "--let", "N"], "--let N: expected NAME=VALUE"),
                                  (["check", model, "--let", "N=2"], "--let N=2: no scalar param")]:
            self.refused(*arguments, code=2, saying=saying)
        self.assertIn("Usage: hardnet VERB", self.run_it(code=2)[1])

    def test_two_dashes_end_the_options(self):
        path = self.file("--odd.mod", "var x >= 0;")
        done = subprocess.run([tool.program, "check", "--", pathlib.Path(path).name], cwd=self.folder, check=False,
                              stdout=subprocess.PIPE)
        self.assertEqual(done.returncode, 0)

    def test_integer_variables_need_leave(self):
        path = self.file("m.mod", "var x integer >= 0, <= 3;")
        self.refused("check", path, code=1, saying=r"m\.mod:1:\d+: error: .*integer")
        out, _ = self.run_it("check", path, "--relax-integrality")
        self.assertIn("1 column,", out)

    def test_the_limit_on_size_is_kept_and_can_be_raised(self):
        path = self.file("m.mod", "param N := 2000; var x{1..N} >= 0; s.t. c{i in 2..N}: x[i]*x[i-1] <= i;")
        self.refused("check", path, "--max-nodes", 500, code=1, saying="more than 500")
        self.run_it("check", path, "--max-nodes", 100000)

    def test_a_model_that_is_not_trusted_opens_no_other_file_and_has_tight_limits(self):
        self.file("more.mod", "var z >= 0;")
        path = self.file("m.mod", "var x >= 0;\ninclude more.mod;")
        self.run_it("check", path)
        self.refused("check", path, "--untrusted", code=1, saying=r"m\.mod:2:\d+: error: .*untrusted")
        endless = self.file("endless.mod", "var x; param k default 0; repeat { let k := k + 1; }")
        self.refused("check", endless, "--untrusted", "--max-nodes", 10000000, code=1, saying="more than 800000 steps; this is the limit for untrusted models")

    def test_a_hessian_beyond_the_limit_is_left_out(self):
        path = self.file("m.mod", UNICYCLE + UNICYCLE_DATA)
        answers = []
        for limit in range(200, 4000, 200):
            done = subprocess.run([tool.program, "check", path, "--max-nodes", str(limit), "--survey", "0"], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, check=False)
            partial = b"too large to be formed" in done.stdout
            self.assertEqual(done.returncode, 0 if done.stdout else 1)
            self.assertTrue(done.stdout or b"--max-nodes" in done.stderr or b"max_nodes" in done.stderr)
            answers.append(done.returncode * 2 + partial)
        self.assertEqual(sorted(set(answers)), [0, 1, 2])
        self.assertEqual(answers, sorted(answers, reverse=True))

    def test_a_survey_of_the_box_says_where_it_is_infeasible(self):
        model = self.file("box.mod", "param a >= 0, <= 5; param b >= 0, <= 1; var y >= 0, <= 2, := 1;"
                                     "minimize f: (y - b)^2; s.t. reach: y >= a/2;")
        target = self.folder / "r.json"
        out, err = self.run_it("check", model, "--json", target)
        self.assertRegex(err, r"warning: for \d+ of 200 sampled inputs .* 100 % of those with a >= (3\.9|4)")
        self.assertRegex(out, r"several optima +found for 0 of 1\d\d")
        found = json.loads(target.read_text())["survey"]
        self.assertEqual((found["inputs"], found["undecided"]), (200, 0))
        self.assertEqual(found["inside_infeasible"], 200 - found["feasible"])
        (place,) = found["place"]
        self.assertEqual((place["input"], place["side"]), ("a", "above"))
        self.assertAlmostEqual(place["at"], 4, delta=0.1)
        _, err = self.run_it("check", model, "--survey", 0, "--json", target)
        self.assertEqual((err, "survey" in json.loads(target.read_text())), ("", False))

    def test_a_survey_names_each_side_of_an_input_once(self):
        model = self.file("slanted.mod", "param a >= 0, <= 1; param b >= 0, <= 1; var y{1..2} >= 0, <= 1;"
                                         "minimize f: (y[1] - a)^2 + (y[2] - b)^2; s.t. total: y[1] + y[2] = 3.2*a + 0.5*b;")
        _, err = self.run_it("check", model)
        self.assertRegex(err, r"of those with a >= 0\.\d+(?! and a >=)")
        self.assertNotRegex(err, r"a >= \S+ and a >= ")

    def test_a_survey_finds_several_optima(self):
        model = self.file("valleys.mod", "param t >= 0.1, <= 0.5; var y >= -2, <= 2, := 0.1; minimize f: (y^2 - 1)^2 + t*y;")
        out, _ = self.run_it("check", model)
        several, looked = map(int, re.search(r"several optima +found for (\d+) of (\d+)", out).groups())
        self.assertGreater(several, 0.9 * looked)
        self.assertGreater(looked, 150)

    def test_the_number_of_threads_changes_nothing(self):
        reports = [self.report(UNICYCLE + UNICYCLE_DATA, "--threads", threads) for threads in (1, 2, 5)]
        for report in reports:
            report.pop("seconds")
            report["survey"].pop("seconds_per_input")
        self.assertEqual(reports[0], reports[1])
        self.assertEqual(reports[0], reports[2])

    # ---- bad input ----

    def test_several_errors_are_reported_together_with_their_places(self):
        path = self.file("bad.mod", "var x >= ;\nvar y <= 3 3;\nsubject to c: z >= 2;\n")
        out, err = self.run_it("check", path, code=1)
        for place in ("1:10", "2:12", r"3:\d+"):
            self.assertRegex(err, rf"bad\.mod:{place}: error: ")
        self.assertEqual(out, "")

    def test_inputs_without_a_feasible_output_are_a_finding(self):
        text = "param a >= 0, <= 1; var y; s.t. c: y^2 <= 0.95 - a;"  # 5 % of the inputs
        out, err = self.run_it("check", self.file("m.mod", text))
        sentence = r"warning: for \d+ of 200 sampled inputs \(\d(\.\d)? %\) no feasible output was found"
        self.assertRegex(out.split("Findings")[1], sentence)
        self.assertRegex(err, sentence)
        self.assertNotIn("nothing suspicious", out)
        out, _ = self.run_it("check", self.file("m.mod", text.replace("0.95", "1.95")))
        self.assertIn("nothing suspicious", out)

    def test_slow_corrections_name_rows_units_and_norms(self):
        rocket = """param N := 20; param m := 400; param Tmax := 6000; param lo{1..6}; param hi{1..6};
param x0{i in 1..6} >= lo[i], <= hi[i];
var z{1..N, 1..6} := 1; var t{0..N-1, 1..3} := 100;
minimize fuel: sum{k in 0..N-1, i in 1..3} t[k,i]^2/1e6 + sum{i in 1..6} z[N,i]^2/100;
subject to pos{k in 1..N, i in 1..3}: z[k,i] = (if k = 1 then x0[i] else z[k-1,i]) + (if k = 1 then x0[i+3] else z[k-1,i+3])
    + 0.5*(t[k-1,i]/m - (if i = 3 then 3.71 else 0));
subject to vel{k in 1..N, i in 4..6}: z[k,i] = (if k = 1 then x0[i] else z[k-1,i]) + t[k-1,i-3]/m - (if i = 6 then 3.71 else 0);
subject to thrust{k in 0..N-1}: sqrt(t[k,1]^2 + t[k,2]^2 + t[k,3]^2) <= Tmax;
subject to glide{k in 1..N}: sqrt(z[k,1]^2 + z[k,2]^2) <= 2*z[k,3] + 5;
data; param lo := 1 -200 2 -200 3 300 4 -10 5 -10 6 -28; param hi := 1 200 2 200 3 500 4 10 5 10 6 -10;
"""
        slow = self.file("slow.mod", rocket)
        sentence = (r"warning: corrections take \d{3,} steps in the median, which makes training slow; after 100 steps vel is still violated; outputs "
                    r"differ in size, from \S+ \(z\S+\) to \S+ \(t\S+\): choose units in which they are alike; square roots of outputs in "
                    r"thrust, glide: squared rows may take fewer steps")
        out, err = self.run_it("check", slow, "--points", 1, "--survey", 20)
        self.assertLess(int(re.search(r"feasible +20 of 20 .*, most (\d+),", out)[1]), 400)
        self.assertRegex(out.split("Findings")[1], sentence)
        self.assertRegex(err, sentence)
        tiny = ("--out", self.folder / "net", "--batch", 16, "--validation", 2, "--multistart", 0)
        self.assertRegex(self.run_it("train", slow, *tiny, "--steps", 1, "--survey", 20)[1], sentence)
        weak = self.file("weak.mod", rocket.replace("3.71", "1.62").replace("6000", "900"))  # some samples have no solution
        _, err = self.run_it("train", weak, *tiny, "--steps", 30, "--survey", 0)
        self.assertRegex(err, r"warning: corrections take \d{3,} steps in the mean, which makes training slow; hardnet check")
        scaled = rocket.replace("m := 400", "m := 0.4").replace("6000", "6").replace(":= 100;", ":= 0.1;").replace("/1e6", "")
        squared = rocket.replace("sqrt(t[k,1]^2 + t[k,2]^2 + t[k,3]^2) <= Tmax", "t[k,1]^2 + t[k,2]^2 + t[k,3]^2 <= Tmax^2")
        squared = squared.replace("sqrt(z[k,1]^2 + z[k,2]^2) <= 2*z[k,3] + 5", "z[k,1]^2 + z[k,2]^2 <= (2*z[k,3] + 5)^2")
        for text in (scaled, squared):  # what it proposes helps
            out, err = self.run_it("check", self.file("quick.mod", text), "--points", 1, "--survey", 20)
            self.assertNotIn("slow", out + err)

    def test_a_product_that_is_flat_at_0_has_the_derivatives_that_differences_have(self):
        for text in ("var y{1..20}; s.t. c: prod{i in 1..20} y[i] <= 1;",
                     "var y{1..20} >= 0; minimize f: prod{i in 1..20} y[i];"):
            out, _ = self.run_it("check", self.file("m.mod", text))
            self.assertNotIn("disagree", out)

    def test_missing_files_and_empty_models(self):
        self.refused("check", self.folder / "none.mod", code=1, saying=r"none\.mod: cannot open")
        self.refused("check", self.folder, code=1, saying="directory")
        self.refused("check", self.file("m.mod", ""), code=1, saying="no outputs")

    def test_any_bytes_are_answered_with_an_exit_code(self):
        source = random.Random(1)
        text = (UNICYCLE + UNICYCLE_DATA).encode()
        for number in range(60):
            broken = bytearray(text)
            for _ in range(source.randrange(1, 12)):
                broken[source.randrange(len(broken))] = source.randrange(256)
            content = bytes(source.randrange(256) for _ in range(400)) if number % 3 == 0 else bytes(broken)
            done = subprocess.run([tool.program, "check", self.file("m.mod", content), "--pattern", "--all"], timeout=60,
                                  check=False, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertIn(done.returncode, (0, 1, 2), content)
            self.assertNotIn(b"\033", done.stdout)

    def test_reading_opens_the_files_that_are_named_and_runs_nothing(self):
        if not shutil.which("strace"):
            self.skipTest("strace is not installed")
        data, log = self.file("d.dat", "param a := 1;"), self.folder / "trace"
        model = self.file("m.mod", f"param a; var x; s.t. c: x >= a; data {data}; display _system; shell 'true';")
        subprocess.run(["strace", "-f", "-o", log, "-e", "trace=open,openat,creat,execve,execveat,fork,vfork,connect",
                        tool.program, "check", model, "--threads", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                       check=False)
        calls = re.findall(r"(\w+)\((?:AT_FDCWD, )?\"([^\"]*)\"", log.read_text())
        # the loader's, and ThreadSanitizer's own; .gcda is the coverage build's
        system = ("/etc/ld", "/lib", "/usr", "/proc", "/sys", "/dev", "/tmp/tsan.rodata")
        own = [path for call, path in calls
               if call != "execve" and not path.startswith(system) and not path.endswith(".gcda")]
        self.assertTrue(set(own) <= {model, data}, own)
        self.assertIn(model, own)
        self.assertEqual([call for call, _ in calls].count("execve"), 1)

    def test_names_with_odd_characters_are_safe_in_every_report(self):
        model = "set S; var x{S} >= 0, <= 1; s.t. c{s in S}: x[s]^2 <= 2; data; set S := 'a\"b' 'c<d>&e' '\xc3\xa9' 'back\\';"
        report = self.report(model, "--picture", self.folder / "p.svg")
        self.assertEqual(report["sizes"]["columns"], 4)
        xml.dom.minidom.parse(str(self.folder / "p.svg"))

    def test_a_large_model_is_checked_in_time(self):
        start = time.monotonic()
        report = self.report("param N := 20000; var x{1..N} >= -10, <= 10 := 0.5; minimize f: sum{i in 1..N} (x[i]-1)^2;"
                             "s.t. chain{i in 1..N-2}: x[i]^2 + sin(x[i+1]) - x[i+2] = 0;")
        self.assertEqual(report["jacobian"]["nonzeros"], 3 * 19998 + 20000)
        wanted = abs(0.25 + math.sin(0.5) - 0.5)
        self.assertAlmostEqual(report["groups"]["chain"]["max"], wanted, places=12)
        self.assertLess(report["derivative_check"]["jacobian"]["error"], 1e-6)
        self.assertLess(time.monotonic() - start, 120) # generous: sanitizers and busy machines


if __name__ == "__main__":
    tool.main()
