/* kernel_variant.h - which kind of kernel a layer gets on a device, by what its statements will cost; hn_device_predict.
 *
 *     straight code    slots are a thread's own, one line of statements: short models
 *     rolled code      slots in the device's memory, repeated stages as loops: long models whose stages are alike
 *     listed streams   likewise, statements read from lists: long models that have no such form
 *     dense loops      likewise, rolled or listed, with loops for the linear system: models whose factor is full
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_VARIANT_H
#define HN_CUDA_KERNEL_VARIANT_H

#include "codegen/ir/lower.h"
#include "hardnet/device.h"

/* HN_NO_MEMORY, or HN_LIMIT where a sample has too many numbers. */
hn_status form_choose(hn_device_forecast *out, const struct plan *plan, hn_error *error);

/* Whether the text of an entry is short enough to be code. failed is set when memory is out. */
bool form_is_rolled(const struct ir_module *ir, enum kernel_entry entry, bool *failed);

#endif
