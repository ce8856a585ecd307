/* nvrtc.c - see nvrtc.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr, dl_iterate_phdr */
#include "cuda/nvrtc.h"

#include "base/error.h"
#include "base/memory.h"
#include "cuda/cuda_driver.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

#define NAME(field, name, arguments) name,
static const symbol_name functions[] = {NVRTC_FUNCTION_LIST(NAME)};
enum { FUNCTIONS = sizeof functions / sizeof functions[0] };

/* ---- the library ---- */

/* PyPI packages install it below a folder that contains other loaded libraries. */
static void *open_package(const char *folder, size_t length) {
    static const char packaged[][48] = {"nvidia/cu13/lib/libnvrtc.so.13", "nvidia/cuda_nvrtc/lib/libnvrtc.so.12",
                                        "nvidia/cuda_nvrtc/lib/libnvrtc.so.13"};
    char path[FILE_LONGEST];
    for (size_t i = 0; i < sizeof packaged / sizeof packaged[0]; i++) {
        int written = snprintf(path, sizeof path, "%.*s/%s", (int)length, folder, packaged[i]);
        void *object = written > 0 && (size_t)written < sizeof path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
        if (object)
            return object;
    }
    return NULL;
}

static int search_above(struct dl_phdr_info *info, size_t size, void *found) {
    enum { ABOVE = 5 }; /* folders */
    size_t length = info->dlpi_name ? strlen(info->dlpi_name) : 0;
    (void)size;
    if (length == 0 || length >= FILE_LONGEST)
        return 0;
    for (int above = 0; above < ABOVE && length > 0 && !*(void **)found; above++) {
        while (length > 0 && info->dlpi_name[length - 1] != '/')
            length--;
        while (length > 0 && info->dlpi_name[length - 1] == '/')
            length--;
        if (length > 0)
            *(void **)found = open_package(info->dlpi_name, length);
    }
    return *(void **)found != NULL;
}

void *nvrtc_find(void) {
    static const char names[][40] = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so",
                                     "/usr/local/cuda/lib64/libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.12"};
    void *object = NULL;
    for (size_t i = 0; i < sizeof names / sizeof names[0] && !object; i++)
        object = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!object)
        dl_iterate_phdr(search_above, &object);
    return object;
}

enum library { COMPILER_APART, BUILTINS, BUILTINS_APART };

/* Opens a library of the same version in the folder of the compiler; NULL: not found. */
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
    const char *missing = symbols_load(nvrtc, functions, FUNCTIONS);
    if (!missing) {
        open_beside(nvrtc, BUILTINS); /* the compiler would not find it by name; it stays open */
        return HN_OK;
    }
    dlclose(nvrtc->object);
    memset(nvrtc, 0, sizeof *nvrtc);
    return error_about(error, HN_UNSUPPORTED, error_option("device"),
                       "device cuda: CUDA's run-time compiler is too old: it has no %s", missing);
}

void nvrtc_take_apart(struct nvrtc *nvrtc) {
    struct nvrtc apart = {.object = open_beside(nvrtc, COMPILER_APART)};
    if (apart.object && open_beside(nvrtc, BUILTINS_APART) && !symbols_load(&apart, functions, FUNCTIONS))
        *nvrtc = apart;
}

/* Quotients and roots are correctly rounded, denormal numbers are kept; fused multiply-add in float only. Functions
 * that are linked later are compiled by as many threads as there are cores. */
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

/* ---- compilation ---- */

/* With the first lines of the compiler's log. */
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

/* HN_OK, or *result and the compiler's log. */
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
