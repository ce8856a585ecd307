/* one_plan.h - for texts with one layer: its plan is layer_plan, and slots are numbers, which compilers treat as
 * constants. Included before point.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ONE_PLAN_H
#define HN_CORE_ONE_PLAN_H

#define POINT_PLAN(p)     ((void)(p), &layer_plan)
#define POINT_WIDTH(p)    ((void)(p), (size_t)1)
#define SOLVER_OPTIONS(d) ((void)(d), &layer_plan.options)

#endif
