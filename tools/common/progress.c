/* progress.c - see progress.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/progress.h"
#include "base/clock.h"

#include "common/console.h"

#include <stdio.h>
#include <string.h>

static const double SILENT_SECONDS = 1, BAR_SECONDS = 0.1, LINE_SECONDS = 5, WAIT_SECONDS = 30;
static const double LINE_SHARE = 0.1; /* of the elapsed time: minimum interval between plain lines */

/* ---- lines ---- */

enum { LINE = 512, MOST_CELLS = 24, LEAST_BAR = 48 /* columns of a terminal that shows a bar */ };

/* All texts are ASCII: a byte is a column. The last column stays free, because some terminals wrap when it is
 * written. */
static void put_line(struct progress *p, const char *text) {
    size_t width = console_columns(stderr);
    if (p->terminal)
        fprintf(stderr, "\r%.*s\033[K", (int)(width > 1 ? width - 1 : 1), text);
    else
        fprintf(stderr, "hardnet: %s\n", text);
    fflush(stderr);
    p->visible = true;
}

static void append(char line[LINE], const char *text) {
    size_t length = strlen(line);
    snprintf(line + length, LINE - length, "%s", text);
}

/* At most a quarter of the width. */
static void append_bar(char line[LINE], double share, size_t columns) {
    int cells = columns / 4 < MOST_CELLS ? (int)(columns / 4) : MOST_CELLS, filled = (int)(share * cells);
    size_t length = strlen(line);
    line[length++] = '[';
    for (int i = 0; i < cells; i++)
        line[length++] = i < filled ? '#' : '.';
    memcpy(line + length, "] ", sizeof "] ");
}

void progress_show(struct progress *p, double share, size_t count, const char *const *texts) {
    size_t columns = console_columns(stderr);
    char line[LINE] = "";
    if (p->what && p->what[0])
        snprintf(line, sizeof line / 2, "%s%s", p->what, p->terminal ? " " : ": ");
    if (p->terminal && columns >= LEAST_BAR)
        append_bar(line, share, columns);
    for (size_t i = 0; i < count; i++) {
        if (i > 0 && p->terminal && strlen(line) + strlen(", ") + strlen(texts[i]) >= columns)
            break;
        append(line, i > 0 ? ", " : "");
        append(line, texts[i]);
    }
    put_line(p, line);
}

struct progress_text progress_left(double seconds) {
    struct progress_text left = {.text = ""};
    if (!(seconds < 1e9))
        snprintf(left.text, sizeof left.text, "time left unknown");
    else if (seconds < 100)
        snprintf(left.text, sizeof left.text, "%.0f s left", seconds);
    else if (seconds < 100 * 60)
        snprintf(left.text, sizeof left.text, "%.0f min left", seconds / 60);
    else
        snprintf(left.text, sizeof left.text, "%d h %02d min left", (int)(seconds / 3600), (int)(seconds / 60) % 60);
    return left;
}

/* ---- when ---- */

static double progress_distance(const struct progress *p, double now) {
    double spent = LINE_SHARE * (now - p->begun);
    return p->terminal ? BAR_SECONDS : spent > LINE_SECONDS ? spent : LINE_SECONDS;
}

bool progress_is_due(struct progress *p) {
    double now = clock_seconds();
    bool due = now - p->begun >= SILENT_SECONDS && now - p->said >= progress_distance(p, now);
    if (due)
        p->said = now;
    return due;
}

/* ---- the work ---- */

void progress_begin(struct progress *p, const char *what, size_t total) {
    *p = (struct progress){.what = what, .total = total, .terminal = console_rewrites(stderr)};
    p->begun = p->said = clock_seconds();
}

static void show_time(struct progress *p, double seconds) {
    char line[LINE];
    snprintf(line, sizeof line, p->terminal ? "%s ... %.0f s" : "%s ... (%.0f s so far)", p->what, seconds);
    put_line(p, line);
}

void progress_stage(struct progress *p, const char *what) {
    double spent = clock_seconds() - p->begun;
    p->what = what;
    if (spent >= SILENT_SECONDS)
        show_time(p, spent);
}

void progress_update(struct progress *p, size_t done) {
    if (done == 0 || p->total == 0 || !progress_is_due(p))
        return;
    double share = (double)done / (double)p->total, spent = clock_seconds() - p->begun;
    struct progress_text left = progress_left(spent / share - spent);
    char percent[32];
    snprintf(percent, sizeof percent, "%.0f %%", 100 * share);
    progress_show(p, share, 2, (const char *const[]){percent, left.text});
}

void progress_wait(struct progress *p, double seconds) {
    double now = clock_seconds();
    if (seconds < SILENT_SECONDS || now - p->said < (p->terminal ? 1 : WAIT_SECONDS))
        return;
    p->said = now;
    show_time(p, seconds);
}

void progress_end(struct progress *p) {
    if (p->visible && p->terminal)
        fputs("\r\033[K", stderr);
    p->visible = false;
}
