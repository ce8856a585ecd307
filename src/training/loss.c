/* loss.c - see loss.h.
 *
 * SPDX-License-Identifier: MIT */
#include "training/loss.h"

#include "base/error.h"
#include "base/memory.h"
#include "derivatives/derivatives.h"

#include <math.h>
#include <string.h>

/* The program's outputs: f, then c, bl, bu, then the entries of both gradients. */
struct parts {
    struct problem problem;
    struct node_matrix gradient, pull;
    struct node_list nodes;
};

static hn_status differentiate(struct parts *parts, const hn_model *model, hn_error *error) {
    struct problem *p = &parts->problem;
    hn_status status = problem_create(p, model, error);
    if (status == HN_OK && p->objective == 0)
        status = error_set(error, HN_INVALID, "the model has no objective: there is nothing to train for");
    if (status == HN_OK)
        status = derivatives_jacobian(&parts->gradient, &p->graph, &p->objective, 1, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_pull(&parts->pull, p, SPACE_Y, error);
    return status;
}

static hn_status collect(struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    hn_status status = node_list_add(&parts->nodes, &p->objective, 1, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->body, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->lower, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, p->upper, p->rows, error);
    if (status == HN_OK)
        status = node_list_add(&parts->nodes, parts->gradient.node, parts->gradient.count, error);
    return status == HN_OK ? node_list_add(&parts->nodes, parts->pull.node, parts->pull.count, error) : status;
}

static hn_status compile(struct loss *loss, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    struct program_request request = {
        .stride = LANES, .graph = &p->graph, .outputs = parts->nodes.nodes, .output_count = parts->nodes.count};
    request.leaf_count[SPACE_X] = p->inputs;
    request.leaf_count[SPACE_Y] = p->outputs;
    request.leaf_count[SPACE_LAMBDA] = p->rows;
    request.phase[SPACE_Y] = 1;
    request.phase[SPACE_LAMBDA] = 2;
    return program_create(&loss->program, &request, error);
}

static uint32_t *take_entries(struct loss *loss, const struct node_matrix *matrix) {
    uint32_t *entries = arena_take(&loss->arena, matrix->count + 1, sizeof *entries);
    if (entries && matrix->count)
        memcpy(entries, matrix->column, matrix->count * sizeof *entries);
    return entries;
}

static hn_status keep(struct loss *loss, const struct parts *parts, hn_error *error) {
    const struct problem *p = &parts->problem;
    size_t rows = loss->rows = p->rows, begin = 1 + 3 * rows;
    loss->inputs = p->inputs;
    loss->outputs = p->outputs;
    loss->x = (uint32_t)(loss->program->leaf_slot[SPACE_X] * LANES);
    loss->y = (uint32_t)(loss->program->leaf_slot[SPACE_Y] * LANES);
    loss->multiplier = (uint32_t)(loss->program->leaf_slot[SPACE_LAMBDA] * LANES);
    loss->objective = loss->program->output_slot[0] * LANES;
    loss->value = program_places(loss->program, &loss->arena, 1, rows);
    loss->lower = program_places(loss->program, &loss->arena, 1 + rows, rows);
    loss->upper = program_places(loss->program, &loss->arena, 1 + 2 * rows, rows);
    loss->gradient_count = parts->gradient.count;
    loss->gradient_place = program_places(loss->program, &loss->arena, begin, parts->gradient.count);
    loss->gradient_entry = take_entries(loss, &parts->gradient);
    loss->pull_count = parts->pull.count;
    loss->pull_place = program_places(loss->program, &loss->arena, begin + parts->gradient.count, parts->pull.count);
    loss->pull_entry = take_entries(loss, &parts->pull);
    loss->bytes = loss->program->slots * LANES * sizeof(double);
    bool kept = loss->value && loss->lower && loss->upper && loss->gradient_place && loss->gradient_entry &&
                loss->pull_place && loss->pull_entry;
    return kept ? HN_OK : error_no_memory(error, "the loss");
}

hn_status loss_create(struct loss *loss, const hn_model *model, hn_error *error) {
    struct parts parts = {.nodes = {.count = 0}};
    *loss = (struct loss){.inputs = 0};
    hn_status status = backend_choose(&loss->backend, HN_INSTRUCTIONS_BEST, error);
    if (status == HN_OK)
        status = differentiate(&parts, model, error);
    if (status == HN_OK)
        status = collect(&parts, error);
    if (status == HN_OK)
        status = compile(loss, &parts, error);
    if (status == HN_OK)
        status = keep(loss, &parts, error);
    node_matrix_release(&parts.gradient);
    node_matrix_release(&parts.pull);
    node_list_release(&parts.nodes);
    problem_release(&parts.problem);
    if (status != HN_OK)
        loss_release(loss);
    return status;
}

void loss_release(struct loss *loss) {
    program_destroy(loss->program);
    arena_release(&loss->arena);
    *loss = (struct loss){.inputs = 0};
}

/* ---- running ---- */

void loss_begin(const struct loss *loss, double *memory) {
    program_prepare(loss->program, memory);
}

static void load(const struct loss *loss, double *memory, const struct loss_sample *samples, size_t count) {
    const double *x[LANES] = {NULL}, *y[LANES] = {NULL};
    for (size_t s = 0; s < count; s++) {
        x[s] = samples[s].x;
        y[s] = samples[s].y;
    }
    loss->backend.load(memory, loss->x, loss->inputs, x);
    loss->backend.load(memory, loss->y, loss->outputs, y);
}

static double residual_of(double c, double lower, double upper) {
    if (c > upper)
        return c - upper;
    return c < lower ? c - lower : 0;
}

/* |r|, and the multipliers (size / |r| + 2 square) r for the way back. */
static double set_multipliers(const struct loss *loss, double *memory, size_t lane, struct loss_weights weights) {
    double squares = 0;
    for (size_t i = 0; i < loss->rows; i++) {
        double r =
            residual_of(memory[loss->value[i] + lane], memory[loss->lower[i] + lane], memory[loss->upper[i] + lane]);
        memory[loss->multiplier + i * LANES + lane] = r;
        squares += r * r;
    }
    double size = sqrt(squares), scale = (size > 0 ? weights.size / size : 0) + 2 * weights.square;
    for (size_t i = 0; i < loss->rows; i++)
        memory[loss->multiplier + i * LANES + lane] *= scale;
    return size;
}

static void write_gradient(const struct loss *loss, const double *memory, size_t lane, double *gradient) {
    memset(gradient, 0, loss->outputs * sizeof *gradient);
    for (size_t e = 0; e < loss->gradient_count; e++)
        gradient[loss->gradient_entry[e]] += memory[loss->gradient_place[e] + lane];
    for (size_t e = 0; e < loss->pull_count; e++)
        gradient[loss->pull_entry[e]] += memory[loss->pull_place[e] + lane];
}

void loss_run(const struct loss *loss, double *memory, struct loss_sample *samples, size_t count,
              struct loss_weights weights) {
    load(loss, memory, samples, count);
    loss->backend.run(loss->program, 0, memory);
    loss->backend.run(loss->program, 1, memory);
    bool wanted = false;
    for (size_t s = 0; s < count; s++) {
        samples[s].objective = memory[loss->objective + s];
        samples[s].residual = set_multipliers(loss, memory, s, weights);
        wanted = wanted || samples[s].gradient;
    }
    if (!wanted)
        return;
    loss->backend.run(loss->program, 2, memory);
    for (size_t s = 0; s < count; s++)
        if (samples[s].gradient)
            write_gradient(loss, memory, s, samples[s].gradient);
}
