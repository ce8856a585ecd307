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

struct far {
    struct drive drive;
    struct drive_tape tape;
    struct sample_numbers numbers; /* of the last evaluation */
    uint64_t sample;               /* its number in the batch */
#ifdef DEVICE_POLISH
    struct polish polish;
#endif
#ifdef DEVICE_SEARCHES
    struct far_search search;
#endif
};

/* The methods nearest and optimal go on where auto ends: nearest_kernel.h. */
#ifdef DEVICE_SEARCHES
static void far_search_open(struct far *f);
static GENERATED bool far_search_answer(struct far *f);
static GENERATED void far_search_after(struct far *f);
static void far_search_report(const struct far *f, struct device_report *out);
static void far_search_close(const struct far *f, const struct device_call *call);
#endif

/* ---- loops whose reads do not wait for each other: what point.h has for the same ---- */

enum { FAR_AT_ONCE = 16 };

/* Number i of a list of so many, or the last one. */
WIDE_INLINE size_t far_index(size_t i, size_t count) {
    return i < count ? i : count - 1;
}

/* The first of count numbers that is not finite; count: all are. */
static size_t far_first_lost(const struct point *p, uint32_t slot, size_t count) {
    const double *from = point_at(p, slot);
    size_t first = count;
    for (size_t i = 0; i < count; i += FAR_AT_ONCE) {
        double block[FAR_AT_ONCE];
        for (size_t k = 0; k < FAR_AT_ONCE; k++)
            block[k] = from[far_index(i + k, count) * LANES_HERE];
        for (size_t k = 0; k < FAR_AT_ONCE; k++)
            first = first == count && !sample_is_finite(block[k]) ? far_index(i + k, count) : first;
    }
    return first;
}

/* c, bl, bu and r of some rows. */
struct far_rows {
    double c[FAR_AT_ONCE], lower[FAR_AT_ONCE], upper[FAR_AT_ONCE], r[FAR_AT_ONCE];
};

WIDE_INLINE void far_read_rows(const struct point *p, size_t first, struct far_rows *rows) {
    const struct plan *plan = p->plan;
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    const double *r = point_at(p, plan->residual);
    for (size_t k = 0; k < FAR_AT_ONCE; k++) {
        size_t i = far_index(first + k, plan->rows);
        rows->c[k] = *point_at(p, value[i]);
        rows->lower[k] = *point_at(p, lower[i]);
        rows->upper[k] = *point_at(p, upper[i]);
        rows->r[k] = r[i * LANES_HERE];
    }
}

/* point_bad_bounds: the first such row; rows: none. */
static size_t far_bad_bounds(const struct point *p) {
    size_t count = p->plan->rows, first = count;
    for (size_t i = 0; i < count; i += FAR_AT_ONCE) {
        struct far_rows rows;
        far_read_rows(p, i, &rows);
        for (size_t k = 0; k < FAR_AT_ONCE; k++) {
            bool bad = !(rows.lower[k] <= rows.upper[k]) || rows.lower[k] == HUGE_VAL || rows.upper[k] == -HUGE_VAL;
            first = first == count && bad ? far_index(i + k, count) : first;
        }
    }
    return first;
}

/* point_violation */
static double far_violation(const struct point *p, size_t *row) {
    size_t count = p->plan->rows, at = count, lost = count;
    double worst = 0;
    for (size_t i = 0; i < count; i += FAR_AT_ONCE) {
        struct far_rows rows;
        far_read_rows(p, i, &rows);
        for (size_t k = 0; k < FAR_AT_ONCE; k++) {
            double size = point_abs(rows.r[k]);
            bool bounds = rows.lower[k] == rows.lower[k] && rows.upper[k] == rows.upper[k];
            bool bad = !sample_is_finite(rows.c[k]) || !sample_is_finite(size) || !bounds;
            bool more = size > worst;
            lost = lost == count && bad ? far_index(i + k, count) : lost;
            at = more ? far_index(i + k, count) : at;
            worst = more ? size : worst;
        }
    }
    *row = lost < count ? lost : at < count ? at : SIZE_MAX;
    return lost < count ? HUGE_VAL : worst;
}

/* ---- stationarity: point_stationarity ---- */

enum { FAR_ENTRIES = 8 }; /* of a row at a time */

/* Entries of row i of J from one on, or the last one again. */
WIDE_INLINE void far_read_entries(const struct point *p, const uint32_t *first, size_t i, size_t e, double *entries) {
    const uint32_t *slot = plan_words(p->plan, p->plan->jacobian.slot);
    for (size_t k = 0; k < FAR_ENTRIES; k++)
        entries[k] = *point_at(p, slot[far_index(e + k, first[i + 1])]);
}

/* 1 / max(1, largest entry) of row i. */
WIDE_INLINE double far_row_scale(const struct point *p, const uint32_t *first, size_t i) {
    double most = 1, entries[FAR_ENTRIES];
    for (size_t e = first[i]; e < first[i + 1]; e += FAR_ENTRIES) {
        far_read_entries(p, first, i, e, entries);
        for (size_t k = 0; k < FAR_ENTRIES; k++)
            most = sample_greater(most, point_abs(entries[k]));
    }
    return 1 / most;
}

/* sums += entry * own, over the columns of row i; those of one row are different. Adds the squares of its entries. */
WIDE_INLINE double far_add_row(const struct point *p, const uint32_t *first, size_t i, uint32_t sums, double scale,
                               double own, double squares) {
    const uint32_t *column = plan_words(p->plan, p->plan->jacobian.column);
    double entries[FAR_ENTRIES], old[FAR_ENTRIES];
    for (size_t e = first[i]; e < first[i + 1]; e += FAR_ENTRIES) {
        far_read_entries(p, first, i, e, entries);
        for (size_t k = 0; k < FAR_ENTRIES; k++)
            old[k] = *point_at(p, sums + column[far_index(e + k, first[i + 1])]);
        for (size_t k = 0; k < FAR_ENTRIES && e + k < first[i + 1]; k++) {
            double entry = own != 0 ? entries[k] * scale : 0;
            squares += entry * entry;
            *point_at(p, sums + column[e + k]) = old[k] + entry * own;
        }
    }
    return squares;
}

/* sums: a vector over outputs. */
static GENERATED double far_stationarity(const struct point *p, uint32_t sums) {
    const struct plan *plan = p->plan;
    const uint32_t *first = plan_words(plan, plan->jacobian.first);
    const double *r = point_at(p, plan->residual), *all = point_at(p, sums);
    double entries = 0, squares = 0, sum = 0, largest = 0;
    point_clear(p, sums, plan->outputs);
    FAR_UNROLL_FEW
    for (size_t i = 0; i < plan->rows; i++)
        largest = sample_greater(largest, point_abs(r[i * LANES_HERE] * far_row_scale(p, first, i)));
    for (size_t i = 0; i < plan->rows; i++) {
        double scale = far_row_scale(p, first, i), own = r[i * LANES_HERE] * scale / largest;
        squares += own * own;
        entries = far_add_row(p, first, i, sums, scale, own, entries);
    }
    DRIVE_UNROLL
    for (size_t k = 0; k < plan->outputs; k++)
        sum += all[k * LANES_HERE] * all[k * LANES_HERE];
    return sum == 0 ? 0 : sum / (entries * squares);
}

/* ---- the sample comes in ---- */

/* y = the raw output or the start values, unless they or x or the bounds are of no use. */
static void far_take(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    if (d->raw)
        drive_spread(d->raw, 1, point_at(&d->point, plan->y), LANES_HERE, plan->outputs);
    else
        point_start(&d->point);
    size_t x = far_first_lost(&d->point, plan->x, plan->inputs), rows = far_bad_bounds(&d->point);
    size_t raw = d->raw ? far_first_lost(&d->point, plan->y, plan->outputs) : plan->outputs;
    if (x < plan->inputs)
        lane_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, x);
    else if (raw < plan->outputs)
        lane_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + raw);
    else if (rows < plan->rows)
        lane_fall_back(d, call, HN_OUTCOME_BAD_BOUNDS, rows);
}

/* After what depends on x only was evaluated. */
static void far_place(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    far_take(f, call);
    if (!point_set_fixed(&d->point) && d->state.doing == SAMPLE_OPENS) {
        lane_fall_back(d, call, HN_OUTCOME_NONFINITE_EVALUATION, SIZE_MAX);
        point_set_fixed(&d->point);
    }
    bool starts = d->state.doing == SAMPLE_OPENS && !d->raw;
    size_t lost = starts ? far_first_lost(&d->point, plan->y, plan->outputs) : plan->outputs;
    if (lost < plan->outputs) /* a start that x drives away */
        lane_fall_back(d, call, HN_OUTCOME_NONFINITE_INPUT, plan->inputs + lost);
    if (d->options->usual > 0 && d->state.doing == SAMPLE_OPENS && point_is_start(&d->point))
        sample_is_home(&d->state);
    drive_take_slots(d, plan->y, plan->best);
    if (plan->raw != plan->best)
        drive_take_slots(d, plan->y, plan->raw);
    drive_flag(d, plan->summary + SUMMARY_USABLE, true);
}

#ifdef DEVICE_POLISH
typedef struct far polished;
static void polish_open(polished *f, const struct device_call *call);
static void polish_close(polished *f, const struct device_call *call);
static void polish_report(const polished *f, struct device_report *out);

/* y where floats have led to, but for outputs that they have not moved: several are read before the first is written. */
static void polish_lead(struct far *f, const full *to) {
    double *y = point_at(&f->drive.point, LAYER_Y), own[FAR_AT_ONCE], led[FAR_AT_ONCE];
    for (size_t j = 0; j < LAYER_OUTPUTS; j += FAR_AT_ONCE) {
        for (size_t k = 0; k < FAR_AT_ONCE; k++) {
            own[k] = y[far_index(j + k, LAYER_OUTPUTS) * LANES_HERE];
            led[k] = to[far_index(j + k, LAYER_OUTPUTS)];
        }
        for (size_t k = 0; k < FAR_AT_ONCE && j + k < LAYER_OUTPUTS; k++)
            y[(j + k) * LANES_HERE] = (double)(float)own[k] == led[k] ? own[k] : led[k];
    }
}

static void polish_keep(struct far *f) {
    drive_take_slots(&f->drive, LAYER_Y, LAYER_BEST);
}
#endif

/* Where floats are copied to. */
WIDE_INLINE double *far_taken(const struct drive *d) {
    return d->row + LAYER_OUTPUTS;
}

static GENERATED void far_open(struct far *f, const struct device_call *call, uint64_t sample) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    f->sample = sample;
    lane_take_tape(d, &f->tape, call, sample);
    lane_find(d, call, sample, far_taken(d));
    sample_open(&d->state, d->options);
    point_write(&d->point, plan->x, plan->inputs, d->x);
    entry_prepare(d->point.slots);
    far_place(f, call);
#ifdef DEVICE_SEARCHES
    far_search_open(f);
#endif
#ifdef DEVICE_POLISH
    polish_open(f, call);
#else
    if (!d->warm)
        return;
    drive_evaluate(d);
    drive_warm(d);
#endif
}

/* ---- a round ---- */

static GENERATED void far_evaluate(struct far *f) {
    drive_evaluate(&f->drive);
}

/* False: the sample has ended. */
static GENERATED bool far_decide(struct far *f) {
#ifdef DEVICE_SEARCHES
    if (f->drive.state.doing == SAMPLE_OPENS && far_search_answer(f))
        return false;
#endif
    return !drive_decide(&f->drive, &f->numbers);
}

static GENERATED void far_move(struct far *f) {
    drive_move(&f->drive);
}

/* ---- the end ---- */

/* raw - y of some outputs; of start values where nothing came in. */
WIDE_INLINE void far_read_way(const struct far *f, size_t first, double *way) {
    const struct drive *d = &f->drive;
    const uint32_t *start = plan_words(d->plan, d->plan->start);
    for (size_t k = 0; k < FAR_AT_ONCE; k++) {
        size_t j = far_index(first + k, d->plan->outputs);
        double raw = d->raw ? d->raw[j] : *point_at(&d->point, start[j]);
        way[k] = raw - *point_at(&d->point, d->plan->y + (uint32_t)j);
    }
}

/* Whether all of what came in is finite. */
static bool far_raw_is_finite(const struct far *f) {
    size_t count = f->drive.plan->outputs;
    bool finite = true;
    DRIVE_UNROLL
    for (size_t j = 0; j < count; j++)
        finite = finite && sample_is_finite(f->drive.raw[j]);
    return finite;
}

/* |y - raw|; see layer/finish_sample.c. */
static double far_moved(const struct far *f) {
    size_t count = f->drive.plan->outputs;
    double scale = 0, sum = 0, way[FAR_AT_ONCE];
    if (f->drive.raw && !far_raw_is_finite(f))
        return HUGE_VAL;
    for (size_t j = 0; j < count; j += FAR_AT_ONCE) {
        far_read_way(f, j, way);
        for (size_t k = 0; k < FAR_AT_ONCE; k++)
            scale = sample_greater(scale, point_abs(way[k]));
    }
    if (!sample_is_finite(scale))
        return HUGE_VAL;
    for (size_t j = 0; j < count && scale > 0; j += FAR_AT_ONCE) {
        far_read_way(f, j, way);
        for (size_t k = 0; k < FAR_AT_ONCE && j + k < count; k++) {
            double part = way[k] / scale;
            sum += part * part;
        }
    }
    return scale * sqrt(sum);
}

static void far_report(const struct far *f, struct device_report *out) {
    size_t worst;
    double violation = far_violation(&f->drive.point, &worst);
    lane_fill_report(&f->drive, violation, worst, far_moved(f), out);
#ifdef DEVICE_POLISH
    polish_report(f, out);
#endif
#ifdef DEVICE_SEARCHES
    far_search_report(f, out);
#endif
}

/* drive_spread, to the caller's numbers. */
static void far_give_out(const double *from, full *to, size_t count) {
    full block[FAR_AT_ONCE];
    for (size_t j = 0; j < count; j += FAR_AT_ONCE) {
        for (size_t k = 0; k < FAR_AT_ONCE; k++)
            block[k] = (full)from[far_index(j + k, count) * LANES_HERE];
        for (size_t k = 0; k < FAR_AT_ONCE && j + k < count; k++)
            to[j + k] = block[k];
    }
}

/* y, the report and what else is wanted of a sample that has ended. */
static GENERATED void far_close(struct far *f, const struct device_call *call) {
    struct drive *d = &f->drive;
    const struct plan *plan = d->plan;
    const struct point *p = &d->point;
    entry_evaluate(p->slots);
    entry_residual(p->slots);
#ifdef DEVICE_POLISH
    polish_close(f, call);
#endif
    double bound = sample_asks_stationarity(&d->state, d->options, &f->numbers);
    bool stationary = bound > 0 && far_stationarity(p, plan->step) <= bound * bound;
    d->state.outcome = sample_verdict(&d->state, d->options, &f->numbers, stationary);
#ifdef DEVICE_SEARCHES
    far_search_after(f);
    far_search_close(f, call);
#endif
    if (d->tape)
        call->heads[f->sample] = tape_head_of(&d->state, d->tape->room);
    for (uint32_t i = 0; call->residual && i < plan->rows; i++)
        call->residual[f->sample * plan->rows + i] = point_number(*point_at(p, plan->residual + i));
    if (call->reports)
        far_report(f, call->reports + f->sample);
    for (uint32_t j = 0; d->warm && !LAYER_TAKEN && j < plan->outputs; j++) {
        double raw = d->raw ? d->raw[j] : *point_at(p, plan_words(plan, plan->start)[j]);
        d->warm[j] = d->state.outcome == HN_OUTCOME_OK ? *point_at(p, plan->y + j) - raw : 0;
    }
    far_give_out(point_at(p, plan->y), call->y + f->sample * plan->outputs, plan->outputs);
}

#endif
