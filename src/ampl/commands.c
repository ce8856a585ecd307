/* commands.c - runs let, fix, unfix, drop, restore and objective, and for, repeat and if over them, in order after all
 * texts are read; finally checks.
 *
 * The effect of let is visible to the commands after it: computed values are discarded. In commands a variable has its
 * start value.
 *
 * All commands of a block share the frame of the outermost one. The indices of a loop are listed before its first
 * command runs: let may change the sets that they come from. Every command counts as many steps as there are
 * declarations, since let invalidates computed values, so that an infinite loop ends with an error.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include <stdio.h>

/* Runs a command for each index. */
struct run {
    struct ampl_command *command;
    struct ampl_table sets;  /* new sets of a let: assigned after its loop, which may iterate over the old sets */
    struct ampl_value value; /* of fix */
};

/* ---- let ---- */

static bool let_set(struct ampl_evaluator *e, struct run *run, const ampl_atom *key) {
    const struct ampl_declaration *target = run->command->target->is.declaration;
    const struct ampl_set *from = ampl_evaluate_set(e, run->command->value);
    if (!from)
        return false;
    struct ampl_set *set = ampl_table_new_set(&run->sets, target->arity, key, target->dimension);
    if (!set || !ampl_set_copy(set, from))
        return ampl_fail_memory(e);
    return ampl_hold_set(e, set, run->command->place);
}

/* Subtracts a removed set from the counted memory. */
static void give_back(struct ampl_evaluator *e, const struct ampl_value *value) {
    if (value && value->kind == AMPL_SET_VALUE)
        e->held -= value->is.set->counted < e->held ? value->is.set->counted : e->held;
}

static bool assign_sets(struct ampl_evaluator *e, struct run *run) {
    struct ampl_declaration *target = run->command->target->is.declaration;
    for (size_t i = 0; i < run->sets.keys.count; i++) {
        ampl_atom key[AMPL_MOST_COMPONENTS];
        ampl_table_key(&run->sets, i, key);
        give_back(e, ampl_table_find(&target->given, key));
        if (!ampl_table_set(&target->given, target->arity, key, run->sets.values[i]))
            return ampl_fail_memory(e);
        run->sets.values[i].kind = AMPL_NOTHING; /* ownership has moved */
    }
    return true;
}

static bool let_scalar(struct ampl_evaluator *e, struct run *run, const ampl_atom *key) {
    struct ampl_command *command = run->command;
    struct ampl_declaration *target = command->target->is.declaration;
    struct ampl_value value = ampl_evaluate(e, command->value);
    if (e->failed)
        return false;
    if (target->pinned) {
        if (!command->noted)
            ampl_note(e->sources, HN_SEVERITY_NOTE, &command->place, "let %s is skipped: the caller sets the value",
                      ampl_symbol_text(e, target->name));
        command->noted = true;
        return true;
    }
    if (value.kind == AMPL_SYMBOL && !target->symbolic)
        return ampl_fail(e, HN_INVALID, command->value->place, "'%s' is a string, but %s is numeric",
                         ampl_symbol_text(e, value.index), ampl_symbol_text(e, target->name));
    struct ampl_table *values = command->kind == AMPL_START ? &target->started : &target->given;
    return ampl_keep(e, values, target->arity, key, value, command->place);
}

/* The key of the target at the current index. */
static bool target_key(struct ampl_evaluator *e, const struct ampl_node *target, ampl_atom *key) {
    return ampl_subscripts(e, target, key) && ampl_check_key(e, target->is.declaration, key, target->place);
}

static bool visit_let(struct ampl_evaluator *e, void *context) {
    struct run *run = context;
    const struct ampl_node *target = run->command->target;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    size_t mark = e->temporary_count;
    if (!target_key(e, target, key))
        return false;
    bool good = target->type == AMPL_SET ? let_set(e, run, key) : let_scalar(e, run, key);
    e->temporary_count = mark;
    return good;
}

/* ---- fix and unfix, drop and restore ---- */

static bool fix_entry(struct ampl_evaluator *e, struct ampl_declaration *variable, const ampl_atom *key,
                      void *context) {
    const struct run *run = context;
    const struct ampl_command *command = run->command;
    bool fixed = command->kind == AMPL_FIX || command->kind == AMPL_DROP;
    if (run->value.kind != AMPL_NOTHING &&
        !ampl_keep(e, &variable->given, variable->arity, key, run->value, command->place))
        return false;
    return ampl_keep(e, &variable->fixed, variable->arity, key, ampl_value_number(fixed), command->place);
}

static bool visit_fix(struct ampl_evaluator *e, void *context) {
    struct run *run = context;
    const struct ampl_node *target = run->command->target;
    ampl_atom key[AMPL_MOST_COMPONENTS];
    if (run->command->value && !ampl_operand(e, run->command->value, &run->value))
        return false;
    if (target->count < target->is.declaration->arity) /* fix x: all x[i] */
        return ampl_loop_entries(e, target->is.declaration, fix_entry, run);
    return target_key(e, target, key) && fix_entry(e, target->is.declaration, key, run);
}

/* ---- running ---- */

/* Discards computed values; keeps inputs and variables. */
static void forget_computed(struct ampl_evaluator *e) {
    for (struct ampl_declaration *d = e->program->first; d; d = d->next) {
        if ((d->kind != AMPL_PARAMS || d->input) && d->kind != AMPL_SETS)
            continue;
        for (size_t i = 0; d->kind == AMPL_SETS && i < d->known.keys.count; i++)
            give_back(e, &d->known.values[i]);
        ampl_table_clear(&d->known);
        for (size_t i = 0; d->order && i < d->given.keys.count; i++) /* their order set may have changed */
            d->given.values[i].is.set->arranged = false;
    }
}

/* objective F: drops all, then restores F. */
static bool drop_objectives(struct ampl_evaluator *e, const struct ampl_command *chosen) {
    struct ampl_command drop = {.kind = AMPL_DROP, .place = chosen->place};
    struct run run = {.command = &drop};
    for (struct ampl_declaration *d = e->program->first; d; d = d->next)
        if (d->kind == AMPL_OBJECTIVES && !ampl_loop_entries(e, d, fix_entry, &run))
            return false;
    return true;
}

static bool run_command(struct ampl_evaluator *e, struct ampl_command *command) {
    struct run run = {.command = command};
    e->runs++;
    e->about = command->target->is.declaration->name;
    if (command->kind == AMPL_OBJECTIVE && !drop_objectives(e, command))
        return false;
    bool good = ampl_loop(e, command->indexing, command->kind <= AMPL_START ? visit_let : visit_fix, &run) &&
                assign_sets(e, &run);
    ampl_table_release(&run.sets);
    if (command->kind == AMPL_LET && command->target->is.declaration->kind != AMPL_VARIABLES)
        forget_computed(e);
    return good;
}

/* ---- blocks ---- */

static bool run_block(struct ampl_evaluator *e, struct ampl_command *command);

static bool run_any(struct ampl_evaluator *e, struct ampl_command *command) {
    return command->kind >= AMPL_FOR ? run_block(e, command) : run_command(e, command);
}

static size_t cost_of(const struct ampl_evaluator *e, const struct ampl_command *command) {
    size_t cost = 1;
    for (const struct ampl_declaration *d = e->program->first; d && command->kind == AMPL_LET; d = d->next)
        cost++;
    return cost;
}

static bool run_list(struct ampl_evaluator *e, struct ampl_command *first) {
    for (struct ampl_command *c = first; c && e->leaving == AMPL_LET; c = c->next) {
        if (!ampl_step(e, cost_of(e, c), c->place) || !run_any(e, c))
            return false;
    }
    return true;
}

static bool holds(struct ampl_evaluator *e, const struct ampl_node *condition, bool *result) {
    size_t mark = e->temporary_count;
    e->runs++;
    bool good = ampl_test(e, condition, "the condition of a command", result);
    e->temporary_count = mark;
    return good;
}

/* Whether the loop continues after its body. break and continue for this loop are consumed. */
static bool goes_on(struct ampl_evaluator *e, const struct ampl_command *loop) {
    bool mine = e->leaving_to == 0 || e->leaving_to == loop->name;
    enum ampl_command_kind leaving = e->leaving;
    if (leaving == AMPL_LET || leaving == AMPL_STOP || !mine)
        return leaving == AMPL_LET;
    e->leaving = AMPL_LET;
    e->leaving_to = 0;
    return leaving == AMPL_CONTINUE;
}

struct listing {
    const struct ampl_command *loop;
    struct ampl_set *keys;
};

static bool visit_key(struct ampl_evaluator *e, void *context) {
    const struct listing *listing = context;
    return ampl_collect(e, listing->keys, ampl_loop_index(e, listing->loop->indexing), listing->loop->place);
}

static bool run_for(struct ampl_evaluator *e, const struct ampl_command *loop) {
    const struct ampl_indexing *indexing = loop->indexing;
    size_t mark = e->temporary_count;
    struct listing listing = {loop, ampl_temporary(e, indexing->arity)};
    e->runs++;
    e->about = AMPL_WORD_for;
    bool good = listing.keys && ampl_loop(e, indexing, visit_key, &listing);
    size_t count = good ? ampl_set_count(listing.keys) : 0;
    for (size_t i = 0; good && i < count; i++) {
        ampl_set_member(listing.keys, i, e->stack + e->base + indexing->first_slot);
        good = ampl_step(e, 1, loop->place) && run_list(e, loop->body);
        if (!goes_on(e, loop))
            break;
    }
    e->temporary_count = mark;
    return good;
}

static bool run_repeat(struct ampl_evaluator *e, const struct ampl_command *loop) {
    for (;;) {
        bool before = !loop->until, after = !loop->until_after;
        e->about = AMPL_WORD_repeat;
        if (!ampl_step(e, 1, loop->place) || (loop->value && !holds(e, loop->value, &before)))
            return false;
        if (before == loop->until)
            return true;
        if (!run_list(e, loop->body))
            return false;
        if (!goes_on(e, loop))
            return true;
        if (loop->after && !holds(e, loop->after, &after))
            return false;
        if (after == loop->until_after)
            return true;
    }
}

static bool run_if(struct ampl_evaluator *e, const struct ampl_command *choice) {
    bool result;
    e->about = AMPL_WORD_if;
    return holds(e, choice->value, &result) && run_list(e, result ? choice->body : choice->otherwise);
}

static bool run_block(struct ampl_evaluator *e, struct ampl_command *command) {
    switch (command->kind) {
    case AMPL_FOR:
        return run_for(e, command);
    case AMPL_REPEAT:
        return run_repeat(e, command);
    case AMPL_IF:
        return run_if(e, command);
    default: /* break, continue, solve */
        e->leaving = command->kind;
        e->leaving_to = command->name;
        return true;
    }
}

/* ---- all commands ---- */

bool ampl_run_commands(struct ampl_evaluator *e) {
    e->starting = true;
    for (struct ampl_command *c = e->program->first_command; c && e->leaving != AMPL_STOP; c = c->next) {
        if (c->kind == AMPL_CHECK)
            continue;
        struct ampl_frame outer = ampl_frame_enter(e, c->slots);
        if (e->failed || !run_any(e, c))
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
    char name[24];
    if (command->name != 0)
        return ampl_label(e, ampl_symbol_text(e, command->name), 0, NULL);
    snprintf(name, sizeof name, "check %u", (unsigned)command->number);
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
        if (c->kind != AMPL_CHECK)
            continue;
        struct ampl_frame outer = ampl_frame_enter(e, c->slots);
        e->about = AMPL_WORD_check;
        if (e->failed || !ampl_loop(e, c->indexing, visit_check, c))
            return false;
        ampl_frame_leave(e, outer);
    }
    return true;
}
