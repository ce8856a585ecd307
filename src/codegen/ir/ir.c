/* ir.c - see ir.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/ir.h"

#include "base/arena.h"
#include "base/memory.h"
#include "base/size.h"

#include <string.h>

/* ---- functions ---- */

#define SHAPE(label, meaning, arguments, masks, mask, cost)                                                            \
    case label:                                                                                                        \
        return (struct function_shape){meaning, arguments, masks, mask, strstr(meaning, "elementary_") != NULL, cost};
#define SHAPE_OPERATOR(name, text, arguments, meaning) SHAPE(OP_##name, #meaning, arguments, 0, false, 0)
#define SHAPE_FUSED(name, text, meaning)               SHAPE(CODE_##name, #meaning, 3, 0, false, 0)
#define SHAPE_OWN(name, result, masks, arguments, cost, meaning)                                                       \
    SHAPE(ROW_##name, #meaning, arguments, masks, (result) != 0, cost)

struct function_shape function_shape(enum function function) {
    switch ((int)function) {
        OPERATOR_LIST(SHAPE_OPERATOR)
        FUSED_LIST(SHAPE_FUSED)
        OWN_FUNCTION_LIST(SHAPE_OWN)
    default:
        return (struct function_shape){.meaning = NULL};
    }
}

/* ---- statements ---- */

void statements_release(struct statements *s) {
    base_release(s->list);
    base_release(s->operands);
    *s = (struct statements){.count = 0};
}

void statements_begin(struct statements *s, enum function function) {
    struct statement *list = s->failed ? NULL : array_grow(s->list, &s->capacity, s->count + 1, sizeof *list);
    s->failed = !list;
    if (!list)
        return;
    s->list = list;
    list[s->count++] = (struct statement){(uint32_t)function, (uint32_t)s->operand_count, 0};
}

void statements_operand(struct statements *s, uint32_t operand) {
    uint32_t *operands =
        s->failed ? NULL : array_grow(s->operands, &s->operand_capacity, s->operand_count + 1, sizeof *operands);
    s->failed = !operands || s->operand_count >= UINT32_MAX;
    if (s->failed)
        return;
    s->operands = operands;
    operands[s->operand_count++] = operand;
    s->list[s->count - 1].count++;
}

void statements_product(struct statements *s, uint32_t a, uint32_t b) {
    statements_operand(s, a);
    statements_operand(s, b);
}

void statements_add(struct statements *s, enum function function, uint32_t destination, const uint32_t *arguments,
                    size_t count) {
    statements_begin(s, function);
    statements_operand(s, destination);
    for (size_t i = 0; i < count; i++)
        statements_operand(s, arguments[i]);
}

void statements_repeat(struct statements *s, const struct statements *from, size_t i) {
    const struct statement *at = &from->list[i];
    statements_begin(s, (enum function)at->function);
    for (uint32_t k = 0; k < at->count; k++)
        statements_operand(s, from->operands[at->first + k]);
}

void statements_append(struct statements *s, const struct statements *from) {
    s->failed = s->failed || from->failed;
    for (size_t i = 0; i < from->count; i++)
        statements_repeat(s, from, i);
}

struct statements statements_like(const struct statements *s) {
    return (struct statements){
        .window = s->window, .window_slots = s->window_slots, .late = s->late, .round = s->round, .failed = s->failed};
}

/* ---- memory of a pass ---- */

void *buffers_take(struct buffers *buffers, size_t count, size_t size) {
    size_t bytes = size_product(size_sum(count, 1), size);
    void *list = buffers->count < BUFFERS_MOST ? base_allocate(bytes) : NULL;
    buffers->failed = buffers->failed || !list;
    if (!list)
        return NULL;
    buffers->list[buffers->count++] = list;
    return memset(list, 0, bytes);
}

void buffers_release(struct buffers *buffers) {
    while (buffers->count > 0)
        base_release(buffers->list[--buffers->count]);
}
