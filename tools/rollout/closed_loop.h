/* closed_loop.h - `hardnet eval --closed-loop`: a network as a controller, judged against the reference in the same loops.
 *
 * The loops are those of rollout.h, from starts that are drawn or given. The network's are compared with the reference's from the same
 * start: what they cost, whether every step is ok, whether they go where the reference does, and whether they stay in the box.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CLOSED_LOOP_H
#define HN_TOOLS_CLOSED_LOOP_H

#include "eval/eval.h"

/* Runs, prints and writes; a verb code. */
int closed_loop(struct eval_options *options, const hn_model *model);

#endif
