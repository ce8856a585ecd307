/* policy_head.c - a head (hardnet/head.h): checks; and its outputs for one chunk, which the layer without steps judges,
 * with their gradient.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/utf8.h"
#include "training/policy_parts.h"

#include <math.h>
#include <string.h>

/* ---- checks ---- */

enum { LONGEST_NAME = 60 };
static const char PREFIX[] = "policy.";

static bool columns_ascend(const hn_head *head, size_t outputs) {
    if (!head->columns)
        return head->width == outputs;
    for (size_t k = 0; k < head->width; k++)
        if (head->columns[k] >= outputs || (k > 0 && head->columns[k] <= head->columns[k - 1]))
            return false;
    return head->width > 0;
}

static bool texts_are_settings(const hn_head *head) {
    for (size_t i = 0; i < head->text_count; i++)
        if (!head->texts[i].key || !head->texts[i].value || strncmp(head->texts[i].key, PREFIX, sizeof PREFIX - 1) != 0)
            return false;
    return true;
}

hn_status head_check(const hn_head *head, size_t outputs, hn_error *error) {
    const char *name = head->name, *wrong = NULL;
    if (!name || !*name || strlen(name) > LONGEST_NAME || strcmp(name, "layer") == 0 || strcmp(name, "none") == 0)
        wrong = "it needs a short name of its own";
    else if (!head->map)
        wrong = "it has no function map";
    else if (!columns_ascend(head, outputs))
        wrong = "its columns must be outputs of the model, in ascending order";
    else if (head->text_count > HN_HEAD_MOST_TEXTS || (head->text_count > 0 && !head->texts))
        wrong = "its texts are too many, or missing";
    else if (!texts_are_settings(head))
        wrong = "its texts must have keys that start with policy.";
    return wrong ? error_about(error, HN_INVALID, error_option("head"), "head %s: %s", show_name(name ? name : "").text,
                               wrong)
                 : HN_OK;
}

/* ---- a chunk ---- */

static hn_head_batch head_batch(const struct chunk *c, void *tape) {
    const struct samples *m = &c->samples;
    return (hn_head_batch){.count = m->count,
                           .x = m->x,
                           .raw = m->raw,
                           .y = m->y,
                           .notes = c->memory->notes,
                           .tape = tape,
                           .tolerance = c->policy->options.layer.tolerance,
                           .relative = c->policy->options.layer.relative,
                           .memory = c->memory->head};
}

/* Completes the report of the layer at y with the notes of the head. */
static void amend(const struct chunk *c, size_t s) {
    const hn_head_note *note = &c->memory->notes[s];
    hn_report *report = &c->samples.reports[s];
    size_t n = c->policy->outputs;
    report->moved = sqrt(samples_squared_distance(c->samples.y + s * n, c->samples.raw + s * n, n));
    report->violation_before = note->violation_before;
    report->iterations = report->steps = note->steps;
    if (report->outcome == HN_OUTCOME_ITERATION_LIMIT && note->stalled)
        report->outcome = HN_OUTCOME_STALLED;
}

void chunk_map(const struct chunk *c, void *tape) {
    const hn_policy *p = c->policy;
    const hn_head_batch batch = head_batch(c, tape);
    hn_batch judged = samples_as_batch(&c->samples);
    judged.y_raw = judged.y;
    memset(c->memory->notes, 0, c->samples.count * sizeof *c->memory->notes);
    p->options.head->map(p->options.head->context, &batch);
    hn_layer_run(p->layer, &judged, c->memory->refine.workspace, hn_layer_workspace_bytes(p->layer), NULL);
    for (size_t s = 0; s < c->samples.count; s++)
        amend(c, s);
}

void chunk_map_back(const struct chunk *c, void *tape, const double *grad_y, double *grad_raw) {
    hn_head_batch batch = head_batch(c, tape);
    batch.grad_y = grad_y;
    batch.grad_raw = grad_raw;
    c->policy->options.head->back(c->policy->options.head->context, &batch);
}
