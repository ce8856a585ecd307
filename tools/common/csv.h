/* csv.h - fields of a line of CSV (RFC 4180), separated by commas.
 *
 * Numbers read back as the same double; non-finite values is NaN, Infinity or -Infinity. Lines end with "\n".
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CSV_H
#define HN_TOOLS_CSV_H

#include "common/text.h"

void csv_number(struct text *text, double value);
/* Quoted where it needs to be. */
void csv_first(struct text *text, const char *value);
void csv_text(struct text *text, const char *value);

#endif
