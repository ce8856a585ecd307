/* arithmetic.c - found out by arithmetic itself, on any processor. See arithmetic.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/arithmetic.h"
#include "base/error.h"

#include <float.h>
#include <stdbool.h>

#if FLT_EVAL_METHOD != 0 && FLT_EVAL_METHOD != 1 /* 1: float in double, as on s390x */
#error "hardnet needs arithmetic that rounds to double after every operation: on i386 compile with -msse2 -mfpmath=sse"
#endif

/* 1 + 2^-54 goes up, -1 - 2^-54 goes down, 1 - 2^-55 goes to zero; to nearest none of them moves. */
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
            "floating-point arithmetic on this thread does not round to nearest, and results would differ from "
            "everywhere else; call fesetround(FE_TONEAREST) before");
    if (!has_subnormal_numbers())
        return error_set(
            error, HN_UNSUPPORTED,
            "floating-point arithmetic on this thread takes subnormal numbers for zero (FTZ or DAZ), and results "
            "would differ from everywhere else; switch that off before (torch.set_flush_denormal(False))");
    return HN_OK;
}
