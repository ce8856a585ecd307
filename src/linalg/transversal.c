/* transversal.c - see transversal.h.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/transversal.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"

#include <string.h>

#define NONE UINT32_MAX

/* A path alternates: row, column, the row matched to it, column, ... */
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
static bool serve(struct search *s, uint32_t row) {
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

hn_status transversal(const struct vectors *rows, const bool *wanted, size_t most, bool *left, size_t *count,
                      hn_error *error) {
    struct search s = {.rows = rows};
    s.block = layout_allocate(place_search, &s);
    *count = 0;
    if (!s.block)
        return error_no_memory(error, "the order of the system");
    memset(s.owner, 0xff, rows->across * sizeof *s.owner);
    memset(s.seen, 0, rows->across * sizeof *s.seen);
    memcpy(s.ahead, rows->first, rows->count * sizeof *s.ahead);
    memset(left, 0, rows->count * sizeof *left);
    for (uint32_t i = 0; i < rows->count && *count <= most; i++)
        if (wanted[i] && !serve(&s, i)) {
            left[i] = true;
            ++*count;
        }
    base_release(s.block);
    return HN_OK;
}
