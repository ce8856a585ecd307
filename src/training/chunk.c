/* chunk.c - one chunk of a batch: network, layer, loss, the choice among candidates, and the way back.
 *
 * SPDX-License-Identifier: MIT */
#include "training/trainer_parts.h"

#include <math.h>
#include <string.h>

struct chunk {
    hn_trainer *trainer;
    struct chunk_memory *memory;
    size_t first, count; /* inputs */
    size_t samples;      /* inputs times candidates */
};

/* Candidate k of input i: all first candidates, then all second ones, ...; the input of sample s is s % count. */
static size_t sample_at(const struct chunk *c, size_t input, size_t candidate) {
    return candidate * c->count + input;
}

/* The network gives all candidates of an input in one row; the layer wants each as a row of its own. */
static void spread(const struct chunk *c, const double *rows) {
    const hn_trainer *t = c->trainer;
    size_t n = t->outputs, k = t->options.candidates;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < k; j++) {
            size_t s = sample_at(c, i, j);
            memcpy(c->memory->raw + s * n, rows + (i * k + j) * n, n * sizeof *rows);
            if (t->inputs)
                memcpy(c->memory->x + s * t->inputs, t->x + (c->first + i) * t->inputs, t->inputs * sizeof *rows);
        }
}

static void gather(const struct chunk *c, double *rows) {
    size_t n = c->trainer->outputs, k = c->trainer->options.candidates;
    for (size_t i = 0; i < c->count; i++)
        for (size_t j = 0; j < k; j++)
            memcpy(rows + (i * k + j) * n, c->memory->grad_raw + sample_at(c, i, j) * n, n * sizeof *rows);
}

static hn_batch batch_of(const struct chunk *c) {
    struct chunk_memory *m = c->memory;
    return (hn_batch){.count = c->samples, .x = m->x, .y_raw = m->raw, .y = m->y, .reports = m->reports};
}

/* ---- loss ---- */

/* Objective at the rows of y, and with a gradient the gradient there; the residual beside it. */
// NOLINTNEXTLINE(readability-non-const-parameter): it is written through the samples
static void run_loss(const struct chunk *c, const double *y, double *gradient, double *objective) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    for (size_t s = 0; s < c->samples; s += LANES) {
        struct loss_sample samples[LANES];
        size_t count = c->samples - s < LANES ? c->samples - s : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = (struct loss_sample){.x = m->x + (s + i) * t->inputs,
                                              .y = y + (s + i) * t->outputs,
                                              .gradient = gradient ? gradient + (s + i) * t->outputs : NULL};
        loss_run(&t->loss, m->loss, samples, count, t->options.residual_weight);
        for (size_t i = 0; i < count; i++) {
            objective[s + i] = samples[i].objective;
            m->residual[s + i] = samples[i].residual;
        }
    }
}

static double squared_distance(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

/* With targets the distance from them takes the place of the objective. */
static void use_target(const struct chunk *c, size_t s, size_t input) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    const double *target = t->targets + (c->first + input) * t->outputs, *y = m->y + s * t->outputs;
    m->total[s] = squared_distance(y, target, t->outputs);
    for (size_t j = 0; t->learning && j < t->outputs; j++)
        m->grad_y[s * t->outputs + j] = 2 * (y[j] - target[j]);
}

static void total_losses(const struct chunk *c) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    size_t n = t->outputs;
    for (size_t s = 0; s < c->samples; s++) {
        m->total[s] = m->objective[s];
        if (t->targets)
            use_target(c, s, s % c->count);
        m->moved[s] = squared_distance(m->y + s * n, m->raw + s * n, n);
        m->total[s] += t->options.residual_weight * m->residual[s] + t->options.move_weight * m->moved[s];
    }
}

/* ok before not ok, then the smallest; a loss that is no number is the worst. In the end the objective decides. */
static bool is_better(const struct chunk *c, size_t a, size_t b) {
    const struct chunk_memory *m = c->memory;
    bool a_ok = m->reports[a].outcome == HN_OUTCOME_OK, b_ok = m->reports[b].outcome == HN_OUTCOME_OK;
    if (a_ok != b_ok)
        return a_ok;
    const double *value = c->trainer->learning ? m->total : m->objective;
    return value[a] < value[b] || (isnan(value[b]) && !isnan(value[a]));
}

static void choose(const struct chunk *c) {
    for (size_t i = 0; i < c->count; i++) {
        size_t best = sample_at(c, i, 0);
        for (size_t k = 1; k < c->trainer->options.candidates; k++)
            if (is_better(c, sample_at(c, i, k), best))
                best = sample_at(c, i, k);
        c->memory->best[i] = best;
    }
}

/* ---- refinement: steps along the constraints, each corrected again and kept where it helps ---- */

/* Takes the refined points (in grad_raw, reports in refined) over where they are ok and lower the objective. */
static void keep_better(const struct chunk *c) {
    struct chunk_memory *m = c->memory;
    size_t n = c->trainer->outputs;
    for (size_t s = 0; s < c->samples; s++) {
        bool was_ok = m->reports[s].outcome == HN_OUTCOME_OK, is_ok = m->refined[s].outcome == HN_OUTCOME_OK;
        if (!is_ok || (was_ok && !(m->refined_objective[s] < m->objective[s]))) {
            m->length[s] *= 0.25;
            continue;
        }
        int steps = m->reports[s].iterations + m->refined[s].iterations;
        m->reports[s] = m->refined[s];
        m->reports[s].iterations = steps;
        m->objective[s] = m->refined_objective[s];
        memcpy(m->y + s * n, m->grad_raw + s * n, n * sizeof *m->y);
    }
}

static void refine_once(const struct chunk *c) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    size_t n = t->outputs;
    for (size_t s = 0; s < c->samples; s += LANES) {
        struct refine_sample samples[LANES];
        size_t count = c->samples - s < LANES ? c->samples - s : LANES;
        for (size_t i = 0; i < count; i++)
            samples[i] = (struct refine_sample){.x = m->x + (s + i) * t->inputs,
                                                .y = m->y + (s + i) * n,
                                                .y_new = m->grad_raw + (s + i) * n,
                                                .length = m->length[s + i]};
        refiner_step(&t->refiner, m->refine, samples, count);
    }
    hn_batch batch = {.count = c->samples, .x = m->x, .y_raw = m->grad_raw, .y = m->grad_raw, .reports = m->refined};
    hn_layer_run(t->final, &batch, m->workspace, hn_layer_workspace_bytes(t->final), NULL);
}

static void refine(const struct chunk *c) {
    struct chunk_memory *m = c->memory;
    for (size_t s = 0; s < c->samples; s++)
        m->length[s] = 1;
    for (int k = 0; k < c->trainer->options.refine; k++) {
        refine_once(c);
        run_loss(c, m->grad_raw, NULL, m->refined_objective);
        keep_better(c);
    }
}

/* ---- the way back ---- */

/* What a sample counts: the mean over the batch, and less where another candidate is the best. */
static double weight_of(const struct chunk *c, size_t s) {
    const hn_trainer *t = c->trainer;
    return (s == c->memory->best[s % c->count] ? 1 : t->options.others) / (double)t->count;
}

/* Adds the gradient of move_weight |y - y_raw|^2 by y, or with sign -1 that by y_raw. */
static void add_pull(const struct chunk *c, size_t s, double sign, double *gradient) {
    const struct chunk_memory *m = c->memory;
    size_t n = c->trainer->outputs;
    for (size_t j = 0; j < n; j++)
        gradient[j] += sign * 2 * c->trainer->options.move_weight * (m->y[s * n + j] - m->raw[s * n + j]);
}

/* Clips one sample's gradient by y_raw; false when it is not finite. */
static bool clip_sample(const hn_trainer *t, double *gradient, double weight) {
    double squares = 0;
    for (size_t j = 0; j < t->outputs; j++)
        squares += gradient[j] * gradient[j];
    if (!isfinite(squares))
        return false;
    double norm = sqrt(squares), most = t->options.clip_sample;
    double scale = most > 0 && norm > most ? most / norm : 1;
    for (size_t j = 0; j < t->outputs; j++)
        gradient[j] *= scale * weight;
    return true;
}

/* An output beyond its bound gets no gradient through the layer, even when the loss would fall if it came back inside. The
 * gradient by the bound tells: where the loss falls as the bound moves inwards, the raw output follows it. */
static void pull_inside(const struct chunk *c, size_t s, double *gradient) {
    const hn_trainer *t = c->trainer;
    const struct places *bounds = &t->layer->bound_rows;
    for (size_t b = 0; b < bounds->count; b++) {
        double lower = c->memory->grad_lower[s * t->layer->rows + bounds->place[b]];
        double upper = c->memory->grad_upper[s * t->layer->rows + bounds->place[b]];
        gradient[bounds->offset[b]] += t->options.inward * (fmin(0, lower) + fmax(0, upper));
    }
}

static void finish_gradients(const struct chunk *c, struct chunk_sums *sums) {
    size_t n = c->trainer->outputs;
    for (size_t s = 0; s < c->samples; s++) {
        double *gradient = c->memory->grad_raw + s * n;
        add_pull(c, s, -1, gradient);
        pull_inside(c, s, gradient);
        if (!clip_sample(c->trainer, gradient, weight_of(c, s))) {
            memset(gradient, 0, n * sizeof *gradient);
            sums->dropped++;
        }
    }
}

/* Without the layer's gradient: the raw output is drawn towards what correction and refinement made of it. */
static void imitate(const struct chunk *c, double *grad_parameters) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    size_t n = t->outputs;
    for (size_t s = 0; s < c->samples; s++) {
        for (size_t j = 0; j < n; j++)
            m->grad_raw[s * n + j] = 2 * t->options.improve * (m->raw[s * n + j] - m->y[s * n + j]);
        clip_sample(t, m->grad_raw + s * n, weight_of(c, s));
    }
    gather(c, m->grad_y);
    perceptron_backward(t->network, m->perceptron, c->count, m->grad_y, grad_parameters);
}

static void go_back(const struct chunk *c, struct chunk_sums *sums, double *grad_parameters) {
    const hn_trainer *t = c->trainer;
    struct chunk_memory *m = c->memory;
    if (t->options.improve > 0) {
        imitate(c, grad_parameters);
        return;
    }
    hn_batch batch = batch_of(c);
    hn_gradient gradient = {
        .grad_y = m->grad_y, .grad_y_raw = m->grad_raw, .grad_lower = m->grad_lower, .grad_upper = m->grad_upper};
    batch.tape = m->tape;
    for (size_t s = 0; s < c->samples; s++)
        add_pull(c, s, 1, m->grad_y + s * t->outputs);
    hn_layer_gradient(t->layer, &batch, &gradient, m->workspace, hn_layer_workspace_bytes(t->layer), NULL);
    finish_gradients(c, sums);
    gather(c, m->grad_y); /* no longer needed for itself */
    perceptron_backward(t->network, m->perceptron, c->count, m->grad_y, grad_parameters);
}

/* ---- all of it ---- */

static void add_sums(const struct chunk *c, struct chunk_sums *sums) {
    const struct chunk_memory *m = c->memory;
    for (size_t i = 0; i < c->count; i++) {
        size_t s = m->best[i];
        sums->samples++;
        sums->ok += m->reports[s].outcome == HN_OUTCOME_OK;
        sums->loss += m->total[s];
        sums->objective += m->objective[s];
        sums->residual += m->residual[s];
        sums->moved += m->moved[s];
        sums->steps += m->reports[s].iterations;
        sums->violation = m->reports[s].violation > sums->violation ? m->reports[s].violation : sums->violation;
    }
}

static void write_out(const struct chunk *c) {
    const hn_trainer *t = c->trainer;
    const struct chunk_memory *m = c->memory;
    for (size_t i = 0; i < c->count; i++) {
        size_t s = m->best[i], to = c->first + i;
        if (t->out_y)
            memcpy(t->out_y + to * t->outputs, m->y + s * t->outputs, t->outputs * sizeof *m->y);
        if (t->out_objective)
            t->out_objective[to] = m->objective[s];
        if (t->out_reports)
            t->out_reports[to] = m->reports[s];
    }
}

void trainer_chunk(hn_trainer *trainer, struct chunk_memory *memory, size_t number) {
    struct chunk c = {trainer, memory, number * CHUNK, 0, 0};
    struct chunk_sums *sums = &trainer->sums[number];
    const hn_layer *layer = trainer->learning ? trainer->layer : trainer->final;
    c.count = trainer->count - c.first < CHUNK ? trainer->count - c.first : CHUNK;
    c.samples = c.count * trainer->options.candidates;
    *sums = (struct chunk_sums){.samples = 0};
    perceptron_forward(trainer->network, memory->perceptron, c.count, trainer->x + c.first * trainer->inputs,
                       memory->y);
    spread(&c, memory->y);
    hn_batch batch = batch_of(&c);
    batch.tape = trainer->learning ? memory->tape : NULL;
    hn_layer_run(layer, &batch, memory->workspace, hn_layer_workspace_bytes(layer), NULL);
    run_loss(&c, memory->y, NULL, memory->objective);
    if (trainer->options.refine > 0)
        refine(&c);
    run_loss(&c, memory->y, trainer->learning ? memory->grad_y : NULL, memory->objective);
    total_losses(&c);
    choose(&c);
    add_sums(&c, sums);
    if (trainer->learning)
        go_back(&c, sums, trainer->gradients + number * trainer->parameters);
    else
        write_out(&c);
}
