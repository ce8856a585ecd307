/* system.h - the interface for files: every file call of the library goes through these functions.
 *
 * Thin wrappers of POSIX calls, in a separate file (system.c), so that a test can link replacements that fail, write
 * short or are interrupted. They return what the call returns and leave errno unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_SYSTEM_H
#define HN_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Facts about a file before it is replaced. */
struct system_facts {
    mode_t mode; /* type and permissions, as in stat */
    uid_t owner;
    gid_t group;
};

int system_open_read(const char *path);
int system_open_at_once(const char *path);     /* never blocks, on a pipe or a terminal */
int system_create(const char *path);           /* fails if the file exists */
int system_open_lock(const char *path);        /* a file to lock, created when it is missing */
int system_create_unnamed(const char *folder); /* deleted on close unless named; EOPNOTSUPP: not supported */
int system_name(int file, const char *path);   /* names an unnamed file; fails if the name exists */
int system_open_folder(const char *path);
int system_look(const char *path, struct system_facts *facts);         /* follows links */
ssize_t system_read_link(const char *path, char *target, size_t size); /* no terminating 0; EINVAL: not a link */
int system_take_after(int file, const struct system_facts *facts); /* copies permissions; the owner where possible */
int system_permit(int file, mode_t most);                          /* removes all other permissions */
bool system_is_regular(const struct system_facts *facts);
bool system_is_device(const struct system_facts *facts);
off_t system_size(int file); /* -1 unless it is a regular file */
ssize_t system_read(int file, void *bytes, size_t count);
ssize_t system_read_at(int file, void *bytes, size_t count, off_t from);
ssize_t system_write(int file, const void *bytes, size_t count);
int system_sync(int file);
int system_close(int file);
int system_rename(const char *from, const char *to);
int system_remove(const char *path);
int system_remove_in(int folder, const char *name); /* removes a file */

/* Calls visit for every name in the open folder. -1 when it cannot be read. */
int system_visit(int folder, void (*visit)(void *context, const char *name), void *context);

/* Seconds since a regular file of this user was written; -1 for anything else. */
double system_age_in(int folder, const char *name);

/* A number that is unique to this call, with high probability, in this process and others. */
uint64_t system_unique(void);

#endif
