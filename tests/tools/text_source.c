/* text_source.c - the growing texts of the tools, compiled into their test: tools are no library.
 *
 * SPDX-License-Identifier: MIT */
#include "common/text.c"

void console_hold_interrupt(void) {}

void console_release_interrupt(void) {}
