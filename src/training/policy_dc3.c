/* policy_dc3.c - the scheme dc3 for one chunk: completion and correction, reports, and gradients.
 *
 * SPDX-License-Identifier: MIT */
#include "training/policy_parts.h"

#include <math.h>

// NOLINTNEXTLINE(readability-non-const-parameter): the tape is written through the samples
static void set_samples(const struct chunk *c, double *tape) {
    const struct policy_memory *m = c->memory;
    size_t n = c->policy->outputs, steps = (size_t)c->policy->baseline.correction_steps;
    for (size_t s = 0; s < c->samples; s++)
        m->completed[s] = (struct dc3_sample){.x = m->x + s * c->policy->inputs,
                                              .raw = m->raw + s * n,
                                              .y = m->y + s * n,
                                              .tape = tape ? tape + s * steps * n : NULL};
}

/* Adds the steps and outcome of DC3 to the report of the layer without steps. */
static void amend(const struct chunk *c, size_t s) {
    const struct dc3_sample *sample = &c->memory->completed[s];
    hn_report *report = &c->memory->reports[s];
    double squares = 0;
    for (size_t j = 0; j < c->policy->outputs; j++)
        squares += (sample->y[j] - sample->raw[j]) * (sample->y[j] - sample->raw[j]);
    report->moved = sqrt(squares);
    report->violation_before = sample->before;
    report->iterations = report->steps = sample->steps;
    bool stopped = !sample->completed || sample->steps < c->policy->baseline.correction_steps;
    if (report->outcome == HN_OUTCOME_ITERATION_LIMIT && stopped)
        report->outcome = HN_OUTCOME_STALLED; /* a completion did not converge */
}

void chunk_complete(const struct chunk *c, double *tape) {
    const hn_policy *p = c->policy;
    struct policy_memory *m = c->memory;
    struct dc3_settings settings = baseline_dc3(&p->baseline);
    set_samples(c, tape);
    dc3_run(&p->completion, m->completion, &settings, m->completed, c->samples);
    hn_batch batch = {.size = sizeof batch,
                      .count = c->samples,
                      .x = m->x,
                      .y_raw = m->y,
                      .y = m->y,
                      .report_size = sizeof(hn_report),
                      .reports = m->reports};
    hn_layer_run(p->layer, &batch, m->refine.workspace, hn_layer_workspace_bytes(p->layer), NULL);
    for (size_t s = 0; s < c->samples; s++)
        amend(c, s);
}

// NOLINTNEXTLINE(readability-non-const-parameter): the gradient is written through the samples
void chunk_complete_back(const struct chunk *c, const double *grad_y, double *grad_raw) {
    const hn_policy *p = c->policy;
    struct policy_memory *m = c->memory;
    struct dc3_settings settings = baseline_dc3(&p->baseline);
    for (size_t s = 0; s < c->samples; s++) {
        m->completed[s].grad_y = grad_y + s * p->outputs;
        m->completed[s].grad_raw = grad_raw + s * p->outputs;
    }
    dc3_gradient(&p->completion, m->completion, &settings, m->completed, c->samples);
}
