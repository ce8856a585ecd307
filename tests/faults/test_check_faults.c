/* test_check_faults.c - every allocation behind a check of a model fails in turn, once and for ever: each time there is a status, a
 * sentence and no result, and nothing leaks. The model contradicts itself, so that relaxed models are made, too.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"

#include "hardnet/check.h"

#include <math.h>

enum { LEAST_ALLOCATIONS = 200 };

static hn_model *contradiction(void) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "a"), b = hn_output(model, "b");
    hn_input_range(x, 1, 2);
    hn_constrain(model, "one", 3, hn_add(a, b), INFINITY);
    hn_constrain_between(model, "two", hn_constant(model, -1), hn_add(a, b), x);
    hn_constrain(model, "three", -INFINITY, hn_mul(hn_sin(a), x), 5);
    hn_minimize(model, "f", hn_mul(a, b));
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

static void fail_in_turn(const hn_model *model, bool for_ever) {
    hn_check *check;
    hn_check_options options = hn_check_defaults();
    hn_error error;
    size_t k = 1;
    options.points = 1;
    options.threads = 1;
    memory_fail_never();
    size_t blocks = memory_live_blocks();
    for (;; k++) {
        error = (hn_error){.status = HN_OK};
        memory_fail_at(k, for_ever);
        hn_status status = hn_model_check(&check, model, &options, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (!failed) {
            assert_int_equal(status, HN_OK);
            assert_non_null(check->conflict);
            hn_check_destroy(check);
            break;
        }
        assert_int_equal(status, HN_NO_MEMORY);
        assert_contains(error.text, "out of memory");
        assert_null(check);
        assert_int_equal(memory_live_blocks(), blocks);
    }
    assert_true(k > LEAST_ALLOCATIONS);
    assert_int_equal(memory_live_blocks(), blocks);
}

static void a_check_without_memory_is_none_and_nothing_leaks(void **state) {
    (void)state;
    hn_model *model = contradiction();
    fail_in_turn(model, false);
    fail_in_turn(model, true);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_check_without_memory_is_none_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
