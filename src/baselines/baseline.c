/* baseline.c - the schemes of hardnet/baselines.h by name, their settings, and what they leave to learn.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baseline.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 16, MOST_STEPS = 1000000 };

#define SCHEME_TEXT(name, text) text,
static const char texts[HN_SCHEME_COUNT][LONGEST] = {HN_SCHEME_LIST(SCHEME_TEXT)};
#undef SCHEME_TEXT

const char *hn_scheme_text(hn_scheme scheme) {
    return (unsigned)scheme < HN_SCHEME_COUNT ? texts[scheme] : "unknown";
}

bool hn_scheme_find(const char *text, hn_scheme *scheme) {
    for (int i = 0; text && scheme && i < HN_SCHEME_COUNT; i++)
        if (strcmp(texts[i], text) == 0) {
            *scheme = (hn_scheme)i;
            return true;
        }
    return false;
}

void hn_baseline_get_defaults(hn_baseline *out) {
    if (out)
        *out =
            (hn_baseline){.scheme = HN_SCHEME_LAYER, .correction_steps = 100, .correction_rate = 0.1, .momentum = 0.5};
}

hn_status baseline_check(const hn_baseline *b, hn_error *error) {
    if ((unsigned)b->scheme >= HN_SCHEME_COUNT)
        return error_about(error, HN_INVALID, error_option("scheme"), "scheme %d: there is no such scheme",
                           (int)b->scheme);
    if (b->correction_steps < 0 || b->correction_steps > MOST_STEPS)
        return error_about(error, HN_INVALID, error_option("correction_steps"), "correction steps %d: choose 0 to %d",
                           b->correction_steps, MOST_STEPS);
    if (!(b->correction_rate > 0 && isfinite(b->correction_rate)))
        return error_about(error, HN_INVALID, error_option("correction_rate"),
                           "correction rate %s: it must be finite and above 0", error_number(b->correction_rate).text);
    if (!(b->momentum >= 0 && b->momentum < 1))
        return error_about(error, HN_INVALID, error_option("momentum"),
                           "momentum %s: choose a number from 0 to below 1", error_number(b->momentum).text);
    return HN_OK;
}

hn_layer_options baseline_layer(const hn_baseline *b, const hn_layer_options *options) {
    hn_layer_options layer = *options;
    if (b->scheme == HN_SCHEME_LAYER)
        return layer;
    layer.method = HN_METHOD_PAPER;
    layer.damping = -1;
    layer.iterations = 0;
    layer.kernel = NULL; /* it is the method's */
    layer.effort = 1;
    return layer;
}

struct dc3_settings baseline_dc3(const hn_baseline *b) {
    return (struct dc3_settings){b->correction_steps, b->correction_rate, b->momentum};
}

static hn_status list_independent(const hn_model *model, size_t *columns, size_t *count, hn_error *error) {
    const hn_layer_options settings = hn_layer_defaults();
    struct completion completion;
    hn_status status = completion_create(&completion, model, &settings, error);
    if (status != HN_OK)
        return status;
    *count = completion.width;
    for (size_t k = 0; columns && k < completion.width; k++)
        columns[k] = completion.independent[k];
    completion_release(&completion);
    return HN_OK;
}

hn_status hn_baseline_columns(const hn_model *model, const hn_baseline *baseline, size_t *columns, size_t *count,
                              hn_error *error) {
    const hn_baseline b = baseline ? *baseline : hn_baseline_defaults();
    if (!model || !count)
        return error_missing(error, "hn_baseline_columns", model ? "count" : "model");
    *count = 0;
    hn_status status = baseline_check(&b, error);
    if (status != HN_OK || b.scheme == HN_SCHEME_DC3)
        return status == HN_OK ? list_independent(model, columns, count, error) : status;
    *count = hn_model_output_count(model);
    for (size_t j = 0; columns && j < *count; j++)
        columns[j] = j;
    return HN_OK;
}
