/* closed_loop.h - `hardnet eval --closed-loop`: a network as a controller, compared with the reference in the same
 * loops.
 *
 * The loops are those of rollout.h, from sampled or given starts. A network's loop is compared with the reference's
 * from the same start: cost, outcomes, divergence, and whether it stays in the input range.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_CLOSED_LOOP_H
#define HN_TOOLS_CLOSED_LOOP_H

#include "eval/eval.h"

/* Runs, prints and writes; a verb code. */
int closed_loop(struct eval_options *options, const hn_model *model);

#endif
