/* verb_bench.c - hardnet bench MODEL.mod [DATA.dat ...]: the time of the correction and its gradient.
 *
 * A status that is not ok does not change the exit code.
 *
 * SPDX-License-Identifier: MIT */
#include "bench/bench.h"
#include "common/command.h"
#include "common/console.h"
#include "common/load.h"
#include "common/verbs.h"

#include <limits.h>

enum { SAMPLES = 1000, REPEAT = 5 };

static const char about[] =
    "Times the correction (forward) and its gradient (backward), on one thread and on all, for\n"
    "one sample and for the batch. Without --x inputs are sampled from their range and satisfy check:;\n"
    "without --y outputs are the model's start values plus normal noise of 0.1 max(1, |start|). With\n"
    "--device cuda a second line has the device time without memory and copies.";

static const char example[] = "  hardnet bench models/unicycle.mod --method paper --damping 0.3 --iterations 500\n"
                              "  hardnet bench models/unicycle.mod --x x.npy --y raw.npy --report bench.json\n";

/* ---- running ---- */

static int verb_bench_measure(struct bench *bench, struct layer_choice *choice) {
    const char *report = bench->options->report;
    hn_error error = {.status = HN_OK};
    hn_layer *layer = NULL;
    hn_device_layer *device = NULL;
    int code = layer_choice_create(&layer, bench->model, choice, true);
    if (code != VERB_OK)
        return code;
    const hn_layer_options settings = hn_layer_options_of(layer);
    bench->layer = layer;
    code = device_choice_create(&device, &bench->options->device, bench->model, &settings, true);
    bench->device = device;
    if (code != VERB_OK) {
        hn_layer_destroy(layer);
        return code;
    }
    if (bench_time(bench, &error) != HN_OK) {
        code = verb_explain(&error);
    } else {
        bench_print(bench);
        if (report && bench_write_json(bench, report, &error) != HN_OK)
            code = verb_explain(&error);
    }
    hn_device_layer_destroy(device);
    hn_layer_destroy(layer);
    return code;
}

static int verb_bench_run(void *values) {
    struct bench_options *options = values;
    hn_model *model = NULL;
    struct bench bench = {.options = options, .samples = {.x_path = options->x, .y_path = options->y}};
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    bench.model = model;
    bench.inputs = hn_model_input_count(model);
    bench.outputs = hn_model_output_count(model);
    bench.rows = hn_model_row_count(model);
    code = bench_samples(&bench);
    if (code == VERB_OK)
        code = verb_bench_measure(&bench, &options->choice);
    bench_release(&bench);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

int verb_bench(int argc, char **argv) {
    struct bench_options o = {.samples = SAMPLES, .seed = 1, .repeat = REPEAT};
    const struct option table[] = {
        READ_FILE("y", "Y.npy", "outputs to correct, a row per sample", o.y),
        READ_FILE("x", "X.npy", "inputs, a row per sample", o.x),
        {.name = "samples",
         .value = "N",
         .help = "samples in the batch (1000, or the rows of the files)",
         .count = &o.samples,
         .least = 1,
         .most = INT_MAX,
         .given = &o.samples_given},
        {.name = "seed", .value = "S", .help = "seed of sampled inputs and outputs (1)", .count = &o.seed},
        {.name = "repeat",
         .value = "R",
         .help = "runs, of which the median is reported (5)",
         .count = &o.repeat,
         .least = 1,
         .most = 1000000},
        WRITTEN_FILE("report", "FILE", "write the figures as JSON", o.report),
        LAYER_OPTIONS(o.choice),
        COMPILE_OPTIONS(o.choice.compile),
        DEVICE_OPTIONS(o.device),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "bench",
                                    .usage = "MODEL.mod [DATA.dat ...] [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .run = verb_bench_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
