"""The judge itself: what it must notice it notices. Layers that lie in one way each, and formulas whose values are known."""
import math
import sys
import types
import unittest

try:
    import mpmath  # noqa: F401
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)

import judge
import kinds
import trees as t
from mpmath import mpf


def at(*y):
    return [], [mpf(v) for v in y]


class Trees(unittest.TestCase):
    def test_values_are_exact_and_bounds_hold_what_doubles_make_of_them(self):
        far = t.sub(t.add(t.y(0), t.number(1e16)), t.number(1e16))
        v, e = t.value(far, at(0.3))
        self.assertEqual(v, mpf(0.3))
        self.assertLessEqual(abs((0.3 + 1e16) - 1e16 - 0.3), e)
        self.assertLess(e, 5)

    def test_what_is_undefined_is_told(self):
        for tree in (t.over(t.y(0), t.y(0)), t.call("log", t.y(0)), t.mul(t.number(0), t.power(t.y(0), -1)),
                     t.call("sqrt", t.sub(t.y(0), t.number(1)))):
            self.assertRaises(t.Undefined, t.value, tree, at(0.0))

    def test_slopes_are_those_of_differences(self):
        for index in range(0, 200, 10):
            problem = kinds.Problem("smooth", f"slopes {index}")
            point = [mpf(v) for v in problem.x], [mpf(v) for v in problem.point]
            for row in problem.rows.values():
                v, slopes = t.slope(row.body, point, problem.outputs)
                h = mpf(10) ** -20
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
        point = [mpf(v) for v in problem.x], [mpf(v) for v in y]
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

    def test_feasible_problems_are_feasible(self):
        for index in range(60):
            problem = kinds.Problem(kinds.KINDS[index % 9], f"feasible {index}")
            if problem.feasible:
                point = [mpf(v) for v in problem.x], [mpf(v) for v in problem.point]
                least, _, _ = judge.largest(problem.all_rows(), point)
                self.assertLessEqual(least, 5e-9, problem.written())
        self.assertTrue(math.isfinite(problem.size))


if __name__ == "__main__":
    unittest.main()
