/* duplicates.c - redundant rows: equal bodies, or linear rows with proportional coefficients.
 *
 * Rows get a key: for a linear row its columns and the ratios of its coefficients to the first one, rounded, so that
 * proportional rows have equal keys; for other rows the body, which the graph stores once. Rows with equal keys are
 * compared exactly.
 *
 * SPDX-License-Identifier: MIT */
#include "check/check_parts.h"
#include "model/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    uint64_t key;
    size_t row;
};

static double coefficient(const struct check *check, size_t entry) {
    return check->by_y.constant[entry];
}

static bool is_linear(const struct check *check, size_t row) {
    const size_t *first = check->by_y.first;
    for (size_t e = first[row]; e < first[row + 1]; e++)
        if (isnan(coefficient(check, e)))
            return false;
    return first[row] < first[row + 1];
}

static uint32_t body(const struct check *check, size_t row) {
    return check->model->rows[row].body;
}

static uint64_t duplicates_mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 29);
}

static uint64_t key_of(const struct check *check, size_t row) {
    uint64_t key = 1;
    if (!is_linear(check, row))
        return duplicates_mix(2, body(check, row));
    size_t first = check->by_y.first[row];
    for (size_t e = first; e < check->by_y.first[row + 1]; e++) {
        float ratio = (float)(coefficient(check, e) / coefficient(check, first));
        uint32_t bits;
        memcpy(&bits, &ratio, sizeof bits);
        key = duplicates_mix(duplicates_mix(key, check->by_y.column[e]), bits);
    }
    return key;
}

static bool proportional(const struct check *check, size_t a, size_t b, double factor) {
    size_t first_a = check->by_y.first[a], first_b = check->by_y.first[b];
    size_t count = check->by_y.first[a + 1] - first_a;
    if (check->by_y.first[b + 1] - first_b != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        double of_b = coefficient(check, first_b + i), wanted = factor * coefficient(check, first_a + i);
        if (check->by_y.column[first_a + i] != check->by_y.column[first_b + i] ||
            !(fabs(of_b - wanted) <= 1e-12 * fabs(of_b)))
            return false;
    }
    return true;
}

static bool repeats(const struct check *check, size_t a, size_t b, double *factor) {
    *factor = 1;
    if (body(check, a) == body(check, b))
        return true;
    if (!is_linear(check, a) || !is_linear(check, b))
        return false;
    *factor = coefficient(check, check->by_y.first[b]) / coefficient(check, check->by_y.first[a]);
    return isfinite(*factor) && proportional(check, a, b, *factor);
}

static int duplicates_compare(const void *left, const void *right) {
    const struct keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

void check_duplicates(struct check *check, size_t *original, double *factor) {
    size_t m = check->rows, first = 0;
    struct keyed *keyed = check_take(check, m, sizeof *keyed);
    for (size_t i = 0; i < m && keyed; i++) {
        keyed[i] = (struct keyed){key_of(check, i), i};
        original[i] = i;
        factor[i] = 1;
    }
    if (keyed)
        qsort(keyed, m, sizeof *keyed, duplicates_compare);
    for (size_t i = 1; i < m && keyed; i++) { /* first: the start of the rows with this key */
        double ratio;
        if (keyed[i].key != keyed[first].key)
            first = i;
        else if (repeats(check, keyed[first].row, keyed[i].row, &ratio)) {
            original[keyed[i].row] = keyed[first].row;
            factor[keyed[i].row] = ratio;
        }
    }
}
