/* device_beside.c - what a call over the host's memory takes on a GPU, alone and beside a thread of the same process whose kernels are long.
 *
 *     build/bench/device_beside
 *
 * The call: SMALL samples of the unicycle by auto, with gradients; beside it, samples by nearest, again and again: as few as leave
 * multiprocessors to others, and as many as take all of them. Each with memory that is taken in the order of the call's stream, and with memory
 * as older devices have it, whose giving back waits for all kernels.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "command_line.h"
#include "device_memory.h"
#include "hardnet/hardnet.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

enum { SMALL = 100, CALLS = 200 };
static const size_t large_counts[] = {200, 10000};
static const double SECONDS = 4; /* of a measurement, at most */

struct side {
    hn_device_layer *layer;
    struct drawn drawn;
    double *y, *grad;
    size_t count;
    bool pulls;
    atomic_bool stop;
    atomic_uint calls;
};

static struct side side_of(const hn_model *model, hn_method method, size_t count, bool pulls) {
    struct side s = {.drawn = draw_samples(model, count, 0.5), .count = count, .pulls = pulls};
    hn_layer_options options = hn_layer_defaults();
    hn_device_options device = hn_device_defaults();
    hn_error error = {.text = ""};
    options.method = method;
    device.gradients = pulls;
    s.y = calloc(count * hn_model_output_count(model), sizeof *s.y);
    s.grad = calloc(count * hn_model_output_count(model), sizeof *s.grad);
    must(hn_device_layer_create(&s.layer, model, &options, &device, &error), &error);
    return s;
}

static void drop_side(struct side *s) {
    hn_device_layer_destroy(s->layer);
    free(s->drawn.x);
    free(s->drawn.raw);
    free(s->drawn.grad_y);
    free(s->y);
    free(s->grad);
}

static void call(const struct side *s) {
    const hn_batch batch = {.size = sizeof batch, .count = s->count, .x = s->drawn.x, .y_raw = s->drawn.raw, .y = s->y};
    const hn_gradient gradient = {.size = sizeof gradient, .grad_y = s->drawn.grad_y, .grad_y_raw = s->grad};
    hn_error error = {.text = ""};
    must(hn_device_run_host(s->layer, &batch, s->pulls ? &gradient : NULL, &error), &error);
}

static void *call_again_and_again(void *argument) {
    struct side *s = argument;
    while (!atomic_load(&s->stop)) {
        call(s);
        atomic_fetch_add(&s->calls, 1U);
    }
    return NULL;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const struct side *s, const char *what, const char *memory) {
    double seconds[CALLS], all = clock_seconds();
    size_t count = 0;
    while (count < CALLS && clock_seconds() - all < SECONDS) {
        double begun = clock_seconds();
        call(s);
        seconds[count++] = clock_seconds() - begun;
    }
    qsort(seconds, count, sizeof *seconds, by_size);
    printf("%-20s memory %-22s median %8.3f ms, largest %8.3f ms of %zu calls\n", what, memory,
           1e3 * seconds[count / 2], 1e3 * seconds[count - 1], count);
    fflush(stdout);
}

static void measure_both(struct side *small, struct side *large, bool ordered) {
    const char *memory = ordered ? "in a stream's order" : "as older devices have";
    pthread_t thread;
    small->layer->has_pools = large->layer->has_pools = ordered;
    call(small);
    measure(small, "alone", memory);
    atomic_store(&large->stop, false);
    if (pthread_create(&thread, NULL, call_again_and_again, large) != 0)
        exit(1);
    while (atomic_load(&large->calls) == 0) /* the first one loads */
        ;
    double begun = clock_seconds();
    unsigned before = atomic_load(&large->calls);
    measure(small, "beside long kernels", memory);
    unsigned done = atomic_load(&large->calls) - before;
    printf("%-20s %u calls of %zu samples in %.2f s\n", "   which were", done, large->count, clock_seconds() - begun);
    atomic_store(&large->stop, true);
    pthread_join(thread, NULL);
    atomic_store(&large->calls, 0);
}

static const char HELP[] = "usage: device_beside\n\n"
                           "What a call over the host's memory takes on a GPU, alone and beside a thread of the same\n"
                           "process whose kernels are long.\n";

int main(int count, char **words) {
    static const char *const options[] = {NULL};
    static const char *const paths[] = {"models/unicycle.mod"};
    command_line_check(count, words, HELP, options, 0);
    hn_error error = {.text = ""};
    hn_model *model;
    must(hn_model_read(&model, 1, paths, NULL, &error), &error);
    struct side small = side_of(model, HN_METHOD_AUTO, SMALL, true);
    bool can = small.layer->has_pools;
    for (size_t i = 0; i < sizeof large_counts / sizeof large_counts[0]; i++) {
        struct side large = side_of(model, HN_METHOD_NEAREST, large_counts[i], false);
        if (can)
            measure_both(&small, &large, true);
        measure_both(&small, &large, false);
        drop_side(&large);
    }
    drop_side(&small);
    hn_model_destroy(model);
    return 0;
}
