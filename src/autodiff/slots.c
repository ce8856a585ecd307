/* slots.c - third compiler stage: register allocation, where slots are the registers.
 *
 * Constants come first, then the leaves of each space in order. A temporary's slot is freed after its last use; values
 * that an output or a later phase needs are kept. An instruction may overwrite one of its operands: kernels read an
 * element before they write it.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"

#include <string.h>

static const uint32_t KEEP = UINT32_MAX;

struct assigner {
    struct compiler *compiler;
    uint32_t *last; /* per node: its last use; KEEP = live to the end */
    uint32_t *free_slots;
    size_t free_count;
};

static void place_constant(struct compiler *compiler, uint32_t node, double value) {
    compiler->slot[node] = (uint32_t)compiler->program.constant_count;
    compiler->program.constants[compiler->program.constant_count++] = value;
}

/* Constants among the outputs. Equal ones share a slot while the cache contains it: most matrices have few distinct
 * ones, and for a matrix of random numbers a full table would cost more than the slots. */
enum { CACHE = 1024 };

static uint32_t *cached(uint32_t cache[CACHE], double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return &cache[bits * UINT64_C(0x9e3779b97f4a7c15) >> 54];
}

static void place_numbers(struct compiler *compiler) {
    const struct program_request *request = compiler->request;
    struct program *program = &compiler->program;
    uint32_t cache[CACHE] = {0}; /* slots */
    for (size_t i = program->constant_count; i-- > 0;)
        *cached(cache, program->constants[i]) = (uint32_t)i;
    for (size_t i = 0; i < request->output_count; i++) {
        if (!(request->outputs[i] & ENTRY_NUMBER))
            continue;
        double value = compiler->graph->numbers[request->outputs[i] & ~ENTRY_NUMBER];
        uint32_t *known = cached(cache, value);
        if (memcmp(&program->constants[*known], &value, sizeof value) != 0) {
            *known = (uint32_t)program->constant_count;
            program->constants[program->constant_count++] = value;
        }
        program->output_slot[i] = *known;
    }
}

static void place_constants_and_leaves(struct compiler *compiler) {
    struct program *program = &compiler->program;
    double value;
    place_constant(compiler, compiler->one, 1);
    place_constant(compiler, compiler->minus_one, -1);
    for (size_t i = 0; i < compiler->order_count; i++)
        if (graph_is_constant(compiler->graph, compiler->order[i], &value))
            place_constant(compiler, compiler->order[i], value);
    place_numbers(compiler);
    program->slots = program->constant_count;
    for (int space = 0; space < SPACE_COUNT; space++) {
        program->leaf_slot[space] = program->slots;
        program->slots += program->leaf_count[space];
    }
    for (size_t i = 0; i < compiler->order_count; i++) {
        const struct node *node = &compiler->graph->nodes[compiler->order[i]];
        if (node->op == OP_LEAF)
            compiler->slot[compiler->order[i]] = (uint32_t)(program->leaf_slot[node->a] + node->b);
    }
}

/* The nodes that an instruction reads; returns their number. */
static size_t reads(const struct compiler *compiler, const struct instruction *at, const uint32_t **nodes) {
    if (at->code == CODE_DOT) {
        *nodes = compiler->program.pairs + 2 * (size_t)at->a;
        return 2 * (size_t)at->b;
    }
    if (at->code == CODE_LINEAR) {
        *nodes = compiler->program.columns + at->c;
        return at->b;
    }
    *nodes = &at->a; /* a, b and c are adjacent */
    return (size_t)instruction_arguments(at->code);
}

static bool is_temporary(const struct assigner *assigner, uint32_t node) {
    const struct graph *graph = assigner->compiler->graph;
    return node < graph->count && graph->nodes[node].op != OP_CONSTANT && graph->nodes[node].op != OP_LEAF;
}

/* Finds the last use of each node; nodes used by outputs or later phases are kept. */
static void find_last_uses(struct assigner *assigner) {
    struct compiler *compiler = assigner->compiler;
    for (int phase = 0; phase < PHASES; phase++)
        for (size_t i = compiler->program.first[phase]; i < compiler->program.first[phase + 1]; i++) {
            const uint32_t *nodes;
            size_t count = reads(compiler, &compiler->program.code[i], &nodes);
            for (size_t j = 0; j < count; j++) {
                uint32_t node = nodes[j];
                bool later = is_temporary(assigner, node) && compiler->phase[node] < phase;
                if (assigner->last[node] != KEEP)
                    assigner->last[node] = later ? KEEP : (uint32_t)i;
            }
        }
    for (size_t i = 0; i < compiler->request->output_count; i++)
        if (!(compiler->request->outputs[i] & ENTRY_NUMBER))
            assigner->last[compiler->request->outputs[i]] = KEEP;
}

static uint32_t take_slot(struct assigner *assigner) {
    if (assigner->free_count > 0)
        return assigner->free_slots[--assigner->free_count];
    return (uint32_t)assigner->compiler->program.slots++;
}

static void assign_instruction(struct assigner *assigner, uint32_t index) {
    struct compiler *compiler = assigner->compiler;
    const struct instruction *at = &compiler->program.code[index];
    const uint32_t *nodes;
    size_t count = reads(compiler, at, &nodes);
    for (size_t j = 0; j < count; j++) {
        uint32_t node = nodes[j];
        if (!is_temporary(assigner, node) || assigner->last[node] != index)
            continue;
        assigner->free_slots[assigner->free_count++] = compiler->slot[node];
        assigner->last[node] = KEEP; /* only once, even if it is read twice */
    }
    compiler->slot[at->destination] = take_slot(assigner);
    if (at->code == CODE_SINCOS)
        compiler->slot[at->c] = take_slot(assigner);
}

/* Replaces nodes with their slots. Constant outputs already have theirs. */
static void name_slots(struct compiler *compiler) {
    const struct program_request *request = compiler->request;
    struct program *program = &compiler->program;
    uint32_t *slot = compiler->slot;
    slot[0] = 0; /* unused operands */
    for (size_t i = 0; i < request->output_count; i++)
        if (!(request->outputs[i] & ENTRY_NUMBER))
            program->output_slot[i] = slot[request->outputs[i]];
    for (size_t i = 0; i < 2 * program->pair_count; i++)
        program->pairs[i] = slot[program->pairs[i]];
    for (size_t i = 0; i < program->column_count; i++)
        program->columns[i] = slot[program->columns[i]];
    for (size_t i = 0; i < compiler->code_count; i++) {
        struct instruction *at = &program->code[i];
        bool sum = at->code == CODE_DOT || at->code == CODE_LINEAR;
        at->destination = slot[at->destination];
        at->a = sum ? at->a : slot[at->a];
        at->b = sum ? at->b : slot[at->b];
        at->c = at->code == CODE_LINEAR ? at->c : slot[at->c];
    }
}

hn_status compiler_assign(struct compiler *compiler, hn_error *error) {
    struct assigner assigner = {.compiler = compiler};
    struct program *program = &compiler->program;
    struct arena *arena = &compiler->arena;
    size_t nodes = compiler->graph->count + 2, constants = compiler->order_count + 2 + program->output_count;
    program->constants = arena_take(arena, constants, sizeof *program->constants);
    program->output_slot = arena_take(arena, program->output_count, sizeof *program->output_slot);
    assigner.last = arena_zeros(arena, nodes, sizeof *assigner.last);
    assigner.free_slots = arena_take(arena, nodes, sizeof *assigner.free_slots);
    if (!program->constants || !program->output_slot || !assigner.last || !assigner.free_slots)
        return error_no_memory(error, "program");
    place_constants_and_leaves(compiler);
    find_last_uses(&assigner);
    for (size_t i = 0; i < compiler->code_count; i++)
        assign_instruction(&assigner, (uint32_t)i);
    name_slots(compiler);
    return HN_OK;
}
