/* tridiagonal_schur_kernel.h - dense systems of constant rows: the Schur complement after eliminating equalities in
 * tridiagonal form, for any eps.
 *
 * The notation is that of tridiagonal_solve_kernel.h; S is computed in tiles. Householder's tridiagonal form: Golub,
 * Van Loan, Matrix Computations, 8.3. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRIDIAGONAL_SCHUR_KERNEL_H
#define HN_LINALG_TRIDIAGONAL_SCHUR_KERNEL_H

#include "linalg/tridiagonal_solve_kernel.h"

/* ---- once: the reduction to tridiagonal form ---- */

/* A reflection I - beta v v' that zeroes the entries of x after the first; false if they are zero. x becomes v. */
static bool reflection(double *x, size_t count, double *beta, double *first) {
    double rest = 0;
    for (size_t i = 1; i < count; i++)
        rest += x[i] * x[i];
    *first = x[0];
    if (!(rest > 0))
        return false;
    double norm = sqrt(x[0] * x[0] + rest);
    *first = x[0] > 0 ? -norm : norm;
    x[0] -= *first;
    *beta = 2 / (x[0] * x[0] + rest);
    return true;
}

/* Two-sided reflection of c, whose rows and columns begin where v does: c - v w' - w v', symmetric to the last bit. */
static void reflect_both(const struct tiled_turn *turn, double *c, const double *v, double *w, size_t count,
                         double beta) {
    const struct tiled_sum product = {c, turn->tall, count, NULL, v, count, w, true};
    double inner = 0;
    kernel_sum_tiled(&product, turn->helpers);
    for (size_t i = 0; i < count; i++) {
        w[i] *= beta;
        inner += w[i] * v[i];
    }
    for (size_t i = 0; i < count; i++)
        w[i] -= 0.5 * beta * inner * v[i];
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i += WIDTH) {
            double *at = c + j * turn->tall + i;
            simd both = simd_load(w + i) * v[j] + simd_load(v + i) * w[j];
            simd_store(at, simd_load(at) - both);
        }
}

/* One-sided reflection: subtracts beta v_j times v' m from each row j of m. */
static void reflect_rows(const struct tiled_turn *turn, double *m, const double *v, double *sums, size_t count,
                         double beta) {
    const struct tiled_sum product = {m, turn->wide, turn->width, NULL, v, count, sums, true};
    kernel_sum_tiled(&product, turn->helpers);
    for (size_t j = 0; j < count; j++) {
        double *row = m + j * turn->wide;
        double factor = beta * v[j];
        for (size_t i = 0; i < turn->width; i += WIDTH)
            simd_store(row + i, simd_load(row + i) - simd_load(sums + i) * factor);
    }
}

static void kernel_turn_tiled(const struct tiled_turn *turn) {
    double *v = turn->scratch, *w = v + turn->tall, *sums = w + turn->tall;
    for (size_t k = 0; k < turn->order; k++) {
        double *row = turn->c + k * turn->tall, beta = 0;
        size_t left = turn->order - k - 1;
        turn->diagonal[k] = row[k];
        if (left == 0)
            break;
        memcpy(v, row + k + 1, left * sizeof *v); /* elements beyond it are in the margins of c */
        if (!reflection(v, left, &beta, &turn->beside[k]))
            continue;
        reflect_both(turn, turn->c + (k + 1) * turn->tall + k + 1, v, w, left, beta);
        reflect_rows(turn, turn->turn + (k + 1) * turn->wide, v, sums, left, beta);
    }
}

/* ---- the factorisation ---- */

/* S = A_o A_o' + eps - X' D^-1 X, X = L^-1 G, in rows from..to of the lower triangle: columns 0..to of X are needed,
 * one row at a time. Each thread computes them in its workspace: that costs less than transferring them. */
struct reduced_update {
    const struct reduced *r;
    size_t from, to;
    double *x; /* the current row of X */
    struct tiles_pair pair;
};

/* A_o A_o' + eps in these rows; zeros in the padding of the tiles. */
static void reduced_gather(const struct reduced_update *update) {
    const struct reduced *r = update->r;
    const struct tiles *t = r->tiles;
    size_t end = update->to == t->order ? t->order + TILED_MARGIN : update->to;
    for (size_t j = 0; j < t->order + TILED_ACROSS; j++)
        memset(t->h + j * t->leading + update->from, 0, (end - update->from) * sizeof *t->h);
    for (size_t j = 0; j < update->to; j++) {
        const double *own = r->form->gram + t->count[j] * r->form->gram_leading;
        double *into = t->h + j * t->leading;
        for (size_t i = j < update->from ? update->from : j; i < update->to; i++)
            into[i] = own[t->count[i]];
    }
    for (size_t j = update->from; j < update->to; j++)
        t->whole[j] = t->h[j * t->leading + j] += t->shift;
}

/* Row k of X from the previous one, in place. */
static void reduced_row(const struct reduced_update *update, size_t k) {
    const struct reduced *r = update->r;
    const uint32_t *count = r->tiles->count;
    const double *g = r->form->turn + k * r->form->wide;
    double *x = update->x, l = k > 0 ? r->beside[k - 1] : 0;
    for (size_t i = 0; i < update->to; i++)
        x[i] = g[count[i]] - x[i] * l;
}

/* Packs it as rows, and D^-1 times it as columns. */
static void reduced_pack(const struct reduced_update *update, size_t k, double inverse) {
    const struct tiles_pair *pair = &update->pair;
    const double *x = update->x;
    for (size_t i = update->from; i < update->to; i += TILE_ROWS)
        for (size_t v = 0; v < TILE_ROWS; v += WIDTH)
            simd_store(pair->a + (i - update->from) * pair->depth + k * TILE_ROWS + v, simd_load(x + i + v));
    for (size_t j = 0; j < update->to; j += TILE_ACROSS)
        for (size_t c = 0; c < TILE_ACROSS; c++)
            pair->b[j * pair->depth + k * TILE_ACROSS + c] = x[j + c] * inverse;
}

static void reduced_subtract(struct reduced_update *update) {
    const struct reduced *r = update->r;
    size_t order = r->form->order;
    memset(update->x, 0, (update->to + TILED_MARGIN) * sizeof *update->x);
    for (size_t k = 0; k < order; k += TILED_DEPTH) {
        update->pair.depth = order - k < TILED_DEPTH ? order - k : TILED_DEPTH;
        for (size_t i = 0; i < update->pair.depth; i++) {
            reduced_row(update, k + i);
            reduced_pack(update, i, r->inverse[k + i]);
        }
        tiles_multiply(&update->pair, 0, (update->to - update->from + TILE_ROWS - 1) / TILE_ROWS, true);
    }
}

/* The cost of rows from..to: products, and 20 for each column of X. */
static size_t reduced_cost(size_t from, size_t to) {
    return (to - from) * (from + to + TILE_ACROSS) / 2 + 20 * to;
}

struct reduced_parts {
    const struct reduced *r;
    size_t parts, most; /* most: the maximum cost of a part */
};

/* The start of part `number`: each part continues after the previous one, in whole cache lines, up to the maximum
 * cost. */
static size_t reduced_cut(const struct reduced_parts *p, size_t number) {
    size_t order = p->r->tiles->order, at = 0;
    for (size_t part = 0; part < number && at < order; part++) {
        size_t from = at;
        do
            at += TILED_ACROSS;
        while (at < order && reduced_cost(from, at + TILED_ACROSS < order ? at + TILED_ACROSS : order) <= p->most);
    }
    return at < order ? at : order;
}

/* The least maximum for which `parts` parts suffice, within a sixteenth. */
static struct reduced_parts reduced_divide(const struct reduced *r, size_t parts) {
    size_t order = r->tiles->order, all = reduced_cost(0, order);
    struct reduced_parts p = {r, parts, all};
    if (parts == 1)
        return p;
    for (p.most = all / parts; reduced_cut(&p, parts) < order; p.most += all / 16 / parts + 1)
        ;
    return p;
}

static void reduced_update_part(const void *context, void *own, size_t from, size_t to) {
    const struct reduced_parts *all = context;
    const struct reduced *r = all->r;
    const struct tiles mine = tiles_lay_out(r->tiles->task, own), *t = r->tiles;
    struct reduced_update update = {r, reduced_cut(all, from), reduced_cut(all, to), mine.out, {0}};
    update.pair = (struct tiles_pair){.order = update.to,
                                      .row = update.from,
                                      .leading = t->leading,
                                      .a = mine.n,
                                      .b = mine.n + TILED_DEPTH * t->leading,
                                      .h = t->h,
                                      .tight = update.to < t->order};
    if (update.from == update.to)
        return;
    reduced_gather(&update);
    reduced_subtract(&update);
}

static void reduced_factor(const struct reduced *r) {
    const struct tiles *t = r->tiles;
    const struct reduced_parts parts = reduced_divide(r, (size_t)helpers_count(t->helpers) + 1);
    const struct helpers_job job = {parts.parts, 1, 1, reduced_update_part, &parts, t->slots};
    reduced_factor_form(r);
    helpers_share(t->helpers, &job);
    tiles_factor(t);
}

/* ---- the solution ---- */

static void reduced_others(const struct reduced *r) {
    const struct tiles *t = r->tiles;
    const struct tiled_reduction *form = r->form;
    const struct tiled_sum product = {form->turned, form->tall, form->order, t->count, t->z, t->order, r->second, true};
    tiles_sum(t, &product);
}

static void reduced_solve(struct tiles *t, const struct damped_sides *sides) {
    const struct reduced r = {t,
                              &t->task->reduction,
                              t->spare,
                              t->spare + t->most,
                              t->spare + 2 * t->most,
                              t->spare + 3 * t->most,
                              t->spare + 4 * t->most};
    t->leading = tiled_leading(r.form->others);
    reduced_solve_sides(&r, sides);
}

#endif
