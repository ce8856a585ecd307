/* slp_split.c - statements as pairs are found among them: sums one product at a time, and what is collected in two halves.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_vectorize.h"

#include "base/memory.h"

#include <string.h>

/* ---- sums, one product at a time ---- */

/* Whether a product reads the slot that the sum goes to: no part of the sum may lie there before. */
static bool reads_own(const uint32_t *operands, uint32_t from, uint32_t count) {
    for (uint32_t k = from; k < count; k++)
        if (operands[k] == operands[0])
            return true;
    return false;
}

static void split_sum(struct statements *out, const struct statements *s, const struct statement *sum) {
    const uint32_t *operands = s->operands + sum->first;
    bool starts = sum->function == SUM_PLUS || sum->function == SUM_MINUS;
    bool minus = sum->function == SUM_MINUS || sum->function == SUM_BACK;
    uint32_t k = starts ? 4 : 3;
    statements_begin(out, (enum function)sum->function);
    for (uint32_t j = 0; j < k; j++)
        statements_operand(out, operands[j]);
    for (; k < sum->count; k += 2)
        statements_add(out, minus ? SUM_MINUS : SUM_PLUS, operands[0],
                       (const uint32_t[]){operands[0], operands[k], operands[k + 1]}, 3);
}

/* sum + (scale r)^2, one operation at a time. */
static void split_square(struct statements *out, const uint32_t *operands, uint32_t square) {
    statements_add(out, FUNCTION_MUL, square, operands + 2, 2);
    statements_add(out, FUNCTION_MUL, square, (const uint32_t[]){square, square}, 2);
    statements_add(out, FUNCTION_ADD, operands[0], (const uint32_t[]){operands[1], square}, 2);
}

void slp_split(struct statements *out, const struct ir_module *ir, const struct statements *s) {
    *out = (struct statements){.window = s->window, .window_slots = s->window_slots, .failed = s->failed};
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *sum = &s->list[i];
        bool starts = sum->function == SUM_PLUS || sum->function == SUM_MINUS;
        if (function_is_sum((enum function)sum->function) && sum->count > (starts ? 4 : 3) &&
            !reads_own(s->operands + sum->first, starts ? 4 : 3, sum->count))
            split_sum(out, s, sum);
        else if (sum->function == ROW_ADD_SQUARE)
            split_square(out, s->operands + sum->first, ir->own + OWN_WEIGHED);
        else
            statements_repeat(out, s, i);
    }
}

/* ---- what is collected ---- */

/* Where a mask collects bits, and where those of pairs are collected, the first's and the second's. */
struct collector {
    uint32_t slot, halves;
    bool open;
};
enum { COLLECTORS = 4 };

struct collecting {
    struct statements *out;
    const struct statements *s;
    const struct liveness *liveness;
    const struct slp_pairs *pairs;
    uint32_t slots;
    uint32_t *last;  /* per slot: 1 + the statement that sets it last */
    bool *collected; /* per slot: it is such a mask */
    struct collector all[COLLECTORS];
};

static const uint32_t *operands_of(const struct collecting *c, size_t i) {
    return c->s->operands + c->s->list[i].first;
}

/* Where destination d of a statement lies: a value that is replaced later has a place of its own, for whoever reads it late. */
static uint32_t slp_split_place_of(const struct collecting *c, size_t i, uint32_t d) {
    uint32_t slot = operands_of(c, i)[d];
    return c->collected[slot] || c->last[slot] == i + 1 ? slot : c->slots + 2 * COLLECTORS + 2 * (uint32_t)i + d;
}

static uint32_t argument_of(const struct collecting *c, size_t i, uint32_t k) {
    uint32_t source = c->liveness->source[c->s->list[i].first + k];
    return source ? slp_split_place_of(c, (source - 1) / 2, (source - 1) % 2) : operands_of(c, i)[k];
}

/* Whether it may stand later: what it reads from slots stays there. */
static bool can_wait(const struct collecting *c, size_t i) {
    for (uint32_t k = 2; k < c->s->list[i].count; k++) {
        uint32_t slot = operands_of(c, i)[k];
        if (!operand_is_constant(slot) && !c->liveness->source[c->s->list[i].first + k] && c->last[slot])
            return false;
    }
    return true;
}

static void copy_statement(const struct collecting *c, size_t i) {
    const struct statement *at = &c->s->list[i];
    statements_begin(c->out, (enum function)at->function);
    for (uint32_t k = 0; k < at->count; k++)
        statements_operand(c->out, k < statement_destinations(at) ? slp_split_place_of(c, i, k) : argument_of(c, i, k));
}

static void collect_half(const struct collecting *c, size_t i, uint32_t to) {
    const struct statement *at = &c->s->list[i];
    statements_begin(c->out, (enum function)at->function);
    statements_operand(c->out, to);
    statements_operand(c->out, to);
    for (uint32_t k = 2; k < at->count; k++)
        statements_operand(c->out, argument_of(c, i, k));
}

static struct collector *collector_of(struct collecting *c, uint32_t slot) {
    for (int i = 0; i < COLLECTORS; i++)
        if (c->all[i].open && c->all[i].slot == slot)
            return &c->all[i];
    return NULL;
}

static struct collector *open_collector(struct collecting *c, uint32_t slot) {
    struct collector *own = collector_of(c, slot);
    for (uint32_t i = 0; i < COLLECTORS && !own; i++)
        if (!c->all[i].open) {
            own = &c->all[i];
            *own = (struct collector){slot, c->slots + 2 * i, true};
            statements_add(c->out, ROW_NONE_SET, own->halves, NULL, 0);
            statements_add(c->out, ROW_NONE_SET, own->halves + 1, NULL, 0);
        }
    return own;
}

static void close_collector(struct collecting *c, struct collector *own) {
    for (uint32_t half = 0; half < 2; half++)
        statements_add(c->out, ROW_TAKE_ALL, own->slot, (const uint32_t[]){own->slot, own->halves + half}, 2);
    own->open = false;
}

/* Whoever reads or sets the mask itself comes behind all that is collected. */
static void close_before(struct collecting *c, size_t i) {
    const struct statement *at = &c->s->list[i];
    for (uint32_t k = 0; k < at->count && !slp_collects(at, c->s->operands); k++) {
        struct collector *own = collector_of(c, operands_of(c, i)[k]);
        if (own)
            close_collector(c, own);
    }
}

/* Whether what two of them collect is a pair itself, in the same order. */
static bool collects_pairs(const struct collecting *c, size_t i, size_t mate) {
    const struct slp_pairs *pairs = c->pairs;
    for (uint32_t k = 2; k < c->s->list[i].count; k++) {
        uint32_t x = c->liveness->source[c->s->list[i].first + k], y = c->liveness->source[c->s->list[mate].first + k];
        if (x && (!y || pairs->mate[(x - 1) / 2] != (y - 1) / 2 || pairs->high[(x - 1) / 2] != pairs->high[i]))
            return false;
    }
    return true;
}

static bool is_halved(const struct collecting *c, size_t i) {
    uint32_t mate = c->pairs->mate[i];
    return mate != i && slp_collects(&c->s->list[i], c->s->operands) &&
           operands_of(c, mate)[0] == operands_of(c, i)[0] && can_wait(c, i) && can_wait(c, mate) &&
           collects_pairs(c, i, mate) && collects_pairs(c, mate, i);
}

/* A pair stands where the later of the two stood. */
static void slp_split_collect(struct collecting *c) {
    for (uint32_t i = 0; i < c->s->count; i++) {
        uint32_t mate = c->pairs->mate[i], low = c->pairs->high[i] ? mate : i, high = c->pairs->high[i] ? i : mate;
        bool halved = is_halved(c, i);
        struct collector *own = halved && mate < i ? open_collector(c, operands_of(c, i)[0]) : NULL;
        close_before(c, i);
        if (own) {
            collect_half(c, low, own->halves);
            collect_half(c, high, own->halves + 1);
        } else if (!halved)
            copy_statement(c, i);
        else if (mate < i) { /* too many masks at once */
            copy_statement(c, mate);
            copy_statement(c, i);
        }
    }
    for (int i = 0; i < COLLECTORS; i++)
        if (c->all[i].open)
            close_collector(c, &c->all[i]);
}

uint32_t slp_collect(struct statements *out, const struct statements *s, const struct liveness *liveness,
                     const struct slp_pairs *pairs, uint32_t slots) {
    struct collecting c = {.out = out, .s = s, .liveness = liveness, .pairs = pairs, .slots = slots};
    c.last = base_allocate((slots + 1) * sizeof *c.last);
    c.collected = base_allocate((slots + 1) * sizeof *c.collected);
    *out = (struct statements){.failed = s->failed || !c.last || !c.collected};
    if (!out->failed) {
        memset(c.last, 0, slots * sizeof *c.last);
        memset(c.collected, 0, slots * sizeof *c.collected);
        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t d = 0; d < statement_destinations(&s->list[i]); d++) {
                c.last[operands_of(&c, i)[d]] = i + 1;
                c.collected[operands_of(&c, i)[d]] |= slp_collects(&s->list[i], s->operands);
            }
        slp_split_collect(&c);
    }
    base_release(c.last);
    base_release(c.collected);
    return slots + 2 * COLLECTORS + 2 * (uint32_t)s->count;
}
