/* train_teacher.c - targets made by the layer's own method optimal, for inputs drawn from the source.
 *
 * Every input begins at the model's start values; what is not certified is left out. Inputs and their order are those of the other
 * solver (train_labels.c), so that what was learnt from both can be compared. Chunks and threads change no bit.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/certificate.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "train/train.h"

#include <string.h>

enum { CHUNK = 256 };

struct teacher {
    hn_layer *layer;
    hn_pool *pool;
    double *x, *y; /* of a chunk */
    hn_report reports[CHUNK];
};

static hn_status create(struct teacher *t, const struct train_source *s, int threads, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    options.method = HN_METHOD_OPTIMAL;
    t->x = train_numbers(CHUNK, s->inputs);
    t->y = train_numbers(CHUNK, s->outputs);
    if (!t->x || !t->y)
        return error_no_memory(error, "labels");
    hn_status status = hn_layer_create(&t->layer, s->model, &options, error);
    return status == HN_OK ? hn_pool_create(&t->pool, t->layer, threads, error) : status;
}

static void release(struct teacher *t) {
    hn_pool_destroy(t->pool);
    hn_layer_destroy(t->layer);
    base_release(t->x);
    base_release(t->y);
}

static void keep(struct train_source *s, const struct teacher *t, size_t count) {
    for (size_t k = 0; k < count && s->labels < s->most_labels; k++) {
        if (!certificate_holds(&t->reports[k]))
            continue;
        memcpy(s->label_x + s->labels * s->inputs, t->x + k * s->inputs, s->inputs * sizeof *t->x);
        memcpy(s->label_y + s->labels * s->outputs, t->y + k * s->outputs, s->outputs * sizeof *t->y);
        s->labels++;
    }
}

/* The inputs from number `first` on. */
static hn_status solve_chunk(struct train_source *s, struct teacher *t, size_t first, size_t count, hn_error *error) {
    hn_batch batch = {.size = sizeof batch,
                      .count = count,
                      .x = s->inputs > 0 ? t->x : NULL,
                      .y = t->y,
                      .report_size = sizeof(hn_report),
                      .reports = t->reports,
                      .cancel = interrupt_begin()};
    hn_status status = HN_OK;
    for (size_t k = 0; status == HN_OK && k < count; k++)
        status = source_label_input(s, first + k, t->x + k * s->inputs, error);
    if (status == HN_OK)
        status = hn_pool_run(t->pool, &batch, error);
    if (status == HN_OK && !interrupt_came())
        keep(s, t, count);
    return status;
}

hn_status source_teach_labels(struct train_source *s, int threads, size_t most, hn_error *error) {
    struct teacher teacher = {.layer = NULL};
    struct progress progress;
    hn_status status = create(&teacher, s, threads, error);
    progress_begin(&progress, "labels by optimal", s->most_labels);
    for (size_t i = 0; status == HN_OK && i < most && s->labels < s->most_labels && !interrupt_came();) {
        size_t wanted = s->most_labels - s->labels, count = wanted < CHUNK ? wanted : CHUNK;
        count = count < most - i ? count : most - i;
        status = solve_chunk(s, &teacher, i, count, error);
        i += count;
        progress_update(&progress, s->labels);
    }
    progress_end(&progress);
    release(&teacher);
    return status;
}
