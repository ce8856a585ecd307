/* system.c - POSIX behind the seam of system.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/system.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int system_open_read(const char *path) {
    return open(path, O_RDONLY | O_CLOEXEC);
}

int system_create(const char *path) {
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

int system_open_folder(const char *path) {
    return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

off_t system_size(int file) {
    struct stat facts;
    return fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? facts.st_size : -1;
}

ssize_t system_read(int file, void *bytes, size_t count) {
    return read(file, bytes, count);
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
