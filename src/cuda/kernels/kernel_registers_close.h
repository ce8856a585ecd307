/* kernel_registers_close.h - the end of a sample that a thread of a device took (kernel_registers.h): y, its verdict and its report.
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_REGISTERS_CLOSE_H
#define HN_CUDA_KERNEL_REGISTERS_CLOSE_H

/* |y - raw|; see layer/finish_sample.c. In blocks whose loads and quotients do not wait for each other; sums are in order. */

/* way = raw - y; the largest of them, or infinity. */
static real thread_way(const struct thread_state *l, real *way) {
    const real *y = l->solver.point.slots + LAYER_Y, *raw = l->solver.raw, *from = raw ? raw : way;
    real scale = 0;
    bool lost = false;
    SHARED_LOOP
    for (uint32_t j = 0; !raw && j < LAYER_OUTPUTS; j++)
        way[j] = l->solver.point.slots[plan_words(&layer_plan, layer_plan.start)[j]];
    DEVICE_ROLLED
    for (uint32_t first = 0; first < LAYER_OUTPUTS; first += THREAD_FEW) {
        real part[THREAD_FEW], at[THREAD_FEW];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++) {
            part[k] = first + k < LAYER_OUTPUTS ? from[first + k] : 0;
            at[k] = first + k < LAYER_OUTPUTS ? y[first + k] : 0;
        }
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++) {
            lost = lost | !sample_is_finite(part[k]);
            part[k] -= at[k];
            scale = sample_greater(scale, point_abs(part[k]));
            if (first + k < LAYER_OUTPUTS)
                way[first + k] = part[k];
        }
    }
    return raw && lost ? REAL_INFINITY : scale;
}

/* The sum of the squares of way / scale, with quick quotients; *doubt: one of them may not be rounded correctly. */
SIMD_INLINE real thread_squares(const real *way, real scale, bool *doubt) {
    real sum = 0, inverse = 1 / scale, least = scale * QUOTIENT_LEAST;
    DEVICE_ROLLED
    for (uint32_t first = 0; first < LAYER_OUTPUTS; first += THREAD_FEW) {
        real part[THREAD_FEW];
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++)
            part[k] = first + k < LAYER_OUTPUTS ? way[first + k] : 0;
        DEVICE_UNROLL
        for (uint32_t k = 0; k < THREAD_FEW; k++) {
            *doubt = *doubt | ((part[k] != 0) & (point_abs(part[k]) < least));
            part[k] = quick_quotient(part[k], scale, inverse);
            sum += part[k] * part[k];
        }
    }
    return sum;
}

static real thread_moved(const struct thread_state *l, real *way) {
    real scale = thread_way(l, way), sum;
    if (!sample_is_finite(scale) || scale == 0)
        return scale == 0 ? 0 : REAL_INFINITY;
    bool doubt = !quick_divides(scale);
    sum = thread_squares(way, scale, &doubt);
    sum = doubt ? 0 : sum;
    SHARED_LOOP
    for (uint32_t j = 0; j < LAYER_OUTPUTS && doubt; j++)
        sum += (way[j] / scale) * (way[j] / scale);
    return scale * real_sqrt(sum);
}

static void thread_report(const struct thread_state *l, struct device_report *out) {
    const struct solver *d = &l->solver;
    size_t worst;
    real violation = thread_violation(d->point.slots, &worst);
    thread_fill_report(d, violation, worst, thread_moved(l, d->row), out);
#ifdef DEVICE_POLISH
    polish_report(l, out);
#endif
}

#ifndef DEVICE_GRADIENTS
/* y, the report and what else is wanted of a sample that has ended. */
static GENERATED void thread_close(struct thread_state *l, const struct device_call *call) {
    DEVICE_TASK(l);
    DEVICE_LOCAL(l->solver.point.slots);
    struct solver *d = &l->solver;
    const struct plan *plan = &layer_plan;
    const struct sample_options o = layer_options;
    const real *y = d->point.slots + LAYER_Y;
    thread_residuals(d->point.slots);
#ifdef DEVICE_POLISH
    polish_close(l, call);
#endif
    real bound = sample_asks_stationarity(&d->state, &o, &l->numbers);
    if (bound > 0) /* it reads J */
        entry_evaluate(d->point.slots);
    bool stationary = bound > 0 && point_stationarity(&d->point, d->row) <= bound * bound;
    d->state.outcome = sample_verdict(&d->state, &o, &l->numbers, stationary);
    if (d->tape)
        call->heads[l->sample] = tape_head_of(&d->state, d->tape->room);
    SHARED_LOOP
    for (uint32_t i = 0; call->residual && i < plan->rows; i++)
        call->residual[l->sample * plan->rows + i] = point_number(*point_at(&d->point, plan->residual + i));
    if (call->reports)
        thread_report(l, call->reports + l->sample);
    SHARED_LOOP
    for (size_t j = 0; d->warm && !LAYER_TAKEN && j < plan->outputs; j++) {
        real raw = d->raw ? d->raw[j] : *point_at(&d->point, plan_words(plan, plan->start)[j]);
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? y[j] - raw : 0;
    }
    thread_give_out(y, call->y + l->sample * LAYER_OUTPUTS, LAYER_OUTPUTS);
}
#endif

#endif
