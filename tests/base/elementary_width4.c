/* elementary_width4.c - the elementary functions, WIDTH 4; see elementary_widths.h.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH       4
#define KERNEL_NAME elementary_width4
#include "base/elementary_kernel.h"
