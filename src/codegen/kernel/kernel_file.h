/* kernel_file.h - a kernel as a file: a shared object, followed by a text of fixed length that identifies it.
 *
 * The text contains the library version, machine, instruction set, method, the model's fingerprint and the digest of
 * the compiled code; its last line is the SHA-256 of everything before it. All of it is checked before the object is
 * loaded: a truncated or damaged file, or one of another model or version, never runs. The file must belong to the user
 * or to root and must not be writable by others.
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
    char model[DIGEST_TEXT];                          /* fingerprint of the model's mathematics */
    char code[DIGEST_TEXT]; /* of version, machine, instruction set and the compiled text: equal for equal kernels */
};

/* text NULL: omit the digest of the code. */
struct kernel_source {
    const char *model;                  /* its fingerprint */
    const hn_layer_options *options;    /* with a definite instruction set */
    const char *machine, *instructions; /* of a device; NULL: this machine, and those of the options */
    bool gradients;
    const char *text;
    size_t length;
};

struct kernel_identity kernel_identify(const struct kernel_source *source);

/* Writes the object with its identity atomically. Only the user may write the file; permissions: who may read it. */
hn_status kernel_file_write(const char *path, const struct kernel_identity *identity, const struct file_bytes *object,
                            mode_t permissions, hn_error *error);

/* Reads a file and its identity; out is the object only; release it with base_release. HN_SYNTAX: not a kernel, or
 * damaged; HN_IO: untrusted or unreadable. */
hn_status kernel_file_read(struct file_bytes *out, const char *path, struct kernel_identity *found, hn_error *error);

/* The identity in a whole file in memory; HN_SYNTAX: not a kernel, or damaged. */
hn_status kernel_file_check(const char *path, const struct file_bytes *all, struct kernel_identity *found,
                            hn_error *error);

/* HN_INVALID, with the difference, for a kernel of another version, machine or instruction set. */
hn_status kernel_fits_here(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                           hn_error *error);

/* The same for a kernel that runs here but is not the requested one. */
hn_status kernel_is_foreign(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                            hn_error *error);

/* Bytes of machine code in an ELF object: its executable segments; 0: unknown. */
size_t kernel_code_bytes(const struct file_bytes *object);

/* ---- the cache: $XDG_CACHE_HOME/hardnet, or ~/.cache/hardnet ----
 *
 * Its files are loaded and run, so only the user may have access: the folder is created with mode 0700, and rejected if
 * it belongs to another user, is accessible to others or is a symbolic link. Files are named by a digest of all their
 * inputs, written atomically by a rename, and checked when they are read: two processes may write the same file
 * concurrently. */

/* Maximum length of the folder's name: leaves room for the name of a file or of its temporary. */
enum { CACHE_FOLDER_MOST = FILE_LONGEST - 128 };

/* The folder, created if missing, without a trailing slash. */
hn_status cache_folder(char folder[FILE_LONGEST], hn_error *error);

/* The cache path of the kernel compiled by these words; ending: of the file's name. */
hn_status cache_path(char path[FILE_LONGEST], const struct kernel_identity *identity, const char *const *words,
                     const char *ending, hn_error *error);

/* The kernel in the cache; data NULL: no such file, a damaged one, or another kernel. An untrusted file is an error. */
hn_status cache_read(struct file_bytes *out, const char *path, const struct kernel_identity *wanted, hn_error *error);

#endif
