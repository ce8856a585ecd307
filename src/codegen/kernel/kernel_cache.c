/* kernel_cache.c - the folder of compiled kernels. See kernel_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/kernel_file.h"

#include "base/error.h"
#include "base/launch.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FOR_OTHERS = 0077 };

__attribute__((format(printf, 3, 4))) static hn_status put(char folder[FILE_LONGEST], hn_error *error,
                                                           const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(folder, FILE_LONGEST, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < CACHE_FOLDER_MOST)
        return HN_OK;
    return error_about(error, HN_IO, error_file("hardnet"), "the cache of kernels: the name of its folder is too long");
}

/* The folder that ours is in: as the XDG base directory specification says, which has paths that are not absolute ignored. */
static hn_status find_parent(char folder[FILE_LONGEST], hn_error *error) {
    const char *cache = launch_variable("XDG_CACHE_HOME"), *home = launch_variable("HOME");
    if (cache && cache[0] == '/')
        return put(folder, error, "%s", cache);
    if (home && home[0] == '/')
        return put(folder, error, "%s/.cache", home);
    return error_about(error, HN_IO, error_file("hardnet"),
                       "the cache of kernels: neither XDG_CACHE_HOME nor HOME names an absolute folder");
}

/* Makes the folder and those above it, as far as they are not there. */
static hn_status make_folder(char folder[FILE_LONGEST], hn_error *error) {
    for (char *at = folder + 1;; at++) {
        char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        bool made = launch_make_folder(folder) == 0 || errno == EEXIST;
        int code = errno;
        if (!made && end == '/') /* if it does not exist, the next one fails */
            made = code == EROFS || code == EACCES || code == EPERM;
        if (!made)
            return file_error(error, folder, "make the folder", code);
        *at = end;
        if (end == '\0')
            return HN_OK;
    }
}

static hn_status check_facts(const char *folder, const struct system_facts *facts, hn_error *error) {
    if (facts->owner != launch_user())
        return error_about(error, HN_IO, error_file(folder),
                           "%s: it belongs to another user; kernels are kept in a folder of yours only", folder);
    if (facts->mode & FOR_OTHERS)
        return error_about(error, HN_IO, error_file(folder),
                           "%s: others may use it (mode %04o); kernels are kept in a folder of mode 0700", folder,
                           (unsigned)facts->mode & 07777);
    return HN_OK;
}

static hn_status check_folder(const char *folder, hn_error *error) {
    struct system_facts facts;
    int file = launch_open_folder(folder);
    if (file < 0 && (errno == ENOTDIR || errno == ELOOP))
        return error_about(error, HN_IO, error_file(folder), "%s: it is not a folder, or a symbolic link", folder);
    if (file < 0)
        return file_error(error, folder, "open", errno);
    hn_status status = launch_facts(file, &facts) == 0 ? check_facts(folder, &facts, error)
                                                       : file_error(error, folder, "look at", errno);
    system_close(file);
    return status;
}

hn_status cache_folder(char folder[FILE_LONGEST], hn_error *error) {
    char parent[FILE_LONGEST];
    hn_status status = find_parent(parent, error);
    if (status == HN_OK)
        status = put(folder, error, "%s/hardnet", parent);
    if (status == HN_OK)
        status = make_folder(folder, error);
    return status == HN_OK ? check_folder(folder, error) : status;
}

hn_status cache_path(char path[FILE_LONGEST], const struct kernel_identity *identity, const char *const *words,
                     hn_error *error) {
    char folder[FILE_LONGEST], key[DIGEST_TEXT];
    struct digest digest = digest_start();
    hn_status status = cache_folder(folder, error);
    if (status != HN_OK)
        return status;
    digest_add_text(&digest, identity->code);
    for (size_t i = 0; words[i]; i++)
        digest_add_text(&digest, words[i]);
    digest_finish_text(&digest, key);
    snprintf(path, FILE_LONGEST, "%.*s/%s.so", CACHE_FOLDER_MOST, folder, key);
    return HN_OK;
}
