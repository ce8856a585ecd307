/* bench.h - what `hardnet bench` measures, and the parts that do it.
 *
 * bench_samples.c draws samples unless files give them, bench_time.c times repeated runs, bench_report.c prints and
 * writes.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_BENCH_H
#define HN_TOOLS_BENCH_H

#include "common/device_choice.h"
#include "common/layer_choice.h"
#include "common/options.h"
#include "common/samples.h"

struct bench_options {
    struct common_options common;
    struct text_list files;
    struct layer_choice choice;
    struct device_choice device;
    const char *x, *y, *report;
    size_t samples, seed, repeat;
    bool samples_given;
};

/* Medians over the runs. */
struct medians {
    double seconds, per_sample;
    double per_step; /* and sample; NaN when no sample took a step */
};

struct timing {
    int threads;
    size_t batch, runs;
    bool backward; /* the gradient too */
    struct medians all;
    struct medians inside; /* of a device: without memory and copies */
};

enum { TIMINGS = 8 }; /* one thread or all, one sample or the batch, without and with the gradient */

struct bench {
    const struct bench_options *options;
    const hn_model *model;
    const hn_layer *layer;
    const hn_device_layer *device; /* NULL: the CPU */
    struct samples samples;
    size_t unmet; /* samples whose inputs violate a requirement, because no draw satisfied it */
    size_t inputs, outputs, rows;
    double *y;          /* samples x outputs */
    hn_report *reports; /* samples: of the first run over the whole batch */
    double *grad_y, *grad_y_raw, *grad_x;
    void *tape;
    size_t taped; /* samples on the tape: all of them, unless that needs too much memory */
    struct timing timings[TIMINGS];
    size_t timing_count;
    int threads;
};

/* Draws what the files do not give: VERB_OK, or another verb code after printing the error. */
int bench_samples(struct bench *bench);

hn_status bench_time(struct bench *bench, hn_error *error);
void bench_release(struct bench *bench);

void bench_print(const struct bench *bench);
hn_status bench_write_json(const struct bench *bench, const char *path, hn_error *error);

#endif
