/* layout.h - one block of memory for a whole object, laid out by one function that is run twice.
 *
 * The first run, with no memory, measures; the second, over the block, places. Because both runs are the same code they
 * cannot disagree.
 *
 *     static void place(struct layout *l, void *context) { struct thing *t = context; t->a = layout_take(l, n, sizeof *t->a); ... }
 *     block = layout_allocate(place, &t);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LAYOUT_H
#define HN_BASE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAYOUT_ALIGNMENT = 64 }; /* a cache line, and the widest register */

struct layout {
    unsigned char *block; /* NULL while measuring */
    size_t used;
    bool overflow;
};

struct layout layout_measure(void);

/* The block need not be aligned: layout_bytes asks for enough to start at the next boundary. */
struct layout layout_over(void *block);

/* Room for count elements; NULL while measuring. */
void *layout_take(struct layout *layout, size_t count, size_t size);

/* What was taken, with the slack for alignment; 0 when the sum does not fit a size_t. */
size_t layout_bytes(const struct layout *layout);

/* The three together. A function that places writes what it takes into its context. */
typedef void layout_function(struct layout *layout, void *context);

size_t layout_size(layout_function *place, void *context); /* what it takes; 0 when that does not fit a size_t */
void layout_place(layout_function *place, void *context, void *block);

/* A block from base_allocate, placed; NULL when there is no memory, and then the context holds NULLs. */
void *layout_allocate(layout_function *place, void *context);

#endif
