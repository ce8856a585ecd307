/* memory_file.c - see memory_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/memory_file.h"

#include "base/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { DESCRIPTOR = 1000 }; /* one for all; no call of the system ever sees it */

static struct memory_file file, writing; /* the file, and the one that will be renamed to it */
static size_t at;                        /* bytes that were read */

static void append(struct memory_file *to, const void *bytes, size_t count) {
    uint8_t *moved = realloc(to->bytes, to->count + count + 1);
    if (!moved)
        abort();
    to->bytes = moved;
    if (count > 0)
        memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

static void drop(struct memory_file *one) {
    free(one->bytes);
    *one = (struct memory_file){NULL, 0};
}

void memory_file_set(const void *bytes, size_t count) {
    drop(&file);
    append(&file, bytes, count);
}

struct memory_file memory_file_take(void) {
    struct memory_file taken = file;
    file = (struct memory_file){NULL, 0};
    return taken;
}

/* ---- reading ---- */

int system_open_read(const char *path) {
    (void)path;
    at = 0;
    errno = ENOENT;
    return file.bytes ? DESCRIPTOR : -1;
}

int system_open_at_once(const char *path) {
    return system_open_read(path);
}

off_t system_size(int descriptor) {
    (void)descriptor;
    return (off_t)file.count;
}

ssize_t system_read(int descriptor, void *bytes, size_t count) {
    (void)descriptor;
    count = count < file.count - at ? count : file.count - at;
    memcpy(bytes, file.bytes + at, count);
    at += count;
    return (ssize_t)count;
}

/* ---- writing ---- */

int system_create(const char *path) {
    (void)path;
    drop(&writing);
    append(&writing, NULL, 0);
    return DESCRIPTOR;
}

int system_create_unnamed(const char *folder) {
    return system_create(folder);
}

int system_name(int descriptor, const char *path) {
    (void)descriptor;
    (void)path;
    return 0;
}

ssize_t system_write(int descriptor, const void *bytes, size_t count) {
    (void)descriptor;
    append(&writing, bytes, count);
    return (ssize_t)count;
}

int system_rename(const char *from, const char *to) {
    (void)from;
    (void)to;
    drop(&file);
    file = writing;
    writing = (struct memory_file){NULL, 0};
    return 0;
}

int system_remove(const char *path) {
    (void)path;
    drop(&writing);
    return 0;
}

/* ---- what does nothing in memory ---- */

int system_look(const char *path, struct system_facts *facts) {
    (void)path, (void)facts;
    errno = ENOENT;
    return -1;
}

ssize_t system_read_at(int descriptor, void *bytes, size_t count, off_t from) {
    (void)descriptor;
    size_t left = (size_t)from < file.count ? file.count - (size_t)from : 0;
    count = count < left ? count : left;
    if (count > 0)
        memcpy(bytes, file.bytes + from, count);
    return (ssize_t)count;
}
ssize_t system_read_link(const char *path, char *target, size_t size) {
    (void)path, (void)target, (void)size;
    errno = EINVAL;
    return -1;
}

int system_permit(int descriptor, mode_t permissions) {
    (void)descriptor, (void)permissions;
    return 0;
}

int system_take_after(int descriptor, const struct system_facts *facts) {
    (void)descriptor, (void)facts;
    return 0;
}

bool system_is_regular(const struct system_facts *facts) {
    (void)facts;
    return true;
}

bool system_is_device(const struct system_facts *facts) {
    (void)facts;
    return false;
}

int system_open_folder(const char *path) {
    (void)path;
    return DESCRIPTOR;
}

int system_sync(int descriptor) {
    (void)descriptor;
    return 0;
}

int system_close(int descriptor) {
    (void)descriptor;
    return 0;
}

int system_remove_in(int folder, const char *name) {
    (void)folder, (void)name;
    return -1;
}

int system_visit(int folder, void (*visit)(void *context, const char *name), void *context) {
    (void)folder, (void)visit, (void)context;
    return -1;
}

double system_age_in(int folder, const char *name) {
    (void)folder, (void)name;
    return -1;
}

uint64_t system_unique(void) {
    return 0;
}
