/* mend.c - see mend.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/mend.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Where the digits of the checksum are; 0 when there are none. */
static size_t find_digits(const uint8_t *data, size_t size) {
    static const char key[] = "\"crc32\":\"";
    size_t length = strlen(key);
    for (size_t i = 0; i + length + 8 <= size; i++)
        if (memcmp(data + i, key, length) == 0)
            return i + length;
    return 0;
}

uint8_t *mend_checksum(const uint8_t *data, size_t size) {
    char sum[9];
    size_t digits = find_digits(data, size);
    uint8_t *mended = digits ? malloc(size) : NULL;
    if (!mended)
        return NULL;
    memcpy(mended, data, size);
    memset(mended + digits, '0', 8);
    snprintf(sum, sizeof sum, "%08lx", (unsigned long)checksum_add(0, mended, size));
    memcpy(mended + digits, sum, 8);
    return mended;
}
