/* verb_words.c - error messages of verbs. See verbs.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/verbs.h"

#include <stdio.h>

int verb_explain(const hn_error *error) {
    console_error("%s", error->text);
    return VERB_FAILED;
}

int verb_misuse(const char *verb, const char *text) {
    console_error("%s", text);
    fprintf(stderr, "See hardnet %s --help.\n", verb);
    return VERB_MISUSED;
}
