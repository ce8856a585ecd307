/* elementary_width1.c - the elementary functions, WIDTH 1; see elementary_widths.h.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH       1
#define KERNEL_NAME elementary_width1
#include "base/elementary_kernel.h"
