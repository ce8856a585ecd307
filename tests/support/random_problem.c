/* random_problem.c - see random_problem.h.
 *
 * A problem is built twice from the same random numbers: once with only the bodies, to learn their values at the
 * point that was drawn, and once with rows around these values.
 *
 * SPDX-License-Identifier: MIT */
#include "support/random_problem.h"

#include "base/random.h"
#include "support/model_check.h"

enum { MOST_OUTPUTS = 12, MOST_ROWS = 20, PLAIN_INPUTS = 3 };

struct builder {
    struct random_problem *out;
    struct random_problem_options options;
    struct random bodies, bounds;
    size_t rows;
    hn_expr x[PLAIN_INPUTS], zero;
    hn_expr *y, *body;
    double *unit;  /* of each output */
    double *scale; /* of each row */
    double *value; /* of each body at the point; NULL in the first pass */
};

static hn_expr pick(struct builder *b, const hn_expr *list, size_t count) {
    return list[random_below(&b->bodies, count)];
}

static hn_expr any_output(struct builder *b) {
    return pick(b, b->y, b->options.outputs);
}

static double coefficient(struct builder *b) {
    double size = random_between(&b->bodies, 0.3, 1.5);
    return random_below(&b->bodies, 2) ? size : -size;
}

static hn_expr square(hn_expr a) {
    return hn_mul(a, a);
}

/* ---- bodies ---- */

/* One draw, and one node, after the other: compilers evaluate arguments in an order of their own. */
static hn_expr scaled_output(struct builder *b) {
    double factor = coefficient(b);
    return hn_scale(factor, any_output(b));
}

static hn_expr shifted_square(struct builder *b) {
    hn_expr y = any_output(b);
    return square(hn_shift(y, coefficient(b)));
}

static hn_expr draw_affine(struct builder *b) {
    hn_expr sum = scaled_output(b);
    size_t terms = 1 + random_below(&b->bodies, 3);
    for (size_t i = 0; i < terms; i++)
        sum = hn_add(sum, scaled_output(b));
    if (random_below(&b->bodies, 3) == 0) {
        double factor = coefficient(b);
        sum = hn_add(sum, hn_scale(factor, pick(b, b->x, PLAIN_INPUTS)));
    }
    return sum;
}

static hn_expr draw_quadratic(struct builder *b) {
    hn_expr sum = shifted_square(b);
    size_t terms = 1 + random_below(&b->bodies, 2);
    for (size_t i = 0; i < terms; i++) {
        double factor = coefficient(b);
        sum = hn_add(sum, hn_scale(factor, shifted_square(b)));
    }
    return sum;
}

static hn_expr draw_curved(struct builder *b) {
    hn_expr p = any_output(b), q = any_output(b), other = any_output(b), x = pick(b, b->x, PLAIN_INPUTS), left;
    double c = coefficient(b);
    switch (random_below(&b->bodies, 6)) {
    case 0:
        left = hn_mul(p, q);
        return hn_add(left, hn_scale(c, other));
    case 1:
        return hn_add(hn_sin(hn_add(hn_scale(c, p), x)), q);
    case 2:
        return hn_sub(hn_exp(hn_scale(0.3 * c, p)), q);
    case 3:
        left = hn_div(p, hn_shift(square(q), 2));
        return hn_add(left, hn_tanh(other));
    case 4:
        left = hn_log(hn_shift(square(p), 1));
        return hn_add(left, hn_mul(x, q));
    default:
        left = square(p);
        left = hn_sqrt(hn_shift(hn_add(left, square(q)), 1));
        return hn_sub(left, hn_scale(c, other));
    }
}

static hn_expr draw_body(struct builder *b) {
    switch (random_below(&b->bodies, 7)) {
    case 0:
    case 1:
        return draw_affine(b);
    case 2:
    case 3:
        return draw_quadratic(b);
    default:
        return draw_curved(b);
    }
}

/* The same body again, a multiple of the first, a row of zeros, a constant, or an ordinary body. */
static hn_expr draw_degenerate(struct builder *b, size_t row) {
    hn_expr earlier = row > 0 ? pick(b, b->body, row) : any_output(b);
    hn_expr first = row > 0 ? b->body[0] : any_output(b);
    switch (random_below(&b->bodies, 6)) {
    case 0:
        return earlier;
    case 1:
        return hn_scale(coefficient(b), first);
    case 2:
        return hn_mul(b->zero, any_output(b));
    case 3:
        return hn_shift(hn_scale(2, earlier), 0.25);
    case 4:
        return hn_add(hn_constant(b->out->model, coefficient(b)), b->zero);
    default:
        return draw_body(b);
    }
}

static void draw_bodies(struct builder *b) {
    bool scaled = b->options.kind == PROBLEM_SCALED;
    for (size_t i = 0; i < b->rows; i++) {
        b->body[i] = b->options.kind == PROBLEM_DEGENERATE ? draw_degenerate(b, i) : draw_body(b);
        b->scale[i] = scaled ? pow(10, floor(random_between(&b->bodies, -150, 151))) : 1;
        if (scaled)
            b->body[i] = hn_scale(b->scale[i], b->body[i]);
    }
}

/* ---- leaves ---- */

static void add_leaves(struct builder *b) {
    char name[32];
    double range = b->options.kind == PROBLEM_SCALED && random_below(&b->bodies, 3) == 0 ? 150 : 3;
    for (int i = 0; i < PLAIN_INPUTS; i++) {
        snprintf(name, sizeof name, "x[%d]", i);
        b->x[i] = hn_input(b->out->model, name);
    }
    b->zero = hn_input(b->out->model, "zero");
    for (size_t j = 0; j < b->options.outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        hn_expr y = hn_output(b->out->model, name);
        bool units = b->options.kind == PROBLEM_SCALED && random_below(&b->bodies, 2);
        b->unit[j] = units ? pow(10, floor(random_between(&b->bodies, -range, range + 1))) : 1;
        b->y[j] = units ? hn_scale(1 / b->unit[j], y) : y;
    }
}

static void draw_point(struct builder *b) {
    struct random_problem *out = b->out;
    for (int i = 0; i < PLAIN_INPUTS; i++)
        out->x[i] = random_between(&b->bodies, -1, 1);
    out->x[PLAIN_INPUTS] = 0;
    double far = random_between(&b->bodies, 0.1, 1.5);
    for (size_t j = 0; j < b->options.outputs; j++) {
        double at = random_between(&b->bodies, -1.5, 1.5);
        out->solution[j] = b->unit[j] * at;
        out->raw[j] = b->unit[j] * (at + far * random_normal(&b->bodies));
    }
}

/* ---- rows ---- */

/* value + offset as a bound: a number, an input of its own, or a number plus a multiple of an input that is 0 at the
 * point. */
static hn_expr draw_bound(struct builder *b, size_t row, double value, size_t *input) {
    struct random_problem *out = b->out;
    char name[32];
    *input = SIZE_MAX;
    if (b->options.bounds_are_inputs) {
        snprintf(name, sizeof name, "bound[%zu,%zu]", row, out->inputs);
        *input = out->inputs;
        out->x[out->inputs++] = value;
        return hn_input(out->model, name);
    }
    size_t k = random_below(&b->bounds, 3 * PLAIN_INPUTS);
    if (k >= PLAIN_INPUTS || b->options.kind == PROBLEM_SCALED)
        return hn_constant(out->model, value);
    double slope = random_between(&b->bounds, -0.5, 0.5);
    return hn_shift(hn_scale(slope, b->x[k]), value - slope * out->x[k]);
}

static void add_row(struct builder *b, size_t row, size_t *equalities) {
    struct random_problem *out = b->out;
    char name[32];
    double value = b->value[row], scale = b->scale[row];
    bool room = random_below(&b->bounds, 4) > 0 || b->options.interior;
    double below = room ? scale * random_between(&b->bounds, 0.05, 1) : 0;
    double above = scale * random_between(&b->bounds, 0.05, 1);
    uint64_t form = random_below(&b->bounds, 5);
    hn_expr lower = hn_constant(out->model, -INFINITY), upper = hn_constant(out->model, INFINITY);
    if (form == 0 && *equalities >= (b->options.outputs + 1) / 2)
        form = 1;
    out->lower_input[row] = out->upper_input[row] = SIZE_MAX;
    snprintf(name, sizeof name, "row[%zu]", row);
    if (form == 0) {
        lower = upper = draw_bound(b, row, value, &out->upper_input[row]);
        *equalities += 1;
    }
    if (form == 1 || form == 2 || form == 4)
        lower = draw_bound(b, row, value - below, &out->lower_input[row]);
    if (form == 1 || form == 3 || form == 4)
        upper = draw_bound(b, row, value + above, &out->upper_input[row]);
    hn_constrain_between(out->model, name, lower, b->body[row], upper);
}

static void add_output_bounds(struct builder *b) {
    for (size_t j = 0; j < b->options.outputs; j++) {
        double at = b->out->solution[j];
        double below = random_between(&b->bounds, 0.1, 1), above = random_between(&b->bounds, 0.1, 1);
        size_t unused;
        if (b->unit[j] != 1 || random_below(&b->bounds, 3)) /* in other units the leaf is out of sight */
            continue;
        hn_expr lower = draw_bound(b, 0, at - below, &unused);
        hn_output_between(b->y[j], lower, draw_bound(b, 0, at + above, &unused));
    }
}

static hn_expr ball(struct builder *b, double centre) {
    hn_expr sum = hn_constant(b->out->model, 0);
    for (size_t j = 0; j < b->options.outputs; j++)
        sum = hn_add(sum, square(hn_shift(b->y[j], j == 0 ? -centre : 0)));
    return sum;
}

/* Rows that no y meets. */
static void add_contradiction(struct builder *b) {
    hn_model *m = b->out->model;
    hn_expr y = b->y[0], line = hn_add(y, hn_scale(0.5, b->y[b->options.outputs - 1]));
    switch (random_below(&b->bounds, 5)) {
    case 0:
        hn_constrain(m, "never[1]", -INFINITY, line, 0.5);
        hn_constrain(m, "never[2]", 1.5, line, INFINITY);
        break;
    case 1:
        hn_constrain(m, "never[1]", -INFINITY, ball(b, -2), 1);
        hn_constrain(m, "never[2]", -INFINITY, ball(b, 2), 1);
        break;
    case 2:
        hn_constrain(m, "never[1]", -INFINITY, square(y), -1);
        break;
    case 3:
        hn_constrain(m, "never[1]", -INFINITY, hn_exp(y), -0.5);
        break;
    default:
        hn_constrain(m, "never[1]", 2, hn_sin(y), 2);
    }
}

/* The sum of (y_j - t_j)^2 / 2 + sin(2 y_j + x_1) + y_j y_(j + 1) / 4, in the units of the outputs. */
static void add_objective(struct builder *b) {
    size_t n = b->options.outputs;
    hn_model *m = b->out->model;
    hn_expr sum = hn_constant(m, 0);
    for (size_t j = 0; j < n; j++) {
        hn_expr y = b->y[j], next = b->y[(j + 1) % n];
        hn_expr away = hn_shift(y, -random_between(&b->bounds, -2, 2));
        hn_expr beside = hn_scale(0.25, hn_mul(y, next));
        sum = hn_add(sum, hn_add(hn_scale(0.5, square(away)), beside));
        sum = hn_add(sum, hn_sin(hn_add(hn_scale(2, y), b->x[0])));
    }
    hn_minimize(m, "objective", sum);
}

/* ---- all of it ---- */

static void begin(struct builder *b, uint64_t seed, uint64_t stream) {
    b->bodies = random_start(seed, 2 * stream);
    b->bounds = random_start(seed, 2 * stream + 1);
    b->out->model = model_new();
    b->out->inputs = PLAIN_INPUTS + 1;
    b->options.outputs = b->options.outputs ? b->options.outputs : 1 + random_below(&b->bodies, MOST_OUTPUTS);
    b->rows = b->options.rows ? b->options.rows : 1 + random_below(&b->bodies, MOST_ROWS);
}

static void make_room(struct builder *b) {
    struct random_problem *out = b->out;
    size_t n = b->options.outputs, m = b->rows;
    out->x = calloc(PLAIN_INPUTS + 1 + 2 * m, sizeof *out->x);
    out->solution = calloc(n, sizeof *out->solution);
    out->raw = calloc(n, sizeof *out->raw);
    out->lower_input = calloc(m, sizeof *out->lower_input);
    out->upper_input = calloc(m, sizeof *out->upper_input);
    b->y = calloc(n, sizeof *b->y);
    b->unit = calloc(n, sizeof *b->unit);
    b->body = calloc(m, sizeof *b->body);
    b->scale = calloc(m, sizeof *b->scale);
    b->value = calloc(m, sizeof *b->value);
}

static void learn_values(struct builder *b) {
    add_leaves(b);
    draw_point(b);
    draw_bodies(b);
    model_finish_good(b->out->model);
    hn_status status = hn_model_evaluate(b->out->model, b->rows, b->body, b->out->x, b->out->solution, b->value, NULL);
    assert_int_equal(status, HN_OK);
    hn_model_destroy(b->out->model);
}

static void add_rows(struct builder *b) {
    size_t equalities = 0;
    for (size_t i = 0; i < b->rows; i++)
        add_row(b, i, &equalities);
    if (!b->options.bounds_are_inputs)
        add_output_bounds(b);
    if (b->options.kind == PROBLEM_INFEASIBLE)
        add_contradiction(b);
    if (b->options.objective)
        add_objective(b);
}

void random_problem_create(struct random_problem *out, struct random_problem_options options, uint64_t seed,
                           uint64_t stream) {
    struct builder b = {.out = out, .options = options};
    *out = (struct random_problem){.model = NULL};
    begin(&b, seed, stream);
    make_room(&b);
    learn_values(&b);
    b.options = options;
    begin(&b, seed, stream);
    add_leaves(&b);
    draw_point(&b);
    draw_bodies(&b);
    add_rows(&b);
    model_finish_good(out->model);
    out->inputs = hn_model_input_count(out->model);
    out->outputs = hn_model_output_count(out->model);
    out->rows = hn_model_row_count(out->model);
    free(b.y);
    free(b.unit);
    free(b.body);
    free(b.scale);
    free(b.value);
}

void random_problem_release(struct random_problem *problem) {
    hn_model_destroy(problem->model);
    free(problem->x);
    free(problem->solution);
    free(problem->raw);
    free(problem->lower_input);
    free(problem->upper_input);
    *problem = (struct random_problem){.model = NULL};
}

/* ---- the judge ---- */

static double row_violation(const double *values, bool relative) {
    double lower = values[0], c = values[1], upper = values[2];
    double r = c <= upper ? 0 : c - upper, bound = upper;
    if (!(lower <= c) && !(r > 0)) {
        r = lower - c;
        bound = lower;
    }
    if (!(r >= 0 && isfinite(c)) || isnan(lower) || isnan(upper))
        return INFINITY;
    return relative ? r / fmax(1, fabs(bound)) : r;
}

/* Lower bound, body and upper bound of every row; the caller frees them. */
static double *row_values(const hn_model *model, const double *x, const double *y) {
    size_t rows = hn_model_row_count(model);
    hn_expr *exprs = calloc(3 * rows + 1, sizeof *exprs);
    double *values = calloc(3 * rows + 1, sizeof *values);
    for (size_t i = 0; i < rows; i++) {
        hn_row_info info = hn_model_row(model, i);
        exprs[3 * i] = info.lower;
        exprs[3 * i + 1] = info.body;
        exprs[3 * i + 2] = info.upper;
    }
    assert_int_equal(hn_model_evaluate(model, 3 * rows, exprs, x, y, values, NULL), HN_OK);
    free(exprs);
    return values;
}

double judged_violation(const hn_model *model, const double *x, const double *y, bool relative, size_t *row) {
    size_t rows = hn_model_row_count(model);
    double *values = row_values(model, x, y), worst = 0;
    if (row)
        *row = SIZE_MAX;
    for (size_t i = 0; i < rows; i++) {
        double own = row_violation(values + 3 * i, relative);
        if (own > worst) {
            worst = own;
            if (row)
                *row = i;
        }
    }
    free(values);
    return worst;
}

void judged_residual(const hn_model *model, const double *x, const double *y, double *r) {
    size_t rows = hn_model_row_count(model);
    double *values = row_values(model, x, y);
    for (size_t i = 0; i < rows; i++) {
        double lower = values[3 * i], c = values[3 * i + 1], upper = values[3 * i + 2];
        r[i] = !(c <= upper) ? c - upper : !(lower <= c) ? c - lower : 0;
    }
    free(values);
}
