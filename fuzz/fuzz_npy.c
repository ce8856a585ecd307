/* fuzz_npy.c - any bytes as an array: an error or an array whose values can all be read.
 *
 * SPDX-License-Identifier: MIT */
#include "files/npy.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct npy_array array;
    hn_error error;
    volatile double sum = 0;
    if (npy_parse(&array, "fuzz.npy", data, size, &error) == HN_OK) {
        for (size_t i = 0; i < array.rows * array.columns; i++)
            sum = sum + array.values[i];
    } else if (array.values) {
        abort();
    }
    npy_release(&array);
    return 0;
}
