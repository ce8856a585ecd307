/* signed_zero.c - removes the leading 0 from sums if the sign of a zero has no effect.
 *
 * The listed kernels begin most sums with 0 + a b. This changes a b only if it is -0: the result is 0. Two data-flow
 * passes over the statements of an entry find where that has no effect. Forward: values that are never -0 for any
 * operands. Backward: zeros that may have either sign, because they are used only in products added to something other
 * than -0, in absolute values, or in zeros that may have either sign themselves. Kept values must keep their sign.
 *
 *     x + p, x - p     have the bits of x + 0 where p is a zero of either sign, unless x is -0
 *     x + p, x - p     are -0 only where x is -0
 *
 * A sum without its 0 may be -0 instead of 0. It is not the leading term of a sum whose zeros must keep their sign,
 * otherwise its own sign would matter; so values found to be never -0 remain so.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/ir/lower.h"

#include <string.h>

struct zeros {
    const struct ir_module *ir;
    const struct statements *s;
    bool *never; /* per slot: its current value is never -0 */
    bool *cares; /* per slot: the sign of a zero in it is observable later */
    bool *sound; /* per statement: its leading term is never -0 */
    bool *drops; /* per statement: its 0 is removed */
};

static bool is_zero(const struct ir_module *ir, uint32_t operand) {
    if (!operand_is_constant(operand))
        return operand == ir->plan->system.zero;
    double value = ir->constants[operand - STATEMENT_CONSTANT];
    return value == 0 && !signbit(value);
}

/* ---- forward: values that are never -0 ---- */

static bool is_never(const struct zeros *z, uint32_t operand) {
    if (!operand_is_constant(operand))
        return z->never[operand] || is_zero(z->ir, operand);
    double value = z->ir->constants[operand - STATEMENT_CONSTANT];
    return value != 0 || !signbit(value);
}

/* arguments: after the destination. */
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

/* Kept values are assumed not to be -0 when they are read again: they must not become -0. */
static bool stays_positive(const struct zeros *z, const bool *kept) {
    for (size_t i = 0; i < z->s->count; i++)
        if (kept[z->s->operands[z->s->list[i].first]] && !z->sound[i])
            return false;
    return true;
}

/* ---- backward: observable signs ---- */

/* Whether the sign of a zero argument matters, given whether that of the result does (cares). */
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
    case ROW_COUNTS:  /* comparisons */
    case ROW_INVERSE: /* 0 if d is at most a fraction of the whole: a sum of squares and E >= 0 */
        return false;
    case ROW_MOST_SIZE:
        return cares && argument == 0;
    default:
        return true;
    }
}

/* Whether the statement is a sum with a leading 0, or a difference with a trailing 0. */
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

/* ---- rewriting ---- */

static void add_without_zero(struct statements *to, const struct statements *from, size_t i) {
    const struct statement *at = &from->list[i];
    const uint32_t *operands = from->operands + at->first;
    uint32_t first = at->function == SUM_PLUS ? 2 : 1;
    statements_add(to, at->function == ROW_RESIDUAL_EQUAL ? FUNCTION_SUB : SUM_FIRST, operands[0], operands + first,
                   at->count - first);
}

/* Replaces the slot with constant 0 by the constant. */
static void rewrite(struct ir_module *ir, struct statements *s, const bool *drops) {
    struct statements to = statements_like(s);
    uint32_t zero = STATEMENT_CONSTANT + ir->constant_count;
    ir->constants[ir->constant_count++] = 0;
    for (size_t i = 0; i < s->count; i++)
        if (drops[i])
            add_without_zero(&to, s, i);
        else
            statements_repeat(&to, s, i);
    for (size_t k = 0; k < to.operand_count; k++)
        if (to.operands[k] == ir->plan->system.zero)
            to.operands[k] = zero;
    statements_release(s);
    *s = to;
}

bool ir_drop_zeros(struct ir_module *ir, struct statements *s, const bool *kept, bool again) {
    struct buffers buffers = {.failed = s->failed};
    const struct zeros z = {.ir = ir,
                            .s = s,
                            .never = buffers_take(&buffers, ir->slots, sizeof(bool)),
                            .cares = buffers_take(&buffers, ir->slots, sizeof(bool)),
                            .sound = buffers_take(&buffers, s->count, sizeof(bool)),
                            .drops = buffers_take(&buffers, s->count, sizeof(bool))};
    if (!buffers.failed) {
        memcpy(z.cares, kept, ir->slots * sizeof *kept);
        if (again)
            memcpy(z.never, kept, ir->slots * sizeof *kept);
        find_never(&z);
    }
    if (!buffers.failed && (!again || stays_positive(&z, kept))) {
        find_drops(&z);
        rewrite(ir, s, z.drops);
    }
    buffers_release(&buffers);
    return !buffers.failed && !s->failed;
}
