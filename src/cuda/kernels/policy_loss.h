/* policy_loss.h - objective and residual of outputs, with the gradient of the loss, by running nn/loss.h's program.
 *
 * program_run.h and residual.h come before it.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_LOSS_H
#define HN_CUDA_POLICY_LOSS_H

static void loss_prepare(const struct policy_program *p, double *slots, uint64_t apart) {
    for (uint64_t i = 0; i < p->slots; i++)
        slots[i * apart] = i < p->constant_count ? p->constants[i] : 0;
}

/* |r|, and the multipliers of the way back. */
static double loss_multipliers(const struct policy_call *c, double *slots) {
    const struct policy_loss *l = &c->loss;
    uint64_t apart = c->apart;
    double squares = 0;
    for (uint64_t i = 0; i < c->rows; i++) {
        double r = residual_of(slots[l->value[i] * apart], slots[l->lower[i] * apart], slots[l->upper[i] * apart]);
        slots[(l->multiplier + i) * apart] = r;
        squares += r * r;
    }
    double size = real_sqrt(squares), scale = (size > 0 ? l->size / size : 0) + 2 * l->square;
    for (uint64_t i = 0; i < c->rows; i++)
        slots[(l->multiplier + i) * apart] *= scale;
    return size;
}

static void loss_gradient(const struct policy_call *c, const double *slots, double *gradient) {
    const struct policy_loss *l = &c->loss;
    for (uint64_t j = 0; j < c->outputs; j++)
        gradient[j] = 0;
    for (uint64_t e = 0; e < l->gradient_count; e++)
        gradient[l->gradient_entry[e]] += slots[l->gradient_at[e] * c->apart];
    for (uint64_t e = 0; e < l->pull_count; e++)
        gradient[l->pull_entry[e]] += slots[l->pull_at[e] * c->apart];
}

static void loss_sample(const struct policy_call *c, uint64_t s, double *slots) {
    const struct policy_loss *l = &c->loss;
    uint64_t apart = c->apart;
    for (uint64_t i = 0; i < c->inputs; i++)
        slots[(l->x + i) * apart] = c->all_x[s * c->inputs + i];
    for (uint64_t j = 0; j < c->outputs; j++)
        slots[(l->y + j) * apart] = c->y[s * c->outputs + j];
    program_run(&l->program, 0, slots, apart);
    program_run(&l->program, 1, slots, apart);
    c->residual[s] = loss_multipliers(c, slots);
    c->objective[s] = slots[l->objective * apart];
    if (!c->wants_gradient)
        return;
    program_run(&l->program, 2, slots, apart);
    loss_gradient(c, slots, c->lesson.grad_y + s * c->outputs);
}

static void policy_loss_run(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    double *slots = c->slots + thread;
    if (thread >= c->samples)
        return;
    loss_prepare(&c->loss.program, slots, c->apart);
    for (uint64_t s = thread; s < c->samples; s += threads)
        loss_sample(c, s, slots);
}

#endif
