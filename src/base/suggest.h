/* suggest.h - the known word nearest to a mistyped one.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SUGGEST_H
#define HN_BASE_SUGGEST_H

#include <stddef.h>

/* Pass the known words one by one; best is the nearest so far, NULL if none is near enough. */
struct suggestion {
    const char *best;
    size_t distance;
};

void suggest_consider(struct suggestion *suggestion, const char *given, const char *known);

#endif
