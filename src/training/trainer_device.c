/* trainer_device.c - a training batch on a device; if the device lacks the memory for refinement, the loss `improve`
 * refines on the CPU. See trainer_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "nn/network_parts.h"
#include "training/trainer_parts.h"

#include <math.h>

hn_status trainer_device_create(hn_trainer *t, const hn_model *model, hn_error *error) {
    const hn_layer_options layer = policy_layer(&t->options.policy);
    hn_layer_options through = hn_layer_options_of(t->layer);
    const struct device_policy_request request = {.model = model,
                                                  .network = t->network,
                                                  .layer = &layer,
                                                  .through = t->layer ? &through : NULL,
                                                  .device = t->policy->options.device,
                                                  .candidates = t->options.policy.candidates,
                                                  .chunk = CHUNK,
                                                  .corrected = true,
                                                  .learns = true,
                                                  .refines = t->options.improve > 0,
                                                  .bounds = t->bounds.count,
                                                  .bound_row = t->bounds.row,
                                                  .bound_column = t->bounds.column};
    through.kernel = NULL; /* the layer's own */
    return device_policy_create(&t->device, &request, error);
}

/* The loss `improve`: the caller gives no targets. */
static bool is_improvement(const hn_trainer *t) {
    return !t->targets && t->options.improve > 0;
}

/* ---- losses computed on the device alone ---- */

/* Results of a batch. */
struct returned {
    const hn_trainer *trainer;
    struct device_lesson lesson;
    void *block;
};

static void trainer_device_lay_out(struct layout *layout, void *context) {
    struct returned *r = context;
    struct device_lesson *l = &r->lesson;
    size_t samples = l->count * r->trainer->options.policy.candidates;
    l->total = layout_take(layout, samples, sizeof *l->total);
    l->objective = layout_take(layout, samples, sizeof *l->objective);
    l->residual = layout_take(layout, samples, sizeof *l->residual);
    l->moved = layout_take(layout, samples, sizeof *l->moved);
    l->reports = layout_take(layout, samples, sizeof *l->reports);
    l->dropped = layout_take(layout, samples, sizeof *l->dropped);
    l->best = layout_take(layout, l->count, sizeof *l->best);
}

/* Sums over the inputs of a chunk in order, as add_sums of loss_gradient.c. */
static struct learn_sums sums_of(const hn_trainer *t, const struct device_lesson *l, size_t first) {
    struct learn_sums sums = {.samples = 0};
    size_t end = first + CHUNK < l->count ? first + CHUNK : l->count;
    for (size_t k = 0; k < t->options.policy.candidates; k++)
        for (size_t s = k * l->count + first; s < k * l->count + end; s++)
            if (l->dropped[s])
                learn_sums_drop(&sums, l->residual[s], &l->reports[s]);
    for (size_t i = first; i < end; i++) {
        size_t s = l->best[i];
        const struct learn_sample sample = {l->total[s], l->objective[s], l->residual[s], l->moved[s], &l->reports[s]};
        learn_sums_add(&sums, &sample);
    }
    return sums;
}

static hn_status learn(hn_trainer *t, double *norm, hn_error *error) {
    const hn_train_options *o = &t->options;
    const struct improve_settings settings = {o->improve, o->explore, t->steps};
    bool improves = is_improvement(t);
    struct returned r = {.trainer = t,
                         .lesson = {.count = t->count,
                                    .x = t->x,
                                    .targets = t->targets,
                                    .residual_weight = o->residual_weight,
                                    .square_weight = o->square_weight,
                                    .move_weight = o->move_weight,
                                    .inward = o->inward,
                                    .clip = improves || t->targets ? 0 : o->clip_sample,
                                    .huber = o->huber,
                                    .others = o->others,
                                    .improve = improves ? o->improve : 0,
                                    .explores = improve_explores(&settings, t->starts != NULL),
                                    .explore = o->explore,
                                    .distance = improve_distance(&settings),
                                    .starts = t->starts}};
    r.block = layout_allocate(trainer_device_lay_out, &r);
    if (!r.block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_learn(t->device, &r.lesson, error);
    for (size_t first = 0; first < t->count && status == HN_OK; first += CHUNK)
        t->sums[first / CHUNK] = sums_of(t, &r.lesson, first);
    *norm = r.lesson.norm;
    base_release(r.block);
    return status;
}

/* ---- the loss `improve` with refinement on the CPU ---- */

struct improving {
    const hn_trainer *trainer;
    struct device_batch batch;
    void *block;
};

static void lay_out_samples(struct layout *layout, void *context) {
    struct improving *m = context;
    const hn_trainer *t = m->trainer;
    struct device_policy_samples *s = &m->batch.samples;
    size_t samples = s->count * t->options.policy.candidates;
    s->raw = layout_take(layout, samples, t->outputs * sizeof *s->raw);
    s->y = layout_take(layout, samples, t->outputs * sizeof *s->y);
    s->objective = layout_take(layout, samples, sizeof *s->objective);
    s->residual = layout_take(layout, samples, sizeof *s->residual);
    s->reports = layout_take(layout, samples, sizeof *s->reports);
    m->batch.rows = layout_take(layout, samples, t->outputs * sizeof *m->batch.rows);
}

/* Network and correction on the device, targets on the CPU, backward pass on the device. */
static hn_status improve(hn_trainer *t, double *norm, hn_error *error) {
    struct improving m = {.trainer = t, .batch = {.samples = {.count = t->count, .x = t->x}}};
    m.block = layout_allocate(lay_out_samples, &m);
    if (!m.block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_candidates(t->device, &m.batch.samples, error);
    if (status == HN_OK) {
        t->batch = &m.batch;
        trainer_share(t);
        t->batch = NULL;
        status = device_policy_back(t->device, t->count, m.batch.rows, norm, error);
    }
    base_release(m.block);
    return status;
}

hn_status trainer_device_batch(hn_trainer *t, double *norm, hn_error *error) {
    return is_improvement(t) && !device_policy_refines(t->device) ? improve(t, norm, error) : learn(t, norm, error);
}
