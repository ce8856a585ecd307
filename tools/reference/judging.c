/* judging.c - see judging.h.
 *
 * SPDX-License-Identifier: MIT */
#include "reference/judging.h"

const char *const judging_references[] = {"ipopt", NULL};
