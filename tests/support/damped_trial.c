/* damped_trial.c - see damped_trial.h.
 *
 * SPDX-License-Identifier: MIT */
#include "damped_trial.h"

#include "support/check.h"

static void draw_pattern(struct trial *t, const struct recipe *recipe, struct random *random) {
    size_t m = recipe->rows, n = recipe->columns;
    t->first = calloc(m + 1, sizeof *t->first);
    t->column = calloc(m * n + 1, sizeof *t->column);
    for (size_t i = 0; i < m; i++) {
        t->first[i + 1] = t->first[i];
        if (recipe->degenerate && i % 5 == 3)
            continue;
        for (size_t j = 0; j < n; j++)
            if (random_uniform(random) < recipe->density)
                t->column[t->first[i + 1]++] = (uint32_t)j;
    }
    t->entries = t->first[m];
}

void trial_draw_values(struct trial *t, const struct recipe *recipe, struct random *random) {
    t->offset = calloc(t->entries + 1, sizeof *t->offset);
    t->fixed = calloc(t->entries + 1, sizeof *t->fixed);
    t->value = calloc(t->entries * LANES + 1, sizeof *t->value);
    for (size_t e = 0; e < t->entries; e++) {
        t->offset[e] = (uint32_t)(e * LANES);
        t->fixed[e] = random_uniform(random) < recipe->known ? random_normal(random) : NAN;
        for (size_t lane = 0; lane < LANES; lane++)
            t->value[e * LANES + lane] = isnan(t->fixed[e]) ? random_normal(random) : t->fixed[e];
    }
}

/* Row i becomes row i - 1 where the patterns agree; for lanes 0 to 3 only. */
static void copy_rows(struct trial *t) {
    for (size_t i = 1; i < t->rows; i++) {
        size_t length = t->first[i + 1] - t->first[i], before = t->first[i] - t->first[i - 1];
        if (length != before || memcmp(t->column + t->first[i], t->column + t->first[i - 1], length * 4) != 0)
            continue;
        for (size_t e = 0; e < length * LANES; e++)
            if (e % LANES < 4)
                t->value[t->first[i] * LANES + e] = t->value[t->first[i - 1] * LANES + e];
    }
}

void trial_draw_vectors(struct trial *t, const struct recipe *recipe, struct random *random) {
    size_t m = t->rows;
    for (size_t i = 0; i < t->entries * LANES; i++)
        t->slots[i] = t->value[i];
    for (size_t lane = 0; lane < LANES; lane++) {
        double uniform = recipe->fixed_shift ? recipe->shift : recipe->shift * random_between(random, 1e-3, 1);
        t->slots[t->shift_uniform + lane] = uniform;
        for (size_t i = 0; i < m; i++)
            t->slots[t->shift + i * LANES + lane] = t->system.outputs_side || recipe->fixed_shift
                                                        ? uniform
                                                        : recipe->shift * random_between(random, 1e-3, 1);
    }
    for (int side = 0; side < 2; side++)
        for (size_t i = 0; i < t->order * LANES; i++)
            t->slots[t->sides.from[side] + i] = random_normal(random);
}

void trial_make_one(struct trial *t, struct damped_request request) {
    uint32_t *slots = calloc(t->entries + 1, sizeof *slots);
    for (size_t e = 0; e < t->entries; e++)
        slots[e] = t->offset[e] / LANES;
    request.matrix.stride = 1;
    request.matrix.offset = slots;
    request.shift /= LANES;
    request.shift_uniform /= LANES;
    request.storage /= LANES;
    assert_int_equal(damped_create(&t->one, &request, NULL), HN_OK);
    free(slots);
}

/* Places of vectors, from the slot `at` on; the first slot behind them. */
static size_t place_vectors(struct trial *t, size_t at) {
    size_t most = t->rows > t->columns ? t->rows : t->columns;
    for (int side = 0; side < 2; side++) {
        t->sides.from[side] = (uint32_t)(at * LANES);
        t->sides.to[side] = (uint32_t)((at + most) * LANES);
        at += 2 * most;
    }
    t->shift = (uint32_t)(at * LANES);
    t->shift_uniform = (uint32_t)((at + t->rows) * LANES);
    return at + t->rows + 1;
}

void trial_complete(struct trial *t, const struct recipe *recipe, struct random *random) {
    trial_draw_values(t, recipe, random);
    if (recipe->degenerate)
        copy_rows(t);
    size_t storage = place_vectors(t, t->entries);
    bool *undamped = calloc(t->rows + 1, sizeof *undamped);
    for (size_t i = 0; i < t->rows; i++)
        undamped[i] = i >= recipe->damped;
    struct damped_request request = {
        .matrix = {t->rows, t->columns, LANES, t->first, t->column, t->offset, recipe->known > 0 ? t->fixed : NULL},
        .rows_side_only = !recipe->outputs_side,
        .fixed_shift = recipe->fixed_shift ? recipe->shift : NAN,
        .shift = t->shift,
        .shift_uniform = t->shift_uniform,
        .storage = (uint32_t)(storage * LANES),
        .may_border = recipe->may_border,
        .undamped = recipe->undamped ? undamped : NULL,
    };
    hn_error error = {.text = ""};
    if (damped_create(&t->system, &request, &error) != HN_OK)
        fail_msg("%s", error.text);
    t->order = t->system.order - t->system.added;
    t->slot_count = storage + t->system.slots;
    size_t bytes = t->slot_count * LANES * sizeof *t->slots;
    t->slots = aligned_alloc(64, bytes);
    memset(t->slots, 0xff, bytes); /* what a kernel reads before it is written is NaN */
    memset(t->slots + request.storage, 0, t->system.slots * LANES * sizeof *t->slots);
    for (size_t i = 0; i < t->system.constant_count; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            t->slots[t->system.constants[i].offset + lane] = t->system.constants[i].value;
    trial_draw_vectors(t, recipe, random);
    trial_make_one(t, request);
    free(undamped);
}

struct trial trial_of(const struct recipe *recipe, struct random *random) {
    struct trial t = {.rows = recipe->rows, .columns = recipe->columns};
    draw_pattern(&t, recipe, random);
    trial_complete(&t, recipe, random);
    return t;
}

void trial_release(struct trial *t) {
    damped_release(&t->one);
    damped_release(&t->system);
    free(t->first);
    free(t->column);
    free(t->offset);
    free(t->fixed);
    free(t->value);
    free(t->slots);
}
