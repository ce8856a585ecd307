/* elementary_width2.c - the elementary functions, WIDTH 2; see elementary_widths.h.
 *
 * SPDX-License-Identifier: MIT */
#define WIDTH       2
#define KERNEL_NAME elementary_width2
#include "base/elementary_kernel.h"
