/* verb_check.c - hardnet check MODEL.mod [DATA.dat ...]: analyses a model.
 *
 * The library does the analysis (hardnet/check.h); check_report.c and the other files here print and write the results.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "check/check_view.h"
#include "common/command.h"
#include "common/console.h"
#include "common/inputs.h"
#include "common/load.h"
#include "common/verbs.h"

#include <string.h>

enum { POINTS = 4 };

static const char about[] =
    "Reads a model and reports what it consists of: inputs and columns by name, groups of\n"
    "rows, the Jacobian and its pattern, values and violations at the start point,\n"
    "derivatives compared with finite differences, whether the start can be corrected and which\n"
    "constraints prevent it if not, the rank at the result, estimates of the constants of\n"
    "the paper's theorem, and what looks suspicious.";

static const char example[] = "  hardnet check models/unicycle.mod --let N=20 --pattern\n"
                              "  hardnet check pooling.mod pooling.dat --json report.json --picture pattern.svg\n";

/* ---- inputs ---- */

/* Rows of --x that break a requirement are counted, and the first one is named. */
static hn_status count_broken_rows(const struct check_view *check, const hn_array *array, hn_error *error) {
    size_t count = 0, first = 0, requirement = 0, all = hn_model_requirement_count(check->model);
    for (size_t row = 0; row < array->rows && all > 0; row++) {
        size_t broken;
        hn_status status = inputs_broken(check->model, array->values + row * array->columns, &broken, error);
        if (status != HN_OK)
            return status;
        if (broken < all && count++ == 0) {
            first = row;
            requirement = broken;
        }
    }
    if (count > 0)
        console_warning("--x %s: %zu of %zu rows break a requirement of the model, the first of them row %zu (%s)",
                        check->options->x, count, array->rows, first + 1,
                        hn_model_requirement(check->model, requirement).name);
    return HN_OK;
}

static hn_status read_inputs(const struct check_view *check, hn_array *array, hn_error *error) {
    *array = (hn_array){.values = NULL};
    if (!check->options->x)
        return HN_OK;
    hn_status status = inputs_read(check->model, "x", check->options->x, array, error);
    return status == HN_OK ? count_broken_rows(check, array, error) : status;
}

/* ---- running ---- */

static void show_progress(void *context, const char *stage, size_t done, size_t total) {
    struct check_view *check = context;
    if (total == 0)
        progress_stage(&check->progress, stage);
    else if (done == 0)
        progress_begin(&check->bar, stage, total);
    else if (done < total)
        progress_update(&check->bar, done);
    else
        progress_end(&check->bar);
}

static hn_status verb_check_look(struct check_view *check, const hn_array *x, hn_check **found, hn_error *error) {
    const struct check_options *o = check->options;
    hn_check_options options = hn_check_defaults();
    options.points = o->points;
    options.seed = o->seed;
    options.sample_start = o->seeded;
    options.x = x->values;
    options.x_rows = x->rows;
    options.threads = (int)o->common.threads;
    options.hessian_nodes = o->common.max_nodes > 0 ? SIZE_MAX : 0; /* the model's own limit is the user's wish then */
    options.progress = show_progress;
    options.progress_context = check;
    hn_status status = hn_model_check(found, check->model, &options, error);
    progress_end(&check->progress);
    return status;
}

/* Surveys sampled inputs, or rows of --x; nothing for a model without inputs. */
static hn_status survey(struct check_view *check, const hn_array *x, hn_error *error) {
    struct survey_options options = survey_defaults();
    options.count = check->options->survey;
    options.x = x->values;
    options.rows = x->rows;
    options.seed = check->options->seed;
    options.threads = (int)check->options->common.threads;
    if (options.count == 0 || hn_model_input_count(check->model) == 0 || hn_model_output_count(check->model) == 0)
        return HN_OK;
    hn_status status = survey_run(&check->survey, check->model, &options, error);
    if (status == HN_OK)
        survey_warn(&check->survey, check->model);
    return status;
}

static hn_status report(struct check_view *check, hn_error *error) {
    const struct check_options *options = check->options;
    hn_status status = HN_OK;
    if (check->found->unmet > 0)
        console_warning("for %zu of %zu points none of %d sampled inputs meets the requirements (check:) of the model",
                        check->found->unmet, check->found->points, INPUTS_TRIES);
    check_report(check);
    if (options->picture)
        status = check_write_picture(check, options->picture, error);
    if (status == HN_OK && options->json)
        status = check_write_json(check, options->json, error);
    return status == HN_OK && check->starved ? error_no_memory(error, "the report is not complete") : status;
}

static hn_status verb_check_check_model(struct check_view *check, hn_error *error) {
    hn_array x;
    hn_check *found = NULL;
    hn_status status = read_inputs(check, &x, error);
    if (status == HN_OK)
        status = verb_check_look(check, &x, &found, error);
    check->found = found;
    if (status == HN_OK)
        status = survey(check, &x, error);
    if (status == HN_OK)
        status = report(check, error);
    arena_release(&check->arena);
    hn_check_destroy(found);
    hn_array_release(&x);
    return status;
}

/* A wrong shape of --x is the only thing here that is the caller's fault. */
static int explain(const struct check_options *options, const hn_error *error) {
    console_error("%s%s", error->text, error->status == HN_LIMIT ? " (--max-nodes)" : "");
    return options->x && error->status == HN_INVALID ? VERB_MISUSED : VERB_FAILED;
}

static int verb_check_run(void *values) {
    const struct check_options *options = values;
    hn_error error = {.status = HN_OK};
    hn_model *model = NULL;
    struct check_view check = {.options = options, .begun = clock_seconds()};
    progress_begin(&check.progress, "reading", 0);
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    check.model = model;
    if (verb_check_check_model(&check, &error) != HN_OK)
        code = explain(options, &error);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

static bool is_picture(const char *path) {
    const char *end = strrchr(path, '.');
    return end && (strcmp(end, ".svg") == 0 || strcmp(end, ".pbm") == 0);
}

static int verb_check_settle(void *values) {
    const struct check_options *options = values;
    if (!options->picture || is_picture(options->picture))
        return VERB_OK;
    console_error("--picture %s: the name must end in .svg or .pbm", options->picture);
    return VERB_MISUSED;
}

int verb_check(int argc, char **argv) {
    struct check_options o = {.points = POINTS, .seed = 1, .survey = SURVEY_SAMPLES};
    const struct option table[] = {
        {.name = "all", .help = "list every input, column and row", .flag = &o.all},
        {.name = "pattern", .help = "print the pattern of the Jacobian", .flag = &o.pattern},
        WRITTEN_FILE("picture", "FILE", "write the pattern as FILE.svg or FILE.pbm", o.picture),
        WRITTEN_FILE("json", "FILE", "write the report as JSON", o.json),
        READ_FILE("x", "X.npy", "inputs, a row per point; the first row is that of the start point", o.x),
        {.name = "seed",
         .value = "S",
         .help = "sample the inputs of the start point with this seed (the middle of their range)",
         .count = &o.seed,
         .given = &o.seeded},
        {.name = "points",
         .value = "K",
         .help = "points at which derivatives are checked and the start is corrected (4)",
         .count = &o.points,
         .least = 1,
         .most = HN_CHECK_POINTS},
        {.name = "survey",
         .value = "N",
         .help = "inputs to sample for a survey of the input range; 0: none",
         .count = &o.survey,
         .most = SURVEY_MOST,
         .shown = true},
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "check",
                                    .usage = "MODEL.mod [DATA.dat ...] [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .settle = verb_check_settle,
                                    .run = verb_check_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
