/* library_symbols.c - see library_symbols.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/library_symbols.h"

#include <dlfcn.h>
#include <string.h>

/* A pointer to data becomes one to a function: POSIX has dlsym return the former. */
const char *symbols_take(void *object, const struct symbol_place *places, size_t count, void *out) {
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(object, places[i].name);
        if (!found)
            return places[i].name;
        memcpy((unsigned char *)out + places[i].offset, &found, sizeof found);
    }
    return NULL;
}
