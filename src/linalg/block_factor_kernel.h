/* block_factor_kernel.h - dense products in register tiles of TILE_ROWS x TILE_ACROSS entries, the blocked factorisation
 * h = L D L' in panels of TILED_PANEL columns, and the two triangular solves.
 *
 *     h = h + a b',  h = h - a b'     the lower triangle; k ascending, each product rounded before it is added
 *
 * Factors of products are first packed so that the data of a tile are contiguous. Rows of tiles, rows below a panel, and
 * rows updated by a range of unknowns are shared among the helpers: every entry sums its products in the order of k, so
 * that the partition makes no difference. Part of blocked_ldl_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCK_FACTOR_KERNEL_H
#define HN_LINALG_BLOCK_FACTOR_KERNEL_H

/* Registers contain the sums, a column of one factor and a number of the other. TILE_UNIT rows are a whole number of
 * tiles, as rows and as columns, at every WIDTH. */
enum { TILE_VECTORS = 3, TILE_ROWS = TILE_VECTORS * WIDTH, TILE_ACROSS = WIDTH == 8 ? 8 : 4, TILE_UNIT = 24 };

/* c(i, j) plus or minus the sum over k of a(i, k) b(j, k), for one tile of `vectors` SIMD vectors by TILE_ACROSS:
 * columns of a are `apart`, those of b contiguous. */
SIMD_INLINE void tile_multiply(double *c, size_t leading, const double *a, const size_t apart, const double *b,
                               size_t depth, const bool minus, const int vectors) {
    simd sums[TILE_ACROSS][TILE_VECTORS];
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < vectors; v++)
            sums[j][v] = simd_load(c + (size_t)j * leading + (size_t)v * WIDTH);
    for (size_t k = 0; k < depth; k++, a += apart, b += TILE_ACROSS) {
        simd column[TILE_VECTORS];
        for (int v = 0; v < vectors; v++)
            column[v] = simd_load(a + (size_t)v * WIDTH);
        for (int j = 0; j < TILE_ACROSS; j++)
            for (int v = 0; v < vectors; v++)
                sums[j][v] = minus ? sums[j][v] - column[v] * b[j] : sums[j][v] + column[v] * b[j];
    }
    for (int j = 0; j < TILE_ACROSS; j++)
        for (int v = 0; v < vectors; v++)
            simd_store(c + (size_t)j * leading + (size_t)v * WIDTH, sums[j][v]);
}

/* ---- clearing ---- */

enum { CLEAR_UNIT = 4096 };

struct tiles_clearing {
    double *numbers;
    size_t count;
};

static void tiles_clear_part(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles_clearing *c = context;
    size_t end = to * CLEAR_UNIT < c->count ? to * CLEAR_UNIT : c->count;
    memset(c->numbers + from * CLEAR_UNIT, 0, (end - from * CLEAR_UNIT) * sizeof *c->numbers);
}

// NOLINTNEXTLINE(readability-non-const-parameter): written by the jobs
static void tiles_clear(struct helpers *helpers, double *numbers, size_t count) {
    const struct tiles_clearing clearing = {numbers, count};
    const struct helpers_job job = {(count + CLEAR_UNIT - 1) / CLEAR_UNIT, 1, 1, tiles_clear_part, &clearing, NULL};
    helpers_share(helpers, &job);
}

/* ---- products ---- */

/* The update of h: packed factors, one tile after the other, of rows from `row` on and columns from `column` on. */
struct tiles_pair {
    size_t order, row, column, depth, leading;
    double *a, *b;
    double *h;
    const double *m;      /* source of both factors, by columns; NULL: already packed */
    const double *number; /* columns of m are multiplied by these; NULL: not scaled */
    bool tight; /* `order` is a multiple of WIDTH, and tiles end there: the rows below belong to another thread */
};

/* Packs tiles from..to of rows of m. */
static void tiles_pack_rows(const struct tiles_pair *p, size_t from, size_t to) {
    double *into = p->a + from * TILE_ROWS * p->depth;
    for (size_t tile = from; tile < to; tile++)
        for (size_t k = 0; k < p->depth; k++)
            for (int v = 0; v < TILE_VECTORS; v++, into += WIDTH)
                simd_store(into, simd_load(p->m + k * p->leading + p->row + tile * TILE_ROWS + (size_t)v * WIDTH));
}

/* The same for columns, scaled by their numbers. */
static void tiles_pack_columns(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct tiles_pair *p = context;
    double *into = p->b + from * TILE_ACROSS * p->depth;
    for (size_t tile = from; tile < to; tile++)
        for (size_t k = 0; k < p->depth; k++) {
            const double *column = p->m + k * p->leading + p->column + tile * TILE_ACROSS;
            const double factor = p->number ? p->number[k] : 1;
            for (int c = 0; c < TILE_ACROSS; c++)
                *into++ = column[c] * factor;
        }
}

/* A row of tiles of the lower triangle, `vectors` vectors high. */
SIMD_INLINE void tiles_row(const struct tiles_pair *p, size_t tile, const bool minus, const int vectors) {
    size_t i = p->row + tile * TILE_ROWS, end = i + TILE_ROWS < p->order ? i + TILE_ROWS : p->order;
    const double *a = p->a + tile * TILE_ROWS * p->depth;
    for (size_t j = p->column; j < end; j += TILE_ACROSS)
        tile_multiply(p->h + j * p->leading + i, p->leading, a, TILE_ROWS, p->b + (j - p->column) * p->depth, p->depth,
                      minus, vectors);
}

/* Rows of tiles from..to of the lower triangle. */
SIMD_INLINE void tiles_multiply(const struct tiles_pair *p, size_t from, size_t to, const bool minus) {
    if (p->m)
        tiles_pack_rows(p, from, to);
    for (size_t tile = from; tile < to; tile++) {
        size_t i = p->row + tile * TILE_ROWS, left = p->order - i;
        if (left >= TILE_ROWS || !p->tight)
            tiles_row(p, tile, minus, TILE_VECTORS);
        else if (left > WIDTH)
            tiles_row(p, tile, minus, 2);
        else
            tiles_row(p, tile, minus, 1);
    }
}

static void tiles_add(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    tiles_multiply(context, from, to, false);
}

static void tiles_subtract(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    tiles_multiply(context, from, to, true);
}

/* h = h +- a b' */
static void tiles_update(const struct tiles_pair *p, struct helpers *helpers, bool minus) {
    size_t across = p->order > p->column ? (p->order - p->column + TILE_ACROSS - 1) / TILE_ACROSS : 0;
    size_t down = p->order > p->row ? (p->order - p->row + TILE_ROWS - 1) / TILE_ROWS : 0;
    const struct helpers_job columns = {across, 4, 1, tiles_pack_columns, p, NULL};
    const struct helpers_job rows = {down, 1, 4, minus ? tiles_subtract : tiles_add, p, NULL};
    if (p->m)
        helpers_share(helpers, &columns);
    helpers_share(helpers, &rows);
}

/* h += M M' in rows from `row` on; pack: 2 TILED_DEPTH columns. */
static void tiles_gram(const struct tiled_gram *g, size_t row) {
    for (size_t k = 0; k < g->depth; k += TILED_DEPTH) {
        const struct tiles_pair pair = {.order = g->order,
                                        .row = row,
                                        .depth = g->depth - k < TILED_DEPTH ? g->depth - k : TILED_DEPTH,
                                        .leading = g->leading,
                                        .a = g->pack,
                                        .b = g->pack + TILED_DEPTH * g->leading,
                                        .h = g->h,
                                        .m = g->m + k * g->leading};
        tiles_update(&pair, g->helpers, false);
    }
}

/* ---- the factorisation ---- */

/* Columns first..end of the factor, or these unknowns. */
struct panel {
    const struct tiles *t;
    size_t first, end;
};

/* For the group of TILE_ACROSS columns that begins with j: n = L D of the panel's preceding columns, in the rows of the
 * group. */
static double *panel_numbers(const struct panel *p, size_t j) {
    size_t groups = (j - p->first) / TILE_ACROSS;
    return p->t->n + groups * (groups - 1) / 2 * TILE_ACROSS * TILE_ACROSS;
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
static size_t panel_row_numbers(const struct tiles *t, size_t group, size_t j, double n[TILE_ACROSS]) {
    for (size_t k = 0; k < j - group; k++)
        n[k] = t->h[(group + k) * t->leading + j] * t->d[group + k];
    return j - group;
}

/* d_j and its inverse; the inverse is 0 for a pivot lost to rounding. */
static void panel_pivot(const struct tiles *t, size_t group, size_t j) {
    double n[TILE_ACROSS], d = t->h[j * t->leading + j];
    size_t before_count = panel_row_numbers(t, group, j, n);
    for (size_t k = 0; k < before_count; k++)
        d -= t->h[(group + k) * t->leading + j] * n[k];
    t->d[j] = d;
    t->inverse[j] = t->whole[j] * 0x1p-50 < d ? 1 / d : 0;
}

/* Column j of L in rows from..to; only at the last row may SIMD vectors extend beyond the end. */
SIMD_INLINE void panel_column(const struct tiles *t, size_t group, size_t j, size_t from, size_t to) {
    double *column = t->h + j * t->leading, n[TILE_ACROSS], inverse = t->inverse[j];
    const double *before = t->h + group * t->leading;
    size_t before_count = panel_row_numbers(t, group, j, n), i = from;
    for (; to == t->order ? i < to : i + WIDTH <= to; i += WIDTH) {
        simd sum = simd_load(column + i);
        for (size_t k = 0; k < before_count; k++)
            sum -= simd_load(before + k * t->leading + i) * n[k];
        simd_store(column + i, sum * inverse);
    }
    for (; i < to; i++) {
        double sum = column[i];
        for (size_t k = 0; k < before_count; k++)
            sum -= before[k * t->leading + i] * n[k];
        column[i] = sum * inverse;
    }
}

/* Subtracts from rows from..to, in the group that begins with column j, the products of the panel's preceding
 * columns. */
static void panel_subtract(const struct panel *p, size_t j, size_t from, size_t to) {
    const struct tiles *t = p->t;
    const double *before = t->h + p->first * t->leading, *b = panel_numbers(p, j);
    size_t i = from, depth = j - p->first;
    for (; to == t->order ? i < to : i + TILE_ROWS <= to; i += TILE_ROWS)
        tile_multiply(t->h + j * t->leading + i, t->leading, before + i, t->leading, b, depth, true, TILE_VECTORS);
    for (; i < to; i += WIDTH) /* the panel's diagonal rows and its groups are multiples of WIDTH */
        tile_multiply(t->h + j * t->leading + i, t->leading, before + i, t->leading, b, depth, true, 1);
}

/* Rows from..to, those of the panel (corner) or below it: in groups of TILE_ACROSS columns, subtracts the products of the
 * panel's preceding columns, then factors the group. */
static void panel_factor(const struct panel *p, size_t from, size_t to, bool corner) {
    const struct tiles *t = p->t;
    for (size_t j = p->first; j < p->end; j += TILE_ACROSS) {
        if (j > p->first && corner)
            panel_prepare(p, j);
        if (j > p->first)
            panel_subtract(p, j, corner ? j : from, to);
        for (size_t c = j; c < j + TILE_ACROSS && c < p->end; c++) {
            if (corner)
                panel_pivot(t, j, c);
            panel_column(t, j, c, corner ? c + 1 : from, to);
        }
    }
}

/* Rows below the panel, in units of TILE_UNIT. */
static size_t panel_units(const struct panel *p) {
    return (p->t->order - p->end + TILE_UNIT - 1) / TILE_UNIT;
}

static size_t panel_row(const struct panel *p, size_t unit) {
    size_t row = p->end + unit * TILE_UNIT;
    return row < p->t->order ? row : p->t->order;
}

static void panel_below(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct panel *p = context;
    panel_factor(p, panel_row(p, from), panel_row(p, to), false);
}

static void tiles_panel(const struct panel *panel) {
    const struct tiles *t = panel->t;
    const struct helpers_job below = {panel_units(panel), 1, 1, panel_below, panel, NULL};
    bool shared = helpers_count(t->helpers) > 0 && below.count >= 2;
    panel_factor(panel, panel->first, shared ? panel->end : t->order, true);
    if (shared)
        helpers_share(t->helpers, &below);
}

static void tiles_factor(const struct tiles *t) {
    for (size_t first = 0; first < t->order; first += TILED_PANEL) {
        size_t end = t->order - first < TILED_PANEL ? t->order : first + TILED_PANEL;
        const struct panel panel = {t, first, end};
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
        tiles_panel(&panel);
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

/* Rows below the unknowns, in units of TILE_UNIT. */
static void forward_below(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct panel *p = context;
    const struct tiles *t = p->t;
    size_t end = panel_row(p, to);
    for (size_t i = panel_row(p, from); i < end; i += WIDTH) {
        simd sum = simd_load(t->z + i);
        for (size_t k = p->first; k < p->end; k++)
            sum -= simd_load(t->h + k * t->leading + i) * t->z[k];
        simd_store(t->z + i, sum);
    }
}

/* Unknowns from the first on that are solved before their products are subtracted from the others. */
static size_t solve_step(const struct tiles *t) {
    return helpers_count(t->helpers) > 0 && t->order >= TILED_TOGETHER ? TILED_PANEL : t->order;
}

static void tiles_forward(const struct tiles *t) {
    const size_t step = solve_step(t);
    for (size_t first = 0; first < t->order; first += step) {
        struct panel own = {t, first, t->order - first < step ? t->order : first + step};
        const struct helpers_job below = {panel_units(&own), 4, 1, forward_below, &own, NULL};
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

/* Subtracts the unknowns, the last first, from those before them, in units of WIDTH. */
static void backward_above(const void *context, void *own, size_t from, size_t to) {
    (void)own;
    const struct panel *p = context;
    const struct tiles *t = p->t;
    size_t end = p->end;
    for (; end % WIDTH != 0; end--)
        for (size_t k = from * WIDTH; k < to * WIDTH; k++)
            t->z[k] -= t->h[k * t->leading + end - 1] * t->z[end - 1];
    backward_rows(t, p->first, end, from * WIDTH, to * WIDTH);
}

static void tiles_backward(const struct tiles *t) {
    const size_t step = solve_step(t);
    for (size_t end = t->order; end > 0;) {
        struct panel own = {t, (end - 1) / step * step, end};
        const struct helpers_job above = {own.first / WIDTH, 8, 1, backward_above, &own, NULL};
        backward_alone(t, own.first, end);
        helpers_share(t->helpers, &above);
        end = own.first;
    }
}

#endif
