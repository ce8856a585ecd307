/* file.h - whole files: read into memory, or written so that a crash leaves the old file or the new one, never a torn one.
 *
 * Writing goes to a file without a name, is synced, gets a temporary name beside the target, is renamed over the target, and the
 * folder is synced. On failure the temporary file is gone and the target is as it was; only when the folder cannot be
 * synced, the last step, is the new file already there. A process that is killed leaves nothing behind either, but for the
 * moment between the two names (a name that is left is removed by the next writing of the file after a day); where files without a name are not supported the temporary name is there from the start.
 *
 * A symbolic link stays: what it leads to is replaced, or created. A file that is replaced keeps its permissions, and its owner
 * where the system allows that. Nothing but a regular file is replaced: folders, devices and pipes are refused.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_FILE_H
#define HN_BASE_FILE_H

#include "hardnet/base.h"

#include <sys/types.h>

struct file_bytes {
    unsigned char *data; /* from base_allocate, with a 0 byte after the last; release with base_release */
    size_t count;
};

/* Reads a file (or a pipe) whole; HN_LIMIT beyond max_bytes. */
hn_status file_read(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error);

/* Decides by the first bytes of a file whether it is one of the caller's format, and how many bytes such a file has at most. Asked again
 * with every piece that is read until it fails or sets *most; FILE_ANY: any number. */
#define FILE_ANY SIZE_MAX
typedef hn_status file_begins(const char *path, const struct file_bytes *begun, size_t *most, hn_error *error);

/* The same for files of a format: no more is read than `begins` says, and one byte, by which a file that is longer is told. Memory
 * grows with what has arrived. Devices are refused. */
hn_status file_read_begun(struct file_bytes *out, const char *path, size_t max_bytes, file_begins *begins,
                          hn_error *error);

/* The same of a regular file only: folders, pipes and devices are refused, without waiting for them. For paths that come from
 * a file and not from the user. */
hn_status file_read_regular(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error);

/* Likewise, where `check` (an error, or HN_OK) is asked about the open file before anything of it is read. */
typedef hn_status file_check(const char *path, int file, hn_error *error);
hn_status file_read_checked(struct file_bytes *out, const char *path, size_t max_bytes, file_check *check,
                            hn_error *error);

hn_status file_write(const char *path, const void *bytes, size_t count, hn_error *error);

/* The same with these permissions at most: others are taken from those of the file that is replaced, or of new files. */
hn_status file_write_for(const char *path, const void *bytes, size_t count, mode_t permissions, hn_error *error);

/* All the bytes to an open file; -1 with errno when they do not arrive. */
int file_put(int file, const void *bytes, size_t count);

/* "path: cannot open: No such file or directory"; HN_IO. */
hn_status file_error(hn_error *error, const char *path, const char *what, int code);

/* Where writing to a path ends: through symbolic links, to what is one no longer, or to where nothing is yet. The path is replaced.
 * -1 with errno when links go in a circle, a name is too long or a folder cannot be looked into. */
enum { FILE_LONGEST = 4096 };
int file_follow(char path[FILE_LONGEST]);

#endif
