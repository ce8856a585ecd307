/* layout.h - allocates an object as one block, laid out by one function that runs twice.
 *
 * The first run, without memory, measures; the second, over the block, assigns pointers. Both runs execute the same
 * code, so they agree.
 *
 *     static void place(struct layout *l, void *context) {
 *         struct thing *t = context;
 *         t->a = layout_take(l, n, sizeof *t->a);
 *     }
 *     block = layout_allocate(place, &t);
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LAYOUT_H
#define HN_BASE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { LAYOUT_ALIGNMENT = 64 }; /* a cache line, and the widest vector register */

struct layout {
    unsigned char *block; /* NULL while measuring */
    size_t used;
    bool overflow;
};

struct layout layout_measure(void);

/* The block need not be aligned: layout_bytes includes the slack to start at the next boundary. */
struct layout layout_over(void *block);

/* Memory for count elements; NULL while measuring. */
void *layout_take(struct layout *layout, size_t count, size_t size);

/* Bytes taken so far, with the slack for alignment; 0 on overflow of size_t. */
size_t layout_bytes(const struct layout *layout);

/* Measures, allocates and places. The function stores the pointers from layout_take in its context. */
typedef void layout_function(struct layout *layout, void *context);

size_t layout_size(layout_function *place, void *context); /* the bytes it needs; 0 on overflow of size_t */
void layout_place(layout_function *place, void *context, void *block);

/* Allocates a block with base_allocate and lays it out; NULL when out of memory, and then the pointers in the context
 * are NULL. */
void *layout_allocate(layout_function *place, void *context);

#endif
