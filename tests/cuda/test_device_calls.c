/* test_device_calls.c - what a caller may get wrong on a device is refused by name, before anything runs there.
 *
 * On the device that is there; where there is none on that of fake_device.h.
 *
 * SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* dladdr */
#include "cuda/dense_models.h"
#include "cuda/device_calls_cache.h"
#include "cuda/fake_open.h"
#include "support/check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "cuda/nvrtc.h"
#include "hardnet/hardnet.h"

#include <dlfcn.h>

enum { COUNT = 2 };

static struct scratch scratch;
static hn_model *model;
static hn_device_layer *layer, *forward; /* with gradients, and without */
static double x[COUNT], y[2 * COUNT];
static hn_report reports[COUNT];

static hn_device_layer *layer_of_model(const hn_model *own, bool gradients) {
    hn_device_options options = hn_device_defaults();
    hn_device_layer *made;
    hn_error error;
    options.gradients = gradients;
    hn_layer_options steps = layer_steps(HN_METHOD_PAPER, 3);
    if (hn_device_layer_create(&made, own, &steps, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return made;
}

static hn_device_layer *layer_with(bool gradients) {
    return layer_of_model(model, gradients);
}

FIXTURE(set_up) {
    static const char text[] = "param a >= 1; var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= a;";
    const hn_text all = {"m", text, sizeof text - 1};
    scratch = scratch_create();
    setenv("XDG_CACHE_HOME", scratch.folder, 1);
    assert_int_equal(hn_model_read_memory(&model, 1, &all, NULL, NULL), HN_OK);
    layer = layer_with(true);
    forward = layer_with(false);
    return 0;
}

FIXTURE(tear_down) {
    char command[128];
    hn_device_layer_destroy(layer);
    hn_device_layer_destroy(forward);
    hn_device_layer_destroy(NULL);
    hn_model_destroy(model);
    snprintf(command, sizeof command, "rm -rf %s/hardnet", scratch.folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    scratch_remove(&scratch);
    return 0;
}

static hn_batch good_batch(void) {
    return (hn_batch){
        .size = sizeof(hn_batch), .count = COUNT, .x = x, .y = y, .report_size = sizeof(hn_report), .reports = reports};
}

/* Refused, with these words. */
static void refused(hn_status status, const hn_error *error, const char *words) {
    assert_int_equal(status, HN_INVALID);
    assert_contains(error->text, words);
}

static void run_is_refused(hn_batch batch, void *workspace, const char *words) {
    hn_error error = {.text = ""};
    refused(hn_device_run(layer, &batch, workspace, NULL, &error), &error, words);
}

TEST(what_is_missing_is_named) {
    hn_batch batch = good_batch();
    hn_gradient gradient = {.size = sizeof gradient};
    hn_device_info info = {.size = sizeof info};
    hn_device_layer *made = layer;
    hn_error error = {.text = ""};
    refused(hn_device_run(NULL, &batch, x, NULL, &error), &error, "layer");
    refused(hn_device_run(layer, NULL, x, NULL, &error), &error, "batch");
    refused(hn_device_run_host(NULL, &batch, NULL, &error), &error, "layer");
    refused(hn_device_run_host(layer, NULL, NULL, &error), &error, "batch");
    refused(hn_device_time_host(layer, &batch, NULL, NULL, &error), &error, "seconds");
    refused(hn_device_gradient(NULL, &batch, &gradient, x, NULL, &error), &error, "layer");
    refused(hn_device_gradient(layer, NULL, &gradient, x, NULL, &error), &error, "batch");
    refused(hn_device_gradient(layer, &batch, NULL, x, NULL, &error), &error, "gradient");
    refused(hn_device_get_info(NULL, &info, &error), &error, "layer");
    refused(hn_device_layer_create(&made, NULL, NULL, NULL, &error), &error, "model");
    assert_null(made);
    refused(hn_device_layer_create(NULL, model, NULL, NULL, &error), &error, "out");
    assert_int_equal(hn_device_workspace_bytes(NULL, 1), 0);
    assert_int_equal(hn_device_tape_bytes(NULL, 1), 0);
}

TEST(a_batch_that_a_device_cannot_take_is_refused) {
    double workspace[1];
    const int stop = 0;
    hn_batch batch = good_batch();
    run_is_refused(batch, NULL, "workspace");
    batch.count = (size_t)UINT32_MAX;
    run_is_refused(batch, workspace, "more samples than");
    batch = good_batch();
    batch.x = NULL;
    run_is_refused(batch, workspace, "batch.x");
    batch = good_batch();
    batch.y = NULL;
    run_is_refused(batch, workspace, "batch.y");
    batch = good_batch();
    batch.report_size = 8;
    run_is_refused(batch, workspace, "report_size");
    batch = good_batch();
    batch.multipliers = y;
    run_is_refused(batch, workspace, "multipliers");
    batch = good_batch();
    batch.shared_count = 1;
    batch.shared = x;
    run_is_refused(batch, workspace, "batch.shared_count: a device reads every input from x");
    hn_error error = {.text = ""};
    refused(hn_device_run_host(layer, &batch, NULL, &error), &error, "batch.shared_count");
    batch = good_batch();
    batch.seconds = 1;
    run_is_refused(batch, workspace, "neither cancel nor seconds");
    batch = good_batch();
    batch.cancel = &stop;
    run_is_refused(batch, workspace, "neither cancel nor seconds");
    batch = good_batch();
    batch.size = 3;
    run_is_refused(batch, workspace, "size");
}

TEST(a_gradient_that_cannot_be_is_refused) {
    double workspace[1], tape[1];
    hn_batch batch = good_batch();
    hn_gradient whole = {.size = sizeof whole, .grad_y = y, .grad_y_raw = y}, gradient = whole;
    bool flagged[COUNT];
    hn_error error = {.text = ""};
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "batch.tape");
    batch.tape = tape;
    refused(hn_device_gradient(forward, &batch, &gradient, workspace, NULL, &error), &error, "without gradients");
    refused(hn_device_gradient(layer, &batch, &gradient, NULL, NULL, &error), &error, "workspace");
    gradient.grad_y = NULL;
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "grad_y");
    gradient = whole;
    gradient.grad_y_raw = NULL;
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "grad_y_raw");
    gradient = whole;
    gradient.grad_shared = gradient.shared_each = y;
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "shared inputs");
    gradient = whole;
    gradient.flagged = flagged;
    batch.reports = NULL;
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "batch.reports");
    gradient.size = 2;
    refused(hn_device_gradient(layer, &batch, &gradient, workspace, NULL, &error), &error, "size");
}

TEST(no_samples_are_no_work) {
    hn_batch none = {.size = sizeof none};
    double workspace[1];
    assert_int_equal(hn_device_run(layer, &none, workspace, NULL, NULL), HN_OK);
    assert_int_equal(hn_device_run_host(layer, &none, NULL, NULL), HN_OK);
    assert_true(hn_device_tape_bytes(layer, SIZE_MAX / 8) == 0);
}

TEST(precisions_have_names) {
    hn_precision precision;
    assert_string_equal(hn_precision_text(HN_PRECISION_FLOAT32), "float32");
    assert_string_equal(hn_precision_text(HN_PRECISION_COUNT), "unknown");
    assert_true(hn_precision_find("float64", &precision) && precision == HN_PRECISION_FLOAT64);
    assert_false(hn_precision_find("float16", &precision) || hn_precision_find(NULL, &precision));
}

TEST(a_library_that_is_no_compiler_is_refused_by_name) {
    struct nvrtc nvrtc;
    hn_error error;
    assert_error(nvrtc_open(&nvrtc, "libm.so.6", &error), HN_UNSUPPORTED, error, "nvrtcVersion");
    assert_error(nvrtc_open(&nvrtc, "/no/such/library.so", &error), HN_UNSUPPORTED, error, "cannot be opened");
}

/* A copy of the fake compiler: dlopen knows files by their inodes. */
static void copy_compiler(const char *name) {
    char command[512];
    snprintf(command, sizeof command, "cp %s/libnvrtc.so.13 %s/%s", FAKE_DEVICE, scratch.folder, name);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
}

/* Whether the compiler that lies beside the first one is taken. */
static bool is_apart(void) {
    struct nvrtc nvrtc;
    Dl_info info;
    void *address;
    assert_int_equal(nvrtc_open(&nvrtc, scratch_path(&scratch, "libnvrtc.so.13"), NULL), HN_OK);
    nvrtc_take_apart(&nvrtc);
    memcpy(&address, &nvrtc.compile, sizeof address);
    assert_int_not_equal(dladdr(address, &info), 0);
    bool apart = strstr(info.dli_fname, "libnvrtc.alt.so.13") != NULL;
    assert_true(apart || strstr(info.dli_fname, "libnvrtc.so.13") != NULL);
    return apart;
}

TEST(a_second_compiler_is_taken_where_all_of_it_lies_beside_the_first) {
    copy_compiler("libnvrtc.so.13");
    assert_false(is_apart());
    copy_compiler("libnvrtc.alt.so.13");
    assert_false(is_apart());
    copy_compiler("libnvrtc-builtins.alt.so.13.0");
    assert_true(is_apart());
}

/* A driver keeps addresses in a compiler: what they lead to must not go. */
TEST(a_compiler_stays_when_its_layer_goes) {
    copy_compiler("libnvrtc.so.99");
    hn_device_options options = hn_device_defaults();
    hn_device_layer *own;
    options.compiler = scratch_path(&scratch, "libnvrtc.so.99");
    options.again = true;
    assert_int_equal(hn_device_layer_create(&own, model, NULL, &options, NULL), HN_OK);
    hn_device_layer_destroy(own);
    void *there = dlopen(scratch_path(&scratch, "libnvrtc.so.99"), RTLD_NOW | RTLD_NOLOAD);
    assert_non_null(there);
    dlclose(there);
}

TEST(what_the_cache_has_is_taken_if_it_is_good) {
    check_cache(model, scratch.folder);
}

/* Neither inputs nor rows: their arrays have no bytes. A watch cannot be kept. */
TEST(a_model_may_have_next_to_nothing) {
    static const char text[] = "var y{1..2};";
    const hn_text all = {"m", text, sizeof text - 1};
    const double given[2 * COUNT] = {1, 2, 3, 4};
    hn_model *own;
    assert_int_equal(hn_model_read_memory(&own, 1, &all, NULL, NULL), HN_OK);
    hn_device_layer *empty = layer_of_model(own, false);
    hn_batch batch = good_batch();
    double residual[1] = {7};
    batch.y_raw = given;
    batch.residual = residual;
    assert_int_equal(hn_device_run_host(empty, &batch, NULL, NULL), HN_OK);
    assert_memory_equal(y, given, sizeof given);
    assert_same_bits(residual[0], 7);
    hn_device_layer_destroy(empty);
    hn_model_destroy(own);
}

static void watch(void *context, size_t sample, int step, const double *outputs, double violation, double eps) {
    (void)context, (void)sample, (void)step, (void)outputs, (void)violation, (void)eps;
}

TEST(sizes_and_watches_are_refused_over_the_host_too) {
    hn_batch batch = good_batch();
    hn_gradient gradient = {.size = 2};
    hn_error error = {.text = ""};
    batch.watch = watch;
    run_is_refused(batch, x, "nor watch");
    batch = good_batch();
    refused(hn_device_run_host(layer, &batch, &gradient, &error), &error, "size");
    batch.size = 3;
    refused(hn_device_run_host(layer, &batch, NULL, &error), &error, "size");
    refused(hn_device_gradient(layer, &batch, &gradient, x, NULL, &error), &error, "size");
}

TEST(a_layer_can_be_looked_at) {
    hn_device_info info = {.size = sizeof info};
    assert_int_equal(hn_device_get_info(layer, &info, NULL), HN_OK);
    assert_int_equal(info.inputs, 1);
    assert_int_equal(info.outputs, 2);
    assert_int_equal(info.rows, 1);
    assert_int_equal(info.precision, HN_PRECISION_FLOAT64);
}

TEST(devices_that_are_not_there_are_refused) {
    static const int numbers[] = {-1, 99};
    for (size_t i = 0; i < COUNT_OF(numbers); i++) {
        hn_device_options options = hn_device_defaults();
        hn_device_layer *made;
        hn_error error = {.text = ""};
        options.device = numbers[i];
        assert_int_equal(hn_device_layer_create(&made, model, NULL, &options, &error), HN_UNSUPPORTED);
        assert_contains(error.text, "there is no device number");
    }
}

/* Lists, numbers and slots of a dense system go where its kernels look for them. */
TEST(a_dense_model_has_the_cpu_s_bits) {
    enum { SAMPLES = 5, INPUTS = 30, OUTPUTS = 90 };
    const struct dense_model *dense = &dense_models[2];
    const hn_text text = {"dense", dense->text, strlen(dense->text)};
    const hn_layer_options options = layer_steps(HN_METHOD_LM, 6);
    static double inputs[SAMPLES * INPUTS], raw[SAMPLES * OUTPUTS];
    hn_device_options device = hn_device_defaults();
    hn_device_layer *made;
    hn_model *own;
    hn_error error = {.text = ""};
    device.gradients = true;
    for (size_t i = 0; i < COUNT_OF(inputs); i++)
        inputs[i] = 1 + (double)(i % 7) / 7;
    for (size_t i = 0; i < COUNT_OF(raw); i++)
        raw[i] = (double)(i % 13) / 13 - (double)(i % 5) / 4;
    assert_int_equal(hn_model_read_memory(&own, 1, &text, NULL, NULL), HN_OK);
    if (hn_device_layer_create(&made, own, &options, &device, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_layer *host = layer_of(own, options);
    struct layer_results ours = run_and_pull(host, SAMPLES, inputs, raw, raw), theirs = results_of(host, SAMPLES);
    hn_batch batch = batch_into(&theirs, inputs, raw);
    hn_gradient gradient = gradient_into(&theirs, raw);
    assert_int_equal(hn_device_run_host(made, &batch, &gradient, &error), HN_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&ours, i, &theirs, i));
    results_release(&ours);
    results_release(&theirs);
    hn_layer_destroy(host);
    hn_device_layer_destroy(made);
    hn_model_destroy(own);
}

TEST_GROUP(set_up, tear_down)

int main(void) {
    if (!some_device())
        return TEST_SKIPPED;
    return run_registered_tests();
}
