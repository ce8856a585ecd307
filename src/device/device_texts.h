/* device_texts.h - parts that the texts of all kernels of a device have.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_TEXTS_H
#define HN_DEVICE_TEXTS_H

#include "device/device_print.h"

/* What stands for headers. */
void device_print_head(struct text *out, const struct device_subject *subject);

/* C99 as C++: functions belong to the device, the rare ways to reduce an angle stay functions, and literals of structs have the form that
 * C++ knows. rolled: loops that say nothing else stay loops. Compilers unroll them, and beside straight rounds most code runs once a
 * sample, or hardly ever, so that reading it takes longer than running it. apart: functions of slots are told that these are a
 * thread's own array. */
void device_print_as_cpp(struct text *out, const char *from, bool rolled, bool apart);

/* layer_plan, and its options as layer_options. */
void device_print_plan(const struct emission *e, struct text *out);

/* The bits of a number, and a comma. */
void device_print_bits(const struct emission *e, struct text *out, double number);

#endif
