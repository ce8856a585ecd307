/* normalize_kernel.h - layer normalisation of WIDTH samples at a time; compiled by each backend for its width.
 *
 * The sums of normalize.h run over the neurons of one sample in ascending order and are latency bound. Here every lane
 * is a sample: blocks of WIDTH neurons of WIDTH samples are transposed and added one neuron at a time, with the bits of
 * normalize.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_NN_NORMALIZE_KERNEL_H
#define HN_NN_NORMALIZE_KERNEL_H

#include "base/simd.h"
#include "core/network_task.h"
#include "core/normalize.h"

/* One number per sample for WIDTH samples. */
struct numbers {
    double of[WIDTH];
};

SIMD_INLINE struct numbers kernel_numbers(simd all) {
    struct numbers n;
    memcpy(n.of, &all, sizeof all);
    return n;
}

/* `count` neurons of WIDTH samples: WIDTH neurons, or fewer at the end of a row, padded with zeros. */
struct neurons {
    simd of[WIDTH];
};

SIMD_INLINE void kernel_neurons_read(struct neurons *n, const double *at, size_t width, const size_t count) {
    for (size_t k = 0; k < WIDTH; k++) {
        if (count < WIDTH)
            n->of[k] = simd_all(0);
        memcpy(&n->of[k], at + k * width, count * sizeof *at);
    }
}

SIMD_INLINE void kernel_neurons_write(const struct neurons *n, double *at, size_t width, const size_t count) {
    for (size_t k = 0; k < WIDTH; k++)
        memcpy(at + k * width, &n->of[k], count * sizeof *at);
}

/* Adds to the sums of all samples, one neuron after the other. */
SIMD_INLINE void kernel_neurons_add(struct neurons *n, simd *sums, const size_t count) {
    simd_transpose(n->of);
    for (size_t k = 0; k < count; k++)
        *sums += n->of[k];
}

/* ---- forward: z -> (z - mean) r ---- */

SIMD_INLINE void kernel_normal_sum(const double *z, size_t width, const size_t count, simd *sum) {
    struct neurons n;
    kernel_neurons_read(&n, z, width, count);
    kernel_neurons_add(&n, sum, count);
}

SIMD_INLINE void kernel_normal_center(double *z, size_t width, const size_t count, const struct numbers *mean,
                                      simd *squares) {
    struct neurons n;
    kernel_neurons_read(&n, z, width, count);
    for (size_t k = 0; k < WIDTH; k++)
        n.of[k] -= mean->of[k];
    kernel_neurons_write(&n, z, width, count);
    for (size_t k = 0; k < WIDTH; k++)
        n.of[k] *= n.of[k];
    kernel_neurons_add(&n, squares, count);
}

SIMD_INLINE void kernel_normal_scale(double *z, size_t width, const size_t count, const struct numbers *r) {
    struct neurons n;
    kernel_neurons_read(&n, z, width, count);
    for (size_t k = 0; k < WIDTH; k++)
        n.of[k] *= r->of[k];
    kernel_neurons_write(&n, z, width, count);
}

/* Normalises WIDTH samples; returns their r. */
SIMD_INLINE simd kernel_normal_rows(double *z, size_t width) {
    simd sum = simd_all(0), squares = simd_all(0), all = simd_all((double)width);
    size_t i, rest = width % WIDTH;
    for (i = 0; i + WIDTH <= width; i += WIDTH)
        kernel_normal_sum(z + i, width, WIDTH, &sum);
    kernel_normal_sum(z + i, width, rest, &sum);
    struct numbers mean = kernel_numbers(sum / all);
    for (i = 0; i + WIDTH <= width; i += WIDTH)
        kernel_normal_center(z + i, width, WIDTH, &mean, &squares);
    kernel_normal_center(z + i, width, rest, &mean, &squares);
    simd r = 1.0 / simd_sqrt(squares / all + 1e-5);
    struct numbers scale = kernel_numbers(r);
    for (i = 0; i + WIDTH <= width; i += WIDTH)
        kernel_normal_scale(z + i, width, WIDTH, &scale);
    kernel_normal_scale(z + i, width, rest, &scale);
    return r;
}

/* ---- backward: g -> r (g - mean(g) - n mean(g n)) ---- */

SIMD_INLINE void kernel_normal_sums_back(const double *n, const double *g, size_t width, const size_t count, simd *sum,
                                         simd *along) {
    struct neurons values, own;
    kernel_neurons_read(&values, n, width, count);
    kernel_neurons_read(&own, g, width, count);
    for (size_t k = 0; k < WIDTH; k++)
        values.of[k] = own.of[k] * values.of[k];
    kernel_neurons_add(&own, sum, count);
    kernel_neurons_add(&values, along, count);
}

SIMD_INLINE void kernel_normal_pull(const double *n, double *g, size_t width, const size_t count, const double *r,
                                    const struct numbers *mean, const struct numbers *slope) {
    struct neurons values, own;
    kernel_neurons_read(&values, n, width, count);
    kernel_neurons_read(&own, g, width, count);
    for (size_t k = 0; k < WIDTH; k++)
        own.of[k] = r[k] * (own.of[k] - mean->of[k] - values.of[k] * slope->of[k]);
    kernel_neurons_write(&own, g, width, count);
}

SIMD_INLINE void kernel_normal_rows_back(const double *n, size_t width, const double *r, double *g) {
    simd sum = simd_all(0), along = simd_all(0), all = simd_all((double)width);
    size_t i, rest = width % WIDTH;
    for (i = 0; i + WIDTH <= width; i += WIDTH)
        kernel_normal_sums_back(n + i, g + i, width, WIDTH, &sum, &along);
    kernel_normal_sums_back(n + i, g + i, width, rest, &sum, &along);
    struct numbers mean = kernel_numbers(sum / all), slope = kernel_numbers(along / all);
    for (i = 0; i + WIDTH <= width; i += WIDTH)
        kernel_normal_pull(n + i, g + i, width, WIDTH, r, &mean, &slope);
    kernel_normal_pull(n + i, g + i, width, rest, r, &mean, &slope);
}

static void kernel_normalize(const struct normalize_task *task) {
    size_t s = 0;
    for (; s + WIDTH <= task->rows; s += WIDTH) {
        simd r = kernel_normal_rows(task->z + s * task->width, task->width);
        memcpy(task->inverse + s, &r, sizeof r);
    }
    for (; s < task->rows; s++)
        task->inverse[s] = normalize(task->z + s * task->width, task->width);
}

static void kernel_normalize_back(const struct normalize_task *task) {
    size_t s = 0;
    for (; s + WIDTH <= task->rows; s += WIDTH)
        kernel_normal_rows_back(task->z + s * task->width, task->width, task->inverse + s,
                                task->gradient + s * task->width);
    for (; s < task->rows; s++)
        normalize_back(task->z + s * task->width, task->width, task->inverse[s], task->gradient + s * task->width);
}

#endif
