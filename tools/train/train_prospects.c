/* train_prospects.c - the last lines of a training: use of candidates, expected gain of more candidates and refinement.
 * See train.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "common/console.h"
#include "common/figures.h"
#include "common/prospects.h"
#include "train/train.h"

#include <math.h>
#include <stdio.h>

static const double NEARLY_ALL = 0.95;     /* of the inputs */
static const double REFINING_PAYS = 0.001; /* share of the mean |f| that a step must bring */

/* Methods that end at an optimum or the nearest point. */
static bool proves(const struct training *t) {
    hn_method method = hn_policy_options_of(hn_trainer_policy(t->trainer)).layer.method;
    return method == HN_METHOD_OPTIMAL || method == HN_METHOD_NEAREST;
}

/* ---- refinement ---- */

/* By how much the objectives of the validation inputs are lower than before, as a share; new ones where an output is
 * not ok count 0. */
static double gain(const struct training *t, const double *before) {
    double size = 0, lower = 0;
    for (size_t i = 0; i < t->validation; i++) {
        if (t->reports[i].outcome != HN_OUTCOME_OK || !isfinite(before[i]) || !isfinite(t->objective[i]))
            continue;
        size += fabs(before[i]);
        lower += before[i] - t->objective[i];
    }
    return size > 0 ? lower / size : 0;
}

static hn_status objectives(const struct training *t, int refine, double *objective, hn_error *error) {
    hn_policy_options options = hn_policy_options_of(hn_trainer_policy(t->trainer));
    hn_policy *policy = NULL;
    options.refine = refine;
    options.device = NULL;
    hn_status status = hn_policy_create(&policy, t->model, t->network, &options, error);
    if (status == HN_OK)
        status = hn_policy_run(policy, t->validation, t->validation_x, NULL, objective, t->reports, error);
    hn_policy_destroy(policy);
    return status;
}

hn_status train_choose_refine(struct training *t, hn_error *error) {
    if (t->options->refine_given || !train_chooses(t->options) || proves(t))
        return HN_OK;
    double *before = train_numbers(t->validation, 1);
    hn_status status = before ? objectives(t, 0, before, error) : error_no_memory(error, "validation");
    if (status == HN_OK)
        status = objectives(t, 1, t->objective, error);
    double share = status == HN_OK ? gain(t, before) : 0;
    base_release(before);
    if (!(share > REFINING_PAYS))
        return status;
    t->options->refine = 1;
    printf("  refinement  1 step, which brings %s %s %% in the mean; --refine 0 would leave it out\n",
           figures_name(hn_model_objective(t->model).name).text, figures_percent(share).text);
    return HN_OK;
}

/* ---- the last words ---- */

/* What the written network makes of the validation inputs. */
struct last_run {
    hn_policy *policy; /* the trainer's, on the CPU */
    double *y;
    size_t *chosen, *uses;
};

static bool train_prospects_run(struct last_run *r, const struct training *t, hn_error *error) {
    hn_policy_options options = hn_policy_options_of(hn_trainer_policy(t->trainer));
    options.refine = (int)t->options->refine;
    size_t bytes, used;
    bool fits = size_multiply(t->validation, sizeof *r->chosen, &bytes) &&
                size_multiply(options.candidates, sizeof *r->uses, &used);
    options.device = NULL;
    r->y = train_numbers(t->validation, t->source.outputs);
    r->chosen = fits ? base_allocate(bytes) : NULL;
    r->uses = fits ? base_allocate(used) : NULL;
    return r->y && r->chosen && r->uses &&
           hn_policy_create(&r->policy, t->model, t->network, &options, error) == HN_OK &&
           hn_policy_run_chosen(r->policy, t->validation, t->validation_x, r->y, t->objective, t->reports, r->chosen,
                                error) == HN_OK;
}

static void end_run(struct last_run *r) {
    hn_policy_destroy(r->policy);
    base_release(r->y);
    base_release(r->chosen);
    base_release(r->uses);
}

/* As few candidates as have nearly all inputs. */
static void print_uses(const struct last_run *r, size_t candidates, size_t inputs) {
    size_t covered = 0, needed = 0;
    for (size_t k = 0; k < candidates; k++)
        r->uses[k] = 0;
    for (size_t i = 0; i < inputs; i++)
        r->uses[r->chosen[i]]++;
    while (needed < candidates && (double)covered < NEARLY_ALL * (double)inputs) {
        size_t most = 0;
        for (size_t k = 1; k < candidates; k++)
            most = r->uses[k] > r->uses[most] ? k : most;
        covered += r->uses[most];
        r->uses[most] = 0;
        needed++;
    }
    printf("  candidates  %zu candidates: %zu %s used on %s %% of inputs\n", candidates, needed,
           needed == 1 ? "is" : "are", figures_percent((double)covered / (double)inputs).text);
}

static void print_search(const struct train_options *o) {
    if (o->probed > 0)
        printf("  optima      for %zu of %zu inputs another start leads to a better one\n", o->several, o->probed);
}

static hn_status find_more(const struct last_run *r, const struct training *t, struct prospects *prospects,
                           hn_error *error) {
    const struct prospects_task task = {.model = t->model,
                                        .network = t->network,
                                        .options = hn_policy_options_of(r->policy),
                                        .count = t->validation,
                                        .x = t->validation_x,
                                        .y = r->y,
                                        .objective = t->objective,
                                        .reports = t->reports};
    return prospects_find(prospects, &task, error);
}

static hn_status print_more(const struct last_run *r, const struct training *t, hn_error *error) {
    struct prospects prospects;
    hn_status status = find_more(r, t, &prospects, error);
    if (status != HN_OK || prospects.count == 0)
        return status;
    printf("  prospects   ");
    prospects_print(stdout, &prospects, t->model);
    printf("\n");
    return HN_OK;
}

void train_print_prospects(const struct training *t) {
    hn_error error = {.status = HN_OK};
    struct last_run r = {.policy = NULL};
    if (t->options->scheme != SCHEME_LAYER || proves(t))
        return;
    print_search(t->options);
    bool done = train_prospects_run(&r, t, &error);
    if (done && t->options->candidates > 1)
        print_uses(&r, t->options->candidates, t->validation);
    if (!done || print_more(&r, t, &error) != HN_OK)
        console_warning("prospects: %s", error.text);
    end_run(&r);
}

hn_status train_find_prospects(const struct training *t, struct prospects *prospects, hn_error *error) {
    struct last_run r = {.policy = NULL};
    *prospects = (struct prospects){.count = 0};
    if (t->options->scheme != SCHEME_LAYER || proves(t))
        return HN_OK;
    hn_status status =
        train_prospects_run(&r, t, error) ? find_more(&r, t, prospects, error) : error_no_memory(error, "prospects");
    end_run(&r);
    return status;
}
