/* file.h - whole files: read into memory, or written atomically: a crash leaves the old file or the new one.
 *
 * Writing creates a file without a name, syncs it, links it to a temporary name in the folder of the target, renames
 * that over the target, and syncs the folder. On failure the temporary file is removed and the target is unchanged;
 * only if the folder cannot be synced, the last step, the new file is already in place. A killed process leaves a file
 * only between linking and renaming (such a file is removed when the target is written a day later or more); if files
 * without a name are not supported, the temporary name exists from the start.
 *
 * Symbolic links are kept: their target is replaced, or created. A replaced file keeps its permissions, and its owner
 * if the system allows that. Only regular files are replaced: folders, devices and pipes are rejected.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_FILE_H
#define HN_BASE_FILE_H

#include "hardnet/base.h"

#include <sys/types.h>

struct file_bytes {
    unsigned char *data; /* from base_allocate, with a terminating 0 byte; release with base_release */
    size_t count;
};

/* Reads a whole file (or a pipe); HN_LIMIT beyond max_bytes. */
hn_status file_read(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error);

/* Checks from the first bytes of a file whether it has the caller's format, and computes the maximum size of the file.
 * Called again after every piece until it fails or sets *most; FILE_ANY: unlimited. */
#define FILE_ANY SIZE_MAX
typedef hn_status file_begins(const char *path, const struct file_bytes *begun, size_t *most, hn_error *error);

/* The same for a file format: reads at most one byte more than `begins` allows, so that a longer file is detected.
 * Memory grows with the bytes read. Devices are refused. */
hn_status file_read_begun(struct file_bytes *out, const char *path, size_t max_bytes, file_begins *begins,
                          hn_error *error);

/* The same for regular files only: folders, pipes and devices are rejected without blocking. For paths that come from a
 * file instead of the user. */
hn_status file_read_regular(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error);

/* The same; `check` returns an error or HN_OK for the open file before anything is read. */
typedef hn_status file_check(const char *path, int file, hn_error *error);
hn_status file_read_checked(struct file_bytes *out, const char *path, size_t max_bytes, file_check *check,
                            hn_error *error);

hn_status file_write(const char *path, const void *bytes, size_t count, hn_error *error);

/* The same with at most these permissions; the others are those of the replaced file, or the default. */
hn_status file_write_for(const char *path, const void *bytes, size_t count, mode_t permissions, hn_error *error);

/* Writes all bytes to an open file; -1 with errno on failure. */
int file_put(int file, const void *bytes, size_t count);

/* "path: cannot open: No such file or directory"; HN_IO. */
hn_status file_error(hn_error *error, const char *path, const char *what, int code);

/* Resolves a path for writing: follows symbolic links until something else, or nothing, is found. The path is replaced.
 * -1 with errno for a cycle of links, a name that is too long or an inaccessible folder. */
enum { FILE_LONGEST = 4096 };
int file_follow(char path[FILE_LONGEST]);

#endif
