/* verb_rollout.c - hardnet rollout MODEL.mod [DATA.dat ...] --net NET ...: controllers in closed loop.
 *
 * Files are written when everything is computed; after Ctrl-C nothing is.
 *
 * SPDX-License-Identifier: MIT */
#include "common/command.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "common/load.h"
#include "common/verbs.h"
#include "rollout/rollout.h"

enum { STEPS = 20, MOST_STEPS = 1000000, MOST_SAMPLES = 1000000 };

static const char about[] =
    "Runs networks, and with --reference a general solver, as controllers in closed loop: at every step the outputs\n"
    "are applied, and the inputs of the next step are the values of defined variables of the model (--feedback). Cost "
    "and\n"
    "margin are evaluated at the true inputs and the applied outputs, so that a controller that violates its own\n"
    "dynamics gains nothing by it.";

static const char example[] =
    "  hardnet rollout models/unicycle.mod --net net.safetensors --reference ipopt --x0 -3.2,0.3,-0.1 --steps 20 \\\n"
    "      --feedback z0=next --cost stage --final-cost final --margin clearance --csv paths.csv\n"
    "  hardnet rollout models/unicycle.mod --reference ipopt --samples 100 --feedback z0=next --states x.npy\n";

/* ---- before the work ---- */

static int verb_rollout_settle(void *values) {
    const struct rollout_options *o = values;
    if (o->nets.count == 0 && !o->judging.reference)
        return verb_misuse("rollout", "--net: there is no controller; give a network, or --reference");
    if (!o->x0 && o->samples == 0)
        return verb_misuse("rollout",
                           "--x0: not given; a file, or numbers with commas between, says where the loops start; "
                           "--samples samples the starts");
    if (o->x0 && o->samples > 0)
        return verb_misuse("rollout", "--samples and --x0 exclude each other: the rows of --x0 are the starts");
    if (o->show.count > 0 && !o->csv)
        return verb_misuse("rollout", "--show adds columns to the file of --csv, which is not given");
    if (o->final_cost && !o->cost)
        return verb_misuse("rollout", "--final-cost is added to --cost, which is not given");
    judging_warn(&o->judging);
    return VERB_OK;
}

/* ---- running ---- */

static hn_status verb_rollout_write_files(const struct rollout *rollout, hn_error *error) {
    const struct rollout_options *o = rollout->options;
    hn_status status = o->csv ? rollout_write_csv(rollout, o->csv, error) : HN_OK;
    if (status == HN_OK && o->states)
        status = rollout_write_states(rollout, o->states, error);
    return status == HN_OK && o->judging.report ? rollout_write_json(rollout, o->judging.report, error) : status;
}

static int verb_rollout_finish(const struct rollout *rollout) {
    hn_error error = {.status = HN_OK};
    hn_status status = verb_rollout_write_files(rollout, &error);
    rollout_print(rollout);
    if (status != HN_OK)
        return verb_explain(&error);
    bool ok = rollout->options->judging.allow_infeasible || rollout_all_ok(rollout);
    return rollout_stays(rollout) && ok ? VERB_OK : VERB_NOT_OK;
}

static int roll_out(struct rollout *rollout) {
    hn_error error = {.status = HN_OK};
    if (rollout->options->judging.reference && !hn_model_objective(rollout->model).name)
        return verb_misuse("rollout", "--reference: the model has no objective to minimise");
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
        return verb_rollout_finish(rollout);
    console_error("interrupted; nothing was written");
    return VERB_INTERRUPTED;
}

static int verb_rollout_run(void *values) {
    struct rollout_options *options = values;
    hn_model *model = NULL, *plant = NULL;
    struct rollout rollout = {.options = options};
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    rollout.model = model;
    code = rollout_find_feedback(options, model, "rollout");
    if (code == VERB_OK)
        code = rollout_load_plant(&plant, options, model);
    rollout.plant = plant;
    if (code == VERB_OK)
        code = roll_out(&rollout);
    rollout_end(&rollout);
    hn_model_destroy(model);
    hn_model_destroy(plant);
    return code;
}

/* ---- options ---- */

int verb_rollout(int argc, char **argv) {
    struct rollout_options o = {.steps = STEPS, .judging = {.starts = JUDGING_STARTS, .seed = JUDGING_SEED}};
    const struct option table[] = {
        {.name = "net",
         .value = "[NAME=]NET",
         .help = "a network, as hardnet train saves it; may be repeated",
         .list = &o.nets,
         .file = FILE_READ_NAMED},
        READ_FILE("x0", "X", "start inputs of the loops: rows of a file, or numbers, as in -3.2,0.3,-0.1", o.x0),
        {.name = "samples",
         .value = "N",
         .help = "number of starts to sample from the input range, instead of --x0",
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
         .help = "next inputs INPUT[...] are the defined variables DEFINED[...]; may be repeated (the model's next)",
         .list = &o.feedback},
        READ_FILE("plant", "OTHER.mod",
                  "model with the same inputs and outputs whose defined variables are fed back instead", o.plant),
        {.name = "disturbance",
         .value = "S",
         .help =
             "standard deviation of a normal disturbance of the next inputs: one, or one per input, as in 0.1,0,0.02",
         .text = &o.disturbance},
        {.name = "cost", .value = "NAME", .help = "defined variable that is summed over the steps", .text = &o.cost},
        {.name = "final-cost",
         .value = "NAME",
         .help = "defined variable that is added once, at the last step",
         .text = &o.final_cost},
        {.name = "margin",
         .value = "NAME",
         .help = "defined variable or group of rows whose smallest margin is reported",
         .text = &o.margin},
        WRITTEN_FILE("csv", "FILE", "write a line for every step", o.csv),
        {.name = "show",
         .value = "NAME",
         .help = "additional output or defined variable in --csv; may be repeated",
         .list = &o.show},
        WRITTEN_FILE("states", "X.npy", "write the inputs of all steps, a row each, as train --x reads them", o.states),
        {.name = "allow-outside",
         .help = "exit 0 even if a network leaves the box of its inputs",
         .flag = &o.allow_outside},
        COMPILE_OPTIONS(o.compile),
        JUDGING_OPTIONS(o.judging, "step"),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "rollout",
                                    .usage = "MODEL.mod [DATA.dat ...] --net NET.safetensors --x0 X [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .settle = verb_rollout_settle,
                                    .run = verb_rollout_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
