/* fake_open.h - a test on the device that is there, or on that of fake_device.h where there is none.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_FAKE_OPEN_H
#define HN_TESTS_DEVICE_FAKE_OPEN_H

#include "cuda/fake_device.h"
#include "support/check.h"

#include <dlfcn.h>

enum { TEST_SKIPPED = 77 }; /* what main returns then */

/* The fake compiler is the system's. */
static inline bool fake_can_compile(void) {
    return system("c++ --version > /dev/null 2>&1") == 0; // NOLINT(cert-env33-c)
}

static inline void *fake_find(const char *name, int flags) {
    char path[1024];
    snprintf(path, sizeof path, "%s/%s", FAKE_DEVICE, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL | flags);
}

/* One of the two libraries, which stays open: what opens that name later gets it. */
static inline void *fake_open(const char *name) {
    void *object = fake_find(name, 0);
    if (!object)
        fail_msg("%s", dlerror());
    return object;
}

/* What its function of this name returns. */
static inline void *fake_ask(void *object, const char *name) {
    void *(*function)(void);
    void *found = dlsym(object, name);
    assert_non_null(found);
    memcpy(&function, &found, sizeof found);
    return function();
}

/* Sanitizers watch the kernels of the fake compiler, where it is open. */
static inline void fake_watch(void) {
    void *object = fake_find("libnvrtc.so.13", RTLD_NOLOAD);
    if (object)
        ((struct fake_calls *)fake_ask(object, "fake_compiler"))->watched = true;
}

/* False when there is neither a device nor a compiler for the fake one. */
static inline bool some_device(void) {
    bool present = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL) != NULL;
    if (!present && !fake_can_compile()) {
        puts("skipped: there is neither a device nor a C++ compiler");
        return false;
    }
    if (!present) {
        fake_open("libcuda.so.1");
        fake_open("libnvrtc.so.13");
    }
    printf("on %s\n", present ? "the device that is there" : "a device that is none");
    return true;
}

#endif
