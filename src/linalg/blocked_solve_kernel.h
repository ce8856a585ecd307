/* blocked_solve_kernel.h - the solution of (M M' + E) z = b for one sample whose system is dense: a factor of the
 * active rows, cached while these are constant and unchanged, and the solves.
 *
 * The including file defines tiles_fill, tiles_factor and tiles_solve: h, its factor, and t->z = h^-1 t->z. Part of
 * blocked_ldl_kernel.h and of linalg/blocked_thread_kernel.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_LINALG_BLOCKED_SOLVE_KERNEL_H
#define HN_LINALG_BLOCKED_SOLVE_KERNEL_H

#include "linalg/blocked_rows_kernel.h"

/* ---- cached factors ---- */

/* t->kept: 1 + the number of rows, or 0 if no factor is cached; then the rows. */
SIMD_INLINE bool tiles_keeps(const struct tiles *t) {
    bool same = t->known == t->counted && t->kept[0] == (tiles_index)(t->counted + 1) && *t->kept_shift == t->shift;
    LOOP_ROLLED
    for (size_t c = 0; same && c < t->counted; c++)
        same = t->kept[(c + 1) * TILES_STEP] == t->count[c * TILES_STEP];
    return same;
}

SIMD_INLINE void tiles_keep(const struct tiles *t) {
    bool keeps = !t->task->outputs_side && t->known == t->counted;
    t->kept[0] = keeps ? (tiles_index)(t->counted + 1) : 0;
    *t->kept_shift = t->shift;
    LOOP_ROLLED
    for (size_t c = 0; keeps && c < t->counted; c += ROWS_AHEAD) {
        tiles_index block[ROWS_AHEAD];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            block[k] = t->count[tiles_clamp(c + k, t->counted) * TILES_STEP];
        LOOP_UNROLL
        for (size_t k = 0; k < ROWS_AHEAD; k++)
            if (ROWS_AHEAD == 1 || c + k < t->counted)
                t->kept[(c + k + 1) * TILES_STEP] = block[k];
    }
}

/* ---- the solution ---- */

/* The range of pivots; 1 for each inactive row. */
SIMD_INLINE void tiles_ranges(const struct tiles *t) {
    bool left_out = !t->task->outputs_side && t->counted < t->task->rows;
    real low = left_out ? 1 : REAL_INFINITY, high = left_out ? 1 : 0;
    LOOP_ROLLED
    for (size_t j = 0; j < t->order; j++) {
        real d = t->d[j * TILES_STEP];
        low = d < low ? d : low;
        high = high < d ? d : high;
    }
    *SLOT_AT(t->slots, t->task->pivot_range) = low;
    *SLOT_AT(t->slots, t->task->pivot_range + 1) = high;
}

/* Solves for one right-hand side; inactive rows keep their values: 1 times the unknown. */
SIMD_INLINE void tiles_solve_side(const struct tiles *t, uint32_t from, uint32_t to) {
    bool outputs = t->task->outputs_side;
    if (!outputs && from != to)
        tiles_copy(SLOT_AT(t->slots, from), SLOT_AT(t->slots, to), t->task->rows);
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++)
        t->z[i * TILES_STEP] = *SLOT_AT(t->slots, from + (outputs ? i : tiles_active(t, i)));
    tiles_solve(t);
    LOOP_ROLLED
    for (size_t i = 0; i < t->order; i++)
        *SLOT_AT(t->slots, to + (outputs ? i : tiles_active(t, i))) = t->z[i * TILES_STEP];
}

SIMD_INLINE void tiles_solve_sides(struct tiles *t, const struct damped_sides *sides) {
    tiles_choose_rows(t);
    if (t->task->outputs_side)
        t->shift = tiles_shift(t, 0);
    else
        t->shift = t->counted > 0 ? tiles_shift(t, tiles_active(t, 0)) : 0;
    if (!tiles_keeps(t)) {
        tiles_fill(t);
        tiles_factor(t);
        tiles_keep(t);
    }
    tiles_ranges(t);
    LOOP_ROLLED
    for (int side = 0; side < sides->count; side++)
        tiles_solve_side(t, sides->from[side], sides->to[side]);
}

#endif
