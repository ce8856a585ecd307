/* regions.c - cuts statements into regions and finds what comes again.
 *
 * SPDX-License-Identifier: MIT */
#include "generate/regions.h"

#include "base/arena.h"
#include "base/memory.h"

/* A function of this many operands takes a compiler a few tenths of a second; twice as long ones more than twice that. */
enum { REGION_OPERANDS = 2500 };

void regions_release(struct regions *regions) {
    base_release(regions->list);
    *regions = (struct regions){.count = 0};
}

static void add_region(struct regions *regions, struct region region) {
    struct region *list =
        regions->failed ? NULL : array_grow(regions->list, &regions->capacity, regions->count + 1, sizeof *list);
    regions->failed = !list;
    if (!list)
        return;
    regions->list = list;
    list[regions->count++] = region;
}

/* Straight statements from first up to end, in regions of bounded size. */
static void cut_straight(struct regions *regions, const struct statements *s, size_t first, size_t end) {
    size_t start = first, operands = 0;
    for (size_t i = first; i < end; i++) {
        operands += s->list[i].count;
        if (operands < REGION_OPERANDS && i + 1 < end)
            continue;
        add_region(regions, (struct region){start, i + 1 - start, 1});
        start = i + 1;
        operands = 0;
    }
}

void regions_find(struct regions *regions, const struct statements *s, bool loops) {
    *regions = (struct regions){.count = 0};
    (void)loops;
    cut_straight(regions, s, 0, s->count);
}
