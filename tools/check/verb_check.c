/* verb_check.c - hardnet check MODEL.mod [DATA.dat ...]: what a model says, before anything is done with it.
 *
 * The work is split: check_prepare.c differentiates, check_points.c chooses where to look, check_evaluate.c looks,
 * check_differences.c and check_products.c compare with differences, check_correct.c runs the layer, check_conflict.c asks what stands
 * in its way, check_rank.c and check_theorem.c look where it went, check_findings.c judges, check_report.c and its neighbours
 * print and write.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "check/check.h"
#include "common/command.h"
#include "common/console.h"
#include "common/load.h"
#include "common/verbs.h"

#include <string.h>

enum { POINTS = 4 };

static const char about[] = "Reads a model and says what it consists of: inputs and columns by name, groups of\n"
                            "rows, the Jacobian and its pattern, values and violations at the start point,\n"
                            "derivatives compared with differences, whether the start can be corrected and which\n"
                            "groups stand in the way if not, the rank at the result, estimates of the constants of\n"
                            "the paper's theorem, and what looks suspicious.";

static const char example[] = "  hardnet check models/unicycle.mod --let N=20 --pattern\n"
                              "  hardnet check pooling.mod pooling.dat --json report.json --picture pattern.svg\n";

/* ---- running ---- */

static hn_status look(struct check *check, hn_error *error) {
    static hn_status (*const parts[])(struct check *, hn_error *) = {
        check_prepare, check_points,   check_evaluate, check_differences, check_products,
        check_correct, check_conflict, check_rank,     check_theorem,     check_findings,
    };
    hn_status status = HN_OK;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && status == HN_OK; i++)
        status = parts[i](check, error);
    progress_end(&check->progress);
    return status;
}

static hn_status report(struct check *check, hn_error *error) {
    const struct check_options *options = check->options;
    hn_status status = HN_OK;
    check_report(check);
    if (options->picture)
        status = check_write_picture(check, options->picture, error);
    if (status == HN_OK && options->json)
        status = check_write_json(check, options->json, error);
    return status == HN_OK && check->starved ? error_no_memory(error, "the report is not complete") : status;
}

/* A wrong shape of --x is the only thing here that is the caller's fault. */
static int explain(const struct check_options *options, const hn_error *error) {
    console_error("%s%s", error->text, error->status == HN_LIMIT ? " (--max-nodes)" : "");
    return options->x && error->status == HN_INVALID ? VERB_MISUSED : VERB_FAILED;
}

static int run(void *values) {
    const struct check_options *options = values;
    hn_error error = {.status = HN_OK};
    hn_model *model = NULL;
    struct check check = {.options = options, .begun = progress_clock()};
    progress_begin(&check.progress, "reading", 0);
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    check.model = model;
    if (look(&check, &error) != HN_OK || report(&check, &error) != HN_OK)
        code = explain(options, &error);
    check_release(&check);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

static bool is_picture(const char *path) {
    const char *end = strrchr(path, '.');
    return end && (strcmp(end, ".svg") == 0 || strcmp(end, ".pbm") == 0);
}

static int settle(void *values) {
    const struct check_options *options = values;
    if (!options->picture || is_picture(options->picture))
        return VERB_OK;
    console_error("--picture %s: the name must end in .svg or .pbm", options->picture);
    return VERB_MISUSED;
}

int verb_check(int argc, char **argv) {
    struct check_options o = {.points = POINTS, .seed = 1};
    const struct option table[] = {
        {.name = "all", .help = "list every input, column and row", .flag = &o.all},
        {.name = "pattern", .help = "print the pattern of the Jacobian", .flag = &o.pattern},
        WRITTEN_FILE("picture", "FILE", "write the pattern as FILE.svg or FILE.pbm", o.picture),
        WRITTEN_FILE("json", "FILE", "write everything as JSON", o.json),
        READ_FILE("x", "X.npy", "inputs, a row per point; the first is the start", o.x),
        {.name = "seed",
         .value = "S",
         .help = "sample the inputs of the start point too",
         .count = &o.seed,
         .given = &o.seeded},
        {.name = "points",
         .value = "K",
         .help = "points for the derivative check, inputs for the start (4)",
         .count = &o.points,
         .least = 1,
         .most = LANES},
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "check",
                                    .usage = "MODEL.mod [DATA.dat ...] [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .settle = settle,
                                    .run = run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
