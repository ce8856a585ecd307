/* kernel_source.h - from a plan to C text: the arithmetic of a layer as code, for one model, one method, one
 * instruction set.
 *
 * The input is a plan; the output is the source of a shared object, complete in one text: it includes only headers of
 * the C library. Its results equal those of the listed kernels (cpu/kernels.h) bit for bit: operators are printed from
 * one list, small functions are included from those kernels, sums keep their order and their start. compile.h loads the
 * shared object.
 *
 * Compile it with generate_flags; additional flags must not allow contraction or reassociation; the text reports an
 * error for some of them.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_SOURCE_H
#define HN_CODEGEN_KERNEL_SOURCE_H

#include "codegen/print/text.h"
#include "core/plan.h"

struct generate_options {
    hn_instructions instructions; /* HN_INSTRUCTIONS_BEST: the best instruction set of this processor */
    bool adjoint;                 /* include gradients; otherwise the listed kernels compute them */
};

struct generated_text {
    char *bytes;   /* terminated by 0; release with base_release */
    size_t length; /* without the terminating 0 */
    size_t left;   /* approximate bytes omitted because parts are too large (size_limits.h) */
};

/* The same plan, options and library version produce the same bytes. HN_UNSUPPORTED if a part of the plan is not
 * supported or everything is too large; the error names it. */
hn_status generate_lanes(struct generated_text *out, const struct plan *plan, const struct generate_options *options,
                         hn_error *error);

/* Replaces HN_INSTRUCTIONS_BEST by the best instruction set of this processor. */
hn_instructions generate_instructions(hn_instructions instructions);

/* The headers at the beginning of every text, after its macros. */
void generate_print_prelude(struct text *text);

/* Compiler flags for these instructions (the same for gcc and clang), at most `most`; returns their number. Excludes
 * flags for optimisation (see generate_level), input and output. */
size_t generate_flags(hn_instructions instructions, const char **flags, size_t most);

/* The optimisation flag with the best trade-off between compile time and speed. */
const char *generate_level(void);

#endif
