/* sweep.c - see sweep.h.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/sweep.h"

#include "base/error.h"
#include "base/memory.h"

#include <string.h>

hn_status sweep_status(const struct graph *graph, hn_error *error) {
    if (graph->status == HN_NO_MEMORY)
        return error_no_memory(error, "derivatives");
    if (graph->status != HN_OK)
        return error_about(error, graph->status, error_option("max_nodes"),
                           "derivatives: more than %zu nodes in the graph; raise max_nodes", graph->max_nodes);
    return HN_OK;
}

hn_status sweep_create(struct sweep *sweep, struct graph *graph, enum space space, hn_error *error) {
    size_t n = graph->count;
    *sweep = (struct sweep){.graph = graph, .space = space, .limit = n};
    sweep->adjoint = arena_zeros(&sweep->arena, n, sizeof *sweep->adjoint);
    sweep->tainted = arena_zeros(&sweep->arena, n, sizeof *sweep->tainted);
    sweep->heap = arena_take(&sweep->arena, n, sizeof *sweep->heap);
    sweep->first_share = arena_zeros(&sweep->arena, n, sizeof *sweep->first_share);
    if (sweep->adjoint && sweep->tainted && sweep->heap && sweep->first_share)
        return HN_OK;
    sweep_release(sweep);
    return error_no_memory(error, "derivatives");
}

void sweep_release(struct sweep *sweep) {
    base_release(sweep->shares);
    base_release(sweep->factors);
    base_release(sweep->nodes);
    arena_release(&sweep->arena);
    memset(sweep, 0, sizeof *sweep);
}

/* ---- a heap of node numbers, the largest on top ---- */

static void heap_push(struct sweep *sweep, uint32_t node) {
    uint32_t *heap = sweep->heap;
    size_t at = sweep->heap_count++;
    for (; at > 0 && heap[(at - 1) / 2] < node; at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = node;
}

static uint32_t heap_pop(struct sweep *sweep) {
    uint32_t *heap = sweep->heap, top = heap[0], last = heap[--sweep->heap_count];
    size_t at = 0;
    for (;;) {
        size_t child = 2 * at + 1;
        if (child + 1 < sweep->heap_count && heap[child + 1] > heap[child])
            child++;
        if (child >= sweep->heap_count || heap[child] <= last)
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = last;
    return top;
}

/* ---- adjoints ---- */

static bool is_waiting(const struct sweep *sweep, uint32_t node) {
    return sweep->adjoint[node] != 0 || sweep->first_share[node] != 0;
}

void sweep_add(struct sweep *sweep, uint32_t node, uint32_t adjoint, bool tainted) {
    struct graph *g = sweep->graph;
    double value;
    if (adjoint == 0 || !graph_depends(g, node, sweep->space) ||
        (graph_entry_is_constant(g, adjoint, &value) && value == 0))
        return;
    if (!is_waiting(sweep, node))
        heap_push(sweep, node);
    if (sweep->adjoint[node] == 0) {
        sweep->adjoint[node] = adjoint;
    } else {
        uint32_t first = graph_entry_node(g, sweep->adjoint[node]);
        uint32_t sum = graph_add(g, first, graph_entry_node(g, adjoint));
        sweep->adjoint[node] = sum != 0 ? sum : adjoint; /* after a graph error: keep heap and adjoints consistent */
    }
    sweep->tainted[node] |= tainted;
}

/* ---- shares ---- */

void sweep_share(struct sweep *sweep, uint32_t leaf, double factor, uint32_t node, bool tainted) {
    size_t count = sweep->share_count;
    struct share *shares = NULL;
    if (sweep->graph->status != HN_OK)
        return;
    if (count < UINT32_MAX)
        shares = array_grow(sweep->shares, &sweep->share_capacity, count + 1, sizeof *shares);
    if (!shares) {
        sweep->graph->status = HN_NO_MEMORY;
        return;
    }
    sweep->shares = shares;
    if (!is_waiting(sweep, leaf))
        heap_push(sweep, leaf);
    shares[count] = (struct share){sweep->first_share[leaf], node, factor};
    sweep->share_count = count + 1;
    sweep->first_share[leaf] = (uint32_t)sweep->share_count;
    sweep->tainted[leaf] |= tainted;
}

/* The shares of a leaf as one node, the most recent first: rows of a matrix arrive in descending order. */
static uint32_t gather_shares(struct sweep *sweep, uint32_t leaf) {
    size_t count = 0, i = 0;
    for (uint32_t at = sweep->first_share[leaf]; at != 0; at = sweep->shares[at - 1].next)
        count++;
    double *factors = array_grow(sweep->factors, &sweep->factor_capacity, count, sizeof *factors);
    if (factors)
        sweep->factors = factors;
    uint32_t *nodes = array_grow(sweep->nodes, &sweep->node_capacity, count, sizeof *nodes);
    if (nodes)
        sweep->nodes = nodes;
    if (!factors || !nodes) {
        sweep->graph->status = HN_NO_MEMORY;
        return 0;
    }
    for (uint32_t at = sweep->first_share[leaf]; at != 0; at = sweep->shares[at - 1].next, i++) {
        factors[i] = sweep->shares[at - 1].factor;
        nodes[i] = sweep->shares[at - 1].node;
    }
    return graph_linear(sweep->graph, factors, nodes, count);
}

/* Removes and returns the adjoint of a node. */
static uint32_t take_adjoint(struct sweep *sweep, uint32_t node) {
    struct graph *g = sweep->graph;
    uint32_t w = sweep->adjoint[node];
    sweep->adjoint[node] = 0;
    sweep->tainted[node] = 0;
    if (sweep->first_share[node] == 0)
        return w;
    uint32_t sum = g->status == HN_OK ? gather_shares(sweep, node) : 0;
    sweep->first_share[node] = 0;
    if (sweep->heap_count == 0) /* no node is pending: all shares are used */
        sweep->share_count = 0;
    return w == 0 ? sum : graph_add(g, graph_entry_node(g, w), sum);
}

/* ---- the sweep ---- */

static void hand_to_leaves(struct sweep *sweep, const struct hub *hub, uint32_t w, bool tainted) {
    for (uint32_t i = 0; i < hub->count; i++)
        sweep_add(sweep, hub->leaf[i], graph_apply(sweep->graph, tainted ? OP_GUARD : OP_MUL, w, hub->partial[i], 0),
                  tainted);
}

bool sweep_next(struct sweep *sweep, uint32_t *leaf, uint32_t *derivative) {
    while (sweep->heap_count > 0) {
        uint32_t node = heap_pop(sweep);
        bool tainted = sweep->tainted[node];
        uint32_t w = take_adjoint(sweep, node);
        double value;
        if (sweep->graph->status != HN_OK || (graph_entry_is_constant(sweep->graph, w, &value) && value == 0))
            continue; /* continue to the end, so that the marks are reset for the next sweep */
        if (sweep->graph->nodes[node].op == OP_LEAF) {
            *leaf = node;
            *derivative = w;
            return true;
        }
        if (sweep->hub_of && sweep->hub_of[node] != 0)
            hand_to_leaves(sweep, &sweep->hubs[sweep->hub_of[node] - 1], w, tainted);
        else
            sweep_rule(sweep, node, w, tainted);
    }
    return false;
}
