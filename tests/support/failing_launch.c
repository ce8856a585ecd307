/* failing_launch.c - the functions of base/launch.h, with calls that fail on request. See failing_system.h.
 *
 * Here a program is started by fork, so that a test needs no more than a shell.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "support/failing_system.h"

#include "base/launch.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

const char *launch_variable(const char *name) {
    return getenv(name);
}

uid_t launch_user(void) {
    return geteuid();
}

int launch_make_folder(const char *path) {
    return system_fails_now(CALL_FOLDER) ? -1 : mkdir(path, 0700);
}

int launch_make_scratch(char *path) {
    return !system_fails_now(CALL_FOLDER) && mkdtemp(path) ? 0 : -1;
}

int launch_remove_folder(const char *path) {
    return system_fails_now(CALL_FOLDER) ? -1 : rmdir(path);
}

int launch_open_folder(const char *path) {
    return system_fails_now(CALL_FOLDER) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int launch_facts(int file, struct system_facts *facts) {
    struct stat seen;
    if (system_fails_now(CALL_FACTS) || fstat(file, &seen) != 0)
        return -1;
    *facts = (struct system_facts){.mode = seen.st_mode, .owner = seen.st_uid, .group = seen.st_gid};
    return 0;
}

static void become(const char *const *words, const char *output) {
    union {
        const char *const *words;
        char *const *arguments;
    } same = {words};
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0)
        execvp(words[0], same.arguments);
    _exit(127);
}

pid_t launch_start(const char *const *words, const char *output) {
    pid_t process = system_fails_now(CALL_START) ? -1 : fork();
    if (process == 0)
        become(words, output);
    return process;
}

/* A wait that fails has waited. */
pid_t launch_wait(pid_t process, int *how) {
    bool fails = system_fails_now(CALL_WAIT);
    pid_t ended = waitpid(process, how, 0);
    return fails ? -1 : ended;
}

int launch_memory_file(void) {
    return system_fails_now(CALL_MEMORY_FILE) ? -1 : memfd_create("hardnet", MFD_CLOEXEC);
}
