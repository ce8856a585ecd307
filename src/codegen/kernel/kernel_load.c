/* kernel_load.c - loads a kernel's file and checks that it is the right one. See compile.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/launch.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_parts.h"
#include "codegen/kernel/kernel_source.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

/* ---- shared objects ---- */

static hn_status load_object(struct kernel *kernel, const char *path, hn_error *error) {
    kernel->object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!kernel->object) {
        const char *reason = dlerror();
        return error_about(error, HN_IO, error_file(path), "kernel %s: %s", path, reason ? reason : "cannot be loaded");
    }
    kernel->table = dlsym(kernel->object, KERNEL_EXPORT);
    if (!kernel->table)
        return error_about(error, HN_INVALID, error_file(path), "kernel %s: is no kernel: it has no %s", path,
                           KERNEL_EXPORT);
    if (kernel->table->version != KERNEL_VERSION)
        return error_about(error, HN_INVALID, error_file(path),
                           "kernel %s: has version %u of the table, this library knows %d", path,
                           kernel->table->version, KERNEL_VERSION);
    return HN_OK;
}

/* The table of a text contains the digest of the text before it. */
static bool has_digest(const char *text, const char *digest) {
    return memchr(digest, 0, KERNEL_DIGEST) == digest + KERNEL_DIGEST - 1 && strstr(text, digest) != NULL;
}

static hn_status compare_text(const struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    const struct generate_options options = {kernel->instructions, kernel->table->adjoint != 0};
    struct generated_text text;
    hn_status status = generate_lanes(&text, plan, &options, error);
    if (status != HN_OK)
        return status;
    bool same = has_digest(text.bytes, kernel->table->digest);
    base_release(text.bytes);
    return same ? HN_OK
                : error_about(error, HN_INVALID, error_file(path),
                              "kernel %s: was generated for another model, method, instruction set or library", path);
}

static hn_status check(struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    hn_status status = executor_check(kernel->instructions, error);
    if (status == HN_OK)
        status = load_object(kernel, path, error);
    if (status == HN_OK)
        status = compare_text(kernel, path, plan, error);
    return status == HN_OK ? kernel_test(kernel, plan, error) : status;
}

hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error) {
    struct kernel *kernel = base_allocate(sizeof *kernel);
    *out = NULL;
    if (!kernel)
        return error_no_memory(error, "the kernel");
    *kernel = (struct kernel){.instructions = generate_instructions(instructions), .copy = -1};
    hn_status status = check(kernel, path, plan, error);
    if (status == HN_OK)
        *out = kernel;
    else
        kernel_close(kernel);
    return status;
}

void kernel_close(struct kernel *kernel) {
    if (!kernel)
        return;
    if (kernel->object)
        dlclose(kernel->object);
    if (kernel->copy >= 0)
        system_close(kernel->copy);
    base_release(kernel);
}

bool kernel_has_adjoint(const struct kernel *kernel) {
    return kernel->table->adjoint != 0;
}

/* ---- files ---- */

enum { MEMORY_PATH = 32 };

/* An error about the copy in memory names the user's file instead. */
static hn_status rename_error(hn_error *error, const char *own, const char *shown, const hn_error *said) {
    const struct error_subject file = {.code = HN_CODE_KERNEL, .name = shown};
    const char *rest = strstr(said->text, own);
    bool named = rest && strncmp(rest + strlen(own), ": ", 2) == 0;
    return error_about(error, said->status, file, "%s%s%s", shown, named ? "" : ": ",
                       named ? rest + strlen(own) : said->text);
}

hn_status kernel_load_bytes(struct kernel **out, const char *shown, const struct file_bytes *object,
                            const struct kernel_subject *subject, hn_error *error) {
    char own[MEMORY_PATH];
    hn_error said = {.status = HN_OK};
    *out = NULL;
    int file = launch_memory_file();
    if (file < 0)
        return file_error(error, shown, "be loaded: no file in memory", errno);
    snprintf(own, sizeof own, "/proc/self/fd/%d", file);
    hn_status status = file_put(file, object->data, object->count) == 0
                           ? kernel_open(out, own, subject->plan, subject->options->instructions, &said)
                           : file_error(&said, own, "be copied into memory", errno);
    if (status == HN_OK) {
        (*out)->copy = file;
        return HN_OK;
    }
    system_close(file);
    return status == HN_NO_MEMORY ? error_no_memory(error, shown) : rename_error(error, own, shown, &said);
}

hn_status kernel_load(struct kernel **out, const char *path, const struct kernel_subject *subject, hn_error *error) {
    const struct kernel_source source = {.model = subject->model, .options = subject->options};
    struct kernel_identity found, wanted = kernel_identify(&source);
    struct file_bytes object;
    *out = NULL;
    hn_status status = kernel_file_read(&object, path, &found, error);
    if (status == HN_OK)
        status = kernel_fits_here(path, &found, &wanted, error);
    if (status == HN_OK)
        status = kernel_load_bytes(out, path, &object, subject, error);
    if (status == HN_INVALID && kernel_fits_here(path, &found, &wanted, NULL) == HN_OK)
        kernel_is_foreign(path, &found, &wanted, error);
    base_release(object.data);
    return status;
}
