/* kernel_file.h - a kernel as a file: a shared object, and behind it a text of fixed length that says what it is.
 *
 * The text names the version of the library, machine, instruction set, method, the model's fingerprint and the digest of the code that
 * was compiled; its last line is the SHA-256 of everything before it. All of that is checked before any of the object is loaded:
 * a file that is cut off or damaged, another model's or another version's, never runs. Nor does one that other people may write
 * to: it belongs to the user or to root, and nobody else may change it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_FILE_H
#define HN_CODEGEN_KERNEL_FILE_H

#include "base/digest.h"
#include "base/file.h"
#include "hardnet/layer.h"

enum { KERNEL_WORD = 24, KERNEL_FILE_MOST = 1 << 30 };

/* What a kernel is. */
struct kernel_identity {
    char version[KERNEL_WORD], machine[KERNEL_WORD], instructions[KERNEL_WORD];
    char method[KERNEL_WORD], gradients[KERNEL_WORD]; /* yes or no */
    char model[DIGEST_TEXT];                          /* its mathematics */
    char code
        [DIGEST_TEXT]; /* of version, machine, instruction set and the text that is compiled: two of the same are the same kernel */
};

/* The text is NULL where its digest is not asked for. */
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

/* Reads a file, and what it says it is; out is the object alone, released with base_release. What is no kernel or damaged is
 * HN_SYNTAX, what must not be trusted or cannot be read HN_IO. */
hn_status kernel_file_read(struct file_bytes *out, const char *path, struct kernel_identity *found, hn_error *error);

/* What it says it is, of a whole file in memory: HN_SYNTAX where it is no kernel or damaged. */
hn_status kernel_file_check(const char *path, const struct file_bytes *all, struct kernel_identity *found,
                            hn_error *error);

/* HN_INVALID, with what differs, for a kernel of another version, machine or instruction set. */
hn_status kernel_fits_here(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                           hn_error *error);

/* The same for one that fits here and is not the wanted one all the same: what differs. */
hn_status kernel_is_foreign(const char *path, const struct kernel_identity *found, const struct kernel_identity *wanted,
                            hn_error *error);

/* Bytes of machine code in an ELF object: its segments that may be executed; 0 where that is not known. */
size_t kernel_code_bytes(const struct file_bytes *object);

#endif
