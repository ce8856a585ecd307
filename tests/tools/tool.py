"""What the tests of the verbs share: a folder for each test, the program run and judged, the work of a process, and main.

Needs no numpy; what does is in samples.py.
"""
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile
import time
import unittest

program = "hardnet"  # main puts the path here
root = pathlib.Path(__file__).resolve().parents[2]

# Sanitizers are slow, and see nothing in what a compiler makes.
sanitized = os.environ.get("HN_TEST_SHARE", "1") != "1"
without_sanitizers = unittest.skipIf(sanitized, "the build without sanitizers runs it")

# `make test-long` asks for all of it, where `make test` is content with smaller models and plainer compilers.
all_of_it = os.environ.get("HN_TEST_LONG") == "1"


def main():
    """Runs the tests of the script with the program that its first argument names."""
    global program
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(f"usage: {pathlib.Path(sys.argv[0]).name} PATH_OF_HARDNET [unittest options]")
    program = os.path.abspath(sys.argv.pop(1))
    unittest.main()


def process_state(number):
    """Of the process with this number: the letter of its state, its parent, the seconds of processor time that it has had."""
    fields = pathlib.Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    return fields[0], int(fields[1]), (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class Tool(unittest.TestCase):
    def terminal(self):
        """Both ends of a terminal: ours, and the program's. Skipped where there is none to be had, as in some containers."""
        try:
            return pty.openpty()
        except OSError as reason:
            self.skipTest(f"no terminal to be had: {reason}")

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    def file(self, name, content):
        path = self.folder / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    def run_it(self, *arguments, code=0, **more):
        """Runs the program; what it printed on stdout and on stderr."""
        done = subprocess.run([program, *map(str, arguments)], stdout=more.pop("stdout", subprocess.PIPE),
                              stderr=subprocess.PIPE, timeout=300, check=False, **more)
        out, err = (done.stdout or b"").decode(errors="replace"), done.stderr.decode(errors="replace")
        self.assertEqual(done.returncode, code, f"{arguments}\n{out}\n{err}")
        return out, err

    def refused(self, *arguments, code, saying):
        out, err = self.run_it(*arguments, code=code)
        self.assertRegex(err, saying)
        self.assertEqual(out, "")
        self.assertEqual(err.count("error:"), 1, err)

    def wait_for_work(self, process, seconds):
        """Until the process has had so much processor time; one that ends before that is a mistake of the test.

        The clock on the wall says nothing on a busy machine.
        """
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            self.assertIsNone(process.poll(), "it ended before it could be interrupted")
            if process_state(process.pid)[2] >= seconds:
                return
            time.sleep(0.02)
        process.kill()
        self.fail(f"it has not worked for {seconds} s")

    def options_of(self, verb):
        return set(re.findall(r"(?m)^  (--[\w-]+)", self.run_it(verb, "--help")[0]))

    def explained(self, verb):
        """Every option stands in the help, in the manual and in the completion."""
        manual = (root / "docs" / "hardnet.1").read_text().replace("\\-", "-")
        completion = subprocess.run(
            ["bash", "-c", f"source scripts/hardnet.bash; COMP_WORDS=(hardnet {verb} --); COMP_CWORD=2; _hardnet;"
             "echo ${COMPREPLY[@]}"], cwd=root, stdout=subprocess.PIPE, check=True).stdout.decode().split()
        self.assertEqual(self.options_of(verb), set(completion))
        for option in self.options_of(verb):
            self.assertRegex(manual, r"(?m)^\.B\w? .*" + option + r"\b")
