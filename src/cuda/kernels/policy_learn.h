/* policy_learn.h - candidates, the choice among them, and losses of training with their gradients: training/policy_chunk.c and
 * training/loss_gradient.c, one sample or input per thread, to the bit.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_POLICY_LEARN_H
#define HN_CUDA_POLICY_LEARN_H

static bool policy_finite(double a) {
    return simd_abs(a) <= REAL_MAX;
}

/* The network gives all candidates of an input in one row; the layer wants each as a row of its own, with its input. */
static void policy_spread(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads) {
        uint64_t i = s % c->count, k = s / c->count;
        for (uint64_t j = 0; j < c->outputs; j++)
            c->raw[s * c->outputs + j] = c->network[(i * c->candidates + k) * c->outputs + j];
        for (uint64_t j = 0; j < c->inputs; j++)
            c->all_x[s * c->inputs + j] = c->x[i * c->inputs + j];
    }
}

/* By what candidates are chosen: where nothing corrects, the one that violates least is the best of those that are not ok. */
static void policy_value(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads) {
        bool ok = c->reports[s].outcome == HN_OUTCOME_OK;
        c->value[s] = c->corrected || ok ? c->objective[s] : c->reports[s].violation;
    }
}

static bool policy_is_better(const struct policy_call *c, uint64_t a, uint64_t b) {
    bool a_ok = c->reports[a].outcome == HN_OUTCOME_OK, b_ok = c->reports[b].outcome == HN_OUTCOME_OK;
    return choice_is_better(a_ok, c->value[a], b_ok, c->value[b]);
}

static void policy_choose(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t i = thread; i < c->count; i += threads) {
        uint64_t best = i;
        for (uint64_t k = 1; k < c->candidates; k++)
            if (policy_is_better(c, k * c->count + i, best))
                best = k * c->count + i;
        c->best[i] = best;
    }
}

static void policy_give(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t i = thread; i < c->count; i += threads) {
        uint64_t s = c->best[i];
        for (uint64_t j = 0; j < c->outputs; j++)
            c->out_y[i * c->outputs + j] = c->y[s * c->outputs + j];
        c->out_objective[i] = c->loss.there ? c->objective[s] : REAL_NAN;
        c->out_reports[i] = c->reports[s];
    }
}

/* ---- the loss `objective` ---- */

static void lesson_pull(const struct policy_call *c, uint64_t s, double sign, double *gradient) {
    double factor = sign * 2 * c->lesson.move_weight;
    for (uint64_t j = 0; j < c->outputs; j++)
        gradient[j] += factor * (c->y[s * c->outputs + j] - c->raw[s * c->outputs + j]);
}

static void policy_move(const struct policy_call *c, uint64_t s) {
    double sum = 0;
    for (uint64_t j = 0; j < c->outputs; j++) {
        double way = c->y[s * c->outputs + j] - c->raw[s * c->outputs + j];
        sum += way * way;
    }
    c->lesson.moved[s] = sum;
}

/* Losses, and the gradient by y with its pull. */
static void policy_total(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    for (uint64_t s = thread; s < c->samples; s += threads) {
        double r = c->residual[s];
        policy_move(c, s);
        l->total[s] =
            c->objective[s] + l->residual_weight * r + l->square_weight * r * r + l->move_weight * l->moved[s];
        c->value[s] = l->total[s];
        lesson_pull(c, s, 1, l->grad_y + s * c->outputs);
    }
}

/* What comes back through the layer: the raw output's own pull, and the way inside its bounds. */
static void policy_inside(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    for (uint64_t s = thread; s < c->samples; s += threads) {
        double *gradient = l->grad_raw + s * c->outputs;
        lesson_pull(c, s, -1, gradient);
        for (uint64_t b = 0; b < l->bounds; b++) {
            double lower = l->grad_lower[s * c->rows + l->bound_row[b]];
            double upper = l->grad_upper[s * c->rows + l->bound_row[b]];
            gradient[l->bound_column[b]] += l->inward * ((lower < 0 ? lower : 0) + (upper > 0 ? upper : 0));
        }
    }
}

/* ---- the losses `targets` and `improve` ---- */

static void lesson_draw(const struct policy_call *c, uint64_t s, const double *goal) {
    const struct policy_lesson *l = &c->lesson;
    uint64_t n = c->outputs;
    const double *raw = c->raw + s * n, *scale = l->output_scale + s / c->count * n;
    double squares = 0;
    for (uint64_t j = 0; j < n; j++)
        squares += (raw[j] - goal[j]) / scale[j] * ((raw[j] - goal[j]) / scale[j]);
    double distance = real_sqrt(squares);
    bool straight = l->huber > 0 && distance > l->huber;
    double factor = straight ? 2 * l->huber / distance : 2;
    l->total[s] = straight ? l->huber * (2 * distance - l->huber) : squares;
    for (uint64_t j = 0; j < n; j++)
        l->grad_raw[s * n + j] = factor * (raw[j] - goal[j]) / (scale[j] * scale[j]);
}

static void policy_draw(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    for (uint64_t s = thread; s < c->samples; s += threads) {
        policy_move(c, s);
        lesson_draw(c, s, c->lesson.targets + s % c->count * c->outputs);
        c->value[s] = c->lesson.total[s];
    }
}

/* ---- both ---- */

/* Clips and weighs the gradient of a sample; one that is not finite, or whose loss is not, is dropped. Goes to the network's rows. */
static void policy_finish(const struct policy_call *c, uint64_t thread, uint64_t threads) {
    const struct policy_lesson *l = &c->lesson;
    for (uint64_t s = thread; s < c->samples; s += threads) {
        uint64_t i = s % c->count, k = s / c->count, n = c->outputs;
        const double *gradient = l->grad_raw + s * n;
        double *row = l->rows + (i * c->candidates + k) * n, squares = 0;
        for (uint64_t j = 0; j < n; j++)
            squares += gradient[j] * gradient[j];
        l->dropped[s] = !policy_finite(squares) || !policy_finite(l->total[s]);
        double norm = real_sqrt(squares), scale = l->clip > 0 && norm > l->clip ? l->clip / norm : 1;
        double weight = scale * (s == c->best[i] ? l->best_weight : l->other_weight);
        for (uint64_t j = 0; j < n; j++)
            row[j] = l->dropped[s] ? 0 : gradient[j] * weight;
    }
}

#endif
