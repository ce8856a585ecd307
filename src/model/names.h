/* names.h - a map from names to numbers. The texts belong to the caller and must outlive the map.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_MODEL_NAMES_H
#define HN_MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_entry {
    const char *text; /* not ended by 0: length counts */
    size_t length;
    uint32_t number;
};

struct names {
    struct name_entry *table; /* open addressing; text NULL = free */
    size_t size, count;
};

/* NULL when the name is not there. The number may be changed through the pointer until the next names_add. */
uint32_t *names_find(const struct names *names, const char *text, size_t length);

/* Adds a name that is not there yet; false when memory is out. */
bool names_add(struct names *names, const char *text, size_t length, uint32_t number);

void names_release(struct names *names);

#endif
