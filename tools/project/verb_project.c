/* verb_project.c - hardnet project MODEL.mod [DATA.dat ...]: outputs in, outputs that satisfy the constraints out.
 *
 * Files are written at the end. After Ctrl-C nothing is written and the results so far are printed. With a time limit,
 * unfinished samples are cancelled, reported and written.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/certificate.h"
#include "common/command.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/load.h"
#include "common/verbs.h"
#include "hardnet/inspect.h"
#include "project/project.h"

#include <limits.h>
#include <string.h>

static const char about[] = "Corrects outputs onto the constraints of a model, with a status for every sample.\n"
                            "Each row of --x and --y is a sample; a file with a single row is used for all samples.\n"
                            "Without --y the correction starts from the model's start values.";

static const char example[] =
    "  hardnet project models/unicycle.mod --x x.npy --y raw.npy --out y.npy --report report.json\n"
    "  hardnet project models/unicycle.mod --x x.npy --method paper --damping 0.3 --iterations 500 "
    "--allow-infeasible\n";

/* ---- files ---- */

static hn_status write_array(const struct project *project, const char *path, enum project_columns kind, size_t columns,
                             const double *values, hn_error *error) {
    if (project_is_csv(path))
        return project_write_csv(project, path, kind, columns, values, error);
    console_hold_interrupt();
    hn_status status = hn_array_write(path, project->samples.count, columns, values, error);
    console_release_interrupt();
    return status;
}

static hn_status write_objectives(const struct project *project, hn_error *error) {
    size_t count = project->samples.count;
    double *values = base_allocate((count + 1) * sizeof *values); /* fewer bytes than the reports */
    if (!values)
        return error_no_memory(error, project->options->objective);
    for (size_t k = 0; k < count; k++)
        values[k] = project->reports[k].objective;
    hn_status status = write_array(project, project->options->objective, PROJECT_OBJECTIVE, 1, values, error);
    base_release(values);
    return status;
}

static hn_status verb_project_write_files(const struct project *project, hn_error *error) {
    const struct project_options *options = project->options;
    hn_status status =
        options->out ? write_array(project, options->out, PROJECT_OUTPUTS, project->outputs, project->y, error) : HN_OK;
    if (status == HN_OK && options->multipliers)
        status = write_array(project, options->multipliers, PROJECT_ROWS, project->rows, project->multipliers, error);
    if (status == HN_OK && options->proof_point)
        status = write_array(project, options->proof_point, PROJECT_OUTPUTS, project->outputs, project->proof_y, error);
    if (status == HN_OK && options->objective)
        status = write_objectives(project, error);
    if (status == HN_OK && options->trace)
        status = text_write(&project->trace, options->trace, error);
    if (status == HN_OK && options->report)
        status = project_write_json(project, options->report, error);
    return status;
}

/* ---- running ---- */

static int verb_project_finish(const struct project *project) {
    hn_error error = {.status = HN_OK};
    hn_status status = project->interrupted ? HN_OK : verb_project_write_files(project, &error);
    project_print(project);
    if (project->interrupted) {
        console_error("interrupted; nothing was written");
        return VERB_INTERRUPTED;
    }
    if (status != HN_OK)
        return verb_explain(&error);
    bool all_ok = project_count(project, HN_OUTCOME_OK) == project->samples.count;
    if (certificate_expected(project->layer))
        all_ok = all_ok && certificate_count(project->reports, project->reached) == project->samples.count;
    return all_ok || project->options->allow_infeasible ? VERB_OK : VERB_NOT_OK;
}

static int verb_project_correct(struct project *project, struct layer_choice *choice) {
    hn_error error = {.status = HN_OK};
    hn_layer *layer = NULL;
    hn_device_layer *device = NULL;
    if (inputs_warn(project->model, "x", project->samples.x_path, &project->samples.x, &project->unusual, &error) !=
        HN_OK)
        return verb_explain(&error);
    int code = layer_choice_create(&layer, project->model, choice, false);
    if (code != VERB_OK)
        return code;
    const hn_layer_options settings = hn_layer_options_of(layer);
    project->layer = layer;
    code = device_choice_create(&device, &project->options->device, project->model, &settings, false);
    project->device = device;
    if (code == VERB_OK)
        code = project_run(project, &error) == HN_OK ? verb_project_finish(project) : verb_explain(&error);
    hn_device_layer_destroy(device);
    hn_layer_destroy(layer);
    return code;
}

/* Multipliers belong to the methods nearest and optimal, weights to nearest. */
static int check_proofs(const struct project_options *o) {
    hn_method method = HN_METHOD_AUTO;
    if (o->choice.method)
        hn_method_find(o->choice.method, &method);
    if (o->weights && method != HN_METHOD_NEAREST)
        console_error("--weights: only --method nearest has weights");
    else if (o->multipliers && method != HN_METHOD_NEAREST && method != HN_METHOD_OPTIMAL)
        console_error("--multipliers: only --method nearest and --method optimal have multipliers");
    else if (o->proof_point && method != HN_METHOD_NEAREST && method != HN_METHOD_OPTIMAL)
        console_error("--proof-point: only --method nearest and --method optimal have proofs");
    else
        return VERB_OK;
    return VERB_MISUSED;
}

static int correct_weighted(struct project *project, struct layer_choice *choice) {
    hn_array weights = {.values = NULL};
    int code = check_proofs(project->options);
    if (code == VERB_OK && project->options->weights)
        code = samples_read_weights(project->options->weights, project->model, &weights);
    choice->weights = weights.values;
    if (code == VERB_OK)
        code = verb_project_correct(project, choice);
    hn_array_release(&weights);
    return code;
}

int project_command(void *values) {
    struct project_options *options = values;
    hn_model *model = NULL;
    struct project project = {.options = options, .samples = {.x_path = options->x, .y_path = options->y}};
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    project.model = model;
    if (device_choice_asks(&options->device) && (options->trace || options->time_limit > 0))
        code = verb_misuse(options->verb, options->trace ? "--trace: not supported with --device cuda"
                                                         : "--time-limit: not supported with --device cuda");
    else if (strcmp(options->verb, "solve") == 0 && !hn_model_objective(model).name)
        code = verb_misuse(options->verb, "the model has no objective; solve needs one");
    else if (!options->x && hn_model_input_count(model) > 0)
        code = samples_ask_for_inputs(model);
    else
        code = samples_read(&project.samples, model);
    if (code == VERB_OK)
        code = correct_weighted(&project, &options->choice);
    project_release(&project);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

int verb_project(int argc, char **argv) {
    struct project_options o = {.verb = "project"};
    const struct option table[] = {
        READ_FILE("y", "Y.npy", "outputs to correct, a row per sample", o.y),
        READ_FILE("x", "X.npy", "inputs, a row per sample", o.x),
        WRITTEN_FILE("out", "OUT.npy", "write the corrected outputs, as float64; as CSV if the name ends in .csv",
                     o.out),
        WRITTEN_FILE("report", "FILE", "write status, steps and violation of every sample, as JSON", o.report),
        WRITTEN_FILE("trace", "FILE", "write every iterate, as CSV", o.trace),
        READ_FILE("weights", "S.npy", "of --method nearest: weights of the outputs in the distance (1)", o.weights),
        WRITTEN_FILE("multipliers", "M.npy", "of --method nearest or optimal: write the multipliers of the rows",
                     o.multipliers),
        PROJECT_PROOF(o),
        PROJECT_ALLOWANCE(o),
        LAYER_OPTIONS(o.choice),
        COMPILE_OPTIONS(o.choice.compile),
        DEVICE_OPTIONS(o.device),
        PROJECT_TIME_LIMIT(o),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = PROJECT_COMMAND("project");
    return command_run(&command, argc, argv);
}
