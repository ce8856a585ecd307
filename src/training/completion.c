/* completion.c - see completion.h.
 *
 * SPDX-License-Identifier: MIT */
#include "training/completion.h"

#include "base/error.h"
#include "base/memory.h"
#include "network/checksum.h"
#include "training/dependent.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 50 };             /* as DC3 has them */
static const double SHARE = 0.01;       /* of the tolerance that Newton's method aims at */
static const double LEAST_GOAL = 1e-12; /* whatever the tolerance: what rounding leaves */

/* ---- building ---- */

static bool take_lists(struct completion *c) {
    size_t rows = c->layer->rows, outputs = c->layer->outputs;
    c->solved = arena_take(&c->arena, rows + 1, sizeof *c->solved);
    c->dependent = arena_take(&c->arena, outputs + 1, sizeof *c->dependent);
    c->independent = arena_take(&c->arena, outputs + 1, sizeof *c->independent);
    return c->solved && c->dependent && c->independent;
}

static bool is_fixed(const hn_layer *layer, size_t column) {
    for (size_t f = 0; f < layer->fixed.count; f++)
        if (layer->fixed.offset[f] == column * LANES)
            return true;
    return false;
}

static void list_columns(struct completion *c) {
    for (size_t j = 0; j < c->layer->outputs; j++)
        if (c->dependent[j])
            c->equations++;
        else if (!is_fixed(c->layer, j))
            c->independent[c->width++] = (uint32_t)j;
}

static uint32_t take(struct completion *c, size_t count) {
    size_t place = c->slots * LANES;
    c->slots += count;
    return (uint32_t)place;
}

static void place_vectors(struct completion *c) {
    size_t rows = c->layer->rows, outputs = c->layer->outputs;
    c->slots = c->layer->program->slots;
    c->residual = take(c, rows);
    c->shift = take(c, rows); /* stays 0 */
    c->gradient = take(c, outputs);
    c->step = take(c, outputs);
    for (int i = 0; i < 2; i++) {
        c->right[i] = take(c, rows);
        c->unknown[i] = take(c, rows);
        c->memory[i] = take(c, outputs);
    }
    c->task = c->layer->task;
    c->task.residual = c->residual;
}

/* The entries of J in solved rows and dependent columns. */
static hn_status make_system(struct completion *c, hn_error *error) {
    const struct place_matrix *j = &c->layer->jacobian;
    size_t rows = c->layer->rows, count = 0;
    size_t *first = arena_take(&c->arena, rows + 1, sizeof *first);
    uint32_t *column = arena_take(&c->arena, j->first[rows] + 1, sizeof *column);
    uint32_t *place = arena_take(&c->arena, j->first[rows] + 1, sizeof *place);
    if (!first || !column || !place)
        return error_no_memory(error, "completion");
    for (size_t i = 0; i < rows; i++) {
        first[i] = count;
        for (size_t e = j->first[i]; c->solved[i] && e < j->first[i + 1]; e++)
            if (c->dependent[j->column[e]]) {
                column[count] = j->column[e];
                place[count++] = j->place[e];
            }
    }
    first[rows] = count;
    const struct damped_request request = {.matrix = {rows, c->layer->outputs, LANES, first, column, place, NULL},
                                           .rows_side_only = true,
                                           .fixed_shift = NAN,
                                           .shift = c->shift,
                                           .storage = (uint32_t)(c->slots * LANES)};
    hn_status status = damped_create(&c->system, &request, error);
    c->slots += c->system.slots;
    c->bytes = c->slots * LANES * sizeof(double);
    return status;
}

static hn_status make_products(struct completion *c, hn_error *error) {
    const struct place_matrix *j = &c->layer->jacobian;
    const struct damped_matrix matrix = {c->layer->rows, c->layer->outputs, LANES, j->first, j->column, j->place, NULL};
    hn_status status = product_create(&c->by_rows, &matrix, false, error);
    return status == HN_OK ? product_create(&c->by_columns, &matrix, true, error) : status;
}

hn_status completion_create(struct completion *c, const hn_model *model, const hn_layer *layer, hn_error *error) {
    *c = (struct completion){.layer = layer};
    hn_status status = take_lists(c) ? HN_OK : error_no_memory(error, "completion");
    if (status == HN_OK)
        status = dependent_choose(model, layer, c->solved, c->dependent, error);
    if (status == HN_OK) {
        list_columns(c);
        place_vectors(c);
        status = make_products(c, error);
    }
    if (status == HN_OK)
        status = make_system(c, error);
    if (status == HN_OK && c->width == 0)
        status = error_set(error, HN_INVALID, "dc3: the equalities determine all %zu outputs: nothing is left to learn",
                           layer->outputs);
    if (status != HN_OK)
        completion_release(c);
    return status;
}

void completion_release(struct completion *c) {
    damped_release(&c->system);
    base_release(c->by_rows.stream);
    base_release(c->by_columns.stream);
    arena_release(&c->arena);
    *c = (struct completion){.width = 0};
}

uint32_t completion_checksum(const struct completion *c) {
    uint32_t sum = 0;
    for (size_t k = 0; k < c->width; k++)
        for (int shift = 0; shift < 32; shift += 8) { /* the same on machines of either byte order */
            unsigned char byte = (unsigned char)(c->independent[k] >> shift & 0xff);
            sum = checksum_add(sum, &byte, 1);
        }
    return sum;
}

void completion_begin(const struct completion *c, double *slots) {
    memset(slots, 0, c->bytes);
    program_prepare(c->layer->program, slots);
    for (size_t i = 0; i < c->system.constant_count; i++)
        for (size_t lane = 0; lane < LANES; lane++)
            slots[c->system.constants[i].place + lane] = c->system.constants[i].value;
}

/* ---- values ---- */

void completion_load(const struct completion *c, double *slots, const double *const x[LANES]) {
    const hn_layer *layer = c->layer;
    layer->backend.load(slots, layer->x, layer->inputs, x);
    layer->backend.run(layer->program, 0, slots);
    for (size_t j = 0; j < layer->outputs; j++)
        if (c->dependent[j])
            memcpy(slots + layer->y + j * LANES, slots + layer->start[j], LANES * sizeof *slots);
    for (size_t f = 0; f < layer->fixed.count; f++)
        memcpy(slots + layer->y + layer->fixed.offset[f], slots + layer->fixed.place[f], LANES * sizeof *slots);
}

void completion_evaluate(const struct completion *c, double *slots) {
    c->layer->backend.run(c->layer->program, 1, slots);
    c->layer->backend.residual_only(&c->task, slots);
}

double completion_violation(const struct completion *c, const double *slots, size_t lane, bool solved, bool relative) {
    double worst = 0;
    for (size_t i = 0; i < c->layer->rows; i++) {
        double r = slots[c->residual + i * LANES + lane], size = fabs(r);
        if (c->solved[i] != solved)
            continue;
        if (relative && r != 0)
            size /= fmax(1, fabs(slots[(r > 0 ? c->task.upper[i] : c->task.lower[i]) + lane]));
        if (!isfinite(size) || !isfinite(slots[c->task.value[i] + lane]))
            return NAN;
        worst = size > worst ? size : worst;
    }
    return worst;
}

/* ---- Newton ---- */

struct newton {
    bool open[LANES]; /* lanes that still move */
    double last[LANES];
    double goal, enough;
};

/* Whether the lane goes on. What is within the tolerance and no longer shrinks is as good as it gets. */
static bool goes_on(struct newton *newton, size_t lane, double violation, bool *found) {
    bool stands = violation <= newton->enough && violation >= 0.5 * newton->last[lane];
    *found = violation <= newton->goal || stands;
    newton->last[lane] = violation;
    return !*found && isfinite(violation);
}

static void take_step(const struct completion *c, double *slots, const struct newton *newton) {
    const struct backend *backend = &c->layer->backend;
    const struct damped_sides sides = {1, {c->residual}, {c->unknown[0]}};
    size_t outputs = c->layer->outputs;
    backend->solve(&c->system, slots, &sides);
    backend->multiply(&c->system.by_columns, slots, c->unknown[0], c->step);
    for (size_t lane = 0; lane < LANES; lane++)
        for (size_t j = 0; !newton->open[lane] && j < outputs; j++)
            slots[c->step + j * LANES + lane] = 0;
    backend->subtract(slots, c->layer->y, c->step, c->layer->y, outputs);
}

void completion_solve(const struct completion *c, double *slots, const bool wanted[LANES], bool found[LANES]) {
    double tolerance = fmax(c->layer->options.tolerance, LEAST_GOAL);
    struct newton newton = {.goal = fmax(SHARE * tolerance, LEAST_GOAL), .enough = tolerance};
    for (size_t lane = 0; lane < LANES; lane++) {
        newton.open[lane] = wanted[lane];
        newton.last[lane] = INFINITY;
    }
    for (int k = 0;; k++) {
        bool any = false;
        completion_evaluate(c, slots);
        for (size_t lane = 0; lane < LANES; lane++) {
            double violation = newton.open[lane] ? completion_violation(c, slots, lane, true, c->task.relative) : 0;
            if (newton.open[lane])
                newton.open[lane] = goes_on(&newton, lane, violation, &found[lane]);
            any = any || newton.open[lane];
        }
        if (!any || k == NEWTON_STEPS)
            return;
        take_step(c, slots, &newton);
    }
}

void completion_fold(const struct completion *c, double *slots, uint32_t gradient) {
    const struct backend *backend = &c->layer->backend;
    const struct damped_sides sides = {1, {c->right[0]}, {c->unknown[0]}};
    backend->multiply(&c->system.by_rows, slots, gradient, c->right[0]);        /* h_w f_w */
    backend->solve(&c->system, slots, &sides);                                  /* mu = (h_w h_w')^-1 h_w f_w */
    backend->multiply_subtract(&c->by_columns, slots, c->unknown[0], gradient); /* f_y - h_y' mu */
}
