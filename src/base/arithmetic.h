/* arithmetic.h - is floating-point arithmetic on this thread the one that every promise about bits rests on?
 *
 * Rounding to nearest, subnormal numbers as operands and as results. A caller may have set it otherwise (fesetround, the FTZ
 * and DAZ bits, torch.set_flush_denormal), or some library that was linked with -ffast-math when it was loaded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARITHMETIC_H
#define HN_BASE_ARITHMETIC_H

#include "hardnet/base.h"

/* HN_UNSUPPORTED, with a sentence that says what is set, where it is not. About ten operations. */
hn_status arithmetic_check(hn_error *error);

#endif
