/* bits_random.c - random problems through the calls of hardnet/model.h only. See bits.h.
 *
 * Rows are put around the values that their bodies have at a point that was drawn, so that this point is feasible; then kinds
 * differ: a contradiction is added, rows are repeated or empty, rows have coefficients of many magnitudes, or bodies are
 * not defined everywhere. One draw after the other: compilers evaluate arguments in an order of their own. No factor
 * stands before a factor: whether a library multiplies them out is not what is compared here.
 *
 * SPDX-License-Identifier: MIT */
#include "bits.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_OUTPUTS = 10, MOST_ROWS = 14, INPUTS = 3, NAME_BYTES = 32 };
enum kind { FEASIBLE, INFEASIBLE, DEGENERATE, SCALED, UNDEFINED, KINDS };
static const char *const kinds[] = {"feasible", "infeasible", "degenerate", "scaled", "undefined"};

struct build {
    hn_model *model;
    struct dice dice;
    enum kind kind;
    size_t outputs, rows, columns; /* columns: outputs and those that are fixed */
    hn_expr x[INPUTS], y[MOST_OUTPUTS], body[MOST_ROWS];
    double point_x[INPUTS], point_y[MOST_OUTPUTS + 1], scale[MOST_ROWS];
    double size; /* of coefficients */
};

static double coefficient(struct build *b) {
    double size = b->size * bits_dice_between(&b->dice, 0.3, 1.5);
    return bits_dice_below(&b->dice, 2) ? size : -size;
}

static hn_expr any_y(struct build *b) {
    return b->y[bits_dice_below(&b->dice, b->outputs)];
}

static hn_expr any_x(struct build *b) {
    return b->x[bits_dice_below(&b->dice, INPUTS)];
}

static hn_expr square(hn_expr a) {
    return hn_mul(a, a);
}

/* ---- bodies ---- */

static hn_expr draw_affine(struct build *b) {
    size_t terms = 1 + bits_dice_below(&b->dice, 4);
    double slope = coefficient(b);
    hn_expr sum = hn_scale(slope, any_x(b));
    for (size_t i = 0; i < terms; i++) {
        double factor = coefficient(b);
        sum = hn_add(sum, hn_scale(factor, any_y(b)));
    }
    return sum;
}

static hn_expr draw_quadratic(struct build *b) {
    size_t terms = 1 + bits_dice_below(&b->dice, 3);
    hn_expr list[4];
    for (size_t i = 0; i < terms; i++) {
        double factor = coefficient(b), offset = coefficient(b);
        list[i] = hn_scale(factor, square(hn_shift(any_y(b), offset)));
    }
    return hn_sum(b->model, terms, list);
}

static hn_expr draw_curved(struct build *b) {
    hn_expr p = any_y(b), q = any_y(b), r = any_y(b), x = any_x(b), left;
    double c = coefficient(b);
    switch (bits_dice_below(&b->dice, 9)) {
    case 0:
        left = hn_mul(p, q);
        return hn_add(left, hn_scale(c, r));
    case 1:
        return hn_add(hn_sin(hn_add(hn_scale(c, p), x)), q);
    case 2:
        return hn_sub(hn_exp(hn_scale(0.3 * c, p)), q);
    case 3:
        left = hn_div(p, hn_shift(square(q), 2));
        return hn_add(left, hn_tanh(r));
    case 4:
        left = hn_log(hn_shift(square(p), 1));
        return hn_add(left, hn_mul(x, q));
    case 5:
        left = hn_abs(p);
        left = hn_add(left, hn_atan(q));
        return hn_sub(left, hn_max(r, x));
    case 6:
        left = hn_add(q, p);
        x = hn_less(p, x);
        q = hn_scale(c, q);
        return hn_if(x, left, hn_sub(q, hn_cos(r)));
    case 7:
        left = hn_pow(p, hn_constant(b->model, 3));
        return hn_add(left, hn_mul(hn_min(q, x), r));
    default:
        left = square(p);
        left = hn_sqrt(hn_shift(hn_add(left, square(q)), 1));
        return hn_sub(left, hn_scale(c, r));
    }
}

static hn_expr draw_plain(struct build *b) {
    uint64_t which = bits_dice_below(&b->dice, 7);
    return which < 2 ? draw_affine(b) : which < 4 ? draw_quadratic(b) : draw_curved(b);
}

/* Not defined, or without a derivative, in places. */
static hn_expr draw_undefined(struct build *b) {
    hn_expr p = any_y(b), q = any_y(b), x = any_x(b), left;
    double c = coefficient(b);
    switch (bits_dice_below(&b->dice, 20)) {
    case 0:
        left = hn_log(p);
        return hn_add(left, hn_scale(c, q));
    case 1:
        return hn_sub(hn_sqrt(hn_add(p, x)), q);
    case 2:
        return hn_div(q, hn_sub(p, x));
    case 3:
        return hn_add(hn_pow(p, hn_constant(b->model, 1.5)), q);
    case 4:
        left = hn_asin(p);
        return hn_add(left, hn_exp(hn_scale(40, q)));
    case 5:
        left = hn_pow(p, q);
        return hn_mul(left, hn_constant(b->model, c));
    case 6:
        left = hn_acosh(hn_add(p, hn_constant(b->model, 1)));
        return hn_add(left, hn_atanh(q));
    default:
        return draw_plain(b);
    }
}

static hn_expr draw_degenerate(struct build *b, size_t row) {
    hn_expr earlier = row > 0 ? b->body[bits_dice_below(&b->dice, row)] : any_y(b);
    switch (bits_dice_below(&b->dice, 5)) {
    case 0:
        return earlier;
    case 1:
        return hn_sub(earlier, any_x(b));
    case 2:
        return hn_mul(hn_sub(b->x[0], b->x[0]), any_y(b));
    case 3:
        return hn_add(earlier, draw_affine(b));
    default:
        return draw_plain(b);
    }
}

static void draw_bodies(struct build *b) {
    for (size_t i = 0; i < b->rows; i++) {
        b->size = b->scale[i] = b->kind == SCALED ? ldexp(1.25, (int)bits_dice_below(&b->dice, 400) - 200) : 1;
        b->body[i] = b->kind == DEGENERATE  ? draw_degenerate(b, i)
                     : b->kind == UNDEFINED ? draw_undefined(b)
                                            : draw_plain(b);
    }
}

/* ---- leaves ---- */

static void add_leaves(struct build *b) {
    char name[NAME_BYTES];
    for (int i = 0; i < INPUTS; i++) {
        snprintf(name, sizeof name, "x[%d]", i);
        b->x[i] = hn_input(b->model, name);
        hn_input_range(b->x[i], -1, 1);
        b->point_x[i] = bits_dice_between(&b->dice, -1, 1);
    }
    for (size_t j = 0; j < b->outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        b->y[j] = hn_output(b->model, name);
        hn_output_start(b->y[j], hn_scale(0.25 * (double)(j % 3), b->x[j % INPUTS]));
        b->point_y[j] = bits_dice_between(&b->dice, -1.5, 1.5);
    }
    b->columns = b->outputs;
    if (bits_dice_below(&b->dice, 6) == 0) {
        hn_expr fixed = hn_output(b->model, "fixed");
        hn_output_fix(fixed, hn_scale(2, b->x[0]));
        b->point_y[b->columns++] = 2 * b->point_x[0];
        b->y[b->outputs - 1] = hn_add(b->y[b->outputs - 1], fixed);
    }
}

/* ---- rows ---- */

static hn_expr draw_bound(struct build *b, double value) {
    size_t k = bits_dice_below(&b->dice, 3 * INPUTS);
    double slope = bits_dice_between(&b->dice, -0.5, 0.5);
    if (k >= INPUTS || b->kind == SCALED || !isfinite(value))
        return hn_constant(b->model, isfinite(value) ? value : 0);
    return hn_shift(hn_scale(slope, b->x[k]), value - slope * b->point_x[k]);
}

static void add_row(struct build *b, size_t row, double value) {
    char name[NAME_BYTES];
    bool room = bits_dice_below(&b->dice, 4) > 0;
    double below = bits_dice_between(&b->dice, 0.05, 1) * b->scale[row] * room;
    double above = bits_dice_between(&b->dice, 0.05, 1) * b->scale[row];
    hn_expr lower = draw_bound(b, value - below), upper = draw_bound(b, value + above);
    uint64_t form = bits_dice_below(&b->dice, 6);
    if (form == 0 && row <= b->outputs / 2)
        upper = lower = draw_bound(b, value);
    else if (form == 1 || form == 2)
        lower = hn_constant(b->model, -INFINITY);
    else if (form == 3 || form == 4)
        upper = hn_constant(b->model, INFINITY);
    snprintf(name, sizeof name, "row[%zu]", row);
    hn_constrain_between(b->model, name, lower, b->body[row], upper);
}

static void add_output_bounds(struct build *b) {
    for (size_t j = 0; j + 1 < b->outputs; j++) {
        double below = bits_dice_between(&b->dice, 0.1, 1), above = bits_dice_between(&b->dice, 0.1, 1);
        if (bits_dice_below(&b->dice, 3))
            continue;
        hn_expr lower = draw_bound(b, b->point_y[j] - below);
        hn_output_between(b->y[j], lower, draw_bound(b, b->point_y[j] + above));
    }
}

static void add_contradiction(struct build *b) {
    hn_expr y = b->y[0], line = hn_add(y, hn_scale(0.5, b->y[b->outputs - 1]));
    switch (bits_dice_below(&b->dice, 4)) {
    case 0:
        hn_constrain(b->model, "never[1]", -INFINITY, line, 0.5);
        hn_constrain(b->model, "never[2]", 1.5, line, INFINITY);
        break;
    case 1:
        hn_constrain(b->model, "never[1]", -INFINITY, square(y), -1);
        break;
    case 2:
        hn_constrain(b->model, "never[1]", -INFINITY, hn_exp(y), -0.5);
        break;
    default:
        hn_constrain(b->model, "never[1]", 2, hn_sin(y), 2);
    }
}

/* ---- all of it ---- */

static void begin(struct build *b, uint64_t seed, uint64_t number) {
    hn_error error;
    *b = (struct build){.dice = bits_dice_start(seed, number + 1), .kind = (enum kind)(number % KINDS)};
    if (hn_model_create(&b->model, NULL, &error) != HN_OK)
        exit(2);
    b->outputs = 1 + bits_dice_below(&b->dice, MOST_OUTPUTS - 1);
    b->rows = 1 + bits_dice_below(&b->dice, MOST_ROWS);
    add_leaves(b);
    draw_bodies(b);
}

static void finish(struct build *b) {
    hn_error error;
    if (hn_model_finish(b->model, &error) != HN_OK) {
        fprintf(stderr, "bits: a random model: %s\n", error.text);
        exit(2);
    }
}

/* The same draws twice: a finished model tells the values of the bodies at the point, a second one gets rows around them. */
void bits_random_problem_make(struct problem *problem, char *name, size_t name_bytes, uint64_t seed, uint64_t number) {
    struct build b;
    double values[MOST_ROWS] = {0};
    begin(&b, seed, number);
    finish(&b);
    hn_model_evaluate(b.model, b.rows, b.body, b.point_x, b.point_y, values, NULL);
    hn_model_destroy(b.model);
    begin(&b, seed, number);
    for (size_t i = 0; i < b.rows; i++)
        add_row(&b, i, values[i]);
    add_output_bounds(&b);
    if (b.kind == INFEASIBLE)
        add_contradiction(&b);
    finish(&b);
    snprintf(name, name_bytes, "random-%04u-%s", (unsigned)number, kinds[b.kind]);
    bits_problem_begin(problem, name, b.model, 2 + (number / KINDS) % 9);
    problem->turn = (unsigned)number;
    bits_problem_draw(problem, &b.dice);
    for (size_t k = 0; k < problem->count; k += 2) /* every other sample at the point, where there is a solution */
        memcpy(problem->x + k * INPUTS, b.point_x, sizeof b.point_x);
}
