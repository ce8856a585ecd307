/* damped_system.c - chooses the side and the kind of factor by predicted cost, and builds the lists.
 *
 * Costs are counted in multiply-adds. With the same eps both sides give the same step; the rows' side is chosen unless
 * the outputs' side is clearly cheaper, because it stays well conditioned when few rows are active and eps is tiny.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/damped_system.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "linalg/factor_list.h"

#include <math.h>
#include <string.h>

static const double MOST_PRODUCTS = 0x1p29; /* multiply-adds per step; more are rejected */
static const double MOST_TILED = 0x1p36;    /* the same without lists */
static const double MOST_LISTED = 0x1p24;   /* pairs: 128 MB of lists */
static const double CLEARLY = 0.5;          /* the outputs' side must cost less than this fraction of the rows' side, */
static const double DAMPED_ENOUGH = 1e-4;   /* unless the damping is always at least this: then only less */
static const double DENSE_FROM = 0.6;       /* of all entries below the diagonal */
static const double FULL_FROM = 0.5; /* of the entries of M: then M M' is assumed dense without computing its pattern */
static const size_t DENSE_ORDER = 16, MOST_NONZEROS = (size_t)1 << 28;

/* One candidate: M without columns kept out, and its predicted cost. */
struct side {
    bool outputs;                         /* M = A' */
    const struct vectors *rows, *columns; /* of M */
    struct vectors pattern;               /* of M M' */
    double cost;
    size_t nonzeros;
    const struct border *border; /* NULL: no columns kept out */
};

/* The candidates: the rows' side, then the outputs' side; without a border or the better one with a border. */
struct choice {
    const struct damped_request *request;
    struct vectors by_rows, by_columns; /* A */
    double products[2];                 /* in M M' of each side */
    double bonus;                       /* the outputs' side must cost less than this fraction of the rows' */
    struct side plain[2], bordered;
    struct border borders[2];
};

/* ---- sides without a border ---- */

/* Products, factorisation and solves of a dense system. */
static double dense_cost(double products, size_t rows) {
    double order = (double)rows;
    return products + order * order * order / 6 + order * order;
}

/* Whether the system is known to be dense and large enough for tiles. */
static bool is_tiled(const struct vectors *rows, const struct damped_request *request) {
    double entries = (double)rows->first[rows->count], all = (double)rows->count * (double)rows->across;
    return request->tiled_from > 0 && rows->count >= request->tiled_from && entries >= FULL_FROM * all;
}

static hn_status predict(struct choice *choice, bool outputs, hn_error *error) {
    struct side *side = &choice->plain[outputs];
    double products = choice->products[outputs], work = 0;
    size_t order = side->rows->count;
    if (is_tiled(side->rows, choice->request)) {
        side->nonzeros = order * (order - 1) / 2;
        side->cost = products <= MOST_TILED ? dense_cost(products, order) : INFINITY;
        return HN_OK;
    }
    if (products > MOST_PRODUCTS)
        return HN_OK;
    if (!gram_pattern(&side->pattern, side->rows, side->columns))
        return error_no_memory(error, "the pattern of the system");
    const struct symbolic_request request = {.n = order, .first = side->pattern.first, .index = side->pattern.index};
    hn_status status = symbolic_count(&request, &side->nonzeros, &work, error);
    if (status == HN_OK)
        side->cost = products + work + 2 * (double)side->nonzeros + (double)order;
    return status;
}

/* Predicts both sides, the one with fewer products in M M' first. A side costs at least its products: if they decide
 * the choice, the pattern of the other side, which may be dense, is not computed, and its cost stays infinite. */
static hn_status predict_sides(struct choice *choice, hn_error *error) {
    const double *products = choice->products;
    bool alone = choice->request->rows_side_only, first = !alone && products[0] > products[1];
    hn_status status = predict(choice, first, error);
    double cost = choice->plain[first].cost;
    bool wins = first ? cost < choice->bonus * products[0] : alone || products[1] >= choice->bonus * cost;
    return status == HN_OK && !wins ? predict(choice, !first, error) : status;
}

/* ---- sides with columns kept out ---- */

/* The cost from which a border gains too little, independent of the other costs: it competes with dense factors. */
static double border_limit(const struct choice *choice) {
    double rows = dense_cost(choice->products[0], choice->by_rows.count);
    double outputs = dense_cost(choice->products[1], choice->by_columns.count) / choice->bonus;
    return fmin(MOST_PRODUCTS, CLEARLY * (choice->request->rows_side_only ? rows : fmin(rows, outputs)));
}

/* The better of the two sides with columns kept out; its cost is infinite if there is no gain. */
static hn_status choose_border(struct choice *choice, hn_error *error) {
    const struct damped_request *request = choice->request;
    struct border *borders = choice->borders;
    struct border_request wanted = {&choice->by_rows, &choice->by_columns, request->undamped, border_limit(choice)};
    hn_status status = border_choose(&borders[0], &wanted, error);
    wanted.rows = &choice->by_columns;
    wanted.columns = &choice->by_rows;
    wanted.limit = fmin(choice->bonus * borders[0].cost, wanted.limit);
    if (status == HN_OK && !request->rows_side_only && !request->undamped)
        status = border_choose(&borders[1], &wanted, error);
    bool outputs = borders[1].count > 0;
    const struct border *border = &borders[outputs];
    choice->bordered = (struct side){outputs,          &border->rows, &border->columns, border->pattern, border->cost,
                                     border->nonzeros, border};
    return status;
}

/* ---- products with A and A' ---- */

static bool list_product(struct product *out, const struct vectors *vectors, const struct damped_matrix *matrix) {
    size_t capacity = 0, at = 0;
    out->count = vectors->count;
    out->words = vectors->count + 2 * vectors->first[vectors->count];
    out->stream = array_grow(NULL, &capacity, out->words + 1, sizeof *out->stream);
    for (size_t i = 0; out->stream && i < vectors->count; i++) {
        out->stream[at++] = (uint32_t)(vectors->first[i + 1] - vectors->first[i]);
        for (size_t e = vectors->first[i]; e < vectors->first[i + 1]; e++) {
            out->stream[at++] = matrix->offset[vectors->entry[e]];
            out->stream[at++] = vectors->index[e] * matrix->stride;
        }
    }
    return out->stream != NULL;
}

/* A by rows and by columns. */
static bool copy_matrix(struct vectors *by_rows, struct vectors *by_columns, const struct damped_matrix *matrix) {
    return vectors_copy(by_rows, matrix->rows, matrix->columns, matrix->first, matrix->column) &&
           vectors_transpose(by_columns, by_rows);
}

hn_status product_create(struct product *out, const struct damped_matrix *matrix, bool transposed, hn_error *error) {
    struct vectors by_rows = {0}, by_columns = {0};
    *out = (struct product){0};
    bool made =
        copy_matrix(&by_rows, &by_columns, matrix) && list_product(out, transposed ? &by_columns : &by_rows, matrix);
    vectors_release(&by_rows);
    vectors_release(&by_columns);
    return made ? HN_OK : error_no_memory(error, "the products with the Jacobian");
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

static uint32_t *put_list(uint32_t **list, uint32_t *at, const uint32_t *from, size_t count) {
    *list = at;
    memcpy(at, from, count * sizeof *at);
    return at + count;
}

/* For the solves: the offset of each unknown in a vector, and the pattern of L; a walked factor also has it by rows. All
 * lists are in one block, which begins with the permutation. */
static hn_status keep_pattern(struct damped *system, const struct symbolic *s, uint32_t stride, hn_error *error) {
    size_t n = s->n, nonzeros = s->nonzeros, lists = system->kind == FACTOR_WALKED ? 4 : 1;
    size_t count = size_sum(3 * n + 2, size_product(lists, nonzeros));
    uint32_t *at = base_allocate(size_product(count, sizeof *at));
    if (!at)
        return error_no_memory(error, "the pattern of the factor");
    at = put_list(&system->permutation, at, s->order, n);
    at = put_list(&system->column_first, at, s->column_first, n + 1);
    at = put_list(&system->row_offset, at, s->row_index, nonzeros);
    if (system->kind == FACTOR_WALKED) {
        at = put_list(&system->row_number, at, s->row_index, nonzeros);
        at = put_list(&system->row_first, at, s->row_first, n + 1);
        at = put_list(&system->row_column, at, s->column_index, nonzeros);
        put_list(&system->row_entry, at, s->row_entry, nonzeros);
    }
    for (size_t e = 0; e < nonzeros; e++)
        system->row_offset[e] = s->order[s->row_index[e]] * stride;
    for (size_t k = 0; k < n; k++)
        system->permutation[k] *= stride;
    return HN_OK;
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

static hn_status write_lists(struct damped *system, const struct side *side, const struct symbolic *symbolic,
                             const struct damped_request *request, hn_error *error) {
    size_t next = 0;
    hn_status status = place_storage(system, symbolic, request, &next, error);
    if (status != HN_OK)
        return status;
    const struct list_request lists = {.system = request,
                                       .rows = side->rows,
                                       .columns = side->columns,
                                       .border = side->border,
                                       .symbolic = system->kind == FACTOR_DENSE ? NULL : symbolic,
                                       .constants = (uint32_t)(next * request->matrix.stride)};
    status = factor_list(system, &lists, error);
    system->slots = next + system->constant_count - request->storage / request->matrix.stride;
    return status;
}

static hn_status build_factor(struct damped *system, const struct side *side, const struct damped_request *request,
                              hn_error *error) {
    struct symbolic symbolic = {0};
    hn_status status = HN_OK;
    choose_kind(system, side, request);
    if (system->kind == FACTOR_TILED) { /* zero and the range of pivots; the rest is in the executor's memory */
        system->zero = request->storage;
        system->pivot_range = request->storage + request->matrix.stride;
        system->slots = 3;
        return HN_OK;
    }
    const struct symbolic_request wanted = {.n = system->order,
                                            .first = side->pattern.first,
                                            .index = side->pattern.index,
                                            .limit = MOST_NONZEROS,
                                            .arrangement = ARRANGED_SHALLOW,
                                            .order = side->border ? side->border->order : NULL};
    if (system->kind != FACTOR_DENSE)
        status = symbolic_create(&symbolic, &wanted, error);
    if (system->kind != FACTOR_DENSE && status == HN_OK)
        status = keep_pattern(system, &symbolic, request->matrix.stride, error);
    if (status == HN_OK)
        status = write_lists(system, side, &symbolic, request, error);
    symbolic_release(&symbolic);
    return status;
}

/* ---- the choice ---- */

static hn_status choose_side(struct damped *out, struct choice *choice, hn_error *error) {
    const struct damped_request *request = choice->request;
    const double *products = choice->products;
    hn_status status = request->may_border ? choose_border(choice, error) : HN_OK;
    /* every other choice includes the products of one side */
    double least = request->rows_side_only ? products[0] : fmin(products[0], products[1]);
    if (status == HN_OK && choice->bordered.cost >= CLEARLY * least)
        status = predict_sides(choice, error);
    if (status != HN_OK)
        return status;
    bool outputs = !request->rows_side_only && choice->plain[1].cost < choice->bonus * choice->plain[0].cost;
    const struct side *side = &choice->plain[outputs];
    if (choice->bordered.cost < CLEARLY * side->cost)
        side = &choice->bordered;
    if (isinf(side->cost))
        return error_set(error, HN_LIMIT,
                         "a step would need more than %.0g products: a column has entries in too many rows%s",
                         MOST_PRODUCTS, request->rows_side_only ? "" : " and a row in too many columns");
    out->outputs_side = side->outputs;
    return build_factor(out, side, request, error);
}

static void choice_begin(struct choice *choice) {
    const struct vectors *rows = &choice->by_rows, *columns = &choice->by_columns;
    choice->products[0] = gram_products(columns) / 2;
    choice->products[1] = gram_products(rows) / 2;
    choice->bonus = choice->request->fixed_shift >= DAMPED_ENOUGH ? 1 : CLEARLY;
    choice->plain[0] = (struct side){.rows = rows, .columns = columns, .cost = INFINITY};
    choice->plain[1] = (struct side){.outputs = true, .rows = columns, .columns = rows, .cost = INFINITY};
    choice->bordered.cost = choice->borders[0].cost = choice->borders[1].cost = INFINITY;
}

static void choice_end(struct choice *choice) {
    vectors_release(&choice->by_rows);
    vectors_release(&choice->by_columns);
    for (int side = 0; side < 2; side++) {
        vectors_release(&choice->plain[side].pattern);
        border_release(&choice->borders[side]);
    }
}

hn_status damped_create(struct damped *out, const struct damped_request *request, hn_error *error) {
    struct choice choice = {.request = request};
    hn_status status = HN_OK;
    *out = (struct damped){0};
    if (copy_matrix(&choice.by_rows, &choice.by_columns, &request->matrix) &&
        list_product(&out->by_rows, &choice.by_rows, &request->matrix) &&
        list_product(&out->by_columns, &choice.by_columns, &request->matrix)) {
        choice_begin(&choice);
        status = choose_side(out, &choice, error);
    } else {
        status = error_no_memory(error, "the products with the Jacobian");
    }
    choice_end(&choice);
    if (status != HN_OK)
        damped_release(out);
    return status;
}

void damped_release(struct damped *system) {
    base_release(system->by_rows.stream);
    base_release(system->by_columns.stream);
    base_release(system->stream);
    base_release(system->permutation); /* and the other lists of the pattern */
    base_release(system->constants);
    *system = (struct damped){0};
}
