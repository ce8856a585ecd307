/* ir.c - see ir.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/ir.h"

#include "base/arena.h"
#include "base/memory.h"

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
