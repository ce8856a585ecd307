"""The verb `rollout` as a user meets it: paths and costs that are known, the true plant, the reference, its files, its mistakes.

Run with the path of the built program: test_rollout.py BUILD/hardnet. Networks are written here (networks.py): y_raw = W x + b, so that
every step of a loop is known.
"""
import csv
import json
import pathlib
import signal
import subprocess

import networks
import tool
from samples import UNICYCLE, SampleTool, np

# A cart that is pushed: u is applied, z is where the controller says that it will be. Its cost is that of where it really is.
CART = """
param place{i in 1..2} >= -9, <= 9;
param goal >= -9, <= 9;
check: place[1] <> 8;
var u := 0.5;
var z;
var next{i in 1..2} = if i = 1 then place[1] + u else place[2] + 2*u;
var stage = (next[1] - goal)^2 + u^2;
var final = 10*(next[1] - goal)^2;
var room = 5 - next[1];
var promised = 5 - z;
var gap{i in 1..2} = next[i] - place[i];
minimize cost: (z - goal)^2 + u^2;
subject to dynamics: z = place[1] + u;
subject to push: -1 <= u <= 1;
"""
LOOP = ("--feedback", "place=next", "--cost", "stage", "--final-cost", "final")
STAGES = ("--cost", "stage", "--final-cost", "final", "--feedback", "z0=next", "--margin", "clearance")


class Rollout(SampleTool):
    def fingerprint(self, model):
        target = self.folder / "check.json"
        self.run_it("check", model, "--json", target)
        return json.loads(target.read_text())["fingerprint"]

    def network(self, model, weight, bias, name="net.safetensors", **settings):
        return networks.linear(self.folder / name, self.fingerprint(model), weight, bias, **settings)

    def cart(self, gain=0.5, promise=None, name="net.safetensors", **settings):
        """A model and a network that pushes by gain (goal - place) and says where that leads to, or promises another place."""
        model = self.file("cart.mod", CART)
        weight = [[-gain, 0, gain], [1 - gain, 0, gain] if promise is None else [0, 0, 0]]
        return model, self.network(model, weight, [0, promise or 0], name, **settings)

    def rollout(self, model, *options, code=0):
        """Report, rows of the CSV, what was printed, what was said."""
        report, table = self.folder / "report.json", self.folder / "table.csv"
        printed, said = self.run_it("rollout", model, "--report", report, "--csv", table, *options, code=code)
        with table.open(newline="") as opened:
            rows = list(csv.DictReader(opened))
        return json.loads(report.read_text()), rows, printed, said

    def need_reference(self):
        model = self.file("cart.mod", CART)
        done = subprocess.run([tool.program, "rollout", model, "--reference", "ipopt", "--x0", "0,0,1", "--feedback",
                               "place=next", "--steps", "1"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        if b"IPOPT was not found" in done.stderr:
            self.assertEqual(done.returncode, 1)
            self.skipTest("IPOPT is not installed")

    # ---- what is known ----

    def known_cart(self, x, steps, gain=0.5):
        """Inputs of every step and reached, and the cost of every step and the final one."""
        path, costs = [np.array(x, float)], []
        for _ in range(steps):
            place, other, goal = path[-1]
            u = gain * (goal - place)
            path.append(np.array([place + u, other + 2 * u, goal]))
            costs.append((path[-1][0] - goal) ** 2 + u ** 2)
        return np.array(path), np.array(costs + [10 * (path[-1][0] - path[-1][2]) ** 2])

    def test_a_linear_loop_is_as_by_hand(self):
        model, net = self.cart()
        report, rows, printed, said = self.rollout(model, "--net", net, "--x0", "0,3,1", "--steps", 4, *LOOP, "--margin", "room")
        path, costs = self.known_cart([0, 3, 1], 4)
        self.assertEqual(said, "")
        one = report["controllers"][0]
        loop = one["starts"][0]
        np.testing.assert_allclose([step["x"] for step in loop["steps"]] + [loop["reached"]], path, atol=1e-15)
        np.testing.assert_allclose([step["cost"] for step in loop["steps"]], costs[:4], atol=1e-15)
        self.assertAlmostEqual(loop["cost"], costs.sum(), delta=1e-14)
        self.assertAlmostEqual(loop["final_cost"], costs[4], delta=1e-15)
        self.assertAlmostEqual(loop["margin"], 5 - path[4][0], delta=1e-15)
        self.assertLessEqual(loop["violation"], 1e-15)
        self.assertEqual((one["name"], one["net"], one["reference"], one["ok"], one["steps"]), ("net", net, None, 4, 4))
        self.assertGreater(one["seconds_per_step"]["median"], 0)
        self.assertEqual((report["version"], report["verb"], report["steps"]), (1, "rollout", 4))
        self.assertEqual(report["inputs"], ["place[1]", "place[2]", "goal"])
        self.assertRegex(printed, r"4 steps from 1 start, place=next\n")
        self.assertRegex(printed, r"\n  net +0\.703125 +4\.06\d* .*4 of 4\n")
        self.assertEqual(list(rows[0])[:6], ["controller", "start", "step", "place[1]", "place[2]", "goal"])
        self.assertEqual([row["step"] for row in rows], list("01234"))
        np.testing.assert_array_equal([[float(row[key]) for key in report["inputs"]] for row in rows],
                                      [step["x"] for step in loop["steps"]] + [loop["reached"]])
        self.assertAlmostEqual(sum(float(row["cost"]) for row in rows), loop["cost"], delta=1e-14)
        self.assertEqual([row["status"] for row in rows], ["ok"] * 4 + [""])

    # ---- another plant ----

    def states(self, report, controller=0, start=0):
        loop = report["controllers"][controller]["starts"][start]
        return np.array([step["x"] for step in loop["steps"]] + [loop["reached"]])

    def test_another_plant_moves_by_its_own_dynamics(self):
        model, net = self.cart()
        plant = self.file("plant.mod", CART.replace("place[1] + u else", "0.9*place[1] + 0.8*u else"))
        report, _, printed, _ = self.rollout(model, "--net", net, "--x0", "0,3,1", "--steps", 5, "--plant", plant, *LOOP)
        place = [0.0]
        for _ in range(5):
            place.append(0.9 * place[-1] + 0.8 * 0.5 * (1 - place[-1]))
        np.testing.assert_allclose(self.states(report)[:, 0], place, atol=1e-14)
        self.assertEqual(report["plant"], plant)
        self.assertIn(f"place=next of the plant {plant}"[:90], printed)
        for text, saying in ((CART.replace("var u", "var push").replace("*u", "*push").replace("+ u", "+ push").replace("u^2", "push^2")
                              .replace("<= u <=", "<= push <=").replace("to push", "to limit"), "output 1 is push, and that of the model is u"),
                             (CART.replace("goal", "aim"), r"input 3 is aim, and that of the model is goal"),
                             (CART.replace("var next", "var later").replace("next", "later"), "the model defines no next")):
            self.refused("rollout", model, "--net", net, "--x0", "0,3,1", "--plant", self.file("p.mod", text), *LOOP[:2], code=2, saying=saying)

    def test_disturbances_are_normal_seeded_and_the_same_for_all(self):
        model, net = self.cart()
        half = self.cart(gain=0.25, name="half.safetensors")[1]
        options = ("--net", net, "--net", half, "--x0", "0,0,1", "--steps", 400, "--feedback", "place=next", "--allow-outside")

        def noise(gain, path):
            return path[1:, :2] - path[:-1, :2] - gain * (1 - path[:-1, :1]) * [1, 2]
        report, _, printed, _ = self.rollout(model, *options, "--disturbance", "0.1,0.02")
        first = noise(0.5, self.states(report))
        np.testing.assert_allclose(first, noise(0.25, self.states(report, 1)), atol=1e-12)
        np.testing.assert_allclose(first.std(axis=0), [0.1, 0.02], rtol=0.15)
        np.testing.assert_allclose(first.mean(axis=0), 0, atol=0.02)
        self.assertEqual((report["disturbance"], report["seed"]), ("0.1,0.02", 1))
        self.assertRegex(printed, r"place=next, disturbed by N\(0, 0\.1,0\.02\^2\) with seed 1")
        np.testing.assert_array_equal(self.states(self.rollout(model, *options, "--disturbance", "0.1,0.02")[0]), self.states(report))
        other = noise(0.5, self.states(self.rollout(model, *options, "--disturbance", "0.1", "--seed", 2)[0]))
        self.assertTrue((other != first).all())
        np.testing.assert_allclose(other.std(axis=0), 0.1, rtol=0.15)
        for wrong in ("1,2,3", "-1", "nan", "much"):
            self.refused("rollout", model, *options, "--disturbance", wrong, code=2, saying="--disturbance .*one standard deviation from 0 on")

    def test_the_method_optimal_is_a_reference(self):
        model = self.file("cart.mod", CART)
        report, _, printed, _ = self.rollout(model, "--reference", "optimal", "--x0", "0,3,1", "--steps", 4, *LOOP)
        one = report["controllers"][0]
        self.assertAlmostEqual(one["cost"], self.known_cart([0, 3, 1], 4)[1].sum(), delta=1e-6)
        self.assertEqual((one["name"], one["net"], one["ok"], one["reference"]), ("optimal", None, 4, "hardnet, method optimal"))

    def test_inputs_that_are_not_fed_back_stay(self):
        model, net = self.cart()
        report, _, _, _ = self.rollout(model, "--net", net, "--x0", "0,3,1", "--steps", 3, "--feedback", "place=next")
        self.assertEqual([step["x"][2] for step in report["controllers"][0]["starts"][0]["steps"]], [1, 1, 1])
        loop = report["controllers"][0]["starts"][0]
        self.assertEqual((loop["cost"], loop["margin"], loop["final_cost"], loop["steps"][0]["cost"]), (None,) * 4)

    def test_several_starts_and_several_networks(self):
        model, first = self.cart()
        _, second = self.cart(gain=0.25, name="b.safetensors")
        starts = np.array([[0, 0, 1], [1, 1, 2], [0.5, 0, -0.5]])
        report, rows, printed, _ = self.rollout(model, "--net", "half=" + first, "--net", second, "--steps", 5, *LOOP,
                                                "--x0", self.array("x.npy", starts))
        self.assertEqual([one["name"] for one in report["controllers"]], ["half", "b"])
        for one, gain in zip(report["controllers"], (0.5, 0.25)):
            known = [self.known_cart(x, 5, gain)[1].sum() for x in starts]
            np.testing.assert_allclose([loop["cost"] for loop in one["starts"]], known, rtol=1e-14)
            self.assertAlmostEqual(one["cost"], np.mean(known), delta=1e-13)
            self.assertAlmostEqual(one["highest_cost"], np.max(known), delta=1e-13)
        self.assertEqual(len(rows), 2 * 3 * 6)
        self.assertRegex(printed, r"(?s)mean cost +highest.*Cost by start, counted from 0\n  start +half +b\n  0 ")

    def test_drawn_starts_and_the_states_met(self):
        model, first = self.cart()
        _, second = self.cart(gain=0.25, name="b.safetensors")
        target = self.folder / "met.npy"
        options = ("--net", first, "--net", second, "--steps", 3, *LOOP, "--samples", 5, "--states", target, "--allow-outside")
        report, rows, _, said = self.rollout(model, *options)
        met = np.load(target)
        self.assertEqual((said, met.shape, len(rows)), ("", (2 * 5 * 4, 3), 2 * 5 * 4))
        np.testing.assert_array_equal(met, [[float(row[key]) for key in report["inputs"]] for row in rows])
        starts = met[:20:4]
        self.assertEqual(len(np.unique(starts, axis=0)), 5)
        np.testing.assert_array_equal(starts, met[20::4])
        np.testing.assert_allclose(met[:4], self.known_cart(starts[0], 3)[0], atol=1e-15)
        np.testing.assert_allclose(met[20:24], self.known_cart(starts[0], 3, 0.25)[0], atol=1e-15)
        self.rollout(model, *options, "--seed", 2)
        self.assertTrue((np.load(target)[::4] != starts[0]).any(axis=1).all())
        self.refused("rollout", model, *options, "--x0", "0,0,1", code=2, saying="exclude each other")
        self.refused("rollout", model, *options[:-2], self.folder / "no" / "met.npy", code=1, saying="--states")

    def test_starts_outside_the_box_are_warned_about(self):
        model = self.file("cart.mod", CART)
        net = networks.linear(self.folder / "n.safetensors", self.fingerprint(model), np.zeros((2, 3)), [0, 0])
        for start in ("10,0,0", self.array("x.npy", [[0, 0, 0], [10, 0, 0]])):
            _, err = self.run_it("rollout", model, "--net", net, "--x0", start, "--steps", "1", *LOOP, "--allow-outside")
            self.assertRegex(err, r"warning: --x0 .*1 of [12] rows lie outside the box .*\(place\[1\]\); the farthest by 1 ")

    def test_options_about_a_solver_that_is_not_asked_for_are_warned_about(self):
        model, net = self.cart(gain=0)
        _, err = self.run_it("rollout", model, "--net", net, "--x0", "1,0,0", "--steps", "1", *LOOP, "--starts", "2")
        self.assertRegex(err, "warning: --starts is about the solver of --reference, which is not given")

    def test_a_controller_that_leaves_its_box_is_reported(self):
        """All steps are ok, and the network is where nobody has trained it."""
        model, net = self.cart(gain=-0.5)  # away from the goal, at most by 1 in a step
        loop = ("--net", net, "--x0", self.array("x.npy", [[6, 0, 0], [0.1, 0, 0]]), "--steps", 5, *LOOP)
        report, _, printed, said = self.rollout(model, *loop, code=3)
        one = report["controllers"][0]
        self.assertEqual((one["ok"], one["steps"], one["loops_outside"]), (10, 10, 1))
        # place[1] is 6 ... 11 and place[2] 0, 2 ... 10, both beyond 9 by less than rounding or not at all until the end
        self.assertEqual([start["outside"]["states"] for start in one["starts"]], [2, 0])
        self.assertEqual((one["outside"]["states"], one["outside"]["input"]), (2, "place[1]"))
        self.assertAlmostEqual(one["outside"]["farthest"], 2, delta=1e-7)
        self.assertAlmostEqual(one["outside"]["share"], 2 / 18, delta=1e-7)
        self.assertRegex(printed, r"(?s)Outside the box .*\n  net +2 of 12 states in 1 of 2 loops; the farthest by 2 "
                                  r"\(place\[1\], 11\.1 % of the width of its box\)\n")
        self.assertRegex(said, "left the box .*--allow-outside")
        _, _, again, said = self.rollout(model, *loop, "--allow-outside")
        self.assertEqual((again.partition("Outside")[2], said), (printed.partition("Outside")[2], ""))
        self.rollout(model, *loop, "--allow-infeasible", code=3)

    def test_the_reference_may_leave_the_box(self):
        self.need_reference()
        model = self.file("m.mod", CART.replace(">= -9, <= 9;\nparam goal", ">= -9, <= 0.6;\nparam goal"))
        report, _, printed, said = self.rollout(model, "--reference", "ipopt", "--x0", "0,-9,1", "--steps", 3, *LOOP)
        self.assertEqual((report["controllers"][0]["loops_outside"], said), (1, ""))
        self.assertRegex(printed, r"\n  ipopt +2 of 4 states in 1 of 1 loop; the farthest by 0\.275 \(place\[1\]")

    def test_what_is_fed_back_is_found_in_the_model(self):
        model, net = self.cart()
        asked = self.rollout(model, "--net", net, "--x0", "0,3,1", "--steps", 3, "--feedback", "place=next")[0]
        found = self.rollout(model, "--net", net, "--x0", "0,3,1", "--steps", 3)[0]
        self.assertEqual(found["feedback"], ["place=next"])
        self.assertEqual(found["controllers"][0]["starts"][0]["reached"], asked["controllers"][0]["starts"][0]["reached"])
        for edit, saying in [(("next", "after"), "no defined variable next"), (("next{i in 1..2}", "next{i in 0..2}"), "no defined variable next"),
                             (("param goal", "param other{1..2}; param goal"), "next fits several inputs")]:
            self.refused("rollout", self.file("m.mod", CART.replace(*edit)), "--net", net, "--x0", "0,3,1", code=2, saying=saying)

    def test_a_controller_that_violates_its_own_dynamics_gains_nothing(self):
        model, honest = self.cart()
        _, liar = self.cart(promise=1, name="liar.safetensors", method="paper", iterations="0")
        options = ("--x0", "0,3,1", "--steps", 4, *LOOP, "--margin", "room")
        report, _, printed, _ = self.rollout(model, "--net", honest, "--net", liar, *options, code=3)
        first, second = report["controllers"]
        self.assertEqual(first["cost"], second["cost"])
        self.assertEqual(first["margin"], second["margin"])
        self.assertEqual((first["ok"], second["ok"]), (4, 0))
        self.assertAlmostEqual(second["violation"], 0.5, delta=1e-15)
        self.assertEqual(second["starts"][0]["steps"][0]["worst"], "dynamics")
        self.assertRegex(printed, r"liar +start 0 +step 0 +iteration_limit +0\.5 +dynamics\n")
        self.rollout(model, "--net", honest, "--net", liar, *options, "--allow-infeasible")
        report, _, _, _ = self.rollout(model, "--net", liar, "--x0", "0,3,1", "--steps", 4, *LOOP, "--margin", "promised",
                                       "--allow-infeasible")
        self.assertEqual(report["controllers"][0]["margin"], 4)

    def test_margins_of_families_and_of_groups(self):
        model, net = self.cart()
        loop = ("--net", net, "--x0", "0,3,1", "--steps", 2, "--feedback", "place=next")
        report, _, _, _ = self.rollout(model, *loop, "--margin", "gap")
        self.assertEqual([step["margin"] for step in report["controllers"][0]["starts"][0]["steps"]], [0.5, 0.25])
        report, _, _, _ = self.rollout(model, *loop, "--margin", "push")
        self.assertEqual([step["margin"] for step in report["controllers"][0]["starts"][0]["steps"]], [0.5, 0.75])

    def test_outputs_are_corrected_and_judged(self):
        model, net = self.cart(gain=3)
        report, _, _, _ = self.rollout(model, "--net", net, "--x0", "0,0,4", "--steps", 2, *LOOP)
        reached = report["controllers"][0]["starts"][0]["steps"][1]["x"][0]
        self.assertLessEqual(reached, 1 + 1e-8)
        self.assertLessEqual(report["controllers"][0]["violation"], 1e-8)

    def test_the_same_bits_again(self):
        model, net = self.cart()
        once, again = (self.rollout(model, "--net", net, "--x0", "0.1,0.2,0.3", *LOOP)[0] for _ in range(2))
        for report in (once, again):
            for step in report["controllers"][0]["starts"][0]["steps"]:
                del step["seconds"]
        self.assertEqual(once["controllers"][0]["starts"], again["controllers"][0]["starts"])

    # ---- the reference ----

    def test_the_reference_solves_every_step(self):
        self.need_reference()
        model = self.file("cart.mod", CART)
        report, _, printed, _ = self.rollout(model, "--reference", "ipopt", "--x0", "0,3,1", "--steps", 4, *LOOP)
        one = report["controllers"][0]
        known = self.known_cart([0, 3, 1], 4)[1].sum()  # (z - goal)^2 + u^2 is least for u = (goal - place)/2
        self.assertAlmostEqual(one["cost"], known, delta=1e-6)
        self.assertEqual((one["name"], one["net"], one["ok"]), ("ipopt", None, 4))
        self.assertRegex(one["reference"], "IPOPT")
        self.assertRegex(printed, r"\n  ipopt +0\.703125 ")

    def test_the_optimal_unicycle_costs_what_is_published(self):
        self.need_reference()
        report, rows, _, _ = self.rollout(UNICYCLE, "--reference", "ipopt", "--x0", "-3.2,0.3,-0.1", "--steps", 20, *STAGES)
        one = report["controllers"][0]
        self.assertAlmostEqual(one["cost"], 253.68, delta=0.005)
        self.assertAlmostEqual(one["final_cost"], 0.0394, delta=1e-3)
        self.assertGreater(one["margin"], -1e-6)
        self.assertEqual(one["ok"], 20)
        last = rows[-1]
        self.assertLess(np.hypot(float(last["z0[1]"]) - 3.5, float(last["z0[2]"])), 0.1)
        x, y = (np.array([float(row[key]) for row in rows[1:]]) for key in ("z0[1]", "z0[2]"))
        clearance = 0.51020408 * x ** 2 + 0.90702948 * y ** 2 - 1
        np.testing.assert_allclose([float(row["margin"]) for row in rows[:-1]], clearance, atol=1e-12)

    def test_what_the_reference_cannot_solve_is_said(self):
        self.need_reference()
        model = self.file("m.mod", "param a; var y; var next = a + 1; minimize f: y^2; s.t. c: a <= y^2 <= 2;")
        report, rows, printed, _ = self.rollout(model, "--reference", "ipopt", "--x0", "1", "--steps", 3, "--feedback", "a=next",
                                                code=3)
        self.assertEqual([row["status"] for row in rows[:2]], ["ok", "ok"])
        self.assertNotIn(rows[2]["status"], ("", "ok"))
        self.assertEqual(report["controllers"][0]["ok"], 2)
        self.assertRegex(printed, r"Not ok.*\n  ipopt +start 0 +step 2 ")

    # ---- eval --closed-loop ----

    def judged(self, model, net, *options, code=0):
        report = self.folder / "judged.json"
        printed, said = self.run_it("eval", model, "--net", net, "--closed-loop", "--report", report, *options, code=code)
        return json.loads(report.read_text()), printed, said

    def test_a_closed_loop_is_judged_against_the_reference(self):
        self.need_reference()
        starts = np.array([[0, 3, 1], [2, 0, 1.5], [-1, 0, -0.5], [1, 1, 1]])
        x = self.array("x.npy", starts)
        model, best = self.cart()
        report, printed, said = self.judged(model, best, "--x", x, "--steps", 6)
        self.assertEqual((report["verb"], report["cost"], report["final_cost"], said), ("eval", "stage", "final", ""))
        self.assertAlmostEqual(report["closed_loop"]["excess"], 0, delta=1e-5)
        self.assertEqual((report["closed_loop"]["near"], report["closed_loop"]["diverged"]), (4, 0))
        self.assertRegex(printed, r"against ipopt, loop by loop\n  cost .*4 of 4 loops within 3 %")
        # a slower controller costs what it costs by hand, against the reference's by hand
        _, slow = self.cart(gain=0.25, name="slow.safetensors")
        report, _, _ = self.judged(model, slow, "--x", x, "--steps", 6)
        ours, least = (np.array([self.known_cart(one, 6, gain)[1].sum() for one in starts]) for gain in (0.25, 0.5))
        more = (ours - least) / np.maximum(least, np.median(least))
        verdict = report["closed_loop"]
        self.assertAlmostEqual(verdict["excess"], ours.sum() / least.sum() - 1, delta=1e-5)
        self.assertAlmostEqual(verdict["worst_excess"], more.max(), delta=1e-5)
        self.assertAlmostEqual(more[verdict["worst_start"]], more.max(), delta=1e-5)  # two of them are alike
        self.assertEqual(verdict["near"], (more <= 0.03).sum())

    def test_a_closed_loop_that_runs_away_diverges(self):
        self.need_reference()
        model, net = self.cart(gain=-0.5)
        options = ("--x", self.array("x.npy", [[8, 0, 0], [1, 0, 1]]), "--steps", 25)  # the second stands where it should
        report, printed, said = self.judged(model, net, *options, code=3)
        self.assertEqual((report["closed_loop"]["diverged"], report["controllers"][1]["loops_outside"]), (1, 1))
        self.assertEqual(report["controllers"][1]["ok"], 50)
        self.assertRegex(printed, r"diverged +1 of 2 loops\n  outside +\d+ of 52 states, in 1 of 2 loops")
        self.assertRegex(said, "left the box")
        self.judged(model, net, *options, "--allow-outside")

    def test_closed_loops_of_eval_that_cannot_be(self):
        model, net = self.cart()
        loop = ("eval", model, "--net", net, "--closed-loop")
        for option, value in (("--out", "y.npy"), ("--refine", 1), ("--cache", "c"), ("--method", "lm")):
            self.refused(*loop, option, value, code=2, saying=f"{option}: has no use with --closed-loop")
        self.refused("eval", model, "--net", net, "--steps", 3, code=2, saying="belong to --closed-loop")
        other = self.file("m.mod", "param a >= 0, <= 1; var y; minimize f: (y - a)^2; s.t. c: y >= a;")
        self.refused("eval", other, "--net", net, "--closed-loop", code=2, saying="no defined variable next")

    # ---- states that are not good ----

    def test_states_that_are_no_numbers(self):
        model = self.file("m.mod", "param a; var y; var next = log(a - 1); minimize f: y^2; s.t. c: y >= a;")
        net = self.network(model, [[1]], [0])
        report, rows, _, _ = self.rollout(model, "--net", net, "--x0", "1", "--steps", 3, "--feedback", "a=next", "--cost", "next",
                                          code=3)
        self.assertEqual([row["status"] for row in rows], ["ok", "nonfinite_input", "nonfinite_input", ""])
        self.assertIsNone(report["controllers"][0]["cost"])
        self.assertEqual(rows[1]["a"], "")

    def test_starts_against_a_check_are_warned_about(self):
        model, net = self.cart()
        _, _, _, said = self.rollout(model, "--net", net, "--x0", "8,0,7.5", "--steps", 1, *LOOP)
        self.assertRegex(said, r"warning: --x0 8,0,7\.5: 1 of 1 rows break a requirement of the model, .*row 0, counted from 0 \(check 1\)")

    def test_control_c_ends_with_130_and_writes_nothing(self):
        model, net = self.cart()
        process = subprocess.Popen(
            [tool.program, "rollout", model, "--net", net, "--x0", "0,0,1", "--steps", "1000000", "--feedback", "place=next",
             "--csv", str(self.folder / "t.csv")], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(process.kill)
        self.wait_for_work(process, 0.3)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, b""), err)
        self.assertIn(b"interrupted; nothing was written", err)
        self.assertFalse((self.folder / "t.csv").exists())

    # ---- what is refused ----

    def test_misuse_is_explained(self):
        model, net = self.cart()
        good = ("rollout", model, "--net", net, "--x0", "0,0,1", "--feedback", "place=next")
        self.run_it(*good)
        for options, saying in [((), "--net: there is no controller"), (("--net", net), "--x0: "),
                                (("--net", net, "--feedback", "place=next", "--x0", "0,0"), "--x0 0,0: 2 numbers, .* 3 inputs"),
                                (("--net", net, "--feedback", "place", "--x0", "0,0,1"), "INPUT=DEFINED"),
                                (("--net", net, "--feedback", "spot=next", "--x0", "0,0,1"), "no input spot"),
                                (("--net", net, "--feedback", "place=nxt", "--x0", "0,0,1"), r"defines no nxt\[1\]"),
                                (("--net", net, "--feedback", "goal=next", "--x0", "0,0,1"), "defines no next for input goal")]:
            self.refused("rollout", model, *options, code=2, saying=saying)
        for options, saying in [(("--cost", "stag"), "--cost: the model defines no stag; did you mean stage"),
                                (("--final-cost", "final"), "--final-cost is added to --cost"),
                                (("--cost", "stage", "--final-cost", "f"), "--final-cost: the model defines no f"),
                                (("--cost", "gap"), "--cost: the model defines no gap"),
                                (("--margin", "rooom"), "--margin: .* rooom; did you mean room"),
                                (("--net", net), "two controllers are called net"),
                                (("--feedback", "place=gap"), r"place\[1\] is fed back twice"),
                                (("--steps", 0), "--steps: '0'"), (("--starts", 0), "--starts: '0'"),
                                (("--reference", "ipop"), "did you mean ipopt"), (("--marginn", "room"), "did you mean --margin"),
                                (("--show", "u"), "--show adds columns to the file of --csv"),
                                (("--csv", self.folder / "t.csv", "--show", "nex"), "--show: .* nex; did you mean next"),
                                (("--x0", self.array("w.npy", [[1.0, 2.0]])), "1 x 2 numbers")]:
            self.refused(*good, *options, code=2, saying=saying)

    def test_files_that_cannot_be(self):
        model, net = self.cart()
        good = ("rollout", model, "--net", net, "--x0", "0,0,1", "--feedback", "place=next")
        for option in ("--report", "--csv"):
            self.refused(*good, option, self.folder, code=1, saying=option)
            self.refused(*good, option, self.folder / "none" / "f", code=1, saying="none/f: ")
        self.refused(*good, "--x0", self.folder / "none.npy", code=1, saying="none.npy: ")
        self.refused(*good, "--x0", "0,0,x", code=1, saying="0,0,x: ")
        self.refused(*good, "--net", "other=" + str(self.folder / "none"), code=1, saying="none: ")
        self.refused("rollout", UNICYCLE, "--net", net, "--x0", "-3,0,0", "--feedback", "z0=next", code=1,
                     saying="2 outputs .*, and the model 50|another model")
        other = self.file("other.mod", CART.replace("2*u", "3*u"))
        self.refused("rollout", other, "--net", net, "--x0", "0,0,1", "--feedback", "place=next", code=1, saying="another model")

    def test_a_model_without_an_objective_has_no_reference(self):
        model = self.file("m.mod", "param a; var y; var next = a + 1; s.t. c: y >= a;")
        self.refused("rollout", model, "--reference", "ipopt", "--x0", "1", "--feedback", "a=next", code=2, saying="no objective")

    def test_names_of_controllers(self):
        model, net = self.cart()
        folder = self.folder / "rate=0.1"
        folder.mkdir()
        moved = folder / "a,b.net"
        moved.write_bytes(pathlib.Path(net).read_bytes())
        report, rows, _, _ = self.rollout(model, "--net", moved, "--net", f"x={moved}", "--net", "say \"hm\"=" + str(net),
                                          "--x0", "0,0,1", "--feedback", "place=next", "--steps", 1)
        names = ["a,b", "x", "say \"hm\""]
        self.assertEqual([one["name"] for one in report["controllers"]], names)
        self.assertEqual([row["controller"] for row in rows[::2]], names)

    def test_every_option_is_explained(self):
        out, err = self.run_it("rollout", "--help")
        self.assertRegex(out, r"(?s)Usage: hardnet rollout MODEL.*--net .*Example\n +hardnet rollout ")
        self.assertEqual(err, "")
        self.explained("rollout")


if __name__ == "__main__":
    tool.main()
