/* tiled_known_text.h - plan_knows of plan/plan.h for the device's plan, where the system is solved in tiles: in place of that of
 * emit/layer_text.h, which knows of no such rows. Before plan/point.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_TILED_KNOWN_TEXT_H
#define HN_DEVICE_TILED_KNOWN_TEXT_H

static inline bool tiled_knows(const struct plan *plan, size_t i) {
    const uint32_t *first = plan_words(plan, plan->jacobian.first), *slot = plan_words(plan, plan->jacobian.slot);
    bool known = true;
    for (size_t e = first[i]; known && e < first[i + 1]; e++)
        known = slot[e] < plan->program.constants.count;
    return known;
}
#define plan_knows tiled_knows

#endif
