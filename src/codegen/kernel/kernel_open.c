/* kernel_open.c - loads a compiled kernel and finds out whether it is the right one.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_parts.h"
#include "codegen/kernel/kernel_source.h"

#include <dlfcn.h>
#include <string.h>

static hn_status kernel_open_load(struct kernel *kernel, const char *path, hn_error *error) {
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

/* The text says in its table what the text before the table is. */
static bool digest_stands_in(const char *text, const char *digest) {
    return memchr(digest, 0, KERNEL_DIGEST) == digest + KERNEL_DIGEST - 1 && strstr(text, digest) != NULL;
}

static hn_status compare_text(const struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    const struct generate_options options = {kernel->instructions, kernel->table->adjoint != 0};
    struct generated_text text;
    hn_status status = generate_lanes(&text, plan, &options, error);
    if (status != HN_OK)
        return status;
    bool same = digest_stands_in(text.bytes, kernel->table->digest);
    base_release(text.bytes);
    return same ? HN_OK
                : error_about(error, HN_INVALID, error_file(path),
                              "kernel %s: was generated for another model, method, instruction set or library", path);
}

static hn_status check(struct kernel *kernel, const char *path, const struct plan *plan, hn_error *error) {
    hn_status status = executor_check(kernel->instructions, error);
    if (status == HN_OK)
        status = kernel_open_load(kernel, path, error);
    if (status == HN_OK)
        status = compare_text(kernel, path, plan, error);
    return status == HN_OK ? kernel_test(kernel, plan, error) : status;
}

static hn_instructions chosen(hn_instructions instructions) {
    struct backend best;
    if (instructions == HN_INSTRUCTIONS_BEST && backend_choose(&best, instructions, NULL) == HN_OK)
        hn_instructions_find(best.name, &instructions);
    return instructions;
}

hn_status kernel_open(struct kernel **out, const char *path, const struct plan *plan, hn_instructions instructions,
                      hn_error *error) {
    struct kernel *kernel = base_allocate(sizeof *kernel);
    *out = NULL;
    if (!kernel)
        return error_no_memory(error, "the kernel");
    *kernel = (struct kernel){.instructions = chosen(instructions)};
    hn_status status = check(kernel, path, plan, error);
    if (status != HN_OK)
        kernel_close(kernel);
    else
        *out = kernel;
    return status;
}

void kernel_close(struct kernel *kernel) {
    if (!kernel)
        return;
    if (kernel->object)
        dlclose(kernel->object);
    base_release(kernel);
}

bool kernel_has_adjoint(const struct kernel *kernel) {
    return kernel->table->adjoint != 0;
}
