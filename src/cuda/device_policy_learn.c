/* device_policy_learn.c - losses of training on a device, the way back through layer and network, and Adam; see device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cuda/device_policy_parts.h"

#include <string.h>

/* ---- the network's way back ---- */

/* dL/dW, dL/db of layer k */
static hn_status add_parameters(struct device_policy *p, size_t k, const double *g, hn_error *error) {
    const hn_network *n = p->network;
    struct policy_lesson *l = &p->call.lesson;
    double *all = l->gradient;
    l->h = p->h[k];
    l->g = g;
    l->in = n->width[k];
    l->out = n->width[k + 1];
    l->gradient = all + n->first[k];
    hn_status status = policy_launch(p, POLICY_parameters, (l->in + 1) * l->out, error);
    l->gradient = all;
    return status;
}

/* Back through the activation of layer k, in place, to what its weights gave; g: of the layer behind it. */
// NOLINTNEXTLINE(readability-non-const-parameter): next is written by the kernels
static hn_status pull_activation(struct device_policy *p, size_t k, const double *g, double *next, hn_error *error) {
    const hn_network *n = p->network;
    size_t width = n->width[k + 1], count = p->call.count;
    p->call.each = (struct policy_each){.numbers = count * width,
                                        .from = p->z[k],
                                        .gradient = next,
                                        .to = next,
                                        .activation = (int32_t)n->options.activation};
    hn_status status = policy_launch(p, POLICY_activate_back, count * width, error);
    p->call.each =
        (struct policy_each){.numbers = count, .width = width, .from = p->z[k], .to = next, .inverse = p->inverse[k]};
    if (status == HN_OK && n->options.layer_norm)
        status = policy_launch(p, POLICY_normalize_back, count, error);
    p->call.each = (struct policy_each){.numbers = count * width, .from = next, .gradient = g, .to = next};
    return status == HN_OK && layer_is_residual(n, k + 1) ? policy_launch(p, POLICY_join, count * width, error)
                                                          : status;
}

/* dL/dH = G W, and through the activation before it. */
static hn_status pull_layer(struct device_policy *p, size_t k, const double *g, double *next, hn_error *error) {
    const hn_network *n = p->network;
    size_t in = n->width[k], out = n->width[k + 1], count = p->call.count;
    p->call.matrix = (struct policy_matrix){.rows = count,
                                            .columns = in,
                                            .inner = out,
                                            .a = g,
                                            .a_row = out,
                                            .a_column = 1,
                                            .b = p->parameters + n->first[k],
                                            .b_row = in,
                                            .b_column = 1,
                                            .c = next};
    hn_status status = policy_launch(p, POLICY_multiply, count * in, error);
    return status == HN_OK ? pull_activation(p, k - 1, g, next, error) : status;
}

/* From the lesson's rows to the gradient by parameters, and its norm. */
static hn_status back(struct device_policy *p, double *norm, hn_error *error) {
    const hn_network *n = p->network;
    struct policy_lesson *l = &p->call.lesson;
    size_t outputs = n->width[n->layers];
    p->call.each = (struct policy_each){.numbers = p->call.count * outputs,
                                        .width = outputs,
                                        .from = l->rows,
                                        .scale = p->output_scale,
                                        .to = p->turn[0]};
    hn_status status = policy_launch(p, POLICY_scale, p->call.count * outputs, error);
    double *g = p->turn[0], *next = p->turn[1];
    for (size_t k = n->layers; k-- > 0 && status == HN_OK;) {
        double *other = g;
        status = add_parameters(p, k, g, error);
        if (status == HN_OK && k > 0)
            status = pull_layer(p, k, g, next, error);
        g = next;
        next = other;
    }
    l->parameter_count = p->parameter_count;
    if (status == HN_OK)
        status = policy_launch(p, POLICY_norm, 1, error);
    return status == HN_OK ? policy_copy_out(p, norm, l->norm, sizeof *norm, error) : status;
}

hn_status device_policy_back(struct device_policy *p, size_t count, const double *rows, double *norm, hn_error *error) {
    const hn_network *n = p->network;
    hn_status status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    status = policy_copy_in(p, p->call.lesson.rows, rows, count * n->width[n->layers], error);
    if (status == HN_OK)
        status = back(p, norm, error);
    return policy_leave(p, status, error);
}

/* ---- losses ---- */

static void take_numbers(struct device_policy *p, const struct device_lesson *lesson) {
    struct policy_lesson *l = &p->call.lesson;
    double count = (double)lesson->count;
    l->residual_weight = lesson->residual_weight;
    l->square_weight = lesson->square_weight;
    l->move_weight = lesson->move_weight;
    l->inward = lesson->inward;
    l->clip = lesson->clip;
    l->huber = lesson->huber;
    l->best_weight = 1 / count;
    l->other_weight = lesson->others / count;
    p->call.loss.size = lesson->residual_weight;
    p->call.loss.square = lesson->square_weight;
    p->refining = lesson->improve > 0;
    p->call.wants_gradient = !lesson->targets && !p->refining;
}

static hn_status back_through_layer(struct device_policy *p, hn_error *error) {
    const struct policy_call *c = &p->call;
    const hn_batch batch = {.size = sizeof batch,
                            .count = c->samples,
                            .x = c->all_x,
                            .y_raw = c->raw,
                            .y = c->y,
                            .report_size = sizeof(hn_report),
                            .reports = (hn_report *)(void *)c->reports,
                            .tape = p->tape};
    const hn_gradient gradient = {.size = sizeof gradient,
                                  .grad_y = c->lesson.grad_y,
                                  .grad_y_raw = c->lesson.grad_raw,
                                  .grad_lower = c->lesson.grad_lower,
                                  .grad_upper = c->lesson.grad_upper};
    hn_status status = hn_device_gradient(p->through, &batch, &gradient, p->workspace, p->stream, error);
    return status == HN_OK ? policy_launch(p, POLICY_inside, c->samples, error) : status;
}

static hn_status learn_objective(struct device_policy *p, hn_error *error) {
    hn_status status = policy_launch(p, POLICY_total, p->call.samples, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_choose, p->call.count, error);
    return status == HN_OK ? back_through_layer(p, error) : status;
}

static hn_status learn_targets(struct device_policy *p, const double *targets, hn_error *error) {
    struct policy_call *c = &p->call;
    hn_status status = policy_copy_in(p, p->targets, targets, c->count * c->outputs, error);
    c->lesson.targets = p->targets;
    c->lesson.output_scale = p->output_scale;
    if (status == HN_OK)
        status = policy_launch(p, POLICY_draw, c->samples, error);
    return status == HN_OK ? policy_launch(p, POLICY_choose, c->count, error) : status;
}

static hn_status give_sums(const struct device_policy *p, const struct device_lesson *lesson, hn_error *error) {
    const struct policy_call *c = &p->call;
    const struct {
        void *to;
        const void *from;
        size_t bytes;
    } all[] = {{lesson->total, c->lesson.total, c->samples * sizeof(double)},
               {lesson->objective, c->objective, c->samples * sizeof(double)},
               {lesson->residual, c->residual, c->samples * sizeof(double)},
               {lesson->moved, c->lesson.moved, c->samples * sizeof(double)},
               {lesson->reports, c->reports, c->samples * sizeof(hn_report)},
               {lesson->dropped, c->lesson.dropped, c->samples * sizeof(unsigned char)},
               {lesson->best, c->best, c->count * sizeof(size_t)}};
    hn_status status = HN_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == HN_OK; i++)
        status = policy_copy_out(p, all[i].to, all[i].from, all[i].bytes, error);
    return status;
}

hn_status device_policy_learn(struct device_policy *p, struct device_lesson *lesson, hn_error *error) {
    hn_status status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    take_numbers(p, lesson);
    status = policy_forward(p, lesson->count, lesson->x, p->call.wants_gradient, error);
    if (status == HN_OK)
        status = p->refining       ? policy_improve(p, lesson, error)
                 : lesson->targets ? learn_targets(p, lesson->targets, error)
                                   : learn_objective(p, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_finish, p->call.samples, error);
    if (status == HN_OK)
        status = back(p, &lesson->norm, error);
    if (status == HN_OK)
        status = give_sums(p, lesson, error);
    return policy_leave(p, status, error);
}

/* ---- Adam ---- */

static hn_status step(struct device_policy *p, const struct device_adam *a, hn_error *error) {
    struct policy_lesson *l = &p->call.lesson;
    size_t count = l->parameter_count, bytes = count * sizeof(double);
    hn_status status = policy_copy_in(p, p->parameters, a->parameters, count, error);
    if (status == HN_OK)
        status = policy_copy_in(p, l->first, a->first, count, error);
    if (status == HN_OK)
        status = policy_copy_in(p, l->second, a->second, count, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_adam, count, error);
    if (status == HN_OK)
        status = policy_copy_out(p, a->parameters, p->parameters, bytes, error);
    if (status == HN_OK)
        status = policy_copy_out(p, a->first, l->first, bytes, error);
    return status == HN_OK ? policy_copy_out(p, a->second, l->second, bytes, error) : status;
}

hn_status device_policy_adam(struct device_policy *p, const struct device_adam *a, hn_error *error) {
    struct policy_lesson *l = &p->call.lesson;
    hn_status status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    l->parameters = p->parameters;
    l->scale = a->scale;
    l->rate = a->rate;
    l->first_share = a->first_share;
    l->second_share = a->second_share;
    l->beta_1 = a->beta[0];
    l->beta_2 = a->beta[1];
    l->eps = a->eps;
    status = step(p, a, error);
    return policy_leave(p, status, error);
}
