/* kernel_executor.c - the executor over lanes whose arithmetic is generated: what is left is the order of the entries.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "generate/kernel_parts.h"

static const struct kernel_table *table_of(const struct executor *x) {
    return ((const struct generated *)x->own)->table;
}

/* False when the entry is not generated. */
static bool run_entry(const struct executor *x, double *slots, enum kernel_entry entry) {
    kernel_function *function = table_of(x)->entry[entry];
    if (function)
        function(slots);
    return function != NULL;
}

static void kernel_prepare(const struct executor *x, double *slots) {
    if (!run_entry(x, slots, KERNEL_PREPARE))
        lanes_of(x)->kernels.run(&lanes_of(x)->program, 0, slots);
}

static void kernel_evaluate(const struct executor *x, double *slots, const bool *fresh, bool brief) {
    const struct lanes *own = lanes_of(x);
    if (!run_entry(x, slots, KERNEL_EVALUATE))
        own->kernels.run(&own->program, 1, slots);
    if (fresh && lanes_flag(x, slots, own->flags, fresh) && !run_entry(x, slots, KERNEL_RESCALE))
        own->kernels.rescale(&own->rows, slots, own->flags);
    if (brief && !run_entry(x, slots, KERNEL_RESIDUAL_BRIEF))
        own->kernels.residual_only(&own->rows, slots);
    if (!brief && !run_entry(x, slots, KERNEL_RESIDUAL))
        own->kernels.residual(&own->rows, slots);
}

hn_status executor_open_kernel(struct executor *out, const struct plan *plan, const struct kernel *kernel,
                               hn_error *error) {
    hn_status status = executor_open_lanes(out, plan, kernel->instructions, error);
    if (status != HN_OK)
        return status;
    struct generated *own = base_allocate(sizeof *own);
    if (!own) {
        executor_close(out);
        return error_no_memory(error, "the layer");
    }
    *own = (struct generated){*lanes_of(out), kernel->table};
    base_release(out->own);
    out->own = own;
    out->prepare = kernel_prepare;
    out->evaluate = kernel_evaluate;
    return HN_OK;
}
