/* instructions.c - second compiler stage: instruction selection, fusing products into the sum that uses them.
 *
 * A product that is used once, in the same phase, is fused into the addition, subtraction, product or sum that uses it;
 * sine and cosine of one argument become one instruction. Both save memory traffic and change no bit.
 *
 * SPDX-License-Identifier: MIT */
#include "autodiff/compiler.h"
#include "base/error.h"

#include <string.h>

/* The reason why a node has no separate instruction. */
enum { FUSED = 1, PAIRED = 2 };

/* ---- fusion ---- */

static bool can_absorb(const struct compiler *compiler, uint32_t parent, uint32_t child, enum op op) {
    return compiler->graph->nodes[child].op == op && compiler->uses[child] == 1 &&
           compiler->phase[child] == compiler->phase[parent];
}

static void absorb_terms(struct compiler *compiler, uint32_t sum) {
    const uint32_t *terms;
    size_t count = graph_arguments(compiler->graph, sum, &terms);
    for (size_t i = 0; i < count; i++)
        if (can_absorb(compiler, sum, terms[i], OP_MUL) || can_absorb(compiler, sum, terms[i], OP_NEG))
            compiler->absorbed[terms[i]] = FUSED;
}

/* Visits users before their operands, so that a fused product does not absorb another one. */
static void find_absorbed(struct compiler *compiler) {
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

static void put(struct compiler *compiler, uint32_t code, uint32_t destination, uint32_t a, uint32_t b, uint32_t c) {
    compiler->program.code[compiler->code_count++] = (struct instruction){code, destination, a, b, c};
}

static void put_pair(struct program *program, uint32_t a, uint32_t b) {
    program->pairs[2 * program->pair_count] = a;
    program->pairs[2 * program->pair_count + 1] = b;
    program->pair_count++;
}

static void emit_sum(struct compiler *compiler, uint32_t number) {
    const uint32_t *terms;
    size_t count = graph_arguments(compiler->graph, number, &terms);
    uint32_t first = (uint32_t)compiler->program.pair_count;
    for (size_t i = 0; i < count; i++) {
        const struct node *term = &compiler->graph->nodes[terms[i]];
        if (compiler->absorbed[terms[i]] != FUSED)
            put_pair(&compiler->program, terms[i], compiler->one);
        else if (term->op == OP_NEG)
            put_pair(&compiler->program, term->a, compiler->minus_one);
        else
            put_pair(&compiler->program, term->a, term->b);
    }
    put(compiler, CODE_DOT, number, first, (uint32_t)count, 0);
}

/* Consecutive rows of a matrix share their columns. */
static void emit_linear(struct compiler *compiler, uint32_t number, const struct node *node) {
    const struct graph *graph = compiler->graph;
    struct program *program = &compiler->program;
    uint32_t first = (uint32_t)program->coefficient_count;
    memcpy(program->coefficients + first, graph->numbers + node->a, node->b * sizeof *graph->numbers);
    program->coefficient_count += node->b;
    if (program->column_count == 0 || compiler->last_list != node->c) {
        compiler->last_list = node->c;
        compiler->last_columns = (uint32_t)program->column_count;
        memcpy(program->columns + program->column_count, graph->arguments + node->c,
               node->b * sizeof *graph->arguments);
        program->column_count += node->b;
    }
    put(compiler, CODE_LINEAR, number, first, node->b, compiler->last_columns);
}

/* u + v, u - v or u * v, fused with a product u or v if possible */
static void emit_fusible(struct compiler *compiler, uint32_t number, const struct node *node) {
    const struct node *left = &compiler->graph->nodes[node->a], *right = &compiler->graph->nodes[node->b];
    bool from_left = compiler->absorbed[node->a] == FUSED;
    bool from_right = !from_left && compiler->absorbed[node->b] == FUSED;
    uint32_t fused = node->op == OP_MUL ? CODE_MUL_MUL : CODE_MUL_ADD;
    if (from_left)
        put(compiler, node->op == OP_SUB ? CODE_MUL_SUB : fused, number, left->a, left->b, node->b);
    else if (from_right)
        put(compiler, node->op == OP_SUB ? CODE_SUB_MUL : fused, number, right->a, right->b, node->a);
    else
        put(compiler, node->op, number, node->a, node->b, 0);
}

/* The first node of a pair emits the instruction for both. */
static void emit_sine(struct compiler *compiler, uint32_t number, const struct node *node) {
    uint32_t other = compiler->cosine[number];
    if (other == 0)
        put(compiler, node->op, number, node->a, 0, 0);
    else if (compiler->absorbed[number] != PAIRED) {
        compiler->absorbed[other] = PAIRED;
        put(compiler, CODE_SINCOS, node->op == OP_SIN ? number : other, node->a, 0,
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
            put(compiler, node->op, number, node->a, node->b, node->c);
        return 1;
    }
}

static bool take_lists(struct compiler *compiler) {
    struct program *program = &compiler->program;
    size_t pairs = 0, coefficients = 0, columns = 0, last = SIZE_MAX;
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
    program->code = arena_take(&compiler->arena, compiler->order_count, sizeof *program->code);
    program->pairs = arena_take(&compiler->arena, 2 * pairs, sizeof *program->pairs);
    program->coefficients = arena_take(&compiler->arena, coefficients, sizeof *program->coefficients);
    program->columns = arena_take(&compiler->arena, columns, sizeof *program->columns);
    return program->code && program->pairs && program->coefficients && program->columns;
}

hn_status compiler_emit(struct compiler *compiler, hn_error *error) {
    if (!take_lists(compiler))
        return error_no_memory(error, "program");
    find_absorbed(compiler);
    pair_sines(compiler);
    int phase = 0;
    for (size_t i = 0; i < compiler->order_count; i++) {
        while (phase < compiler->phase[compiler->order[i]])
            compiler->program.first[++phase] = compiler->code_count;
        compiler->program.operators[phase] += emit_node(compiler, compiler->order[i]);
    }
    while (phase < PHASES)
        compiler->program.first[++phase] = compiler->code_count;
    return HN_OK;
}
