/* nearest_kernel.h - the methods nearest and optimal on a device: what follows when auto has corrected a sample, or has found that it is
 * locally infeasible. One thread does for its sample what layer/search.c and layer/infeasibility.c do for the seats of a worker, with the same
 * texts of src/nearest; see kernel_global.h for where it is called.
 *
 *     answer   under affine rows: the solution from what came in, before any step
 *     search   from auto's y to a certified solution; where the rows do not hold there by the layer's own evaluation, auto's y stays
 *     prove    weights that prove that there is no answer nearby, at auto's y or where its steps came to a stand
 *
 * SPDX-License-Identifier: MIT */
#ifndef HN_CUDA_NEAREST_KERNEL_H
#define HN_CUDA_NEAREST_KERNEL_H

#define THREAD_SEARCH_PROVEN 1e-6 /* of 1 / max(1, |y|): weights whose rest is larger prove little */

/* ---- vectors ---- */

static void thread_search_read(const struct global_state *f, uint32_t slot, size_t count, double *to) {
    solver_spread(point_at(&f->solver.point, slot), SLOT_STRIDE, to, 1, count);
}

static void thread_search_copy(const double *from, double *to, size_t count) {
    solver_spread(from, 1, to, 1, count);
}

/* c, J and r at this y. */
static GENERATED void thread_search_evaluate(struct global_state *f, const double *y) {
    const struct plan *plan = f->solver.plan;
    solver_spread(y, 1, point_at(&f->solver.point, plan->y), SLOT_STRIDE, plan->outputs);
    solver_flag(&f->solver, plan->summary + SUMMARY_USABLE, true);
    entry_evaluate(f->solver.point.slots);
    entry_residual(f->solver.point.slots);
    solver_numbers(&f->solver, &f->numbers);
}

/* ---- a thread and its memory ---- */

static void thread_search_prepare(const struct program *program, double *memory) {
    const struct policy_program *own = (const struct policy_program *)(const void *)program;
    for (size_t i = 0; own && i < own->constant_count; i++)
        *NEAREST_AT(memory, i) = own->constants[i];
}

/* Memory of the search: zeros, but for what is constant. */
static void thread_search_clear(const struct thread_search *s) {
    const struct search_places *places = s->places;
    for (size_t i = 0; i < places->near_numbers; i++)
        *NEAREST_AT(s->near, i) = 0;
    thread_search_prepare(places->near.plan.program, s->near);
    thread_search_prepare(places->near.products.program, NEAREST_AT(s->near, places->near.products_at));
    thread_search_prepare(places->near.by_inputs.program, NEAREST_AT(s->near, places->near.inputs_at));
    thread_search_prepare(places->split.plan.program, s->without);
    thread_search_prepare(places->split.products.program, NEAREST_AT(s->without, places->split.products_at));
    thread_search_prepare(places->affine.goal, s->goal);
}

/* Numbers of a warp: those of the search side by side, then rows of each thread. */
static void thread_search_begin(struct global_state *f, const struct device_call *call, uint64_t thread) {
    const struct search_places *places = call->search;
    struct thread_search *s = &f->search;
    uint64_t lane = thread % GLOBAL_WIDTH, own = places->numbers - places->near_numbers;
    double *all = call->search_memory + (thread - lane) * places->numbers;
    s->places = places;
    s->near = all + lane;
    s->raw = all + places->near_numbers * GLOBAL_WIDTH + lane * own;
    s->best = s->raw + LAYER_OUTPUTS;
    s->found = s->best + LAYER_OUTPUTS;
    s->multipliers = s->found + LAYER_OUTPUTS;
    s->weights = s->multipliers + LAYER_ROWS;
    s->rows = s->weights + LAYER_ROWS;
    s->inputs = s->rows + 3 * LAYER_ROWS;
    s->slope = s->inputs + LAYER_INPUTS;
    s->without = NEAREST_AT(s->near, places->split_at);
    s->goal = NEAREST_AT(s->near, places->goal_at);
    s->affine = NEAREST_AT(s->near, places->affine_at);
    thread_search_clear(s);
}

static void thread_search_open(struct global_state *f) {
    struct thread_search *s = &f->search;
    s->tried = s->found_at_once = s->lost = s->searched = s->split = false;
    s->sample.moved = false;
    s->sample.reason = NEAREST_CERTIFIED;
    s->stood = s->proof = REAL_INFINITY;
    s->kept = s->multipliers;
}

/* The raw output as auto has it, and y, set aside. */
static void thread_search_wait(struct global_state *f) {
    const struct solver *d = &f->solver;
    const struct plan *plan = d->plan;
    struct thread_search *s = &f->search;
    const uint32_t *start = plan_words(plan, plan->start), *output = plan_words(plan, plan->fixed.entry);
    const uint32_t *fixed = plan_words(plan, plan->fixed.slot);
    for (uint32_t j = 0; j < plan->outputs; j++)
        s->raw[j] = d->raw ? d->raw[j] : *point_at(&d->point, start[j]);
    for (uint32_t i = 0; i < plan->fixed.slot.count; i++)
        s->raw[output[i]] = *point_at(&d->point, fixed[i]);
    thread_search_read(f, plan->y, plan->outputs, s->best);
}

/* Called in place of point_slope: where auto's steps come to a stand. */
#undef point_slope
static void thread_search_slope(const struct point *p, double *row, struct sample_slope *slope) {
    struct solver any; /* a thread has one point: that of its drive, which comes first */
    size_t apart = (size_t)((const unsigned char *)&any.point - (const unsigned char *)&any);
    struct global_state *f = (struct global_state *)(void *)((const unsigned char *)p - apart);
    struct thread_search *s = &f->search;
    point_slope(p, row, slope);
    double scale = slope->entries * slope->squares;
    if (!(sample_is_finite(scale) && scale > 0 && slope->slope < s->stood * scale))
        return;
    s->stood = slope->slope / scale;
    thread_search_read(f, f->solver.plan->base, LAYER_OUTPUTS, s->found);
}

/* ---- under affine rows ---- */

/* c, bl and bu. */
static void thread_search_read_rows(const struct global_state *f) {
    const struct plan *plan = f->solver.plan;
    const struct plan_list lists[3] = {plan->value, plan->lower, plan->upper};
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < plan->rows; i++)
            f->search.rows[k * plan->rows + i] = *point_at(&f->solver.point, plan_words(plan, lists[k])[i]);
}

/* An answer in `found`; false: there is none. */
static GENERATED bool thread_search_solve_affine(struct global_state *f) {
    struct thread_search *s = &f->search;
    const struct affine *a = &s->places->affine;
    const struct backend kernels = {};
    struct affine_sample sample = {
        s->best, 0, s->rows, s->rows + LAYER_ROWS, s->rows + 2 * LAYER_ROWS, s->found, s->multipliers, 0, 0, 0};
    thread_search_wait(f);
    thread_search_read_rows(f);
    s->sample.objective = s->sample.before = 0;
    s->sample.programmes = 1;
    if (a->goal) {
        affine_look(&kernels, a, s->goal, f->solver.x, s->best, s->slope);
        sample.slope = s->slope;
    }
    affine_run(a, s->affine, &sample);
    bool there = sample.kkt <= NEAREST_ENOUGH && affine_look_after(&kernels, a, s->goal, f->solver.x, &sample, s->slope,
                                                                   &s->sample.objective) <= NEAREST_ENOUGH;
    s->sample.kkt = sample.kkt;
    s->sample.factorisations = sample.changes;
    return there;
}

/* The first decision about a sample, which has been evaluated at what came in; true: it ends with an answer that holds. */
static GENERATED bool thread_search_answer(struct global_state *f) {
    struct thread_search *s = &f->search;
    struct solver *d = &f->solver;
    if (!s->places->affine.there || s->tried)
        return false;
    solver_numbers(d, &f->numbers);
    if (!f->numbers.finite || d->options->iterations <= 0)
        return false;
    s->tried = true;
    if (!thread_search_solve_affine(f))
        return false;
    sample_came_in(&d->state, d->options, &f->numbers);
    if (d->tape)
        solver_record(d, SAMPLE_PLAIN);
    thread_search_evaluate(f, s->found);
    s->found_at_once = sample_verdict(&d->state, d->options, &f->numbers, false) == HN_OUTCOME_OK;
    if (s->found_at_once)
        return true;
    thread_search_evaluate(f, s->best); /* the sample begins as if there were none */
    return false;
}

/* ---- what becomes of a sample that auto has ended with ---- */

/* A search from `found`, which becomes what it finds. */
static void thread_search_look(struct global_state *f, const struct nearest_parts *parts, double *memory,
                               struct nearest_sample *sample) {
    struct thread_search *s = &f->search;
    const struct backend kernels = {};
    sample->x = f->solver.x;
    sample->raw = s->raw;
    sample->y = s->found;
    sample->multipliers = s->multipliers;
    search_run(&kernels, parts, memory, sample, 1, 0);
}

/* Without kinks, from where the first search has ended. */
static void thread_search_run_split(struct global_state *f) {
    struct thread_search *s = &f->search;
    struct nearest_sample *near = &s->sample, second = {};
    thread_search_look(f, &s->places->split, s->without, &second);
    s->split = second.kkt <= NEAREST_ENOUGH;
    near->kkt = second.kkt;
    near->objective = second.objective;
    near->moved = near->moved || second.moved;
    near->reason = s->split ? second.reason : near->reason;
    near->programmes += second.programmes;
    near->factorisations += second.factorisations;
}

static void thread_search_run(struct global_state *f) {
    struct thread_search *s = &f->search;
    thread_search_copy(s->best, s->found, LAYER_OUTPUTS);
    thread_search_look(f, &s->places->near, s->near, &s->sample);
    if (s->places->split.plan.program && s->sample.kkt > NEAREST_ENOUGH && s->sample.reason != NEAREST_UNBOUNDED)
        thread_search_run_split(f);
}

/* Weights at y; what is left of them. */
static double thread_search_weights(struct global_state *f, const double *y, double *multipliers) {
    const struct backend kernels = {};
    struct nearest_proof proof = {f->solver.x, y, multipliers, 0};
    proof_run(&kernels, &f->search.places->near, f->search.near, &proof, 1, 0);
    return proof.rest;
}

static bool thread_search_proves_little(const struct global_state *f, double rest) {
    double size = 1;
    for (size_t j = 0; j < LAYER_OUTPUTS; j++)
        size = sample_greater(size, point_abs(f->search.best[j]));
    return !(rest * size <= THREAD_SEARCH_PROVEN);
}

/* The better one of two proofs, if there are two; its point goes to `found`. */
static void thread_search_prove(struct global_state *f) {
    struct thread_search *s = &f->search;
    double rest = thread_search_weights(f, s->best, s->multipliers), other = REAL_INFINITY;
    bool again = sample_is_finite(s->stood) && thread_search_proves_little(f, rest);
    if (again)
        other = thread_search_weights(f, s->found, s->weights);
    bool elsewhere = again && other < rest;
    s->proof = elsewhere ? other : rest;
    s->kept = elsewhere ? s->weights : s->multipliers;
    if (!elsewhere)
        thread_search_copy(s->best, s->found, LAYER_OUTPUTS);
}

/* Whether auto's y is returned after all, where what was found has been evaluated. */
static bool thread_search_goes_back(struct global_state *f) {
    struct thread_search *s = &f->search;
    if (sample_verdict(&f->solver.state, f->solver.options, &f->numbers, false) == HN_OUTCOME_OK)
        return false;
    s->sample.reason = s->sample.kkt <= NEAREST_ENOUGH ? (int)NEAREST_NOT_CONFIRMED : s->sample.reason;
    s->sample.kkt = REAL_INFINITY;
    s->sample.objective = s->sample.before;
    s->sample.moved = s->split = false;
    for (size_t i = 0; i < LAYER_ROWS; i++)
        s->multipliers[i] = 0;
    return true;
}

static hn_outcome thread_search_verdict(struct global_state *f) {
    struct solver *d = &f->solver;
    double bound = sample_asks_stationarity(&d->state, d->options, &f->numbers);
    bool stationary = bound > 0 && global_stationarity(&d->point, d->plan->step) <= bound * bound;
    return sample_verdict(&d->state, d->options, &f->numbers, stationary);
}

/* After the verdict on auto's y; afterwards y, its evaluation and the verdict are those of what is returned. */
static GENERATED void thread_search_after(struct global_state *f) {
    struct thread_search *s = &f->search;
    struct sample *state = &f->solver.state;
    s->lost = state->outcome == HN_OUTCOME_LOCALLY_INFEASIBLE;
    if (!s->lost && state->outcome != HN_OUTCOME_OK)
        return;
    s->searched = true;
    if (s->found_at_once)
        return;
    thread_search_wait(f);
    if (s->lost)
        thread_search_prove(f);
    else
        thread_search_run(f);
    thread_search_evaluate(f, s->lost ? s->best : s->found);
    if (!s->lost && thread_search_goes_back(f))
        thread_search_evaluate(f, s->best);
    state->outcome = thread_search_verdict(f);
}

/* ---- the report ---- */

/* The largest multiplier times the distance to its bound. */
static double thread_search_complementarity(const struct global_state *f) {
    const struct plan *plan = f->solver.plan;
    const struct point *p = &f->solver.point;
    const uint32_t *value = plan_words(plan, plan->value);
    const uint32_t *lower = plan_words(plan, plan->lower), *upper = plan_words(plan, plan->upper);
    double worst = 0;
    if (!sample_is_finite(f->search.sample.kkt))
        return REAL_INFINITY;
    for (uint32_t i = 0; i < plan->rows; i++) {
        double l = f->search.multipliers[i], c = *point_at(p, value[i]);
        double bl = *point_at(p, lower[i]), bu = *point_at(p, upper[i]);
        if (l != 0 && bl != bu)
            worst = sample_greater(worst, l > 0 ? l * (c - bl) : l * (c - bu));
    }
    return worst;
}

/* |S (y - y_raw)|, S the weights; infinite when that is, or when what came in is not finite. */
static double thread_search_distance(const struct global_state *f) {
    const struct solver *d = &f->solver;
    const double *weights = f->search.places->weights;
    const uint32_t *start = plan_words(d->plan, d->plan->start);
    double scale = 0, sum = 0;
    for (uint32_t k = 0; k < 2 && (k == 0 || scale > 0); k++)
        for (uint32_t j = 0; j < LAYER_OUTPUTS; j++) {
            double raw = d->raw ? d->raw[j] : *point_at(&d->point, start[j]);
            double part = weights[j] * (*point_at(&d->point, d->plan->y + j) - raw);
            if (k == 0 && !sample_is_finite(point_abs(part)))
                return REAL_INFINITY;
            scale = k == 0 ? sample_greater(scale, point_abs(part)) : scale;
            sum += k == 0 ? 0 : part / scale * (part / scale);
        }
    return scale * real_sqrt(sum);
}

static void thread_search_report(const struct global_state *f, struct device_report *out) {
    const struct thread_search *s = &f->search;
    out->proof = s->proof;
    if (s->searched && !s->lost) {
        double f_min = s->sample.objective;
        out->kkt = s->sample.kkt;
        out->reason = s->sample.reason;
        out->complementarity = thread_search_complementarity(f);
        if (s->places->optimal)
            out->objective = f_min != f_min ? REAL_INFINITY : s->places->maximizes ? -f_min : f_min;
        out->programmes = (uint64_t)s->sample.programmes;
        out->factorisations = (uint64_t)s->sample.factorisations;
    }
    if (s->places->weights)
        out->distance = thread_search_distance(f);
}

/* Multipliers, the point of a proof, and what the gradient needs: a certified sample goes back as a solution does, others by auto's
 * steps. */
static void thread_search_close(const struct global_state *f, const struct device_call *call) {
    const struct thread_search *s = &f->search;
    bool searched = s->searched && !s->lost;
    bool certified = searched && s->sample.kkt <= NEAREST_ENOUGH && !s->split;
    bool elsewhere = searched && (s->split || s->sample.moved);
    for (uint32_t i = 0; call->multipliers && i < LAYER_ROWS; i++)
        call->multipliers[f->sample * LAYER_ROWS + i] = s->searched ? s->kept[i] : 0;
    for (uint32_t j = 0; call->proof_y && j < LAYER_OUTPUTS; j++)
        call->proof_y[f->sample * LAYER_OUTPUTS + j] =
            s->searched && s->lost ? s->found[j] : *point_at(&f->solver.point, f->solver.plan->y + j);
    if (!call->tape_numbers)
        return;
    double *numbers = call->tape_numbers + f->sample * (LAYER_ROWS + 1);
    numbers[0] = certified ? THREAD_SEARCH_BY_SOLUTION : elsewhere ? THREAD_SEARCH_ELSEWHERE : THREAD_SEARCH_BY_STEPS;
    for (uint32_t i = 0; i < LAYER_ROWS; i++)
        numbers[1 + i] = certified ? s->multipliers[i] : 0;
}

#endif
