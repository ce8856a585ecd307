/* spill.h - a line of statements with few local variables at once: what does not fit waits in an array until it is needed again.
 *
 * Compilers spill registers, too, but they see neither that a value can be computed again from a slot and a constant, nor where it is
 * needed next in so long a line; here whoever is needed last makes room. A value goes one of three ways:
 *
 *     a slot        is read again, from its place where it has one. Whoever writes such a slot writes the place, too
 *     short         is computed again, from slots that have not changed and from sines and cosines that came first
 *     any other     goes to a place once, and comes from there where it is needed again
 *
 * The same operations on the same numbers: no bit changes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_SPILL_H
#define HN_CODEGEN_SPILL_H

#include "codegen/print/print_parts.h"

enum act_kind {
    ACT_STATEMENT,
    ACT_TEXT,   /* that may change slots, but for steady ones */
    ACT_QUIET,  /* text that changes nothing for those that go on behind it */
    ACT_AHEAD,  /* sines and cosines that come first */
    ACT_SELDOM, /* a block of statements: the next `statement` acts belong to it */
};

/* What stands in the line, in order. */
struct act {
    enum act_kind kind;
    uint32_t statement;
    const char *text;
};

struct acts {
    struct act *list;
    size_t count, capacity;
    bool failed;
    const bool *ahead;             /* per statement: its values come from ACT_AHEAD */
    const bool *steady;            /* per slot: no text changes it */
    uint32_t pinned, pinned_count; /* these slots have the first places */
};

void acts_add(struct acts *acts, struct act act);

/* Prints them, at most so many values in local variables at once; *places: of the array. ahead: prints what comes first. False when
 * memory is out. */
bool spill_print(const struct printer *p, const struct acts *acts, size_t most, uint32_t *places,
                 void (*ahead)(const struct printer *p, const bool *which));

#endif
