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


if __name__ == "__main__":
    tool.main()
