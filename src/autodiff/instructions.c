/* instructions.c - second compiler stage: instruction selection, fusing products into the sum that uses them.
 *
 * A product that is used once, in the same phase, is fused into the addition, subtraction, product or sum that uses it;
 * sine and cosine of one argument become one instruction. Both save memory traffic and change no bit.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"
#include "base/memory.h"

#include <string.h>

/* Why a node has no separate instruction. */
enum { FUSED = 1, PAIRED = 2 };

/* ---- fusion ---- */

static bool can_absorb(const struct compiler *compiler, uint32_t parent, uint32_t child, enum op op) {
    return compiler->graph->nodes[child].op == op && compiler->uses[child] == 1 &&
           compiler_phase(compiler, child) == compiler_phase(compiler, parent);
}

static void absorb_terms(struct compiler *compiler, uint32_t sum) {
    const uint32_t *terms;
    size_t count = graph_arguments(compiler->graph, sum, &terms);
    for (size_t i = 0; i < count; i++)
        if (can_absorb(compiler, sum, terms[i], OP_MUL) || can_absorb(compiler, sum, terms[i], OP_NEG))
            compiler->absorbed[terms[i]] = FUSED;
}

/* Users before their operands, so that a fused product does not absorb another one. */
static void find_absorbed(struct compiler *compiler) {
    memset(compiler->absorbed, 0, compiler->graph->count + 2);
    for (size_t i = compiler->order_count; i-- > 0;) {
        uint32_t number = compiler->order[i];
        const struct node *node = &compiler->graph->nodes[number];
        if (compiler->absorbed[number])
            continue;
        if (node->op == OP_SUM)
            absorb_terms(compiler, number);
        if (node->op != OP_ADD && node->op != OP_SUB && node->op != OP_MUL)
            continue;
        if (can_absorb(compiler, number, node->a, OP_MUL))
            compiler->absorbed[node->a] = FUSED;
        else if (can_absorb(compiler, number, node->b, OP_MUL))
            compiler->absorbed[node->b] = FUSED;
    }
}

/* Pairs sines and cosines of one argument. Uses the slots of arguments as scratch. */
static void pair_sines(struct compiler *compiler) {
    const struct graph *graph = compiler->graph;
    memset(compiler->cosine, 0, (graph->count + 2) * sizeof *compiler->cosine);
    memset(compiler->slot, 0, (graph->count + 2) * sizeof *compiler->slot);
    for (size_t i = 0; i < compiler->order_count; i++) {
        uint32_t number = compiler->order[i];
        const struct node *node = &graph->nodes[number];
        if (node->op != OP_SIN && node->op != OP_COS)
            continue;
        uint32_t other = compiler->slot[node->a];
        compiler->slot[node->a] = number;
        if (other != 0) {
            compiler->cosine[number] = other;
            compiler->cosine[other] = number;
        }
    }
}

/* ---- instructions ---- */

static void instructions_put(struct compiler *compiler, uint32_t code, uint32_t destination, uint32_t a, uint32_t b,
                             uint32_t c) {
    compiler->code[compiler->code_count++] = (struct instruction){code, destination, a, b, c};
}

static void put_pair(struct compiler *compiler, uint32_t a, uint32_t b) {
    compiler->pairs[2 * compiler->pair_count] = a;
    compiler->pairs[2 * compiler->pair_count + 1] = b;
    compiler->pair_count++;
}

static void emit_sum(struct compiler *compiler, uint32_t number) {
    const uint32_t *terms;
    size_t count = graph_arguments(compiler->graph, number, &terms);
    uint32_t first = (uint32_t)compiler->pair_count;
    for (size_t i = 0; i < count; i++) {
        const struct node *term = &compiler->graph->nodes[terms[i]];
        if (compiler->absorbed[terms[i]] != FUSED)
            put_pair(compiler, terms[i], compiler->one);
        else if (term->op == OP_NEG)
            put_pair(compiler, term->a, compiler->minus_one);
        else
            put_pair(compiler, term->a, term->b);
    }
    instructions_put(compiler, CODE_DOT, number, first, (uint32_t)count, 0);
}

/* Consecutive rows of a matrix share their columns. */
static void emit_linear(struct compiler *compiler, uint32_t number, const struct node *node) {
    const struct graph *graph = compiler->graph;
    uint32_t first = (uint32_t)compiler->coefficient_count;
    bool shared = compiler->column_count > 0 && compiler->last_list == node->c;
    memcpy(compiler->coefficients + first, graph->numbers + node->a, node->b * sizeof *graph->numbers);
    compiler->coefficient_count += node->b;
    if (!shared) {
        compiler->last_list = node->c;
        compiler->last_columns = (uint32_t)compiler->column_count;
        memcpy(compiler->columns + compiler->column_count, graph->arguments + node->c,
               node->b * sizeof *graph->arguments);
        compiler->column_count += node->b;
    }
    instructions_put(compiler, CODE_LINEAR, number, first, node->b, compiler->last_columns);
}

/* u + v, u - v or u * v, fused with a product u or v if possible */
static void emit_fusible(struct compiler *compiler, uint32_t number, const struct node *node) {
    const struct node *left = &compiler->graph->nodes[node->a], *right = &compiler->graph->nodes[node->b];
    bool from_left = compiler->absorbed[node->a] == FUSED;
    bool from_right = !from_left && compiler->absorbed[node->b] == FUSED;
    uint32_t fused = node->op == OP_MUL ? CODE_MUL_MUL : CODE_MUL_ADD;
    if (from_left)
        instructions_put(compiler, node->op == OP_SUB ? CODE_MUL_SUB : fused, number, left->a, left->b, node->b);
    else if (from_right)
        instructions_put(compiler, node->op == OP_SUB ? CODE_SUB_MUL : fused, number, right->a, right->b, node->a);
    else
        instructions_put(compiler, node->op, number, node->a, node->b, 0);
}

/* The first node of a pair emits the instruction for both. */
static void emit_sine(struct compiler *compiler, uint32_t number, const struct node *node) {
    uint32_t other = compiler->cosine[number];
    if (other == 0)
        instructions_put(compiler, node->op, number, node->a, 0, 0);
    else if (compiler->absorbed[number] != PAIRED) {
        compiler->absorbed[other] = PAIRED;
        instructions_put(compiler, CODE_SINCOS, node->op == OP_SIN ? number : other, node->a, 0,
                         node->op == OP_SIN ? other : number);
    }
}

static size_t emit_node(struct compiler *compiler, uint32_t number) {
    const struct node *node = &compiler->graph->nodes[number];
    switch (node->op) {
    case OP_CONSTANT:
    case OP_LEAF:
        return 0;
    case OP_SUM:
        emit_sum(compiler, number);
        return node->b - 1;
    case OP_LINEAR:
        emit_linear(compiler, number, node);
        return 2 * (size_t)node->b - 1;
    case OP_SIN:
    case OP_COS:
        emit_sine(compiler, number, node);
        return 1;
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
        if (!compiler->absorbed[number])
            emit_fusible(compiler, number, node);
        return 1;
    default:
        if (!compiler->absorbed[number])
            instructions_put(compiler, node->op, number, node->a, node->b, node->c);
        return 1;
    }
}

/* Allocates the code and its lists. */
static bool instructions_take_lists(struct compiler *compiler) {
    size_t pairs = 1, coefficients = 1, columns = 1, last = SIZE_MAX;
    for (size_t i = 0; i < compiler->order_count; i++) {
        const struct node *node = &compiler->graph->nodes[compiler->order[i]];
        if (node->op == OP_SUM)
            pairs += node->b;
        if (node->op != OP_LINEAR)
            continue;
        coefficients += node->b;
        columns += node->c != last ? node->b : 0;
        last = node->c;
    }
    if (coefficients > UINT32_MAX) /* unreachable: the graph has fewer */
        return false;
    compiler->code = base_allocate((compiler->order_count + 1) * sizeof *compiler->code);
    compiler->pairs = base_allocate(2 * pairs * sizeof *compiler->pairs);
    compiler->coefficients = base_allocate(coefficients * sizeof *compiler->coefficients);
    compiler->columns = base_allocate(columns * sizeof *compiler->columns);
    return compiler->code && compiler->pairs && compiler->coefficients && compiler->columns;
}

hn_status compiler_emit(struct compiler *compiler, hn_error *error) {
    if (!instructions_take_lists(compiler))
        return error_no_memory(error, "program");
    find_absorbed(compiler);
    pair_sines(compiler);
    int phase = 0;
    for (size_t i = 0; i < compiler->order_count; i++) {
        while (phase < compiler_phase(compiler, compiler->order[i]))
            compiler->first[++phase] = compiler->code_count;
        compiler->operators[phase] += emit_node(compiler, compiler->order[i]);
    }
    while (phase < PHASES)
        compiler->first[++phase] = compiler->code_count;
    return HN_OK;
}
