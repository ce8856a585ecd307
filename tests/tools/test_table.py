"""The verb `table`: reports side by side, several runs merged, and what is no report refused by name.

Run with the path of the built program: test_table.py BUILD/hardnet.
"""
import json
import pathlib

import tool


def report(mean, most, violation=1e-9, status="ok", seconds=2e-6):
    sample = {"status": status, "violation": violation, "worst": "a \"quoted\" [row]", "other": [1, {"deep": [None, True]}]}
    return {"version": 1, "samples": [sample, dict(sample, status="ok")], "groups": {"line": {"mean": mean / 10, "max": most / 10}},
            "seconds_per_sample": {"all": 3 * seconds, "together": seconds}, "suboptimality": {"mean": mean, "max": most, "p50": 0.0}}


class Table(tool.Tool):
    def save(self, name, content):
        return self.file(name, content if isinstance(content, str) else json.dumps(content))

    def table(self, *arguments):
        target = self.folder / "table.json"
        out, err = self.run_it("table", *arguments, "--json", target)
        self.assertEqual(err, "")
        return json.loads(target.read_text()), out

    def test_runs_of_one_thing_are_merged(self):
        paths = [self.save(f"{i}.json", report(mean, most)) for i, (mean, most) in enumerate([(0.1, 0.5), (0.2, 0.3), (0.6, 0.4)])]
        rows, out = self.table("mine=" + ",".join(str(p) for p in paths), "one=" + str(paths[1]), "--title", "A title")
        mine, one = rows["rows"]
        self.assertAlmostEqual(mine["suboptimality"]["mean"], 0.3)
        self.assertEqual(mine["suboptimality"]["max"], 0.5)
        self.assertAlmostEqual(mine["groups"]["line"]["mean"], 0.03)
        self.assertEqual((mine["runs"], mine["samples"], mine["ok"], one["runs"]), (3, 6, 6, 1))
        self.assertRegex(out, r"^A title\n\n")
        self.assertRegex(out, r"mine \(3 runs\) +0\.3 +0\.5 +0\.03 +0\.05 +2 us +6 of 6")

    def test_what_is_missing_is_a_dash(self):
        path = self.save("typed.json", {"suboptimality": {"mean": 0.5}, "groups": {}})
        rows, out = self.table("one=" + str(self.save("a.json", report(0.1, 0.2, status="stalled"))), f"typed={path}")
        self.assertEqual((rows["rows"][0]["ok"], rows["rows"][0]["samples"]), (1, 2))
        self.assertIsNone(rows["rows"][1]["suboptimality"]["max"])
        self.assertRegex(out, r"typed +0\.5 +- +- +- +-\n")

    def test_a_violation_that_is_no_number_is_not_hidden(self):
        rows, _ = self.table("bad=" + str(self.save("a.json", report(0.1, 0.2, violation=None))))
        self.assertIsNone(rows["rows"][0]["violation"])

    def test_what_is_no_report_is_refused(self):
        for text in ("", "{", '{"a" 1}', '{"groups": [1, 2}', "[" * 100 + "]" * 100, '{"samples": [{"status": "\u0007"}]}', "{} {}",
                     "[1]", '{"a": 0x10}', '{"a": .5}', '{"a": 1e}', '{"a": NaN}'):
            path = self.save("broken.json", text)
            _, err = self.run_it("table", f"broken={path}", code=1)
            self.assertIn("broken.json", err)
        self.assertIn("nowhere.json", self.run_it("table", "a=nowhere.json", code=1)[1])
        self.assertIn("no report is given", self.run_it("table", code=2)[1])

    def test_every_option_is_explained(self):
        self.explained("table")

    def test_the_published_table_reads(self):
        folder = pathlib.Path("data").absolute() / "unicycle"
        rows, _ = self.table(*(f"{name}={folder}/published_{name}.json" for name in ("hardnetpp", "dc3", "soft")))
        self.assertEqual([row["suboptimality"]["max"] for row in rows["rows"]], [0.181, 1.22, 1.23])


if __name__ == "__main__":
    tool.main()
