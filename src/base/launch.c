/* launch.c - POSIX and Linux behind the seam of launch.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create, secure_getenv */
#include "base/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

const char *launch_variable(const char *name) {
    return secure_getenv(name);
}

uid_t launch_user(void) {
    return geteuid();
}

/* ---- folders ---- */

int launch_make_folder(const char *path) {
    return mkdir(path, 0700);
}

int launch_make_scratch(char *path) {
    return mkdtemp(path) ? 0 : -1;
}

int launch_remove_folder(const char *path) {
    return rmdir(path);
}

int launch_open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int launch_facts(int file, struct system_facts *facts) {
    struct stat seen;
    if (fstat(file, &seen) != 0)
        return -1;
    *facts = (struct system_facts){.mode = seen.st_mode, .owner = seen.st_uid, .group = seen.st_gid};
    return 0;
}

/* ---- programs ---- */

/* What this process blocks, ignores or handles must not stop another one from being interrupted. */
static int set_signals(posix_spawnattr_t *attributes) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaddset(&usual, numbers[i]);
    int failed = posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (!failed)
        failed = posix_spawnattr_setsigmask(attributes, &none);
    return failed ? failed : posix_spawnattr_setsigdefault(attributes, &usual);
}

static int set_files(posix_spawn_file_actions_t *files, const char *output) {
    int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!failed)
        failed = posix_spawn_file_actions_addopen(files, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    return failed ? failed : posix_spawn_file_actions_adddup2(files, STDOUT_FILENO, STDERR_FILENO);
}

/* POSIX wants words that are not constant, and leaves them as they are. */
static char *const *as_arguments(const char *const *words) {
    union {
        const char *const *words;
        char *const *arguments;
    } same = {words};
    return same.arguments;
}

pid_t launch_start(const char *const *words, const char *output) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    pid_t process = -1;
    int failed = posix_spawnattr_init(&attributes);
    if (failed) {
        errno = failed;
        return -1;
    }
    failed = posix_spawn_file_actions_init(&files);
    if (!failed) {
        failed = set_signals(&attributes);
        if (!failed)
            failed = set_files(&files, output);
        if (!failed)
            failed = posix_spawnp(&process, words[0], &files, &attributes, as_arguments(words), environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    errno = failed;
    return failed ? -1 : process;
}

pid_t launch_wait(pid_t process, int *how) {
    return waitpid(process, how, 0);
}

/* ---- memory ---- */

int launch_memory_file(void) {
#ifdef MFD_CLOEXEC
    return memfd_create("hardnet", MFD_CLOEXEC);
#else
    errno = ENOSYS;
    return -1;
#endif
}
