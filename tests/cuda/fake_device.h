/* fake_device.h - a driver of CUDA and its run-time compiler for machines without either, in the host's memory.
 *
 * fake_cuda.c is built as libcuda.so.1, fake_nvrtc.c as libnvrtc.so.13: what opens these names gets them where their folder is on the
 * search path. The compiler takes the text of a kernel as C++ for the host (DEVICE_HOST), the driver loads what came out and runs it when
 * it is launched. So a machine without a device runs all of src/device, with the bits of its kernels; and any call can be told to fail.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_FAKE_DEVICE_H
#define HN_TESTS_DEVICE_FAKE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>

enum { FAKE_CAPABILITY = 1999 }; /* which no device has: what is cached for this one is for no other */

/* Calls of one of the two libraries. Whoever looks at it clears it first. */
struct fake_calls {
    size_t made;        /* until now */
    size_t fail_at;     /* the call that fails, from 1 on; 0: none */
    bool for_ever;      /* and all that come after it */
    const char *only;   /* the function whose calls alone are counted; NULL: all */
    int code;           /* that comes back */
    const char *failed; /* the function that failed first; NULL: none did */
    bool fuses;         /* of the compiler: floats get fused products, as on a device */
    bool watched; /* of the compiler: kernels are watched by the sanitizers that watch the test; takes twice the time */
};

/* What the driver has given and not got back. */
struct fake_device {
    struct fake_calls calls;
    int capability;
    size_t memory;  /* bytes that it has */
    bool has_pools; /* it takes memory in the order of a stream */
    size_t ordered; /* blocks that it has taken so */
    size_t blocks, bytes, modules, links, streams, contexts, entered, launches;
};

/* Exported by libcuda.so.1 and libnvrtc.so.13. */
struct fake_device *fake_device(void);
struct fake_calls *fake_compiler(void);

#endif
