/* loss_gradient.c - one chunk of a batch: the losses of hardnet/train.h and their gradients.
 *
 * SPDX-License-Identifier: MIT */
#include "base/layout.h"
#include "training/trainer_parts.h"

#include <math.h>
#include <string.h>

struct train_chunk {
    hn_trainer *trainer;
    struct chunk chunk;
    struct learn_memory *own;
    double *grad_parameters;
    struct train_batch batch;
};

struct learn_memory learn_memory_place(struct layout *layout, const hn_trainer *t) {
    struct learn_memory m = {.tape = NULL};
    struct train_batch *b = &m.batch;
    const hn_head *head = t->options.policy.head;
    size_t samples = CHUNK * t->options.policy.candidates, numbers = samples * t->outputs;
    if (t->layer) {
        m.workspace = layout_take(layout, hn_layer_workspace_bytes(t->layer), 1);
        m.tape = layout_take(layout, hn_layer_tape_bytes(t->layer, samples), 1);
        b->grad_lower = layout_take(layout, samples * t->rows, sizeof *b->grad_lower);
        b->grad_upper = layout_take(layout, samples * t->rows, sizeof *b->grad_upper);
    }
    if (head)
        m.tape = layout_take(layout, samples, head->tape_bytes);
    b->grad_y = layout_take(layout, numbers, sizeof *b->grad_y);
    b->grad_raw = layout_take(layout, numbers, sizeof *b->grad_raw);
    b->moved = layout_take(layout, samples, sizeof *b->moved);
    b->total = layout_take(layout, samples, sizeof *b->total);
    b->dropped = layout_take(layout, samples, sizeof *b->dropped);
    return m;
}

/* ---- sums ---- */

static void add_sample(hn_train_report *sums, const struct train_batch *b, size_t s) {
    const hn_report *report = &b->samples.reports[s];
    if (!isfinite(b->total[s]))
        return; /* it was dropped */
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

hn_train_report learn_sums(const struct train_batch *b, size_t first, size_t end) {
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
struct train_weights learn_weights(const hn_trainer *t) {
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

/* Losses and their gradients with respect to y, without the pull towards y_raw. */
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

/* The same through the head. Samples that it reports as lost are dropped. */
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

struct improve_settings learn_settings(const hn_trainer *t) {
    return (struct improve_settings){t->options.improve, t->options.explore, t->steps, t->job.starts};
}

static void learn_improvement(const struct train_chunk *l) {
    const struct train_batch *b = &l->batch;
    const hn_trainer *t = l->trainer;
    const struct refine_memory *memory = &l->chunk.memory->refine;
    struct improve_settings settings = learn_settings(t);
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

/* ---- all of it ---- */

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
    l.batch.weights = learn_weights(t);
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

void learn_chunk(hn_trainer *t, int member, size_t number) {
    const struct train_chunk l = train_chunk_of(t, member, number);
    if (t->batch)
        take_samples(&l);
    else
        chunk_network(&l.chunk, t->job.x);
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
    t->sums[number] = learn_sums(&l.batch, 0, l.chunk.count);
    go_back(&l);
}
