/* block_factor_kernel.h - blocked factorisation h = L D L' in panels of TILED_PANEL columns, and the two triangular
 * solves.
 *
 * With helpers, the rows below a panel are shared among threads, and so are the rows updated by a range of unknowns.
 * Every entry subtracts its products in the order of k, as without helpers. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCK_FACTOR_KERNEL_H
#define HN_LINALG_BLOCK_FACTOR_KERNEL_H

/* ---- the factorisation ---- */

/* Columns first..end of the factor. b: for each group of TILE_ACROSS columns, n = L D of the panel's preceding columns,
 * in the rows of the group. */
struct panel {
    const struct tiles *t;
    size_t first, end;
    double *b;
};

/* The part of b for the group that begins with column j. */
static double *panel_numbers(const struct panel *p, size_t j) {
    size_t groups = (j - p->first) / TILE_ACROSS;
    return p->b + groups * (groups - 1) / 2 * TILE_ACROSS * TILE_ACROSS;
}

static void panel_prepare(const struct panel *p, size_t j) {
    const struct tiles *t = p->t;
    const double *before = t->h + p->first * t->leading;
    double *b = panel_numbers(p, j);
    for (size_t k = 0; k < j - p->first; k++)
        for (size_t c = 0; c < TILE_ACROSS; c++)
            b[k * TILE_ACROSS + c] = before[k * t->leading + j + c] * t->d[p->first + k];
}

/* n = L D in row j, for the preceding columns of its group; returns their number. */
static size_t panel_owed(const struct tiles *t, size_t group, size_t j, double n[TILE_ACROSS]) {
    for (size_t k = 0; k < j - group; k++)
        n[k] = t->h[(group + k) * t->leading + j] * t->d[group + k];
    return j - group;
}

/* d_j and its inverse; the inverse is 0 for a pivot lost to rounding. */
static void panel_pivot(const struct tiles *t, size_t group, size_t j) {
    double n[TILE_ACROSS], d = t->h[j * t->leading + j];
    size_t owed = panel_owed(t, group, j, n);
    for (size_t k = 0; k < owed; k++)
        d -= t->h[(group + k) * t->leading + j] * n[k];
    t->d[j] = d;
    t->inverse[j] = t->whole[j] * 0x1p-50 < d ? 1 / d : 0;
}

/* Column j of L in rows from..to; only at the last row may SIMD vectors extend beyond the end. */
SIMD_INLINE void panel_column(const struct tiles *t, size_t group, size_t j, size_t from, size_t to) {
    double *column = t->h + j * t->leading, n[TILE_ACROSS], inverse = t->inverse[j];
    const double *before = t->h + group * t->leading;
    size_t owed = panel_owed(t, group, j, n), i = from;
    for (; to == t->order ? i < to : i + WIDTH <= to; i += WIDTH) {
        simd sum = simd_load(column + i);
        for (size_t k = 0; k < owed; k++)
            sum -= simd_load(before + k * t->leading + i) * n[k];
        simd_store(column + i, sum * inverse);
    }
    for (; i < to; i++) {
        double sum = column[i];
        for (size_t k = 0; k < owed; k++)
            sum -= before[k * t->leading + i] * n[k];
        column[i] = sum * inverse;
    }
}

/* Subtracts from rows from..to, in the group that begins with column j, the products of the panel's preceding
 * columns. */
static void panel_lose(const struct panel *p, size_t j, size_t from, size_t to) {
    const struct tiles *t = p->t;
    const double *before = t->h + p->first * t->leading, *b = panel_numbers(p, j);
    size_t i = from, depth = j - p->first;
    for (; to == t->order ? i < to : i + TILE_ROWS <= to; i += TILE_ROWS)
        tile_multiply(t->h + j * t->leading + i, t->leading, before + i, t->leading, b, depth, true, TILE_VECTORS);
    for (; i < to; i += WIDTH) /* the panel's diagonal rows and its groups are multiples of WIDTH */
        tile_multiply(t->h + j * t->leading + i, t->leading, before + i, t->leading, b, depth, true, 1);
}

/* Rows first..to: in groups of TILE_ACROSS columns, subtracts the products of the panel's preceding columns, then
 * factors the group. */
static void panel_factor(const struct panel *p, size_t to) {
    const struct tiles *t = p->t;
    for (size_t j = p->first; j < p->end; j += TILE_ACROSS) {
        if (j > p->first) {
            panel_prepare(p, j);
            panel_lose(p, j, j, to);
        }
        for (size_t c = j; c < j + TILE_ACROSS && c < p->end; c++) {
            panel_pivot(t, j, c);
            panel_column(t, j, c, c + 1, to);
        }
    }
}

/* panel_factor for rows below the panel, in units of TILE_UNIT. */
static void panel_below(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct panel *p = context;
    const struct tiles *t = p->t;
    size_t begin = p->end + from * TILE_UNIT, end = p->end + to * TILE_UNIT;
    end = end < t->order ? end : t->order;
    for (size_t j = p->first; j < p->end; j += TILE_ACROSS) {
        if (j > p->first)
            panel_lose(p, j, begin, end);
        for (size_t c = j; c < j + TILE_ACROSS && c < p->end; c++)
            panel_column(t, j, c, begin, end);
    }
}

static void tiles_panel(const struct tiles *t, size_t first, size_t end) {
    const struct panel panel = {t, first, end, t->n};
    const struct helpers_job below = {(t->order - end + TILE_UNIT - 1) / TILE_UNIT, 1, 1, panel_below, &panel, NULL};
    if (helpers_count(t->helpers) == 0 || below.count < 2) {
        panel_factor(&panel, t->order);
        return;
    }
    panel_factor(&panel, end);
    helpers_share(t->helpers, &below);
}

static void tiles_factor(const struct tiles *t) {
    for (size_t first = 0; first < t->order; first += TILED_PANEL) {
        size_t end = t->order - first < TILED_PANEL ? t->order : first + TILED_PANEL;
        const struct tiles_pair rest = {.order = t->order,
                                        .row = end,
                                        .column = end,
                                        .depth = end - first,
                                        .leading = t->leading,
                                        .a = t->n,
                                        .b = t->n + TILED_PANEL * t->leading,
                                        .h = t->h,
                                        .m = t->h + first * t->leading,
                                        .number = t->d + first};
        tiles_panel(t, first, end);
        tiles_update(&rest, t->helpers, true);
    }
}

/* ---- triangular solves ---- */

/* z = L^-1 z: subtracts each unknown from..to in turn from the rows below it, up to row `to`. */
static void forward_alone(const struct tiles *t, size_t from, size_t to) {
    for (size_t k = from; k < to; k++) {
        const double *column = t->h + k * t->leading;
        simd z = simd_all(t->z[k]);
        size_t i = k + 1;
        for (; to == t->order ? i < to : i + WIDTH <= to; i += WIDTH)
            simd_store(t->z + i, simd_load(t->z + i) - simd_load(column + i) * z);
        for (; i < to; i++)
            t->z[i] -= column[i] * t->z[k];
    }
}

/* A range of solved unknowns and the rows to update. */
struct stretch {
    const struct tiles *t;
    size_t first, end;
};

/* Rows below the range, in units of TILE_UNIT. */
static void forward_below(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct stretch *s = context;
    const struct tiles *t = s->t;
    size_t begin = s->end + from * TILE_UNIT, end = s->end + to * TILE_UNIT;
    end = end < t->order ? end : t->order;
    for (size_t i = begin; i < end; i += WIDTH) {
        simd sum = simd_load(t->z + i);
        for (size_t k = s->first; k < s->end; k++)
            sum -= simd_load(t->h + k * t->leading + i) * t->z[k];
        simd_store(t->z + i, sum);
    }
}

static bool tiles_solve_together(const struct tiles *t) {
    return helpers_count(t->helpers) > 0 && t->order >= TILED_TOGETHER;
}

static void tiles_forward(const struct tiles *t) {
    if (!tiles_solve_together(t)) {
        forward_alone(t, 0, t->order);
        return;
    }
    for (size_t first = 0; first < t->order; first += TILED_PANEL) {
        struct stretch own = {t, first, t->order - first < TILED_PANEL ? t->order : first + TILED_PANEL};
        const struct helpers_job below = {
            (t->order - own.end + TILE_UNIT - 1) / TILE_UNIT, 4, 1, forward_below, &own, NULL};
        forward_alone(t, first, own.end);
        helpers_share(t->helpers, &below);
    }
}

/* Subtracts rows begin..end of L', the last first, from unknowns from..to: WIDTH at a time, transposed. */
static void backward_rows(const struct tiles *t, size_t begin, size_t end, size_t from, size_t to) {
    for (size_t k = from; k < to; k += WIDTH) {
        simd rows[WIDTH], sums = simd_load(t->z + k);
        for (size_t last = end; last > begin; last -= WIDTH) {
            for (size_t c = 0; c < WIDTH; c++)
                rows[c] = simd_load(t->h + (k + c) * t->leading + last - WIDTH);
            simd_transpose(rows);
            for (size_t i = WIDTH; i-- > 0;)
                sums -= rows[i] * t->z[last - WIDTH + i];
        }
        simd_store(t->z + k, sums);
    }
}

/* z = L'^-1 z in rows from `from` on: the last unknown below `end` first, each subtracted from those above. */
static void backward_alone(const struct tiles *t, size_t from, size_t end) {
    for (; end % WIDTH != 0 && end > from; end--)
        for (size_t k = from; k + 1 < end; k++)
            t->z[k] -= t->h[k * t->leading + end - 1] * t->z[end - 1];
    for (; end > from; end -= WIDTH) {
        size_t begin = end - WIDTH;
        for (size_t i = end; i-- > begin;)
            for (size_t k = begin; k < i; k++)
                t->z[k] -= t->h[k * t->leading + i] * t->z[i];
        backward_rows(t, begin, end, from, begin);
    }
}

/* Subtracts the unknowns of the range, the last first, from those before it, in units of WIDTH. */
static void backward_above(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct stretch *s = context;
    const struct tiles *t = s->t;
    size_t end = s->end;
    for (; end % WIDTH != 0; end--)
        for (size_t k = from * WIDTH; k < to * WIDTH; k++)
            t->z[k] -= t->h[k * t->leading + end - 1] * t->z[end - 1];
    backward_rows(t, s->first, end, from * WIDTH, to * WIDTH);
}

static void tiles_backward(const struct tiles *t) {
    size_t end = t->order;
    if (!tiles_solve_together(t)) {
        backward_alone(t, 0, end);
        return;
    }
    while (end > 0) {
        struct stretch own = {t, (end - 1) / TILED_PANEL * TILED_PANEL, end};
        const struct helpers_job above = {own.first / WIDTH, 8, 1, backward_above, &own, NULL};
        backward_alone(t, own.first, end);
        helpers_share(t->helpers, &above);
        end = own.first;
    }
}

#endif
