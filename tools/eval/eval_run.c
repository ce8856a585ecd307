/* eval_run.c - loads a network, applies it to all samples and checks the results. See eval.h.
 *
 * Samples are processed in chunks, for progress and Ctrl-C; by the contract of the policy chunks do not change results.
 * They grow until one takes a quarter of a second.
 *
 * SPDX-License-Identifier: MIT */
#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/thread_pool.h"
#include "common/console.h"
#include "common/interrupt.h"
#include "common/progress.h"
#include "common/verbs.h"
#include "eval/eval.h"

#include <math.h>
#include <string.h>

enum { CHUNK_FIRST = 64, CHUNK_MOST = 65536 };
static const double CHUNK_SECONDS = 0.25;

/* ---- memory ---- */

void *eval_take(size_t count, size_t each, size_t size) {
    size_t bytes;
    if (!size_multiply(count, each, &bytes) || !size_multiply(bytes, size, &bytes))
        return NULL;
    void *block = base_allocate(bytes > 0 ? bytes : 1);
    if (block)
        memset(block, 0, bytes);
    return block;
}

static hn_status eval_run_reserve(struct eval *eval, hn_error *error) {
    size_t count = eval->samples.count;
    eval->y = eval_take(count, eval->outputs, sizeof *eval->y);
    eval->reports = eval_take(count, 1, sizeof *eval->reports);
    eval->objective = eval_take(count, 1, sizeof *eval->objective);
    eval->by = eval_take(eval->groups, 1, sizeof *eval->by);
    if (!eval->y || !eval->reports || !eval->objective || !eval->by)
        return error_no_memory(error, "the samples");
    return HN_OK;
}

void eval_close(struct eval *eval) {
    if (eval->policy != eval->loaded)
        hn_policy_destroy(eval->policy);
    hn_policy_destroy(eval->loaded);
    baseline_head_destroy(eval->head);
    eval->policy = eval->loaded = NULL;
    eval->head = NULL;
}

void eval_release(struct eval *eval) {
    eval_close(eval);
    hn_layer_destroy(eval->layer);
    samples_release(&eval->samples);
    base_release(eval->y);
    base_release(eval->reports);
    base_release(eval->objective);
    base_release(eval->by);
    base_release(eval->optima);
    base_release(eval->optimal);
}

/* ---- loading ---- */

/* Options that override the network's settings. A method of the layer has its own default damping and steps. The file
 * does not determine the tolerance. */
static bool change_settings(const struct eval_options *o, hn_policy_options *settings, struct baseline *baseline) {
    bool stricter = settings->layer.tolerance != o->tolerance;
    settings->layer.tolerance = o->tolerance;
    if (o->refine_given)
        settings->refine = (int)o->refine;
    if (o->method) {
        baseline->scheme = SCHEME_LAYER;
        baseline_apply(baseline, NULL, settings);
        settings->layer.damping = -1;
        settings->layer.iterations = -1;
        settings->layer.effort = 1;
        hn_method_find(o->method, &settings->layer.method);
    }
    if (o->iterations_given)
        settings->layer.iterations = (int)o->iterations;
    if (o->effort_given)
        settings->layer.effort = o->effort;
    return stricter || o->refine_given || o->method || o->iterations_given || o->effort_given;
}

static hn_status eval_run_load(struct eval *eval, hn_error *error) {
    const struct eval_options *o = eval->options;
    hn_status status = baseline_load(&eval->loaded, &eval->head, eval->model, o->net, (int)o->common.threads, error);
    if (status != HN_OK)
        return status;
    eval->settings = hn_policy_options_of(eval->loaded);
    eval->baseline = baseline_of(&eval->settings);
    eval->file_tolerance = eval->settings.layer.tolerance;
    eval->network = hn_network_options_of(hn_policy_network(eval->loaded));
    eval->changed = change_settings(o, &eval->settings, &eval->baseline);
    return HN_OK;
}

static int eval_run_compile(struct eval *eval) {
    struct compile_choice *choice = &eval->compile;
    bool asked = choice->asked || choice->kernel;
    if (asked && eval->baseline.scheme != SCHEME_LAYER) {
        console_error("--compile, --kernel: the network's method is %s, which has no layer",
                      scheme_text(eval->baseline.scheme));
        return VERB_MISUSED;
    }
    int code = compile_choice_settle(choice, eval->model, &eval->settings.layer, false);
    eval->changed = eval->changed || eval->settings.layer.kernel;
    return code;
}

static int choose_device(struct eval *eval) {
    int code = device_choice_policy(&eval->settings.device, &eval->device_options, &eval->options->device);
    eval->changed = eval->changed || eval->settings.device;
    return code;
}

static hn_status eval_run_build(struct eval *eval, hn_error *error) {
    hn_status status = HN_OK;
    eval->policy = eval->loaded;
    if (eval->changed)
        status = hn_policy_create(&eval->policy, eval->model, hn_policy_network(eval->loaded), &eval->settings, error);
    eval->device.size = sizeof eval->device;
    if (status == HN_OK && eval->settings.device)
        status = hn_policy_get_device(eval->policy, &eval->device, error);
    return status == HN_OK ? hn_layer_create(&eval->layer, eval->model, &eval->settings.layer, error) : status;
}

int eval_load(struct eval *eval) {
    hn_error error = {.status = HN_OK};
    size_t asked = eval->options->common.threads;
    eval->threads = asked > 0 ? (int)asked : thread_pool_cores();
    if (eval_run_load(eval, &error) != HN_OK)
        return verb_explain(&error);
    int code = eval_run_compile(eval);
    if (code == VERB_OK)
        code = choose_device(eval);
    if (code != VERB_OK)
        return code;
    return eval_run_build(eval, &error) == HN_OK ? VERB_OK : verb_explain(&error);
}

/* ---- judging ---- */

static hn_status judge_sample(struct eval *eval, struct eval_judge *judge, size_t k, hn_error *error) {
    hn_report *report = &eval->reports[k];
    struct judgement judgement;
    hn_status status = eval_judge_point(judge, eval_x(eval, k), eval->y + k * eval->outputs,
                                        eval->settings.layer.tolerance, &judgement, error);
    if (status != HN_OK)
        return status;
    report->violation = judgement.violation;
    report->worst = judgement.worst;
    eval->objective[k] = judgement.objective;
    if (report->outcome == HN_OUTCOME_OK && !judgement.held) {
        report->outcome = HN_OUTCOME_STALLED;
        eval->false_ok++;
    }
    groups_add(eval->by, eval->model, judge->residual, k);
    return HN_OK;
}

static hn_status judge_all(struct eval *eval, hn_error *error) {
    struct eval_judge judge;
    struct progress progress;
    hn_status status = HN_OK;
    if (!eval_judge_create(&judge, eval->model, eval->settings.layer.relative))
        return error_no_memory(error, "the judge");
    progress_begin(&progress, "judging", eval->reached);
    for (size_t k = 0; k < eval->reached && status == HN_OK; k++) {
        status = judge_sample(eval, &judge, k, error);
        progress_update(&progress, k + 1);
    }
    progress_end(&progress);
    eval_judge_release(&judge);
    if (eval->false_ok > 0)
        console_warning("%zu samples that the layer calls ok are not, by plain evaluation; they count as stalled",
                        eval->false_ok);
    return status;
}

/* ---- running ---- */

static hn_status eval_run_run_all(struct eval *eval, struct progress *progress, hn_error *error) {
    size_t size = CHUNK_FIRST;
    while (eval->reached < eval->samples.count && !interrupt_came()) {
        size_t first = eval->reached, left = eval->samples.count - first, chunk = size < left ? size : left;
        double before = clock_seconds();
        hn_status status = hn_policy_run(eval->policy, chunk, eval_x(eval, first), eval->y + first * eval->outputs,
                                         NULL, eval->reports + first, error);
        if (status != HN_OK)
            return status;
        eval->reached += chunk;
        if (clock_seconds() - before < CHUNK_SECONDS && size < CHUNK_MOST)
            size *= 2;
        progress_update(progress, eval->reached);
    }
    return HN_OK;
}

hn_status eval_run(struct eval *eval, hn_error *error) {
    struct progress progress;
    hn_status status = eval_run_reserve(eval, error);
    if (status != HN_OK)
        return status;
    progress_begin(&progress, "evaluating", eval->samples.count);
    status = eval_run_run_all(eval, &progress, error);
    eval->seconds = clock_seconds() - progress.begun;
    progress_end(&progress);
    return status == HN_OK ? judge_all(eval, error) : status;
}
