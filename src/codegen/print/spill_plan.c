/* spill_plan.c - the plan of spill.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/print/spill.h"

#include <string.h>

/* ---- values ---- */

uint32_t spill_value(const struct keeper *k, uint32_t statement, uint32_t a) {
    const struct statement *at = &k->p->s->list[statement];
    uint32_t operand = k->p->s->operands[at->first + a], source = k->p->liveness->source[at->first + a];
    if (operand_is_constant(operand))
        return SPILL_NEVER;
    return source ? source - 1
                  : 2 * k->statements + (function_argument_is_mask(at->function, a) ? k->slots : 0) + operand;
}

uint32_t spill_next(struct keeper *k, uint32_t value, uint32_t now) {
    while (k->next[value] < k->uses[value + 1] && k->use_at[k->next[value]] <= now)
        k->next[value]++;
    if (k->next[value] < k->uses[value + 1])
        return k->use_at[k->next[value]];
    return k->last[value] > now ? k->last[value] : SPILL_NEVER;
}

/* ---- uses ---- */

/* Visits every use of a value by an act. */
static void each_use(struct keeper *k, void (*visit)(struct keeper *k, uint32_t value, uint32_t time)) {
    for (uint32_t time = 0; time < k->acts->count; time++) {
        const struct act *act = &k->acts->list[time];
        if (act->kind != ACT_STATEMENT)
            continue;
        const struct statement *at = &k->p->s->list[act->statement];
        for (uint32_t a = statement_destinations(at); a < at->count; a++) {
            uint32_t value = spill_value(k, act->statement, a);
            if (value != SPILL_NEVER)
                visit(k, value, time);
        }
    }
}

static void count_use(struct keeper *k, uint32_t value, uint32_t time) {
    (void)time;
    k->uses[value + 1]++;
}

static void note_use(struct keeper *k, uint32_t value, uint32_t time) {
    k->use_at[k->next[value]++] = time;
    k->last[value] = time;
}

static void note_acts(struct keeper *k) {
    uint32_t texts = 0;
    memset(k->written, 0xff, k->slots * sizeof *k->written);
    for (uint32_t time = 0; time < k->acts->count; time++) {
        const struct act *act = &k->acts->list[time];
        k->texts[time] = texts += act->kind == ACT_TEXT;
        if (act->kind != ACT_STATEMENT)
            continue;
        const struct statement *at = &k->p->s->list[act->statement];
        k->born[act->statement] = time;
        for (uint32_t d = 0; d < statement_destinations(at); d++) {
            uint32_t slot = k->p->s->operands[at->first + d];
            if (k->p->liveness->stored[act->statement] >> d & 1 && k->written[slot] == UINT32_MAX)
                k->written[slot] = time;
        }
    }
}

/* ---- rematerialisation ---- */

enum { AGAIN_MOST = 10, AGAIN_DEPTH = 3, AGAIN_NEVER = 1000 }; /* costs: an operation 2, reading a slot 1 */

static bool is_short(enum function function) {
    switch (function) {
    case FUNCTION_ADD:
    case FUNCTION_SUB:
    case FUNCTION_MUL:
    case FUNCTION_NEG:
    case FUNCTION_MUL_ADD:
    case FUNCTION_MUL_SUB:
    case FUNCTION_SUB_MUL:
    case FUNCTION_MUL_MUL:
        return true;
    default:
        return function > ROW_FIRST && function < SUM_PLUS && !function_is_inverse(function) &&
               !function_is_act(function) && function != ROW_RELATIVE && function != ROW_RESCALE;
    }
}

/* Whether a slot has the same value at both times. */
static bool is_same(const struct keeper *k, uint32_t slot, uint32_t from, uint32_t until) {
    return (k->acts->steady[slot] || k->texts[from] == k->texts[until]) && k->written[slot] >= until;
}

/* Cost of recomputing the value of a statement until a time. */
static uint32_t cost_of(const struct keeper *k, uint32_t statement, uint32_t until, int depth) {
    const struct statement *at = &k->p->s->list[statement];
    uint32_t cost = 2;
    if (!is_short((enum function)at->function) || depth == 0)
        return AGAIN_NEVER;
    for (uint32_t a = 1; a < at->count && cost < AGAIN_NEVER; a++) {
        uint32_t value = spill_value(k, statement, a), slot = k->p->s->operands[at->first + a];
        if (value == SPILL_NEVER)
            continue;
        if (value >= 2 * k->statements)
            cost += is_same(k, slot, k->born[statement], until) ? 1 : AGAIN_NEVER;
        else
            cost += k->acts->ahead[value / 2] ? 2 : cost_of(k, value / 2, until, depth - 1);
    }
    return cost;
}

/* Extends the live ranges of sines and cosines needed by a recomputed value. */
static void extend(struct keeper *k, uint32_t statement, uint32_t until) {
    const struct statement *at = &k->p->s->list[statement];
    for (uint32_t a = 1; a < at->count; a++) {
        uint32_t value = spill_value(k, statement, a);
        if (value >= 2 * k->statements)
            continue;
        if (!k->acts->ahead[value / 2])
            extend(k, value / 2, until);
        else if (k->last[value] < until)
            k->last[value] = until;
    }
}

static void choose_kept(struct keeper *k) {
    for (uint32_t time = 0; time < k->acts->count; time++) {
        const struct act *act = &k->acts->list[time];
        uint32_t until = act->kind == ACT_STATEMENT ? k->last[2 * (size_t)act->statement] : 0;
        if (until == 0 || cost_of(k, act->statement, until, AGAIN_DEPTH) > AGAIN_MOST)
            continue;
        k->again[act->statement] = true;
        extend(k, act->statement, until);
    }
}

/* ---- the plan ---- */

static bool take_lists(struct keeper *k) {
    struct buffers *lists = &k->lists;
    size_t values = k->values + (size_t)1, slots = k->slots;
    k->uses = buffers_take(lists, values, sizeof *k->uses);
    k->next = buffers_take(lists, values, sizeof *k->next);
    k->last = buffers_take(lists, values, sizeof *k->last);
    k->place = buffers_take(lists, values, sizeof *k->place);
    k->stamp = buffers_take(lists, values, sizeof *k->stamp);
    k->shadow = buffers_take(lists, values, sizeof *k->shadow);
    k->held = buffers_take(lists, values, sizeof *k->held);
    k->free = buffers_take(lists, values, sizeof *k->free);
    k->local = buffers_take(lists, values, sizeof *k->local);
    k->use_at = buffers_take(lists, k->p->s->operand_count, sizeof *k->use_at);
    k->declared = buffers_take(lists, 2 * slots, sizeof *k->declared);
    k->born = buffers_take(lists, k->statements, sizeof *k->born);
    k->again = buffers_take(lists, k->statements, sizeof *k->again);
    k->written = buffers_take(lists, slots, sizeof *k->written);
    k->texts = buffers_take(lists, k->acts->count, sizeof *k->texts);
    return !lists->failed;
}

bool keeper_create(struct keeper *k, const struct printer *p, const struct acts *acts, size_t most) {
    *k = (struct keeper){.p = p, .acts = acts, .most = most, .slots = p->ir->slots};
    k->statements = (uint32_t)p->s->count;
    k->places = acts->pinned_count;
    k->values = 2 * k->statements + 2 * k->slots;
    if (!take_lists(k))
        return false;
    each_use(k, count_use);
    for (uint32_t value = 0; value < k->values; value++)
        k->uses[value + 1] += k->uses[value];
    memcpy(k->next, k->uses, k->values * sizeof *k->next);
    each_use(k, note_use);
    memcpy(k->next, k->uses, k->values * sizeof *k->next);
    note_acts(k);
    choose_kept(k);
    return true;
}
