/* gram.c - see gram.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/gram.h"

#include "base/arena.h"
#include "base/memory.h"

#include <string.h>

void vectors_release(struct vectors *vectors) {
    base_release(vectors->first);
    base_release(vectors->index);
    base_release(vectors->entry);
    *vectors = (struct vectors){0};
}

/* An empty pattern with space for `entries` entries. */
static bool allocate_vectors(struct vectors *out, size_t count, size_t across, size_t entries) {
    size_t capacity[3] = {0};
    *out = (struct vectors){.count = count, .across = across};
    out->first = array_grow(NULL, &capacity[0], count + 1, sizeof *out->first);
    out->index = array_grow(NULL, &capacity[1], entries + 1, sizeof *out->index);
    out->entry = array_grow(NULL, &capacity[2], entries + 1, sizeof *out->entry);
    if (!out->first || !out->index || !out->entry) {
        vectors_release(out);
        return false;
    }
    memset(out->first, 0, (count + 1) * sizeof *out->first);
    return true;
}

bool vectors_copy(struct vectors *out, size_t rows, size_t columns, const size_t *first, const uint32_t *index) {
    if (!allocate_vectors(out, rows, columns, first[rows]))
        return false;
    memcpy(out->first, first, (rows + 1) * sizeof *first);
    for (size_t e = 0; e < first[rows]; e++) {
        out->index[e] = index[e];
        out->entry[e] = (uint32_t)e;
    }
    return true;
}

bool vectors_transpose(struct vectors *out, const struct vectors *in) {
    if (!allocate_vectors(out, in->across, in->count, in->first[in->count]))
        return false;
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
    return true;
}

bool vectors_select(struct vectors *out, const struct vectors *in, const uint32_t *number, bool numbered,
                    size_t across) {
    size_t at = 0;
    if (!allocate_vectors(out, in->count, across, in->first[in->count]))
        return false;
    for (size_t i = 0; i < in->count; i++) {
        for (size_t e = in->first[i]; e < in->first[i + 1]; e++)
            if ((number[in->index[e]] != COLUMN_STAYS) == numbered) {
                out->index[at] = numbered ? number[in->index[e]] : in->index[e];
                out->entry[at++] = in->entry[e];
            }
        out->first[i + 1] = at;
    }
    return true;
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

bool gram_pattern(struct vectors *out, const struct vectors *rows, const struct vectors *columns) {
    struct arena scratch = {NULL};
    size_t total = 0;
    uint32_t *seen = arena_zeros(&scratch, rows->count, sizeof *seen);
    for (size_t i = 0; seen && i < rows->count; i++)
        total += neighbours(rows, columns, i, seen, NULL);
    bool made = seen && allocate_vectors(out, rows->count, rows->count, total);
    /* Stale marks cannot equal those of row i: earlier rows have renewed theirs, later rows have larger ones. */
    for (size_t i = 0; made && i < rows->count; i++)
        out->first[i + 1] = out->first[i] + neighbours(rows, columns, i, seen, out->index + out->first[i]);
    arena_release(&scratch);
    return made;
}

/* Appends the columns of row i, `offset` added. */
static size_t append_row(struct vectors *out, size_t at, const struct vectors *from, size_t i, size_t offset) {
    for (size_t e = from->first[i]; e < from->first[i + 1]; e++)
        out->index[at++] = (uint32_t)(from->index[e] + offset);
    return at;
}

bool gram_extend(struct vectors *out, const struct vectors *pattern, const struct vectors *u_rows,
                 const struct vectors *u_columns) {
    size_t m = pattern->count, n = m + u_columns->count, at = 0;
    if (!allocate_vectors(out, n, n, pattern->first[m] + 2 * u_rows->first[m]))
        return false;
    for (size_t i = 0; i < n; i++) {
        if (i < m)
            at = append_row(out, append_row(out, at, pattern, i, 0), u_rows, i, m);
        else
            at = append_row(out, at, u_columns, i - m, 0);
        out->first[i + 1] = at;
    }
    return true;
}
