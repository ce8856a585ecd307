/* arithmetic.h - checks that this thread's floating-point mode is the one that bitwise reproducibility requires.
 *
 * Required: round to nearest, subnormal operands and results kept. A caller may have changed the mode (fesetround, the
 * FTZ and DAZ bits, torch.set_flush_denormal), or a library linked with -ffast-math may have done so when it was
 * loaded.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_ARITHMETIC_H
#define HN_BASE_ARITHMETIC_H

#include "hardnet/base.h"

/* HN_UNSUPPORTED, with a message naming the setting, if the mode differs. About ten operations. */
hn_status arithmetic_check(hn_error *error);

#endif
