/* nearest_slots.h - what the texts of src/nearest ask for besides kernels (kernels_thread.h, kernels_block.h), for one sample whose
 * slots are those of a warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_SLOTS_H
#define HN_CUDA_NEAREST_SLOTS_H

#define NEAREST_AT_ONCE           1
#define NEAREST_AT(slots, offset) SLOT_AT(slots, offset)
#define NEAREST_ENDS(watch)       false /* nobody watches */

#endif
