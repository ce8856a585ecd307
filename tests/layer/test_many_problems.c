/* test_many_problems.c - random problems: nothing is called ok that is not, and nearly all that can be met is met.
 *
 *     build/tests/layer/many_problems               20 000 problems by auto, every eighth by the other methods, too
 *     build/tests/layer/many_problems 100000        as many as one likes
 *     build/tests/layer/many_problems 0 1234        problem 1234 only, with everything about it
 *     build/tests/layer/many_problems 0 all 20000   20 000 problems by all methods
 *
 * Three of six problems are feasible by construction, and one each infeasible by construction, degenerate (rows twice, multiples of
 * one row, rows of zeros, more rows than outputs; feasible) and badly scaled (rows times 10^-150 .. 10^150, outputs in other units;
 * feasible, judged relative to the bounds). The start lies at a distance of 1 to 10 from the point that the problem was built
 * around, in a direction of its own. Plain evaluation judges, which shares no code with the layer; every ok is judged in
 * 80-bit numbers, with libm's functions, once more, unless outputs have units far apart.
 *
 * By all methods means auto, lm, paper and, where there are no more rows than outputs, hardnet, from three starts, one of them the
 * solution. There all of the report is judged: residuals, violations, whose they are, the distance, the effort; and whatever the
 * outcome, y is finite and not worse than what came in, and nothing is left unwritten.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/derivatives.h"
#include "support/check.h"
#include "support/plain_graph.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "base/random.h"

/* Sanitizers are slow: they see a share. */
enum { PROBLEMS = 20000 / HN_TEST_SHARE, SEED = 2026, MOST_TOLD = 10 };
enum { WAY_PROBLEMS = PROBLEMS / 8, STARTS = 3, MEDIUM_EVERY = 400 };

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

static size_t problem_count = PROBLEMS, way_problems = WAY_PROBLEMS, only = SIZE_MAX;

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
    hn_batch batch = batch_of(1, problem.x, start, y, &report);
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
    print_message("%s: %zu problems, ok %zu (%.3f %%)%s\n", name, tally->problems, tally->ok,
                  100 * (double)tally->ok / (double)tally->problems, text);
    if (tally->close > 0)
        print_message("    %zu close to the tolerance, in 80 bits at most %.1e above it\n", tally->close,
                      tally->excess);
}

static double share(const struct tally *tally) {
    return (double)tally->ok / (double)tally->problems;
}

TEST(nearly_all_that_can_be_met_is_met) {
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

/* ---- by all methods: every word of a report ---- */

/* raw, raw from elsewhere, and the solution itself */
static double *draw_raw(const struct random_problem *problem, uint64_t stream) {
    size_t n = problem->outputs;
    struct random random = random_start(7, stream);
    double *raw = malloc(STARTS * n * sizeof *raw);
    memcpy(raw, problem->raw, n * sizeof *raw);
    for (size_t j = 0; j < n; j++)
        raw[n + j] = problem->raw[j] * random_between(&random, -2, 2);
    memcpy(raw + 2 * n, problem->solution, n * sizeof *raw);
    return raw;
}

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
    tally->problems++;
    tally->ok += report->outcome == HN_OUTCOME_OK;
    tally->outcomes[report->outcome]++;
}

static void check_way(const struct random_problem *problem, uint64_t stream, hn_layer_options options,
                      struct tally *tally) {
    hn_layer *layer = layer_of(problem->model, options);
    struct layer_results results = results_of(layer, STARTS);
    double *raw = draw_raw(problem, stream);
    hn_batch batch = batch_into(&results, problem->x, raw);
    batch.repeat_x = true;
    layer_run(layer, &batch);
    for (size_t s = 0; s < STARTS; s++)
        check_sample(problem, hn_layer_options_of(layer), raw, &results, s, tally);
    free(raw);
    results_release(&results);
    hn_layer_destroy(layer);
}

/* Some of medium size. */
static struct random_problem_options draw_options(uint64_t stream) {
    struct random_problem_options options = {.kind = kind_of(stream)};
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
                       struct tally tallies[WAYS][KINDS]) {
    hn_layer_options fixed = layer_method(HN_METHOD_LM), paper = layer_method(HN_METHOD_PAPER);
    hn_layer_options hardnet = layer_method(HN_METHOD_HARDNET);
    fixed.damping = stream / 24 % 2 ? 0.01 : 0;
    fixed.iterations = paper.iterations = hardnet.iterations = 30;
    check_way(problem, stream, hn_layer_defaults(), &tallies[AUTO][kind]);
    check_way(problem, stream, layer_method(HN_METHOD_LM), &tallies[LM][kind]);
    if (stream / 6 % 4 == 0)
        check_way(problem, stream, fixed, &tallies[FIXED][kind]);
    if (stream / 6 % 2 == 0)
        check_way(problem, stream, paper, &tallies[PAPER][kind]);
    if (problem->rows <= problem->outputs)
        check_way(problem, stream, hardnet, &tallies[HARDNET][kind]);
}

TEST(every_report_is_true_by_every_method) {
    struct tally tallies[WAYS][KINDS] = {{{.problems = 0}}};
    for (uint64_t stream = 0; stream < way_problems; stream++) {
        struct random_problem problem;
        random_problem_create(&problem, draw_options(stream), 11, stream);
        check_ways(&problem, stream, kind_of(stream), tallies);
        random_problem_release(&problem);
    }
    for (int way = 0; way < WAYS && way_problems > 0; way++) {
        print_message("%s\n", way_names[way]);
        for (int kind = 0; kind < PROBLEM_KINDS; kind++)
            print_tally(kind_names[kind], &tallies[way][kind]);
        assert_true(tallies[way][PROBLEM_INFEASIBLE].problems > 0);
        assert_int_equal(tallies[way][PROBLEM_INFEASIBLE].ok, 0);
        assert_true(tallies[way][PROBLEM_FEASIBLE].ok > 0);
    }
    if (way_problems > 0) {
        assert_in_interval(share(&tallies[LM][PROBLEM_FEASIBLE]), 0.95, 1);
        assert_in_interval(share(&tallies[AUTO][PROBLEM_FEASIBLE]), 0.995, 1);
    }
}

int main(int argc, char **argv) {
    if (argc > 1)
        problem_count = strtoul(argv[1], NULL, 10), way_problems = 0;
    if (argc > 3)
        way_problems = strtoul(argv[3], NULL, 10);
    else if (argc > 2)
        only = strtoul(argv[2], NULL, 10);
    return run_registered_tests();
}
