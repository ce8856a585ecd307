/* test_device_absent.c - what can be said about a device where there is none: which form a model's kernels would have, what a device does
 * not have, and that the driver or the compiler is missing or too old.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "support/check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "cuda/nvrtc.h"
#include "hardnet/hardnet.h"

#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 512 };

static hn_model *model_of(const char *text) {
    const hn_text all = {"m", text, strlen(text)};
    hn_model *model;
    hn_error error;
    if (hn_model_read_memory(&model, 1, &all, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

static const char disc[] = "param a >= 1; var y{1..2}; subject to disc: y[1]^2 + y[2]^2 <= a;";
static const char chain[] = "param a >= 1; var y{k in 1..2500};\n"
                            "subject to chain{k in 1..2499}: y[k + 1] - y[k] * y[k] = 0.1 * a;";

/* ---- forms ---- */

static hn_device_form form_of(const char *text) {
    const hn_layer_options options = layer_steps(HN_METHOD_PAPER, 3);
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_model *model = model_of(text);
    hn_error error;
    if (hn_device_predict(&forecast, model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    hn_model_destroy(model);
    if (forecast.form != HN_DEVICE_DENSE)
        assert_int_equal(forecast.form == HN_DEVICE_STRAIGHT, forecast.operands <= forecast.operands_most);
    assert_true(forecast.form != HN_DEVICE_LISTED || forecast.bytes > forecast.bytes_most);
    return forecast.form;
}

/* What repeats is rolled; what does not is listed: here every row couples outputs at a distance of its own. */
TEST(longer_models_have_other_forms) {
    static const char odd[] = "param a >= 1; var y{k in 1..1200};\n"
                              "subject to odd{k in 1..1150}: y[k] * y[1 + (k * k) mod 1200] - a * "
                              "y[1 + (k * k * k + 7) mod 1200] <= k;";
    static const char dense[] = "var y{1..80}; subject to r{i in 1..70}: sum{k in 1..80} sin(i * k) * y[k] <= i;";
    assert_int_equal(form_of(disc), HN_DEVICE_STRAIGHT);
    assert_int_equal(form_of(chain), HN_DEVICE_ROLLED);
    assert_int_equal(form_of(odd), HN_DEVICE_LISTED);
    assert_int_equal(form_of(dense), HN_DEVICE_DENSE);
}

TEST(forms_have_names) {
    assert_string_equal(hn_device_form_text(HN_DEVICE_ROLLED), "rolled code");
    assert_string_equal(hn_device_form_text(HN_DEVICE_FORM_COUNT), "unknown");
}

/* ---- refusals ---- */

static void refused(const char *text, const hn_layer_options *options, hn_status expected, const char *words) {
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    hn_model *model = model_of(text);
    assert_error(hn_device_predict(&forecast, model, options, &error), expected, error, words);
    assert_error(hn_device_layer_create(&layer, model, options, NULL, &error), expected, error, words);
    assert_null(layer);
    hn_model_destroy(model);
}

TEST(options_that_make_no_layer_make_none_here) {
    hn_layer_options options = layer_method(HN_METHOD_OPTIMAL);
    refused(disc, &options, HN_INVALID, "method optimal: the model has no objective");
    options = layer_method(HN_METHOD_PAPER);
    options.tolerance = -1;
    refused(disc, &options, HN_INVALID, "tolerance");
}

TEST(what_is_missing_is_named) {
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_model *model = model_of(disc);
    hn_error error = {.text = ""};
    assert_error(hn_device_predict(NULL, model, NULL, &error), HN_INVALID, error, "out");
    assert_error(hn_device_predict(&forecast, NULL, NULL, &error), HN_INVALID, error, "model");
    hn_model_destroy(model);
}

static void options_refused(hn_device_options options, const char *text, hn_status expected, const char *words) {
    hn_model *model = model_of(text);
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    assert_error(hn_device_layer_create(&layer, model, NULL, &options, &error), expected, error, words);
    assert_null(layer);
    hn_model_destroy(model);
}

TEST(options_out_of_range_are_refused) {
    hn_device_options options = hn_device_defaults();
    options.precision = HN_PRECISION_COUNT;
    options_refused(options, disc, HN_INVALID, "precision 2: there is no such one");
    options = hn_device_defaults();
    options.tape_steps = -1;
    options_refused(options, disc, HN_INVALID, "tape_steps -1: it must not be negative");
    options = hn_device_defaults();
    options.size = 3;
    options_refused(options, disc, HN_INVALID, "size");
}

/* ---- libraries ---- */

static struct scratch scratch;

static const char *make_folders(const char *path) {
    static char whole[PATH_BYTES];
    snprintf(whole, sizeof whole, "%s/%s", scratch.folder, path);
    for (char *at = whole + strlen(scratch.folder) + 1; *at; at++)
        if (*at == '/') {
            *at = '\0';
            mkdir(whole, 0700);
            *at = '/';
        }
    return whole;
}

/* A shared object without any function, which calls itself the driver. */
static void load_empty_driver(void) {
    char command[2 * PATH_BYTES];
    const char *path = make_folders("site/package/core.so");
    snprintf(command, sizeof command, "c++ -shared -Wl,-soname,libcuda.so.1 -x c++ /dev/null -o %s", path);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    assert_non_null(dlopen(path, RTLD_NOW | RTLD_LOCAL));
}

TEST(a_driver_without_functions_is_too_old) {
    load_empty_driver();
    options_refused(hn_device_defaults(), disc, HN_UNSUPPORTED, "the driver of NVIDIA is too old: it has no cuInit");
}

/* As packages of PyPI have it: in a folder beside the one of an object that is loaded. */
TEST(a_compiler_in_a_package_is_found) {
    struct nvrtc nvrtc;
    char fake[PATH_BYTES];
    hn_error error = {.text = ""};
    void *own = nvrtc_find();
    if (own) {
        dlclose(own);
        skip(); /* a machine with a compiler of its own */
    }
    assert_error(nvrtc_open(&nvrtc, NULL, &error), HN_UNSUPPORTED, error, "no libnvrtc.so.12 or .13 was found");
    snprintf(fake, sizeof fake, "%s/libnvrtc.so.13", FAKE_DEVICE);
    assert_int_equal(symlink(fake, make_folders("site/nvidia/cuda_nvrtc/lib/libnvrtc.so.12")), 0);
    assert_int_equal(nvrtc_open(&nvrtc, NULL, &error), HN_OK);
    int major = 0, minor = 0;
    assert_int_equal(nvrtc.version(&major, &minor), 0);
    assert_int_equal(major, 13);
}

FIXTURE(set_up) {
    scratch = scratch_create();
    return 0;
}

FIXTURE(tear_down) {
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s/site", scratch.folder);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c)
    scratch_remove(&scratch);
    return 0;
}

TEST_GROUP(set_up, tear_down)

int main(void) {
    if (!fake_can_compile()) {
        puts("skipped: there is no C++ compiler");
        return TEST_SKIPPED;
    }
    return run_registered_tests();
}
