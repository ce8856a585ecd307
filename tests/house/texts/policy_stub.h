/* policy_stub.h - what is generated before core/policy_run.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TESTS_POLICY_STUB_H
#define HN_TESTS_POLICY_STUB_H

#include "core/program_lists.h"
#include "core/refine_qp.h"

#define POLICY_CANDIDATES 2
#define POLICY_REFINE     1
enum { POLICY_OBJECTIVE, POLICY_OBJECTIVE_X, POLICY_OBJECTIVE_Y };
SHARED_CONSTANT struct policy_program policy_objective_program = {.slots = 1};
SHARED_CONSTANT struct refine_places policy_refine_places = {.inputs = 1};

#endif
