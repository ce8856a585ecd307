"""No file and no name sends commands to the terminal: not through reports, errors, warnings or notes.

Run with the path of the built program: test_terminal.py BUILD/hardnet.
"""
import json
import os
import struct
import subprocess

import tool

EVIL = b"\x1b]0;owned\x07\xc2\x9b31m\x9b\r"  # sets the title, C1 in UTF-8, C1 as a byte, goes back to the start of the line
NAMES = b"set S := {'ok" + EVIL + b"'};\nvar y{S} := 0.5;\nsubject to low{i in S}: y[i] >= 1;\nsubject to high{i in S}: y[i] <= 0;\n"


def npy(dtype):
    header = b"{'descr': '" + dtype + b"', 'fortran_order': False, 'shape': (1, 1), }"
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + bytes(8)


class Terminal(tool.Tool):
    def streams(self, *arguments, code):
        done = subprocess.run([os.fsencode(tool.program), *[os.fsencode(a) for a in arguments]], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=100, check=False)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout, done.stderr

    def clean(self, *arguments, code, shown=None):
        """Nothing that is printed is a command; where something is shown of it, it is readable."""
        out, err = self.streams(*arguments, code=code)
        for stream in (out, err):
            stream.decode()
            for bad in (b"\x1b", b"\x07", b"\r", b"\xc2\x9b"):
                self.assertNotIn(bad, stream)
        if shown:
            self.assertIn(shown, out + err)

    def test_names_of_a_model(self):
        model = self.file("m.mod", NAMES)
        self.clean("check", model, "--all", "--pattern", code=0, shown=rb"\x1b]0;owned\x07\u009b31m\x9b")
        self.clean("project", model, code=3, shown=rb"\x1b]0;owned")
        self.clean("bench", model, "--samples", "2", "--repeat", "1", code=0)

    def test_names_in_reports_are_json(self):
        model = self.file("m.mod", NAMES)
        for verb, option, code in (("check", "--json", 0), ("project", "--report", 3)):
            target = self.folder / "report.json"
            self.streams(verb, model, option, target, code=code)
            written = target.read_bytes()
            self.assertFalse([c for c in written.decode() if c != "\n" and (ord(c) < 32 or 0x7f <= ord(c) < 0xa0)])
            self.assertIn(rb"\u001b]0;owned\u0007\u009b31m\ufffd", written)
            json.loads(written)

    def test_mistakes_and_notes_of_the_reader(self):
        self.clean("check", self.file("a.mod", b"param p; var y; s.t. c: y >= 'a" + EVIL + b"';"), code=1)
        self.clean("check", self.file("b.mod", b"var y; s.t. c: y >= q" + EVIL + b";"), code=1)
        self.clean("check", self.file("c.mod", b"option solver '" + EVIL + b"'; var y; s.t. c: y >= 0; display y;"), code=0)

    def test_headers_of_arrays(self):
        model = self.file("m.mod", "param a; var y; s.t. c: y >= a;")
        self.clean("project", model, "--x", self.file("x.npy", npy(b"<f8" + EVIL)), code=1, shown=rb"\x1b]0;owned")

    def test_names_of_files(self):
        folder = os.fsencode(self.folder)
        missing = folder + b"/m" + EVIL + b".mod"
        self.clean("check", missing, code=1, shown=rb"\x1b]0;owned")
        with open(missing, "wb") as file:
            file.write(b"var y := 2; s.t. c: y >= 1;")
        for verb in ("check", "project", "bench"):
            self.clean(verb, missing, code=0, shown=rb"\x1b]0;owned")
        self.clean("project", missing, "--out", folder + b"/none/" + EVIL, code=1, shown=rb"\x1b]0;owned")
        with open(missing, "wb") as file:
            file.write(b"var y := ;")
        self.clean("check", missing, code=1, shown=rb"\x1b]0;owned")

    def test_arguments(self):
        for arguments in ([EVIL], ["check", b"--" + EVIL], ["check", b"-" + EVIL], ["check", "--points", EVIL],
                          ["project", "--method", EVIL]):
            self.clean(*arguments, code=2)

    def test_tables(self):
        report = {"groups": {"g" + EVIL.decode(errors="replace"): {"mean": 1, "max": 2}}, "suboptimality": {"mean": 1}}
        path = self.file("r.json", json.dumps(report))
        self.clean("table", b"n" + EVIL + b"=" + os.fsencode(path), "--title", EVIL, code=0, shown=rb"\x1b]0;owned")

    def test_long_titles_are_no_lack_of_memory(self):
        path = self.file("r.json", '{"suboptimality": {"mean": 1}}')
        out, _ = self.run_it("table", f"n={path}", "--title", "t" * 5000)
        self.assertIn("t" * 5000 + "\n", out)

    def test_a_name_that_begins_like_an_option_is_a_file_all_the_same(self):
        path = self.file("let me.mod", "var y := ;")
        self.refused("check", path, code=1, saying="let me.mod:1:")
        done = subprocess.run([tool.program, "check", "let me.mod"], cwd=self.folder, stderr=subprocess.PIPE, check=False)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.refused("check", self.file("n.mod", "param N; var y;"), "--let", "N=none", code=2, saying="--let")


if __name__ == "__main__":
    tool.main()
