/* policy_kernels.h - kernels of every policy: network, objective, the choice among candidates, losses of training,
 * Adam.
 *
 * Every sum is computed by one thread, in the order of the CPU: the same bits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_KERNELS_H
#define HN_CUDA_POLICY_KERNELS_H

#include "core/activation_kernel.h"
#include "core/normalize.h"
#include "core/program_run.h"
#include "cuda/kernels/policy_args.h"

/* ---- the network ---- */

POLICY_FUNCTION(input, network_input(&c->task.of.element, i, i % c->task.of.element.width))
POLICY_FUNCTION(output, network_output(&c->task.of.element, i, i % c->task.of.element.width))
POLICY_FUNCTION(scale, network_scale(&c->task.of.element, i, i % c->task.of.element.width))
POLICY_FUNCTION(add, network_add(&c->task.of.element, i))
POLICY_FUNCTION(carry, network_carry(&c->task.of.element, i))

SHARED_FUNCTION void policy_activate(const struct policy_call *c, uint64_t i) {
    const struct activation_task *t = &c->task.of.activation;
    t->out[i] = kernel_activation(t->kind, t->z[i]);
}

SHARED_FUNCTION void policy_activate_back(const struct policy_call *c, uint64_t i) {
    const struct activation_task *t = &c->task.of.activation;
    t->out[i] = kernel_activation_back(t->kind, t->z[i], t->gradient[i]);
}

SHARED_FUNCTION void policy_normalize(const struct policy_call *c, uint64_t row) {
    const struct normalize_task *t = &c->task.of.normal;
    t->inverse[row] = normalize(t->z + row * t->width, t->width);
}

SHARED_FUNCTION void policy_normalize_back(const struct policy_call *c, uint64_t row) {
    const struct normalize_task *t = &c->task.of.normal;
    normalize_back(t->z + row * t->width, t->width, t->inverse[row], t->gradient + row * t->width);
}

SHARED_FUNCTION void policy_multiply(const struct policy_call *c, uint64_t e) {
    const struct matrix_product *p = &c->task.of.product;
    const double *a = p->a.at + e / p->columns * p->a.row, *b = p->b.at + e % p->columns * p->b.column;
    double sum = p->start == MATRIX_FROM_ROW ? p->first[e % p->columns] : 0;
    for (uint64_t k = 0; k < p->inner; k++)
        sum += a[k * p->a.column] * b[k * p->b.row];
    p->c[e] = sum;
}

/* dL/dW = G' H and dL/db = sum of rows of G: chunk by chunk, and then the chunks' sums. */
SHARED_FUNCTION void policy_parameters(const struct policy_call *c, uint64_t e) {
    const struct matrix_product *p = &c->task.of.product;
    uint64_t in = p->columns, out = p->rows, weights = in * out;
    bool bias = e >= weights;
    uint64_t j = bias ? e - weights : e / in, i = bias ? 0 : e % in;
    double all = 0;
    for (uint64_t first = 0; first < p->inner; first += c->chunk) {
        uint64_t end = first + c->chunk < p->inner ? first + c->chunk : p->inner;
        double sum = 0;
        for (uint64_t s = first; s < end; s++)
            sum += bias ? p->a.at[s * out + j] : p->a.at[s * out + j] * p->b.at[s * in + i];
        all = first == 0 ? sum : all + sum;
    }
    p->c[e] = all;
}

POLICY_FUNCTION(norm, c->norm[i] = train_norm(c->adam.gradient, c->parameters))
POLICY_FUNCTION(adam, train_adam(&c->adam, i))

/* ---- objective, residual, and the gradient of the loss ---- */

SHARED_FUNCTION void policy_loss_sample(const struct policy_call *c, uint64_t s, double *slots) {
    const struct loss_places *l = &c->loss;
    for (uint64_t i = 0; i < c->inputs; i++)
        slots[(l->x + i) * c->apart] = c->samples.x[s * c->inputs + i];
    for (uint64_t j = 0; j < c->outputs; j++)
        slots[(l->y + j) * c->apart] = c->samples.y[s * c->outputs + j];
    program_run(&c->program, 0, slots, c->apart);
    program_run(&c->program, 1, slots, c->apart);
    c->samples.residual[s] = loss_multipliers(l, slots, c->apart, c->loss_weights);
    c->samples.objective[s] = slots[l->objective * c->apart];
    if (!c->wants_gradient)
        return;
    program_run(&c->program, 2, slots, c->apart);
    loss_gradient(l, slots, c->apart, c->train.grad_y + s * c->outputs);
}

/* Each thread runs every c->apart-th sample in its slots. */
SHARED_FUNCTION void policy_loss(const struct policy_call *c, uint64_t thread) {
    const struct policy_program *p = &c->program;
    double *slots = c->slots + thread;
    for (uint64_t i = 0; i < p->slots && thread < c->samples.count; i++)
        slots[i * c->apart] = i < p->constant_count ? p->constants[i] : 0;
    for (uint64_t s = thread; s < c->samples.count; s += c->apart)
        policy_loss_sample(c, s, slots);
}

/* ---- candidates ---- */

/* The network returns all candidates of an input in one row; the layer needs one row per candidate, with its input. */
SHARED_FUNCTION void policy_spread(const struct policy_call *c, uint64_t s) {
    uint64_t n = c->outputs, i = s % c->among.inputs, k = s / c->among.inputs;
    samples_copy(c->samples.raw + s * n, c->network + (i * c->among.candidates + k) * n, n);
    samples_copy(c->samples.x + s * c->inputs, c->x + i * c->inputs, c->inputs);
}

POLICY_FUNCTION(value, c->value[i] = candidates_value(&c->samples, c->corrected != 0, i))
POLICY_FUNCTION(choose, candidates_choose(&c->among, i))

SHARED_FUNCTION void policy_gather(const struct policy_call *c, uint64_t i) {
    uint64_t s = c->among.best[i];
    samples_copy(c->out.y + i * c->outputs, c->samples.y + s * c->outputs, c->outputs);
    c->out.objective[i] = c->program.slots > 0 ? c->samples.objective[s] : REAL_NAN;
    c->out.reports[i] = c->samples.reports[s];
}

/* ---- losses of training ---- */

SHARED_FUNCTION void policy_total(const struct policy_call *c, uint64_t s) {
    train_total(&c->train, s);
    train_pull(&c->train, s, 1, c->train.grad_y);
}

SHARED_FUNCTION void policy_inside(const struct policy_call *c, uint64_t s) {
    train_pull(&c->train, s, -1, c->train.grad_raw);
    train_pull_inside(&c->train, s);
}

SHARED_FUNCTION void policy_regress(const struct policy_call *c, uint64_t s) {
    train_move(&c->train, s);
    train_regress(&c->train, s, c->targets + s % c->train.inputs * c->outputs);
}

/* In the order of the network's outputs. */
SHARED_FUNCTION void policy_finish(const struct policy_call *c, uint64_t s) {
    uint64_t n = c->outputs, i = s % c->train.inputs, k = s / c->train.inputs;
    train_finish(&c->train, s, c->rows + (i * c->among.candidates + k) * n);
}

POLICY_KERNEL_LIST(POLICY_KERNEL)

#endif
