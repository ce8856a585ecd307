/* run_layer.h - layers in tests: made, run and differentiated in one line each, with memory of their own.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_RUN_LAYER_H
#define HN_TESTS_SUPPORT_RUN_LAYER_H

#include "hardnet/layer.h"

/* The defaults with this method; and with so many steps at most. */
hn_layer_options layer_method(hn_method method);
hn_layer_options layer_steps(hn_method method, int iterations);

/* Every method that plans have steps for, by several settings. */
enum { LAYER_SETTINGS = 8 };
extern const struct layer_setting {
    hn_method method;
    double damping;
    bool relative;
} layer_settings[LAYER_SETTINGS];
hn_layer_options layer_setting(size_t setting, int iterations);

/* A layer that should be good. */
hn_layer *layer_of(const hn_model *model, hn_layer_options options);

/* One call on a workspace of just the size that is asked for, which begins at an odd address. Every flag of a gradient is
 * found written. */
void layer_run(const hn_layer *layer, const hn_batch *batch);
void layer_pull(const hn_layer *layer, const hn_batch *batch, const hn_gradient *gradient);

/* Everything that a run and its gradient write for a batch, made for a layer and filled with signalling NaNs. */
struct layer_results {
    size_t count, inputs, outputs, rows;
    double *y, *residual, *grad_y_raw, *grad_x, *grad_lower, *grad_upper;
    double *multipliers; /* of nearest and optimal; else NULL */
    double *proof_y;     /* likewise */
    hn_report *reports;
    bool *flagged;
    void *tape;
};

struct layer_results results_of(const hn_layer *layer, size_t count);
bool is_unwritten(double value); /* still what results_of filled it with */
void results_release(struct layer_results *results);

/* Samples with their reports (NULL: none). */
hn_batch batch_of(size_t count, const double *x, const double *y_raw, double *y, hn_report *reports);

/* The batch and the gradient that write there. */
hn_batch batch_into(const struct layer_results *results, const double *x, const double *y_raw);
hn_gradient gradient_into(const struct layer_results *results, const double *grad_y);

/* A run, or a run and its gradient, with all that they have written. */
struct layer_results run_forward(const hn_layer *layer, size_t count, const double *x, const double *y_raw);
struct layer_results run_and_pull(const hn_layer *layer, size_t count, const double *x, const double *y_raw,
                                  const double *grad_y);

void assert_all_finite(const double *values, size_t count);
void assert_all_zero(const double *values, size_t count);
void assert_finite_results(const struct layer_results *results); /* y and all gradients */

/* Whether sample a of one and sample b of the other have the same bits in everything; says where they differ. */
bool same_results(const struct layer_results *first, size_t a, const struct layer_results *second, size_t b);

#endif
