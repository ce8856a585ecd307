/* border.c - see border.h.
 *
 * Tries columns with at least a half, a quarter, an eighth, ... of all rows, as long as there are few.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/border.h"

#include "base/error.h"
#include "linalg/order.h"
#include "linalg/symbolic.h"
#include "linalg/transversal.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_LENGTH = 16, /* of a column that is kept out, and of a long row */
    LONG_SHARE = 8,    /* a row is long from this share of all columns: 1 / 8 */
    MOST_ADDED = 64,   /* columns, */
    MOST_SHARE = 8,    /* and of all rows: 1 / 8 */
    MOST_LATE = 64     /* rows of a kind that are eliminated after them: these fill the remaining matrix */
};

void border_release(struct border *border) {
    vectors_release(&border->rows);
    vectors_release(&border->columns);
    vectors_release(&border->pattern);
    arena_release(&border->arena);
    *border = (struct border){.cost = INFINITY};
}

static size_t length_of(const struct vectors *vectors, size_t i) {
    return vectors->first[i + 1] - vectors->first[i];
}

static size_t count_long(const struct vectors *columns, size_t length) {
    size_t count = 0;
    for (size_t k = 0; k < columns->count; k++)
        count += length_of(columns, k) >= length;
    return count;
}

/* Numbers the columns of at least this length. */
static bool name_columns(struct border *b, const struct vectors *columns, size_t length) {
    uint32_t *column = arena_take(&b->arena, columns->count + 1, sizeof *column);
    uint32_t *number = arena_take(&b->arena, columns->count + 1, sizeof *number);
    for (size_t k = 0; column && number && k < columns->count; k++) {
        number[k] = COLUMN_STAYS;
        if (length_of(columns, k) >= length) {
            number[k] = (uint32_t)b->count;
            column[b->count++] = (uint32_t)k;
        }
    }
    b->column = column;
    b->number = number;
    return column && number;
}

/* ---- the order ---- */

static bool is_empty(const struct border *b, size_t row) {
    return length_of(&b->rows, row) == 0;
}

static bool is_long(const struct border *b, size_t row) {
    size_t length = length_of(&b->rows, row);
    return length >= LEAST_LENGTH && LONG_SHARE * length >= b->rows.across;
}

/* Marks the rows that are eliminated after the columns kept out: both kinds, each only if it has few rows. */
static void find_late(const struct border *b, bool *late) {
    bool (*const kinds[2])(const struct border *, size_t) = {is_empty, is_long};
    memset(late, 0, b->rows.count * sizeof *late);
    for (int kind = 0; kind < 2; kind++) {
        size_t count = 0;
        for (size_t i = 0; i < b->rows.count; i++)
            count += kinds[kind](b, i);
        for (size_t i = 0; i < b->rows.count && count <= MOST_LATE; i++)
            late[i] = late[i] || kinds[kind](b, i);
    }
}

/* Marks undamped rows that are structurally dependent as late, too; *found is false if there are too many. */
static hn_status find_dependent(struct border *b, const bool *undamped, bool *late, bool *found, hn_error *error) {
    size_t m = b->rows.count, count = 0;
    bool *wanted = arena_take(&b->arena, m + 1, sizeof *wanted), *left = arena_take(&b->arena, m + 1, sizeof *left);
    if (!wanted || !left)
        return error_no_memory(error, "the order of the system");
    for (size_t i = 0; i < m; i++)
        wanted[i] = undamped[i] && !late[i];
    hn_status status = transversal(&b->rows, wanted, MOST_LATE, left, &count, error);
    for (size_t i = 0; i < m && status == HN_OK; i++)
        late[i] = late[i] || left[i];
    *found = count <= MOST_LATE;
    return status;
}

/* Minimum degree, in three groups. b->order stays unset if too many rows are late. */
static hn_status find_order(struct border *b, const bool *undamped, hn_error *error) {
    bool found = true;
    size_t m = b->rows.count, n = m + b->count, at = 0;
    uint32_t *by_degree = arena_take(&b->arena, n + 1, sizeof *by_degree);
    uint32_t *order = arena_take(&b->arena, n + 1, sizeof *order);
    bool *late = arena_take(&b->arena, m + 1, sizeof *late);
    if (!by_degree || !order || !late)
        return error_no_memory(error, "the order of the system");
    hn_status status = order_minimum_degree(n, b->pattern.first, b->pattern.index, by_degree, error);
    if (status != HN_OK)
        return status;
    find_late(b, late);
    if (undamped)
        status = find_dependent(b, undamped, late, &found, error);
    if (status != HN_OK || !found)
        return status;
    for (size_t k = 0; k < n; k++)
        if (by_degree[k] < m && !late[by_degree[k]])
            order[at++] = by_degree[k];
    for (size_t k = m; k < n; k++)
        order[at++] = (uint32_t)k;
    for (size_t k = 0; k < n; k++)
        if (by_degree[k] < m && late[by_degree[k]])
            order[at++] = by_degree[k];
    b->order = order;
    return HN_OK;
}

/* ---- one candidate ---- */

static hn_status border_split(struct border *b, const struct vectors *rows, hn_error *error) {
    struct vectors sparse = {0};
    hn_status status = vectors_without(&b->rows, rows, b->number, error);
    if (status == HN_OK)
        status = vectors_transpose(&b->columns, &b->rows, error);
    if (status == HN_OK)
        status = gram_pattern(&sparse, &b->rows, &b->columns, error);
    if (status == HN_OK)
        status = gram_extend(&b->pattern, &sparse, rows, b->number, b->count, error);
    vectors_release(&sparse);
    return status;
}

/* The number of remaining products of M M', and the entries of U. */
static double products_of(const struct vectors *columns, size_t length) {
    double sum = 0;
    for (size_t k = 0; k < columns->count; k++) {
        double own = (double)length_of(columns, k);
        sum += length_of(columns, k) >= length ? own : own * own / 2;
    }
    return sum;
}

static hn_status try_length(struct border *b, const struct border_request *request, size_t length, hn_error *error) {
    double work = 0;
    *b = (struct border){.cost = INFINITY};
    hn_status status =
        name_columns(b, request->columns, length) ? HN_OK : error_no_memory(error, "the border of the system");
    if (status == HN_OK)
        status = border_split(b, request->rows, error);
    if (status == HN_OK)
        status = find_order(b, request->undamped, error);
    if (status != HN_OK || !b->order)
        return status;
    const struct symbolic_request wanted = {
        .n = request->rows->count + b->count, .first = b->pattern.first, .index = b->pattern.index, .order = b->order};
    status = symbolic_count(&wanted, &b->nonzeros, &work, error);
    if (status == HN_OK)
        b->cost = products_of(request->columns, length) + work + 2 * (double)b->nonzeros + (double)wanted.n;
    return status;
}

/* ---- the cheapest candidate ---- */

hn_status border_choose(struct border *out, const struct border_request *request, hn_error *error) {
    size_t rows = request->rows->count, most = rows / MOST_SHARE < MOST_ADDED ? rows / MOST_SHARE : MOST_ADDED;
    size_t before = 0;
    double limit = request->limit;
    *out = (struct border){.cost = INFINITY};
    for (size_t length = rows / 2; length >= LEAST_LENGTH; length /= 2) {
        size_t count = count_long(request->columns, length);
        if (count > most)
            return HN_OK;
        if (count == before || products_of(request->columns, length) >= limit)
            continue;
        struct border other;
        hn_status status = try_length(&other, request, length, error);
        if (status != HN_OK || other.cost >= limit) {
            border_release(&other);
        } else {
            border_release(out);
            *out = other;
            limit = other.cost;
        }
        if (status != HN_OK)
            return status;
        before = count;
    }
    return HN_OK;
}
