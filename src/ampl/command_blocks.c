/* command_blocks.c - for, repeat and if over commands, with break and continue.
 *
 * All commands of a block share the frame of the outermost one. The indices of a loop are listed before its first
 * command runs: let may change the sets that they come from. Every command counts as many steps as there are
 * declarations, since let invalidates computed values, so that an infinite loop ends with an error.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

bool ampl_is_block(const struct ampl_command *command) {
    return command->kind >= AMPL_FOR;
}

static size_t cost_of(const struct ampl_evaluator *e, const struct ampl_command *command) {
    size_t cost = 1;
    for (const struct ampl_declaration *d = e->program->first; d && command->kind == AMPL_LET; d = d->next)
        cost++;
    return cost;
}

static bool run_list(struct ampl_evaluator *e, struct ampl_command *first) {
    for (struct ampl_command *c = first; c && e->leaving == AMPL_LET; c = c->next) {
        if (!ampl_step(e, cost_of(e, c), c->place))
            return false;
        if (ampl_is_block(c) ? !ampl_run_block(e, c) : !ampl_run_command(e, c))
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
static bool command_blocks_goes_on(struct ampl_evaluator *e, const struct ampl_command *loop) {
    bool mine = e->leaving_to == 0 || e->leaving_to == loop->name;
    enum ampl_command_kind leaving = e->leaving;
    if (leaving == AMPL_LET || leaving == AMPL_STOP || !mine)
        return leaving == AMPL_LET;
    e->leaving = AMPL_LET;
    e->leaving_to = 0;
    return leaving == AMPL_CONTINUE;
}

/* ---- for ---- */

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
        if (!command_blocks_goes_on(e, loop))
            break;
    }
    e->temporary_count = mark;
    return good;
}

/* ---- repeat and if ---- */

static bool run_repeat(struct ampl_evaluator *e, const struct ampl_command *loop) {
    bool result;
    for (;;) {
        e->about = AMPL_WORD_repeat;
        if (!ampl_step(e, 1, loop->place) || (loop->value && !holds(e, loop->value, &result)))
            return false;
        if (loop->value && result == loop->until)
            return true;
        if (!run_list(e, loop->body))
            return false;
        if (!command_blocks_goes_on(e, loop))
            return true;
        if (loop->after && !holds(e, loop->after, &result))
            return false;
        if (loop->after && result == loop->until_after)
            return true;
    }
}

static bool run_if(struct ampl_evaluator *e, const struct ampl_command *choice) {
    bool result;
    e->about = AMPL_WORD_if;
    return holds(e, choice->value, &result) && run_list(e, result ? choice->body : choice->otherwise);
}

bool ampl_run_block(struct ampl_evaluator *e, struct ampl_command *command) {
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
