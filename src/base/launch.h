/* launch.h - the seam for starting programs, for folders that are private to the user, and for files in memory.
 *
 * Thin names for the calls of POSIX and Linux, as in system.h, in a file of their own: most programs never need them. They return
 * what the call returns and leave errno as it does.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BASE_LAUNCH_H
#define HN_BASE_LAUNCH_H

#include "base/system.h"

#include <limits.h>

/* The variable of the environment; NULL where it is not set, or where the program runs with rights that are not its user's. */
const char *launch_variable(const char *name);

uid_t launch_user(void); /* on whose behalf files are opened */

/* Whether the program runs with rights that are not its user's (set-user-ID, file capabilities): AT_SECURE of the kernel. */
bool launch_is_privileged(void);

/* The absolute path without symbolic links; -1 when it is not there. */
int launch_resolve(const char *path, char resolved[PATH_MAX]);

int launch_make_folder(const char *path); /* for nobody but its owner */
int launch_make_scratch(char *path);      /* likewise, new: the six X at the end of the path are replaced */
int launch_remove_folder(const char *path);
int launch_open_folder(const char *path); /* itself: a symbolic link fails with ENOTDIR or ELOOP */
int launch_facts(int file, struct system_facts *facts);

double launch_age(int file); /* seconds since it was written to, or names in it were; -1: not known */
/* Starts words[0], which is searched for where commands are, with nothing to read, with both of its outputs in the file, which is
 * created, and with TMPDIR naming the folder. Its signals are those of a fresh program, and it has a process group of its own. The
 * process, or -1. */
pid_t launch_start(const char *const *words, const char *output, const char *folder);

/* Waits until the process has ended; how it did is as waitpid says. */
pid_t launch_wait(pid_t process, int *how);
pid_t launch_look(pid_t process, int *how); /* likewise, but 0 where it has not ended */

/* Asks the process and all of its group to end (SIGTERM), or ends them (SIGKILL). */
int launch_end(pid_t process, bool at_once);

void launch_pause(double seconds);

/* A file that is in memory only; its name is /proc/self/fd/N for as long as it is open. */
int launch_memory_file(void);

#endif
