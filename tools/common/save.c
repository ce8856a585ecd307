/* save.c - see save.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/save.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

hn_status save_possible(const char *option, const char *path, hn_error *error) {
    char target[FILE_LONGEST], folder[FILE_LONGEST];
    struct stat there;
    if (!path)
        return HN_OK;
    if (strlen(path) + sizeof "." > sizeof target)
        return error_set(error, HN_IO, "--%s: the name of the file is too long", option);
    memcpy(target, path, strlen(path) + 1);
    if (file_follow(target) != 0)
        return error_set(error, HN_IO, "--%s %s: cannot follow the link: %s", option, path, strerror(errno));
    if (stat(target, &there) == 0 && !S_ISREG(there.st_mode))
        return error_set(error, HN_IO, "--%s %s: it exists and is not a regular file", option, path);
    const char *slash = strrchr(target, '/');
    snprintf(folder, sizeof folder, "%.*s.", slash ? (int)(slash - target) + 1 : 0, target);
    if (access(folder, W_OK | X_OK) != 0)
        return error_set(error, HN_IO, "--%s %s: cannot write to its folder: %s", option, path, strerror(errno));
    return HN_OK;
}
