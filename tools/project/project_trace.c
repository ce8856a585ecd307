/* project_trace.c - every iterate as a line of CSV. See project.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "base/size.h"
#include "common/csv.h"
#include "project/project.h"

#include <math.h>
#include <string.h>

void trace_head(struct text *text, const hn_model *model) {
    text_print(text, "sample,iteration,violation,damping");
    for (size_t j = 0; j < hn_model_output_count(model); j++)
        csv_text(text, hn_model_output(model, j).name);
    text_print(text, "\n");
}

/* ---- lines ---- */

bool trace_begin(struct trace *trace, size_t outputs, size_t count) {
    size_t bytes;
    *trace = (struct trace){.outputs = outputs, .count = count};
    trace->lines = size_multiply(count, sizeof *trace->lines, &bytes) ? base_allocate(bytes) : NULL;
    if (trace->lines)
        memset(trace->lines, 0, bytes);
    return trace->lines != NULL;
}

/* The sample's number is prepended when the chunk is collected. */
void trace_watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct trace *trace = context;
    struct text *text = &trace->lines[sample];
    text_print(text, ",%d", iteration);
    csv_number(text, violation);
    csv_number(text, damping >= 0 ? damping : (double)NAN); /* unknown at the start of methods with adaptive damping */
    for (size_t j = 0; j < trace->outputs; j++)
        csv_number(text, y[j]);
    text_print(text, "\n");
}

static void project_trace_collect(struct text *text, const struct text *lines, size_t sample) {
    const char *at = lines->bytes, *end = lines->bytes + lines->count;
    while (lines->count > 0 && at < end) {
        size_t length = (size_t)((const char *)memchr(at, '\n', (size_t)(end - at)) - at) + 1;
        text_print(text, "%zu", sample);
        text_append(text, at, length);
        at += length;
    }
}

void trace_collect(struct trace *trace, struct text *text, size_t first, size_t count) {
    for (size_t i = 0; i < count; i++) {
        text->failed = text->failed || trace->lines[i].failed;
        if (!text->failed) /* else the last line may have no end */
            project_trace_collect(text, &trace->lines[i], first + i);
        text_release(&trace->lines[i]);
    }
}

void trace_end(struct trace *trace) {
    for (size_t i = 0; trace->lines && i < trace->count; i++)
        text_release(&trace->lines[i]);
    base_release(trace->lines);
    *trace = (struct trace){.count = 0};
}
