/* launch.c - implements launch.h for POSIX and Linux.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* memfd_create, secure_getenv, environ */
#include "base/launch.h"

#include "base/memory.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

const char *launch_variable(const char *name) {
    return secure_getenv(name);
}

uid_t launch_user(void) {
    return geteuid();
}

bool launch_is_privileged(void) {
    return getauxval(AT_SECURE) != 0;
}

int launch_resolve(const char *path, char resolved[PATH_MAX]) {
    return realpath(path, resolved) ? 0 : -1;
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

double launch_age(int file) {
    struct stat seen;
    struct timespec now;
    if (fstat(file, &seen) != 0 || clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    return (double)(now.tv_sec - seen.st_mtim.tv_sec);
}

/* ---- programs ---- */

/* Signals that this process blocks, ignores or handles must still interrupt the child. */
static int set_signals(posix_spawnattr_t *attributes) {
    static const int numbers[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD};
    sigset_t none, usual;
    sigemptyset(&none);
    sigemptyset(&usual);
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        sigaddset(&usual, numbers[i]);
    int failed =
        posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    if (!failed)
        failed = posix_spawnattr_setpgroup(attributes, 0);
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

/* POSIX expects non-const arguments but does not modify them. */
static char *const *as_arguments(const char *const *words) {
    union {
        const char *const *words;
        char *const *arguments;
    } same = {words};
    return same.arguments;
}

/* This process's environment with one variable ("TMPDIR=...") replaced. From base_allocate; NULL when out of memory. */
static char **variables_with(char *own, size_t name) {
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **variables = base_allocate((count + 2) * sizeof *variables);
    for (size_t i = 0; variables && i < count; i++)
        if (strncmp(environ[i], own, name) != 0)
            variables[kept++] = environ[i];
    if (variables) {
        variables[kept++] = own;
        variables[kept] = NULL;
    }
    return variables;
}

static pid_t start_with(const char *const *words, const char *output, char *const *variables) {
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
            failed = posix_spawnp(&process, words[0], &files, &attributes, as_arguments(words), variables);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    errno = failed;
    return failed ? -1 : process;
}

pid_t launch_start(const char *const *words, const char *output, const char *folder) {
    static const char name[] = "TMPDIR=";
    size_t length = strlen(folder);
    char *own = base_allocate(sizeof name + length);
    char **variables = NULL;
    if (own) {
        memcpy(own, name, sizeof name - 1);
        memcpy(own + sizeof name - 1, folder, length + 1);
        variables = variables_with(own, sizeof name - 1);
    }
    pid_t process = variables ? start_with(words, output, variables) : -1;
    int code = variables ? errno : ENOMEM;
    base_release(variables);
    base_release(own);
    errno = code;
    return process;
}

pid_t launch_wait(pid_t process, int *how) {
    return waitpid(process, how, 0);
}

pid_t launch_look(pid_t process, int *how) {
    return waitpid(process, how, WNOHANG);
}

int launch_end(pid_t process, bool at_once) {
    return kill(-process, at_once ? SIGKILL : SIGTERM);
}

void launch_pause(double seconds) {
    struct timespec span = {.tv_sec = (time_t)seconds};
    span.tv_nsec = (long)(1e9 * (seconds - (double)span.tv_sec));
    nanosleep(&span, NULL);
}

int launch_memory_file(void) {
#ifdef MFD_CLOEXEC
    return memfd_create("hardnet", MFD_CLOEXEC);
#else
    errno = ENOSYS;
    return -1;
#endif
}
