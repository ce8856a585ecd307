/* device_code.c - machine code of a kernel, from the user's cache or compiled: the same folder, files and rules as for CPU kernels
 * (codegen/kernel/kernel_file.h).
 *
 * The name of a file is a digest of everything that the code depends on: the text, the device's compute capability, the
 * library's version, the compiler's options. The version of NVRTC is not included: the text determines all rounding.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/system.h"
#include "codegen/kernel/kernel_file.h"
#include "cuda/device_parts.h"
#include "cuda/nvrtc.h"

#include <stdio.h>
#include <string.h>

enum { FOR_OWNER = 0600 };

static struct kernel_identity identify(const struct code_subject *subject) {
    struct kernel_identity id;
    struct digest digest = digest_start();
    memset(&id, 0, sizeof id);
    snprintf(id.version, sizeof id.version, "%s", hn_version());
    snprintf(id.machine, sizeof id.machine, "cuda");
    snprintf(id.instructions, sizeof id.instructions, "sm_%d", subject->capability);
    snprintf(id.method, sizeof id.method, "%s", hn_method_text(subject->layer->method));
    snprintf(id.gradients, sizeof id.gradients, "%s", subject->gradients ? "yes" : "no");
    snprintf(id.model, sizeof id.model, "%s", subject->model);
    digest_add_text(&digest, id.version);
    digest_add_text(&digest, id.instructions);
    for (size_t i = 0; nvrtc_option(i, &subject->way); i++)
        digest_add_text(&digest, nvrtc_option(i, &subject->way));
    digest_add(&digest, subject->text, subject->length);
    digest_finish_text(&digest, id.code);
    return id;
}

/* True on a cache hit. A damaged file is ignored; an untrusted one is an error. */
static bool device_code_find(struct file_bytes *code, const char *path, const struct kernel_identity *wanted,
                             hn_status *status, hn_error *error) {
    struct kernel_identity found;
    struct system_facts facts;
    hn_error said = {.status = HN_OK};
    if (system_look(path, &facts) != 0)
        return false;
    hn_status read = kernel_file_read(code, path, &found, &said);
    bool same = read == HN_OK && strcmp(found.code, wanted->code) == 0;
    if (same)
        return true;
    if (read == HN_OK)
        base_release(code->data);
    *code = (struct file_bytes){NULL, 0};
    if (read != HN_OK && read != HN_SYNTAX) {
        *status = read;
        if (error)
            *error = said;
    }
    return false;
}

/* Links functions that were compiled in parallel. The context is current. */
static hn_status link_entered(struct file_bytes *code, const struct cuda_driver *cu, hn_error *error) {
    cuda_link link = NULL;
    void *linked = NULL;
    unsigned char *copy = NULL;
    size_t bytes = 0;
    hn_status status = driver_status(cu, cu->link_create(0, NULL, NULL, &link), "begin to link the kernel", error);
    if (status != HN_OK)
        return status;
    status = driver_status(cu, cu->link_add(link, CUDA_MACHINE_CODE, code->data, code->count, "hardnet", 0, NULL, NULL),
                           "link the kernel", error);
    if (status == HN_OK)
        status = driver_status(cu, cu->link_complete(link, &linked, &bytes), "link the kernel", error);
    if (status == HN_OK && !(copy = base_allocate(bytes + 1)))
        status = error_no_memory(error, "the device's kernel");
    if (status == HN_OK) {
        memcpy(copy, linked, bytes); /* `linked` is freed with the link state */
        base_release(code->data);
        *code = (struct file_bytes){copy, bytes};
    }
    cu->link_destroy(link);
    return status;
}

/* Retains the context separately: another thread may still be creating the layer's. */
static hn_status link_parts(struct file_bytes *code, const hn_device_layer *layer, hn_error *error) {
    hn_device_layer own = *layer;
    hn_status status = device_hold(&own, error);
    if (status != HN_OK)
        return status;
    status = device_enter(&own, error);
    if (status == HN_OK) {
        status = link_entered(code, &own.driver, error);
        device_leave(&own);
    }
    own.driver.context_release(own.device);
    return status;
}

/* In parallel if requested and possible: a driver may refuse to link the code of a newer compiler, though it can load it. */
static hn_status compile_and_link(const struct nvrtc *nvrtc, struct file_bytes *code, const hn_device_layer *layer,
                                  const struct code_subject *subject, hn_error *error) {
    struct nvrtc_way way = subject->way;
    hn_status status = nvrtc_compile(nvrtc, code, subject->text, subject->capability, &way, error);
    if (status != HN_OK || !way.parts)
        return status;
    status = link_parts(code, layer, error);
    if (status != HN_UNSUPPORTED)
        return status;
    base_release(code->data);
    way.parts = false;
    return nvrtc_compile(nvrtc, code, subject->text, subject->capability, &way, error);
}

static hn_status device_code_compile(struct file_bytes *code, hn_device_layer *layer,
                                     const struct code_subject *subject, hn_error *error) {
    struct nvrtc nvrtc;
    int major = 0, minor = 0;
    double begun = clock_seconds();
    hn_status status = nvrtc_open(&nvrtc, layer->options.compiler, error);
    if (status != HN_OK)
        return status;
    if (subject->gradients) /* the forward kernel is compiled at the same time */
        nvrtc_take_apart(&nvrtc);
    nvrtc.version(&major, &minor);
    layer->info.nvrtc = 1000 * major + 10 * minor;
    status = compile_and_link(&nvrtc, code, layer, subject, error);
    layer->info.found = false;
    layer->info.seconds += clock_seconds() - begun;
    return status;
}

hn_status device_code(struct file_bytes *code, hn_device_layer *layer, const struct code_subject *subject,
                      hn_error *error) {
    const struct kernel_identity id = identify(subject);
    char folder[FILE_LONGEST], path[FILE_LONGEST];
    *code = (struct file_bytes){NULL, 0};
    hn_status status = cache_folder(folder, error);
    if (status != HN_OK)
        return status;
    snprintf(path, sizeof path, "%.*s/%s.cubin", CACHE_FOLDER_MOST, folder, id.code);
    if (!layer->options.again && device_code_find(code, path, &id, &status, error))
        return HN_OK;
    if (status == HN_OK)
        status = device_code_compile(code, layer, subject, error);
    if (status == HN_OK)
        status = kernel_file_write(path, &id, code, FOR_OWNER, error);
    if (status != HN_OK) {
        base_release(code->data);
        *code = (struct file_bytes){NULL, 0};
    }
    return status;
}
