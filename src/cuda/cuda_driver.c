/* cuda_driver.c - see cuda_driver.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/cuda_driver.h"

#include "base/error.h"
#include "cuda/library_symbols.h"

#include <dlfcn.h>
#include <string.h>

#define PLACE(field, name, arguments) {name, offsetof(struct cuda_driver, field)},
static const struct symbol_place functions[] = {CUDA_FUNCTION_LIST(PLACE)};

hn_status driver_open(struct cuda_driver *driver, hn_error *error) {
    memset(driver, 0, sizeof *driver);
    if (IS_32_BIT)
        return error_about(error, HN_UNSUPPORTED, error_option("device"), "device cuda: it needs a 64-bit process");
    driver->object = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver->object)
        return error_about(error, HN_UNSUPPORTED, error_option("device"),
                           "device cuda: there is no driver of NVIDIA here: libcuda.so.1 cannot be opened");
    const char *missing = symbols_take(driver->object, functions, sizeof functions / sizeof functions[0], driver);
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
