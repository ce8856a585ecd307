/* commands.c - let, fix, unfix, drop, restore and objective, run in order once everything is read; and checks.
 *
 * The effect of let is visible to the commands after it: computed values are discarded. In commands a variable has its
 * start value.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

struct run {
    struct ampl_command *command;
    struct ampl_table sets; /* new sets of a let: assigned after its loop, which may iterate over the old ones */
};

/* ---- let ---- */

static bool let_set(struct ampl_evaluator *e, struct run *run, const ampl_atom *key) {
    const struct ampl_declaration *target = run->command->target->is.declaration;
    const struct ampl_set *from = ampl_evaluate_set(e, run->command->value);
    if (!from)
        return false;
    struct ampl_value value = {.kind = AMPL_SET_VALUE, .is = {.set = ampl_set_create(target->dimension)}};
    bool good = value.is.set && ampl_set_copy(value.is.set, from);
    bool held = !good || ampl_hold_set(e, value.is.set, run->command->place);
    if (good && held && ampl_table_set(&run->sets, target->arity, key, value))
        return true;
    ampl_set_destroy(value.is.set);
    return held && ampl_fail_memory(e);
}

/* Releases the memory of a removed set from the limit. */
static void give_back(struct ampl_evaluator *e, const struct ampl_value *value) {
    if (value && value->kind == AMPL_SET_VALUE)
        e->held -= value->is.set->counted < e->held ? value->is.set->counted : e->held;
}

static bool give_sets(struct ampl_evaluator *e, struct run *run) {
    struct ampl_declaration *target = run->command->target->is.declaration;
    const struct ampl_tuples *keys = &run->sets.keys;
    for (size_t i = 0; i < keys->count; i++) {
        const ampl_atom *key = keys->arity > 0 ? keys->atoms + i * keys->arity : NULL;
        give_back(e, ampl_table_find(&target->given, key));
        if (!ampl_table_set(&target->given, target->arity, key, run->sets.values[i]))
            return ampl_fail_memory(e);
        run->sets.values[i].kind = AMPL_NOTHING; /* ownership has moved */
    }
    return true;
}

static bool let_scalar(struct ampl_evaluator *e, struct run *run, const ampl_atom *key) {
    struct ampl_declaration *target = run->command->target->is.declaration;
    struct ampl_value value = ampl_evaluate(e, run->command->value);
    if (e->failed)
        return false;
    if (target->pinned) {
        if (!run->command->noted)
            ampl_note(e->sources, HN_SEVERITY_NOTE, &run->command->place,
                      "let %s is skipped: the caller sets the value", ampl_symbol_text(e, target->name));
        run->command->noted = true;
        return true;
    }
    if (value.kind == AMPL_SYMBOL && !target->symbolic)
        return ampl_fail(e, HN_INVALID, run->command->value->place, "'%s' is a string, but %s is numeric",
                         ampl_symbol_text(e, value.index), ampl_symbol_text(e, target->name));
    struct ampl_table *values = run->command->kind == AMPL_START ? &target->started : &target->given;
    return ampl_keep(e, values, target->arity, key, value, run->command->place);
}

static bool visit_let(struct ampl_evaluator *e, void *context) {
    struct run *run = context;
    const struct ampl_node *target = run->command->target;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    size_t mark = e->temporary_count;
    if (!ampl_subscripts(e, target, key) || !ampl_check_key(e, target->is.declaration, key, target->place))
        return false;
    bool good = target->type == AMPL_SET ? let_set(e, run, key) : let_scalar(e, run, key);
    e->temporary_count = mark;
    return good;
}

/* ---- fix and unfix, drop and restore ---- */

static bool fix_one(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                    const struct ampl_command *command, struct ampl_value value) {
    bool fixed = command->kind == AMPL_FIX || command->kind == AMPL_DROP;
    if (value.kind != AMPL_NOTHING && !ampl_keep(e, &variable->given, variable->arity, key, value, command->place))
        return false;
    return ampl_keep(e, &variable->fixed, variable->arity, key, ampl_value_number(fixed), command->place);
}

struct fixing {
    struct ampl_command *command;
    struct ampl_value value;
};

static bool visit_all(struct ampl_evaluator *e, void *context) {
    const struct fixing *fixing = context;
    struct ampl_declaration *variable = fixing->command->target->is.declaration;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    memcpy(key, ampl_loop_index(e, variable->indexing), variable->arity * sizeof *key);
    return fix_one(e, variable, key, fixing->command, fixing->value);
}

/* fix x: all x[i]. */
static bool fix_all(struct ampl_evaluator *e, struct fixing *fixing) {
    const struct ampl_declaration *variable = fixing->command->target->is.declaration;
    struct ampl_frame outer;
    if (!ampl_frame_enter(e, variable->slots, &outer))
        return false;
    bool good = ampl_loop(e, variable->indexing, visit_all, fixing);
    ampl_frame_leave(e, outer);
    return good;
}

static bool visit_fix(struct ampl_evaluator *e, void *context) {
    struct fixing fixing = {((struct run *)context)->command, ampl_value_nothing()};
    const struct ampl_node *target = fixing.command->target;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (fixing.command->value && !ampl_operand(e, fixing.command->value, &fixing.value))
        return false;
    if (target->count < target->is.declaration->arity)
        return fix_all(e, &fixing);
    return ampl_subscripts(e, target, key) && ampl_check_key(e, target->is.declaration, key, target->place) &&
           fix_one(e, target->is.declaration, key, fixing.command, fixing.value);
}

/* ---- running ---- */

/* Discards computed values; inputs and variables stay. */
static void forget_computed(struct ampl_evaluator *e) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next) {
        if ((d->kind != AMPL_PARAMS || d->input) && d->kind != AMPL_SETS)
            continue;
        for (size_t i = 0; d->kind == AMPL_SETS && i < d->known.keys.count; i++)
            give_back(e, &d->known.values[i]);
        ampl_table_clear(&d->known);
        for (size_t i = 0; d->order && i < d->given.keys.count; i++) /* the set that orders them may have changed */
            d->given.values[i].is.set->arranged = false;
    }
}

/* objective F: drops all, then restores F. */
static bool drop_objectives(struct ampl_evaluator *e, const struct ampl_command *chosen) {
    struct ampl_node all = {.op = AMPL_REFERENCE};
    struct ampl_command drop = {.kind = AMPL_DROP, .place = chosen->place, .target = &all};
    struct fixing fixing = {&drop, ampl_value_nothing()};
    for (struct ampl_declaration *d = e->program->first; d; d = d->next) {
        all.is.declaration = d;
        if (d->kind == AMPL_OBJECTIVES && !fix_all(e, &fixing))
            return false;
    }
    return true;
}

bool ampl_run_command(struct ampl_evaluator *e, struct ampl_command *command) {
    struct run run = {.command = command};
    e->runs++;
    e->about = command->target->is.declaration->name;
    if (command->kind == AMPL_OBJECTIVE && !drop_objectives(e, command))
        return false;
    bool good = ampl_loop(e, command->indexing, command->kind <= AMPL_START ? visit_let : visit_fix, &run);
    good = good && give_sets(e, &run);
    ampl_table_release(&run.sets);
    if (command->kind == AMPL_LET && command->target->is.declaration->kind != AMPL_VARIABLES)
        forget_computed(e);
    return good;
}

bool ampl_run_commands(struct ampl_evaluator *e) {
    e->starting = true;
    for (struct ampl_command *c = e->program->first_command; c && e->leaving != AMPL_STOP; c = c->next) {
        struct ampl_frame outer;
        if (c->kind == AMPL_CHECK)
            continue;
        if (!ampl_frame_enter(e, c->slots, &outer))
            return false;
        if (ampl_is_block(c) ? !ampl_run_block(e, c) : !ampl_run_command(e, c))
            return false;
        if (e->leaving == AMPL_BREAK || e->leaving == AMPL_CONTINUE)
            return ampl_fail(e, HN_INVALID, c->place, "%s%s%s: not inside such a loop",
                             e->leaving == AMPL_BREAK ? "break" : "continue", e->leaving_to > 0 ? " " : "",
                             ampl_symbol_text(e, e->leaving_to));
        ampl_frame_leave(e, outer);
    }
    e->starting = false;
    e->runs = 0;
    forget_computed(e);
    return true;
}

bool ampl_is_dropped(const struct ampl_declaration *goal, const ampl_atom *key) {
    const struct ampl_value *dropped = ampl_table_find(&goal->fixed, key);
    return dropped && dropped->is.number != 0;
}

/* ---- checks ---- */

static const char *check_label(struct ampl_evaluator *e, const struct ampl_command *command) {
    char name[24] = "check ";
    if (command->name != 0)
        return ampl_label(e, ampl_symbol_text(e, command->name), 0, NULL);
    size_t n = sizeof name - 1, at = sizeof "check " - 1;
    for (uint32_t rest = command->number; rest > 0; rest /= 10)
        name[--n] = (char)('0' + rest % 10);
    memmove(name + at, name + n, sizeof name - n);
    return ampl_label(e, name, command->indexing ? command->indexing->arity : 0, ampl_loop_index(e, command->indexing));
}

static bool visit_check(struct ampl_evaluator *e, void *context) {
    const struct ampl_command *command = context;
    struct ampl_value value;
    if (!ampl_operand(e, command->value, &value))
        return false;
    const char *label = check_label(e, command);
    bool kept = value.kind == AMPL_EXPRESSION || (command->name != 0 && value.is.number != 0);
    if (kept) {
        hn_require(e->model, label, ampl_expr(e, value));
        return ampl_model_good(e, NULL);
    }
    return value.is.number != 0 || ampl_fail(e, HN_INVALID, command->place, "%s is not satisfied", label);
}

bool ampl_run_checks(struct ampl_evaluator *e) {
    for (struct ampl_command *c = e->program->first_command; c; c = c->next) {
        struct ampl_frame outer;
        if (c->kind != AMPL_CHECK)
            continue;
        e->about = AMPL_WORD_check;
        if (!ampl_frame_enter(e, c->slots, &outer) || !ampl_loop(e, c->indexing, visit_check, c))
            return false;
        ampl_frame_leave(e, outer);
    }
    return true;
}
