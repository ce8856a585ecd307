/* cuda_driver.c - see cuda_driver.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/cuda_driver.h"

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

#define NAME(field, name, arguments) name,
static const symbol_name functions[] = {CUDA_FUNCTION_LIST(NAME)};

/* POSIX: dlsym returns functions as pointers to data. */
const char *symbols_load(void *library, const symbol_name *names, size_t count) {
    void *object;
    unsigned char *at = library;
    memcpy(&object, at, sizeof object);
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(object, names[i]);
        if (!found)
            return names[i];
        memcpy(at += sizeof object, &found, sizeof found);
    }
    return NULL;
}

hn_status driver_open(struct cuda_driver *driver, hn_error *error) {
    memset(driver, 0, sizeof *driver);
    if (IS_32_BIT)
        return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: it needs a 64-bit process");
    driver->object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->object)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: there is no driver of NVIDIA here: libcuda.so.1 cannot be opened");
    const char *missing = symbols_load(driver, functions, sizeof functions / sizeof functions[0]);
    if (missing) {
        driver_close(driver);
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: the driver of NVIDIA is too old: it has no %s", missing);
    }
    hn_status status = driver_status(driver, driver->init(0), "start the driver", error);
    if (status != HN_OK)
        driver_close(driver);
    return status;
}

/* The library stays loaded: its own threads may still run. */
void driver_close(struct cuda_driver *driver) {
    memset(driver, 0, sizeof *driver);
}

hn_status driver_status(const struct cuda_driver *driver, cuda_result result, const char *what, hn_error *error) {
    const char *name = NULL, *text = NULL;
    if (result == 0)
        return HN_OK;
    driver->error_name(result, &name);
    driver->error_text(result, &text);
    if (result == CUDA_OUT_OF_MEMORY)
        return error_about(error, HN_NO_MEMORY, error_option("device"), "device cuda: cannot %s: its memory is out",
                           what);
    return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: cannot %s: %s (%s)", what,
                       text ? text : "unknown error", name ? name : "no name");
}
