/* emission_policy.c - several candidates and refinement steps: what they add to the workspace and to the functions of the source.
 *
 * The objective and the quadratic programs of refinement run from lists (emission_policy_lists.c), with the kernels of the library for
 * one sample.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "codegen/emit/emission.h"

#include <float.h>
#include <math.h>

/* ---- programs ---- */

static void note_codes(struct emission_policy *p, const struct program *program) {
    for (size_t i = 0; i < program->first[PHASES]; i++)
        p->used[program->code[i].code] = true;
}

static const double *find_unfit(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (isfinite(numbers[i]) && numbers[i] != 0 && !(fabs(numbers[i]) <= FLT_MAX && fabs(numbers[i]) >= FLT_MIN))
            return &numbers[i];
    return NULL;
}

static hn_status check_program(const struct emission *e, const struct program *program, hn_error *error) {
    const double *unfit = find_unfit(program->constants, program->constant_count);
    for (size_t i = 0; i < program->coefficient_count; i++)
        if (!isfinite(program->coefficients[i]))
            return error_set(error, HN_UNSUPPORTED, "the objective has a coefficient that is not finite");
    if (!unfit)
        unfit = find_unfit(program->coefficients, program->coefficient_count);
    if (!e->options.single || !unfit)
        return HN_OK;
    return error_set(error, HN_UNSUPPORTED, "the objective's constant %s does not fit a float: emit it in double",
                     error_number(*unfit).text);
}

static hn_status create_refinement(struct emission *e, hn_error *error) {
    struct emission_policy *p = &e->policy;
    hn_status status = refine_plan_create(&p->refinement, e->model, 1, error);
    if (status == HN_OK)
        status = check_program(e, p->refinement.program, error);
    if (status == HN_OK)
        note_codes(p, p->refinement.program);
    return status;
}

hn_status emission_policy_create(struct emission *e, hn_error *error) {
    struct emission_policy *p = &e->policy;
    if (!emission_has_policy(e))
        return HN_OK;
    if (!hn_model_objective(e->model).name)
        return error_about(error, HN_INVALID, error_argument("model"), "the model has no objective: %s need one",
                           p->candidates > 1 ? "candidates" : "refinement steps");
    p->objective = (struct loss){.stride = 1};
    hn_status status = loss_compile_objective(&p->objective, e->model, error);
    if (status == HN_OK)
        status = check_program(e, p->objective.alone.program, error);
    if (status == HN_OK)
        note_codes(p, p->objective.alone.program);
    return status == HN_OK && p->refine > 0 ? create_refinement(e, error) : status;
}

void emission_policy_release(struct emission *e) {
    loss_release(&e->policy.objective);
    refine_plan_release(&e->policy.refinement);
}

/* ---- the workspace ---- */

/* An array has one element at least. */
static size_t multipliers(const struct emission *e) {
    return e->plan->rows > 0 ? e->plan->rows : 1;
}

size_t emission_policy_numbers(const struct emission *e) {
    const struct emission_policy *p = &e->policy;
    size_t outputs = e->plan->outputs;
    if (!emission_has_policy(e))
        return 0;
    size_t refinement = p->refine > 0 ? p->refinement.slots + outputs + multipliers(e) : 0;
    return 2 * (p->candidates - 1) * outputs + outputs + p->objective.alone.program->slots + refinement;
}

void emission_print_policy_work(const struct emission *e, struct text *out) {
    const struct emission_policy *p = &e->policy;
    const char *name = e->options.name;
    text_add(out, "    %s_real candidate[%s_OUTPUTS], objective[%zu];\n", name, name,
             p->objective.alone.program->slots);
    if (p->refine > 0)
        text_add(out, "    %s_real refine[%zu], trial[%s_OUTPUTS], multipliers[%zu];\n", name, p->refinement.slots,
                 name, multipliers(e));
}

/* ---- the source ---- */

void emission_print_policy(const struct emission *e, struct text *out) {
    const struct loss_objective *alone = &e->policy.objective.alone;
    text_add(out, "#include \"core/program_lists.h\"\n");
    emission_print_operators(out, e->policy.used);
    text_add(out, "#include \"core/program_run.h\"\n"
                  "#include \"core/candidate_choice.h\"\n");
    if (e->policy.refine > 0)
        text_add(out, "#include \"core/refine_slots.h\"\n#include \"linalg/damped_kernel.h\"\n"
                      "#include \"core/barrier_kernel.h\"\n#include \"core/refine_qp.h\"\n");
    emission_print_policy_lists(e, out);
    text_add(out, "\nenum { POLICY_OBJECTIVE = %u, POLICY_OBJECTIVE_X = %u, POLICY_OBJECTIVE_Y = %u };\n",
             alone->objective, alone->x, alone->y);
    text_add(out, "#define POLICY_CANDIDATES %zu\n", e->policy.candidates);
    if (e->policy.refine > 0)
        text_add(out, "#define POLICY_REFINE %d\n", e->policy.refine);
    text_add(out, "#include \"core/policy_run.h\"\n");
}

/* Infinity and NaN are no constant expressions of C. */
static void print_special(const struct emission *e, const struct program *program, const char *slots,
                          struct text *out) {
    for (size_t i = 0; i < program->constant_count; i++)
        if (!isfinite(program->constants[i])) {
            text_add(out, "    work->%s[%zu] = ", slots, i);
            emission_number(e, out, program->constants[i]);
            text_add(out, ";\n");
        }
}

void emission_print_policy_init(const struct emission *e, struct text *out) {
    const struct program *objective = e->policy.objective.alone.program;
    text_add(out, "    policy_begin(&policy_objective_program, work->objective, %zu);\n", objective->slots);
    print_special(e, objective, "objective", out);
    if (e->policy.refine > 0) {
        text_add(out, "    policy_begin_refine(work->refine, %zu);\n", e->policy.refinement.slots);
        print_special(e, e->policy.refinement.program, "refine", out);
    }
    if (e->options.adjoint)
        text_add(out, "    work->tape_kept = 0;\n    work->chosen = 0;\n");
}

/* From the network's output to y. */
void emission_print_policy_run(const struct emission *e, struct text *out) {
    text_add(
        out,
        "    policy.solver = &d;\n    policy.y = work->candidate;\n    policy.objective_slots = work->objective;\n");
    text_add(out, e->options.adjoint ? "    work_tapes(work, tapes);\n    policy.tapes[0] = &tapes[0];\n"
                                       "    policy.tapes[1] = &tapes[1];\n"
                                     : "    policy.tapes[0] = policy.tapes[1] = 0;\n");
    if (e->policy.refine > 0)
        text_add(out, "    policy.refine_slots = work->refine;\n    policy.trial = work->trial;\n"
                      "    policy.multipliers = work->multipliers;\n");
    text_add(out, "    policy_run(&policy, work->raw, work->warm_start ? work->warm : 0, y, &own);\n");
    if (e->options.single) /* the slots hold the last trial */
        text_add(out, "    solver_copy(y, work->slots + layer_plan.y, layer_plan.outputs);\n");
    emission_print_rounding_verdict(e, out);
    if (e->options.adjoint)
        text_add(out, "    work_keep(work, &policy.tapes[1]->head, own.outcome);\n"
                      "    work->tape_kept = policy.tapes[1] == &tapes[1];\n"
                      "    work->chosen = (int32_t)policy.chosen;\n");
}
