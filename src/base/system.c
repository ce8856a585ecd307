/* system.c - implements system.h for POSIX.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* O_TMPFILE */
#include "base/system.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int system_open_read(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

/* Opening a pipe without a writer does not block; the caller checks the file type afterwards. */
int system_open_at_once(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

int system_create(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int system_open_lock(const char *path) {
    return open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
}

/* The file is named through /proc, which must be available. Kernels and file systems without support report that in
 * several ways. */
int system_create_unnamed(const char *folder) {
    int file = -1;
#ifdef O_TMPFILE
    if (access("/proc/self/fd", F_OK) == 0)
        file = open(folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    else
        errno = EOPNOTSUPP;
    if (file < 0 && (errno == EISDIR || errno == EINVAL || errno == ENOENT))
        errno = EOPNOTSUPP;
#else
    (void)folder;
    errno = EOPNOTSUPP;
#endif
    return file;
}

int system_name(int file, const char *path) {
    char place[32];
    snprintf(place, sizeof place, "/proc/self/fd/%d", file);
    return linkat(AT_FDCWD, place, AT_FDCWD, path, AT_SYMLINK_FOLLOW);
}

int system_open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int system_look(const char *path, struct system_facts *facts) {
    struct stat seen;
    if (stat(path, &seen) != 0)
        return -1;
    *facts = (struct system_facts){.mode = seen.st_mode, .owner = seen.st_uid, .group = seen.st_gid};
    return 0;
}

ssize_t system_read_link(const char *path, char *target, size_t size) {
    return readlink(path, target, size);
}

/* Only root may change the owner. The owner is set first, because that clears permission bits. */
int system_take_after(int file, const struct system_facts *facts) {
    struct stat now;
    if (fstat(file, &now) != 0)
        return -1;
    bool differs = now.st_uid != facts->owner || now.st_gid != facts->group;
    if (differs && fchown(file, facts->owner, facts->group) != 0 && fchown(file, (uid_t)-1, facts->group) != 0)
        errno = 0;
    return fchmod(file, facts->mode & 07777);
}

int system_permit(int file, mode_t most) {
    struct stat now;
    return fstat(file, &now) != 0 ? -1 : fchmod(file, now.st_mode & most);
}

bool system_is_regular(const struct system_facts *facts) {
    return S_ISREG(facts->mode);
}

bool system_is_device(const struct system_facts *facts) {
    return S_ISCHR(facts->mode) || S_ISBLK(facts->mode);
}

off_t system_size(int file) {
    struct stat facts;
    return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : -1;
}

ssize_t system_read(int file, void *bytes, size_t count) {
    return read(file, bytes, count);
}

ssize_t system_read_at(int file, void *bytes, size_t count, off_t from) {
    return pread(file, bytes, count, from);
}

ssize_t system_write(int file, const void *bytes, size_t count) {
    return write(file, bytes, count);
}

int system_sync(int file) {
    return fsync(file);
}

int system_close(int file) {
    return close(file);
}

int system_rename(const char *from, const char *to) {
    return rename(from, to);
}

int system_remove(const char *path) {
    return unlink(path);
}

/* ---- the contents of a folder ---- */

int system_remove_in(int folder, const char *name) {
    return unlinkat(folder, name, 0);
}

int system_visit(int folder, void (*visit)(void *context, const char *name), void *context) {
    int file = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *open = file >= 0 ? fdopendir(file) : NULL;
    if (!open) {
        if (file >= 0)
            close(file);
        return -1;
    }
    for (const struct dirent *at = readdir(open); at;
         at = readdir(open)) // NOLINT(concurrency-mt-unsafe): the stream is local
        if (strcmp(at->d_name, ".") != 0 && strcmp(at->d_name, "..") != 0)
            visit(context, at->d_name);
    return closedir(open);
}

double system_age_in(int folder, const char *name) {
    struct stat seen;
    struct timespec now;
    if (fstatat(folder, name, &seen, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(seen.st_mode) || seen.st_uid != geteuid() ||
        clock_gettime(CLOCK_REALTIME, &now) != 0)
        return -1;
    return (double)(now.tv_sec - seen.st_mtim.tv_sec);
}

uint64_t system_unique(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_REALTIME, &now);
    uint64_t mixed = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    return (mixed ^ (uint64_t)getpid() << 40) * UINT64_C(0x9e3779b97f4a7c15);
}
