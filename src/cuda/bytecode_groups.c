/* bytecode_groups.c - see bytecode_groups_plan.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/bytecode_groups_plan.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

_Static_assert((int)FUNCTIONS <= (int)BYTECODE_GROUP, "a group's word is no function");

enum { GROUP_ARGUMENTS = 3 };

/* Whether statements of this function form groups: at most three numbers in, one out, and no call. */
static bool bytecode_may_group(uint32_t function) {
    const struct function_shape shape = function_shape((enum function)function);
    return shape.meaning && !shape.call && !shape.mask && shape.masks == 0 && shape.arguments > 0 &&
           shape.arguments <= GROUP_ARGUMENTS;
}

/* ---- order ---- */

/* Levels of the last statement that has written each slot, and of the last that has read it. */
struct levels {
    uint32_t *written, *read;
};

static uint32_t later(uint32_t a, uint32_t b) {
    return a > b ? a : b;
}

/* Behind whoever wrote what it reads, and behind whoever reads or wrote what it writes. */
static uint32_t level_of(const struct levels *l, const struct statement *at, const uint32_t *operand) {
    uint32_t level = 0;
    for (uint32_t k = 0; k < at->count; k++) {
        bool writes = k < statement_destinations(at);
        if (operand_is_constant(operand[k]))
            continue;
        level = later(level, l->written[operand[k]]);
        level = writes ? later(level, l->read[operand[k]]) : level;
    }
    return level + 1;
}

static void note(const struct levels *l, const struct statement *at, const uint32_t *operand, uint32_t level) {
    for (uint32_t k = 0; k < at->count; k++)
        if (!operand_is_constant(operand[k]) && k < statement_destinations(at))
            l->written[operand[k]] = level;
        else if (!operand_is_constant(operand[k]))
            l->read[operand[k]] = later(l->read[operand[k]], level);
}

struct ranked {
    uint32_t level, group; /* statements that make no groups come first, in their order */
    size_t number;
    struct statement statement;
};

static int bytecode_groups_compare(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return x->number < y->number ? -1 : 1;
}

bool bytecode_order(struct statements *s, size_t slots) {
    uint32_t *levels = base_allocate(2 * slots * sizeof *levels);
    struct ranked *all = base_allocate(s->count * sizeof *all);
    const struct levels l = {levels, levels ? levels + slots : NULL};
    bool taken = levels && all;
    if (taken)
        memset(levels, 0, 2 * slots * sizeof *levels);
    for (size_t i = 0; taken && i < s->count; i++) {
        const struct statement *at = &s->list[i];
        const uint32_t *operand = s->operands + at->first;
        all[i] =
            (struct ranked){level_of(&l, at, operand), bytecode_may_group(at->function) ? at->function : 0, i, *at};
        note(&l, at, operand, all[i].level);
    }
    if (taken)
        qsort(all, s->count, sizeof *all, bytecode_groups_compare);
    for (size_t i = 0; taken && i < s->count; i++)
        s->list[i] = all[i].statement;
    base_release(levels);
    base_release(all);
    return taken;
}

/* Whether statement i reads or writes what one of the group writes, or writes what one of them reads. */
static bool depends(const struct statements *s, size_t i, const struct statement *before) {
    const struct statement *at = &s->list[i];
    const uint32_t *own = s->operands + at->first, *other = s->operands + before->first;
    for (uint32_t k = 0; k < at->count; k++)
        if (own[k] == other[0])
            return true;
    for (uint32_t k = 1; k < before->count; k++)
        if (own[0] == other[k])
            return true;
    return false;
}

/* Groups are short: each statement is compared with all before it. */
size_t bytecode_group_count(const struct statements *s, size_t i) {
    enum { MOST = 64 };
    size_t count = 1;
    if (!bytecode_may_group(s->list[i].function))
        return 1;
    for (; count < MOST && i + count < s->count; count++) {
        if (s->list[i + count].function != s->list[i].function)
            return count;
        for (size_t k = 0; k < count; k++)
            if (depends(s, i + count, &s->list[i + k]))
                return count;
    }
    return count;
}

/* ---- text ---- */

void bytecode_print_group_functions(struct text *text, const bool *used) {
    text_add(text,
             "\nSIMD_INLINE void bytecode_functions(uint32_t function, const simd *x, const simd *y, const simd *z, "
             "simd *out) {\n    switch (function) {\n");
    for (int f = 0; f < FUNCTIONS; f++) {
        const struct function_shape shape = function_shape((enum function)f);
        if (!used[f])
            continue;
        text_add(text, "    case %d:\n        DEVICE_UNROLL\n        for (size_t k = 0; k < BYTECODE_AT_ONCE; k++) {\n",
                 f);
        for (int k = 0; k < shape.arguments; k++)
            text_add(text, "            const simd %c = %c[k];\n", 'a' + k, 'x' + k);
        text_add(text, "            out[k] = %s;\n        }\n        break;\n", shape.meaning);
    }
    text_add(text, "    default:\n        break;\n    }\n}\n");
}
