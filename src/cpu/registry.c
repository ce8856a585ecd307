/* registry.c - the list of backends, and which of them the processor supports.
 *
 * SPDX-License-Identifier: MIT */
#include "cpu/backend.h"

#include "base/error.h"

#include <string.h>

enum { MOST = 3 };

#if HN_BACKENDS_X86
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2");
}

static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}
#endif

/* The function that returns a table is compiled for its instruction set: call it only if the processor supports
 * that. */
struct entry {
    const char *name;
    struct backend (*table)(void);
    bool usable;
};

/* All compiled backends, fastest first. */
static size_t list_backends(struct entry *entries) {
    size_t count = 0;
#if HN_BACKENDS_X86
    entries[count++] = (struct entry){"avx512", backend_avx512, has_avx512()};
    entries[count++] = (struct entry){"avx2", backend_avx2, has_avx2()};
#endif
    entries[count++] = (struct entry){"portable", backend_portable, true};
    return count;
}

bool backend_at(size_t index, struct backend *out) {
    struct entry entries[MOST];
    size_t count = list_backends(entries);
    for (size_t i = 0; i < count; i++)
        if (entries[i].usable && index-- == 0) {
            *out = entries[i].table();
            return true;
        }
    return false;
}

hn_status backend_choose(struct backend *out, hn_instructions instructions, hn_error *error) {
    const char *name = hn_instructions_text(instructions);
    const struct error_subject subject = {.code = HN_CODE_INSTRUCTIONS, .name = name};
    struct entry entries[MOST];
    size_t count = list_backends(entries);
    for (size_t i = 0; i < count; i++) {
        if (instructions != HN_INSTRUCTIONS_BEST ? strcmp(entries[i].name, name) != 0 : !entries[i].usable)
            continue;
        if (!entries[i].usable)
            return error_about(error, HN_UNSUPPORTED, subject, "instruction set %s: this processor does not have it",
                               name);
        *out = entries[i].table();
        return HN_OK;
    }
    return error_about(error, HN_INVALID, subject, "instruction set %s: unknown here; choose portable, avx2 or avx512",
                       name);
}
