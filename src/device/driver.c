/* driver.c - see driver.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device/driver.h"

#include "base/error.h"

#include <dlfcn.h>
#include <string.h>

/* A pointer to data becomes one to a function: POSIX has dlsym return the former. */
#define TAKE(field, name, arguments)                                                                                   \
    do {                                                                                                               \
        void *found = dlsym(driver->object, name);                                                                     \
        memcpy(&driver->field, &found, sizeof found);                                                                  \
        if (!found && !*missing)                                                                                       \
            *missing = name;                                                                                           \
    } while (0);

static void take_functions(struct cuda_driver *driver, const char **missing){CUDA_FUNCTION_LIST(TAKE)}

hn_status driver_open(struct cuda_driver *driver, hn_error *error) {
    const char *missing = NULL;
    memset(driver, 0, sizeof *driver);
    if (IS_32_BIT)
        return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: it needs a 64-bit process");
    driver->object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->object)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: there is no driver of NVIDIA here: libcuda.so.1 cannot be opened");
    take_functions(driver, &missing);
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

/* The object stays: threads of its own may still run in it. */
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
