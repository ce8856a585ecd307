/* launch.h - the interface for starting programs, for folders private to the user, and for files in memory.
 *
 * Thin wrappers of POSIX and Linux calls, as in system.h, in a separate file because most programs never need them.
 * They return what the call returns and leave errno unchanged.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LAUNCH_H
#define HN_BASE_LAUNCH_H

#include "base/system.h"

#include <limits.h>

/* The environment variable; NULL if it is not set or the program is privileged (set-user-ID). */
const char *launch_variable(const char *name);

uid_t launch_user(void); /* the user whose permissions apply to files */

/* Whether the program is privileged (set-user-ID, file capabilities): the kernel's AT_SECURE. */
bool launch_is_privileged(void);

/* The absolute path without symbolic links; -1 if it does not exist. */
int launch_resolve(const char *path, char resolved[PATH_MAX]);

int launch_make_folder(const char *path); /* accessible to its owner only */
int launch_make_scratch(char *path);      /* likewise, a new folder: the six X at the end of the path are replaced */
int launch_remove_folder(const char *path);
int launch_open_folder(const char *path); /* does not follow a symbolic link: ENOTDIR or ELOOP */
int launch_facts(int file, struct system_facts *facts);

double launch_age(int file); /* seconds since the file, or a name in the folder, was last written; -1: unknown */
/* Starts words[0], found through PATH, without input, with stdout and stderr in the file `output`, which is created,
 * and with TMPDIR set to the folder. Its signals have their defaults, and it leads a new process group. Returns the
 * process, or -1. */
pid_t launch_start(const char *const *words, const char *output, const char *folder);

/* Waits until the process has ended; *how is the status of waitpid. */
pid_t launch_wait(pid_t process, int *how);
pid_t launch_look(pid_t process, int *how); /* likewise, but returns 0 if it is still running */

/* Sends SIGTERM, or SIGKILL if at_once, to the process and its group. */
int launch_end(pid_t process, bool at_once);

void launch_pause(double seconds);

/* A file in memory; its name is /proc/self/fd/N while it is open. */
int launch_memory_file(void);

#endif
