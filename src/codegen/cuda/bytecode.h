/* bytecode.h - statements as words in global memory, interpreted by codegen/cuda/bytecode_kernel.h: for entries that are too long for
 * straight-line code.
 *
 * Input: the statements of some entries. Output: one array of words, one of numbers, and the range of words of each entry.
 * Statements of one function that do not depend on each other form groups, so that a thread reads the arguments of several before
 * it waits for any.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_BYTECODE_H
#define HN_CODEGEN_BYTECODE_H

#include "codegen/ir/lower.h"
#include "codegen/print/text.h"

struct bytecode {
    uint32_t *words;
    size_t count;
    double *numbers; /* constant operands; floats after bytecode_round */
    size_t number_count;
    bool rounded;
    bool entry[KERNEL_ENTRIES];                          /* entries that are bytecode, */
    uint32_t first[KERNEL_ENTRIES], end[KERNEL_ENTRIES]; /* and their words */
    bool uses[FUNCTIONS], uses_group[FUNCTIONS];         /* in single statements; in groups */
    bool renames;                                        /* temporaries get more slots, which makes groups longer */
    uint32_t slots;                                      /* of a sample, with these temporaries */
};

/* Compiles entry, with renames. HN_LIMIT if 32 bits cannot number the words. */
hn_status bytecode_create(struct bytecode *bytecode, const struct ir_module *ir, hn_error *error);

/* Converts numbers to contiguous floats, for float kernels, after all numbers are added. HN_UNSUPPORTED if one overflows; the
 * model's own constants are already checked. */
hn_status bytecode_round(struct bytecode *bytecode, hn_error *error);
size_t bytecode_number_bytes(const struct bytecode *bytecode); /* of one */

void bytecode_release(struct bytecode *bytecode); /* accepts zeros */

/* Prints the interpreter with the functions that are used, and entry_NAME for each entry in bytecode. */
void bytecode_print_functions(struct text *text, const struct bytecode *bytecode);
void bytecode_print_entry(struct text *text, const struct bytecode *bytecode, enum kernel_entry entry);

#endif
