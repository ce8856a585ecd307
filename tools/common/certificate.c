/* certificate.c - see certificate.h.
 *
 * SPDX-License-Identifier: MIT */
#include "common/certificate.h"

#include "common/console.h"

#include <stdio.h>

bool certificate_expected(const hn_layer *layer) {
    hn_method method = hn_layer_options_of(layer).method;
    return method == HN_METHOD_NEAREST || method == HN_METHOD_OPTIMAL;
}

/* "certified nearest", "certified optimal". */
static const char *certificate_word(const hn_layer *layer) {
    return hn_layer_options_of(layer).method == HN_METHOD_OPTIMAL ? "certified optimal" : "certified nearest";
}

bool certificate_holds(const hn_report *report) {
    return report->outcome == HN_OUTCOME_OK && report->kkt <= HN_CERTIFIED;
}

size_t certificate_count(const hn_report *reports, size_t count) {
    size_t held = 0;
    for (size_t k = 0; k < count; k++)
        held += certificate_holds(&reports[k]);
    return held;
}

void certificate_print(const hn_layer *layer, const hn_report *reports, size_t count, int width) {
    if (!certificate_expected(layer))
        return;
    printf("  %-*s %9zu\n", width, certificate_word(layer), certificate_count(reports, count));
    for (int reason = HN_REASON_NONE + 1; reason < HN_REASON_COUNT; reason++) {
        size_t met = 0;
        for (size_t k = 0; k < count; k++)
            met += reports[k].reason == (hn_reason)reason;
        if (met > 0)
            printf("  %s%-*s%s %9zu  %s\n", console_tone(stdout, TONE_WARNING), width, "not certified",
                   console_plain(stdout), met, hn_reason_text((hn_reason)reason));
    }
}

void certificate_write(struct json *json, const hn_report *report) {
    json_flag(json, "certified", certificate_holds(report));
    json_text(json, "reason", report->reason == HN_REASON_NONE ? NULL : hn_reason_text(report->reason));
    json_number(json, "kkt", report->kkt); /* null: no multipliers are known */
    json_number(json, "complementarity", report->complementarity);
    json_number(json, "proof", report->proof); /* null: unless locally infeasible */
    json_number(json, "distance", report->distance);
    json_count(json, "programmes", report->programmes);
    json_count(json, "factorisations", report->factorisations);
}
