/* eval_crew.h - worker processes that solve for the reference.
 *
 * IPOPT's linear solver has global data (reference.h), which serialises threads. A process runs every n-th job and
 * sends the results through a pipe; if it dies, only its remaining jobs are lost.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_EVAL_CREW_H
#define HN_TOOLS_EVAL_CREW_H

#include "reference/multistart.h"

/* Solves these samples: fills eval->optima and eval->optimal, and counts samples without result in eval->lost. Ends
 * early on Ctrl-C. */
hn_status helpers_solve(struct eval *eval, struct multistart *solver, const size_t *jobs, size_t count,
                        hn_error *error);

#endif
