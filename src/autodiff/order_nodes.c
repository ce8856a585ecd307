/* order_nodes.c - first compiler stage: the needed nodes in topological order.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

enum visit { UNSEEN, OPEN, DONE };

int compiler_phase(const struct compiler *compiler, uint32_t node) {
    return compiler->phase[node];
}

/* The latest phase among a node's dependencies. */
static int own_phase(const struct compiler *compiler, uint32_t node) {
    int phase = 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (graph_depends(compiler->graph, node, (enum space)space) && compiler->request->phase[space] > phase)
            phase = compiler->request->phase[space];
    return phase;
}

/* Iterative post-order traversal: a node stays on the stack until its arguments are done. */
static size_t walk_from(struct compiler *compiler, uint32_t root, uint32_t *stack, size_t count) {
    size_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        const uint32_t *arguments;
        size_t n = graph_arguments(compiler->graph, node, &arguments);
        if (compiler->visits[node] == UNSEEN) {
            compiler->visits[node] = OPEN;
            for (size_t i = n; i-- > 0;) /* the first argument on top */
                if (compiler->visits[arguments[i]] == UNSEEN)
                    stack[depth++] = arguments[i];
            continue;
        }
        depth--;
        if (compiler->visits[node] == OPEN) {
            compiler->visits[node] = DONE;
            stack[--count] = node; /* the order grows down from the end of the same array */
        }
    }
    return count;
}

/* A node of a middle phase used only in later ones moves there, so that values needed only by the adjoint cost nothing
 * in the steps. Nodes of the first phase stay, since it runs least often. Users come before their operands. */
static void choose_phases(struct compiler *compiler, const uint32_t *walked, size_t count) {
    uint8_t *phase = compiler->phase;
    memset(phase, PHASES - 1, compiler->graph->count + 2);
    for (size_t i = 0; i < compiler->request->output_count; i++)
        if (!(compiler->request->outputs[i] & ENTRY_NUMBER))
            phase[compiler->request->outputs[i]] = (uint8_t)own_phase(compiler, compiler->request->outputs[i]);
    for (size_t i = 0; i < count; i++) {
        const uint32_t *arguments;
        size_t n = graph_arguments(compiler->graph, walked[i], &arguments);
        if (own_phase(compiler, walked[i]) == 0)
            phase[walked[i]] = 0;
        for (size_t j = 0; j < n; j++)
            if (phase[arguments[j]] > phase[walked[i]])
                phase[arguments[j]] = phase[walked[i]];
    }
}

/* Stable partition of the order by phase. An argument is never in a later phase than its user. */
static void split_phases(struct compiler *compiler, const uint32_t *walked, size_t count) {
    size_t n = 0;
    for (int phase = 0; phase < PHASES; phase++)
        for (size_t i = count; i-- > 0;)
            if (compiler_phase(compiler, walked[i]) == phase)
                compiler->order[n++] = walked[i];
    compiler->order_count = n;
}

static void count_uses(struct compiler *compiler) {
    const struct program_request *request = compiler->request;
    memset(compiler->uses, 0, (compiler->graph->count + 2) * sizeof *compiler->uses);
    for (size_t i = 0; i < request->output_count; i++)
        if (!(request->outputs[i] & ENTRY_NUMBER))
            compiler->uses[request->outputs[i]]++;
    for (size_t i = 0; i < compiler->order_count; i++) {
        const uint32_t *arguments;
        size_t n = graph_arguments(compiler->graph, compiler->order[i], &arguments);
        for (size_t j = 0; j < n; j++)
            compiler->uses[arguments[j]]++;
    }
}

hn_status compiler_order(struct compiler *compiler, hn_error *error) {
    const struct graph *graph = compiler->graph;
    /* A node enters the stack at most once per use, and the order once: edges + outputs + nodes. Nodes that share a
     * list are not on one path, so the list is on the stack once. */
    size_t edges = 3 * graph->count + graph->argument_count + 1;
    size_t room = edges + graph->count;
    uint32_t *stack = base_allocate(room * sizeof *stack);
    if (!stack)
        return error_no_memory(error, "program");
    size_t bottom = room;
    memset(compiler->visits, UNSEEN, graph->count);
    for (size_t i = 0; i < compiler->request->output_count; i++)
        if (!(compiler->request->outputs[i] & ENTRY_NUMBER) &&
            compiler->visits[compiler->request->outputs[i]] == UNSEEN)
            bottom = walk_from(compiler, compiler->request->outputs[i], stack, bottom);
    choose_phases(compiler, stack + bottom, room - bottom);
    split_phases(compiler, stack + bottom, room - bottom);
    base_release(stack);
    count_uses(compiler);
    return HN_OK;
}
