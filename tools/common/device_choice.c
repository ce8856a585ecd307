/* device_choice.c - see device_choice.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/device_choice.h"

#include "common/console.h"
#include "common/layer_choice.h"
#include "common/verbs.h"

#include <stdio.h>
#include <string.h>

#define WORD(name, text) text,
const char *const device_choice_devices[] = {"cpu", "cuda", NULL};
const char *const device_choice_precisions[] = {HN_PRECISION_LIST(WORD) NULL};

bool device_choice_asks(const struct device_choice *choice) {
    return choice->device && strcmp(choice->device, "cuda") == 0;
}

int device_choice_policy(const hn_device_options **out, hn_device_options *own, const struct device_choice *choice) {
    bool asks = device_choice_asks(choice);
    *own = hn_device_defaults();
    *out = asks ? own : NULL;
    if (choice->precision)
        hn_precision_find(choice->precision, &own->precision);
    if (asks || own->precision == HN_PRECISION_FLOAT64)
        return VERB_OK;
    console_error("--precision %s: the CPU computes in float64; it is for --device cuda", choice->precision);
    return VERB_MISUSED;
}

int device_choice_create(hn_device_layer **out, const struct device_choice *choice, const hn_model *model,
                         const hn_layer_options *layer, bool gradients) {
    const hn_device_options *asked;
    hn_device_options options;
    hn_device_info info = {.size = sizeof info};
    hn_error error = {.status = HN_OK};
    int code = device_choice_policy(&asked, &options, choice);
    *out = NULL;
    options.gradients = gradients;
    if (code != VERB_OK || !asked)
        return code;
    if (hn_device_layer_create(out, model, layer, &options, &error) != HN_OK)
        return layer_choice_explain(&error);
    hn_device_get_info(*out, &info, NULL);
    if (!info.found)
        fprintf(stderr, "compiled for %s in %.1f s\n", info.name, info.seconds);
    return VERB_OK;
}

struct device_text device_choice_described(const hn_device_info *info) {
    struct device_text text;
    snprintf(text.text, sizeof text.text, "%s, %s", info->name, hn_precision_text(info->precision));
    return text;
}

struct device_text device_choice_text(const hn_device_layer *layer) {
    hn_device_info info = {.size = sizeof info};
    hn_device_get_info(layer, &info, NULL);
    return device_choice_described(&info);
}
