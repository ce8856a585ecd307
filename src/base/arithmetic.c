/* arithmetic.c - detects the floating-point mode by arithmetic, on any processor. See arithmetic.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arithmetic.h"
#include "base/error.h"

#include <float.h>
#include <stdbool.h>

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
