/* layer_options.c - methods by name, defaults, and checks.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/structs.h"
#include "layer/driver.h"

#include <math.h>
#include <string.h>

enum { LONGEST = 16, LONGEST_REASON = 96 };

#define LIST_TEXT(name, text) text,
static const char methods[HN_METHOD_COUNT][LONGEST] = {HN_METHOD_LIST(LIST_TEXT)};
static const char choices[HN_NOT_OK_COUNT][LONGEST] = {HN_NOT_OK_LIST(LIST_TEXT)};
static const char reasons[HN_REASON_COUNT][LONGEST_REASON] = {HN_REASON_LIST(LIST_TEXT)};
#undef LIST_TEXT

/* The index of the text in the list; -1 if it is missing. */
static int find_text(const char (*list)[LONGEST], int count, const char *text) {
    for (int i = 0; text && i < count; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    return -1;
}

const char *hn_reason_text(hn_reason reason) {
    return (unsigned)reason < HN_REASON_COUNT ? reasons[reason] : "unknown";
}

const char *hn_method_text(hn_method method) {
    return (unsigned)method < HN_METHOD_COUNT ? methods[method] : "unknown";
}

bool hn_method_find(const char *text, hn_method *method) {
    int found = method ? find_text(methods, HN_METHOD_COUNT, text) : -1;
    if (found >= 0)
        *method = (hn_method)found;
    return found >= 0;
}

const char *hn_not_ok_text(hn_not_ok choice) {
    return (unsigned)choice < HN_NOT_OK_COUNT ? choices[choice] : "unknown";
}

bool hn_not_ok_find(const char *text, hn_not_ok *choice) {
    int found = choice ? find_text(choices, HN_NOT_OK_COUNT, text) : -1;
    if (found >= 0)
        *choice = (hn_not_ok)found;
    return found >= 0;
}

hn_status hn_layer_get_defaults(hn_layer_options *out, hn_error *error) {
    const hn_layer_options own = {
        .size = sizeof own, .method = HN_METHOD_AUTO, .damping = -1, .iterations = -1, .tolerance = 1e-8, .effort = 1};
    return STRUCT_GIVE(hn_layer_options, out, &own, error);
}

static const double MOST_EFFORT = 1000;

static hn_status check_effort(const hn_layer_options *o, hn_error *error) {
    if (!(o->effort > 0 && o->effort <= MOST_EFFORT))
        return error_about(error, HN_INVALID, error_option("effort"), "effort %s: it must be above 0 and at most %g",
                           error_number(o->effort).text, MOST_EFFORT);
    if (o->effort != 1 && method_of(o->method)->eps != EPS_TIED)
        return error_about(error, HN_INVALID, error_option("effort"),
                           "effort %s: the method %s has none, only auto has", error_number(o->effort).text,
                           hn_method_text(o->method));
    return HN_OK;
}

static hn_status check_weights(const hn_layer_options *o, hn_error *error) {
    if (o->weights && o->method != HN_METHOD_NEAREST)
        return error_about(error, HN_INVALID, error_option("weights"),
                           "weights: the method %s has none, only nearest has", hn_method_text(o->method));
    return HN_OK;
}

hn_status layer_options(hn_layer_options *out, const hn_layer_options *options, hn_error *error) {
    *out = hn_layer_defaults();
    hn_status status = options ? STRUCT_TAKE_OPTIONS(hn_layer_options, out, options, error) : HN_OK;
    if (status != HN_OK)
        return status;
    if ((unsigned)out->method >= HN_METHOD_COUNT)
        return error_about(error, HN_INVALID, error_option("method"), "method %d: unknown method", (int)out->method);
    if (!(out->damping < INFINITY))
        return error_about(error, HN_INVALID, error_option("damping"), "damping %s: it must be a finite number",
                           error_number(out->damping).text);
    if (!(out->tolerance >= 0 && out->tolerance < INFINITY))
        return error_about(error, HN_INVALID, error_option("tolerance"),
                           "tolerance %s: it must be finite and not negative", error_number(out->tolerance).text);
    status = check_effort(out, error);
    if (status == HN_OK)
        status = check_weights(out, error);
    if (status != HN_OK)
        return status;
    const struct method *own = method_of(out->method);
    if (own->eps == EPS_NONE && out->damping > 0)
        return error_about(error, HN_INVALID, error_option("damping"), "damping %s: the method %s has none",
                           error_number(out->damping).text, hn_method_text(out->method));
    if (own->eps == EPS_NONE || (out->damping < 0 && own->eps != EPS_ADAPTED))
        out->damping = own->damping;
    if (out->iterations < 0)
        out->iterations = own->iterations;
    return HN_OK;
}
