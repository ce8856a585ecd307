/* damped_system.c - chooses the side and the kind of factor by predicted cost, and builds the lists.
 *
 * Costs are counted in multiply-adds. With the same eps both sides give the same step; the rows' side is chosen unless
 * the outputs' side is clearly cheaper, because it stays well conditioned when few rows are active and eps is tiny.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/damped_system.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "linalg/factor_list.h"

#include <math.h>
#include <string.h>

static const double MOST_PRODUCTS = 0x1p29; /* more multiply-adds per step are refused */
static const double MOST_TILED = 0x1p36;    /* the same without lists */
static const double MOST_LISTED = 0x1p24;   /* pairs: 128 MB of lists */
static const double CLEARLY = 0.5;          /* the outputs' side must cost less than this fraction of the rows', */
static const double DAMPED_ENOUGH = 1e-4;   /* unless the damping is always at least this: then just less */
static const double DENSE_FROM = 0.6;       /* of all entries below the diagonal */
static const double FULL_FROM = 0.5; /* of the entries of M: then M M' is assumed dense without computing its pattern */
static const size_t DENSE_ORDER = 16, MOST_NONZEROS = (size_t)1 << 28;

/* One candidate: M, and its predicted cost. */
struct side {
    const struct vectors *rows, *columns; /* of M */
    struct vectors pattern;               /* of M M' */
    double cost, products;
    size_t nonzeros;
    const struct border *border; /* NULL: no columns kept out; else rows and columns are those of M without them, */
    const struct vectors *whole, *whole_columns; /* and these those of all of M */
};

/* Whether the system is known to be dense and large enough for tiles. */
static bool is_tiled(const struct vectors *rows, const struct damped_request *request) {
    double entries = (double)rows->first[rows->count], all = (double)rows->count * (double)rows->across;
    return request->tiled_from > 0 && rows->count >= request->tiled_from && entries >= FULL_FROM * all;
}

static void predict_tiled(struct side *side) {
    double order = (double)side->rows->count;
    side->nonzeros = side->rows->count * (side->rows->count - 1) / 2;
    if (side->products <= MOST_TILED)
        side->cost = side->products + order * order * order / 6 + order * order;
}

static hn_status count_factor(struct side *side, double *work, hn_error *error) {
    const struct symbolic_request request = {
        .n = side->rows->count, .first = side->pattern.first, .index = side->pattern.index};
    return symbolic_count(&request, &side->nonzeros, work, error);
}

static hn_status predict(struct side *side, const struct vectors *rows, const struct vectors *columns,
                         const struct damped_request *request, hn_error *error) {
    *side = (struct side){.rows = rows, .columns = columns, .cost = INFINITY};
    side->products = gram_products(columns) / 2;
    if (is_tiled(rows, request)) {
        predict_tiled(side);
        return HN_OK;
    }
    if (side->products > MOST_PRODUCTS)
        return HN_OK;
    double work = 0;
    hn_status status = gram_pattern(&side->pattern, rows, columns, error);
    if (status == HN_OK)
        status = count_factor(side, &work, error);
    if (status == HN_OK)
        side->cost = side->products + work + 2 * (double)side->nonzeros + (double)rows->count;
    return status;
}

/* ---- products with A and A' ---- */

static hn_status list_product(struct product *out, const struct vectors *vectors, const struct damped_matrix *matrix,
                              hn_error *error) {
    size_t capacity = 0, at = 0;
    out->count = vectors->count;
    out->words = vectors->count + 2 * vectors->first[vectors->count];
    out->stream = array_grow(NULL, &capacity, out->words + 1, sizeof *out->stream);
    if (!out->stream)
        return error_no_memory(error, "the products with the Jacobian");
    for (size_t i = 0; i < vectors->count; i++) {
        out->stream[at++] = (uint32_t)(vectors->first[i + 1] - vectors->first[i]);
        for (size_t e = vectors->first[i]; e < vectors->first[i + 1]; e++) {
            out->stream[at++] = matrix->offset[vectors->entry[e]];
            out->stream[at++] = vectors->index[e] * matrix->stride;
        }
    }
    return HN_OK;
}

hn_status product_create(struct product *out, const struct damped_matrix *matrix, bool transposed, hn_error *error) {
    struct vectors by_rows = {0}, by_columns = {0};
    *out = (struct product){0};
    hn_status status = vectors_copy(&by_rows, matrix->rows, matrix->columns, matrix->first, matrix->column, error);
    if (status == HN_OK && transposed)
        status = vectors_transpose(&by_columns, &by_rows, error);
    if (status == HN_OK)
        status = list_product(out, transposed ? &by_columns : &by_rows, matrix, error);
    vectors_release(&by_rows);
    vectors_release(&by_columns);
    return status;
}

/* ---- the factor ---- */

/* Storage: zero, range of pivots, 1/D, L, then -L D or the data of the other kinds, then solutions with added unknowns,
 * then constants. */
static hn_status place_storage(struct damped *system, const struct symbolic *symbolic,
                               const struct damped_request *request, size_t *next, hn_error *error) {
    uint32_t stride = request->matrix.stride;
    size_t slot = request->storage / stride, entries = system->nonzeros;
    if (system->kind == FACTOR_DENSE)
        entries = system->order * (system->order + 1) / 2;
    size_t second = system->kind == FACTOR_LISTED ? negated_slots(symbolic) : 2 * system->order;
    if (slot + 3 + 3 * system->order + entries + second > UINT32_MAX / stride / 2)
        return error_set(error, HN_LIMIT,
                         "the factor of the system has %zu entries, more than 32-bit offsets can address", entries);
    system->zero = (uint32_t)(slot * stride);
    system->pivot_range = (uint32_t)((slot + 1) * stride);
    system->inverse = (uint32_t)((slot + 3) * stride);
    system->lower = (uint32_t)((slot + 3 + system->order) * stride);
    system->negated = (uint32_t)((slot + 3 + system->order + entries) * stride);
    *next = slot + 3 + system->order + entries + second;
    system->solution = (uint32_t)(*next * stride);
    *next += system->added > 0 ? 2 * system->order : 0;
    return HN_OK;
}

static uint32_t *copy_sizes(const size_t *list, size_t count) {
    size_t capacity = 0;
    uint32_t *copy = array_grow(NULL, &capacity, count + 1, sizeof *copy);
    for (size_t i = 0; copy && i < count; i++)
        copy[i] = (uint32_t)list[i]; /* no overflow: the factor has at most MOST_NONZEROS entries */
    return copy;
}

static void *copy_list(const void *list, size_t count, size_t size) {
    size_t capacity = 0;
    void *copy = array_grow(NULL, &capacity, count + 1, size);
    if (copy && count)
        memcpy(copy, list, count * size);
    return copy;
}

/* For a walked factor: the pattern of L by rows. */
static bool keep_rows(struct damped *system, const struct symbolic *symbolic) {
    size_t nonzeros = symbolic->nonzeros;
    system->row_number = copy_list(symbolic->row_index, nonzeros, sizeof *system->row_number);
    system->row_first = copy_sizes(symbolic->row_first, symbolic->n + 1);
    system->row_column = copy_list(symbolic->column_index, nonzeros, sizeof *system->row_column);
    system->row_entry = copy_list(symbolic->row_entry, nonzeros, sizeof *system->row_entry);
    return system->row_number && system->row_first && system->row_column && system->row_entry;
}

/* For the solves: the offset of each unknown in a vector, and the pattern of L. */
static hn_status keep_pattern(struct damped *system, const struct symbolic *symbolic, uint32_t stride,
                              hn_error *error) {
    size_t n = symbolic->n, nonzeros = symbolic->nonzeros;
    system->permutation = copy_list(symbolic->order, n, sizeof *system->permutation);
    system->column_first = copy_sizes(symbolic->column_first, n + 1);
    system->row_offset = copy_list(symbolic->row_index, nonzeros, sizeof *system->row_offset);
    bool kept = system->permutation && system->column_first && system->row_offset;
    if (!kept || (system->kind == FACTOR_WALKED && !keep_rows(system, symbolic)))
        return error_no_memory(error, "the pattern of the factor");
    for (size_t e = 0; e < nonzeros; e++)
        system->row_offset[e] = symbolic->order[symbolic->row_index[e]] * stride;
    for (size_t k = 0; k < n; k++)
        system->permutation[k] *= stride;
    return HN_OK;
}

static hn_status lister_begin(struct lister *lister, size_t order, hn_error *error) {
    size_t capacity[5] = {0};
    lister->target = array_grow(NULL, &capacity[0], order + 1, sizeof *lister->target);
    lister->sums = array_grow(NULL, &capacity[1], order + 1, sizeof *lister->sums);
    lister->rests = array_grow(NULL, &capacity[2], order + 1, sizeof *lister->rests);
    lister->cursor = array_grow(NULL, &capacity[3], order + 1, sizeof *lister->cursor);
    lister->folded = array_grow(NULL, &capacity[4], order + 1, sizeof *lister->folded);
    return lister->target && lister->sums && lister->rests && lister->cursor && lister->folded
               ? HN_OK
               : error_no_memory(error, "the lists of the system");
}

static void lister_end(struct lister *lister) {
    base_release(lister->target);
    base_release(lister->sums);
    base_release(lister->rests);
    base_release(lister->cursor);
    base_release(lister->folded);
    base_release(lister->negated);
    base_release(lister->table);
}

static hn_status write_lists(struct damped *system, const struct side *side, const struct symbolic *symbolic,
                             const struct damped_request *request, hn_error *error) {
    struct lister lister = {.system = system,
                            .request = request,
                            .rows = side->rows,
                            .columns = side->columns,
                            .border = side->border,
                            .whole = side->whole,
                            .whole_columns = side->whole_columns,
                            .symbolic = system->kind == FACTOR_DENSE ? NULL : symbolic};
    size_t next = 0;
    hn_status status = place_storage(system, symbolic, request, &next, error);
    if (status == HN_OK) {
        lister.next_place = (uint32_t)(next * request->matrix.stride);
        status = lister_begin(&lister, system->order, error);
    }
    if (status == HN_OK && lister.border)
        status = lister_constant(&lister, 1, &lister.one, error);
    if (status == HN_OK)
        status = system->kind == FACTOR_LISTED ? factor_list(&lister, error) : gram_list(&lister, error);
    system->slots = next + system->constant_count - request->storage / request->matrix.stride;
    lister_end(&lister);
    return status;
}

static void choose_kind(struct damped *system, const struct side *side, const struct damped_request *request) {
    size_t added = side->border ? side->border->count : 0, order = side->rows->count + added;
    double full = (double)order * (double)(order > 0 ? order - 1 : 0) / 2;
    system->order = order;
    system->added = added;
    system->nonzeros = side->nonzeros;
    system->multiply_adds = side->cost;
    system->kind = side->cost <= MOST_LISTED ? FACTOR_LISTED : FACTOR_WALKED;
    if (added > 0)
        return;
    if (order >= DENSE_ORDER && (double)side->nonzeros >= DENSE_FROM * full)
        system->kind = FACTOR_DENSE;
    if (system->kind == FACTOR_DENSE && request->tiled_from > 0 && order >= request->tiled_from)
        system->kind = FACTOR_TILED;
}

/* Zero and the range of pivots; the rest is in the executor's memory. */
static void place_tiled(struct damped *system, const struct damped_request *request) {
    system->zero = request->storage;
    system->pivot_range = request->storage + request->matrix.stride;
    system->slots = 3;
}

static hn_status build_factor(struct damped *system, const struct side *side, const struct damped_request *request,
                              hn_error *error) {
    struct symbolic symbolic = {0};
    choose_kind(system, side, request);
    hn_status status = HN_OK;
    if (system->kind == FACTOR_TILED) {
        place_tiled(system, request);
        return HN_OK;
    }
    if (system->kind != FACTOR_DENSE) {
        const struct symbolic_request wanted = {system->order,       side->pattern.first,
                                                side->pattern.index, MOST_NONZEROS,
                                                ARRANGED_SHALLOW,    side->border ? side->border->order : NULL};
        status = symbolic_create(&symbolic, &wanted, error);
        if (status == HN_OK)
            status = keep_pattern(system, &symbolic, request->matrix.stride, error);
    }
    if (status == HN_OK)
        status = write_lists(system, side, &symbolic, request, error);
    symbolic_release(&symbolic);
    return status;
}

/* ---- both sides ---- */

/* The fraction of the rows' cost that the outputs' side must stay below. */
static double bonus_of(const struct damped_request *request) {
    return request->fixed_shift >= DAMPED_ENOUGH ? 1 : CLEARLY;
}

/* Predicts both sides, the one with fewer products in M M' first. A side costs at least its products: if they decide
 * the choice, the pattern of the other side, which may be dense, is not computed, and its cost is set to infinity. */
static hn_status predict_sides(struct side sides[2], const struct vectors *by_rows, const struct vectors *by_columns,
                               const struct damped_request *request, hn_error *error) {
    double rows = gram_products(by_columns) / 2, outputs = gram_products(by_rows) / 2, bonus = bonus_of(request);
    hn_status status = HN_OK;
    if (request->rows_side_only || rows <= outputs) {
        status = predict(&sides[0], by_rows, by_columns, request, error);
        if (status == HN_OK && !request->rows_side_only && outputs < bonus * sides[0].cost)
            status = predict(&sides[1], by_columns, by_rows, request, error);
        return status;
    }
    status = predict(&sides[1], by_columns, by_rows, request, error);
    if (status == HN_OK && sides[1].cost >= bonus * rows)
        status = predict(&sides[0], by_rows, by_columns, request, error);
    return status;
}

static hn_status choose_side(struct damped *out, struct side sides[2], const struct damped_request *request,
                             hn_error *error) {
    bool other = !request->rows_side_only && sides[1].cost < bonus_of(request) * sides[0].cost;
    if (isinf(sides[other].cost))
        return error_set(error, HN_LIMIT,
                         "a step would need more than %.0g products: a column has entries in too many rows%s",
                         MOST_PRODUCTS, request->rows_side_only ? "" : " and a row in too many columns");
    out->outputs_side = other;
    return build_factor(out, &sides[other], request, error);
}

/* ---- columns kept out ---- */

/* An upper bound on the cost of a side: that of a dense factor. */
static double most_cost(const struct vectors *rows, const struct vectors *columns) {
    double order = (double)rows->count;
    return gram_products(columns) / 2 + order * order * order / 6 + order * order;
}

/* The cost from which on a border gains too little, whatever the other costs. */
static double border_limit(const struct vectors *by_rows, const struct vectors *by_columns,
                           const struct damped_request *request) {
    double rows = most_cost(by_rows, by_columns), outputs = most_cost(by_columns, by_rows) / bonus_of(request);
    return fmin(MOST_PRODUCTS, CLEARLY * (request->rows_side_only ? rows : fmin(rows, outputs)));
}

/* The better of the two sides with columns kept out; of infinite cost if that gains nothing. */
static hn_status choose_border(struct side *out, struct border borders[2], const struct vectors *by_rows,
                               const struct vectors *by_columns, const struct damped_request *request,
                               hn_error *error) {
    struct border_request wanted = {by_rows, by_columns, request->undamped, border_limit(by_rows, by_columns, request)};
    hn_status status = border_choose(&borders[0], &wanted, error);
    wanted =
        (struct border_request){by_columns, by_rows, NULL, fmin(bonus_of(request) * borders[0].cost, wanted.limit)};
    if (status == HN_OK && !request->rows_side_only && !request->undamped)
        status = border_choose(&borders[1], &wanted, error);
    bool other = borders[1].count > 0;
    const struct border *border = &borders[other];
    *out = (struct side){.rows = &border->rows,
                         .columns = &border->columns,
                         .pattern = border->pattern,
                         .cost = border->cost,
                         .nonzeros = border->nonzeros,
                         .border = border,
                         .whole = other ? by_columns : by_rows,
                         .whole_columns = other ? by_rows : by_columns};
    return status;
}

/* Whether no other choice can be as cheap: every other one includes the products of one side. */
static bool border_wins(const struct side *border, const struct vectors *by_rows, const struct vectors *by_columns,
                        const struct damped_request *request) {
    double rows = gram_products(by_columns) / 2, outputs = gram_products(by_rows) / 2;
    return border->cost < CLEARLY * (request->rows_side_only ? rows : fmin(rows, outputs));
}

static hn_status build_plain(struct damped *out, const struct vectors *by_rows, const struct vectors *by_columns,
                             const struct side *border, const struct damped_request *request, hn_error *error) {
    struct side sides[2] = {{.cost = INFINITY}, {.cost = INFINITY}};
    hn_status status = predict_sides(sides, by_rows, by_columns, request, error);
    bool other = !request->rows_side_only && sides[1].cost < bonus_of(request) * sides[0].cost;
    if (status == HN_OK && border->cost < CLEARLY * sides[other].cost) {
        out->outputs_side = border->whole == by_columns;
        status = build_factor(out, border, request, error);
    } else if (status == HN_OK)
        status = choose_side(out, sides, request, error);
    vectors_release(&sides[0].pattern);
    vectors_release(&sides[1].pattern);
    return status;
}

static hn_status build_system(struct damped *out, const struct vectors *by_rows, const struct vectors *by_columns,
                              const struct damped_request *request, hn_error *error) {
    struct border borders[2] = {{.cost = INFINITY}, {.cost = INFINITY}};
    struct side border = {.cost = INFINITY};
    hn_status status = HN_OK;
    if (request->may_border)
        status = choose_border(&border, borders, by_rows, by_columns, request, error);
    if (status == HN_OK && border_wins(&border, by_rows, by_columns, request)) {
        out->outputs_side = border.whole == by_columns;
        status = build_factor(out, &border, request, error);
    } else if (status == HN_OK)
        status = build_plain(out, by_rows, by_columns, &border, request, error);
    border_release(&borders[0]);
    border_release(&borders[1]);
    return status;
}

static hn_status damped_system_build(struct damped *out, const struct vectors *by_rows,
                                     const struct vectors *by_columns, const struct damped_request *request,
                                     hn_error *error) {
    hn_status status = list_product(&out->by_rows, by_rows, &request->matrix, error);
    if (status == HN_OK)
        status = list_product(&out->by_columns, by_columns, &request->matrix, error);
    return status == HN_OK ? build_system(out, by_rows, by_columns, request, error) : status;
}

hn_status damped_create(struct damped *out, const struct damped_request *request, hn_error *error) {
    const struct damped_matrix *matrix = &request->matrix;
    struct vectors by_rows = {0}, by_columns = {0};
    *out = (struct damped){0};
    hn_status status = vectors_copy(&by_rows, matrix->rows, matrix->columns, matrix->first, matrix->column, error);
    if (status == HN_OK)
        status = vectors_transpose(&by_columns, &by_rows, error);
    if (status == HN_OK)
        status = damped_system_build(out, &by_rows, &by_columns, request, error);
    vectors_release(&by_rows);
    vectors_release(&by_columns);
    if (status != HN_OK)
        damped_release(out);
    return status;
}

void damped_release(struct damped *system) {
    base_release(system->by_rows.stream);
    base_release(system->by_columns.stream);
    base_release(system->stream);
    base_release(system->permutation);
    base_release(system->column_first);
    base_release(system->row_offset);
    base_release(system->row_number);
    base_release(system->row_first);
    base_release(system->row_column);
    base_release(system->row_entry);
    base_release(system->constants);
    *system = (struct damped){0};
}
