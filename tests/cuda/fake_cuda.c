/* fake_cuda.c - libcuda.so.1 of fake_device.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "fake_device.h"

#include "cuda/cuda_driver.h"
#include "fake_parts.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { INVALID_VALUE = 1, INVALID_IMAGE = 200, NOT_FOUND = 500, PROCESSORS = 4, SHARED_BYTES = 232448 };

static struct fake_device device = {.capability = FAKE_CAPABILITY, .memory = (size_t)1 << 30, .has_pools = true};

FAKE_EXPORT struct fake_device *fake_device(void) {
    return &device;
}

/* Every function begins so. */
#define BEGIN                                                                                                          \
    if (fake_fails(&device.calls, __func__))                                                                           \
        return device.calls.code;

/* ---- the device ---- */

FAKE_EXPORT cuda_result cuInit(unsigned flags) {
    BEGIN return flags == 0 ? 0 : INVALID_VALUE;
}

FAKE_EXPORT cuda_result cuDriverGetVersion(int *version) {
    BEGIN *version = 13000;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGetCount(int *count) {
    BEGIN *count = 1;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGet(cuda_device *out, int number) {
    BEGIN *out = number;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGetName(char *name, int bytes, cuda_device number) {
    BEGIN snprintf(name, (size_t)bytes, "a device that is none (%d)", number);
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceGetAttribute(int *value, int attribute, cuda_device number) {
    BEGIN(void) number;
    *value = attribute == CUDA_CAPABILITY_MAJOR   ? device.capability / 10
             : attribute == CUDA_CAPABILITY_MINOR ? device.capability % 10
             : attribute == CUDA_SHARED_BYTES     ? SHARED_BYTES
             : attribute == CUDA_HAS_POOLS        ? device.has_pools
                                                  : PROCESSORS;
    return 0;
}

FAKE_EXPORT cuda_result cuDeviceTotalMem_v2(size_t *bytes, cuda_device number) {
    BEGIN(void) number;
    *bytes = device.memory;
    return 0;
}

/* ---- the context ---- */

FAKE_EXPORT cuda_result cuDevicePrimaryCtxRetain(cuda_context *context, cuda_device number) {
    BEGIN(void) number;
    device.contexts++;
    *context = (cuda_context)(void *)&device;
    return 0;
}

FAKE_EXPORT cuda_result cuDevicePrimaryCtxRelease_v2(cuda_device number) {
    BEGIN(void) number;
    device.contexts--;
    return 0;
}

FAKE_EXPORT cuda_result cuCtxPushCurrent_v2(cuda_context context) {
    BEGIN(void) context;
    device.entered++;
    return 0;
}

FAKE_EXPORT cuda_result cuCtxPopCurrent_v2(cuda_context *context) {
    BEGIN *context = (cuda_context)(void *)&device;
    device.entered--;
    return 0;
}

/* ---- kernels ---- */

/* The code lies in a file of its own for as long as dlopen reads it: it knows objects by their files. */
static void *load(const struct fake_code *code) {
    char path[] = "/tmp/fake-kernel-XXXXXX";
    int file = mkstemp(path);
    if (file < 0)
        return NULL;
    bool written = write(file, code->bytes, code->count) == (ssize_t)code->count;
    close(file);
    void *object = written ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
    remove(path);
    return object;
}

FAKE_EXPORT cuda_result cuModuleLoadData(cuda_module *module, const void *image) {
    BEGIN const struct fake_code *code = image;
    void *object = memcmp(code->mark, FAKE_MARK, sizeof code->mark) == 0 ? load(code) : NULL;
    *module = (cuda_module)object;
    device.modules += object != NULL;
    return object ? 0 : INVALID_IMAGE;
}

FAKE_EXPORT cuda_result cuModuleUnload(cuda_module module) {
    BEGIN dlclose((void *)module);
    device.modules--;
    return 0;
}

FAKE_EXPORT cuda_result cuModuleGetFunction(cuda_function *function, cuda_module module, const char *name) {
    BEGIN *function = (cuda_function)dlsym((void *)module, name);
    return *function ? 0 : NOT_FOUND;
}

FAKE_EXPORT cuda_result cuModuleGetGlobal_v2(cuda_address *at, size_t *bytes, cuda_module module, const char *name) {
    BEGIN *at = (uintptr_t)dlsym((void *)module, name);
    *bytes = 16;
    return *at ? 0 : NOT_FOUND;
}

/* Code of the host is linked already: what comes in goes out. */
struct cuda_link_s {
    void *code;
    size_t bytes;
};

FAKE_EXPORT cuda_result cuLinkCreate_v2(unsigned options, int *names, void **values, cuda_link *link) {
    BEGIN(void) names;
    (void)values;
    *link = options == 0 ? calloc(1, sizeof **link) : NULL;
    device.links += *link != NULL;
    return *link ? 0 : INVALID_VALUE;
}

FAKE_EXPORT cuda_result cuLinkAddData_v2(cuda_link link, int kind, void *data, size_t bytes, const char *name,
                                         unsigned options, int *names, void **values) {
    BEGIN(void) name;
    (void)names;
    (void)values;
    if (options > 0 || kind != CUDA_MACHINE_CODE)
        return INVALID_VALUE;
    *link = (struct cuda_link_s){data, bytes};
    return 0;
}

FAKE_EXPORT cuda_result cuLinkComplete(cuda_link link, void **code, size_t *bytes) {
    BEGIN *code = link->code;
    *bytes = link->bytes;
    return 0;
}

FAKE_EXPORT cuda_result cuLinkDestroy(cuda_link link) {
    free(link); /* also where a test lets the call fail: nobody could give it back */
    device.links--;
    BEGIN return 0;
}

FAKE_EXPORT cuda_result cuFuncGetAttribute(int *value, int attribute, cuda_function function) {
    BEGIN(void) attribute;
    (void)function;
    *value = 64;
    return 0;
}

FAKE_EXPORT cuda_result cuFuncSetAttribute(cuda_function function, int attribute, int value) {
    BEGIN(void) attribute;
    (void)function;
    (void)value;
    return 0;
}

FAKE_EXPORT cuda_result cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, cuda_function function, int threads,
                                                                    size_t shared) {
    BEGIN(void) function;
    (void)threads;
    (void)shared;
    *blocks = 2;
    return 0;
}

/* One thread of the host takes all samples. */
FAKE_EXPORT cuda_result cuLaunchKernel(cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                       cuda_stream stream, void **arguments, void **extra) {
    BEGIN void (*run)(const void *call);
    bool usable = grid_x > 0 && grid_y == 1 && grid_z == 1 && block_x > 0 && block_y == 1 && block_z == 1;
    (void)shared;
    (void)stream;
    if (!usable || extra)
        return INVALID_VALUE;
    memcpy(&run, &function, sizeof run);
    device.launches++;
    run(arguments[0]);
    return 0;
}

/* ---- memory ---- */

static void *host(cuda_address at) {
    return (void *)(uintptr_t)at; // NOLINT(performance-no-int-to-ptr)
}

/* What stands before a block. Those that nobody could give back, because nothing answered, stay in the list. */
struct head {
    struct head *next;
    size_t bytes;
};
enum { HEAD_BYTES = 256 };
static struct head *blocks;

static cuda_result take(cuda_address *at, size_t bytes) {
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > device.memory - device.bytes)
        return CUDA_OUT_OF_MEMORY;
    unsigned char *block = aligned_alloc(HEAD_BYTES, HEAD_BYTES + (bytes + HEAD_BYTES - 1) / HEAD_BYTES * HEAD_BYTES);
    if (!block)
        return CUDA_OUT_OF_MEMORY;
    memset(block + HEAD_BYTES, 0xa5, bytes); /* nobody may rely on zeros */
    *(struct head *)(void *)block = (struct head){blocks, bytes};
    blocks = (struct head *)(void *)block;
    device.blocks++;
    device.bytes += bytes;
    *at = (uintptr_t)(block + HEAD_BYTES);
    return 0;
}

static cuda_result give(cuda_address at) {
    struct head **link = &blocks;
    while (*link && (unsigned char *)*link + HEAD_BYTES != (unsigned char *)host(at))
        link = &(*link)->next;
    struct head *block = *link;
    if (!block)
        return INVALID_VALUE;
    *link = block->next;
    device.blocks--;
    device.bytes -= block->bytes;
    free(block);
    return 0;
}

FAKE_EXPORT cuda_result cuMemAlloc_v2(cuda_address *at, size_t bytes) {
    BEGIN return take(at, bytes);
}

FAKE_EXPORT cuda_result cuMemFree_v2(cuda_address at) {
    BEGIN return give(at);
}

FAKE_EXPORT cuda_result cuMemAllocAsync(cuda_address *at, size_t bytes, cuda_stream stream) {
    BEGIN if (!device.has_pools || !stream) return INVALID_VALUE;
    device.ordered++;
    return take(at, bytes);
}

FAKE_EXPORT cuda_result cuMemFreeAsync(cuda_address at, cuda_stream stream) {
    BEGIN return device.has_pools && stream ? give(at) : INVALID_VALUE;
}

FAKE_EXPORT cuda_result cuMemcpyHtoDAsync_v2(cuda_address to, const void *from, size_t bytes, cuda_stream stream) {
    BEGIN(void) stream;
    memcpy(host(to), from, bytes);
    return 0;
}

FAKE_EXPORT cuda_result cuMemcpyDtoHAsync_v2(void *to, cuda_address from, size_t bytes, cuda_stream stream) {
    BEGIN(void) stream;
    memcpy(to, host(from), bytes);
    return 0;
}

FAKE_EXPORT cuda_result cuMemcpyDtoH_v2(void *to, cuda_address from, size_t bytes) {
    BEGIN memcpy(to, host(from), bytes);
    return 0;
}

FAKE_EXPORT cuda_result cuMemcpyHtoD_v2(cuda_address to, const void *from, size_t bytes) {
    BEGIN memcpy(host(to), from, bytes);
    return 0;
}

FAKE_EXPORT cuda_result cuMemsetD32Async(cuda_address at, unsigned value, size_t count, cuda_stream stream) {
    BEGIN(void) stream;
    for (size_t i = 0; i < count; i++)
        memcpy((unsigned char *)host(at) + i * sizeof value, &value, sizeof value);
    return 0;
}

/* ---- streams ---- */

FAKE_EXPORT cuda_result cuStreamCreate(cuda_stream *stream, unsigned flags) {
    BEGIN(void) flags;
    device.streams++;
    *stream = (cuda_stream)(void *)&device;
    return 0;
}

FAKE_EXPORT cuda_result cuStreamDestroy_v2(cuda_stream stream) {
    BEGIN(void) stream;
    device.streams--;
    return 0;
}

FAKE_EXPORT cuda_result cuStreamSynchronize(cuda_stream stream) {
    BEGIN(void) stream;
    return 0;
}

/* ---- words ---- */

FAKE_EXPORT cuda_result cuGetErrorName(cuda_result result, const char **name) {
    *name = result == CUDA_OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR_OF_A_TEST";
    return 0;
}

FAKE_EXPORT cuda_result cuGetErrorString(cuda_result result, const char **text) {
    *text = result == CUDA_OUT_OF_MEMORY ? "out of memory" : "a test wants it so";
    return 0;
}
