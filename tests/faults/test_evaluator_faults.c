/* test_evaluator_faults.c - every allocation behind an evaluator and its pool fails in turn, once and for ever; running makes none.
 *
 * For k = 1, 2, ... both are made with allocation k failing, until they come through: each time there is a status, a sentence and
 * no evaluator, and nothing leaks. The evaluator made last gives the bits of one made without faults.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/shape_models.h"
#include "support/smooth_model.h"

#include "hardnet/evaluate.h"

#include <stdlib.h>
#include <string.h>

enum { COUNT = 70, THREADS = 2, LEAST_ALLOCATIONS = 60 };

struct made {
    hn_evaluator *evaluator;
    hn_evaluator_pool *pool;
};

/* Both or neither. */
static hn_status make(struct made *out, const hn_model *model, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    options.wanted = HN_WANT_ALL;
    *out = (struct made){(hn_evaluator *)(void *)out, (hn_evaluator_pool *)(void *)out};
    hn_status status = hn_evaluator_create(&out->evaluator, model, &options, error);
    if (status != HN_OK) {
        assert_null(out->evaluator);
        return status;
    }
    status = hn_evaluator_pool_create(&out->pool, out->evaluator, THREADS, error);
    if (status != HN_OK) {
        assert_null(out->pool);
        hn_evaluator_destroy(out->evaluator);
    }
    return status;
}

static void unmake(struct made *made) {
    hn_evaluator_pool_destroy(made->pool);
    hn_evaluator_destroy(made->evaluator);
}

/* ---- running ---- */

static double *fill(size_t count, double from) {
    double *list = malloc((count + 1) * sizeof *list);
    assert_non_null(list);
    for (size_t i = 0; i < count; i++)
        list[i] = from + 0.01 * (double)(i % 97);
    return list;
}

static void run(const struct made *made, double **values) {
    hn_evaluator_info info = hn_evaluator_info_of(made->evaluator);
    double *x = fill(COUNT * info.inputs, -0.5), *y = fill(COUNT * info.outputs, 0.1),
           *rows = fill(COUNT * info.rows, 1);
    hn_evaluation evaluation = {
        .size = sizeof evaluation, .count = COUNT, .x = x, .y = y, .v_x = x, .v_y = y, .lambda = rows, .w = rows};
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        evaluation.values[q] = values[q] = fill(COUNT * hn_evaluator_width(made->evaluator, (hn_quantity)q), 0);
    memory_fail_at(1, true);
    assert_int_equal(hn_evaluator_pool_run(made->pool, &evaluation, NULL), HN_OK);
    assert_int_equal(memory_allocations(), 0);
    memory_fail_never();
    free(x);
    free(y);
    free(rows);
}

static void check_same(const struct made *first, const struct made *second) {
    double *a[HN_QUANTITY_COUNT], *b[HN_QUANTITY_COUNT];
    run(first, a);
    run(second, b);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++) {
        assert_memory_equal(a[q], b[q], COUNT * hn_evaluator_width(first->evaluator, (hn_quantity)q) * sizeof(double));
        free(a[q]);
        free(b[q]);
    }
}

/* ---- faults ---- */

static void make_with_faults(const hn_model *model, bool for_ever) {
    struct made first, last;
    hn_error error;
    memory_fail_never();
    assert_int_equal(make(&first, model, &error), HN_OK);
    size_t allocations = memory_allocations(), blocks = memory_live_blocks(), k = 1;
    hn_status status;
    for (;; k++) {
        error = (hn_error){.status = HN_OK};
        memory_fail_at(k, for_ever);
        status = make(&last, model, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (!failed)
            break;
        assert_int_equal(status, HN_NO_MEMORY);
        assert_int_equal(error.status, HN_NO_MEMORY);
        assert_contains(error.text, "out of memory");
        assert_int_equal(memory_live_blocks(), blocks);
    }
    assert_int_equal(status, HN_OK);
    assert_int_equal(k, allocations + 1);
    assert_true(k > LEAST_ALLOCATIONS);
    check_same(&first, &last);
    unmake(&first);
    unmake(&last);
}

static void an_evaluator_without_memory_is_none_and_nothing_leaks(void **state) {
    (void)state;
    hn_model *models[] = {smooth_model(1, true), undefined_model(1)};
    for (size_t i = 0; i < COUNT_OF(models); i++) {
        make_with_faults(models[i], false);
        make_with_faults(models[i], true);
        hn_model_destroy(models[i]);
    }
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_evaluator_without_memory_is_none_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
