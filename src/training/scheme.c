/* scheme.c - what makes outputs of the network's: the schemes of hardnet/policy.h by name, their settings, and what they leave to learn.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "training/policy_parts.h"

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

hn_status scheme_check(const hn_policy_options *o, hn_error *error) {
    if ((unsigned)o->scheme >= HN_SCHEME_COUNT)
        return error_set(error, HN_INVALID, "scheme %d: there is no such scheme", (int)o->scheme);
    if (o->correction_steps < 0 || o->correction_steps > MOST_STEPS)
        return error_set(error, HN_INVALID, "correction steps %d: choose 0 to %d", o->correction_steps, MOST_STEPS);
    if (!(o->correction_rate > 0 && isfinite(o->correction_rate)))
        return error_set(error, HN_INVALID, "correction rate %s: it must be finite and above 0",
                         error_number(o->correction_rate).text);
    if (!(o->momentum >= 0 && o->momentum < 1))
        return error_set(error, HN_INVALID, "momentum %s: choose a number from 0 to below 1",
                         error_number(o->momentum).text);
    return HN_OK;
}

hn_layer_options policy_layer(const hn_policy_options *o) {
    hn_layer_options layer = o->layer;
    if (o->scheme == HN_SCHEME_LAYER)
        return layer;
    layer.method = HN_METHOD_PAPER;
    layer.damping = -1;
    layer.iterations = 0;
    return layer;
}

struct dc3_settings policy_dc3(const hn_policy_options *o) {
    return (struct dc3_settings){o->correction_steps, o->correction_rate, o->momentum};
}

static hn_status list_independent(const hn_model *model, const hn_policy_options *o, size_t *columns, size_t *count,
                                  hn_error *error) {
    hn_layer_options settings = policy_layer(o);
    struct completion completion;
    hn_layer *layer;
    hn_status status = hn_layer_create(&layer, model, &settings, error);
    if (status != HN_OK)
        return status;
    status = completion_create(&completion, model, layer, error);
    if (status == HN_OK) {
        *count = completion.width;
        for (size_t k = 0; columns && k < completion.width; k++)
            columns[k] = completion.independent[k];
        completion_release(&completion);
    }
    hn_layer_destroy(layer);
    return status;
}

hn_status hn_policy_columns(const hn_model *model, const hn_policy_options *options, size_t *columns, size_t *count,
                            hn_error *error) {
    hn_policy_options o = options ? *options : hn_policy_defaults();
    if (!model || !count)
        return error_missing(error, "hn_policy_columns", model ? "count" : "model");
    *count = 0;
    hn_status status = scheme_check(&o, error);
    if (status != HN_OK || o.scheme == HN_SCHEME_DC3)
        return status == HN_OK ? list_independent(model, &o, columns, count, error) : status;
    *count = hn_model_output_count(model);
    for (size_t j = 0; columns && j < *count; j++)
        columns[j] = j;
    return HN_OK;
}
