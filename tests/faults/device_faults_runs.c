/* device_faults_runs.c - every call of the driver fails in turn while a layer or a policy that is there runs: a sentence, nothing left
 * behind, and the next call has the bits that it had before.
 *
 * SPDX-License-Identifier: MIT */
#include "faults/device_faults_runs.h"

#include "support/check.h"
#include "support/failing.h"

#include "cuda/cuda_driver.h"
#include "training/training_parts.h"

#include <limits.h>

enum { SAMPLES = 3, OUTPUTS = 2, ROWS = 2, LOST = 700 };

static const double x[SAMPLES] = {1, 2, 3};

/* ---- faults ---- */

/* A deed over memory of its own, which it fills with what the device gives. */
struct deed {
    hn_status (*run)(void *scene, hn_error *error);
    void *scene;
};

static void check_same_things(const struct fake_device *now, const struct fake_device *before) {
    assert_int_equal(now->blocks, before->blocks);
    assert_int_equal(now->modules, before->modules);
    assert_int_equal(now->streams, before->streams);
    assert_int_equal(now->entered, before->entered);
}

/* What could not be given back is gone. */
static void forget(struct fake_device *now, const struct fake_device *before) {
    const struct fake_calls calls = now->calls;
    *now = *before;
    now->calls = calls;
}

/* What gives back, and leaves. */
static bool may_fail(const char *function) {
    return strcmp(function, "cuMemFree_v2") == 0 || strcmp(function, "cuMemFreeAsync") == 0 ||
           strcmp(function, "cuStreamDestroy_v2") == 0 || strcmp(function, "cuCtxPopCurrent_v2") == 0;
}

/* False when there is no call k. A batch's memory may be given back for a larger one, never be more than one block. */
static bool call_fails(struct fake_device *device, const struct deed *deed, size_t k, bool for_ever) {
    const struct fake_device before = *device;
    hn_error error = {.text = ""};
    device->calls = (struct fake_calls){.fail_at = k, .code = k % 2 ? LOST : CUDA_OUT_OF_MEMORY, .for_ever = for_ever};
    hn_status status = deed->run(deed->scene, &error);
    const char *failed = device->calls.failed;
    device->calls = (struct fake_calls){.made = 0};
    if (!failed) {
        assert_int_equal(status, HN_OK);
        return false;
    }
    fault_count(FAULT_DRIVER_CALL);
    if (status == HN_OK && !may_fail(failed))
        fail_msg("%s failed (call %zu), and nobody said so", failed, k);
    if (status != HN_OK && !strstr(error.text, "device cuda: cannot "))
        fail_msg("%s: %s", failed, error.text);
    if (status != HN_OK)
        assert_int_equal(status, k % 2 ? HN_UNSUPPORTED : HN_NO_MEMORY);
    if (for_ever || may_fail(failed)) /* which cannot be given back */
        forget(device, &before);
    check_same_things(device, &before);
    return true;
}

static void calls_fail(struct fake_device *device, const struct deed *deed) {
    hn_error error = {.text = ""};
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        if (deed->run(deed->scene, &error) != HN_OK) /* so that memory for the batch is there, and after faults */
            fail_msg("%s", error.text);
        for (size_t k = 1; call_fails(device, deed, k, for_ever); k++)
            ;
    }
}

/* ---- layers ---- */

struct layer_scene {
    const hn_device_layer *layer;
    hn_batch batch;
    hn_gradient gradient;
    bool pulls;
    double y[SAMPLES * OUTPUTS], residual[SAMPLES * ROWS];
    double grad_raw[SAMPLES * OUTPUTS], grad_x[SAMPLES], grad_lower[SAMPLES * ROWS], grad_upper[SAMPLES * ROWS];
    hn_report reports[SAMPLES];
    bool flagged[SAMPLES];
};

static hn_status run_layer(void *scene, hn_error *error) {
    struct layer_scene *s = scene;
    return hn_device_run_host(s->layer, &s->batch, s->pulls ? &s->gradient : NULL, error);
}

static const double raw[SAMPLES * OUTPUTS] = {3, 1, 3, 1, 3, 1}, grad_y[SAMPLES * OUTPUTS] = {1, 2, -1, 0, 3, 1};

static struct layer_scene plain_scene(const hn_device_layer *layer, struct layer_scene *place) {
    struct layer_scene s = {.layer = layer};
    s.batch = (hn_batch){.size = sizeof s.batch, .count = SAMPLES, .x = x, .y_raw = raw, .y = place->y};
    s.gradient = (hn_gradient){.size = sizeof s.gradient, .grad_y = grad_y, .grad_y_raw = place->grad_raw};
    return s;
}

/* Everything that can be asked for; then outputs alone. */
static void plain_runs_fail(const hn_device_layer *layer, struct fake_device *device) {
    static struct layer_scene s;
    double first[SAMPLES * OUTPUTS];
    s = plain_scene(layer, &s);
    const struct deed deed = {run_layer, &s};
    calls_fail(device, &deed);
    memcpy(first, s.y, sizeof first);
    s.pulls = true;
    s.batch.reports = s.reports;
    s.batch.report_size = sizeof *s.reports;
    s.batch.residual = s.residual;
    s.gradient.grad_x = s.grad_x;
    s.gradient.grad_lower = s.grad_lower;
    s.gradient.grad_upper = s.grad_upper;
    s.gradient.flagged = s.flagged;
    calls_fail(device, &deed);
    assert_memory_equal(first, s.y, sizeof first);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(s.reports[i].outcome, HN_OUTCOME_OK);
}

/* One input and one raw output for all samples: what each of them has is the first one's. */
static void repeated_runs_fail(const hn_device_layer *layer, struct fake_device *device) {
    static struct layer_scene s;
    s = plain_scene(layer, &s);
    const struct deed deed = {run_layer, &s};
    s.batch.repeat_x = s.batch.repeat_y = true;
    s.pulls = true; /* without reports of the caller's */
    calls_fail(device, &deed);
    for (size_t i = 1; i < SAMPLES; i++)
        assert_memory_equal(s.y, s.y + i * OUTPUTS, OUTPUTS * sizeof s.y[0]);
}

/* Batches of a size that no memory has. */
static void huge_runs_are_refused(const hn_device_layer *layer) {
    static const size_t counts[] = {SIZE_MAX / 4, SIZE_MAX / 8, SIZE_MAX / 16};
    static struct layer_scene s;
    for (size_t i = 0; i < COUNT_OF(counts); i++) {
        hn_error error = {.text = ""};
        s = plain_scene(layer, &s);
        s.batch.count = counts[i];
        assert_error(run_layer(&s, &error), HN_NO_MEMORY, error, "the batch");
        s.batch.reports = s.reports;
        s.batch.report_size = sizeof *s.reports;
        assert_int_equal(run_layer(&s, &error), HN_NO_MEMORY);
    }
}

/* Reports of a caller lie where he has them; there is memory for them, or there is not. */
static void reports_need_memory(const hn_device_layer *layer) {
    static struct layer_scene s;
    hn_error error = {.text = ""};
    s = plain_scene(layer, &s);
    s.batch.reports = s.reports;
    s.batch.report_size = sizeof *s.reports;
    memory_fail_at(1, false);
    assert_int_equal(run_layer(&s, &error), HN_NO_MEMORY);
    memory_fail_never();
    assert_contains(error.text, "the reports");
}

void runs_fail(const hn_model *model, struct fake_device *device) {
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    if (hn_device_layer_create(&layer, model, NULL, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    plain_runs_fail(layer, device);
    repeated_runs_fail(layer, device);
    huge_runs_are_refused(layer);
    reports_need_memory(layer);
    hn_device_layer_destroy(layer);
}

/* ---- policies ---- */

struct policy_scene {
    hn_trainer *trainer;
    const double *targets;
    double y[SAMPLES * OUTPUTS], objective[SAMPLES];
    hn_report reports[SAMPLES];
};

static hn_status step(void *scene, hn_error *error) {
    const struct policy_scene *s = scene;
    return hn_trainer_step(s->trainer, SAMPLES, x, s->targets, NULL, error);
}

static hn_status run_policy(void *scene, hn_error *error) {
    struct policy_scene *s = scene;
    return hn_policy_run(hn_trainer_policy(s->trainer), SAMPLES, x, s->y, s->objective, s->reports, error);
}

static hn_status create(struct policy_scene *s, const hn_model *model, hn_network *network, int improve, int tape_steps,
                        hn_error *error) {
    const hn_device_options options = {.size = sizeof options, .tape_steps = tape_steps};
    hn_train_options how = hn_train_defaults();
    how.policy.device = &options;
    how.policy.threads = 1;
    how.policy.candidates = 2;
    how.policy.refine = improve > 0;
    how.improve = improve;
    return hn_trainer_create(&s->trainer, model, network, &how, error);
}

static hn_network *some_network(void) {
    const hn_network_options sizes = {.inputs = 1,
                                      .outputs = 2 * OUTPUTS,
                                      .hidden_count = 3,
                                      .hidden = {2, 2, 2},
                                      .seed = 4,
                                      .residual = true,
                                      .layer_norm = true};
    hn_network *network;
    assert_int_equal(hn_network_create(&network, &sizes, NULL), HN_OK);
    return network;
}

/* No memory of the device for the first batch. */
static void the_first_batch_has_no_memory(struct fake_device *device, struct policy_scene *s) {
    hn_error error = {.text = ""};
    device->calls = (struct fake_calls){.fail_at = 1, .code = CUDA_OUT_OF_MEMORY, .only = "cuMemAlloc_v2"};
    assert_int_equal(step(s, &error), HN_NO_MEMORY);
    device->calls = (struct fake_calls){.made = 0};
    assert_string_equal(error.text, "device cuda: cannot take memory for the batch: its memory is out");
}

static void steps_fail(const hn_model *model, struct fake_device *device, int improve) {
    static const double goals[SAMPLES * OUTPUTS] = {0.1, 0.2, 0, 0.25, 0.3, 0.1};
    static struct policy_scene s;
    hn_network *network = some_network();
    hn_error error = {.text = ""};
    if (create(&s, model, network, improve, 0, &error) != HN_OK)
        fail_msg("%s", error.text);
    s.targets = NULL;
    the_first_batch_has_no_memory(device, &s);
    calls_fail(device, &(struct deed){step, &s});
    s.targets = goals;
    calls_fail(device, &(struct deed){step, &s});
    calls_fail(device, &(struct deed){run_policy, &s});
    for (size_t i = 0; i < SAMPLES; i++)
        assert_int_equal(s.reports[i].outcome, HN_OUTCOME_OK);
    hn_trainer_destroy(s.trainer);
    hn_network_destroy(network);
}

/* A batch that no device takes, and one whose tape does not fit a size_t; none is no work. */
static void policies_refuse_sizes(const hn_model *model) {
    static struct policy_scene s;
    hn_network *network = some_network();
    hn_error error = {.text = ""};
    assert_int_equal(create(&s, model, network, 0, INT_MAX, NULL), HN_OK);
    struct device_policy *policy = s.trainer->device;
    struct device_policy_run run = {.count = SIZE_MAX, .x = x};
    assert_error(device_policy_run(policy, &run, &error), HN_NO_MEMORY, error, "the batch");
    run.count = UINT32_MAX;
    assert_int_equal(device_policy_run(policy, &run, &error), HN_NO_MEMORY);
    run.count = UINT32_MAX / 8;
    assert_int_equal(device_policy_run(policy, &run, &error), HN_NO_MEMORY);
    run.count = 0;
    assert_int_equal(device_policy_run(policy, &run, &error), HN_OK);
    hn_trainer_destroy(s.trainer);
    hn_network_destroy(network);
}

void training_fails(const hn_model *model, struct fake_device *device) {
    steps_fail(model, device, 0);
    steps_fail(model, device, 1);
    policies_refuse_sizes(model);
}
