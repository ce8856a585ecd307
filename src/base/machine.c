/* machine.c - see machine.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include "base/error.h"

#include <stdint.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t lower(size_t most, int resource) {
    struct rlimit limit;
    bool known = getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
    return known && limit.rlim_cur < most ? (size_t)limit.rlim_cur : most;
}

size_t machine_memory(void) {
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    bool known = pages > 0 && page > 0 && (size_t)pages <= SIZE_MAX / (size_t)page;
    return lower(lower(known ? (size_t)pages * (size_t)page : SIZE_MAX, RLIMIT_AS), RLIMIT_DATA);
}

hn_status machine_has(double bytes, const char *what, hn_error *error) {
    const double most = (double)machine_memory();
    if (bytes <= most)
        return HN_OK;
    return error_about(error, HN_NO_MEMORY, (struct error_subject){.code = HN_CODE_MEMORY, .name = "the layer"},
                       "%s needs about %.0f MB, but only %.0f MB are available", what, bytes / 1e6, most / 1e6);
}

const char *machine_processor(void) {
#if defined(__x86_64__)
    return "x86_64";
#elif defined(__aarch64__)
    return "aarch64";
#elif defined(__riscv) && __riscv_xlen == 64
    return "riscv64";
#else
    return "other";
#endif
}
