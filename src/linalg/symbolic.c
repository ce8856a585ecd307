/* symbolic.c - elimination tree, postorder, column counts and pattern of L.
 *
 * With A permuted to the elimination order, row k of L is the subtree of the elimination tree reached by walking up
 * from every j < k with A(k,j) != 0 until k (Liu, "The role of elimination trees in sparse factorization", SIAM J.
 * Matrix Anal. Appl. 11, 1990). Columns are counted without those walks: only the leaves of the row subtrees and the
 * least common ancestors of successive leaves matter (Gilbert, Ng, Peyton, "An efficient algorithm to compute row and
 * column counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994), which is nearly linear in the
 * entries of A. Trees may be as deep as n, so recursion is avoided.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/symbolic.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"

#include <string.h>

/* A tree with at most so many rows, or so many per depth, is arranged by depth: its working set stays in the L1
 * cache. */
enum { SMALL_TREE = 500, NARROW_TREE = 24 };

/* Limits for lowering the tree. A factorisation with so many multiply-adds becomes straight-line code, which is faster
 * with a lower tree: ten stages of the unicycle have 324. Larger ones become loops over stages, which have enough
 * parallelism, and the loops are shorter if a chain is eliminated from one end: thirty stages became 5 % slower. Trees
 * below this height gain too little to justify another order of sums. */
static const double MOST_WORK = 600;
enum { LEAST_HEIGHT = 16 };

/* ---- elimination tree ---- */

/* Walks from j to the root of its known tree, makes all nodes on the path point to k, and returns the root. */
static uint32_t climb(uint32_t *ancestor, uint32_t j, uint32_t k) {
    while (ancestor[j] != SYMBOLIC_ROOT && ancestor[j] != k) {
        uint32_t next = ancestor[j];
        ancestor[j] = k;
        j = next;
    }
    return j;
}

static void find_parents(struct symbolic *s, const struct symbolic_request *a) {
    uint32_t *ancestor = s->scratch[0];
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t row = s->order[k];
        s->parent[k] = ancestor[k] = SYMBOLIC_ROOT;
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++) {
            uint32_t j = s->position[a->index[e]];
            uint32_t root = j < k ? climb(ancestor, j, k) : k;
            if (root != k && ancestor[root] == SYMBOLIC_ROOT)
                s->parent[root] = ancestor[root] = k;
        }
    }
}

/* ---- postorder ---- */

/* size: of each subtree; heavy: the child with the largest subtree, the last among equals; SYMBOLIC_ROOT: a leaf. */
static void measure_subtrees(const struct symbolic *s, uint32_t *size, uint32_t *heavy) {
    for (size_t k = 0; k < s->n; k++)
        size[k] = 1, heavy[k] = SYMBOLIC_ROOT;
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t parent = s->parent[k];
        if (parent == SYMBOLIC_ROOT)
            continue;
        size[parent] += size[k];
        if (heavy[parent] == SYMBOLIC_ROOT || size[k] >= size[heavy[parent]])
            heavy[parent] = k;
    }
}

/* Each subtree becomes a contiguous range that ends with its root. The heavy child's range is right before its parent,
 * so that long chains are contiguous; the other children come before that, in elimination order. */
static void find_postorder(const struct symbolic *s, uint32_t *post) {
    uint32_t *size = s->scratch[0], *heavy = s->scratch[1], *end = s->scratch[2], roots = (uint32_t)s->n;
    measure_subtrees(s, size, heavy);
    for (size_t k = s->n; k-- > 0;) {
        uint32_t parent = s->parent[k], *range = parent == SYMBOLIC_ROOT ? &roots : &end[parent];
        if (parent != SYMBOLIC_ROOT && heavy[parent] == k) {
            post[k] = post[parent] - 1;
        } else {
            post[k] = *range - 1;
            *range -= size[k];
        }
        end[k] = post[k] - (heavy[k] == SYMBOLIC_ROOT ? 0 : size[heavy[k]]);
    }
}

/* Renumbers: row k becomes row to[k]. to is scratch[3]. */
static void renumber(struct symbolic *s, const uint32_t *to) {
    uint32_t *order = s->scratch[0], *parent = s->scratch[1], *count = s->scratch[2];
    for (size_t k = 0; k < s->n; k++) {
        order[to[k]] = s->order[k];
        parent[to[k]] = s->parent[k] == SYMBOLIC_ROOT ? SYMBOLIC_ROOT : to[s->parent[k]];
        count[to[k]] = s->count[k];
    }
    memcpy(s->order, order, s->n * sizeof *order);
    memcpy(s->parent, parent, s->n * sizeof *parent);
    memcpy(s->count, count, s->n * sizeof *count);
    for (uint32_t k = 0; k < s->n; k++)
        s->position[s->order[k]] = k;
}

/* ---- by depth ---- */

/* The distance of each row from its root; returns the largest number of rows at one distance. */
static uint32_t find_depths(const struct symbolic *s, uint32_t *depth, uint32_t *rows_at) {
    uint32_t widest = 0;
    memset(rows_at, 0, s->n * sizeof *rows_at);
    for (size_t k = s->n; k-- > 0;) {
        depth[k] = s->parent[k] == SYMBOLIC_ROOT ? 0 : depth[s->parent[k]] + 1;
        if (++rows_at[depth[k]] > widest)
            widest = rows_at[depth[k]];
    }
    return widest;
}

/* The deepest first; within a depth the order is kept. */
static void arrange_by_depth(struct symbolic *s, enum arrangement arrangement) {
    uint32_t *depth = s->scratch[0], *next = s->scratch[1], *to = s->scratch[3], begin = 0;
    uint32_t widest = find_depths(s, depth, next);
    if (arrangement != ARRANGED_BY_DEPTH && s->n > SMALL_TREE && widest > NARROW_TREE)
        return;
    for (size_t d = s->n; d-- > 0;) {
        uint32_t rows = next[d];
        next[d] = begin;
        begin += rows;
    }
    for (size_t k = 0; k < s->n; k++)
        to[k] = next[depth[k]]++;
    renumber(s, to);
}

/* ---- column counts ---- */

/* State of the count for row i while it passes over the columns j = 0, 1, ... */
struct leaves {
    uint32_t *descendant; /* of each column: 1 + the first node of its subtree */
    uint32_t *greatest;   /* of each row: the greatest descendant[j] so far, 0 = none */
    uint32_t *latest;     /* of each row: the last leaf of its subtree so far */
    uint32_t *ancestor;   /* of each column: an ancestor among the columns passed so far */
};

/* The root of the passed part of j's tree: the least common ancestor of j and the current column. */
static uint32_t find_top(uint32_t *ancestor, uint32_t j) {
    while (ancestor[j] != j) {
        ancestor[j] = ancestor[ancestor[j]];
        j = ancestor[j];
    }
    return j;
}

static void start_leaves(struct symbolic *s, struct leaves *leaves) {
    *leaves = (struct leaves){s->scratch[0], s->scratch[1], s->scratch[2], s->scratch[3]};
    memset(leaves->descendant, 0, s->n * sizeof *leaves->descendant);
    memset(leaves->greatest, 0, s->n * sizeof *leaves->greatest);
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t parent = s->parent[j];
        s->count[j] = leaves->descendant[j] == 0; /* 1 for a leaf of the tree */
        if (leaves->descendant[j] == 0)
            leaves->descendant[j] = j + 1;
        if (parent != SYMBOLIC_ROOT && leaves->descendant[parent] == 0)
            leaves->descendant[parent] = leaves->descendant[j];
        leaves->ancestor[j] = j;
    }
}

/* Column j meets row i: if j is a leaf of row i's subtree, the path from j up to the rest of the subtree is new. */
static void meet_row(struct symbolic *s, struct leaves *leaves, uint32_t j, uint32_t i) {
    if (leaves->descendant[j] <= leaves->greatest[i])
        return;
    s->count[j]++;
    if (leaves->greatest[i] != 0)
        s->count[find_top(leaves->ancestor, leaves->latest[i])]--;
    leaves->greatest[i] = leaves->descendant[j];
    leaves->latest[i] = j;
}

/* Returns the entries of L. count is a difference along the tree, which wraps below 0 in between, until the last loop sums it up. */
static uint64_t count_columns(struct symbolic *s, const struct symbolic_request *a) {
    struct leaves leaves;
    uint64_t nonzeros = 0;
    start_leaves(s, &leaves);
    for (uint32_t j = 0; j < s->n; j++) {
        uint32_t parent = s->parent[j], row = s->order[j];
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++)
            if (s->position[a->index[e]] > j)
                meet_row(s, &leaves, j, s->position[a->index[e]]);
        if (parent == SYMBOLIC_ROOT)
            continue;
        s->count[parent]--;
        leaves.ancestor[j] = parent;
    }
    for (size_t j = 0; j < s->n; j++) {
        if (s->parent[j] != SYMBOLIC_ROOT)
            s->count[s->parent[j]] += s->count[j];
        s->count[j]--; /* without the diagonal */
        double c = s->count[j];
        nonzeros += s->count[j];
        s->factor_work += c * (c + 1) / 2;
    }
    return nonzeros;
}

/* ---- order and elimination tree ---- */

static void place_tree(struct layout *layout, void *context) {
    struct symbolic *s = context;
    s->order = layout_take(layout, s->n, sizeof *s->order);
    s->position = layout_take(layout, s->n, sizeof *s->position);
    s->parent = layout_take(layout, s->n, sizeof *s->parent);
    s->count = layout_take(layout, s->n, sizeof *s->count);
    for (size_t i = 0; i < 4; i++)
        s->scratch[i] = layout_take(layout, s->n, sizeof *s->scratch[i]);
}

static hn_status analyse(struct symbolic *s, const struct symbolic_request *request, uint64_t *nonzeros,
                         hn_error *error) {
    *s = (struct symbolic){.n = request->n};
    s->block = layout_allocate(place_tree, s);
    if (!s->block)
        return error_no_memory(error, "symbolic factorisation");
    hn_status status = HN_OK;
    if (!request->order)
        status = order_minimum_degree(s->n, request->first, request->index, s->order, error);
    else if (s->n > 0)
        memcpy(s->order, request->order, s->n * sizeof *s->order);
    if (status != HN_OK)
        return status;
    for (uint32_t k = 0; k < s->n; k++)
        s->position[s->order[k]] = k;
    find_parents(s, request);
    memset(s->count, 0, s->n * sizeof *s->count);
    find_postorder(s, s->scratch[3]);
    renumber(s, s->scratch[3]);
    *nonzeros = count_columns(s, request);
    return HN_OK;
}

/* ---- the pattern of L ---- */

static void place_pattern(struct layout *layout, void *context) {
    struct symbolic *s = context;
    s->column_first = layout_take(layout, s->n + 1, sizeof *s->column_first);
    s->row_index = layout_take(layout, s->nonzeros, sizeof *s->row_index);
    s->row_first = layout_take(layout, s->n + 1, sizeof *s->row_first);
    s->column_index = layout_take(layout, s->nonzeros, sizeof *s->column_index);
    s->row_entry = layout_take(layout, s->nonzeros, sizeof *s->row_entry);
}

/* Walks up the tree from j to the first node already met for row k, and appends k to each column on the way. */
static void walk_row(struct symbolic *s, uint32_t *met, uint32_t *written, uint32_t j, uint32_t k) {
    for (; met[j] != k; j = s->parent[j]) {
        met[j] = k;
        s->row_index[s->column_first[j] + written[j]++] = k;
        s->row_first[k + 1]++;
    }
}

/* Rows are visited in ascending order, so each column is sorted. */
static void form_columns(struct symbolic *s, const struct symbolic_request *a) {
    uint32_t *met = s->scratch[0], *written = s->scratch[1];
    memset(written, 0, s->n * sizeof *written);
    memset(s->row_first, 0, (s->n + 1) * sizeof *s->row_first);
    s->column_first[0] = 0;
    for (size_t j = 0; j < s->n; j++)
        s->column_first[j + 1] = s->column_first[j] + s->count[j];
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t row = s->order[k];
        met[k] = k;
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++)
            if (s->position[a->index[e]] < k)
                walk_row(s, met, written, s->position[a->index[e]], k);
    }
}

/* The transpose; columns are visited in ascending order, so each row is sorted. */
static void form_rows(struct symbolic *s) {
    uint32_t *written = s->scratch[0];
    memset(written, 0, s->n * sizeof *written);
    for (size_t k = 0; k < s->n; k++)
        s->row_first[k + 1] += s->row_first[k];
    for (uint32_t j = 0; j < s->n; j++)
        for (uint32_t e = s->column_first[j]; e < s->column_first[j + 1]; e++) {
            uint32_t k = s->row_index[e], to = s->row_first[k] + written[k]++;
            s->column_index[to] = j;
            s->row_entry[to] = e;
        }
}

static hn_status form_factor(struct symbolic *s, const struct symbolic_request *a, uint64_t nonzeros, hn_error *error) {
    size_t most = a->limit < UINT32_MAX ? a->limit : UINT32_MAX; /* row_entry has 32 bits */
    if (nonzeros > most)
        return error_set(error, HN_LIMIT,
                         "symbolic factorisation: the factor of %zu rows with %zu entries has %llu entries below the "
                         "diagonal, more than the limit of %zu",
                         a->n, a->first[a->n], (unsigned long long)nonzeros, most);
    s->nonzeros = (size_t)nonzeros;
    s->lists = layout_allocate(place_pattern, s);
    if (!s->lists)
        return error_no_memory(error, "symbolic factorisation");
    form_columns(s, a);
    form_rows(s);
    return HN_OK;
}

/* ---- the lowest tree ---- */

/* Jess, Kees, "A data structure for parallel L/U decomposition", IEEE Trans. Comput. C-31 (1982) 231-239; the tree has
 * minimum height among the orders with these entries: Liu, "Reordering sparse matrices for parallel elimination",
 * Parallel Comput. 11 (1989) 73-91.
 *
 * The graph of L + L' is chordal. A simplicial row, whose neighbours are pairwise adjacent, is eliminated without
 * fill-in. Each round eliminates all simplicial rows that are not adjacent to another one of the round; the rounds are
 * the levels of the tree. Minimum degree eliminates a chain from one end if its ends differ; this method does so from
 * both. */

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

/* ---- the interface ---- */

static hn_status create(struct symbolic *s, const struct symbolic_request *request, hn_error *error) {
    uint64_t nonzeros = 0;
    hn_status status = analyse(s, request, &nonzeros, error);
    if (status == HN_OK && request->arrangement != ARRANGED_BY_SUBTREE)
        arrange_by_depth(s, request->arrangement);
    if (status == HN_OK)
        status = form_factor(s, request, nonzeros, error);
    if (status != HN_OK)
        symbolic_release(s);
    return status;
}

/* The same entries in an order with a lower tree, if one exists. */
static hn_status lower_tree(struct symbolic *s, const struct symbolic_request *request, hn_error *error) {
    struct symbolic_request again = *request;
    uint32_t *order = base_allocate((s->n + 1) * sizeof *order), height[2];
    bool found = order && order_shallow(s, order, height);
    bool lower = found && height[0] >= LEAST_HEIGHT && 4 * (size_t)height[1] <= 3 * (size_t)height[0];
    hn_status status = found ? HN_OK : error_no_memory(error, "symbolic factorisation");
    if (lower || !found)
        symbolic_release(s);
    if (lower) {
        again.order = order;
        status = create(s, &again, error);
    }
    base_release(order);
    return status;
}

hn_status symbolic_create(struct symbolic *out, const struct symbolic_request *request, hn_error *error) {
    hn_status status = create(out, request, error);
    bool lowers = request->arrangement == ARRANGED_SHALLOW && !request->order;
    return status == HN_OK && lowers && out->factor_work <= MOST_WORK ? lower_tree(out, request, error) : status;
}

void symbolic_release(struct symbolic *symbolic) {
    base_release(symbolic->block);
    base_release(symbolic->lists);
    *symbolic = (struct symbolic){.n = 0};
}

hn_status symbolic_count(const struct symbolic_request *request, size_t *nonzeros, double *work, hn_error *error) {
    struct symbolic s;
    uint64_t count = 0;
    hn_status status = analyse(&s, request, &count, error);
    if (status == HN_OK) {
        *nonzeros = count < SIZE_MAX ? (size_t)count : SIZE_MAX;
        *work = s.factor_work;
    }
    symbolic_release(&s);
    return status;
}
