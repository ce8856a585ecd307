/* names.c - see names.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/names.h"

#include "base/memory.h"
#include "base/size.h"

#include <string.h>

enum { FIRST_SIZE = 32 };

/* FNV-1a (Fowler, Noll, Vo). */
static size_t hash_text(const char *text, size_t length) {
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

/* The entry of this name, or the free entry for its insertion. */
static struct name_entry *entry_of(const struct names *names, const char *text, size_t length) {
    size_t mask = names->size - 1, place = hash_text(text, length) & mask;
    struct name_entry *entry = &names->table[place];
    while (entry->text && (entry->length != length || memcmp(entry->text, text, length) != 0)) {
        place = (place + 1) & mask;
        entry = &names->table[place];
    }
    return entry;
}

uint32_t *names_find(const struct names *names, const char *text, size_t length) {
    struct name_entry *entry = names->size ? entry_of(names, text, length) : NULL;
    return entry && entry->text ? &entry->number : NULL;
}

static bool names_resize(struct names *names, size_t size) {
    struct names larger = {.size = size, .count = names->count};
    size_t bytes = size_product(size, sizeof *larger.table);
    larger.table = base_allocate(bytes);
    if (!larger.table)
        return false;
    memset(larger.table, 0, bytes);
    for (size_t i = 0; i < names->size; i++)
        if (names->table[i].text)
            *entry_of(&larger, names->table[i].text, names->table[i].length) = names->table[i];
    base_release(names->table);
    *names = larger;
    return true;
}

bool names_add(struct names *names, const char *text, size_t length, uint32_t number) {
    if (2 * (names->count + 1) > names->size && !names_resize(names, names->size ? 2 * names->size : FIRST_SIZE))
        return false;
    *entry_of(names, text, length) = (struct name_entry){text, length, number};
    names->count++;
    return true;
}

void names_release(struct names *names) {
    base_release(names->table);
    *names = (struct names){NULL, 0, 0};
}
