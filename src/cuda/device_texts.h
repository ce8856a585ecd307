/* device_texts.h - parts that the texts of all kernels of a device have.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_DEVICE_TEXTS_H
#define HN_CUDA_DEVICE_TEXTS_H

#include "cuda/print_kernel.h"

/* What stands for headers. */
void device_print_head(struct text *out, const struct device_subject *subject);

/* C99 with its includes (codegen/emit/flatten.h) as C++: functions belong to the device, the rare ways to reduce an angle stay functions, and literals of structs have the form that
 * C++ knows. rolled: loops that say nothing else stay loops. Compilers unroll them, and beside straight rounds most code runs once a
 * sample, or hardly ever, so that reading it takes longer than running it. apart: functions of slots are told that these are a
 * thread's own array. */
void device_print_as_cpp(struct text *out, const struct text *root, bool rolled, bool apart);

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
