/* border.c - see border.h.
 *
 * Tries columns with at least a half, a quarter, an eighth, ... of all rows, as long as there are few.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/border.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "linalg/symbolic.h"

#include <math.h>
#include <string.h>

enum {
    LEAST_LENGTH = 16, /* of a column that is kept out, and of a long row */
    LONG_SHARE = 8,    /* a row is long from this share of all columns: 1 / 8 */
    MOST_ADDED = 64,   /* columns, */
    MOST_SHARE = 8,    /* and of all rows: 1 / 8 */
    MOST_LATE = 64     /* rows of a kind that are eliminated after them: these cause fill-in */
};

void border_release(struct border *border) {
    vectors_release(&border->rows);
    vectors_release(&border->columns);
    vectors_release(&border->u);
    vectors_release(&border->u_columns);
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

/* ---- rows that are structurally independent ---- */

#define NONE UINT32_MAX

/* Augmenting paths with look-ahead: Duff, "On algorithms for obtaining a maximum transversal", ACM Trans. Math. Softw. 7
 * (1981). A path alternates: row, column, the row matched to it, column, ... */
struct search {
    const struct vectors *rows;
    uint32_t *owner; /* of each column: its matched row; NONE */
    uint32_t *seen;  /* columns: 1 + the row for which they were last visited */
    uint32_t *path;  /* rows */
    uint32_t *taken; /* columns between them */
    size_t *ahead;   /* of each row: entries before this lead to matched columns */
    size_t *next;    /* of each row on the path: the next entry to try */
    void *block;
};

static void place_search(struct layout *layout, void *context) {
    struct search *s = context;
    s->owner = layout_take(layout, s->rows->across, sizeof *s->owner);
    s->seen = layout_take(layout, s->rows->across, sizeof *s->seen);
    s->path = layout_take(layout, s->rows->count, sizeof *s->path);
    s->taken = layout_take(layout, s->rows->count, sizeof *s->taken);
    s->ahead = layout_take(layout, s->rows->count, sizeof *s->ahead);
    s->next = layout_take(layout, s->rows->count, sizeof *s->next);
}

/* An unmatched column of the row; NONE. */
static uint32_t find_free(struct search *s, uint32_t row) {
    while (s->ahead[row] < s->rows->first[row + 1]) {
        uint32_t column = s->rows->index[s->ahead[row]++];
        if (s->owner[column] == NONE)
            return column;
    }
    return NONE;
}

/* A column of the row that the path has not visited; NONE. */
static uint32_t find_next(struct search *s, uint32_t row, uint32_t stamp) {
    while (s->next[row] < s->rows->first[row + 1]) {
        uint32_t column = s->rows->index[s->next[row]++];
        if (s->seen[column] != stamp) {
            s->seen[column] = stamp;
            return column;
        }
    }
    return NONE;
}

/* Finds a column for the row; other rows may be rematched. */
static bool find_column(struct search *s, uint32_t row) {
    size_t length = 1;
    s->path[0] = row;
    s->next[row] = s->rows->first[row];
    while (length > 0) {
        uint32_t last = s->path[length - 1], column = find_free(s, last);
        if (column != NONE) {
            s->taken[length - 1] = column;
            for (size_t k = 0; k < length; k++)
                s->owner[s->taken[k]] = s->path[k];
            return true;
        }
        column = find_next(s, last, row + 1);
        if (column == NONE) {
            length--;
            continue;
        }
        s->taken[length - 1] = column;
        s->path[length] = s->owner[column];
        s->next[s->path[length]] = s->rows->first[s->path[length]];
        length++;
    }
    return false;
}

bool transversal(const struct vectors *rows, const bool *wanted, size_t most, bool *left, size_t *count) {
    struct search s = {.rows = rows};
    s.block = layout_allocate(place_search, &s);
    *count = 0;
    if (!s.block)
        return false;
    memset(s.owner, 0xff, rows->across * sizeof *s.owner);
    memset(s.seen, 0, rows->across * sizeof *s.seen);
    memcpy(s.ahead, rows->first, rows->count * sizeof *s.ahead);
    memset(left, 0, rows->count * sizeof *left);
    for (uint32_t i = 0; i < rows->count && *count <= most; i++) {
        left[i] = wanted[i] && !find_column(&s, i);
        *count += left[i];
    }
    base_release(s.block);
    return true;
}

/* ---- the order ---- */

static bool is_late(const struct border *b, size_t row, bool longer) {
    size_t length = length_of(&b->rows, row);
    return longer ? length >= LEAST_LENGTH && LONG_SHARE * length >= b->rows.across : length == 0;
}

/* Marks the rows that are eliminated after the columns kept out: empty and long ones, each kind only if it has few. */
static void find_late(const struct border *b, bool *late) {
    memset(late, 0, b->rows.count * sizeof *late);
    for (int longer = 0; longer < 2; longer++) {
        size_t count = 0;
        for (size_t i = 0; i < b->rows.count; i++)
            count += is_late(b, i, longer);
        for (size_t i = 0; i < b->rows.count && count <= MOST_LATE; i++)
            late[i] = late[i] || is_late(b, i, longer);
    }
}

/* Marks undamped rows that are structurally dependent as late, too; *count: their number. False when out of memory. */
static bool find_dependent(struct border *b, const bool *undamped, bool *late, size_t *count) {
    size_t m = b->rows.count;
    bool *wanted = arena_take(&b->arena, m + 1, sizeof *wanted), *left = arena_take(&b->arena, m + 1, sizeof *left);
    for (size_t i = 0; wanted && i < m; i++)
        wanted[i] = undamped[i] && !late[i];
    if (!wanted || !left || !transversal(&b->rows, wanted, MOST_LATE, left, count))
        return false;
    for (size_t i = 0; i < m; i++)
        late[i] = late[i] || left[i];
    return true;
}

/* Minimum degree, in three groups: other rows, columns kept out, late rows. b->order stays unset if too many rows are
 * late. */
static hn_status find_order(struct border *b, const bool *undamped, hn_error *error) {
    size_t m = b->rows.count, n = m + b->count, at = 0, dependent = 0;
    uint32_t *by_degree = arena_take(&b->arena, n + 1, sizeof *by_degree);
    uint32_t *order = arena_take(&b->arena, n + 1, sizeof *order);
    bool *late = arena_take(&b->arena, m + 1, sizeof *late);
    if (!by_degree || !order || !late)
        return error_no_memory(error, "the order of the system");
    hn_status status = order_minimum_degree(n, b->pattern.first, b->pattern.index, by_degree, error);
    if (status != HN_OK)
        return status;
    find_late(b, late);
    if (undamped && !find_dependent(b, undamped, late, &dependent))
        return error_no_memory(error, "the order of the system");
    if (dependent > MOST_LATE)
        return HN_OK;
    for (int last = 0; last < 2; last++) {
        for (size_t k = 0; k < n; k++)
            if (by_degree[k] < m && late[by_degree[k]] == last)
                order[at++] = by_degree[k];
        for (size_t k = m; last == 0 && k < n; k++)
            order[at++] = (uint32_t)k;
    }
    b->order = order;
    return HN_OK;
}

/* ---- one candidate ---- */

/* Splits M into the columns of at least this length, U, and the others. False when out of memory. */
static bool split_columns(struct border *b, const struct border_request *request, size_t length) {
    const struct vectors *rows = request->rows;
    struct vectors sparse = {0};
    uint32_t *number = arena_take(&b->arena, rows->across + 1, sizeof *number);
    for (size_t k = 0; number && k < rows->across; k++)
        number[k] = length_of(request->columns, k) >= length ? (uint32_t)b->count++ : COLUMN_STAYS;
    bool split = number && vectors_select(&b->rows, rows, number, false, rows->across) &&
                 vectors_select(&b->u, rows, number, true, b->count) && vectors_transpose(&b->columns, &b->rows) &&
                 vectors_transpose(&b->u_columns, &b->u) && gram_pattern(&sparse, &b->rows, &b->columns) &&
                 gram_extend(&b->pattern, &sparse, &b->u, &b->u_columns);
    vectors_release(&sparse);
    return split;
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
    if (!split_columns(b, request, length))
        return error_no_memory(error, "the border of the system");
    hn_status status = find_order(b, request->undamped, error);
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
