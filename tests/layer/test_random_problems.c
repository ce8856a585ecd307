/* test_random_problems.c - what is called ok is ok, on random problems of every kind (R11, R14, R15, R20).
 *
 * Feasible, infeasible, degenerate and badly scaled problems go through lm and paper. Every verdict is judged by plain
 * evaluation of the model's rows at the returned y, which shares no code with the layer. Whatever the outcome, y is
 * finite and not worse than what came in, and nothing is left unwritten.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sanitizers are slow: they see a share. */
enum { PROBLEMS = 20000 / HN_TEST_SHARE, SAMPLES = 3, MEDIUM_EVERY = 400 };

static const double TOLERANCE = 1e-8;

struct tally {
    size_t samples, outcomes[HN_OUTCOME_COUNT];
};

/* raw, raw from elsewhere, and the solution itself */
static double *draw_raw(const struct random_problem *problem, uint64_t stream) {
    size_t n = problem->outputs;
    struct random random = random_start(7, stream);
    double *raw = malloc(SAMPLES * n * sizeof *raw);
    memcpy(raw, problem->raw, n * sizeof *raw);
    for (size_t j = 0; j < n; j++)
        raw[n + j] = problem->raw[j] * random_between(&random, -2, 2);
    memcpy(raw + 2 * n, problem->solution, n * sizeof *raw);
    return raw;
}

/* Every row's own r was written, and the largest is the violation. */
static void check_residual(const struct layer_results *results, size_t s, double violation) {
    double largest = 0;
    for (size_t i = 0; i < results->rows; i++) {
        double r = results->residual[s * results->rows + i];
        if (isfinite(violation) && !(fabs(r) <= violation))
            fail_msg("residual %zu is %g, the violation %g", i, r, violation);
        largest = fmax(largest, fabs(r));
    }
    if (isfinite(violation))
        assert_same_bits(largest, violation);
}

static void check_sample(const struct random_problem *problem, const double *raw, const struct layer_results *results,
                         size_t s, struct tally *tally) {
    const hn_report *report = &results->reports[s];
    const double *y = results->y + s * problem->outputs;
    size_t row;
    for (size_t j = 0; j < problem->outputs; j++)
        if (!isfinite(y[j]))
            fail_msg("y[%zu] is %g", j, y[j]);
    double found = judged_violation(problem->model, problem->x, y, false, &row);
    double before = judged_violation(problem->model, problem->x, raw + s * problem->outputs, false, NULL);
    assert_true((unsigned)report->outcome < HN_OUTCOME_COUNT);
    if (report->outcome == HN_OUTCOME_OK && !(found <= TOLERANCE * (1 + 1e-6)))
        fail_msg("called ok, violated by %g", found);
    if (report->outcome != HN_OUTCOME_OK && found <= TOLERANCE)
        fail_msg("called %s, violated by %g", hn_outcome_text(report->outcome), found);
    if (!(found <= before || report->outcome == HN_OUTCOME_OK))
        fail_msg("violated by %g at first, then by %g", before, found);
    assert_same_bits(report->violation, found);
    check_residual(results, s, found);
    assert_same_bits(report->violation_before, before);
    assert_true(report->worst == row || (row != SIZE_MAX && found == INFINITY));
    assert_true(report->steps >= 0 && report->steps <= report->iterations);
    assert_true(report->moved >= 0 && !(report->damping < 0) && report->culprit == SIZE_MAX);
    tally->samples++;
    tally->outcomes[report->outcome]++;
}

static void check_problem(const struct random_problem *problem, uint64_t stream, hn_layer_options options,
                          struct tally *tally) {
    hn_layer *layer = layer_of(problem->model, options);
    struct layer_results results = results_of(layer, SAMPLES);
    double *raw = draw_raw(problem, stream);
    hn_batch batch = batch_into(&results, problem->x, raw);
    batch.repeat_x = true;
    layer_run(layer, &batch);
    for (size_t s = 0; s < SAMPLES; s++)
        check_sample(problem, raw, &results, s, tally);
    free(raw);
    results_release(&results);
    hn_layer_destroy(layer);
}

static const char *const kind_names[PROBLEM_KINDS] = {"feasible", "infeasible", "degenerate", "badly scaled"};

static void print_tally(const char *method, const struct tally tallies[PROBLEM_KINDS]) {
    for (int kind = 0; kind < PROBLEM_KINDS; kind++) {
        const struct tally *tally = &tallies[kind];
        char text[256] = "";
        size_t at = 0;
        for (int i = 0; i < HN_OUTCOME_COUNT; i++)
            if (tally->outcomes[i])
                at += (size_t)snprintf(text + at, sizeof text - at, ", %s %zu", hn_outcome_text((hn_outcome)i),
                                       tally->outcomes[i]);
        print_message("%s, %s: %zu samples%s\n", method, kind_names[kind], tally->samples, text);
    }
}

static struct random_problem_options draw_options(uint64_t stream) {
    static const enum problem_kind kinds[] = {PROBLEM_FEASIBLE,   PROBLEM_FEASIBLE,   PROBLEM_FEASIBLE,
                                              PROBLEM_INFEASIBLE, PROBLEM_DEGENERATE, PROBLEM_SCALED};
    struct random_problem_options options = {.kind = kinds[stream % COUNT_OF(kinds)]};
    if (stream % MEDIUM_EVERY == 0) {
        options.outputs = 40 + stream / MEDIUM_EVERY % 30;
        options.rows = 30 + stream / MEDIUM_EVERY % 50;
    }
    return options;
}

static void nothing_is_called_ok_that_is_not(void **state) {
    (void)state;
    struct tally lm[PROBLEM_KINDS] = {{0}}, paper[PROBLEM_KINDS] = {{0}}, fixed[PROBLEM_KINDS] = {{0}},
                 automatic[PROBLEM_KINDS] = {{0}};
    hn_layer_options options = layer_method(HN_METHOD_LM);
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        struct random_problem problem;
        struct random_problem_options kind = draw_options(stream);
        random_problem_create(&problem, kind, 11, stream);
        options = layer_method(HN_METHOD_LM);
        check_problem(&problem, stream, options, &lm[kind.kind]);
        check_problem(&problem, stream, hn_layer_defaults(), &automatic[kind.kind]);
        options.damping = stream / 24 % 2 ? 0.01 : 0;
        options.iterations = 30;
        if (stream / 6 % 4 == 0)
            check_problem(&problem, stream, options, &fixed[kind.kind]);
        options = layer_method(HN_METHOD_PAPER);
        options.iterations = 30;
        if (stream / 6 % 2 == 0)
            check_problem(&problem, stream, options, &paper[kind.kind]);
        random_problem_release(&problem);
    }
    print_tally("auto", automatic);
    print_tally("lm", lm);
    print_tally("lm, fixed damping", fixed);
    print_tally("paper", paper);
    assert_int_equal(lm[PROBLEM_INFEASIBLE].outcomes[HN_OUTCOME_OK], 0);
    assert_int_equal(fixed[PROBLEM_INFEASIBLE].outcomes[HN_OUTCOME_OK], 0);
    assert_int_equal(paper[PROBLEM_INFEASIBLE].outcomes[HN_OUTCOME_OK], 0);
    double share = (double)lm[PROBLEM_FEASIBLE].outcomes[HN_OUTCOME_OK] / (double)lm[PROBLEM_FEASIBLE].samples;
    print_message("lm is ok on %.2f %% of the feasible samples\n", 100 * share);
    assert_in_interval(share, 0.8, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_called_ok_that_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
