/* layer_speed_no_lapack.c - stands in for the yardstick where OpenBLAS is not installed. See layer_speed.h.
 *
 * SPDX-License-Identifier: MIT */
#include "layer_speed.h"

const char *lapack_name(void) {
    return NULL;
}

void lapack_run(const hn_layer *layer, const hn_batch *batch, int threads) {
    (void)layer, (void)batch, (void)threads;
}
