/* kernel_source.h - from a plan to C text: the arithmetic of a layer as code, for one model, one method, one instruction set.
 *
 * The input is a plan; the output is the source of a shared object, complete in one text: it includes only headers of the C library.
 * Its results have the bits of the listed kernels (cpu/kernels.h): operators are printed from one list, small functions are the text of
 * those kernels, sums keep their order and their start. compile.h loads the shared object.
 *
 * Compile it with generate_flags; other flags must not allow fused or reordered products and sums; the text reports an error for some of
 * them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_SOURCE_H
#define HN_CODEGEN_KERNEL_SOURCE_H

#include "codegen/print/text.h"
#include "core/plan.h"

struct generate_options {
    hn_instructions instructions; /* HN_INSTRUCTIONS_BEST: the best of this processor */
    bool adjoint;                 /* gradients, too; without them they go through the listed kernels */
};

struct generated_text {
    char *bytes;   /* with a 0 behind them; base_release releases them */
    size_t length; /* without it */
    size_t left;   /* about as many bytes would be there, too, but for parts that are too large (size_limits.h) */
};

/* The same plan, options and library give the same bytes. HN_UNSUPPORTED where the plan has something that is not generated, or where
 * all of it is too large; the error says what. */
hn_status generate_lanes(struct generated_text *out, const struct plan *plan, const struct generate_options *options,
                         hn_error *error);

/* The best instructions of this processor in place of HN_INSTRUCTIONS_BEST. */
hn_instructions generate_instructions(hn_instructions instructions);

/* The headers that every text begins with, behind its own macros. */
void generate_print_prelude(struct text *text);

/* Flags that a C compiler needs for these instructions (gcc's and clang's are the same), at most `most` of them: how many there are.
 * They say nothing about optimisation (generate_level does), input or output. */
size_t generate_flags(hn_instructions instructions, const char **flags, size_t most);

/* The flag of optimisation that was found best: compile time against speed. */
const char *generate_level(void);

#endif
