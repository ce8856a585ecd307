/* starts.c - see starts.h.
 *
 * Start 0 is the row of --y, start 1 the model's start values; without --y start 0 has these. Further ones are start 0
 * moved by w max(1, |y_j|) n_j with n normal: the first two by n and -n with w = 1, the next two by others with w =
 * 3/2, and so on. The numbers n are the same for all samples, so that what comes out of a sample depends on that sample
 * only, or the caller seeds them for each. Better is what is certified, then what is ok, then the lower objective; of
 * equals the earlier start.
 *
 * SPDX-License-Identifier: MIT */
#include "common/starts.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "common/certificate.h"
#include "hardnet/inspect.h"

#include <math.h>
#include <string.h>

enum { SEED = 1 };

/* ---- memory ---- */

static bool starts_make_room(struct starts *s, size_t room) {
    const size_t each[] = {s->outputs, s->outputs, s->outputs, s->rows, s->rows};
    double **lists[] = {&s->base, &s->raw, &s->y, &s->multipliers, &s->residual};
    size_t bytes;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        bool fits = size_multiply(room, each[i] + 1, &bytes) && size_multiply(bytes, sizeof(double), &bytes);
        if (!fits || !(*lists[i] = base_allocate(bytes)))
            return false;
    }
    s->noise = base_allocate((s->outputs + 1) * sizeof *s->noise);
    s->reports = size_multiply(room, sizeof *s->reports, &bytes) ? base_allocate(bytes) : NULL;
    return s->noise && s->reports;
}

hn_status starts_begin(struct starts *s, const hn_model *model, size_t room, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    *s = (struct starts){.outputs = hn_model_output_count(model), .rows = hn_model_row_count(model)};
    s->maximizes = hn_model_objective(model).maximize;
    options.wanted = HN_WANT(HN_QUANTITY_START);
    hn_status status = hn_evaluator_create(&s->evaluator, model, &options, error);
    if (status != HN_OK)
        return status;
    s->bytes = hn_evaluator_workspace_bytes(s->evaluator);
    s->workspace = base_allocate(s->bytes);
    return s->workspace && starts_make_room(s, room) ? HN_OK : error_no_memory(error, "the starts");
}

void starts_end(struct starts *s) {
    double *lists[] = {s->base, s->raw, s->y, s->multipliers, s->residual, s->noise};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        base_release(lists[i]);
    base_release(s->reports);
    base_release(s->workspace);
    hn_evaluator_destroy(s->evaluator);
}

/* ---- starts ---- */

/* Start 0 of every sample, into base. */
static hn_status find_base(struct starts *s, const hn_batch *batch, hn_error *error) {
    if (batch->y_raw) {
        for (size_t k = 0; k < batch->count; k++)
            memcpy(s->base + k * s->outputs, batch->y_raw + (batch->repeat_y ? 0 : k * s->outputs),
                   s->outputs * sizeof *s->base);
        return HN_OK;
    }
    hn_evaluation e = {.size = sizeof e, .count = batch->count, .x = batch->x, .repeat_x = batch->repeat_x};
    e.values[HN_QUANTITY_START] = s->base;
    return hn_evaluator_run(s->evaluator, &e, s->workspace, s->bytes, error);
}

static void draw_noise(struct starts *s, uint64_t seed, size_t number) {
    const size_t pair = number / 2;
    struct random random = random_start(seed, pair);
    double width = (1 + 0.5 * (double)pair) * (number % 2 ? -1 : 1);
    for (size_t j = 0; j < s->outputs; j++)
        s->noise[j] = width * random_normal(&random);
}

/* number: of the disturbances, from 0 on. */
static void starts_disturb(struct starts *s, size_t count, size_t number) {
    for (size_t k = 0; k < count; k++) {
        if (k == 0 || s->seeds)
            draw_noise(s, s->seeds ? s->seeds[k] : SEED, number);
        for (size_t j = 0; j < s->outputs; j++) {
            double at = s->base[k * s->outputs + j];
            s->raw[k * s->outputs + j] = at + s->noise[j] * fmax(1, fabs(at));
        }
    }
}

/* The batch of start `number`, which is not 0. */
static hn_batch batch_of(struct starts *s, const hn_batch *first, size_t number) {
    hn_batch batch = *first;
    bool own = first->y_raw && number == 1;
    batch.repeat_y = false;
    batch.y_raw = own ? NULL : s->raw;
    batch.y = s->y;
    batch.reports = s->reports;
    batch.residual = first->residual ? s->residual : NULL;
    batch.multipliers = first->multipliers ? s->multipliers : NULL;
    batch.watch = NULL;
    batch.proof_y = NULL;
    if (!own)
        starts_disturb(s, first->count, first->y_raw ? number - 2 : number - 1);
    return batch;
}

/* ---- the better one ---- */

static int rank(const hn_report *report) {
    return certificate_holds(report) ? 2 : report->outcome == HN_OUTCOME_OK ? 1 : 0;
}

static bool is_better(const struct starts *s, const hn_report *new, const hn_report *old) {
    if (rank(new) != rank(old))
        return rank(new) > rank(old);
    return rank(new) > 0 && (s->maximizes ? new->objective > old->objective : new->objective < old->objective);
}

static void take_over(const struct starts *s, const hn_batch *to, const hn_batch *from, size_t k) {
    memcpy(to->y + k * s->outputs, from->y + k * s->outputs, s->outputs * sizeof *to->y);
    if (to->residual)
        memcpy(to->residual + k * s->rows, from->residual + k * s->rows, s->rows * sizeof *to->residual);
    if (to->multipliers)
        memcpy(to->multipliers + k * s->rows, from->multipliers + k * s->rows, s->rows * sizeof *to->multipliers);
    if (to->proof_y) /* what is better is feasible: it has no proof */
        memcpy(to->proof_y + k * s->outputs, from->y + k * s->outputs, s->outputs * sizeof *to->proof_y);
    to->reports[k] = from->reports[k];
}

double starts_time_left(double until) {
    const double instant = 1e-9;
    double left = until - clock_seconds();
    return until <= 0 ? 0 : left > instant ? left : instant;
}

hn_status starts_run(struct starts *s, hn_pool *pool, const hn_batch *first, size_t count, uint32_t *winner,
                     double until, hn_error *error) {
    hn_status status = find_base(s, first, error);
    for (size_t number = 1; status == HN_OK && number < count; number++) {
        hn_batch batch = batch_of(s, first, number);
        batch.seconds = starts_time_left(until);
        status = hn_pool_run(pool, &batch, error);
        for (size_t k = 0; status == HN_OK && k < first->count; k++)
            if (is_better(s, &batch.reports[k], &first->reports[k])) {
                take_over(s, first, &batch, k);
                winner[k] = (uint32_t)number;
            }
    }
    return status;
}
