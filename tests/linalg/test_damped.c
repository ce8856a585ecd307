/* test_damped.c - factor and solve of (M M' + E) z = b over lanes, by every backend and every kind of factor.
 *
 * The judge is the residual b - (M M' + E) z in 128-bit arithmetic, or in 80-bit where the compiler has no other:
 * |b - H z| <= 8 n u (|H| |z| + |b|) in the norm of the largest entry, for n = 1..128 unknowns (above 40 every ninth; `damped all`: every third),
 * one or two right-hand sides, on both sides, with known entries, rows of zeros, rows twice. The kernels for one sample
 * give the same bits.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "cpu/backend.h"
#include "support/check.h"
#include "support/damped_trial.h"

enum { SMALL = JUDGE_SMALL, LARGEST = 128 };

static bool all;

/* 1, 2, ... SMALL, and every ninth from there on, or every 17th where everything is slow: all remainders of all widths. */
static size_t next_size(size_t n) {
    return n <= SMALL ? n + 1 : n + (all ? 3 : HN_TEST_SHARE > 1 ? 17 : 9);
}

/* Large systems take turns at the kinds of a trial, four sizes for all of them. */
static uint64_t first_kind(size_t n) {
    return n <= SMALL ? 0 : n / 3 % 4;
}

static uint64_t next_kind(size_t n, uint64_t k) {
    return n <= SMALL ? k + 1 : k + 4;
}

/* ---- trials ---- */

static double check_recipe(const struct recipe *recipe, enum factor_kind kind, uint64_t stream) {
    struct random random = random_start(111, stream);
    struct trial t = trial_of(recipe, &random);
    assert_int_equal(t.system.outputs_side, recipe->outputs_side);
    assert_int_equal(t.system.kind, kind);
    double error = fmax(judge_trial(&t, 1), judge_trial(&t, 2));
    if (!(error <= 8))
        fail_msg("%zu rows, %zu columns, %zu unknowns: backward error of %g n u", t.rows, t.columns, t.order, error);
    trial_release(&t);
    return error;
}

TEST(a_listed_factor_solves_backward_stably) {
    double worst = 0;
    for (size_t n = 1; n <= LARGEST; n = next_size(n))
        for (uint64_t k = first_kind(n); k < 8; k = next_kind(n, k)) {
            struct recipe recipe = {.rows = n, .columns = n + n / 2 + 1, .density = n < 16 ? 0.5 : 1.5 / (double)n};
            recipe.shift = k % 2 ? 1 : 1e-6;
            recipe.fixed_shift = k / 2 % 2;
            recipe.known = k / 4 && recipe.fixed_shift ? 0.4 : 0;
            worst = fmax(worst, check_recipe(&recipe, FACTOR_LISTED, 100 * n + k));
        }
    print_message("largest backward error: %.2f n u\n", worst);
}

TEST(a_dense_factor_solves_backward_stably) {
    double worst = 0;
    for (size_t n = 16; n <= LARGEST; n = next_size(n))
        for (uint64_t k = first_kind(n); k < 8; k = next_kind(n, k)) {
            struct recipe recipe = {.rows = n, .columns = n + 3, .density = k % 4 == 3 ? 0.6 : 1};
            recipe.shift = k % 2 ? 1 : 1e-6;
            recipe.fixed_shift = k / 2 % 2;
            recipe.known = k / 4 && recipe.fixed_shift ? 0.4 : 0;
            worst = fmax(worst, check_recipe(&recipe, FACTOR_DENSE, 200 * n + k));
        }
    print_message("largest backward error: %.2f n u\n", worst);
}

TEST(the_outputs_side_solves_backward_stably) {
    double worst = 0;
    for (size_t n = 1; n <= LARGEST; n = next_size(n))
        for (uint64_t k = first_kind(n); k < 4; k = next_kind(n, k)) {
            struct recipe recipe = {.rows = 3 * n + 2, .columns = n, .density = n < 16 ? 0.6 : 1, .outputs_side = true};
            recipe.shift = k % 2 ? 1 : 1e-6;
            recipe.fixed_shift = k / 2 % 2;
            recipe.known = recipe.fixed_shift ? 0.4 : 0;
            worst = fmax(worst, check_recipe(&recipe, n < 16 ? FACTOR_LISTED : FACTOR_DENSE, 300 * n + k));
        }
    print_message("largest backward error: %.2f n u\n", worst);
}

TEST(rows_of_zeros_and_rows_twice_do_no_harm) {
    double worst = 0;
    for (size_t n = 1; n <= LARGEST; n = next_size(n))
        for (uint64_t k = first_kind(n); k < 4; k = next_kind(n, k)) {
            struct recipe recipe = {.rows = n, .columns = k % 2 ? n : n / 3 + 1, .density = 1, .degenerate = true};
            recipe.shift = k / 2 ? 1e-2 : 1;
            struct random random = random_start(112, 10 * n + k);
            struct trial t = trial_of(&recipe, &random);
            double error = fmax(judge_trial(&t, 1), judge_trial(&t, 2));
            assert_in_interval(error, 0, 8);
            worst = fmax(worst, error);
            trial_release(&t);
        }
    print_message("largest backward error: %.2f n u\n", worst);
}

/* Blocks of rows that share columns: too many products for lists, too few entries for a dense factor. */
TEST(a_factor_without_lists_solves_backward_stably) {
    enum { BLOCKS = 3, LENGTH = 330, ROWS = BLOCKS * LENGTH };
    struct random random = random_start(113, 0);
    struct trial t = {.rows = ROWS, .columns = ROWS + BLOCKS};
    t.first = calloc(ROWS + 1, sizeof *t.first);
    t.column = calloc(2 * ROWS + 1, sizeof *t.column);
    for (size_t i = 0; i < ROWS; i++) {
        t.first[i + 1] = t.first[i] + 2;
        t.column[2 * i] = (uint32_t)(i / LENGTH);
        t.column[2 * i + 1] = (uint32_t)(BLOCKS + i);
    }
    t.entries = (size_t)2 * ROWS;
    struct recipe recipe = {.rows = ROWS, .columns = t.columns, .shift = 0.5};
    trial_draw_values(&t, &recipe, &random);
    size_t at = t.entries;
    t.sides = (struct damped_sides){.from = {(uint32_t)(at * LANES), (uint32_t)((at + ROWS) * LANES)},
                                    .to = {(uint32_t)((at + 2 * ROWS) * LANES), (uint32_t)((at + 3 * ROWS) * LANES)}};
    t.shift = (uint32_t)((at + 4 * ROWS) * LANES);
    t.shift_uniform = (uint32_t)((at + 5 * ROWS) * LANES);
    struct damped_request request = {.matrix = {t.rows, t.columns, LANES, t.first, t.column, t.offset, NULL},
                                     .rows_side_only = true,
                                     .fixed_shift = NAN,
                                     .shift = t.shift,
                                     .shift_uniform = t.shift_uniform,
                                     .storage = (uint32_t)((at + 5 * ROWS + 1) * LANES)};
    assert_int_equal(damped_create(&t.system, &request, NULL), HN_OK);
    trial_make_one(&t, request);
    assert_int_equal(t.system.kind, FACTOR_WALKED);
    t.order = t.system.order;
    t.slot_count = request.storage / LANES + t.system.slots;
    t.slots = aligned_alloc(64, t.slot_count * LANES * sizeof *t.slots);
    memset(t.slots, 0, t.slot_count * LANES * sizeof *t.slots);
    for (size_t i = 0; i < t.system.constant_count; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            t.slots[t.system.constants[i].offset + lane] = t.system.constants[i].value;
    trial_draw_vectors(&t, &recipe, &random);
    double error = fmax(judge_trial(&t, 1), judge_trial(&t, 2));
    print_message("largest backward error: %.2g n u\n", error);
    assert_in_interval(error, 0, 8);
    trial_release(&t);
}

/* Without damping, rows twice: a system that can be solved is solved, the unknowns that nothing fixes are 0. */
TEST(without_damping_a_consistent_system_is_solved) {
    for (size_t n = 1; n <= LARGEST; n = next_size(n)) {
        struct recipe recipe = {.rows = n, .columns = n, .density = 1, .degenerate = true};
        struct random random = random_start(114, n);
        struct trial t = trial_of(&recipe, &random);
        for (size_t lane = 0; lane < LANES; lane++) { /* b = A (1, -1, 1, ...) */
            for (size_t i = 0; i < n; i++) {
                double sum = 0;
                for (size_t e = t.first[i]; e < t.first[i + 1]; e++)
                    sum += t.column[e] % 2 ? -t.value[e * LANES + lane] : t.value[e * LANES + lane];
                t.slots[t.sides.from[0] + i * LANES + lane] = sum;
            }
        }
        t.sides.count = 1;
        struct backend backend;
        assert_true(backend_at(0, &backend));
        backend.solve(&t.system, t.slots, &t.sides);
        for (size_t lane = 0; lane < LANES; lane++) {
            double error = judge_backward_error(&t, lane, t.slots + t.sides.from[0], t.slots + t.sides.to[0]);
            assert_in_interval(error, 0, 1e-9);
        }
        trial_release(&t);
    }
}

/* ---- storage ---- */

/* A system of two rows and three columns over slots of `stride` numbers, from this one on. */
static hn_status create_from(struct damped *out, uint32_t stride, size_t slot) {
    static const size_t first[] = {0, 2, 4};
    static const uint32_t column[] = {0, 1, 1, 2};
    uint32_t offset[4];
    for (uint32_t e = 0; e < 4; e++)
        offset[e] = e * stride;
    const struct damped_request request = {.matrix = {2, 3, stride, first, column, offset, NULL},
                                           .rows_side_only = true,
                                           .fixed_shift = NAN,
                                           .shift = 4 * stride,
                                           .shift_uniform = 6 * stride,
                                           .storage = (uint32_t)(slot * stride)};
    return damped_create(out, &request, NULL);
}

/* One part lies behind the other: zero, two pivots, 1/D, L, -L D; offsets have half of 32 bits, for two solutions, too. */
TEST(storage_ends_where_offsets_do) {
    for (uint32_t stride = 1; stride <= LANES; stride *= LANES) {
        struct damped system;
        assert_int_equal(create_from(&system, stride, 7), HN_OK);
        assert_int_equal(system.zero, 7 * stride);
        assert_int_equal(system.pivot_range, 8 * stride);
        assert_int_equal(system.inverse, 10 * stride);
        assert_int_equal(system.lower, 12 * stride);
        assert_int_equal(system.nonzeros, 1);
        assert_int_equal(system.negated, 13 * stride);
        size_t used = system.solution / stride - 7, last = UINT32_MAX / stride / 2 - used - 2 * system.order;
        assert_int_equal(system.slots, used);
        damped_release(&system);
        assert_int_equal(create_from(&system, stride, last), HN_OK);
        damped_release(&system);
        assert_int_equal(create_from(&system, stride, last + 1), HN_LIMIT);
        damped_release(&system);
    }
}

/* ---- products ---- */

TEST(products_with_the_matrix_and_its_transpose) {
    for (size_t n = 1; n <= SMALL; n += 3) {
        struct recipe recipe = {.rows = n, .columns = 2 * n + 1, .density = 0.4, .shift = 1};
        struct random random = random_start(115, n);
        struct trial t = trial_of(&recipe, &random);
        struct backend backend;
        for (size_t i = 0; i < t.columns * LANES; i++)
            t.slots[t.sides.from[0] + i] = random_normal(&random);
        for (size_t k = 0; backend_at(k, &backend); k++) {
            backend.multiply(&t.system.by_rows, t.slots, t.sides.from[0], t.sides.to[0]);
            backend.multiply(&t.system.by_columns, t.slots, t.sides.from[0], t.sides.to[1]);
            const double *x = t.slots + t.sides.from[0];
            for (size_t lane = 0; lane < LANES; lane++) {
                long double *transposed = calloc(t.columns, sizeof *transposed);
                for (size_t i = 0; i < t.rows; i++) {
                    long double sum = 0;
                    for (size_t e = t.first[i]; e < t.first[i + 1]; e++) {
                        sum += (long double)t.value[e * LANES + lane] * x[t.column[e] * LANES + lane];
                        transposed[t.column[e]] += (long double)t.value[e * LANES + lane] * x[i * LANES + lane];
                    }
                    assert_in_interval(t.slots[t.sides.to[0] + i * LANES + lane], (double)sum - 1e-13,
                                       (double)sum + 1e-13);
                }
                for (size_t j = 0; j < t.columns; j++)
                    assert_in_interval(t.slots[t.sides.to[1] + j * LANES + lane], (double)transposed[j] - 1e-13,
                                       (double)transposed[j] + 1e-13);
                free(transposed);
            }
        }
        trial_release(&t);
    }
}

int main(int count, char **words) {
    all = count > 1 && strcmp(words[1], "all") == 0;
    return run_registered_tests();
}
