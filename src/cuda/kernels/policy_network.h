/* policy_network.h - a multilayer perceptron on a device, there and back.
 *
 * Every sum is one thread's, and runs in the order of nn/matrix_kernel.h: the same bits.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_NETWORK_H
#define HN_CUDA_POLICY_NETWORK_H

/* (x - shift) * scale */
static void policy_shift_scale(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = (e->from[i] - e->shift[i % e->width]) * e->scale[i % e->width];
}

/* shift + scale * y */
static void policy_scale_shift(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = e->shift[i % e->width] + e->scale[i % e->width] * e->from[i];
}

/* scale * y */
static void policy_scale(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = e->scale[i % e->width] * e->from[i];
}

static void policy_activate(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = kernel_activation((hn_activation)e->activation, e->from[i]);
}

static void policy_activate_back(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = kernel_activation_back((hn_activation)e->activation, e->from[i], e->gradient[i]);
}

/* from + gradient, where there is one */
static void policy_join(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        e->to[i] = e->gradient ? e->from[i] + e->gradient[i] : e->from[i];
}

/* Rows, as many as numbers: each by one thread. */
static void policy_normalize(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads) {
        for (uint64_t j = 0; j < e->width; j++)
            e->to[i * e->width + j] = e->from[i * e->width + j];
        e->inverse[i] = normalize(e->to + i * e->width, e->width);
    }
}

static void policy_normalize_back(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_each *e = &c->each;
    for (uint64_t i = thread; i < e->numbers; i += threads)
        normalize_back(e->from + i * e->width, e->width, e->inverse[i], e->to + i * e->width);
}

static void policy_multiply(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_matrix *m = &c->matrix;
    for (uint64_t e = thread; e < m->rows * m->columns; e += threads) {
        const double *a = m->a + e / m->columns * m->a_row, *b = m->b + e % m->columns * m->b_column;
        double sum = m->first ? m->first[e % m->columns] : 0;
        for (uint64_t k = 0; k < m->inner; k++)
            sum += a[k * m->a_column] * b[k * m->b_row];
        m->c[e] = sum;
    }
}

/* ---- gradients by parameters ---- */

/* dL/dW = G' H and dL/db = sum of rows of G: chunk by chunk, and then the chunks' sums. */
static void policy_parameters(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    uint64_t weights = l->in * l->out;
    for (uint64_t e = thread; e < weights + l->out; e += threads) {
        bool bias = e >= weights;
        uint64_t j = bias ? e - weights : e / l->in, i = bias ? 0 : e % l->in;
        double all = 0;
        for (uint64_t first = 0; first < c->count; first += l->chunk) {
            uint64_t end = first + l->chunk < c->count ? first + l->chunk : c->count;
            double sum = 0;
            for (uint64_t s = first; s < end; s++)
                sum += bias ? l->g[s * l->out + j] : l->g[s * l->out + j] * l->h[s * l->in + i];
            all = first == 0 ? sum : all + sum;
        }
        l->gradient[e] = all;
    }
}

/* |gradient|, by one thread. */
static void policy_norm(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    double squares = 0;
    (void)threads;
    if (thread > 0)
        return;
    for (uint64_t i = 0; i < l->parameter_count; i++)
        squares += l->gradient[i] * l->gradient[i];
    *l->norm = real_sqrt(squares);
}

static void policy_adam(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    for (uint64_t i = thread; i < l->parameter_count; i += threads) {
        double g = l->scale * l->gradient[i];
        double m = l->beta_1 * l->first[i] + (1 - l->beta_1) * g;
        double v = l->beta_2 * l->second[i] + (1 - l->beta_2) * g * g;
        l->first[i] = m;
        l->second[i] = v;
        l->parameters[i] -= l->rate * (m / l->first_share) / (real_sqrt(v / l->second_share) + l->eps);
    }
}

#endif
