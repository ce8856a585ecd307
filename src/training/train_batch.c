/* train_batch.c - a batch: the losses of hardnet/train.h and the gradient with respect to the parameters.
 *
 * The CPU runs chunks: free threads take the next one; gradients and sums are added in the order of the chunks, so that
 * the bits do not depend on the number of threads. A device runs whole batches; if it lacks the memory for refinement,
 * the CPU computes the targets of the loss `improve`.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/size.h"
#include "training/training_parts.h"

#include <math.h>
#include <string.h>

struct train_chunk {
    hn_trainer *trainer;
    struct chunk chunk;
    struct learn_memory *own;
    double *grad_parameters;
    struct train_batch batch;
};

/* ---- sums of a chunk ---- */

static void add_sample(hn_train_report *sums, const struct train_batch *b, size_t s) {
    const hn_report *report = &b->samples.reports[s];
    if (!isfinite(b->total[s]))
        return; /* the sample was dropped */
    sums->samples++;
    sums->ok += report->outcome == HN_OUTCOME_OK;
    sums->loss += b->total[s];
    sums->objective += b->samples.objective[s];
    sums->residual += isnan(b->samples.residual[s]) ? (double)INFINITY : b->samples.residual[s];
    sums->moved += b->moved[s];
    sums->steps += report->iterations;
    sums->violation = fmax(sums->violation, report->violation);
}

/* A dropped sample counts as undefined if its residual is NaN. */
static void add_dropped(hn_train_report *sums, const struct train_batch *b, size_t s) {
    sums->dropped++;
    if (isnan(b->samples.residual[s]) && sums->undefined++ == 0)
        sums->undefined_row = b->samples.reports[s].worst;
}

static hn_train_report sums_of(const struct train_batch *b, size_t first, size_t end) {
    hn_train_report sums = {.samples = 0};
    for (size_t k = 0; k < b->samples.count; k += b->inputs)
        for (size_t s = k + first; s < k + end; s++)
            if (b->dropped[s])
                add_dropped(&sums, b, s);
    for (size_t i = first; i < end; i++)
        add_sample(&sums, b, b->best[i]);
    return sums;
}

/* ---- the loss `objective` ---- */

/* The gradients of the losses `improve` and `targets` are bounded already: they are not clipped. */
static struct train_weights weights_of(const hn_trainer *t) {
    const hn_train_options *o = &t->options;
    double count = (double)t->job.count;
    return (struct train_weights){.residual = o->residual_weight,
                                  .square = o->square_weight,
                                  .move = o->move_weight,
                                  .inward = o->inward,
                                  .huber = o->huber,
                                  .clip = t->job.targets || o->improve > 0 ? 0 : o->clip_sample,
                                  .best = 1 / count,
                                  .other = o->others / count};
}

/* Losses and their gradients with respect to y, without the term |y - y_raw|^2. */
static void evaluate_losses(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    chunk_objective(&l->chunk, b->samples.residual, b->grad_y,
                    (struct loss_weights){b->weights.residual, b->weights.square});
    for (size_t s = 0; s < b->samples.count; s++)
        train_total(b, s);
}

static void back_through_layer(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    hn_layer *layer = l->trainer->layer;
    hn_batch batch = samples_as_batch(&b->samples);
    hn_gradient gradient = {.size = sizeof gradient,
                            .grad_y = b->grad_y,
                            .grad_y_raw = b->grad_raw,
                            .grad_lower = b->grad_lower,
                            .grad_upper = b->grad_upper};
    batch.tape = l->own->tape;
    for (size_t s = 0; s < b->samples.count; s++)
        train_pull(b, s, 1, b->grad_y);
    hn_layer_gradient(layer, &batch, &gradient, l->own->workspace, hn_layer_workspace_bytes(layer), NULL);
    for (size_t s = 0; s < b->samples.count; s++) {
        train_pull(b, s, -1, b->grad_raw);
        train_pull_inside(b, s);
    }
}

static void learn_objective(const struct train_chunk *l) {
    chunk_correct(&l->chunk, l->trainer->layer, l->own->tape, l->own->workspace);
    evaluate_losses(l);
    chunk_choose(&l->chunk, l->batch.total);
    back_through_layer(l);
}

/* The same through the head. Samples that the head reports as lost are dropped. */
static void learn_head(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    chunk_map(&l->chunk, l->own->tape);
    evaluate_losses(l);
    for (size_t s = 0; s < b->samples.count; s++)
        if (l->chunk.memory->notes[s].lost)
            b->total[s] = NAN;
    chunk_choose(&l->chunk, b->total);
    chunk_map_back(&l->chunk, l->own->tape, b->grad_y, b->grad_raw);
}

/* ---- the losses `improve` and `targets` ---- */

static struct improve_settings settings_of(const hn_trainer *t) {
    return (struct improve_settings){t->options.improve, t->options.explore, t->steps, t->job.starts};
}

static void learn_improvement(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    const hn_trainer *t = l->trainer;
    const struct refine_memory *memory = &l->chunk.memory->refine;
    struct improve_settings settings = settings_of(t);
    if (t->job.starts)
        settings.starts += l->chunk.first * t->outputs;
    if (!t->batch)
        refiner_correct(&t->policy->refiner, memory, &b->samples);
    for (size_t s = 0; s < b->samples.count; s++)
        train_move(b, s);
    improve_run(&t->policy->refiner, memory, &b->samples, b->inputs, &settings);
    for (size_t s = 0; s < b->samples.count; s++)
        train_regress(b, s, memory->targets + s * t->outputs);
}

/* The candidate nearest to the target counts as the best. */
static void learn_targets(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    const hn_trainer *t = l->trainer;
    chunk_correct(&l->chunk, t->policy->layer, NULL, l->chunk.memory->refine.workspace);
    chunk_objective(&l->chunk, b->samples.residual, NULL, OBJECTIVE_ONLY);
    for (size_t s = 0; s < b->samples.count; s++) {
        train_move(b, s);
        train_regress(b, s, t->job.targets + (l->chunk.first + s % b->inputs) * t->outputs);
    }
    chunk_choose(&l->chunk, b->total);
}

/* ---- a chunk ---- */

/* Copies raw and corrected outputs computed by a device. */
static void take_samples(const struct train_chunk *l) {
    const struct samples *all = &l->trainer->batch->samples, *m = &l->batch.samples;
    size_t n = l->trainer->outputs, inputs = l->trainer->inputs;
    for (size_t s = 0; s < m->count; s++) {
        size_t i = l->chunk.first + s % l->chunk.count, from = s / l->chunk.count * l->trainer->job.count + i;
        memcpy(m->x + s * inputs, l->trainer->job.x + i * inputs, inputs * sizeof *m->x);
        memcpy(m->raw + s * n, all->raw + from * n, n * sizeof *m->raw);
        memcpy(m->y + s * n, all->y + from * n, n * sizeof *m->y);
        m->objective[s] = all->objective[from];
        m->residual[s] = all->residual[from];
        m->reports[s] = all->reports[from];
    }
}

static void go_back(const struct train_chunk *l) {
    const hn_trainer *t = l->trainer;
    const struct train_batch *b = &l->batch;
    size_t width = t->network->width[t->network->layers];
    chunk_gather(&l->chunk, b->grad_raw, b->grad_y);
    if (t->batch)
        memcpy(t->batch->rows + l->chunk.first * width, b->grad_y, l->chunk.count * width * sizeof *b->grad_y);
    else
        perceptron_backward(&l->chunk.memory->perceptron, l->chunk.count, b->grad_y, l->grad_parameters);
}

static struct train_chunk train_chunk_of(hn_trainer *t, int member, size_t number) {
    struct train_chunk l = {.trainer = t,
                            .chunk = chunk_of(t->policy, &t->policy->memory[member], number, CHUNK, t->job.count),
                            .own = &t->memory[member],
                            .grad_parameters = t->gradients + number * t->parameters,
                            .batch = t->memory[member].batch};
    l.batch.weights = weights_of(t);
    l.batch.inputs = l.chunk.count;
    l.batch.outputs = t->outputs;
    l.batch.rows = t->rows;
    l.batch.samples = l.chunk.samples;
    l.batch.best = l.chunk.best;
    l.batch.output_scale = t->network->output.scale;
    l.batch.bounds = t->bounds;
    l.batch.bound_row = t->bound_row;
    l.batch.bound_column = t->bound_column;
    return l;
}

static void learn_chunk(void *context, int member, size_t number) {
    hn_trainer *t = context;
    const struct train_chunk l = train_chunk_of(t, member, number);
    if (t->batch) {
        take_samples(&l);
    } else {
        memset(l.grad_parameters, 0, t->parameters * sizeof *t->gradients);
        chunk_network(&l.chunk, t->job.x);
    }
    if (t->job.targets)
        learn_targets(&l);
    else if (t->options.improve > 0)
        learn_improvement(&l);
    else if (t->options.policy.head)
        learn_head(&l);
    else
        learn_objective(&l);
    for (size_t s = 0; s < l.batch.samples.count; s++)
        train_finish(&l.batch, s, l.batch.grad_raw + s * t->outputs);
    t->sums[number] = sums_of(&l.batch, 0, l.chunk.count);
    go_back(&l);
}

/* ---- batches ---- */

static size_t chunks_of(const hn_trainer *t) {
    return (t->job.count + CHUNK - 1) / CHUNK;
}

static hn_status make_room(hn_trainer *t, size_t chunks, hn_error *error) {
    if (chunks <= t->chunks)
        return HN_OK;
    hn_train_report *sums = base_reallocate(t->sums, size_product(chunks, sizeof *t->sums));
    if (!sums)
        return error_no_memory(error, "training");
    t->sums = sums;
    size_t numbers = size_product(chunks, t->parameters);
    double *gradients = base_reallocate(t->gradients, size_product(numbers, sizeof *t->gradients));
    if (!gradients)
        return error_no_memory(error, "training");
    t->gradients = gradients;
    t->chunks = chunks;
    return HN_OK;
}

static void share_chunks(hn_trainer *t) {
    thread_pool_share(t->policy->thread_pool, chunks_of(t), learn_chunk, t);
}

/* Adds the chunks' gradients in order into the first; returns the norm. */
static double add_gradients(const hn_trainer *t) {
    for (size_t c = 1; c < chunks_of(t); c++)
        for (size_t i = 0; i < t->parameters; i++)
            t->gradients[i] += t->gradients[c * t->parameters + i];
    return train_norm(t->gradients, t->parameters);
}

/* ---- on a device ---- */

/* The loss `improve`: the caller does not pass targets. */
static bool is_improvement(const hn_trainer *t) {
    return !t->job.targets && t->options.improve > 0;
}

static void place_results(struct layout *layout, void *context) {
    struct train_batch *b = context;
    size_t samples = b->samples.count;
    samples_place(layout, &b->samples, samples, 0, 0);
    b->total = layout_take(layout, samples, sizeof *b->total);
    b->moved = layout_take(layout, samples, sizeof *b->moved);
    b->dropped = layout_take(layout, samples, sizeof *b->dropped);
    b->best = layout_take(layout, b->inputs, sizeof *b->best);
}

static hn_status learn_on_device(hn_trainer *t, double *norm, hn_error *error) {
    const size_t count = t->job.count;
    const struct improve_settings settings = settings_of(t);
    struct device_training training = {.count = count,
                                       .x = t->job.x,
                                       .targets = t->job.targets,
                                       .weights = weights_of(t),
                                       .improve = is_improvement(t) ? settings.steps : 0,
                                       .explores = improve_explores(&settings),
                                       .explore = settings.explore,
                                       .distance = improve_distance(&settings),
                                       .starts = settings.starts,
                                       .results = {.inputs = count}};
    training.results.samples.count = count * t->options.policy.candidates;
    void *block = layout_allocate(place_results, &training.results);
    if (!block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_learn(t->device, &training, error);
    for (size_t first = 0; first < count && status == HN_OK; first += CHUNK)
        t->sums[first / CHUNK] = sums_of(&training.results, first, first + CHUNK < count ? first + CHUNK : count);
    *norm = training.norm;
    base_release(block);
    return status;
}

static void place_candidates(struct layout *layout, void *context) {
    struct device_batch *b = context;
    samples_place(layout, &b->samples, b->samples.count, 0, b->outputs);
    b->rows = layout_take(layout, b->samples.count, b->outputs * sizeof *b->rows);
}

/* Network and correction on the device, targets on the CPU, backward pass on the device. */
static hn_status improve_on_cpu(hn_trainer *t, double *norm, hn_error *error) {
    struct device_batch batch = {.outputs = t->outputs};
    batch.samples.count = t->job.count * t->options.policy.candidates;
    void *block = layout_allocate(place_candidates, &batch);
    if (!block)
        return error_no_memory(error, "training");
    hn_status status = device_policy_candidates(t->device, t->job.count, t->job.x, &batch.samples, error);
    if (status == HN_OK) {
        t->batch = &batch;
        share_chunks(t);
        t->batch = NULL;
        status = device_policy_back(t->device, t->job.count, batch.rows, norm, error);
    }
    base_release(block);
    return status;
}

/* ---- the batch ---- */

/* Means over the samples. */
static hn_train_report add_up(const hn_trainer *t) {
    hn_train_report r = {.samples = 0};
    for (size_t c = 0; c < chunks_of(t); c++) {
        const hn_train_report *s = &t->sums[c];
        r.samples += s->samples;
        r.ok += s->ok;
        r.dropped += s->dropped;
        if (r.undefined == 0 && s->undefined > 0)
            r.undefined_row = s->undefined_row;
        r.undefined += s->undefined;
        r.loss += s->loss;
        r.objective += s->objective;
        r.residual += s->residual;
        r.moved += s->moved;
        r.steps += s->steps;
        r.violation = s->violation > r.violation ? s->violation : r.violation;
    }
    double samples = r.samples ? (double)r.samples : 1;
    r.loss /= samples;
    r.objective /= samples;
    r.residual /= samples;
    r.moved /= samples;
    r.steps /= samples;
    return r;
}

hn_status train_batch_run(hn_trainer *t, hn_train_report *report, hn_error *error) {
    double norm = 0;
    hn_status status = make_room(t, chunks_of(t), error);
    if (status != HN_OK)
        return status;
    if (!t->device) {
        share_chunks(t);
        norm = add_gradients(t);
    } else if (is_improvement(t) && !device_policy_refines(t->device)) {
        status = improve_on_cpu(t, &norm, error);
    } else {
        status = learn_on_device(t, &norm, error);
    }
    if (status == HN_OK)
        *report = add_up(t);
    report->gradient = norm;
    return status;
}
