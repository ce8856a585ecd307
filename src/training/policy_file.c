/* policy_file.c - a policy as a file: its network, and in the metadata
 *
 *     policy.model        the fingerprint of the model's mathematics
 *     policy.names        that of its names; optional
 *     model.parts, model.columns   digests of the model's parts and of the names of its columns (policy_model.c)
 *     policy.effort       a setting of the layer; written if it is not 1
 *     policy.method, policy.damping, policy.iterations, policy.tolerance, policy.relative       the layer's settings
 *     policy.candidates, policy.refine
 *     policy.scheme, policy.correction-steps, policy.correction-rate, policy.momentum
 *     policy.independent  number of model outputs that the network computes, and a checksum of their indices
 *
 * Settings are stored as given; -1 means the method's default. Floating-point numbers are written in hexadecimal
 * (base/hexadecimal.h), which preserves their bits, integers in decimal. All other keys are required, and no other key
 * may start with "policy.": a file from a newer version with more settings is rejected rather than misread.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/hexadecimal.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "nn/network_parts.h"
#include "training/policy_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "policy."

enum setting {
    MODEL,
    METHOD,
    DAMPING,
    ITERATIONS,
    TOLERANCE,
    RELATIVE,
    CANDIDATES,
    REFINE,
    SCHEME,
    CORRECTION_STEPS,
    CORRECTION_RATE,
    MOMENTUM,
    INDEPENDENT,
    NAMES, /* this one and the following are optional */
    EFFORT,
    SETTINGS
};

static const char keys[SETTINGS][24] = {
    [MODEL] = PREFIX "model",
    [METHOD] = PREFIX "method",
    [DAMPING] = PREFIX "damping",
    [ITERATIONS] = PREFIX "iterations",
    [TOLERANCE] = PREFIX "tolerance",
    [RELATIVE] = PREFIX "relative",
    [CANDIDATES] = PREFIX "candidates",
    [REFINE] = PREFIX "refine",
    [SCHEME] = PREFIX "scheme",
    [CORRECTION_STEPS] = PREFIX "correction-steps",
    [CORRECTION_RATE] = PREFIX "correction-rate",
    [MOMENTUM] = PREFIX "momentum",
    [INDEPENDENT] = PREFIX "independent",
    [NAMES] = PREFIX "names",
    [EFFORT] = PREFIX "effort",
};

static bool is_setting(const char *key) {
    return strncmp(key, PREFIX, strlen(PREFIX)) == 0;
}

/* ---- saving ---- */

struct values {
    char text[SETTINGS][HN_FINGERPRINT_BYTES];
};

enum { VALUE_SIZE = HN_FINGERPRINT_BYTES };

static void write_independent(const hn_policy *policy, char text[VALUE_SIZE]) {
    if (policy->completion.bytes)
        snprintf(text, VALUE_SIZE, "%zu with checksum %08lx", policy->width,
                 (unsigned long)completion_checksum(&policy->completion));
    else
        snprintf(text, VALUE_SIZE, "all");
}

static hn_status write_values(const hn_policy *policy, struct values *values, hn_error *error) {
    hn_policy_options o = hn_policy_options_of(policy);
    const hn_baseline *b = &policy->baseline;
    enum { SIZE = sizeof values->text[0] };
    snprintf(values->text[METHOD], SIZE, "%s", hn_method_text(o.layer.method));
    snprintf(values->text[DAMPING], SIZE, "%s", hexadecimal_write(o.layer.damping < 0 ? -1 : o.layer.damping).text);
    snprintf(values->text[ITERATIONS], SIZE, "%d", o.layer.iterations < 0 ? -1 : o.layer.iterations);
    snprintf(values->text[TOLERANCE], SIZE, "%s", hexadecimal_write(o.layer.tolerance).text);
    snprintf(values->text[RELATIVE], SIZE, "%s", o.layer.relative ? "true" : "false");
    snprintf(values->text[EFFORT], SIZE, "%s", hexadecimal_write(o.layer.effort).text);
    snprintf(values->text[CANDIDATES], SIZE, "%zu", o.candidates);
    snprintf(values->text[REFINE], SIZE, "%d", o.refine);
    snprintf(values->text[SCHEME], SIZE, "%s", hn_scheme_text(b->scheme));
    snprintf(values->text[CORRECTION_STEPS], SIZE, "%d", b->correction_steps);
    snprintf(values->text[CORRECTION_RATE], SIZE, "%s", hexadecimal_write(b->correction_rate).text);
    snprintf(values->text[MOMENTUM], SIZE, "%s", hexadecimal_write(b->momentum).text);
    write_independent(policy, values->text[INDEPENDENT]);
    hn_status status = hn_model_fingerprint(policy->model, values->text[MODEL], error);
    return status != HN_OK ? status : hn_model_names_fingerprint(policy->model, values->text[NAMES], error);
}

static hn_status check_texts(const char *path, size_t count, const hn_metadata *texts, hn_error *error) {
    if (count > 0 && !texts)
        return error_about(error, HN_INVALID, error_file(path), "%s: the texts are missing", path);
    enum { MOST = NETWORK_MOST_TEXTS - SETTINGS - POLICY_MODEL_TEXTS };
    if (count > MOST)
        return error_about(error, HN_LIMIT, error_file(path), "%s: %zu texts; at most %d are possible", path, count,
                           MOST);
    for (size_t i = 0; i < count; i++)
        if (texts[i].key && (is_setting(texts[i].key) || policy_model_is_key(texts[i].key)))
            return error_about(error, HN_INVALID, error_file(path),
                               "%s: a text may not be called %s: this prefix is reserved for the settings", path,
                               show_name(texts[i].key).text);
    return HN_OK;
}

hn_status hn_policy_save(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts,
                         hn_error *error) {
    struct values values;
    struct policy_model_texts parts;
    size_t settings = policy && policy->options.layer.effort == 1 ? EFFORT : SETTINGS;
    if (!policy || !path)
        return error_about(error, HN_INVALID, error_argument(policy ? "path" : "policy"), "there is no %s to save",
                           policy ? "path" : "policy");
    if (policy->options.layer.weights)
        return error_about(error, HN_INVALID, error_option("weights"), "weights: a network file cannot store them");
    hn_status status = check_texts(path, count, texts, error);
    if (status == HN_OK)
        status = write_values(policy, &values, error);
    if (status != HN_OK)
        return status;
    if ((status = policy_model_write(policy->model, &parts, error)) != HN_OK)
        return status;
    hn_metadata *all = base_allocate((settings + POLICY_MODEL_TEXTS + count) * sizeof *all);
    if (!all)
        return error_no_memory(error, path);
    for (size_t i = 0; i < settings; i++)
        all[i] = (hn_metadata){keys[i], values.text[i]};
    for (size_t i = 0; i < POLICY_MODEL_TEXTS; i++)
        all[settings + i] = (hn_metadata){policy_model_keys[i], parts.text[i]};
    settings += POLICY_MODEL_TEXTS;
    if (count > 0)
        memcpy(all + settings, texts, count * sizeof *all);
    status = hn_network_save(policy->network, path, settings + count, all, error);
    base_release(all);
    return status;
}

/* ---- loading: settings ---- */

static hn_status check_keys(const hn_network *network, const char *path, hn_error *error) {
    const char *at = network->texts, *end = at ? at + network->text_bytes : at;
    for (size_t i = 0; i < NAMES; i++)
        if (!hn_network_metadata(network, keys[i]))
            return error_about(error, HN_INVALID, error_file(path),
                               "%s: the setting %s is missing: it is a network without a policy", path, keys[i]);
    while (at < end) {
        bool known = !is_setting(at);
        for (size_t i = 0; i < SETTINGS && !known; i++)
            known = strcmp(at, keys[i]) == 0;
        if (!known)
            return error_about(error, HN_INVALID, error_file(path), "%s: unknown setting %s", path, show_name(at).text);
        at += strlen(at) + 1; /* to the value ... */
        at += strlen(at) + 1; /* ... and the next key */
    }
    return HN_OK;
}

/* Reads a decimal number exactly as it is written: no blanks, no +, no leading zeros. */
static bool read_whole(const char *text, int *value) {
    char again[16];
    long number = strtol(text, NULL, 10); /* out of range: LONG_MAX, whose text differs */
    if (number < -INT_MAX || number > INT_MAX)
        return false;
    *value = (int)number;
    snprintf(again, sizeof again, "%d", *value);
    return strcmp(again, text) == 0;
}

static bool read_truth(const char *text, bool *value) {
    *value = strcmp(text, "true") == 0;
    return *value || strcmp(text, "false") == 0;
}

static bool read_count(const char *text, size_t *value) {
    int whole = 0;
    bool good = read_whole(text, &whole) && whole > 0;
    *value = good ? (size_t)whole : 0;
    return good;
}

/* The settings in a file. */
struct policy_settings {
    hn_policy_options policy;
    hn_baseline baseline;
};

static bool read_setting(struct policy_settings *settings, enum setting setting, const char *text) {
    hn_policy_options *o = &settings->policy;
    hn_baseline *b = &settings->baseline;
    switch (setting) {
    case METHOD:
        return hn_method_find(text, &o->layer.method);
    case DAMPING:
        return hexadecimal_read(text, &o->layer.damping);
    case ITERATIONS:
        return read_whole(text, &o->layer.iterations);
    case TOLERANCE:
        return hexadecimal_read(text, &o->layer.tolerance);
    case RELATIVE:
        return read_truth(text, &o->layer.relative);
    case EFFORT:
        return hexadecimal_read(text, &o->layer.effort);
    case CANDIDATES:
        return read_count(text, &o->candidates);
    case REFINE:
        return read_whole(text, &o->refine) && o->refine >= 0;
    case SCHEME:
        return hn_scheme_find(text, &b->scheme);
    case CORRECTION_STEPS:
        return read_whole(text, &b->correction_steps) && b->correction_steps >= 0;
    case CORRECTION_RATE:
        return hexadecimal_read(text, &b->correction_rate);
    case MOMENTUM:
        return hexadecimal_read(text, &b->momentum);
    default: /* the fingerprint and the columns are checked later */
        return true;
    }
}

static hn_status read_settings(struct policy_settings *settings, const hn_network *network, const char *path,
                               hn_error *error) {
    hn_status status = check_keys(network, path, error);
    for (int i = 0; status == HN_OK && i < SETTINGS; i++) {
        const char *text = hn_network_metadata(network, keys[i]);
        if (text && !read_setting(settings, (enum setting)i, text))
            status = error_about(error, HN_INVALID, error_file(path), "%s: the setting %s is \"%s\"", path, keys[i],
                                 show_name(text).text);
    }
    return status;
}

/* ---- loading: the model ---- */

/* The number of outputs that dc3 needs is determined when the policy is created. */
static hn_status check_widths(const hn_model *model, const hn_network *network, const struct policy_settings *settings,
                              const char *path, hn_error *error) {
    hn_network_options o = hn_network_options_of(network);
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    size_t candidates = settings->policy.candidates;
    if (o.inputs != inputs)
        return error_about(error, HN_INVALID, error_file(path), "%s: the network has %zu inputs, and the model %zu",
                           path, o.inputs, inputs);
    bool all = o.outputs % candidates == 0 && o.outputs / candidates == outputs;
    if (!all && settings->baseline.scheme != HN_SCHEME_DC3)
        return error_about(error, HN_INVALID, error_file(path),
                           "%s: the network has %zu outputs for %zu candidate%s, and the model %zu for each", path,
                           o.outputs, candidates, candidates == 1 ? "" : "s", outputs);
    return HN_OK;
}

/* ---- loading ---- */

/* Dependent outputs are chosen again; rejects a network made for another choice. */
static hn_status check_independent(hn_policy **policy, const hn_network *network, const char *path, hn_error *error) {
    const char *found = hn_network_metadata(network, keys[INDEPENDENT]);
    char wanted[VALUE_SIZE];
    write_independent(*policy, wanted);
    if (strcmp(found, wanted) == 0)
        return HN_OK;
    hn_policy_destroy(*policy);
    *policy = NULL;
    return error_about(error, HN_INVALID, error_file(path),
                       "%s: the setting %s is \"%s\", and for this model it is \"%s\"", path, keys[INDEPENDENT],
                       show_name(found).text, wanted);
}

static hn_status policy_file_build(hn_policy **out, const hn_model *model, const hn_network *network,
                                   const struct policy_settings *settings, const char *path, hn_error *error) {
    hn_error inner = {.text = ""};
    hn_status status = hn_baseline_policy(out, model, network, &settings->policy, &settings->baseline, &inner);
    if (status != HN_OK)
        error_about(error, status, error_file(path), "%s: %.400s", path, inner.text);
    return status == HN_OK ? check_independent(out, network, path, error) : status;
}

hn_status hn_policy_load(hn_policy **out, const hn_model *model, const char *path, int threads, hn_error *error) {
    struct policy_settings settings = {hn_policy_defaults(), hn_baseline_defaults()};
    hn_network *network;
    if (!out)
        return error_missing(error, "hn_policy_load", "out");
    *out = NULL;
    settings.policy.threads = threads;
    if (!model || !path)
        return error_about(error, HN_INVALID, error_argument(model ? "path" : "model"),
                           "there is no %s to load a policy %s", model ? "path" : "model", model ? "from" : "for");
    hn_status status = hn_network_load(&network, path, error);
    if (status == HN_OK)
        status = read_settings(&settings, network, path, error);
    if (status == HN_OK)
        status = check_widths(model, network, &settings, path, error);
    if (status == HN_OK)
        status = policy_model_check(model, network, path, error);
    if (status == HN_OK)
        status = policy_file_build(out, model, network, &settings, path, error);
    if (status == HN_OK)
        (*out)->owned = network;
    else
        hn_network_destroy(network);
    return status;
}
