/* stream_scale.c - see stream_scale.h; factor_list.h has the formats.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/stream_scale.h"

static uint32_t *scale(uint32_t *s, size_t count, uint32_t factor) {
    for (size_t i = 0; i < count; i++)
        s[i] *= factor;
    return s + count;
}

/* A number of pairs, then the pairs. */
static uint32_t *scale_pairs(uint32_t *s, uint32_t factor) {
    return scale(s + 1, 2 * (size_t)s[0], factor);
}

void stream_scale_product(uint32_t *s, size_t results, uint32_t factor) {
    for (size_t i = 0; i < results; i++)
        s = scale_pairs(s, factor);
}

/* A column of a listed factor: entries below, entries of its row, the diagonal's sum, the row, the sums below. */
static uint32_t *scale_column(uint32_t *s, uint32_t factor) {
    uint32_t below = s[0], before = s[1];
    s = scale(s + 2, 1, factor);
    s = scale_pairs(s, factor);
    s = scale(s, 3 * (size_t)before, factor);
    for (uint32_t e = 0; e < below; e++) {
        s = scale(s, 2, factor);
        s = scale_pairs(s, factor);
    }
    return s;
}

/* A row of sums; a walked factor also lists their columns. */
static uint32_t *scale_row(uint32_t *s, size_t entries, bool named, uint32_t factor) {
    for (size_t e = 0; e < entries; e++) {
        s = scale(s + (named ? 1 : 0), 1, factor);
        s = scale_pairs(s, factor);
    }
    return s;
}

void stream_scale_factor(uint32_t *s, enum factor_kind kind, size_t order, uint32_t factor) {
    for (size_t i = 0; i < order; i++)
        if (kind == FACTOR_LISTED)
            s = scale_column(s, factor);
        else if (kind == FACTOR_WALKED)
            s = scale_row(s + 1, s[0], true, factor);
        else
            s = scale_row(s, i + 1, false, factor);
}
