/* memory_file.h - the functions of base/system.h once more: one file in memory, whatever its path.
 *
 * What a fuzz target is linked with in place of src/base/system.c, so that what it reads and writes never is on a disk.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_FUZZ_COMMON_MEMORY_FILE_H
#define HN_FUZZ_COMMON_MEMORY_FILE_H

#include <stddef.h>
#include <stdint.h>

struct memory_file {
    uint8_t *bytes;
    size_t count;
};

/* The file is these bytes from now on, and then those that are written; a copy. */
void memory_file_set(const void *bytes, size_t count);

/* The present contents of the file. The caller frees them; the file is removed. */
struct memory_file memory_file_take(void);

#endif
