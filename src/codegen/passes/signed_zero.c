/* signed_zero.c - sums without a leading 0, where nobody sees the sign of a zero.
 *
 * The listed kernels begin most sums with 0, so that 0 + a b is the first thing they do. It changes a b in one case: -0 becomes 0. Two
 * passes over the statements of an entry find where that cannot be seen. Forwards: which values are never -0, whatever they are made
 * of. Backwards: which zeros may have either sign, because they end in products that are added to something that is no -0, in sizes, or
 * in zeros that may have either sign themselves. A value that is kept has one sign only.
 *
 *     x + p, x - p     have the bits of x + 0 where p is a zero of either sign, unless x is -0
 *     x + p, x - p     are -0 only where x is -0
 *
 * A sum that loses its 0 may be -0 where it was 0. It is no leading term of a sum whose zeros have one sign, or it would have one
 * itself; so what was found to be never -0 there stays so.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include "base/memory.h"

#include <string.h>

struct zeros {
    const struct ir_module *ir;
    const struct statements *s;
    bool *never; /* per slot: what it holds now is never -0 */
    bool *cares; /* per slot: the sign of a zero in it is seen later on */
    bool *sound; /* per statement: its leading term is never -0 */
    bool *drops; /* per statement: it loses its 0 */
};

static bool is_zero(const struct ir_module *ir, uint32_t operand) {
    if (!operand_is_constant(operand))
        return operand == ir->plan->system.zero;
    double value = ir->constants[operand - STATEMENT_CONSTANT];
    return value == 0 && !signbit(value);
}

/* ---- forwards: what is never -0 ---- */

static bool is_never(const struct zeros *z, uint32_t operand) {
    if (!operand_is_constant(operand))
        return z->never[operand] || is_zero(z->ir, operand);
    double value = z->ir->constants[operand - STATEMENT_CONSTANT];
    return value != 0 || !signbit(value);
}

/* arguments: behind the destination. */
static bool leads_never(const struct zeros *z, const struct statement *at, const uint32_t *arguments) {
    switch (at->function) {
    case SUM_PLUS:
    case SUM_MINUS:
    case FUNCTION_SUB:
        return is_never(z, arguments[0]);
    case FUNCTION_ADD:
        return is_never(z, arguments[0]) || is_never(z, arguments[1]);
    case FUNCTION_MUL: /* a square */
        return arguments[0] == arguments[1];
    case SUM_ZERO:
    case ROW_ZERO:
    case ROW_RESIDUAL_EQUAL:
        return true;
    default:
        return false;
    }
}

static void find_never(const struct zeros *z) {
    for (size_t i = 0; i < z->s->count; i++) {
        const struct statement *at = &z->s->list[i];
        const uint32_t *operand = z->s->operands + at->first;
        uint32_t destinations = statement_destinations(at);
        z->sound[i] = leads_never(z, at, operand + destinations);
        for (uint32_t d = 0; d < destinations; d++)
            z->never[operand[d]] = z->sound[i];
    }
}

/* What is kept is read again as no -0: it must not become one. */
static bool spill_stays(const struct zeros *z, const bool *kept) {
    for (size_t i = 0; i < z->s->count; i++)
        if (kept[z->s->operands[z->s->list[i].first]] && !z->sound[i])
            return false;
    return true;
}

/* ---- backwards: whose sign is seen ---- */

/* Whether an argument's zeros must have their sign, for a result whose zeros must (cares) or need not. */
static bool argument_cares(const struct zeros *z, size_t i, uint32_t argument, bool cares) {
    switch (z->s->list[i].function) {
    case SUM_ZERO:
    case ROW_RESIDUAL_EQUAL:
        return false;
    case SUM_PLUS:
    case SUM_MINUS:
    case FUNCTION_SUB:
        return cares && (argument == 0 || !z->sound[i]);
    case SUM_FIRST:
    case SUM_BACK:
    case FUNCTION_MUL:
    case FUNCTION_ADD:
    case FUNCTION_NEG:
    case FUNCTION_MUL_ADD:
    case FUNCTION_MUL_SUB:
    case FUNCTION_SUB_MUL:
    case FUNCTION_MUL_MUL:
    case ROW_MOST:
    case ROW_KEEP:
        return cares;
    case ROW_COUNTS: /* compares */
    case ROW_INVERSE: /* 0 where d is no more than a share of the whole, which is a sum of squares and E, no less than 0 */
        return false;
    case ROW_MOST_SIZE:
        return cares && argument == 0;
    default:
        return true;
    }
}

/* Whether the statement is a sum with a 0 in front, or a difference with one behind. */
static bool has_zero(const struct zeros *z, const struct statement *at) {
    uint32_t first = z->s->operands[at->first + 1];
    return (at->function == SUM_ZERO && at->count > 2) || at->function == ROW_RESIDUAL_EQUAL ||
           (at->function == SUM_PLUS && at->count > 3 && is_zero(z->ir, first));
}

static void find_drops(const struct zeros *z) {
    for (size_t i = z->s->count; i-- > 0;) {
        const struct statement *at = &z->s->list[i];
        const uint32_t *operand = z->s->operands + at->first;
        uint32_t destinations = statement_destinations(at);
        bool cares = false;
        for (uint32_t d = 0; d < destinations; d++) {
            cares = cares || z->cares[operand[d]];
            z->cares[operand[d]] = false;
        }
        z->drops[i] = !cares && has_zero(z, at);
        for (uint32_t k = destinations; k < at->count; k++)
            if (!operand_is_constant(operand[k]) && argument_cares(z, i, k - destinations, cares))
                z->cares[operand[k]] = true;
    }
}

/* ---- the statements without them ---- */

static void signed_zero_drop(struct statements *to, const struct statements *from, size_t i) {
    const struct statement *at = &from->list[i];
    uint32_t first = at->function == SUM_PLUS ? 2 : 1;
    statements_begin(to, at->function == ROW_RESIDUAL_EQUAL ? FUNCTION_SUB : SUM_FIRST);
    statements_operand(to, from->operands[at->first]);
    for (uint32_t k = first; k < at->count; k++)
        statements_operand(to, from->operands[at->first + k]);
}

/* The slot that holds 0 is read as the number. */
static void rewrite(struct ir_module *ir, struct statements *s, const bool *drops) {
    struct statements to = {.window = s->window, .window_slots = s->window_slots, .late = s->late, .round = s->round};
    uint32_t zero = STATEMENT_CONSTANT + ir->constant_count;
    ir->constants[ir->constant_count++] = 0;
    for (size_t i = 0; i < s->count; i++)
        if (drops[i])
            signed_zero_drop(&to, s, i);
        else
            statements_repeat(&to, s, i);
    for (size_t k = 0; k < to.operand_count; k++)
        if (to.operands[k] == ir->plan->system.zero)
            to.operands[k] = zero;
    statements_release(s);
    *s = to;
}

bool ir_drop_zeros(struct ir_module *ir, struct statements *s, const bool *kept, bool again) {
    size_t slots = ir->slots, count = s->count + 1;
    bool *room =
        s->failed ? NULL : base_allocate((2 * slots + 2 * count) * sizeof *room); /* half statements are none */
    if (!room)
        return false;
    const struct zeros z = {ir, s, room, room + slots, room + 2 * slots, room + 2 * slots + count};
    memset(room, 0, (2 * slots + 2 * count) * sizeof *room);
    memcpy(z.cares, kept, slots * sizeof *kept);
    if (again)
        memcpy(z.never, kept, slots * sizeof *kept);
    find_never(&z);
    if (!again || spill_stays(&z, kept)) {
        find_drops(&z);
        rewrite(ir, s, z.drops);
    }
    base_release(room);
    return !s->failed;
}
