/* device_policy_run.c - batches through network, layer, objective and choice, losses of training and their gradients,
 * and Adam; see device_policy.h.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "cuda/device_policy_parts.h"

/* ---- forward ---- */

static void bring(struct device_policy *p, const double *x) {
    const hn_network *n = p->network;
    const struct perceptron_memory *m = &p->perceptron;
    size_t in = n->width[0] * sizeof *x, out = n->width[n->layers] * sizeof *x;
    policy_copy_in(p, m->parameters, n->parameters, p->parameter_count * sizeof *x);
    policy_copy_in(p, m->input.shift, n->input.shift, in);
    policy_copy_in(p, m->input.scale, n->input.scale, in);
    policy_copy_in(p, m->output.shift, n->output.shift, out);
    policy_copy_in(p, m->output.scale, n->output.scale, out);
    policy_copy_in(p, p->call.x, x, p->call.among.inputs * p->call.inputs * sizeof *x);
}

/* With the objective of the result, if there is one. */
static void correct(struct device_policy *p, bool through) {
    const struct policy_call *c = &p->call;
    hn_batch batch = samples_as_batch(&c->samples);
    batch.tape = through ? p->tape : NULL;
    if (p->status == HN_OK)
        p->status = hn_device_run(through ? p->through : p->layer, &batch, p->workspace, p->stream, p->error);
    if (c->program.slots > 0)
        policy_launch(p, POLICY_loss, c->apart);
}

/* Parameters and inputs are copied; network, candidates, layer and objective run. through: with a tape. */
static void forward(struct device_policy *p, size_t count, const double *x, bool through) {
    policy_make_room(p, count);
    bring(p, x);
    perceptron_forward(&p->perceptron, count, p->call.x, p->call.network);
    policy_launch(p, POLICY_spread, p->call.samples.count);
    correct(p, through);
}

/* ---- refinement ---- */

/* `other` in place of the call's samples: its raw outputs are corrected and evaluated. */
static void correct_others(struct device_policy *p, const struct samples *other) {
    const struct samples own = p->call.samples;
    p->call.samples = *other;
    p->call.samples.x = own.x;
    correct(p, false);
    p->call.samples = own;
}

static void refine(struct device_policy *p, int steps) {
    struct policy_call *c = &p->call;
    struct samples trial = c->refinement.trial;
    trial.count = c->samples.count;
    trial.residual = c->samples.residual;
    for (int k = 0; k < steps; k++) {
        c->refinement.known = k > 0;
        policy_launch(p, POLICY_refine_step, c->refinement.threads);
        correct_others(p, &trial);
        policy_launch(p, POLICY_refine_keep, c->samples.count);
    }
    policy_launch(p, POLICY_refine_measure, c->samples.count);
}

static void choose(struct device_policy *p) {
    if (p->call.program.slots > 0)
        policy_launch(p, POLICY_value, p->call.samples.count);
    policy_launch(p, POLICY_choose, p->call.among.inputs);
}

/* ---- runs ---- */

hn_status device_policy_run(struct device_policy *p, const struct device_policy_run *run, hn_error *error) {
    const struct policy_call *c = &p->call;
    size_t count = run->count;
    if (count == 0)
        return HN_OK;
    if (!policy_enter(p, error))
        return p->status;
    p->call.wants_gradient = false;
    p->refining = run->refine > 0;
    forward(p, count, run->x, false);
    if (p->refining)
        refine(p, run->refine);
    choose(p);
    policy_launch(p, POLICY_gather, count);
    policy_copy_out(p, run->y, c->out.y, count * c->outputs * sizeof *run->y);
    policy_copy_out(p, run->objective, c->out.objective, count * sizeof *run->objective);
    policy_copy_out(p, run->reports, c->out.reports, count * sizeof *run->reports);
    return policy_leave(p);
}

/* Values of samples. */
static void give_values(struct device_policy *p, const struct samples *to) {
    const struct samples *from = &p->call.samples;
    bool there = p->call.program.slots > 0;
    policy_copy_out(p, there ? to->objective : NULL, from->objective, from->count * sizeof *to->objective);
    policy_copy_out(p, there ? to->residual : NULL, from->residual, from->count * sizeof *to->residual);
    policy_copy_out(p, to->reports, from->reports, from->count * sizeof *to->reports);
}

hn_status device_policy_candidates(struct device_policy *p, size_t count, const double *x,
                                   const struct samples *samples, hn_error *error) {
    const struct samples *from = &p->call.samples;
    if (!policy_enter(p, error))
        return p->status;
    p->call.wants_gradient = p->refining = false;
    forward(p, count, x, false);
    size_t bytes = from->count * p->call.outputs * sizeof(double);
    policy_copy_out(p, samples->raw, from->raw, bytes);
    policy_copy_out(p, samples->y, from->y, bytes);
    give_values(p, samples);
    return policy_leave(p);
}

/* ---- losses ---- */

static void back_through_layer(struct device_policy *p) {
    const struct train_batch *b = &p->call.train;
    hn_batch batch = samples_as_batch(&b->samples);
    const hn_gradient gradient = {.size = sizeof gradient,
                                  .grad_y = b->grad_y,
                                  .grad_y_raw = b->grad_raw,
                                  .grad_lower = b->grad_lower,
                                  .grad_upper = b->grad_upper};
    batch.tape = p->tape;
    if (p->status == HN_OK)
        p->status = hn_device_gradient(p->through, &batch, &gradient, p->workspace, p->stream, p->error);
    policy_launch(p, POLICY_inside, b->samples.count);
}

static void learn_objective(struct device_policy *p) {
    struct policy_call *c = &p->call;
    c->among.values = c->train.total;
    policy_launch(p, POLICY_total, c->samples.count);
    policy_launch(p, POLICY_choose, c->among.inputs);
    back_through_layer(p);
}

static void learn_targets(struct device_policy *p, const double *targets) {
    struct policy_call *c = &p->call;
    policy_copy_in(p, c->targets, targets, c->among.inputs * c->outputs * sizeof *targets);
    c->among.values = c->train.total;
    policy_launch(p, POLICY_regress, c->samples.count);
    policy_launch(p, POLICY_choose, c->among.inputs);
}

/* Refines from the exploration points: one candidate per input. */
static void explore(struct device_policy *p, const struct device_training *training) {
    struct policy_call *c = &p->call;
    const struct samples own = c->samples;
    struct improve_task *t = &c->improve;
    policy_copy_in(p, p->starts, training->starts, c->among.inputs * c->outputs * sizeof *p->starts);
    t->starts = training->starts ? p->starts : NULL;
    t->chunk = c->chunk;
    t->distance = training->distance;
    t->explore = training->explore;
    policy_launch(p, POLICY_improve_start, c->among.inputs);
    c->samples = t->beyond;
    correct(p, false);
    refine(p, training->improve + 1);
    c->samples = own;
    policy_launch(p, POLICY_improve_adopt, c->among.inputs);
}

static void learn_improvement(struct device_policy *p, const struct device_training *training) {
    size_t samples = p->call.samples.count;
    policy_launch(p, POLICY_improve_begin, samples);
    refine(p, training->improve);
    choose(p);
    policy_launch(p, POLICY_improve_target, samples);
    if (training->explores)
        explore(p, training);
    policy_launch(p, POLICY_improve_regress, samples);
}

/* From the rows of gradients with respect to the network's outputs to that with respect to the parameters, and its
 * norm. */
static void back(struct device_policy *p, double *norm) {
    struct policy_call *c = &p->call;
    perceptron_backward(&p->perceptron, c->among.inputs, c->rows, (double *)(uintptr_t)c->adam.gradient);
    policy_launch(p, POLICY_norm, 1);
    policy_copy_out(p, norm, c->norm, sizeof *norm);
}

hn_status device_policy_back(struct device_policy *p, size_t count, const double *rows, double *norm, hn_error *error) {
    if (!policy_enter(p, error))
        return p->status;
    policy_copy_in(p, p->call.rows, rows, count * p->network->width[p->network->layers] * sizeof *rows);
    back(p, norm);
    return policy_leave(p);
}

hn_status device_policy_learn(struct device_policy *p, struct device_training *t, hn_error *error) {
    struct policy_call *c = &p->call;
    if (!policy_enter(p, error))
        return p->status;
    c->train.weights = t->weights;
    c->loss_weights = (struct loss_weights){t->weights.residual, t->weights.square};
    p->refining = t->improve > 0;
    c->wants_gradient = !t->targets && !p->refining;
    forward(p, t->count, t->x, c->wants_gradient);
    if (p->refining)
        learn_improvement(p, t);
    else if (t->targets)
        learn_targets(p, t->targets);
    else
        learn_objective(p);
    policy_launch(p, POLICY_finish, c->samples.count);
    back(p, &t->norm);
    give_values(p, &t->results.samples);
    policy_copy_out(p, t->results.total, c->train.total, c->samples.count * sizeof *t->results.total);
    policy_copy_out(p, t->results.moved, c->train.moved, c->samples.count * sizeof *t->results.moved);
    policy_copy_out(p, t->results.dropped, c->train.dropped, c->samples.count * sizeof *t->results.dropped);
    policy_copy_out(p, t->results.best, c->among.best, c->among.inputs * sizeof *t->results.best);
    return policy_leave(p);
}

hn_status device_policy_adam(struct device_policy *p, const struct adam *adam, hn_error *error) {
    const struct adam there = p->call.adam;
    size_t bytes = p->parameter_count * sizeof(double);
    if (!policy_enter(p, error))
        return p->status;
    policy_copy_in(p, there.parameters, adam->parameters, bytes);
    policy_copy_in(p, there.first, adam->first, bytes);
    policy_copy_in(p, there.second, adam->second, bytes);
    p->call.adam = *adam;
    p->call.adam.parameters = there.parameters;
    p->call.adam.first = there.first;
    p->call.adam.second = there.second;
    p->call.adam.gradient = there.gradient;
    policy_launch(p, POLICY_adam, p->parameter_count);
    policy_copy_out(p, adam->parameters, there.parameters, bytes);
    policy_copy_out(p, adam->first, there.first, bytes);
    policy_copy_out(p, adam->second, there.second, bytes);
    return policy_leave(p);
}
