/* fake_parts.h - what the two libraries of fake_device.h have in common: code as the one makes it and the other loads it, and calls that
 * fail.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_FAKE_PARTS_H
#define HN_TESTS_DEVICE_FAKE_PARTS_H

#include "fake_device.h"

#include <string.h>

#define FAKE_EXPORT __attribute__((visibility("default")))
#define FAKE_MARK   "no cubin"

struct fake_code {
    char mark[8];
    size_t count;
    unsigned char bytes[]; /* of a shared object of the host */
};

static inline bool fake_fails(struct fake_calls *calls, const char *function) {
    if (calls->only && strcmp(calls->only, function) != 0)
        return false;
    calls->made++;
    bool fails =
        calls->fail_at > 0 && (calls->made == calls->fail_at || (calls->for_ever && calls->made > calls->fail_at));
    if (fails && !calls->failed)
        calls->failed = function;
    return fails;
}

#endif
