/* verb_eval.c - hardnet eval MODEL.mod [DATA.dat ...] --net NET: evaluates a network by the model's own equations.
 *
 * Files are written when everything is computed. After Ctrl-C only the cache of the reference is written, and the
 * results so far are printed.
 *
 * SPDX-License-Identifier: MIT */
#include "common/certificate.h"
#include "common/command.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "common/layer_choice.h"
#include "common/load.h"
#include "common/overlap.h"
#include "common/verbs.h"
#include "eval/eval.h"
#include "reference/reference.h"
#include "rollout/closed_loop.h"

enum { SAMPLES = 100 };

static const char about[] =
    "Applies a network to inputs, corrects its outputs, and evaluates the result by the model's own formulas,\n"
    "independently of the layer: statuses, violations, objective and time. With --reference it compares the objective\n"
    "with the best that a general solver finds, for the samples that are ok, or with --allow-infeasible for all.\n"
    "Without --x the inputs are sampled from their range. --closed-loop simulates the network as a controller from 20 "
    "starts, "
    "or\n"
    "--samples or the rows of --x, and compares it with the solver from the same starts.";

static const char example[] =
    "  hardnet eval models/unicycle.mod --net net.safetensors --reference ipopt --cache out/cache\n"
    "  hardnet eval models/unicycle.mod --net net.safetensors --x x.npy --out y.npy --report report.json\n"
    "  hardnet eval models/tasks/cartpole.mod --net net.safetensors --closed-loop\n";

/* ---- before the work ---- */

/* The name of the cache's file is known when the model is. */
static int check_cache(const struct eval *eval) {
    char path[EVAL_CACHE_NAME];
    hn_error error = {.status = HN_OK};
    if (!eval->options->cache)
        return VERB_OK;
    if (eval_cache_name(eval, path, &error) != HN_OK)
        return verb_explain(&error);
    return overlap_refuse_written(eval->options->common.command, "cache", path);
}

static int verb_eval_check_options(const struct eval_options *options, const hn_model *model) {
    hn_error error = {.status = HN_OK};
    judging_warn(&options->judging);
    if (!options->judging.reference)
        return options->cache ? verb_misuse("eval", "--cache keeps the results of --reference, which is not given")
                              : VERB_OK;
    if (!hn_model_objective(model).name)
        return verb_misuse("eval", "--reference: the model has no objective that could be compared");
    if (judging_find(&options->judging, &error) == HN_OK)
        return VERB_OK;
    console_error("--reference %s: %s", options->judging.reference, error.text);
    return VERB_FAILED;
}

/* ---- files ---- */

static hn_status verb_eval_write_files(const struct eval *eval, hn_error *error) {
    const struct eval_options *options = eval->options;
    hn_status status = HN_OK;
    if (options->out) {
        console_hold_interrupt();
        status = hn_array_write(options->out, eval->samples.count, eval->outputs, eval->y, error);
        console_release_interrupt();
    }
    if (status == HN_OK && options->csv)
        status = eval_write_csv(eval, options->csv, error);
    if (status == HN_OK && options->judging.report)
        status = eval_write_json(eval, options->judging.report, error);
    return status;
}

static int verb_eval_finish(const struct eval *eval) {
    hn_error error = {.status = HN_OK};
    hn_status status = eval->interrupted ? HN_OK : verb_eval_write_files(eval, &error);
    eval_print(eval);
    if (eval->interrupted) {
        console_error("interrupted; nothing was written%s",
                      eval->options->cache ? " but what the reference found" : "");
        return VERB_INTERRUPTED;
    }
    if (status != HN_OK)
        return verb_explain(&error);
    bool all_ok = eval_count(eval, HN_OUTCOME_OK) == eval->samples.count;
    if (certificate_expected(eval->layer))
        all_ok = all_ok && certificate_count(eval->reports, eval->reached) == eval->samples.count;
    return all_ok || eval->options->judging.allow_infeasible ? VERB_OK : VERB_NOT_OK;
}

/* ---- running ---- */

/* For networks with corrected outputs, not for solver methods. */
static hn_status look_ahead(struct eval *eval, hn_error *error) {
    const struct prospects_task task = {.model = eval->model,
                                        .network = hn_policy_network(eval->policy),
                                        .options = eval->settings,
                                        .count = eval->reached,
                                        .x = eval_x(eval, 0),
                                        .y = eval->y,
                                        .objective = eval->objective,
                                        .reports = eval->reports};
    bool corrects = eval->baseline.scheme == SCHEME_LAYER && !certificate_expected(eval->layer);
    return corrects ? prospects_find(&eval->prospects, &task, error) : HN_OK;
}

static hn_status verb_eval_compute(struct eval *eval, hn_error *error) {
    hn_status status = eval_run(eval, error);
    if (status == HN_OK && !interrupt_came())
        status = eval_time(eval, error);
    if (status == HN_OK && !interrupt_came())
        status = look_ahead(eval, error);
    eval_close(eval);
    if (status == HN_OK && eval->options->judging.reference && !interrupt_came())
        status = eval_reference(eval, error);
    return status;
}

static int verb_eval_evaluate(struct eval *eval) {
    hn_error error = {.status = HN_OK};
    int code = eval_inputs(eval);
    if (code == VERB_OK)
        code = eval_load(eval);
    if (code != VERB_OK)
        return code;
    interrupt_begin();
    hn_status status = verb_eval_compute(eval, &error);
    eval->interrupted = interrupt_came();
    interrupt_end();
    return status == HN_OK ? verb_eval_finish(eval) : verb_explain(&error);
}

static bool asks_for_loops(const struct loop_options *o) {
    return o->steps != CLOSED_LOOP_STEPS || o->feedback.count > 0 || o->cost || o->final_cost || o->allow_outside;
}

static int verb_eval_run(void *values) {
    struct eval_options *options = values;
    hn_model *model = NULL;
    struct eval eval = {.options = options, .compile = options->compile, .samples = {.x_path = options->x}};
    if (!options->net)
        return verb_misuse("eval", "--net: no network is given");
    if (!options->loop.asked && asks_for_loops(&options->loop))
        return verb_misuse("eval", "--steps, --feedback, --cost, --final-cost and --allow-outside belong to "
                                   "--closed-loop, which is not given");
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    eval.model = model;
    eval.inputs = hn_model_input_count(model);
    eval.outputs = hn_model_output_count(model);
    eval.rows = hn_model_row_count(model);
    eval.groups = hn_model_group_count(model);
    if (options->loop.asked) {
        code = closed_loop(options, model);
    } else {
        code = verb_eval_check_options(options, model);
        if (code == VERB_OK)
            code = check_cache(&eval);
        if (code == VERB_OK)
            code = verb_eval_evaluate(&eval);
    }
    eval_release(&eval);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

/* Long, because the options are one table. */
int verb_eval(int argc, char **argv) {
    struct eval_options o = {.samples = SAMPLES,
                             .judging = {.starts = JUDGING_STARTS, .seed = JUDGING_SEED},
                             .loop = {.steps = CLOSED_LOOP_STEPS},
                             .tolerance = hn_layer_defaults().tolerance};
    const struct option table[] = {
        READ_FILE("net", "NET", "the network, as hardnet train saves it", o.net),
        READ_FILE("x", "X.npy", "inputs, a row per sample", o.x),
        {.name = "samples",
         .value = "N",
         .help = "inputs to sample without --x",
         .shown = true,
         .count = &o.samples,
         .least = 1,
         .most = 100000000,
         .given = &o.samples_given},
        WRITTEN_FILE("out", "Y.npy", "write the outputs, as float64", o.out),
        WRITTEN_FILE("csv", "FILE", "write a line for every sample", o.csv),
        {.name = "refine",
         .value = "K",
         .help = "maximum refinement steps (the network's setting)",
         .count = &o.refine,
         .most = HN_POLICY_MOST_REFINE,
         .given = &o.refine_given},
        {.name = "method",
         .value = "METHOD",
         .help = "how outputs are corrected, one of" LAYER_METHODS " (the network's own)",
         .text = &o.method,
         .words = layer_choice_methods},
        {.name = "iterations",
         .value = "K",
         .help = "maximum steps of the correction (the network's setting)",
         .count = &o.iterations,
         .most = HN_POLICY_MOST_ITERATIONS,
         .given = &o.iterations_given},
        EFFORT_OPTION(o.effort, o.effort_given, "the network's own"),
        {.name = "tolerance",
         .value = "T",
         .help = "largest violation that counts as ok, whatever the network's file says",
         .shown = true,
         .real = &o.tolerance},
        COMPILE_OPTIONS(o.compile),
        DEVICE_OPTIONS(o.device),
        {.name = "cache", .value = "FOLDER", .help = "cache the solver's results in this folder", .text = &o.cache},
        {.name = "closed-loop",
         .help = "evaluate the network as a controller in closed loop and compare it with the solver",
         .flag = &o.loop.asked},
        {.name = "steps",
         .value = "N",
         .help = "of --closed-loop: steps of every loop",
         .shown = true,
         .count = &o.loop.steps,
         .least = 1,
         .most = 1000000},
        {.name = "feedback",
         .value = "INPUT=DEFINED",
         .help = "of --closed-loop: next values of inputs; may be repeated (the model's next)",
         .list = &o.loop.feedback},
        {.name = "cost",
         .value = "NAME",
         .help = "of --closed-loop: defined variable that is summed over the steps (stage)",
         .text = &o.loop.cost},
        {.name = "final-cost",
         .value = "NAME",
         .help = "of --closed-loop: defined variable that is added once, at the last step (final)",
         .text = &o.loop.final_cost},
        {.name = "allow-outside",
         .help = "of --closed-loop: exit 0 even if the network leaves the box of its inputs",
         .flag = &o.loop.allow_outside},
        JUDGING_OPTIONS(o.judging, "sample"),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "eval",
                                    .usage = "MODEL.mod [DATA.dat ...] --net NET.safetensors [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .run = verb_eval_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
