/* nearest_backend_text.h - what the texts of src/nearest ask for besides kernels (one_backend_text.h, team_text.h), for one sample whose
 * slots are those of a warp.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_DEVICE_NEAREST_BACKEND_TEXT_H
#define HN_DEVICE_NEAREST_BACKEND_TEXT_H

#define NEAREST_AT_ONCE           1
#define NEAREST_AT(slots, offset) SLOT_AT(slots, offset)
#define NEAREST_ENDS(watch)       false /* nobody watches */

#endif
