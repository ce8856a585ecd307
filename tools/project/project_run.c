/* project_run.c - corrects all samples in chunks. See project.h.
 *
 * Chunks allow progress and limit the memory of residuals and traces; by the contract of the layer they do not change
 * results. They grow until one takes a quarter of a second.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "project/project.h"

#include <string.h>

enum { CHUNK_LEAST = 64, CHUNK_FIRST = 64, CHUNK_MOST = 65536, CHUNK_TRACED = 256 };
static const double CHUNK_SECONDS = 0.25;

struct run {
    struct project *project;
    hn_pool *pool;
    double *residual; /* chunk x rows */
    size_t room;      /* capacity of a chunk, in samples */
    struct trace trace;
    struct starts starts;
    struct progress progress;
    const int *cancel;
};

/* ---- memory ---- */

static void *project_run_take(size_t count, size_t each, size_t size) {
    size_t bytes;
    if (!size_multiply(count, each, &bytes) || !size_multiply(bytes, size, &bytes))
        return NULL;
    void *block = base_allocate(bytes > 0 ? bytes : 1);
    if (block)
        memset(block, 0, bytes);
    return block;
}

static size_t room_for(const struct project *project) {
    const size_t numbers = (size_t)8 << 20; /* 64 MB of residuals */
    size_t most = project->options->trace ? CHUNK_TRACED : CHUNK_MOST, fit = numbers / (project->rows + 1);
    size_t room = fit < CHUNK_LEAST ? CHUNK_LEAST : fit < most ? fit : most;
    return room < project->samples.count ? room : project->samples.count;
}

static hn_status project_run_reserve(struct run *run, hn_error *error) {
    struct project *p = run->project;
    size_t count = p->samples.count;
    run->room = room_for(p);
    p->y = project_run_take(count, p->outputs, sizeof *p->y);
    p->reports = project_run_take(count, 1, sizeof *p->reports);
    p->by = project_run_take(p->groups, 1, sizeof *p->by);
    run->residual = project_run_take(run->room, p->rows, sizeof *run->residual);
    bool printed = strcmp(p->options->verb, "solve") == 0 && count == 1;
    if ((p->options->multipliers || printed) &&
        !(p->multipliers = project_run_take(count, p->rows, sizeof *p->multipliers)))
        return error_no_memory(error, "the multipliers");
    if (p->options->proof_point && !(p->proof_y = project_run_take(count, p->outputs, sizeof *p->proof_y)))
        return error_no_memory(error, p->options->proof_point);
    if (!p->y || !p->reports || !p->by || !run->residual)
        return error_no_memory(error, "the samples");
    if (p->options->trace && !trace_begin(&run->trace, p->outputs, run->room))
        return error_no_memory(error, p->options->trace);
    if (p->options->trace)
        trace_head(&p->trace, p->model);
    if (p->options->multistart > 1) {
        p->start = project_run_take(count, 1, sizeof *p->start);
        hn_status status =
            p->start ? starts_begin(&run->starts, p->model, run->room, error) : error_no_memory(error, "the samples");
        if (status != HN_OK)
            return status;
    }
    return hn_pool_create(&run->pool, p->layer, (int)p->options->common.threads, error);
}

static void project_run_release(struct run *run) {
    hn_pool_destroy(run->pool);
    trace_end(&run->trace);
    starts_end(&run->starts);
    base_release(run->residual);
}

void project_release(struct project *project) {
    samples_release(&project->samples);
    text_release(&project->trace);
    base_release(project->y);
    base_release(project->multipliers);
    base_release(project->proof_y);
    base_release(project->reports);
    base_release(project->start);
    base_release(project->by);
}

/* Sample by sample, so that the sums are the same whatever the chunks. */
static void add_groups(const struct run *run, size_t first, size_t count) {
    struct project *p = run->project;
    for (size_t k = 0; k < count; k++)
        groups_add(p->by, p->model, run->residual + k * p->rows, first + k);
}

/* ---- chunks ---- */

/* When the time is up; 0: never. */
static double deadline(const struct run *run) {
    double limit = run->project->options->time_limit;
    return limit > 0 ? run->progress.begun + limit : 0;
}

static hn_status run_chunk(struct run *run, size_t first, size_t count, hn_error *error) {
    struct project *p = run->project;
    hn_batch batch = samples_batch(&p->samples, first, count);
    batch.y = p->y + first * p->outputs;
    batch.report_size = sizeof(hn_report);
    batch.reports = p->reports + first;
    batch.residual = run->residual;
    batch.multipliers = p->multipliers ? p->multipliers + first * p->rows : NULL;
    batch.proof_y = p->proof_y ? p->proof_y + first * p->outputs : NULL;
    batch.cancel = run->cancel;
    batch.seconds = starts_time_left(deadline(run));
    if (p->options->trace) {
        batch.watch = trace_watch;
        batch.watch_context = &run->trace;
    }
    if (p->device) { /* a device cannot be interrupted */
        batch.cancel = NULL;
        batch.seconds = 0;
    }
    hn_status status =
        p->device ? hn_device_run_host(p->device, &batch, NULL, error) : hn_pool_run(run->pool, &batch, error);
    if (status == HN_OK && p->start)
        status =
            starts_run(&run->starts, run->pool, &batch, p->options->multistart, p->start + first, deadline(run), error);
    if (status != HN_OK)
        return status;
    add_groups(run, first, count);
    if (p->options->trace)
        trace_collect(&run->trace, &p->trace, first, count);
    return p->trace.failed ? error_no_memory(error, p->options->trace) : HN_OK;
}

static hn_status project_run_run_all(struct run *run, hn_error *error) {
    struct project *p = run->project;
    size_t size = CHUNK_FIRST;
    while (p->reached < p->samples.count && !interrupt_came()) {
        size_t left = p->samples.count - p->reached, chunk = size < run->room ? size : run->room;
        double before = clock_seconds();
        chunk = chunk < left ? chunk : left;
        hn_status status = run_chunk(run, p->reached, chunk, error);
        if (status != HN_OK)
            return status;
        p->reached += chunk;
        if (clock_seconds() - before < CHUNK_SECONDS && size < CHUNK_MOST)
            size *= 2;
        progress_update(&run->progress, p->reached);
    }
    return HN_OK;
}

hn_status project_run(struct project *project, hn_error *error) {
    struct run run = {.project = project};
    project->inputs = hn_model_input_count(project->model);
    project->outputs = hn_model_output_count(project->model);
    project->rows = hn_model_row_count(project->model);
    project->groups = hn_model_group_count(project->model);
    hn_status status = project_run_reserve(&run, error);
    if (status == HN_OK) {
        project->threads = hn_pool_threads(run.pool);
        progress_begin(&run.progress, strcmp(project->options->verb, "solve") == 0 ? "solving" : "correcting",
                       project->samples.count);
        run.cancel = interrupt_begin();
        status = project_run_run_all(&run, error);
        project->seconds = clock_seconds() - run.progress.begun;
        progress_end(&run.progress);
    }
    project_run_release(&run); /* no other thread is left from here on: a held Ctrl-C waits indeed */
    project->interrupted = interrupt_came();
    interrupt_end();
    return status;
}
