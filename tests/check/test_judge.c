/* test_judge.c - right derivatives pass, wrong ones do not, corners are not judged.
 *
 * SPDX-License-Identifier: MIT */
#include "check/richardson.h"
#include "support/check.h"

typedef double function(double);

/* The verdict on a claimed derivative of f at x, after as many passes as there is doubt for. */
static struct verdict verdict_on(function *f, double x, double claimed) {
    struct verdict verdict = {.error = INFINITY};
    for (int pass = 0; pass < PASSES && judge_doubts(&verdict); pass++) {
        double lanes[LANES], derivative[STEPS];
        for (size_t s = 0; s < STEPS; s++) {
            lanes[2 * s] = f(x + judge_step(pass, s));
            lanes[2 * s + 1] = f(x - judge_step(pass, s));
            derivative[s] = claimed;
        }
        judge(&verdict, pass, lanes, derivative, f(x), 1e-3 * fabs(f(x)));
    }
    return verdict;
}

static double fast(double x) {
    return exp(100 * x);
}

static double scaled_root(double x) {
    return 1e4 * sqrt(x - 1);
}

static double tiny(double x) {
    return 1e-9 * sin(x);
}

static double flat(double x) { /* as the product of 20 outputs along a line, at 0 */
    return 1e-11 * pow(x, 19);
}

static double nearly_flat(double x) {
    return 1e-9 * x + pow(x, 19);
}

static double corner(double x) {
    return fabs(x);
}

static double jump(double x) {
    return x > 0 ? 1 : 0;
}

TEST(right_derivatives_agree) {
    assert_true(verdict_on(sin, 0.7, cos(0.7)).error < 1e-9);
    assert_true(verdict_on(atan, -3, 0.1).error < 1e-9);
    assert_true(verdict_on(fast, 0.1, 100 * exp(10)).error < 1e-7);
    assert_true(verdict_on(scaled_root, 1.001, 5e3 / sqrt(1.001 - 1)).error < 1e-7);
    assert_true(verdict_on(tiny, 1, 1e-9 * cos(1)).error < 1e-7);
    assert_true(verdict_on(flat, 0, 0).error < 1e-9);
}

TEST(wrong_derivatives_do_not) {
    assert_true(verdict_on(sin, 0.7, cos(0.7) * (1 + 1e-5)).error > 1e-6);
    assert_true(verdict_on(sin, 0.7, -cos(0.7)).error > 0.1);
    assert_true(verdict_on(sin, 0.7, 0).error > 0.1);
    assert_true(verdict_on(fast, 0.1, 101 * exp(10)).error > 1e-3);
    assert_true(verdict_on(tiny, 1, 2e-9 * cos(1)).error > 0.1);
    assert_true(verdict_on(nearly_flat, 0, 0).error > 0.1);
    assert_false(verdict_on(sin, 0.7, 0).kink);
}

TEST(corners_and_jumps_are_not_judged) {
    assert_true(verdict_on(corner, 0, 1).kink);
    assert_true(verdict_on(jump, 0, 0).kink);
    assert_false(verdict_on(corner, 0.001, 1).kink);
    assert_true(verdict_on(corner, 0.001, 1).error < 1e-9);
}

TEST(a_function_that_ends_nearby_is_not_lost) {
    assert_true(verdict_on(log, 1e-3, 1e3).error < 1e-6);
    assert_true(isinf(verdict_on(log, -1, -1).error));
}

TEST(summaries_do_not_depend_on_the_order) {
    struct verdict bad = {.error = 0.5}, good = {.error = 1e-9}, kink = {.error = 1, .kink = true};
    hn_check_difference a = {.checked = 0}, b = {.checked = 0};
    hn_check_difference first = {.row = 1, .column = 2}, second = {.row = 3, .column = 4};
    judge_record(&a, &bad, second);
    judge_record(&a, &bad, first);
    judge_record(&a, &good, first);
    judge_record(&a, &kink, first);
    judge_record(&b, &kink, first);
    judge_record(&b, &good, first);
    judge_record(&b, &bad, first);
    judge_record(&b, &bad, second);
    assert_int_equal(a.row, 1);
    assert_int_equal(b.row, 1);
    assert_int_equal(a.checked, 3);
    assert_int_equal(b.checked, 3);
    assert_int_equal(a.kinks, 1);
    assert_true(a.error == 0.5 && b.error == 0.5);
}
