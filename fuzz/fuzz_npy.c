/* fuzz_npy.c - any bytes as an array, or as an archive of arrays: an error, or an array whose values can all be read.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_bound.h"
#include "io/npy.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    enum { MOST_BYTES = 1 << 20 };
    hn_array array;
    hn_error error;
    volatile double sum = 0;
    struct file_bytes bytes = {malloc(size + 1), size};
    if (!bytes.data)
        return 0;
    if (size > 0)
        memcpy(bytes.data, data, size);
    /* Numbers become doubles: eight bytes for one. Archives have a separate limit for packed data. */
    memory_bound_begin("the reading of an array",
                       8 * size + (64 << 10) + (npz_begins(data, size) ? 9 * MOST_BYTES : 0));
    hn_status status = npz_begins(data, size) ? npz_parse(&array, "fuzz.npz", NULL, &bytes, MOST_BYTES, &error)
                                              : npy_parse(&array, "fuzz.npy", bytes.data, size, &error);
    memory_bound_end();
    if (status == HN_OK)
        for (size_t i = 0; i < array.rows * array.columns; i++)
            sum = sum + array.values[i];
    else if (array.values)
        abort();
    hn_array_release(&array);
    free(bytes.data);
    return 0;
}
