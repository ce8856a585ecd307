/* warp_slots.h - slots of a warp, whose threads are a block: a slot of all of them lies behind the other. The host takes the width from the
 * call. Whoever sees to memory sees to it that 32 bits count the numbers of a warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_WARP_SLOTS_H
#define HN_CUDA_WARP_SLOTS_H

enum { LANE_PARTS = 1, SLOT_STRIDE = 1, OFFSET_STEP = 1 };

/* linalg/block_sizes.h for 128 registers. */
#define DENSE_SOLVE    1
#define DENSE_FUNCTION static GENERATED
#define LOOP_ROLLED    DEVICE_ROLLED

#ifdef DEVICE_HOST
static thread_local uint32_t warp_width;
#define SLOT_STEP warp_width
#else
#define SLOT_STEP blockDim.x
#endif
#define SLOT_AT(slots, offset)   ((slots) + (uint32_t)(offset)*SLOT_STEP)
#define simd_prefetch(at, ahead) ((void)0)

/* What core/refine_qp.h asks for. */
#define REFINE_AT_ONCE             1
#define REFINE_STRIDE              1
#define REFINE_SLOT(slots, offset) (*SLOT_AT(slots, offset))

#endif
