/* policy_improve.h - refined outputs as targets: nn/improver.c and the loss `improve` of training/loss_gradient.c, one sample or
 * input per thread, to the bit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_IMPROVE_H
#define HN_CUDA_POLICY_IMPROVE_H

static void improve_copy(double *to, const double *from, uint64_t count) {
    for (uint64_t j = 0; j < count; j++)
        to[j] = from[j];
}

/* How far corrected outputs are from raw ones, before they are refined. */
static void policy_improve_begin(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads)
        policy_move(c, s);
}

static void policy_improve_targets(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    uint64_t n = c->outputs;
    for (uint64_t s = thread; s < c->samples; s += threads) {
        bool ok = c->reports[s].outcome == HN_OUTCOME_OK;
        improve_copy(c->refinement.targets + s * n, (ok ? c->y : c->raw) + s * n, n);
    }
}

/* ---- exploring ---- */

/* Input i starts from the best raw output of another one of its chunk, or from where the caller says. */
static void policy_improve_elsewhere(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_refinement *r = &c->refinement;
    uint64_t n = c->outputs, chunk = c->lesson.chunk;
    for (uint64_t i = thread; i < c->count; i += threads) {
        uint64_t first = i / chunk * chunk, left = c->count - first, inputs = left < chunk ? left : chunk;
        uint64_t other = c->best[first + (i - first + r->distance) % inputs];
        improve_copy(r->beyond_raw + i * n, r->starts ? r->starts + i * n : c->raw + other * n, n);
    }
}

/* The candidate of input i whose raw output is nearest to y. */
static uint64_t improve_nearest(const struct policy_call *c, uint64_t i, const double *y) {
    uint64_t best = i, n = c->outputs;
    double least = REAL_INFINITY;
    for (uint64_t s = i; s < c->samples; s += c->count) {
        double distance = 0;
        for (uint64_t j = 0; j < n; j++)
            distance += (c->raw[s * n + j] - y[j]) * (c->raw[s * n + j] - y[j]);
        best = distance < least ? s : best;
        least = distance < least ? distance : least;
    }
    return best;
}

static void policy_improve_adopt(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_refinement *r = &c->refinement;
    uint64_t n = c->outputs;
    for (uint64_t i = thread; i < c->count; i += threads) {
        double known = c->objective[c->best[i]], found = r->beyond_objective[i];
        if (r->beyond_reports[i].outcome != HN_OUTCOME_OK || !(found < known - r->explore * simd_abs(known)))
            continue;
        c->best[i] = improve_nearest(c, i, r->beyond_y + i * n);
        improve_copy(r->targets + c->best[i] * n, r->beyond_y + i * n, n);
    }
}

/* ---- the loss ---- */

static void policy_improve_draw(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads)
        lesson_draw(c, s, c->refinement.targets + s * c->outputs);
}

#endif
