/* bytecode.h - statements as words in a device's memory, and the text that runs them.
 *
 * In come the statements of some entries of a walk; out go one array of words, one of numbers, and for each entry where its words are;
 * see bytecode_run.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_BYTECODE_H
#define HN_CUDA_BYTECODE_H

#include "codegen/ir/lower.h"
#include "codegen/print/text.h"

struct bytecode {
    uint32_t *words;
    size_t count;
    double *numbers; /* what operands that are no slots stand for; floats where they were rounded */
    size_t number_count;
    bool rounded;
    bool entry[KERNEL_ENTRIES];                          /* which are listed, */
    uint32_t first[KERNEL_ENTRIES], end[KERNEL_ENTRIES]; /* and their words */
    bool uses[FUNCTIONS];
    bool renames;               /* temporaries move to more slots, so that groups are longer */
    bool uses_group[FUNCTIONS]; /* in groups: bytecode_groups_plan.h */
    uint32_t slots;             /* of a sample, those that groups need included */
};

/* entry says which, renames how. HN_LIMIT where there are more words than a number of 32 bits counts. */
hn_status bytecode_create(struct bytecode *listed, const struct ir_module *ir, hn_error *error);

/* Numbers become floats, one behind the other, for kernels of floats: behind everything that adds to them. HN_UNSUPPORTED where one is too
 * large, which the model's own constants are not: they were looked at. */
hn_status bytecode_round(struct bytecode *listed, hn_error *error);
size_t bytecode_number_bytes(const struct bytecode *listed); /* of one */

void bytecode_release(struct bytecode *listed); /* zeros are none */

/* The functions that are named, in front of and behind bytecode_run.h; entry_NAME of each entry that is listed. */
void bytecode_print_names(struct text *text);
void bytecode_print_functions(struct text *text, const struct bytecode *listed);
void bytecode_print_entry(struct text *text, const struct bytecode *listed, enum kernel_entry entry);

#endif
