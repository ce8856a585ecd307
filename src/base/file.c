/* file.c - see file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/file.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/system.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { READ_STEP = 64 * 1024, TEMPORARY_TRIES = 100, TEMPORARY_DIGITS = 8, MOST_LINKS = 40 };
static const double STALE_SECONDS = 24 * 3600;

hn_status file_error(hn_error *error, const char *path, const char *what, int code) {
    char reason[128];
    if (strerror_r(code, reason, sizeof reason) != 0)
        snprintf(reason, sizeof reason, "error %d", code);
    return error_in_file(error, HN_IO, path, "cannot %s: %s", what, reason);
}

/* ---- reading ---- */

struct reading {
    int file;
    const char *path;
    size_t max_bytes;    /* more is an error */
    bool regular;        /* only regular files, without blocking, which */
    file_check *check;   /* accepts, unless NULL */
    file_begins *begins; /* NULL: any content is accepted */
    size_t most;         /* the size that `begins` determined; 0: not known yet */
    size_t known;        /* size of a regular file, if known; else 0 */
};

/* Grows the buffer: to the file size if it is known and the beginning is valid, else by doubling. */
static bool grow(const struct reading *r, struct file_bytes *bytes, size_t *capacity) {
    size_t more = *capacity < READ_STEP ? READ_STEP : *capacity, wanted = size_sum(*capacity, more), room;
    size_t known = r->most && r->most < r->known ? r->most : r->known;
    if ((!r->begins || r->most) && known >= *capacity && known < r->max_bytes)
        wanted = known + 1;
    void *moved = size_add(wanted, 1, &room) ? base_reallocate(bytes->data, room) : NULL;
    if (!moved)
        return false;
    bytes->data = moved;
    *capacity = wanted;
    return true;
}

static hn_status refuse_size(const struct reading *r, hn_error *error) {
    return error_in_file(error, HN_LIMIT, r->path, "larger than the limit of %zu bytes", r->max_bytes);
}

/* Reads one piece; sets *ended at the end of the file. */
static hn_status read_piece(struct reading *r, struct file_bytes *bytes, size_t capacity, bool *ended,
                            hn_error *error) {
    ssize_t got = system_read(r->file, bytes->data + bytes->count, capacity - bytes->count);
    if (got < 0 && errno == EINTR)
        return HN_OK;
    if (got < 0)
        return file_error(error, r->path, "read", errno);
    *ended = got == 0;
    bytes->count += (size_t)got;
    if (bytes->count > r->max_bytes)
        return refuse_size(r, error);
    if (*ended || !r->begins || r->most)
        return HN_OK;
    hn_status status = r->begins(r->path, bytes, &r->most, error);
    return status == HN_OK && r->most > r->max_bytes && r->most != FILE_ANY ? refuse_size(r, error) : status;
}

static hn_status refuse_device(const struct reading *r, hn_error *error) {
    struct system_facts facts;
    if (system_look(r->path, &facts) != 0)
        return file_error(error, r->path, "look at", errno);
    if (system_is_device(&facts))
        return error_in_file(error, HN_IO, r->path, "is a device, not a file");
    return HN_OK;
}

static hn_status read_open(struct reading *r, struct file_bytes *bytes, hn_error *error) {
    off_t known = system_size(r->file);
    size_t capacity = 0;
    bool ended = false;
    hn_status status = known < 0 && r->begins ? refuse_device(r, error) : HN_OK;
    r->known = known > 0 ? (size_t)known : 0;
    while (status == HN_OK && !ended && !(r->most && bytes->count > r->most)) {
        if (bytes->count == capacity && !grow(r, bytes, &capacity))
            return error_no_memory(error, r->path);
        status = read_piece(r, bytes, capacity, &ended, error);
    }
    if (status == HN_OK)
        bytes->data[bytes->count] = 0;
    return status;
}

static hn_status check_regular(const struct reading *r, hn_error *error) {
    hn_status status = r->check ? r->check(r->path, r->file, error) : HN_OK;
    off_t size = status == HN_OK ? system_size(r->file) : 0;
    if (status != HN_OK)
        return status;
    if (size < 0)
        return error_in_file(error, HN_IO, r->path, "not a regular file");
    return (uintmax_t)size <= r->max_bytes ? HN_OK : refuse_size(r, error);
}

static hn_status read_path(struct reading *r, struct file_bytes *out, hn_error *error) {
    *out = (struct file_bytes){NULL, 0};
    r->file = r->regular ? system_open_at_once(r->path) : system_open_read(r->path);
    if (r->file < 0)
        return file_error(error, r->path, "open", errno);
    hn_status status = r->regular ? check_regular(r, error) : HN_OK;
    if (status == HN_OK)
        status = read_open(r, out, error);
    system_close(r->file);
    if (status != HN_OK) {
        base_release(out->data);
        *out = (struct file_bytes){NULL, 0};
    }
    return status;
}

hn_status file_read(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error) {
    return read_path(&(struct reading){.path = path, .max_bytes = max_bytes}, out, error);
}

hn_status file_read_begun(struct file_bytes *out, const char *path, size_t max_bytes, file_begins *begins,
                          hn_error *error) {
    return read_path(&(struct reading){.path = path, .max_bytes = max_bytes, .begins = begins}, out, error);
}

hn_status file_read_checked(struct file_bytes *out, const char *path, size_t max_bytes, file_check *check,
                            hn_error *error) {
    struct reading reading = {.path = path, .max_bytes = max_bytes, .regular = true, .check = check};
    return read_path(&reading, out, error);
}

hn_status file_read_regular(struct file_bytes *out, const char *path, size_t max_bytes, hn_error *error) {
    return file_read_checked(out, path, max_bytes, NULL, error);
}

/* ---- writing ---- */

int file_put(int file, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    while (count > 0) {
        ssize_t put = system_write(file, at, count);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return -1;
        at += put;
        count -= (size_t)put;
    }
    return 0;
}

/* A file to be written: first path.N.tmp, N eight random digits, which is then renamed. */
struct writing {
    const char *shown;         /* the caller's path, for messages */
    const mode_t *permissions; /* NULL: those of the existing file, or the default */
    char path[FILE_LONGEST];   /* the resolved target, */
    bool there;                /* whether it exists, */
    struct system_facts facts; /* and how */
    char *name;                /* of the temporary file */
    size_t size;               /* of name */
    bool named;
    int file;
};

/* Bytes of the path up to and including its last slash. */
static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Resolves a link target relative to the link's folder; false when the path is too long. */
static bool go_to(char path[FILE_LONGEST], const char *named, size_t length) {
    size_t folder = named[0] == '/' ? 0 : folder_length(path);
    if (length >= FILE_LONGEST - folder)
        return false;
    memcpy(path + folder, named, length);
    path[folder + length] = '\0';
    return true;
}

int file_follow(char path[FILE_LONGEST]) {
    char named[FILE_LONGEST];
    for (int i = 0; i < MOST_LINKS; i++) {
        ssize_t length = system_read_link(path, named, sizeof named);
        if (length < 0)
            return errno == EINVAL || errno == ENOENT || errno == ENOTDIR ? 0 : -1;
        if (length == 0 || !go_to(path, named, (size_t)length)) {
            errno = ENAMETOOLONG;
            return -1;
        }
    }
    errno = ELOOP;
    return -1;
}

static hn_status find_target(struct writing *t, hn_error *error) {
    const char *path = t->shown;
    size_t length = strlen(path);
    if (length >= sizeof t->path)
        return file_error(error, path, "write", ENAMETOOLONG);
    memcpy(t->path, path, length + 1);
    t->there = system_look(path, &t->facts) == 0;
    if (!t->there && errno != ENOENT && errno != ENOTDIR)
        return file_error(error, path, "write", errno);
    if (t->there && !system_is_regular(&t->facts))
        return error_in_file(error, HN_IO, path, "cannot write: exists and is not a regular file");
    return file_follow(t->path) == 0 ? HN_OK : file_error(error, path, "write", errno);
}

/* Creates the file under its name, or links an unnamed file to its name. */
static int file_take_name(struct writing *t) {
    int result = -1;
    for (int i = 0; i < TEMPORARY_TRIES; i++) {
        unsigned long number = (unsigned long)(system_unique() >> 32) + (unsigned long)i;
        snprintf(t->name, t->size, "%s.%08lx.tmp", t->path, number & 0xfffffffful);
        result = t->file < 0 ? system_create(t->name) : system_name(t->file, t->name);
        if (result >= 0 || errno != EEXIST)
            break;
    }
    t->named = result >= 0;
    return result;
}

/* On entry name contains the folder. */
static int create_temporary(struct writing *t) {
    t->file = system_create_unnamed(t->name);
    if (t->file < 0 && errno == EOPNOTSUPP)
        t->file = file_take_name(t);
    return t->file;
}

static const char *write_and_close(struct writing *t, const void *bytes, size_t count) {
    const char *failed = NULL;
    int code = 0;
    if (t->there && system_take_after(t->file, &t->facts) != 0)
        failed = "keep the permissions of", code = errno;
    else if (t->permissions && system_permit(t->file, *t->permissions) != 0)
        failed = "set the permissions of", code = errno;
    else if (file_put(t->file, bytes, count) != 0)
        failed = "write", code = errno;
    else if (system_sync(t->file) != 0)
        failed = "sync", code = errno;
    else if (!t->named && file_take_name(t) < 0)
        failed = "create a temporary file for", code = errno;
    if (system_close(t->file) != 0 && !failed)
        failed = "close", code = errno;
    errno = code;
    return failed;
}

/* Opens the folder of a path; leaves its path in name. */
static int open_folder_of(const char *path, char *name) {
    size_t length = folder_length(path);
    memcpy(name, path, length);
    memcpy(name + length, ".", 2);
    return system_open_folder(name);
}

static hn_status replace_file(struct writing *t, const void *bytes, size_t count, hn_error *error) {
    if (create_temporary(t) < 0)
        return file_error(error, t->shown, "create a temporary file for", errno);
    const char *failed = write_and_close(t, bytes, count);
    if (!failed && system_rename(t->name, t->path) != 0)
        failed = "replace";
    if (failed) {
        int code = errno;
        if (t->named)
            system_remove(t->name);
        return file_error(error, t->shown, failed, code);
    }
    return HN_OK;
}

/* ---- leftovers of killed processes ---- */

struct sweep {
    int folder;
    const char *name; /* of the file that was written */
};

/* Whether the name is that of a temporary file of the target; earlier versions counted from 0 to 99. */
static bool file_is_temporary(const char *name, const char *target) {
    size_t length = strlen(target), digits = 0;
    if (strncmp(name, target, length) != 0 || name[length] != '.')
        return false;
    const char *at = name + length + 1;
    digits = strspn(at, "0123456789abcdef");
    bool counted = digits >= 1 && digits <= 2 && strspn(at, "0123456789") == digits;
    return (counted || digits == TEMPORARY_DIGITS) && strcmp(at + digits, ".tmp") == 0;
}

static void sweep_one(void *context, const char *name) {
    const struct sweep *sweep = context;
    if (file_is_temporary(name, sweep->name) && system_age_in(sweep->folder, name) > STALE_SECONDS)
        system_remove_in(sweep->folder, name);
}

/* Syncing the folder makes the rename itself survive a power cut. The folder is opened first, before anything has
 * changed. File systems that cannot sync folders (EINVAL) are accepted. */
static hn_status replace_and_sync(struct writing *t, const void *bytes, size_t count, hn_error *error) {
    int folder = open_folder_of(t->path, t->name);
    if (folder < 0)
        return file_error(error, t->shown, "open the folder of", errno);
    hn_status status = replace_file(t, bytes, count, error);
    if (status == HN_OK && system_sync(folder) != 0 && errno != EINVAL)
        status = file_error(error, t->shown, "sync the folder of", errno);
    if (status == HN_OK)
        system_visit(folder, sweep_one, &(struct sweep){folder, t->path + folder_length(t->path)});
    system_close(folder);
    return status;
}

static hn_status write_file(const char *path, const void *bytes, size_t count, const mode_t *permissions,
                            hn_error *error) {
    struct writing t = {.shown = path, .permissions = permissions, .file = -1};
    hn_status status = find_target(&t, error);
    if (status != HN_OK)
        return status;
    t.size = strlen(t.path) + sizeof ".01234567.tmp";
    t.name = base_allocate(t.size);
    if (!t.name)
        return error_no_memory(error, path);
    status = replace_and_sync(&t, bytes, count, error);
    base_release(t.name);
    return status;
}

hn_status file_write(const char *path, const void *bytes, size_t count, hn_error *error) {
    return write_file(path, bytes, count, NULL, error);
}

hn_status file_write_for(const char *path, const void *bytes, size_t count, mode_t permissions, hn_error *error) {
    return write_file(path, bytes, count, &permissions, error);
}
