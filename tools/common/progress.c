/* progress.c - see progress.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/progress.h"
#include "base/clock.h"

#include "common/console.h"

#include <stdio.h>

static const double SILENT_SECONDS = 1, BAR_SECONDS = 0.1, LINE_SECONDS = 5, WAIT_SECONDS = 30;

void progress_begin(struct progress *progress, const char *what, size_t total) {
    *progress = (struct progress){.what = what, .total = total, .terminal = console_is_terminal(stderr)};
    progress->begun = progress->said = clock_seconds();
}

void progress_stage(struct progress *progress, const char *what) {
    double now = clock_seconds();
    progress->what = what;
    if (now - progress->begun < SILENT_SECONDS)
        return;
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%s ...", what);
    else
        fprintf(stderr, "hardnet: %s ... (%.0f s so far)\n", what, now - progress->begun);
    fflush(stderr);
    progress->visible = true;
}

static void say_bar(const struct progress *progress, double share, double left) {
    enum { CELLS = 24 };
    static const char full[] = "########################", empty[] = "........................";
    int filled = (int)(share * CELLS);
    fprintf(stderr, "\r\033[K%s [%.*s%.*s] %3.0f %%, %.0f s left", progress->what, filled, full, CELLS - filled, empty,
            100 * share, left);
    fflush(stderr);
}

void progress_update(struct progress *progress, size_t done) {
    double now = clock_seconds(), spent = now - progress->begun;
    if (done == 0 || progress->total == 0 || spent < SILENT_SECONDS ||
        now - progress->said < (progress->terminal ? BAR_SECONDS : LINE_SECONDS))
        return;
    double share = (double)done / (double)progress->total, left = spent / share - spent;
    progress->said = now;
    progress->visible = true;
    if (progress->terminal)
        say_bar(progress, share, left);
    else
        fprintf(stderr, "hardnet: %s: %.0f %%, %.0f s left\n", progress->what, 100 * share, left);
}

void progress_wait(struct progress *progress, double seconds) {
    double now = clock_seconds();
    if (seconds < SILENT_SECONDS || now - progress->said < (progress->terminal ? 1 : WAIT_SECONDS))
        return;
    progress->said = now;
    progress->visible = true;
    if (progress->terminal)
        fprintf(stderr, "\r\033[K%s ... %.0f s", progress->what, seconds);
    else
        fprintf(stderr, "hardnet: %s ... (%.0f s so far)\n", progress->what, seconds);
    fflush(stderr);
}

void progress_end(struct progress *progress) {
    if (progress->visible && progress->terminal)
        fputs("\r\033[K", stderr);
    progress->visible = false;
}
