/* train_hold.c - locks the output files of a training and reserves disk space. See train.h.
 *
 * Locks FILE.lock beside FILE (flock), so that the lock ends with the process. The lock file of --out also reserves the
 * disk space of the network until that is written. The lock file of a killed training is reused.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/file.h"
#include "base/system.h"
#include "common/console.h"
#include "common/verbs.h"
#include "train/train.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TRIES = 10 };

/* ---- locks ---- */

/* A training that ends removes its lock file, possibly between open and flock. */
static bool is_still_there(int file, const char *path) {
    struct stat own, named;
    return fstat(file, &own) == 0 && stat(path, &named) == 0 && own.st_ino == named.st_ino &&
           own.st_dev == named.st_dev;
}

/* The locked file, or -1 with errno; EWOULDBLOCK: another training has it. File systems without locks are taken as they
 * are. */
static int open_locked(const char *path) {
    for (int i = 0; i < TRIES; i++) {
        int file = system_open_lock(path);
        if (file < 0)
            return -1;
        if (flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
            close(file);
            errno = EWOULDBLOCK;
            return -1;
        }
        if (is_still_there(file, path))
            return file;
        close(file);
    }
    errno = EWOULDBLOCK;
    return -1;
}

static int hold(struct train_hold *h, const char *option, const char *path) {
    char target[FILE_LONGEST] = "", *name = h->path[h->count];
    if (strlen(path) < sizeof target)
        memcpy(target, path, strlen(path) + 1);
    if (target[0] == '\0' || file_follow(target) != 0)
        return VERB_OK; /* writing will report the error */
    snprintf(name, sizeof h->path[0], "%s.lock", target);
    int file = open_locked(name);
    if (file >= 0) {
        h->file[h->count++] = file;
        return VERB_OK;
    }
    if (errno == EWOULDBLOCK)
        console_error("--%s %s: another training is writing to it (it has locked %s); choose another name", option,
                      path, name);
    else
        console_error("--%s %s: cannot create %s: %s", option, path, name, strerror(errno));
    return VERB_FAILED;
}

int hold_begin(struct train_hold *h, const struct train_options *o) {
    h->count = 0;
    int code = hold(h, "out", o->out);
    return code == VERB_OK && o->checkpoint != o->checkpoint_name ? hold(h, "checkpoint", o->checkpoint) : code;
}

void hold_release(struct train_hold *h) {
    for (size_t i = 0; i < h->count; i++) {
        unlink(h->path[i]);
        close(h->file[i]);
    }
    h->count = 0;
}

/* ---- room ---- */

/* An upper bound on the size of the file: numbers, settings, names of tensors. */
static size_t network_bytes(const struct training *t) {
    enum { SETTINGS = 1024, TENSOR = 128 };
    size_t bytes = SETTINGS + t->state.parameters * sizeof(double);
    bytes += (size_t)TENSOR * 4 * (hn_network_options_of(t->network).hidden_count + 2);
    for (size_t i = 0; i < t->record.count; i++)
        bytes += strlen(t->record.texts[i].key) + strlen(t->record.texts[i].value) + sizeof "train.\"\":\"\",";
    return bytes;
}

hn_status hold_take_room(struct train_hold *h, const struct training *t, hn_error *error) {
    size_t bytes = network_bytes(t);
    int code = h->count > 0 ? posix_fallocate(h->file[0], 0, (off_t)bytes) : 0;
    if (code == 0 || code == EINVAL || code == EOPNOTSUPP) /* some file systems cannot reserve */
        return HN_OK;
    return error_set(error, HN_IO, "--out %s: there is no room for the network, %zu bytes: %s", t->options->out, bytes,
                     strerror(code));
}

void hold_give_room(struct train_hold *h) {
    if (h->count > 0 && ftruncate(h->file[0], 0) != 0)
        console_warning("%s: cannot be shortened: %s", h->path[0], strerror(errno));
}
