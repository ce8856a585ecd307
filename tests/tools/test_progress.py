"""Progress is one line of a terminal, rewritten in place and cut to its width, and few plain lines elsewhere.

Run with the path of the built program: test_progress.py BUILD/hardnet.
"""
import fcntl
import os
import re
import select
import signal
import struct
import subprocess
import termios
import time

import tool

MODEL = """param a >= 0, <= 1; var y{1..40} := 0.5;
minimize f: sum{i in 1..40} (y[i] - a)^2;
subject to c{i in 1..39}: y[i] * y[i + 1] + sin(y[i]) <= 0.5;
"""


class Progress(tool.Tool):
    def resize(self, end, columns):
        fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))

    def watch(self, *arguments, widths, until="\r", times=8, term="xterm"):
        """What the program writes to a terminal that has one of these widths after the other: a text for each.

        The width changes when `until` has been written so many times.
        """
        ours, theirs = self.terminal()
        self.resize(theirs, widths[0])
        environment = dict(os.environ, TERM=term, NO_COLOR="1")
        process = subprocess.Popen([tool.program, *map(str, arguments)], stdout=subprocess.DEVNULL, stderr=theirs, env=environment)
        texts = []
        for width in widths:
            self.resize(theirs, width)
            deadline, seen = time.monotonic() + 60, b""
            while time.monotonic() < deadline and process.poll() is None and seen.count(until.encode()) < times:
                if select.select([ours], [], [], 0.05)[0]:
                    seen += os.read(ours, 65536)
            texts.append(seen.decode())
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
        os.close(ours)
        os.close(theirs)
        return texts

    def lines(self, text):
        """What the text puts on rows of the terminal, in this order; commands are left out."""
        return [re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", part) for part in re.split(r"[\r\n]+", text)]

    def fits(self, text, width):
        self.assertNotIn("\n", text, "a new line of the terminal")
        self.assertGreater(text.count("\r"), 3, "no progress was shown")
        longest = max(self.lines(text), key=len)
        self.assertLess(len(longest), width, longest)

    def train(self):
        return ("train", self.file("m.mod", MODEL), "--out", self.folder / "n.safetensors", "--survey", "0", "--steps", "1000000",
                "--multistart", "0", "--threads", "1")

    def test_training_stays_on_one_line_at_every_width(self):
        texts = self.watch(*self.train(), widths=(80, 200, 40, 20))
        for text, width in zip(texts[1:], (200, 40, 20)):
            self.fits(text[text.index("\r", 1):], width)  # what was written before the change is left out
        self.fits(texts[0], 80)
        self.assertRegex(texts[0], r"\[[#.]+\] step \d+ of 1000000, .* left, loss ")
        self.assertRegex(texts[3], r"step \d+")

    def test_others_stay_on_one_line(self):
        model = self.file("m.mod", MODEL)
        text, = self.watch("project", model, "--x", self.many(), "--threads", "1", widths=(30,))
        self.fits(text, 30)

    def many(self):
        header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2000000, 1), }"
        header += " " * (-(len(header) + 11) % 64) + "\n"
        content = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + bytes(8 * 2000000)
        return self.file("x.npy", content)

    def test_a_dumb_terminal_gets_plain_lines(self):
        text, = self.watch(*self.train(), widths=(80,), until="left", times=1, term="dumb")
        self.assertNotIn("\x1b", text)
        self.assertLess(text.count("\n"), 4)
        self.assertRegex(text, r"hardnet: step \d+ of 1000000")

    def test_a_file_gets_few_lines(self):
        path = self.folder / "err"
        with open(path, "wb") as file:
            process = subprocess.Popen([tool.program, *map(str, self.train())], stdout=subprocess.DEVNULL, stderr=file)
            deadline = time.monotonic() + 60
            while time.monotonic() < deadline and "left" not in path.read_text():
                time.sleep(0.1)
            process.send_signal(signal.SIGINT)
            process.wait(timeout=60)
        shown = [line for line in path.read_text().splitlines() if "left" in line]
        self.assertEqual(len(shown), 1, shown)


if __name__ == "__main__":
    tool.main()
