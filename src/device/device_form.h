/* device_form.h - which kind of kernel a layer gets on a device, by what its statements will cost.
 *
 *     straight code    slots are a thread's own, one line of statements: short models
 *     rolled code      slots in the device's memory, repeated stages as loops: long models whose stages are alike
 *     listed streams   likewise, statements read from lists: long models that have no such form
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_FORM_H
#define HN_DEVICE_FORM_H

#include "generate/walk.h"

enum device_form { FORM_STRAIGHT, FORM_ROLLED, FORM_LISTED };

struct form_choice {
    enum device_form form;
    size_t operands;   /* of the statements of a step, */
    size_t most;       /* and as many straight code may have */
    size_t bytes;      /* of the text of its statements, loops counted once, */
    size_t most_bytes; /* and as many one entry may have as text */
};

/* HN_UNSUPPORTED where the model has none of them; the error says why. */
hn_status form_choose(struct form_choice *out, const struct plan *plan, hn_error *error);

/* Whether the text of an entry is short enough to be code. failed is set when memory is out. */
bool form_is_rolled(const struct walk *walk, enum kernel_entry entry, bool *failed);

#endif
