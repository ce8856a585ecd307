/* emission_gradient.c - what the gradient adds to the header and to the source: a tape in the workspace, and NAME_gradient.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

enum { TAPE_HEAD = 3 }; /* numbers of struct tape_head that count */

/* An array has one element at least. */
static size_t tape_steps(const struct emission *e) {
    return e->plan->tape_steps > 0 ? e->plan->tape_steps : 1;
}

/* That of the present candidate and that of the best one. */
static size_t tapes(const struct emission *e) {
    return emission_has_policy(e) ? 2 : 1;
}

size_t emission_gradient_numbers(const struct emission *e) {
    return e->options.adjoint ? tapes(e) * tape_steps(e) * ((size_t)e->plan->outputs + 1) + e->hidden : 0;
}

size_t emission_gradient_integers(const struct emission *e) {
    size_t chosen = emission_has_policy(e) ? 2 : 0;
    return e->options.adjoint ? tapes(e) * tape_steps(e) + TAPE_HEAD + 1 + chosen : 0; /* the outcome is the one */
}

size_t emission_gradient_bytes(const struct emission *e) {
    return emission_gradient_numbers(e) * emission_real(e) + emission_gradient_integers(e) * sizeof(int32_t);
}

/* ---- the header ---- */

void emission_print_gradient_work(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(out, "    %s_real tape_eps[%zu], tape_y[%zu];\n", name, tapes(e) * tape_steps(e),
             tapes(e) * tape_steps(e) * e->plan->outputs);
    if (e->hidden > 0)
        text_add(out, "    %s_real hidden[%zu];\n", name, e->hidden);
    text_add(out, "    int32_t tape_kind[%zu], tape_head[%d], outcome;\n", tapes(e) * tape_steps(e), TAPE_HEAD);
    if (emission_has_policy(e))
        text_add(out, "    int32_t tape_kept, chosen;\n");
}

void emission_print_gradient_declaration(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(
        out,
        "\n/* The exact gradient of the last %s_solve with this workspace, at the same x: grad_y is that of a loss "
        "by y, grad_y_raw\n * becomes that by the raw output%s, grad_x that by x%s; either may be NULL.\n"
        " * 0: it is exact. 1: the outcome was not ok, or the gradient is 0 because it was not finite, because the "
        "way was\n * longer than the tape, %u steps, or because the solution of a programme was on it. */\n",
        name,
        emission_has_policy(e) ? " of the network's candidate that y comes from"
        : e->network           ? " of the network"
                               : "",
        e->network ? ", through network and layer" : ", the raw output held fixed", e->plan->tape_steps);
    text_add(out,
             "int %s_gradient(struct %s_work *work, const %s_real x[], const %s_real grad_y[], %s_real grad_y_raw[],\n"
             "    %s_real grad_x[]);\n",
             name, name, name, name, name, name);
}

/* ---- the source ---- */

void emission_print_tape(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(
        out,
        "\nstatic void work_tape(struct %s_work *work, struct solver_tape *tape) {\n    tape->eps = work->tape_eps;\n"
        "    tape->kind = work->tape_kind;\n    tape->iterate = work->tape_y;\n    tape->room = %u;\n"
        "    tape->width = 1;\n    tape->head.way = work->tape_head[0];\n"
        "    tape->head.steps = work->tape_head[1];\n    tape->head.attempt = work->tape_head[2];\n"
        "    tape->head.unused = 0;\n}\n",
        name, e->plan->tape_steps);
    text_add(out,
             "\nstatic void work_keep(struct %s_work *work, const struct tape_head *head, hn_outcome outcome) {\n"
             "    work->tape_head[0] = head->way;\n    work->tape_head[1] = head->steps;\n"
             "    work->tape_head[2] = head->attempt;\n    work->outcome = (int32_t)outcome;\n}\n",
             name);
    if (emission_has_policy(e))
        text_add(out,
                 "\n/* The second tape is behind the first. */\n"
                 "static void tape_shift(struct solver_tape *tape) {\n    tape->eps += %zu;\n    tape->kind += %zu;\n"
                 "    tape->iterate += %zu;\n}\n"
                 "\nstatic void work_tapes(struct %s_work *work, struct solver_tape tapes[2]) {\n"
                 "    work_tape(work, &tapes[0]);\n    work_tape(work, &tapes[1]);\n    tape_shift(&tapes[1]);\n}\n",
                 tape_steps(e), tape_steps(e), tape_steps(e) * e->plan->outputs, name);
}

/* The gradient of the chosen candidate, among those of all outputs of the network. */
static void print_chosen(struct text *out) {
    text_add(out, "    for (size_t i = 0; i < sizeof work->raw / sizeof work->raw[0]; i++) {\n"
                  "        work->raw[i] = 0;\n        LOOP_STAYS;\n    }\n"
                  "    if (work->tape_kept)\n        tape_shift(&tape);\n");
}

void emission_print_gradient(const struct emission *e, struct text *out) {
    const char *name = e->options.name;
    text_add(
        out,
        "\nint %s_gradient(struct %s_work *work, const %s_real x[], const %s_real grad_y[], %s_real grad_y_raw[],\n"
        "    %s_real grad_x[]) {\n    struct solver d;\n    struct solver_tape tape;\n    struct solver_back back;\n",
        name, name, name, name, name, name);
    if (e->network)
        text_add(out, "%s", emission_network_turns(e));
    text_add(out, "    real *const raw = work->raw%s;\n",
             emission_has_policy(e) ? " + (size_t)work->chosen * layer_plan.outputs" : "");
    text_add(out,
             "    work_tape(work, &tape);\n    d.plan = &layer_plan;\n    d.options = &layer_plan.options;\n"
             "    d.point.plan = &layer_plan;\n    d.point.slots = work->slots;\n    d.point.width = 1;\n"
             "    d.x = x;\n    d.raw = d.fallback = 0;\n    d.warm = 0;\n    d.row = work->row;\n    d.tape = &tape;\n"
             "    back.grad_y = grad_y;\n    back.grad_raw = raw;\n    back.grad_x = grad_x;\n"
             "    back.grad_lower = back.grad_upper = back.grad_weights = 0;\n    back.from_start = false;\n");
    if (emission_has_policy(e))
        print_chosen(out);
    text_add(out, "    bool whole = solver_gradient(&d, &back);\n");
    if (e->network)
        text_add(out, "    if (grad_x)\n        network_pull(x, work->raw, grad_x, %s, turns);\n",
                 e->hidden > 0 ? "work->hidden" : "work->turn_1");
    text_add(out, "    if (grad_y_raw)\n        solver_copy(raw, grad_y_raw, layer_plan.outputs);\n"
                  "    return whole && work->outcome == (int32_t)HN_OUTCOME_OK ? 0 : 1;\n}\n");
}
