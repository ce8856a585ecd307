/* device_code.c - machine code of a kernel, from the user's cache or compiled: the same folder, files and rules as for CPU kernels
 * (codegen/kernel/kernel_file.h).
 *
 * The digest that names a file does not contain the version of NVRTC: the text determines all rounding.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "codegen/kernel/kernel_file.h"
#include "cuda/device_parts.h"
#include "cuda/nvrtc.h"

#include <stdio.h>
#include <string.h>

enum { FOR_OWNER = 0600 };

/* The identity of the code, and its file in the cache. */
static hn_status identify(struct kernel_identity *out, char path[FILE_LONGEST], const struct code_subject *subject,
                          hn_error *error) {
    enum { MOST_OPTIONS = 16 };
    const char *options[MOST_OPTIONS] = {NULL};
    char instructions[KERNEL_WORD];
    const struct kernel_source source = {.model = subject->model,
                                         .options = subject->layer,
                                         .machine = "cuda",
                                         .instructions = instructions,
                                         .gradients = subject->gradients,
                                         .text = subject->text,
                                         .length = subject->length};
    snprintf(instructions, sizeof instructions, "sm_%d", subject->capability);
    for (size_t i = 0; i + 1 < MOST_OPTIONS && nvrtc_option(i, &subject->way); i++)
        options[i] = nvrtc_option(i, &subject->way);
    *out = kernel_identify(&source);
    return cache_path(path, out, options, ".cubin", error);
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
    struct kernel_identity id;
    char path[FILE_LONGEST];
    *code = (struct file_bytes){NULL, 0};
    hn_status status = identify(&id, path, subject, error);
    if (status == HN_OK && !layer->options.again)
        status = cache_read(code, path, &id, error);
    if (code->data)
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
