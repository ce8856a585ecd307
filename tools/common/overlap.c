/* overlap.c - see overlap.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/overlap.h"

#include "base/file.h"
#include "common/console.h"
#include "common/verbs.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* ---- identity of files ---- */

struct identity {
    bool exists, possible; /* exists: the file; possible: its folder */
    dev_t device;          /* of the file, or of the folder in which it would be made */
    ino_t inode;
    char name[NAME_MAX + 1]; /* of one that does not exist */
};

/* A file that does not exist yet: the identity of its folder, and its name. Without the folder the file cannot be
 * created. */
static void identify_new(struct identity *identity, const char *given) {
    char path[FILE_LONGEST], folder[FILE_LONGEST + 2];
    struct stat there;
    snprintf(path, sizeof path, "%s", given);
    if (file_follow(path) != 0)
        return;
    const char *slash = strrchr(path, '/');
    snprintf(folder, sizeof folder, "%.*s.", slash ? (int)(slash - path) + 1 : 0, path);
    if (stat(folder, &there) != 0)
        return;
    identity->device = there.st_dev;
    identity->inode = there.st_ino;
    snprintf(identity->name, sizeof identity->name, "%.*s", NAME_MAX, slash ? slash + 1 : path);
    identity->possible = true;
}

static void identify(struct identity *identity, const char *path) {
    struct stat there;
    *identity = (struct identity){.exists = stat(path, &there) == 0};
    if (!identity->exists) {
        identify_new(identity, path);
        return;
    }
    identity->device = there.st_dev;
    identity->inode = there.st_ino;
}

static bool is_same(const struct identity *a, const struct identity *b) {
    bool comparable = (a->exists && b->exists) || (a->possible && b->possible);
    return comparable && a->device == b->device && a->inode == b->inode && strcmp(a->name, b->name) == 0;
}

/* ---- outputs against inputs ---- */

struct written {
    const char *verb, *option, *path;
    struct identity identity;
};

static struct written look_at(const struct command *command, const char *option, const char *path) {
    struct written written = {.verb = command->name, .option = option, .path = path};
    identify(&written.identity, path);
    return written;
}

static bool reads_file(const struct written *written, const char *path) {
    struct identity other;
    identify(&other, path);
    return other.exists && is_same(&written->identity, &other);
}

/* FILE, or FILE.npz:NAME. */
static bool reads(const struct written *written, const char *text) {
    char path[PATH_MAX];
    const char *mark = strstr(text, ".npz:");
    if (!mark)
        return reads_file(written, text);
    snprintf(path, sizeof path, "%.*s.npz", (int)(mark - text < PATH_MAX ? mark - text : 0), text);
    return reads_file(written, path);
}

__attribute__((format(printf, 2, 3))) static int refuse(const struct written *written, const char *format, ...) {
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    console_error("--%s %s: %s", written->option, written->path, why);
    fprintf(stderr, "See hardnet %s --help.\n", written->verb);
    return VERB_MISUSED;
}

/* NAME=FILE, as long as no '/' stands before the '='. */
static const char *after_name(const char *text) {
    size_t length = strcspn(text, "=/");
    return text[length] == '=' && length > 0 ? text + length + 1 : text;
}

/* NAME=FILE,FILE: every one of them. */
static bool reads_report(const struct written *written, const char *text) {
    const char *sign = strchr(text, '=');
    for (const char *at = sign ? sign + 1 : text; *at;) {
        char path[PATH_MAX];
        size_t length = strcspn(at, ",");
        snprintf(path, sizeof path, "%.*s", (int)(length < sizeof path ? length : sizeof path - 1), at);
        if (reads(written, path))
            return true;
        at += length + (at[length] == ',');
    }
    return false;
}

static int against_files(const struct written *written, const struct command *command) {
    for (size_t i = 0; i < command->files->count; i++) {
        const char *file = command->files->items[i];
        if (command->files_are_reports && reads_report(written, file))
            return refuse(written, "this file is one of the reports to be read; choose another name");
        if (!command->files_are_reports && reads(written, file))
            return refuse(written, "the model is read from this file; choose another name");
    }
    return VERB_OK;
}

static int against_read_option(const struct written *written, const struct option *option) {
    size_t count = option->list ? option->list->count : 1;
    for (size_t i = 0; i < count; i++) {
        const char *text = option->list ? option->list->items[i] : *option->text;
        if (text && reads(written, option->file == FILE_READ_NAMED ? after_name(text) : text))
            return refuse(written, "--%s reads this file; choose another name", option->name);
    }
    return VERB_OK;
}

/* ---- outputs against outputs ---- */

static int against_written_option(const struct written *written, const struct option *option) {
    struct identity other;
    if (!*option->text || strcmp(option->name, written->option) == 0)
        return VERB_OK;
    identify(&other, *option->text);
    if (is_same(&written->identity, &other))
        return refuse(written, "--%s writes the same file; choose another name", option->name);
    return VERB_OK;
}

static int against_everything(const struct written *written, const struct command *command) {
    int code = against_files(written, command);
    for (size_t i = 0; i < command->option_count && code == VERB_OK; i++) {
        const struct option *option = &command->options[i];
        if (option->file == FILE_READ || option->file == FILE_READ_NAMED)
            code = against_read_option(written, option);
        else if (option->file == FILE_WRITTEN)
            code = against_written_option(written, option);
    }
    return code;
}

/* ---- all of them ---- */

int overlap_refuse_written(const struct command *command, const char *option, const char *path) {
    struct written written = look_at(command, option, path);
    return against_everything(&written, command);
}

int overlap_refuse(const struct command *command) {
    int code = VERB_OK;
    for (size_t i = 0; i < command->option_count && code == VERB_OK; i++) {
        const struct option *option = &command->options[i];
        if (option->file == FILE_WRITTEN && *option->text)
            code = overlap_refuse_written(command, option->name, *option->text);
    }
    return code;
}

int overlap_refuse_included(const struct command *command, const char *path) {
    for (size_t i = 0; i < command->option_count; i++) {
        const struct option *option = &command->options[i];
        if (option->file != FILE_WRITTEN || !*option->text)
            continue;
        struct written written = look_at(command, option->name, *option->text);
        if (reads(&written, path))
            return refuse(&written, "the model includes this file; choose another name");
    }
    return VERB_OK;
}
