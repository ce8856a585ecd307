/* suggest.c - see suggest.h.
 *
 * Distance: insertions, deletions and replacements of one letter, and transpositions of two neighbours (optimal string
 * alignment), with the usual dynamic programming, keeping three rows.
 *
 * SPDX-License-Identifier: MIT */
#include "base/suggest.h"

#include <string.h>

enum { LONGEST = 40 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t distance_between(const char *a, const char *b) {
    size_t rows[3][LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= m; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *now = rows[i % 3], *before = rows[(i + 2) % 3], *earlier = rows[(i + 1) % 3];
        now[0] = i;
        for (size_t j = 1; j <= m; j++) {
            now[j] = least(least(now[j - 1], before[j]) + 1, before[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                now[j] = least(now[j], earlier[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

void suggest_consider(struct suggestion *suggestion, const char *given, const char *known) {
    size_t length = strlen(given);
    /* A prefix matches a known word of any length. */
    size_t distance = length > 1 && strncmp(given, known, length) == 0 ? 1 : distance_between(given, known);
    /* Up to a third of the letters may differ, and always one. */
    if (distance > 1 + length / 3 || (suggestion->best && distance >= suggestion->distance))
        return;
    suggestion->best = known;
    suggestion->distance = distance;
}
