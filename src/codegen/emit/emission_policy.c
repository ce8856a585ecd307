/* emission_policy.c - several candidates and refinement steps: their programs and lists as constant data, and parts of
 * the functions.
 *
 * The objective and the quadratic programs of refinement are interpreted by the library's kernels for one sample.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "codegen/emit/emission.h"

#include <stdio.h>
#include <string.h>

/* ---- programs ---- */

static const double *find_unfit(const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!emission_fits_float(numbers[i]))
            return &numbers[i];
    return NULL;
}

/* Checks the constants and records the operators of a program. */
static hn_status take_program(struct emission *e, const struct program *program, hn_error *error) {
    const double *unfit = find_unfit(program->constants, program->constant_count);
    for (size_t i = 0; i < program->first[PHASES]; i++)
        e->policy.used[program->code[i].code] = true;
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
        status = take_program(e, p->objective.alone.program, error);
    if (status == HN_OK && p->refine > 0)
        status = refine_plan_create(&p->refinement, e->model, 1, error);
    return status == HN_OK && p->refine > 0 ? take_program(e, p->refinement.program, error) : status;
}

void emission_policy_release(struct emission *e) {
    loss_release(&e->policy.objective);
    refine_plan_release(&e->policy.refinement);
}

/* ---- lists ---- */

/* The name of a list, or of a placeholder if the list is empty. */
static const char *named(size_t count, const char *name) {
    return count > 0 ? name : "0";
}

/* Infinity and NaN are not constant expressions in C; print_special assigns them at run time. */
static void print_numbers(const struct emission *e, struct text *out, const char *name, const double *numbers,
                          size_t count) {
    if (count == 0)
        return;
    text_add(out, "static const real %s[] = {", name);
    for (size_t i = 0; i < count; i++)
        emission_print_element(e, out, i, isfinite(numbers[i]) ? numbers[i] : 0);
    text_add(out, "\n};\n");
}

/* ---- programs as data ---- */

static void print_code(const struct program *program, struct text *out, const char *name) {
    enum { PER_LINE = 4 };
    if (program->first[PHASES] == 0)
        return;
    text_add(out, "static const struct policy_instruction %s[] = {", name);
    for (size_t i = 0; i < program->first[PHASES]; i++) {
        const struct instruction *at = &program->code[i];
        text_add(out, "%s{%u, %u, %u, %u, %u},", i % PER_LINE ? " " : "\n    ", at->code, at->destination, at->a, at->b,
                 at->c);
    }
    text_add(out, "\n};\n");
}

enum { PROGRAM_ARRAYS = 5 };

/* wrapped: inside the struct program of refine_slots.h. */
static void print_program(const struct emission *e, const struct program *p, struct text *out, const char *owner,
                          bool wrapped) {
    static const char parts[PROGRAM_ARRAYS][16] = {"code", "pairs", "columns", "coefficients", "constants"};
    const size_t counts[PROGRAM_ARRAYS] = {p->first[PHASES], p->pair_count, p->column_count, p->coefficient_count,
                                           p->constant_count};
    char name[PROGRAM_ARRAYS][96];
    for (int i = 0; i < PROGRAM_ARRAYS; i++)
        snprintf(name[i], sizeof name[i], "%s_%s", owner, parts[i]);
    const struct word_list words[] = {{name[1], p->pairs, 2 * p->pair_count}, {name[2], p->columns, p->column_count}};
    print_code(p, out, name[0]);
    emission_print_words(out, words, 2);
    print_numbers(e, out, name[3], p->coefficients, p->coefficient_count);
    print_numbers(e, out, name[4], p->constants, p->constant_count);
    text_add(out, wrapped ? "static const struct program %s = {{" : "static const struct policy_program %s = {", owner);
    for (int i = 0; i < PROGRAM_ARRAYS; i++)
        text_add(out, "%s, ", named(counts[i], name[i]));
    text_add(out, "{%zu, %zu, %zu, %zu}, %zu, %zu}%s;\n", p->first[0], p->first[1], p->first[2], p->first[3],
             p->constant_count, p->slots, wrapped ? "}" : "");
}

static size_t program_bytes(const struct emission *e, const struct program *program) {
    size_t words = 5 * program->first[PHASES] + 2 * program->pair_count + program->column_count;
    return words * sizeof(uint32_t) + (program->coefficient_count + program->constant_count) * emission_real(e);
}

/* ---- a step of refinement ---- */

enum { REFINE_LISTS = 17, SYSTEM_LISTS = 9 };

/* The fields of struct barrier_task, struct damped and struct refine_places that are lists of words; the system's lists
 * come last. */
static void name_lists(const struct refine_places *p, struct word_list lists[REFINE_LISTS]) {
    const struct barrier_task *task = &p->task;
    const struct damped *system = &p->system;
    size_t entries = task->first[task->rows], nonzeros = system->row_offset ? system->nonzeros : 0;
    size_t walked = system->row_number ? nonzeros : 0, order = system->permutation ? system->order : 0;
    const struct word_list all[REFINE_LISTS] = {
        {"refine_value", task->value, task->rows},
        {"refine_lower", task->lower, task->rows},
        {"refine_upper", task->upper, task->rows},
        {"refine_column_of", task->column, entries},
        {"refine_entry", task->entry, entries},
        {"refine_gradient", task->gradient, task->columns},
        {"refine_curvature", p->curvature, task->columns},
        {"refine_by_rows", system->by_rows.stream, system->by_rows.words},
        {"refine_by_columns", system->by_columns.stream, system->by_columns.words},
        {"refine_stream", system->stream, system->words},
        {"refine_permutation", system->permutation, order},
        {"refine_column_first", system->column_first, order ? order + 1 : 0},
        {"refine_row_offset", system->row_offset, nonzeros},
        {"refine_row_number", system->row_number, walked},
        {"refine_row_first", system->row_first, system->row_first ? system->order + 1 : 0},
        {"refine_row_column", system->row_column, walked},
        {"refine_row_entry", system->row_entry, walked},
    };
    memcpy(lists, all, sizeof all);
}

static void print_other_lists(const struct emission *e, const struct refine_places *p, struct text *out) {
    text_add(out, "static const size_t refine_first[] = {");
    for (size_t i = 0; i <= p->task.rows; i++)
        text_add(out, "%s%zu,", i % 16 ? " " : "\n    ", p->task.first[i]);
    text_add(out, "\n};\nstatic const bool refine_fixed[] = {");
    for (size_t i = 0; i < p->task.columns; i++)
        text_add(out, "%s%d,", i % 16 ? " " : "\n    ", p->fixed[i]);
    text_add(out, "\n};\n");
    if (p->system.constant_count == 0)
        return;
    text_add(out, "static const struct damped_constant refine_constants[] = {");
    for (size_t i = 0; i < p->system.constant_count; i++) {
        text_add(out, "%s{%u, ", i % 4 ? " " : "\n    ", p->system.constants[i].offset);
        emission_number(e, out, p->system.constants[i].value);
        text_add(out, "},");
    }
    text_add(out, "\n};\n");
}

static void print_task(const struct barrier_task *t, struct text *out) {
    size_t entries = t->first[t->rows];
    text_add(out,
             "    .task = {.rows = %zu, .columns = %zu, .value = %s, .lower = %s, .upper = %s,\n"
             "             .first = refine_first, .column = %s, .entry = %s, .gradient = refine_gradient,\n"
             "             .matrix = %u, .shift = %u, .by_rows = %u, .by_columns = %u, .summary = %u},\n",
             t->rows, t->columns, named(t->rows, "refine_value"), named(t->rows, "refine_lower"),
             named(t->rows, "refine_upper"), named(entries, "refine_column_of"), named(entries, "refine_entry"),
             t->matrix, t->shift, t->by_rows, t->by_columns, t->summary);
}

static void print_system(const struct damped *s, const struct word_list *lists, struct text *out) {
    static const char kinds[][16] = {"FACTOR_LISTED", "FACTOR_WALKED", "FACTOR_DENSE", "FACTOR_TILED"};
    static const char fields[SYSTEM_LISTS][16] = {"",           "stream",     "permutation", "column_first",
                                                  "row_offset", "row_number", "row_first",   "row_column",
                                                  "row_entry"};
    text_add(out,
             "    .system = {.outputs_side = %d, .kind = %s, .order = %zu, .added = %zu, .nonzeros = %zu,\n"
             "               .multiply_adds = 0, .slots = %zu, .lower = %u, .negated = %u, .inverse = %u,\n"
             "               .pivot_range = %u, .zero = %u, .solution = %u,\n"
             "               .by_rows = {%zu, %zu, %s}, .by_columns = {%zu, %zu, %s},\n"
             "               .words = %zu, .constant_count = %zu, .constants = %s,\n",
             s->outputs_side, kinds[s->kind], s->order, s->added, s->nonzeros, s->slots, s->lower, s->negated,
             s->inverse, s->pivot_range, s->zero, s->solution, s->by_rows.count, s->by_rows.words,
             named(s->by_rows.words, "refine_by_rows"), s->by_columns.count, s->by_columns.words,
             named(s->by_columns.words, "refine_by_columns"), s->words, s->constant_count,
             named(s->constant_count, "refine_constants"));
    for (int i = 1; i < SYSTEM_LISTS; i++)
        text_add(out, "               .%s = %s%s\n", fields[i], named(lists[i].count, lists[i].name),
                 i + 1 < SYSTEM_LISTS ? "," : "},");
}

static void print_places(const struct emission *e, struct text *out) {
    const struct refine_places *p = &e->policy.refinement.places;
    struct word_list lists[REFINE_LISTS];
    name_lists(p, lists);
    emission_print_words(out, lists, REFINE_LISTS);
    print_other_lists(e, p, out);
    text_add(out, "\nstatic const struct refine_places policy_refine_places = {\n");
    print_task(&p->task, out);
    print_system(&p->system, lists + REFINE_LISTS - SYSTEM_LISTS, out);
    text_add(out, "    .program = &refine_program, .inputs = %zu,\n", p->inputs);
    text_add(out, "    .x = %u, .y = %u, .sigma = %u, .lambda = %u, .own = %u,\n", p->x, p->y, p->sigma, p->lambda,
             p->own);
    text_add(out, "    .curvature = refine_curvature, .fixed = refine_fixed,\n};\n");
}

static void print_lists(const struct emission *e, struct text *out) {
    text_add(out, "\n/* The objective by itself. */\n\n");
    print_program(e, e->policy.objective.alone.program, out, "policy_objective_program", false);
    if (e->policy.refine == 0)
        return;
    text_add(out, "\n/* A step of refinement. */\n\n");
    print_program(e, e->policy.refinement.program, out, "refine_program", true);
    print_places(e, out);
}

static size_t places_bytes(const struct emission *e) {
    const struct refine_places *p = &e->policy.refinement.places;
    struct word_list lists[REFINE_LISTS];
    name_lists(p, lists);
    size_t words = emission_count_words(lists, REFINE_LISTS) + p->task.rows + 1 + p->system.constant_count;
    return words * sizeof(uint32_t) + p->task.columns + p->system.constant_count * emission_real(e);
}

size_t emission_policy_bytes(const struct emission *e) {
    if (!emission_has_policy(e))
        return 0;
    size_t refinement = e->policy.refine > 0 ? program_bytes(e, e->policy.refinement.program) + places_bytes(e) : 0;
    return program_bytes(e, e->policy.objective.alone.program) + refinement;
}

/* ---- text ---- */

void emission_print_policy(const struct emission *e, struct text *out) {
    const struct loss_objective *alone = &e->policy.objective.alone;
    text_add(out, "#include \"core/program_lists.h\"\n");
    emission_print_operators(out, e->policy.used);
    text_add(out, "#include \"core/program_run.h\"\n"
                  "#include \"core/candidate_choice.h\"\n");
    if (e->policy.refine > 0)
        text_add(out, "#include \"core/refine_slots.h\"\n#include \"linalg/damped_kernel.h\"\n"
                      "#include \"core/barrier_kernel.h\"\n#include \"core/refine_qp.h\"\n");
    print_lists(e, out);
    text_add(out, "\nenum { POLICY_OBJECTIVE = %u, POLICY_OBJECTIVE_X = %u, POLICY_OBJECTIVE_Y = %u };\n",
             alone->objective, alone->x, alone->y);
    text_add(out, "#define POLICY_CANDIDATES %zu\n", e->policy.candidates);
    if (e->policy.refine > 0)
        text_add(out, "#define POLICY_REFINE %d\n", e->policy.refine);
    text_add(out, "#include \"core/policy_run.h\"\n");
}

static void print_special(const struct emission *e, const struct program *program, const char *slots,
                          struct text *out) {
    for (size_t i = 0; i < program->constant_count; i++)
        if (!isfinite(program->constants[i]))
            emission_print_set(e, out, slots, i, program->constants[i]);
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

/* From the network output to y. */
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
}
