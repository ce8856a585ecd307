"""scripts/pictures as a user meets it: data as CSV, pictures where gnuplot is there, and a line where something is missing.

Run with the path of the built program: test_pictures.py BUILD/hardnet.
"""
import csv
import os
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree

import tool
from samples import np, unicycle_samples

NAMES = ("training", "paths", "iterates", "violation")
TRAINING = "step,loss,validation_objective\n100,20,400\n200,2,330\n300,0.5,321\n"
PATHS = "controller,start,step,z0[1],z0[2],z0[3],cost,margin,violation,status,seconds\n" + "".join(
    f"{name},0,{k},{-3.2 + 0.33 * k},{0.3 - shift * k},0,1,1,0,ok,1e-5\n" for name, shift in (("ipopt", 0), ('"a, b"', 0.05)) for k in range(21))


@tool.without_sanitizers
class Pictures(tool.Tool):
    def setUp(self):
        super().setUp()
        self.out = self.folder / "out"
        self.out.mkdir()
        np.save(self.out / "raw.npy", np.resize(unicycle_samples(50)[1], (100, 50)))

    def draw(self, path=None):
        done = subprocess.run([tool.root / "scripts" / "pictures", self.out], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              check=True, env={**os.environ, "HARDNET": tool.program, **({"PATH": path} if path else {})})
        return done.stdout.decode()

    def without_gnuplot(self):
        """A PATH with what a shell script needs and no more."""
        folder = self.folder / "bin"
        folder.mkdir()
        for tool in ("sh", "awk", "cp", "rm", "mkdir", "dirname", "cat"):
            (folder / tool).symlink_to(shutil.which(tool))
        return str(folder)

    def rows(self, name):
        with (self.out / name).open(newline="") as opened:
            return list(csv.DictReader(opened))

    def test_data_and_scripts_are_there_without_gnuplot(self):
        (self.out / "training.csv").write_text(TRAINING)
        said = self.draw(self.without_gnuplot())
        for name in ("training", "iterates", "violation"):
            self.assertRegex(said, rf"{name}\.gp and its data are written; gnuplot is not installed")
            self.assertTrue((self.out / f"{name}.gp").exists())
        self.assertRegex(said, r"no .*/paths\.csv, and so no picture")
        self.assertFalse(list(self.out.glob("*.png")))
        self.assertFalse((self.out / "trace.csv").exists())
        self.judge_data()

    def judge_data(self):
        undamped, damped, auto = (self.rows(f"iterates_{name}.csv") for name in ("undamped", "damped", "auto"))
        for row in undamped:
            self.assertAlmostEqual(float(row["y[2]"]) - float(row["y[1]"]) / 2, 1.5, delta=1e-9)
        for rows in (damped, auto):
            y = [float(rows[-1][key]) for key in ("y[1]", "y[2]")]
            self.assertLessEqual((y[0] / 2) ** 2 + y[1] ** 2, 1 + 1e-8)
        table = self.rows("violation.csv")
        self.assertEqual({row["method"] for row in table}, {"undamped", "paper", "lm", "auto"})
        first = {(row["median"], row["max"]) for row in table if row["step"] == "0"}
        self.assertEqual(len(first), 1)  # all start from the same outputs
        last = [row for row in table if row["method"] == "auto"][-1]
        self.assertLessEqual(float(last["max"]), 1e-8)
        for row in table:
            self.assertLessEqual(float(row["median"]), float(row["max"]))

    def test_pictures_are_drawn(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        (self.out / "training.csv").write_text(TRAINING)
        (self.out / "paths.csv").write_text(PATHS)
        said = self.draw()
        self.assertNotIn("warning", said)
        for name in NAMES:
            self.assertIn(f"{name}.png and .svg\n", said)
            head = (self.out / f"{name}.png").read_bytes()[:24]
            self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(struct.unpack(">I", head[16:20])[0], 900)
            self.assertTrue(xml.etree.ElementTree.parse(self.out / f"{name}.svg").getroot().tag.endswith("svg"))
        self.assertIn("a, b", (self.out / "paths.svg").read_text())

    def test_axes_follow_the_data(self):
        if not shutil.which("gnuplot"):
            self.skipTest("gnuplot is not installed")
        for start in (-3.2, -7.2):
            (self.out / "paths.csv").write_text(PATHS.replace(",0,0,-3.2,", f",0,0,{start},"))
            self.draw()
            shown = set(re.findall(r">\s*(-?\d+)\s*</tspan>", (self.out / "paths.svg").read_text()))
            self.assertEqual("-7" in shown, start < -7, shown)
            self.assertIn("3", shown)


CART = """
param place{1..2} >= -2, <= 2;
var u{0..1} >= -1, <= 1;
var next{i in 1..2} = place[i] + (if i = 1 then u[0] else 0.5*u[1]);
minimize cost: sum{i in 1..2} (next[i]^2 + u[i-1]^2);
subject to both: u[0] + u[1] <= 1.5;
"""


@tool.without_sanitizers
class AnyModel(tool.Tool):
    """scripts/draw on a model that nobody has drawn before."""

    def draw(self, *arguments, code=0):
        done = subprocess.run([tool.root / "scripts" / "draw", *map(str, arguments), "--out", self.folder / "out"],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "HARDNET": tool.program})
        self.assertEqual(done.returncode, code, done.stdout.decode())
        return done.stdout.decode()

    def trained(self, text):
        model, net = self.file("m.mod", text), self.folder / "net"
        log, inputs = self.folder / "log.csv", self.folder / "v.npy"
        self.run_it("train", model, "--out", net, "--steps", 40, "--validate-every", 10, "--batch", 40, "--hidden", 8,
                    "--validation", 30, "--log", log, "--validation-inputs", inputs)
        self.assertEqual(np.load(inputs).shape[0], 30)
        return model, ("--net", net, "--log", log, "--validation", inputs, "--samples", 60, "--starts", 3, "--steps", 5)

    def picture(self, name):
        head = (self.folder / "out" / f"{name}.png").read_bytes()[:24]
        self.assertEqual(head[:8], b"\x89PNG\r\n\x1a\n")
        root = xml.etree.ElementTree.parse(self.folder / "out" / f"{name}.svg").getroot()
        return " ".join(" ".join(root.itertext()).split())

    def dat(self, name):
        return np.loadtxt(self.folder / "out" / name, ndmin=2)

    def test_everything_that_a_model_with_a_next_state_has(self):
        model, options = self.trained(CART)
        said = self.draw(model, *options, "--over", "u[1]", "--over", "next", "--axes", "place[2],place[1]")
        with (self.folder / "out" / "loops.csv").open(newline="") as opened:
            table = list(csv.DictReader(opened))
        mine = [row for row in table if row["controller"] == "net"]
        self.assertEqual((len(mine), len({row["start"] for row in mine})), (18, 3))
        for before, after in zip(mine, mine[1:]):  # what is shown is what happened
            if before["status"]:
                self.assertEqual(before["next[1]"], after["place[1]"])
                self.assertAlmostEqual(float(before["place[2]"]) + float(before["u[1]"]) / 2, float(after["place[2]"]), delta=1e-12)
        for name in ("violations", "violations_raw", "costs"):
            self.assertEqual(self.dat(f"{name}.dat")[:, 1].sum(), 60)  # every sample is in one bin
        if not shutil.which("gnuplot"):
            self.assertIn("gnuplot is not installed", said)
            return
        self.assertNotIn("warning", said)
        for name, words in (("violations", "tolerance"), ("costs", "objective"), ("training", "validation objective"),
                            ("loop_paths", "place[2]"), ("loop_states", "step"), ("loop_outputs", "next[2]")):
            self.assertIn(words, self.picture(name))

    def test_what_has_no_data_is_said(self):
        model, options = self.trained("param a >= 0, <= 1; var y{1..2}; minimize f: (y[1] - a)^2 + y[2]^2; s.t. c: y[1] + y[2] = 1;")
        said = self.draw(model, "--net", f"mine={options[1]}", "--samples", 20)
        self.assertRegex(said, "no --log, and so no picture of the training\n.*no next state, and so no pictures of loops")
        self.assertRegex(self.draw(model, "--samples", 20, code=2), "--net: no network is given")
        self.assertRegex(self.draw(model, "--nets", "x", code=2), "--nets: no such option")
        self.assertRegex(self.draw(model, "--net", self.folder / "none", code=1), "none: ")


if __name__ == "__main__":
    tool.main()
