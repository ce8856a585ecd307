/* sweep.c - see sweep.h.
 *
 * SPDX-License-Identifier: MIT */
#include "derivatives/sweep.h"

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
    sweep->adjoint = base_allocate(n * sizeof *sweep->adjoint);
    sweep->tainted = base_allocate(n);
    sweep->heap = base_allocate(n * sizeof *sweep->heap);
    if (!sweep->adjoint || !sweep->tainted || !sweep->heap) {
        sweep_release(sweep);
        return error_no_memory(error, "derivatives");
    }
    memset(sweep->adjoint, 0, n * sizeof *sweep->adjoint);
    memset(sweep->tainted, 0, n);
    return HN_OK;
}

void sweep_release(struct sweep *sweep) {
    base_release(sweep->adjoint);
    base_release(sweep->tainted);
    base_release(sweep->heap);
    base_release(sweep->hub_of);
    base_release(sweep->hubs);
    memset(sweep, 0, sizeof *sweep);
}

/* ---- a heap of node numbers, the largest on top ---- */

static void heap_push(struct sweep *sweep, uint32_t node) {
    uint32_t *heap = sweep->heap;
    size_t place = sweep->heap_count++;
    for (; place > 0 && heap[(place - 1) / 2] < node; place = (place - 1) / 2)
        heap[place] = heap[(place - 1) / 2];
    heap[place] = node;
}

static uint32_t heap_pop(struct sweep *sweep) {
    uint32_t *heap = sweep->heap, top = heap[0], last = heap[--sweep->heap_count];
    size_t place = 0;
    for (;;) {
        size_t child = 2 * place + 1;
        if (child + 1 < sweep->heap_count && heap[child + 1] > heap[child])
            child++;
        if (child >= sweep->heap_count || heap[child] <= last)
            break;
        heap[place] = heap[child];
        place = child;
    }
    heap[place] = last;
    return top;
}

/* ---- the sweep ---- */

void sweep_add(struct sweep *sweep, uint32_t node, uint32_t adjoint, bool tainted) {
    if (adjoint == 0 || !graph_depends(sweep->graph, node, sweep->space) || graph_is_number(sweep->graph, adjoint, 0))
        return;
    if (sweep->adjoint[node] == 0) {
        heap_push(sweep, node);
        sweep->adjoint[node] = adjoint;
    } else {
        uint32_t sum = graph_add(sweep->graph, sweep->adjoint[node], adjoint);
        sweep->adjoint[node] = sum != 0 ? sum : adjoint; /* a failed graph: keep the heap and the mark in step */
    }
    sweep->tainted[node] |= tainted;
}

static void hand_to_leaves(struct sweep *sweep, const struct hub *hub, uint32_t w, bool tainted) {
    for (uint32_t i = 0; i < hub->count; i++)
        sweep_add(sweep, hub->leaf[i], graph_apply(sweep->graph, tainted ? OP_GUARD : OP_MUL, w, hub->partial[i], 0),
                  tainted);
}

bool sweep_next(struct sweep *sweep, uint32_t *leaf, uint32_t *derivative) {
    while (sweep->heap_count > 0) {
        uint32_t node = heap_pop(sweep), w = sweep->adjoint[node];
        bool tainted = sweep->tainted[node];
        sweep->adjoint[node] = 0;
        sweep->tainted[node] = 0;
        if (sweep->graph->status != HN_OK || graph_is_number(sweep->graph, w, 0))
            continue; /* on to the end, so that the marks are clean for the next sweep */
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
