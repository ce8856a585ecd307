/* size_limits.c - see size_limits.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/size_limits.h"

#include "base/error.h"
#include "codegen/passes/loop_reroll.h"

/* The executor runs a part completely as generated code, or not at all. */
enum part {
    PART_BACK,
    PART_PREPARE,
    PART_VALUES,
    PART_RESIDUAL,
    PART_RESCALE,
    PART_WEIGHTS,
    PART_LARGEST,
    PART_STEP,
    PART_BACK_PROGRAM,
    PARTS
};

static const uint8_t part_of[KERNEL_ENTRIES] = {
    [KERNEL_PREPARE] = PART_PREPARE,           [KERNEL_EVALUATE] = PART_VALUES,
    [KERNEL_RESIDUAL] = PART_RESIDUAL,         [KERNEL_RESIDUAL_BRIEF] = PART_RESIDUAL,
    [KERNEL_RESCALE] = PART_RESCALE,           [KERNEL_WEIGH] = PART_WEIGHTS,
    [KERNEL_WEIGH_ALL] = PART_WEIGHTS,         [KERNEL_LARGEST] = PART_LARGEST,
    [KERNEL_STEP_BEGIN] = PART_STEP,           [KERNEL_STEP_END] = PART_STEP,
    [KERNEL_BACK_PROGRAM] = PART_BACK_PROGRAM,
};

/* ---- predicted length ---- */

/* Bytes per statement, per operand that is a slot or a variable, and per constant operand. */
enum { STATEMENT_BYTES = 30, OPERAND_BYTES = 10, NUMBER_BYTES = 22 };

static size_t statement_bytes(const struct ir_module *ir, const struct statements *s, const struct statement *at) {
    size_t bytes = STATEMENT_BYTES;
    for (uint32_t k = 0; k < at->count; k++) {
        uint32_t operand = s->operands[at->first + k];
        if (!operand_is_constant(operand))
            bytes += OPERAND_BYTES;
        else if (fabs(ir->constants[operand - STATEMENT_CONSTANT]) != 1)
            bytes += NUMBER_BYTES;
    }
    return bytes;
}

bool parts_predict(const struct ir_module *ir, enum kernel_entry entry, size_t *bytes) {
    const struct statements *s = &ir->entry[entry];
    struct regions regions;
    *bytes = 0;
    regions_find(&regions, s, ir, REGION_OPERANDS);
    for (size_t r = 0; r < regions.count; r++)
        for (size_t i = 0; i < regions.list[r].period; i++)
            *bytes += statement_bytes(ir, s, &s->list[regions.list[r].first + i]);
    bool done = !regions.failed;
    regions_release(&regions);
    return done;
}

/* ---- selection ---- */

/* If the listed kernels run the rows of the adjoint, they also run its program. */
static void drop_part(struct ir_module *ir, enum part part) {
    for (int e = 0; e < KERNEL_ENTRIES; e++)
        if (part_of[e] == part || (part == PART_BACK && part_of[e] == PART_BACK_PROGRAM))
            statements_release(&ir->entry[e]);
}

hn_status parts_choose(struct ir_module *ir, size_t *left, hn_error *error) {
    bool tiled = ir->plan->system.kind == FACTOR_TILED;
    size_t bytes[PARTS] = {0}, most = tiled ? PART_MOST_ALONE : PART_MOST, more;
    *left = ir->left;
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        if (!parts_predict(ir, (enum kernel_entry)e, &more))
            return error_no_memory(error, "generated code");
        bytes[part_of[e]] += more;
    }
    for (int part = 0; part < PARTS; part++)
        if (bytes[part] > most) {
            drop_part(ir, (enum part)part);
            *left += bytes[part];
        }
    if (ir->entry[KERNEL_EVALUATE].count > 0 || ir->entry[KERNEL_WEIGH].count > 0 ||
        ir->entry[KERNEL_STEP_BEGIN].count > 0)
        return HN_OK;
    return error_set(error, HN_UNSUPPORTED,
                     "generated code: not worthwhile for this model: %sthe remaining code would have %zu kB of C; "
                     "the limit of a part is %zu kB",
                     tiled ? "its linear system is dense and is solved by loops, and " : "", *left / 1000, most / 1000);
}

hn_status parts_limit(struct ir_module *ir, enum kernel_entry entry, hn_error *error) {
    size_t bytes;
    if (!parts_predict(ir, entry, &bytes))
        return error_no_memory(error, "generated code");
    if (bytes > PART_MOST)
        statements_release(&ir->entry[entry]);
    return HN_OK;
}
