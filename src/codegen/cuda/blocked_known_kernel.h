/* blocked_known_kernel.h - plan_knows of core/plan.h for plans whose system is blocked, instead of that of
 * core/emitted_plan.h, which is always false. Included before core/point.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_BLOCKED_KNOWN_KERNEL_H
#define HN_CODEGEN_BLOCKED_KNOWN_KERNEL_H

#include "base/real.h"

SHARED_FUNCTION bool tiled_knows(const struct plan *plan, size_t i) {
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    bool known = true;
    for (size_t e = first[i]; known && e < first[i + 1]; e++)
        known = slot[e] < plan->program.constants.count;
    return known;
}
#define plan_knows tiled_knows

#endif
