"""The header's estimate of code: within 30 % of what gcc -O2 makes for a Cortex-M7 and for x86-64, where loops are rolled and where not,
and the same figures as hardnet emit prints.

Run with the path of the built program: test_sizes.py BUILD/hardnet.
"""
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import tool  # noqa: E402

MODELS = ("ellipse", "pooling", "unicycle", "tasks/cartpole")  # the last one's stages are loops
OPTIONS = ("", "--real float", "--method paper", "--adjoint")
CORTEX = "arm-none-eabi-gcc -mcpu=cortex-m7 -mfpu=fpv5-d16 -mthumb -mfloat-abi=hard -ffreestanding".split()


class Sizes(tool.Tool):
    def code(self, compiler, folder):
        subprocess.run([*compiler, "-std=c99", "-O2", "-c", str(folder / "layer.c"), "-o", str(folder / "layer.o")], check=True)
        listing = subprocess.run([compiler[0].replace("gcc", "size"), "-A", str(folder / "layer.o")], stdout=subprocess.PIPE, text=True, check=True)
        return sum(int(line.split()[1]) for line in listing.stdout.splitlines() if line.startswith(".text"))

    def test_the_estimate_of_code_is_near(self):
        compilers = [words for words in (CORTEX, ["gcc"]) if shutil.which(words[0])]
        if not compilers:
            self.skipTest("neither arm-none-eabi-gcc nor gcc is installed")
        for model in MODELS:
            for options in OPTIONS:
                folder = self.folder / "out"
                shutil.rmtree(folder, ignore_errors=True)
                printed, _ = self.run_it("emit", tool.root / "models" / f"{model}.mod", "--out", folder, "--name", "layer", *options.split())
                stated = re.search(r"code +about (\d+) on a Cortex-M7, (\d+) on", (folder / "layer.h").read_text())
                shown = re.search(r"code +about (\d+) kB on a Cortex-M7, (\d+) kB on x86-64", printed)
                for compiler in compilers:
                    which = 1 if compiler is CORTEX else 2
                    found = self.code(compiler, folder)
                    print(f"{model} {options}: {compiler[0]}: stated {stated[which]}, found {found}, {int(stated[which]) / found:.2f}")
                    self.assertLess(abs(int(stated[which]) / found - 1), 0.3, (model, options))
                    self.assertAlmostEqual(int(shown[which]), int(stated[which]) / 1000, delta=0.51)


tool.main()
