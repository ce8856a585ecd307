/* call_batching.h - calls of one elementary function that become a loop in a round that is straight otherwise.
 *
 * An elementary function is 60 instructions or more. Where it is called for slots that lie evenly, as for the angles of all stages, one
 * loop at the beginning of the round keeps the code short; its values wait in an array, and are read where they are needed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_CALL_BATCHING_H
#define HN_CODEGEN_CALL_BATCHING_H

#include "codegen/passes/loop_reroll.h"

struct call_loop {
    struct buffers lists;
    enum function function;
    size_t count;    /* 0: there is none */
    uint32_t slot;   /* the argument of the first call */
    uint32_t stride; /* slots from one argument to the next */
    uint32_t *place; /* per statement: 1 + which call it is; 0: it is none of them */
};

/* The longest one. False when memory is out. */
bool call_loop_find(struct call_loop *loop, const struct statements *s, const struct liveness *liveness);
void call_loop_release(struct call_loop *loop);

static inline size_t call_loop_results(const struct call_loop *loop) {
    return loop->function == FUNCTION_SINCOS ? 2 : 1;
}

#endif
