/* one_plan.h - a text with one layer: its plan is layer_plan, and slots are numbers, so that compilers make constants of them. Before
 * point.h.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CORE_ONE_PLAN_H
#define HN_CORE_ONE_PLAN_H

#define POINT_PLAN(p)     ((void)(p), &layer_plan)
#define POINT_WIDTH(p)    ((void)(p), (size_t)1)
#define SOLVER_OPTIONS(d) ((void)(d), &layer_plan.options)

#endif
