/* save.c - see save.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/save.h"

#include "base/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = 4096 };

hn_status save_possible(const char *option, const char *path, hn_error *error) {
    char folder[LONGEST];
    struct stat there;
    if (!path)
        return HN_OK;
    const char *slash = strrchr(path, '/');
    int length = slash ? (int)(slash - path) + 1 : 0;
    if (strlen(path) + sizeof "." > sizeof folder)
        return error_set(error, HN_IO, "--%s: the name of the file is too long", option);
    if (lstat(path, &there) == 0 && !S_ISREG(there.st_mode))
        return error_set(error, HN_IO, "--%s %s: there is something else than a regular file already", option, path);
    snprintf(folder, sizeof folder, "%.*s.", length, path);
    if (access(folder, W_OK | X_OK) != 0)
        return error_set(error, HN_IO, "--%s %s: cannot write to its folder: %s", option, path, strerror(errno));
    return HN_OK;
}
