/* fuzz_report.c - any bytes as a report for `hardnet table`: refused by name, or figures that are written and read to the same.
 *
 * What is taken for a report is none any more when its last mark is cut off, or when another one follows.
 *
 * SPDX-License-Identifier: MIT */
#include "common/json_writer.h"
#include "common/memory_bound.h"
#include "common/memory_file.h"
#include "table/report_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define REPORT "fuzz.json"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool holds) {
    if (!holds)
        abort();
}

/* ---- reading ---- */

static bool read_bytes(struct report_figures *figures, const void *bytes, size_t count) {
    hn_error error = {.status = HN_OK, .text = ""};
    memory_file_set(bytes, count);
    memory_bound_begin("the reading of a report", 2 * (count + 1) + (64 << 10));
    hn_status status = report_read(figures, REPORT, &error);
    memory_bound_end();
    free(memory_file_take().bytes);
    if (status != HN_OK)
        must(error.status == status && strncmp(error.text, REPORT ": ", strlen(REPORT ": ")) == 0);
    return status == HN_OK;
}

static bool is_name(const char *name) {
    size_t length = 0;
    while (length < REPORT_NAME && name[length] >= ' ' && name[length] <= '~')
        length++;
    return length < REPORT_NAME && name[length] == 0;
}

static void check_figures(const struct report_figures *f) {
    must(f->ok <= f->samples && f->violation >= 0 && f->group_count <= REPORT_GROUPS);
    for (size_t i = 0; i < f->group_count; i++) {
        must(is_name(f->groups[i].name));
        for (size_t j = 0; j < i; j++)
            must(strcmp(f->groups[i].name, f->groups[j].name) != 0);
    }
}

/* Beside its texts a report has marks, blanks, numbers, and the letters of null, true and false. */
static void check_characters(const uint8_t *data, size_t size) {
    static const char marks[] = "{}[]:, \t\r\n0123456789+-.eEnulltruefalse";
    bool text = false;
    for (size_t i = 0; i < size; i++)
        if (data[i] == '"')
            text = !text;
        else if (text)
            i += data[i] == '\\';
        else
            must(memchr(marks, data[i], strlen(marks)));
    must(!text);
}

/* ---- writing ---- */

/* The largest violation stands in an entry without a status. */
static void write_samples(struct json *json, const struct report_figures *f) {
    json_list(json, "samples");
    json_object(json, NULL);
    json_number(json, "violation", f->violation);
    json_end_object(json);
    for (size_t i = 0; i < f->samples; i++) {
        json_object(json, NULL);
        json_text(json, "status", i < f->ok ? "ok" : "stalled");
        json_end_object(json);
    }
    json_end_list(json);
}

static void write_groups(struct json *json, const struct report_figures *f) {
    json_object(json, "groups");
    for (size_t i = 0; i < f->group_count; i++) {
        json_object(json, f->groups[i].name);
        json_number(json, "mean", f->groups[i].mean);
        json_number(json, "max", f->groups[i].max);
        json_end_object(json);
    }
    json_end_object(json);
}

static void write_report(struct json *json, const struct report_figures *f) {
    json_object(json, NULL);
    write_samples(json, f);
    write_groups(json, f);
    json_object(json, "suboptimality");
    json_number(json, "mean", f->mean);
    json_number(json, "max", f->max);
    json_number(json, "p50", f->p50);
    json_number(json, "p90", f->p90);
    json_number(json, "p99", f->p99);
    json_end_object(json);
    json_object(json, "seconds_per_sample");
    json_number(json, "together", f->seconds_per_sample);
    json_end_object(json);
    json_end_object(json);
}

/* ---- the same figures ---- */

/* JSON has no infinity: what is not finite is written as null. */
static bool same(double a, double b) {
    return isfinite(a) ? a == b : !isfinite(b);
}

static void compare(const struct report_figures *a, const struct report_figures *b) {
    must(a->samples == b->samples && a->ok == b->ok && same(a->violation, b->violation));
    must(same(a->mean, b->mean) && same(a->max, b->max) && same(a->seconds_per_sample, b->seconds_per_sample));
    must(same(a->p50, b->p50) && same(a->p90, b->p90) && same(a->p99, b->p99));
    must(a->group_count == b->group_count);
    for (size_t i = 0; i < a->group_count; i++) {
        const struct report_group *one = &a->groups[i], *other = &b->groups[i];
        must(strcmp(one->name, other->name) == 0 && same(one->mean, other->mean) && same(one->max, other->max));
    }
}

static void write_and_read(const struct report_figures *figures) {
    struct json json = {.depth = 0};
    struct report_figures again;
    write_report(&json, figures);
    must(!json.text.failed && read_bytes(&again, json.text.bytes, json.text.count));
    compare(figures, &again);
    text_release(&json.text);
}

/* ---- its end ---- */

static void cut_and_lengthen(const struct report_figures *figures, const uint8_t *data, size_t size) {
    struct report_figures other;
    uint8_t *longer = malloc(size + 1);
    if (!longer)
        return;
    memcpy(longer, data, size);
    longer[size] = '}';
    must(!read_bytes(&other, longer, size + 1));
    longer[size] = '\n';
    must(read_bytes(&other, longer, size + 1));
    compare(figures, &other);
    while (strchr(" \t\r\n", longer[size]))
        size--;
    must(!read_bytes(&other, longer, size));
    free(longer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct report_figures figures;
    if (!read_bytes(&figures, data, size))
        return 0;
    check_figures(&figures);
    check_characters(data, size);
    write_and_read(&figures);
    cut_and_lengthen(&figures, data, size);
    return 0;
}
