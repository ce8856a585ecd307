/* elementary_width8.c - the elementary functions, WIDTH 8; see elementary_widths.h.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH       8
#define KERNEL_NAME elementary_width8
#include "base/elementary_kernel.h"
