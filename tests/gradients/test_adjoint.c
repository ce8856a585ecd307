/* test_adjoint.c - hn_layer_gradient against central differences of hn_layer_run on random problems.
 *
 * 1000 problems over every method, with fewer and with more rows than outputs, so that the system is solved on both
 * sides; test_shapes.c has the other kernels. Step counts and decisions are held fixed; what cannot be compared because
 * they change however small the difference is counted, and is at most one direction in 20 of every method. Every bound is an input of its own, so that differences by x
 * judge the gradients by bounds too.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/gradient_check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { PROBLEMS = 1000 };

static const double LIMIT = 1e-7;

struct summary {
    size_t checked, directions, skipped, rows_side, outputs_side, not_ok;
    double error, width;
};

/* ---- problems and settings ---- */

struct setting {
    const char *name;
    hn_method method;
    double damping;
    int iterations;
    double tolerance;
};

static const struct setting settings[] = {
    {"paper", HN_METHOD_PAPER, 0.3, 6, 1e-8},
    {"hardnet", HN_METHOD_HARDNET, -1, 3, 1e-8},
    {"lm, fixed damping", HN_METHOD_LM, 0.1, 4, 0},
    {"lm", HN_METHOD_LM, -1, 30, 1e-8},
    {"paper, little damping", HN_METHOD_PAPER, 0.01, 3, 1e-8},
    {"auto", HN_METHOD_AUTO, -1, -1, 1e-8},
    {"enforce", HN_METHOD_ENFORCE, -1, 1, 1e-8}, /* a second step would find straight rows on their bounds: a kink */
    {"snarenet", HN_METHOD_SNARENET, -1, 6, 1e-8},
};

static hn_layer_options options_of(const struct setting *setting) {
    hn_layer_options options = layer_method(setting->method);
    options.damping = setting->damping;
    options.iterations = setting->iterations;
    options.tolerance = setting->tolerance;
    return options;
}

/* Fewer rows than outputs; more; many of both. */
static struct random_problem_options shape_of(uint64_t stream, const struct setting *setting) {
    struct random random = random_start(3, stream);
    struct random_problem_options options = {.bounds_are_inputs = true, .interior = true};
    bool few = setting->method == HN_METHOD_HARDNET || setting->method == HN_METHOD_ENFORCE;
    uint64_t shape = few ? 2 * random_below(&random, 2) : stream / 5 % 3;
    if (shape == 0) {
        options.outputs = 5 + random_below(&random, 8);
        options.rows = 1 + random_below(&random, options.outputs / 2);
    } else if (shape == 1) {
        options.outputs = 1 + random_below(&random, 5);
        options.rows = options.outputs + 4 + random_below(&random, 12);
    } else {
        options.outputs = 24 + random_below(&random, 8);
        options.rows = 16 + random_below(&random, 4);
    }
    return options;
}

/* ---- checks ---- */

/* The gradient by a bound is the gradient by the input that it is. */
static void check_bounds(const struct random_problem *problem, const struct gradient_verdict *verdict) {
    for (size_t i = 0; i < problem->rows; i++) {
        size_t low = problem->lower_input[i], high = problem->upper_input[i];
        if (low != SIZE_MAX)
            assert_same_bits(verdict->grad_lower[i] + 0.0, verdict->grad_x[low] + 0.0);
        else
            assert_true(verdict->grad_lower[i] == 0);
        if (high != SIZE_MAX)
            assert_same_bits(verdict->grad_upper[i] + 0.0, verdict->grad_x[high] + 0.0);
        else
            assert_true(verdict->grad_upper[i] == 0);
    }
}

static void add_verdict(struct summary *all, const hn_layer *layer, const struct gradient_verdict *verdict) {
    hn_layer_info info = hn_layer_info_of(layer);
    all->checked++;
    all->directions += verdict->directions;
    all->skipped += verdict->skipped;
    all->rows_side += !info.outputs_side;
    all->outputs_side += info.outputs_side;
    all->not_ok += !verdict->ok;
    all->error = fmax(all->error, verdict->error);
    all->width = fmin(all->width, verdict->width);
}

static void print_summary(const char *name, const struct summary *all) {
    print_message("%s: %zu problems (%zu on the outputs' side, %zu not ok), largest error %.2g, smallest h "
                  "%.1g, %zu of %zu directions skipped\n",
                  name, all->checked, all->outputs_side, all->not_ok, all->error, all->width, all->skipped,
                  all->directions);
}

static void check_random(uint64_t stream, const struct setting *setting, struct summary *all) {
    struct random_problem problem;
    struct plain_layer plain;
    random_problem_create(&problem, shape_of(stream, setting), 21, stream);
    plain_layer_create(&plain, problem.model);
    hn_layer *layer = layer_of(problem.model, options_of(setting));
    struct gradient_case one = {layer, &plain, problem.x, problem.raw, stream, 2e-3};
    struct gradient_verdict verdict = gradient_check(&one);
    assert_true(verdict.finite);
    assert_int_equal(verdict.flagged, !verdict.ok);
    if (!(verdict.error <= LIMIT))
        fail_msg("problem %zu (%s): the gradient is wrong by %g", (size_t)stream, setting->name, verdict.error);
    check_bounds(&problem, &verdict);
    add_verdict(all, layer, &verdict);
    gradient_verdict_release(&verdict);
    hn_layer_destroy(layer);
    plain_layer_release(&plain);
    random_problem_release(&problem);
}

static void the_gradient_is_that_of_differences_for_every_method(void **state) {
    (void)state;
    struct summary all[COUNT_OF(settings)], whole = {0};
    for (size_t i = 0; i < COUNT_OF(settings); i++)
        all[i] = (struct summary){.width = INFINITY};
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        size_t i = stream % COUNT_OF(settings);
        check_random(stream, &settings[i], &all[i]);
    }
    for (size_t i = 0; i < COUNT_OF(settings); i++) {
        print_summary(settings[i].name, &all[i]);
        assert_true(all[i].skipped * 20 <= all[i].directions);
        whole.rows_side += all[i].rows_side;
        whole.outputs_side += all[i].outputs_side;
    }
    assert_true(whole.rows_side > PROBLEMS / 10 && whole.outputs_side > PROBLEMS / 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_gradient_is_that_of_differences_for_every_method),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
