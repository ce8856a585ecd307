/* loss_rows.h - the residual and the gradient of nn/loss.h at one sample, from the slots of its program.
 *
 *     |r|,   (size / |r| + 2 square) r, the multipliers of the rows;   df/dy + d(g' c)/dy
 *
 * An offset of a slot times `apart` is the index of its number: 1 on the CPU, where lanes are part of the offset; the
 * number of threads on a device.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_LOSS_ROWS_H
#define HN_CORE_LOSS_ROWS_H

#include "base/real.h"
#include "core/residual.h"

/* Offsets of inputs and results. */
struct loss_places {
    size_t rows, outputs;
    uint32_t x, y, multiplier, objective;
    uint32_t stride;                              /* distance between consecutive multipliers */
    const uint32_t *value, *lower, *upper;        /* by row */
    const uint32_t *gradient_at, *gradient_entry; /* df/dy */
    const uint32_t *pull_at, *pull_entry;         /* d(g' c)/dy */
    size_t gradient_count, pull_count;
};

struct loss_weights {
    double size, square;
};

/* |r|; writes the multipliers. */
SHARED_FUNCTION double loss_multipliers(const struct loss_places *p, double *slots, size_t apart,
                                        struct loss_weights weights) {
    double squares = 0;
    for (size_t i = 0; i < p->rows; i++) {
        double r = residual_of(slots[p->value[i] * apart], slots[p->lower[i] * apart], slots[p->upper[i] * apart]);
        slots[(p->multiplier + i * p->stride) * apart] = r;
        squares += r * r;
    }
    double size = real_sqrt(squares), scale = (size > 0 ? weights.size / size : 0) + 2 * weights.square;
    for (size_t i = 0; i < p->rows; i++)
        slots[(p->multiplier + i * p->stride) * apart] *= scale;
    return size;
}

SHARED_FUNCTION void loss_gradient(const struct loss_places *p, const double *slots, size_t apart, double *gradient) {
    for (size_t j = 0; j < p->outputs; j++)
        gradient[j] = 0;
    for (size_t e = 0; e < p->gradient_count; e++)
        gradient[p->gradient_entry[e]] += slots[p->gradient_at[e] * apart];
    for (size_t e = 0; e < p->pull_count; e++)
        gradient[p->pull_entry[e]] += slots[p->pull_at[e] * apart];
}

#endif
