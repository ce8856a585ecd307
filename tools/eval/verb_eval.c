/* verb_eval.c - hardnet eval MODEL.mod [DATA.dat ...] --net NET: how good a network is, by the model's own equations.
 *
 * Files are written when everything is computed. After Ctrl-C nothing is written but the cache of the reference, and what was
 * reached is printed.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/interrupt.h"
#include "common/layer_choice.h"
#include "common/load.h"
#include "common/save.h"
#include "common/verbs.h"
#include "eval/eval.h"
#include "reference/reference.h"

#include <limits.h>

enum { SAMPLES = 100, STARTS = 3, SEED = 1, MOST_STARTS = 1000 };

static const char about[] =
    "Applies a network to inputs, corrects what it says and judges the result by plain evaluation: statuses,\n"
    "violations, objective and time. With --reference, how far the objective is from the best that a general\n"
    "solver finds. Without --x the inputs are drawn from their boxes.";

static const char example[] =
    "  hardnet eval models/unicycle.mod --net net.safetensors --reference ipopt --cache out/cache\n"
    "  hardnet eval models/unicycle.mod --net net.safetensors --x x.npy --out y.npy --report report.json\n";

static const char *const references[] = {"ipopt", NULL};

/* ---- before the work ---- */

static int check_options(const struct eval_options *options, const hn_model *model) {
    struct reference *none = NULL;
    hn_error error = {.status = HN_OK};
    if (!options->reference)
        return options->cache ? verb_misuse("eval", "--cache keeps what --reference finds, which is not asked for")
                              : VERB_OK;
    if (!hn_model_objective(model).name)
        return verb_misuse("eval", "--reference: the model has no objective to compare");
    if (reference_name() || reference_create(&none, model, NULL, &error) == HN_OK)
        return VERB_OK;
    console_error("--reference %s: %s", options->reference, error.text);
    return VERB_FAILED;
}

static hn_status look_ahead(const struct eval_options *options, hn_error *error) {
    hn_status status = save_possible("out", options->out, error);
    return status == HN_OK ? save_possible("report", options->report, error) : status;
}

/* ---- files ---- */

static hn_status write_files(const struct eval *eval, hn_error *error) {
    const struct eval_options *options = eval->options;
    hn_status status = HN_OK;
    if (options->out) {
        console_hold_interrupt();
        status = npy_write(options->out, eval->samples.count, eval->outputs, eval->y, error);
        console_release_interrupt();
    }
    if (status == HN_OK && options->report)
        status = eval_write_json(eval, options->report, error);
    return status;
}

static int finish(const struct eval *eval) {
    hn_error error = {.status = HN_OK};
    hn_status status = eval->interrupted ? HN_OK : write_files(eval, &error);
    eval_print(eval);
    if (eval->interrupted) {
        console_error("interrupted; nothing was written%s",
                      eval->options->cache ? " but what the reference found" : "");
        return VERB_INTERRUPTED;
    }
    if (status != HN_OK)
        return verb_explain(&error);
    bool all_ok = eval_count(eval, HN_OUTCOME_OK) == eval->samples.count;
    return all_ok || eval->options->allow_infeasible ? VERB_OK : VERB_NOT_OK;
}

/* ---- running ---- */

static hn_status compute(struct eval *eval, hn_error *error) {
    hn_status status = eval_run(eval, error);
    if (status == HN_OK && !interrupt_came())
        status = eval_time(eval, error);
    eval_close(eval);
    if (status == HN_OK && eval->options->reference && !interrupt_came())
        status = eval_reference(eval, error);
    return status;
}

static int evaluate(struct eval *eval) {
    hn_error error = {.status = HN_OK};
    if (look_ahead(eval->options, &error) != HN_OK)
        return verb_explain(&error);
    int code = eval_inputs(eval);
    if (code == VERB_OK)
        code = eval_load(eval);
    if (code != VERB_OK)
        return code;
    interrupt_begin();
    hn_status status = compute(eval, &error);
    eval->interrupted = interrupt_came();
    interrupt_end();
    return status == HN_OK ? finish(eval) : verb_explain(&error);
}

static int run(const struct eval_options *options) {
    hn_model *model = NULL;
    struct eval eval = {.options = options, .samples = {.x_path = options->x}};
    if (!options->net)
        return verb_misuse("eval", "--net: there is no network to evaluate");
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    eval.model = model;
    eval.inputs = hn_model_input_count(model);
    eval.outputs = hn_model_output_count(model);
    eval.rows = hn_model_row_count(model);
    eval.groups = hn_model_group_count(model);
    code = check_options(options, model);
    if (code == VERB_OK)
        code = evaluate(&eval);
    eval_release(&eval);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

int verb_eval(int argc, char **argv) {
    struct eval_options o = {.samples = SAMPLES, .seed = SEED, .starts = STARTS};
    const struct option table[] = {
        {.name = "net", .value = "NET", .help = "the network, as hardnet train saves it", .text = &o.net},
        {.name = "x", .value = "X.npy", .help = "inputs, a row per sample", .text = &o.x},
        {.name = "samples",
         .value = "N",
         .help = "inputs to draw where there is no --x",
         .shown = true,
         .count = &o.samples,
         .least = 1,
         .most = 100000000,
         .given = &o.samples_given},
        {.name = "seed", .value = "S", .help = "of what is drawn", .shown = true, .count = &o.seed},
        {.name = "out", .value = "Y.npy", .help = "write the outputs, as float64", .text = &o.out},
        {.name = "report", .value = "FILE", .help = "write all figures and every sample, as JSON", .text = &o.report},
        {.name = "allow-infeasible",
         .help = "exit 0 and compare all, even if a sample is not ok",
         .flag = &o.allow_infeasible},
        {.name = "refine",
         .value = "K",
         .help = "refinement steps at most (the network's own)",
         .count = &o.refine,
         .most = INT_MAX,
         .given = &o.refine_given},
        {.name = "method",
         .value = "METHOD",
         .help = "correct by auto, paper, hardnet or lm (the network's own)",
         .text = &o.method,
         .words = layer_choice_methods},
        {.name = "iterations",
         .value = "K",
         .help = "steps of the correction at most (the network's own)",
         .count = &o.iterations,
         .most = INT_MAX,
         .given = &o.iterations_given},
        {.name = "reference",
         .value = "SOLVER",
         .help = "compare with this solver: ipopt",
         .text = &o.reference,
         .words = references},
        {.name = "starts",
         .value = "K",
         .help = "starts of the reference for every sample",
         .shown = true,
         .count = &o.starts,
         .least = 1,
         .most = MOST_STARTS},
        {.name = "cache", .value = "FOLDER", .help = "keep what the reference finds there", .text = &o.cache},
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "eval",
                                    .usage = "MODEL.mod [DATA.dat ...] --net NET.safetensors [options]",
                                    .about = about,
                                    .example = example,
                                    .options = table,
                                    .option_count = sizeof table / sizeof table[0],
                                    .files = &o.files};
    enum parse parse = options_parse(&command, argc, argv);
    int code = parse == PARSE_DONE ? run(&o) : options_code(parse);
    options_release(&command);
    return code;
}
