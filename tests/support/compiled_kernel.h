/* compiled_kernel.h - generated code in tests: a plan's text, compiled by the system's C compiler and loaded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_COMPILED_KERNEL_H
#define HN_TESTS_SUPPORT_COMPILED_KERNEL_H

#include "codegen/kernel/compile.h"
#include "codegen/kernel/kernel_source.h"

/* False where there is no C compiler (cc): tests skip by name then. */
bool compiler_is_there(void);

/* For TEST_GROUP with scratch_tear_down: *state is a folder (scratch.h). Without a C compiler the program ends there, skipped. */
int compiler_set_up(void **state);

/* Writes the text to path + ".c" and compiles it into path with this level ("-O1"). False when the compiler fails. */
bool compile_text(const char *text, const char *path, hn_instructions instructions, const char *level);

/* All at once, in the folder; fails the test where anything does. */
struct kernel *compiled_kernel(const char *folder, const struct plan *plan, struct generate_options options,
                               const char *level);

#endif
