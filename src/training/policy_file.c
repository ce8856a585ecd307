/* policy_file.c - a policy as a file: its network, and in the metadata
 *
 *     policy.model        the fingerprint of the model's mathematics
 *     policy.names        that of its names; optional
 *     model.parts, model.columns   digests of the model's parts and of the names of its columns
 *     policy.effort       a setting of the layer; written if it is not 1
 *     policy.method, policy.damping, policy.iterations, policy.tolerance, policy.relative       the layer's settings
 *     policy.candidates, policy.refine
 *     policy.scheme       layer, none if outputs are not corrected, or the name of a head
 *     policy.correction-steps, policy.correction-rate, policy.momentum, policy.independent
 *                         constant without a head; otherwise the texts of the head
 *
 * Settings are stored as given; -1 means the method's default. Floating-point numbers are written in hexadecimal
 * (base/bytes.h), which preserves their bits, integers in decimal. All other keys are required, and no other key
 * may start with "policy.": a file from a newer version with more settings is rejected rather than misread.
 *
 * SPDX-License-Identifier: MIT */
#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "training/training_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    [MODEL] = POLICY_PREFIX "model",           [METHOD] = POLICY_PREFIX "method",
    [DAMPING] = POLICY_PREFIX "damping",       [ITERATIONS] = POLICY_PREFIX "iterations",
    [TOLERANCE] = POLICY_PREFIX "tolerance",   [RELATIVE] = POLICY_PREFIX "relative",
    [CANDIDATES] = POLICY_PREFIX "candidates", [REFINE] = POLICY_PREFIX "refine",
    [SCHEME] = POLICY_PREFIX "scheme",         [NAMES] = POLICY_PREFIX "names",
    [EFFORT] = POLICY_PREFIX "effort",
};

/* Keys and values of a file without a head. */
enum { NO_HEAD = 4 };
static const char no_head[NO_HEAD][2][32] = {{POLICY_PREFIX "correction-steps", "100"},
                                             {POLICY_PREFIX "correction-rate", "0x1.999999999999ap-4"},
                                             {POLICY_PREFIX "momentum", "0x1.0000000000000p-1"},
                                             {POLICY_PREFIX "independent", "all"}};

/* The texts of a head, or those without a head. */
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

/* ---- the model of a network: whether it matches, and the differences if not ----
 *
 * Two texts of the file describe the model at the time of saving (model/fingerprint_parts.h):
 *
 *     model.parts     "inputs 3 DIGEST, outputs 50 DIGEST, ...": number and digest of each part of the mathematics
 *     model.columns   "in order DIGEST, sorted DIGEST": the names of inputs and outputs
 *
 * A network matches if the mathematics are the same; names of constraints, objective and definitions, comments and
 * unused definitions may differ. Names of inputs and outputs may differ, too, unless they are the same names in another
 * order, which means that columns have moved. A file of an earlier version, without these texts, matches if both
 * fingerprints do. */

enum { MODEL_TEXTS = 2, MODEL_TEXT = 512 };

struct model_texts {
    char text[MODEL_TEXTS][MODEL_TEXT];
};

static const char model_keys[MODEL_TEXTS][16] = {"model.parts", "model.columns"};

static const char words[MODEL_PARTS][16] = {"inputs", "outputs", "rows", "objective", "requirements", "definitions"};

static bool is_model_key(const char *key) {
    bool found = false;
    for (int i = 0; i < MODEL_TEXTS; i++)
        found = found || strcmp(key, model_keys[i]) == 0;
    return found;
}

static hn_status describe_model(const hn_model *model, struct model_texts *texts, hn_error *error) {
    struct model_part parts[MODEL_PARTS];
    char in_order[PART_TEXT], sorted[PART_TEXT];
    hn_status status = model_parts(model, parts, error);
    if (status == HN_OK)
        status = model_column_names(model, in_order, sorted, error);
    if (status != HN_OK)
        return status;
    size_t used = 0;
    for (int i = 0; i < MODEL_PARTS; i++)
        used += (size_t)snprintf(texts->text[0] + used, MODEL_TEXT - used, "%s%s %zu %s", i > 0 ? ", " : "", words[i],
                                 parts[i].count, parts[i].digest);
    snprintf(texts->text[1], MODEL_TEXT, "in order %s, sorted %s", in_order, sorted);
    return HN_OK;
}

/* A part: a piece of the text between commas. */
struct piece {
    const char *text;
    size_t bytes;
};

static struct piece piece_at(const char *text, int number) {
    for (int i = 0; i < number; i++) {
        const char *comma = strstr(text, ", ");
        text = comma ? comma + 2 : "";
    }
    const char *end = strstr(text, ", ");
    return (struct piece){text, end ? (size_t)(end - text) : strlen(text)};
}

static bool part_differs(const char *there, const char *here, int number) {
    struct piece a = piece_at(there, number), b = piece_at(here, number);
    return a.bytes != b.bytes || memcmp(a.text, b.text, a.bytes) != 0;
}

/* The number after the word. */
static unsigned long count_of(const char *text, int number) {
    return strtoul(piece_at(text, number).text + strlen(words[number]), NULL, 10);
}

/* Whether the text lists these parts in this order; if not, the differences are unknown. */
static bool has_parts(const char *text) {
    for (int i = 0; i < MODEL_PARTS; i++)
        if (!text || strncmp(piece_at(text, i).text, words[i], strlen(words[i])) != 0)
            return false;
    return true;
}

/* "rows (60 in the file, 62 here), objective" */
static void list_differences(char *out, size_t size, const char *there, const char *here) {
    size_t used = 0;
    for (int i = 0; i < MODEL_PARTS && used < size; i++) {
        unsigned long was = count_of(there, i), is = count_of(here, i);
        if (!part_differs(there, here, i))
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", words[i]);
        if (was != is && used < size)
            used += (size_t)snprintf(out + used, size - used, " (%lu in the file, %lu here)", was, is);
    }
}

/* Whether only unused definitions differ, which affect no result. */
static bool only_definitions(const char *there, const char *here) {
    for (int i = 0; i < MODEL_PARTS; i++)
        if (i != PART_DEFINITIONS && part_differs(there, here, i))
            return false;
    return true;
}

static const char advice[] = "hardnet train --init takes its weights over";

/* A file of an earlier version, without the text: all names must be the same. */
static hn_status check_all_names(const hn_model *model, const hn_network *network, const char *path, hn_error *error) {
    const char *names = hn_network_metadata(network, keys[NAMES]);
    char wanted[HN_FINGERPRINT_BYTES];
    hn_status status = names ? hn_model_names_fingerprint(model, wanted, error) : HN_OK;
    if (status != HN_OK || !names || strcmp(names, wanted) == 0)
        return status;
    return error_in_file(error, HN_INVALID, path,
                         "the network is for another model: the mathematics are the same, but names differ, and the "
                         "file, of an earlier version, does not say which; %s",
                         advice);
}

/* Columns have moved if the names in order differ, and the sorted names do not. */
static hn_status check_columns(const char *there, const char *here, const char *path, hn_error *error) {
    if (!part_differs(there, here, 0) || part_differs(there, here, 1))
        return HN_OK;
    return error_in_file(error, HN_INVALID, path,
                         "the network is for another model: the mathematics are the same, but inputs or outputs of the "
                         "same names come in another order");
}

static hn_status check_model(const hn_model *model, const hn_network *network, const char *path, hn_error *error) {
    enum { SHOWN = 12 };
    struct model_texts here;
    char wanted[HN_FINGERPRINT_BYTES], differs[256] = "";
    const char *found = hn_network_metadata(network, keys[MODEL]);
    const char *parts = hn_network_metadata(network, model_keys[0]);
    const char *columns = hn_network_metadata(network, model_keys[1]);
    hn_status status = hn_model_fingerprint(model, wanted, error);
    if (status == HN_OK)
        status = describe_model(model, &here, error);
    if (status != HN_OK)
        return status;
    bool known = has_parts(parts), same = strcmp(found, wanted) == 0;
    if (same || (known && only_definitions(parts, here.text[0])))
        return columns ? check_columns(columns, here.text[1], path, error)
                       : check_all_names(model, network, path, error);
    if (known)
        list_differences(differs, sizeof differs, parts, here.text[0]);
    return error_in_file(error, HN_INVALID, path,
                         "the network is for another model: its fingerprint is %.*s, this model's %.*s%s%s; %s", SHOWN,
                         show_name(found).text, SHOWN, wanted, *differs ? "; what differs: " : "", differs, advice);
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
        return error_in_file(error, HN_INVALID, path, "the texts are missing");
    enum { MOST = NETWORK_MOST_TEXTS - SETTINGS - HN_HEAD_MOST_TEXTS - MODEL_TEXTS };
    if (count > MOST)
        return error_in_file(error, HN_LIMIT, path, "%zu texts; at most %d are possible", count, MOST);
    for (size_t i = 0; i < count; i++)
        if (texts[i].key && (policy_is_setting(texts[i].key) || is_model_key(texts[i].key)))
            return error_in_file(error, HN_INVALID, path,
                                 "a text may not be called %s: this prefix is reserved for the settings",
                                 show_name(texts[i].key).text);
    return HN_OK;
}

/* The texts of the policy, then the caller's. */
static hn_status save_network(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts,
                              hn_error *error) {
    struct values values;
    struct model_texts parts;
    struct head_texts head;
    size_t settings = policy->options.layer.effort == 1 ? EFFORT : SETTINGS, k = 0;
    hn_status status = write_values(policy, &values, error);
    if (status == HN_OK)
        status = describe_model(policy->model, &parts, error);
    if (status != HN_OK)
        return status;
    take_texts(&head, policy->options.head);
    hn_metadata *all = base_allocate((settings + head.count + MODEL_TEXTS + count) * sizeof *all);
    if (!all)
        return error_no_memory(error, path);
    for (size_t i = 0; i < NAMES; i++)
        all[k++] = (hn_metadata){keys[i], values.text[i]};
    for (size_t i = 0; i < head.count; i++)
        all[k++] = head.texts[i];
    for (size_t i = NAMES; i < settings; i++)
        all[k++] = (hn_metadata){keys[i], values.text[i]};
    for (size_t i = 0; i < MODEL_TEXTS; i++)
        all[k++] = (hn_metadata){model_keys[i], parts.text[i]};
    for (size_t i = 0; i < count; i++)
        all[k++] = texts[i];
    status = hn_network_save(policy->network, path, k, all, error);
    base_release(all);
    return status;
}

hn_status hn_policy_save(const hn_policy *policy, const char *path, size_t count, const hn_metadata *texts,
                         hn_error *error) {
    if (!policy || !path)
        return error_about(error, HN_INVALID, error_argument(policy ? "path" : "policy"), "there is no %s to save",
                           policy ? "path" : "policy");
    if (policy->options.layer.weights)
        return error_about(error, HN_INVALID, error_option("weights"), "weights: a network file cannot store them");
    hn_status status = check_texts(path, count, texts, error);
    return status == HN_OK ? save_network(policy, path, count, texts, error) : status;
}

/* ---- loading: settings ---- */

struct loading {
    const char *path;
    hn_error *error;
    hn_network *network;
    hn_policy_options options;
};

/* The setting as written in the file; NULL if it is missing. */
static const char *text_of(const struct loading *l, enum setting setting) {
    return hn_network_metadata(l->network, keys[setting]);
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

static hn_status read_settings(struct loading *l) {
    for (int i = 0; i < NAMES; i++)
        if (!text_of(l, (enum setting)i))
            return error_in_file(l->error, HN_INVALID, l->path,
                                 "the setting %s is missing: it is a network without a policy", keys[i]);
    for (int i = 0; i < SETTINGS; i++) {
        const char *text = text_of(l, (enum setting)i);
        if (text && !read_setting(&l->options, (enum setting)i, text))
            return error_in_file(l->error, HN_INVALID, l->path, "the setting %s is \"%s\"", keys[i],
                                 show_name(text).text);
    }
    return HN_OK;
}

/* ---- loading: the head ---- */

static bool needs_head(const struct loading *l) {
    const char *scheme = text_of(l, SCHEME);
    return strcmp(scheme, "layer") != 0 && strcmp(scheme, "none") != 0;
}

static hn_status find_head(struct loading *l, hn_head_find find, void *context) {
    const char *scheme = text_of(l, SCHEME);
    hn_error inner = {.text = ""};
    if (!needs_head(l))
        return HN_OK;
    hn_status status = find ? find(context, l->network, &l->options, &l->options.head, &inner) : HN_OK;
    if (status != HN_OK)
        return error_in_file(l->error, status, l->path, "%.400s", inner.text);
    const hn_head *head = l->options.head;
    if (head && head->name && strcmp(head->name, scheme) == 0)
        return HN_OK;
    return error_in_file(l->error, HN_INVALID, l->path, "the setting %s is \"%s\", and there is no such head here",
                         keys[SCHEME], show_name(scheme).text);
}

static bool is_known(const char *key, const struct head_texts *head) {
    bool known = !policy_is_setting(key);
    for (size_t i = 0; i < SETTINGS && !known; i++)
        known = strcmp(key, keys[i]) == 0;
    for (size_t i = 0; i < head->count && !known; i++)
        known = strcmp(key, head->texts[i].key) == 0;
    return known;
}

/* All settings of the file are known, and those of the head are the same. */
static hn_status check_head_texts(const struct loading *l) {
    const char *at = l->network->texts, *end = at ? at + l->network->text_bytes : at;
    struct head_texts head;
    take_texts(&head, l->options.head);
    for (; at < end; at += strlen(at) + 1) {
        if (!is_known(at, &head))
            return error_in_file(l->error, HN_INVALID, l->path, "unknown setting %s", show_name(at).text);
        at += strlen(at) + 1; /* to the value */
    }
    for (size_t i = 0; i < head.count; i++) {
        const hn_metadata *text = &head.texts[i];
        const char *found = hn_network_metadata(l->network, text->key);
        if (!found)
            return error_in_file(l->error, HN_INVALID, l->path, "the setting %s is missing", text->key);
        if (strcmp(found, text->value) != 0)
            return error_in_file(l->error, HN_INVALID, l->path,
                                 "the setting %s is \"%s\", and for this model it is \"%s\"", text->key,
                                 show_name(found).text, text->value);
    }
    return HN_OK;
}

/* ---- loading ---- */

/* The number of outputs that a head needs is determined when the policy is created. */
static hn_status check_widths(const struct loading *l, const hn_model *model) {
    hn_network_options o = hn_network_options_of(l->network);
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model);
    size_t candidates = l->options.candidates;
    if (o.inputs != inputs)
        return error_in_file(l->error, HN_INVALID, l->path, "the network has %zu inputs, and the model %zu", o.inputs,
                             inputs);
    bool all = o.outputs % candidates == 0 && o.outputs / candidates == outputs;
    if (!all && !needs_head(l))
        return error_in_file(l->error, HN_INVALID, l->path,
                             "the network has %zu outputs for %zu candidate%s, and the model %zu for each", o.outputs,
                             candidates, candidates == 1 ? "" : "s", outputs);
    return HN_OK;
}

static hn_status policy_of(hn_policy **out, const struct loading *l, const hn_model *model) {
    hn_error inner = {.text = ""};
    hn_status status = hn_policy_create(out, model, l->network, &l->options, &inner);
    return status == HN_OK ? HN_OK : error_in_file(l->error, status, l->path, "%.400s", inner.text);
}

hn_status hn_policy_load(hn_policy **out, const hn_model *model, const char *path, int threads, hn_error *error) {
    return hn_policy_load_with(out, model, path, threads, NULL, NULL, error);
}

hn_status hn_policy_load_with(hn_policy **out, const hn_model *model, const char *path, int threads, hn_head_find find,
                              void *context, hn_error *error) {
    struct loading l = {.path = path, .error = error, .options = hn_policy_defaults()};
    if (!out)
        return error_missing(error, "hn_policy_load", "out");
    *out = NULL;
    l.options.threads = threads;
    if (!model || !path)
        return error_about(error, HN_INVALID, error_argument(model ? "path" : "model"),
                           "there is no %s to load a policy %s", model ? "path" : "model", model ? "from" : "for");
    hn_status status = hn_network_load(&l.network, path, error);
    if (status == HN_OK)
        status = read_settings(&l);
    if (status == HN_OK)
        status = check_widths(&l, model);
    if (status == HN_OK)
        status = check_model(model, l.network, path, error);
    if (status == HN_OK)
        status = find_head(&l, find, context);
    if (status == HN_OK)
        status = check_head_texts(&l);
    if (status == HN_OK)
        status = policy_of(out, &l, model);
    if (status == HN_OK)
        (*out)->owned = l.network;
    else
        hn_network_destroy(l.network);
    return status;
}
