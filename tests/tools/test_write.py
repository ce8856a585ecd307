"""The verb `write`: a model with its data as one text that reads back to the same fingerprints and the same corrections.

Run with the path of the built program: test_write.py BUILD/hardnet.
"""
import json
import os
import subprocess

import tool

MODEL = "param n := 2; param r >= 0.5, <= 2; var y{1..n} >= -2, := r; minimize f: sum{i in 1..n} (y[i] - 3)^2;\n" \
        "subject to disc: sum{i in 1..n} y[i]^2 <= r^2; var `a \x1b[31mname` = y[1] + r;\n"


class Write(tool.Tool):
    def prints(self, *model):
        report = self.folder / "report.json"
        self.run_it("check", *model, "--json", report)
        found = json.loads(report.read_text())
        return found["fingerprint"], found["names_fingerprint"]

    def test_the_text_reads_back_to_the_same_model(self):
        unicycle = tool.root / "models" / "unicycle.mod"
        for options in ([], ["--let", "N=3"]):
            target = self.folder / "again.mod"
            out, err = self.run_it("write", unicycle, *options, "--out", target)
            self.assertEqual((out, err), ("", ""))
            self.assertEqual(self.prints(unicycle, *options), self.prints(target))

    def test_a_layer_from_the_text_corrects_to_the_same_bits(self):
        unicycle, target = tool.root / "models" / "unicycle.mod", self.folder / "again.mod"
        self.run_it("write", unicycle, "--out", target)
        for method in ("auto", "paper"):
            for model, out in ((unicycle, "first.npy"), (target, "second.npy")):
                self.run_it("project", model, "--x", tool.root / "data" / "unicycle" / "states.npy", "--method", method,
                            "--allow-infeasible", "--out", self.folder / out)
            self.assertEqual((self.folder / "first.npy").read_bytes(), (self.folder / "second.npy").read_bytes())

    def test_writing_twice_gives_the_same_text(self):
        model = self.file("m.mod", MODEL)
        once, _ = self.run_it("write", model, "--let", "n=3")
        again, _ = self.run_it("write", self.file("again.mod", once))
        self.assertEqual(once, again)
        self.assertIn("var y{1..3} >= -2, := r;\n", once)
        self.assertIn("subject to disc: y[1]^2 + y[2]^2 + y[3]^2 <= r^2;\n", once)
        self.assertIn("`a \x1b[31mname`", once)

    def test_a_terminal_is_spared_what_names_contain(self):
        model = self.file("m.mod", MODEL)
        outer, inner = self.terminal()
        subprocess.run([tool.program, "write", model], stdout=inner, check=True)
        os.close(inner)
        shown = b""
        try:
            while part := os.read(outer, 100000):  # a read gives as little as a line
                shown += part
        except OSError:  # the other end is closed: all was read
            pass
        os.close(outer)
        self.assertIn(b"`a \\x1b[31mname`", shown)
        self.assertNotIn(b"\x1b[31m", shown)

    def test_mistakes_are_told(self):
        model = self.file("m.mod", MODEL)
        self.refused("write", model, "--out", model, code=2, saying="the model is read from this file")
        self.refused("write", model, "--out", self.folder / "no" / "m.mod", code=1, saying="--out")
        self.refused("write", self.file("nan.mod", "param q := Infinity - Infinity; var y; c: q*y <= 1;"), code=1,
                     saying="c: contains NaN")
        self.refused("write", self.file("wrong.mod", "var y; c: z <= 1;"), code=1, saying="z is not declared")

    def test_every_option_is_explained(self):
        self.explained("write")


if __name__ == "__main__":
    tool.main()
