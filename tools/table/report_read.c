/* report_read.c - see report_read.h. A JSON parser for hardnet's reports: strict syntax, unknown keys are ignored.
 *
 * SPDX-License-Identifier: MIT */
#include "table/report_read.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 12, MOST_BYTES = 1 << 28, LONGEST = 4096 };

struct reading {
    struct json_cursor cursor;
    struct report_figures *figures;
    int depth;
    char path[DEEPEST][REPORT_NAME]; /* keys that lead here; "" for an entry of a list */
};

static bool at(const struct reading *r, int depth, const char *a, const char *b) {
    return r->depth == depth && strcmp(r->path[0], a) == 0 && (!b || strcmp(r->path[depth - 1], b) == 0);
}

/* ---- what is taken ---- */

static void take_group(struct reading *r, double value) {
    struct report_figures *f = r->figures;
    size_t i = 0;
    while (i < f->group_count && strcmp(f->groups[i].name, r->path[1]) != 0)
        i++;
    if (i == REPORT_GROUPS)
        return;
    if (i == f->group_count) {
        f->groups[f->group_count++] = (struct report_group){.mean = NAN, .max = NAN};
        snprintf(f->groups[i].name, REPORT_NAME, "%s", r->path[1]);
    }
    if (strcmp(r->path[2], "mean") == 0)
        f->groups[i].mean = value;
    if (strcmp(r->path[2], "max") == 0)
        f->groups[i].max = value;
}

static void take_number(struct reading *r, double value) {
    struct report_figures *f = r->figures;
    const struct {
        const char *object, *key;
        double *to;
    } known[] = {
        {"suboptimality", "mean", &f->mean}, {"suboptimality", "max", &f->max},
        {"suboptimality", "p50", &f->p50},   {"suboptimality", "p90", &f->p90},
        {"suboptimality", "p99", &f->p99},   {"seconds_per_sample", "together", &f->seconds_per_sample},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (at(r, 2, known[i].object, known[i].key))
            *known[i].to = value;
    if (at(r, 3, "groups", NULL))
        take_group(r, value);
    if (at(r, 3, "samples", "violation"))
        f->violation = isnan(value) ? (double)INFINITY : fmax(f->violation, value);
}

static void take_text(struct reading *r, const char *text) {
    if (!at(r, 3, "samples", "status"))
        return;
    r->figures->samples++;
    r->figures->ok += strcmp(text, "ok") == 0;
}

/* ---- JSON ---- */

/* A number; NaN for null, true and false. */
static hn_status read_plain(struct reading *r) {
    struct json_cursor *c = &r->cursor;
    if (json_word(c, "null")) {
        take_number(r, NAN);
        return HN_OK;
    }
    if (json_word(c, "true") || json_word(c, "false"))
        return HN_OK;
    double value = 0;
    hn_status status = json_read_number(c, &value);
    if (status == HN_OK)
        take_number(r, value);
    return status;
}

static hn_status read_value(struct reading *r);

static hn_status read_key(struct reading *r) {
    char key[LONGEST];
    struct json_text text;
    hn_status status = json_read_text(&r->cursor, &text, key, sizeof key);
    if (status == HN_OK && !json_mark(&r->cursor, ':'))
        return json_refuse(&r->cursor, "a ':' is missing");
    if (status == HN_OK)
        snprintf(r->path[r->depth], REPORT_NAME, "%s", show_name(key).text);
    return status;
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as DEEPEST
static hn_status read_inside(struct reading *r, bool keys, char end) {
    if (json_mark(&r->cursor, end))
        return HN_OK;
    if (r->depth == DEEPEST)
        return json_refuse(&r->cursor, "it is nested too deeply");
    do {
        r->path[r->depth][0] = 0;
        hn_status status = keys ? read_key(r) : HN_OK;
        r->depth++;
        if (status == HN_OK)
            status = read_value(r);
        r->depth--;
        if (status != HN_OK)
            return status;
    } while (json_mark(&r->cursor, ','));
    return json_mark(&r->cursor, end) ? HN_OK : json_refuse(&r->cursor, "a list or an object does not end");
}

// NOLINTNEXTLINE(misc-no-recursion): as deep as DEEPEST
static hn_status read_value(struct reading *r) {
    char text[LONGEST];
    struct json_text shape;
    if (json_mark(&r->cursor, '{'))
        return read_inside(r, true, '}');
    if (json_mark(&r->cursor, '['))
        return read_inside(r, false, ']');
    if (r->cursor.at < r->cursor.end && *r->cursor.at == '"') {
        hn_status status = json_read_text(&r->cursor, &shape, text, sizeof text);
        if (status == HN_OK)
            take_text(r, text);
        return status;
    }
    return read_plain(r);
}

static hn_status read_report(struct reading *r) {
    struct json_cursor *c = &r->cursor;
    if (!json_mark(c, '{'))
        return json_refuse(c, "a report begins with '{'");
    hn_status status = read_inside(r, true, '}');
    json_mark(c, ' '); /* blanks may follow */
    return status == HN_OK && c->at < c->end ? json_refuse(c, "something follows the report") : status;
}

static void report_read_finish(struct report_figures *f) {
    for (size_t i = 0; f->samples == 0 && i < f->group_count; i++)
        f->violation = fmax(f->violation, f->groups[i].max);
}

hn_status report_read(struct report_figures *figures, const char *path, hn_error *error) {
    struct file_bytes bytes;
    *figures =
        (struct report_figures){.mean = NAN, .max = NAN, .p50 = NAN, .p90 = NAN, .p99 = NAN, .seconds_per_sample = NAN};
    hn_status status = file_read(&bytes, path, MOST_BYTES, error);
    if (status != HN_OK)
        return status;
    struct reading r = {.figures = figures};
    r.cursor = (struct json_cursor){bytes.data, bytes.data, bytes.data + bytes.count, path, error, HN_OK};
    status = read_report(&r);
    if (status == HN_OK)
        report_read_finish(figures);
    base_release(bytes.data);
    return status;
}
