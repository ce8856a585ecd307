/* policy_run.h - the candidates of a network, each corrected and refined, and the choice of the best, in an emitted
 * file. The same bits as training/policy.c and nn/refiner.c, which compute batches.
 *
 * Requires POLICY_CANDIDATES, policy_objective_program and its slots; with refinement POLICY_REFINE, the number of
 * steps, and policy_refine_places.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_POLICY_RUN_H
#define HN_CORE_POLICY_RUN_H

#include "base/real.h"
#include "core/candidate_choice.h"
#include "core/program_run.h"
#include "core/solver_run.h"

struct policy {
    struct solver *solver;        /* x, slots and scratch memory of a correction */
    real *y;                      /* outputs of the present candidate */
    real *objective_slots;        /* of policy_objective_program */
    struct solver_tape *tapes[2]; /* of the present candidate and of the best one; NULL: no gradient */
#ifdef POLICY_REFINE
    real *refine_slots, *trial, *multipliers;
#endif
    real objective; /* objective of the best candidate, */
    size_t chosen;  /* and its index */
};

/* Constants come first. */
static void policy_begin(const struct policy_program *program, real *slots, size_t count) {
    for (size_t i = 0; i < count; i++) {
        slots[i] = i < program->constant_count ? program->constants[i] : 0;
        LOOP_STAYS;
    }
}

static real policy_objective_at(const struct policy *p, const real *y) {
    real *slots = p->objective_slots;
    solver_copy(p->solver->x, slots + POLICY_OBJECTIVE_X, layer_plan.inputs);
    solver_copy(y, slots + POLICY_OBJECTIVE_Y, layer_plan.outputs);
    program_run(&policy_objective_program, 0, slots, 1);
    program_run(&policy_objective_program, 1, slots, 1);
    return slots[POLICY_OBJECTIVE];
}

/* y may be the raw output. */
static void policy_correct(const struct policy *p, const real *raw, real *y, struct solver_report *report) {
    p->solver->raw = raw;
    solver_run(p->solver, report);
    solver_copy(p->solver->point.slots + layer_plan.y, y, layer_plan.outputs);
}

#ifdef POLICY_REFINE
static real policy_distance(const real *a, const real *b) {
    real squares = 0;
    for (size_t j = 0; j < layer_plan.outputs; j++)
        squares += (a[j] - b[j]) * (a[j] - b[j]);
    return real_sqrt(squares);
}

static void policy_begin_refine(real *slots, size_t count) {
    const struct refine_places *places = &policy_refine_places;
    policy_begin(&places->program->own, slots, count);
    for (size_t i = 0; i < places->system.constant_count; i++)
        slots[places->system.constants[i].offset] = places->system.constants[i].value;
}

/* One step from y, corrected again, in `trial`. */
static void policy_try_step(const struct policy *p, bool known, real length, struct solver_report *tried) {
    struct refine_sample sample;
    sample.x = p->solver->x;
    sample.y = p->y;
    sample.y_new = p->trial;
    sample.multipliers = p->multipliers;
    sample.known = known;
    sample.length = length;
    refine_group(0, &policy_refine_places, p->refine_slots, &sample, 1);
    policy_correct(p, p->trial, p->trial, tried);
}

static real policy_refine(const struct policy *p, const real *raw, struct solver_report *kept, real objective) {
    real length = 1;
    for (int k = 0; k < POLICY_REFINE; k++) {
        struct solver_report tried;
        policy_try_step(p, k > 0, length, &tried);
        real found = policy_objective_at(p, p->trial);
        bool replaced =
            choice_replaces(tried.outcome == HN_OUTCOME_OK, found, kept->outcome == HN_OUTCOME_OK, objective);
        kept->iterations += tried.iterations;
        length = choice_next_length(length, replaced);
        if (!replaced)
            continue;
        kept->outcome = tried.outcome;
        kept->violation = tried.violation;
        kept->worst = tried.worst;
        objective = found;
        solver_copy(p->trial, p->y, layer_plan.outputs);
    }
    kept->moved = policy_distance(p->y, raw);
    return objective;
}
#endif

/* Candidate k, the present one, becomes the best. */
static void policy_take(struct policy *p, size_t k, real objective, real *y) {
    struct solver_tape *tape = p->tapes[0];
    p->objective = objective;
    p->chosen = k;
    p->tapes[0] = p->tapes[1];
    p->tapes[1] = tape;
    solver_copy(p->y, y, layer_plan.outputs);
}

/* Corrects and refines one raw output; returns its objective, y and the report. */
static real policy_candidate(const struct policy *p, const real *raw, real *warm, struct solver_report *report) {
    p->solver->warm = warm;
    p->solver->tape = p->tapes[0];
    policy_correct(p, raw, p->y, report);
    real objective = policy_objective_at(p, p->y);
#ifdef POLICY_REFINE
    p->solver->warm = 0; /* a trial is not an output */
    objective = policy_refine(p, raw, report, objective);
#endif
    return objective;
}

/* raw and warm: a row per candidate; warm may be NULL. */
static void policy_run(struct policy *p, const real *raw, real *warm, real *y, struct solver_report *best) {
    real objective = policy_candidate(p, raw, warm, best);
    policy_take(p, 0, objective, y);
    for (size_t k = 1; k < POLICY_CANDIDATES; k++) {
        size_t row = k * layer_plan.outputs;
        struct solver_report own;
        objective = policy_candidate(p, raw + row, warm ? warm + row : 0, &own);
        if (choice_is_better(own.outcome == HN_OUTCOME_OK, objective, best->outcome == HN_OUTCOME_OK, p->objective)) {
            policy_take(p, k, objective, y);
            *best = own;
        }
    }
}

#endif
