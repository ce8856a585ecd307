/* train_teacher.c - targets made by the layer's own method optimal, for inputs drawn from the source.
 *
 * Every input is solved from several starts (common/starts.c), the first of them the model's start values, and the best
 * is kept; what is not certified is left out. Then inputs learn from each other: each is solved again from the optima
 * of those that are nearest to it, round by round, so that a good optimum spreads over the region where it is the best.
 * Inputs and their order are those of the other solver (train_labels.c). Chunks and threads change no bit.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/certificate.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "common/starts.h"
#include "train/train.h"

#include <math.h>
#include <string.h>

enum { CHUNK = 256 };

static const double WORSE = 0.01; /* share of the objective by which another optimum counts as another one */

struct teacher {
    hn_layer *layer;
    hn_pool *pool;
    struct starts starts;
    double *x, *y;       /* of a chunk */
    double first[CHUNK]; /* objectives from the model's own start; NaN: not certified */
    hn_report reports[CHUNK];
    uint32_t winner[CHUNK];
    uint64_t seeds[CHUNK];
};

/* ---- life ---- */

static hn_status train_teacher_create(struct teacher *t, const struct train_source *s, int threads, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_OPTIMAL;
    t->x = train_numbers(CHUNK, s->inputs);
    t->y = train_numbers(CHUNK, s->outputs);
    if (!t->x || !t->y)
        return error_no_memory(error, "labels");
    hn_status status = hn_layer_create(&t->layer, s->model, &options, error);
    if (status == HN_OK)
        status = hn_pool_create(&t->pool, t->layer, threads, error);
    return status == HN_OK ? starts_begin(&t->starts, s->model, CHUNK, error) : status;
}

static void train_teacher_release(struct teacher *t) {
    starts_end(&t->starts);
    hn_pool_destroy(t->pool);
    hn_layer_destroy(t->layer);
    base_release(t->x);
    base_release(t->y);
}

/* Objectives as they are minimised. */
static double minimized(const struct train_source *s, const hn_report *report) {
    return hn_model_objective(s->model).maximize ? -report->objective : report->objective;
}

static bool is_lower(double f, double than, double share) {
    return f < than - share * fabs(than);
}

/* ---- from several starts ---- */

static hn_batch batch_of(struct teacher *t, const struct train_source *s, size_t count) {
    return (hn_batch){.size = sizeof(hn_batch),
                      .count = count,
                      .x = s->inputs > 0 ? t->x : NULL,
                      .y = t->y,
                      .report_size = sizeof(hn_report),
                      .reports = t->reports,
                      .cancel = interrupt_begin()};
}

static void train_teacher_keep(struct train_source *s, const struct teacher *t, size_t count) {
    for (size_t k = 0; k < count && s->labels < s->most_labels; k++) {
        if (!certificate_holds(&t->reports[k]))
            continue;
        double f = minimized(s, &t->reports[k]);
        s->several += !(t->first[k] <= f + WORSE * fabs(f));
        memcpy(s->label_x + s->labels * s->inputs, t->x + k * s->inputs, s->inputs * sizeof *t->x);
        memcpy(s->label_y + s->labels * s->outputs, t->y + k * s->outputs, s->outputs * sizeof *t->y);
        s->label_f[s->labels++] = f;
    }
}

/* The inputs from number `first` on. */
static hn_status solve_chunk(struct train_source *s, struct teacher *t, size_t first, size_t count, size_t starts,
                             hn_error *error) {
    hn_batch batch = batch_of(t, s, count);
    hn_status status = HN_OK;
    t->starts.seeds = t->seeds; /* others for every input: what one finds is there for all */
    for (size_t k = 0; status == HN_OK && k < count; k++) {
        t->seeds[k] = first + k;
        status = source_label_input(s, first + k, t->x + k * s->inputs, error);
    }
    if (status == HN_OK)
        status = hn_pool_run(t->pool, &batch, error);
    for (size_t k = 0; k < count; k++)
        t->first[k] = certificate_holds(&t->reports[k]) ? minimized(s, &t->reports[k]) : (double)NAN;
    if (status == HN_OK && !interrupt_came())
        status = starts_run(&t->starts, t->pool, &batch, starts, t->winner, 0, error);
    if (status == HN_OK && !interrupt_came())
        train_teacher_keep(s, t, count);
    return status;
}

hn_status source_teach_labels(struct train_source *s, const struct train_lesson *lesson, hn_error *error) {
    struct teacher teacher = {.layer = NULL};
    struct progress progress;
    hn_status status = train_teacher_create(&teacher, s, lesson->threads, error);
    progress_begin(&progress, "labels by optimal", s->most_labels);
    for (size_t i = s->tried; status == HN_OK && i < lesson->most && s->labels < s->most_labels && !interrupt_came();) {
        size_t wanted = s->most_labels - s->labels, count = wanted < CHUNK ? wanted : CHUNK;
        count = count < lesson->most - i ? count : lesson->most - i;
        status = solve_chunk(s, &teacher, i, count, lesson->starts, error);
        s->tried = i += count;
        progress_update(&progress, s->labels);
    }
    progress_end(&progress);
    train_teacher_release(&teacher);
    return status;
}

/* ---- from the optima of others ---- */

/* The labels from number `first` on, each from the optimum of its neighbour number `rank`. */
static hn_status share_chunk(struct train_source *s, struct teacher *t, size_t first, size_t count, size_t rank,
                             hn_error *error) {
    hn_batch batch = batch_of(t, s, count);
    batch.y_raw = t->starts.raw;
    memcpy(t->x, s->label_x + first * s->inputs, count * s->inputs * sizeof *t->x);
    for (size_t k = 0; k < count; k++) {
        size_t nearest[NEIGHBOURS + 1], found;
        found = source_neighbours(s, t->x + k * s->inputs, nearest); /* itself among them */
        const double *from = s->label_y + nearest[rank + 1 < found ? rank + 1 : 0] * s->outputs;
        memcpy(t->starts.raw + k * s->outputs, from, s->outputs * sizeof *from);
    }
    hn_status status = hn_pool_run(t->pool, &batch, error);
    for (size_t k = 0; status == HN_OK && k < count; k++) {
        double f = minimized(s, &t->reports[k]);
        if (!certificate_holds(&t->reports[k]) || !is_lower(f, s->label_f[first + k], 0))
            continue;
        memcpy(s->label_y + (first + k) * s->outputs, t->y + k * s->outputs, s->outputs * sizeof *t->y);
        s->label_f[first + k] = f;
    }
    return status;
}

hn_status source_share_labels(struct train_source *s, int threads, hn_error *error) {
    struct teacher teacher = {.layer = NULL};
    struct progress progress;
    size_t done = 0;
    hn_status status = train_teacher_create(&teacher, s, threads, error);
    progress_begin(&progress, "labels by those of similar inputs", NEIGHBOURS * s->labels);
    for (size_t rank = 0; rank < NEIGHBOURS; rank++)
        for (size_t i = 0; status == HN_OK && i < s->labels && !interrupt_came(); i += CHUNK) {
            size_t count = s->labels - i < CHUNK ? s->labels - i : CHUNK;
            status = share_chunk(s, &teacher, i, count, rank, error);
            progress_update(&progress, done += count);
        }
    progress_end(&progress);
    train_teacher_release(&teacher);
    return status;
}
