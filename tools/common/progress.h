/* progress.h - signs of life on stderr: nothing for quick work, a bar with the time left on a terminal, plain lines elsewhere.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_TOOLS_PROGRESS_H
#define HN_TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

struct progress {
    const char *what;
    size_t total;
    double begun, said; /* seconds of a clock that only runs forward */
    bool terminal, visible;
};

/* total 0: it is not known how much there is to do. */
void progress_begin(struct progress *progress, const char *what, size_t total);

/* Says that this stage starts, when the work as a whole has already taken more than a second. */
void progress_stage(struct progress *progress, const char *what);

/* So much of the total is done. Cheap enough to be called often; one thread at a time. */
void progress_update(struct progress *progress, size_t done);

/* Nothing is known but the time so far. */
void progress_wait(struct progress *progress, double seconds);

/* Takes the bar away. */
void progress_end(struct progress *progress);

#endif
