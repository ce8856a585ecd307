/* gradient_check.h - the layer's gradient against central differences of the layer, its decisions held fixed.
 *
 * Along a random direction in y_raw or in x the layer is run at seven points in one batch; differences over h, h/2 and
 * h/4 are extrapolated twice (Richardson), which leaves errors of order h^6. At every point each iterate's violated
 * and held rows, its eps, the first iterate's row scales and the number of steps must be those of the middle, and the
 * two extrapolations must agree, or h is made smaller.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_GRADIENT_CHECK_H
#define HN_TESTS_SUPPORT_GRADIENT_CHECK_H

#include "hardnet/layer.h"
#include "support/plain_layer.h"

struct gradient_case {
    const hn_layer *layer;
    const struct plain_layer *plain; /* of the same model; NULL: the rows' decisions are not watched */
    const double *x, *raw;
    uint64_t seed;
    double widest; /* h to begin with */
};

struct gradient_verdict {
    size_t directions,
        skipped;              /* skipped: no h that keeps all decisions and gives a difference that can be relied on */
    double error;             /* the largest |gradient - difference| / max(1, |difference|) */
    double width;             /* the smallest h that was needed */
    bool finite, ok, flagged; /* of the gradient; of the sample; what was reported about the gradient */
    double *grad_x, *grad_lower, *grad_upper; /* to be freed */
};

struct gradient_verdict gradient_check(const struct gradient_case *one);
void gradient_verdict_release(struct gradient_verdict *verdict);

#endif
