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
    return ampl_fail(e, HN_LIMIT, place, "%s: expanding it takes more than %zu steps; raise max_nodes (%zu)",
                     ampl_symbol_text(e, e->about), e->max_steps, e->max_nodes);
}

/* ---- frames ---- */

bool ampl_frame_enter(struct ampl_evaluator *e, uint32_t slots, struct ampl_frame *outer) {
    size_t needed;
    *outer = (struct ampl_frame){e->base, e->top};
    if (!size_add(e->top, (size_t)slots + 1, &needed))
        return ampl_fail_memory(e);
    ampl_atom *stack = array_grow(e->stack, &e->stack_capacity, needed, sizeof *stack);
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
    if (!ampl_step(e, 1, place))
        return false;
    if (set->tuples.count >= e->max_nodes)
        return ampl_fail(e, HN_LIMIT, place, "%s: a set of more than %zu members; raise max_nodes",
                         ampl_symbol_text(e, e->about), e->max_nodes);
    return ampl_set_add(set, member) || ampl_fail_memory(e);
}

/* ---- labels ---- */

const char *ampl_symbol_text(const struct ampl_evaluator *e, uint32_t symbol) {
    return e->symbols->list[symbol].text;
}

const char *ampl_label(struct ampl_evaluator *e, const char *name, uint32_t count, const ampl_atom *atoms) {
    const char *label = e->failed ? name : ampl_label_write(&e->label, e->symbols, name, count, atoms);
    if (!label)
        ampl_fail_memory(e);
    return label ? label : name;
}
