/* check_products.c - checks second derivatives against finite differences of first ones. See check_parts.h and
 * richardson.h.
 *
 * With random multipliers v and a random direction t, (sum_i v_i Hess f_i) t is the derivative of g(y) = sum_i v_i grad
 * f_i along t. The product is computed in both ways that the library offers: without the Hessian, and from its lower
 * triangle.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/random.h"
#include "check/point_table.h"
#include "check/richardson.h"

#include <math.h>
#include <string.h>

static const double FLOOR = 1e-3; /* same as in check_differences.c */

/* One of the two ways. */
struct hessian_product {
    hn_check_derivative derivative;
    double *value;            /* columns */
    struct verdict *verdicts; /* columns */
};

struct product_check {
    struct check *check;
    struct board first;
    void *workspace;
    double *entries;                /* of the Hessian's lower triangle */
    double *v, *t;                  /* functions, columns */
    double *moved;                  /* columns */
    double *samples;                /* columns x CHECK_MOST: g at the moved points */
    double *centre, *size;          /* columns: g at the point; sum of |v_i J_ij| */
    struct hessian_product ways[2]; /* without the Hessian, and with it */
    int count;                      /* 1 if the Hessian was omitted */
};

static bool create_products(struct product_check *p, struct check *check) {
    size_t n = check->columns;
    *p = (struct product_check){.check = check, .count = check->found.hessian_left_out ? 1 : 2};
    p->v = check_take(check, check->functions, sizeof *p->v);
    p->t = check_take(check, n, sizeof *p->t);
    p->moved = check_take(check, n, sizeof *p->moved);
    p->samples = check_take(check, n * CHECK_MOST, sizeof *p->samples);
    p->centre = check_take(check, n, sizeof *p->centre);
    p->size = check_take(check, n, sizeof *p->size);
    p->entries = check_take(check, check->hessian.count, sizeof *p->entries);
    for (int way = 0; way < 2; way++) {
        p->ways[way].derivative = way == 0 ? HN_CHECK_HESSIAN_PRODUCT : HN_CHECK_HESSIAN;
        p->ways[way].value = check_take(check, n, sizeof *p->ways[way].value);
        p->ways[way].verdicts = check_take(check, n, sizeof *p->ways[way].verdicts);
    }
    p->workspace = base_allocate(hn_evaluator_workspace_bytes(check->evaluator));
    if (!p->workspace)
        check_starve(check);
    return check->status == HN_OK && board_create(&p->first, check, 1u << BOARD_BY_Y);
}

/* v_i is scaled by the largest entry of its row, so that no row dominates. */
static void choose_directions(struct product_check *p, size_t point) {
    struct check *check = p->check;
    struct random random = random_start(check->options.seed, (size_t)2 * CHECK_MOST + point);
    const double *jacobian = check->first + point * check->by_y.count, *y = check->found.y + point * check->columns;
    for (size_t i = 0; i < check->functions; i++) {
        double largest = 1;
        for (size_t e = check->by_y.first[i]; e < check->by_y.first[i + 1]; e++)
            largest = fabs(jacobian[e]) > largest ? fabs(jacobian[e]) : largest;
        p->v[i] = random_between(&random, -1, 1) / (isfinite(largest) ? largest : 1);
    }
    for (size_t j = 0; j < check->columns; j++)
        p->t[j] = random_between(&random, -1, 1) * fmax(1, fabs(y[j]));
}

/* ---- the products ---- */

static void evaluate_at_point(struct product_check *p, size_t point, hn_quantity quantity, double *values) {
    const struct check *check = p->check;
    hn_evaluation evaluation = {.size = sizeof(hn_evaluation),
                                .count = 1,
                                .x = check->found.x + point * check->inputs,
                                .y = check->found.y + point * check->columns,
                                .sigma = check->functions > check->rows ? p->v + check->rows : NULL,
                                .lambda = p->v,
                                .v_y = p->t};
    evaluation.values[quantity] = values;
    evaluator_run(check->evaluator, &evaluation, 0, 1, p->workspace);
}

/* product = H t, from the lower triangle */
static void multiply(const struct product_check *p, double *product) {
    const hn_pattern *h = &p->check->hessian;
    memset(product, 0, p->check->columns * sizeof *product);
    for (size_t i = 0; i < h->rows; i++)
        for (size_t e = h->first[i]; e < h->first[i + 1]; e++) {
            product[i] += p->entries[e] * p->t[h->column[e]];
            if (h->column[e] != i) /* the upper triangle */
                product[h->column[e]] += p->entries[e] * p->t[i];
        }
}

static void compute_products(struct product_check *p, size_t point) {
    evaluate_at_point(p, point, HN_QUANTITY_HESSIAN_YY_V, p->ways[0].value);
    if (p->count == 1)
        return;
    evaluate_at_point(p, point, HN_QUANTITY_HESSIAN_YY, p->entries);
    multiply(p, p->ways[1].value);
}

/* ---- differences of g ---- */

/* g and the sum of the absolute values of its terms, at the point. */
static void centre(struct product_check *p, size_t point) {
    const struct check *check = p->check;
    const double *jacobian = check->first + point * check->by_y.count;
    memset(p->centre, 0, check->columns * sizeof *p->centre);
    memset(p->size, 0, check->columns * sizeof *p->size);
    for (size_t i = 0; i < check->functions; i++)
        for (size_t e = check->by_y.first[i]; e < check->by_y.first[i + 1]; e++) {
            p->centre[check->by_y.column[e]] += p->v[i] * jacobian[e];
            p->size[check->by_y.column[e]] += fabs(p->v[i] * jacobian[e]);
        }
}

static void run_moved(struct product_check *p, size_t point, int pass) {
    const struct check *check = p->check;
    const double *x = check->found.x + point * check->inputs, *y = check->found.y + point * check->columns;
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        double step = judge_step(pass, sample / 2) * (sample % 2 == 0 ? 1 : -1);
        for (size_t j = 0; j < check->columns; j++)
            p->moved[j] = y[j] + step * p->t[j];
        board_place(&p->first, sample, x, p->moved);
    }
    board_run(&p->first);
    memset(p->samples, 0, check->columns * CHECK_MOST * sizeof *p->samples);
    for (size_t i = 0; i < check->functions; i++)
        for (size_t e = check->by_y.first[i]; e < check->by_y.first[i + 1]; e++) {
            const double *entry = board_at(&p->first, BOARD_BY_Y, e);
            double *g = p->samples + (size_t)check->by_y.column[e] * CHECK_MOST;
            for (size_t sample = 0; sample < CHECK_MOST; sample++)
                g[sample] += p->v[i] * entry[sample];
        }
}

static double largest_of(const double *values, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = isfinite(values[i]) && fabs(values[i]) > largest ? fabs(values[i]) : largest;
    return largest;
}

/* Compares all entries of one product; true if another pass may help. */
static bool judge_product(const struct product_check *p, const struct hessian_product *product, int pass) {
    size_t n = p->check->columns;
    double largest = largest_of(product->value, n);
    bool doubts = false;
    for (size_t j = 0; j < n; j++) {
        struct verdict *verdict = &product->verdicts[j];
        double value = product->value[j], derivative[STEPS];
        if (pass == 0)
            *verdict = (struct verdict){.error = INFINITY};
        if (!isfinite(value) || !isfinite(p->centre[j]) || !judge_doubts(verdict))
            continue;
        for (size_t s = 0; s < STEPS; s++)
            derivative[s] = value;
        double floor = FLOOR * fmax(largest, p->size[j]);
        judge(verdict, pass, p->samples + j * CHECK_MOST, derivative, p->centre[j], floor);
        doubts |= judge_doubts(verdict);
    }
    return doubts;
}

static void record(const struct product_check *p, const struct hessian_product *product, size_t point) {
    for (size_t j = 0; j < p->check->columns; j++) {
        hn_check_difference at = {.point = point, .column = j, .together = 1, .derivative = product->value[j]};
        judge_record(&p->check->found.difference[product->derivative], &product->verdicts[j], at);
    }
}

static void check_point(struct product_check *p, size_t point) {
    bool doubts = true;
    choose_directions(p, point);
    compute_products(p, point);
    centre(p, point);
    for (int pass = 0; pass < PASSES && doubts; pass++) {
        run_moved(p, point, pass);
        doubts = false;
        for (int way = 0; way < p->count; way++)
            doubts |= judge_product(p, &p->ways[way], pass);
    }
    for (int way = 0; way < p->count; way++)
        record(p, &p->ways[way], point);
}

void check_products(struct check *check) {
    struct product_check p;
    if (create_products(&p, check))
        for (size_t point = 0; point < check->points; point++)
            check_point(&p, point);
    board_release(&p.first);
    base_release(p.workspace);
}
