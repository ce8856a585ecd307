/* device_policy_improve.c - the loss `improve` on a device: targets are refined outputs, and what exploring finds. See device_policy.h; the
 * kernels are policy_improve.h.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/device_policy_parts.h"

/* Every input from where it explores: samples of their own, of which there is one each. */
static hn_status explore(struct device_policy *p, int steps, hn_error *error) {
    struct policy_call *c = &p->call, samples = *c;
    c->samples = c->count;
    c->raw = c->refinement.beyond_raw;
    c->y = c->refinement.beyond_y;
    c->objective = c->refinement.beyond_objective;
    c->residual = c->refinement.beyond_residual;
    c->reports = c->refinement.beyond_reports;
    hn_status status = policy_correct(p, error);
    if (status == HN_OK)
        status = policy_refine(p, steps, error);
    *c = samples;
    return status;
}

static hn_status look_beyond(struct device_policy *p, const struct device_lesson *lesson, hn_error *error) {
    struct policy_call *c = &p->call;
    hn_status status = policy_copy_in(p, p->starts, lesson->starts, c->count * c->outputs, error);
    c->refinement.starts = lesson->starts ? p->starts : NULL;
    c->refinement.distance = lesson->distance;
    c->refinement.explore = lesson->explore;
    if (status == HN_OK)
        status = policy_launch(p, POLICY_improve_elsewhere, c->count, error);
    if (status == HN_OK)
        status = explore(p, lesson->improve + 1, error);
    return status == HN_OK ? policy_launch(p, POLICY_improve_adopt, c->count, error) : status;
}

/* Refined samples, the best of each input, targets. */
static hn_status set_targets(struct device_policy *p, const struct device_lesson *lesson, hn_error *error) {
    struct policy_call *c = &p->call;
    hn_status status = policy_launch(p, POLICY_improve_begin, c->samples, error);
    if (status == HN_OK)
        status = policy_refine(p, lesson->improve, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_value, c->samples, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_choose, c->count, error);
    return status == HN_OK ? policy_launch(p, POLICY_improve_targets, c->samples, error) : status;
}

hn_status policy_improve(struct device_policy *p, const struct device_lesson *lesson, hn_error *error) {
    hn_status status = set_targets(p, lesson, error);
    if (status == HN_OK && lesson->explores)
        status = look_beyond(p, lesson, error);
    p->call.lesson.output_scale = p->output_scale;
    return status == HN_OK ? policy_launch(p, POLICY_improve_draw, p->call.samples, error) : status;
}
