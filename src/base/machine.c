/* machine.c - see machine.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/machine.h"

#include "base/error.h"

#include <float.h>
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

/* ---- floating-point mode, detected by arithmetic on any processor ---- */

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 /* 1: float in double, as on s390x */
#error "hardnet needs arithmetic that rounds to double after every operation: on i386 compile with -msse2 -mfpmath=sse"
#endif

/* 1 + 2^-54 is inexact when rounding up, -1 - 2^-54 when rounding down, 1 - 2^-55 when rounding to zero; round to
 * nearest leaves all three unchanged. */
static bool rounds_to_nearest(void) {
    volatile double one = 1, little = 0x1p-54;
    return one + little == 1 && -one - little == -1 && one - little / 2 == 1;
}

static bool has_subnormal_numbers(void) {
    volatile double smallest_normal = 0x1p-1022, subnormal = 0x1p-1074, large = 0x1p1000;
    return smallest_normal / 2 > 0 && subnormal * large > 0;
}

hn_status arithmetic_check(hn_error *error) {
    if (!rounds_to_nearest())
        return error_set(
            error, HN_UNSUPPORTED,
            "this thread does not round floating-point results to nearest, so results would differ from those of "
            "other threads and machines; call fesetround(FE_TONEAREST) first");
    if (!has_subnormal_numbers())
        return error_set(
            error, HN_UNSUPPORTED,
            "this thread flushes subnormal numbers to zero (FTZ or DAZ), so results would differ from those of "
            "other threads and machines; turn it off first (torch.set_flush_denormal(False))");
    return HN_OK;
}
