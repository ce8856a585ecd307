"""The judge itself: what it must notice it notices. Layers that lie in one way each, and formulas whose values are known."""
import math
import os
import pathlib
import subprocess
import sys
import types
import unittest

try:
    import numpy as np
    from exact import exact
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

import judge
import kinds
import trees as t


def at(*y):
    return [], [exact(v) for v in y]


class Trees(unittest.TestCase):
    def test_values_are_exact_and_bounds_hold_what_doubles_make_of_them(self):
        far = t.sub(t.add(t.y(0), t.number(1e16)), t.number(1e16))
        v, e = t.value(far, at(0.3))
        self.assertEqual(v, exact(0.3))
        self.assertLessEqual(abs((0.3 + 1e16) - 1e16 - 0.3), e)
        self.assertLess(e, 5)

    def test_what_is_undefined_is_told(self):
        for tree in (t.over(t.y(0), t.y(0)), t.call("log", t.y(0)), t.mul(t.number(0), t.power(t.y(0), -1)),
                     t.call("sqrt", t.sub(t.y(0), t.number(1)))):
            self.assertRaises(t.Undefined, t.value, tree, at(0.0))

    def test_what_is_undefined_inside_is_told_though_doubles_end_with_a_number(self):
        no, log = t.number(0), t.call("log", t.y(0))
        for tree in (t.over(t.number(1), log), t.call("atan", t.power(t.y(0), -1)), t.least(t.power(t.y(0), -1), t.number(3)),
                     t.choose(log, no, no, no), t.mul(t.call("exp", t.number(800)), log)):
            self.assertRaises(t.Undefined, t.value, tree, at(0.0))
            self.assertIsNone(t.quick(tree, [], [0.0]))
        self.assertEqual(t.value(t.choose(no, t.number(1), no, log), at(0.0))[0], 0)  # the branch that is not taken

    def test_doubles_decide_as_fifty_digits_do(self):
        decided = 0
        for index in range(400):
            problem = kinds.Problem(kinds.KINDS[index % 10], f"quick {index}")
            for y in problem.raw + [problem.point]:
                for row in problem.rows.values():
                    found = t.quick(row.body, problem.x, y)
                    if found is None:
                        continue
                    v, e = t.value(row.body, ([exact(x) for x in problem.x], [exact(a) for a in y]))  # has one
                    decided += 1
                    self.assertLessEqual(abs(v - found[0]), found[1], problem.written())
                    self.assertLessEqual(e, 2 * found[1] + 4 * t.UNIT * abs(found[0]) + t.SMALLEST, problem.written())
        self.assertGreater(decided, 1500)

    def test_rows_that_doubles_call_inside_are_inside(self):
        inside = 0
        for index in range(300):
            problem = kinds.Problem(kinds.KINDS[index % 10], f"inside {index}")
            for y in problem.raw + [problem.point]:
                point = [exact(x) for x in problem.x], [exact(a) for a in y]
                for row in problem.all_rows().values():
                    if judge.is_inside(row, problem.x, y):
                        inside += 1
                        self.assertEqual(judge.beyond(row, point)[0], 0)
        self.assertGreater(inside, 500)
        self.assertFalse(judge.is_inside(kinds.Row(t.y(0), None, t.number(1)), [], [1.0]))  # at the bound

    def test_both_kinds_of_numbers_agree(self):
        """The same formulas by mpmath, in another process; JUDGE_NUMBERS says whose numbers they are."""
        script = ("import kinds, trees as t, exact as e\nfor i in range(60):\n p = kinds.Problem(kinds.KINDS[i % 10], f'numbers {i}')\n"
                  " for r in p.rows.values():\n  try: v, d = t.value(r.body, ([e.exact(a) for a in p.x], [e.exact(a) for a in p.raw[0]]))\n"
                  "  except (t.Undefined, t.Undecided) as none: print(type(none).__name__); continue\n"
                  "  s = abs(v) or e.exact(1)\n  print(f'{float(v)!r} {float(d):.6g}', float((v - float(v)) / s * 2**53))")
        found = []
        for numbers in ("mpmath", ""):
            run = subprocess.run([sys.executable, "-B", "-c", script], cwd=pathlib.Path(__file__).parent, capture_output=True, text=True,
                                 env={**os.environ, "JUDGE_NUMBERS": numbers})
            if "No module named 'mpmath'" in run.stderr:
                self.skipTest("mpmath is not installed")
            self.assertEqual(run.returncode, 0, run.stderr)
            found.append(run.stdout)
        self.assertEqual(*found)

    def test_bounds_of_slopes_hold_what_doubles_make_of_them(self):
        """cos(1/y) near 0: what 1/y loses the slope multiplies."""
        tree, y = t.call("sin", t.power(t.y(0), -1)), 1.1e-5
        body = t.slope(tree, at(y), 1)
        doubles = math.cos(1 / y) * -(1 / y / y)
        self.assertGreater(abs(doubles - body.slopes[0]), 1e-3)
        self.assertLessEqual(abs(doubles - body.slopes[0]), body.errors[0])
        self.assertLess(body.errors[0], 10)

    def test_slopes_are_those_of_differences(self):
        for index in range(0, 200, 10):
            problem = kinds.Problem("smooth", f"slopes {index}")
            point = [exact(v) for v in problem.x], [exact(v) for v in problem.point]
            for row in problem.rows.values():
                body = t.slope(row.body, point, problem.outputs)
                v, slopes = body.value, body.slopes
                h = exact(10) ** -20
                for j, slope in enumerate(slopes):
                    moved = point[0], [p + h * (i == j) for i, p in enumerate(point[1])]
                    self.assertLess(abs((t.value(row.body, moved)[0] - v) / h - slope), 1e-12)


class Lies(unittest.TestCase):
    """A result that says ok of y, with a violation and multipliers as given."""

    def judged(self, problem, y, violation=0.0, multipliers=None):
        count = judge.Count()
        rows = problem.all_rows()
        result = types.SimpleNamespace(y=np.array([y]), violation=np.array([violation]), kkt=np.array([0.0]),
                                       multipliers=np.array([multipliers]))
        point = [exact(v) for v in problem.x], [exact(v) for v in y]
        judge.judge_ok(count, problem, 0, "auto", rows, 0, point, result)
        if multipliers is not None:
            judge.judge_proof(count, problem, 0, "nearest", rows, list(rows), 0, point, result)
        return count

    def problem(self, row, raw):
        problem = kinds.Problem("smooth", "lies")
        problem.outputs, problem.x, problem.inputs, problem.box, problem.raw = len(raw), [], 0, None, [raw]
        problem.objective, problem.rows = t.number(0), {"c1": row}
        return problem

    def test_a_false_ok_is_found(self):
        problem = self.problem(kinds.Row(t.y(0), None, t.number(1)), [2.0])
        self.assertEqual(self.judged(problem, [1 + 2e-8], 2e-8)["false ok"], 1)
        self.assertEqual(self.judged(problem, [1 + 0.9e-8], 0.9e-8)["false ok"], 0)

    def test_ok_where_nothing_is_defined_is_found(self):
        problem = self.problem(kinds.Row(t.call("log", t.y(0)), None, t.number(1)), [2.0])
        self.assertEqual(self.judged(problem, [-1.0])["undefined ok"], 1)

    def test_a_violation_that_is_another_is_found(self):
        problem = self.problem(kinds.Row(t.y(0), None, t.number(1)), [2.0])
        self.assertEqual(self.judged(problem, [1 + 5e-9], 0.0)["wrong violation"], 1)

    def test_false_proofs_are_found(self):
        problem = self.problem(kinds.Row(t.add(t.y(0), t.y(1)), None, t.number(1)), [2.0, 1.0])
        self.assertEqual(self.judged(problem, [1.0, 0.0], 0.0, [-1.0])["false proof"], 0)
        self.assertEqual(self.judged(problem, [0.5, 0.5], 0.0, [-1.0])["false proof"], 1)  # not stationary
        self.assertEqual(self.judged(problem, [0.0, -1.0], 0.0, [-2.0])["false proof"], 1)  # not at the bound
        self.assertEqual(self.judged(problem, [2.0, 1.0], 0.0, [1.0])["false proof"], 1)  # there is no such bound

    def gradient_of(self, slope, jump=0.0):
        """A layer y = 3 raw (and jump elsewhere than at raw itself) that says its derivative is slope."""
        problem = self.problem(kinds.Row(t.y(0), None, t.number(1)), [2.0])

        class Layer:
            def __call__(self, raw, x, tape):
                away = np.abs(raw - 2.0) > 0
                return types.SimpleNamespace(y=3 * raw + jump * away, ok=np.ones(5, bool), steps=np.ones(5, int))

            def gradient(self, result, weights):
                return types.SimpleNamespace(y_raw=slope * weights, x=np.zeros((5, 0)), flagged=np.zeros(5, bool))

        count = judge.Count()
        judge.judge_gradient(count, problem, 0, "auto", Layer())
        return count

    def test_a_wrong_gradient_is_found(self):
        self.assertEqual(self.gradient_of(3.0)["wrong gradient"], 0)
        self.assertEqual(self.gradient_of(3.0)["gradients"], 1)
        self.assertEqual(self.gradient_of(3.0 + 1e-4)["wrong gradient"], 1)
        self.assertEqual(self.gradient_of(2.0, jump=1.0)["gradients at jumps"], 1)  # of another branch: nothing is said

    def test_a_row_that_cannot_be_decided_hides_no_other(self):
        problem = self.problem(kinds.Row(t.y(0), None, t.number(1)), [2.0])
        problem.rows = {"c0": kinds.Row(t.call("exp", t.number(800)), None, t.number(1)), **problem.rows}
        self.assertEqual(self.judged(problem, [2.0], 1.0)["false ok"], 1)

    def test_feasible_problems_are_feasible(self):
        for index in range(60):
            problem = kinds.Problem(kinds.KINDS[index % 9], f"feasible {index}")
            if problem.feasible:
                point = [exact(v) for v in problem.x], [exact(v) for v in problem.point]
                least, *_ = judge.largest(problem.all_rows(), point)
                self.assertLessEqual(least, 5e-9, problem.written())
        self.assertTrue(math.isfinite(problem.size))


if __name__ == "__main__":
    unittest.main()
