/* call_time.c - the time of calls from C, beside which bench/python_overhead.py sets those from Python.
 *
 *     call_time MODEL.mod NUMBERS COUNT THREADS
 *
 * NUMBERS is a file of doubles: COUNT x inputs, then COUNT x outputs. For every number of calls that
 * it reads from its input it makes as many of the whole batch and prints the seconds that they took:
 * so the two can be measured in turns, on a machine that is not quiet.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "command_line.h"
#include "hardnet/layer.h"
#include "hardnet/read.h"

#include <stdio.h>
#include <stdlib.h>

static void fail(const char *text) {
    fprintf(stderr, "call_time: %s\n", text);
    exit(1);
}

static double *read_numbers(const char *path, size_t count) {
    double *numbers = malloc(count * sizeof *numbers);
    FILE *file = fopen(path, "rb");
    if (!numbers || !file || fread(numbers, sizeof *numbers, count, file) != count)
        fail("too few numbers");
    fclose(file);
    return numbers;
}

static hn_layer *layer_from(const char *path) {
    hn_model *model = NULL;
    hn_layer *layer = NULL;
    hn_error error;
    if (hn_model_read(&model, 1, &path, NULL, &error) != HN_OK || hn_layer_create(&layer, model, NULL, &error) != HN_OK)
        fail(error.text);
    hn_model_destroy(model);
    return layer;
}

static const char HELP[] =
    "usage: call_time MODEL.mod NUMBERS COUNT THREADS\n\n"
    "For every number of calls that it reads, the seconds that as many calls of the batch take.\n"
    "NUMBERS is a file of doubles: COUNT x inputs, then COUNT x outputs.\n";

int main(int count, char **words) {
    static const char *const options[] = {NULL};
    command_line_check(count, words, HELP, options, 4);
    if (count != 5)
        fail("give a model, a file of numbers, their count and the number of threads");
    hn_layer *layer = layer_from(words[1]);
    hn_layer_info info = hn_layer_info_of(layer);
    size_t samples = strtoul(words[3], NULL, 10);
    double *numbers = read_numbers(words[2], samples * (info.inputs + info.outputs));
    hn_pool *pool;
    hn_error error;
    if (hn_pool_create(&pool, layer, atoi(words[4]), &error) != HN_OK)
        fail(error.text);
    hn_batch batch = {.size = sizeof batch, .count = samples, .x = numbers, .y_raw = numbers + samples * info.inputs};
    batch.y = malloc(samples * info.outputs * sizeof *batch.y);
    batch.report_size = sizeof *batch.reports;
    batch.reports = malloc(samples * sizeof *batch.reports);
    int calls;
    while (scanf("%d", &calls) == 1) {
        double begin = clock_seconds();
        for (int i = 0; i < calls; i++)
            hn_pool_run(pool, &batch, NULL);
        printf("%.9f\n", clock_seconds() - begin);
        fflush(stdout);
    }
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    free(numbers);
    free(batch.y);
    free(batch.reports);
    return 0;
}
