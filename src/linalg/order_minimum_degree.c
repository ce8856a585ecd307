/* order_minimum_degree.c - approximate minimum degree on a quotient graph.
 *
 * Amestoy, Davis, Duff, "An approximate minimum degree ordering algorithm", SIAM J. Matrix Anal. Appl. 17 (1996)
 * 886-905.
 *
 * Eliminating a variable p makes its neighbours a clique. The clique is not stored explicitly: p becomes an element
 * with the list of its variables L_p, and each variable i keeps two lists, the elements E_i that it belongs to and its
 * other adjacent variables A_i. Elements inside L_p are absorbed, so the lists never need more memory than the pattern.
 * Each step computes:
 *
 *   L_p = (A_p u union of L_e, e in E_p) \ p                                                     (form_element)
 *   d_i = min(rows left, d_i + |L_p \ i|, |A_i \ L_p| + |L_p \ i| + sum over E_i of |L_e \ L_p|)  (update_variable)
 *
 * d_i is an upper bound of the degree that costs one pass over the lists. Indistinguishable variables, those with equal
 * lists, are found by hashing and merged into a supervariable with a weight; variables with only L_p left are
 * eliminated together with p. All sizes |.| are sums of weights.
 *
 * SPDX-License-Identifier: MIT */
#include "linalg/symbolic.h"

#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdbool.h>

enum { DENSE_LEAST = 16, DENSE_FACTOR = 10 }; /* a row is dense with more than max(16, 10 sqrt(n)) neighbours */

#define NONE     UINT32_MAX
#define LIST_TAG 0x80000000u /* above every row number: marks the start of a list while the pool is compacted */

/* A row of the matrix: first a variable, then an element, or dead (length 0) once merged or absorbed. */
struct node {
    size_t start;      /* of its list in the pool: elements, then variables; an element has variables only */
    uint64_t stamp;    /* 0: a dead element; else a mark, or during measurement, the base of this step + |L_e \ L_p| */
    uint32_t length;   /* of the list */
    uint32_t elements; /* how many of them are elements */
    uint32_t degree;   /* d_i; of an element: |L_e| */
    int32_t weight;    /* rows in a supervariable; negative while it is in L_p; 0: no longer a variable */
    uint32_t next;     /* in the list of its degree; while it is in L_p, in its bucket */
    uint32_t previous; /* in the list of its degree; while it is in L_p, its bucket */
};

struct ordering {
    size_t n;
    struct node *nodes;
    uint32_t *heads;    /* n: by degree, the first variable */
    uint32_t *lasts;    /* n: by degree, the last variable */
    uint32_t *buckets;  /* n: by hash, variables of L_p; NONE between steps */
    uint32_t *follower; /* n: the next row in the supervariable */
    uint32_t *tail;     /* n: the last of them */
    uint32_t *pool;     /* all lists */
    size_t used, room;  /* of the pool */
    uint64_t stamp;     /* above every stamp of earlier steps */
    size_t lowest;      /* a lower bound of the least degree */
    size_t left;        /* rows neither eliminated nor dense */
    uint32_t size;      /* |L_p| */
};

/* ---- degree lists: ties are broken first in, first out, so that a chain is eliminated from both ends and its tree is
 * half as deep ---- */

static void insert_by_degree(struct ordering *o, uint32_t i) {
    struct node *node = &o->nodes[i];
    uint32_t last = o->lasts[node->degree];
    node->next = NONE;
    node->previous = last;
    if (last != NONE)
        o->nodes[last].next = i;
    else
        o->heads[node->degree] = i;
    o->lasts[node->degree] = i;
    if (node->degree < o->lowest)
        o->lowest = node->degree;
}

static void remove_by_degree(struct ordering *o, const struct node *node) {
    if (node->next != NONE)
        o->nodes[node->next].previous = node->previous;
    else
        o->lasts[node->degree] = node->previous;
    if (node->previous != NONE)
        o->nodes[node->previous].next = node->next;
    else
        o->heads[node->degree] = node->next;
}

static uint32_t choose_pivot(struct ordering *o) {
    while (o->heads[o->lowest] == NONE)
        o->lowest++;
    uint32_t p = o->heads[o->lowest];
    remove_by_degree(o, &o->nodes[p]);
    return p;
}

/* ---- memory for lists ---- */

/* Swaps the first entry of each list with a tag that names the list's owner; then one pass finds them all. */
static void tag_lists(struct ordering *o) {
    for (uint32_t i = 0; i < o->n; i++) {
        struct node *node = &o->nodes[i];
        if (node->length == 0)
            continue;
        uint32_t entry = o->pool[node->start];
        o->pool[node->start] = i | LIST_TAG;
        node->start = entry;
    }
}

static void compact_pool(struct ordering *o) {
    size_t from = 0, to = 0;
    tag_lists(o);
    while (from < o->used) {
        uint32_t entry = o->pool[from++];
        if ((entry & LIST_TAG) == 0)
            continue;
        struct node *node = &o->nodes[entry & ~LIST_TAG];
        uint32_t first = (uint32_t)node->start;
        node->start = to;
        o->pool[to++] = first;
        for (uint32_t k = 1; k < node->length; k++)
            o->pool[to++] = o->pool[from++];
    }
    o->used = to;
}

/* ---- one step: the new element ---- */

/* Moves the variables from `from` on that are not in L_p yet to `to`; returns the end. */
static size_t gather_variables(struct ordering *o, size_t from, uint32_t count, size_t to) {
    for (size_t k = from; k < from + count; k++) {
        uint32_t i = o->pool[k];
        struct node *node = &o->nodes[i];
        if (node->weight <= 0)
            continue;
        remove_by_degree(o, node);
        o->size += (uint32_t)node->weight;
        node->weight = -node->weight;
        o->pool[to++] = i;
    }
    return to;
}

static void kill_element(struct node *element) {
    element->stamp = 0;
    element->length = 0;
}

/* A pivot without elements becomes an element in place; else L_p is appended to the pool, with space for d_p
 * entries. */
static void form_element(struct ordering *o, struct node *pivot) {
    uint32_t elements = pivot->elements;
    if (elements != 0 && o->room - o->used < pivot->degree)
        compact_pool(o);
    size_t list = pivot->start, begin = elements != 0 ? o->used : list, end = begin;
    o->size = 0;
    for (size_t k = list; k < list + elements; k++) {
        struct node *element = &o->nodes[o->pool[k]];
        end = gather_variables(o, element->start, element->length, end);
        kill_element(element);
    }
    end = gather_variables(o, list + elements, pivot->length - elements, end);
    pivot->start = begin;
    pivot->length = (uint32_t)(end - begin);
    pivot->elements = 0;
    if (elements != 0)
        o->used = end;
}

/* ---- one step: degrees of the variables in L_p ---- */

/* Afterwards stamp = o->stamp + |L_e \ L_p| for every element e that shares a variable with L_p. */
static void measure_elements(struct ordering *o, const struct node *pivot) {
    for (size_t k = pivot->start; k < pivot->start + pivot->length; k++) {
        const struct node *node = &o->nodes[o->pool[k]];
        uint64_t weight = (uint64_t)-node->weight;
        for (size_t m = node->start; m < node->start + node->elements; m++) {
            struct node *element = &o->nodes[o->pool[m]];
            if (element->stamp >= o->stamp)
                element->stamp -= weight;
            else if (element->stamp != 0)
                element->stamp = o->stamp + element->degree - weight;
        }
    }
}

/* Sums of a pass over the lists of a variable. */
struct pass {
    size_t to; /* position of the next entry that is kept */
    uint64_t degree, hash;
};

/* Elements contained in L_p are absorbed, too, even if they are not adjacent to p. */
static void keep_elements(struct ordering *o, const struct node *node, struct pass *pass) {
    for (size_t k = node->start; k < node->start + node->elements; k++) {
        uint32_t e = o->pool[k];
        struct node *element = &o->nodes[e];
        if (element->stamp == o->stamp)
            kill_element(element);
        if (element->stamp == 0)
            continue;
        pass->degree += element->stamp - o->stamp;
        pass->hash += e;
        o->pool[pass->to++] = e;
    }
}

static void keep_variables(struct ordering *o, const struct node *node, struct pass *pass) {
    for (size_t k = node->start + node->elements; k < node->start + node->length; k++) {
        uint32_t j = o->pool[k];
        if (o->nodes[j].weight <= 0)
            continue;
        pass->degree += (uint64_t)o->nodes[j].weight;
        pass->hash += j;
        o->pool[pass->to++] = j;
    }
}

/* Merges the rows of j into i. */
static void merge_rows(struct ordering *o, uint32_t i, uint32_t j) {
    o->follower[o->tail[i]] = j;
    o->tail[i] = o->tail[j];
    o->nodes[j].weight = 0;
    o->nodes[j].length = 0;
}

/* Removes the members of L_p from the lists of i and puts p first, in place of the entry that led from i to p. */
static void update_variable(struct ordering *o, uint32_t p, uint32_t i) {
    struct node *node = &o->nodes[i];
    struct pass pass = {.to = node->start};
    keep_elements(o, node, &pass);
    size_t variables = pass.to;
    keep_variables(o, node, &pass);
    if (pass.to == node->start) { /* only L_p is left: mass elimination of i with p */
        o->size -= (uint32_t)-node->weight;
        o->left -= (uint32_t)-node->weight;
        merge_rows(o, p, i);
        return;
    }
    o->pool[pass.to] = o->pool[variables];
    o->pool[variables] = o->pool[node->start];
    o->pool[node->start] = p;
    node->elements = (uint32_t)(variables - node->start) + 1;
    node->length = (uint32_t)(pass.to - node->start) + 1;
    if (pass.degree < node->degree)
        node->degree = (uint32_t)pass.degree;
    node->previous = (uint32_t)(pass.hash % o->n);
    node->next = o->buckets[node->previous];
    o->buckets[node->previous] = i;
}

/* ---- one step: indistinguishable variables ---- */

/* Whether the lists of a node contain exactly the stamped entries; the first entry is p in all of them. */
static bool is_stamped(const struct ordering *o, const struct node *node) {
    for (uint32_t k = 1; k < node->length; k++)
        if (o->nodes[o->pool[node->start + k]].stamp != o->stamp)
            return false;
    return true;
}

/* Merges into i the variables after it in its bucket that have the same lists. */
static void join_alike(struct ordering *o, uint32_t i) {
    struct node *node = &o->nodes[i];
    o->stamp++;
    for (size_t k = node->start + 1; k < node->start + node->length; k++)
        o->nodes[o->pool[k]].stamp = o->stamp;
    for (uint32_t before = i, j = node->next; j != NONE; j = o->nodes[j].next) {
        struct node *other = &o->nodes[j];
        bool alike = other->length == node->length && other->elements == node->elements && is_stamped(o, other);
        if (alike) {
            node->weight += other->weight;
            merge_rows(o, i, j);
            o->nodes[before].next = other->next;
        } else {
            before = j;
        }
    }
}

static void join_bucket(struct ordering *o, uint32_t *bucket) {
    uint32_t i = *bucket;
    *bucket = NONE;
    for (; i != NONE && o->nodes[i].next != NONE; i = o->nodes[i].next)
        join_alike(o, i);
}

/* ---- a complete step ---- */

/* Keeps the live variables in L_p, and updates their degrees. */
static void finish_element(struct ordering *o, struct node *pivot) {
    size_t to = pivot->start, end = pivot->start + pivot->length;
    for (size_t k = pivot->start; k < end; k++) {
        uint32_t i = o->pool[k];
        struct node *node = &o->nodes[i];
        if (node->weight == 0)
            continue;
        node->weight = -node->weight;
        size_t others = o->left - (uint32_t)node->weight;
        size_t degree = (size_t)node->degree + o->size - (uint32_t)node->weight;
        node->degree = (uint32_t)(degree < others ? degree : others);
        insert_by_degree(o, i);
        o->pool[to++] = i;
    }
    if (o->used == end)
        o->used = to;
    pivot->length = (uint32_t)(to - pivot->start);
    pivot->degree = o->size;
    pivot->stamp = 1;
}

static void eliminate(struct ordering *o, uint32_t p) {
    struct node *pivot = &o->nodes[p];
    o->left -= (uint32_t)pivot->weight;
    pivot->weight = 0;
    form_element(o, pivot);
    o->stamp++;
    measure_elements(o, pivot);
    for (size_t k = pivot->start; k < pivot->start + pivot->length; k++)
        update_variable(o, p, o->pool[k]);
    o->stamp += o->n; /* above all |L_e \ L_p| */
    for (size_t k = pivot->start; k < pivot->start + pivot->length; k++)
        if (o->nodes[o->pool[k]].weight != 0)
            join_bucket(o, &o->buckets[o->nodes[o->pool[k]].previous]);
    finish_element(o, pivot);
}

/* ---- setup and result ---- */

static void place_ordering(struct layout *layout, void *context) {
    struct ordering *o = context;
    o->nodes = layout_take(layout, o->n, sizeof *o->nodes);
    o->heads = layout_take(layout, o->n, sizeof *o->heads);
    o->lasts = layout_take(layout, o->n, sizeof *o->lasts);
    o->buckets = layout_take(layout, o->n, sizeof *o->buckets);
    o->follower = layout_take(layout, o->n, sizeof *o->follower);
    o->tail = layout_take(layout, o->n, sizeof *o->tail);
    o->pool = layout_take(layout, o->room, sizeof *o->pool);
}

/* The degree of a row, UINT32_MAX if it is dense. */
static uint32_t row_degree(size_t n, const size_t *first, const uint32_t *index, size_t i) {
    uint64_t degree = first[i + 1] - first[i];
    for (size_t k = first[i]; k < first[i + 1]; k++)
        degree -= index[k] == i;
    bool dense = degree > DENSE_LEAST && degree * degree > (uint64_t)DENSE_FACTOR * DENSE_FACTOR * n;
    return dense ? UINT32_MAX : (uint32_t)degree;
}

/* Dense rows get weight 0 and are not in any list. */
static void start_nodes(struct ordering *o, const size_t *first, const uint32_t *index) {
    for (uint32_t i = 0; i < o->n; i++) {
        uint32_t degree = row_degree(o->n, first, index, i);
        o->nodes[i] = (struct node){.stamp = 1, .weight = degree != UINT32_MAX};
        o->heads[i] = o->lasts[i] = o->buckets[i] = o->follower[i] = NONE;
        o->tail[i] = i;
        o->left += degree != UINT32_MAX;
    }
}

static void start_lists(struct ordering *o, const size_t *first, const uint32_t *index) {
    for (uint32_t i = 0; i < o->n; i++) {
        struct node *node = &o->nodes[i];
        node->start = o->used;
        for (size_t k = first[i]; node->weight != 0 && k < first[i + 1]; k++)
            if (index[k] != i && o->nodes[index[k]].weight != 0)
                o->pool[o->used++] = index[k];
        node->degree = node->length = (uint32_t)(o->used - node->start);
        if (node->weight != 0)
            insert_by_degree(o, i);
    }
}

static void order_rows(struct ordering *o, const size_t *first, const uint32_t *index, uint32_t *order) {
    size_t count = 0;
    start_nodes(o, first, index);
    for (uint32_t i = 0, last = (uint32_t)o->left; i < o->n; i++)
        if (o->nodes[i].weight == 0)
            order[last++] = i;
    start_lists(o, first, index);
    while (o->left > 0) {
        uint32_t p = choose_pivot(o);
        eliminate(o, p);
        for (uint32_t i = p; i != NONE; i = o->follower[i]) /* the rows of the supervariable */
            order[count++] = i;
    }
}

hn_status order_minimum_degree(size_t n, const size_t *first, const uint32_t *index, uint32_t *order, hn_error *error) {
    struct ordering o = {.n = n, .stamp = 1, .lowest = n};
    if (n == 0)
        return HN_OK;
    if (n >= LIST_TAG)
        return error_set(error, HN_LIMIT, "order: %zu rows exceed the limit of %u", n, LIST_TAG - 1);
    /* Memory for the pattern, one more list of n at its end, and some slack, so that compacting is rare. */
    o.room = size_sum(size_sum(first[n], first[n] / 5), n);
    void *block = layout_allocate(place_ordering, &o);
    if (!block)
        return error_no_memory(error, "order");
    order_rows(&o, first, index, order);
    base_release(block);
    return HN_OK;
}
