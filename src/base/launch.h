/* launch.h - the seam for starting programs, for folders that are private to the user, and for files in memory.
 *
 * Thin names for the calls of POSIX and Linux, as in system.h, in a file of their own: most programs never need them. They return
 * what the call returns and leave errno as it does.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LAUNCH_H
#define HN_BASE_LAUNCH_H

#include "base/system.h"

/* The variable of the environment; NULL where it is not set, or where the program runs with rights that are not its user's. */
const char *launch_variable(const char *name);

uid_t launch_user(void); /* on whose behalf files are opened */

int launch_make_folder(const char *path); /* for nobody but its owner */
int launch_make_scratch(char *path);      /* likewise, new: the six X at the end of the path are replaced */
int launch_remove_folder(const char *path);
int launch_open_folder(const char *path); /* itself: a symbolic link fails with ENOTDIR or ELOOP */
int launch_facts(int file, struct system_facts *facts);

/* Starts words[0], which is searched for where commands are, with nothing to read and with both of its outputs in the file, which is
 * created. Its signals are those of a fresh program. The process, or -1. */
pid_t launch_start(const char *const *words, const char *output);

/* Waits until the process has ended; how it did is as waitpid says. */
pid_t launch_wait(pid_t process, int *how);

/* A file that is in memory only; its name is /proc/self/fd/N for as long as it is open. */
int launch_memory_file(void);

#endif
