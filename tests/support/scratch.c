/* scratch.c - see scratch.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/scratch.h"

#include "support/check.h"

#include <dirent.h>
#include <unistd.h>

struct scratch scratch_create(void) {
    struct scratch scratch = {"/tmp/hardnet-XXXXXX"};
    assert_non_null(mkdtemp(scratch.folder));
    return scratch;
}

const char *scratch_path(const struct scratch *scratch, const char *name) {
    static char paths[4][512];
    static unsigned next;
    char *path = paths[next++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", scratch->folder, name);
    return path;
}

static struct dirent *next_entry(DIR *folder) {
    struct dirent *entry;
    do
        entry = readdir(folder);
    while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
    return entry;
}

void scratch_remove(struct scratch *scratch) {
    DIR *folder = opendir(scratch->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = next_entry(folder)) != NULL;)
        assert_int_equal(remove(scratch_path(scratch, entry->d_name)), 0);
    closedir(folder);
    assert_int_equal(rmdir(scratch->folder), 0);
}

int scratch_set_up(void **state) {
    static struct scratch scratch;
    scratch = scratch_create();
    *state = &scratch;
    return 0;
}

int scratch_tear_down(void **state) {
    scratch_remove(*state);
    return 0;
}

int scratch_set_up_cache(void **state) {
    scratch_set_up(state);
    const struct scratch *scratch = *state;
    return setenv("XDG_CACHE_HOME", scratch->folder, 1);
}

int scratch_tear_down_cache(void **state) {
    const struct scratch *scratch = *state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/hardnet", scratch->folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    return scratch_tear_down(state);
}

void scratch_remove_temporaries(const struct scratch *scratch) {
    DIR *folder = opendir(scratch->folder);
    assert_non_null(folder);
    for (struct dirent *entry; (entry = next_entry(folder)) != NULL;) {
        const char *end = strrchr(entry->d_name, '.');
        if (end && strcmp(end, ".tmp") == 0)
            assert_int_equal(remove(scratch_path(scratch, entry->d_name)), 0);
    }
    closedir(folder);
}

size_t count_entries(const char *path) {
    DIR *folder = opendir(path);
    size_t count = 0;
    assert_non_null(folder);
    while (next_entry(folder))
        count++;
    closedir(folder);
    return count;
}

size_t count_open_files(void) {
    return count_entries("/proc/self/fd") - 1; /* the folder that is being read is open too */
}
