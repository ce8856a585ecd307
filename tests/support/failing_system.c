/* failing_system.c - see failing.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_TMPFILE */
#include "support/failing.h"

#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static size_t fail_at, calls, most_bytes; /* fail_at 0: never */
static int fail_code;
static bool no_unnamed, for_ever;
static enum system_call failed;

void system_fail_at(size_t k, int code) {
    fail_at = k;
    fail_code = code;
    for_ever = false;
    calls = 0;
    failed = CALL_NONE;
}

void system_fail_from(size_t k, int code) {
    system_fail_at(k, code);
    for_ever = true;
}

void system_fail_never(void) {
    system_fail_at(0, 0);
}

void system_move_at_most(size_t bytes) {
    most_bytes = bytes;
}

void system_forbid_unnamed(bool forbid) {
    no_unnamed = forbid;
}

enum system_call system_failed_call(void) {
    return failed;
}

size_t system_calls(void) {
    return calls;
}

bool system_fails_now(enum system_call call) {
    calls++;
    if (fail_at == 0 || calls < fail_at || (calls > fail_at && !for_ever))
        return false;
    if (failed == CALL_NONE) {
        fault_count(FAULT_SYSTEM_CALL);
        failed = call;
    }
    errno = fail_code;
    return true;
}

static size_t moved(size_t count) {
    return most_bytes != 0 && most_bytes < count ? most_bytes : count;
}

int system_open_read(const char *path) {
    return system_fails_now(CALL_OPEN_READ) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
}

int system_open_at_once(const char *path) {
    return system_fails_now(CALL_OPEN_READ) ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int system_create(const char *path) {
    return system_fails_now(CALL_CREATE) ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int system_create_unnamed(const char *folder) {
    if (no_unnamed) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return system_fails_now(CALL_CREATE_UNNAMED) ? -1 : open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
}

int system_name(int file, const char *path) {
    char place[32];
    snprintf(place, sizeof place, "/proc/self/fd/%d", file);
    return system_fails_now(CALL_NAME) ? -1 : linkat(AT_FDCWD, place, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int system_open_folder(const char *path) {
    return system_fails_now(CALL_OPEN_FOLDER) ? -1 : open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int system_look(const char *path, struct system_facts *facts) {
    struct stat seen;
    if (system_fails_now(CALL_LOOK) || stat(path, &seen) != 0)
        return -1;
    *facts = (struct system_facts){.mode = seen.st_mode, .owner = seen.st_uid, .group = seen.st_gid};
    return 0;
}

ssize_t system_read_link(const char *path, char *target, size_t size) {
    return system_fails_now(CALL_READ_LINK) ? -1 : readlink(path, target, size);
}

int system_take_after(int file, const struct system_facts *facts) {
    return system_fails_now(CALL_TAKE_AFTER) ? -1 : fchmod(file, facts->mode & 07777);
}

int system_permit(int file, mode_t permissions) {
    return system_fails_now(CALL_PERMIT) ? -1 : fchmod(file, permissions);
}

bool system_is_regular(const struct system_facts *facts) {
    return S_ISREG(facts->mode);
}

bool system_is_device(const struct system_facts *facts) {
    return S_ISCHR(facts->mode) || S_ISBLK(facts->mode);
}

off_t system_size(int file) {
    struct stat facts;
    return !system_fails_now(CALL_SIZE) && fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : -1;
}

ssize_t system_read(int file, void *bytes, size_t count) {
    return system_fails_now(CALL_READ) ? -1 : read(file, bytes, moved(count));
}

ssize_t system_read_at(int file, void *bytes, size_t count, off_t from) {
    return system_fails_now(CALL_READ) ? -1 : pread(file, bytes, moved(count), from);
}

ssize_t system_write(int file, const void *bytes, size_t count) {
    return system_fails_now(CALL_WRITE) ? -1 : write(file, bytes, moved(count));
}

int system_sync(int file) {
    return system_fails_now(CALL_SYNC) ? -1 : fsync(file);
}

int system_close(int file) {
    bool fails = system_fails_now(CALL_CLOSE);
    int code = errno, result = close(file);
    if (!fails)
        return result;
    errno = code;
    return -1;
}

int system_rename(const char *from, const char *to) {
    return system_fails_now(CALL_RENAME) ? -1 : rename(from, to);
}

int system_remove(const char *path) {
    return system_fails_now(CALL_REMOVE) ? -1 : unlink(path);
}

/* ---- what is tidied up, which is no failure where it fails ---- */

int system_remove_in(int folder, const char *name) {
    return unlinkat(folder, name, 0);
}

int system_visit(int folder, void (*visit)(void *context, const char *name), void *context) {
    int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return -1;
    DIR *open = fdopendir(file);
    for (struct dirent *at = readdir(open); at; at = readdir(open))
        if (at->d_name[0] != '.')
            visit(context, at->d_name);
    return closedir(open);
}

double system_age_in(int folder, const char *name) {
    struct stat seen;
    return fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW) == 0 ? difftime(time(NULL), seen.st_mtime) : -1;
}

uint64_t system_unique(void) {
    static uint64_t count;
    return ++count;
}
