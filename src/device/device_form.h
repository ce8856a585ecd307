/* device_form.h - which kind of kernel a layer gets on a device, by what its statements will cost; hn_device_predict.
 *
 *     straight code    slots are a thread's own, one line of statements: short models
 *     rolled code      slots in the device's memory, repeated stages as loops: long models whose stages are alike
 *     listed streams   likewise, statements read from lists: long models that have no such form
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_FORM_H
#define HN_DEVICE_FORM_H

#include "generate/walk.h"
#include "hardnet/device.h"

/* HN_UNSUPPORTED where the model has none of them; the error says why. */
hn_status form_choose(hn_device_forecast *out, const struct plan *plan, hn_error *error);

/* Whether the text of an entry is short enough to be code. failed is set when memory is out. */
bool form_is_rolled(const struct walk *walk, enum kernel_entry entry, bool *failed);

#endif
