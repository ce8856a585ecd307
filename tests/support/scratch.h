/* scratch.h - a folder of a test's own, gone with everything in it at the end.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_SCRATCH_H
#define HN_TESTS_SUPPORT_SCRATCH_H

#include "support/check.h"

struct scratch {
    char folder[64];
};

struct scratch scratch_create(void);
void scratch_remove(struct scratch *scratch); /* files and one level of empty folders */

/* For cmocka: *state is a struct scratch, from the beginning of a group of tests to its end. */
int scratch_set_up(void **state);
int scratch_tear_down(void **state);

/* The same; the user's cache of kernels is there meanwhile. */
int scratch_set_up_cache(void **state);
int scratch_tear_down_cache(void **state);

/* A folder `scratch`, made before and removed after each TEST_IN_FOLDER(name) { ... }. */
#define TEST_IN_FOLDER(name) TEST_AROUND(name, make_folder, remove_folder)
#define SCRATCH_FOLDER                                                                                                 \
    static struct scratch scratch;                                                                                     \
                                                                                                                       \
    FIXTURE(make_folder) {                                                                                             \
        scratch = scratch_create();                                                                                    \
        return 0;                                                                                                      \
    }                                                                                                                  \
                                                                                                                       \
    FIXTURE(remove_folder) {                                                                                           \
        scratch_remove(&scratch);                                                                                      \
        return 0;                                                                                                      \
    }

/* folder/name, in a buffer that holds the last few paths. */
const char *scratch_path(const struct scratch *scratch, const char *name);

/* Names that writers leave when removing fails, too: *.tmp. */
void scratch_remove_temporaries(const struct scratch *scratch);

size_t count_entries(const char *folder); /* without . and .. */
size_t count_open_files(void);            /* descriptors of this process */

#endif
