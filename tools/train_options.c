/* train_options.c - the options of hardnet train: their defaults, what does not fit, and what the trainer gets.
 *
 * SPDX-License-Identifier: MIT */
#include "console.h"
#include "train.h"
#include "verbs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD(name, text) text,
const char *const train_activations[] = {HN_ACTIVATION_LIST(WORD) NULL};
const char *const train_losses[] = {"objective", "improve", "targets", NULL};
const char *const train_references[] = {"ipopt", NULL};

/* ---- defaults ---- */

struct train_options train_defaults(void) {
    hn_train_options trainer = hn_train_defaults();
    return (struct train_options){
        .hidden = "200,200",
        .activation = "relu",
        .loss = "improve",
        .epochs = 40,
        .steps_per_epoch = 100,
        .batch = 240,
        .seed = 1,
        .improve = 1,
        .explore = trainer.explore,
        .candidates = 1,
        .labels = 1000,
        .validation = 500,
        .feedback_share = 0.5,
        .feedback_steps = 20, /* of a rollout, in the mean */
        .checkpoint_seconds = 30,
        .rate = trainer.rate,
        .warmup = (size_t)trainer.warmup,
        .clip_sample = trainer.clip_sample,
        .clip_batch = trainer.clip_batch,
        .residual_weight = trainer.residual_weight,
        .move_weight = trainer.move_weight,
    };
}

/* ---- what follows ---- */

static int misused(const char *text) {
    console_error("%s", text);
    return VERB_MISUSED;
}

static int parse_hidden(hn_network_options *network, const char *text) {
    const char *at = text;
    network->hidden_count = 0;
    for (;;) {
        char *end;
        unsigned long width = strtoul(at, &end, 10);
        bool number = at[0] >= '0' && at[0] <= '9' && width > 0 && width <= 1000000 && (*end == ',' || *end == '\0');
        if (!number || network->hidden_count == HN_NETWORK_MOST_HIDDEN) {
            console_error("--hidden: '%s' is no list of at most %d widths, like 200,200", text, HN_NETWORK_MOST_HIDDEN);
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
    if (o->targets && !o->x)
        return misused("--targets: needs the inputs that they belong to, --x");
    if (o->targets && o->reference)
        return misused("--targets and --reference: one of them is enough");
    if (!labelled && o->goal == TRAIN_TARGETS)
        return misused("--loss targets: needs --targets or --reference");
    if (!labelled && o->target_steps > 0)
        return misused("--target-steps: needs --targets or --reference");
    if (labelled && o->goal != TRAIN_TARGETS && o->target_steps == 0)
        return misused("--targets and --reference: have no use here without --target-steps or --loss targets");
    return VERB_OK;
}

static int settle_steps(struct train_options *o) {
    if (!o->steps_given && o->steps_per_epoch > (size_t)INT_MAX / o->epochs)
        return misused("--epochs: too many steps");
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
    return length < (int)sizeof o->checkpoint_name ? VERB_OK : misused("--out: the name of the file is too long");
}

int train_settle(struct train_options *o) {
    if (!o->out)
        return misused("--out: where to write the network is missing");
    if (o->feedback_share > 1)
        return misused("--feedback-share: choose a number from 0 to 1");
    int code = settle_loss(o);
    if (code == VERB_OK)
        code = settle_steps(o);
    if (code == VERB_OK)
        code = settle_checkpoint(o);
    if (code == VERB_OK)
        code = parse_hidden(&o->network, o->hidden);
    hn_activation_find(o->activation, &o->network.activation);
    o->network.seed = o->seed;
    return code;
}

/* ---- for the trainer ---- */

hn_train_options train_trainer_options(const struct train_options *o) {
    hn_train_options trainer = hn_train_defaults();
    int through = trainer.layer.iterations;
    trainer.policy.layer = layer_choice_options(&o->choice, trainer.policy.layer);
    trainer.policy.candidates = o->candidates;
    trainer.policy.refine = (int)o->refine;
    trainer.policy.threads = (int)o->common.threads;
    trainer.layer = layer_choice_options(&o->choice, trainer.layer);
    if (o->train_iterations_given)
        trainer.layer.iterations = (int)o->train_iterations;
    else if (trainer.layer.iterations > through) /* the loss goes through few */
        trainer.layer.iterations = through;
    trainer.improve = o->goal == TRAIN_IMPROVE ? (int)o->improve : 0;
    trainer.explore = o->explore;
    trainer.residual_weight = o->residual_weight;
    trainer.move_weight = o->move_weight;
    trainer.clip_sample = o->clip_sample;
    trainer.clip_batch = o->clip_batch;
    trainer.rate = o->rate;
    trainer.warmup = (int)o->warmup;
    trainer.steps = (int)o->steps;
    return trainer;
}
