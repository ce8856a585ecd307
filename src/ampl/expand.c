/* expand.c - adds declarations to the model: variables become outputs, constraints rows, the first objective the
 * objective.
 *
 * A constraint with variables on one side has the other side as its bound; with variables on both sides its body is
 * left minus right, each side as written. In both cases left - right is compared, rounded once.
 *
 * When all variables have columns, their contributions to goals (from, to, obj, coeff and cover) are collected in order
 * of declaration and index. The contributions to one goal at one index form a circular list; the goal's table stores
 * the last entry, whose successor is the first.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/arena.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <math.h>

static const double ROUNDING = 1e-9;

bool ampl_model_good(struct ampl_evaluator *e, const struct ampl_declaration *declaration) {
    hn_error error;
    hn_status status = hn_model_status(e->model, &error);
    if (status == HN_OK)
        return !e->failed;
    if (declaration)
        return ampl_fail(e, status, declaration->place, "%s: %s", ampl_symbol_text(e, declaration->name), error.text);
    e->failed = true;
    return ampl_pass_error(e->sources, NULL, &error);
}

/* The label of a new part of the model; NULL with an error. */
static const char *new_label(struct ampl_evaluator *e, const struct ampl_declaration *declaration,
                             const ampl_atom *key) {
    const char *label = ampl_label_of(e, declaration, key);
    return ampl_hold(e, strlen(label), declaration->place) ? label : NULL;
}

/* ---- bounds ---- */

static bool is_constant(const struct ampl_bounds *bounds) {
    return bounds->lower.kind == AMPL_NUMBER && bounds->upper.kind == AMPL_NUMBER;
}

/* Infeasible constant bounds are reported here, where their source location is known. */
static bool check_bounds(struct ampl_evaluator *e, const struct ampl_declaration *declaration, const ampl_atom *key,
                         const struct ampl_bounds *bounds) {
    double lower = bounds->lower.is.number, upper = bounds->upper.is.number;
    bool wrong_side = (isinf(lower) && lower > 0) || (isinf(upper) && upper < 0);
    if (!is_constant(bounds) || (lower <= upper && !wrong_side))
        return true;
    const char *label = ampl_label_of(e, declaration, key);
    if (isnan(lower) || isnan(upper))
        return ampl_fail(e, HN_INVALID, declaration->place, "%s: a bound is NaN", label);
    if (lower <= upper)
        return ampl_fail(e, HN_INVALID, declaration->place, "%s: a bound is infinite on the wrong side", label);
    return ampl_fail(e, HN_INVALID, declaration->place, "%s: lower bound %s exceeds upper bound %s", label,
                     error_number(lower).text, error_number(upper).text);
}

/* ---- variables ---- */

/* The model would also reject it; this error has a source location. */
static bool check_fixed(struct ampl_evaluator *e, const struct ampl_declaration *variable, const ampl_atom *key,
                        const struct ampl_bounds *bounds, struct ampl_value value) {
    static const double tolerance = 1e-8;
    const struct ampl_value *const sides[] = {&bounds->lower, &bounds->upper};
    for (size_t side = 0; side < 2 && value.kind == AMPL_NUMBER; side++) {
        double bound = sides[side]->kind == AMPL_NUMBER ? sides[side]->is.number : value.is.number;
        double beyond = side ? value.is.number - bound : bound - value.is.number;
        if (beyond > tolerance * fmax(1, fabs(bound)))
            return ampl_fail(e, HN_INVALID, variable->place, "%s: fixed at %s, %s its %s bound %s",
                             ampl_label_of(e, variable, key), error_number(value.is.number).text,
                             side ? "above" : "below", side ? "upper" : "lower", error_number(bound).text);
    }
    return true;
}

static bool shape_output(struct ampl_evaluator *e, const struct ampl_declaration *variable, const ampl_atom *key,
                         hn_expr output) {
    struct ampl_bounds bounds;
    if (!ampl_variable_bounds(e, variable, &bounds))
        return false;
    struct ampl_value start = ampl_start_value(e, variable, key);
    if (e->failed)
        return false;
    if (start.kind == AMPL_SYMBOL)
        return ampl_fail(e, HN_INVALID, variable->place, "%s: a string cannot be a start value",
                         ampl_label_of(e, variable, key));
    const struct ampl_value *fixed = ampl_table_find(&variable->fixed, key);
    bool is_fixed = fixed && fixed->is.number != 0;
    if (is_fixed && !check_fixed(e, variable, key, &bounds, start))
        return false;
    if (is_fixed)
        hn_output_fix(output, ampl_expr(e, start));
    else if (!check_bounds(e, variable, key, &bounds))
        return false;
    const struct ampl_value *started = ampl_table_find(&variable->started, key);
    if (started)
        start = *started;
    if (start.kind != AMPL_NUMBER || start.is.number != 0)
        hn_output_start(output, ampl_expr(e, start));
    if (!is_constant(&bounds))
        hn_output_between(output, ampl_expr(e, bounds.lower), ampl_expr(e, bounds.upper));
    else if (isfinite(bounds.lower.is.number) || isfinite(bounds.upper.is.number))
        hn_output_bounds(output, bounds.lower.is.number, bounds.upper.is.number);
    return ampl_model_good(e, variable);
}

static bool visit_variable(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                           void *context) {
    const char *label = new_label(e, variable, key);
    (void)context;
    if (!label)
        return false;
    hn_expr output = hn_output(e->model, label);
    if (!hn_is_valid(output))
        return ampl_model_good(e, variable);
    struct ampl_value value = {.kind = AMPL_EXPRESSION, .index = output.node};
    return ampl_keep(e, &variable->known, variable->arity, key, value, variable->place) &&
           shape_output(e, variable, key, output);
}

/* ---- integer and binary variables ---- */

/* Stops at the first index. */
static bool visit_first(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                        void *context) {
    (void)e;
    (void)variable;
    (void)key;
    *(bool *)context = true;
    return false;
}

static bool has_columns(struct ampl_evaluator *e, struct ampl_declaration *variable) {
    bool any = false;
    ampl_loop_entries(e, variable, visit_first, &any);
    return any && !e->failed;
}

/* Rejects integer variables with columns, or treats them as continuous. */
static bool meet_integrality(struct ampl_evaluator *e) {
    bool good = true;
    for (struct ampl_declaration *d = e->program->first; d && !e->failed; d = d->next) {
        if (d->kind != AMPL_VARIABLES || (!d->integer && !d->binary) || !has_columns(e, d))
            continue;
        const char *name = ampl_symbol_text(e, d->name), *kind = d->binary ? "binary" : "integer";
        if (e->relax_integrality)
            ampl_note(e->sources, HN_SEVERITY_WARNING, &d->integrality, "the %s variable %s is treated as continuous",
                      kind, name);
        else
            good = ampl_error(
                e->sources, HN_UNSUPPORTED, &d->integrality,
                "%s: %s variables are not supported; the option relax_integrality (--relax-integrality) treats them as "
                "continuous",
                name, kind);
    }
    e->failed |= !good;
    return !e->failed;
}

static bool visit_definition(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                             void *context) {
    (void)context;
    struct ampl_value value = ampl_computed_variable(e, variable, key);
    if (e->failed)
        return false;
    if (value.kind == AMPL_SYMBOL)
        return ampl_fail(e, HN_INVALID, variable->place, "%s: a string cannot be the value of a variable",
                         ampl_label_of(e, variable, key));
    if (ampl_symbols_nameless(e->symbols, variable->name))
        return true;
    hn_expr expr = ampl_expr(e, value);
    const char *label = new_label(e, variable, key);
    if (label)
        hn_define(e->model, label, expr);
    return label && ampl_model_good(e, variable);
}

/* ---- contributions of variables to goals ---- */

struct giving {
    const struct ampl_contribution *contribution;
    struct ampl_value variable;
};

/* Appends an entry to the circular list of this goal and key. */
static bool add_entry(struct ampl_evaluator *e, struct ampl_declaration *goal, const ampl_atom *key,
                      struct ampl_value value, struct ampl_place place) {
    if (!array_room(&e->added, &e->added_capacity, e->added_count + 1, sizeof *e->added))
        return ampl_fail_memory(e);
    struct ampl_added *list = e->added;
    size_t number = e->added_count++;
    const struct ampl_value *last = ampl_table_find(&goal->added, key);
    list[number] = (struct ampl_added){value, number};
    if (last) {
        size_t before = (size_t)last->is.number;
        list[number].next = list[before].next;
        list[before].next = number;
    }
    return ampl_hold(e, sizeof *list, place) &&
           ampl_keep(e, &goal->added, goal->arity, key, ampl_value_number((double)number), place);
}

static bool visit_target(struct ampl_evaluator *e, void *context) {
    const struct giving *giving = context;
    const struct ampl_contribution *c = giving->contribution;
    struct ampl_declaration *goal = c->target->is.declaration;
    struct ampl_value factor = ampl_value_number(1);
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (!ampl_subscripts(e, c->target, key) || !ampl_check_key(e, goal, key, c->target->place) ||
        (c->factor && !ampl_operand(e, c->factor, &factor)))
        return false;
    struct ampl_value value = ampl_multiply(e, factor, giving->variable, c->place);
    if (!e->failed && c->minus)
        value = ampl_negative(e, value, c->place);
    return !e->failed && add_entry(e, goal, key, value, c->place);
}

static bool visit_giver(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                        void *context) {
    const struct ampl_value *known = ampl_table_find(&variable->known, key);
    (void)context;
    if (!known)
        return true;
    struct giving giving = {.variable = *known};
    for (const struct ampl_contribution *c = variable->contributions; c; c = c->next) {
        giving.contribution = c;
        if (!ampl_loop(e, c->indexing, visit_target, &giving))
            return false;
    }
    return true;
}

static bool collect_contributions(struct ampl_evaluator *e) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        if (d->contributions && !ampl_loop_entries(e, d, visit_giver, NULL))
            return false;
    return true;
}

/* The entries after `last` as one sum. */
static struct ampl_value sum_ring(struct ampl_evaluator *e, size_t last, bool minus, struct ampl_place place) {
    size_t count = 0, at = last;
    do
        count++;
    while ((at = e->added[at].next) != last);
    hn_expr *terms = base_allocate(size_product(count, sizeof *terms));
    if (!terms) {
        ampl_fail_memory(e);
        return ampl_value_nothing();
    }
    for (size_t i = 0; i < count; i++) {
        at = e->added[at].next;
        terms[i] = ampl_expr(e, e->added[at].value);
        terms[i] = minus ? hn_neg(terms[i]) : terms[i];
    }
    struct ampl_value value = ampl_value_expr(e, hn_sum(e->model, count, terms), place);
    base_release(terms);
    return value;
}

static struct ampl_value added_to(struct ampl_evaluator *e, const struct ampl_declaration *goal, bool minus,
                                  struct ampl_place place) {
    const struct ampl_value *last = ampl_table_find(&goal->added, ampl_loop_index(e, goal->indexing));
    return last ? sum_ring(e, (size_t)last->is.number, minus, place) : ampl_value_number(0);
}

struct ampl_value ampl_evaluate_net(struct ampl_evaluator *e, const struct ampl_node *node) {
    return added_to(e, node->is.declaration, node->dimension != 0, node->place);
}

static bool add_contributions(struct ampl_evaluator *e, struct ampl_declaration *goal, struct ampl_value *value) {
    if (!goal->receives || goal->placed)
        return true;
    struct ampl_value added = added_to(e, goal, false, goal->place);
    if (!e->failed)
        *value = ampl_value_expr(e, hn_add(ampl_expr(e, *value), ampl_expr(e, added)), goal->place);
    return !e->failed;
}

/* ---- objectives ---- */

static bool visit_objective(struct ampl_evaluator *e, struct ampl_declaration *objective, const ampl_atom *key,
                            void *context) {
    struct ampl_value value;
    (void)context;
    if (ampl_is_dropped(objective, key))
        return true;
    if (hn_model_objective(e->model).name) {
        ampl_note(e->sources, HN_SEVERITY_WARNING, &objective->place,
                  "the objective %s is ignored: only the first one is used", ampl_label_of(e, objective, key));
        return true;
    }
    if (!ampl_operand(e, objective->sides[0], &value) || !add_contributions(e, objective, &value))
        return false;
    hn_expr expr = ampl_expr(e, value);
    if (objective->maximize)
        hn_maximize(e->model, ampl_label_of(e, objective, key), expr);
    else
        hn_minimize(e->model, ampl_label_of(e, objective, key), expr);
    return ampl_model_good(e, objective);
}

/* ---- constraints ---- */

static bool depends(struct ampl_evaluator *e, struct ampl_value value) {
    return value.kind == AMPL_EXPRESSION && hn_depends_on_outputs((hn_expr){e->model, value.index});
}

/* A row without variables is either satisfied or infeasible, up to rounding of its constants. */
static bool check_constant_row(struct ampl_evaluator *e, const struct ampl_declaration *constraint,
                               const ampl_atom *key, const struct ampl_bounds *bounds, struct ampl_value body) {
    double lower = bounds->lower.is.number, upper = bounds->upper.is.number, value = body.is.number;
    if (body.kind != AMPL_NUMBER || !is_constant(bounds) ||
        (value >= lower - ROUNDING * (1 + fabs(lower)) && value <= upper + ROUNDING * (1 + fabs(upper))))
        return true;
    bool below = value < lower;
    const char *relation = lower == upper ? "=" : below ? ">=" : "<=";
    return ampl_fail(e, HN_INVALID, constraint->place, "%s: no variables, and never satisfied: %s %s %s",
                     ampl_label_of(e, constraint, key), error_number(value).text, relation,
                     error_number(below ? lower : upper).text);
}

static bool add_row(struct ampl_evaluator *e, const struct ampl_declaration *constraint, const ampl_atom *key,
                    struct ampl_bounds bounds, struct ampl_value body) {
    if (e->failed || !check_bounds(e, constraint, key, &bounds) ||
        !check_constant_row(e, constraint, key, &bounds, body))
        return false;
    hn_expr expr = ampl_expr(e, body);
    const char *label = new_label(e, constraint, key);
    if (!label)
        return false;
    if (is_constant(&bounds))
        hn_constrain(e->model, label, bounds.lower.is.number, expr, bounds.upper.is.number);
    else
        hn_constrain_between(e->model, label, ampl_expr(e, bounds.lower), expr, ampl_expr(e, bounds.upper));
    return ampl_model_good(e, constraint);
}

/* The bounds of `body relation bound`. */
static struct ampl_bounds one_sided(uint32_t relation, struct ampl_value bound) {
    struct ampl_bounds bounds = {ampl_value_number(-HUGE_VAL), ampl_value_number(HUGE_VAL)};
    if (relation != AMPL_TOKEN_LESS_EQUAL)
        bounds.lower = bound;
    if (relation != AMPL_TOKEN_GREATER_EQUAL)
        bounds.upper = bound;
    return bounds;
}

static bool two_sides(struct ampl_evaluator *e, struct ampl_declaration *c, const ampl_atom *key) {
    struct ampl_value left, right;
    if (!ampl_operand(e, c->sides[0], &left) || !add_contributions(e, c, &left) ||
        !ampl_operand(e, c->sides[1], &right))
        return false;
    bool on_left = depends(e, left), on_right = depends(e, right);
    if (on_left && on_right) {
        hn_expr difference = hn_sub(ampl_expr(e, left), ampl_expr(e, right));
        struct ampl_value body = ampl_value_expr(e, difference, c->sides[0]->place);
        return add_row(e, c, key, one_sided(c->relation, ampl_value_number(0)), body);
    }
    if (on_right)
        return add_row(e, c, key, one_sided(ampl_mirrored(c->relation), left), right);
    return add_row(e, c, key, one_sided(c->relation, right), left);
}

static bool three_sides(struct ampl_evaluator *e, struct ampl_declaration *c, const ampl_atom *key) {
    struct ampl_value sides[3];
    for (int i = 0; i < 3; i++)
        if (!ampl_operand(e, c->sides[i], &sides[i]))
            return false;
    for (int i = 0; i < 3; i += 2)
        if (depends(e, sides[i]))
            return ampl_fail(e, HN_INVALID, c->sides[i]->place,
                             "in a double inequality only the middle may contain variables");
    if (!add_contributions(e, c, &sides[1]))
        return false;
    bool up = c->relation == AMPL_TOKEN_LESS_EQUAL;
    struct ampl_bounds bounds = {sides[up ? 0 : 2], sides[up ? 2 : 0]};
    return add_row(e, c, key, bounds, sides[1]);
}

static bool visit_constraint(struct ampl_evaluator *e, struct ampl_declaration *constraint, const ampl_atom *key,
                             void *context) {
    (void)context;
    if (ampl_is_dropped(constraint, key))
        return true;
    return constraint->side_count == 3 ? three_sides(e, constraint, key) : two_sides(e, constraint, key);
}

/* ---- all declarations ---- */

static bool expand_kind(struct ampl_evaluator *e, enum ampl_kind kind, bool defined, ampl_visit_entry visit) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        if (d->kind == kind && d->defined == defined &&
            (!ampl_loop_entries(e, d, visit, NULL) || !ampl_model_good(e, d)))
            return false;
    return true;
}

/* Values without a name, in the order of the text: each one's dependencies are known, so that long chains and large
 * sums are evaluated once, without deep recursion. */
static bool compute_nameless(struct ampl_evaluator *e, enum ampl_kind kind) {
    for (struct ampl_declaration *d = e->program->first; d && !e->failed; d = d->next)
        if (d->kind == kind && d->defined && !d->indexing && ampl_symbols_nameless(e->symbols, d->name)) {
            e->about = d->name;
            ampl_computed_variable(e, d, NULL);
        }
    return !e->failed;
}

bool ampl_expand(struct ampl_evaluator *e) {
    return meet_integrality(e) && compute_nameless(e, AMPL_PARAMS) &&
           expand_kind(e, AMPL_VARIABLES, false, visit_variable) && compute_nameless(e, AMPL_VARIABLES) &&
           collect_contributions(e) && expand_kind(e, AMPL_OBJECTIVES, false, visit_objective) &&
           expand_kind(e, AMPL_CONSTRAINTS, false, visit_constraint) &&
           expand_kind(e, AMPL_VARIABLES, true, visit_definition);
}
