/* test_random_problems.c - what is called ok is ok, on random problems of every kind.
 *
 * Feasible, infeasible, degenerate and badly scaled problems go through auto, lm, paper and, where there are no more rows than
 * outputs, hardnet. Every verdict is judged by plain evaluation of the model's rows at the returned y, which shares no code with
 * the layer; so are the residual, the distance and the effort that are reported. Whatever the outcome, y is finite and not worse
 * than what came in, and nothing is left unwritten. Of every seventh problem one entry is spoilt once more: its sample says so, and
 * its neighbours keep every bit.
 * `random_problems 20000` takes as many problems (`make test-long`).
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
enum { PROBLEMS = 10000 / HN_TEST_SHARE, SAMPLES = 3, MEDIUM_EVERY = 400, SPOILT_EVERY = 7 };

static const double TOLERANCE = 1e-8;
static uint64_t problems = PROBLEMS;

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

/* ---- what a report says, judged ---- */

/* Every row's own r is that of the equations, and the largest is the violation, which is infinite where a row has no number. */
static void check_residual(const struct random_problem *problem, const double *x, const struct layer_results *results,
                           size_t s) {
    double violation = results->reports[s].violation, largest = 0;
    const double *r = results->residual + s * results->rows;
    double *judged = calloc(results->rows + 1, sizeof *judged);
    judged_residual(problem->model, x, results->y + s * results->outputs, judged);
    for (size_t i = 0; i < results->rows; i++) {
        if (is_unwritten(r[i]) || !(r[i] == judged[i] || (isnan(r[i]) && isnan(judged[i]))))
            fail_msg("residual %zu is %g, not %g", i, r[i], judged[i]);
        largest = isnan(r[i]) ? INFINITY : fmax(largest, fabs(r[i]));
    }
    free(judged);
    if (violation != INFINITY) /* a body may be infinite inside its bounds */
        assert_same_bits(largest, violation);
}

/* |y - y_raw| in 80-bit numbers, whose squares do not overflow. */
static void check_moved(const double *y, const double *raw, size_t count, double moved) {
    long double squares = 0;
    for (size_t j = 0; j < count; j++) {
        long double way = (long double)y[j] - raw[j];
        squares += way * way;
    }
    long double distance = sqrtl(squares);
    if (!(fabsl(moved - distance) <= 1e-13L * distance))
        fail_msg("moved by %.17g, reported as %.17g", (double)distance, moved);
}

/* An eps of the caller's stays; one that is adapted is a power of two, and auto's at first at most 1. */
static void check_effort(const hn_report *report, hn_layer_options settings) {
    int exponent;
    bool adapted = settings.method == HN_METHOD_AUTO || settings.damping < 0;
    assert_in_range(report->iterations, 0, settings.iterations);
    assert_in_range(report->steps, 0, report->iterations);
    if (!adapted || report->iterations == 0) {
        assert_same_bits(report->damping, adapted ? 0 : settings.damping);
        return;
    }
    assert_true(report->damping > 0 && isfinite(report->damping));
    assert_true(frexp(report->damping, &exponent) == 0.5 ||
                (settings.method == HN_METHOD_AUTO && report->damping <= 1));
}

static void check_sample(const struct random_problem *problem, hn_layer_options settings, const double *raw,
                         const struct layer_results *results, size_t s, struct tally *tally) {
    const hn_report *report = &results->reports[s];
    const double *y = results->y + s * problem->outputs;
    size_t row;
    for (size_t j = 0; j < problem->outputs; j++)
        if (!isfinite(y[j]))
            fail_msg("y[%zu] is %g", j, y[j]);
    double found = judged_violation(problem->model, problem->x, y, false, &row);
    double before = judged_violation(problem->model, problem->x, raw + s * problem->outputs, false, NULL);
    assert_true((unsigned)report->outcome < HN_OUTCOME_COUNT);
    if (report->outcome == HN_OUTCOME_OK && !(found <= TOLERANCE))
        fail_msg("called ok, violated by %g", found);
    if (report->outcome != HN_OUTCOME_OK && found <= TOLERANCE)
        fail_msg("called %s, violated by %g", hn_outcome_text(report->outcome), found);
    if (!(found <= before || report->outcome == HN_OUTCOME_OK))
        fail_msg("violated by %g at first, then by %g", before, found);
    assert_same_bits(report->violation, found);
    assert_same_bits(report->violation_before, before);
    assert_int_equal(report->worst, row);
    assert_int_equal(report->culprit, SIZE_MAX);
    check_residual(problem, problem->x, results, s);
    assert_true(isfinite(found) || report->outcome == HN_OUTCOME_NONFINITE_EVALUATION);
    check_moved(y, raw + s * problem->outputs, problem->outputs, report->moved);
    check_effort(report, settings);
    tally->samples++;
    tally->outcomes[report->outcome]++;
}

/* ---- one entry spoilt ---- */

struct samples {
    double *x, *raw, *grad_y; /* x is repeated, a row for each sample */
};

static struct samples samples_of(const struct random_problem *problem, uint64_t stream) {
    size_t n = problem->outputs, k = problem->inputs;
    struct samples s = {.raw = draw_raw(problem, stream)};
    s.x = malloc((SAMPLES * k + 1) * sizeof *s.x);
    s.grad_y = malloc(SAMPLES * n * sizeof *s.grad_y);
    for (size_t i = 0; i < SAMPLES; i++)
        memcpy(s.x + i * k, problem->x, k * sizeof *s.x);
    for (size_t i = 0; i < SAMPLES * n; i++)
        s.grad_y[i] = i % 2 ? 1 : -0.5;
    return s;
}

static void samples_release(struct samples *s) {
    free(s->x);
    free(s->raw);
    free(s->grad_y);
}

static struct layer_results run_samples(const hn_layer *layer, const struct samples *s) {
    return run_and_pull(layer, SAMPLES, s->x, s->raw, s->grad_y);
}

/* Entry `at` of sample s, inputs first, is no number. */
static void check_spoilt(const struct random_problem *problem, const struct samples *samples,
                         const struct layer_results *r, size_t s, size_t at) {
    size_t n = r->outputs, m = r->rows, k = r->inputs;
    const hn_report *report = &r->reports[s];
    const double *y = r->y + s * n;
    assert_int_equal(report->outcome, HN_OUTCOME_NONFINITE_INPUT);
    assert_int_equal(report->culprit, at);
    assert_true(report->iterations == 0 && report->steps == 0 && report->violation_before == INFINITY);
    assert_all_finite(y, n);
    check_residual(problem, samples->x + s * k, r, s);
    if (at < k) {
        check_moved(y, samples->raw + s * n, n, report->moved);
    } else {
        assert_same_bits(report->violation, judged_violation(problem->model, samples->x + s * k, y, false, NULL));
        assert_true(report->moved == INFINITY);
    }
    assert_true(r->flagged[s]);
    assert_all_zero(r->grad_y_raw + s * n, n);
    assert_all_zero(r->grad_x + s * k, k);
    assert_all_zero(r->grad_lower + s * m, m);
    assert_all_zero(r->grad_upper + s * m, m);
}

static void spoil_and_check(const struct random_problem *problem, const hn_layer *layer, uint64_t stream) {
    static const double bad[] = {NAN, INFINITY, -INFINITY, -NAN};
    struct random random = random_start(17, stream);
    struct samples samples = samples_of(problem, stream);
    struct layer_results clean = run_samples(layer, &samples);
    size_t spoilt = random_below(&random, SAMPLES), at = random_below(&random, problem->inputs + problem->outputs);
    double *entry = at < problem->inputs ? &samples.x[spoilt * problem->inputs + at]
                                         : &samples.raw[spoilt * problem->outputs + at - problem->inputs];
    *entry = bad[random_below(&random, COUNT_OF(bad))];
    struct layer_results r = run_samples(layer, &samples);
    for (size_t s = 0; s < SAMPLES; s++) {
        assert_true(clean.flagged[s] || clean.reports[s].outcome == HN_OUTCOME_OK);
        if (s == spoilt)
            check_spoilt(problem, &samples, &r, s, at);
        else if (!same_results(&r, s, &clean, s))
            fail_msg("problem %llu: sample %zu follows its neighbour %zu", (unsigned long long)stream, s, spoilt);
    }
    results_release(&r);
    results_release(&clean);
    samples_release(&samples);
}

/* ---- one problem ---- */

static void check_problem(const struct random_problem *problem, uint64_t stream, hn_layer_options options,
                          struct tally *tally) {
    hn_layer *layer = layer_of(problem->model, options);
    struct layer_results results = results_of(layer, SAMPLES);
    double *raw = draw_raw(problem, stream);
    hn_batch batch = batch_into(&results, problem->x, raw);
    batch.repeat_x = true;
    layer_run(layer, &batch);
    for (size_t s = 0; s < SAMPLES; s++)
        check_sample(problem, hn_layer_options_of(layer), raw, &results, s, tally);
    if (stream % SPOILT_EVERY == 0)
        spoil_and_check(problem, layer, stream);
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

/* The methods that a problem goes through, and what came of it. */
enum { AUTO, LM, FIXED, PAPER, HARDNET, WAYS };
static const char *const way_names[WAYS] = {"auto", "lm", "lm, fixed damping", "paper", "hardnet"};

static void check_ways(const struct random_problem *problem, uint64_t stream, enum problem_kind kind,
                       struct tally tallies[WAYS][PROBLEM_KINDS]) {
    hn_layer_options fixed = layer_method(HN_METHOD_LM), paper = layer_method(HN_METHOD_PAPER);
    hn_layer_options hardnet = layer_method(HN_METHOD_HARDNET);
    fixed.damping = stream / 24 % 2 ? 0.01 : 0;
    fixed.iterations = paper.iterations = hardnet.iterations = 30;
    check_problem(problem, stream, hn_layer_defaults(), &tallies[AUTO][kind]);
    check_problem(problem, stream, layer_method(HN_METHOD_LM), &tallies[LM][kind]);
    if (stream / 6 % 4 == 0)
        check_problem(problem, stream, fixed, &tallies[FIXED][kind]);
    if (stream / 6 % 2 == 0)
        check_problem(problem, stream, paper, &tallies[PAPER][kind]);
    if (problem->rows <= problem->outputs)
        check_problem(problem, stream, hardnet, &tallies[HARDNET][kind]);
}

static void nothing_is_called_ok_that_is_not(void **state) {
    (void)state;
    struct tally tallies[WAYS][PROBLEM_KINDS] = {{{0}}};
    for (uint64_t stream = 0; stream < problems; stream++) {
        struct random_problem problem;
        struct random_problem_options kind = draw_options(stream);
        random_problem_create(&problem, kind, 11, stream);
        check_ways(&problem, stream, kind.kind, tallies);
        random_problem_release(&problem);
    }
    for (int way = 0; way < WAYS; way++) {
        print_tally(way_names[way], tallies[way]);
        assert_true(tallies[way][PROBLEM_INFEASIBLE].samples > 0);
        assert_int_equal(tallies[way][PROBLEM_INFEASIBLE].outcomes[HN_OUTCOME_OK], 0);
        assert_true(tallies[way][PROBLEM_FEASIBLE].outcomes[HN_OUTCOME_OK] > 0);
    }
    const struct tally *lm = &tallies[LM][PROBLEM_FEASIBLE], *best = &tallies[AUTO][PROBLEM_FEASIBLE];
    double share = (double)lm->outcomes[HN_OUTCOME_OK] / (double)lm->samples;
    double best_share = (double)best->outcomes[HN_OUTCOME_OK] / (double)best->samples;
    print_message("lm is ok on %.2f %% of the feasible samples, auto on %.2f %%\n", 100 * share, 100 * best_share);
    assert_in_interval(share, 0.95, 1);
    assert_in_interval(best_share, 0.995, 1);
}

int main(int count, char **words) {
    if (count > 1)
        problems = strtoull(words[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_called_ok_that_is_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
