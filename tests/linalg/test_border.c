/* test_border.c - systems with columns kept out of M M': when they are, and that they are solved like others, by every backend and to
 * the same bits.
 *
 * With E of 1e-4 or more the backward error is that of test_damped.c, 8 n u at most. With the smallest E that `auto` uses, 2^-30, the
 * matrix without these columns may be nearly singular where the whole one is not; the solution then is as close to one in 128-bit
 * arithmetic as that of the system in which nothing is kept out.
 *
 * SPDX-License-Identifier: MIT */
#include "base/random.h"
#include "linalg/border.h"
#include "support/check.h"
#include "support/damped_trial.h"

enum { MOST_ROWS = 200, MOST_ENTRIES = 4000 };

/* What a pattern has beside `length` rows (y_i, all common columns), or (y_i, y_i+1, all common columns). */
struct extras {
    size_t links; /* outputs of its own in a row: 1 or 2 */
    size_t length, common, budgets;
    bool start;   /* a row with y_0 alone: with a budget, the chain's own columns do not determine everything */
    bool bounds;  /* a row for each common column alone */
    size_t fixed; /* rows (y_i), at equal distances */
};

/* A row with the first `common` columns and with `count` of those behind the common ones. */
static void put_row(struct trial *t, size_t first, size_t count, size_t common, size_t behind) {
    size_t at = t->first[t->rows];
    for (size_t k = 0; k < common; k++)
        t->column[at++] = (uint32_t)k;
    for (size_t k = 0; k < count; k++)
        t->column[at++] = (uint32_t)(behind + first + k);
    t->first[++t->rows] = at;
}

static struct trial pattern_of(const struct extras *x) {
    struct trial t = {.rows = 0, .columns = x->length + 1 + x->common};
    t.first = calloc(MOST_ROWS + 1, sizeof *t.first);
    t.column = calloc(MOST_ENTRIES, sizeof *t.column);
    if (x->start)
        put_row(&t, 0, 1, 0, x->common);
    for (size_t i = 0; i < x->length; i++)
        put_row(&t, i, x->links, x->common, x->common);
    for (size_t i = 0; i < x->fixed; i++)
        put_row(&t, i * x->length / x->fixed, 1, 0, x->common);
    for (size_t k = 0; k < x->budgets; k++)
        put_row(&t, 0, x->length + 1, 0, x->common);
    for (size_t k = 0; x->bounds && k < x->common; k++) {
        t.column[t.first[t.rows]] = (uint32_t)k;
        t.first[t.rows + 1] = t.first[t.rows] + 1;
        t.rows++;
    }
    t.entries = t.first[t.rows];
    return t;
}

static const struct extras EXTRAS[] = {
    {2, 60, 1, 1, false, false, 0}, {2, 60, 2, 1, true, false, 0},  {2, 45, 2, 0, true, false, 1},
    {2, 60, 3, 0, true, false, 2},  {2, 52, 3, 0, true, true, 0},   {2, 60, 3, 1, true, true, 0},
    {2, 60, 3, 3, true, false, 0},  {2, 64, 1, 2, true, true, 12},  {1, 60, 2, 1, false, true, 0},
    {1, 60, 1, 1, false, true, 0},  {1, 60, 2, 0, false, false, 1}, {1, 60, 2, 0, false, false, 2}};
enum { EXTRA_COUNT = sizeof EXTRAS / sizeof EXTRAS[0] };

static struct trial trial_with(const struct extras *extras, const struct recipe *recipe, uint64_t stream) {
    struct random random = random_start(5, stream);
    struct trial t = pattern_of(extras);
    trial_complete(&t, recipe, &random);
    return t;
}

/* A' in place of A: what stood in all rows is a row over everything. */
static void transpose(struct trial *t) {
    size_t *first = calloc(t->columns + 1, sizeof *first), rows = t->rows;
    uint32_t *column = calloc(MOST_ENTRIES, sizeof *column);
    for (size_t j = 0; j < t->columns; j++) {
        first[j + 1] = first[j];
        for (size_t i = 0; i < rows; i++)
            for (size_t e = t->first[i]; e < t->first[i + 1]; e++)
                if (t->column[e] == j)
                    column[first[j + 1]++] = (uint32_t)i;
    }
    free(t->first);
    free(t->column);
    t->first = first;
    t->column = column;
    t->rows = t->columns;
    t->columns = rows;
}

/* ---- what is kept out ---- */

TEST(columns_that_stand_in_most_rows_are_kept_out) {
    for (uint64_t k = 0; k < EXTRA_COUNT; k++) {
        const struct recipe plain = {.shift = 1}, recipe = {.shift = 1, .may_border = true};
        struct trial without = trial_with(&EXTRAS[k], &plain, k), t = trial_with(&EXTRAS[k], &recipe, k);
        assert_int_equal(without.system.added, 0);
        assert_int_equal(without.system.order, t.rows);
        assert_int_equal(t.system.added, EXTRAS[k].common);
        assert_int_equal(t.system.order, t.rows + EXTRAS[k].common);
        assert_int_equal(t.system.kind, FACTOR_LISTED);
        assert_true(t.system.multiply_adds < 0.5 * without.system.multiply_adds);
        trial_release(&without);
        trial_release(&t);
    }
}

/* Nothing is gained where columns are short, where all are long, or where the other side has no such columns. */
TEST(other_systems_stay_as_they_are) {
    static const struct recipe recipes[] = {
        {.rows = 100, .columns = 150, .density = 0.02, .shift = 1, .may_border = true},
        {.rows = 100, .columns = 150, .density = 0.9, .shift = 1, .may_border = true},
        {.rows = 300, .columns = 40, .density = 0.9, .shift = 1, .outputs_side = true, .may_border = true},
    };
    for (uint64_t k = 0; k < 3; k++) {
        struct random random = random_start(6, k);
        struct trial t = trial_of(&recipes[k], &random);
        assert_int_equal(t.system.added, 0);
        trial_release(&t);
    }
    const struct extras common = {2, 60, 1, 0, false, false, 0};
    const struct recipe either = {.shift = 1, .outputs_side = true, .may_border = true};
    struct trial t = trial_with(&common, &either, 3);
    assert_int_equal(t.system.added, 0);
    assert_true(t.system.outputs_side);
    trial_release(&t);
}

/* Groups of rows over outputs of their own, half of the groups with a common one: products are most of the cost, whatever is kept out.
 * The same with rows and outputs exchanged. */
TEST(little_is_gained_where_products_cost_most) {
    enum { GROUPS = 6, GROUP_ROWS = 8, GROUP_COLUMNS = 50 };
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        const struct recipe recipe = {.shift = 1, .may_border = true, .outputs_side = exchanged};
        struct random random = random_start(9, 0);
        struct trial t = {.columns = 1 + (size_t)GROUPS * GROUP_COLUMNS};
        t.first = calloc(MOST_ROWS + 1, sizeof *t.first);
        t.column = calloc(MOST_ENTRIES, sizeof *t.column);
        for (size_t g = 0; g < GROUPS; g++)
            for (size_t i = 0; i < GROUP_ROWS; i++)
                put_row(&t, g * GROUP_COLUMNS, GROUP_COLUMNS, g % 2, 1);
        t.entries = t.first[t.rows];
        if (exchanged)
            transpose(&t);
        trial_complete(&t, &recipe, &random);
        assert_int_equal(t.system.added, 0);
        assert_int_equal(t.system.outputs_side, exchanged);
        trial_release(&t);
    }
}

/* ---- which columns and rows ---- */

/* The way that costs least, at any cost, for such a pattern and one more row over the first outputs of the chain. */
static struct border border_of(const struct extras *extras, size_t last) {
    struct trial t = pattern_of(extras);
    struct vectors rows, columns;
    struct border border;
    put_row(&t, 0, last, 0, extras->common);
    assert_true(vectors_copy(&rows, t.rows, t.columns, t.first, t.column));
    assert_true(vectors_transpose(&columns, &rows));
    const struct border_request request = {&rows, &columns, NULL, INFINITY};
    assert_int_equal(border_choose(&border, &request, NULL), HN_OK);
    vectors_release(&rows);
    vectors_release(&columns);
    free(t.first);
    free(t.column);
    return border;
}

/* Of 40 rows. */
TEST(a_column_in_half_of_the_rows_is_long) {
    for (size_t length = 18; length < 23; length++) {
        const struct extras extras = {1, length, 1, 0, false, false, 39 - length};
        struct border border = border_of(&extras, 1);
        assert_int_equal(border.count, length >= 20);
        border_release(&border);
    }
}

/* Whether the last row comes behind the column that is kept out. */
static bool last_comes_late(size_t length, size_t last) {
    const struct extras extras = {2, length, 1, 0, false, false, 0};
    struct border border = border_of(&extras, last);
    size_t at = 0;
    assert_int_equal(border.count, 1);
    while (border.order[at] != length && border.order[at] != length + 1)
        at++;
    bool late = border.order[at] == length + 1;
    border_release(&border);
    return late;
}

/* The chain has two outputs more than rows. */
TEST(a_row_of_16_outputs_and_an_eighth_of_all_is_long) {
    for (size_t last = 12; last < 22; last++)
        for (size_t length = 60; length <= 180; length += length == 60 ? 30 : 1)
            assert_int_equal(last_comes_late(length, last), last >= 16 && 8 * last >= length + 2);
}

/* ---- solutions ---- */

static void check_backward(struct trial *t, double limit, double *worst) {
    double error = fmax(judge_trial(t, 1), judge_trial(t, 2));
    if (!(error <= limit))
        fail_msg("%zu rows, %zu columns, %zu added: backward error of %g n u", t->rows, t->columns, t->system.added,
                 error);
    *worst = fmax(*worst, error);
}

TEST(bordered_systems_are_solved_backward_stably) {
    double worst = 0;
    for (uint64_t k = 0; k < 8 * EXTRA_COUNT; k++) {
        struct recipe recipe = {.shift = k % 2 ? 1 : 0.1, .fixed_shift = k / 2 % 2, .may_border = true};
        recipe.known = recipe.fixed_shift && k / 4 % 2 ? 0.4 : 0;
        struct trial t = trial_with(&EXTRAS[k / 8], &recipe, k);
        assert_true(t.system.added > 0);
        check_backward(&t, 8, &worst);
        trial_release(&t);
    }
    print_message("largest backward error: %.2g n u\n", worst);
}

/* More rows than outputs, some rows over all outputs, some outputs in all rows. */
TEST(rows_are_kept_out_on_the_outputs_side) {
    const struct extras extras = {2, 60, 2, 2, true, true, 120};
    double worst = 0;
    for (uint64_t k = 0; k < 4; k++) {
        struct recipe recipe = {.shift = k % 2 ? 1 : 0.1, .outputs_side = true, .may_border = true};
        struct random random = random_start(7, k);
        struct trial t = pattern_of(&extras);
        if (k / 2)
            transpose(&t);
        trial_complete(&t, &recipe, &random);
        assert_true(t.system.added > 0);
        assert_int_equal(t.system.outputs_side, k / 2 == 0);
        check_backward(&t, 8, &worst);
        trial_release(&t);
    }
    print_message("largest backward error: %.2g n u\n", worst);
}

/* A band of rows over BAND columns and all common ones: too many products for lists. */
TEST(bordered_systems_without_lists) {
    enum { ROWS = 700, BAND = 170, COMMON = 60, COLUMNS = ROWS + BAND + COMMON };
    struct random random = random_start(8, 0);
    struct trial t = {.columns = COLUMNS};
    const struct recipe recipe = {.shift = 1, .may_border = true};
    double worst = 0;
    t.first = calloc(ROWS + 1, sizeof *t.first);
    t.column = calloc((size_t)ROWS * (BAND + COMMON), sizeof *t.column);
    for (size_t i = 0; i < ROWS; i++)
        put_row(&t, i, BAND, COMMON, COMMON);
    t.entries = t.first[ROWS];
    trial_complete(&t, &recipe, &random);
    assert_int_equal(t.system.added, COMMON);
    assert_int_equal(t.system.kind, FACTOR_WALKED);
    check_backward(&t, 8, &worst);
    print_message("largest backward error: %.2g n u\n", worst);
    trial_release(&t);
}

static double forward_error(struct trial *t) {
    double worst = 0;
    judge_trial(t, 1);
    for (size_t lane = 0; lane < LANES; lane += 3)
        worst = fmax(worst, judge_forward_error(t, lane, t->slots + t->sides.from[0], t->slots + t->sides.to[0]));
    return worst;
}

/* Bounds of common outputs come last: where nothing else is nearly dependent, hardly anything is lost. */
TEST(solutions_stay_as_good_as_without_a_border_down_to_the_least_damping) {
    double worst = 0, largest = 0;
    for (uint64_t k = 0; k < EXTRA_COUNT; k++) {
        const struct recipe plain = {.shift = 0x1p-30}, recipe = {.shift = 0x1p-30, .may_border = true};
        struct trial without = trial_with(&EXTRAS[k], &plain, k), t = trial_with(&EXTRAS[k], &recipe, k);
        double bordered = forward_error(&t), whole = forward_error(&without);
        if (!(bordered <= 8 * whole) || (EXTRAS[k].links == 1 && EXTRAS[k].bounds && !(bordered <= 1e-12)))
            fail_msg("system %d: error %g instead of %g", (int)k, bordered, whole);
        worst = fmax(worst, bordered / whole);
        largest = fmax(largest, bordered);
        trial_release(&without);
        trial_release(&t);
    }
    print_message("largest error %.2g; at most %.2g times that of the whole system\n", largest, worst);
}

/* ---- without damping ---- */

/* A chain whose start is given and that determines what is common by its budget, or by rows that fix outputs of it, behind it or
 * before. */
TEST(without_damping_dependent_rows_come_last) {
    static const struct extras extras[] = {
        {1, 60, 1, 1, false, true, 0}, {1, 60, 2, 0, false, false, 2}, {1, 60, 1, 0, true, false, 0}};
    double worst = 0;
    for (uint64_t k = 0; k < COUNT_OF(extras); k++) {
        const struct recipe recipe = {.may_border = true, .undamped = true};
        struct trial t = trial_with(&extras[k], &recipe, k);
        assert_int_equal(t.system.added, extras[k].common);
        worst = fmax(worst, forward_error(&t));
        trial_release(&t);
    }
    print_message("largest error %.2g\n", worst);
    assert_in_interval(worst, 0, 1e-9);
}

/* More rows than columns: nothing is kept out, unless rows are damped. */
TEST(without_damping_many_dependent_rows_keep_everything_in) {
    const struct extras extras = {2, 80, 1, 1, false, true, 80};
    for (int kind = 0; kind < 3; kind++) {
        const struct recipe recipe = {
            .shift = 1, .may_border = true, .undamped = kind > 0, .damped = kind == 2 ? MOST_ROWS : 0};
        struct trial t = trial_with(&extras, &recipe, 0);
        assert_int_equal(t.system.added, kind != 1);
        trial_release(&t);
    }
}

/* A chain, its start and outputs that are fixed: as many dependent rows as are fixed, or one less where the start is damped. */
TEST(without_damping_dependent_rows_are_counted) {
    for (size_t fixed = 63; fixed < 68; fixed++)
        for (size_t damped = 0; damped < 2; damped++) {
            const struct extras extras = {2, 120, 1, 0, true, false, fixed};
            const struct recipe recipe = {.shift = 1, .may_border = true, .undamped = true, .damped = damped};
            struct trial t = trial_with(&extras, &recipe, 0);
            assert_int_equal(t.system.added, fixed - damped <= 64);
            trial_release(&t);
        }
}
