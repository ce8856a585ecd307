/* verb_rollout.c - hardnet rollout MODEL.mod [DATA.dat ...] --net NET ...: controllers in closed loop.
 *
 * Files are written when everything is computed; after Ctrl-C nothing is.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/interrupt.h"
#include "common/load.h"
#include "common/save.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

enum { STEPS = 20, STARTS = 3, SEED = 1, MOST_STEPS = 1000000, MOST_STARTS = 1000, MOST_SAMPLES = 1000000 };

static const char about[] =
    "Runs networks, and with --reference a general solver, as controllers: their outputs are applied, and\n"
    "inputs of the model become what its defined variables say. Cost and margin are those of the true\n"
    "inputs and the applied outputs, so that a controller that breaks its own dynamics gains nothing by it.";

static const char example[] =
    "  hardnet rollout models/unicycle.mod --net net.safetensors --reference ipopt --x0 -3.2,0.3,-0.1 --steps 20 \\\n"
    "      --feedback z0=next --cost stage --final-cost final --margin clearance --csv paths.csv\n"
    "  hardnet rollout models/unicycle.mod --reference ipopt --samples 100 --feedback z0=next --states x.npy\n";

static const char *const references[] = {"ipopt", NULL};

/* ---- before the work ---- */

static int check_options(const struct rollout_options *o) {
    if (o->nets.count == 0 && !o->reference)
        return verb_misuse("rollout", "--net: there is no controller; give a network, or --reference");
    if (o->feedback.count == 0)
        return verb_misuse("rollout", "--feedback: what do the inputs become? Give INPUT=DEFINED");
    if (!o->x0 && o->samples == 0)
        return verb_misuse("rollout", "--x0: where do the loops start? Give a file, or numbers with commas between, or "
                                      "--samples");
    if (o->x0 && o->samples > 0)
        return verb_misuse("rollout", "--samples and --x0 exclude each other: the rows of --x0 are the starts");
    if (o->final_cost && !o->cost)
        return verb_misuse("rollout", "--final-cost is added to --cost, which is not given");
    return VERB_OK;
}

static hn_status look_ahead(const struct rollout_options *o, hn_error *error) {
    hn_status status = save_possible("report", o->report, error);
    if (status == HN_OK)
        status = save_possible("csv", o->csv, error);
    return status == HN_OK ? save_possible("states", o->states, error) : status;
}

/* ---- running ---- */

static hn_status write_files(const struct rollout *rollout, hn_error *error) {
    const struct rollout_options *o = rollout->options;
    hn_status status = o->csv ? rollout_write_csv(rollout, o->csv, error) : HN_OK;
    if (status == HN_OK && o->states)
        status = rollout_write_states(rollout, o->states, error);
    return status == HN_OK && o->report ? rollout_write_json(rollout, o->report, error) : status;
}

static int finish(const struct rollout *rollout) {
    hn_error error = {.status = HN_OK};
    hn_status status = write_files(rollout, &error);
    rollout_print(rollout);
    if (status != HN_OK)
        return verb_explain(&error);
    return rollout->options->allow_infeasible || rollout_all_ok(rollout) ? VERB_OK : VERB_NOT_OK;
}

static int roll_out(struct rollout *rollout) {
    hn_error error = {.status = HN_OK};
    if (rollout->options->reference && !hn_model_objective(rollout->model).name)
        return verb_misuse("rollout", "--reference: the model has no objective to minimise");
    if (look_ahead(rollout->options, &error) != HN_OK)
        return verb_explain(&error);
    int code = rollout_setup(rollout);
    if (code != VERB_OK)
        return code;
    interrupt_begin();
    hn_status status = rollout_run(rollout, &error);
    bool interrupted = interrupt_came();
    interrupt_end();
    if (status != HN_OK)
        return verb_explain(&error);
    if (!interrupted)
        return finish(rollout);
    console_error("interrupted; nothing was written");
    return VERB_INTERRUPTED;
}

static int run(const struct rollout_options *options) {
    hn_model *model = NULL;
    struct rollout rollout = {.options = options};
    int code = check_options(options);
    if (code == VERB_OK)
        code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    rollout.model = model;
    code = roll_out(&rollout);
    rollout_end(&rollout);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

int verb_rollout(int argc, char **argv) {
    struct rollout_options o = {.steps = STEPS, .starts = STARTS, .seed = SEED};
    const struct option table[] = {
        {.name = "net",
         .value = "[NAME=]NET",
         .help = "a network, as hardnet train saves it; repeatable",
         .list = &o.nets},
        {.name = "reference",
         .value = "SOLVER",
         .help = "this solver as one more controller: ipopt",
         .text = &o.reference,
         .words = references},
        {.name = "x0",
         .value = "X",
         .help = "where loops start: rows of X.npy, or numbers, as in -3.2,0.3,-0.1",
         .text = &o.x0},
        {.name = "samples",
         .value = "N",
         .help = "starts to draw from the box of the inputs, instead of --x0",
         .count = &o.samples,
         .least = 1,
         .most = MOST_SAMPLES},
        {.name = "steps",
         .value = "N",
         .help = "steps of every loop",
         .shown = true,
         .count = &o.steps,
         .least = 1,
         .most = MOST_STEPS},
        {.name = "feedback",
         .value = "INPUT=DEFINED",
         .help = "inputs INPUT[...] become the defined variables DEFINED[...]; repeatable",
         .list = &o.feedback},
        {.name = "cost",
         .value = "NAME",
         .help = "the defined variable that is summed over the steps",
         .text = &o.cost},
        {.name = "final-cost", .value = "NAME", .help = "one that is added for the last step", .text = &o.final_cost},
        {.name = "margin",
         .value = "NAME",
         .help = "a defined variable or group of rows whose smallest margin is shown",
         .text = &o.margin},
        {.name = "report", .value = "FILE", .help = "write everything as JSON", .text = &o.report},
        {.name = "csv", .value = "FILE", .help = "write a line for every step", .text = &o.csv},
        {.name = "states",
         .value = "X.npy",
         .help = "write the inputs of all steps, a row each, as train --x reads them",
         .text = &o.states},
        {.name = "allow-infeasible", .help = "exit 0 even if a step is not ok", .flag = &o.allow_infeasible},
        {.name = "starts",
         .value = "K",
         .help = "starts of the reference for every step",
         .shown = true,
         .count = &o.starts,
         .least = 1,
         .most = MOST_STARTS},
        {.name = "seed",
         .value = "S",
         .help = "of --samples, and of the reference's disturbed starts",
         .shown = true,
         .count = &o.seed},
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {
        .name = "rollout",
        .usage = "MODEL.mod [DATA.dat ...] --net NET.safetensors --x0 X --feedback INPUT=DEFINED [options]",
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
