/* duplicates.c - see duplicates.h.
 *
 * Rows get a key: of a linear row its columns and the ratios of its coefficients to the first one, rounded, so that
 * proportional rows meet; of any other row its body, which the graph stores once. Rows of equal keys are compared exactly.
 *
 * SPDX-License-Identifier: MIT */
#include "check/duplicates.h"

#include "base/error.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct keyed {
    uint64_t key;
    size_t row;
};

struct matcher {
    const struct problem *problem;
    const struct node_matrix *jacobian;
};

static double coefficient(const struct matcher *m, size_t entry) {
    double value = NAN;
    graph_is_constant(&m->problem->graph, m->jacobian->node[entry], &value);
    return value;
}

static bool is_linear(const struct matcher *m, size_t row) {
    for (size_t e = m->jacobian->first[row]; e < m->jacobian->first[row + 1]; e++)
        if (!graph_is_constant(&m->problem->graph, m->jacobian->node[e], NULL))
            return false;
    return m->jacobian->first[row] < m->jacobian->first[row + 1];
}

static uint64_t mix(uint64_t key, uint64_t value) {
    key = (key ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return key ^ (key >> 29);
}

static uint64_t key_of(const struct matcher *m, size_t row) {
    uint64_t key = 1;
    if (!is_linear(m, row))
        return mix(2, m->problem->body[row]);
    size_t first = m->jacobian->first[row];
    for (size_t e = first; e < m->jacobian->first[row + 1]; e++) {
        float ratio = (float)(coefficient(m, e) / coefficient(m, first));
        uint32_t bits;
        memcpy(&bits, &ratio, sizeof bits);
        key = mix(mix(key, m->jacobian->column[e]), bits);
    }
    return key;
}

static bool proportional(const struct matcher *m, size_t a, size_t b, double factor) {
    size_t first_a = m->jacobian->first[a], first_b = m->jacobian->first[b];
    size_t count = m->jacobian->first[a + 1] - first_a;
    if (m->jacobian->first[b + 1] - first_b != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        double of_b = coefficient(m, first_b + i), wanted = factor * coefficient(m, first_a + i);
        if (m->jacobian->column[first_a + i] != m->jacobian->column[first_b + i] ||
            !(fabs(of_b - wanted) <= 1e-12 * fabs(of_b)))
            return false;
    }
    return true;
}

static bool repeats(const struct matcher *m, size_t a, size_t b, double *factor) {
    *factor = 1;
    if (m->problem->body[a] == m->problem->body[b])
        return true;
    if (!is_linear(m, a) || !is_linear(m, b))
        return false;
    *factor = coefficient(m, m->jacobian->first[b]) / coefficient(m, m->jacobian->first[a]);
    return isfinite(*factor) && proportional(m, a, b, *factor);
}

static int compare(const void *left, const void *right) {
    const struct keyed *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

hn_status duplicates_find(struct duplicates *duplicates, const struct problem *problem,
                          const struct node_matrix *jacobian, struct arena *arena, hn_error *error) {
    struct matcher matcher = {problem, jacobian};
    size_t m = problem->rows, first = 0;
    struct keyed *keyed = arena_take(arena, m + 1, sizeof *keyed);
    duplicates->original = arena_take(arena, m + 1, sizeof *duplicates->original);
    duplicates->factor = arena_take(arena, m + 1, sizeof *duplicates->factor);
    if (!keyed || !duplicates->original || !duplicates->factor)
        return error_no_memory(error, "check");
    for (size_t i = 0; i < m; i++) {
        keyed[i] = (struct keyed){key_of(&matcher, i), i};
        duplicates->original[i] = i;
        duplicates->factor[i] = 1;
    }
    qsort(keyed, m, sizeof *keyed, compare);
    for (size_t i = 1; i < m; i++) { /* first: where the rows of this key start */
        double factor;
        if (keyed[i].key != keyed[first].key)
            first = i;
        else if (repeats(&matcher, keyed[first].row, keyed[i].row, &factor)) {
            duplicates->original[keyed[i].row] = keyed[first].row;
            duplicates->factor[keyed[i].row] = factor;
        }
    }
    return HN_OK;
}
