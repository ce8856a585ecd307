/* check_products.c - second derivatives against differences of first ones. See check.h and judge.h.
 *
 * With multipliers v and a direction t, both random, (sum_i v_i Hess f_i) t is the derivative of g(y) = sum_i v_i grad f_i along t.
 * The product is computed in both ways that the library has: without the Hessian, and from its lower triangle.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/random.h"
#include "check/check.h"
#include "check/judge.h"
#include "check/runner.h"

#include <math.h>
#include <string.h>

static const double FLOOR = 1e-3; /* as in check_differences.c */

struct product_check {
    struct check *check;
    struct runner first, second, hessian;
    double *v, *t;          /* functions, columns */
    double *moved;          /* columns */
    double *lanes;          /* columns x LANES: g at the moved points */
    double *centre, *size;  /* columns: g at the point; sum of |v_i J_ij| */
    double *exact, *formed; /* columns: the product, and the one from the Hessian */
};

static hn_status create(struct product_check *p, struct check *check, hn_error *error) {
    double **lists[] = {&p->t, &p->moved, &p->centre, &p->size, &p->exact, &p->formed};
    *p = (struct product_check){.check = check};
    p->v = arena_take(&check->arena, check->functions + 1, sizeof *p->v);
    p->lanes = arena_take(&check->arena, check->columns + 1, LANES * sizeof *p->lanes);
    bool placed = p->v && p->lanes;
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        *lists[i] = arena_take(&check->arena, check->columns + 1, sizeof **lists[i]);
        placed = placed && *lists[i];
    }
    hn_status status = placed ? runner_create(&p->first, check->first_program, error) : error_no_memory(error, "check");
    if (status == HN_OK)
        status = runner_create(&p->second, check->second_program, error);
    if (status == HN_OK && check->hessian_program)
        status = runner_create(&p->hessian, check->hessian_program, error);
    return status;
}

static void release(struct product_check *p) {
    runner_release(&p->first);
    runner_release(&p->second);
    runner_release(&p->hessian);
}

/* v_i is scaled by the largest entry of its row, so that no row drowns the others. */
static void choose_directions(struct product_check *p, size_t point) {
    struct check *check = p->check;
    struct random random = random_start(check->options->seed, (size_t)2 * LANES + point);
    const double *jacobian = check->jacobian + point * check->by_y.count, *y = check->y + point * check->columns;
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

static void multiply(struct product_check *p, size_t point) {
    struct check *check = p->check;
    runner_fill_lane(&p->second, SPACE_X, check->x + point * check->inputs, 0);
    runner_fill_lane(&p->second, SPACE_Y, check->y + point * check->columns, 0);
    runner_fill_lane(&p->second, SPACE_V, p->v, 0);
    runner_fill_lane(&p->second, SPACE_T, p->t, 0);
    runner_run(&p->second, 0);
    memset(p->exact, 0, check->columns * sizeof *p->exact);
    for (size_t e = 0; e < check->second.count; e++)
        p->exact[check->second.column[e]] = runner_output(&p->second, e)[0];
}

static void multiply_formed(struct product_check *p, size_t point) {
    struct check *check = p->check;
    const struct node_matrix *h = &check->hessian;
    bool objective = check->functions > check->rows;
    runner_fill_lane(&p->hessian, SPACE_X, check->x + point * check->inputs, 0);
    runner_fill_lane(&p->hessian, SPACE_Y, check->y + point * check->columns, 0);
    runner_fill_lane(&p->hessian, SPACE_LAMBDA, p->v, 0);
    runner_leaf(&p->hessian, SPACE_SIGMA, 0)[0] = objective ? p->v[check->rows] : 0;
    runner_run(&p->hessian, 0);
    memset(p->formed, 0, check->columns * sizeof *p->formed);
    for (size_t i = 0; i < h->rows; i++)
        for (size_t e = h->first[i]; e < h->first[i + 1]; e++) {
            double value = runner_output(&p->hessian, e)[0];
            p->formed[i] += value * p->t[h->column[e]];
            if (h->column[e] != i) /* the upper triangle */
                p->formed[h->column[e]] += value * p->t[i];
        }
}

/* ---- differences of g ---- */

/* g and the sum of the sizes of its terms, at the point. */
static void centre(struct product_check *p, size_t point) {
    const struct check *check = p->check;
    const double *jacobian = check->jacobian + point * check->by_y.count;
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
    runner_fill(&p->first, SPACE_X, check->x + point * check->inputs);
    for (size_t lane = 0; lane < LANES; lane++) {
        double step = judge_step(pass, lane / 2) * (lane % 2 == 0 ? 1 : -1);
        for (size_t j = 0; j < check->columns; j++)
            p->moved[j] = y[j] + step * p->t[j];
        runner_fill_lane(&p->first, SPACE_Y, p->moved, lane);
    }
    runner_run(&p->first, 0);
    memset(p->lanes, 0, check->columns * LANES * sizeof *p->lanes);
    for (size_t i = 0; i < check->functions; i++)
        for (size_t e = check->by_y.first[i]; e < check->by_y.first[i + 1]; e++) {
            const double *entry = runner_output(&p->first, e);
            double *g = p->lanes + (size_t)check->by_y.column[e] * LANES;
            for (size_t lane = 0; lane < LANES; lane++)
                g[lane] += p->v[i] * entry[lane];
        }
}

static double largest_of(const double *values, size_t count) {
    double largest = 0;
    for (size_t i = 0; i < count; i++)
        largest = isfinite(values[i]) && fabs(values[i]) > largest ? fabs(values[i]) : largest;
    return largest;
}

/* Judges all entries of one product; true when a further pass may help. */
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
        judge(&verdicts[j], pass, p->lanes + j * LANES, derivative, p->centre[j], floor);
        doubts |= judge_doubts(&verdicts[j]);
    }
    return doubts;
}

static void record(const struct product_check *p, const double *product, const struct verdict *verdicts, size_t point,
                   struct disagreement *found) {
    for (size_t j = 0; j < p->check->columns; j++) {
        struct disagreement at = {.point = point, .column = j, .together = 1, .derivative = product[j]};
        judge_record(found, &verdicts[j], at);
    }
}

hn_status check_products(struct check *check, hn_error *error) {
    struct product_check p;
    struct verdict *exact = arena_take(&check->arena, check->columns + 1, sizeof *exact);
    struct verdict *formed = arena_take(&check->arena, check->columns + 1, sizeof *formed);
    hn_status status = create(&p, check, error);
    if (status == HN_OK && (!exact || !formed))
        status = error_no_memory(error, "check");
    for (size_t point = 0; point < check->points && status == HN_OK; point++) {
        bool doubts = true;
        choose_directions(&p, point);
        multiply(&p, point);
        if (check->hessian_program)
            multiply_formed(&p, point);
        centre(&p, point);
        for (int pass = 0; pass < PASSES && doubts; pass++) {
            run_moved(&p, point, pass);
            doubts = judge_product(&p, p.exact, pass, exact);
            if (check->hessian_program)
                doubts |= judge_product(&p, p.formed, pass, formed);
        }
        record(&p, p.exact, exact, point, &check->product_check);
        if (check->hessian_program)
            record(&p, p.formed, formed, point, &check->hessian_check);
    }
    release(&p);
    return status;
}
