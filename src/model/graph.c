/* graph.c - storage of the expression graph: nodes, lists of arguments, and the hash table of nodes.
 *
 * A node is partial if its operation, or one it depends on, is undefined for some finite arguments: division by 0,
 * logarithms, roots, some powers. Simplification may drop an operand only if it is not partial; otherwise a row could
 * become ok although part of its formula has no value.
 *
 * SPDX-License-Identifier: MIT */
#include "model/graph.h"

#include "base/arena.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { FIRST_TABLE = 64 };

hn_status graph_create(struct graph *graph, size_t max_nodes) {
    memset(graph, 0, sizeof *graph);
    graph->max_nodes = max_nodes < ENTRY_NUMBER ? max_nodes : ENTRY_NUMBER - 1;
    graph->max_numbers = graph->max_nodes;
    graph->table = base_allocate(FIRST_TABLE * sizeof *graph->table);
    if (graph->table)
        graph->table_size = FIRST_TABLE;
    graph->nodes = array_grow(NULL, &graph->capacity, 1, sizeof *graph->nodes);
    if (!graph->table || !graph->nodes) {
        graph_release(graph);
        return HN_NO_MEMORY;
    }
    memset(graph->table, 0, FIRST_TABLE * sizeof *graph->table);
    memset(&graph->nodes[0], 0, sizeof graph->nodes[0]); /* number 0 is not a node */
    graph->count = 1;
    return HN_OK;
}

void graph_release(struct graph *graph) {
    base_release(graph->nodes);
    base_release(graph->arguments);
    base_release(graph->numbers);
    base_release(graph->table);
    memset(graph, 0, sizeof *graph);
}

static uint32_t graph_fail(struct graph *graph, hn_status status) {
    if (graph->status == HN_OK)
        graph->status = status;
    return 0;
}

/* ---- operations that are undefined for some finite arguments ---- */

static unsigned made_by_power(const struct graph *g, const struct node *n) {
    double exponent;
    if (!graph_is_constant(g, n->b, &exponent))
        return MADE_BOTH;
    return (exponent < 0 ? MADE_INFINITE : 0) | (floor(exponent) == exponent ? 0 : MADE_INVALID);
}

unsigned graph_made_by(const struct graph *g, const struct node *n) {
    switch ((enum operator_undefined)operator_traits_of((enum op)n->op)->undefined) {
    case UNDEFINED_NOWHERE:
        return 0;
    case UNDEFINED_NEGATIVE:
    case UNDEFINED_BELOW_ONE:
    case UNDEFINED_BEYOND_ONE:
        return MADE_INVALID;
    case UNDEFINED_NOT_POSITIVE:
    case UNDEFINED_FROM_ONE:
        return MADE_BOTH;
    case UNDEFINED_DIVISOR:
        return graph_is_constant(g, n->b, NULL) && !graph_is_number(g, n->b, 0) ? 0 : MADE_BOTH;
    case UNDEFINED_POWER:
        return made_by_power(g, n);
    }
    return MADE_BOTH;
}

bool graph_is_total(const struct graph *g, uint32_t node) {
    return !g->nodes[node].partial;
}

/* ---- the table ---- */

static uint32_t mix(uint32_t hash, uint32_t word) {
    hash = (hash ^ word) * UINT32_C(0x9e3779b1);
    return hash ^ (hash >> 15);
}

static uint32_t hash_list(uint32_t hash, const uint32_t *list, size_t count) {
    for (size_t i = 0; i < count; i++)
        hash = mix(hash, list[i]);
    return hash;
}

static uint32_t hash_linear(const struct graph *graph, const struct node *node) {
    uint32_t hash = mix(OP_LINEAR, node->b);
    for (size_t i = 0; i < node->b; i++) {
        uint64_t bits;
        memcpy(&bits, graph->numbers + node->a + i, sizeof bits);
        hash = mix(hash, (uint32_t)bits ^ (uint32_t)(bits >> 32));
    }
    return hash_list(hash, graph->arguments + node->c, node->b);
}

static uint32_t hash_node(const struct graph *graph, const struct node *node) {
    if (node->op == OP_LINEAR)
        return hash_linear(graph, node);
    if (node->op == OP_SUM)
        return hash_list(mix(OP_SUM, node->b), graph->arguments + node->a, node->b);
    return mix(mix(mix(mix(17, node->op), node->a), node->b), node->c);
}

static size_t free_place(const struct graph *graph, uint32_t hash) {
    size_t mask = graph->table_size - 1, place = hash & mask;
    while (graph->table[place] != 0)
        place = (place + 1) & mask;
    return place;
}

static bool table_grow(struct graph *graph, size_t size) {
    uint32_t *table = base_allocate(size * sizeof *table);
    if (!table)
        return false;
    memset(table, 0, size * sizeof *table);
    base_release(graph->table);
    graph->table = table;
    graph->table_size = size;
    for (uint32_t i = 1; i < graph->count; i++)
        table[free_place(graph, hash_node(graph, &graph->nodes[i]))] = i;
    return true;
}

static bool table_is_full(const struct graph *graph) {
    return 2 * (graph->count + 1) > graph->table_size;
}

static bool same_list(const struct graph *graph, size_t p, size_t q, size_t count) {
    return p == q || memcmp(graph->arguments + p, graph->arguments + q, count * sizeof *graph->arguments) == 0;
}

static bool same_node(const struct graph *graph, const struct node *p, const struct node *q) {
    if (p->op != q->op || p->b != q->b)
        return false;
    if (p->op == OP_LINEAR)
        return memcmp(graph->numbers + p->a, graph->numbers + q->a, p->b * sizeof *graph->numbers) == 0 &&
               same_list(graph, p->c, q->c, p->b);
    if (p->op == OP_SUM)
        return same_list(graph, p->a, q->a, p->b);
    return p->a == q->a && p->c == q->c;
}

/* The slot of an equal node, or else the free slot for this one. */
static size_t find_place(const struct graph *graph, const struct node *node, uint32_t hash) {
    size_t mask = graph->table_size - 1, place = hash & mask;
    while (graph->table[place] != 0 && !same_node(graph, &graph->nodes[graph->table[place]], node))
        place = (place + 1) & mask;
    return place;
}

void graph_reserve(struct graph *graph, size_t more) {
    size_t size = graph->table_size;
    while (size / 2 <= graph->count + more)
        size *= 2;
    if (size > graph->table_size && !table_grow(graph, size))
        graph_fail(graph, HN_NO_MEMORY);
}

/* ---- making nodes ---- */

static void inherit(struct node *node, const struct node *argument) {
    node->spaces |= argument->spaces;
    node->partial |= argument->partial;
}

/* Sets the fields that a node inherits from its arguments: spaces and partial. */
static void describe(const struct graph *graph, struct node *node) {
    const struct node *nodes = graph->nodes;
    node->spaces = 0;
    node->partial = graph_made_by(graph, node) != 0;
    if (node->op == OP_LEAF)
        node->spaces = (uint8_t)(1u << node->a);
    else if (node->op == OP_REFERENCE) { /* not known yet: assume all spaces */
        node->spaces = (uint8_t)(1u << SPACE_X | 1u << SPACE_Y);
        node->partial = 1;
    } else if (node->op == OP_SUM || node->op == OP_LINEAR)
        for (uint32_t i = 0; i < node->b; i++)
            inherit(node, &nodes[graph->arguments[(node->op == OP_SUM ? node->a : node->c) + i]]);
    else if (node->op != OP_CONSTANT) {
        inherit(node, &nodes[node->a]);
        inherit(node, &nodes[node->b]);
        inherit(node, &nodes[node->c]);
    }
}

uint32_t graph_intern(struct graph *graph, struct node node) {
    if (graph->status != HN_OK)
        return 0;
    uint32_t hash = hash_node(graph, &node);
    size_t place = find_place(graph, &node, hash);
    if (graph->table[place] != 0)
        return graph->table[place];
    if (graph->count > graph->max_nodes)
        return graph_fail(graph, HN_LIMIT);
    if (table_is_full(graph)) {
        if (!table_grow(graph, 2 * graph->table_size))
            return graph_fail(graph, HN_NO_MEMORY);
        place = free_place(graph, hash);
    }
    if (!array_room(&graph->nodes, &graph->capacity, graph->count + 1, sizeof node))
        return graph_fail(graph, HN_NO_MEMORY);
    describe(graph, &node);
    uint32_t number = (uint32_t)graph->count++;
    graph->nodes[number] = node;
    graph->table[place] = number;
    return number;
}

uint32_t graph_intern_sum(struct graph *graph, uint32_t front, const uint32_t *terms, size_t count) {
    size_t first = graph->argument_count;
    if (graph->status != HN_OK)
        return 0;
    if (count >= graph->max_nodes || first >= UINT32_MAX - count)
        return graph_fail(graph, HN_LIMIT);
    if (!array_room(&graph->arguments, &graph->argument_capacity, first + count + 1, sizeof *terms))
        return graph_fail(graph, HN_NO_MEMORY);
    size_t end = first, before = graph->count;
    if (!graph_is_number(graph, front, 0))
        graph->arguments[end++] = front;
    for (size_t i = 0; i < count; i++)
        if (!graph_is_number(graph, terms[i], 0))
            graph->arguments[end++] = terms[i];
    graph->argument_count = end;
    struct node sum = {.op = OP_SUM, .a = (uint32_t)first, .b = (uint32_t)(end - first)};
    uint32_t number = graph_intern(graph, sum);
    if (graph->count == before) /* an equal sum existed (or creation failed): its list is not needed twice */
        graph->argument_count = first;
    return number;
}

bool graph_linear_room(struct graph *graph, size_t count) {
    bool fits = count < graph->max_numbers && graph->argument_count < UINT32_MAX - count &&
                graph->number_count < graph->max_numbers - count;
    if (graph->status != HN_OK || !fits)
        return graph_fail(graph, HN_LIMIT);
    return (array_room(&graph->arguments, &graph->argument_capacity, graph->argument_count + count,
                       sizeof *graph->arguments) &&
            array_room(&graph->numbers, &graph->number_capacity, graph->number_count + count,
                       sizeof *graph->numbers)) ||
           graph_fail(graph, HN_NO_MEMORY);
}

void graph_linear_term(struct graph *graph, double coefficient, uint32_t node) {
    graph->numbers[graph->number_count++] = coefficient;
    graph->arguments[graph->argument_count++] = node;
}

uint32_t graph_intern_linear(struct graph *graph, size_t first_argument, size_t first_number) {
    size_t count = graph->number_count - first_number, before = graph->count;
    bool shared = count == graph->last_count && same_list(graph, graph->last_list, first_argument, count);
    if (shared)
        graph->argument_count = first_argument;
    struct node node = {.op = OP_LINEAR,
                        .a = (uint32_t)first_number,
                        .b = (uint32_t)count,
                        .c = (uint32_t)(shared ? graph->last_list : first_argument)};
    uint32_t number = graph_intern(graph, node);
    if (graph->count == before) { /* see graph_intern_sum */
        graph->argument_count = first_argument;
        graph->number_count = first_number;
        return number;
    }
    graph->last_list = node.c;
    graph->last_count = count;
    return number;
}

uint32_t graph_constant(struct graph *graph, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return graph_intern(graph, (struct node){.op = OP_CONSTANT, .a = (uint32_t)bits, .b = (uint32_t)(bits >> 32)});
}

uint32_t graph_leaf(struct graph *graph, enum space space, uint32_t index) {
    return graph_intern(graph, (struct node){.op = OP_LEAF, .a = (uint32_t)space, .b = index});
}

uint32_t graph_reference(struct graph *graph, uint32_t definition) {
    return graph_intern(graph, (struct node){.op = OP_REFERENCE, .a = definition});
}

/* ---- queries ---- */

bool graph_is_constant(const struct graph *graph, uint32_t node, double *value) {
    const struct node *n = &graph->nodes[node];
    if (n->op != OP_CONSTANT)
        return false;
    uint64_t bits = (uint64_t)n->b << 32 | n->a;
    if (value)
        memcpy(value, &bits, sizeof bits);
    return true;
}

bool graph_is_number(const struct graph *graph, uint32_t node, double value) {
    double constant;
    return graph_is_constant(graph, node, &constant) && constant == value;
}

bool graph_depends(const struct graph *graph, uint32_t node, enum space space) {
    return (graph->nodes[node].spaces & 1u << space) != 0;
}

size_t graph_arguments(const struct graph *graph, uint32_t node, const uint32_t **list) {
    const struct node *n = &graph->nodes[node];
    bool sum = n->op == OP_SUM || n->op == OP_LINEAR;
    *list = sum ? graph->arguments + (n->op == OP_SUM ? n->a : n->c) : &n->a;
    return sum ? n->b : (size_t)operator_arguments((enum op)n->op);
}

/* ---- entries ---- */

uint32_t graph_number(struct graph *graph, double value) {
    if (graph->status != HN_OK)
        return 0;
    if (graph->number_count >= graph->max_numbers)
        return graph_fail(graph, HN_LIMIT);
    if (!array_room(&graph->numbers, &graph->number_capacity, graph->number_count + 1, sizeof value))
        return graph_fail(graph, HN_NO_MEMORY);
    graph->numbers[graph->number_count] = value;
    return ENTRY_NUMBER | (uint32_t)graph->number_count++;
}

bool graph_entry_is_constant(const struct graph *graph, uint32_t entry, double *value) {
    if (!(entry & ENTRY_NUMBER))
        return graph_is_constant(graph, entry, value);
    if (value)
        *value = graph->numbers[entry & ~ENTRY_NUMBER];
    return true;
}

uint32_t graph_entry_node(struct graph *graph, uint32_t entry) {
    return entry & ENTRY_NUMBER ? graph_constant(graph, graph->numbers[entry & ~ENTRY_NUMBER]) : entry;
}
