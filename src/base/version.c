/* version.c - the version of this library, as text and as a number.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/base.h"

#define TEXT_OF(number)                   #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *hn_version(void) {
    return VERSION_TEXT(HN_VERSION_MAJOR, HN_VERSION_MINOR, HN_VERSION_PATCH);
}

int hn_version_number(void) {
    return 10000 * HN_VERSION_MAJOR + 100 * HN_VERSION_MINOR + HN_VERSION_PATCH;
}
