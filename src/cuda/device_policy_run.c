/* device_policy_run.c - a batch through network, layer, objective and choice; see device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cuda/device_policy_parts.h"

/* ---- the network ---- */

static hn_status each(struct device_policy *p, enum policy_kernel kernel, struct policy_each task, hn_error *error) {
    task.activation = (int32_t)p->network->options.activation;
    p->call.each = task;
    return policy_launch(p, kernel, task.numbers, error);
}

/* Z = b + H W' */
// NOLINTNEXTLINE(readability-non-const-parameter): z is written by the kernel
static hn_status multiply_layer(struct device_policy *p, size_t k, const double *h, double *z, hn_error *error) {
    const hn_network *n = p->network;
    size_t in = n->width[k], out = n->width[k + 1];
    p->call.matrix = (struct policy_matrix){.rows = p->call.count,
                                            .columns = out,
                                            .inner = in,
                                            .a = h,
                                            .a_row = in,
                                            .a_column = 1,
                                            .b = p->parameters + n->first[k],
                                            .b_row = 1,
                                            .b_column = in,
                                            .first = p->parameters + n->first[k + 1] - out,
                                            .c = z};
    return policy_launch(p, POLICY_multiply, p->call.count * out, error);
}

/* From what the weights of layer k give to what its activation gets. */
static hn_status finish_layer(struct device_policy *p, size_t k, hn_error *error) {
    const hn_network *n = p->network;
    size_t width = n->width[k + 1], count = p->call.count, numbers = count * width;
    bool residual = n->options.residual;
    const double *own = residual ? p->carried : p->z[k];
    hn_status status = HN_OK;
    if (residual)
        status = each(p, POLICY_join,
                      (struct policy_each){.numbers = numbers,
                                           .from = p->z[k],
                                           .gradient = layer_is_residual(n, k) ? p->carried : NULL,
                                           .to = p->carried},
                      error);
    if (status == HN_OK && n->options.layer_norm)
        return each(p, POLICY_normalize,
                    (struct policy_each){
                        .numbers = count, .width = width, .from = own, .to = p->z[k], .inverse = p->inverse[k]},
                    error);
    return status == HN_OK && residual
               ? each(p, POLICY_join, (struct policy_each){.numbers = numbers, .from = own, .to = p->z[k]}, error)
               : status;
}

static hn_status run_network(struct device_policy *p, hn_error *error) {
    const hn_network *n = p->network;
    size_t last = n->layers - 1, count = p->call.count, outputs = n->width[n->layers];
    hn_status status = each(p, POLICY_shift_scale,
                            (struct policy_each){.numbers = count * n->width[0],
                                                 .width = n->width[0],
                                                 .from = p->call.x,
                                                 .shift = p->input_shift,
                                                 .scale = p->input_scale,
                                                 .to = p->h[0]},
                            error);
    for (size_t k = 0; k < last && status == HN_OK; k++) {
        status = multiply_layer(p, k, p->h[k], p->z[k], error);
        if (status == HN_OK)
            status = finish_layer(p, k, error);
        if (status == HN_OK)
            status = each(p, POLICY_activate,
                          (struct policy_each){.numbers = count * n->width[k + 1], .from = p->z[k], .to = p->h[k + 1]},
                          error);
    }
    if (status == HN_OK)
        status = multiply_layer(p, last, p->h[last], p->call.network, error);
    if (status != HN_OK)
        return status;
    return each(p, POLICY_scale_shift,
                (struct policy_each){.numbers = count * outputs,
                                     .width = outputs,
                                     .from = p->call.network,
                                     .shift = p->output_shift,
                                     .scale = p->output_scale,
                                     .to = p->call.network},
                error);
}

/* ---- all of it ---- */

static hn_status bring(const struct device_policy *p, const double *x, hn_error *error) {
    const hn_network *n = p->network;
    const struct {
        double *to;
        const double *from;
        size_t count;
    } all[] = {{p->parameters, n->parameters, p->parameter_count},
               {p->input_shift, n->input.shift, n->width[0]},
               {p->input_scale, n->input.scale, n->width[0]},
               {p->output_shift, n->output.shift, n->width[n->layers]},
               {p->output_scale, n->output.scale, n->width[n->layers]},
               {(double *)(uintptr_t)p->call.x, x, p->call.count * p->call.inputs}};
    hn_status status = HN_OK;
    for (size_t i = 0; i < sizeof all / sizeof all[0] && status == HN_OK; i++)
        status = policy_copy_in(p, all[i].to, all[i].from, all[i].count, error);
    return status;
}

/* With the objective of what came out, where there is one. */
static hn_status device_policy_run_correct(struct device_policy *p, bool through, hn_error *error) {
    const struct policy_call *c = &p->call;
    hn_batch batch = {.size = sizeof batch,
                      .count = c->samples,
                      .x = c->all_x,
                      .y_raw = c->raw,
                      .y = c->y,
                      .report_size = sizeof(hn_report),
                      .reports = (hn_report *)(void *)c->reports,
                      .tape = through ? p->tape : NULL};
    hn_status status = hn_device_run(through ? p->through : p->layer, &batch, p->workspace, p->stream, error);
    return status == HN_OK && c->loss.there ? policy_launch(p, POLICY_loss_run, c->samples, error) : status;
}

hn_status policy_forward(struct device_policy *p, size_t count, const double *x, bool through, hn_error *error) {
    hn_status status = policy_make_room(p, count, error);
    if (status == HN_OK)
        status = bring(p, x, error);
    if (status == HN_OK)
        status = run_network(p, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_spread, p->call.samples, error);
    return status == HN_OK ? device_policy_run_correct(p, through, error) : status;
}

hn_status policy_correct(struct device_policy *p, hn_error *error) {
    return device_policy_run_correct(p, false, error);
}

static hn_status device_policy_run_choose(struct device_policy *p, const struct device_policy_run *run,
                                          hn_error *error) {
    const struct policy_call *c = &p->call;
    size_t count = c->count;
    hn_status status = c->loss.there ? policy_launch(p, POLICY_value, c->samples, error) : HN_OK;
    if (status == HN_OK)
        status = policy_launch(p, POLICY_choose, count, error);
    if (status == HN_OK)
        status = policy_launch(p, POLICY_give, count, error);
    if (status == HN_OK)
        status = policy_copy_out(p, run->y, c->out_y, count * c->outputs * sizeof *run->y, error);
    if (status == HN_OK)
        status = policy_copy_out(p, run->objective, c->out_objective, count * sizeof *run->objective, error);
    return status == HN_OK ? policy_copy_out(p, run->reports, c->out_reports, count * sizeof *run->reports, error)
                           : status;
}

hn_status device_policy_run(struct device_policy *p, const struct device_policy_run *run, hn_error *error) {
    if (run->count == 0)
        return HN_OK;
    hn_status status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    p->call.wants_gradient = false;
    p->refining = run->refine > 0;
    status = policy_forward(p, run->count, run->x, false, error);
    if (status == HN_OK && p->refining)
        status = policy_refine(p, run->refine, error);
    if (status == HN_OK)
        status = device_policy_run_choose(p, run, error);
    return policy_leave(p, status, error);
}

hn_status device_policy_candidates(struct device_policy *p, const struct device_policy_samples *s, hn_error *error) {
    const struct policy_call *c = &p->call;
    hn_status status = policy_enter(p, error);
    if (status != HN_OK)
        return status;
    p->call.wants_gradient = p->refining = false;
    status = policy_forward(p, s->count, s->x, false, error);
    size_t numbers = c->samples * c->outputs * sizeof(double);
    if (status == HN_OK)
        status = policy_copy_out(p, s->raw, c->raw, numbers, error);
    if (status == HN_OK)
        status = policy_copy_out(p, s->y, c->y, numbers, error);
    if (status == HN_OK && c->loss.there)
        status = policy_copy_out(p, s->objective, c->objective, c->samples * sizeof(double), error);
    if (status == HN_OK && c->loss.there)
        status = policy_copy_out(p, s->residual, c->residual, c->samples * sizeof(double), error);
    if (status == HN_OK)
        status = policy_copy_out(p, s->reports, c->reports, c->samples * sizeof *s->reports, error);
    return policy_leave(p, status, error);
}
