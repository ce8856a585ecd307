/* loop_fusion.c - sinks the statements of an evaluation to their first use in the step, so that a round has fewer
 * loops.
 *
 * Evaluation, residuals and factor of all stages in sequence are three loops that pass values through memory. Sunk to
 * their uses in the step they form one loop, and most values stay in registers. Statements may be reordered if every
 * slot of the evaluation has one writer and the step writes no slot that the evaluation reads; largest violations and
 * the mask of non-finite values are accumulated in any order.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

struct weaver {
    const struct ir_module *ir;
    const struct statements *s;
    struct statements to;
    uint32_t *writer; /* per slot: 1 + the late statement that writes it, or 0 */
    bool *read;       /* per slot: a late statement reads it */
    bool *done;       /* per late statement: already emitted */
    uint32_t *stack;
};

static bool gathers(const struct ir_module *ir, uint32_t slot) {
    return slot - (ir->own + OWN_WORST) < OWN_CHAINS || slot == ir->own + OWN_LOST;
}

/* A slot that the evaluation writes a second time is renamed, in the order of the statements, so that similar stages
 * have slots at constant strides. now: per slot, the slot with its current value. */
static void rename_slots(struct ir_module *ir, struct statements *s, uint32_t *now, bool *written) {
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *at = &s->list[i];
        uint32_t *operand = s->operands + at->first, destinations = statement_destinations(at);
        for (uint32_t k = destinations; k < at->count; k++)
            if (!operand_is_constant(operand[k]))
                operand[k] = now[operand[k]];
        for (uint32_t d = 0; d < destinations; d++) {
            uint32_t slot = operand[d];
            if (gathers(ir, slot) && i < s->late)
                continue;
            now[slot] = written[slot] && i < s->late ? ir->slots++ : slot;
            written[slot] = true;
            operand[d] = now[slot];
        }
    }
}

static bool rename_all(struct ir_module *ir, struct statements *s) {
    struct buffers buffers = {.count = 0};
    uint32_t *now = buffers_take(&buffers, ir->slots, sizeof *now);
    bool *written = buffers_take(&buffers, ir->slots, sizeof *written);
    for (uint32_t i = 0; i < ir->slots && !buffers.failed; i++)
        now[i] = i;
    if (!buffers.failed)
        rename_slots(ir, s, now, written);
    buffers_release(&buffers);
    return !buffers.failed;
}

/* Whether statements may be reordered. */
static bool index_slots(const struct weaver *w) {
    const struct statements *s = w->s;
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *at = &s->list[i];
        const uint32_t *operand = s->operands + at->first;
        uint32_t destinations = statement_destinations(at);
        for (uint32_t k = destinations; k < at->count && i < s->late; k++)
            if (!operand_is_constant(operand[k]))
                w->read[operand[k]] = true;
        for (uint32_t d = 0; d < destinations; d++) {
            uint32_t slot = operand[d];
            if (gathers(w->ir, slot) && i < s->late)
                continue;
            if (w->writer[slot] || (i >= s->late && w->read[slot] && !statements_in_window(s, slot)))
                return false;
            if (i < s->late)
                w->writer[slot] = (uint32_t)i + 1;
        }
    }
    return true;
}

/* A late statement that is not emitted yet and whose value the statement needs, or s->late. */
static size_t needed(const struct weaver *w, size_t i) {
    const struct statement *at = &w->s->list[i];
    for (uint32_t k = statement_destinations(at); k < at->count; k++) {
        uint32_t operand = w->s->operands[at->first + k];
        uint32_t writer = operand_is_constant(operand) ? 0 : w->writer[operand];
        if (writer && !w->done[writer - 1])
            return writer - 1;
    }
    return w->s->late;
}

/* Emits a late statement after its dependencies; for a residual, its size and its test for non-finite values follow
 * directly. */
static void take_late(struct weaver *w, size_t i) {
    size_t depth = 0;
    w->stack[depth++] = (uint32_t)i;
    while (depth > 0) {
        size_t top = w->stack[depth - 1], need = needed(w, top);
        if (w->done[top]) {
            depth--;
        } else if (need < w->s->late) {
            w->stack[depth++] = (uint32_t)need;
        } else {
            w->done[top] = true;
            statements_repeat(&w->to, w->s, top);
            if (top + 1 < w->s->late && !w->done[top + 1] && statement_follows_row(&w->s->list[top + 1]))
                w->stack[depth - 1] = (uint32_t)top + 1;
            else
                depth--;
        }
    }
}

static void weave(struct weaver *w) {
    const struct statements *s = w->s;
    for (size_t i = 0; i < s->late; i++)
        if (s->list[i].function == ROW_ZERO || s->list[i].function == ROW_NONE_SET)
            take_late(w, i);
    for (size_t i = s->late; i < s->count; i++) {
        for (size_t k = 0; k < s->late && function_is_act((enum function)s->list[i].function); k++)
            if (!w->done[k])
                take_late(w, k);
        for (size_t need = needed(w, i); need < s->late; need = needed(w, i))
            take_late(w, need);
        statements_repeat(&w->to, s, i);
    }
}

bool ir_weave(struct ir_module *ir, struct statements *s) {
    struct buffers buffers = {.count = 0};
    if (!rename_all(ir, s))
        return false;
    struct weaver w = {.ir = ir, .s = s, .to = statements_like(s)};
    w.to.late = 0;
    w.writer = buffers_take(&buffers, ir->slots, sizeof *w.writer);
    w.stack = buffers_take(&buffers, s->count, sizeof *w.stack);
    w.read = buffers_take(&buffers, ir->slots, sizeof *w.read);
    w.done = buffers_take(&buffers, s->late, sizeof *w.done);
    if (!buffers.failed && index_slots(&w)) {
        weave(&w);
        statements_release(s);
        *s = w.to;
    }
    buffers_release(&buffers);
    return !buffers.failed;
}
