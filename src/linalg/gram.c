/* gram.c - see gram.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/gram.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

void vectors_release(struct vectors *vectors) {
    base_release(vectors->first);
    base_release(vectors->index);
    base_release(vectors->entry);
    *vectors = (struct vectors){0};
}

/* An empty pattern with space for `entries` entries. */
static hn_status gram_make_room(struct vectors *out, size_t count, size_t across, size_t entries, hn_error *error) {
    size_t capacity[3] = {0};
    *out = (struct vectors){.count = count, .across = across};
    out->first = array_grow(NULL, &capacity[0], count + 1, sizeof *out->first);
    out->index = array_grow(NULL, &capacity[1], entries + 1, sizeof *out->index);
    out->entry = array_grow(NULL, &capacity[2], entries + 1, sizeof *out->entry);
    if (out->first && out->index && out->entry)
        return HN_OK;
    vectors_release(out);
    return error_no_memory(error, "the pattern of the Jacobian");
}

hn_status vectors_copy(struct vectors *out, size_t rows, size_t columns, const size_t *first, const uint32_t *index,
                       hn_error *error) {
    hn_status status = gram_make_room(out, rows, columns, first[rows], error);
    if (status != HN_OK)
        return status;
    memcpy(out->first, first, (rows + 1) * sizeof *first);
    for (size_t e = 0; e < first[rows]; e++) {
        out->index[e] = index[e];
        out->entry[e] = (uint32_t)e;
    }
    return HN_OK;
}

hn_status vectors_transpose(struct vectors *out, const struct vectors *in, hn_error *error) {
    hn_status status = gram_make_room(out, in->across, in->count, in->first[in->count], error);
    if (status != HN_OK)
        return status;
    memset(out->first, 0, (out->count + 1) * sizeof *out->first);
    for (size_t e = 0; e < in->first[in->count]; e++)
        out->first[in->index[e] + 1]++;
    for (size_t i = 0; i < out->count; i++)
        out->first[i + 1] += out->first[i];
    for (size_t i = 0; i < in->count; i++)
        for (size_t e = in->first[i]; e < in->first[i + 1]; e++) {
            size_t to = out->first[in->index[e]]++;
            out->index[to] = (uint32_t)i;
            out->entry[to] = in->entry[e];
        }
    for (size_t i = out->count; i > 0; i--) /* each start has advanced to its end */
        out->first[i] = out->first[i - 1];
    out->first[0] = 0;
    return HN_OK;
}

hn_status vectors_without(struct vectors *out, const struct vectors *in, const uint32_t *number, hn_error *error) {
    hn_status status = gram_make_room(out, in->count, in->across, in->first[in->count], error);
    if (status != HN_OK)
        return status;
    size_t at = 0;
    for (size_t i = 0; i < in->count; i++) {
        out->first[i] = at;
        for (size_t e = in->first[i]; e < in->first[i + 1]; e++)
            if (number[in->index[e]] == COLUMN_STAYS) {
                out->index[at] = in->index[e];
                out->entry[at++] = in->entry[e];
            }
    }
    out->first[in->count] = at;
    return HN_OK;
}

double gram_products(const struct vectors *columns) {
    double sum = 0;
    for (size_t k = 0; k < columns->count; k++) {
        double length = (double)(columns->first[k + 1] - columns->first[k]);
        sum += length * length;
    }
    return sum;
}

/* The neighbours of row i, each once, into `into` unless it is NULL; seen[] is i + 1 for those already met. */
static size_t neighbours(const struct vectors *rows, const struct vectors *columns, size_t i, uint32_t *seen,
                         uint32_t *into) {
    size_t count = 0;
    seen[i] = (uint32_t)(i + 1);
    for (size_t e = rows->first[i]; e < rows->first[i + 1]; e++) {
        size_t k = rows->index[e];
        for (size_t f = columns->first[k]; f < columns->first[k + 1]; f++) {
            uint32_t other = columns->index[f];
            if (seen[other] == i + 1)
                continue;
            seen[other] = (uint32_t)(i + 1);
            if (into)
                into[count] = other;
            count++;
        }
    }
    return count;
}

hn_status gram_pattern(struct vectors *out, const struct vectors *rows, const struct vectors *columns,
                       hn_error *error) {
    size_t capacity = 0, total = 0;
    *out = (struct vectors){0};
    uint32_t *seen = array_grow(NULL, &capacity, rows->count + 1, sizeof *seen);
    if (!seen)
        return error_no_memory(error, "the pattern of the system");
    memset(seen, 0, (rows->count + 1) * sizeof *seen);
    for (size_t i = 0; i < rows->count; i++)
        total += neighbours(rows, columns, i, seen, NULL);
    hn_status status = gram_make_room(out, rows->count, rows->count, total, error);
    if (status == HN_OK) {
        /* Stale marks cannot equal those of row i: earlier rows have renewed theirs, later rows have larger ones. */
        out->first[0] = 0;
        for (size_t i = 0; i < rows->count; i++)
            out->first[i + 1] = out->first[i] + neighbours(rows, columns, i, seen, out->index + out->first[i]);
    }
    base_release(seen);
    return status;
}

/* Appends the row of i: its neighbours and the unknowns of its numbered columns, */
static size_t extend_row(struct vectors *out, size_t at, const struct vectors *pattern, const struct vectors *rows,
                         const uint32_t *number, size_t i) {
    for (size_t e = pattern->first[i]; e < pattern->first[i + 1]; e++)
        out->index[at++] = pattern->index[e];
    for (size_t e = rows->first[i]; e < rows->first[i + 1]; e++)
        if (number[rows->index[e]] != COLUMN_STAYS)
            out->index[at++] = (uint32_t)(rows->count + number[rows->index[e]]);
    return at;
}

/* and the rows of those unknowns. The starts have been counted into first[]. */
static void extend_columns(struct vectors *out, const struct vectors *rows, const uint32_t *number, size_t added) {
    size_t *next = out->first + rows->count;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t e = rows->first[i]; e < rows->first[i + 1]; e++)
            if (number[rows->index[e]] != COLUMN_STAYS)
                out->index[next[number[rows->index[e]]]++] = (uint32_t)i;
    for (size_t b = added; b > 0; b--) /* each start has advanced to its end */
        next[b] = next[b - 1];
}

hn_status gram_extend(struct vectors *out, const struct vectors *pattern, const struct vectors *rows,
                      const uint32_t *number, size_t added, hn_error *error) {
    size_t m = rows->count, numbered = 0, at = 0;
    for (size_t e = 0; e < rows->first[m]; e++)
        numbered += number[rows->index[e]] != COLUMN_STAYS;
    hn_status status = gram_make_room(out, m + added, m + added, pattern->first[m] + 2 * numbered, error);
    if (status != HN_OK)
        return status;
    for (size_t i = 0; i < m; i++) {
        out->first[i] = at;
        at = extend_row(out, at, pattern, rows, number, i);
    }
    memset(out->first + m, 0, (added + 1) * sizeof *out->first);
    for (size_t e = 0; e < rows->first[m]; e++)
        if (number[rows->index[e]] != COLUMN_STAYS)
            out->first[m + number[rows->index[e]] + 1]++;
    out->first[m] = at;
    for (size_t b = 0; b < added; b++)
        out->first[m + b + 1] += out->first[m + b];
    extend_columns(out, rows, number, added);
    out->first[m] = at;
    return HN_OK;
}
