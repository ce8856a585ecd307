/* failing_launch.c - the functions of base/launch.h, with calls that fail on request. See failing.h.
 *
 * Here a program is started by fork, so that a test needs no more than a shell.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create */
#include "support/failing.h"

#include "base/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *launch_variable(const char *name) {
    return getenv(name);
}

uid_t launch_user(void) {
    return geteuid();
}

bool launch_is_privileged(void) {
    return false;
}

int launch_resolve(const char *path, char resolved[PATH_MAX]) {
    return !system_fails_now(CALL_FOLDER) && realpath(path, resolved) ? 0 : -1;
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

double launch_age(int file) {
    struct stat seen;
    return system_fails_now(CALL_FACTS) || fstat(file, &seen) != 0 ? -1 : difftime(time(NULL), seen.st_mtime);
}

static void become(const char *const *words, const char *output, const char *folder) {
    union {
        const char *const *words;
        char *const *arguments;
    } same = {words};
    setpgid(0, 0);
    setenv("TMPDIR", folder, 1);
    int file = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0)
        execvp(words[0], same.arguments);
    _exit(127);
}

pid_t launch_start(const char *const *words, const char *output, const char *folder) {
    pid_t process = system_fails_now(CALL_START) ? -1 : fork();
    if (process == 0)
        become(words, output, folder);
    return process;
}

/* A wait that fails has waited. */
pid_t launch_wait(pid_t process, int *how) {
    bool fails = system_fails_now(CALL_WAIT);
    pid_t ended = waitpid(process, how, 0);
    return fails ? -1 : ended;
}

/* One that fails has waited, too. */
pid_t launch_look(pid_t process, int *how) {
    if (system_fails_now(CALL_WAIT)) {
        int code = errno;
        waitpid(process, how, 0);
        errno = code;
        return -1;
    }
    return waitpid(process, how, WNOHANG);
}

int launch_end(pid_t process, bool at_once) {
    return kill(-process, at_once ? SIGKILL : SIGTERM);
}

void launch_pause(double seconds) {
    struct timespec span = {.tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&span, NULL);
}

int launch_memory_file(void) {
    return system_fails_now(CALL_MEMORY_FILE) ? -1 : memfd_create("hardnet", MFD_CLOEXEC);
}
