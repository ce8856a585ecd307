/* device_single_run.c - see device_single_run.h.
 *
 * SPDX-License-Identifier: MIT */
#include "device_single_run.h"

#include "support/check.h"
#include "support/model_check.h"

#include "hardnet/read.h"

hn_device_layer *single_layer(const hn_model *model, hn_layer_options layer) {
    hn_device_options options = hn_device_defaults();
    hn_device_layer *device;
    hn_error error = {.text = ""};
    options.precision = HN_PRECISION_FLOAT32;
    if (hn_device_layer_create(&device, model, &layer, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return device;
}

struct layer_results single_run(const hn_device_layer *device, const hn_layer *like, size_t count, const double *x,
                                const double *raw, const double *grad_y) {
    struct layer_results r = results_of(like, count);
    hn_batch batch = batch_into(&r, x, raw);
    hn_gradient gradient = gradient_into(&r, grad_y);
    hn_error error = {.text = ""};
    if (hn_device_run_host(device, &batch, &gradient, &error) != HN_OK)
        fail_msg("%s", error.text);
    return r;
}

hn_model *single_read(const struct single_subject *subject, const hn_layer_options *options) {
    char path[256];
    const char *paths[] = {path};
    hn_error error = {.text = ""};
    hn_read_options how = hn_read_defaults();
    hn_device_forecast forecast = {.size = sizeof forecast};
    hn_model *model = NULL;
    how.lets = &subject->let;
    how.let_count = subject->let != NULL;
    snprintf(path, sizeof path, "models/%s.mod", subject->name);
    if (subject->text)
        model = model_of_text(subject->text);
    else if (hn_model_read(&model, 1, paths, &how, &error) != HN_OK)
        fail_msg("%s", error.text);
    assert_int_equal(hn_device_predict(&forecast, model, options, NULL), HN_OK);
    assert_int_equal(forecast.form, subject->form);
    return model;
}
