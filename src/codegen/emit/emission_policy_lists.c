/* emission_policy_lists.c - the programs and lists of several candidates and refinement, as constant data of the source, and what
 * walking them costs.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"

#include <math.h>
#include <stdio.h>

/* ---- lists ---- */

struct word_list {
    const char *name;
    const uint32_t *words;
    size_t count;
};

static void print_words(const struct word_list *list, struct text *out) {
    enum { PER_LINE = 16 };
    if (list->count == 0)
        return;
    text_add(out, "static const uint32_t %s[] = {", list->name);
    for (size_t i = 0; i < list->count; i++)
        text_add(out, "%s%u,", i % PER_LINE ? " " : "\n    ", list->words[i]);
    text_add(out, "\n};\n");
}

/* Where a list that may be empty is named. */
static const char *named(size_t count, const char *name) {
    return count > 0 ? name : "0";
}

static void print_numbers(const struct emission *e, struct text *out, const char *owner, const char *name,
                          const double *numbers, size_t count) {
    enum { PER_LINE = 6 };
    if (count == 0)
        return;
    text_add(out, "static const real %s_%s[] = {", owner, name);
    for (size_t i = 0; i < count; i++) {
        text_add(out, "%s", i % PER_LINE ? " " : "\n    ");
        emission_number(e, out, isfinite(numbers[i]) ? numbers[i] : 0); /* emission_policy.c sets the others */
        text_add(out, ",");
    }
    text_add(out, "\n};\n");
}

/* ---- programs ---- */

static void print_code(const struct program *program, struct text *out, const char *owner) {
    enum { PER_LINE = 4 };
    if (program->first[PHASES] == 0)
        return;
    text_add(out, "static const struct policy_instruction %s_code[] = {", owner);
    for (size_t i = 0; i < program->first[PHASES]; i++) {
        const struct instruction *at = &program->code[i];
        text_add(out, "%s{%u, %u, %u, %u, %u},", i % PER_LINE ? " " : "\n    ", at->code, at->destination, at->a, at->b,
                 at->c);
    }
    text_add(out, "\n};\n");
}

/* wrapped: as the struct program of refine_slots.h. */
static void print_program(const struct emission *e, const struct program *program, struct text *out, const char *owner,
                          bool wrapped) {
    char pairs[64], columns[64];
    snprintf(pairs, sizeof pairs, "%s_pairs", owner);
    snprintf(columns, sizeof columns, "%s_columns", owner);
    const struct word_list lists[] = {{pairs, program->pairs, 2 * program->pair_count},
                                      {columns, program->columns, program->column_count}};
    print_code(program, out, owner);
    print_words(&lists[0], out);
    print_words(&lists[1], out);
    print_numbers(e, out, owner, "coefficients", program->coefficients, program->coefficient_count);
    print_numbers(e, out, owner, "constants", program->constants, program->constant_count);
    text_add(out, wrapped ? "static const struct program %s = {{" : "static const struct policy_program %s = {", owner);
    text_add(out, "%s%s, ", named(program->first[PHASES], owner), program->first[PHASES] ? "_code" : "");
    text_add(out, "%s, %s, ", named(lists[0].count, pairs), named(lists[1].count, columns));
    text_add(out, "%s%s, ", named(program->coefficient_count, owner),
             program->coefficient_count ? "_coefficients" : "");
    text_add(out, "%s%s, ", named(program->constant_count, owner), program->constant_count ? "_constants" : "");
    text_add(out, "{%zu, %zu, %zu, %zu}, %zu, %zu}%s;\n", program->first[0], program->first[1], program->first[2],
             program->first[3], program->constant_count, program->slots, wrapped ? "}" : "");
}

static size_t program_bytes(const struct emission *e, const struct program *program) {
    size_t words = 5 * program->first[PHASES] + 2 * program->pair_count + program->column_count;
    return words * sizeof(uint32_t) + (program->coefficient_count + program->constant_count) * emission_real(e);
}

/* ---- a step of refinement ---- */

enum { REFINE_LISTS = 17, SYSTEM_LISTS = 9 };

/* The fields of struct barrier_task, struct damped and struct refine_places that are lists of words; those of the system last. */
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
    for (int i = 0; i < REFINE_LISTS; i++)
        lists[i] = all[i];
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
    const char *value = named(t->rows, "refine_value"), *lower = named(t->rows, "refine_lower");
    size_t entries = t->first[t->rows];
    text_add(out, "    .task = {.rows = %zu, .columns = %zu, .value = %s, .lower = %s, .upper = %s,\n", t->rows,
             t->columns, value, lower, named(t->rows, "refine_upper"));
    text_add(out, "             .first = refine_first, .column = %s, .entry = %s, .gradient = refine_gradient,\n",
             named(entries, "refine_column_of"), named(entries, "refine_entry"));
    text_add(out, "             .matrix = %u, .shift = %u, .by_rows = %u, .by_columns = %u, .summary = %u},\n",
             t->matrix, t->shift, t->by_rows, t->by_columns, t->summary);
}

static void print_system(const struct damped *s, const struct word_list *lists, struct text *out) {
    static const char kinds[][16] = {"FACTOR_LISTED", "FACTOR_WALKED", "FACTOR_DENSE", "FACTOR_TILED"};
    static const char fields[SYSTEM_LISTS][16] = {"",           "stream",     "permutation", "column_first",
                                                  "row_offset", "row_number", "row_first",   "row_column",
                                                  "row_entry"};
    text_add(out, "    .system = {.outputs_side = %d, .kind = %s, .order = %zu, .added = %zu, .nonzeros = %zu,\n",
             s->outputs_side, kinds[s->kind], s->order, s->added, s->nonzeros);
    text_add(out, "               .multiply_adds = 0, .slots = %zu, .lower = %u, .negated = %u, .inverse = %u,\n",
             s->slots, s->lower, s->negated, s->inverse);
    text_add(out, "               .pivot_range = %u, .zero = %u, .solution = %u,\n", s->pivot_range, s->zero,
             s->solution);
    text_add(out, "               .by_rows = {%zu, %zu, %s}, .by_columns = {%zu, %zu, %s},\n", s->by_rows.count,
             s->by_rows.words, named(s->by_rows.words, "refine_by_rows"), s->by_columns.count, s->by_columns.words,
             named(s->by_columns.words, "refine_by_columns"));
    text_add(out, "               .words = %zu, .constant_count = %zu, .constants = %s,\n", s->words, s->constant_count,
             named(s->constant_count, "refine_constants"));
    for (int i = 1; i < SYSTEM_LISTS; i++)
        text_add(out, "               .%s = %s%s\n", fields[i], named(lists[i].count, lists[i].name),
                 i + 1 < SYSTEM_LISTS ? "," : "},");
}

static void print_places(const struct emission *e, struct text *out) {
    const struct refine_places *p = &e->policy.refinement.places;
    struct word_list lists[REFINE_LISTS];
    name_lists(p, lists);
    for (int i = 0; i < REFINE_LISTS; i++)
        print_words(&lists[i], out);
    print_other_lists(e, p, out);
    text_add(out, "\nstatic const struct refine_places policy_refine_places = {\n");
    print_task(&p->task, out);
    print_system(&p->system, lists + REFINE_LISTS - SYSTEM_LISTS, out);
    text_add(out, "    .program = &refine_program, .inputs = %zu,\n", p->inputs);
    text_add(out, "    .x = %u, .y = %u, .sigma = %u, .lambda = %u, .own = %u,\n", p->x, p->y, p->sigma, p->lambda,
             p->own);
    text_add(out, "    .curvature = refine_curvature, .fixed = refine_fixed,\n};\n");
}

/* ---- all of them ---- */

void emission_print_policy_lists(const struct emission *e, struct text *out) {
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
    size_t words = 0;
    name_lists(p, lists);
    for (int i = 0; i < REFINE_LISTS; i++)
        words += lists[i].count;
    words += p->task.rows + 1 + p->system.constant_count;
    return words * sizeof(uint32_t) + p->task.columns + p->system.constant_count * emission_real(e);
}

size_t emission_policy_bytes(const struct emission *e) {
    if (!emission_has_policy(e))
        return 0;
    size_t refinement = e->policy.refine > 0 ? program_bytes(e, e->policy.refinement.program) + places_bytes(e) : 0;
    return program_bytes(e, e->policy.objective.alone.program) + refinement;
}
