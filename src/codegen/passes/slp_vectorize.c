/* slp_vectorize.c - see slp_vectorize.h.
 *
 *     grow       a group of pairs, from a seed of two similar statements along their arguments and users
 *     choose     groups by their gain, greedily; a statement belongs to one group at most
 *     prune      pairs that cost more than they save
 *     schedule   in the order of the statements; a pair in a dependency cycle is dissolved
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_finder.h"

#include "base/arena.h"
#include "base/memory.h"

#include <stdlib.h>

enum {
    RADIUS = 4,      /* radius of the neighbourhoods that are compared */
    NEAR_SEEDS = 16, /* number of following similar statements that are tried as seeds, */
    FEW_SEEDS = 1,   /* and after this many pairs */
    MOST_TRIED = 1000000,
    PRUNINGS = 4,
    LEAST_SAVED = 2, /* minimum gain of a group */
    LEAST_SHARE = 8  /* minimum gain: 1 / LEAST_SHARE of the whole */
};

struct seed {
    uint32_t a, b;
    int saved;
};

static bool needs(const struct slp_finder *f, size_t i, size_t other) {
    return f->before[i * f->words + other / 64] >> other % 64 & 1;
}

/* A statement depends only on earlier statements of a lower level. */
static bool are_alike(const struct slp_finder *f, uint32_t a, uint32_t b) {
    const struct outline *x = &f->outline[a], *y = &f->outline[b];
    if (a == b || x->kind != y->kind || x->kind == 0)
        return false;
    return x->level == y->level || (x->level > y->level ? !needs(f, a, b) : !needs(f, b, a));
}

/* ---- properties of a region ---- */

static int weight_of(const struct slp_finder *f, size_t i) {
    const struct statement *x = slp_at(f, i);
    struct function_shape shape = function_shape((enum function)x->function);
    if (function_is_sum((enum function)x->function))
        return (int)(x->count - 1) / 2 * 2;
    if (x->function == FUNCTION_SINCOS || shape.call)
        return 60;
    if (x->function == ROW_INVERSE)
        return 6;
    return slp_collects(x, f->s->operands) ? shape.arguments : 2 * shape.arguments;
}

static bool are_of_a_kind(const struct slp_finder *f, size_t a, size_t b) {
    const struct statement *x = slp_at(f, a), *y = slp_at(f, b);
    if (x->function != y->function || x->count != y->count)
        return false;
    for (uint32_t k = statement_destinations(x); k < x->count; k++)
        if (operand_is_constant(slp_operand(f, a, k)) != operand_is_constant(slp_operand(f, b, k)))
            return false;
    return true;
}

/* There are few kinds: each is represented by its first statement. */
static uint32_t kind_of(const struct slp_finder *f, size_t i) {
    for (size_t j = 0; j < i && slp_live(f, i); j++)
        if (f->outline[j].kind == j + 1 && are_of_a_kind(f, i, j))
            return (uint32_t)j + 1;
    return slp_live(f, i) ? (uint32_t)i + 1 : 0;
}

static void add_before(const struct slp_finder *f, size_t i, size_t j) {
    uint64_t *own = f->before + i * f->words;
    for (size_t w = 0; w < f->words; w++)
        own[w] |= f->before[j * f->words + w];
    own[j / 64] |= UINT64_C(1) << j % 64;
}

/* Outlines, reads, and the transitive dependencies of each statement. */
static void find_outlines(struct slp_finder *f) {
    uint32_t reads = 0;
    for (size_t i = 0; i < f->count; i++) {
        struct outline own = {.kind = kind_of(f, i), .weight = weight_of(f, i), .read_first = reads};
        for (uint32_t k = statement_destinations(slp_at(f, i)); k < slp_at(f, i)->count; k++) {
            uint32_t source = slp_source(f, i, k), operand = slp_operand(f, i, k);
            uint32_t above = source ? f->outline[(source - 1) / 2].level + 1 : 0;
            bool astray = k == 1 && slp_collects(slp_at(f, i), f->s->operands);
            own.level = above > own.level ? above : own.level;
            f->read[reads++] = (struct read){source, operand, operand_is_constant(operand), f->loose && astray, astray};
            if (source)
                add_before(f, i, (source - 1) / 2);
        }
        own.reads = reads - own.read_first;
        f->outline[i] = own;
    }
}

/* Counting sort: use_first has two extra elements, so that counts, fill positions and starts are shifted by one
 * each. */
static void find_uses(struct slp_finder *f) {
    for (int fill = 0; fill < 2; fill++) {
        for (size_t i = 0; i < f->count; i++)
            for (uint32_t k = 0; k < f->outline[i].reads && slp_live(f, i); k++) {
                const struct read *read = &f->read[f->outline[i].read_first + k];
                uint32_t from = read->source ? (read->source - 1) / 2 : 0;
                if (read->source && fill)
                    f->use[f->use_first[from + 1]++] =
                        (struct use){(uint32_t)i, k, (read->source - 1) % 2, read->astray};
                else if (read->source)
                    f->use_first[from + 2]++;
            }
        for (size_t i = 0; i <= f->count && !fill; i++)
            f->use_first[i + 1] += f->use_first[i];
    }
}

static const struct read *reads_of(const struct slp_finder *f, size_t i) {
    return f->read + f->outline[i].read_first;
}

static uint64_t *colour_of(const struct slp_finder *f, size_t i) {
    return f->colour + i * RADIUS;
}

static void find_colours(struct slp_finder *f) {
    for (size_t i = 0; i < f->count; i++) {
        const struct read *reads = reads_of(f, i);
        uint64_t hash = hash_mix(slp_at(f, i)->function, slp_at(f, i)->count);
        for (uint32_t k = 0; k < f->outline[i].reads; k++)
            hash = hash_mix(hash, reads[k].constant ? 1 : reads[k].source ? 2 : 3);
        colour_of(f, i)[0] = hash;
    }
    for (int r = 1; r < RADIUS; r++)
        for (size_t i = 0; i < f->count; i++) {
            const struct read *reads = reads_of(f, i);
            uint64_t hash = colour_of(f, i)[r - 1], users = 0;
            for (uint32_t k = 0; k < f->outline[i].reads; k++)
                if (reads[k].source)
                    hash = hash_mix(hash, colour_of(f, (reads[k].source - 1) / 2)[r - 1]);
            for (uint32_t u = f->use_first[i]; u < f->use_first[i + 1]; u++)
                users += hash_mix(colour_of(f, f->use[u].statement)[r - 1],
                                  f->use[u].operand + statement_destinations(slp_at(f, f->use[u].statement)));
            colour_of(f, i)[r] = hash_mix(hash, users);
        }
}

static int likeness(const struct slp_finder *f, uint32_t a, uint32_t b) {
    int r = 0;
    while (r < RADIUS && colour_of(f, a)[r] == colour_of(f, b)[r])
        r++;
    return r;
}

/* ---- groups ---- */

static void push(struct slp_finder *f, uint32_t a, uint32_t b) {
    uint32_t *stack = array_grow(f->stack, &f->stack_capacity, f->stacked + 2, sizeof *stack);
    f->failed = f->failed || !stack;
    if (!stack)
        return;
    f->stack = stack;
    stack[f->stacked++] = a;
    stack[f->stacked++] = b;
}

/* The user of b that is most like the user u of a, or the statement of u. Likeness matters only with several users. */
static uint32_t find_counterpart(const struct slp_finder *f, const struct use *u, uint32_t b) {
    uint32_t none = u->statement, best = none;
    for (const struct use *v = f->use + f->use_first[b], *end = f->use + f->use_first[b + 1]; v < end; v++)
        if (v->operand == u->operand && v->destination == u->destination && !slp_taken(f, v->statement) &&
            are_alike(f, none, v->statement) &&
            (best == none || likeness(f, none, v->statement) > likeness(f, none, best)))
            best = v->statement;
    return best;
}

static void push_neighbours(struct slp_finder *f, uint32_t a, uint32_t b) {
    for (const struct use *u = f->use + f->use_first[a], *end = f->use + f->use_first[a + 1]; u < end; u++) {
        if (slp_taken(f, u->statement) || u->astray)
            continue;
        uint32_t other = find_counterpart(f, u, b);
        if (other != u->statement)
            push(f, u->statement, other);
    }
    const struct read *x = reads_of(f, a), *y = reads_of(f, b);
    for (uint32_t k = 0; k < f->outline[a].reads; k++)
        if (x[k].source && y[k].source && (x[k].source - 1) % 2 == (y[k].source - 1) % 2 && !x[k].astray)
            push(f, (x[k].source - 1) / 2, (y[k].source - 1) / 2);
}

static void grow(struct slp_finder *f, uint32_t a, uint32_t b) {
    f->stacked = f->grown_count = 0;
    push(f, a, b);
    while (f->stacked > 0 && !f->failed) {
        b = f->stack[--f->stacked];
        a = f->stack[--f->stacked];
        if (slp_taken(f, a) || slp_taken(f, b) || !are_alike(f, a, b))
            continue;
        f->mate[a] = b;
        f->mate[b] = a;
        f->high[a] = false;
        f->high[b] = true;
        f->grown[f->grown_count++] = a;
        push_neighbours(f, a, b);
    }
}

/* ---- the gain of a pair ---- */

/* Cost of combining an operand of both statements, in half instructions. */
static int gather_cost(const struct slp_finder *f, const struct read *x, const struct read *y) {
    if (x->constant || x->collected)
        return 0;
    if (!x->source && !y->source)
        return y->operand == x->operand + 1 ? 0 : 2;
    if (x->source && y->source && f->mate[(x->source - 1) / 2] == (y->source - 1) / 2 && x->source != y->source)
        return f->high[(x->source - 1) / 2] ? 2 : 0;
    return 2;
}

/* Whether a value of the pair has an unpaired user. Collected bits stay in their half. */
static bool is_split(const struct slp_finder *f, uint32_t i) {
    for (const struct use *u = f->use + f->use_first[i], *end = f->use + f->use_first[i + 1]; u < end; u++)
        if (!slp_taken(f, u->statement) && !u->astray)
            return true;
    return false;
}

static int saved_by(const struct slp_finder *f, uint32_t a) {
    uint32_t b = f->mate[a];
    int saved = 2 * f->outline[a].weight;
    const struct read *x = reads_of(f, a), *y = reads_of(f, b);
    for (uint32_t k = 0; k < f->outline[a].reads; k++)
        saved -= gather_cost(f, &x[k], &y[k]);
    return saved - (is_split(f, a) ? 1 : 0) - (is_split(f, b) ? 2 : 0);
}

static int saved_by_group(const struct slp_finder *f) {
    int saved = 0;
    for (size_t i = 0; i < f->grown_count; i++)
        saved += saved_by(f, f->grown[i]);
    return saved;
}

static int try_seed(struct slp_finder *f, struct seed seed) {
    grow(f, seed.a, seed.b);
    f->tried += f->grown_count;
    return saved_by_group(f);
}

static void undo(struct slp_finder *f) {
    for (size_t i = 0; i < f->grown_count; i++)
        slp_give_up(f, f->grown[i]);
}

/* ---- selection ---- */

static int by_saved(const void *a, const void *b) {
    const struct seed *x = a, *y = b;
    if (x->saved != y->saved)
        return x->saved < y->saved ? 1 : -1;
    return x->a != y->a ? (x->a < y->a ? -1 : 1) : (x->b < y->b ? -1 : x->b > y->b);
}

static size_t add_seeds(struct slp_finder *f, struct seed *seeds, uint32_t a) {
    size_t count = 0;
    if (slp_taken(f, a) || f->outline[a].weight == 0)
        return 0;
    size_t most = f->tried > MOST_TRIED ? FEW_SEEDS : NEAR_SEEDS, tries = 0;
    for (uint32_t b = a + 1; b < f->count && count < most && tries < 4 * most; b++) {
        if (slp_taken(f, b) || likeness(f, a, b) < 2 || !are_alike(f, a, b))
            continue;
        struct seed seed = {.a = a, .b = b};
        tries++;
        seed.saved = try_seed(f, seed);
        undo(f);
        if (seed.saved >= LEAST_SAVED)
            seeds[count++] = seed;
    }
    return count;
}

static bool choose_pairs(struct slp_finder *f) {
    struct seed *seeds = base_allocate((f->count + 1) * NEAR_SEEDS * sizeof *seeds);
    size_t count = 0;
    if (!seeds)
        return false;
    for (uint32_t a = 0; a < f->count; a++)
        count += add_seeds(f, seeds + count, a);
    qsort(seeds, count, sizeof *seeds, by_saved);
    for (size_t i = 0; i < count; i++)
        if (!slp_taken(f, seeds[i].a) && !slp_taken(f, seeds[i].b) && try_seed(f, seeds[i]) < LEAST_SAVED)
            undo(f);
    base_release(seeds);
    return true;
}

static void prune(struct slp_finder *f) {
    for (int round = 0; round < PRUNINGS; round++)
        for (uint32_t i = 0; i < f->count; i++)
            if (slp_taken(f, i) && !f->high[i] && saved_by(f, i) < 0)
                slp_give_up(f, i);
}

/* A few pairs among many other statements cost more than the model counts. */
static bool pays(const struct slp_finder *f) {
    int all = 0, saved = 0;
    for (uint32_t i = 0; i < f->count; i++) {
        all += slp_live(f, i) ? 2 * f->outline[i].weight : 0;
        saved += slp_taken(f, i) && !f->high[i] ? saved_by(f, i) : 0;
    }
    return LEAST_SHARE * saved >= all;
}

static void give_all_up(struct slp_finder *f) {
    for (uint32_t i = 0; i < f->count; i++)
        if (slp_taken(f, i))
            slp_give_up(f, i);
}

/* ---- the pass ---- */

static bool take_pair_lists(struct slp_finder *f, struct buffers *buffers, struct slp_pairs *pairs) {
    size_t operands = 0, count = f->count;
    for (size_t i = 0; i < count; i++)
        operands += slp_at(f, i)->count;
    f->words = count / 64 + 1;
    f->before = buffers_take(buffers, count * f->words, sizeof *f->before);
    f->colour = buffers_take(buffers, count * RADIUS, sizeof *f->colour);
    f->grown = buffers_take(buffers, count, sizeof *f->grown);
    f->use_first = buffers_take(buffers, count + 1, sizeof *f->use_first);
    f->use = buffers_take(buffers, operands, sizeof *f->use);
    f->outline = buffers_take(buffers, count, sizeof *f->outline);
    f->read = buffers_take(buffers, operands, sizeof *f->read);
    f->mate = pairs->mate = buffers_take(&pairs->lists, count, sizeof *pairs->mate);
    f->high = pairs->high = buffers_take(&pairs->lists, count, sizeof *pairs->high);
    pairs->order = buffers_take(&pairs->lists, count, sizeof *pairs->order);
    return !buffers->failed && !pairs->lists.failed;
}

static bool collects(const struct slp_finder *f) {
    for (size_t i = 0; i < f->count; i++)
        if (slp_collects(slp_at(f, i), f->s->operands))
            return true;
    return false;
}

bool slp_find(struct slp_pairs *pairs, const struct statements *s, const struct liveness *liveness,
              const struct region *region, bool loose) {
    struct slp_finder f = {
        .s = s, .liveness = liveness, .first = region->first, .count = region->period, .loose = loose};
    struct buffers buffers = {.count = 0};
    *pairs = (struct slp_pairs){.count = region->period};
    bool done = take_pair_lists(&f, &buffers, pairs);
    if (done) {
        for (uint32_t i = 0; i < f.count; i++)
            f.mate[i] = i;
        find_outlines(&f);
        find_uses(&f);
        find_colours(&f);
        done = (loose && !collects(&f)) || (choose_pairs(&f) && !f.failed);
    }
    pairs->tried = f.tried;
    if (done) {
        prune(&f);
        if (!pays(&f))
            give_all_up(&f);
        done = loose || slp_order(&f, pairs);
    }
    buffers_release(&buffers);
    base_release(f.stack);
    if (!done)
        slp_release(pairs);
    return done;
}

void slp_release(struct slp_pairs *pairs) {
    buffers_release(&pairs->lists);
    *pairs = (struct slp_pairs){.count = 0};
}
