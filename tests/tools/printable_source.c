/* printable_source.c - what makes texts printable, compiled into its test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "common/printable.c"
