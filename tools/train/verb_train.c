/* verb_train.c - hardnet train MODEL.mod [DATA.dat ...] --out NET.safetensors: trains a network for a model with an
 * objective.
 *
 * Writes the network that is best by validation. Checkpoints are written periodically and on Ctrl-C or SIGTERM;
 * --resume ends with the same bytes as an uninterrupted training.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "common/command.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/interrupt.h"
#include "common/load.h"
#include "common/survey.h"
#include "common/verbs.h"
#include "hardnet/emit.h"
#include "reference/reference.h"
#include "train/train.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char about[] =
    "Trains a network for a model with an objective. Its outputs are corrected by the layer, so that they satisfy the\n"
    "constraints. Three methods are baselines with their published settings: paper, and soft and "
    "dc3,\n"
    "whose outputs need not satisfy the constraints; hardnet train --method NAME --help shows these settings.\n"
    "Inputs are sampled from the model's input range and satisfy its check: conditions, or are the rows of --x. The "
    "network\n"
    "that is best on the validation inputs is written. Ctrl-C leaves a checkpoint; --resume continues from it to the\n"
    "same bytes as a training that was never interrupted.";

static const char example[] =
    "  hardnet train models/unicycle.mod --out net.safetensors\n"
    "  hardnet train models/unicycle.mod --out net.safetensors --candidates 2 --refine 2 --feedback z0=next --resume\n";

static hn_status write_validation(const struct training *t, hn_error *error) {
    const char *path = t->options->validation_inputs;
    return path ? hn_array_write(path, t->validation, t->source.inputs, t->validation_x, error) : HN_OK;
}

/* ---- running ---- */

static int verb_train_finish(struct training *t, bool done) {
    hn_error error = {.status = HN_OK};
    training_keep(t);
    printf("Training%s\n", done ? "" : " (interrupted)");
    train_print(t);
    if (!done) {
        console_error("interrupted after step %zu; --resume continues from %s", state_count(t, NUMBER_STEPS),
                      t->options->checkpoint);
        return interrupt_code();
    }
    if (state_count(t, NUMBER_BEST_OK) < t->validation)
        console_warning("%zu of %zu validation inputs are not ok", t->validation - state_count(t, NUMBER_BEST_OK),
                        t->validation);
    train_warn_of_loops(t);
    if (training_write(t, &error) != HN_OK || write_validation(t, &error) != HN_OK)
        return verb_explain(&error);
    if (!t->options->keep)
        unlink(t->options->checkpoint); /* of a training that is done; --keep wants it for going on */
    train_print_prospects(t);
    printf("  written     %s\n", figures_name(t->options->out).text);
    bool corrects = t->options->scheme == SCHEME_LAYER && !t->options->by_loss;
    return corrects && state_count(t, NUMBER_BEST_OK) == 0 ? VERB_NOT_OK : VERB_OK;
}

/* Whether hardnet emit supports the network, or the reason, before the training. Candidates and refinement do not
 * matter. */
static bool can_be_emitted(const struct train_options *o, const hn_model *model) {
    hn_error error = {.status = HN_OK};
    hn_emit_options options = {.size = sizeof options};
    hn_emit_get_defaults(&options, &error);
    options.layer = train_trainer_options(o).policy.layer;
    options.layer.kernel = NULL;
    if (o->scheme != SCHEME_LAYER)
        console_warning("hardnet emit will refuse this network: outputs of --method %s do not go through the layer",
                        o->choice.method);
    else if (hn_emit_check(model, NULL, &options, &error) != HN_OK)
        console_warning("hardnet emit will refuse this network: %s", error.text);
    else
        return true;
    return false;
}

static int train(struct training *t, bool emits) {
    hn_error error = {.status = HN_OK};
    bool done = false;
    interrupt_begin();
    interrupt_take_terminate();
    int code = training_create(t);
    if (code == VERB_OK && emits)
        printf("Emission\n  possible, with candidates and refinement: hardnet emit\n");
    if (code == VERB_OK)
        training_print_survey(t);
    if (code == VERB_OK)
        code = training_run(t, &done, &error) == HN_OK ? verb_train_finish(t, done) : verb_explain(&error);
    else if (interrupt_came())
        console_error("interrupted before the first step; nothing was written");
    if (t->hopeless)
        code = VERB_NOT_OK;
    interrupt_end();
    return code;
}

static int verb_train_settle(void *values) {
    struct train_options *options = values;
    hn_error error;
    int code = train_settle(options);
    bool asks = options->reference && !train_has_teacher(options);
    if (code != VERB_OK || !asks || reference_find(&error) == HN_OK)
        return code;
    console_error("--reference %s: %s", options->reference, error.text);
    return VERB_FAILED;
}

static int verb_train_run(void *values) {
    struct train_options *options = values;
    hn_model *model = NULL;
    struct training training = {.options = options};
    int code = load_model(&model, &options->files, &options->common);
    if (code != VERB_OK)
        return code;
    training.model = model;
    code = train_feedback(options, model);
    if (code == VERB_OK)
        code = train_compile(options, model);
    if (code == VERB_OK)
        code = init_load(&training.network, options, model);
    bool emits = code == VERB_OK && hn_model_objective(model).name && can_be_emitted(options, model);
    if (code == VERB_OK)
        code = train(&training, emits);
    training_release(&training);
    hn_model_destroy(model);
    return code;
}

/* ---- options ---- */

#define COUNT(NAME, VALUE, HELP, PLACE, LEAST, MOST)                                                                   \
    {                                                                                                                  \
        .name = (NAME), .value = (VALUE), .help = (HELP), .count = &(PLACE), .least = (LEAST), .most = (MOST),         \
        .shown = true                                                                                                  \
    }
#define REAL_OPTION(NAME, VALUE, HELP, PLACE)                                                                          \
    { .name = (NAME), .value = (VALUE), .help = (HELP), .real = &(PLACE), .shown = true }
#define WORD(NAME, VALUE, HELP, PLACE, WORDS)                                                                          \
    { .name = (NAME), .value = (VALUE), .help = (HELP), .text = &(PLACE), .words = (WORDS), .shown = true }

enum { MOST_SAMPLES = 10000000 };

/* Long, because the options are one table. */
int verb_train(int argc, char **argv) {
    struct train_options o = train_defaults(options_peek(argc, argv, "method"), options_peek(argc, argv, "loss"));
    o.shape_given = options_peek(argc, argv, "hidden") || options_peek(argc, argv, "activation") ||
                    options_peek(argc, argv, "structure") || options_peek(argc, argv, "norm") ||
                    options_peek(argc, argv, "network");
    const struct option table[] = {
        WRITTEN_FILE("out", "NET.safetensors", "output file of the network", o.out),
        COUNT("seed", "S", "seed of weights, sampled inputs and validation inputs", o.seed, 0, 0),
        READ_FILE("init", "NET", "start from the weights of this network, also of another model", o.init),
        WORD("hidden", "WIDTHS", "widths of the hidden layers", o.hidden, NULL),
        WORD("activation", "NAME", "activation: relu, tanh or silu", o.activation, train_activations),
        WORD("structure", "NAME", "plain, or residual: each hidden layer adds its input to its output", o.structure,
             train_structures),
        {.name = "norm",
         .value = "NAME",
         .help = "none, or layer: layer normalisation of hidden layers (layer if all have 16 neurons or "
                 "more; "
                 "none with --loss objective and baselines)",
         .text = &o.norm,
         .words = train_norms},
        WORD("network", "BEGIN",
             "initial network: scaled (shifts and scales, small weights) or plain (uniform weights)", o.first,
             train_firsts),
        {.name = "candidates",
         .value = "K",
         .help = "candidate outputs per input, of which the best is chosen (automatic, up to 8)",
         .count = &o.candidates,
         .least = 1,
         .most = HN_POLICY_MOST_CANDIDATES,
         .given = &o.candidates_given},
        {.name = "refine",
         .value = "K",
         .help = "maximum refinement steps after the correction (automatic, 0 or 1)",
         .count = &o.refine,
         .most = HN_POLICY_MOST_REFINE,
         .given = &o.refine_given},
        {.name = "method",
         .value = "METHOD",
         .help = "one of" LAYER_METHODS ", or soft (a penalty only), dc3 (completion and correction) (auto)",
         .text = &o.choice.method,
         .words = train_methods},
        LAYER_SETTINGS(o.choice),
        COMPILE_OPTIONS(o.choice.compile),
        DEVICE_OPTIONS(o.device),
        {.name = "penalty",
         .value = "L",
         .help = "weight of |r|^2 in --method soft, of |r| in dc3",
         .real = &o.penalty,
         .given = &o.penalty_given,
         .shown = true},
        {.name = "correction-steps",
         .value = "K",
         .help = "maximum gradient steps of --method dc3",
         .count = &o.correction_steps,
         .most = 1000000,
         .given = &o.correction_steps_given,
         .shown = true},
        {.name = "correction-rate",
         .value = "R",
         .help = "step length of --method dc3",
         .real = &o.correction_rate,
         .positive = true,
         .given = &o.correction_rate_given,
         .shown = true},
        {.name = "momentum",
         .value = "M",
         .help = "momentum of --method dc3: share of the previous step in each step",
         .real = &o.momentum,
         .given = &o.momentum_given,
         .shown = true},
        {.name = "loss",
         .value = "LOSS",
         .help = "loss: objective, improve (imitate improved outputs) or targets",
         .text = &o.loss,
         .words = train_losses,
         .given = &o.loss_given,
         .shown = true},
        COUNT("improve", "K", "refinement steps that improve the outputs for --loss improve", o.improve, 1,
              HN_POLICY_MOST_REFINE - 1),
        REAL_OPTION("explore", "S", "imitate another input's output if it lowers the objective by this share; 0: never",
                    o.explore),
        {.name = "train-iterations",
         .value = "K",
         .help = "maximum steps of the correction that --loss objective differentiates through",
         .count = &o.train_iterations,
         .least = 1,
         .most = INT_MAX,
         .given = &o.train_iterations_given},
        REAL_OPTION("residual-weight", "W", "weight of the remaining violation in --loss objective", o.residual_weight),
        REAL_OPTION("move-weight", "W", "weight of the correction distance in --loss objective", o.move_weight),
        COUNT("survey", "N", "inputs to survey before training: feasibility, several optima, scale; 0: none", o.survey,
              0, SURVEY_MOST),
        {.name = "epochs",
         .value = "N",
         .help = "number of epochs; by default twice as many with several optima",
         .count = &o.epochs,
         .least = 1,
         .most = INT_MAX,
         .given = &o.epochs_given,
         .shown = true},
        COUNT("steps-per-epoch", "N", "steps of an epoch; a validation follows each epoch", o.steps_per_epoch, 1,
              INT_MAX),
        {.name = "steps",
         .value = "N",
         .help = "number of steps, instead of --epochs",
         .count = &o.steps,
         .most = INT_MAX,
         .given = &o.steps_given},
        COUNT("batch", "N", "samples per step", o.batch, 1, MOST_SAMPLES),
        REAL_OPTION("rate", "R", "learning rate of Adam, with cosine decay", o.rate),
        REAL_OPTION("last-share", "S", "final learning rate as a share of the rate; 1: no decay", o.last_share),
        COUNT("warmup", "N", "warm-up steps of the learning rate", o.warmup, 0, INT_MAX),
        REAL_OPTION("clip-sample", "G", "gradient clipping per sample; 0: none", o.clip_sample),
        REAL_OPTION("clip-batch", "G", "gradient clipping per step; 0: none", o.clip_batch),
        READ_FILE("x", "X.npy", "inputs to train on, a row each (sampled from the box)", o.x),
        READ_FILE("targets", "Y.npy", "outputs to imitate, a row for each of --x", o.targets),
        {.name = "reference",
         .value = "SOLVER",
         .help = "let this solver compute targets: ipopt, or optimal, the layer's own method",
         .text = &o.reference,
         .words = train_references},
        COUNT(
            "multistart", "K",
            "starts of the method optimal per input, to find out whether there are several optima, and three times as "
            "many to find them; 0: no search",
            o.multistart, 0, 1000),
        COUNT("labels", "N", "number of targets that the solver computes", o.labels, 1, MOST_SAMPLES),
        {.name = "target-steps",
         .value = "N",
         .help = "first steps that imitate the targets, before --loss",
         .count = &o.target_steps,
         .most = INT_MAX},
        {.name = "feedback",
         .value = "INPUT=DEFINED",
         .help = "defined variables that are the next inputs in closed loop; may be repeated (the model's next)",
         .list = &o.feedback},
        {.name = "open-loop", .help = "do not train along closed loops", .flag = &o.open_loop},
        REAL_OPTION("feedback-share", "S", "share of each batch from closed loops", o.feedback_share),
        COUNT("feedback-steps", "N", "mean length of a closed loop, in steps", o.feedback_steps, 1, INT_MAX),
        {.name = "feedback-beyond",
         .help = "continue closed loops that leave the box of the inputs (where the optimum leaves it at most inputs)",
         .flag = &o.feedback_beyond},
        {.name = "feedback-inside",
         .help = "end closed loops that leave the box, even where the optimum leaves it at most inputs",
         .flag = &o.feedback_inside},
        COUNT("validation", "N", "number of validation inputs", o.validation, 1, MOST_SAMPLES),
        {.name = "validate-every",
         .value = "N",
         .help = "steps between validations (an epoch)",
         .count = &o.validate_every,
         .least = 1,
         .most = INT_MAX,
         .given = &o.validate_given},
        COUNT("patience", "N", "stop after this number of validations without improvement; 0: never", o.patience, 0,
              INT_MAX),
        WRITTEN_FILE("checkpoint", "FILE", "checkpoint file (OUT.checkpoint)", o.checkpoint),
        REAL_OPTION("checkpoint-every", "TIME", "seconds between checkpoints", o.checkpoint_seconds),
        COUNT("checkpoint-steps", "N", "steps between checkpoints; 0: by time only", o.checkpoint_steps, 0, INT_MAX),
        {.name = "resume", .help = "continue from the checkpoint; more steps extend the training", .flag = &o.resume},
        {.name = "keep", .help = "keep the checkpoint after the training has ended", .flag = &o.keep},
        WRITTEN_FILE("log", "FILE", "write the training curve, as CSV", o.log),
        WRITTEN_FILE("validation-inputs", "X.npy", "write the validation inputs, a row each, as eval --x reads them",
                     o.validation_inputs),
        COMMON_OPTIONS(o.common),
    };
    const struct command command = {.name = "train",
                                    .usage = "MODEL.mod [DATA.dat ...] --out NET.safetensors [options]",
                                    .about = about,
                                    .example = example,
                                    .common = &o.common,
                                    .settle = verb_train_settle,
                                    .run = verb_train_run,
                                    COMMAND_OPTIONS(table, o)};
    return command_run(&command, argc, argv);
}
