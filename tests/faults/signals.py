"""Interrupts trainings at random times: each leaves a checkpoint at once, and goes on to the bytes of one that nobody interrupted.

Run with the path of the built program: signals.py BUILD/hardnet [--times N] (20). SIGINT and SIGTERM in turn; exit status 130 and 143. A
training that has ended before its signal came counts as well, and is not a training that was interrupted.
"""
import argparse
import hashlib
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TRAIN = ["train", str(ROOT / "models" / "unicycle.mod"), "--hidden", "12,8", "--steps", "400", "--batch", "40", "--validate-every", "20",
         "--validation", "40", "--checkpoint-every", "1000", "--multistart", "0", "--candidates", "1", "--refine", "0"]


def sha(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def finish(program, out, *more):
    done = subprocess.run([program, *TRAIN, "--out", str(out), *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
    if done.returncode:
        sys.exit(f"WRONG: exit status {done.returncode}: {done.stdout.decode()}")


def interrupt(program, out, number, wait):
    """Seconds from the signal to the end; None where the training had ended before."""
    with subprocess.Popen([program, *TRAIN, "--out", str(out)], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as child:
        try:
            child.wait(timeout=wait)
            return None
        except subprocess.TimeoutExpired:
            begun = time.monotonic()
            child.send_signal(number)
            _, err = child.communicate(timeout=60)
            seconds = time.monotonic() - begun
    if child.returncode in (0, -number):  # all was done; or it did not listen yet, and there is nothing to save
        return None
    if child.returncode != 128 + number or b"--resume goes on from" not in err:
        sys.exit(f"WRONG: after signal {number}: exit status {child.returncode}: {err.decode()}")
    return seconds


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--times", type=int, default=20)
    given = parser.parse_args()
    program, source, seconds = os.path.abspath(given.program), random.Random(5), []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        begun = time.monotonic()
        finish(program, folder / "whole")
        whole = time.monotonic() - begun
        for attempt in range(10 * given.times):
            if len(seconds) == given.times:
                break
            cut = folder / "cut"
            took = interrupt(program, cut, (signal.SIGINT, signal.SIGTERM)[attempt % 2], source.uniform(0.1, 0.8) * whole)
            if took is not None:
                seconds.append(took)
                finish(program, cut, "--resume")
                if sha(cut) != sha(folder / "whole"):
                    sys.exit("WRONG: other bytes than of a training that was not interrupted")
            for path in folder.glob("cut*"):
                path.unlink()
    print(f"{len(seconds)} trainings interrupted, the slowest ended after {max(seconds):.2f} s, 0 with other bytes")


main()
