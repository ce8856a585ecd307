/* kernel_load.c - a kernel's file becomes code that runs. See compile.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/launch.h"
#include "base/memory.h"
#include "codegen/kernel/compile_parts.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { MEMORY_PATH = 32 };

/* What is said about the copy in memory is about the file: the user's name for it takes the place of ours. */
static hn_status rename_error(hn_error *error, const char *own, const char *shown, const hn_error *said) {
    const char *rest = strstr(said->text, own);
    rest = rest ? rest + strlen(own) : NULL;
    if (!rest || strncmp(rest, ": ", 2) != 0)
        return error_about(error, said->status, (struct error_subject){.code = HN_CODE_KERNEL, .name = shown}, "%s: %s",
                           shown, said->text);
    return error_about(error, said->status, (struct error_subject){.code = HN_CODE_KERNEL, .name = shown}, "%s%s",
                       shown, rest);
}

hn_status kernel_load_bytes(struct loaded_kernel *out, const char *shown, const struct file_bytes *object,
                            const struct kernel_subject *subject, hn_error *error) {
    char own[MEMORY_PATH];
    hn_error said = {.status = HN_OK};
    *out = (struct loaded_kernel){.kernel = NULL, .file = -1};
    int file = launch_memory_file();
    if (file < 0)
        return file_error(error, shown, "be loaded: no file in memory", errno);
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    hn_status status = file_put(file, object->data, object->count) == 0
                           ? kernel_open(&out->kernel, own, subject->plan, subject->options->instructions, &said)
                           : file_error(&said, own, "be copied into memory", errno);
    if (status != HN_OK) {
        system_close(file);
        return status == HN_NO_MEMORY ? error_no_memory(error, shown) : rename_error(error, own, shown, &said);
    }
    out->file = file;
    return HN_OK;
}

void kernel_unload(struct loaded_kernel *loaded) {
    if (!loaded->kernel)
        return;
    kernel_close(loaded->kernel);
    system_close(loaded->file);
    *loaded = (struct loaded_kernel){.kernel = NULL, .file = -1};
}

hn_status kernel_load(struct loaded_kernel *out, const char *path, const struct kernel_subject *subject,
                      hn_error *error) {
    const struct kernel_source source = {.model = subject->model, .options = subject->options};
    struct kernel_identity found, wanted = kernel_identify(&source);
    struct file_bytes object;
    *out = (struct loaded_kernel){.kernel = NULL, .file = -1};
    hn_status status = kernel_file_read(&object, path, &found, error);
    if (status == HN_OK)
        status = kernel_fits_here(path, &found, &wanted, error);
    if (status == HN_OK)
        status = kernel_load_bytes(out, path, &object, subject, error);
    if (status == HN_INVALID && !out->kernel && kernel_fits_here(path, &found, &wanted, NULL) == HN_OK)
        kernel_is_foreign(path, &found, &wanted, error);
    base_release(object.data);
    return status;
}
