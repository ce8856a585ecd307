/* memory_files.c - files of the module: bytes in its own memory, in place of src/base/system.c.
 *
 * A page has no file system. The name memory:ADDRESS:LENGTH, both in hexadecimal, opens the bytes that lie there; every other name does
 * not exist, and nothing can be written. An open file is a separate block; its address is the file number.
 *
 * SPDX-License-Identifier: MIT */
#include "base/system.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct memory_file {
    const unsigned char *bytes;
    size_t length, at;
};

static int fail(int why) {
    errno = why;
    return -1;
}

static struct memory_file *file_of(int number) {
    return (struct memory_file *)(uintptr_t)(unsigned)number; // NOLINT(performance-no-int-to-ptr)
}

/* ---- reading ---- */

int system_open_read(const char *path) {
    unsigned long address, length;
    if (sscanf(path, "memory:%lx:%lx", &address, &length) != 2)
        return fail(ENOENT);
    struct memory_file *file = malloc(sizeof *file);
    if (!file)
        return fail(ENOMEM);
    *file = (struct memory_file){.bytes = (const unsigned char *)(uintptr_t)address, .length = length};
    return (int)(uintptr_t)file;
}

int system_open_at_once(const char *path) {
    return system_open_read(path);
}

off_t system_size(int number) {
    return (off_t)file_of(number)->length;
}

ssize_t system_read(int number, void *bytes, size_t count) {
    struct memory_file *file = file_of(number);
    size_t left = file->length - file->at;
    count = count < left ? count : left;
    memcpy(bytes, file->bytes + file->at, count);
    file->at += count;
    return (ssize_t)count;
}

int system_close(int number) {
    free(file_of(number));
    return 0;
}

/* ---- what there is not ---- */

int system_create(const char *path) {
    (void)path;
    return fail(EROFS);
}

int system_create_unnamed(const char *folder) {
    (void)folder;
    return fail(EROFS);
}

int system_name(int number, const char *path) {
    (void)number, (void)path;
    return fail(EROFS);
}

int system_open_folder(const char *path) {
    (void)path;
    return fail(ENOENT);
}

int system_look(const char *path, struct system_facts *facts) {
    (void)path, (void)facts;
    return fail(ENOENT);
}

ssize_t system_read_link(const char *path, char *target, size_t size) {
    (void)path, (void)target, (void)size;
    return fail(EINVAL);
}

int system_take_after(int number, const struct system_facts *facts) {
    (void)number, (void)facts;
    return fail(EROFS);
}

int system_permit(int number, mode_t permissions) {
    (void)number, (void)permissions;
    return fail(EROFS);
}

bool system_is_regular(const struct system_facts *facts) {
    (void)facts;
    return false;
}

bool system_is_device(const struct system_facts *facts) {
    (void)facts;
    return false;
}

ssize_t system_write(int number, const void *bytes, size_t count) {
    (void)number, (void)bytes, (void)count;
    return fail(EROFS);
}

int system_sync(int number) {
    (void)number;
    return fail(EROFS);
}

int system_rename(const char *from, const char *to) {
    (void)from, (void)to;
    return fail(EROFS);
}

int system_remove(const char *path) {
    (void)path;
    return fail(EROFS);
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
