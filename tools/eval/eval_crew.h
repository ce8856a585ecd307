/* eval_crew.h - processes that solve for the reference, one input after the other.
 *
 * IPOPT's linear solver keeps data that threads share (reference.h), so that threads would wait for each other. A process takes every
 * n-th job and hands each result back through a pipe; one that dies takes its remaining jobs with it, and no more.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EVAL_CREW_H
#define HN_TOOLS_EVAL_CREW_H

#include "reference/multistart.h"

/* Solves these samples: fills eval->optima and eval->optimal, and counts in eval->lost what got no result. Ends early
 * on Ctrl-C. */
hn_status helpers_solve(struct eval *eval, struct multistart *solver, const size_t *jobs, size_t count,
                        hn_error *error);

#endif
