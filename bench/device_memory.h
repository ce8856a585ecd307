/* device_memory.h - what benchmarks of devices share: samples, memory of the device, and an end with a sentence where something fails.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_DEVICE_MEMORY_H
#define HN_BENCH_DEVICE_MEMORY_H

#include "base/random.h"
#include "cuda/device_parts.h"
#include "model/draw_inputs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline void must(hn_status status, const hn_error *error) {
    if (status == HN_OK)
        return;
    fprintf(stderr, "%s\n", error->text);
    exit(1);
}

static inline void must_cuda(const hn_device_layer *device, cuda_result result) {
    hn_error error = {.text = ""};
    must(driver_status(&device->driver, result, "measure", &error), &error);
}

/* Samples in the host's memory: inputs from their box, raw outputs and gradients normal. */
struct drawn {
    double *x, *raw, *grad_y;
};

static inline struct drawn draw_samples(const hn_model *model, size_t count, double size) {
    struct random random = random_start(18, 5);
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    struct drawn d = {calloc(count * inputs + 1, sizeof *d.x), calloc(count * outputs, sizeof *d.raw),
                      calloc(count * outputs, sizeof *d.grad_y)};
    hn_error error = {.text = ""};
    for (size_t i = 0; i < count && inputs > 0; i++) {
        bool met;
        must(draw_inputs(model, &random, d.x + i * inputs, &met, &error), &error);
    }
    for (size_t i = 0; i < count * outputs; i++) {
        d.raw[i] = size * random_normal(&random);
        d.grad_y[i] = random_normal(&random);
    }
    return d;
}

/* Memory of the device with these bytes, or with any. */
static inline void *take(const hn_device_layer *device, const void *from, size_t bytes) {
    const struct cuda_driver *cu = &device->driver;
    cuda_address at;
    void *pointer;
    must_cuda(device, cu->allocate(&at, bytes + 1));
    if (from)
        must_cuda(device, cu->copy_in(at, from, bytes, NULL));
    must_cuda(device, cu->stream_wait(NULL));
    memcpy(&pointer, &at, sizeof pointer);
    return pointer;
}

static inline void drop(const hn_device_layer *device, const void *pointer) {
    cuda_address at;
    memcpy(&at, &pointer, sizeof at);
    device->driver.release(at);
}

#endif
