/* test_many_problems.c - auto on random problems: nothing is called ok that is not, and nearly all that can be met is met.
 *
 *     build/tests/layer/many_problems               20 000 problems
 *     build/tests/layer/many_problems 100000        as many as one likes
 *     build/tests/layer/many_problems 0 1234        problem 1234 only, with everything about it
 *
 * Three of six problems are feasible by construction, and one each infeasible by construction, degenerate (rows twice, multiples of
 * one row, rows of zeros, more rows than outputs; feasible) and badly scaled (rows times 10^-150 .. 10^150, outputs in other units;
 * feasible, judged relative to the bounds). The start lies at a distance of 1 to 10 from the point that the problem was built
 * around, in a direction of its own. Plain evaluation judges, which shares no code with the layer; every ok is judged in
 * 80-bit numbers, with libm's functions, once more, unless outputs have units far apart.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "support/check.h"
#include "support/plain_graph.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "base/random.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PROBLEMS = 20000 / HN_TEST_SHARE, SEED = 2026, MOST_TOLD = 10 }; /* sanitizers are slow: they see a share */

static const double TOLERANCE = 1e-8, CLOSE = 0.1;
static const double MOST_EXCESS = 1e-6; /* of the tolerance: what rounding may hide from a judge in doubles */

/* The last kind: outputs in units of 10^-150 .. 10^150 in place of 10^-3 .. 10^3. That far nothing is asked but the truth. */
enum { FAR_UNITS = PROBLEM_KINDS, KINDS };
static const char *const kind_names[KINDS] = {"feasible", "infeasible", "degenerate", "badly scaled", "scaled beyond"};

/* Of problems feasible by construction in units that a user would choose; outputs in units far apart are found less often,
 * because the step is the shortest one in the user's own units. */
static const double LEAST_SHARE = 0.995, LEAST_SCALED_SHARE = 0.85;

struct tally {
    size_t problems, ok, outcomes[HN_OUTCOME_COUNT], close, told;
    double excess; /* of the worst ok, in 80-bit numbers, over the tolerance */
};

static size_t problem_count = PROBLEMS, only = SIZE_MAX;

static enum problem_kind kind_of(uint64_t stream) {
    static const enum problem_kind kinds[] = {PROBLEM_FEASIBLE,   PROBLEM_FEASIBLE,   PROBLEM_FEASIBLE,
                                              PROBLEM_INFEASIBLE, PROBLEM_DEGENERATE, PROBLEM_SCALED};
    return kinds[stream % COUNT_OF(kinds)];
}

static int kind_here(const struct random_problem *problem, uint64_t stream) {
    enum problem_kind kind = kind_of(stream);
    for (size_t j = 0; j < problem->outputs && kind == PROBLEM_SCALED; j++)
        if (fabs(problem->solution[j]) > 1e5 || fabs(problem->solution[j]) < 1e-10)
            return FAR_UNITS;
    return (int)kind;
}

/* ---- starts ---- */

/* Units of outputs are known to the generator only: there its own direction is followed, and its own length undone on the
 * average. */
static void draw_start(const struct random_problem *problem, enum problem_kind kind, uint64_t stream, double *start) {
    struct random random = random_start(SEED + 1, stream);
    size_t n = problem->outputs;
    double distance = random_between(&random, 1, 10), norm = 0;
    for (size_t j = 0; j < n; j++) {
        start[j] = kind == PROBLEM_SCALED ? problem->raw[j] - problem->solution[j] : random_normal(&random);
        norm += start[j] * start[j];
    }
    norm = kind == PROBLEM_SCALED ? 0.8 * sqrt((double)n) : sqrt(norm);
    for (size_t j = 0; j < n; j++)
        start[j] = problem->solution[j] + distance / norm * start[j];
}

/* ---- the judge in 80-bit numbers ---- */

/* Infinite when a value is NaN, or the body is not finite. */
static long double row_violation(long double lower, long double c, long double upper, bool relative) {
    if (isnan(lower) || isnan(upper) || !isfinite(c))
        return INFINITY;
    long double r = c > upper ? c - upper : c < lower ? lower - c : 0;
    long double bound = c > upper ? upper : lower;
    return relative && r > 0 ? r / fmaxl(1, fabsl(bound)) : r;
}

static double long_violation(const struct random_problem *problem, const double *y, bool relative) {
    struct problem nodes;
    struct plain_point point = {{[SPACE_X] = problem->x, [SPACE_Y] = y}};
    long double worst = 0;
    assert_int_equal(problem_create(&nodes, problem->model, NULL), HN_OK);
    long double *values = plain_long(&nodes.graph, point, NULL, 0);
    for (size_t i = 0; i < nodes.rows; i++)
        worst = fmaxl(worst,
                      row_violation(values[nodes.lower[i]], values[nodes.body[i]], values[nodes.upper[i]], relative));
    free(values);
    problem_release(&nodes);
    return (double)worst;
}

/* ---- one problem ---- */

static void tell(uint64_t stream, const struct random_problem *problem, const hn_report *report, struct tally *tally) {
    if (tally->told++ < MOST_TOLD || only == stream)
        print_message("problem %llu: %s, %zu outputs, %zu rows, %s after %d steps, violated by %g, before by %g (%s)\n",
                      (unsigned long long)stream, kind_names[kind_here(problem, stream)], problem->outputs,
                      problem->rows, hn_outcome_text(report->outcome), report->iterations, report->violation,
                      report->violation_before,
                      report->worst == SIZE_MAX ? "no row" : hn_model_row(problem->model, report->worst).name);
}

static void judge(uint64_t stream, const struct random_problem *problem, const double *y, const hn_report *report,
                  struct tally *tally) {
    enum problem_kind kind = kind_of(stream);
    bool relative = kind == PROBLEM_SCALED, ok = report->outcome == HN_OUTCOME_OK;
    double found = judged_violation(problem->model, problem->x, y, relative, NULL);
    if (ok && !(found <= TOLERANCE))
        fail_msg("problem %llu: called ok, violated by %g", (unsigned long long)stream, found);
    if (!ok && found <= TOLERANCE)
        fail_msg("problem %llu: called %s, violated by %g", (unsigned long long)stream,
                 hn_outcome_text(report->outcome), found);
    if (ok && kind == PROBLEM_INFEASIBLE)
        fail_msg("problem %llu: called ok, and has no solution", (unsigned long long)stream);
    bool comparable =
        kind_here(problem, stream) != FAR_UNITS; /* there is a sine of 1e40 there, whose sign is rounding's */
    double excess = ok && comparable ? long_violation(problem, y, relative) / TOLERANCE - 1 : 0;
    if (!(excess <= MOST_EXCESS))
        fail_msg("problem %llu: called ok, in 80 bits %g of the tolerance above it", (unsigned long long)stream,
                 excess);
    tally->excess = fmax(tally->excess, excess);
    tally->close += ok && found > CLOSE * TOLERANCE;
    if ((!ok && kind != PROBLEM_INFEASIBLE) || only == stream)
        tell(stream, problem, report, tally);
    tally->problems++;
    tally->ok += ok;
    tally->outcomes[report->outcome]++;
}

static void show(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    const struct random_problem *problem = context;
    (void)sample;
    printf("%4d: violated by %-12g eps %-12g y", iteration, violation, damping);
    for (size_t j = 0; j < problem->outputs; j++)
        printf(" %.6g", y[j]);
    printf("\n");
}

static void run_problem(uint64_t stream, struct tally tallies[KINDS]) {
    struct random_problem problem;
    enum problem_kind kind = kind_of(stream);
    hn_layer_options options = layer_method(HN_METHOD_AUTO);
    hn_report report;
    options.relative = kind == PROBLEM_SCALED;
    random_problem_create(&problem, (struct random_problem_options){.kind = kind}, SEED, stream);
    double *y = calloc(2 * problem.outputs, sizeof *y), *start = y + problem.outputs;
    if (kind != PROBLEM_INFEASIBLE) /* the generator keeps its word */
        assert_true(judged_violation(problem.model, problem.x, problem.solution, options.relative, NULL) <= TOLERANCE);
    draw_start(&problem, kind, stream, start);
    hn_layer *layer = layer_of(problem.model, options);
    hn_batch batch = {.size = sizeof batch,
                      .count = 1,
                      .x = problem.x,
                      .y_raw = start,
                      .y = y,
                      .report_size = sizeof(hn_report),
                      .reports = &report};
    if (stream == only) {
        batch.watch = show;
        batch.watch_context = &problem;
    }
    layer_run(layer, &batch);
    judge(stream, &problem, y, &report, &tallies[kind_here(&problem, stream)]);
    hn_layer_destroy(layer);
    free(y);
    random_problem_release(&problem);
}

/* ---- all of them ---- */

static void print_tally(const char *name, const struct tally *tally) {
    char text[256] = "";
    size_t at = 0;
    for (int i = 1; i < HN_OUTCOME_COUNT; i++)
        if (tally->outcomes[i])
            at += (size_t)snprintf(text + at, sizeof text - at, ", %s %zu", hn_outcome_text((hn_outcome)i),
                                   tally->outcomes[i]);
    print_message(
        "%s: %zu problems, ok %zu (%.3f %%)%s; %zu close to the tolerance, in 80 bits at most %.1e above it\n", name,
        tally->problems, tally->ok, 100 * (double)tally->ok / (double)tally->problems, text, tally->close,
        tally->excess);
}

static double share(const struct tally *tally) {
    return (double)tally->ok / (double)tally->problems;
}

static void nearly_all_that_can_be_met_is_met(void **state) {
    (void)state;
    struct tally tallies[KINDS] = {{.problems = 0}};
    double begun = clock_seconds();
    for (uint64_t stream = 0; stream < problem_count; stream++)
        run_problem(stream, tallies);
    if (only != SIZE_MAX)
        run_problem(only, tallies);
    for (int kind = 0; kind < KINDS; kind++)
        if (tallies[kind].problems > 0)
            print_tally(kind_names[kind], &tallies[kind]);
    if (problem_count == 0)
        return;
    double met = share(&tallies[PROBLEM_FEASIBLE]), degenerate_met = share(&tallies[PROBLEM_DEGENERATE]);
    double scaled_met = share(&tallies[PROBLEM_SCALED]);
    print_message(
        "0 false ok; ok on %.3f %% of the feasible, %.3f %% of the degenerate, %.2f %% of the badly scaled; %.1f s\n",
        100 * met, 100 * degenerate_met, 100 * scaled_met, clock_seconds() - begun);
    assert_in_interval(met, LEAST_SHARE, 1);
    assert_in_interval(degenerate_met, LEAST_SHARE, 1);
    assert_in_interval(scaled_met, LEAST_SCALED_SHARE, 1);
}

int main(int argc, char **argv) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearly_all_that_can_be_met_is_met),
    };
    if (argc > 1)
        problem_count = strtoul(argv[1], NULL, 10);
    if (argc > 2)
        only = strtoul(argv[2], NULL, 10);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
