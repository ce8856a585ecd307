/* order_shallow.c - the elimination tree of least height among the orders with the same entries in L.
 *
 * Jess, Kees, "A data structure for parallel L/U decomposition", IEEE Trans. Comput. C-31 (1982) 231-239; the tree has
 * minimum height among the orders with these entries: Liu, "Reordering sparse matrices for parallel elimination",
 * Parallel Comput. 11 (1989) 73-91.
 *
 * The graph of L + L' is chordal. A simplicial row, whose neighbours are pairwise adjacent, is eliminated without
 * fill-in. Each round eliminates all simplicial rows that are not adjacent to another one of the round; the rounds are
 * the levels of the tree. Minimum degree eliminates a chain from one end if its ends differ; this method does so from
 * both.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/order_shallow.h"

#include "base/memory.h"

#include <string.h>

/* Rows in the numbering of the factor. */
struct peeling {
    const struct symbolic *s;
    uint32_t *round;      /* per row: the round in which it is eliminated, from 1 on; 0: not yet */
    uint32_t *neighbours; /* of one row, with space for all */
    uint32_t *going;      /* rows eliminated in this round */
};

static bool are_neighbours(const struct symbolic *s, uint32_t a, uint32_t b) {
    uint32_t column = a < b ? a : b, row = a < b ? b : a;
    for (size_t e = s->column_first[column]; e < s->column_first[column + 1]; e++)
        if (s->row_index[e] == row)
            return true;
    return false;
}

/* Neighbours of k eliminated in this round; round 0: those not eliminated yet. */
static size_t find_neighbours(const struct peeling *p, uint32_t k, uint32_t round) {
    const struct symbolic *s = p->s;
    size_t count = 0;
    for (size_t e = s->row_first[k]; e < s->row_first[k + 1]; e++)
        if (p->round[s->column_index[e]] == round)
            p->neighbours[count++] = s->column_index[e];
    for (size_t e = s->column_first[k]; e < s->column_first[k + 1]; e++)
        if (p->round[s->row_index[e]] == round)
            p->neighbours[count++] = s->row_index[e];
    return count;
}

/* Whether eliminating k causes no fill-in. */
static bool is_simplicial(const struct peeling *p, uint32_t k) {
    size_t count = find_neighbours(p, k, 0);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < i; j++)
            if (!are_neighbours(p->s, p->neighbours[i], p->neighbours[j]))
                return false;
    return true;
}

/* One round; returns the number of eliminated rows. All are tested before the first is eliminated. */
static size_t peel(struct peeling *p, uint32_t round) {
    size_t candidates = 0, count = 0;
    for (uint32_t k = 0; k < p->s->n; k++)
        if (p->round[k] == 0 && is_simplicial(p, k))
            p->going[candidates++] = k;
    for (size_t i = 0; i < candidates; i++)
        if (find_neighbours(p, p->going[i], round) == 0) {
            p->round[p->going[i]] = round;
            p->going[count++] = p->going[i];
        }
    return count;
}

/* level: scratch of n. */
static uint32_t find_height(const struct symbolic *s, uint32_t *level) {
    uint32_t height = 0;
    for (size_t k = s->n; k-- > 0;) {
        level[k] = s->parent[k] == SYMBOLIC_ROOT ? 1 : level[s->parent[k]] + 1;
        height = level[k] > height ? level[k] : height;
    }
    return height;
}

bool order_shallow(const struct symbolic *s, uint32_t *order, uint32_t height[2]) {
    uint32_t *lists = base_allocate((3 * s->n + 1) * sizeof *lists), round = 0;
    if (!lists)
        return false;
    struct peeling p = {s, lists, lists + s->n, lists + 2 * s->n};
    height[0] = find_height(s, p.going);
    memset(p.round, 0, s->n * sizeof *p.round);
    for (size_t placed = 0; placed < s->n;) {
        size_t count = peel(&p, ++round);
        for (size_t i = 0; i < count; i++)
            order[placed++] = s->order[p.going[i]];
    }
    height[1] = round;
    base_release(lists);
    return true;
}
