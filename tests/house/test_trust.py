"""scripts/trust judges as it says, and docs/reliability.md lists every check.

A check that cannot fail is worth nothing: each way to fail is tried here on commands made for it.
"""
import concurrent.futures
import contextlib
import importlib.machinery
import importlib.util
import io
import pathlib
import re
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))


def load():
    loader = importlib.machinery.SourceFileLoader("trust", str(ROOT / "scripts" / "trust"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("trust", loader))
    loader.exec_module(module)
    return module


trust = load()
from trust_checks import CHECKS, FOLDS, Check, Figure  # noqa: E402

PAGE = (ROOT / "docs" / "reliability.md").read_text()


def check(command, *figures, **more):
    return Check("some", "R1", "what", command, figures, builds=(), **more)


class Judging(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        trust.KEPT = pathlib.Path(holder.name)

    def judged(self, one):
        return trust.judge(one, *trust.run_command(one)[:2])

    def test_figures_are_read_and_held_to_their_limits(self):
        lines = "echo 'worst 3e-13'; echo '1 200 runs, 0 crashes'; echo '40 runs, 1 crashes'"
        runs, crashes = r"([\d ]+) runs", r"(\d+) crashes"
        for figure, words, good in ((Figure("crashes", crashes, "= 0", "max"), "1 crashes", False),
                                    (Figure("crashes", crashes, "<= 1", "sum"), "1 crashes", True),
                                    (Figure("crashes", crashes, "= 0", "min"), "0 crashes", True),
                                    (Figure("runs", runs, ">= 1 240", "sum"), "1240 runs", True),
                                    (Figure("runs", runs, ">= 100"), "40 runs", False),
                                    (Figure("worst", r"worst (\S+)", "<= 1e-12"), "3e-13 worst", True),
                                    (Figure("runs", runs, ""), "40 runs", True),
                                    (Figure("hangs", r"(\d+) hangs", "= 0"), "no hangs", False)):
            self.assertEqual(self.judged(check(lines, figure)), (words, good))

    def test_a_command_that_fails_or_hangs_has_failed(self):
        none = Figure("crashes", r"(\d+) crashes", "= 0")
        self.assertEqual(self.judged(check("echo 0 crashes; exit 3", none)), ("0 crashes, exit status 3", False))
        self.assertEqual(self.judged(check("echo 0 crashes; sleep 60", none, most=1)), ("0 crashes, exit status 124", False))

    def test_parts_are_read_as_one_and_a_part_that_fails_fails_all(self):
        runs = Figure("runs", r"(\d+) runs", ">= 7", "sum")
        with concurrent.futures.ThreadPoolExecutor(1) as pool, contextlib.redirect_stdout(io.StringIO()):
            results = [trust.run(check(command, runs, parts=("3 runs", "4 runs")), pool)() for command in ("echo",)]
            results.append(trust.run(check("kill -9 $$; echo 9 runs", runs), pool)())
            results.append(trust.run(check("sh -c 'echo $0 runs; exit $(($0 - 3))'", runs, parts=("3", "4")), pool)())
        self.assertEqual([(result["figure"], result["verdict"]) for result in results],
                         [("7 runs", "passed"), ("no runs, exit status -9", "FAILED"), ("7 runs, exit status 1", "FAILED")])

    def test_a_tool_that_is_missing_is_told(self):
        self.assertEqual(trust.missing_tools(check("true", needs=("sh", "no-such-program"))), ["no-such-program"])
        self.assertFalse(trust.excused("some"))


class Page(unittest.TestCase):
    def test_it_lists_every_check_with_its_limit(self):
        table = PAGE.partition(trust.BEGIN)[2].partition(trust.END)[0]
        self.assertEqual(re.findall(r"(?m)^\| `([\w-]+)`", table), [one.name for one in CHECKS], "scripts/trust --write")
        for one in CHECKS:
            row = re.search(rf"(?m)^\| `{one.name}` .*", table).group()
            self.assertIn(f"| {trust.limits(one)} |", row, "scripts/trust --write")
            self.assertIn(f"| {one.what} |", row, "scripts/trust --write")

    def test_every_promise_names_checks_that_there_are(self):
        promised = set(re.findall(r"(?m)^\| (R\d+) ", PAGE))
        self.assertEqual(promised, {f"R{i}" for i in range(1, 38)})
        for one in CHECKS:
            self.assertTrue(set(one.rows.split()) <= promised, one.name)
            for row in one.rows.split():
                self.assertRegex(PAGE, rf"(?m)^\| {row} .*`{one.name}`", f"{one.name} says that it shows {row}")

    def test_writing_keeps_rows_that_were_not_run(self):
        page = f"before\n{trust.BEGIN}\n{trust.HEAD}| `{CHECKS[0].name}` | old |\n{trust.END}\nafter\n"
        result = {"figure": "7 runs", "limit": "= 7", "verdict": "passed", "commit": "abc"}
        written = trust.write(page, {CHECKS[1].name: result})
        self.assertIn(f"| `{CHECKS[0].name}` | old |\n| `{CHECKS[1].name}` | {CHECKS[1].what} | 7 runs | = 7 | abc |", written)
        self.assertTrue(written.startswith("before\n") and written.endswith("\nafter\n"))

    def test_checks_are_well_formed(self):
        self.assertEqual(len({one.name for one in CHECKS}), len(CHECKS))
        for one in CHECKS:
            for figure in one.figures:
                self.assertRegex(figure.limit, r"^(|(=|<=|>=) [\d.e +-]+)$")
                self.assertEqual(re.compile(figure.pattern).groups, 1, figure.pattern)
                self.assertIn(figure.fold, FOLDS)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
