/* register_loops.h - loops over the numbers of one sample, whose loads do not wait for each other: copies, and what core/point.h has for
 * the same questions.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_REGISTER_LOOPS_H
#define HN_CUDA_REGISTER_LOOPS_H

/* ---- copies in rounds, unrolled; those of sample_io.h are for what runs once a sample ---- */

enum { THREAD_AT_ONCE = 32 };

#define THREAD_MOVE(name, source, target)                                                                              \
    SIMD_INLINE void name(const source *from, uint64_t from_apart, target *to, uint64_t to_apart,                      \
                          const uint32_t count) {                                                                      \
        target block[THREAD_AT_ONCE];                                                                                  \
        DEVICE_UNROLL                                                                                                  \
        for (uint32_t first = 0; first < count; first += THREAD_AT_ONCE) {                                             \
            DEVICE_UNROLL                                                                                              \
            for (uint32_t k = 0; k < THREAD_AT_ONCE; k++)                                                              \
                if (first + k < count)                                                                                 \
                    block[k] = (target)from[(first + k) * from_apart];                                                 \
            DEVICE_UNROLL                                                                                              \
            for (uint32_t k = 0; k < THREAD_AT_ONCE; k++)                                                              \
                if (first + k < count)                                                                                 \
                    to[(first + k) * to_apart] = block[k];                                                             \
        }                                                                                                              \
    }
THREAD_MOVE(thread_spread, real, real)

/* ---- what point.h has for the same ---- */

SIMD_INLINE void thread_copy(const real *from, real *to) {
    thread_spread(from, 1, to, 1, LAYER_OUTPUTS);
}

/* The first that is not finite; count: all are. */
SIMD_INLINE uint32_t thread_first_lost(const real *values, const uint32_t count) {
    uint32_t first = count;
    DEVICE_UNROLL_MANY
    for (uint32_t j = count; j-- > 0;)
        first = sample_is_finite(values[j]) ? first : j;
    return first;
}

/* Numbers that come in, to several places at once; whether all of them are finite. */
SIMD_INLINE bool thread_copy_in(const real *from, real *slots) {
    bool lost = false;
    DEVICE_ROLLED
    for (uint32_t first = 0; first < LAYER_OUTPUTS; first += THREAD_FEW) {
        real block[THREAD_FEW];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++)
            block[k] = first + k < LAYER_OUTPUTS ? from[first + k] : 0;
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++) {
            lost = lost | !sample_is_finite(block[k]);
            if (first + k < LAYER_OUTPUTS)
                slots[LAYER_Y + first + k] = slots[LAYER_BEST + first + k] = slots[LAYER_RAW + first + k] = block[k];
        }
    }
    return !lost;
}

/* point_bad_bounds; LAYER_ROWS: none. Bounds that are constant were judged when the model was made. */
SIMD_INLINE uint32_t thread_bad_bounds(const real *slots) {
    uint32_t first = LAYER_ROWS;
    DEVICE_UNROLL_MANY
    for (uint32_t k = 0; k < LAYER_BOUNDED; k++) {
        real low = slots[lower_slot[bounded_row[k]]], high = slots[upper_slot[bounded_row[k]]];
        bool bad = !(low <= high) | (low == REAL_INFINITY) | (high == -REAL_INFINITY);
        first = (first == LAYER_ROWS) & bad ? bounded_row[k] : first;
    }
    return first;
}

/* The first row with a bound that is no number. */
SIMD_INLINE uint32_t thread_unbounded(const real *slots) {
    uint32_t first = LAYER_ROWS;
    DEVICE_UNROLL_MANY
    for (uint32_t k = 0; k < LAYER_BOUNDED; k++) {
        real low = slots[lower_slot[bounded_row[k]]], high = slots[upper_slot[bounded_row[k]]];
        first = (first == LAYER_ROWS) & ((low != low) | (high != high)) ? bounded_row[k] : first;
    }
    return first;
}

/* point_violation */
SIMD_INLINE real thread_violation(const real *slots, size_t *row) {
    real worst = 0;
    uint32_t at = LAYER_ROWS, lost = thread_unbounded(slots);
    DEVICE_UNROLL_MANY
    for (uint32_t i = 0; i < LAYER_ROWS; i++) {
        real size = point_abs(slots[LAYER_RESIDUAL + i]), value = slots[value_slot[i]];
        bool bad = !sample_is_finite(value) | !sample_is_finite(size); /* bits: && and || are branches */
        bool more = size > worst;
        lost = i < lost && bad ? i : lost;
        at = more ? i : at;
        worst = more ? size : worst;
    }
    *row = lost < LAYER_ROWS ? lost : at < LAYER_ROWS ? at : SIZE_MAX;
    return lost < LAYER_ROWS ? REAL_INFINITY : worst;
}

#endif
