/* circle.h - a small model with an objective, for targets that need one: the circle of radius x, its point closest to (1, 1).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FUZZ_COMMON_CIRCLE_H
#define HN_FUZZ_COMMON_CIRCLE_H

#include "hardnet/hardnet.h"

/* Ends the process where there is no memory for it. */
hn_model *circle_model(void);

#endif
