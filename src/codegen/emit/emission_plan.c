/* emission_plan.c - the layer's constant data as arrays and one struct, in the order of core/plan_fields.h; emitted_plan.h has its type.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"
#include "plan/methods.h"

#include <string.h>

struct named_list {
    const char *name; /* of the array: list_NAME */
    struct plan_list list;
};

/* ---- lists, in the order of the plan's fields ---- */

#define NO_FIELD(...)
#define NAME_LIST(name)    {#name, p->name},
#define NAME_ENTRIES(name) {#name "_slot", p->name.slot}, {#name "_entry", p->name.entry},
#define NAME_MATRIX(name)                                                                                              \
    {#name "_first", p->name.first}, {#name "_column", p->name.column}, {#name "_slot", p->name.slot},
#define NAME_ADJOINT(name)                                                                                             \
    {#name "_first", with_adjoint(e, p->name.first)}, {#name "_column", with_adjoint(e, p->name.column)},              \
        {#name "_slot", with_adjoint(e, p->name.slot)},
#define ONE_LIST(name)    +1
#define TWO_LISTS(name)   +2
#define THREE_LISTS(name) +3

enum { PLAN_LISTS = PLAN_FIELD_LIST(NO_FIELD, ONE_LIST, TWO_LISTS, THREE_LISTS, THREE_LISTS, NO_FIELD) };

/* The list, empty in a file without gradients. */
static struct plan_list with_adjoint(const struct emission *e, struct plan_list list) {
    list.count = e->options.adjoint ? list.count : 0;
    return list;
}

static void name_lists(const struct emission *e, struct named_list lists[PLAN_LISTS]) {
    const struct plan *p = e->plan;
    const struct named_list all[PLAN_LISTS] = {
        PLAN_FIELD_LIST(NO_FIELD, NAME_LIST, NAME_ENTRIES, NAME_MATRIX, NAME_ADJOINT, NO_FIELD)};
    memcpy(lists, all, sizeof all);
}

size_t emission_plan_bytes(const struct emission *e) {
    struct named_list lists[PLAN_LISTS];
    size_t words = 0;
    name_lists(e, lists);
    for (int i = 0; i < PLAN_LISTS; i++)
        words += lists[i].list.count;
    return words * sizeof(uint32_t);
}

static void print_list(const struct plan *plan, const struct named_list *list, struct text *out) {
    const uint32_t *words = plan_words(plan, list->list);
    enum { PER_LINE = 16 };
    if (list->list.count == 0)
        return;
    text_add(out, "static const uint32_t list_%s[] = {", list->name);
    for (uint32_t i = 0; i < list->list.count; i++)
        text_add(out, "%s%u,", i % PER_LINE ? " " : "\n    ", words[i]);
    text_add(out, "\n};\n");
}

/* ---- fields ---- */

/* An emitted float file adds what rounding may hide before it judges (rounding_bound.h): half of the tolerance is room for that. On a
 * device floats are rounded by a few units in the last place of the rows' terms: 1e-6 where these are of size 10. */
double emission_tolerance(const struct emission *e) {
    const double room = e->rounding.number ? 1.0 / 2 : 1.0 / 16;
    return e->options.single ? e->plan->options.tolerance * (1 - room) : e->plan->options.tolerance;
}

const char *emission_method(hn_method method) {
#define METHOD_NAME(name, text) #name,
    static const char names[][24] = {HN_METHOD_LIST(METHOD_NAME)};
#undef METHOD_NAME
    return (unsigned)method >= HN_METHOD_COUNT || method_searches(method) ? NULL : names[method];
}

static void print_options(const struct emission *e, struct text *out) {
    const struct sample_options *o = &e->plan->options;
    const char *method = emission_method((hn_method)o->method);
    text_add(out, "    .options = {.damping = ");
    emission_number(e, out, o->damping);
    text_add(out, ",\n                .tolerance = ");
    emission_number(e, out, emission_tolerance(e));
    if (!method)
        text_fail(out, "they have no method %s", hn_method_text((hn_method)o->method));
    text_add(out, ",\n                .method = %s,\n                .iterations = %d,\n", method ? method : "",
             o->iterations);
    text_add(out, "                .weighted = %d,\n                .stops = %d,\n                .pivots = %d,\n",
             o->weighted, o->stops, o->pivots);
    text_add(out, "                .adaptive = %d,\n                .relative = %d,\n", o->adaptive, o->relative);
    text_add(out,
             "                .outputs_side = %d,\n                .joint_rows = %d,\n                .bordered = "
             "%d,\n                .usual = %d,\n                .budget = %d},\n",
             o->outputs_side, o->joint_rows, o->bordered, (int)o->usual, (int)o->budget);
}

/* A field that is so many lists. Returns the list behind them. */
static const struct named_list *print_lists(struct text *out, const char *field, const struct named_list *list,
                                            int count) {
    text_add(out, "    .%s = %s", field, count > 1 ? "{" : "");
    for (int i = 0; i < count; i++, list++) {
        text_add(out, i > 0 ? ", " : "");
        if (list->list.count > 0)
            text_add(out, "{list_%s, %u}", list->name, list->list.count);
        else
            text_add(out, "{0, 0}");
    }
    text_add(out, "%s,\n", count > 1 ? "}" : "");
    return list;
}

#define PRINT_NUMBER(name)  text_add(out, "    ." #name " = %u,\n", (unsigned)p->name);
#define PRINT_LIST(name)    list = print_lists(out, #name, list, 1);
#define PRINT_ENTRIES(name) list = print_lists(out, #name, list, 2);
#define PRINT_MATRIX(name)  list = print_lists(out, #name, list, 3);

void emission_print_plan(const struct emission *e, const char *declaration, struct text *out) {
    const struct plan *p = e->plan;
    struct named_list lists[PLAN_LISTS];
    const struct named_list *list = lists;
    name_lists(e, lists);
    text_add(out, "\n/* The layer: where its numbers lie among the slots. */\n\n");
    for (int i = 0; i < PLAN_LISTS; i++)
        print_list(p, &lists[i], out);
    text_add(out, "\n%s = {\n", declaration);
    print_options(e, out);
    text_add(out, "    .program = {{0, %u}},\n    .system = {%u},\n", p->program.constants.count,
             p->system.pivot_range);
    PLAN_FIELD_LIST(PRINT_NUMBER, PRINT_LIST, PRINT_ENTRIES, PRINT_MATRIX, PRINT_MATRIX, NO_FIELD)
    text_add(out, "};\n");
}
