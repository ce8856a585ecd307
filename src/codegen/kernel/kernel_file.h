/* kernel_file.h - a kernel as a file: a shared object, followed by a text of fixed length that identifies it.
 *
 * The text has the version of the library, machine, instruction set, method, the model's fingerprint and the digest of the compiled
 * code; its last line is the SHA-256 of everything before it. All of that is checked before any of the object is loaded: a file that is
 * truncated or damaged, of another model or of another version, never runs. Neither does one that others may write to: it must belong
 * to the user or to root, and only they may change it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_FILE_H
#define HN_CODEGEN_KERNEL_FILE_H

#include "base/digest.h"
#include "base/file.h"
#include "hardnet/layer.h"

enum { KERNEL_WORD = 24, KERNEL_FILE_MOST = 1 << 30 };

struct kernel_identity {
    char version[KERNEL_WORD], machine[KERNEL_WORD], instructions[KERNEL_WORD];
    char method[KERNEL_WORD], gradients[KERNEL_WORD]; /* yes or no */
    char model[DIGEST_TEXT];                          /* its mathematics */
    char code[DIGEST_TEXT]; /* of version, machine, instruction set and the compiled text: equal for equal kernels */
};

/* text NULL: without the digest of the code. */
struct kernel_source {
    const char *model;               /* its fingerprint */
    const hn_layer_options *options; /* complete: the instruction set is chosen */
    bool gradients;
    const char *text;
    size_t length;
};

struct kernel_identity kernel_identify(const struct kernel_source *source);

/* Writes the object with its identity, as a whole or not at all, for the user to write and for whom the permissions say to read. */
hn_status kernel_file_write(const char *path, const struct kernel_identity *identity, const struct file_bytes *object,
                            mode_t permissions, hn_error *error);

/* Reads a file and its identity; out is the object alone, released with base_release. HN_SYNTAX: it is not a kernel, or damaged;
 * HN_IO: it must not be trusted, or cannot be read. */
hn_status kernel_file_read(struct file_bytes *out, const char *path, struct kernel_identity *found, hn_error *error);

/* The identity in a whole file in memory: HN_SYNTAX if it is not a kernel, or damaged. */
hn_status kernel_file_check(const char *path, const struct file_bytes *all, struct kernel_identity *found,
                            hn_error *error);

/* HN_INVALID, with what differs, for a kernel of another version, machine or instruction set. */
hn_status kernel_fits_here(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                           hn_error *error);

/* The same for one that fits here and is not the wanted one. */
hn_status kernel_is_foreign(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                            hn_error *error);

/* Bytes of machine code in an ELF object: its segments that may be executed; 0: unknown. */
size_t kernel_code_bytes(const struct file_bytes *object);

/* ---- the cache: $XDG_CACHE_HOME/hardnet, or ~/.cache/hardnet ----
 *
 * Its files are loaded and run, so the folder belongs to the user alone: it is made with mode 0700, and refused if it belongs to another
 * user, is accessible to others or is a symbolic link. Files are named by a digest of all that they depend on, written whole by a
 * rename, and checked when they are read: two processes that write the same one at once both succeed. */

/* Bytes of its name: a file's name, and that of its temporary, fit behind it. */
enum { CACHE_FOLDER_MOST = FILE_LONGEST - 128 };

/* The folder, made where it is not there yet, without a slash at its end. */
hn_status cache_folder(char folder[FILE_LONGEST], hn_error *error);

/* Where the kernel that these words compile is kept. */
hn_status cache_path(char path[FILE_LONGEST], const struct kernel_identity *identity, const char *const *words,
                     hn_error *error);

#endif
