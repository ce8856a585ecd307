/* emission_plan.c - the layer's constant data as arrays and one struct; emitted_plan.h has its type.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/emit/emission.h"
#include "plan/methods.h"

struct named_list {
    const char *name; /* of the array; the field's is the same with dots */
    const char *field;
    struct plan_list list;
};

enum { FORWARD_LISTS = 14, PLAN_LISTS = FORWARD_LISTS + 12 };

/* Those of the way back are the last ones; without the adjoint they are empty. */
static void name_lists(const struct emission *e, struct named_list lists[PLAN_LISTS]) {
    const struct plan *p = e->plan;
    const struct named_list all[PLAN_LISTS] = {
        {"value", "value", p->value},
        {"lower", "lower", p->lower},
        {"upper", "upper", p->upper},
        {"jacobian_first", "jacobian.first", p->jacobian.first},
        {"jacobian_column", "jacobian.column", p->jacobian.column},
        {"jacobian_slot", "jacobian.slot", p->jacobian.slot},
        {"start", "start", p->start},
        {"fixed_slot", "fixed.slot", p->fixed.slot},
        {"fixed_entry", "fixed.entry", p->fixed.entry},
        {"bounds_slot", "bounds.slot", p->bounds.slot},
        {"bounds_entry", "bounds.entry", p->bounds.entry},
        {"clip_slot", "clip.slot", p->clip.slot},
        {"clip_entry", "clip.entry", p->clip.entry},
        {"joint", "joint", p->joint},
        {"lower_x_first", "lower_x.first", p->lower_x.first},
        {"lower_x_column", "lower_x.column", p->lower_x.column},
        {"lower_x_slot", "lower_x.slot", p->lower_x.slot},
        {"upper_x_first", "upper_x.first", p->upper_x.first},
        {"upper_x_column", "upper_x.column", p->upper_x.column},
        {"upper_x_slot", "upper_x.slot", p->upper_x.slot},
        {"start_x_first", "start_x.first", p->start_x.first},
        {"start_x_column", "start_x.column", p->start_x.column},
        {"start_x_slot", "start_x.slot", p->start_x.slot},
        {"fixed_x_first", "fixed_x.first", p->fixed_x.first},
        {"fixed_x_column", "fixed_x.column", p->fixed_x.column},
        {"fixed_x_slot", "fixed_x.slot", p->fixed_x.slot},
    };
    for (int i = 0; i < PLAN_LISTS; i++) {
        lists[i] = all[i];
        if (i >= FORWARD_LISTS && !e->options.adjoint)
            lists[i].list.count = 0;
    }
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

/* One field of the struct plan that has the same name here and there. */
#define FIELD(name) text_add(out, "    ." #name " = %u,\n", (unsigned)p->name)

static void print_fields(const struct plan *p, struct text *out) {
    FIELD(inputs);
    FIELD(outputs);
    FIELD(rows);
    FIELD(entries);
    FIELD(slots);
    FIELD(system.pivot_range);
    FIELD(y);
    FIELD(base);
    FIELD(best);
    FIELD(raw);
    FIELD(step);
    FIELD(residual);
    FIELD(matrix);
    FIELD(scale);
    FIELD(active);
    FIELD(right);
    FIELD(x);
    FIELD(summary);
    FIELD(eps);
    FIELD(largest);
    FIELD(step_squares);
    FIELD(step_gain);
    FIELD(unknown);
    FIELD(gradient);
    FIELD(grad_x);
    FIELD(grad_lower);
    FIELD(grad_upper);
    FIELD(damped);
    FIELD(slack_lower);
    FIELD(slack_upper);
    FIELD(force_lower);
    FIELD(force_upper);
    FIELD(reached);
    FIELD(change);
    FIELD(column_scale);
    FIELD(along);
    FIELD(program.constants.count);
}

void emission_print_plan(const struct emission *e, struct text *out) {
    const struct plan *p = e->plan;
    struct named_list lists[PLAN_LISTS];
    name_lists(e, lists);
    text_add(out, "\n/* The layer: where its numbers lie among the slots. */\n\n");
    for (int i = 0; i < PLAN_LISTS; i++)
        print_list(p, &lists[i], out);
    text_add(out, "\nstatic const struct plan layer_plan = {\n");
    print_options(e, out);
    print_fields(p, out);
    for (int i = 0; i < PLAN_LISTS; i++)
        if (lists[i].list.count > 0)
            text_add(out, "    .%s = {list_%s, %u},\n", lists[i].field, lists[i].name, lists[i].list.count);
        else
            text_add(out, "    .%s = {0, 0},\n", lists[i].field);
    text_add(out, "};\n");
}
