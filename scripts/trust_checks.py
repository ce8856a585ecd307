"""The checks of `make trust`: what is promised, the command that shows it, the figures in its output, and their limits.

A check is one entry of CHECKS; scripts/trust runs it and docs/reliability.md lists it. Its command runs in the root of the tree and has
failed where it exits with another status than 0, where a figure is not in its output, or where a figure misses its limit. Whatever is
figured out about a promise is printed by the command; here it is only read.
"""
import dataclasses
import pathlib
import typing

TARGETS = tuple(sorted(path.stem.removeprefix("fuzz_") for path in (pathlib.Path(__file__).resolve().parent.parent / "fuzz").glob("fuzz_*.c")))
FOLDS: dict[str, typing.Callable] = {"last": lambda found: found[-1], "sum": sum, "max": max, "min": min}


@dataclasses.dataclass(frozen=True)
class Figure:
    words: str  # what the number counts, as the table says it: "false ok"
    pattern: str  # in the output: its first group is the number
    limit: str  # "= 0", ">= 99.5", "<= 1e-12", or "" for a number that is reported and not judged
    fold: str = "last"  # of all that match: the last, their sum, the largest, the smallest


@dataclasses.dataclass(frozen=True)
class Check:
    name: str
    rows: str  # of docs/reliability.md: "R1 R2"
    what: str  # the promise in a few words, for the table
    command: str  # for sh, in the root
    figures: tuple[Figure, ...]
    builds: tuple[str, ...] = ("release",)  # presets that have to be built before
    needs: tuple[str, ...] = ()  # programs; one that is missing makes it "not run"
    test: str = ""  # the CTest test that does it, or a part of it, in `make test`
    parts: tuple[str, ...] = ()  # the command is run with each of these words at its end, side by side; their outputs are read as one
    minutes: float = 0.5  # of a core, about, for one part: the longest begin first
    alone: bool = False  # it uses all cores
    most: int = 600  # seconds after which a part is ended and has failed
    long: bool = False  # of `make trust-long` only


CHECKS: tuple[Check, ...] = (
    # ---- faults ----
    Check("faults", "R1 R2 R8 R9", "every allocation, system call, thread start and driver call fails in turn: no crash, no leak, the same bits after",
          "for test in build/tests/faults/*; do $test all || exit 1; done",
          (Figure("allocations", r"(\d+) allocations", ">= 1900", "sum"), Figure("system calls", r"(\d+) system calls", ">= 500", "sum"),
           Figure("thread starts", r"(\d+) thread starts", ">= 8", "sum"), Figure("driver calls", r"(\d+) driver calls", ">= 500", "sum")),
          test="faults/"),
    Check("python-faults", "R1 R34", "every allocation of the extension fails in calls of the Python package: MemoryError, the same bits after",
          "cc -O1 -shared -fPIC -o build/trust/failing_malloc.so python/tests/shared/failing_malloc.c && PYTHONPATH=build/python "
          "LD_PRELOAD=build/trust/failing_malloc.so ${PYTHON:-/usr/bin/python3} -B python/tests/shared/memory_faults.py "
          "build/trust/failing_malloc.so 1",
          (Figure("allocations", r"(\d+) allocations of Python", ">= 700"), Figure("crashes", r"(\d+) crashes", "= 0")),
          test="python/faults"),
    Check("kills", "R8 R9 R10", "killed at every system call, and every call failing, while each verb writes: files are the old or the new ones",
          "python3 -B tests/faults/kills.py build/hardnet",
          (Figure("kills", r"(\d+) kills", ">= 1200", "sum"), Figure("failing calls", r"(\d+) failing calls", ">= 1200", "sum"),
           Figure("torn files", r"(\d+) torn", "= 0", "sum")),
          needs=("strace",), test="faults/kills", minutes=8, most=1500),
    Check("signals", "R10", "trainings interrupted at random times: a checkpoint at once, and the same bytes in the end",
          "python3 -B tests/faults/signals.py build/hardnet",
          (Figure("interrupted", r"(\d+) trainings interrupted", ">= 20"), Figure("s the slowest", r"ended after ([\d.]+) s", "<= 1"),
           Figure("with other bytes", r"(\d+) with other bytes", "= 0")), test="tools/train_goes_on"),
    Check("no-allocation", "R2", "corrections, gradients and pools that run ask for no memory",
          "build/tests/conformance/no_allocation",
          (Figure("requests", r"(\d+) requests in", "= 0", "max"), Figure("calls", r"requests in (\d+) calls", ">= 100000", "sum")),
          test="conformance/no_allocation"),
    Check("sizes", "R4 R5", "sizes that wrap around, files that ask for much memory, texts beyond the limits",
          "build/tests/base/size && build/tests/nn/network_memory && build/tests/ampl/limits",
          (Figure("tests passed", r"PASSED  \] (\d+) test", ">= 16", "sum"),), test="base/size"),
    Check("loading", "R7", "reading a model opens the files that are named and runs nothing, under strace",
          "python3 -B tests/tools/test_check.py build/hardnet Check.test_reading_opens_the_files_that_are_named_and_runs_nothing",
          (Figure("test run", r"Ran (\d+) test", "= 1"),), needs=("strace",), test="tools/check"),
    Check("damage", "R6", "every flipped bit and every cut of a network and a checkpoint is refused",
          "build/tests/nn/network_files && build/tests/training/checkpoint",
          (Figure("flipped bits", r"(\d+) flipped bits refused", ">= 32768", "sum"), Figure("cuts", r"(\d+) cut files refused", ">= 4096", "sum")),
          test="nn/network_files"),
    # ---- the same bits ----
    Check("platforms", "R21 R25 R29 R35 R36", "one SHA-256 of corrections, gradients and a short training on every platform; x87 refused",
          "scripts/same-bits --platforms",
          (Figure("platforms", r"(\d+) platforms", ">= 8"), Figure("different results", r"(\d+) different results", "= 1"),
           Figure("rows failed", r"(\d+) failed", "= 0")),
          builds=(), needs=("qemu-s390x", "qemu-aarch64", "qemu-arm", "qemu-riscv64"), test="training/same_bits", minutes=10, most=1800),
    Check("state", "R25", "rounding, FTZ and DAZ refused by name; locale, signals, errno, arithmetic left alone; fast-math builds refused",
          "build/tests/conformance/arithmetic && build/tests/conformance/process_state && "
          "python3 -B tests/house/test_fast_math.py --source . --build build --compiler cc --cmake cmake && echo 1 test refuses fast-math",
          (Figure("tests passed", r"PASSED  \] (\d+) test", ">= 8", "sum"), Figure("of builds", r"(\d+) test refuses", "= 1")),
          test="conformance/arithmetic"),
    # ---- load ----
    Check("load", "R19 R22 R23 R24", "random problems, threads, cancellations, deadlines, warm starts: the bits of serial runs, no growth",
          "build/tests/conformance/load --seconds 360",
          (Figure("calls", r"(\d+) calls", ">= 20000"), Figure("wrong", r"(\d+) wrong", "= 0"),
           Figure("KiB grown", r"grew by (-?\d+) KiB", "<= 4096")), test="conformance/load", minutes=6),
    Check("load-tsan", "R24", "the same under ThreadSanitizer", "build/tests/conformance/load_tsan --seconds 240",
          (Figure("calls", r"(\d+) calls", ">= 1000"), Figure("wrong", r"(\d+) wrong", "= 0")), test="long/conformance/load_tsan", minutes=4),
    # ---- never silently wrong ----
    Check("gradients", "R16", "gradients against the complex step, entry by entry and along directions; outputs' side: fewer outputs than rows",
          "build/tests/gradients/complex_step",
          (Figure("worst", r"rows' side: largest error ([\d.e+-]+),", "<= 1e-12", "max"),
           Figure("of products", r"of products ([\d.e+-]+); outputs", "<= 1e-13", "max"),
           Figure("on the outputs' side", r"outputs' side \(\d+\): ([\d.e+-]+) and", "<= 1e-8", "max")),
          test="gradients/complex_step"),
    Check("algebra", "R18", "backward error of factors and solves in n u, by 128 bits; elementary functions by MPFR, in ulp",
          "build/tests/linalg/damped && build/tests/base/elementary",
          (Figure("n u", r"backward error: ([\d.e+-]+) n u", "<= 8", "max"), Figure("ulp", r"largest error ([\d.]+) ulp", "<= 2", "max")),
          test="linalg/damped"),
    Check("bad-input", "R12 R14", "NaN, infinities and extreme numbers at every entry, bad bounds, dependent rows: located, kept to their sample",
          "build/tests/layer/bad_input && build/tests/layer/bad_bounds && build/tests/layer/degenerate",
          (Figure("tests passed", r"PASSED  \] (\d+) test", ">= 19", "sum"),), test="layer/bad_input"),
    Check("false-ok", "R11 R14 R15 R20", "`ok` on random problems, judged by plain evaluation in 80 bits",
          "build/tests/layer/many_problems 100000",
          (Figure("false ok", r"(\d+) false ok", "= 0"), Figure("% of the feasible ok", r"ok on ([\d.]+) % of the feasible", ">= 99.5"),
           Figure("% of the degenerate ok", r"([\d.]+) % of the degenerate", ">= 99.5")),
          test="layer/many_problems"),
    Check("judge", "R11 R15 R16 R17", "the independent judge: ten kinds of problems, every method, verdicts and proofs at 50 digits",
          "PYTHONPATH=build/python python3 -B tests/judge/judge.py --problems 100000 --processes 1",
          (Figure("problems", r"judge: (\d+) problems", ">= 100000"), Figure("verdicts", r"(\d+) ok verdicts judged", ">= 1000000"),
           Figure("false ok", r"(\d+) false ok", "= 0"), Figure("undefined ok", r"(\d+) undefined ok", "= 0"),
           Figure("infeasible ok", r"(\d+) infeasible ok", "= 0"), Figure("wrong violations", r"(\d+) wrong violation", "= 0"),
           Figure("proofs", r"proofs (\d+), at kinks", ">= 200000"), Figure("false proofs", r"(\d+) false proof", "= 0"),
           Figure("gradients", r"gradients (\d+), at jumps", ">= 30000"), Figure("wrong gradients", r"(\d+) wrong gradient", "= 0"),
           Figure("% of the feasible ok", r"feasible ok ([\d.]+) %", ">= 99.5")),
          test="judge/problems", minutes=20, most=3000),
    # ---- bytes ----
    Check("fuzz", "R3 R4", "every format, and random models through every method with gradients: ASan, UBSan, memory bounds",
          "scripts/fuzz --built --seconds 240 --executions 2000000",
          (Figure("targets", r"fuzz: (\d+) targets", ">= 9", "sum"),
           Figure("short of 4 core-minutes and of 2 000 000 executions", r"(\d+) of them short", "= 0", "sum"),
           Figure("executions", r"(\d+) executions, \d+ with findings", "", "sum"), Figure("with findings", r"(\d+) with findings", "= 0", "sum")),
          builds=("fuzz",), needs=("clang",), test="replay/", parts=TARGETS, minutes=4, most=900),
    # ---- emitted files ----
    Check("emit-proof", "R30", "emitted files for any input, NaN and infinities too, by Frama-C's Eva; faults that are planted are noticed",
          "python3 -B tests/codegen/eva.py build/hardnet",
          (Figure("alarms", r"(\d+) alarms for any input", "= 0"), Figure("emitted files", r"eva: (\d+) emitted", ">= 4"),
           Figure("% of statements reached", r"at least (\d+) % of statements", ">= 85"),
           Figure("planted faults", r"(\d+) planted faults", ">= 3"), Figure("not noticed", r"(\d+) not noticed", "= 0")),
          needs=("frama-c",), minutes=8, most=2400),
    Check("emit-misra", "R31", "MISRA C:2012 in emitted files, by cppcheck: nothing but what docs/misra.md lists",
          "python3 -B tests/codegen/misra.py build/hardnet",
          (Figure("findings not declared", r"(\d+) findings that are not declared", "= 0"), Figure("rules declared", r"(\d+) rules declared", ""),
           Figure("emitted files", r"misra: (\d+) emitted", ">= 4"), Figure("planted violations not noticed", r"(\d+) not noticed", "= 0")),
          needs=("cppcheck",)),
    Check("emit-bounds", "R26 R27 R28 R29", "on Cortex-M7: no heap, no library, the stack that a call takes; on x86-64: instructions by callgrind; bits on every target",
          "python3 -B tests/targets/test_targets.py build/hardnet && python3 -B tests/targets/test_instructions.py build/hardnet",
          (Figure("bytes of stack, float", r"float: workspace \d+, stack at most (\d+)", "<= 4096"),
           Figure("of them taken", r"float: \d+ calls took at most (\d+)", "<= 4096"),
           Figure("bytes, double", r"double: workspace \d+, stack at most (\d+)", "<= 8192"),
           Figure("of them taken", r"double: \d+ calls took at most (\d+)", "<= 8192"),
           Figure("of the instructions that are stated, at most", r"([\d.]+) of it, spread", "<= 1", "max"),
           Figure("at least", r"([\d.]+) of it, spread", ">= 0.8", "min"),
           Figure("spread over inputs", r"unicycle.*spread ([\d.e+-]+)", "<= 1e-3", "max")),
          needs=("arm-none-eabi-gcc", "qemu-system-arm", "valgrind"), test="tools/emit", minutes=4, most=1500),
    # ---- the tests themselves ----
    Check("mutants", "R33", "120 sampled mistakes in the code of layers, factors, programs and generators: killed by the tests",
          "scripts/mutants", (Figure("% killed", r"([\d.]+) % killed \(at", ">= 90"), Figure("mutants", r"mutants: (\d+) in", ">= 120")),
          builds=(), alone=True, most=7200, long=True),
    Check("coverage", "R32", "branches of src/ that the tests take",
          "scripts/coverage", (Figure("% of branches", r"coverage: ([\d.]+) % of branches", ">= 95"),
                               Figure("% of lines excluded", r"([\d.]+) % of lines excluded", "<= 1")),
          builds=(), needs=("gcovr",), alone=True, most=3600, long=True),
    Check("fuzz-long", "R3 R4", "the same, four core-minutes and more for every target",
          "scripts/fuzz --seconds 3600", (Figure("with findings", r"(\d+) with findings", "= 0"),),
          builds=(), needs=("clang",), alone=True, most=30000, long=True),
)
