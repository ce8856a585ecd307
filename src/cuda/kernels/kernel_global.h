/* kernel_global.h - one thread of a device and the samples that it takes, where their slots lie in the device's memory: what kernel_registers.h is
 * for slots of a thread's own, with the driver of an emitted file (core/solver.h) throughout.
 *
 *     open      x and the raw output come in; what depends on x only is evaluated
 *     evaluate, decide, move   a round: threads of a warp go through each of the three together
 *     close     a fresh evaluation at y, the verdict, the report
 *
 * Where DEVICE_SINGLE is defined numbers are floats, what comes in is copied behind the thread's row, and what goes out is converted;
 * where DEVICE_POLISH is, the sample has been through such a kernel (mixed_precision.h).
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_KERNEL_GLOBAL_H
#define HN_CUDA_KERNEL_GLOBAL_H

struct global_state {
    struct solver solver;
    struct solver_tape tape;
    struct sample_numbers numbers; /* of the last evaluation */
    uint64_t sample;               /* its number in the batch */
#ifdef DEVICE_POLISH
    struct polish polish;
#endif
#ifdef DEVICE_SEARCHES
    struct thread_search search;
#endif
};

/* The methods nearest and optimal go on where auto ends: nearest_kernel.h. */
#ifdef DEVICE_SEARCHES
static void thread_search_open(struct global_state *f);
static GENERATED bool thread_search_answer(struct global_state *f);
static GENERATED void thread_search_after(struct global_state *f);
static void thread_search_report(const struct global_state *f, struct device_report *out);
static void thread_search_close(const struct global_state *f, const struct device_call *call);
#endif

/* ---- loops whose reads do not wait for each other: what point.h has for the same ---- */

enum { GLOBAL_AT_ONCE = 16 };

/* Number i of a list of so many, or the last one. */
SIMD_INLINE size_t global_index(size_t i, size_t count) {
    return i < count ? i : count - 1;
}

/* The first of count numbers that is not finite; count: all are. */
static size_t global_first_lost(const struct point *p, uint32_t slot, size_t count) {
    const real *from = point_at(p, slot);
    size_t first = count;
    for (size_t i = 0; i < count; i += GLOBAL_AT_ONCE) {
        real block[GLOBAL_AT_ONCE];
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++)
            block[k] = from[global_index(i + k, count) * SLOT_STRIDE];
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++)
            first = first == count && !sample_is_finite(block[k]) ? global_index(i + k, count) : first;
    }
    return first;
}

/* c, bl, bu and r of some rows. */
struct global_rows {
    real c[GLOBAL_AT_ONCE], lower[GLOBAL_AT_ONCE], upper[GLOBAL_AT_ONCE], r[GLOBAL_AT_ONCE];
};

SIMD_INLINE void global_read_rows(const struct point *p, size_t first, struct global_rows *rows) {
    const struct plan *plan = p->plan;
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const real *r = point_at(p, plan->residual);
    for (size_t k = 0; k < GLOBAL_AT_ONCE; k++) {
        size_t i = global_index(first + k, plan->rows);
        rows->c[k] = *point_at(p, value[i]);
        rows->lower[k] = *point_at(p, lower[i]);
        rows->upper[k] = *point_at(p, upper[i]);
        rows->r[k] = r[i * SLOT_STRIDE];
    }
}

/* point_bad_bounds: the first such row; rows: none. */
static size_t global_bad_bounds(const struct point *p) {
    size_t count = p->plan->rows, first = count;
    for (size_t i = 0; i < count; i += GLOBAL_AT_ONCE) {
        struct global_rows rows;
        global_read_rows(p, i, &rows);
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++) {
            bool bad =
                !(rows.lower[k] <= rows.upper[k]) || rows.lower[k] == REAL_INFINITY || rows.upper[k] == -REAL_INFINITY;
            first = first == count && bad ? global_index(i + k, count) : first;
        }
    }
    return first;
}

/* point_violation */
static real global_violation(const struct point *p, size_t *row) {
    size_t count = p->plan->rows, at = count, lost = count;
    real worst = 0;
    for (size_t i = 0; i < count; i += GLOBAL_AT_ONCE) {
        struct global_rows rows;
        global_read_rows(p, i, &rows);
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++) {
            real size = point_abs(rows.r[k]);
            bool bounds = rows.lower[k] == rows.lower[k] && rows.upper[k] == rows.upper[k];
            bool bad = !sample_is_finite(rows.c[k]) || !sample_is_finite(size) || !bounds;
            bool more = size > worst;
            lost = lost == count && bad ? global_index(i + k, count) : lost;
            at = more ? global_index(i + k, count) : at;
            worst = more ? size : worst;
        }
    }
    *row = lost < count ? lost : at < count ? at : SIZE_MAX;
    return lost < count ? REAL_INFINITY : worst;
}

/* ---- stationarity: point_stationarity ---- */

enum { GLOBAL_ENTRIES = 8 }; /* of a row at a time */

/* Entries of row i of J from one on, or the last one again. */
SIMD_INLINE void global_read_entries(const struct point *p, const uint32_t *first, size_t i, size_t e, real *entries) {
    const uint32_t *slot = plan_words(p->plan, p->plan->jacobian.slot);
    for (size_t k = 0; k < GLOBAL_ENTRIES; k++)
        entries[k] = *point_at(p, slot[global_index(e + k, first[i + 1])]);
}

/* 1 / max(1, largest entry) of row i. */
SIMD_INLINE real global_row_scale(const struct point *p, const uint32_t *first, size_t i) {
    real most = 1, entries[GLOBAL_ENTRIES];
    for (size_t e = first[i]; e < first[i + 1]; e += GLOBAL_ENTRIES) {
        global_read_entries(p, first, i, e, entries);
        for (size_t k = 0; k < GLOBAL_ENTRIES; k++)
            most = sample_greater(most, point_abs(entries[k]));
    }
    return 1 / most;
}

/* sums += entry * own, over the columns of row i; those of one row are different. Adds the squares of its entries. */
SIMD_INLINE real global_add_row(const struct point *p, const uint32_t *first, size_t i, uint32_t sums, real scale,
                                real own, real squares) {
    const uint32_t *column = plan_words(p->plan, p->plan->jacobian.column);
    real entries[GLOBAL_ENTRIES], old[GLOBAL_ENTRIES];
    for (size_t e = first[i]; e < first[i + 1]; e += GLOBAL_ENTRIES) {
        global_read_entries(p, first, i, e, entries);
        for (size_t k = 0; k < GLOBAL_ENTRIES; k++)
            old[k] = *point_at(p, sums + column[global_index(e + k, first[i + 1])]);
        for (size_t k = 0; k < GLOBAL_ENTRIES && e + k < first[i + 1]; k++) {
            real entry = own != 0 ? entries[k] * scale : 0;
            squares += entry * entry;
            *point_at(p, sums + column[e + k]) = old[k] + entry * own;
        }
    }
    return squares;
}

/* sums: a vector over outputs. */
static GENERATED real global_stationarity(const struct point *p, uint32_t sums) {
    const struct plan *plan = p->plan;
    const uint32_t *first = plan_words(plan, plan->jacobian.first);
    const real *r = point_at(p, plan->residual), *all = point_at(p, sums);
    real entries = 0, squares = 0, sum = 0, largest = 0;
    point_clear(p, sums, plan->outputs);
    GLOBAL_UNROLL_FEW
    for (size_t i = 0; i < plan->rows; i++)
        largest = sample_greater(largest, point_abs(r[i * SLOT_STRIDE] * global_row_scale(p, first, i)));
    for (size_t i = 0; i < plan->rows; i++) {
        real scale = global_row_scale(p, first, i), own = r[i * SLOT_STRIDE] * scale / largest;
        squares += own * own;
        entries = global_add_row(p, first, i, sums, scale, own, entries);
    }
    SOLVER_UNROLL
    for (size_t k = 0; k < plan->outputs; k++)
        sum += all[k * SLOT_STRIDE] * all[k * SLOT_STRIDE];
    return sum == 0 ? 0 : sum / (entries * squares);
}

/* ---- the sample comes in ---- */

/* y = the raw output or the start values, unless they or x or the bounds are of no use. */
static void global_take(struct global_state *f, const struct device_call *call) {
    struct solver *d = &f->solver;
    const struct plan *plan = d->plan;
    if (d->raw)
        solver_spread(d->raw, 1, point_at(&d->point, plan->y), SLOT_STRIDE, plan->outputs);
    else
        point_start(&d->point);
    size_t x = global_first_lost(&d->point, plan->x, plan->inputs), rows = global_bad_bounds(&d->point);
    size_t raw = d->raw ? global_first_lost(&d->point, plan->y, plan->outputs) : plan->outputs;
    if (x < plan->inputs)
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, x);
    else if (raw < plan->outputs)
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + raw);
    else if (rows < plan->rows)
        thread_fall_back(d, call, HN_OUTCOME_BAD_BOUNDS, rows);
}

/* After what depends on x only was evaluated. */
static void global_place(struct global_state *f, const struct device_call *call) {
    struct solver *d = &f->solver;
    const struct plan *plan = d->plan;
    global_take(f, call);
    if (!point_set_fixed(&d->point) && d->state.phase == PHASE_NEW) {
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    bool starts = d->state.phase == PHASE_NEW && !d->raw;
    size_t lost = starts ? global_first_lost(&d->point, plan->y, plan->outputs) : plan->outputs;
    if (lost < plan->outputs) /* a start that x drives away */
        thread_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + lost);
    if (d->options->usual > 0 && d->state.phase == PHASE_NEW && point_is_start(&d->point))
        sample_is_home(&d->state);
    solver_take_slots(d, plan->y, plan->best);
    if (plan->raw != plan->best)
        solver_take_slots(d, plan->y, plan->raw);
    solver_flag(d, plan->summary + SUMMARY_USABLE, true);
}

#ifdef DEVICE_POLISH
typedef struct global_state polished;
static void polish_open(polished *f, const struct device_call *call);
static void polish_close(polished *f, const struct device_call *call);
static void polish_report(const polished *f, struct device_report *out);

/* y where floats have led to, but for outputs that they have not moved: several are read before the first is written. */
static void polish_lead(struct global_state *f, const double *to) {
    real *y = point_at(&f->solver.point, LAYER_Y), own[GLOBAL_AT_ONCE], led[GLOBAL_AT_ONCE];
    for (size_t j = 0; j < LAYER_OUTPUTS; j += GLOBAL_AT_ONCE) {
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++) {
            own[k] = y[global_index(j + k, LAYER_OUTPUTS) * SLOT_STRIDE];
            led[k] = to[global_index(j + k, LAYER_OUTPUTS)];
        }
        for (size_t k = 0; k < GLOBAL_AT_ONCE && j + k < LAYER_OUTPUTS; k++)
            y[(j + k) * SLOT_STRIDE] = (real)(float)own[k] == led[k] ? own[k] : led[k];
    }
}

static void polish_keep(struct global_state *f) {
    solver_take_slots(&f->solver, LAYER_Y, LAYER_BEST);
}
#endif

/* Where floats are copied to. */
SIMD_INLINE real *global_taken(const struct solver *d) {
    return d->row + LAYER_OUTPUTS;
}

static GENERATED void global_open(struct global_state *f, const struct device_call *call, uint64_t sample) {
    struct solver *d = &f->solver;
    const struct plan *plan = d->plan;
    f->sample = sample;
    thread_take_tape(d, &f->tape, call, sample);
    thread_find(d, call, sample, global_taken(d));
    sample_open(&d->state, d->options);
    point_write(&d->point, plan->x, plan->inputs, d->x);
    entry_prepare(d->point.slots);
    global_place(f, call);
#ifdef DEVICE_SEARCHES
    thread_search_open(f);
#endif
#ifdef DEVICE_POLISH
    polish_open(f, call);
#else
    if (!d->warm)
        return;
    solver_evaluate(d);
    solver_warm(d);
#endif
}

/* ---- a round ---- */

static GENERATED void global_evaluate(struct global_state *f) {
    solver_evaluate(&f->solver);
}

/* False: the sample has ended. */
static GENERATED bool global_decide(struct global_state *f) {
#ifdef DEVICE_SEARCHES
    if (f->solver.state.phase == PHASE_NEW && thread_search_answer(f))
        return false;
#endif
    return !solver_decide(&f->solver, &f->numbers);
}

static GENERATED void global_move(struct global_state *f) {
    solver_move(&f->solver);
}

/* ---- the end ---- */

/* raw - y of some outputs; of start values where nothing came in. */
SIMD_INLINE void global_read_way(const struct global_state *f, size_t first, real *way) {
    const struct solver *d = &f->solver;
    const uint32_t *start = plan_words(d->plan, d->plan->start);
    for (size_t k = 0; k < GLOBAL_AT_ONCE; k++) {
        size_t j = global_index(first + k, d->plan->outputs);
        real raw = d->raw ? d->raw[j] : *point_at(&d->point, start[j]);
        way[k] = raw - *point_at(&d->point, d->plan->y + (uint32_t)j);
    }
}

/* Whether all of what came in is finite. */
static bool global_raw_is_finite(const struct global_state *f) {
    size_t count = f->solver.plan->outputs;
    bool finite = true;
    SOLVER_UNROLL
    for (size_t j = 0; j < count; j++)
        finite = finite && sample_is_finite(f->solver.raw[j]);
    return finite;
}

/* |y - raw|; see layer/finish_sample.c. */
static real global_moved(const struct global_state *f) {
    size_t count = f->solver.plan->outputs;
    real scale = 0, sum = 0, way[GLOBAL_AT_ONCE];
    if (f->solver.raw && !global_raw_is_finite(f))
        return REAL_INFINITY;
    for (size_t j = 0; j < count; j += GLOBAL_AT_ONCE) {
        global_read_way(f, j, way);
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++)
            scale = sample_greater(scale, point_abs(way[k]));
    }
    if (!sample_is_finite(scale))
        return REAL_INFINITY;
    for (size_t j = 0; j < count && scale > 0; j += GLOBAL_AT_ONCE) {
        global_read_way(f, j, way);
        for (size_t k = 0; k < GLOBAL_AT_ONCE && j + k < count; k++) {
            real part = way[k] / scale;
            sum += part * part;
        }
    }
    return scale * real_sqrt(sum);
}

static void global_report(const struct global_state *f, struct device_report *out) {
    size_t worst;
    real violation = global_violation(&f->solver.point, &worst);
    thread_fill_report(&f->solver, violation, worst, global_moved(f), out);
#ifdef DEVICE_POLISH
    polish_report(f, out);
#endif
#ifdef DEVICE_SEARCHES
    thread_search_report(f, out);
#endif
}

/* solver_spread, to the caller's numbers. */
static void global_give_out(const real *from, double *to, size_t count) {
    double block[GLOBAL_AT_ONCE];
    for (size_t j = 0; j < count; j += GLOBAL_AT_ONCE) {
        for (size_t k = 0; k < GLOBAL_AT_ONCE; k++)
            block[k] = (double)from[global_index(j + k, count) * SLOT_STRIDE];
        for (size_t k = 0; k < GLOBAL_AT_ONCE && j + k < count; k++)
            to[j + k] = block[k];
    }
}

/* y, the report and what else is wanted of a sample that has ended. */
static GENERATED void global_close(struct global_state *f, const struct device_call *call) {
    struct solver *d = &f->solver;
    const struct plan *plan = d->plan;
    const struct point *p = &d->point;
    entry_evaluate(p->slots);
    entry_residual(p->slots);
#ifdef DEVICE_POLISH
    polish_close(f, call);
#endif
    real bound = sample_asks_stationarity(&d->state, d->options, &f->numbers);
    bool stationary = bound > 0 && global_stationarity(p, plan->step) <= bound * bound;
    d->state.outcome = sample_verdict(&d->state, d->options, &f->numbers, stationary);
#ifdef DEVICE_SEARCHES
    thread_search_after(f);
    thread_search_close(f, call);
#endif
    if (d->tape)
        call->heads[f->sample] = tape_head_of(&d->state, d->tape->room);
    for (uint32_t i = 0; call->residual && i < plan->rows; i++)
        call->residual[f->sample * plan->rows + i] = point_number(*point_at(p, plan->residual + i));
    if (call->reports)
        global_report(f, call->reports + f->sample);
    for (uint32_t j = 0; d->warm && !LAYER_TAKEN && j < plan->outputs; j++) {
        real raw = d->raw ? d->raw[j] : *point_at(p, plan_words(plan, plan->start)[j]);
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? *point_at(p, plan->y + j) - raw : 0;
    }
    global_give_out(point_at(p, plan->y), call->y + f->sample * plan->outputs, plan->outputs);
}

#endif
