/* compile_parts.h - what the files of this module share.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CODEGEN_COMPILE_PARTS_H
#define HN_CODEGEN_COMPILE_PARTS_H

#include "codegen/kernel/compile.h"
#include "codegen/kernel/kernel_file.h"

/* Loads the bytes of a shared object, which sentences call `shown`, and tests it. */
hn_status kernel_load_bytes(struct loaded_kernel *out, const char *shown, const struct file_bytes *object,
                            const struct kernel_subject *subject, hn_error *error);

#endif
