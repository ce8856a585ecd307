/* call_batching.c - see call_batching.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/call_batching.h"

enum { CALLS_LEAST = 4 };

static bool is_elementary(uint32_t function) {
    struct function_shape shape = function_shape((enum function)function);
    return function == FUNCTION_SINCOS || (shape.call && shape.arguments == 1);
}

/* The slot read by a call of this function. STATEMENT_CONSTANT: another function, or the argument is not a slot with an
 * earlier definition. */
static uint32_t argument_of(const struct statements *s, const struct liveness *liveness, size_t i, uint32_t function) {
    const struct statement *at = &s->list[i];
    if (at->function != function)
        return STATEMENT_CONSTANT;
    uint32_t argument = at->first + statement_destinations(at), slot = s->operands[argument];
    return operand_is_constant(slot) || liveness->source[argument] ? STATEMENT_CONSTANT : slot;
}

/* The longest run of calls of this function whose arguments are slots at a constant positive stride. */
static void find_run(struct call_loop *best, const struct statements *s, const struct liveness *liveness,
                     uint32_t function) {
    struct call_loop run = {.function = (enum function)function};
    uint32_t last = 0;
    for (size_t i = 0; i < s->count; i++) {
        uint32_t slot = argument_of(s, liveness, i, function);
        if (slot == STATEMENT_CONSTANT)
            continue;
        bool windowed = run.count > 0 && statements_in_window(s, slot) == statements_in_window(s, run.slot);
        if (run.count == 1 && slot > last && windowed)
            run.stride = slot - last;
        if (run.count == 0 || slot <= last || !windowed || slot - last != run.stride)
            run = (struct call_loop){.function = run.function, .slot = slot};
        run.count++;
        last = slot;
        if (run.count > best->count)
            *best = run;
    }
}

static void number_calls(const struct call_loop *loop, const struct statements *s, const struct liveness *liveness) {
    for (size_t i = 0; i < s->count; i++) {
        uint32_t slot = argument_of(s, liveness, i, loop->function), calls = (uint32_t)loop->count;
        if (slot == STATEMENT_CONSTANT || slot < loop->slot || (slot - loop->slot) % loop->stride != 0)
            continue;
        uint32_t place = (slot - loop->slot) / loop->stride;
        loop->place[i] = place < calls ? place + 1 : 0;
    }
}

bool call_loop_find(struct call_loop *loop, const struct statements *s, const struct liveness *liveness) {
    *loop = (struct call_loop){.count = 0};
    for (uint32_t function = 0; function < FUNCTIONS; function++)
        if (is_elementary(function))
            find_run(loop, s, liveness, function);
    if (loop->count < CALLS_LEAST) {
        loop->count = 0;
        return true;
    }
    loop->place = buffers_take(&loop->lists, s->count, sizeof *loop->place);
    if (loop->place)
        number_calls(loop, s, liveness);
    return loop->place != NULL;
}

void call_loop_release(struct call_loop *loop) {
    buffers_release(&loop->lists);
    *loop = (struct call_loop){.count = 0};
}
