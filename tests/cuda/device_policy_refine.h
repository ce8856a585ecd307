/* device_policy_refine.h - refinement of policies on a device, judged against the CPU's.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_DEVICE_POLICY_REFINE_H
#define HN_TESTS_DEVICE_POLICY_REFINE_H

void refinement_has_the_cpu_s_bits(void **state);
void refinement_of_any_linear_system_has_them(void **state);
void refinement_of_shipped_models_has_them(void **state);
void samples_that_there_is_no_room_for_take_turns(void **state);
void without_any_room_the_cpu_refines_and_it_is_said(void **state);
void improvement_from_starts_has_the_cpu_s_bits(void **state);

#endif
