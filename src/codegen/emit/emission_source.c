/* emission_source.c - NAME.c: texts of the library, the layer's data and statements, and the functions of the header.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

/* ---- the head of the file ---- */

/* A header and a source of different runs must not be compiled together: their workspaces may differ in size. */
static void print_head(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "/* @.c - made by hardnet emit %s; see @.h. Most of it is text of the library, with its comments. MIT "
                 "licence. */\n"
                 "#include \"@.h\"\n\n#include <float.h>\n#include <stdbool.h>\n#include <stddef.h>\n"
                 "#include <stdint.h>\n"
                 "\n#if !defined(^_PAIR) || (^_PAIR != " EMIT_NO_PAIR ")\n"
                 "#error \"@.h and @.c are from different runs of hardnet emit: emit both again\"\n#endif\n",
                 hn_version());
    text_add(out, "%s%s%s#include \"core/emitted_target.h\"\n#include \"base/real.h\"\n",
             e->options.single ? "#define REAL_SINGLE\n" : "", e->options.libm ? "#define REAL_LIBM\n" : "",
             emission_drive_judges(e) ? "#define SOLVER_JUDGES\n" : "");
    if (e->rounding.number)
        emission_add(e, out, "typedef struct @_rounded rounded_number;\n");
}

/* ---- lists of the public headers used by the decisions ---- */

#define LIST_ENTRY(name, text) text_add(out, "    " #name ",\n");

void emission_print_lists(const struct emission *e, struct text *out) {
    text_add(out, "\ntypedef enum hn_outcome {\n");
    HN_OUTCOME_LIST(LIST_ENTRY)
    text_add(out, "} hn_outcome;\n\nenum {\n");
    HN_METHOD_LIST(LIST_ENTRY)
    text_add(out, "};\n");
    if (!e->network)
        return;
    text_add(out, "\ntypedef enum hn_activation {\n");
    HN_ACTIVATION_LIST(LIST_ENTRY)
    text_add(out, "} hn_activation;\n");
}

/* ---- operators as a C function, for texts that interpret programs (core/program_run.h) ---- */

static void print_case(struct text *out, const bool *used, int code, const char *meaning) {
    if (!used || used[code])
        text_add(out, "    case %d:\n        return %s;\n", code, meaning);
}

#define PRINT_OPERATOR(name, text, arguments, meaning) print_case(out, used, (int)(OP_##name), #meaning);
#define PRINT_FUSED(name, text, meaning)               print_case(out, used, (int)(CODE_##name), #meaning);

void emission_print_operators(struct text *out, const bool *used) {
    text_add(out, "\nenum { PROGRAM_DOT = %d, PROGRAM_LINEAR = %d, PROGRAM_SINCOS = %d };\n", (int)CODE_DOT,
             (int)CODE_LINEAR, (int)CODE_SINCOS);
    text_add(out, "\nstatic real program_operator(uint32_t code, real a, real b, real c) {\n"
                  "    (void)a;\n    (void)b;\n    (void)c;\n    switch (code) {\n");
    OPERATOR_LIST(PRINT_OPERATOR)
    FUSED_LIST(PRINT_FUSED)
    text_add(out, "    default:\n        return REAL_NAN;\n    }\n}\n");
}

/* ---- elementary functions: the families that are needed ---- */

/* exp, log, sin and cos are always included: the random numbers of restarts need them. */
struct families {
    bool arc, hyperbolic;
};

static void add_operator(struct families *f, uint32_t code) {
    uint8_t family = code < OP_COUNT ? operator_traits_of((enum op)code)->family : FAMILY_BASIC;
    f->arc |= family == FAMILY_ARC;
    f->hyperbolic |= family == FAMILY_HYPERBOLIC;
}

static struct families find_families(const struct emission *e) {
    struct families f = {.arc = false};
    const struct plan_program *program = &e->plan->program;
    for (uint32_t i = 0; i < program->first[e->options.adjoint ? 3 : 2]; i++)
        add_operator(&f, plan_code(e->plan)[i].code);
    for (uint32_t code = 0; code < CODE_COUNT; code++)
        if (e->policy.used[code])
            add_operator(&f, code);
    f.hyperbolic = f.hyperbolic || e->network;
    if (e->plan->tape_numbers > 0) /* a search interprets other programs */
        f.arc = f.hyperbolic = true;
    return f;
}

static void print_families(const struct emission *e, struct text *out) {
    const struct families f = find_families(e);
    text_add(out, "#include \"base/elementary_exponential.h\"\n%s#include \"base/elementary_circle.h\"\n",
             e->options.single ? "" : "#include \"base/reduce.c\"\n");
    if (f.arc)
        text_add(out, "#include \"base/elementary_arc.h\"\n");
    if (f.hyperbolic)
        text_add(out, "#include \"base/elementary_hyperbolic.h\"\n");
}

static const char row_functions[] = "#include \"linalg/pivot_kernel.h\"\n"
                                    "#include \"cpu/row_values_kernel.h\"\n"
                                    "#include \"codegen/kernel/row_functions_kernel.h\"\n";

/* The elementary functions and the row and pivot functions over vectors of two. */
static void print_two(const struct emission *e, struct text *out) {
    text_add(out, "\n#ifdef PAIRS\n#include \"core/simd2_begin.h\"\n");
    if (!e->options.libm)
        print_families(e, out);
    text_add(out, "%s#include \"core/simd2_end.h\"\n#endif\n", row_functions);
}

void emission_print_elementary(const struct emission *e, struct text *out) {
    text_add(out, "#include \"core/scalar.h\"\n#include \"%s.h\"\n",
             e->options.libm ? "core/libm_math" : "base/simd_pair");
    if (!e->options.libm)
        print_families(e, out);
}

/* ---- the gradient ---- */

/* Steps of one tape. An array has at least one element. */
static size_t tape_steps(const struct emission *e) {
    return e->plan->tape_steps > 0 ? e->plan->tape_steps : 1;
}

size_t emission_tape_steps(const struct emission *e) {
    return (emission_has_policy(e) ? 2 : 1) * tape_steps(e); /* of the current and of the best candidate */
}

static void print_tape(const struct emission *e, struct text *out) {
    emission_add(
        e, out,
        "\nstatic void work_tape(struct @_work *work, struct solver_tape *tape) {\n    tape->eps = work->tape_eps;\n"
        "    tape->kind = work->tape_kind;\n    tape->iterate = work->tape_y;\n    tape->room = %u;\n"
        "    tape->width = 1;\n    tape->head.way = work->tape_head[0];\n"
        "    tape->head.steps = work->tape_head[1];\n    tape->head.attempt = work->tape_head[2];\n"
        "    tape->head.unused = 0;\n}\n"
        "\nstatic void work_keep(struct @_work *work, const struct tape_head *head, hn_outcome outcome) {\n"
        "    work->tape_head[0] = head->way;\n    work->tape_head[1] = head->steps;\n"
        "    work->tape_head[2] = head->attempt;\n    work->outcome = (int32_t)outcome;\n}\n",
        e->plan->tape_steps);
    if (emission_has_policy(e))
        emission_add(
            e, out,
            "\n/* The second tape is behind the first. */\n"
            "static void tape_shift(struct solver_tape *tape) {\n    tape->eps += %zu;\n    tape->kind += "
            "%zu;\n"
            "    tape->iterate += %zu;\n}\n"
            "\nstatic void work_tapes(struct @_work *work, struct solver_tape tapes[2]) {\n"
            "    work_tape(work, &tapes[0]);\n    work_tape(work, &tapes[1]);\n    tape_shift(&tapes[1]);\n}\n",
            tape_steps(e), tape_steps(e), tape_steps(e) * e->plan->outputs);
}

/* The arrays that the layers of the network use alternately. */
static void print_turns(const struct emission *e, struct text *out) {
    if (e->network)
        text_add(out, emission_network_is_shaped(e)
                          ? "    real *const turns[3] = {work->turn_1, work->turn_2, work->turn_3};\n"
                          : "    real *const turns[2] = {work->turn_1, work->turn_2};\n");
}

static const char layer_members[] =
    "    d.plan = &layer_plan;\n    d.options = &layer_plan.options;\n"
    "    d.point.plan = &layer_plan;\n    d.point.slots = work->slots;\n    d.point.width = 1;\n    d.x = x;\n";

/* With several candidates: the gradient of the selected one, within the gradient of all network outputs. */
static void print_gradient(const struct emission *e, struct text *out) {
    bool policy = emission_has_policy(e);
    emission_add(
        e, out,
        "\nint @_gradient(struct @_work *work, const @_real x[], const @_real grad_y[], @_real grad_y_raw[],\n"
        "    @_real grad_x[]) {\n    struct solver d;\n    struct solver_tape tape;\n    struct solver_back back;\n");
    print_turns(e, out);
    text_add(out,
             "    real *const raw = work->raw%s;\n    work_tape(work, &tape);\n%s"
             "    d.raw = d.fallback = 0;\n    d.warm = 0;\n    d.row = work->row;\n    d.tape = &tape;\n"
             "    back.grad_y = grad_y;\n    back.grad_raw = raw;\n    back.grad_x = grad_x;\n"
             "    back.grad_lower = back.grad_upper = back.grad_weights = 0;\n    back.from_start = false;\n%s"
             "    bool whole = solver_gradient(&d, &back);\n",
             policy ? " + (size_t)work->chosen * layer_plan.outputs" : "", layer_members,
             policy ? "    for (size_t i = 0; i < sizeof work->raw / sizeof work->raw[0]; i++) {\n"
                      "        work->raw[i] = 0;\n        LOOP_STAYS;\n    }\n"
                      "    if (work->tape_kept)\n        tape_shift(&tape);\n"
                    : "");
    if (e->network)
        text_add(out, "    if (grad_x)\n        network_pull(x, work->raw, grad_x, %s, turns);\n",
                 e->hidden > 0 ? "work->hidden" : "work->turn_1");
    text_add(out, "    if (grad_y_raw)\n        solver_copy(raw, grad_y_raw, layer_plan.outputs);\n"
                  "    return whole && work->outcome == (int32_t)HN_OUTCOME_OK ? 0 : 1;\n}\n");
}

/* ---- the functions of the header ---- */

/* In float files the verdict on the y in the slots includes the rounding bound. */
static void print_rounding_verdict(const struct emission *e, struct text *out) {
    if (!e->options.single)
        return;
    text_add(out, "    most = rounding_finish(work->slots, work->rounded, layer_plan.options.relative != 0, ");
    emission_number(e, out, e->plan->options.tolerance);
    text_add(out, ", &own);\n");
}

/* One correction, from the raw output in the workspace to y. */
static void print_run(const struct emission *e, struct text *out) {
    text_add(out,
             "    d.warm = work->warm_start ? work->warm : 0;\n%s"
             "    solver_run(&d, &own);\n    solver_copy(work->slots + layer_plan.y, y, layer_plan.outputs);\n",
             e->options.adjoint ? "    work_tape(work, &tape);\n    d.tape = &tape;\n" : "    d.tape = 0;\n");
    print_rounding_verdict(e, out);
    if (e->options.adjoint)
        text_add(out, "    work_keep(work, &tape.head, own.outcome);\n");
}

/* The correction of every candidate, with its refinement steps. */
static void print_policy_run(const struct emission *e, struct text *out) {
    emission_print_policy_run(e, out);
    print_rounding_verdict(e, out);
    if (e->options.adjoint)
        text_add(out, "    work_keep(work, &policy.tapes[1]->head, own.outcome);\n"
                      "    work->tape_kept = policy.tapes[1] == &tapes[1];\n"
                      "    work->chosen = (int32_t)policy.chosen;\n");
}

static void print_solve(const struct emission *e, struct text *out) {
    bool policy = emission_has_policy(e);
    emission_add(e, out,
                 "\nint @_solve(struct @_work *work, const @_real x[], @_real y[], @_report *report) {\n"
                 "    struct solver d;\n    struct solver_report own;\n%s%s%s",
                 !e->options.adjoint ? ""
                 : policy            ? "    struct solver_tape tapes[2];\n"
                                     : "    struct solver_tape tape;\n",
                 policy ? "    struct policy policy;\n" : "", e->options.single ? "    real most;\n" : "");
    print_turns(e, out);
    text_add(out, "%s    d.raw = work->raw;\n    d.fallback = 0;\n    d.row = work->row;\n%s", layer_members,
             e->network ? "    network_run(x, work->raw, turns);\n"
                        : "    solver_copy(y, work->raw, layer_plan.outputs);\n");
    if (policy)
        print_policy_run(e, out);
    else
        print_run(e, out);
    text_add(out,
             "    if (report) {\n        report->outcome = (int32_t)own.outcome;\n"
             "        report->iterations = (int32_t)own.iterations;\n        report->steps = (int32_t)own.steps;\n"
             "        report->worst = own.worst == SIZE_MAX ? -1 : (int32_t)own.worst;\n"
             "        report->culprit = own.culprit == SIZE_MAX ? -1 : (int32_t)own.culprit;\n"
             "        report->violation_before = own.violation_before;\n        report->violation = own.violation;\n"
             "        report->moved = own.moved;\n        report->damping = own.damping;\n%s%s    }\n"
             "    return (int)own.outcome;\n}\n",
             e->options.single ? "        report->violation_most = most;\n" : "",
             policy ? "        report->candidate = (int32_t)policy.chosen;\n"
                      "        report->objective = policy.objective;\n"
                    : "");
}

void emission_print_set(const struct emission *e, struct text *out, const char *array, size_t i, double value) {
    text_add(out, "    work->%s[%zu] = ", array, i);
    emission_number(e, out, value);
    text_add(out, ";\n");
}

static void print_constants(const struct emission *e, struct text *out) {
    const struct plan *p = e->plan;
    const double *numbers = plan_numbers(p, p->program.constants), *value = plan_numbers(p, p->system.constant_value);
    const uint32_t *slot = plan_words(p, p->system.constant_slot);
    for (uint32_t i = 0; i < p->program.constants.count; i++)
        emission_print_set(e, out, "slots", i, numbers[i]);
    for (uint32_t i = 0; i < p->system.constant_slot.count; i++)
        emission_print_set(e, out, "slots", slot[i], value[i]);
}

#define LIST_TEXT(id, text) text_add(out, "\"" text "\", ");

static void print_init(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "\nvoid @_init(struct @_work *work) {\n"
                 "    for (size_t i = 0; i < sizeof work->slots / sizeof work->slots[0]; i++) {\n"
                 "        work->slots[i] = 0;\n        LOOP_STAYS;\n    }\n"
                 "    for (size_t i = 0; i < sizeof work->warm / sizeof work->warm[0]; i++) {\n"
                 "        work->warm[i] = 0;\n        LOOP_STAYS;\n    }\n    work->warm_start = 0;\n");
    print_constants(e, out);
    if (emission_has_policy(e))
        emission_print_policy_init(e, out);
    emission_add(e, out,
                 "}\n\nvoid @_start(struct @_work *work, const @_real x[], @_real y[]) {\n"
                 "    solver_copy(x, work->slots + layer_plan.x, layer_plan.inputs);\n    entry_prepare(work->slots);\n"
                 "    for (size_t j = 0; j < layer_plan.outputs; j++)\n"
                 "        y[j] = work->slots[plan_words(&layer_plan, layer_plan.start)[j]];\n}\n"
                 "\nconst char *@_outcome_text(int outcome) {\n    static const char *const texts[] = {");
    HN_OUTCOME_LIST(LIST_TEXT)
    text_add(out, "};\n    return outcome >= 0 && outcome < (int)(sizeof texts / sizeof texts[0]) ? texts[outcome] : "
                  "\"unknown\";\n}\n");
}

/* ---- names and vector shapes for core/casadi_external.h ---- */

/* A dense column in compressed column format: rows, columns, column starts, row indices. */
static void print_shape(struct text *out, const char *name, size_t rows) {
    enum { PER_LINE = 20 };
    text_add(out, "static const casadi_int %s[] = {%zu, 1, 0, %zu,", name, rows, rows);
    for (size_t i = 0; i < rows; i++)
        text_add(out, "%s%zu,", i % PER_LINE ? " " : "\n    ", i);
    text_add(out, "};\n");
}

static void print_casadi(const struct emission *e, struct text *out) {
    emission_add(e, out,
                 "\n#ifndef casadi_real\n#define casadi_real double\n#endif\n#ifndef casadi_int\n"
                 "#define casadi_int long long int\n#endif\n#define EXTERNAL(suffix) @##suffix\n"
                 "#define EXTERNAL_BACK(suffix) adj1_@##suffix\n#define EXTERNAL_RAW %d\n\n",
                 e->network ? 0 : 1);
    print_shape(out, "external_of_inputs", e->plan->inputs);
    print_shape(out, "external_of_outputs", e->plan->outputs);
    text_add(out, "#include \"core/casadi_external.h\"\n");
}

/* ---- the source file ---- */

void emission_print_sample(struct text *out) {
    text_add(out, "#include \"core/sample.h\"\n"
                  "#include \"core/summary.h\"\n"
                  "#include \"core/emitted_plan.h\"\n");
}

void emission_print_points(struct text *out) {
    text_add(out, "#include \"base/random_state.h\"\n"
                  "#include \"base/random_core.h\"\n"
                  "#include \"core/point.h\"\n"
                  "#include \"core/point_elastic.h\"\n");
}

void emission_print_drive(const struct emission *e, struct text *out) {
    text_add(out, "%s#include \"core/entry_slots.h\"\n", row_functions);
    if (e->paired)
        print_two(e, out);
    emission_print_entries(e, out);
    text_add(out, "#include \"core/solver_run.h\"\n");
    if (e->rounding.number)
        emission_print_rounding(e, out);
    if (e->options.adjoint)
        text_add(out, "#include \"core/solver_run_adjoint.h\"\n");
}

static void print_root(const struct emission *e, struct text *out) {
    print_head(e, out);
    emission_print_lists(e, out);
    emission_print_elementary(e, out);
    text_add(out, "#include \"core/one_plan.h\"\n#define SOLVER_EVEN 1\n");
    emission_print_sample(out);
    emission_print_plan(e, "static const struct plan layer_plan", out);
    emission_print_points(out);
    emission_print_drive(e, out);
    if (e->network) {
        text_add(out, "#include \"core/activation_kernel.h\"\n");
        if (emission_network_is_shaped(e))
            text_add(out, "#include \"core/normalize.h\"\n");
        emission_print_network(e, out);
        text_add(out, "#include \"core/mlp.h\"\n");
        if (e->options.adjoint)
            text_add(out, "#include \"core/mlp_adjoint.h\"\n");
    }
    if (emission_has_policy(e))
        emission_print_policy(e, out);
    print_init(e, out);
    if (e->options.adjoint)
        print_tape(e, out);
    print_solve(e, out);
    if (e->options.adjoint)
        print_gradient(e, out);
    if (e->options.casadi)
        print_casadi(e, out);
}

void emission_print_source(const struct emission *e, struct text *out) {
    struct text root = {.bytes = NULL};
    print_root(e, &root);
    flatten(out, &root);
    text_drop(&root);
}
