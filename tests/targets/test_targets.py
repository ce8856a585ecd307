"""Emitted files on other processors: the double file has the library's bits everywhere, the float file holds its tolerance.

Run with the path of the built program: test_targets.py BUILD/hardnet. Cross compilers and emulators that are missing are skipped by
name; one SHA-256 over the outputs of the paper's 100 states is printed for each target.
"""
import hashlib
import json
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "tools"))

import emitted  # noqa: E402
import tool  # noqa: E402
from samples import np  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
UNICYCLE = tool.root / "models" / "unicycle.mod"
STATES = tool.root / "data" / "unicycle" / "states.npy"
BARE = ["-ffreestanding", "-nostdlib", "-mthumb", "-mfloat-abi=hard", "-T", str(HERE / "bare.ld"), str(HERE / "bare.c")]
BOARD = ["-nographic", "-monitor", "none", "-serial", "none", "-semihosting-config", "enable=on,target=native", "-kernel"]
# name: compiler, flags, sources and libraries, emulator
TARGETS = {
    "x86-64 gcc": ("gcc", [], [str(HERE / "hosted.c")], []),
    "x86-64 clang": ("clang", [], [str(HERE / "hosted.c")], []),
    "aarch64": ("aarch64-linux-gnu-gcc", ["-static"], [str(HERE / "hosted.c")], ["qemu-aarch64"]),
    "riscv64": ("riscv64-linux-gnu-gcc", ["-static"], [str(HERE / "hosted.c")], ["qemu-riscv64"]),
    "Cortex-M7": ("arm-none-eabi-gcc", ["-mcpu=cortex-m7", "-mfpu=fpv5-d16"], [*BARE, "-lgcc"],
                  ["qemu-system-arm", "-M", "mps2-an500", *BOARD]),
    "Cortex-M4F": ("arm-none-eabi-gcc", ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16"], [*BARE, "-lgcc"],
                   ["qemu-system-arm", "-M", "mps2-an386", *BOARD]),
}


class Targets(tool.Tool):
    def each_target(self):
        """Those whose compiler and emulator are here; the others are skipped by name."""
        for name, (compiler, flags, rest, emulator) in TARGETS.items():
            missing = [program for program in [compiler, *emulator[:1]] if not shutil.which(program)]
            if missing:
                print(f"skipped: {name}: {', '.join(missing)} is not installed")
            else:
                yield name, compiler, flags, rest, emulator

    def run_target(self, folder, compiler, flags, rest, emulator, single):
        program = folder / "program"
        subprocess.run([compiler, "-std=c99", "-O2", *flags, f"-I{folder}", str(HERE / "harness.c"), str(folder / "layer.c"), *rest,
                        "-o", str(program)], check=True)
        done = subprocess.run([*emulator, str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, timeout=600)
        return emitted.parse(done.stdout.decode(), single)

    def emit(self, *options):
        folder = self.folder / "out"
        shutil.rmtree(folder, ignore_errors=True)
        self.run_it("emit", UNICYCLE, "--out", folder, "--name", "layer", *options)
        return folder

    def network(self, *options):
        net = self.folder / "net.safetensors"
        self.run_it("train", UNICYCLE, "--out", net, "--epochs", "1", "--steps-per-epoch", "20", "--hidden", "64,64", *options)
        return net

    def test_double_has_the_library_s_bits_on_every_target(self):
        self.double_agrees(self.network())

    def test_candidates_and_refinement_have_the_library_s_bits_on_every_target(self):
        # The Cortex-M4F has no double in hardware; with libgcc's a plain layer, too, differs in the last place from some raw outputs.
        self.double_agrees(self.network("--candidates", "2", "--refine", "1"), left_out="Cortex-M4F")

    def double_agrees(self, net, left_out=None):
        x = np.load(STATES)
        self.run_it("eval", UNICYCLE, "--net", net, "--x", STATES, "--out", self.folder / "y.npy", "--allow-infeasible")
        wanted = hashlib.sha256(np.load(self.folder / "y.npy").tobytes()).hexdigest()
        print("library", wanted)
        folder = self.emit("--net", net)
        emitted.states_header(folder / "states.h", x, np.zeros((1, 50)), False)
        for name, *target in self.each_target():
            if name == left_out:
                print(f"left out: {name}")
                continue
            found = self.run_target(folder, *target, False)
            digest = hashlib.sha256(b"".join(own.tobytes() for *_, own in found)).hexdigest()
            print(name, digest)
            self.assertEqual(digest, wanted, name)

    def test_float_holds_its_tolerance_on_every_target(self):
        x, net = np.load(STATES).astype("f4").astype("f8"), self.network()
        np.save(self.folder / "x.npy", x)
        folder, first = self.emit("--net", net, "--real", "float"), None
        emitted.states_header(folder / "states.h", x, np.zeros((1, 50)), True)
        for name, *target in self.each_target():
            found = self.run_target(folder, *target, True)
            self.assertEqual({outcome for outcome, *_ in found}, {"ok"}, name)
            y = np.array([own for *_, own in found])
            first = y if first is None else first
            self.assertEqual(y.tobytes(), first.tobytes(), name)
            print("float", name, hashlib.sha256(y.tobytes()).hexdigest())
        np.save(self.folder / "y.npy", first.astype("f8"))
        self.run_it("project", UNICYCLE, "--x", self.folder / "x.npy", "--y", self.folder / "y.npy", "--iterations", "0", "--tolerance",
                    "1e-4", "--report", self.folder / "r.json")  # judged in double, from outside
        worst = max(sample["violation"] for sample in json.loads((self.folder / "r.json").read_text())["samples"])
        print(f"float: largest violation, judged in double: {worst:.4e}")
        self.assertLessEqual(worst, 1e-4)

    def test_sizes_on_a_cortex_m7_are_within_what_the_header_says(self):
        name = "Cortex-M7"
        compiler, flags, rest, emulator = TARGETS[name]
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not installed")
        for real, stack, allowed in (("float", 4096, set()), ("double", 8192, {"__aeabi_ul2d"})):
            # frames of a path at most, and the largest workspace; with candidates and refinement two more functions call each other
            self.sizes_hold(self.network(), real, stack, allowed, 3, 40000)
            self.sizes_hold(self.network("--candidates", "2", "--refine", "1"), real, stack, allowed, 5, 80000)

    def sizes_hold(self, net, real, stack, allowed, frames_at_most, most_work):
        compiler, flags, rest, emulator = TARGETS["Cortex-M7"]
        folder = self.emit("--net", net, "--real", real)
        subprocess.run([compiler, "-std=c99", "-O2", *flags, "-mthumb", "-mfloat-abi=hard", "-ffreestanding", "-fstack-usage", "-c",
                        str(folder / "layer.c"), "-o", str(folder / "layer.o")], check=True)
        self.assertLessEqual(emitted.undefined(folder / "layer.o", "arm-none-eabi-nm"), allowed)
        frames = [line.split("\t") for line in (folder / "layer.su").read_text().splitlines()]
        self.assertEqual({kind for *_, kind in frames}, {"static"})  # no array of variable length
        deepest = sum(sorted((int(size) for _, size, _ in frames), reverse=True)[:frames_at_most])
        sizes = (folder / "layer.h").read_text()
        work = int(re.search(r"workspace +(\d+)", sizes)[1])
        print(f"{real}: workspace {work}, stack at most {deepest} bytes")
        self.assertLess(work, most_work)
        self.assertLessEqual(deepest, stack)
        self.assertIn(f"stack      at most {stack} ", sizes)
        if shutil.which(emulator[0]):
            self.stack_of_calls(folder, real, deepest, (compiler, flags, rest, emulator))
        else:
            print(f"skipped: calls on a painted stack: {emulator[0]} is not installed")

    def stack_of_calls(self, folder, real, deepest, target):
        """What calls take of a painted stack: ordinary states, and numbers that are none."""
        compiler, flags, rest, emulator = target
        x = np.concatenate([np.load(STATES)[:20], [[np.nan, 0, 0], [0, np.inf, 0], [1e30, -1e30, 1e30], [0, 0, 1e-320]]])
        emitted.states_header(folder / "states.h", x, np.zeros((1, 50)), real == "float")
        program = folder / "stack"
        subprocess.run([compiler, "-std=gnu99", "-O2", *flags, f"-I{folder}", str(HERE / "stack.c"), str(folder / "layer.c"), *rest, "-o",
                        str(program)], check=True)
        done = subprocess.run([*emulator, str(program)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True, timeout=600)
        used = [int(line) for line in done.stdout.split()]
        print(f"{real}: {len(used)} calls took at most {max(used)} bytes of a painted stack, {100 * max(used) / deepest:.0f} % of {deepest}")
        self.assertEqual(len(used), len(x))
        self.assertGreater(min(used), 0)
        self.assertLessEqual(max(used), deepest)


tool.main()
