/* policy_file.c - a policy as a file: its network, and in the metadata
 *
 *     policy.model        the fingerprint of the model's mathematics
 *     policy.names        that of its names; optional
 *     model.parts, model.columns   digests of the model's parts and of the names of its columns (policy_model.c)
 *     policy.effort       a setting of the layer; written if it is not 1
 *     policy.method, policy.damping, policy.iterations, policy.tolerance, policy.relative       the layer's settings
 *     policy.candidates, policy.refine
 *     policy.scheme       layer, none where outputs are not corrected, or the name of a head
 *     policy.correction-steps, policy.correction-rate, policy.momentum, policy.independent
 *                         constant without a head; otherwise the texts of the head
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
    NAMES, /* this one and the following are optional */
    EFFORT,
    SETTINGS
};

static const char keys[SETTINGS][24] = {
    [MODEL] = PREFIX "model",           [METHOD] = PREFIX "method",       [DAMPING] = PREFIX "damping",
    [ITERATIONS] = PREFIX "iterations", [TOLERANCE] = PREFIX "tolerance", [RELATIVE] = PREFIX "relative",
    [CANDIDATES] = PREFIX "candidates", [REFINE] = PREFIX "refine",       [SCHEME] = PREFIX "scheme",
    [NAMES] = PREFIX "names",           [EFFORT] = PREFIX "effort",
};

/* Keys and values of a file without a head. */
enum { NO_HEAD = 4 };
static const char no_head[NO_HEAD][2][32] = {{PREFIX "correction-steps", "100"},
                                             {PREFIX "correction-rate", "0x1.999999999999ap-4"},
                                             {PREFIX "momentum", "0x1.0000000000000p-1"},
                                             {PREFIX "independent", "all"}};

/* The texts of a head, or of none. */
struct head_texts {
    size_t count;
    const hn_metadata *texts;
    hn_metadata none[NO_HEAD];
};

static void take_texts(struct head_texts *all, const hn_head *head) {
    for (size_t i = 0; i < NO_HEAD; i++)
        all->none[i] = (hn_metadata){no_head[i][0], no_head[i][1]};
    all->count = head ? head->text_count : NO_HEAD;
    all->texts = head ? head->texts : all->none;
}

const char *policy_scheme(const hn_policy_options *options) {
    return options->head ? options->head->name : options->uncorrected ? "none" : "layer";
}

static bool is_setting(const char *key) {
    return strncmp(key, PREFIX, strlen(PREFIX)) == 0;
}

/* ---- saving ---- */

struct values {
    char text[SETTINGS][HN_FINGERPRINT_BYTES];
};

static hn_status write_values(const hn_policy *policy, struct values *values, hn_error *error) {
    hn_policy_options o = hn_policy_options_of(policy);
    enum { SIZE = sizeof values->text[0] };
    snprintf(values->text[METHOD], SIZE, "%s", hn_method_text(o.layer.method));
    snprintf(values->text[DAMPING], SIZE, "%s", hexadecimal_write(o.layer.damping < 0 ? -1 : o.layer.damping).text);
    snprintf(values->text[ITERATIONS], SIZE, "%d", o.layer.iterations < 0 ? -1 : o.layer.iterations);
    snprintf(values->text[TOLERANCE], SIZE, "%s", hexadecimal_write(o.layer.tolerance).text);
    snprintf(values->text[RELATIVE], SIZE, "%s", o.layer.relative ? "true" : "false");
    snprintf(values->text[EFFORT], SIZE, "%s", hexadecimal_write(o.layer.effort).text);
    snprintf(values->text[CANDIDATES], SIZE, "%zu", o.candidates);
    snprintf(values->text[REFINE], SIZE, "%d", o.refine);
    snprintf(values->text[SCHEME], SIZE, "%s", policy_scheme(&o));
    hn_status status = hn_model_fingerprint(policy->model, values->text[MODEL], error);
    return status != HN_OK ? status : hn_model_names_fingerprint(policy->model, values->text[NAMES], error);
}

static hn_status check_texts(const char *path, size_t count, const hn_metadata *texts, hn_error *error) {
    if (count > 0 && !texts)
        return error_about(error, HN_INVALID, error_file(path), "%s: the texts are missing", path);
    enum { MOST = NETWORK_MOST_TEXTS - SETTINGS - HN_HEAD_MOST_TEXTS - POLICY_MODEL_TEXTS };
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
    struct head_texts head;
    size_t k = 0;
    take_texts(&head, policy->options.head);
    hn_metadata *all = base_allocate((settings + head.count + POLICY_MODEL_TEXTS + count) * sizeof *all);
    if (!all)
        return error_no_memory(error, path);
    for (size_t i = 0; i < NAMES; i++)
        all[k++] = (hn_metadata){keys[i], values.text[i]};
    for (size_t i = 0; i < head.count; i++)
        all[k++] = head.texts[i];
    for (size_t i = NAMES; i < settings; i++)
        all[k++] = (hn_metadata){keys[i], values.text[i]};
    for (size_t i = 0; i < POLICY_MODEL_TEXTS; i++)
        all[k++] = (hn_metadata){policy_model_keys[i], parts.text[i]};
    for (size_t i = 0; i < count; i++)
        all[k++] = texts[i];
    status = hn_network_save(policy->network, path, k, all, error);
    base_release(all);
    return status;
}

/* ---- loading: settings ---- */

static hn_status check_keys(const hn_network *network, const char *path, hn_error *error) {
    for (size_t i = 0; i < NAMES; i++)
        if (!hn_network_metadata(network, keys[i]))
            return error_about(error, HN_INVALID, error_file(path),
                               "%s: the setting %s is missing: it is a network without a policy", path, keys[i]);
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

static bool read_setting(hn_policy_options *o, enum setting setting, const char *text) {
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
        o->uncorrected = strcmp(text, "none") == 0;
        return true;
    default: /* fingerprints are checked later */
        return true;
    }
}

static hn_status read_settings(hn_policy_options *options, const hn_network *network, const char *path,
                               hn_error *error) {
    hn_status status = check_keys(network, path, error);
    for (int i = 0; status == HN_OK && i < SETTINGS; i++) {
        const char *text = hn_network_metadata(network, keys[i]);
        if (text && !read_setting(options, (enum setting)i, text))
            status = error_about(error, HN_INVALID, error_file(path), "%s: the setting %s is \"%s\"", path, keys[i],
                                 show_name(text).text);
    }
    return status;
}

/* ---- loading: the head ---- */

struct head_finder {
    hn_head_find find; /* NULL: there is none */
    void *context;
};

static bool needs_head(const hn_network *network) {
    const char *scheme = hn_network_metadata(network, keys[SCHEME]);
    return strcmp(scheme, "layer") != 0 && strcmp(scheme, "none") != 0;
}

static hn_status find_head(hn_policy_options *options, const hn_network *network, const struct head_finder *finder,
                           const char *path, hn_error *error) {
    const char *scheme = hn_network_metadata(network, keys[SCHEME]);
    hn_error inner = {.text = ""};
    if (!needs_head(network))
        return HN_OK;
    hn_status status = finder->find ? finder->find(finder->context, network, options, &options->head, &inner) : HN_OK;
    if (status != HN_OK)
        return error_about(error, status, error_file(path), "%s: %.400s", path, inner.text);
    if (options->head && options->head->name && strcmp(options->head->name, scheme) == 0)
        return HN_OK;
    return error_about(error, HN_INVALID, error_file(path),
                       "%s: the setting %s is \"%s\", and there is no such head here", path, keys[SCHEME],
                       show_name(scheme).text);
}

static bool is_known(const char *key, const struct head_texts *head) {
    bool known = !is_setting(key);
    for (size_t i = 0; i < SETTINGS && !known; i++)
        known = strcmp(key, keys[i]) == 0;
    for (size_t i = 0; i < head->count && !known; i++)
        known = strcmp(key, head->texts[i].key) == 0;
    return known;
}

/* All settings of the file are known, and those of the head are the same. */
static hn_status check_head_texts(const hn_policy_options *options, const hn_network *network, const char *path,
                                  hn_error *error) {
    const char *at = network->texts, *end = at ? at + network->text_bytes : at;
    struct head_texts head;
    take_texts(&head, options->head);
    for (; at < end; at += strlen(at) + 1) {
        if (!is_known(at, &head))
            return error_about(error, HN_INVALID, error_file(path), "%s: unknown setting %s", path, show_name(at).text);
        at += strlen(at) + 1; /* to the value */
    }
    for (size_t i = 0; i < head.count; i++) {
        const char *found = hn_network_metadata(network, head.texts[i].key);
        if (!found)
            return error_about(error, HN_INVALID, error_file(path), "%s: the setting %s is missing", path,
                               head.texts[i].key);
        if (strcmp(found, head.texts[i].value) != 0)
            return error_about(error, HN_INVALID, error_file(path),
                               "%s: the setting %s is \"%s\", and for this model it is \"%s\"", path, head.texts[i].key,
                               show_name(found).text, head.texts[i].value);
    }
    return HN_OK;
}

/* ---- loading: the model ---- */

/* The number of outputs that a head needs is determined when the policy is created. */
static hn_status check_widths(const hn_model *model, const hn_network *network, const hn_policy_options *options,
                              const char *path, hn_error *error) {
    hn_network_options o = hn_network_options_of(network);
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    size_t candidates = options->candidates;
    if (o.inputs != inputs)
        return error_about(error, HN_INVALID, error_file(path), "%s: the network has %zu inputs, and the model %zu",
                           path, o.inputs, inputs);
    bool all = o.outputs % candidates == 0 && o.outputs / candidates == outputs;
    if (!all && !needs_head(network))
        return error_about(error, HN_INVALID, error_file(path),
                           "%s: the network has %zu outputs for %zu candidate%s, and the model %zu for each", path,
                           o.outputs, candidates, candidates == 1 ? "" : "s", outputs);
    return HN_OK;
}

/* ---- loading ---- */

static hn_status policy_file_build(hn_policy **out, const hn_model *model, const hn_network *network,
                                   const hn_policy_options *options, const char *path, hn_error *error) {
    hn_error inner = {.text = ""};
    hn_status status = hn_policy_create(out, model, network, options, &inner);
    if (status != HN_OK)
        error_about(error, status, error_file(path), "%s: %.400s", path, inner.text);
    return status;
}

hn_status hn_policy_load(hn_policy **out, const hn_model *model, const char *path, int threads, hn_error *error) {
    return hn_policy_load_with(out, model, path, threads, NULL, NULL, error);
}

hn_status hn_policy_load_with(hn_policy **out, const hn_model *model, const char *path, int threads, hn_head_find find,
                              void *context, hn_error *error) {
    const struct head_finder finder = {find, context};
    hn_policy_options options = hn_policy_defaults();
    hn_network *network;
    if (!out)
        return error_missing(error, "hn_policy_load", "out");
    *out = NULL;
    options.threads = threads;
    if (!model || !path)
        return error_about(error, HN_INVALID, error_argument(model ? "path" : "model"),
                           "there is no %s to load a policy %s", model ? "path" : "model", model ? "from" : "for");
    hn_status status = hn_network_load(&network, path, error);
    if (status == HN_OK)
        status = read_settings(&options, network, path, error);
    if (status == HN_OK)
        status = check_widths(model, network, &options, path, error);
    if (status == HN_OK)
        status = policy_model_check(model, network, path, error);
    if (status == HN_OK)
        status = find_head(&options, network, &finder, path, error);
    if (status == HN_OK)
        status = check_head_texts(&options, network, path, error);
    if (status == HN_OK)
        status = policy_file_build(out, model, network, &options, path, error);
    if (status == HN_OK)
        (*out)->owned = network;
    else
        hn_network_destroy(network);
    return status;
}
