/* trainer_device.c - a training batch on a device; if the device lacks the memory for refinement, the loss `improve`
 * refines on the CPU. See trainer_parts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "training/trainer_parts.h"

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
                                                  .bounds = t->bounds,
                                                  .bound_row = t->bound_row,
                                                  .bound_column = t->bound_column};
    through.kernel = NULL; /* the layer's own */
    return device_policy_create(&t->device, &request, error);
}

/* The loss `improve`: there are no targets from the caller. */
static bool is_improvement(const hn_trainer *t) {
    return !t->job.targets && t->options.improve > 0;
}

/* ---- losses computed on the device alone ---- */

/* Results of a batch. */
struct returned {
    const hn_trainer *trainer;
    struct device_training training;
    void *block;
};

static void trainer_device_lay_out(struct layout *layout, void *context) {
    struct returned *r = context;
    struct train_batch *b = &r->training.results;
    size_t samples = r->training.count * r->trainer->options.policy.candidates;
    samples_place(layout, &b->samples, samples, 0, 0);
    b->total = layout_take(layout, samples, sizeof *b->total);
    b->moved = layout_take(layout, samples, sizeof *b->moved);
    b->dropped = layout_take(layout, samples, sizeof *b->dropped);
    b->best = layout_take(layout, r->training.count, sizeof *b->best);
}

static hn_status learn(hn_trainer *t, double *norm, hn_error *error) {
    const hn_train_options *o = &t->options;
    const struct improve_settings settings = learn_settings(t);
    struct returned r = {.trainer = t,
                         .training = {.count = t->job.count,
                                      .x = t->job.x,
                                      .targets = t->job.targets,
                                      .weights = learn_weights(t),
                                      .improve = is_improvement(t) ? o->improve : 0,
                                      .explores = improve_explores(&settings),
                                      .explore = o->explore,
                                      .distance = improve_distance(&settings),
                                      .starts = t->job.starts,
                                      .results = {.inputs = t->job.count}}};
    r.block = layout_allocate(trainer_device_lay_out, &r);
    if (!r.block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_learn(t->device, &r.training, error);
    for (size_t first = 0; first < t->job.count && status == HN_OK; first += CHUNK)
        t->sums[first / CHUNK] =
            learn_sums(&r.training.results, first, first + CHUNK < t->job.count ? first + CHUNK : t->job.count);
    *norm = r.training.norm;
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
    size_t samples = t->job.count * t->options.policy.candidates;
    samples_place(layout, &m->batch.samples, samples, 0, t->outputs);
    m->batch.rows = layout_take(layout, samples, t->outputs * sizeof *m->batch.rows);
}

/* Network and correction on the device, targets on the CPU, backward pass on the device. */
static hn_status improve(hn_trainer *t, double *norm, hn_error *error) {
    struct improving m = {.trainer = t};
    m.block = layout_allocate(lay_out_samples, &m);
    if (!m.block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_candidates(t->device, t->job.count, t->job.x, &m.batch.samples, error);
    if (status == HN_OK) {
        t->batch = &m.batch;
        trainer_share(t);
        t->batch = NULL;
        status = device_policy_back(t->device, t->job.count, m.batch.rows, norm, error);
    }
    base_release(m.block);
    return status;
}

hn_status trainer_device_batch(hn_trainer *t, double *norm, hn_error *error) {
    return is_improvement(t) && !device_policy_refines(t->device) ? improve(t, norm, error) : learn(t, norm, error);
}
