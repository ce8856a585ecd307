/* slp_regions.c - see slp_regions.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/passes/slp_regions.h"

#include "base/memory.h"

#include <string.h>

void paired_release(struct paired *paired) {
    for (size_t r = 0; r < paired->regions.count && paired->pairs; r++)
        pairs_release(&paired->pairs[r]);
    base_release(paired->pairs);
    flow_release(&paired->flow);
    regions_release(&paired->regions);
    statements_release(&paired->s);
    *paired = (struct paired){.slots = 0};
}

/* Regions and flow of the statements. */
static bool cut(struct paired *out, const struct walk *walk, const bool *kept) {
    if (out->s.failed)
        return false;
    regions_find_split(&out->regions, &out->s, walk->constants, walk->loops);
    return !out->regions.failed && flow_find(&out->flow, &out->s, &out->regions, kept, out->slots);
}

/* The same statements with what pairs collect in halves; kept: of its slots. */
static bool collect(struct paired *again, const struct paired *from, const struct walk *walk, const bool *kept) {
    struct pairs pairs;
    if (!pairs_find(&pairs, &from->s, &from->flow, &from->regions.list[0], true))
        return false;
    again->slots = pairs_collect(&again->s, &from->s, &from->flow, &pairs, from->slots);
    pairs_release(&pairs);
    bool *more = base_allocate(again->slots * sizeof *more);
    if (more) {
        memset(more, 0, again->slots * sizeof *more);
        memcpy(more, kept, from->slots * sizeof *more);
    }
    bool done = more && cut(again, walk, more);
    base_release(more);
    return done;
}

/* Where all is one region, whose values need no slots. */
static bool collect_in_halves(struct paired *out, const struct walk *walk, const bool *kept) {
    struct paired again = {.slots = 0};
    if (out->regions.count != 1 || out->regions.list[0].repeats > 1)
        return true;
    bool done = collect(&again, out, walk, kept);
    if (done && again.regions.count == 1) {
        paired_release(out);
        *out = again;
    } else /* memory is out, or it has become too long for one */
        paired_release(&again);
    return done;
}

static bool find_pairs(struct paired *out) {
    bool done = true;
    out->pairs = base_allocate((out->regions.count + 1) * sizeof *out->pairs);
    if (!out->pairs)
        return false;
    for (size_t r = 0; r < out->regions.count; r++) {
        out->pairs[r] = (struct pairs){.count = 0};
        if (out->regions.list[r].repeats == 1)
            done = done && pairs_find(&out->pairs[r], &out->s, &out->flow, &out->regions.list[r], false);
    }
    return done;
}

bool paired_create(struct paired *out, const struct walk *walk, enum kernel_entry entry, const bool *kept) {
    *out = (struct paired){.slots = walk->slots};
    pairs_split(&out->s, walk, &walk->entry[entry]);
    bool done = cut(out, walk, kept) && collect_in_halves(out, walk, kept) && find_pairs(out);
    if (!done)
        paired_release(out);
    return done;
}
