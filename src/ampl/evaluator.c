/* evaluator.c - see evaluator.h: errors, limits, frames, temporaries, labels.
 *
 * SPDX-License-Identifier: MIT */
#include "ampl/evaluator.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"

#include <stdarg.h>

void ampl_evaluator_release(struct ampl_evaluator *e) {
    for (size_t i = 0; i < e->temporary_made; i++)
        ampl_set_destroy(e->temporaries[i]);
    base_release(e->temporaries);
    base_release(e->stack);
    base_release(e->terms);
    base_release(e->factors);
    base_release(e->waiting);
    base_release(e->added);
    ampl_label_release(&e->label);
}

/* ---- errors and limits ---- */

bool ampl_fail(struct ampl_evaluator *e, hn_status status, struct ampl_place place, const char *format, ...) {
    char text[400];
    if (e->failed)
        return false;
    e->failed = true;
    va_list arguments;
    va_start(arguments, format);
    error_format(text, sizeof text, format, arguments);
    va_end(arguments);
    return ampl_error(e->sources, status, &place, "%s", text);
}

bool ampl_fail_memory(struct ampl_evaluator *e) {
    e->failed = true;
    return ampl_no_memory(e->sources);
}

bool ampl_step(struct ampl_evaluator *e, size_t count, struct ampl_place place) {
    if (count <= e->max_steps - e->steps) {
        e->steps += count;
        return true;
    }
    return ampl_fail(e, HN_LIMIT, place, "%s: expansion needs more than %zu steps; raise max_nodes (%zu)",
                     ampl_symbol_text(e, e->about), e->max_steps, e->max_nodes);
}

bool ampl_hold(struct ampl_evaluator *e, size_t bytes, struct ampl_place place) {
    if (bytes <= e->max_held - e->held) {
        e->held += bytes;
        return true;
    }
    return ampl_fail(e, HN_LIMIT, place, "%s: sets, tables and names need more than %zu bytes; raise max_nodes (%zu)",
                     ampl_symbol_text(e, e->about), e->max_held, e->max_nodes);
}

/* Updates the memory count of an object that was counted before. */
static bool hold_again(struct ampl_evaluator *e, size_t now, size_t *counted, struct ampl_place place) {
    size_t before = *counted;
    *counted = now;
    e->held -= before < e->held ? before : e->held;
    return ampl_hold(e, now, place);
}

bool ampl_hold_set(struct ampl_evaluator *e, struct ampl_set *set, struct ampl_place place) {
    return hold_again(e, ampl_set_bytes(set), &set->counted, place);
}

bool ampl_keep(struct ampl_evaluator *e, struct ampl_table *table, uint32_t arity, const ampl_atom *key,
               struct ampl_value value, struct ampl_place place) {
    if (!ampl_table_set(table, arity, key, value))
        return ampl_fail_memory(e);
    return hold_again(e, ampl_table_bytes(table), &table->counted, place);
}

/* ---- frames ---- */

bool ampl_frame_enter(struct ampl_evaluator *e, uint32_t slots, struct ampl_frame *outer) {
    *outer = (struct ampl_frame){e->base, e->top};
    ampl_atom *stack = array_grow(e->stack, &e->stack_capacity, size_sum(e->top, (size_t)slots + 1), sizeof *stack);
    if (!stack)
        return ampl_fail_memory(e);
    e->stack = stack;
    e->base = e->top;
    e->top += slots;
    for (size_t i = e->base; i < e->top; i++)
        stack[i] = 0;
    return true;
}

void ampl_frame_leave(struct ampl_evaluator *e, struct ampl_frame outer) {
    e->base = outer.base;
    e->top = outer.top;
}

/* ---- temporaries ---- */

struct ampl_set *ampl_temporary(struct ampl_evaluator *e, uint32_t dimension) {
    if (e->temporary_count == e->temporary_made) {
        struct ampl_set **list =
            array_grow(e->temporaries, &e->temporary_capacity, e->temporary_made + 1, sizeof *list);
        if (list)
            e->temporaries = list;
        struct ampl_set *set = list ? ampl_set_create(dimension) : NULL;
        if (!set) {
            ampl_fail_memory(e);
            return NULL;
        }
        e->temporaries[e->temporary_made++] = set;
    }
    struct ampl_set *set = e->temporaries[e->temporary_count++];
    ampl_set_clear(set, dimension);
    return set;
}

bool ampl_collect(struct ampl_evaluator *e, struct ampl_set *set, const ampl_atom *member, struct ampl_place place) {
    if (!ampl_step(e, set->tuples.arity, place))
        return false;
    if (set->tuples.count >= e->max_nodes)
        return ampl_fail(e, HN_LIMIT, place, "%s: a set of more than %zu members; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    size_t before = ampl_tuples_bytes(&set->tuples);
    if (!ampl_set_add(set, member))
        return ampl_fail_memory(e);
    return before == ampl_tuples_bytes(&set->tuples) || ampl_hold_set(e, set, place);
}

/* ---- labels ---- */

struct ampl_value ampl_new_text(struct ampl_evaluator *e, const char *text, size_t length, struct ampl_place place) {
    size_t before = e->symbols->count, own = sizeof(struct ampl_symbol) + 2 * sizeof(uint32_t);
    uint32_t symbol;
    if (!ampl_symbols_intern(e->symbols, text, length, &symbol))
        ampl_fail_memory(e);
    else if (e->symbols->count == before || ampl_hold(e, length + own, place))
        return ampl_value_symbol(symbol);
    return ampl_value_nothing();
}

const char *ampl_symbol_text(const struct ampl_evaluator *e, uint32_t symbol) {
    return ampl_symbols_text(e->symbols, symbol);
}

const char *ampl_label(struct ampl_evaluator *e, const char *name, uint32_t count, const ampl_atom *atoms) {
    const char *label = e->failed ? name : ampl_label_write(&e->label, e->symbols, name, count, atoms);
    if (!label)
        ampl_fail_memory(e);
    return label ? label : name;
}
