"""What the verb `check` writes: pattern, pictures, report, terminal and files that cannot be written.

Run with the path of the built program: test_check_output.py BUILD/hardnet.
"""
import os
import re
import signal
import subprocess
import xml.dom.minidom

import tool
from test_check import Report


class Output(Report):
    def test_a_full_disk_is_an_error(self):
        model = self.file("m.mod", "var x >= 0;")
        for arguments in (["check", model], ["--help"], ["check", "--help"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([tool.program, *arguments], stdout=full, stderr=subprocess.PIPE, check=False)
            self.assertEqual(done.returncode, 1)
            self.assertIn(b"cannot write", done.stderr)

    def test_files_that_cannot_be_written_are_an_error(self):
        model = self.file("m.mod", "var x >= 0;")
        for option, name in (("--json", "r.json"), ("--picture", "p.svg"), ("--picture", "p.pbm")):
            self.refused("check", model, option, self.folder / "none" / name, code=1, saying=re.escape(name))

    def test_the_pattern_fits_the_terminal(self):
        path = self.file("m.mod", "param N := 500; var x{1..N}; s.t. c{i in 2..N}: x[i]^2 + x[i-1] <= 1;")
        for width in (50, 80, 132):
            out, _ = self.run_it("check", path, "--pattern", env={**os.environ, "COLUMNS": str(width)})
            pattern = [line for line in out.splitlines() if line.startswith(("  |", "  +-"))]
            self.assertLess(10, len(pattern))
            self.assertLessEqual(max(map(len, pattern)), width)
        small, _ = self.run_it("check", self.file("s.mod", "var a; var b; s.t. c: a^2 + b <= 1; s.t. d: b <= 2;"),
                               "--pattern")
        self.assertIn("  +--+\n  |#+| c\n  | +| d\n  +--+\n   a\n", small)

    def test_the_bitmap_has_one_black_square_per_entry(self):
        target = self.folder / "p.pbm"
        self.run_it("check", self.file("m.mod", "var x{1..3}; s.t. c{i in 1..2}: x[i] + x[i+1]^2 <= 1;"), "--picture", target)
        magic, size, bits = target.read_bytes().split(b"\n", 2)
        width, height = map(int, size.split())
        scale, stride = width // 3, (width + 7) // 8
        self.assertEqual((magic, width, height, len(bits)), (b"P4", 3 * scale, 2 * scale, stride * height))

        def black(row, column):
            at = column * scale + scale // 2
            return bits[(row * scale + scale // 2) * stride + at // 8] >> (7 - at % 8) & 1
        self.assertEqual([[black(i, j) for j in range(3)] for i in range(2)], [[1, 1, 0], [0, 1, 1]])

    def test_the_drawing_is_well_formed(self):
        target = self.folder / "p.svg"
        self.run_it("check", tool.root / "models/unicycle.mod", "--picture", target)
        drawing = xml.dom.minidom.parse(str(target))
        texts = [node.firstChild.data for node in drawing.getElementsByTagName("text")]
        self.assertIn("dynamics", texts)
        self.assertTrue(any("145 nonzeros" in text for text in texts))

    def test_reports_replace_old_ones_and_leave_nothing_else_behind(self):
        (self.folder / "report.json").write_text("old")
        self.report("var x >= 0;")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["m.mod", "report.json"])

    def test_numbers_that_are_not_finite_are_null(self):
        report = self.report("var x >= 0 := -1; s.t. c: log(x) <= 1;")
        row = report["rows"][0]
        self.assertEqual((row["value"], row["violation"], row["lower"]), (None, None, None))
        self.assertIsNone(report["columns"][0]["upper"])

    def on_terminal(self, *arguments, **environment):
        """What the program writes to a terminal."""
        master, slave = self.terminal()
        environment = {**os.environ, "TERM": "xterm", **environment}
        with subprocess.Popen([tool.program, *arguments], stdout=slave, stderr=slave, stdin=slave, env=environment) as child:
            os.close(slave)
            chunks = []
            while True:
                try:
                    chunk = os.read(master, 65536)
                except OSError:
                    break
                if not chunk:
                    break
                chunks.append(chunk)
            child.wait(60)
        os.close(master)
        return b"".join(chunks)

    def test_colours_appear_on_a_terminal_alone_and_not_with_no_color(self):
        model = self.file("m.mod", "var x >= 0;")
        environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
        os.environ.pop("NO_COLOR", None)
        self.addCleanup(os.environ.update, environment)
        self.assertIn(b"\033[1m", self.on_terminal("check", model))
        self.assertNotIn(b"\033", self.on_terminal("check", model, NO_COLOR="1"))
        self.assertNotIn(b"\033", self.on_terminal("check", model, TERM="dumb"))
        self.assertNotIn("\033", self.run_it("check", model)[0])

    def test_control_c_ends_with_130(self):
        path = self.file("m.mod", "param N := 300000; var x{1..N} >= 0; s.t. c{i in 2..N}: sin(x[i])*x[i-1] <= i;")
        target = self.folder / "report.json"
        with subprocess.Popen([tool.program, "check", path, "--json", str(target)], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE) as child:
            self.wait_for_work(child, 0.2)
            child.send_signal(signal.SIGINT)
            child.communicate(timeout=60)
        self.assertEqual(child.returncode, 130)
        self.assertFalse(target.exists())


if __name__ == "__main__":
    tool.main()
