/* emission_source.c - NAME.c: texts of the library, the layer's data and statements, and the functions of the header.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

#include <math.h>
#include <stdio.h>

void emission_number(const struct emission *e, struct text *out, double value) {
    const char *suffix = e->options.single ? "f" : "";
    if (isnan(value))
        text_add(out, "REAL_NAN");
    else if (isinf(value))
        text_add(out, "%sREAL_INFINITY", value < 0 ? "-" : "");
    else if (e->options.single)
        text_add(out, "%af", (double)(float)value);
    else
        text_add(out, "%a%s", value, suffix);
}

/* ---- the head ---- */

static void print_precision(const struct emission *e, struct text *out) {
    text_add(out, "%s%s%s#include \"core/emitted_target.h\"\n#include \"base/real.h\"\n",
             e->options.single ? "#define REAL_SINGLE\n" : "", e->options.libm ? "#define REAL_LIBM\n" : "",
             emission_drive_judges(e) ? "#define SOLVER_JUDGES\n" : "");
    if (e->rounding.number)
        text_add(out, "typedef struct %s_rounded rounded_number;\n", e->options.name);
}

/* A header and a source of different runs must not be compiled together: the workspace of one may be too small for the other. */
static void print_pair(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out, "\n#if !defined(");
    emission_print_upper(out, name);
    text_add(out, "_PAIR) || (");
    emission_print_upper(out, name);
    text_add(out,
             "_PAIR != " EMIT_NO_PAIR ")\n"
             "#error \"%s.h and %s.c are from different runs of hardnet emit: emit both again\"\n#endif\n",
             name, name);
}

static void emission_source_print_head(const struct emission *e, struct text *out) {
    text_add(
        out,
        "/* %s.c - made by hardnet emit %s; see %s.h. Most of it is text of the library, with its comments. MIT "
        "licence. */\n"
        "#include \"%s.h\"\n\n#include <float.h>\n#include <stdbool.h>\n#include <stddef.h>\n#include <stdint.h>\n",
        e->options.name, hn_version(), e->options.name, e->options.name);
    print_pair(e, out);
    print_precision(e, out);
}

/* ---- lists of the public headers that the decisions name ---- */

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

/* ---- elementary functions: the families that are needed ---- */

/* exp, log, sin and cos are always there: the random numbers of restarts need them. */
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
    if (e->plan->tape_numbers > 0) /* a search runs programs of its own */
        f.arc = f.hyperbolic = true;
    return f;
}

static void print_own_functions(const struct emission *e, struct text *out) {
    struct families f = find_families(e);
    text_add(out, "#include \"base/elementary_exponential.h\"\n");
    if (!e->options.single)
        text_add(out, "#include \"base/reduce.c\"\n");
    text_add(out, "#include \"base/elementary_circle.h\"\n");
    if (f.arc)
        text_add(out, "#include \"base/elementary_arc.h\"\n");
    if (f.hyperbolic)
        text_add(out, "#include \"base/elementary_hyperbolic.h\"\n");
}

static const char row_functions[] = "#include \"linalg/pivot_kernel.h\"\n"
                                    "#include \"cpu/row_values_kernel.h\"\n"
                                    "#include \"codegen/kernel/row_functions_kernel.h\"\n";

/* The same, and what rows and pivots are made of, over vectors of two. */
static void print_two(const struct emission *e, struct text *out) {
    text_add(out, "\n#ifdef PAIRS\n#include \"core/simd2_begin.h\"\n");
    if (!e->options.libm)
        print_own_functions(e, out);
    text_add(out, "%s#include \"core/simd2_end.h\"\n#endif\n", row_functions);
}

void emission_print_elementary(const struct emission *e, struct text *out) {
    text_add(out, "#include \"core/scalar.h\"\n");
    if (e->options.libm) {
        text_add(out, "#include \"core/libm_math.h\"\n");
        return;
    }
    text_add(out, "#include \"base/simd_pair.h\"\n");
    print_own_functions(e, out);
}

/* ---- the header's functions ---- */

/* In floats: the verdict counts what rounding may hide at the y in the slots. */
void emission_print_rounding_verdict(const struct emission *e, struct text *out) {
    if (!e->options.single)
        return;
    text_add(out, "    most = rounding_finish(work->slots, work->rounded, layer_plan.options.relative != 0, ");
    emission_number(e, out, e->plan->options.tolerance);
    text_add(out, ", &own);\n");
}

/* One correction, from the raw output in the workspace to y. */
static void print_run(const struct emission *e, struct text *out) {
    text_add(out, "    d.warm = work->warm_start ? work->warm : 0;\n");
    text_add(out, e->options.adjoint ? "    work_tape(work, &tape);\n    d.tape = &tape;\n" : "    d.tape = 0;\n");
    text_add(out, "    solver_run(&d, &own);\n    solver_copy(work->slots + layer_plan.y, y, layer_plan.outputs);\n");
    emission_print_rounding_verdict(e, out);
    if (e->options.adjoint)
        text_add(out, "    work_keep(work, &tape.head, own.outcome);\n");
}

static void print_solve(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    bool policy = emission_has_policy(e);
    text_add(out,
             "\nint %s_solve(struct %s_work *work, const %s_real x[], %s_real y[], %s_report *report) {\n"
             "    struct solver d;\n    struct solver_report own;\n%s%s",
             name, name, name, name, name,
             !e->options.adjoint ? ""
             : policy            ? "    struct solver_tape tapes[2];\n"
                                 : "    struct solver_tape tape;\n",
             policy ? "    struct policy policy;\n" : "");
    if (e->options.single)
        text_add(out, "    real most;\n");
    if (e->network)
        text_add(out, "%s", emission_network_turns(e));
    text_add(out, "    d.plan = &layer_plan;\n    d.options = &layer_plan.options;\n"
                  "    d.point.plan = &layer_plan;\n    d.point.slots = work->slots;\n    d.point.width = 1;\n"
                  "    d.x = x;\n    d.raw = work->raw;\n    d.fallback = 0;\n    d.row = work->row;\n");
    text_add(out, e->network ? "    network_run(x, work->raw, turns);\n"
                             : "    solver_copy(y, work->raw, layer_plan.outputs);\n");
    if (policy)
        emission_print_policy_run(e, out);
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

static void emission_source_print_constants(const struct emission *e, struct text *out) {
    const struct plan *p = e->plan;
    const double *numbers = plan_numbers(p, p->program.constants), *value = plan_numbers(p, p->system.constant_value);
    const uint32_t *slot = plan_words(p, p->system.constant_slot);
    for (uint32_t i = 0; i < p->program.constants.count; i++) {
        text_add(out, "    work->slots[%u] = ", i);
        emission_number(e, out, numbers[i]);
        text_add(out, ";\n");
    }
    for (uint32_t i = 0; i < p->system.constant_slot.count; i++) {
        text_add(out, "    work->slots[%u] = ", slot[i]);
        emission_number(e, out, value[i]);
        text_add(out, ";\n");
    }
}

static void print_init(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out,
             "\nvoid %s_init(struct %s_work *work) {\n    for (size_t i = 0; i < sizeof work->slots / sizeof "
             "work->slots[0]; "
             "i++) {\n        work->slots[i] = 0;\n        LOOP_STAYS;\n    }\n"
             "    for (size_t i = 0; i < sizeof work->warm / sizeof work->warm[0]; i++) {\n        work->warm[i] = "
             "0;\n        LOOP_STAYS;\n"
             "    }\n    work->warm_start = 0;\n",
             name, name);
    emission_source_print_constants(e, out);
    if (emission_has_policy(e))
        emission_print_policy_init(e, out);
    text_add(out, "}\n");
    text_add(out,
             "\nvoid %s_start(struct %s_work *work, const %s_real x[], %s_real y[]) {\n"
             "    solver_copy(x, work->slots + layer_plan.x, layer_plan.inputs);\n    entry_prepare(work->slots);\n"
             "    for (size_t j = 0; j < layer_plan.outputs; j++)\n"
             "        y[j] = work->slots[plan_words(&layer_plan, layer_plan.start)[j]];\n}\n",
             name, name, name, name);
    text_add(out, "\nconst char *%s_outcome_text(int outcome) {\n    static const char *const texts[] = {", name);
#define LIST_TEXT(id, text) text_add(out, "\"" text "\", ");
    HN_OUTCOME_LIST(LIST_TEXT)
    text_add(out, "};\n    return outcome >= 0 && outcome < (int)(sizeof texts / sizeof texts[0]) ? texts[outcome] : "
                  "\"unknown\";\n}\n");
}

/* ---- all of it ---- */

void emission_print_sample(struct text *out) {
    text_add(out, "#include \"core/sample.h\"\n"
                  "#include \"core/summary.h\"\n"
                  "#include \"core/emitted_plan.h\"\n");
}

void emission_print_points(struct text *out) {
    text_add(out, "#include \"base/random_state.h\"\n"
                  "#include \"base/random_core.h\"\n");
    text_add(out, "#include \"core/point.h\"\n"
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
    emission_source_print_head(e, out);
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
        emission_print_tape(e, out);
    print_solve(e, out);
    if (e->options.adjoint)
        emission_print_gradient(e, out);
    if (e->options.casadi)
        emission_print_casadi(e, out);
}

void emission_print_source(const struct emission *e, struct text *out) {
    struct text root = {.bytes = NULL};
    print_root(e, &root);
    flatten(out, &root);
    text_drop(&root);
}
