"""Every shared header (cmake/texts.cmake) compiles, by itself and with its own includes, for each target that it is part of.

Emitted files are C99 and kernels C++20; both come in double and in float. Code compiled for a model is C11 over SIMD lanes. What a
generated part declares comes from texts/. Warnings are errors.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys

# form: is it C++, what is defined
LAYER, SINGLE = "STUB_LAYER", "REAL_SINGLE"
FORMS = {
    "plain double": (False, []), "plain float": (False, [SINGLE]), "libm double": (False, ["REAL_LIBM"]), "libm float": (False, ["REAL_LIBM", SINGLE]),
    "emitted double": (False, [LAYER]), "emitted float": (False, [LAYER, SINGLE]),
    "registers double": (True, [LAYER, "DEVICE_POLISH"]), "registers float": (True, [LAYER, SINGLE, "DEVICE_SINGLE"]),
    "registers adjoint": (True, [LAYER, "DEVICE_GRADIENTS"]), "registers float adjoint": (True, [LAYER, SINGLE, "DEVICE_SINGLE", "DEVICE_GRADIENTS"]),
    "memory double": (True, [LAYER, "STUB_MEMORY", "DEVICE_POLISH"]), "memory float": (True, [LAYER, "STUB_MEMORY", SINGLE, "DEVICE_SINGLE"]),
    "memory adjoint": (True, [LAYER, "STUB_MEMORY", "DEVICE_GRADIENTS"]),
    "memory float adjoint": (True, [LAYER, "STUB_MEMORY", SINGLE, "DEVICE_SINGLE", "DEVICE_GRADIENTS"]),
    "lanes double": (False, []), "search double": (True, [LAYER, "STUB_MEMORY", "DEVICE_SEARCHES"]),
    "search adjoint": (True, [LAYER, "STUB_MEMORY", "DEVICE_SEARCHES", "DEVICE_GRADIENTS"]), "policy double": (True, [LAYER, "STUB_POLICY"]),
}
EVERYWHERE = "emitted double, emitted float, registers double, memory float"

# pattern of files: their forms; the first that fits
FILES = [
    (r"base/(lanes|simd|elementary).h|cpu/(unload_kernel|fused_auto|kernel_table).h|codegen/kernel/(?!row_).*", "lanes double"),
    (r"cpu/row_values_kernel.h|codegen/kernel/row_functions_kernel.h|linalg/pivot_kernel.h", f"lanes double, {EVERYWHERE}"),
    (r"base/reduce.c|core/simd2\w*.h", "plain double"),
    (r"base/reduce.h", "emitted double, registers double"),
    (r"base/elementary_\w+.h|core/scalar.h", "emitted double, registers double, emitted float, registers float"),
    (r"core/emitted_target.h|core/entry_slots.h", "plain double, plain float"),
    (r"core/libm_math.h", "libm double, libm float"),
    (r"core/mlp\w*.h|core/policy_run.h|core/refine_slots.h", "emitted double, emitted float"),
    (r"core/casadi_external.h", "emitted double"),
    (r"core/rounding_bound\w*.h", "emitted float"),
    (r"linalg/(damped|dense_ldl|sparse_ldl)_\w+.h|core/(barrier|refine|candidate)\w*.h", "emitted double, emitted float, policy double"),
    (r"codegen/cuda/branchless_kernel.h|cuda/kernels/kernel_registers.h", "registers double, registers float, registers adjoint, registers float adjoint"),
    (r"cuda/kernels/mixed_precision.h", "registers double, memory double"),
    (r"cuda/kernels/(sample_io|kernel_main).h", "registers double, registers float, registers adjoint, registers float adjoint, "
                                                "memory double, memory float, memory adjoint, memory float adjoint"),
    (r"cuda/kernels/(device_target|kernel_args).h", "registers double, registers float, memory double, memory float"),
    (r"cuda/kernels/policy_\w+.h|core/residual.h", "policy double"),
    (r"cuda/kernels/nearest_kernel.h", "search double, search adjoint"),
    (r"cuda/kernels/(search|kernels)_\w+.h|linalg/signed_\w+.h|base/arena_memory.h|autodiff/\w+.h", "search double"),
    (r"linalg/(blocked_(rows|solve|thread)|tridiagonal_(solve|thread))_kernel.h", "memory double, memory float"),
    (r"core/(nearest|active_set|search|solver_search|least_squares|infeasibility|implicit)\w*.h", "search double"),
    (r"codegen/cuda/\w+_step_kernel.h", "memory double, memory float, memory adjoint, memory float adjoint"),
    (r"(codegen/cuda|cuda/kernels)/.*", "memory double, memory float"),
    (r".*", EVERYWHERE),
]

# form: pattern of files, what the text before them includes: the place of slots, and kernels over them
SEARCH = ["cuda/kernels/global_slots.h"]
BLOCKED = ["codegen/cuda/blocked_step_kernel.h"]
KERNELS = [*SEARCH, "core/program_run.h", "linalg/signed_kernel.h", "cuda/kernels/kernels_thread.h"]
BEFORE = {
    "emitted": [(r"linalg/(dense|sparse)_\w+.h", ["core/refine_slots.h", "linalg/damped_kernel.h"]),
                (r"core/policy_run.h", ["core/refine_slots.h", "linalg/damped_kernel.h", "core/barrier_kernel.h", "house/texts/policy_stub.h"]),
                (r"core/refine_qp.h", ["core/refine_slots.h", "linalg/damped_kernel.h", "core/barrier_kernel.h"]),
                (r"linalg/damped_kernel.h|core/barrier_kernel.h", ["core/refine_slots.h"])],
    "policy": [(r"linalg/(dense|sparse)_\w+.h", ["cuda/kernels/policy_refine.h"]),
               (r"core/refine_qp.h", ["cuda/kernels/policy_refine.h"]),
               (r"linalg/damped_kernel.h|core/barrier_kernel.h", ["cuda/kernels/policy_refine.h"])],
    "registers": [(r"cuda/kernels/kernel_main.h", ["house/texts/iteration_stub.h"])],
    "memory": [(r"cuda/kernels/kernel_main.h", ["codegen/cuda/bytecode_kernel.h"]),
               (r"linalg/(blocked_(rows|solve|thread)|tridiagonal_thread)_kernel.h", BLOCKED),
               (r"linalg/tridiagonal_solve_kernel.h", [*BLOCKED, "linalg/tridiagonal_thread_kernel.h"])],
    "search": [(r"linalg/signed_kernel.h|cuda/kernels/kernels_\w+.h", SEARCH),
               (r"linalg/signed_block_kernel.h", [*SEARCH, "cuda/kernels/kernels_block.h"]),
               (r"core/(nearest_(?!layout|state)|active_set(?!_layout)|search|least_squares|infeasibility|implicit)\w*.h", KERNELS)],
}
WARNINGS = ["-Wall", "-Werror", "-Wno-unused-function", "-Wno-unused-variable", "-Wno-psabi", "-Wno-int-in-bool-context", "-Wno-unknown-warning-option"]


def shared_files(source):
    return re.search(r"set\(text_files(.*?)\)\n", (source / "cmake" / "texts.cmake").read_text(), re.S).group(1).split()


def first_fit(rules, file):
    return next((value for pattern, value in rules if re.fullmatch(pattern, file)), None)


def forms_of(file):
    return first_fit(FILES, file).split(", ")


def compile_file(source, compilers, file, form):
    """What the compiler has to say about it; empty when nothing."""
    plus, defines = FORMS[form]
    stub = "lanes" if form == "lanes double" else "layer"
    includes = [f"house/texts/{stub}_stub.h", *(first_fit(BEFORE.get(form.split()[0], []), file) or []), file,
                *(["house/texts/lanes_entries_stub.h"] if stub == "lanes" else [])]
    language = ["-x", "c++", "-std=c++20", "-DDEVICE_HOST", "-Wno-volatile", "-Wno-deprecated-volatile", "-Wno-deprecated-enum-enum-conversion",
                "-Wno-deprecated-enum-float-conversion"] if plus else ["-x", "c", "-std=c99", "-Wextra", "-Wno-missing-field-initializers"]
    done = subprocess.run([compilers[plus], *language, *WARNINGS, "-fsyntax-only", *(f"-D{name}" for name in defines), "-Isrc", "-Iinclude", "-Itests", "-"],
                          input="".join(f'#include "{name}"\n' for name in includes), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=source,
                          check=False)
    return done.stdout if done.returncode else ""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2])
    parser.add_argument("--compiler", default="cc")
    parser.add_argument("--file")
    given = parser.parse_known_args()[0]
    compilers = [given.compiler, "c++"]
    if not shutil.which(compilers[1]):
        print("skipped: there is no C++ compiler")
        return 77
    jobs = [(file, form) for file in shared_files(given.source) for form in forms_of(file) if given.file in (None, file)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list(pool.map(lambda job: compile_file(given.source, compilers, *job), jobs))
    wrong = [(job, text) for job, text in zip(jobs, found) if text]
    for (file, form), text in wrong:
        print(f"{file}, {form}: {next((line for line in text.splitlines() if 'error' in line), text)}")
    print(f"{len(jobs) - len(wrong)} of {len(jobs)} compilations of {len(shared_files(given.source))} files are good")
    return 1 if wrong else 0


sys.exit(main())
