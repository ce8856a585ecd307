/* kernel_test.c - tests that a loaded kernel computes the same bits as the listed kernels: both run the same entries on
 * the same data.
 *
 * It detects compilers that contract or reorder sums, and compiler bugs, before a result depends on them.
 *
 * SPDX-License-Identifier: MIT */
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "codegen/kernel/kernel_parts.h"
#include "core/point.h"
#include "cpu/fused_auto_lanes.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 3, SIDES = 2, ALIGNMENT = 64, STEPS_BACK = 3 };

struct trial {
    const struct plan *plan;
    struct executor executor[SIDES]; /* listed, generated */
    void *block[SIDES];
    double *slots[SIDES];
    double *numbers; /* of one vector, all samples */
    struct random random;
    bool all[MAX_LANES]; /* true */
    const char *differs; /* the first vector with different bits, or NULL */
};

static const bool none[MAX_LANES];

/* ---- comparing ---- */

/* Records the first vector whose bits differ; all NaN are equal. */
static void compare(struct trial *t, const char *what, uint32_t slot, size_t count) {
    size_t width = t->executor[0].width;
    const double *a = t->slots[0] + slot * width, *b = t->slots[1] + slot * width;
    for (size_t i = 0; i < count * width && !t->differs; i++)
        if (memcmp(&a[i], &b[i], sizeof *a) != 0 && !(isnan(a[i]) && isnan(b[i])))
            t->differs = what;
}

static void compare_list(struct trial *t, const char *what, struct plan_list list) {
    for (uint32_t i = 0; i < list.count; i++)
        compare(t, what, plan_words(t->plan, list)[i], 1);
}

/* ---- the entries ---- */

/* Loads random numbers of about this size into both executors. */
static void load(struct trial *t, uint32_t slot, size_t count, double size) {
    const double *from[MAX_LANES] = {NULL};
    for (uint32_t k = 0; k < t->executor[0].width; k++) {
        from[k] = t->numbers + k * count;
        for (size_t i = 0; i < count; i++)
            t->numbers[k * count + i] = size * random_normal(&t->random);
    }
    for (int side = 0; side < SIDES; side++)
        t->executor[side].load(&t->executor[side], t->slots[side], slot, count, from);
}

static void evaluate_both(struct trial *t, const bool *fresh, bool brief) {
    const struct plan *p = t->plan;
    for (int side = 0; side < SIDES; side++)
        t->executor[side].evaluate(&t->executor[side], t->slots[side], p->options.weighted ? fresh : NULL, brief);
    compare_list(t, "values of rows", p->value);
    compare_list(t, "the Jacobian", p->jacobian.slot);
    compare(t, "residuals", p->residual, p->rows);
    if (p->options.weighted)
        compare(t, "row weights", p->scale, p->rows);
    if (brief)
        return;
    compare(t, "the largest violation", p->summary + SUMMARY_WORST, 1);
    compare(t, "what is finite", p->summary + SUMMARY_FINITE, 1);
    if (p->options.weighted)
        compare(t, "the sum of squares", p->summary + SUMMARY_SQUARES, 1);
}

static void weigh(struct trial *t, const bool *accepted, const bool *leads) {
    const struct plan *p = t->plan;
    const uint32_t *first = plan_words(p, p->jacobian.first);
    double hold[MAX_LANES];
    const struct executor_rows rows = {accepted, hold, leads, none};
    if (!p->options.weighted)
        return;
    for (int k = 0; k < MAX_LANES; k++)
        hold[k] = 0.125 * k;
    for (int side = 0; side < SIDES; side++) {
        const struct executor *x = &t->executor[side];
        x->weigh(x, t->slots[side], &rows);
        x->copy(x, t->slots[side], p->y, p->base, p->outputs, accepted);
        x->largest(x, t->slots[side]);
    }
    for (uint32_t i = 0; i < p->rows; i++)
        if (!plan_knows(p, i)) /* the listed kernels do not write known rows */
            compare(t, "weighted rows", p->matrix + first[i], first[i + 1] - first[i]);
    compare(t, "active rows", p->active, p->rows);
    compare(t, "weighted residuals", p->right, p->rows);
    compare(t, "the largest row", p->largest, 1);
}

static void draw(struct trial *t, double *eps, bool *flags) {
    for (int k = 0; k < MAX_LANES; k++) {
        eps[k] = ldexp(1, -(int)random_below(&t->random, 20));
        flags[k] = random_below(&t->random, 2) != 0;
    }
}

static void forward(struct trial *t) {
    const struct plan *p = t->plan;
    double eps[MAX_LANES];
    bool fresh[MAX_LANES], flags[MAX_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        draw(t, eps, flags);
        for (int k = 0; k < MAX_LANES; k++)
            fresh[k] = round == 0 || k % 2 != 0;
        evaluate_both(t, fresh, false);
        weigh(t, fresh, flags);
        for (int side = 0; side < SIDES; side++)
            t->executor[side].step(&t->executor[side], t->slots[side], p->options.weighted ? eps : NULL, NULL);
        compare(t, "y", p->y, p->outputs);
        compare(t, "what is finite", p->summary + SUMMARY_USABLE, 1);
        if (sample_asks_moved(&p->options))
            compare(t, "what moved", p->summary + SUMMARY_MOVED, 1);
        if (sample_asks_pivots(&p->options))
            compare(t, "the pivots", p->system.pivot_range, 2);
        if (p->options.adaptive) {
            compare(t, "the gain", p->step_gain, 1);
            compare(t, "the step's square", p->step_squares, 1);
        }
    }
}

/* Repeats the kernel's rounds one by one with the listed kernels, including the test of a round that was abandoned. */
static void repeat_rounds(struct trial *t, struct fused_iterations *rounds, const int *best_at) {
    const struct executor *x = &t->executor[0];
    const struct plan *p = t->plan;
    for (int round = 1; round <= rounds->done[0] + 1; round++) {
        bool improved[MAX_LANES], whole = round <= rounds->done[0];
        x->evaluate(x, t->slots[0], NULL, false);
        for (uint32_t k = 0; k < x->width; k++) {
            double measure = t->slots[0][(p->summary + SUMMARY_WORST) * x->width + k];
            improved[k] = measure <= rounds->best[k] && (whole || best_at[k] == round);
            rounds->best[k] = improved[k] ? measure : rounds->best[k];
            rounds->best_at[k] = improved[k] ? round : rounds->best_at[k];
        }
        x->copy(x, t->slots[0], p->y, p->best, p->outputs, improved);
        if (whole)
            x->step(x, t->slots[0], NULL, NULL);
    }
}

/* If a sample needs a decision in the first round, for example because of non-finite values, nothing is compared. */
static void rounds(struct trial *t) {
    const struct executor *x = &t->executor[1];
    struct fused_iterations went = {.count = ROUNDS}, expected = {.count = ROUNDS};
    if (!x->go_on)
        return;
    for (uint32_t k = 0; k < x->width; k++) {
        went.busy[k] = true;
        went.best[k] = expected.best[k] = k % 2 ? HUGE_VAL : 1;
    }
    load(t, t->plan->y, t->plan->outputs, 1);
    x->go_on(x, t->slots[1], &went);
    for (uint32_t k = 0; k < x->width; k++) {
        if (went.done[k] != went.done[0])
            return;
        expected.done[k] = went.done[k];
    }
    repeat_rounds(t, &expected, went.best_at);
    compare(t, "y after rounds", t->plan->y, t->plan->outputs);
    compare(t, "the best y of rounds", t->plan->best, t->plan->outputs);
    for (uint32_t k = 0; k < x->width && !t->differs; k++)
        if (went.best[k] != expected.best[k] || went.best_at[k] != expected.best_at[k])
            t->differs = "the flags of the best y of rounds";
}

/* A step of auto's near stage with the kernel and with the listed kernels; with other weights the kernel rejects it. */
static void near(struct trial *t) {
    const struct plan *p = t->plan;
    const struct executor *listed = &t->executor[0], *generated = &t->executor[1];
    double eps[MAX_LANES], hold[MAX_LANES];
    bool leads[MAX_LANES];
    const struct executor_rows rows = {t->all, hold, leads, none};
    if (!generated->step_near)
        return;
    load(t, p->y, p->outputs, 0.5);
    draw(t, eps, leads);
    for (int k = 0; k < MAX_LANES; k++)
        hold[k] = k % 2 ? 0.125 : 0;
    evaluate_both(t, t->all, false);
    if (!generated->step_near(generated, t->slots[1], &rows, eps))
        return;
    listed->weigh(listed, t->slots[0], &rows);
    listed->copy(listed, t->slots[0], p->y, p->base, p->outputs, t->all);
    listed->step(listed, t->slots[0], eps, NULL);
    compare(t, "y after near's step", p->y, p->outputs);
    compare(t, "the moved flags of near's step", p->summary + SUMMARY_MOVED, 2);
}

/* The numbers of a sample after an evaluation by the listed kernels. */
static struct sample_numbers numbers_of(const struct trial *t, uint32_t lane, const struct sample *s,
                                        const struct sample_options *o) {
    const struct plan *p = t->plan;
    const struct point at = {p, t->slots[0] + lane, t->executor[0].width};
    struct sample_numbers n = {.measure = *point_at(&at, p->summary + SUMMARY_WORST),
                               .squares = *point_at(&at, p->summary + SUMMARY_SQUARES)};
    n.finite = point_mask(&at, p->summary + SUMMARY_FINITE) && point_mask(&at, p->summary + SUMMARY_USABLE);
    n.moved = point_mask(&at, p->summary + SUMMARY_MOVED);
    n.joint = sample_asks_joint(s, o, &n) ? point_joint(&at) : 0;
    return n;
}

static void near_evaluate(const struct trial *t, const struct sample *samples) {
    const struct executor *x = &t->executor[0];
    bool fresh[MAX_LANES];
    for (uint32_t k = 0; k < x->width; k++)
        fresh[k] = sample_is_fresh(&samples[k]);
    x->evaluate(x, t->slots[0], fresh, false);
}

/* One near round with the listed kernels; each sample is decided separately. */
static void near_round(struct trial *t, struct sample *samples, const struct sample_options *o) {
    const struct executor *x = &t->executor[0];
    const struct plan *p = t->plan;
    double eps[MAX_LANES], hold[MAX_LANES];
    bool improved[MAX_LANES], leads[MAX_LANES];
    const struct executor_rows rows = {t->all, hold, leads, none};
    near_evaluate(t, samples);
    for (uint32_t k = 0; k < x->width; k++) {
        struct sample *s = &samples[k];
        struct sample_numbers n = numbers_of(t, k, s, o);
        improved[k] = sample_decide(s, o, &n, false).improved;
        hold[k] = sample_hold(s, o, n.squares);
        leads[k] = s->kind == SAMPLE_LEADING;
        eps[k] = s->used = s->eps;
        sample_stepped(s, o, &n);
    }
    x->copy(x, t->slots[0], p->y, p->best, p->outputs, improved);
    x->weigh(x, t->slots[0], &rows);
    x->copy(x, t->slots[0], p->y, p->base, p->outputs, t->all);
    x->step(x, t->slots[0], eps, NULL);
}

static bool same_state(const struct sample *a, const struct sample *b) {
    return a->phase == b->phase && a->kind == b->kind && a->iteration == b->iteration && a->steps == b->steps &&
           a->best_step == b->best_step && a->waited == b->waited && a->before == b->before && a->best == b->best &&
           a->squares == b->squares && a->halved == b->halved && a->eps == b->eps && a->used == b->used;
}

/* Near rounds with the kernel and with the listed kernels. No sample ends: the tolerance is negative. */
static void near_rounds(struct trial *t) {
    const struct plan *p = t->plan;
    const struct executor *x = &t->executor[1];
    struct sample_options options = p->options;
    struct fused_auto went = {.count = ROUNDS, .tolerance = -1};
    struct sample samples[MAX_LANES] = {{0}};
    if (!x->near_rounds)
        return;
    options.tolerance = -1;
    near_open(&went, &options);
    load(t, p->y, p->outputs, 0.25);
    for (uint32_t k = 0; k < x->width; k++) {
        sample_open(&samples[k], &options);
        near_take(&went, k, &samples[k], &options);
        for (int side = 0; side < SIDES; side++) {
            const struct point at = {p, t->slots[side] + k, x->width};
            point_set_mask(&at, p->summary + SUMMARY_USABLE, true);
        }
    }
    x->near_rounds(x, t->slots[1], &went);
    for (int64_t round = went.undecided ? 1 : 0; round < went.count; round++)
        near_round(t, samples, &options);
    if (went.undecided)
        near_evaluate(t, samples);
    for (uint32_t k = 0; k < x->width && !t->differs; k++) {
        struct sample other;
        sample_open(&other, &options);
        near_leave(&went, k, &other);
        if (!same_state(&samples[k], &other))
            t->differs = "the sample states after near's rounds";
    }
    compare(t, "y after near's rounds", p->y, p->outputs);
    compare(t, "the best y of near's rounds", p->best, p->outputs);
}

static void backward(struct trial *t) {
    const struct plan *p = t->plan;
    double eps[MAX_LANES], slope[MAX_LANES];
    bool flags[MAX_LANES];
    load(t, p->gradient, p->outputs, 1);
    for (int round = 0; round < ROUNDS; round++) {
        const struct executor_back back = {eps, none, slope, round % 2 == 0};
        draw(t, eps, flags);
        for (int k = 0; k < MAX_LANES; k++)
            slope[k] = flags[k] ? 0.25 : 0;
        load(t, p->y, p->outputs, 1);
        evaluate_both(t, none, !p->options.weighted);
        weigh(t, t->all, none);
        for (int side = 0; side < SIDES; side++)
            t->executor[side].back(&t->executor[side], t->slots[side], &back);
        compare(t, "the gradient with respect to y", p->gradient, p->outputs);
        compare(t, "the gradient with respect to x", p->grad_x, p->inputs);
        compare(t, "the gradient with respect to lower bounds", p->grad_lower, p->rows);
        compare(t, "the gradient with respect to upper bounds", p->grad_upper, p->rows);
    }
}

/* Several fused adjoint steps with the kernel, and one by one with the listed kernels. */
static void way_back(struct trial *t) {
    const struct plan *p = t->plan;
    const struct executor *x = t->executor;
    const struct executor_back back = {.bounds = false};
    struct fused_adjoint way = {.count = STEPS_BACK};
    const double *from[MAX_LANES] = {NULL};
    if (!x[1].go_back)
        return;
    load(t, p->gradient, p->outputs, 1);
    load(t, p->grad_x, p->inputs, 1);
    for (size_t i = 0; i < (size_t)STEPS_BACK * p->outputs * x->width; i++)
        t->numbers[i] = random_normal(&t->random);
    for (uint32_t k = 0; k < x->width; k++)
        way.tape[k] = t->numbers + ((size_t)STEPS_BACK * (k + 1) - 1) * p->outputs;
    if (!x[1].go_back(&x[1], t->slots[1], &way))
        return;
    for (size_t step = 0; step < STEPS_BACK; step++) {
        for (uint32_t k = 0; k < x->width; k++)
            from[k] = way.tape[k] - step * p->outputs;
        x->load(x, t->slots[0], p->y, p->outputs, from);
        x->evaluate(x, t->slots[0], NULL, true);
        x->back(x, t->slots[0], &back);
    }
    compare(t, "the gradient with respect to y after steps back", p->gradient, p->outputs);
    compare(t, "the gradient with respect to x after steps back", p->grad_x, p->inputs);
}

static void play(struct trial *t, bool adjoint) {
    const struct plan *p = t->plan;
    load(t, p->x, p->inputs, 0.5);
    for (int side = 0; side < SIDES; side++)
        t->executor[side].prepare(&t->executor[side], t->slots[side]);
    compare_list(t, "lower bounds", p->lower);
    compare_list(t, "upper bounds", p->upper);
    compare_list(t, "start values", p->start);
    compare_list(t, "fixed values", p->fixed.slot);
    compare_list(t, "derivatives of lower bounds", p->lower_x.slot);
    compare_list(t, "derivatives of upper bounds", p->upper_x.slot);
    load(t, p->y, p->outputs, 1);
    forward(t);
    rounds(t);
    near(t);
    near_rounds(t);
    if (adjoint) {
        backward(t);
        way_back(t);
    }
}

/* ---- memory ---- */

static bool take_memory(struct trial *t) {
    size_t most = t->plan->rows > t->plan->outputs ? t->plan->rows : t->plan->outputs;
    most = most > t->plan->inputs ? most : t->plan->inputs;
    t->numbers = base_allocate((most + 1) * STEPS_BACK * MAX_LANES * sizeof *t->numbers);
    for (int side = 0; side < SIDES; side++) {
        t->block[side] = base_allocate(t->executor[side].bytes + ALIGNMENT);
        if (!t->block[side])
            return false;
        uintptr_t at = (uintptr_t)t->block[side];
        t->slots[side] = (double *)(void *)((char *)t->block[side] + (ALIGNMENT - at % ALIGNMENT) % ALIGNMENT);
        t->executor[side].begin(&t->executor[side], t->slots[side]);
    }
    return t->numbers != NULL;
}

static void release(struct trial *t) {
    for (int side = 0; side < SIDES; side++) {
        base_release(t->block[side]);
        executor_close(&t->executor[side]);
    }
    base_release(t->numbers);
}

hn_status kernel_test(const struct kernel *kernel, const struct plan *plan, hn_error *error) {
    struct trial t = {.plan = plan, .random = random_start(20, 26)};
    memset(t.all, true, sizeof t.all);
    hn_status status = executor_open_lanes(&t.executor[0], plan, kernel->instructions, error);
    if (status == HN_OK)
        status = executor_open_kernel(&t.executor[1], plan, kernel, error);
    if (status == HN_OK && (kernel->table->width != t.executor[0].width || kernel->table->slots < plan->slots))
        status = error_set(error, HN_INVALID, "the kernel has %u lanes and %u slots, not %u and %u",
                           kernel->table->width, kernel->table->slots, t.executor[0].width, plan->slots);
    if (status == HN_OK && !take_memory(&t))
        status = error_no_memory(error, "the test of the kernel");
    if (status == HN_OK)
        play(&t, kernel->table->adjoint != 0);
    if (status == HN_OK && t.differs)
        status =
            error_set(error, HN_UNSUPPORTED, "the kernel does not compute the library's bits: %s differ", t.differs);
    release(&t);
    return status;
}
