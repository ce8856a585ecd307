/* tridiagonal_schur_kernel.h - dense systems of constant rows: the Schur complement after eliminating equalities in
 * tridiagonal form, for any eps.
 *
 *     e: equalities, o: other rows that count      Q' A_e A_e' Q = T,  G = Q' A_e A_o'       once, for all rows
 *     T + eps = L D L'                             bidiagonal
 *     S = A_o A_o' + eps - G' (T + eps)^-1 G       in tiles: X = L^-1 G, S = A_o A_o' + eps - X' D^-1 X
 *     t = (T + eps)^-1 Q' b_e,   S z_o = b_o - G' t,   z_e = Q (t - (T + eps)^-1 G z_o)
 *
 * If half of the rows are equalities, S needs a sixth of the operations of the whole factor. Householder's tridiagonal
 * form: Golub, Van Loan, Matrix Computations, 8.3. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_TRIDIAGONAL_SCHUR_KERNEL_H
#define HN_LINALG_TRIDIAGONAL_SCHUR_KERNEL_H

#include "linalg/vector_product_kernel.h"

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
    const struct tiled_sum product = {m, turn->simd, turn->width, NULL, v, count, sums, true};
    kernel_sum_tiled(&product, turn->helpers);
    for (size_t j = 0; j < count; j++) {
        double *row = m + j * turn->simd;
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
        reflect_rows(turn, turn->turn + (k + 1) * turn->simd, v, sums, left, beta);
    }
}

/* ---- the factorisation ---- */

/* The factor of T + eps: pivots, 1/D, and the subdiagonal of L. */
struct reduced {
    struct tiles tiles; /* of S */
    const struct tiled_reduction *form;
    double *d, *inverse, *beside;
    double *right, *first, *second; /* vectors over equalities */
    double eps;
};

static struct reduced reduced_place(const struct tiled *task, double *slots, struct helpers *helpers) {
    struct reduced r = {.tiles = tiles_place(task, slots, helpers), .form = &task->reduction};
    struct tiles *t = &r.tiles;
    const struct tiled_reduction *form = r.form;
    r.d = t->spare;
    r.inverse = t->spare + t->most;
    r.beside = t->spare + 2 * t->most;
    r.right = t->spare + 3 * t->most;
    r.first = t->spare + 4 * t->most;
    r.second = t->spare + 5 * t->most;
    t->leading = tiled_leading(form->others);
    t->counted = 0;
    for (size_t i = 0; i < form->others; i++)
        if (tiles_counts(t, form->row[form->order + i]))
            t->count[t->counted++] = (uint32_t)i; /* numbers among the other rows */
    t->known = t->order = t->counted;
    r.eps = slots[task->shift + form->row[0]];
    return r;
}

static void reduced_factor_form(const struct reduced *r) {
    const struct tiled_reduction *form = r->form;
    double owed = 0;
    for (size_t k = 0; k < form->order; k++) {
        double whole = form->diagonal[k] + r->eps, d = whole - owed;
        r->d[k] = d;
        r->inverse[k] = whole * 0x1p-50 < d ? 1 / d : 0;
        if (k + 1 == form->order)
            break;
        r->beside[k] = form->beside[k] * r->inverse[k];
        owed = r->beside[k] * form->beside[k];
    }
}

/* S = A_o A_o' + eps - X' D^-1 X, X = L^-1 G, in rows from..to of the lower triangle: columns 0..to of X are needed,
 * one row at a time. Each thread computes them in its workspace: that costs less than transferring them. */
struct reduced_loss {
    const struct reduced *r;
    size_t from, to;
    double *x; /* the current row of X */
    struct tiles_pair pair;
};

/* A_o A_o' + eps in these rows; zeros in the padding of the tiles. */
static void reduced_gather(const struct reduced_loss *loss) {
    const struct reduced *r = loss->r;
    const struct tiles *t = &r->tiles;
    size_t end = loss->to == t->order ? t->order + TILED_MARGIN : loss->to;
    for (size_t j = 0; j < t->order + TILED_ACROSS; j++)
        memset(t->h + j * t->leading + loss->from, 0, (end - loss->from) * sizeof *t->h);
    for (size_t j = 0; j < loss->to; j++) {
        const double *own = r->form->gram + t->count[j] * r->form->gram_leading;
        double *into = t->h + j * t->leading;
        for (size_t i = j < loss->from ? loss->from : j; i < loss->to; i++)
            into[i] = own[t->count[i]];
    }
    for (size_t j = loss->from; j < loss->to; j++)
        t->whole[j] = t->h[j * t->leading + j] += r->eps;
}

/* Row k of X from the previous one, in place. */
static void reduced_row(const struct reduced_loss *loss, size_t k) {
    const struct reduced *r = loss->r;
    const uint32_t *count = r->tiles.count;
    const double *g = r->form->turn + k * r->form->simd;
    double *x = loss->x, l = k > 0 ? r->beside[k - 1] : 0;
    for (size_t i = 0; i < loss->to; i++)
        x[i] = g[count[i]] - x[i] * l;
}

/* Packs it as rows, and D^-1 times it as columns. */
static void reduced_pack(const struct reduced_loss *loss, size_t k, double inverse) {
    const struct tiles_pair *pair = &loss->pair;
    const double *x = loss->x;
    for (size_t i = loss->from; i < loss->to; i += TILE_ROWS)
        for (size_t v = 0; v < TILE_ROWS; v += WIDTH)
            simd_store(pair->a + (i - loss->from) * pair->depth + k * TILE_ROWS + v, simd_load(x + i + v));
    for (size_t j = 0; j < loss->to; j += TILE_ACROSS)
        for (size_t c = 0; c < TILE_ACROSS; c++)
            pair->b[j * pair->depth + k * TILE_ACROSS + c] = x[j + c] * inverse;
}

static void reduced_lose(struct reduced_loss *loss) {
    const struct reduced *r = loss->r;
    size_t order = r->form->order;
    memset(loss->x, 0, (loss->to + TILED_MARGIN) * sizeof *loss->x);
    for (size_t k = 0; k < order; k += TILED_DEPTH) {
        loss->pair.depth = order - k < TILED_DEPTH ? order - k : TILED_DEPTH;
        for (size_t i = 0; i < loss->pair.depth; i++) {
            reduced_row(loss, k + i);
            reduced_pack(loss, i, r->inverse[k + i]);
        }
        tiles_multiply(&loss->pair, 0, (loss->to - loss->from + TILE_ROWS - 1) / TILE_ROWS, true);
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
    size_t order = p->r->tiles.order, at = 0;
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
    size_t order = r->tiles.order, all = reduced_cost(0, order);
    struct reduced_parts p = {r, parts, all};
    if (parts == 1)
        return p;
    for (p.most = all / parts; reduced_cut(&p, parts) < order; p.most += all / 16 / parts + 1)
        ;
    return p;
}

static void reduced_lose_part(const void *context, void *own, size_t from, size_t to) {
    const struct reduced_parts *all = context;
    const struct reduced *r = all->r;
    const struct tiles mine = tiles_lay_out(r->tiles.task, own), *t = &r->tiles;
    struct reduced_loss loss = {r, reduced_cut(all, from), reduced_cut(all, to), mine.out, {0}};
    loss.pair = (struct tiles_pair){.order = loss.to,
                                    .row = loss.from,
                                    .leading = t->leading,
                                    .a = mine.n,
                                    .b = mine.n + TILED_DEPTH * t->leading,
                                    .h = t->h,
                                    .tight = loss.to < t->order};
    if (loss.from == loss.to)
        return;
    reduced_gather(&loss);
    reduced_lose(&loss);
}

static void reduced_factor(const struct reduced *r) {
    const struct tiles *t = &r->tiles;
    const struct reduced_parts parts = reduced_divide(r, (size_t)helpers_count(t->helpers) + 1);
    const struct helpers_job lost = {parts.parts, 1, 1, reduced_lose_part, &parts, t->slots};
    reduced_factor_form(r);
    helpers_share(t->helpers, &lost);
    tiles_factor(t);
}

/* ---- the solve ---- */

/* x = (T + eps)^-1 x */
static void reduced_solve_form(const struct reduced *r, double *x) {
    size_t order = r->form->order;
    for (size_t k = 1; k < order; k++)
        x[k] -= r->beside[k - 1] * x[k - 1];
    for (size_t k = 0; k < order; k++)
        x[k] *= r->inverse[k];
    for (size_t k = order - 1; k-- > 0;)
        x[k] -= r->beside[k] * x[k + 1];
}

/* first = t, and t->z = b_o - G' t of the active rows */
static void reduced_forward(const struct reduced *r, uint32_t from) {
    const struct tiles *t = &r->tiles;
    const struct tiled_reduction *form = r->form;
    const uint32_t *other = form->row + form->order;
    for (size_t j = 0; j < form->order; j++)
        r->right[j] = t->slots[from + form->row[j]];
    const struct tiled_sum turned = {
        form->turned + form->others * form->tall, form->tall, form->order, NULL, r->right, form->order, r->first, true};
    kernel_sum_tiled(&turned, t->helpers); /* Q' b_e */
    reduced_solve_form(r, r->first);
    const struct tiled_sum product = {form->turn, form->simd, form->others, NULL, r->first, form->order, t->out, true};
    kernel_sum_tiled(&product, t->helpers); /* G' t */
    for (size_t i = 0; i < t->order; i++)
        t->z[i] = t->slots[from + other[t->count[i]]] - t->out[t->count[i]];
}

/* z_e = Q (t - (T + eps)^-1 G z_o) */
static void reduced_backward(const struct reduced *r, uint32_t to) {
    const struct tiles *t = &r->tiles;
    const struct tiled_reduction *form = r->form;
    const struct tiled_sum owed = {form->turned, form->tall, form->order, t->count, t->z, t->order, r->second, true};
    kernel_sum_tiled(&owed, t->helpers); /* G z_o */
    reduced_solve_form(r, r->second);
    for (size_t k = 0; k < form->order; k++)
        r->first[k] -= r->second[k];
    const struct tiled_sum turned = {
        form->turn + form->others, form->simd, form->order, NULL, r->first, form->order, r->right, true};
    kernel_sum_tiled(&turned, t->helpers);
    for (size_t j = 0; j < form->order; j++)
        t->slots[to + form->row[j]] = r->right[j];
}

static void reduced_solve_side(const struct reduced *r, uint32_t from, uint32_t to) {
    const struct tiles *t = &r->tiles;
    const uint32_t *other = r->form->row + r->form->order;
    reduced_forward(r, from);
    tiles_forward(t);
    for (size_t i = 0; i < t->order; i++)
        t->z[i] *= t->inverse[i];
    tiles_backward(t);
    for (size_t i = 0; i < r->form->others; i++) /* inactive rows: 1 times the unknown */
        t->slots[to + other[i]] = t->slots[from + other[i]];
    for (size_t i = 0; i < t->order; i++)
        t->slots[to + other[t->count[i]]] = t->z[i];
    reduced_backward(r, to);
}

static void reduced_solve(const struct tiled *task, double *slots, const struct damped_sides *sides,
                          struct helpers *helpers) {
    const struct reduced r = reduced_place(task, slots, helpers);
    const struct tiles *t = &r.tiles;
    if (!tiles_keeps(t, r.eps)) {
        reduced_factor(&r);
        tiles_keep(t, r.eps);
    }
    for (int side = 0; side < sides->count; side++)
        reduced_solve_side(&r, sides->from[side], sides->to[side]);
}

#endif
