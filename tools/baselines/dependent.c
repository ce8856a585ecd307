/* dependent.c - see dependent.h. The table of one point is dh/dw^-1 dh/dy as far as pivots have come: a simplex tableau.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/dependent.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "hardnet/layer.h"

#include <math.h>

enum { POINTS = 16, SEED = 20, MOST_ENTRIES = 1 << 19 };
static const uint32_t NO_COLUMN = UINT32_MAX;
static const double NOISE = 0.1;        /* of the start values, in units of max(1, |start|) */
static const double LEAST_PIVOT = 1e-7; /* of rows scaled to 1; below it an equality depends on those before */
static const double WORTH = 1.25;       /* growth of the determinants for which columns are exchanged */

struct table {
    const struct completion *completion;
    const struct baseline_program *program;
    size_t equations, columns;
    size_t live;     /* points where all is finite; they come first */
    uint32_t *row;   /* of each equation */
    uint32_t *basic; /* its column, or NO_COLUMN */
    bool *taken;     /* columns that are basic or fixed */
    double *entries; /* equations x columns x POINTS */
    double *x, *y;   /* of the points */
    double *values;  /* of J there */
    hn_report *reports;
    double *slots;   /* of the program */
    void *workspace; /* of a layer */
    size_t workspace_bytes;
    void *block;
};

/* One that takes no steps, and one that corrects. */
struct layers {
    hn_layer *plain, *correction;
};

/* ---- points ---- */

/* Between the bounds of the input; one unit wide where there are none. */
static double draw_input(const hn_model *model, size_t i, struct random *random) {
    hn_input_info input = hn_model_input(model, i);
    double lower = input.lower, upper = input.upper;
    if (!isfinite(lower) && !isfinite(upper))
        lower = -0.5;
    if (!isfinite(lower))
        lower = upper - 1;
    if (!isfinite(upper))
        upper = lower + 1;
    return random_between(random, lower, upper);
}

/* Disturbed, so that no entry vanishes by chance of a start at 0. The first point is the start itself. */
static void dependent_disturb(const struct table *t, struct random *random) {
    for (size_t p = 1; p < POINTS; p++)
        for (size_t j = 0; j < t->columns; j++) {
            double *y = &t->y[p * t->columns + j];
            *y += NOISE * fmax(1, fabs(*y)) * random_normal(random);
        }
}

static hn_status run_points(const struct table *t, const hn_layer *layer, const double *from, hn_error *error) {
    hn_batch batch = {.size = sizeof batch,
                      .count = POINTS,
                      .x = t->x,
                      .y_raw = from,
                      .y = t->y,
                      .report_size = sizeof(hn_report),
                      .reports = t->reports};
    return hn_layer_run(layer, &batch, t->workspace, hn_layer_workspace_bytes(layer), error);
}

/* The starts are what a layer without steps makes of no output at all. */
static hn_status make_points(const struct table *t, const hn_model *model, const struct layers *layers,
                             hn_error *error) {
    struct random random = random_start(SEED, 0);
    size_t inputs = t->program->inputs;
    for (size_t i = 0; i < POINTS * inputs; i++)
        t->x[i] = draw_input(model, i % inputs, &random);
    hn_status status = run_points(t, layers->plain, NULL, error);
    if (status != HN_OK)
        return status;
    dependent_disturb(t, &random);
    return run_points(t, layers->correction, t->y, error);
}

/* ---- the table ---- */

static double *entry_at(const struct table *t, size_t equation, size_t column) {
    return t->entries + (equation * t->columns + column) * POINTS;
}

/* The row of J at a point as equation e, scaled so that its largest entry is 1; false when it is not finite. */
static bool take_row(struct table *t, size_t e, const double *values) {
    const struct baseline_program *j = t->program;
    size_t i = t->row[e];
    double most = 0;
    for (size_t k = j->first[i]; k < j->first[i + 1]; k++) {
        double size = fabs(values[k]);
        if (!isfinite(size))
            return false;
        most = t->taken[j->column[k]] ? most : fmax(most, size);
    }
    for (size_t k = j->first[i]; most > 0 && k < j->first[i + 1]; k++)
        if (!t->taken[j->column[k]])
            entry_at(t, e, j->column[k])[t->live] = values[k] / most;
    return true;
}

static void take_point(struct table *t, const double *values) {
    bool finite = true;
    for (size_t e = 0; e < t->equations; e++) /* a point that is not finite is overwritten by the next */
        for (size_t j = 0; j < t->columns; j++)
            entry_at(t, e, j)[t->live] = 0;
    for (size_t e = 0; e < t->equations && finite; e++)
        finite = take_row(t, e, values);
    t->live += finite;
}

static void dependent_evaluate(struct table *t) {
    const struct jacobian_batch batch = {POINTS, t->x, t->y, t->values};
    completion_jacobians(t->completion, t->slots, &batch);
    for (size_t p = 0; p < POINTS; p++)
        take_point(t, t->values + p * t->program->entries);
}

/* ---- elimination ---- */

/* The harmonic mean over the points: small as soon as one of them is. */
static double mean_size(const struct table *t, size_t equation, size_t column) {
    const double *entry = entry_at(t, equation, column);
    double sum = 0;
    for (size_t p = 0; p < t->live; p++) {
        if (entry[p] == 0)
            return 0;
        sum += 1 / fabs(entry[p]);
    }
    return (double)t->live / sum;
}

struct pivot {
    size_t equation, column;
    double size;
};

/* The largest among equations that have a column already, or that have none yet. */
static struct pivot find_pivot(const struct table *t, bool exchange) {
    struct pivot best = {0, 0, 0};
    for (size_t e = 0; e < t->equations; e++) {
        if ((t->basic[e] != NO_COLUMN) != exchange)
            continue;
        for (size_t j = 0; j < t->columns; j++) {
            double size = t->taken[j] ? 0 : mean_size(t, e, j);
            if (size > best.size)
                best = (struct pivot){e, j, size};
        }
    }
    return best;
}

/* Takes the multiple of the pivot's row out of another, in every point, so that its entry in the pivot's column is 0. */
static void reduce_row(struct table *t, size_t equation, const struct pivot *pivot) {
    double factor[POINTS] = {0};
    for (size_t p = 0; p < t->live; p++)
        factor[p] = entry_at(t, equation, pivot->column)[p];
    for (size_t j = 0; j < t->columns; j++) {
        const double *from = entry_at(t, pivot->equation, j);
        double *to = entry_at(t, equation, j);
        for (size_t p = 0; p < t->live; p++)
            to[p] -= factor[p] * from[p];
    }
    for (size_t p = 0; p < t->live; p++)
        entry_at(t, equation, pivot->column)[p] = 0;
}

static void take_pivot(struct table *t, const struct pivot *pivot) {
    double inverse[POINTS];
    for (size_t p = 0; p < t->live; p++)
        inverse[p] = 1 / entry_at(t, pivot->equation, pivot->column)[p];
    for (size_t j = 0; j < t->columns; j++)
        for (size_t p = 0; p < t->live; p++)
            entry_at(t, pivot->equation, j)[p] *= inverse[p];
    for (size_t e = 0; e < t->equations; e++)
        if (e != pivot->equation)
            reduce_row(t, e, pivot);
    if (t->basic[pivot->equation] != NO_COLUMN)
        t->taken[t->basic[pivot->equation]] = false;
    t->basic[pivot->equation] = (uint32_t)pivot->column;
    t->taken[pivot->column] = true;
}

static void dependent_eliminate(struct table *t) {
    struct pivot pivot = find_pivot(t, false);
    while (pivot.size > LEAST_PIVOT) {
        take_pivot(t, &pivot);
        pivot = find_pivot(t, false);
    }
    pivot = find_pivot(t, true);
    for (size_t k = 0; k < 4 * t->equations && pivot.size > WORTH; k++) { /* ends by itself, but for rounding */
        take_pivot(t, &pivot);
        pivot = find_pivot(t, true);
    }
}

/* ---- all of it ---- */

static void dependent_lay_out(struct layout *layout, void *context) {
    struct table *t = context;
    const struct baseline_program *p = t->program;
    size_t n = t->columns, numbers = t->equations * n * POINTS;
    t->row = layout_take(layout, t->equations, sizeof *t->row);
    t->basic = layout_take(layout, t->equations, sizeof *t->basic);
    t->taken = layout_take(layout, n, sizeof *t->taken);
    t->entries = layout_take(layout, numbers, sizeof *t->entries);
    t->x = layout_take(layout, POINTS * p->inputs, sizeof *t->x);
    t->y = layout_take(layout, POINTS * n, sizeof *t->y);
    t->values = layout_take(layout, POINTS * p->entries, sizeof *t->values);
    t->reports = layout_take(layout, POINTS, sizeof *t->reports);
    t->slots = layout_take(layout, p->program->slots * p->stride, sizeof *t->slots);
    t->workspace = layout_take(layout, t->workspace_bytes, 1);
}

static hn_status make_table(struct table *t, const struct layers *layers, hn_error *error) {
    size_t workspace = hn_layer_workspace_bytes(layers->correction), other = hn_layer_workspace_bytes(layers->plain);
    size_t entries;
    t->workspace_bytes = workspace < other ? other : workspace;
    if (!size_multiply(t->equations, t->columns, &entries) || entries > MOST_ENTRIES)
        return error_set(error, HN_LIMIT, "dc3: %zu equalities in %zu outputs are too many: at most %d entries",
                         t->equations, t->columns, MOST_ENTRIES);
    t->block = layout_allocate(dependent_lay_out, t);
    return t->block ? HN_OK : error_no_memory(error, "the dependent outputs");
}

static void begin_table(struct table *t) {
    for (size_t i = 0, e = 0; i < t->program->rows; i++)
        if (t->program->equality[i]) {
            t->basic[e] = NO_COLUMN;
            t->row[e++] = (uint32_t)i;
        }
    for (size_t j = 0; j < t->columns; j++)
        t->taken[j] = false;
    for (size_t f = 0; f < t->program->fixed.count; f++)
        t->taken[t->program->fixed.entry[f]] = true;
}

static hn_status make_layers(struct layers *layers, const hn_model *model, hn_instructions instructions,
                             hn_error *error) {
    hn_layer_options settings = hn_layer_defaults();
    settings.instructions = instructions;
    hn_status status = hn_layer_create(&layers->correction, model, &settings, error);
    settings.method = HN_METHOD_PAPER;
    settings.iterations = 0;
    return status == HN_OK ? hn_layer_create(&layers->plain, model, &settings, error) : status;
}

static hn_status fill_table(struct table *t, const hn_model *model, const struct layers *layers, hn_error *error) {
    hn_status status = make_table(t, layers, error);
    if (status != HN_OK)
        return status;
    begin_table(t);
    status = make_points(t, model, layers, error);
    if (status == HN_OK)
        dependent_evaluate(t);
    if (status == HN_OK && t->live == 0)
        status = error_set(error, HN_INVALID, "dc3: the equalities cannot be evaluated at any of %d points", POINTS);
    return status;
}

static hn_status solve_table(struct table *t, const hn_model *model, hn_instructions instructions, hn_error *error) {
    struct layers layers = {NULL, NULL};
    hn_status status = make_layers(&layers, model, instructions, error);
    if (status == HN_OK)
        status = fill_table(t, model, &layers, error);
    if (status == HN_OK)
        dependent_eliminate(t);
    hn_layer_destroy(layers.plain);
    hn_layer_destroy(layers.correction);
    return status;
}

hn_status dependent_choose(const struct completion *c, const hn_model *model, hn_instructions instructions,
                           hn_error *error) {
    struct table t = {.completion = c, .program = &c->program, .columns = c->program.outputs};
    for (size_t i = 0; i < t.program->rows; i++) {
        c->solved[i] = false;
        t.equations += t.program->equality[i];
    }
    for (size_t j = 0; j < t.columns; j++)
        c->dependent[j] = false;
    if (t.equations == 0)
        return HN_OK;
    hn_status status = solve_table(&t, model, instructions, error);
    for (size_t e = 0; status == HN_OK && e < t.equations; e++)
        if (t.basic[e] != NO_COLUMN)
            c->solved[t.row[e]] = c->dependent[t.basic[e]] = true;
    base_release(t.block);
    return status;
}
