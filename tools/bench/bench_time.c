/* bench_time.c - the median time of repeated runs of the same samples. See bench.h.
 *
 * A run is one call on the pool, or two with the gradient. One untimed run over the whole batch comes first. Runs of
 * one sample cycle through the samples, for at most a second after --repeat runs.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/size.h"
#include "bench/bench.h"
#include "common/figures.h"
#include "common/progress.h"

#include <math.h>

enum { SINGLE_RUNS = 200 }; /* minimum number of runs of one sample, unless they take too long */
static const double SINGLE_SECONDS = 1;
static const size_t TAPE_BYTES = (size_t)1 << 30;

/* Numbers of runs, of which the median counts. */
struct series {
    double *seconds, *per_step;
};

/* What the runs of one timing leave behind. */
struct runs {
    struct series all, inside; /* inside: of a device */
    size_t count, room;
    size_t stepped; /* runs that took a step: as many numbers per_step has */
    size_t next;    /* sample, where they are run one at a time */
};

/* ---- memory ---- */

static void *bench_time_take(size_t count, size_t each, size_t size) {
    size_t bytes;
    if (!size_multiply(count, each, &bytes) || !size_multiply(bytes, size, &bytes))
        return NULL;
    return base_allocate(bytes > 0 ? bytes : 1);
}

/* A tape stores every iterate; if it is too large, the gradient is timed over fewer samples. */
static void reserve_tape(struct bench *bench) {
    size_t count = bench->samples.count, bytes = hn_layer_tape_bytes(bench->layer, count);
    while (count > 1 && (bytes == 0 || bytes > TAPE_BYTES)) {
        count /= 2;
        bytes = hn_layer_tape_bytes(bench->layer, count);
    }
    bench->tape = bytes > 0 ? base_allocate(bytes) : NULL;
    bench->taped = bench->tape ? count : 0;
}

static hn_status bench_time_reserve(struct bench *bench, hn_error *error) {
    size_t count = bench->samples.count;
    struct random random = random_start(bench->options->seed, UINT64_MAX);
    bench->y = bench_time_take(count, bench->outputs, sizeof *bench->y);
    bench->reports = bench_time_take(count, 1, sizeof *bench->reports);
    bench->grad_y = bench_time_take(count, bench->outputs, sizeof *bench->grad_y);
    bench->grad_y_raw = bench_time_take(count, bench->outputs, sizeof *bench->grad_y_raw);
    bench->grad_x = bench_time_take(count, bench->inputs, sizeof *bench->grad_x);
    if (!bench->y || !bench->reports || !bench->grad_y || !bench->grad_y_raw || !bench->grad_x)
        return error_no_memory(error, "the samples");
    for (size_t i = 0; i < count * bench->outputs; i++)
        bench->grad_y[i] = random_normal(&random);
    reserve_tape(bench);
    return HN_OK;
}

void bench_release(struct bench *bench) {
    samples_release(&bench->samples);
    base_release(bench->y);
    base_release(bench->reports);
    base_release(bench->grad_y);
    base_release(bench->grad_y_raw);
    base_release(bench->grad_x);
    base_release(bench->tape);
}

/* ---- runs ---- */

/* inside: device time without memory and copies; 0 on the CPU. */
static hn_status run_batch(const struct bench *bench, hn_pool *pool, const hn_batch *batch, size_t first,
                           double *inside, hn_error *error) {
    hn_gradient gradient = {.size = sizeof gradient,
                            .grad_y = bench->grad_y + first * bench->outputs,
                            .grad_y_raw = bench->grad_y_raw + first * bench->outputs,
                            .grad_x = bench->inputs > 0 ? bench->grad_x + first * bench->inputs : NULL};
    *inside = 0;
    if (bench->device)
        return hn_device_time_host(bench->device, batch, batch->tape ? &gradient : NULL, inside, error);
    hn_status status = hn_pool_run(pool, batch, error);
    return status == HN_OK && batch->tape ? hn_pool_gradient(pool, batch, &gradient, error) : status;
}

static hn_batch make_batch(const struct bench *bench, const struct timing *timing, size_t first) {
    hn_batch batch = samples_batch(&bench->samples, first, timing->batch);
    batch.y = bench->y + first * bench->outputs;
    batch.report_size = sizeof(hn_report);
    batch.reports = bench->reports + first;
    batch.tape = timing->backward ? bench->tape : NULL;
    return batch;
}

static void note(struct series *series, const struct runs *runs, double seconds, size_t steps) {
    series->seconds[runs->count] = seconds;
    if (steps > 0)
        series->per_step[runs->stepped] = seconds / (double)steps;
}

static hn_status run_once(const struct bench *bench, hn_pool *pool, const struct timing *timing, struct runs *runs,
                          hn_error *error) {
    size_t first = timing->batch == 1 ? runs->next : 0, steps = 0;
    hn_batch batch = make_batch(bench, timing, first);
    double begun = clock_seconds(), inside;
    hn_status status = run_batch(bench, pool, &batch, first, &inside, error);
    double seconds = clock_seconds() - begun;
    if (status != HN_OK)
        return status;
    for (size_t k = 0; k < batch.count; k++)
        steps += (size_t)batch.reports[k].iterations;
    runs->next = first + 1 < bench->samples.count ? first + 1 : 0;
    note(&runs->all, runs, seconds, steps);
    note(&runs->inside, runs, inside, steps);
    runs->count++;
    runs->stepped += steps > 0;
    return HN_OK;
}

static bool enough(const struct bench *bench, const struct timing *timing, const struct runs *runs, double begun) {
    if (runs->count < bench->options->repeat)
        return false;
    return timing->batch > 1 || runs->count == runs->room || clock_seconds() - begun > SINGLE_SECONDS;
}

static struct medians medians_of(const struct series *series, const struct runs *runs, size_t batch) {
    double seconds = figures_spread(series->seconds, runs->count).median;
    double step = runs->stepped > 0 ? figures_spread(series->per_step, runs->stepped).median : (double)NAN;
    return (struct medians){seconds, seconds / (double)batch, step};
}

static hn_status time_runs(const struct bench *bench, hn_pool *pool, struct timing *timing, struct runs *runs,
                           hn_error *error) {
    hn_status status = HN_OK;
    double begun = clock_seconds();
    runs->count = runs->stepped = runs->next = 0;
    while (status == HN_OK && !enough(bench, timing, runs, begun))
        status = run_once(bench, pool, timing, runs, error);
    if (status != HN_OK)
        return status;
    timing->runs = runs->count;
    timing->all = medians_of(&runs->all, runs, timing->batch);
    timing->inside = medians_of(&runs->inside, runs, timing->batch);
    return HN_OK;
}

/* ---- the table ---- */

static void plan(struct bench *bench, int threads, size_t batch, bool backward) {
    bool known = false;
    if (backward && batch > bench->taped)
        batch = bench->taped;
    for (size_t i = 0; i < bench->timing_count; i++) {
        const struct timing *other = &bench->timings[i];
        known = known || (other->threads == threads && other->batch == batch && other->backward == backward);
    }
    if (!known && batch > 0)
        bench->timings[bench->timing_count++] =
            (struct timing){.threads = threads, .batch = batch, .backward = backward};
}

static hn_status time_on(struct bench *bench, hn_pool *pool, struct runs *runs, hn_error *error) {
    int threads = hn_pool_threads(pool);
    size_t first = bench->timing_count;
    hn_status status = HN_OK;
    for (int backward = 0; backward < 2; backward++) {
        plan(bench, threads, 1, backward);
        plan(bench, threads, bench->samples.count, backward);
    }
    for (size_t i = first; i < bench->timing_count && status == HN_OK; i++)
        status = time_runs(bench, pool, &bench->timings[i], runs, error);
    return status;
}

static hn_status time_threads(struct bench *bench, struct runs *runs, hn_error *error) {
    hn_pool *one = NULL, *all = NULL;
    const struct timing whole = {.batch = bench->samples.count};
    hn_batch batch = make_batch(bench, &whole, 0);
    hn_status status = hn_pool_create(&one, bench->layer, 1, error);
    if (status == HN_OK)
        status = hn_pool_create(&all, bench->layer, (int)bench->options->common.threads, error);
    double unused;
    if (status == HN_OK)
        status = run_batch(bench, all, &batch, 0, &unused, error);
    if (status == HN_OK) {
        bench->threads = bench->device ? 1 : hn_pool_threads(all);
        status = time_on(bench, one, runs, error);
    }
    if (status == HN_OK && bench->threads > 1)
        status = time_on(bench, all, runs, error);
    hn_pool_destroy(one);
    hn_pool_destroy(all);
    return status;
}

hn_status bench_time(struct bench *bench, hn_error *error) {
    struct runs runs = {.room = bench->options->repeat > SINGLE_RUNS ? bench->options->repeat : SINGLE_RUNS};
    hn_status status = bench_time_reserve(bench, error);
    double *numbers = bench_time_take(runs.room, 4, sizeof *numbers);
    if (status == HN_OK && !numbers)
        status = error_no_memory(error, "--repeat");
    if (status == HN_OK) {
        runs.all = (struct series){numbers, numbers + runs.room};
        runs.inside = (struct series){numbers + 2 * runs.room, numbers + 3 * runs.room};
        status = time_threads(bench, &runs, error);
    }
    base_release(numbers);
    return status;
}
