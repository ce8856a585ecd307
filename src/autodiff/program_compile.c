/* program_compile.c - program_create: runs the stages (order_nodes.c, instructions.c, slots.c) and packs the result
 * into one block.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

static hn_status program_compile_check_request(const struct program_request *request, hn_error *error) {
    const struct graph *graph = request->graph;
    if (request->stride == 0)
        return error_set(error, HN_INVALID, "program: the stride must be at least 1");
    for (size_t i = 0; i < request->output_count; i++)
        if (request->outputs[i] & ENTRY_NUMBER ? (request->outputs[i] & ~ENTRY_NUMBER) >= graph->number_count
                                               : request->outputs[i] == 0 || request->outputs[i] >= graph->count)
            return error_set(error, HN_INVALID, "program: output %zu is not a node of the graph", i);
    return HN_OK;
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

static hn_status compiler_create(struct compiler *compiler, const struct program_request *request, hn_error *error) {
    size_t nodes = request->graph->count + 2;
    memset(compiler, 0, sizeof *compiler);
    compiler->request = request;
    compiler->graph = request->graph;
    compiler->one = (uint32_t)request->graph->count;
    compiler->minus_one = compiler->one + 1;
    compiler->visits = base_allocate(nodes);
    compiler->phase = base_allocate(nodes);
    compiler->absorbed = base_allocate(nodes);
    compiler->uses = base_allocate(nodes * sizeof *compiler->uses);
    compiler->cosine = base_allocate(nodes * sizeof *compiler->cosine);
    compiler->slot = base_allocate(nodes * sizeof *compiler->slot);
    compiler->order = base_allocate(nodes * sizeof *compiler->order);
    bool ready = compiler->visits && compiler->phase && compiler->absorbed && compiler->uses && compiler->cosine &&
                 compiler->slot && compiler->order;
    return ready ? HN_OK : error_no_memory(error, "program");
}

static void compiler_release(struct compiler *compiler) {
    base_release(compiler->visits);
    base_release(compiler->phase);
    base_release(compiler->absorbed);
    base_release(compiler->uses);
    base_release(compiler->cosine);
    base_release(compiler->slot);
    base_release(compiler->order);
    base_release(compiler->code);
    base_release(compiler->pairs);
    base_release(compiler->coefficients);
    base_release(compiler->columns);
    base_release(compiler->output_slot);
    base_release(compiler->constants);
}

/* ---- packing ---- */

/* An instruction with offsets instead of nodes. */
static struct instruction placed(const struct compiler *compiler, struct instruction at) {
    const uint32_t *slot = compiler->slot, stride = compiler->request->stride;
    bool list = at.code == CODE_DOT || at.code == CODE_LINEAR;
    at.destination = slot[at.destination] * stride;
    at.a = list ? at.a : slot[at.a] * stride;
    at.b = list ? at.b : slot[at.b] * stride;
    at.c = at.code == CODE_LINEAR ? at.c : slot[at.c] * stride;
    return at;
}

/* The sizes of the program, without its lists. */
static struct program shape_of(const struct compiler *compiler) {
    const struct program_request *request = compiler->request;
    struct program shape = {.stride = request->stride,
                            .slots = compiler->slots,
                            .constant_count = compiler->constant_count,
                            .output_count = request->output_count,
                            .pair_count = compiler->pair_count,
                            .coefficient_count = compiler->coefficient_count,
                            .column_count = compiler->column_count};
    memcpy(shape.leaf_slot, compiler->leaf_slot, sizeof shape.leaf_slot);
    memcpy(shape.leaf_count, request->leaf_count, sizeof shape.leaf_count);
    memcpy(shape.first, compiler->first, sizeof shape.first);
    memcpy(shape.operators, compiler->operators, sizeof shape.operators);
    return shape;
}

static void program_compile_fill(struct program *program, const struct compiler *compiler) {
    const struct program_request *request = compiler->request;
    if (compiler->constant_count > 0)
        memcpy(program->constants, compiler->constants, compiler->constant_count * sizeof *program->constants);
    compiler->slot[0] = 0; /* operands that an operator does not have */
    for (size_t i = 0; i < request->output_count; i++)
        program->output_slot[i] = compiler->output_slot[i];
    for (size_t i = 0; i < compiler->code_count; i++)
        program->code[i] = placed(compiler, compiler->code[i]);
    for (size_t i = 0; i < 2 * compiler->pair_count; i++)
        program->pairs[i] = compiler->slot[compiler->pairs[i]] * request->stride;
    for (size_t i = 0; i < compiler->coefficient_count; i++)
        program->coefficients[i] = compiler->coefficients[i];
    for (size_t i = 0; i < compiler->column_count; i++)
        program->columns[i] = compiler->slot[compiler->columns[i]] * request->stride;
}

static hn_status pack(struct program **out, const struct compiler *compiler, hn_error *error) {
    const struct program shape = shape_of(compiler);
    hn_status status = program_allocate(out, &shape, error);
    if (status == HN_OK)
        program_compile_fill(*out, compiler);
    return status;
}

hn_status program_create(struct program **out, const struct program_request *request, hn_error *error) {
    struct compiler compiler;
    *out = NULL;
    hn_status status = program_compile_check_request(request, error);
    if (status != HN_OK)
        return status;
    status = compiler_create(&compiler, request, error);
    if (status == HN_OK)
        status = compiler_order(&compiler, error);
    if (status == HN_OK)
        status = check_nodes(&compiler, error);
    if (status == HN_OK)
        status = compiler_emit(&compiler, error);
    if (status == HN_OK)
        status = compiler_assign(&compiler, error);
    if (status == HN_OK)
        status = pack(out, &compiler, error);
    compiler_release(&compiler);
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

uint32_t *program_places(const struct program *program, struct arena *arena, size_t begin, size_t count) {
    uint32_t *offsets = arena_take(arena, count + 1, sizeof *offsets);
    for (size_t i = 0; offsets && i < count; i++)
        offsets[i] = program->output_slot[begin + i] * program->stride;
    return offsets;
}
