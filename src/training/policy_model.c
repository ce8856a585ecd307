/* policy_model.c - whether a network's file matches a model, and the differences if not.
 *
 * Two texts of the file describe the model at the time of saving (model/fingerprint_parts.h):
 *
 *     model.parts     "inputs 3 DIGEST, outputs 50 DIGEST, ...": number and digest of each part of the mathematics
 *     model.columns   "in order DIGEST, sorted DIGEST": the names of inputs and outputs
 *
 * A network matches if the mathematics are the same; names of constraints, objective and definitions, comments and
 * unused definitions may differ. Names of inputs and outputs may differ, too, unless they are the same names in another
 * order, which means that columns have moved. A file of an earlier version, without these texts, matches if both
 * fingerprints do.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/utf8.h"
#include "training/training_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char policy_model_keys[POLICY_MODEL_TEXTS][16] = {"model.parts", "model.columns"};

static const char words[MODEL_PARTS][16] = {"inputs", "outputs", "rows", "objective", "requirements", "definitions"};

bool policy_model_is_key(const char *key) {
    bool found = false;
    for (int i = 0; i < POLICY_MODEL_TEXTS; i++)
        found = found || strcmp(key, policy_model_keys[i]) == 0;
    return found;
}

/* ---- saving ---- */

hn_status policy_model_write(const hn_model *model, struct policy_model_texts *texts, hn_error *error) {
    struct model_part parts[MODEL_PARTS];
    char in_order[PART_TEXT], sorted[PART_TEXT];
    hn_status status = model_parts(model, parts, error);
    if (status == HN_OK)
        status = model_column_names(model, in_order, sorted, error);
    if (status != HN_OK)
        return status;
    size_t used = 0;
    for (int i = 0; i < MODEL_PARTS; i++)
        used += (size_t)snprintf(texts->text[0] + used, POLICY_MODEL_TEXT - used, "%s%s %zu %s", i > 0 ? ", " : "",
                                 words[i], parts[i].count, parts[i].digest);
    snprintf(texts->text[1], POLICY_MODEL_TEXT, "in order %s, sorted %s", in_order, sorted);
    return HN_OK;
}

/* ---- loading: parts, as pieces of the text between commas ---- */

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

static bool same_piece(struct piece a, struct piece b) {
    return a.bytes == b.bytes && memcmp(a.text, b.text, a.bytes) == 0;
}

/* The number after the word. */
static unsigned long count_of(struct piece piece, const char *word) {
    return strtoul(piece.text + strlen(word), NULL, 10);
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
        struct piece old = piece_at(there, i), new = piece_at(here, i);
        unsigned long was = count_of(old, words[i]), is = count_of(new, words[i]);
        if (same_piece(old, new))
            continue;
        used += (size_t)snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", words[i]);
        if (was != is && used < size)
            used += (size_t)snprintf(out + used, size - used, " (%lu in the file, %lu here)", was, is);
    }
}

/* Whether only unused definitions differ, which affect no result. */
static bool only_definitions(const char *there, const char *here) {
    for (int i = 0; i < MODEL_PARTS; i++)
        if (i != PART_DEFINITIONS && !same_piece(piece_at(there, i), piece_at(here, i)))
            return false;
    return true;
}

/* ---- loading: the comparison ---- */

static const char advice[] = "hardnet train --init takes its weights over";

/* A file of an earlier version, without the text: all names must be the same. */
static hn_status check_all_names(const hn_model *model, const hn_network *network, const char *path, hn_error *error) {
    const char *names = hn_network_metadata(network, "policy.names");
    char wanted[HN_FINGERPRINT_BYTES];
    hn_status status = names ? hn_model_names_fingerprint(model, wanted, error) : HN_OK;
    if (status != HN_OK || !names || strcmp(names, wanted) == 0)
        return status;
    return error_in_file(error, HN_INVALID, path,
                         "the network is for another model: the mathematics are the same, but names differ, and the "
                         "file, of an earlier version, does not say which; %s",
                         advice);
}

static hn_status check_columns(const char *there, const char *here, const char *path, hn_error *error) {
    bool moved =
        !same_piece(piece_at(there, 0), piece_at(here, 0)) && same_piece(piece_at(there, 1), piece_at(here, 1));
    return !moved ? HN_OK
                  : error_in_file(error, HN_INVALID, path,
                                  "the network is for another model: the mathematics are the same, but inputs or "
                                  "outputs of the same names come in another order");
}

static hn_status policy_model_refuse(const char *path, const char *found, const char *wanted, const char *differs,
                                     hn_error *error) {
    enum { SHOWN = 12 };
    return error_in_file(error, HN_INVALID, path,
                         "the network is for another model: its fingerprint is %.*s, this model's %.*s%s%s; %s", SHOWN,
                         show_name(found).text, SHOWN, wanted, *differs ? "; what differs: " : "", differs, advice);
}

hn_status policy_model_check(const hn_model *model, const hn_network *network, const char *path, hn_error *error) {
    struct policy_model_texts here;
    char wanted[HN_FINGERPRINT_BYTES], differs[256] = "";
    const char *found = hn_network_metadata(network, "policy.model");
    const char *parts = hn_network_metadata(network, policy_model_keys[0]);
    const char *columns = hn_network_metadata(network, policy_model_keys[1]);
    hn_status status = hn_model_fingerprint(model, wanted, error);
    if (status == HN_OK)
        status = policy_model_write(model, &here, error);
    if (status != HN_OK)
        return status;
    bool known = has_parts(parts), same = strcmp(found, wanted) == 0;
    if (same || (known && only_definitions(parts, here.text[0])))
        return columns ? check_columns(columns, here.text[1], path, error)
                       : check_all_names(model, network, path, error);
    if (known)
        list_differences(differs, sizeof differs, parts, here.text[0]);
    return policy_model_refuse(path, found, wanted, differs, error);
}
