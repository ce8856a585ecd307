/* test_signed.c - L D L' with pivots of either sign, judged by the equations it solves and by the signs that a
 * quasi-definite matrix must have.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/signed_system.h"

#include "base/random.h"
#include "cpu/backend.h"
#include "support/check.h"

enum { MOST = 24 };

/* A sparse symmetric matrix for all lanes, each with numbers of its own. */
struct trial {
    size_t order, entries;
    struct signed_entry entry[MOST * MOST];
    struct signed_system system;
    uint32_t diagonal, right, x, rest;
    double *block, *slots;
};

static double *at(const struct trial *t, uint32_t vector, size_t i, size_t lane) {
    return t->slots + vector + i * LANES + lane;
}

/* positive: the first unknowns, whose diagonal is positive; the others' is negative: quasi-definite. */
static void start(struct trial *t, struct random *random, size_t order, size_t positive) {
    *t = (struct trial){.order = order};
    for (uint32_t i = 0; i < order; i++)
        for (uint32_t j = 0; j < i; j++)
            if (random_between(random, 0, 1) < 0.3 && j < positive) { /* none among those that are negative */
                uint32_t slot = (uint32_t)(t->entries * LANES);
                t->entry[t->entries++] = (struct signed_entry){i, j, slot};
            }
    uint32_t next = (uint32_t)(t->entries * LANES), length = (uint32_t)(order * LANES);
    t->diagonal = next;
    t->right = next + length;
    t->x = next + 2 * length;
    t->rest = next + 3 * length;
    const struct signed_request request = {t->order, t->entries, t->entry, LANES, t->diagonal, next + 4 * length};
    assert_int_equal(signed_create(&t->system, &request, NULL), HN_OK);
    size_t doubles = next + 4 * length + t->system.slots * LANES;
    t->block = calloc(doubles + 8, sizeof(double));
    t->slots = (double *)(void *)(((uintptr_t)t->block + 63) / 64 * 64);
    for (size_t i = 0; i < t->entries * LANES; i++)
        t->slots[i] = random_between(random, -0.3, 0.3);
    for (size_t i = 0; i < order; i++)
        for (size_t lane = 0; lane < LANES; lane++) {
            *at(t, t->diagonal, i, lane) = (i < positive ? 1 : -1) * random_between(random, 4, 6);
            *at(t, t->right, i, lane) = random_between(random, -1, 1);
        }
}

static void stop(struct trial *t) {
    signed_release(&t->system);
    free(t->block);
}

/* The largest entry of right - K x, by plain sums. */
static double plain_rest(const struct trial *t, size_t lane) {
    double worst = 0, rest[MOST];
    for (size_t i = 0; i < t->order; i++)
        rest[i] = *at(t, t->right, i, lane) - *at(t, t->diagonal, i, lane) * *at(t, t->x, i, lane);
    for (size_t e = 0; e < t->entries; e++) {
        double v = t->slots[t->entry[e].offset + lane];
        rest[t->entry[e].row] -= v * *at(t, t->x, t->entry[e].column, lane);
        rest[t->entry[e].column] -= v * *at(t, t->x, t->entry[e].row, lane);
    }
    for (size_t i = 0; i < t->order; i++)
        worst = fmax(worst, fabs(rest[i]));
    return worst;
}

static void solve(const struct trial *t, const struct backend *b) {
    b->signed_factor(&t->system, t->slots);
    b->signed_solve(&t->system, t->slots, t->right, t->x);
    b->signed_residual(&t->system, t->slots, t->right, t->x, t->rest);
}

TEST(systems_are_solved_and_signs_counted) {
    struct random random = random_start(5, 5);
    for (int k = 0; k < 200; k++) {
        struct trial t;
        struct backend b;
        size_t order = 1 + (size_t)k % MOST, positive = (size_t)k * 7 % (order + 1);
        start(&t, &random, order, positive);
        assert_true(backend_at(0, &b));
        solve(&t, &b);
        for (size_t lane = 0; lane < LANES; lane++) {
            assert_in_interval(plain_rest(&t, lane), 0, 1e-13);
            assert_true(t.slots[t.system.summary + SIGNED_POSITIVE * LANES + lane] == (double)positive);
            assert_true(t.slots[t.system.summary + SIGNED_LOST * LANES + lane] == 0);
            for (size_t i = 0; i < order; i++)
                assert_in_interval(*at(&t, t.rest, i, lane), -1e-13, 1e-13);
        }
        stop(&t);
    }
}

TEST(every_instruction_set_has_the_same_bits) {
    struct random random = random_start(5, 6);
    struct trial t;
    struct backend first, other;
    start(&t, &random, MOST, 15);
    assert_true(backend_at(0, &first));
    solve(&t, &first);
    size_t doubles = t.rest + MOST * LANES - t.x;
    double *kept = malloc(doubles * sizeof *kept);
    memcpy(kept, t.slots + t.x, doubles * sizeof *kept);
    for (size_t i = 1; backend_at(i, &other); i++) {
        memset(t.slots + t.x, 0, doubles * sizeof *kept);
        solve(&t, &other);
        assert_memory_equal(kept, t.slots + t.x, doubles * sizeof *kept);
    }
    free(kept);
    stop(&t);
}

/* Two equal rows: the second pivot is lost, and its unknown is 0. */
TEST(a_lost_pivot_is_counted) {
    struct backend b;
    struct trial t = {.order = 2, .entries = 1, .entry = {{1, 0, 0}}, .diagonal = LANES};
    t.right = 3 * LANES;
    t.x = 5 * LANES;
    t.rest = 7 * LANES;
    const struct signed_request request = {2, 1, t.entry, LANES, t.diagonal, 9 * LANES};
    assert_int_equal(signed_create(&t.system, &request, NULL), HN_OK);
    t.block = calloc(9 * LANES + t.system.slots * LANES + 8, sizeof(double));
    t.slots = (double *)(void *)(((uintptr_t)t.block + 63) / 64 * 64);
    for (size_t i = 0; i < 3 * LANES; i++)
        t.slots[i] = 1;
    assert_true(backend_at(0, &b));
    solve(&t, &b);
    for (size_t lane = 0; lane < LANES; lane++)
        assert_true(t.slots[t.system.summary + SIGNED_LOST * LANES + lane] == 1);
    stop(&t);
}

/* One part lies behind the other; offsets have half of 32 bits. */
TEST(storage_ends_where_offsets_do) {
    static const struct signed_entry entries[] = {{1, 0, 0}, {2, 1, 1}};
    for (uint32_t stride = 1; stride <= LANES; stride *= LANES) {
        struct signed_request request = {3, 2, entries, stride, 2 * stride, 7 * stride};
        struct signed_system s;
        assert_int_equal(signed_create(&s, &request, NULL), HN_OK);
        assert_int_equal(s.nonzeros, 2);
        assert_int_equal(s.summary, 7 * stride);
        assert_int_equal(s.inverse, 9 * stride);
        assert_int_equal(s.work, 12 * stride);
        assert_int_equal(s.lower, 15 * stride);
        assert_int_equal(s.slots, 10);
        signed_release(&s);
        request.storage = (UINT32_MAX / stride / 2 - 10) * stride;
        assert_int_equal(signed_create(&s, &request, NULL), HN_OK);
        signed_release(&s);
        request.storage += stride;
        assert_int_equal(signed_create(&s, &request, NULL), HN_LIMIT);
        signed_release(&s);
    }
}
