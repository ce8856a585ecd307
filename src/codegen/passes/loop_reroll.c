/* loop_reroll.c - see loop_reroll.h.
 *
 * Two statements are alike if they have the same function, the same number of operands and equal constants in the same
 * positions. A loop begins at a statement if each following statement is like the one `period` before it, for several
 * rounds, and every slot advances by a constant stride. Candidates for the period are the positions where the first few
 * statements repeat.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/loop_reroll.h"

#include "base/arena.h"
#include "base/memory.h"

#include <string.h>

enum {
    ROUND_OPERANDS = 12000, /* of a straight-line round, which is faster as one function */
    LOOP_ROUNDS = 4,        /* minimum number of rounds */
    LOOP_OPERANDS = 150,    /* minimum operands per round: values pass from round to round through memory */
    LOOP_CANDIDATES = 12,
    SIGNATURE = 3 /* statements */
};

struct finder {
    const struct statements *s;
    const double *constants;
    uint64_t *shape; /* per statement: a hash, equal for statements that are alike */
    uint32_t *next;  /* per statement: the next position with the same signature, or 0 */
};

void regions_release(struct regions *regions) {
    base_release(regions->list);
    *regions = (struct regions){.count = 0};
}

static void add_region(struct regions *regions, struct region region) {
    struct region *list =
        regions->failed ? NULL : array_grow(regions->list, &regions->capacity, regions->count + 1, sizeof *list);
    regions->failed = !list;
    if (!list)
        return;
    regions->list = list;
    list[regions->count++] = region;
}

/* Splits straight-line statements [first, end) into regions of bounded size. */
static void cut_straight(struct regions *regions, const struct statements *s, size_t first, size_t end) {
    size_t start = first, operands = 0, most = s->round ? ROUND_OPERANDS : regions->most;
    for (size_t i = first; i < end; i++) {
        operands += s->list[i].count;
        if (operands < most && i + 1 < end)
            continue;
        add_region(regions, (struct region){start, i + 1 - start, 1});
        start = i + 1;
        operands = 0;
    }
}

/* ---- similarity ---- */

static uint64_t shape_of(const struct finder *f, size_t i) {
    const struct statement *at = &f->s->list[i];
    uint64_t hash = hash_mix(at->function, at->count);
    for (uint32_t k = 0; k < at->count; k++) {
        uint32_t operand = f->s->operands[at->first + k];
        uint64_t bits = 0;
        if (operand_is_constant(operand))
            memcpy(&bits, &f->constants[operand - STATEMENT_CONSTANT], sizeof bits);
        bool windowed = !operand_is_constant(operand) && statements_in_window(f->s, operand);
        hash = hash_mix(hash_mix(hash, operand_is_constant(operand) ? 1 : windowed ? 2 : 0), bits);
    }
    return hash;
}

static uint64_t signature_at(const struct finder *f, size_t i) {
    uint64_t hash = 0;
    for (size_t k = i; k < i + SIGNATURE && k < f->s->count; k++)
        hash = hash_mix(hash, f->shape[k]);
    return hash;
}

/* Links positions with equal signatures, from last to first. Hash collisions only miss loops. */
static bool link_places(struct finder *f) {
    size_t cells = 1024;
    while (cells < 2 * f->s->count)
        cells *= 2;
    struct buffers buffers = {.count = 0};
    uint32_t *latest = buffers_take(&buffers, cells, sizeof *latest);
    for (size_t i = f->s->count; latest && i-- > 0;) {
        uint32_t *cell = &latest[signature_at(f, i) & (cells - 1)];
        f->next[i] = *cell;
        *cell = (uint32_t)i;
    }
    buffers_release(&buffers);
    return latest != NULL;
}

/* ---- loops ---- */

/* Whether every slot of statement i advances by the same stride from i to i + period and from there to i + 2 period. */
static bool has_strides(const struct finder *f, size_t i, size_t period) {
    const struct statement *at = f->s->list + i;
    const uint32_t *a = f->s->operands + at->first, *b = f->s->operands + at[period].first;
    const uint32_t *c = f->s->operands + at[2 * period].first;
    for (uint32_t k = 0; k < at->count; k++)
        if (!operand_is_constant(a[k]) && b[k] - a[k] != c[k] - b[k])
            return false;
    return true;
}

/* Number of consecutive repetitions of the `period` statements at `first`. */
static size_t count_rounds(const struct finder *f, size_t first, size_t period) {
    size_t i = first;
    while (i + period < f->s->count && f->shape[i] == f->shape[i + period] &&
           (i < first + period || has_strides(f, i - period, period)))
        i++;
    return (i - first) / period + 1; // NOLINT(clang-analyzer-core.DivideZero): a period has statements
}

static size_t operands_of(const struct finder *f, size_t first, size_t count) {
    return f->s->list[first + count - 1].first + f->s->list[first + count - 1].count - f->s->list[first].first;
}

/* The longest loop at this statement; one round: no loop. */
static struct region loop_at(const struct finder *f, size_t first, size_t most) {
    struct region best = {first, 1, 1};
    size_t place = first;
    for (int k = 0; k < LOOP_CANDIDATES && f->next[place] > first; k++) {
        place = f->next[place];
        size_t period = place - first;
        if (operands_of(f, first, period) > most)
            break;
        size_t rounds = count_rounds(f, first, period);
        if (rounds >= LOOP_ROUNDS && 10 * period * rounds > 11 * best.period * best.repeats)
            best = (struct region){first, period, rounds};
    }
    return best;
}

/* Combines several short rounds into one; the remaining rounds are found again. */
static struct region lengthen(const struct finder *f, struct region loop) {
    size_t operands = operands_of(f, loop.first, loop.period), times = 1;
    while (2 * times * LOOP_ROUNDS <= loop.repeats && times * operands < LOOP_OPERANDS)
        times *= 2;
    return (struct region){loop.first, times * loop.period, loop.repeats / times};
}

static void find_loops(struct regions *regions, const struct finder *f) {
    size_t straight = 0, i = 0;
    while (i < f->s->count) {
        struct region loop = loop_at(f, i, regions->most);
        if (loop.repeats == 1) {
            i++;
            continue;
        }
        loop = lengthen(f, loop);
        cut_straight(regions, f->s, straight, i);
        add_region(regions, loop);
        i += loop.period * loop.repeats;
        straight = i;
    }
    cut_straight(regions, f->s, straight, f->s->count);
}

void regions_find(struct regions *regions, const struct statements *s, const struct ir_module *ir, size_t most) {
    *regions = (struct regions){.most = most};
    if (!ir->loops) {
        cut_straight(regions, s, 0, s->count);
        return;
    }
    struct buffers buffers = {.count = 0};
    struct finder f = {.s = s, .constants = ir->constants};
    f.shape = buffers_take(&buffers, s->count, sizeof *f.shape);
    f.next = buffers_take(&buffers, s->count, sizeof *f.next);
    for (size_t i = 0; !buffers.failed && i < s->count; i++)
        f.shape[i] = shape_of(&f, i);
    regions->failed = buffers.failed || !link_places(&f);
    if (!regions->failed)
        find_loops(regions, &f);
    buffers_release(&buffers);
}
