/* slp_split.c - prepares an entry for pairing: sums are split into single products, and mask bits are collected in two
 * halves.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_vectorize.h"

#include "base/memory.h"

#include <string.h>

/* ---- sums of single products ---- */

/* Whether a product reads the destination slot of the sum: then partial sums must not be stored there. */
static bool reads_own(const uint32_t *operands, uint32_t from, uint32_t count) {
    for (uint32_t k = from; k < count; k++)
        if (operands[k] == operands[0])
            return true;
    return false;
}

static void split_sum(struct statements *out, const struct statements *s, const struct statement *sum, uint32_t one) {
    const uint32_t *operands = s->operands + sum->first;
    bool minus = sum->function == SUM_MINUS || sum->function == SUM_BACK;
    statements_add(out, (enum function)sum->function, operands[0], operands + 1, one - 1);
    for (uint32_t k = one; k < sum->count; k += 2)
        statements_add(out, minus ? SUM_MINUS : SUM_PLUS, operands[0],
                       (const uint32_t[]){operands[0], operands[k], operands[k + 1]}, 3);
}

/* sum + (scale r)^2, one operation per statement. */
static void split_square(struct statements *out, const uint32_t *operands, uint32_t square) {
    statements_add(out, FUNCTION_MUL, square, operands + 2, 2);
    statements_add(out, FUNCTION_MUL, square, (const uint32_t[]){square, square}, 2);
    statements_add(out, FUNCTION_ADD, operands[0], (const uint32_t[]){operands[1], square}, 2);
}

static void split(struct statements *out, const struct ir_module *ir, const struct statements *s) {
    *out = (struct statements){.window = s->window, .window_slots = s->window_slots, .failed = s->failed};
    for (size_t i = 0; i < s->count; i++) {
        const struct statement *sum = &s->list[i];
        uint32_t one = function_sum_starts(sum->function) ? 4 : 3; /* operands of a sum of one product */
        if (function_is_sum((enum function)sum->function) && sum->count > one &&
            !reads_own(s->operands + sum->first, one, sum->count))
            split_sum(out, s, sum, one);
        else if (sum->function == ROW_ADD_SQUARE)
            split_square(out, s->operands + sum->first, ir->own + OWN_WEIGHED);
        else
            statements_repeat(out, s, i);
    }
}

/* ---- collected masks ---- */

/* A mask, and the slots that collect the bits of the first and of the second statements of pairs. */
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
    uint32_t *last;  /* per slot: 1 + its last writer */
    bool *collected; /* per slot: it is a collected mask */
    struct collector all[COLLECTORS];
};

static const uint32_t *operands_of(const struct collecting *c, size_t i) {
    return c->s->operands + c->s->list[i].first;
}

/* The slot of destination d of a statement. A value that is overwritten later gets a new slot, because it may be read
 * later. */
static uint32_t fresh_slot_of(const struct collecting *c, size_t i, uint32_t d) {
    uint32_t slot = operands_of(c, i)[d];
    return c->collected[slot] || c->last[slot] == i + 1 ? slot : c->slots + 2 * COLLECTORS + 2 * (uint32_t)i + d;
}

static uint32_t argument_of(const struct collecting *c, size_t i, uint32_t k) {
    uint32_t source = c->liveness->source[c->s->list[i].first + k];
    return source ? fresh_slot_of(c, (source - 1) / 2, (source - 1) % 2) : operands_of(c, i)[k];
}

/* Whether it may be sunk: the slots that it reads are not written. */
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
        statements_operand(c->out, k < statement_destinations(at) ? fresh_slot_of(c, i, k) : argument_of(c, i, k));
}

static void collect_half(const struct collecting *c, size_t i, uint32_t to) {
    const struct statement *at = &c->s->list[i];
    statements_add(c->out, (enum function)at->function, to, &to, 1);
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

/* A statement that reads or writes the mask itself waits for all collected bits. */
static void close_before(struct collecting *c, size_t i) {
    const struct statement *at = &c->s->list[i];
    for (uint32_t k = 0; k < at->count && !slp_collects(at, c->s->operands); k++) {
        struct collector *own = collector_of(c, operands_of(c, i)[k]);
        if (own)
            close_collector(c, own);
    }
}

/* Whether the collected values of two statements are a pair, in the same order. */
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

/* A pair is placed at its later statement. */
static void collect_all(struct collecting *c) {
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
        else if (mate < i) { /* too many masks */
            copy_statement(c, mate);
            copy_statement(c, i);
        }
    }
    for (int i = 0; i < COLLECTORS; i++)
        if (c->all[i].open)
            close_collector(c, &c->all[i]);
}

/* Copies the statements, which form one region, and collects the bits of pairs in two halves until they are needed.
 * Returns the number of slots; the additional ones are never stored. */
static uint32_t collect(struct statements *out, const struct statements *s, const struct liveness *liveness,
                        const struct slp_pairs *pairs, uint32_t slots) {
    struct collecting c = {.out = out, .s = s, .liveness = liveness, .pairs = pairs, .slots = slots};
    struct buffers buffers = {.failed = s->failed};
    c.last = buffers_take(&buffers, slots, sizeof *c.last);
    c.collected = buffers_take(&buffers, slots, sizeof *c.collected);
    *out = (struct statements){.failed = buffers.failed};
    if (!out->failed) {
        for (uint32_t i = 0; i < s->count; i++)
            for (uint32_t d = 0; d < statement_destinations(&s->list[i]); d++) {
                c.last[operands_of(&c, i)[d]] = i + 1;
                c.collected[operands_of(&c, i)[d]] |= slp_collects(&s->list[i], s->operands);
            }
        collect_all(&c);
    }
    buffers_release(&buffers);
    return slots + 2 * COLLECTORS + 2 * (uint32_t)s->count;
}

/* ---- regions ---- */

void slp_regions_release(struct slp_regions *paired) {
    for (size_t r = 0; r < paired->regions.count && paired->pairs; r++)
        slp_release(&paired->pairs[r]);
    base_release(paired->pairs);
    liveness_release(&paired->liveness);
    regions_release(&paired->regions);
    statements_release(&paired->s);
    *paired = (struct slp_regions){.slots = 0};
}

/* Regions and liveness of the statements. */
static bool cut(struct slp_regions *out, const struct ir_module *ir, const bool *kept) {
    if (out->s.failed)
        return false;
    regions_find(&out->regions, &out->s, ir, SPLIT_OPERANDS);
    return !out->regions.failed && liveness_find(&out->liveness, &out->s, &out->regions, kept, out->slots);
}

/* The same statements with mask bits of pairs in two halves; kept: of its slots. */
static bool split_masks(struct slp_regions *again, const struct slp_regions *from, const struct ir_module *ir,
                        const bool *kept) {
    struct slp_pairs pairs;
    struct buffers buffers = {.count = 0};
    if (!slp_find(&pairs, &from->s, &from->liveness, &from->regions.list[0], true))
        return false;
    again->slots = collect(&again->s, &from->s, &from->liveness, &pairs, from->slots);
    slp_release(&pairs);
    bool *more = buffers_take(&buffers, again->slots, sizeof *more);
    if (more)
        memcpy(more, kept, from->slots * sizeof *more);
    bool done = more && cut(again, ir, more);
    buffers_release(&buffers);
    return done;
}

/* Only if all statements are one region, whose values need no slots. */
static bool collect_in_halves(struct slp_regions *out, const struct ir_module *ir, const bool *kept) {
    struct slp_regions again = {.slots = 0};
    if (out->regions.count != 1 || out->regions.list[0].repeats > 1)
        return true;
    bool done = split_masks(&again, out, ir, kept);
    if (done && again.regions.count == 1) {
        slp_regions_release(out);
        *out = again;
    } else /* out of memory, or too long for one region */
        slp_regions_release(&again);
    return done;
}

static bool find_pairs(struct slp_regions *out) {
    bool done = true;
    out->pairs = base_allocate((out->regions.count + 1) * sizeof *out->pairs);
    if (!out->pairs)
        return false;
    for (size_t r = 0; r < out->regions.count; r++) {
        out->pairs[r] = (struct slp_pairs){.count = 0};
        if (out->regions.list[r].repeats == 1)
            done = done && slp_find(&out->pairs[r], &out->s, &out->liveness, &out->regions.list[r], false);
    }
    return done;
}

bool slp_regions_create(struct slp_regions *out, const struct ir_module *ir, enum kernel_entry entry,
                        const bool *kept) {
    *out = (struct slp_regions){.slots = ir->slots};
    split(&out->s, ir, &ir->entry[entry]);
    bool done = cut(out, ir, kept) && collect_in_halves(out, ir, kept) && find_pairs(out);
    if (!done)
        slp_regions_release(out);
    return done;
}
