/* check_rank.c - the rank of J's active rows at the end of the correction of the start. See check_parts.h and
 * row_rank.h.
 *
 * A row is active if it is an equality, or within 1e-6 of a bound, or violated.
 *
 * SPDX-License-Identifier: MIT */
#include "check/point_table.h"
#include "check/row_rank.h"

#include <math.h>
#include <string.h>

static const double ACTIVE = 1e-6;
static const double DEPENDENT = 1e-8;   /* remaining fraction of a row's length */
static const double NOTABLE = 1e-6;     /* smaller coefficients, relative to the largest, are not listed */
static const double WORK_LIMIT = 1e9;   /* rows^2 x columns */
static const double MEMORY_LIMIT = 1e7; /* rows x columns */

static bool is_active(const struct probe *probe, size_t i) {
    size_t lower = probe->check->functions + i, upper = lower + probe->check->rows;
    double value = board_at(&probe->board, BOARD_VALUES, i)[0];
    return !(value > board_at(&probe->board, BOARD_VALUES, lower)[0] + ACTIVE &&
             value < board_at(&probe->board, BOARD_VALUES, upper)[0] - ACTIVE);
}

static size_t list_active(const struct probe *probe, size_t *active) {
    size_t count = 0;
    for (size_t i = 0; i < probe->check->rows; i++)
        if (is_active(probe, i))
            active[count++] = i;
    return count;
}

/* ---- the matrix ---- */

static void reserve(struct row_rank *f, struct check *check) {
    size_t most = f->rows < f->columns ? f->rows : f->columns;
    f->a = check_take(check, f->rows * f->columns, sizeof *f->a);
    f->triangle = check_take(check, most * f->rows, sizeof *f->triangle);
    f->length = check_take(check, f->rows, sizeof *f->length);
    f->left = check_take(check, f->rows, sizeof *f->left);
    f->work = check_take(check, 2 * f->rows, sizeof *f->work);
    f->pivot = check_take(check, f->rows, sizeof *f->pivot);
}

/* False when an entry is not finite. */
static bool fill_factor(struct row_rank *f, const struct probe *probe, const size_t *active) {
    const struct check_matrix *j = &probe->check->by_y;
    bool finite = true;
    for (size_t k = 0; k < f->rows; k++)
        for (size_t e = j->first[active[k]]; e < j->first[active[k] + 1]; e++) {
            double entry = board_at(&probe->board, BOARD_BY_Y, e)[0];
            f->a[k * f->columns + j->column[e]] = entry;
            finite = finite && isfinite(entry);
        }
    return finite;
}

/* ---- dependent rows ---- */

static size_t largest_of(const double *coefficient, size_t count) {
    size_t best = 0;
    for (size_t k = 1; k < count; k++)
        if (fabs(coefficient[k]) > fabs(coefficient[best]))
            best = k;
    return best;
}

/* Counts the pivots with notable coefficients and lists the largest few. */
static void name_others(hn_check_dependent *d, const struct row_rank *f, const size_t *active, double *coefficient) {
    double least = NOTABLE * fabs(coefficient[largest_of(coefficient, f->rank)]);
    for (size_t k = 0; k < f->rank; k++)
        d->total += fabs(coefficient[k]) > least;
    while (d->count < d->total && d->count < HN_CHECK_DEPENDENT_NAMED) {
        size_t best = largest_of(coefficient, f->rank);
        d->others[d->count++] = active[f->pivot[best]];
        coefficient[best] = 0;
    }
}

static void name_dependents(hn_check_rank *report, const struct row_rank *f, const size_t *active,
                            struct check *check) {
    double *coefficient = check_take(check, f->rank, sizeof *coefficient);
    report->dependents = f->rows - f->rank;
    report->dependent = check_take(check, report->dependents, sizeof *report->dependent);
    for (size_t k = 0; k < report->dependents && check->status == HN_OK; k++) {
        size_t j = f->pivot[f->rank + k];
        hn_check_dependent *d = &report->dependent[k];
        d->row = active[j];
        row_rank_combine(f, j, coefficient);
        if (f->length[j] > 0 && f->rank > 0)
            name_others(d, f, active, coefficient);
    }
}

/* ---- the check ---- */

static void factor(hn_check_rank *report, const struct probe *probe, const size_t *active, struct check *check) {
    struct row_rank f = {.rows = report->active, .columns = check->columns};
    reserve(&f, check);
    if (check->status != HN_OK)
        return;
    if (!fill_factor(&f, probe, active)) {
        report->why_not = "a derivative is not finite at the result";
        return;
    }
    row_rank_factor(&f, DEPENDENT);
    report->rank = f.rank;
    report->largest = f.rank > 0 ? row_rank_largest(&f) : 0;
    report->smallest = f.rank > 0 ? row_rank_smallest(&f) : 0;
    name_dependents(report, &f, active, check);
}

static bool is_too_large(hn_check_rank *report, struct check *check, size_t rows) {
    double cells = (double)rows * (double)check->columns;
    if (cells <= MEMORY_LIMIT && cells * (double)rows <= WORK_LIMIT)
        return false;
    report->active = rows;
    report->why_not = check_format(check, "at least %zu active rows and %zu columns are too many for this check", rows,
                                   check->columns);
    return true;
}

static size_t count_equalities(const struct check *check) {
    size_t count = 0;
    for (size_t i = 0; i < check->rows; i++)
        count += check_is_equality(check, i);
    return count;
}

void check_rank(struct check *check) {
    struct probe probe;
    if (check->found.correction->why_not)
        return;
    hn_check_rank *report = check->found.rank = check_take(check, 1, sizeof *report);
    size_t *active = check_take(check, check->rows, sizeof *active);
    if (check->status != HN_OK)
        return;
    check_stage(check, "rank at the result");
    if (is_too_large(report, check, count_equalities(check)))
        return;
    if (probe_create(&probe, check)) {
        for (size_t sample = 0; sample < CHECK_MOST; sample++)
            board_place(&probe.board, sample, check->found.x, check->found.correction->y);
        probe_run(&probe);
        report->active = list_active(&probe, active);
        if (report->active > 0 && !is_too_large(report, check, report->active))
            factor(report, &probe, active, check);
    }
    board_release(&probe.board);
}
