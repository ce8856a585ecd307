/* comma_locale.h - a locale that writes a comma where C writes a point.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_COMMA_LOCALE_H
#define HN_TESTS_SUPPORT_COMMA_LOCALE_H

#include <stdbool.h>

/* Switches the process to de_DE.UTF-8, or, where that is not installed, to one compiled on the spot with German numbers;
 * false, and the C locale, when that is not possible either. */
bool comma_locale_enter(void);
void comma_locale_leave(void);

#endif
