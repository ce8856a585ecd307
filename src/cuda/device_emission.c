/* device_emission.c - what the printing of every kernel of a device begins with; see device_texts.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "cuda/device_texts.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Where steps in double follow, floats go no further than they get in any case: rows of the size of 1000 are rounded to 2^-14. */
static const double COARSE_TOLERANCE = 0x1p-10;

hn_status device_begin_emission(struct emission *e, const struct device_subject *subject, hn_error *error) {
    *e = (struct emission){.plan = base_allocate((size_t)subject->plan->bytes)};
    if (!e->plan)
        return error_no_memory(error, "the device's kernel");
    memcpy(e->plan, subject->plan, (size_t)subject->plan->bytes);
    if (subject->single && e->plan->options.weighted)
        e->plan->options.tolerance = fmax(e->plan->options.tolerance, COARSE_TOLERANCE);
    e->options.single = subject->single;
    e->options.adjoint = subject->adjoint;
    return HN_OK;
}

hn_status device_check_constants(const struct emission *e, hn_error *error) {
    for (uint32_t i = 0; e->options.single && i < e->ir.constant_count; i++) {
        double value = e->ir.constants[i], size = fabs(value);
        if (isfinite(value) && size != 0 && (size > FLT_MAX || size < FLT_MIN))
            return error_about(error, HN_UNSUPPORTED, error_option("precision"),
                               "precision float32: the model's constant %s does not fit a float",
                               error_number(value).text);
    }
    return HN_OK;
}

uint32_t device_taken(const struct emission *e) {
    const struct plan *p = e->plan;
    return e->options.single ? 2 * (p->inputs + p->outputs + (e->options.adjoint ? p->rows : 0)) : 0;
}
