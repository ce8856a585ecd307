/* npz.c - archives of arrays; see npy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "io/npy.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"

#include <stdio.h>
#include <string.h>

enum { END_BYTES = 22, MOST_COMMENT = 65535, ENTRY_BYTES = 46, LOCAL_BYTES = 30, STORED = 0, DEFLATED = 8 };

/* ---- the directory ---- */

struct archive {
    const char *file; /* of the file, for messages */
    const unsigned char *bytes;
    size_t count;
    size_t directory, entries; /* the offset of the directory, and the number of its entries */
    hn_error *error;
};

struct member {
    const char *name; /* without .npy, not 0-terminated */
    int name_length;
    unsigned method, flags;
    uint32_t checksum;
    size_t packed, size, local; /* bytes in the archive, bytes unpacked, offset of the local header */
};

static unsigned number16(const unsigned char *at) {
    return at[0] | (unsigned)at[1] << 8;
}

static hn_status damaged(const struct archive *a, const char *what) {
    return error_in_file(a->error, HN_SYNTAX, a->file, "the archive is damaged: %s", what);
}

/* Finds the end record by its signature and the length of its comment. */
static hn_status open_archive(struct archive *a) {
    size_t least = a->count > END_BYTES + MOST_COMMENT ? a->count - END_BYTES - MOST_COMMENT : 0;
    for (size_t at = a->count < END_BYTES ? 0 : a->count - END_BYTES + 1; at-- > least;) {
        const unsigned char *end = a->bytes + at;
        if (memcmp(end, "PK\x05\x06", 4) != 0 || at + END_BYTES + number16(end + 20) != a->count)
            continue;
        a->entries = number16(end + 10);
        a->directory = bytes_four(end + 16);
        if (a->entries == 0xffff || a->directory == 0xffffffff || number16(end + 4) != 0)
            return error_in_file(a->error, HN_UNSUPPORTED, a->file,
                                 "archives in several parts or larger than 4 GiB are not supported");
        return a->directory <= at ? HN_OK : damaged(a, "the directory is misplaced");
    }
    return damaged(a, "no directory");
}

/* Reads the directory entry at *at and advances to the next one. */
static hn_status read_entry(const struct archive *a, size_t *at, struct member *member) {
    const unsigned char *entry = a->bytes + *at;
    if (a->count - *at < ENTRY_BYTES || memcmp(entry, "PK\x01\x02", 4) != 0)
        return damaged(a, "truncated directory");
    size_t name = number16(entry + 28), all = ENTRY_BYTES + name + number16(entry + 30) + number16(entry + 32);
    if (a->count - *at < all)
        return damaged(a, "truncated directory");
    *member = (struct member){.name = (const char *)entry + ENTRY_BYTES,
                              .name_length = (int)name,
                              .flags = number16(entry + 8),
                              .method = number16(entry + 10),
                              .checksum = bytes_four(entry + 16),
                              .packed = bytes_four(entry + 20),
                              .size = bytes_four(entry + 24),
                              .local = bytes_four(entry + 42)};
    *at += all;
    return HN_OK;
}

/* Removes .npy from the name; false if it has another suffix. */
static bool is_array(struct member *member) {
    if (member->name_length < 4 || memcmp(member->name + member->name_length - 4, ".npy", 4) != 0)
        return false;
    member->name_length -= 4;
    return true;
}

/* ---- selection of an array ---- */

/* The names of the arrays, for messages. */
struct names {
    char text[120];
    size_t used, count;
};

static void list_name(struct names *names, const struct member *member) {
    int shown = member->name_length < 30 ? member->name_length : 30;
    size_t room = sizeof names->text - names->used;
    int length = snprintf(names->text + names->used, room, "%s%.*s", names->count > 0 ? ", " : "", shown, member->name);
    if ((size_t)length < room)
        names->used += (size_t)length;
    else
        names->text[names->used] = '\0'; /* list only those that fit */
    names->count++;
}

static bool has_name(const struct member *member, const char *name) {
    return strlen(name) == (size_t)member->name_length && memcmp(member->name, name, strlen(name)) == 0;
}

static hn_status find_member(const struct archive *a, const char *name, struct member *found) {
    struct names names = {.count = 0};
    size_t at = a->directory, matches = 0;
    for (size_t i = 0; i < a->entries; i++) {
        struct member member = {.name = NULL};
        hn_status status = read_entry(a, &at, &member);
        if (status != HN_OK)
            return status;
        if (!is_array(&member))
            continue;
        list_name(&names, &member);
        if (!name || has_name(&member, name)) {
            *found = member;
            matches++;
        }
    }
    if (matches == 1)
        return HN_OK;
    if (names.count == 0)
        return error_in_file(a->error, HN_INVALID, a->file, "contains no array");
    if (!name)
        return error_in_file(a->error, HN_INVALID, a->file, "contains %zu arrays (%s); choose one, as in %s:%.*s",
                             names.count, names.text, a->file, (int)strcspn(names.text, ","), names.text);
    return error_in_file(a->error, HN_INVALID, a->file, "%s array %.40s; %s in the file: %s",
                         matches == 0 ? "no" : "more than one", name, names.count == 1 ? "array" : "arrays",
                         names.text);
}

/* ---- the data of an array ---- */

static hn_status locate(const struct archive *a, const struct member *member, const unsigned char **data) {
    const unsigned char *local = a->bytes + member->local;
    if (member->local > a->count || a->count - member->local < LOCAL_BYTES || memcmp(local, "PK\x03\x04", 4) != 0)
        return damaged(a, "no array at the offset in the directory");
    size_t before = LOCAL_BYTES + number16(local + 26) + (size_t)number16(local + 28);
    if (a->count - member->local < before || a->count - member->local - before < member->packed)
        return damaged(a, "an array extends beyond the end of the file");
    *data = local + before;
    return HN_OK;
}

static hn_status check_member(const struct archive *a, const struct member *member, size_t max_bytes) {
    const char *why = member->flags & 1                                        ? "encrypted"
                      : member->method != STORED && member->method != DEFLATED ? "compressed with an unsupported method"
                      : member->packed == 0xffffffff || member->size == 0xffffffff ? "larger than 4 GiB"
                                                                                   : NULL;
    if (why)
        return error_in_file(a->error, HN_UNSUPPORTED, a->file, "array %.*s is %s", member->name_length, member->name,
                             why);
    if (member->size > max_bytes)
        return error_in_file(a->error, HN_LIMIT, a->file, "array %.*s has %zu bytes, more than the limit of %zu",
                             member->name_length, member->name, member->size, max_bytes);
    if (member->method == STORED && member->packed != member->size)
        return damaged(a, "contradictory sizes of an array");
    return HN_OK;
}

static hn_status parse_member(hn_array *array, const struct archive *a, const struct member *member,
                              const unsigned char *bytes) {
    char name[400];
    snprintf(name, sizeof name, "%.250s:%.*s", a->file, member->name_length < 100 ? member->name_length : 100,
             member->name);
    if (checksum_add(0, bytes, member->size) != member->checksum)
        return damaged(a, "checksum mismatch");
    return npy_parse(array, name, bytes, member->size, a->error);
}

static hn_status unpack(hn_array *array, const struct archive *a, const struct member *member,
                        const unsigned char *packed) {
    unsigned char *bytes = base_allocate(member->size > 0 ? member->size : 1);
    hn_status status;
    if (!bytes)
        return error_no_memory(a->error, a->file);
    if (inflate_bytes(bytes, member->size, packed, member->packed))
        status = parse_member(array, a, member, bytes);
    else
        status = damaged(a, "invalid compressed data");
    base_release(bytes);
    return status;
}

bool npz_begins(const void *bytes, size_t count) {
    return count >= 4 && (memcmp(bytes, "PK\x03\x04", 4) == 0 || memcmp(bytes, "PK\x05\x06", 4) == 0);
}

hn_status npz_parse(hn_array *array, const char *file, const char *name, const struct file_bytes *bytes,
                    size_t max_bytes, hn_error *error) {
    struct archive archive = {.file = file, .bytes = bytes->data, .count = bytes->count, .error = error};
    struct member member = {.name = NULL};
    const unsigned char *data = NULL;
    *array = (hn_array){.values = NULL};
    hn_status status = open_archive(&archive);
    if (status == HN_OK)
        status = find_member(&archive, name, &member);
    if (status == HN_OK)
        status = check_member(&archive, &member, max_bytes);
    if (status == HN_OK)
        status = locate(&archive, &member, &data);
    if (status != HN_OK)
        return status;
    return member.method == STORED ? parse_member(array, &archive, &member, data)
                                   : unpack(array, &archive, &member, data);
}
