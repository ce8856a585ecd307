/* parallel.h - independent jobs, spread over threads (base/team.h) that live as long as the call.
 *
 * Jobs are numbered and handed out by a counter; worker says which of the threads runs a job, so that each can have memory of
 * its own. Whatever a job leaves behind must not depend on the worker. The caller's thread is worker 0 and works too; when
 * no further thread can be had it does everything.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_PARALLEL_H
#define HN_TOOLS_PARALLEL_H

#include <stddef.h>

enum { PARALLEL_MOST = 64 };

/* The number of threads that a wish (0: all cores) comes to. */
size_t parallel_threads(size_t wished);

void parallel_run(size_t threads, size_t jobs, void (*job)(void *context, int worker, size_t number), void *context);

#endif
