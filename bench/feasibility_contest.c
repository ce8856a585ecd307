/* feasibility_contest.c - every contender corrects the same samples; plain evaluation judges. See feasibility.h.
 *
 * SPDX-License-Identifier: MIT */
#include "feasibility.h"

#include "base/clock.h"
#include "base/error.h"
#include "hardnet/arrays.h"
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 3 };
static const double QUICK = 5e-3; /* what takes less is timed several times */

const char *const contender_names[CONTENDERS] = {"paper", "snarenet", "lm", "auto", "ipopt"};

/* ---- the judge ---- */

/* The rows of a model as expressions: lower, body, upper each. */
struct judge {
    const hn_model *model;
    size_t rows;
    hn_expr *exprs;
    double *values;
};

static struct judge judge_of(const hn_model *model) {
    struct judge judge = {.model = model, .rows = hn_model_row_count(model)};
    judge.exprs = reserve(3 * judge.rows, sizeof *judge.exprs);
    judge.values = reserve(3 * judge.rows, sizeof *judge.values);
    for (size_t i = 0; i < judge.rows; i++) {
        hn_row_info row = hn_model_row(model, i);
        judge.exprs[3 * i] = row.lower;
        judge.exprs[3 * i + 1] = row.body;
        judge.exprs[3 * i + 2] = row.upper;
    }
    return judge;
}

static void judge_release(struct judge *judge) {
    free(judge->exprs);
    free(judge->values);
}

/* max |r|; infinite where something is NaN. */
static double judge_violation(const struct judge *judge, const double *x, const double *y) {
    double worst = 0;
    if (hn_model_evaluate(judge->model, 3 * judge->rows, judge->exprs, x, y, judge->values, NULL) != HN_OK)
        return INFINITY;
    for (size_t i = 0; i < judge->rows; i++) {
        double lower = judge->values[3 * i], c = judge->values[3 * i + 1], upper = judge->values[3 * i + 2];
        if (!(c >= lower))
            worst = lower - c >= 0 ? fmax(worst, lower - c) : INFINITY;
        if (!(c <= upper))
            worst = c - upper >= 0 ? fmax(worst, c - upper) : INFINITY;
    }
    return worst;
}

static double distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum = hypot(sum, a[i] - b[i]);
    return sum;
}

static void judge_attempt(const struct judge *judge, const struct samples *samples, size_t k, const double *y,
                          struct attempt *attempt) {
    attempt->violation = judge_violation(judge, samples->x + k * samples->inputs, y);
    attempt->moved = distance(y, samples->y + k * samples->outputs, samples->outputs);
}

bool attempt_is_ok(const struct attempt *attempt, double tolerance) {
    return attempt->says_ok && attempt->violation <= tolerance;
}

bool attempt_is_false_ok(const struct attempt *attempt, double tolerance) {
    return attempt->says_ok && !(attempt->violation <= tolerance);
}

/* ---- layers ---- */

static hn_layer_options options_of(enum contender contender, const struct wishes *wishes) {
    hn_layer_options options = hn_layer_defaults();
    options.tolerance = wishes->tolerance;
    options.method = contender == AUTO ? HN_METHOD_AUTO : contender == LM ? HN_METHOD_LM : HN_METHOD_PAPER;
    if (contender == SNARENET) {
        options.damping = 0.01;
        options.iterations = 100;
    }
    return options;
}

/* A layer with memory for a call. */
struct runner {
    hn_layer *layer;
    void *workspace;
    size_t bytes;
    double *y;
    hn_report *reports;
};

static hn_status runner_create(struct runner *runner, const struct contest *contest, enum contender contender,
                               hn_error *error) {
    hn_layer_options options = options_of(contender, contest->wishes);
    const struct samples *samples = contest->samples;
    *runner = (struct runner){.layer = NULL};
    hn_status status = hn_layer_create(&runner->layer, contest->model, &options, error);
    if (status != HN_OK)
        return status;
    runner->bytes = hn_layer_workspace_bytes(runner->layer);
    runner->workspace = reserve(runner->bytes, 1);
    runner->y = reserve(samples->count * samples->outputs, sizeof *runner->y);
    runner->reports = reserve(samples->count, sizeof *runner->reports);
    return HN_OK;
}

static void runner_release(struct runner *runner) {
    hn_layer_destroy(runner->layer);
    free(runner->workspace);
    free(runner->y);
    free(runner->reports);
}

/* count samples from first on, as one call; its seconds. */
static double runner_run(const struct runner *runner, const struct contest *contest, size_t first, size_t count,
                         hn_status *status, hn_error *error) {
    const struct samples *samples = contest->samples;
    hn_batch batch = {.size = sizeof batch,
                      .count = count,
                      .x = samples->inputs > 0 ? samples->x + first * samples->inputs : NULL,
                      .y_raw = samples->y + first * samples->outputs,
                      .y = runner->y + first * samples->outputs,
                      .report_size = sizeof(hn_report),
                      .reports = runner->reports + first,
                      .seconds = contest->wishes->seconds * (double)count};
    double begun = clock_seconds();
    *status = hn_layer_run(runner->layer, &batch, runner->workspace, runner->bytes, error);
    return clock_seconds() - begun;
}

static hn_status run_samples(const struct runner *runner, const struct contest *contest, struct attempt *attempts,
                             hn_error *error) {
    hn_status status = HN_OK;
    size_t count = contest->samples->count, part = contest->together ? count : 1;
    for (size_t first = 0; first < count && status == HN_OK; first += part) {
        double seconds = runner_run(runner, contest, first, part, &status, error);
        for (int i = 1; i < REPEATS && seconds < QUICK && status == HN_OK; i++)
            seconds = fmin(seconds, runner_run(runner, contest, first, part, &status, error));
        for (size_t k = first; k < first + part; k++)
            attempts[k].seconds = seconds / (double)part;
    }
    return status;
}

static hn_status run_layer(const struct contest *contest, enum contender contender, const struct judge *judge,
                           struct attempt *attempts, hn_error *error) {
    struct runner runner;
    hn_status status = runner_create(&runner, contest, contender, error);
    if (status == HN_OK)
        status = run_samples(&runner, contest, attempts, error);
    for (size_t k = 0; k < contest->samples->count && status == HN_OK; k++) {
        const hn_report *report = &runner.reports[k];
        attempts[k].status = hn_outcome_text(report->outcome);
        attempts[k].says_ok = report->outcome == HN_OUTCOME_OK;
        attempts[k].steps = report->iterations;
        judge_attempt(judge, contest->samples, k, runner.y + k * contest->samples->outputs, &attempts[k]);
    }
    runner_release(&runner);
    return status;
}

/* ---- IPOPT ---- */

static hn_status run_ipopt(const struct contest *contest, const struct judge *judge, struct attempt *attempts,
                           hn_error *error) {
    struct reference_options options = reference_defaults();
    const struct samples *samples = contest->samples;
    struct reference *reference;
    if (contest->wishes->layers_alone)
        return error_set(error, HN_UNSUPPORTED, "not asked for");
    options.goal = REFERENCE_NEAREST;
    options.tolerance = contest->wishes->tolerance;
    options.seconds = contest->wishes->seconds;
    hn_status status = reference_create(&reference, contest->model, &options, error);
    double *y = reserve(samples->outputs, sizeof *y);
    for (size_t k = 0; k < samples->count && status == HN_OK; k++) {
        struct reference_result result;
        const double *start = samples->y + k * samples->outputs;
        status = reference_solve(reference, samples->x + k * samples->inputs, start, y, &result, error);
        attempts[k] = (struct attempt){
            .status = result.status, .says_ok = result.solved, .steps = result.iterations, .seconds = result.seconds};
        judge_attempt(judge, samples, k, y, &attempts[k]);
    }
    free(y);
    reference_destroy(reference);
    return status;
}

/* ---- all ---- */

void contest_run(struct contest *contest) {
    struct judge judge = judge_of(contest->model);
    for (int c = 0; c < CONTENDERS; c++) {
        struct attempt *attempts = reserve(contest->samples->count, sizeof *attempts);
        hn_status status = c == IPOPT ? run_ipopt(contest, &judge, attempts, &contest->errors[c])
                                      : run_layer(contest, (enum contender)c, &judge, attempts, &contest->errors[c]);
        if (status == HN_OK)
            contest->attempts[c] = attempts;
        else
            free(attempts);
    }
    judge_release(&judge);
}

/* name.x-k.npy and name.y-k.npy; sample k of the contest. */
static void save_row(const struct contest *contest, const char *path, char kind, size_t k) {
    const struct samples *samples = contest->samples;
    const char *slash = strrchr(path, '/');
    size_t columns = kind == 'x' ? samples->inputs : samples->outputs;
    const double *row = kind == 'x' ? samples->x + k * columns : samples->y + k * columns;
    char name[4096];
    hn_error error;
    if (columns == 0)
        return;
    snprintf(name, sizeof name, "%s/%s.%c-%zu.npy", contest->wishes->failures, slash ? slash + 1 : path, kind, k);
    if (hn_array_write(name, 1, columns, row, &error) != HN_OK)
        fprintf(stderr, "feasibility: %s\n", error.text);
    printf(" --%c %s", kind, name);
}

void contest_save_failures(const struct contest *contest, const char *path) {
    const struct attempt *attempts = contest->attempts[AUTO];
    if (!contest->wishes->failures || !attempts)
        return;
    for (size_t k = 0; k < contest->samples->count; k++) {
        if (attempt_is_ok(&attempts[k], contest->wishes->tolerance))
            continue;
        printf("    %s: hardnet project %s", attempts[k].status, path);
        save_row(contest, path, 'x', k);
        save_row(contest, path, 'y', k);
        printf("\n");
    }
}

void contest_release(struct contest *contest) {
    for (int c = 0; c < CONTENDERS; c++)
        free(contest->attempts[c]);
}
