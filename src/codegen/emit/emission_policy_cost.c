/* emission_policy_cost.c - what several candidates and refinement steps cost beyond the corrections of a call.
 *
 * Instructions are a bound for x86-64 and gcc -O2, as in emission_cost.c, fitted to what callgrind counts on the models that ship, and
 * raised: of an instruction of a program that is run from its list, and of rows, entries and lists of a quadratic program.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

/* Of an instruction of a program, of a product of its sums, of a number that is copied, of an evaluation. */
static const double PROGRAM_CODE = 33, PROGRAM_TERM = 9, PROGRAM_COPY = 6, PROGRAM_BASE = 100;

/* Of an iteration of the interior-point method: of a row, of an entry of the Jacobian and of the factor, of a word of the factor's list, of
 * a product of a factor without such a list. */
static const double ROW_COST = 700, ENTRY_COST = 38, FACTOR_COST = 33, WORD_COST = 4.3, PRODUCT_COST = 9;

enum { MOST_ITERATIONS = 20 + 1 }; /* REFINE_PROGRAMME, and the start */

/* Of the text: what is printed for several candidates, and for refinement. */
static const double CANDIDATES_CODE = 3000, REFINE_CODE = 11500;

struct policy_cost_sum {
    double instructions, operations;
};

/* Phases from first on. */
static struct policy_cost_sum run_program(const struct emission *e, const struct program *p, int first) {
    struct policy_cost_sum sum = {0, 0};
    for (size_t i = p->first[first]; i < p->first[PHASES]; i++) {
        const struct instruction *at = &p->code[i];
        bool is_sum = at->code == CODE_DOT || at->code == CODE_LINEAR;
        double call = emission_call_cost(e, at->code);
        sum.instructions += PROGRAM_CODE + (is_sum ? PROGRAM_TERM * at->b : call);
        sum.operations += is_sum ? 2.0 * at->b : call > 0 ? 20 : 1;
    }
    return sum;
}

static struct policy_cost_sum run_objective(const struct emission *e) {
    struct policy_cost_sum sum = run_program(e, e->policy.objective.alone.program, 0);
    sum.instructions += PROGRAM_BASE + PROGRAM_COPY * (e->plan->inputs + 2.0 * e->plan->outputs);
    return sum;
}

/* A quadratic program. */
static struct policy_cost_sum solve_program(const struct emission *e) {
    const struct refine_places *p = &e->policy.refinement.places;
    const struct damped *system = &p->system;
    double rows = (double)p->task.rows, entries = (double)p->task.first[p->task.rows];
    double factor = FACTOR_COST * (double)system->nonzeros + PRODUCT_COST * system->multiply_adds;
    if (system->kind == FACTOR_LISTED)
        factor = FACTOR_COST * (double)system->nonzeros + WORD_COST * (double)system->words;
    double once = PROGRAM_BASE + ROW_COST * rows + ENTRY_COST * entries + 40.0 * (double)p->task.columns + factor;
    return (struct policy_cost_sum){MOST_ITERATIONS * once,
                                    MOST_ITERATIONS * (60 * rows + 10 * entries + 2 * system->multiply_adds)};
}

/* All steps of a candidate: the first solves two quadratic programs, because multipliers are not known yet. */
static struct policy_cost_sum refine(const struct emission *e) {
    const struct program *program = e->policy.refinement.program;
    struct policy_cost_sum all = run_program(e, program, 0), last = run_program(e, program, 2),
                           solve = solve_program(e);
    double steps = e->policy.refine, copies = 60.0 * e->plan->outputs + 30.0 * e->plan->rows;
    return (struct policy_cost_sum){steps * (all.instructions + last.instructions + copies) +
                                        (steps + 1) * solve.instructions,
                                    steps * (all.operations + last.operations) + (steps + 1) * solve.operations};
}

struct policy_cost emission_policy_cost(const struct emission *e) {
    struct policy_cost_sum refined = {0, 0};
    if (!emission_has_policy(e))
        return (struct policy_cost){0, 0, 0};
    struct policy_cost_sum objective = run_objective(e);
    double candidates = (double)e->policy.candidates, steps = e->policy.refine;
    if (e->policy.refine > 0)
        refined = refine(e);
    return (struct policy_cost){candidates * ((1 + steps) * objective.instructions + refined.instructions),
                                candidates * ((1 + steps) * objective.operations + refined.operations),
                                CANDIDATES_CODE + (e->policy.refine > 0 ? REFINE_CODE : 0)};
}
