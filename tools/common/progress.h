/* progress.h - progress on stderr: nothing for quick work, one line that is rewritten on a terminal, plain lines
 * elsewhere.
 *
 * The line on a terminal never wraps: it is cut to one column less than the width, which is asked for at every update.
 * Plain lines become rarer as the work goes on.
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

/* total 0: unknown. */
void progress_begin(struct progress *progress, const char *what, size_t total);

/* Announces this stage if the whole work has already taken more than a second. */
void progress_stage(struct progress *progress, const char *what);

/* Reports progress. Cheap enough to be called often; one thread at a time. */
void progress_update(struct progress *progress, size_t done);

/* Shows the elapsed time only. */
void progress_wait(struct progress *progress, double seconds);

/* Erases the line. */
void progress_end(struct progress *progress);

/* ---- for work that shows more than its progress ---- */

/* Whether the next line is due; then counts it as shown. */
bool progress_is_due(struct progress *progress);

/* A share from 0 to 1 as a bar, and texts in the order of their importance: as many of them as fit on a terminal, all
 * in a plain line. */
void progress_show(struct progress *progress, double share, size_t count, const char *const *texts);

/* "42 s left", "5 min left", "3 h 10 min left". */
struct progress_text {
    char text[64];
};
struct progress_text progress_left(double seconds);

#endif
