/* call_batching.h - combines calls of one elementary function in straight-line code into a loop.
 *
 * An elementary function has 60 instructions or more. If it is called for slots at a constant stride, for example the
 * angles of all stages, a loop at the beginning of the round keeps the code short; an array stores the values until
 * their use.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_CALL_BATCHING_H
#define HN_CODEGEN_CALL_BATCHING_H

#include "codegen/passes/loop_reroll.h"

struct call_loop {
    struct buffers lists;
    enum function function;
    size_t count;    /* 0: no loop */
    uint32_t slot;   /* the argument of the first call */
    uint32_t stride; /* slots between consecutive arguments */
    uint32_t *place; /* per statement: 1 + the index of its call, or 0 */
};

/* Finds the longest loop. False when out of memory. */
bool call_loop_find(struct call_loop *loop, const struct statements *s, const struct liveness *liveness);
void call_loop_release(struct call_loop *loop);

static inline size_t call_loop_results(const struct call_loop *loop) {
    return loop->function == FUNCTION_SINCOS ? 2 : 1;
}

#endif
