/* symbolic.c - elimination tree, postorder, column counts and pattern of L.
 *
 * With A permuted to the elimination order, row k of L is the subtree of the elimination tree reached by walking up
 * from every j < k with A(k,j) != 0 until k (Liu, "The role of elimination trees in sparse factorization", SIAM J.
 * Matrix Anal. Appl. 11, 1990). Columns are counted without those walks: only the leaves of the row subtrees and the
 * least common ancestors of successive leaves matter (Gilbert, Ng, Peyton, "An efficient algorithm to compute row and
 * column counts for sparse Cholesky factorization", SIAM J. Matrix Anal. Appl. 15, 1994), which is nearly linear in the
 * entries of A. Trees may be as deep as n, so there is no recursion.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/symbolic.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "linalg/order.h"
#include "linalg/order_shallow.h"

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

/* A with its order and tree, before L is formed. scratch: four lists of n for the function at work. */
struct analysis {
    size_t n;
    const size_t *first;   /* pattern of A, in the numbering of A */
    const uint32_t *index; /* likewise */
    uint32_t *order, *position, *parent;
    uint32_t *count; /* n: entries of each column of L, below the diagonal */
    uint32_t *scratch[4];
    uint64_t nonzeros;
    double work;
    void *block;
};

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

static void find_parents(struct analysis *a) {
    uint32_t *ancestor = a->scratch[0];
    for (uint32_t k = 0; k < a->n; k++) {
        uint32_t row = a->order[k];
        a->parent[k] = ancestor[k] = SYMBOLIC_ROOT;
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++) {
            uint32_t j = a->position[a->index[e]];
            uint32_t root = j < k ? climb(ancestor, j, k) : k;
            if (root != k && ancestor[root] == SYMBOLIC_ROOT)
                a->parent[root] = ancestor[root] = k;
        }
    }
}

/* ---- postorder ---- */

/* size: of each subtree; heavy: the child with the largest subtree, the last among equals; SYMBOLIC_ROOT: a leaf. */
static void measure_subtrees(const struct analysis *a, uint32_t *size, uint32_t *heavy) {
    for (size_t k = 0; k < a->n; k++)
        size[k] = 1, heavy[k] = SYMBOLIC_ROOT;
    for (uint32_t k = 0; k < a->n; k++) {
        uint32_t parent = a->parent[k];
        if (parent == SYMBOLIC_ROOT)
            continue;
        size[parent] += size[k];
        if (heavy[parent] == SYMBOLIC_ROOT || size[k] >= size[heavy[parent]])
            heavy[parent] = k;
    }
}

/* Each subtree becomes a contiguous range that ends with its root. The heavy child's range is right before its parent,
 * so that long chains are contiguous; the other children come before that, in elimination order. */
static void find_postorder(struct analysis *a, uint32_t *post) {
    uint32_t *size = a->scratch[0], *heavy = a->scratch[1], *end = a->scratch[2], roots = (uint32_t)a->n;
    measure_subtrees(a, size, heavy);
    for (size_t k = a->n; k-- > 0;) {
        uint32_t parent = a->parent[k], *range = parent == SYMBOLIC_ROOT ? &roots : &end[parent];
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
static void renumber(struct analysis *a, const uint32_t *to) {
    uint32_t *order = a->scratch[0], *parent = a->scratch[1], *count = a->scratch[2];
    for (size_t k = 0; k < a->n; k++) {
        order[to[k]] = a->order[k];
        parent[to[k]] = a->parent[k] == SYMBOLIC_ROOT ? SYMBOLIC_ROOT : to[a->parent[k]];
        count[to[k]] = a->count[k];
    }
    memcpy(a->order, order, a->n * sizeof *order);
    memcpy(a->parent, parent, a->n * sizeof *parent);
    memcpy(a->count, count, a->n * sizeof *count);
    for (uint32_t k = 0; k < a->n; k++)
        a->position[a->order[k]] = k;
}

static void apply_postorder(struct analysis *a) {
    memset(a->count, 0, a->n * sizeof *a->count);
    find_postorder(a, a->scratch[3]);
    renumber(a, a->scratch[3]);
}

/* ---- by depth ---- */

/* The distance of each row from its root; returns the largest number of rows at one distance. */
static uint32_t find_depths(const struct analysis *a, uint32_t *depth, uint32_t *rows_at) {
    uint32_t widest = 0;
    memset(rows_at, 0, a->n * sizeof *rows_at);
    for (size_t k = a->n; k-- > 0;) {
        depth[k] = a->parent[k] == SYMBOLIC_ROOT ? 0 : depth[a->parent[k]] + 1;
        if (++rows_at[depth[k]] > widest)
            widest = rows_at[depth[k]];
    }
    return widest;
}

/* The deepest first; within a depth the order is kept. */
static void arrange_by_depth(struct analysis *a, enum arrangement arrangement) {
    uint32_t *depth = a->scratch[0], *next = a->scratch[1], *to = a->scratch[3], begin = 0;
    uint32_t widest = find_depths(a, depth, next);
    if (arrangement != ARRANGED_BY_DEPTH && a->n > SMALL_TREE && widest > NARROW_TREE)
        return;
    for (size_t d = a->n; d-- > 0;) {
        uint32_t rows = next[d];
        next[d] = begin;
        begin += rows;
    }
    for (size_t k = 0; k < a->n; k++)
        to[k] = next[depth[k]]++;
    renumber(a, to);
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

static void start_leaves(struct analysis *a, struct leaves *leaves) {
    *leaves = (struct leaves){a->scratch[0], a->scratch[1], a->scratch[2], a->scratch[3]};
    memset(leaves->descendant, 0, a->n * sizeof *leaves->descendant);
    memset(leaves->greatest, 0, a->n * sizeof *leaves->greatest);
    for (uint32_t j = 0; j < a->n; j++) {
        uint32_t parent = a->parent[j];
        a->count[j] = leaves->descendant[j] == 0; /* 1 for a leaf of the tree */
        if (leaves->descendant[j] == 0)
            leaves->descendant[j] = j + 1;
        if (parent != SYMBOLIC_ROOT && leaves->descendant[parent] == 0)
            leaves->descendant[parent] = leaves->descendant[j];
        leaves->ancestor[j] = j;
    }
}

/* Column j meets row i: if j is a leaf of row i's subtree, the path from j up to the rest of the subtree is new. */
static void meet_row(struct analysis *a, struct leaves *leaves, uint32_t j, uint32_t i) {
    if (leaves->descendant[j] <= leaves->greatest[i])
        return;
    a->count[j]++;
    if (leaves->greatest[i] != 0)
        a->count[find_top(leaves->ancestor, leaves->latest[i])]--;
    leaves->greatest[i] = leaves->descendant[j];
    leaves->latest[i] = j;
}

/* count is a difference along the tree, which wraps below 0 in between, until the last loop sums it up. */
static void count_columns(struct analysis *a) {
    struct leaves leaves;
    start_leaves(a, &leaves);
    for (uint32_t j = 0; j < a->n; j++) {
        uint32_t parent = a->parent[j], row = a->order[j];
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++)
            if (a->position[a->index[e]] > j)
                meet_row(a, &leaves, j, a->position[a->index[e]]);
        if (parent == SYMBOLIC_ROOT)
            continue;
        a->count[parent]--;
        leaves.ancestor[j] = parent;
    }
    for (size_t j = 0; j < a->n; j++) {
        if (a->parent[j] != SYMBOLIC_ROOT)
            a->count[a->parent[j]] += a->count[j];
        a->count[j]--; /* without the diagonal */
        double c = a->count[j];
        a->nonzeros += a->count[j];
        a->work += c * (c + 1) / 2;
    }
}

/* ---- the analysis before L ---- */

static void place_analysis(struct layout *layout, void *context) {
    struct analysis *a = context;
    a->order = layout_take(layout, a->n, sizeof *a->order);
    a->position = layout_take(layout, a->n, sizeof *a->position);
    a->parent = layout_take(layout, a->n, sizeof *a->parent);
    a->count = layout_take(layout, a->n, sizeof *a->count);
    for (size_t i = 0; i < 4; i++)
        a->scratch[i] = layout_take(layout, a->n, sizeof *a->scratch[i]);
}

static hn_status analysis_create(struct analysis *a, const struct symbolic_request *request, hn_error *error) {
    *a = (struct analysis){.n = request->n, .first = request->first, .index = request->index};
    a->block = layout_allocate(place_analysis, a);
    if (!a->block)
        return error_no_memory(error, "symbolic factorisation");
    hn_status status = HN_OK;
    if (!request->order)
        status = order_minimum_degree(a->n, a->first, a->index, a->order, error);
    else if (a->n > 0)
        memcpy(a->order, request->order, a->n * sizeof *a->order);
    if (status != HN_OK) {
        base_release(a->block);
        return status;
    }
    for (uint32_t k = 0; k < a->n; k++)
        a->position[a->order[k]] = k;
    find_parents(a);
    apply_postorder(a);
    count_columns(a);
    return HN_OK;
}

/* ---- the pattern of L ---- */

static void place_symbolic(struct layout *layout, void *context) {
    struct symbolic *s = context;
    s->order = layout_take(layout, s->n, sizeof *s->order);
    s->position = layout_take(layout, s->n, sizeof *s->position);
    s->parent = layout_take(layout, s->n, sizeof *s->parent);
    s->column_first = layout_take(layout, s->n + 1, sizeof *s->column_first);
    s->row_index = layout_take(layout, s->nonzeros, sizeof *s->row_index);
    s->row_first = layout_take(layout, s->n + 1, sizeof *s->row_first);
    s->column_index = layout_take(layout, s->nonzeros, sizeof *s->column_index);
    s->row_entry = layout_take(layout, s->nonzeros, sizeof *s->row_entry);
}

static hn_status symbolic_allocate(struct symbolic *s, hn_error *error) {
    s->block = layout_allocate(place_symbolic, s);
    return s->block ? HN_OK : error_no_memory(error, "symbolic factorisation");
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
static void form_columns(struct symbolic *s, struct analysis *a) {
    uint32_t *met = a->scratch[0], *written = a->scratch[1];
    memset(written, 0, s->n * sizeof *written);
    memset(s->row_first, 0, (s->n + 1) * sizeof *s->row_first);
    s->column_first[0] = 0;
    for (size_t j = 0; j < s->n; j++)
        s->column_first[j + 1] = s->column_first[j] + a->count[j];
    for (uint32_t k = 0; k < s->n; k++) {
        uint32_t row = s->order[k];
        met[k] = k;
        for (size_t e = a->first[row]; e < a->first[row + 1]; e++)
            if (s->position[a->index[e]] < k)
                walk_row(s, met, written, s->position[a->index[e]], k);
    }
}

/* The transpose; columns are visited in ascending order, so each row is sorted. */
static void form_rows(struct symbolic *s, uint32_t *written) {
    memset(written, 0, s->n * sizeof *written);
    for (size_t k = 0; k < s->n; k++)
        s->row_first[k + 1] += s->row_first[k];
    for (uint32_t j = 0; j < s->n; j++)
        for (size_t e = s->column_first[j]; e < s->column_first[j + 1]; e++) {
            uint32_t k = s->row_index[e];
            size_t to = s->row_first[k] + written[k]++;
            s->column_index[to] = j;
            s->row_entry[to] = (uint32_t)e;
        }
}

static hn_status form_factor(struct symbolic *s, struct analysis *a, size_t limit, hn_error *error) {
    size_t most = limit < UINT32_MAX ? limit : UINT32_MAX; /* row_entry has 32 bits */
    if (a->nonzeros > most)
        return error_set(error, HN_LIMIT,
                         "symbolic factorisation: the factor of %zu rows with %zu entries has %llu entries below the "
                         "diagonal, more than the limit of %zu",
                         a->n, a->first[a->n], (unsigned long long)a->nonzeros, most);
    s->n = a->n;
    s->nonzeros = (size_t)a->nonzeros;
    s->factor_work = a->work;
    hn_status status = symbolic_allocate(s, error);
    if (status != HN_OK)
        return status;
    memcpy(s->order, a->order, s->n * sizeof *s->order);
    memcpy(s->position, a->position, s->n * sizeof *s->position);
    memcpy(s->parent, a->parent, s->n * sizeof *s->parent);
    form_columns(s, a);
    form_rows(s, a->scratch[0]);
    return HN_OK;
}

/* ---- the interface ---- */

static hn_status create(struct symbolic *out, const struct symbolic_request *request, hn_error *error) {
    struct analysis a;
    struct symbolic s = {.n = 0};
    hn_status status = analysis_create(&a, request, error);
    if (status == HN_OK) {
        if (request->arrangement != ARRANGED_BY_SUBTREE)
            arrange_by_depth(&a, request->arrangement);
        status = form_factor(&s, &a, request->limit, error);
        base_release(a.block);
    }
    *out = status == HN_OK ? s : (struct symbolic){.n = 0};
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
    *symbolic = (struct symbolic){.n = 0};
}

hn_status symbolic_count(const struct symbolic_request *request, size_t *nonzeros, double *work, hn_error *error) {
    struct analysis a;
    hn_status status = analysis_create(&a, request, error);
    if (status != HN_OK)
        return status;
    *nonzeros = a.nonzeros < SIZE_MAX ? (size_t)a.nonzeros : SIZE_MAX;
    *work = a.work;
    base_release(a.block);
    return HN_OK;
}
