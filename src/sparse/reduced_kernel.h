/* reduced_kernel.h - full systems of constant rows: equalities are eliminated in tridiagonal form, for any eps.
 *
 *     e: equalities, o: other rows that count      Q' A_e A_e' Q = T,  G = Q' A_e A_o'       once, for all rows
 *     T + eps = L D L'                             bidiagonal
 *     S = A_o A_o' + eps - G' (T + eps)^-1 G       in tiles: X = L^-1 G, S = A_o A_o' + eps - X' D^-1 X
 *     t = (T + eps)^-1 Q' b_e,   S z_o = b_o - G' t,   z_e = Q (t - (T + eps)^-1 G z_o)
 *
 * Where half of the rows are equalities S takes a sixth of the operations of the whole factor. Householder's tridiagonal
 * form: Golub, Van Loan, Matrix Computations, 8.3. Part of tiled_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_SPARSE_REDUCED_KERNEL_H
#define HN_SPARSE_REDUCED_KERNEL_H

/* ---- once: the tridiagonal form ---- */

/* A reflection I - beta v v' that takes the entries of x behind the first to 0; false where they are. x becomes v. */
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

/* Both sides of c, whose rows and columns begin where v does: c - v w' - w v', the same number on either side of the diagonal. */
static void reflect_both(const struct tiled_turn *turn, double *c, const double *v, double *w, size_t count,
                         double beta) {
    const struct tiled_sum product = {c, turn->tall, count, NULL, v, count, w, true};
    double inner = 0;
    kernel_sum_tiled(&product);
    for (size_t i = 0; i < count; i++) {
        w[i] *= beta;
        inner += w[i] * v[i];
    }
    for (size_t i = 0; i < count; i++)
        w[i] -= 0.5 * beta * inner * v[i];
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < count; i += WIDTH) {
            double *at = c + j * turn->tall + i;
            wide both = wide_load(w + i) * v[j] + wide_load(v + i) * w[j];
            wide_store(at, wide_load(at) - both);
        }
}

/* One side: each row of m loses beta v_j times v' m. */
static void reflect_rows(const struct tiled_turn *turn, double *m, const double *v, double *sums, size_t count,
                         double beta) {
    const struct tiled_sum product = {m, turn->wide, turn->width, NULL, v, count, sums, true};
    kernel_sum_tiled(&product);
    for (size_t j = 0; j < count; j++) {
        double *row = m + j * turn->wide;
        double factor = beta * v[j];
        for (size_t i = 0; i < turn->width; i += WIDTH)
            wide_store(row + i, wide_load(row + i) - wide_load(sums + i) * factor);
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
        memset(v, 0, turn->tall * sizeof *v);
        memcpy(v, row + k + 1, left * sizeof *v);
        if (!reflection(v, left, &beta, &turn->beside[k]))
            continue;
        reflect_both(turn, turn->c + (k + 1) * turn->tall + k + 1, v, w, left, beta);
        reflect_rows(turn, turn->turn + (k + 1) * turn->wide, v, sums, left, beta);
    }
}

/* ---- a factor ---- */

/* What is kept of T + eps: pivots, 1/D, and L beside its diagonal. */
struct reduced {
    struct tiles tiles; /* of S */
    const struct tiled_reduction *form;
    double *d, *inverse, *beside;
    double *right, *first, *second; /* vectors over equalities */
};

static struct reduced reduced_place(const struct tiled *task, double *slots) {
    struct reduced r = {.tiles = tiles_place(task, slots), .form = &task->reduction};
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
            t->count[t->counted++] = (uint32_t)i; /* numbers among the others */
    t->known = t->order = t->counted;
    return r;
}

static void reduced_factor_form(const struct reduced *r, double eps) {
    const struct tiled_reduction *form = r->form;
    double owed = 0;
    for (size_t k = 0; k < form->order; k++) {
        double whole = form->diagonal[k] + eps, d = whole - owed;
        r->d[k] = d;
        r->inverse[k] = whole * 0x1p-50 < d ? 1 / d : 0;
        if (k + 1 == form->order)
            break;
        r->beside[k] = form->beside[k] * r->inverse[k];
        owed = r->beside[k] * form->beside[k];
    }
}

/* A_o A_o' + eps of the rows that count. */
static void reduced_gather(const struct tiles *t, const struct tiled_reduction *form, double eps) {
    memset(t->h, 0, (t->order + TILED_ACROSS) * t->leading * sizeof *t->h);
    for (size_t j = 0; j < t->order; j++) {
        const double *from = form->gram + t->count[j] * form->gram_leading;
        double *to = t->h + j * t->leading;
        for (size_t i = j; i < t->order; i++)
            to[i] = from[t->count[i]];
        to[j] += eps;
        t->whole[j] = to[j];
    }
}

/* Row k of X = L^-1 G, from the one before it, in place. */
static void reduced_row(const struct reduced *r, size_t k, double *x) {
    const struct tiles *t = &r->tiles;
    const double *g = r->form->turn + k * r->form->wide;
    double l = k > 0 ? r->beside[k - 1] : 0;
    for (size_t i = 0; i < t->order; i++)
        x[i] = g[t->count[i]] - x[i] * l;
}

/* It as rows, and D^-1 times it as columns, of the tiles. */
static void reduced_pack(const struct tiles_pair *pair, size_t k, const double *x, double inverse) {
    for (size_t i = 0; i < pair->order; i += TILE_ROWS)
        for (size_t v = 0; v < TILE_ROWS; v += WIDTH)
            wide_store(pair->a + i * pair->depth + k * TILE_ROWS + v, wide_load(x + i + v));
    for (size_t j = 0; j < pair->order; j += TILE_ACROSS)
        for (size_t c = 0; c < TILE_ACROSS; c++)
            pair->b[j * pair->depth + k * TILE_ACROSS + c] = x[j + c] * inverse;
}

static void reduced_factor(const struct reduced *r, double eps) {
    const struct tiles *t = &r->tiles;
    size_t order = r->form->order;
    double *x = t->out;
    reduced_factor_form(r, eps);
    reduced_gather(t, r->form, eps);
    memset(x, 0, (t->order + TILED_MARGIN) * sizeof *x);
    for (size_t k = 0; k < order; k += TILED_DEPTH) {
        size_t depth = order - k < TILED_DEPTH ? order - k : TILED_DEPTH;
        const struct tiles_pair pair = {t->order, 0, 0, depth, t->n, t->n + TILED_DEPTH * t->leading};
        for (size_t i = 0; i < depth; i++) {
            reduced_row(r, k + i, x);
            reduced_pack(&pair, i, x, r->inverse[k + i]);
        }
        tiles_update(&pair, t->h, t->leading, true);
    }
    tiles_factor(t);
}

/* ---- the solution ---- */

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

/* first = t, and t->z = b_o - G' t of the rows that count */
static void reduced_forward(const struct reduced *r, uint32_t from) {
    const struct tiles *t = &r->tiles;
    const struct tiled_reduction *form = r->form;
    const uint32_t *other = form->row + form->order;
    for (size_t j = 0; j < form->order; j++)
        r->right[j] = t->slots[from + form->row[j]];
    const struct tiled_sum turned = {
        form->turned + form->others * form->tall, form->tall, form->order, NULL, r->right, form->order, r->first, true};
    kernel_sum_tiled(&turned); /* Q' b_e */
    reduced_solve_form(r, r->first);
    const struct tiled_sum product = {form->turn, form->wide, form->others, NULL, r->first, form->order, t->out, true};
    kernel_sum_tiled(&product); /* G' t */
    for (size_t i = 0; i < t->order; i++)
        t->z[i] = t->slots[from + other[t->count[i]]] - t->out[t->count[i]];
}

/* z_e = Q (t - (T + eps)^-1 G z_o) */
static void reduced_backward(const struct reduced *r, uint32_t to) {
    const struct tiles *t = &r->tiles;
    const struct tiled_reduction *form = r->form;
    const struct tiled_sum owed = {form->turned, form->tall, form->order, t->count, t->z, t->order, r->second, true};
    kernel_sum_tiled(&owed); /* G z_o */
    reduced_solve_form(r, r->second);
    for (size_t k = 0; k < form->order; k++)
        r->first[k] -= r->second[k];
    const struct tiled_sum turned = {
        form->turn + form->others, form->wide, form->order, NULL, r->first, form->order, r->right, true};
    kernel_sum_tiled(&turned);
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
    for (size_t i = 0; i < r->form->others; i++) /* rows that do not count: 1 times the unknown */
        t->slots[to + other[i]] = t->slots[from + other[i]];
    for (size_t i = 0; i < t->order; i++)
        t->slots[to + other[t->count[i]]] = t->z[i];
    reduced_backward(r, to);
}

static void reduced_solve(const struct tiled *task, double *slots, const struct damped_sides *sides) {
    const struct reduced r = reduced_place(task, slots);
    const struct tiles *t = &r.tiles;
    double eps = slots[task->shift + r.form->row[0]];
    if (!tiles_keeps(t, eps)) {
        reduced_factor(&r, eps);
        tiles_keep(t, eps);
    }
    slots[task->pivot_range] = t->order < r.form->others ? 1 : HUGE_VAL;
    slots[task->pivot_range + 1] = t->order < r.form->others ? 1 : 0;
    for (size_t k = 0; k < r.form->order; k++)
        tiles_range(t, r.d[k]);
    for (size_t j = 0; j < t->order; j++)
        tiles_range(t, t->d[j]);
    for (int side = 0; side < sides->count; side++)
        reduced_solve_side(&r, sides->from[side], sides->to[side]);
}

#endif
