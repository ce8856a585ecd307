/* nvrtc.c - see nvrtc.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr */
#include "cuda/nvrtc.h"

#include "base/error.h"
#include "base/memory.h"
#include "cuda/library_symbols.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define PLACE(field, name, arguments) {name, offsetof(struct nvrtc, field)},
static const struct symbol_place functions[] = {NVRTC_FUNCTION_LIST(PLACE)};

enum library { COMPILER_APART, BUILTINS, BUILTINS_APART };

/* Opens a library that lies beside the compiler and has its version; NULL: there is none. */
static void *open_beside(const struct nvrtc *nvrtc, enum library library) {
    static const char names[][48] = {"libnvrtc.alt.so", "libnvrtc-builtins.so", "libnvrtc-builtins.alt.so"};
    char path[FILE_LONGEST], version[32];
    int major = 0, minor = 0;
    Dl_info info;
    void *address;
    memcpy(&address, &nvrtc->version, sizeof address);
    const char *end = dladdr(address, &info) != 0 && info.dli_fname ? strrchr(info.dli_fname, '/') : NULL;
    if (!end || nvrtc->version(&major, &minor) != 0)
        return NULL;
    snprintf(version, sizeof version, library == COMPILER_APART ? "%d" : "%d.%d", major, minor);
    int length =
        snprintf(path, sizeof path, "%.*s/%s.%s", (int)(end - info.dli_fname), info.dli_fname, names[library], version);
    return length > 0 && (size_t)length < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
}

hn_status nvrtc_open(struct nvrtc *nvrtc, const char *path, hn_error *error) {
    memset(nvrtc, 0, sizeof *nvrtc);
    nvrtc->object = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : nvrtc_find();
    if (!nvrtc->object && path)
        return error_about(error, HN_UNSUPPORTED, error_option("compiler"),
                           "device cuda: %s cannot be opened as CUDA's run-time compiler", path);
    if (!nvrtc->object)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: CUDA's run-time compiler is not here: no libnvrtc.so.12 or .13 was found; "
                           "install the package nvidia-cuda-nvrtc, or name its path");
    const char *missing = symbols_take(nvrtc->object, functions, sizeof functions / sizeof functions[0], nvrtc);
    if (!missing) {
        open_beside(
            nvrtc,
            BUILTINS); /* the compiler opens it by its name, and finds it where it is open already; it stays so */
        return HN_OK;
    }
    dlclose(nvrtc->object);
    memset(nvrtc, 0, sizeof *nvrtc);
    return error_about(error, HN_UNSUPPORTED, error_option("device"),
                       "device cuda: CUDA's run-time compiler is too old: it has no %s", missing);
}

void nvrtc_take_apart(struct nvrtc *nvrtc) {
    struct nvrtc apart = {.object = open_beside(nvrtc, COMPILER_APART)};
    if (apart.object && open_beside(nvrtc, BUILTINS_APART) &&
        !symbols_take(apart.object, functions, sizeof functions / sizeof functions[0], &apart))
        *nvrtc = apart;
}

/* Functions and data belong to the device. Quotients and roots are rounded correctly, small numbers stay; of doubles no product is fused with a sum, of floats some are. Functions
 * that can be linked are compiled by as many threads as there are cores. */
const char *nvrtc_option(size_t i, const struct nvrtc_way *way) {
    static const char options[][48] = {"--std=c++20",     "--device-as-default-execution-space",
                                       "--prec-div=true", "--prec-sqrt=true",
                                       "--ftz=false",     "--diag-suppress=177,186"};
    static const char parts[][48] = {"--relocatable-device-code=true", "--split-compile=0"};
    enum { COUNT = sizeof options / sizeof options[0], PARTS = sizeof parts / sizeof parts[0] };
    size_t own = way->parts ? COUNT + PARTS : COUNT;
    if (i < own)
        return i < COUNT ? options[i] : parts[i - COUNT];
    if (i == own)
        return way->single ? "--fmad=true" : "--fmad=false";
    return i == own + 1 && way->quick ? "--Ofast-compile=min" : NULL;
}

/* The first lines of what the compiler says. */
static hn_status refused(const struct nvrtc *nvrtc, nvrtc_program program, int capability, hn_error *error) {
    size_t bytes = 0;
    char *log = nvrtc->log_bytes(program, &bytes) == 0 && bytes > 1 ? base_allocate(bytes + 1) : NULL;
    enum { SHOWN = 300 };
    if (log && nvrtc->log(program, log) == 0)
        log[bytes] = '\0';
    else if (log)
        log[0] = '\0';
    hn_status status =
        error_about(error, HN_UNSUPPORTED, error_option("device"),
                    "device cuda: its compiler refuses the kernel for compute capability %d.%d: %.*s", capability / 10,
                    capability % 10, SHOWN, log && log[0] ? log : "it does not say why");
    base_release(log);
    return status;
}

static hn_status take_code(const struct nvrtc *nvrtc, nvrtc_program program, struct file_bytes *code, hn_error *error) {
    size_t bytes = 0;
    if (nvrtc->code_bytes(program, &bytes) != 0 || bytes == 0)
        return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: its compiler made no code");
    code->data = base_allocate(bytes + 1);
    code->count = bytes;
    if (!code->data)
        return error_no_memory(error, "the device's kernel");
    if (nvrtc->code(program, (char *)code->data) == 0)
        return HN_OK;
    base_release(code->data);
    *code = (struct file_bytes){NULL, 0};
    return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: its compiler gives no code away");
}

/* HN_OK, or *result and what the compiler says. */
static hn_status try_way(const struct nvrtc *nvrtc, struct file_bytes *code, const char *text, int capability,
                         const struct nvrtc_way *way, nvrtc_result *result, hn_error *error) {
    enum { MOST = 16 };
    char architecture[32];
    const char *options[MOST] = {architecture};
    nvrtc_program program = NULL;
    int count = 1;
    *code = (struct file_bytes){NULL, 0};
    snprintf(architecture, sizeof architecture, "--gpu-architecture=sm_%d", capability);
    for (size_t i = 0; nvrtc_option(i, way) && count < MOST; i++)
        options[count++] = nvrtc_option(i, way);
    if (nvrtc->create(&program, text, "hardnet.cu", 0, NULL, NULL) != 0)
        return error_no_memory(error, "CUDA's run-time compiler");
    *result = nvrtc->compile(program, count, options);
    hn_status status =
        *result == 0 ? take_code(nvrtc, program, code, error) : refused(nvrtc, program, capability, error);
    nvrtc->destroy(&program);
    return status;
}

hn_status nvrtc_compile(const struct nvrtc *nvrtc, struct file_bytes *code, const char *text, int capability,
                        struct nvrtc_way *way, hn_error *error) {
    enum { UNKNOWN_OPTION = 5 };
    nvrtc_result result = 0;
    hn_status status = try_way(nvrtc, code, text, capability, way, &result, error);
    if (status == HN_OK || !(way->parts || way->quick) || result != UNKNOWN_OPTION)
        return status;
    way->parts = way->quick = false;
    return try_way(nvrtc, code, text, capability, way, &result, error);
}
