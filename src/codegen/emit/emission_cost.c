/* emission_cost.c - what a call of the emitted file costs, counted from its statements.
 *
 * Operations are those of the formulas. Instructions are a bound for x86-64 and gcc -O2: what each kind of statement becomes at most
 * (loads and stores that are no part of an arithmetic instruction, the operation itself, selections by masks), and what the driver
 * needs for each output, row and entry. What a compiler computes itself, from constants, counts nothing. The numbers were fitted
 * to what callgrind counts on a dozen of the models that ship, and raised: tests/targets/test_instructions.py holds them to it.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/emit/emission.h"

#include <math.h>

struct count {
    double operations, instructions;
    double text,
        plain_text; /* instructions that a compiler prints, a loop's once: of statements in pairs, and of others */
};

/* ---- statements ---- */

/* Instructions of one call of an elementary function. */
double emission_call_cost(const struct emission *e, uint32_t function) {
    if (function == FUNCTION_SINCOS)
        function = FUNCTION_SIN;
    return function < OP_COUNT ? operator_traits_of((enum op)function)->calls[e->options.single] : 0;
}

/* Factors of 1 and -1 are not multiplied by. */
static bool is_unit(const struct emission *e, uint32_t operand) {
    return operand_is_constant(operand) && fabs(e->ir.constants[operand - STATEMENT_CONSTANT]) == 1;
}

/* Of an entry; of a sum, and of each of its products, by 1 or by another number: multiplication, addition, and a load or a move. */
static const double ENTRY_BASE = 4, SUM_BASE = 3.3, SUM_TERM = 3.3, SUM_TERM_UNIT = 1.2;

/* Of the operators of a program. */
static double operator_cost(uint32_t function) {
    switch (function) {
    case FUNCTION_MUL:
        return 2.2;
    case FUNCTION_ADD:
        return 2.5;
    case FUNCTION_SUB:
        return 3;
    case FUNCTION_MUL_ADD:
    case FUNCTION_MUL_SUB:
    case FUNCTION_SUB_MUL:
        return 6;
    case FUNCTION_MUL_MUL:
        return 3.5;
    default:
        return 4;
    }
}

/* Of each kind of row function. */
static double row_cost(uint32_t function) {
    switch (function) {
    case ROW_ZERO:
    case ROW_UNLIMITED:
    case ROW_NONE_SET:
    case ROW_RESIDUAL_EQUAL:
    case ROW_LOSE_FINITE:
    case ROW_MOVES:
        return 1;
    case ROW_LEAST:
    case ROW_RESIDUAL_UPPER:
    case ROW_RESIDUAL_LOWER:
        return 4;
    case ROW_MOST:
    case ROW_TAKE_MASK:
    case ROW_TAKE_ALL:
        return 6;
    case ROW_ADD_SQUARE:
        return 8.5;
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
        return 12;
    case ROW_RESIDUAL:
        return 8;
    case ROW_MOST_SIZE:
    case ROW_INVERSE:
        return 6;
    default:
        return 8;
    }
}

/* Slots that hold numbers which a compiler knows, at a point of an entry: what is computed from constants only is computed by it. */
struct known {
    bool *slot;
    size_t count;
    bool failed; /* memory is out */
};

static bool emission_cost_is_known(const struct known *known, uint32_t operand) {
    return operand_is_constant(operand) || (operand < known->count && known->slot[operand]);
}

static bool all_known(const struct known *known, const uint32_t *operands, uint32_t from, uint32_t end) {
    bool all = true;
    for (uint32_t k = from; k < end; k++)
        all = all && emission_cost_is_known(known, operands[k]);
    return all;
}

/* A copy is free: it is another name. */
static struct count count_sum(const struct emission *e, const struct statement *at, const uint32_t *operands,
                              const struct known *known) {
    bool starts = at->function == SUM_PLUS || at->function == SUM_MINUS;
    bool constant = starts ? emission_cost_is_known(known, operands[1]) : true;
    struct count sum = {0, 0, 0, 0};
    for (uint32_t k = starts ? 2 : 1; k + 1 < at->count; k += 2) {
        bool unit = is_unit(e, operands[k]) || is_unit(e, operands[k + 1]);
        bool first = k == 1 && (at->function == SUM_FIRST || at->function == SUM_BACK);
        sum.operations += unit ? 1 : 2;
        constant = constant && all_known(known, operands, k, k + 2);
        if (!constant)
            sum.instructions += unit || first ? SUM_TERM_UNIT : SUM_TERM;
    }
    sum.instructions += sum.instructions > 0 ? SUM_BASE : 0;
    return sum;
}

static struct count count_statement(const struct emission *e, const struct statement *at, const uint32_t *operands,
                                    const struct known *known) {
    double call = emission_call_cost(e, at->function);
    if (function_is_sum((enum function)at->function))
        return count_sum(e, at, operands, known);
    if (all_known(known, operands, statement_destinations(at), at->count))
        return (struct count){0, 0, 0, 0};
    if (call > 0)
        return (struct count){at->function == FUNCTION_SQRT ? 1 : 20, call, 0, 0};
    double arguments = at->count - 1.0;
    return (struct count){arguments > 0 ? arguments : 0,
                          at->function >= CODE_COUNT ? row_cost(at->function) : operator_cost(at->function), 0, 0};
}

static void note_known(struct known *known, const struct statement *at, const uint32_t *operands) {
    uint32_t destinations = statement_destinations(at);
    for (uint32_t d = 0; d < destinations; d++)
        if (operands[d] < known->count)
            known->slot[operands[d]] = all_known(known, operands, destinations, at->count);
}

/* What a statement is in the code: functions are called. */
static double printed_of(const struct emission *e, const struct statement *at, double instructions) {
    const double CALLED = 6;
    return emission_call_cost(e, at->function) > CALLED ? CALLED : instructions;
}

static struct count count_plain(const struct emission *e, const struct statements *s, const struct regions *regions,
                                struct known *known) {
    struct count sum = {0, 0, 0, 0};
    for (size_t r = 0; r < regions->count; r++)
        for (size_t n = 0; n < regions->list[r].period * regions->list[r].repeats; n++) {
            const struct statement *at = &s->list[regions->list[r].first + n];
            struct count own = count_statement(e, at, s->operands + at->first, known);
            sum.operations += own.operations;
            sum.instructions += own.instructions;
            if (n < regions->list[r].period)
                sum.plain_text += printed_of(e, at, own.instructions);
            note_known(known, at, s->operands + at->first);
        }
    return sum;
}

/* ---- statements in pairs ---- */

/* Of a pair's operand that is no pair: from two slots, from neighbours, from variables. What one statement of a pair takes more than
 * half of what both would; sums are cut into one product each, and take less. */
static const double GATHER_SLOTS = 1.7, GATHER_NEIGHBOURS = 1, GATHER_VALUES = 2.2, CUT_SUM = 3.9, CUT_SUM_UNIT = 1.1,
                    PAIR_OF_ROWS = 1.15, PAIR_OF_CALLS = 1.4, SECOND_STORE = 1.6;

static double gather_cost(const struct slp_regions *all, const struct slp_pairs *pairs, size_t i, size_t j,
                          uint32_t k) {
    const struct statements *s = &all->s;
    uint32_t a = s->operands[s->list[i].first + k], b = s->operands[s->list[j].first + k];
    uint32_t x = all->liveness.source[s->list[i].first + k], y = all->liveness.source[s->list[j].first + k];
    bool same = k > 1 && s->operands[s->list[i].first + k - 1] == a && s->operands[s->list[j].first + k - 1] == b;
    if (operand_is_constant(a) || same)
        return 0;
    if (!x && !y)
        return b == a + 1 ? GATHER_NEIGHBOURS : GATHER_SLOTS;
    return x && y && x != y && pairs->mate[(x - 1) / 2] == (y - 1) / 2 ? 0 : GATHER_VALUES;
}

static bool has_unit(const struct emission *e, const struct statement *at, const uint32_t *operands) {
    return is_unit(e, operands[at->count - 1]) || is_unit(e, operands[at->count - 2]);
}

static double slp_regions_statement(const struct emission *e, const struct slp_regions *all,
                                    const struct slp_pairs *pairs, size_t i, size_t first, const struct known *known) {
    const struct statement *at = &all->s.list[i];
    size_t mate = first + pairs->mate[i - first];
    double sum = count_statement(e, at, all->s.operands + at->first, known).instructions;
    if (function_is_sum((enum function)at->function) && at->count > 2 && at->count < 5 && sum > 0)
        sum = has_unit(e, at, all->s.operands + at->first) ? CUT_SUM_UNIT : CUT_SUM;
    if (mate == i)
        return sum;
    if (emission_call_cost(e, at->function) > 0)
        sum *= PAIR_OF_CALLS;
    else if (at->function >= CODE_COUNT && !function_is_sum((enum function)at->function) && at->function != ROW_INVERSE)
        sum *= PAIR_OF_ROWS;
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        sum += all->liveness.stored[i] >> d & all->liveness.stored[mate] >> d & 1 ? SECOND_STORE : 0;
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        sum += gather_cost(all, pairs, i, mate, k);
    return sum;
}

static double count_paired(const struct emission *e, const struct slp_regions *all, struct known *known, double *text) {
    double sum = 0;
    for (size_t r = 0; r < all->regions.count; r++) {
        const struct region *region = &all->regions.list[r];
        const struct slp_pairs *pairs = &all->pairs[r];
        size_t count = region->repeats > 1 ? region->period * region->repeats : pairs->ordered;
        for (size_t n = 0; n < count; n++) {
            size_t i = region->first + (region->repeats > 1 ? n : pairs->order[n]);
            const struct statement *at = &all->s.list[i];
            double own = region->repeats > 1 ? count_statement(e, at, all->s.operands + at->first, known).instructions
                                             : slp_regions_statement(e, all, pairs, i, region->first, known);
            sum += own;
            *text += n < region->period ? printed_of(e, at, own) : 0;
            note_known(known, at, all->s.operands + at->first);
        }
    }
    return sum;
}

static bool has_pairs(const struct slp_regions *all) {
    size_t statements = 0, printed = 0;
    for (size_t r = 0; r < all->regions.count; r++)
        for (size_t i = 0; i < all->pairs[r].count; i++) {
            statements += slp_has(&all->pairs[r], (uint32_t)i);
            printed++;
        }
    return printed > 0 && statements > 0;
}

static void forget_known(struct known *known) {
    for (size_t i = 0; i < known->count; i++)
        known->slot[i] = false;
}

static struct count count_entry(const struct emission *e, enum kernel_entry entry, struct known *known) {
    const struct statements *s = &e->ir.entry[entry];
    struct regions regions;
    struct count sum = {0, 0, 0, 0};
    regions_find(&regions, s, e->ir.constants, e->ir.loops);
    known->failed = known->failed || regions.failed;
    forget_known(known);
    if (!regions.failed)
        sum = count_plain(e, s, &regions, known);
    regions_release(&regions);
    forget_known(known);
    sum.text = sum.plain_text;
    if (e->paired && has_pairs(&e->pairs[entry])) {
        sum.text = 0;
        sum.instructions = count_paired(e, &e->pairs[entry], known, &sum.text);
    }
    sum.instructions += s->count > 0 ? ENTRY_BASE : 0;
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
    double judges = emission_drive_judges(e) ? 7.0 * (2.0 * p->outputs + p->rows) : 0;
    return 100 + 2.5 * copies * p->outputs + (p->options.weighted ? 500 : 0) + 45 * clip + slope + judges;
}

static double driver_call(const struct emission *e) {
    const struct plan *p = e->plan;
    double restarts = p->options.method == HN_METHOD_AUTO ? RESTART_LONG * 700.0 * p->outputs : 0;
    return 400 + 60.0 * p->outputs + 52.0 * p->rows + 60.0 * p->entries + 10.0 * p->inputs + restarts;
}

static const double SHAPED = 30; /* of a neuron, where it is residual and normalised */

static struct count count_network(const struct emission *e) {
    struct count sum = {0, 0, 0, 0};
    for (size_t k = 0; e->network && k < e->network->layers; k++) {
        double in = (double)e->network->width[k], out = (double)e->network->width[k + 1];
        double blocks = ceil(out / EMIT_BLOCK);
        sum.operations += 2 * in * out;
        sum.instructions += blocks * (in * 2.3 * EMIT_BLOCK + 60) + out * 160 + in * 8;
        if (emission_network_is_shaped(e) && k + 1 < e->network->layers)
            sum.instructions += out * SHAPED + 100;
    }
    return sum;
}

/* The rows once more with their bounds (rounding_bound.h), once in a call of a float file. */
static struct count count_rounding(const struct emission *e) {
    const struct emission_rounding *r = &e->rounding;
    struct count sum = {0, 0, 0, 0};
    if (!r->number)
        return sum;
    for (size_t i = 0; i < r->count; i++) {
        sum.operations += 8;
        sum.instructions += 48 + emission_call_cost(e, r->steps[i].code);
    }
    sum.operations += 10.0 * e->plan->rows;
    sum.instructions += 80 + 42.0 * e->plan->rows + 9.0 * (double)emission_rounding_leaves(e);
    return sum;
}

/* ---- all of it ---- */

static void add_counts(struct count *sum, const struct emission *e, const enum kernel_entry *entries, size_t count,
                       struct known *known) {
    for (size_t i = 0; i < count; i++) {
        struct count own = count_entry(e, entries[i], known);
        sum->operations += own.operations;
        sum->instructions += own.instructions;
        sum->text += own.text;
        sum->plain_text += own.plain_text;
    }
}

static const enum kernel_entry prepares[] = {KERNEL_PREPARE};
static const enum kernel_entry evaluates[] = {KERNEL_EVALUATE, KERNEL_RESIDUAL, KERNEL_RESCALE};
static const enum kernel_entry steps[] = {KERNEL_WEIGH_ALL, KERNEL_LARGEST, KERNEL_STEP_BEGIN, KERNEL_STEP_END};
static const enum kernel_entry backs[] = {KERNEL_BACK_BEGIN, KERNEL_BACK_ROWS_BOUNDS, KERNEL_BACK_PROGRAM,
                                          KERNEL_BACK_END};

/* Bytes of what is the same for every model: the driver, functions, the way back. tests/targets/test_sizes.py compares. */
static double code_of_driver(const struct emission *e) {
    double driver = emission_drive_judges(e) ? 18000 : 11000;
    return driver + (e->options.adjoint ? 2500 : 0) + (e->network ? 1200 : 0);
}

#define ADD_COUNTS(sum, list) add_counts(&(sum), e, list, sizeof(list) / sizeof(list)[0], &known)

bool emission_cost(struct emission_cost *out, const struct emission *e) {
    const struct plan *p = e->plan;
    struct count prepare = {0, 0, 0, 0}, evaluate = {0, 0, 0, 0}, step = {0, 0, 0, 0}, back = {0, 0, 0, 0},
                 network = count_network(e), rounding = count_rounding(e);
    struct policy_cost policy = emission_policy_cost(e);
    struct known known = {base_allocate(e->ir.slots * sizeof(bool)), e->ir.slots, false};
    struct emission_cost cost = {.fixed = !p->options.stops};
    if (!known.slot)
        return false;
    ADD_COUNTS(prepare, prepares);
    ADD_COUNTS(evaluate, evaluates);
    ADD_COUNTS(step, steps);
    if (e->options.adjoint)
        ADD_COUNTS(back, backs);
    base_release(known.slot);
    if (known.failed)
        return false;
    double text = prepare.text + evaluate.text + step.text + back.text;
    double plain = prepare.plain_text + evaluate.plain_text + step.plain_text + back.plain_text;
    cost.rounds = p->options.iterations + (p->options.method == HN_METHOD_AUTO ? AUTO_ROUNDS : OTHER_ROUNDS);
    if (cost.fixed)
        cost.rounds = p->options.iterations + 2;
    cost.operations = evaluate.operations + step.operations;
    cost.corrections = emission_has_policy(e) ? (double)e->policy.candidates * (1.0 + e->policy.refine) : 1;
    cost.operations_worst = cost.corrections * (cost.rounds * evaluate.operations +
                                                p->options.iterations * step.operations + prepare.operations) +
                            network.operations + policy.operations + rounding.operations;
    cost.worst =
        cost.corrections * (cost.rounds * (evaluate.instructions + driver_round(e)) +
                            p->options.iterations * step.instructions + driver_call(e) + prepare.instructions) +
        network.instructions + policy.instructions + rounding.instructions;
    cost.code_x86 = 5.2 * text + code_of_driver(e) + policy.code;
    cost.code_arm = (e->options.single ? 4.3 : 5.0) * plain + code_of_driver(e) + policy.code;
    *out = cost;
    return true;
}
