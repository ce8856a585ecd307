/* sample_budget.h - what auto spends on a sample before it gives it up. Part of sample.h.
 *
 * Where the layer knows that the model's start values lead to ok (sample_options.usual; layer/step_budget.c), a sample that fails from
 * what came in goes there next, and ends when it has had the budget there and |W r| is not falling any more. Where it does not
 * know, nothing here does anything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_BUDGET_H
#define HN_CORE_SAMPLE_BUDGET_H

#include "base/real.h"

SAMPLE_CONSTANT real SAMPLE_CLOSER = 14; /* how often max |r| must have shrunk for more than the budget */

/* The number of the attempt after this one. Full steps from y_raw come before the restarts: long chains of equations, such as dynamics
 * in natural units, take them in their stride and creep under damping. */
SAMPLE_FUNCTION int sample_next_attempt(const struct sample *s, const struct sample_options *o) {
    if (s->attempt == 0 && o->usual > 0 && !s->homed)
        return RESTART_HOME;
    if (s->attempt == 0 || s->attempt == RESTART_HOME_AGAIN)
        return RESTART_UNDAMPED;
    if (s->attempt == RESTART_UNDAMPED)
        return RESTART_UNCLIPPED;
    return s->attempt == RESTART_LAST ? RESTART_DAMPED : s->attempt + 1;
}

/* Whether the sample has had its budget. One that has come close is worth more: the budget grows with the square of how often max
 * |r| goes into what it was at the start values. */
SAMPLE_FUNCTION bool sample_is_spent(const struct sample *s, const struct sample_options *o) {
    real worth = s->away / (SAMPLE_CLOSER * s->best);
    real budget = (real)o->budget * sample_greater(1, worth * worth);
    return s->homed && (real)(s->iteration - s->home) >= budget && s->waited > SAMPLE_PATIENCE;
}

/* Whether what came in has had as much: the start values are the better bet then. The path of a sample does not depend on the
 * effort, but for where it ends. */
SAMPLE_FUNCTION bool sample_goes_home(const struct sample *s, const struct sample_options *o) {
    return o->usual > 0 && !s->homed && s->iteration >= o->usual && s->waited > SAMPLE_PATIENCE;
}

/* Whether programmes may be tried: there is nothing better known. */
SAMPLE_FUNCTION bool sample_may_stretch(const struct sample *s, const struct sample_options *o) {
    return s->attempt == 0 && s->stage == SAMPLE_GLOBAL && s->elastic == 0 && o->usual == 0;
}

#endif
