/* differences.h - the gradient of a training by the weights against central differences, one sample at a time.
 *
 * Along a random direction in the weights the loss is taken at four points, and differences over h and h/2 are extrapolated; h is made
 * smaller where the two do not agree, which is where a decision changes in between.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_SUPPORT_DIFFERENCES_H
#define HN_TESTS_SUPPORT_DIFFERENCES_H

#include "hardnet/train.h"

struct difference_verdict {
    size_t good;  /* directions in which they agree to 1e-6 */
    double worst; /* relative error of these */
    double steps; /* sum of the correction steps */
};

/* One direction for one input; the trainer's rate must be next to nothing. */
void difference_check(hn_trainer *trainer, const double *x, uint64_t seed, struct difference_verdict *verdict);

#endif
