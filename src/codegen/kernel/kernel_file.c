/* kernel_file.c - see kernel_file.h.
 *
 * SPDX-License-Identifier: MIT */
#include "codegen/kernel/kernel_file.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/launch.h"
#include "base/machine.h"
#include "base/memory.h"
#include "base/size.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* The text at the end: lines, padding of empty lines, then a line with the digest. */
enum { END_BYTES = 512, END_LINES = END_BYTES - DIGEST_TEXT, FOR_OTHERS = 0077, OTHERS_MAY_WRITE = 0022 };

static const char head[] = "\nhardnet kernel 1\n";

#define LINE_LIST(X) X(version) X(machine) X(instructions) X(method) X(gradients) X(model) X(code)

struct kernel_identity kernel_identify(const struct kernel_source *source) {
    struct kernel_identity own;
    struct digest digest = digest_start();
    memset(&own, 0, sizeof own);
    snprintf(own.version, sizeof own.version, "%s", hn_version());
    snprintf(own.machine, sizeof own.machine, "%s", source->machine ? source->machine : machine_processor());
    snprintf(own.instructions, sizeof own.instructions, "%s",
             source->instructions ? source->instructions : hn_instructions_text(source->options->instructions));
    snprintf(own.method, sizeof own.method, "%s", hn_method_text(source->options->method));
    snprintf(own.gradients, sizeof own.gradients, "%s", source->gradients ? "yes" : "no");
    snprintf(own.model, sizeof own.model, "%s", source->model);
    digest_add_text(&digest, own.version);
    digest_add_text(&digest, own.machine);
    digest_add_text(&digest, own.instructions);
    digest_add_size(&digest, source->length);
    digest_add(&digest, source->text, source->length);
    if (source->text)
        digest_finish_text(&digest, own.code);
    return own;
}

/* ---- writing ---- */

#define LINE_FORMAT(name) #name " %s\n"
#define LINE_VALUE(name)  , own->name

static void write_lines(char *end, const struct kernel_identity *own) {
    char lines[END_BYTES];
    int length = snprintf(lines, sizeof lines, "%s" LINE_LIST(LINE_FORMAT), head LINE_LIST(LINE_VALUE));
    memset(end, '\n', END_LINES);
    memcpy(end, lines, (size_t)length);
}

static void digest_of(const unsigned char *bytes, size_t count, char out[DIGEST_TEXT]) {
    struct digest digest = digest_start();
    digest_add(&digest, bytes, count);
    digest_finish_text(&digest, out);
}

hn_status kernel_file_write(const char *path, const struct kernel_identity *identity, const struct file_bytes *object,
                            mode_t permissions, hn_error *error) {
    size_t all;
    unsigned char *bytes = size_add(object->count, END_BYTES, &all) ? base_allocate(all) : NULL;
    if (!bytes)
        return error_no_memory(error, path);
    char *end = (char *)bytes + object->count, digest[DIGEST_TEXT];
    memcpy(bytes, object->data, object->count);
    write_lines(end, identity);
    digest_of(bytes, all - DIGEST_TEXT, digest);
    memcpy(end + END_LINES, digest, DIGEST_TEXT);
    end[END_BYTES - 1] = '\n';
    hn_status status = file_write_for(path, bytes, all, permissions, error);
    base_release(bytes);
    return status;
}

/* ---- reading ---- */

/* The rest of the line that begins with the word; false if it is missing or too long. */
static bool line_after(const char *lines, const char *word, char *out, size_t size) {
    const char *line = strstr(lines, word);
    size_t length = line ? strcspn(line + strlen(word), "\n") : 0;
    if (!line || length >= size)
        return false;
    memcpy(out, line + strlen(word), length);
    out[length] = '\0';
    return true;
}

#define LINE_READ(name) &&line_after(lines, "\n" #name " ", found->name, sizeof found->name)

static bool read_lines(const char *end, struct kernel_identity *found) {
    char lines[END_LINES + 1];
    memcpy(lines, end, END_LINES);
    lines[END_LINES] = '\0';
    return true LINE_LIST(LINE_READ);
}

hn_status kernel_fits_here(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                           hn_error *error) {
    const struct error_subject file = {.code = HN_CODE_KERNEL, .name = path};
    if (strcmp(found->version, wanted->version) != 0)
        return error_about(error, HN_INVALID, file, "%s: a kernel of hardnet %s; this is %s: compile it again", path,
                           found->version, wanted->version);
    if (strcmp(found->machine, wanted->machine) != 0)
        return error_about(error, HN_INVALID, file, "%s: a kernel for %s; this machine is %s", path, found->machine,
                           wanted->machine);
    if (strcmp(found->instructions, wanted->instructions) != 0)
        return error_about(error, HN_INVALID, file, "%s: a kernel for the instruction set %s; the layer uses %s", path,
                           found->instructions, wanted->instructions);
    return HN_OK;
}

hn_status kernel_is_foreign(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                            hn_error *error) {
    const struct error_subject file = {.code = HN_CODE_KERNEL, .name = path};
    if (strcmp(found->model, wanted->model) != 0)
        return error_about(error, HN_INVALID, file, "%s: a kernel of another model", path);
    if (strcmp(found->method, wanted->method) != 0)
        return error_about(error, HN_INVALID, file, "%s: a kernel of the method %s; the layer's is %s", path,
                           found->method, wanted->method);
    return error_about(
        error, HN_INVALID, file,
        "%s: a kernel of this model with other options, or of another build of hardnet: compile it again", path);
}

hn_status kernel_file_check(const char *path, const struct file_bytes *all, struct kernel_identity *found,
                            hn_error *error) {
    const struct error_subject file = {.code = HN_CODE_KERNEL, .name = path};
    char digest[DIGEST_TEXT];
    const char *end = all->count > END_BYTES ? (const char *)all->data + all->count - END_BYTES : NULL;
    if (!end || memcmp(end, head, sizeof head - 1) != 0)
        return error_about(error, HN_SYNTAX, file, "%s: not a hardnet kernel, or truncated", path);
    digest_of(all->data, all->count - DIGEST_TEXT, digest);
    if (memcmp(digest, end + END_LINES, DIGEST_TEXT - 1) != 0 || !read_lines(end, found))
        return error_about(error, HN_SYNTAX, file, "%s: the kernel is damaged", path);
    return HN_OK;
}

/* A user who may write to the file may run code as the user who loads it. */
static hn_status check_owner(const char *path, int file, hn_error *error) {
    struct system_facts facts;
    if (launch_facts(file, &facts) != 0)
        return file_error(error, path, "look at", errno);
    if (!system_is_regular(&facts))
        return error_about(error, HN_IO, error_file(path), "%s: it is not a regular file", path);
    if (facts.owner != launch_user() && facts.owner != 0)
        return error_about(error, HN_IO, error_file(path),
                           "%s: it belongs to another user; a kernel is code that runs as you", path);
    if (facts.mode & OTHERS_MAY_WRITE)
        return error_about(error, HN_IO, error_file(path),
                           "%s: others may write to it (mode %04o); a kernel is code that runs as you", path,
                           (unsigned)facts.mode & 07777);
    return HN_OK;
}

hn_status kernel_file_read(struct file_bytes *out, const char *path, struct kernel_identity *found, hn_error *error) {
    struct file_bytes all;
    *out = (struct file_bytes){NULL, 0};
    hn_status status = file_read_checked(&all, path, KERNEL_FILE_MOST, check_owner, error);
    if (status == HN_OK)
        status = kernel_file_check(path, &all, found, error);
    if (status != HN_OK) {
        base_release(all.data);
        return status;
    }
    *out = (struct file_bytes){all.data, all.count - END_BYTES};
    return HN_OK;
}

/* ---- the cache ---- */

__attribute__((format(printf, 3, 4))) static hn_status put_path(char folder[FILE_LONGEST], hn_error *error,
                                                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(folder, FILE_LONGEST, format, arguments);
    va_end(arguments);
    if (length >= 0 && length < CACHE_FOLDER_MOST)
        return HN_OK;
    return error_about(error, HN_IO, error_file("hardnet"), "the cache of kernels: the name of its folder is too long");
}

/* The parent folder, per the XDG base directory specification, which ignores relative paths. */
static hn_status find_parent(char folder[FILE_LONGEST], hn_error *error) {
    const char *cache = launch_variable("XDG_CACHE_HOME"), *home = launch_variable("HOME");
    if (cache && cache[0] == '/')
        return put_path(folder, error, "%s", cache);
    if (home && home[0] == '/')
        return put_path(folder, error, "%s/.cache", home);
    return error_about(error, HN_IO, error_file("hardnet"),
                       "the cache of kernels: neither XDG_CACHE_HOME nor HOME names an absolute folder");
}

/* Creates the folder and its missing parents. */
static hn_status make_folder(char folder[FILE_LONGEST], hn_error *error) {
    for (char *at = folder + 1;; at++) {
        char end = *at;
        if (end != '/' && end != '\0')
            continue;
        *at = '\0';
        bool made = launch_make_folder(folder) == 0 || errno == EEXIST;
        int code = errno;
        if (!made && end == '/') /* if it does not exist, the next call fails */
            made = code == EROFS || code == EACCES || code == EPERM;
        if (!made)
            return file_error(error, folder, "make the folder", code);
        *at = end;
        if (end == '\0')
            return HN_OK;
    }
}

static hn_status check_facts(const char *folder, const struct system_facts *facts, hn_error *error) {
    if (facts->owner != launch_user())
        return error_about(error, HN_IO, error_file(folder),
                           "%s: it belongs to another user; kernels are kept in a folder of yours only", folder);
    if (facts->mode & FOR_OTHERS)
        return error_about(error, HN_IO, error_file(folder),
                           "%s: others may use it (mode %04o); kernels are kept in a folder of mode 0700", folder,
                           (unsigned)facts->mode & 07777);
    return HN_OK;
}

static hn_status check_folder(const char *folder, hn_error *error) {
    struct system_facts facts;
    int file = launch_open_folder(folder);
    if (file < 0 && (errno == ENOTDIR || errno == ELOOP))
        return error_about(error, HN_IO, error_file(folder), "%s: it is not a folder, or a symbolic link", folder);
    if (file < 0)
        return file_error(error, folder, "open", errno);
    hn_status status = launch_facts(file, &facts) == 0 ? check_facts(folder, &facts, error)
                                                       : file_error(error, folder, "look at", errno);
    system_close(file);
    return status;
}

hn_status cache_folder(char folder[FILE_LONGEST], hn_error *error) {
    char parent[FILE_LONGEST];
    hn_status status = find_parent(parent, error);
    if (status == HN_OK)
        status = put_path(folder, error, "%s/hardnet", parent);
    if (status == HN_OK)
        status = make_folder(folder, error);
    return status == HN_OK ? check_folder(folder, error) : status;
}

hn_status cache_path(char path[FILE_LONGEST], const struct kernel_identity *identity, const char *const *words,
                     const char *ending, hn_error *error) {
    char folder[FILE_LONGEST], key[DIGEST_TEXT];
    struct digest digest = digest_start();
    hn_status status = cache_folder(folder, error);
    if (status != HN_OK)
        return status;
    digest_add_text(&digest, identity->code);
    for (size_t i = 0; words[i]; i++)
        digest_add_text(&digest, words[i]);
    digest_finish_text(&digest, key);
    snprintf(path, FILE_LONGEST, "%.*s/%s%s", CACHE_FOLDER_MOST, folder, key, ending);
    return HN_OK;
}

hn_status cache_read(struct file_bytes *out, const char *path, const struct kernel_identity *wanted, hn_error *error) {
    struct kernel_identity found;
    struct system_facts facts;
    hn_error said = {.status = HN_OK};
    *out = (struct file_bytes){NULL, 0};
    if (system_look(path, &facts) != 0)
        return HN_OK;
    hn_status status = kernel_file_read(out, path, &found, &said);
    if (status == HN_OK && strcmp(found.code, wanted->code) == 0)
        return HN_OK;
    base_release(out->data);
    *out = (struct file_bytes){NULL, 0};
    if (status == HN_OK || status == HN_SYNTAX)
        return HN_OK;
    if (error)
        *error = said;
    return status;
}

/* ---- ELF ---- */

enum {
    ELF_HEADER = 64,
    ELF_SEGMENTS_AT = 32,     /* offset of the program headers, 8 bytes */
    ELF_SEGMENT_SIZE_AT = 54, /* size of a program header, 2 bytes */
    ELF_SEGMENT_COUNT_AT = 56,
    SEGMENT_LEAST = 56,
    SEGMENT_FLAGS_AT = 4,
    SEGMENT_BYTES_AT = 32, /* offset of the size in the file */
    SEGMENT_LOADED = 1,
    SEGMENT_EXECUTED = 1
};

size_t kernel_code_bytes(const struct file_bytes *object) {
    static const unsigned char elf64_least_first[] = {0x7f, 'E', 'L', 'F', 2, 1};
    const unsigned char *bytes = object->data;
    if (object->count < ELF_HEADER || memcmp(bytes, elf64_least_first, sizeof elf64_least_first) != 0)
        return 0;
    uint64_t at = bytes_integer(bytes + ELF_SEGMENTS_AT, 8, false), sum = 0;
    uint64_t size = bytes_integer(bytes + ELF_SEGMENT_SIZE_AT, 2, false);
    uint64_t count = bytes_integer(bytes + ELF_SEGMENT_COUNT_AT, 2, false);
    if (size < SEGMENT_LEAST || at > object->count || count * size > object->count - at)
        return 0;
    for (uint64_t i = 0; i < count; i++) {
        const unsigned char *segment = bytes + at + i * size;
        bool loaded = bytes_integer(segment, 4, false) == SEGMENT_LOADED;
        if (loaded && bytes_integer(segment + SEGMENT_FLAGS_AT, 4, false) & SEGMENT_EXECUTED)
            sum += bytes_integer(segment + SEGMENT_BYTES_AT, 8, false);
    }
    return sum <= object->count ? (size_t)sum : 0;
}
