/* sample_budget.h - the step budget of auto. Part of sample.h.
 *
 * If the layer has measured that the model's start values lead to ok (sample_options.usual; layer/step_budget.c), a sample that fails
 * from its raw output continues from the start values, and ends when the budget is spent there and |W r| no longer decreases. Otherwise
 * there is no budget.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_SAMPLE_BUDGET_H
#define HN_CORE_SAMPLE_BUDGET_H

#include "base/real.h"
#include "core/damping.h"
#include "core/restart.h"
#include "core/sample_state.h"

SAMPLE_CONSTANT real SAMPLE_CLOSER = 14; /* reduction of max |r| from which the budget grows */

/* The number of the next attempt. Undamped steps from y_raw come before the restarts: long chains of equations, such as dynamics in
 * physical units, converge quickly with them and slowly with damping. */
SAMPLE_FUNCTION int sample_next_attempt(const struct sample *s, const struct sample_options *o) {
    if (s->attempt == 0 && o->usual > 0 && !s->homed)
        return RESTART_HOME;
    if (s->attempt == 0 || s->attempt == RESTART_HOME_AGAIN)
        return RESTART_UNDAMPED;
    if (s->attempt == RESTART_UNDAMPED)
        return RESTART_UNCLIPPED;
    return s->attempt == RESTART_LAST ? RESTART_DAMPED : s->attempt + 1;
}

/* Whether the budget is spent. It grows with the square of the reduction of max |r| since the start values. */
SAMPLE_FUNCTION bool sample_is_spent(const struct sample *s, const struct sample_options *o) {
    real worth = s->away / (SAMPLE_CLOSER * s->best);
    real budget = (real)o->budget * sample_greater(1, worth * worth);
    return s->homed && (real)(s->iteration - s->home) >= budget && s->waited > SAMPLE_PATIENCE;
}

/* Whether the attempt from y_raw has used as many steps, so that the start values come next. The effort does not change the iterates,
 * only where a sample ends. */
SAMPLE_FUNCTION bool sample_goes_home(const struct sample *s, const struct sample_options *o) {
    return o->usual > 0 && !s->homed && s->iteration >= o->usual && s->waited > SAMPLE_PATIENCE;
}

/* Whether the elastic stage may be tried: only without a budget. */
SAMPLE_FUNCTION bool sample_may_stretch(const struct sample *s, const struct sample_options *o) {
    return s->attempt == 0 && s->stage == SAMPLE_GLOBAL && s->elastic == 0 && o->usual == 0;
}

#endif
