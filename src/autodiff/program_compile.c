/* program_compile.c - program_create: orders the needed nodes, runs the other stages (instructions.c, slots.c), and packs
 * the result into one block.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"
#include "base/layout.h"
#include "base/memory.h"

#include <string.h>

static hn_status check_program_request(const struct program_request *request, hn_error *error) {
    const struct graph *graph = request->graph;
    if (request->stride == 0)
        return error_set(error, HN_INVALID, "program: the stride must be at least 1");
    for (size_t i = 0; i < request->output_count; i++)
        if (request->outputs[i] & ENTRY_NUMBER ? (request->outputs[i] & ~ENTRY_NUMBER) >= graph->number_count
                                               : request->outputs[i] == 0 || request->outputs[i] >= graph->count)
            return error_set(error, HN_INVALID, "program: output %zu is not a node of the graph", i);
    return HN_OK;
}

static hn_status compiler_begin(struct compiler *compiler, hn_error *error) {
    const struct program_request *request = compiler->request;
    size_t nodes = compiler->graph->count + 2;
    compiler->one = (uint32_t)compiler->graph->count;
    compiler->minus_one = compiler->one + 1;
    compiler->program.stride = 1;
    compiler->program.output_count = request->output_count;
    memcpy(compiler->program.leaf_count, request->leaf_count, sizeof request->leaf_count);
    compiler->phase = arena_take(&compiler->arena, nodes, sizeof *compiler->phase);
    compiler->absorbed = arena_zeros(&compiler->arena, nodes, sizeof *compiler->absorbed);
    compiler->uses = arena_zeros(&compiler->arena, nodes, sizeof *compiler->uses);
    compiler->cosine = arena_zeros(&compiler->arena, nodes, sizeof *compiler->cosine);
    compiler->slot = arena_zeros(&compiler->arena, nodes, sizeof *compiler->slot);
    compiler->order = arena_take(&compiler->arena, nodes, sizeof *compiler->order);
    bool ready = compiler->phase && compiler->absorbed && compiler->uses && compiler->cosine && compiler->slot &&
                 compiler->order;
    return ready ? HN_OK : error_no_memory(error, "program");
}

/* ---- the needed nodes in topological order, one phase after the other ---- */

enum visit { UNSEEN, OPEN, DONE };

/* The latest phase among the dependencies of a node. */
static int own_phase(const struct compiler *compiler, uint32_t node) {
    int phase = 0;
    for (int space = 0; space < SPACE_COUNT; space++)
        if (graph_depends(compiler->graph, node, (enum space)space) && compiler->request->phase[space] > phase)
            phase = compiler->request->phase[space];
    return phase;
}

/* Iterative post-order traversal: a node stays on the stack until its arguments are done. */
static size_t walk_from(const struct graph *graph, uint8_t *visits, uint32_t root, uint32_t *stack, size_t count) {
    size_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        uint32_t node = stack[depth - 1];
        const uint32_t *arguments;
        size_t n = graph_arguments(graph, node, &arguments);
        if (visits[node] == UNSEEN) {
            visits[node] = OPEN;
            for (size_t i = n; i-- > 0;) /* the first argument on top */
                if (visits[arguments[i]] == UNSEEN)
                    stack[depth++] = arguments[i];
            continue;
        }
        depth--;
        if (visits[node] == OPEN) {
            visits[node] = DONE;
            stack[--count] = node; /* the order grows down from the end of the same array */
        }
    }
    return count;
}

/* A node of a middle phase used only in later ones moves there, so that steps do not compute values needed only by the
 * adjoint. Nodes of the first phase stay, since it runs least often. Users come before their operands. */
static void choose_phases(struct compiler *compiler, const uint32_t *walked, size_t count) {
    const struct program_request *request = compiler->request;
    uint8_t *phase = compiler->phase;
    memset(phase, PHASES - 1, compiler->graph->count + 2);
    for (size_t i = 0; i < request->output_count; i++) {
        if (request->outputs[i] & ENTRY_NUMBER)
            continue;
        phase[request->outputs[i]] = (uint8_t)own_phase(compiler, request->outputs[i]);
        compiler->uses[request->outputs[i]]++;
    }
    for (size_t i = 0; i < count; i++) {
        const uint32_t *arguments;
        size_t n = graph_arguments(compiler->graph, walked[i], &arguments);
        if (own_phase(compiler, walked[i]) == 0)
            phase[walked[i]] = 0;
        for (size_t j = 0; j < n; j++) {
            compiler->uses[arguments[j]]++;
            if (phase[arguments[j]] > phase[walked[i]])
                phase[arguments[j]] = phase[walked[i]];
        }
    }
}

/* Stable partition of the order by phase. An argument is never in a later phase than its user. */
static void split_phases(struct compiler *compiler, const uint32_t *walked, size_t count) {
    size_t n = 0;
    for (int phase = 0; phase < PHASES; phase++)
        for (size_t i = count; i-- > 0;)
            if (compiler->phase[walked[i]] == phase)
                compiler->order[n++] = walked[i];
    compiler->order_count = n;
}

static hn_status order_nodes(struct compiler *compiler, hn_error *error) {
    const struct graph *graph = compiler->graph;
    const struct program_request *request = compiler->request;
    /* A node enters the stack at most once per use, and the order once: edges + outputs + nodes. Nodes that share a
     * list are not on one path, so the list is on the stack once. */
    size_t room = 4 * graph->count + graph->argument_count + 1, bottom = room;
    uint32_t *stack = base_allocate(room * sizeof *stack);
    uint8_t *visits = arena_zeros(&compiler->arena, graph->count, sizeof *visits);
    if (stack && visits) {
        for (size_t i = 0; i < request->output_count; i++)
            if (!(request->outputs[i] & ENTRY_NUMBER) && visits[request->outputs[i]] == UNSEEN)
                bottom = walk_from(graph, visits, request->outputs[i], stack, bottom);
        choose_phases(compiler, stack + bottom, room - bottom);
        split_phases(compiler, stack + bottom, room - bottom);
    }
    base_release(stack);
    return stack && visits ? HN_OK : error_no_memory(error, "program");
}

/* The dependencies of the outputs must be available: no references, no leaf outside its space. */
static hn_status check_nodes(const struct compiler *compiler, hn_error *error) {
    for (size_t i = 0; i < compiler->order_count; i++) {
        const struct node *node = &compiler->graph->nodes[compiler->order[i]];
        if (node->op == OP_REFERENCE)
            return error_set(error, HN_INVALID, "program: node %u refers to a definition", compiler->order[i]);
        if (node->op == OP_LEAF && node->b >= compiler->request->leaf_count[node->a])
            return error_set(error, HN_INVALID, "program: leaf %u of space %u is out of range", node->b, node->a);
    }
    return HN_OK;
}

/* ---- packing ---- */

/* A program during layout; its head comes first in its block. */
struct packing {
    struct program parts, *head;
};

static void place_program(struct layout *layout, void *context) {
    struct packing *packing = context;
    struct program *parts = &packing->parts;
    packing->head = layout_take(layout, 1, sizeof *packing->head);
    parts->constants = layout_take(layout, parts->constant_count, sizeof *parts->constants);
    parts->output_slot = layout_take(layout, parts->output_count, sizeof *parts->output_slot);
    parts->code = layout_take(layout, parts->first[PHASES], sizeof *parts->code);
    parts->pairs = layout_take(layout, 2 * parts->pair_count, sizeof *parts->pairs);
    parts->coefficients = layout_take(layout, parts->coefficient_count, sizeof *parts->coefficients);
    parts->columns = layout_take(layout, parts->column_count, sizeof *parts->columns);
}

hn_status program_allocate(struct program **out, const struct program *shape, hn_error *error) {
    struct packing packing = {.parts = *shape};
    *out = NULL;
    if (shape->stride == 0 || shape->slots > UINT32_MAX / shape->stride)
        return error_set(error, HN_LIMIT, "program: %zu slots are more than an instruction can address", shape->slots);
    packing.parts.block = layout_allocate(place_program, &packing);
    if (!packing.parts.block)
        return error_no_memory(error, "program");
    *packing.head = packing.parts;
    *out = packing.head;
    return HN_OK;
}

static void fill_wider(struct program *to, const struct program *from, uint32_t factor) {
    for (size_t i = 0; i < from->constant_count; i++)
        to->constants[i] = from->constants[i];
    for (size_t i = 0; i < from->output_count; i++)
        to->output_slot[i] = from->output_slot[i];
    for (size_t i = 0; i < from->first[PHASES]; i++)
        to->code[i] = instruction_widen(from->code[i], factor);
    for (size_t i = 0; i < 2 * from->pair_count; i++)
        to->pairs[i] = from->pairs[i] * factor;
    for (size_t i = 0; i < from->coefficient_count; i++)
        to->coefficients[i] = from->coefficients[i];
    for (size_t i = 0; i < from->column_count; i++)
        to->columns[i] = from->columns[i] * factor;
}

hn_status program_widen(struct program **out, const struct program *program, uint32_t factor, hn_error *error) {
    struct program shape = *program;
    bool fits = factor > 0 && program->stride <= UINT32_MAX / factor;
    shape.stride = fits ? program->stride * factor : 0; /* rejected by program_allocate */
    hn_status status = program_allocate(out, &shape, error);
    if (status == HN_OK)
        fill_wider(*out, program, factor);
    return status;
}

hn_status program_create(struct program **out, const struct program_request *request, hn_error *error) {
    struct compiler compiler = {.request = request, .graph = request->graph};
    *out = NULL;
    hn_status status = check_program_request(request, error);
    if (status != HN_OK)
        return status;
    status = compiler_begin(&compiler, error);
    if (status == HN_OK)
        status = order_nodes(&compiler, error);
    if (status == HN_OK)
        status = check_nodes(&compiler, error);
    if (status == HN_OK)
        status = compiler_emit(&compiler, error);
    if (status == HN_OK)
        status = compiler_assign(&compiler, error);
    if (status == HN_OK)
        status = program_widen(out, &compiler.program, request->stride, error);
    arena_release(&compiler.arena);
    return status;
}

void program_destroy(struct program *program) {
    if (program)
        base_release(program->block);
}

void program_prepare(const struct program *program, double *slots) {
    memset(slots, 0, program->slots * program->stride * sizeof *slots);
    for (size_t i = 0; i < program->constant_count; i++)
        for (size_t sample = 0; sample < program->stride; sample++)
            slots[i * program->stride + sample] = program->constants[i];
}
