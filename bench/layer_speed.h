/* layer_speed.h - the parts of the layer's benchmark.
 *
 * layer_speed.c times the unicycle, layer_speed_shapes.c what grows and what has a dense row or column, layer_speed_samples.c makes
 * samples, layer_speed_lapack.c is the yardstick (layer_speed_no_lapack.c where OpenBLAS is missing).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_BENCH_LAYER_SPEED_H
#define HN_BENCH_LAYER_SPEED_H

#include "hardnet/layer.h"

/* ---- samples and layers (layer_speed_samples.c) ---- */

/* Samples of one model, with room for results. */
struct samples {
    size_t count, inputs, outputs;
    double *x, *y_raw, *y; /* a row each */
    hn_report *reports;
};

/* Ends the program with the sentence, or with the error's unless all is well. */
void fail(const char *sentence);
void expect(hn_status status, const hn_error *error);

/* Zeros, and never NULL. */
void *reserve(size_t count, size_t size);

hn_model *unicycle_model(int horizon);
hn_layer *paper_layer(const hn_model *model, int iterations, hn_instructions instructions);

/* Starts in the box of the paper, and for each a rough plan: straight to the target with noise on every output. */
struct samples unicycle_samples(int horizon, size_t count);

/* Outputs around `middle`, inputs none. */
struct samples plain_samples(size_t outputs, size_t count, double middle);
void samples_release(struct samples *samples);

/* count samples from first on. */
hn_batch samples_batch(const struct samples *samples, size_t first, size_t count);

/* Seconds of wall time; of processor time when one thread works, which other programs on the machine disturb less. */
double now(int threads);

/* ---- the yardstick: the paper's step sample by sample with dense LAPACK ---- */

/* OpenBLAS and its kernel, in words; NULL: it was not there when this was built. */
const char *lapack_name(void);

/* `iterations` paper steps from y_raw for the batch, 8 samples at a time, on so many threads; y takes the last iterate. */
void lapack_run(const hn_layer *layer, const hn_batch *batch, int threads);

/* ---- growing horizons, dense rows, dense columns (layer_speed_shapes.c) ---- */

/* `auto` beside a LAPACK step and IPOPT (layer_speed_auto.c). */
void print_auto(int threads);

/* Generated kernels beside the listed ones (layer_speed_generated.c). */
void print_generated(void);

void print_horizons(void);
void print_shapes(void);

#endif
