"""Trainings that tests start: to their end, or as a process that is interrupted; small, since what a good one reaches is measured elsewhere."""
import hashlib
import json
import pathlib
import subprocess
import time

import tool
from samples import SampleTool

ELLIPSE, SIMPLEX = str(tool.root / "models" / "ellipse.mod"), str(tool.root / "models" / "simplex.mod")
SMALL = ["--hidden", "12,8", "--steps", 60, "--batch", 40, "--validate-every", 20, "--validation", 60]


def sha(path):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def network_texts(path):
    data = pathlib.Path(path).read_bytes()
    return json.loads(data[8:8 + int.from_bytes(data[:8], "little")])["__metadata__"]

class TrainTool(SampleTool):
    def train(self, name, model, *options, code=0, **more):
        """Trains to a file of this name; its path and what was printed."""
        path = self.folder / name
        out, err = self.run_it("train", model, "--out", path, *options, code=code, **more)
        return path, out, err

    def start(self, path, model, *options):
        return subprocess.Popen([tool.program, "train", model, "--out", str(path), *map(str, options)],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def wait_for(self, path, child):
        """Until the file is there; a child that ends before that is a mistake of the test."""
        for _ in range(9000):
            if path.exists():
                return
            self.assertIsNone(child.poll(), "it ended before it could be interrupted")
            time.sleep(0.01)
        self.fail(f"{path} never came")
