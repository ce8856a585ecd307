/* loop_fusion.c - a round that becomes loops: what is evaluated stands where the step asks for it.
 *
 * Evaluation, residuals and factor of all stages one after the other are three loops, and what goes from one to the next passes through
 * memory. In the order in which the step asks for them they are one, and most of it stays in registers. Statements may change places
 * where every slot that is evaluated has one writer, and the step writes no slot that is evaluated from; largest violations and the
 * mask of what is lost are gathered in any order.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/memory.h"

#include <string.h>

struct weaver {
    const struct ir_module *ir;
    const struct statements *s;
    struct statements to;
    uint32_t *writer; /* per slot: 1 + the late statement that writes it */
    bool *read;       /* per slot: by a late statement */
    bool *done;       /* per late statement */
    uint32_t *stack;
};

static bool gathers(const struct ir_module *ir, uint32_t slot) {
    return slot - (ir->own + OWN_WORST) < OWN_CHAINS || slot == ir->own + OWN_LOST;
}

/* A slot that is evaluated into a second time becomes another one, behind all others; in the order of the statements, so that slots of
 * stages that are alike lie evenly. now: per slot, where what it would hold lies. */
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
    size_t slots = ir->slots;
    uint32_t *now = base_allocate(slots * sizeof *now);
    bool *written = base_allocate(slots * sizeof *written), taken = now && written;
    for (size_t i = 0; i < slots && taken; i++) {
        now[i] = (uint32_t)i;
        written[i] = false;
    }
    if (taken)
        rename_slots(ir, s, now, written);
    base_release(now);
    base_release(written);
    return taken;
}

/* Whether statements may change places. */
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

/* A late statement whose value the statement needs and that has not been written yet; s->late when there is none. */
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

/* A late statement, behind those that it needs; the size of a row's residual, and whether it is lost, right behind it. */
static void loop_fusion_take(struct weaver *w, size_t i) {
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
            loop_fusion_take(w, i);
    for (size_t i = s->late; i < s->count; i++) {
        for (size_t k = 0; k < s->late && function_is_act((enum function)s->list[i].function); k++)
            if (!w->done[k])
                loop_fusion_take(w, k);
        for (size_t need = needed(w, i); need < s->late; need = needed(w, i))
            loop_fusion_take(w, need);
        statements_repeat(&w->to, s, i);
    }
}

bool ir_weave(struct ir_module *ir, struct statements *s) {
    if (!rename_all(ir, s))
        return false;
    struct weaver w = {.ir = ir, .s = s};
    w.to = (struct statements){.window = s->window, .window_slots = s->window_slots, .round = s->round};
    w.writer = base_allocate((size_t)ir->slots * sizeof *w.writer);
    w.stack = base_allocate((s->count + 1) * sizeof *w.stack);
    w.read = base_allocate((size_t)ir->slots * sizeof *w.read);
    w.done = base_allocate((s->late + 1) * sizeof *w.done);
    bool taken = w.writer && w.stack && w.read && w.done;
    if (taken) {
        memset(w.writer, 0, ir->slots * sizeof *w.writer);
        memset(w.read, 0, ir->slots * sizeof *w.read);
        memset(w.done, 0, (s->late + 1) * sizeof *w.done);
        if (index_slots(&w)) {
            weave(&w);
            statements_release(s);
            *s = w.to;
        }
    }
    base_release(w.writer);
    base_release(w.stack);
    base_release(w.read);
    base_release(w.done);
    return taken;
}
