/* global_slots.h - slots in global memory: the numbers of a warp's samples are adjacent. For statements (S, M) and
 * for the kernels of linalg/ and core/ (SLOT_AT).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_GLOBAL_SLOTS_H
#define HN_CUDA_GLOBAL_SLOTS_H

enum { LANE_PARTS = 1, SLOT_STRIDE = GLOBAL_WIDTH, OFFSET_STEP = 1 };

#define S(slot)                  (slots[(slot)*SLOT_STRIDE])
#define M(slot)                  (simd_to_bits(slots[(slot)*SLOT_STRIDE]))
#define S_AT(moved, slot)        (slots[(moved) + (slot)*SLOT_STRIDE])
#define M_AT(moved, slot)        (simd_to_bits(slots[(moved) + (slot)*SLOT_STRIDE]))
#define SLOT_STEP                ((uint32_t)SLOT_STRIDE)
#define SLOT_AT(slots, offset)   ((slots) + (size_t)(offset)*SLOT_STEP)
#define simd_prefetch(at, ahead) ((void)0)

#endif
