/* device_texts.h - parts that the texts of all kernels of a device have.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_TEXTS_H
#define HN_CUDA_DEVICE_TEXTS_H

#include "cuda/print_kernel.h"

/* The first lines of a kernel: what it is, as macros, and the include of cuda/kernels/device_target.h. */
void device_print_head(struct text *out, const struct device_subject *subject);

/* layer_plan, and its options as layer_options. */
void device_print_plan(const struct emission *e, struct text *out);

/* The bits of a number, and a comma. */
void device_print_bits(const struct emission *e, struct text *out, double number);

/* Numbers of the caller that a kernel of floats copies, of one sample: LAYER_TAKEN of sample_io.h. 0 in double. */
uint32_t device_taken(const struct emission *e);

/* An emission of the subject, with a plan of its own: floats go for a tolerance of their own. base_release releases the plan. */
hn_status device_begin_emission(struct emission *e, const struct device_subject *subject, hn_error *error);

/* Refuses constants that fit no float, by name; the walk is made. */
hn_status device_check_constants(const struct emission *e, hn_error *error);

#endif
