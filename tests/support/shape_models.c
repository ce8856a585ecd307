/* shape_models.c - see shape_models.h.
 *
 * SPDX-License-Identifier: MIT */
#include "shape_models.h"

#include "base/random.h"
#include "model_check.h"

enum { INPUTS = 2 };

struct shape {
    hn_model *model;
    size_t outputs;
    hn_expr x[INPUTS], *y;
    struct random random;
};

static struct shape shape_begin(size_t outputs, uint64_t seed) {
    struct shape s = {.model = model_new(), .outputs = outputs, .random = random_start(seed, 0)};
    char name[32];
    for (int i = 0; i < INPUTS; i++) {
        snprintf(name, sizeof name, "x[%d]", i);
        s.x[i] = hn_input(s.model, name);
    }
    s.y = calloc(outputs, sizeof *s.y);
    for (size_t j = 0; j < outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        s.y[j] = hn_output(s.model, name);
    }
    return s;
}

static hn_model *shape_end(struct shape *s) {
    free(s->y);
    model_finish_good(s->model);
    return s->model;
}

static void add_row(struct shape *s, size_t i, hn_expr body, bool equality) {
    char name[32];
    snprintf(name, sizeof name, "row[%zu]", i);
    double at = random_between(&s->random, -1, 1);
    hn_expr lower = hn_shift(hn_scale(0.5, s->x[i % INPUTS]), at);
    hn_constrain_between(s->model, name, lower, body, equality ? lower : hn_shift(lower, 0.25));
}

/* a sin(y + b x) or a y: half of each */
static hn_expr term(struct shape *s, size_t j) {
    double a = random_between(&s->random, 0.3, 1.2);
    if (random_below(&s->random, 2))
        return hn_scale(a, s->y[j]);
    return hn_scale(a, hn_sin(hn_add(s->y[j], s->x[j % INPUTS])));
}

static hn_expr sum_of_all(struct shape *s) {
    hn_expr sum = hn_constant(s->model, 0);
    for (size_t j = 0; j < s->outputs; j++)
        sum = hn_add(sum, random_below(&s->random, 2) ? term(s, j) : hn_neg(term(s, j)));
    return hn_scale(1 / sqrt((double)s->outputs), sum);
}

hn_model *dense_model(size_t rows, size_t outputs, uint64_t seed) {
    struct shape s = shape_begin(outputs, seed);
    for (size_t i = 0; i < rows; i++)
        add_row(&s, i, sum_of_all(&s), i % 3 == 0);
    return shape_end(&s);
}

hn_model *mixed_model(size_t rows, size_t outputs, size_t every, uint64_t seed) {
    struct shape s = shape_begin(outputs, seed);
    for (size_t i = 0; i < rows; i++) {
        hn_expr sum = sum_of_all(&s);
        for (size_t j = 0; i % every == 0 && j < outputs; j++)
            sum = hn_add(j == 0 ? hn_constant(s.model, 0) : sum, hn_scale(random_normal(&s.random), s.y[j]));
        add_row(&s, i, sum, i % 3 == 0);
    }
    return shape_end(&s);
}

hn_model *affine_model(struct affine_shape shape, uint64_t seed) {
    struct shape s = shape_begin(shape.outputs, seed);
    hn_expr *terms = calloc(shape.outputs, sizeof *terms);
    double size = 1 / sqrt((double)shape.outputs);
    for (size_t j = 0; j < shape.bounded; j++)
        hn_output_bounds(s.y[j], -1, 1);
    for (size_t i = 0; i < shape.rows; i++) {
        size = i % 5 == 0 ? 3 * size : size; /* rows of several weights */
        for (size_t j = 0; j < shape.outputs; j++)
            terms[j] = hn_scale(size * random_normal(&s.random), s.y[j]);
        hn_expr sum = hn_sum(s.model, shape.outputs, terms);
        bool curved = i % (shape.rows / (shape.curved + 1)) == 1;
        add_row(&s, i, curved && shape.curved > 0 ? hn_add(sum, sum_of_all(&s)) : sum, i % 2 == 0);
        size = i % 5 == 0 ? size / 3 : size;
    }
    free(terms);
    return shape_end(&s);
}

/* Blocks of rows that share a few outputs, each row with an output of its own: J J' is full in a block, 0 outside. */
hn_model *block_model(size_t blocks, size_t length, size_t shared, uint64_t seed) {
    struct shape s = shape_begin(blocks * (length + shared), seed);
    for (size_t b = 0; b < blocks; b++)
        for (size_t i = 0; i < length; i++) {
            size_t first = b * (length + shared);
            hn_expr sum = hn_scale(2, s.y[first + shared + i]);
            for (size_t j = 0; j < shared; j++)
                sum = hn_add(sum, hn_scale(0.3, term(&s, first + j)));
            add_row(&s, b * length + i, sum, true);
        }
    return shape_end(&s);
}

hn_model *one_row_model(size_t outputs, uint64_t seed) {
    struct shape s = shape_begin(outputs, seed);
    add_row(&s, 0, sum_of_all(&s), true);
    return shape_end(&s);
}

hn_model *one_column_model(size_t rows, uint64_t seed) {
    struct shape s = shape_begin(rows + 1, seed);
    for (size_t i = 0; i < rows; i++) {
        hn_expr own =
            term(&s, i + 1); /* one node after the other: compilers evaluate arguments in an order of their own */
        add_row(&s, i, hn_add(hn_mul(s.y[0], s.y[i + 1]), own), i % 2 == 0);
    }
    return shape_end(&s);
}

hn_model *bordered_model(size_t length, size_t common, size_t budgets, uint64_t seed) {
    struct shape s = shape_begin(common + length + 1, seed);
    hn_expr sum = hn_constant(s.model, 0);
    for (size_t i = 0; i < length; i++) {
        hn_expr row = hn_sub(hn_scale(2, s.y[common + i]), term(&s, common + i + 1));
        for (size_t k = 0; k < common; k++)
            row = hn_add(row, hn_scale(0.3, hn_mul(s.y[k], hn_shift(hn_sin(s.y[common + i]), 2))));
        if (i % 3 != 0)
            add_row(&s, i, row, i % 3 == 1);
    }
    for (size_t k = 0; k < budgets; k++)
        add_row(&s, length + k, sum_of_all(&s), k % 2 == 0);
    for (size_t k = 0; k < common; k++)
        sum = hn_add(sum, s.y[k]);
    add_row(&s, length + budgets, sum, false);
    return shape_end(&s);
}

hn_model *undefined_model(uint64_t seed) {
    struct shape s = shape_begin(3, seed);
    hn_expr zero = hn_constant(s.model, 0), one = hn_constant(s.model, 1), four = hn_constant(s.model, 4);
    hn_expr a = hn_max(s.y[0], zero), b = hn_max(s.y[1], zero), low = hn_less(hn_sqrt(s.y[2]), one);
    add_row(&s, 0, hn_add(s.y[2], hn_div(one, hn_log(a))), false);
    add_row(&s, 1, hn_add(s.y[0], hn_min(hn_atan(hn_div(s.x[0], b)), hn_div(s.x[1], hn_mul(b, b)))), false);
    add_row(&s, 2, hn_sub(hn_if(low, s.y[1], hn_mul(s.y[0], s.y[2])), hn_exp(hn_neg(hn_div(four, a)))), true);
    return shape_end(&s);
}

hn_model *chain_model(int stages, bool grows) {
    hn_model *model = model_new();
    char name[48];
    hn_expr before = hn_input(model, "start");
    for (int k = 0; k < stages; k++) {
        snprintf(name, sizeof name, "a[%d]", k);
        hn_expr a = hn_output(model, name);
        snprintf(name, sizeof name, "b[%d]", k);
        hn_expr b = hn_output(model, name);
        snprintf(name, sizeof name, "next[%d]", k);
        hn_constrain(model, name, 0, hn_sub(a, hn_add(before, hn_scale(0.1, hn_sin(b)))), 0);
        snprintf(name, sizeof name, "ring[%d]", k);
        hn_expr square =
            hn_mul(b, b); /* one node after the other: compilers evaluate arguments in an order of their own */
        hn_constrain(model, name, 0.25, hn_add(hn_mul(a, grows ? hn_exp(a) : a), square), 4);
        before = a;
    }
    model_finish_good(model);
    return model;
}
