/* tape_head.h - the head of a sample's tape: whether its steps can be differentiated, how many there are, and which attempt they belong
 * to.
 *
 * Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_TAPE_HEAD_H
#define HN_CORE_TAPE_HEAD_H

#include "core/sample_state.h"

enum tape_validity {
    TAPE_WHOLE,
    TAPE_FALLBACK, /* the result is a fallback and does not depend on y_raw */
    TAPE_TOO_LONG, /* more steps than the tape has room for, or a step by an elastic QP */
};

struct tape_head {
    int32_t way; /* enum tape_validity */
    int32_t steps;
    int32_t attempt; /* its start point: core/restart.h */
    int32_t unused;
};

/* The head of a sample that has ended; room: capacity of the tape in steps. The tape has the last attempt only. If an earlier attempt
 * had the best iterate, its steps are lost; such a sample, which is not ok, gets the gradient of the identity. */
SAMPLE_FUNCTION struct tape_head tape_head_of(const struct sample *s, size_t room) {
    bool lost = s->origin != SAMPLE_FROM_ATTEMPT || s->best_attempt != s->attempt;
    bool strayed = s->strayed > 0 && s->best_step >= s->strayed;
    bool longer = !lost && (strayed || (size_t)s->best_step > room);
    enum tape_validity way = longer ? TAPE_TOO_LONG : TAPE_WHOLE;
    if (s->phase == PHASE_FALLBACK)
        way = TAPE_FALLBACK;
    bool whole = way == TAPE_WHOLE && !lost;
    struct tape_head head = {(int32_t)way, whole ? s->best_step : 0, whole ? s->attempt : 0, 0};
    return head;
}

/* The head for the backward pass. A head that no forward run can have written has no gradient. */
SAMPLE_FUNCTION struct tape_head tape_head_read(const struct tape_head *head, size_t room) {
    bool whole = head->way == TAPE_WHOLE && head->steps >= 0 && (size_t)head->steps <= room && head->attempt >= 0 &&
                 (head->attempt == 0 || room > 0);
    bool fallback = head->way == TAPE_FALLBACK && head->steps == 0 && head->attempt == 0;
    struct tape_head none = {(int32_t)TAPE_TOO_LONG, 0, 0, 0};
    return whole || fallback ? *head : none;
}

#endif
