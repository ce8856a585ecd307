"""The header's bound on instructions (x86-64, gcc -O2): callgrind counts less than it and more than 80 % of it in a method of a fixed
number of steps, for models of all sizes, and hardly differs from input to input.

Run with the path of the built program: test_instructions.py BUILD/hardnet.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import emitted  # noqa: E402
import tool  # noqa: E402
from samples import np  # noqa: E402

UNICYCLE = tool.root / "models" / "unicycle.mod"
STATES = tool.root / "data" / "unicycle" / "states.npy"
INPUTS = 200
OTHERS = {"ellipse": 1, "pooling": 4, "opf": 6, "feasibility/hs116": 0, "feasibility/pal_s1": 1, "feasibility/creep_chain": 0}  # inputs


class Instructions(tool.Tool):
    def emit(self, model, real):
        """The folder, and the bound."""
        folder = self.folder / "out"
        shutil.rmtree(folder, ignore_errors=True)
        self.run_it("emit", model, "--out", folder, "--name", "layer", "--method", "paper", "--iterations", "100", "--real", real)
        return folder, int(re.search(r"instructions (\d+) in a call", (folder / "layer.h").read_text()).group(1))

    def near(self, name, bound, counts, most=1e-3):
        spread = (max(counts) - min(counts)) / max(counts)
        print(f"{name}: bound {bound}, callgrind {min(counts)} to {max(counts)}, {max(counts) / bound:.3f} of it, spread {spread:.2e}")
        self.assertLess(max(counts), bound)
        self.assertGreater(min(counts), 0.8 * bound)
        self.assertLess(spread, most)

    def count(self, folder, x, y, single):
        """Instructions of layer_solve for each input: callgrind dumps its counts after every call."""
        program = emitted.compile_host(folder, x, y, single, compiler="gcc")
        out = self.folder / "calls"
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
        subprocess.run(["valgrind", "--tool=callgrind", "--toggle-collect=layer_solve", "--dump-after=layer_solve",
                        f"--callgrind-out-file={out}/c", str(program)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        totals = []
        for part in sorted(out.glob("c.*"), key=lambda path: int(path.suffix[1:])):
            found = re.search(r"^summary: (\d+)", part.read_text(), re.M)
            totals.append(int(found.group(1)))
        return [total for total in totals if total > 0][:len(x)]

    def test_the_bound_holds_and_is_near(self):
        if not shutil.which("valgrind") or not shutil.which("gcc"):
            self.skipTest("valgrind or gcc is not installed")
        rng = np.random.default_rng(3)
        x = np.repeat(np.load(STATES), 2, 0)[:INPUTS]
        y = rng.normal(size=(INPUTS, 50)) * 10.0 ** rng.uniform(-2, 2, size=(INPUTS, 1))
        for real in ("double", "float"):
            folder, bound = self.emit(UNICYCLE, real)
            counts = self.count(folder, x, y, real == "float")
            self.assertEqual(len(counts), INPUTS)
            self.near(f"unicycle, {real}", bound, counts)

    def test_the_bound_holds_for_other_models(self):
        if not shutil.which("valgrind") or not shutil.which("gcc"):
            self.skipTest("valgrind or gcc is not installed")
        rng = np.random.default_rng(3)
        for name, inputs in OTHERS.items():
            folder, bound = self.emit(tool.root / "models" / f"{name}.mod", "double")
            outputs = int(re.search(r"layer_OUTPUTS = (\d+)", (folder / "layer.h").read_text()).group(1))
            counts = self.count(folder, rng.uniform(0.6, 1, size=(3, inputs)), rng.normal(size=(3, outputs)), False)
            self.near(name, bound, counts, 1e-3 if bound > 5e5 else 5e-3)


tool.main()
