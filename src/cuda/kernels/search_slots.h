/* search_slots.h - numbers of a search lie as the slots of its sample do.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_SEARCH_SLOTS_H
#define HN_CUDA_SEARCH_SLOTS_H

#define SLOT_STEP                ((uint32_t)SLOT_STRIDE)
#define SLOT_AT(slots, offset)   ((slots) + (size_t)(offset)*SLOT_STEP)
#define simd_prefetch(at, ahead) ((void)0)

#endif
