/* size_limits.c - see size_limits.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/size_limits.h"

#include "base/error.h"
#include "codegen/passes/loop_reroll.h"

/* What the executor runs as one, or not at all. */
enum part {
    PART_PREPARE,
    PART_VALUES,
    PART_RESIDUAL,
    PART_RESCALE,
    PART_WEIGHTS,
    PART_LARGEST,
    PART_STEP,
    PART_BACK,
    PART_BACK_PROGRAM,
    PARTS
};

static enum part part_of(enum kernel_entry entry) {
    switch (entry) {
    case KERNEL_PREPARE:
        return PART_PREPARE;
    case KERNEL_EVALUATE:
        return PART_VALUES;
    case KERNEL_RESIDUAL:
    case KERNEL_RESIDUAL_BRIEF:
        return PART_RESIDUAL;
    case KERNEL_RESCALE:
        return PART_RESCALE;
    case KERNEL_WEIGH:
    case KERNEL_WEIGH_ALL:
        return PART_WEIGHTS;
    case KERNEL_LARGEST:
        return PART_LARGEST;
    case KERNEL_STEP_BEGIN:
    case KERNEL_STEP_END:
        return PART_STEP;
    case KERNEL_BACK_PROGRAM:
        return PART_BACK_PROGRAM;
    default:
        return PART_BACK;
    }
}

/* ---- how long it would be ---- */

/* Bytes of a statement's frame, of an operand that is a slot or a variable, and of one that is a number. */
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
    regions_find(&regions, s, ir->constants, ir->loops);
    for (size_t r = 0; r < regions.count; r++)
        for (size_t i = 0; i < regions.list[r].period; i++)
            *bytes += statement_bytes(ir, s, &s->list[regions.list[r].first + i]);
    bool done = !regions.failed;
    regions_release(&regions);
    return done;
}

static bool predict_all(const struct ir_module *ir, size_t *bytes) {
    for (int e = 0; e < KERNEL_ENTRIES; e++) {
        size_t more;
        if (!parts_predict(ir, (enum kernel_entry)e, &more))
            return false;
        bytes[part_of((enum kernel_entry)e)] += more;
    }
    return true;
}

/* ---- choosing ---- */

/* A gradient whose rows are the listed kernels' has its program from them, too. */
static void size_limits_drop(struct ir_module *ir, enum part part) {
    for (int e = 0; e < KERNEL_ENTRIES; e++)
        if (part_of((enum kernel_entry)e) == part)
            statements_release(&ir->entry[e]);
    if (part == PART_BACK)
        size_limits_drop(ir, PART_BACK_PROGRAM);
}

static hn_status size_limits_refuse(const struct ir_module *ir, size_t left, size_t most, hn_error *error) {
    const char *system =
        ir->plan->system.kind == FACTOR_TILED ? "its linear system is dense, which loops do, and " : "";
    return error_set(error, HN_UNSUPPORTED,
                     "generated code: there is nothing to gain for this model: %sthe rest would have %zu kB of C, "
                     "where a part may have %zu kB",
                     system, left / 1000, most / 1000);
}

hn_status parts_choose(struct ir_module *ir, size_t *left, hn_error *error) {
    size_t bytes[PARTS] = {0}, most = ir->plan->system.kind == FACTOR_TILED ? PART_MOST_ALONE : PART_MOST;
    *left = ir->left;
    if (!predict_all(ir, bytes))
        return error_no_memory(error, "generated code");
    for (int part = 0; part < PARTS; part++)
        if (bytes[part] > most) {
            size_limits_drop(ir, (enum part)part);
            *left += bytes[part];
        }
    bool any = ir->entry[KERNEL_EVALUATE].count > 0 || ir->entry[KERNEL_WEIGH].count > 0 ||
               ir->entry[KERNEL_STEP_BEGIN].count > 0;
    return any ? HN_OK : size_limits_refuse(ir, *left, most, error);
}

hn_status parts_limit(struct ir_module *ir, enum kernel_entry entry, hn_error *error) {
    size_t bytes;
    if (!parts_predict(ir, entry, &bytes))
        return error_no_memory(error, "generated code");
    if (bytes > PART_MOST)
        statements_release(&ir->entry[entry]);
    return HN_OK;
}
