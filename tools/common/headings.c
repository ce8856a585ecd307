/* headings.c - see headings.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/headings.h"

#include "common/console.h"

#include <stdarg.h>
#include <stdio.h>

void report_heading(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    printf("\n%s", console_tone(stdout, TONE_HEADING));
    vprintf(format, arguments);
    printf("%s\n", console_plain(stdout));
    va_end(arguments);
}

const char *report_plural(size_t count) {
    return count == 1 ? "" : "s";
}
