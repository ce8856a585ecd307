/* emission_cost.c - what a call of the emitted file costs, counted from its statements.
 *
 * Operations are those of the formulas. Instructions are a bound for x86-64 and gcc -O2: what each kind of statement becomes at most
 * (loads and stores that are no part of an arithmetic instruction, the operation itself, selections by masks), and what the driver
 * needs for each output, row and entry. The numbers were measured (callgrind) on the models that ship and err on the side of too
 * many; tests/targets/test_instructions.py holds them to it.
 *
 * SPDX-License-Identifier: MIT */
#include "emit/emission.h"

#include <math.h>

struct count {
    double operations, instructions;
};

/* ---- statements ---- */

/* Instructions of one call of each elementary function; ours in double, ours in float. */
static const struct {
    uint32_t function;
    double in_double, in_float;
} calls[] = {
    {FUNCTION_SINCOS, 118, 150}, {FUNCTION_SIN, 118, 150},   {FUNCTION_COS, 118, 150},   {FUNCTION_TAN, 150, 230},
    {FUNCTION_EXP, 70, 75},      {FUNCTION_LOG, 70, 85},     {FUNCTION_LOG10, 190, 210}, {FUNCTION_POW, 330, 380},
    {FUNCTION_ASIN, 130, 120},   {FUNCTION_ACOS, 140, 130},  {FUNCTION_ATAN, 150, 150},  {FUNCTION_ATAN2, 210, 230},
    {FUNCTION_SINH, 140, 150},   {FUNCTION_COSH, 110, 120},  {FUNCTION_TANH, 150, 160},  {FUNCTION_ASINH, 220, 230},
    {FUNCTION_ACOSH, 220, 230},  {FUNCTION_ATANH, 190, 200}, {FUNCTION_SQRT, 75, 75},
};

static double call_cost(const struct emission *e, uint32_t function) {
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++)
        if (calls[i].function == function)
            return e->options.single ? calls[i].in_float : calls[i].in_double;
    return 0;
}

/* Factors of 1 and -1 are not multiplied by. */
static bool is_unit(const struct emission *e, uint32_t operand) {
    return operand_is_constant(operand) && fabs(e->walk.constants[operand - STATEMENT_CONSTANT]) == 1;
}

/* Of each kind of row function, beyond a plain operator. */
static double row_cost(uint32_t function) {
    switch (function) {
    case ROW_ZERO:
    case ROW_UNLIMITED:
    case ROW_NONE_SET:
        return 1;
    case ROW_LEAST:
    case ROW_MOST:
        return 3;
    case ROW_RESIDUAL_EQUAL:
    case ROW_MOST_SIZE:
    case ROW_LOSE_FINITE:
    case ROW_TAKE_MASK:
    case ROW_TAKE_ALL:
        return 4.5;
    case ROW_ADD_SQUARE:
    case ROW_MOVES:
        return 6.5;
    case ROW_RESIDUAL:
    case ROW_RELATIVE:
        return 25;
    case ROW_ACTIVE:
    case ROW_ACTIVE_LEADS:
        return 27;
    case ROW_ACTIVE_UPPER_LEADS:
    case ROW_ACTIVE_LOWER_LEADS:
        return 15;
    case ROW_TAKE:
    case ROW_RESCALE:
    case ROW_INVERSE:
    case ROW_INVERSE_ADDED:
        return 11;
    default:
        return 8;
    }
}

static struct count count_sum(const struct emission *e, const struct statement *at, const uint32_t *operands) {
    uint32_t k = at->function == SUM_PLUS || at->function == SUM_MINUS ? 2 : 1;
    struct count sum = {0, 2};
    for (; k + 1 < at->count; k += 2) {
        bool unit = is_unit(e, operands[k]) || is_unit(e, operands[k + 1]);
        sum.operations += unit ? 1 : 2;
        sum.instructions += unit ? 1 : 3;
    }
    return sum;
}

static struct count count_statement(const struct emission *e, const struct statement *at, const uint32_t *operands) {
    double call = call_cost(e, at->function);
    if (function_is_sum((enum function)at->function))
        return count_sum(e, at, operands);
    if (call > 0)
        return (struct count){at->function == FUNCTION_SQRT ? 1 : 20, call};
    double arguments = at->count - 1.0;
    return (struct count){arguments > 0 ? arguments : 0,
                          at->function >= CODE_COUNT ? row_cost(at->function) : 2.5 + arguments};
}

static struct count count_entry(const struct emission *e, enum kernel_entry entry) {
    const struct statements *s = &e->walk.entry[entry];
    struct count sum = {0, 20};
    for (size_t i = 0; i < s->count; i++) {
        struct count own = count_statement(e, &s->list[i], s->operands + s->list[i].first);
        sum.operations += own.operations;
        sum.instructions += own.instructions;
    }
    return sum;
}

/* ---- the driver, per output, row and entry of J ---- */

/* Rounds without a step of auto: rewinds, programmes that are tried again, restarts, a return; of the others a return. A warm start
 * evaluates once more. */
enum { AUTO_ROUNDS = RESTART_LONG + SAMPLE_ELASTIC_PATIENCE + 5, OTHER_ROUNDS = 3 };

static double driver_round(const struct emission *e) {
    const struct plan *p = e->plan;
    double copies = p->options.weighted ? 2 : 1, clip = p->options.method == HN_METHOD_AUTO ? p->clip.slot.count : 0;
    double slope = p->options.method == HN_METHOD_AUTO ? 45.0 * p->entries + 150.0 * p->rows + 30.0 * p->outputs
                                                       : 0; /* elastic programmes */
    return 150 + 6 * copies * p->outputs + (p->options.weighted ? 500 : 0) + 45 * clip + slope;
}

static double driver_call(const struct emission *e) {
    const struct plan *p = e->plan;
    double restarts = p->options.method == HN_METHOD_AUTO ? RESTART_LONG * 700.0 * p->outputs : 0;
    return 800 + 75.0 * p->outputs + 60.0 * p->rows + 22.0 * p->entries + 10.0 * p->inputs + restarts;
}

static struct count count_network(const struct emission *e) {
    struct count sum = {0, 0};
    for (size_t k = 0; e->network && k < e->network->layers; k++) {
        double in = (double)e->network->width[k], out = (double)e->network->width[k + 1];
        double blocks = ceil(out / EMIT_BLOCK);
        sum.operations += 2 * in * out;
        sum.instructions += blocks * (in * 2.3 * EMIT_BLOCK + 60) + out * 160 + in * 8;
    }
    return sum;
}

/* ---- all of it ---- */

struct emission_cost emission_cost(const struct emission *e) {
    const struct plan *p = e->plan;
    struct count evaluate = {0, 0}, step = {0, 0}, network = count_network(e), prepare = count_entry(e, KERNEL_PREPARE);
    const enum kernel_entry evaluates[] = {KERNEL_EVALUATE, KERNEL_RESIDUAL, KERNEL_RESCALE};
    const enum kernel_entry steps[] = {KERNEL_WEIGH_ALL, KERNEL_LARGEST, KERNEL_STEP_BEGIN, KERNEL_STEP_END};
    struct emission_cost cost = {.fixed = !p->options.weighted};
    double text = prepare.instructions;
    for (int i = KERNEL_BACK_BEGIN; i < KERNEL_ENTRIES; i++) /* nothing without the adjoint */
        text += i == KERNEL_BACK_ROWS || e->walk.entry[i].count == 0
                    ? 0
                    : count_entry(e, (enum kernel_entry)i).instructions;
    for (int i = 0; i < 3; i++) {
        struct count own = count_entry(e, evaluates[i]);
        text += own.instructions;
        evaluate.operations += own.operations;
        evaluate.instructions += own.instructions;
    }
    for (int i = 0; i < 4; i++) {
        struct count own = count_entry(e, steps[i]);
        text += own.instructions;
        step.operations += own.operations;
        step.instructions += own.instructions;
    }
    cost.rounds = p->options.iterations + (p->options.method == HN_METHOD_AUTO ? AUTO_ROUNDS : OTHER_ROUNDS);
    if (cost.fixed)
        cost.rounds = p->options.iterations + 2;
    cost.operations = evaluate.operations + step.operations;
    cost.operations_worst = cost.rounds * evaluate.operations + p->options.iterations * step.operations +
                            network.operations + prepare.operations;
    cost.worst = cost.rounds * (evaluate.instructions + driver_round(e)) + p->options.iterations * step.instructions +
                 driver_call(e) + network.instructions + prepare.instructions;
    cost.code_x86 = 6.5 * text + 16000;
    cost.code_arm = (e->options.single ? 4.2 : 5.0) * text + 14000;
    return cost;
}
