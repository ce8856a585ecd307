/* cuda_driver.h - the required functions of CUDA's driver API, declared from its documentation and loaded by dlopen.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DRIVER_H
#define HN_CUDA_DRIVER_H

#include "hardnet/device.h"

#include <stdint.h>

/* CUDA's driver has no 32-bit version. */
enum { IS_32_BIT = sizeof(void *) == 4 };

typedef int cuda_result; /* 0: success */
typedef int cuda_device;
typedef uint64_t cuda_address; /* in device memory */
typedef struct cuda_context_s *cuda_context;
typedef struct cuda_module_s *cuda_module;
typedef struct cuda_function_s *cuda_function;
typedef struct cuda_stream_s *cuda_stream;
typedef struct cuda_link_s *cuda_link;

enum { CUDA_OUT_OF_MEMORY = 2, CUDA_LAUNCH_OUT_OF_RESOURCES = 701 };
enum { CUDA_CAPABILITY_MAJOR = 75, CUDA_CAPABILITY_MINOR = 76, CUDA_MULTIPROCESSORS = 16 }; /* of a device */
enum {
    CUDA_SHARED_BYTES = 97,
    CUDA_HAS_POOLS = 115
}; /* of a device: shared memory of a block; allocation in stream order */
enum { CUDA_LOCAL_BYTES = 3, CUDA_REGISTERS = 4 }; /* of a function; */
enum {
    CUDA_SHARED_MOST = 8,
    CUDA_SHARED_PERCENT = 9
};                              /* to be set: bytes of shared memory, its share of the L1 cache */
enum { CUDA_MACHINE_CODE = 0 }; /* input of the linker */

/* X(field, name, arguments) */
#define CUDA_FUNCTION_LIST(X)                                                                                          \
    X(init, "cuInit", (unsigned flags))                                                                                \
    X(version, "cuDriverGetVersion", (int *version))                                                                   \
    X(device_count, "cuDeviceGetCount", (int *count))                                                                  \
    X(device_get, "cuDeviceGet", (cuda_device * device, int number))                                                   \
    X(device_name, "cuDeviceGetName", (char *name, int bytes, cuda_device device))                                     \
    X(device_attribute, "cuDeviceGetAttribute", (int *value, int attribute, cuda_device device))                       \
    X(device_memory, "cuDeviceTotalMem_v2", (size_t * bytes, cuda_device device))                                      \
    X(context_retain, "cuDevicePrimaryCtxRetain", (cuda_context * context, cuda_device device))                        \
    X(context_release, "cuDevicePrimaryCtxRelease_v2", (cuda_device device))                                           \
    X(context_push, "cuCtxPushCurrent_v2", (cuda_context context))                                                     \
    X(context_pop, "cuCtxPopCurrent_v2", (cuda_context * context))                                                     \
    X(module_load, "cuModuleLoadData", (cuda_module * module, const void *image))                                      \
    X(module_unload, "cuModuleUnload", (cuda_module module))                                                           \
    X(module_function, "cuModuleGetFunction", (cuda_function * function, cuda_module module, const char *name))        \
    X(module_global, "cuModuleGetGlobal_v2",                                                                           \
      (cuda_address * at, size_t * bytes, cuda_module module, const char *name))                                       \
    X(function_attribute, "cuFuncGetAttribute", (int *value, int attribute, cuda_function function))                   \
    X(function_set, "cuFuncSetAttribute", (cuda_function function, int attribute, int value))                          \
    X(occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor",                                                        \
      (int *blocks, cuda_function function, int threads, size_t shared))                                               \
    X(link_create, "cuLinkCreate_v2", (unsigned options, int *names, void **values, cuda_link *link))                  \
    X(link_add, "cuLinkAddData_v2",                                                                                    \
      (cuda_link link, int kind, void *data, size_t bytes, const char *name, unsigned options, int *names,             \
       void **values))                                                                                                 \
    X(link_complete, "cuLinkComplete", (cuda_link link, void **code, size_t *bytes))                                   \
    X(link_destroy, "cuLinkDestroy", (cuda_link link))                                                                 \
    X(launch, "cuLaunchKernel",                                                                                        \
      (cuda_function function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,  \
       unsigned block_z, unsigned shared, cuda_stream stream, void **arguments, void **extra))                         \
    X(set_words, "cuMemsetD32Async", (cuda_address at, unsigned value, size_t count, cuda_stream stream))              \
    X(allocate, "cuMemAlloc_v2", (cuda_address * at, size_t bytes))                                                    \
    X(release, "cuMemFree_v2", (cuda_address at))                                                                      \
    X(allocate_ordered, "cuMemAllocAsync", (cuda_address * at, size_t bytes, cuda_stream stream))                      \
    X(release_ordered, "cuMemFreeAsync", (cuda_address at, cuda_stream stream))                                        \
    X(copy_in, "cuMemcpyHtoDAsync_v2", (cuda_address to, const void *from, size_t bytes, cuda_stream stream))          \
    X(copy_out, "cuMemcpyDtoHAsync_v2", (void *to, cuda_address from, size_t bytes, cuda_stream stream))               \
    X(stream_create, "cuStreamCreate", (cuda_stream * stream, unsigned flags))                                         \
    X(stream_destroy, "cuStreamDestroy_v2", (cuda_stream stream))                                                      \
    X(stream_wait, "cuStreamSynchronize", (cuda_stream stream))                                                        \
    X(error_name, "cuGetErrorName", (cuda_result result, const char **name))                                           \
    X(error_text, "cuGetErrorString", (cuda_result result, const char **text))

#define CUDA_FIELD(field, name, arguments) cuda_result(*field) arguments;
struct cuda_driver {
    void *object; /* of dlopen */
    CUDA_FUNCTION_LIST(CUDA_FIELD)
};
#undef CUDA_FIELD

/* HN_UNSUPPORTED without a usable driver. */
hn_status driver_open(struct cuda_driver *driver, hn_error *error);
void driver_close(struct cuda_driver *driver); /* accepts zeros */

/* Loads functions by name into a struct of pointers whose first member is the library's handle and whose other members are in the
 * order of the names. Returns NULL, or the name of the first missing function. */
typedef char symbol_name[48];
const char *symbols_load(void *library, const symbol_name *names, size_t count);

/* HN_OK, or an error with the failed operation and the reason. */
hn_status driver_status(const struct cuda_driver *driver, cuda_result result, const char *what, hn_error *error);

#endif
