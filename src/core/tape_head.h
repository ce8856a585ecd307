/* tape_head.h - what a tape says about the way of a sample from its raw output to its result: whether there is one to go back on, how
 * long it is, and where it began.
 *
 * Part of sample.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_TAPE_HEAD_H
#define HN_CORE_TAPE_HEAD_H

enum tape_validity {
    TAPE_WHOLE,
    TAPE_FALLBACK, /* the result is a fallback: it does not depend on y_raw */
    TAPE_TOO_LONG, /* there were more steps than the tape has room for, or one by an elastic programme */
};

struct tape_head {
    int32_t way; /* enum tape_validity */
    int32_t steps;
    int32_t attempt; /* where it began; see core/restart.h */
    int32_t unused;
};

/* The head, from the state of a sample that has ended; room: steps that the tape holds. The tape holds the last attempt. When an
 * earlier one had the better iterate the way there is lost: the sample, which is not ok, then counts as if it had come in as it goes
 * out. */
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

/* The head as the way back takes it: one that no forward run can have written is a way without gradient. */
SAMPLE_FUNCTION struct tape_head tape_head_read(const struct tape_head *head, size_t room) {
    bool whole = head->way == TAPE_WHOLE && head->steps >= 0 && (size_t)head->steps <= room && head->attempt >= 0 &&
                 (head->attempt == 0 || room > 0);
    bool fallback = head->way == TAPE_FALLBACK && head->steps == 0 && head->attempt == 0;
    struct tape_head none = {(int32_t)TAPE_TOO_LONG, 0, 0, 0};
    return whole || fallback ? *head : none;
}

#endif
