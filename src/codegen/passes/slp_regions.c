/* slp_regions.c - see slp_regions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_regions.h"

#include "base/memory.h"

#include <string.h>

void slp_regions_release(struct slp_regions *paired) {
    for (size_t r = 0; r < paired->regions.count && paired->pairs; r++)
        slp_release(&paired->pairs[r]);
    base_release(paired->pairs);
    liveness_release(&paired->liveness);
    regions_release(&paired->regions);
    statements_release(&paired->s);
    *paired = (struct slp_regions){.slots = 0};
}

/* Regions and flow of the statements. */
static bool cut(struct slp_regions *out, const struct ir_module *ir, const bool *kept) {
    if (out->s.failed)
        return false;
    regions_find_split(&out->regions, &out->s, ir->constants, ir->loops);
    return !out->regions.failed && liveness_find(&out->liveness, &out->s, &out->regions, kept, out->slots);
}

/* The same statements with what pairs collect in halves; kept: of its slots. */
static bool slp_regions_collect(struct slp_regions *again, const struct slp_regions *from, const struct ir_module *ir,
                                const bool *kept) {
    struct slp_pairs pairs;
    if (!slp_find(&pairs, &from->s, &from->liveness, &from->regions.list[0], true))
        return false;
    again->slots = slp_collect(&again->s, &from->s, &from->liveness, &pairs, from->slots);
    slp_release(&pairs);
    bool *more = base_allocate(again->slots * sizeof *more);
    if (more) {
        memset(more, 0, again->slots * sizeof *more);
        memcpy(more, kept, from->slots * sizeof *more);
    }
    bool done = more && cut(again, ir, more);
    base_release(more);
    return done;
}

/* Where all is one region, whose values need no slots. */
static bool collect_in_halves(struct slp_regions *out, const struct ir_module *ir, const bool *kept) {
    struct slp_regions again = {.slots = 0};
    if (out->regions.count != 1 || out->regions.list[0].repeats > 1)
        return true;
    bool done = slp_regions_collect(&again, out, ir, kept);
    if (done && again.regions.count == 1) {
        slp_regions_release(out);
        *out = again;
    } else /* memory is out, or it has become too long for one */
        slp_regions_release(&again);
    return done;
}

static bool find_pairs(struct slp_regions *out) {
    bool done = true;
    out->pairs = base_allocate((out->regions.count + 1) * sizeof *out->pairs);
    if (!out->pairs)
        return false;
    for (size_t r = 0; r < out->regions.count; r++) {
        out->pairs[r] = (struct slp_pairs){.count = 0};
        if (out->regions.list[r].repeats == 1)
            done = done && slp_find(&out->pairs[r], &out->s, &out->liveness, &out->regions.list[r], false);
    }
    return done;
}

bool slp_regions_create(struct slp_regions *out, const struct ir_module *ir, enum kernel_entry entry,
                        const bool *kept) {
    *out = (struct slp_regions){.slots = ir->slots};
    slp_split(&out->s, ir, &ir->entry[entry]);
    bool done = cut(out, ir, kept) && collect_in_halves(out, ir, kept) && find_pairs(out);
    if (!done)
        slp_regions_release(out);
    return done;
}
