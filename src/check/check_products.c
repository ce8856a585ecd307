/* check_products.c - checks second derivatives against finite differences of first ones. See check_parts.h and
 * richardson.h.
 *
 * With random multipliers v and a random direction t, (sum_i v_i Hess f_i) t is the derivative of g(y) = sum_i v_i grad
 * f_i along t. The product is computed in both ways that the library offers: without the Hessian, and from its lower
 * triangle.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "check/point_table.h"
#include "check/richardson.h"

#include <math.h>
#include <string.h>

static const double FLOOR = 1e-3; /* as in check_differences.c */

struct product_check {
    struct check *check;
    struct board first;
    void *workspace;
    double *formed_entries; /* of the Hessian's lower triangle */
    double *v, *t;          /* functions, columns */
    double *moved;          /* columns */
    double *samples;        /* columns x CHECK_MOST: g at the moved points */
    double *centre, *size;  /* columns: g at the point; sum of |v_i J_ij| */
    double *exact, *formed; /* columns: the product, and the one from the Hessian */
};

static hn_status check_products_create(struct product_check *p, struct check *check, hn_error *error) {
    double **lists[] = {&p->t, &p->moved, &p->centre, &p->size, &p->exact, &p->formed};
    *p = (struct product_check){.check = check};
    p->v = arena_take(&check->arena, check->functions + 1, sizeof *p->v);
    p->samples = arena_take(&check->arena, check->columns + 1, CHECK_MOST * sizeof *p->samples);
    bool placed = p->v && p->samples;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = arena_take(&check->arena, check->columns + 1, sizeof **lists[i]);
        placed = placed && *lists[i];
    }
    p->formed_entries = arena_take(&check->arena, check->hessian.count + 1, sizeof *p->formed_entries);
    p->workspace = base_allocate(hn_evaluator_workspace_bytes(check->evaluator));
    if (!placed || !p->formed_entries || !p->workspace)
        return error_no_memory(error, "check");
    return board_create(&p->first, check, BOARD_BY_Y, error);
}

static void check_products_release(struct product_check *p) {
    board_release(&p->first);
    base_release(p->workspace);
}

/* v_i is scaled by the largest entry of its row, so that no row dominates. */
static void choose_directions(struct product_check *p, size_t point) {
    struct check *check = p->check;
    struct random random = random_start(check->options.seed, (size_t)2 * CHECK_MOST + point);
    const double *jacobian = check->first + point * check->by_y.count, *y = check->y + point * check->columns;
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

static hn_evaluation evaluation_at(const struct product_check *p, size_t point) {
    const struct check *check = p->check;
    return (hn_evaluation){.size = sizeof(hn_evaluation),
                           .count = 1,
                           .x = check->x + point * check->inputs,
                           .y = check->y + point * check->columns,
                           .sigma = check->functions > check->rows ? p->v + check->rows : NULL,
                           .lambda = p->v,
                           .v_y = p->t};
}

static void multiply(struct product_check *p, size_t point) {
    hn_evaluation evaluation = evaluation_at(p, point);
    evaluation.values[HN_QUANTITY_HESSIAN_YY_V] = p->exact;
    evaluator_run(p->check->evaluator, &evaluation, 0, 1, p->workspace);
}

static void multiply_formed(struct product_check *p, size_t point) {
    const struct check *check = p->check;
    const hn_pattern *h = &check->hessian;
    hn_evaluation evaluation = evaluation_at(p, point);
    evaluation.values[HN_QUANTITY_HESSIAN_YY] = p->formed_entries;
    evaluator_run(check->evaluator, &evaluation, 0, 1, p->workspace);
    memset(p->formed, 0, check->columns * sizeof *p->formed);
    for (size_t i = 0; i < h->rows; i++)
        for (size_t e = h->first[i]; e < h->first[i + 1]; e++) {
            double value = p->formed_entries[e];
            p->formed[i] += value * p->t[h->column[e]];
            if (h->column[e] != i) /* the upper triangle */
                p->formed[h->column[e]] += value * p->t[i];
        }
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
    const double *y = check->y + point * check->columns;
    for (size_t sample = 0; sample < CHECK_MOST; sample++) {
        double step = judge_step(pass, sample / 2) * (sample % 2 == 0 ? 1 : -1);
        for (size_t j = 0; j < check->columns; j++)
            p->moved[j] = y[j] + step * p->t[j];
        board_place(&p->first, sample, check->x + point * check->inputs, p->moved);
    }
    board_run(&p->first);
    memset(p->samples, 0, check->columns * CHECK_MOST * sizeof *p->samples);
    for (size_t i = 0; i < check->functions; i++)
        for (size_t e = check->by_y.first[i]; e < check->by_y.first[i + 1]; e++) {
            const double *entry = board_by_y(&p->first, e);
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
static bool judge_product(const struct product_check *p, const double *product, int pass, struct verdict *verdicts) {
    size_t n = p->check->columns;
    double largest = largest_of(product, n);
    bool doubts = false;
    for (size_t j = 0; j < n; j++) {
        double derivative[STEPS];
        if (pass == 0)
            verdicts[j] = (struct verdict){.error = INFINITY};
        if (!isfinite(product[j]) || !isfinite(p->centre[j]) || !judge_doubts(&verdicts[j]))
            continue;
        for (size_t s = 0; s < STEPS; s++)
            derivative[s] = product[j];
        double floor = FLOOR * fmax(largest, p->size[j]);
        judge(&verdicts[j], pass, p->samples + j * CHECK_MOST, derivative, p->centre[j], floor);
        doubts |= judge_doubts(&verdicts[j]);
    }
    return doubts;
}

static void record(const struct product_check *p, const double *product, const struct verdict *verdicts, size_t point,
                   hn_check_difference *found) {
    for (size_t j = 0; j < p->check->columns; j++) {
        hn_check_difference at = {.point = point, .column = j, .together = 1, .derivative = product[j]};
        judge_record(found, &verdicts[j], at);
    }
}

hn_status check_products(struct check *check, hn_error *error) {
    struct product_check p;
    struct verdict *exact = arena_take(&check->arena, check->columns + 1, sizeof *exact);
    struct verdict *formed = arena_take(&check->arena, check->columns + 1, sizeof *formed);
    hn_status status = check_products_create(&p, check, error);
    if (status == HN_OK && (!exact || !formed))
        status = error_no_memory(error, "check");
    for (size_t point = 0; point < check->points && status == HN_OK; point++) {
        bool doubts = true;
        choose_directions(&p, point);
        multiply(&p, point);
        if (!check->info.hessian_left_out)
            multiply_formed(&p, point);
        centre(&p, point);
        for (int pass = 0; pass < PASSES && doubts; pass++) {
            run_moved(&p, point, pass);
            doubts = judge_product(&p, p.exact, pass, exact);
            if (!check->info.hessian_left_out)
                doubts |= judge_product(&p, p.formed, pass, formed);
        }
        record(&p, p.exact, exact, point, &check->product_check);
        if (!check->info.hessian_left_out)
            record(&p, p.formed, formed, point, &check->hessian_check);
    }
    check_products_release(&p);
    return status;
}
