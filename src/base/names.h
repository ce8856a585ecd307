/* names.h - a map from names to numbers. The caller owns the strings, which must outlive the map.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_NAMES_H
#define HN_BASE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_entry {
    const char *text; /* not 0-terminated: see length */
    size_t length;
    uint32_t number;
};

struct names {
    struct name_entry *table; /* open addressing; text NULL = free */
    size_t size, count;
};

/* NULL if the name is missing. The number may be changed through the pointer until the next names_add. */
uint32_t *names_find(const struct names *names, const char *text, size_t length);

/* Adds a new name; false when out of memory. */
bool names_add(struct names *names, const char *text, size_t length, uint32_t number);

void names_release(struct names *names);

#endif
