/* emission_cost.c - cost of a call of an emitted file, counted from its statements.
 *
 * Operations are counted from the formulas. The instruction count is a bound for x86-64 and gcc -O2: for each kind of
 * statement separate loads and stores, the operation and selections by masks; plus the driver's cost per output, row
 * and entry. Values computed at compile time are free. The numbers were fitted to what callgrind counts on a dozen
 * shipped models, plus a margin; tests/targets/test_instructions.py checks them.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "codegen/emit/emission.h"

#include <string.h>

/* text, plain_text: static instruction counts (a loop body counts once): of paired statements, and of the others. */
struct count {
    double operations, instructions, text, plain_text;
};

static void add_count(struct count *sum, struct count own) {
    sum->operations += own.operations;
    sum->instructions += own.instructions;
    sum->text += own.text;
    sum->plain_text += own.plain_text;
}

/* ---- statements ---- */

/* Instructions of one call of an elementary function; 0 for other functions. */
static double call_cost(const struct emission *e, uint32_t function) {
    if (function == FUNCTION_SINCOS)
        function = FUNCTION_SIN;
    return function < OP_COUNT ? operator_traits_of((enum op)function)->calls[e->options.single] : 0;
}

/* Multiplications by 1 and -1 are omitted. */
static bool is_unit(const struct emission *e, uint32_t operand) {
    return operand_is_constant(operand) && fabs(e->ir.constants[operand - STATEMENT_CONSTANT]) == 1;
}

/* Instructions per entry, per sum, and per product of a sum (factor 1 or other): multiplication, addition, load or
 * move. */
static const double ENTRY_BASE = 4, SUM_BASE = 3.3, SUM_TERM = 3.3, SUM_TERM_UNIT = 1.2;

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
        return function >= CODE_COUNT ? function_shape((enum function)function).cost : 4;
    }
}

/* Slots with a value known at compile time at this point of an entry. */
struct known {
    bool *slot;
    size_t count;
    bool failed; /* out of memory */
};

static bool is_known(const struct known *known, uint32_t operand) {
    return operand_is_constant(operand) || (operand < known->count && known->slot[operand]);
}

static bool all_known(const struct known *known, const uint32_t *operands, uint32_t from, uint32_t end) {
    bool all = true;
    for (uint32_t k = from; k < end; k++)
        all = all && is_known(known, operands[k]);
    return all;
}

/* A copy is free: the compiler renames the value. */
static struct count count_sum(const struct emission *e, const struct statement *at, const uint32_t *operands,
                              const struct known *known) {
    bool starts = function_sum_starts(at->function), constant = starts ? is_known(known, operands[1]) : true;
    struct count sum = {0};
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
    double call = call_cost(e, at->function), arguments = at->count - 1.0;
    if (function_is_sum((enum function)at->function))
        return count_sum(e, at, operands, known);
    if (all_known(known, operands, statement_destinations(at), at->count))
        return (struct count){0};
    if (call > 0)
        return (struct count){.operations = at->function == FUNCTION_SQRT ? 1 : 20, .instructions = call};
    return (struct count){.operations = arguments > 0 ? arguments : 0, .instructions = operator_cost(at->function)};
}

static void note_known(struct known *known, const struct statement *at, const uint32_t *operands) {
    uint32_t destinations = statement_destinations(at);
    for (uint32_t d = 0; d < destinations; d++)
        if (operands[d] < known->count)
            known->slot[operands[d]] = all_known(known, operands, destinations, at->count);
}

/* Static instruction count: calls are not inlined. */
static double printed_of(const struct emission *e, const struct statement *at, double instructions) {
    const double CALLED = 6;
    return call_cost(e, at->function) > CALLED ? CALLED : instructions;
}

static struct count count_plain(const struct emission *e, const struct statements *s, const struct regions *regions,
                                struct known *known) {
    struct count sum = {0};
    for (size_t r = 0; r < regions->count; r++)
        for (size_t n = 0; n < regions->list[r].period * regions->list[r].repeats; n++) {
            const struct statement *at = &s->list[regions->list[r].first + n];
            struct count own = count_statement(e, at, s->operands + at->first, known);
            own.plain_text = n < regions->list[r].period ? printed_of(e, at, own.instructions) : 0;
            add_count(&sum, own);
            note_known(known, at, s->operands + at->first);
        }
    return sum;
}

/* ---- paired statements ---- */

/* Cost of an operand of a pair that is not a pair: from two slots, from adjacent slots, from variables. Extra cost of
 * one statement of a pair beyond half of both; sums are split into single products and cost less. */
static const double GATHER_SLOTS = 1.7, GATHER_NEIGHBOURS = 1, GATHER_VALUES = 2.2, CUT_SUM = 3.9, CUT_SUM_UNIT = 1.1,
                    PAIR_OF_ROWS = 1.15, PAIR_OF_CALLS = 1.4, SECOND_STORE = 1.6;

static double gather_cost(const struct slp_regions *all, const struct slp_pairs *pairs, size_t i, size_t j,
                          uint32_t k) {
    const struct statements *s = &all->s;
    uint32_t first = s->list[i].first + k, second = s->list[j].first + k;
    uint32_t a = s->operands[first], b = s->operands[second];
    uint32_t x = all->liveness.source[first], y = all->liveness.source[second];
    bool same = k > 1 && s->operands[first - 1] == a && s->operands[second - 1] == b;
    if (operand_is_constant(a) || same)
        return 0;
    if (!x && !y)
        return b == a + 1 ? GATHER_NEIGHBOURS : GATHER_SLOTS;
    return x && y && x != y && pairs->mate[(x - 1) / 2] == (y - 1) / 2 ? 0 : GATHER_VALUES;
}

static double pair_cost(const struct emission *e, const struct slp_regions *all, const struct slp_pairs *pairs,
                        size_t i, size_t first, const struct known *known) {
    const struct statement *at = &all->s.list[i];
    const uint32_t *operands = all->s.operands + at->first;
    bool is_sum = function_is_sum((enum function)at->function);
    size_t mate = first + pairs->mate[i - first];
    double sum = count_statement(e, at, operands, known).instructions;
    if (is_sum && at->count > 2 && at->count < 5 && sum > 0)
        sum = is_unit(e, operands[at->count - 1]) || is_unit(e, operands[at->count - 2]) ? CUT_SUM_UNIT : CUT_SUM;
    if (mate == i)
        return sum;
    if (call_cost(e, at->function) > 0)
        sum *= PAIR_OF_CALLS;
    else if (at->function >= CODE_COUNT && !is_sum && at->function != ROW_INVERSE)
        sum *= PAIR_OF_ROWS;
    for (uint32_t d = 0; d < statement_destinations(at); d++)
        sum += all->liveness.stored[i] >> d & all->liveness.stored[mate] >> d & 1 ? SECOND_STORE : 0;
    for (uint32_t k = statement_destinations(at); k < at->count; k++)
        sum += gather_cost(all, pairs, i, mate, k);
    return sum;
}

/* Dynamic and static instruction counts. */
static struct count count_paired(const struct emission *e, const struct slp_regions *all, struct known *known) {
    struct count sum = {0};
    for (size_t r = 0; r < all->regions.count; r++) {
        const struct region *region = &all->regions.list[r];
        const struct slp_pairs *pairs = &all->pairs[r];
        bool loop = region->repeats > 1;
        for (size_t n = 0; n < (loop ? region->period * region->repeats : pairs->ordered); n++) {
            size_t i = region->first + (loop ? n : pairs->order[n]);
            const struct statement *at = &all->s.list[i];
            double own = loop ? count_statement(e, at, all->s.operands + at->first, known).instructions
                              : pair_cost(e, all, pairs, i, region->first, known);
            sum.instructions += own;
            sum.text += n < region->period ? printed_of(e, at, own) : 0;
            note_known(known, at, all->s.operands + at->first);
        }
    }
    return sum;
}

static bool has_pairs(const struct slp_regions *all) {
    for (size_t r = 0; r < all->regions.count; r++)
        for (size_t i = 0; i < all->pairs[r].count; i++)
            if (slp_has(&all->pairs[r], (uint32_t)i))
                return true;
    return false;
}

static struct count count_entry(const struct emission *e, enum kernel_entry entry, struct known *known) {
    const struct statements *s = &e->ir.entry[entry];
    struct regions regions;
    struct count sum = {0};
    regions_find(&regions, s, &e->ir, REGION_OPERANDS);
    known->failed = known->failed || regions.failed;
    memset(known->slot, 0, known->count);
    if (!regions.failed)
        sum = count_plain(e, s, &regions, known);
    regions_release(&regions);
    sum.text = sum.plain_text;
    if (e->paired && has_pairs(&e->pairs[entry])) {
        memset(known->slot, 0, known->count);
        struct count paired = count_paired(e, &e->pairs[entry], known);
        sum.instructions = paired.instructions;
        sum.text = paired.text;
    }
    sum.instructions += s->count > 0 ? ENTRY_BASE : 0;
    return sum;
}

/* ---- the driver, per output, row and entry of J ---- */

/* Rounds without a step. auto: rewinds, repeated elastic programs, restarts, a return. Other methods: a return. A warm
 * start evaluates once more. */
enum { AUTO_ROUNDS = RESTART_LONG + SAMPLE_ELASTIC_PATIENCE + 5, OTHER_ROUNDS = 3 };

static double driver_round(const struct emission *e) {
    const struct plan *p = e->plan;
    bool automatic = p->options.method == HN_METHOD_AUTO;
    double copies = p->options.weighted ? 2 : 1, clip = automatic ? p->clip.slot.count : 0;
    double elastic = automatic ? 45.0 * p->entries + 150.0 * p->rows + 30.0 * p->outputs : 0;
    double judges = emission_drive_judges(e) ? 7.0 * (2.0 * p->outputs + p->rows) : 0;
    return 100 + 2.5 * copies * p->outputs + (p->options.weighted ? 500 : 0) + 45 * clip + elastic + judges;
}

static double driver_call(const struct emission *e) {
    const struct plan *p = e->plan;
    double restarts = p->options.method == HN_METHOD_AUTO ? RESTART_LONG * 700.0 * p->outputs : 0;
    return 400 + 60.0 * p->outputs + 52.0 * p->rows + 60.0 * p->entries + 10.0 * p->inputs + restarts;
}

static const double SHAPED = 30; /* per neuron of a residual or normalised layer */

static struct count count_network(const struct emission *e) {
    struct count sum = {0};
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

/* The second evaluation of the rows, with rounding bounds (rounding_bound.h): once per call of a float file. */
static struct count count_rounding(const struct emission *e) {
    const struct emission_rounding *r = &e->rounding;
    struct count sum = {0};
    if (!r->number)
        return sum;
    for (size_t i = 0; i < r->count; i++) {
        sum.operations += 8;
        sum.instructions += 48 + call_cost(e, r->steps[i].code);
    }
    sum.operations += 10.0 * e->plan->rows;
    sum.instructions += 80 + 42.0 * e->plan->rows + 9.0 * (double)emission_rounding_leaves(e);
    return sum;
}

/* ---- several candidates and refinement, in addition to the corrections of a call ---- */

/* Cost per instruction of an interpreted program, per product of its sums, per copied number, per evaluation. */
static const double PROGRAM_CODE = 33, PROGRAM_TERM = 9, PROGRAM_COPY = 6, PROGRAM_BASE = 100;

/* Cost of an interior-point iteration: per row, per entry of the Jacobian and of the factor, per word of the factor's
 * list, per product of a factor without a list. */
static const double ROW_COST = 700, ENTRY_COST = 38, FACTOR_COST = 33, WORD_COST = 4.3, PRODUCT_COST = 9;

enum { MOST_ITERATIONS = 20 + 1 }; /* REFINE_PROGRAMME, and the start */

/* Static instruction counts for several candidates, and for refinement. */
static const double CANDIDATES_CODE = 3000, REFINE_CODE = 11500;

/* Phases from first on. */
static struct count count_program(const struct emission *e, const struct program *p, int first) {
    struct count sum = {0};
    for (size_t i = p->first[first]; i < p->first[PHASES]; i++) {
        const struct instruction *at = &p->code[i];
        bool is_sum = at->code == CODE_DOT || at->code == CODE_LINEAR;
        double call = call_cost(e, at->code);
        sum.instructions += PROGRAM_CODE + (is_sum ? PROGRAM_TERM * at->b : call);
        sum.operations += is_sum ? 2.0 * at->b : call > 0 ? 20 : 1;
    }
    return sum;
}

/* A quadratic program. */
static struct count count_quadratic(const struct emission *e) {
    const struct refine_places *p = &e->policy.refinement.places;
    const struct damped *system = &p->system;
    double rows = (double)p->task.rows, entries = (double)p->task.first[p->task.rows];
    double factor = FACTOR_COST * (double)system->nonzeros + PRODUCT_COST * system->multiply_adds;
    if (system->kind == FACTOR_LISTED)
        factor = FACTOR_COST * (double)system->nonzeros + WORD_COST * (double)system->words;
    double once = PROGRAM_BASE + ROW_COST * rows + ENTRY_COST * entries + 40.0 * (double)p->task.columns + factor;
    return (struct count){.instructions = MOST_ITERATIONS * once,
                          .operations = MOST_ITERATIONS * (60 * rows + 10 * entries + 2 * system->multiply_adds)};
}

/* All steps of a candidate. The first step solves two quadratic programs because it has no multipliers yet. */
static struct count count_refinement(const struct emission *e) {
    const struct program *program = e->policy.refinement.program;
    struct count all = count_program(e, program, 0), last = count_program(e, program, 2), solve = count_quadratic(e);
    double steps = e->policy.refine, copies = 60.0 * e->plan->outputs + 30.0 * e->plan->rows;
    return (struct count){.instructions = steps * (all.instructions + last.instructions + copies) +
                                          (steps + 1) * solve.instructions,
                          .operations = steps * (all.operations + last.operations) + (steps + 1) * solve.operations};
}

static struct count count_policy(const struct emission *e) {
    if (!emission_has_policy(e))
        return (struct count){0};
    struct count objective = count_program(e, e->policy.objective.alone.program, 0), refined = {0};
    double candidates = (double)e->policy.candidates, steps = e->policy.refine;
    objective.instructions += PROGRAM_BASE + PROGRAM_COPY * (e->plan->inputs + 2.0 * e->plan->outputs);
    if (e->policy.refine > 0)
        refined = count_refinement(e);
    return (struct count){.instructions = candidates * ((1 + steps) * objective.instructions + refined.instructions),
                          .operations = candidates * ((1 + steps) * objective.operations + refined.operations),
                          .text = CANDIDATES_CODE + (e->policy.refine > 0 ? REFINE_CODE : 0)};
}

/* ---- total ---- */

/* Counts of each part; false when out of memory. */
static bool count_parts(const struct emission *e, struct count count[EMISSION_PARTS]) {
    struct known known = {base_allocate(e->ir.slots * sizeof(bool)), e->ir.slots, false};
    if (!known.slot)
        return false;
    for (int i = 0; i < EMISSION_ENTRIES; i++)
        if (emission_entries[i].part != PART_BACK || e->options.adjoint)
            add_count(&count[emission_entries[i].part], count_entry(e, emission_entries[i].entry, &known));
    base_release(known.slot);
    return !known.failed;
}

/* Bytes that are the same for every model: driver, functions, adjoint. Checked by tests/targets/test_sizes.py. */
static double code_of_driver(const struct emission *e) {
    double driver = emission_drive_judges(e) ? 18000 : 11000;
    return driver + (e->options.adjoint ? 2500 : 0) + (e->network ? 1200 : 0);
}

bool emission_cost(struct emission_cost *out, const struct emission *e) {
    const struct sample_options *o = &e->plan->options;
    struct count count[EMISSION_PARTS] = {{0}}, whole = {0}, network = count_network(e), rounding = count_rounding(e),
                 policy = count_policy(e);
    const struct count *evaluate = &count[PART_EVALUATE], *step = &count[PART_STEP];
    struct emission_cost cost = {.fixed = !o->stops};
    if (!count_parts(e, count))
        return false;
    for (int part = 0; part < EMISSION_PARTS; part++)
        add_count(&whole, count[part]);
    cost.rounds = o->iterations + (cost.fixed ? 2 : o->method == HN_METHOD_AUTO ? (int)AUTO_ROUNDS : (int)OTHER_ROUNDS);
    cost.operations = evaluate->operations + step->operations;
    cost.corrections = emission_has_policy(e) ? (double)e->policy.candidates * (1.0 + e->policy.refine) : 1;
    cost.operations_worst = cost.corrections * (cost.rounds * evaluate->operations + o->iterations * step->operations +
                                                count[PART_PREPARE].operations) +
                            network.operations + policy.operations + rounding.operations;
    cost.worst =
        cost.corrections * (cost.rounds * (evaluate->instructions + driver_round(e)) +
                            o->iterations * step->instructions + driver_call(e) + count[PART_PREPARE].instructions) +
        network.instructions + policy.instructions + rounding.instructions;
    cost.code_x86 = 5.2 * whole.text + code_of_driver(e) + policy.text;
    cost.code_arm = (e->options.single ? 4.3 : 5.0) * whole.plain_text + code_of_driver(e) + policy.text;
    *out = cost;
    return true;
}
