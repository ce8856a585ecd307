/* train_options.c - the options of hardnet train: defaults by method, checks, and the options of the trainer.
 *
 * Three methods are baselines, with the settings that were published for them: paper, whose loss is the objective
 * through all 500 steps; soft, a penalty of 1000 |r|^2 and nothing else; dc3, with 100 correction steps of 0.1 and the
 * loss f + 5 |r| (DC3's 10, half of which is for inequalities). All three begin with a network without shifts and
 * scales, uniform weights and biases, train 500 epochs of 17 batches of 1000 by Adam at 1e-4 and keep the network with
 * the smallest validation loss.
 *
 * SPDX-License-Identifier: MIT */
#include "common/console.h"
#include "common/survey.h"
#include "common/verbs.h"
#include "train/train.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(name, text) text,
const char *const train_activations[] = {HN_ACTIVATION_LIST(WORD) NULL};
const char *const train_structures[] = {"plain", "residual", NULL};
const char *const train_norms[] = {"none", "layer", NULL};
const char *const train_losses[] = {"objective", "improve", "targets", NULL};
const char *const train_firsts[] = {"scaled", "plain", NULL};

#define METHOD(name, text) text,
const char *const train_methods[] = {HN_METHOD_LIST(METHOD) "soft", "dc3", NULL};

const char *const train_references[] = {"ipopt", "optimal", NULL};

bool train_has_teacher(const struct train_options *options) {
    return options->reference && strcmp(options->reference, "optimal") == 0;
}

/* ---- defaults ---- */

static void set_baseline(struct train_options *o) {
    o->hidden = "200,200";
    o->first = "plain";
    o->norm = "none";
    o->loss = "objective";
    o->epochs = 500;
    o->steps_per_epoch = 17; /* 16 800 windows in batches of */
    o->batch = 1000;
    o->rate = 1e-4;
    o->warmup = 0;
    o->last_share = 1;
    o->clip_sample = o->clip_batch = 0;
    o->residual_weight = o->move_weight = o->inward = 0;
    o->by_loss = true;
}

static void set_method(struct train_options *o, const char *method) {
    bool soft = strcmp(method, "soft") == 0, dc3 = strcmp(method, "dc3") == 0;
    if (soft || dc3 || strcmp(method, hn_method_text(HN_METHOD_PAPER)) == 0)
        set_baseline(o);
    o->scheme = soft ? SCHEME_NONE : dc3 ? SCHEME_DC3 : SCHEME_LAYER;
    o->penalty = soft ? 1000 : dc3 ? 5 : 0;
}

/* The gradient of the objective through the layer wants smaller steps than imitation does. */
static const double IMITATION_RATE = 4e-3, OBJECTIVE_RATE = 3e-4;

static struct train_options usual(void) {
    hn_train_options trainer = hn_train_defaults();
    struct baseline baseline = baseline_defaults();
    return (struct train_options){
        .hidden = "128,128,128,128",
        .activation = "relu",
        .structure = "plain",
        .first = "scaled",
        .loss = "improve",
        .epochs = 40,
        .steps_per_epoch = 100,
        .batch = 240,
        .seed = 1,
        .improve = 1,
        .explore = trainer.explore,
        .candidates = 1,
        .labels = 1000,
        .multistart = 4,
        .survey = SURVEY_SAMPLES,
        .validation = 500,
        .feedback_share = 0.5,
        .feedback_steps = 20, /* of a rollout, in the mean */
        .checkpoint_seconds = 30,
        .rate = IMITATION_RATE,
        .last_share = trainer.last_share,
        .inward = trainer.inward,
        .correction_steps = (size_t)baseline.correction_steps,
        .correction_rate = baseline.correction_rate,
        .momentum = baseline.momentum,
        .warmup = (size_t)trainer.warmup,
        .clip_sample = trainer.clip_sample,
        .clip_batch = trainer.clip_batch,
        .residual_weight = trainer.residual_weight,
        .move_weight = trainer.move_weight,
    };
}

struct train_options train_defaults(const char *method, const char *loss) {
    struct train_options o = usual();
    set_method(&o, method ? method : hn_method_text(HN_METHOD_AUTO));
    if (!o.by_loss && loss && strcmp(loss, train_losses[TRAIN_OBJECTIVE]) == 0)
        o.rate = OBJECTIVE_RATE;
    return o;
}

/* ---- what follows ---- */

static int parse_hidden(hn_network_options *network, const char *text) {
    const char *at = text;
    network->hidden_count = 0;
    for (;;) {
        char *end;
        unsigned long width = strtoul(at, &end, 10);
        bool number = at[0] >= '0' && at[0] <= '9' && width > 0 && width <= 1000000 && (*end == ',' || *end == '\0');
        if (!number || network->hidden_count == HN_NETWORK_MOST_HIDDEN) {
            console_error("--hidden: '%s' is not a list of at most %d widths, such as 200,200", text,
                          HN_NETWORK_MOST_HIDDEN);
            return VERB_MISUSED;
        }
        network->hidden[network->hidden_count++] = width;
        if (*end == '\0')
            return VERB_OK;
        at = end + 1;
    }
}

static int settle_loss(struct train_options *o) {
    bool labelled = o->targets || o->reference;
    if (!o->loss_given && labelled && o->target_steps == 0)
        o->loss = "targets";
    for (int i = 0; train_losses[i]; i++)
        if (strcmp(o->loss, train_losses[i]) == 0)
            o->goal = (enum train_loss)i;
    o->by_loss = o->by_loss && (o->goal == TRAIN_OBJECTIVE || o->scheme != SCHEME_LAYER);
    if (o->targets && !o->x)
        return verb_misuse("train", "--targets: needs the inputs that the targets belong to, --x");
    if (o->targets && o->reference)
        return verb_misuse("train", "--targets and --reference exclude each other: targets come from one of them");
    if (!labelled && o->goal == TRAIN_TARGETS)
        return verb_misuse("train", "--loss targets: needs --targets or --reference");
    if (!labelled && o->target_steps > 0)
        return verb_misuse("train", "--target-steps: needs --targets or --reference");
    if (o->choice.method && strcmp(o->choice.method, "optimal") == 0 && o->goal == TRAIN_OBJECTIVE)
        return verb_misuse("train", "--loss objective: with --method optimal the outputs do not depend on the network");
    if (labelled && o->goal != TRAIN_TARGETS && o->target_steps == 0)
        return verb_misuse("train", "--targets and --reference are not used without --target-steps or --loss targets");
    return VERB_OK;
}

/* The first given option that has no effect; NULL: none. */
static const char *out_of_place(const struct train_options *o) {
    bool layer = o->scheme == SCHEME_LAYER, dc3 = o->scheme == SCHEME_DC3;
    const struct {
        const char *name;
        bool wrong;
    } options[] = {{"penalty", layer && o->penalty_given},
                   {"correction-steps", !dc3 && o->correction_steps_given},
                   {"correction-rate", !dc3 && o->correction_rate_given},
                   {"momentum", !dc3 && o->momentum_given},
                   {"damping", !layer && o->choice.damping_given},
                   {"iterations", !layer && o->choice.iterations_given},
                   {"effort", !layer && o->choice.effort_given},
                   {"train-iterations", !layer && o->train_iterations_given},
                   {"refine", !layer && o->refine > 0},
                   {"loss improve", !layer && o->goal == TRAIN_IMPROVE},
                   {"targets", dc3 && o->targets},
                   {"reference", dc3 && o->reference},
                   {"move-weight", dc3 && o->move_weight > 0}};
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++)
        if (options[i].wrong)
            return options[i].name;
    return NULL;
}

static int settle_method(const struct train_options *o) {
    const char *method = o->choice.method ? o->choice.method : hn_method_text(HN_METHOD_AUTO), *wrong = out_of_place(o);
    if (wrong) {
        console_error("--%s: has no use with --method %s", wrong, method);
        return VERB_MISUSED;
    }
    if (o->momentum >= 1)
        return verb_misuse("train", "--momentum: choose a number from 0 to below 1");
    return o->last_share > 1 ? verb_misuse("train", "--last-share: choose a number from 0 to 1") : VERB_OK;
}

static int settle_steps(struct train_options *o) {
    if (!o->steps_given && o->steps_per_epoch > (size_t)INT_MAX / o->epochs)
        return verb_misuse("train", "--epochs: too many steps");
    if (!o->steps_given)
        o->steps = o->epochs * o->steps_per_epoch;
    if (!o->validate_given)
        o->validate_every = o->steps_per_epoch;
    return VERB_OK;
}

static int settle_checkpoint(struct train_options *o) {
    if (o->checkpoint)
        return VERB_OK;
    int length = snprintf(o->checkpoint_name, sizeof o->checkpoint_name, "%s.checkpoint", o->out);
    o->checkpoint = o->checkpoint_name;
    return length < (int)sizeof o->checkpoint_name ? VERB_OK
                                                   : verb_misuse("train", "--out: the name of the file is too long");
}

/* Narrow layers lose too much by normalisation; with the loss `objective` the effect is mixed. */
static const char *usual_norm(const struct train_options *o) {
    bool simd = true;
    for (size_t i = 0; i < o->network.hidden_count; i++)
        simd = simd && o->network.hidden[i] >= TRAIN_LEAST_NORMALISED;
    return train_norms[simd && o->goal != TRAIN_OBJECTIVE];
}

/* What residual and normalised layers need (hardnet/network.h). */
static int settle_shape(struct train_options *o) {
    const hn_network_options *n = &o->network;
    bool pair = false, single = false;
    o->norm = o->norm ? o->norm : usual_norm(o);
    o->network.residual = strcmp(o->structure, "residual") == 0;
    o->network.layer_norm = strcmp(o->norm, "layer") == 0;
    for (size_t i = 0; i < n->hidden_count; i++) {
        pair = pair || (i > 0 && n->hidden[i] == n->hidden[i - 1]);
        single = single || n->hidden[i] < 2;
    }
    if (n->residual && !pair)
        return verb_misuse("train", "--structure residual: needs two hidden layers in a row of the same width");
    return n->layer_norm && single ? verb_misuse("train", "--norm layer: needs hidden layers of at least 2 neurons")
                                   : VERB_OK;
}

int train_settle(struct train_options *o) {
    if (!o->out)
        return verb_misuse("train", "--out: the file for the network is missing");
    if (o->feedback_share > 1)
        return verb_misuse("train", "--feedback-share: choose a number from 0 to 1");
    int code = settle_loss(o);
    if (code == VERB_OK)
        code = device_choice_policy(&o->device_asked, &o->device_options, &o->device);
    if (code == VERB_OK)
        code = settle_method(o);
    if (code == VERB_OK)
        code = settle_steps(o);
    if (code == VERB_OK)
        code = settle_checkpoint(o);
    if (code == VERB_OK)
        code = parse_hidden(&o->network, o->hidden);
    if (code == VERB_OK)
        code = settle_shape(o);
    hn_activation_find(o->activation, &o->network.activation);
    o->network.seed = o->seed;
    o->network.uniform = strcmp(o->first, "plain") == 0;
    return code;
}

/* ---- for the trainer ---- */

int train_compile(struct train_options *o, const hn_model *model) {
    struct compile_choice *choice = &o->choice.compile;
    hn_layer_options layer = layer_choice_options(&o->choice, hn_policy_defaults().layer);
    if (o->scheme != SCHEME_LAYER && (choice->asked || choice->kernel))
        return verb_misuse("train", "--compile, --kernel: this method has no layer");
    int code = compile_choice_settle(choice, model, &layer, true);
    o->kernel = layer.kernel;
    return code;
}

static hn_policy_options policy_options(const struct train_options *o) {
    hn_policy_options policy = hn_policy_defaults();
    policy.layer = layer_choice_options(&o->choice, policy.layer);
    policy.layer.kernel = o->kernel;
    policy.candidates = o->candidates;
    policy.refine = (int)o->refine;
    policy.threads = (int)o->common.threads;
    policy.device = o->device_asked;
    return policy;
}

struct baseline train_baseline(const struct train_options *o) {
    return (struct baseline){.scheme = o->scheme,
                             .correction_steps = (int)o->correction_steps,
                             .correction_rate = o->correction_rate,
                             .momentum = o->momentum};
}

/* The loss differentiates few steps, except for the method paper. */
static hn_layer_options layer_through(const struct train_options *o, const hn_policy_options *policy) {
    int few = hn_train_defaults().layer.iterations;
    hn_layer_options layer = policy->layer;
    if (o->train_iterations_given)
        layer.iterations = (int)o->train_iterations;
    else if (!o->by_loss && (layer.iterations < 0 || layer.iterations > few))
        layer.iterations = few;
    return layer;
}

hn_train_options train_trainer_options(const struct train_options *o) {
    hn_train_options trainer = hn_train_defaults();
    trainer.policy = policy_options(o);
    trainer.layer = layer_through(o, &trainer.policy);
    trainer.improve = o->goal == TRAIN_IMPROVE ? (int)o->improve : 0;
    trainer.explore = o->explore;
    trainer.residual_weight = o->residual_weight + (o->scheme == SCHEME_DC3 ? o->penalty : 0);
    trainer.square_weight = o->scheme == SCHEME_NONE ? o->penalty : 0;
    trainer.inward = o->inward;
    trainer.move_weight = o->move_weight;
    trainer.clip_sample = o->clip_sample;
    trainer.clip_batch = o->clip_batch;
    trainer.rate = o->rate;
    trainer.last_share = o->last_share;
    trainer.warmup = (int)o->warmup;
    trainer.steps = (int)o->steps;
    return trainer;
}
