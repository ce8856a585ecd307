/* kernel_cache.h - where compiled kernels are kept: $XDG_CACHE_HOME/hardnet, or ~/.cache/hardnet.
 *
 * What lies there is loaded and run, so the folder is the user's alone: made with mode 0700, and refused when it belongs to somebody
 * else, lets others in or is a symbolic link. Files are named by a digest of all that they depend on, written whole by a rename,
 * and checked when they are read (kernel_file.h): two processes that write the same one at once both succeed.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_KERNEL_CACHE_H
#define HN_CODEGEN_KERNEL_CACHE_H

#include "codegen/kernel/kernel_file.h"

/* Bytes of its name: a file's name, and that of its temporary, fit behind it. */
enum { CACHE_FOLDER_MOST = FILE_LONGEST - 128 };

/* The folder, made where it is not there yet, without a slash at its end. */
hn_status cache_folder(char folder[FILE_LONGEST], hn_error *error);

/* Where the kernel that these words compile is kept. */
hn_status cache_path(char path[FILE_LONGEST], const struct kernel_identity *identity, const char *const *words,
                     hn_error *error);

#endif
