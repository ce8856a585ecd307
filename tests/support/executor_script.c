/* executor_script.c - see executor_script.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/executor_script.h"

#include "support/check.h"
#include "support/plain_executor.h"

#include "base/random.h"

enum { PLAYS = 2, ROUNDS = 4 };

enum script_entry { BEGIN, LOAD, COPY, PREPARE, EVALUATE, WEIGH, LARGEST, STEP, BACK, SCRIPT_ENTRIES };

static const char *const entry_names[SCRIPT_ENTRIES] = {"begin", "load",    "copy", "prepare", "evaluate",
                                                        "weigh", "largest", "step", "back"};

struct scene {
    const struct plan *plan;
    const struct executor *executor, *plain;
    double *slots;          /* the executor's */
    double *own[MAX_LANES]; /* the plain one's, a memory per sample */
    struct random random;
};

static double number_of(const struct scene *s, uint32_t slot, uint32_t sample) {
    return s->slots[(size_t)slot * s->executor->width + sample];
}

/* The same bits, or no number on both sides. */
static void compare(const struct scene *s, enum script_entry entry, const char *what, uint32_t slot, size_t count) {
    for (uint32_t k = 0; k < s->executor->width; k++)
        for (uint32_t i = 0; i < count; i++) {
            double a = number_of(s, slot + i, k), b = s->own[k][slot + i];
            if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
                fail_msg("%s, entry %s: %s[%u] of sample %u is %a, not %a", s->executor->name, entry_names[entry], what,
                         i, k, a, b);
        }
}

static void compare_list(const struct scene *s, enum script_entry entry, const char *what, struct plan_list list) {
    for (uint32_t i = 0; i < list.count; i++)
        compare(s, entry, what, plan_words(s->plan, list)[i], 1);
}

static void draw(struct scene *s, double *numbers, size_t count, double size) {
    for (size_t i = 0; i < count; i++)
        numbers[i] = size * random_normal(&s->random);
}

static void draw_flags(struct scene *s, bool *flags) {
    for (uint32_t k = 0; k < MAX_LANES; k++)
        flags[k] = random_below(&s->random, 2);
}

/* A vector of random numbers into both, through load; what unload gives back is the same. */
static void load_both(struct scene *s, uint32_t slot, size_t count, double size) {
    const struct executor *x = s->executor;
    double *values = calloc(MAX_LANES * count + 1, sizeof *values);
    double *again = calloc(MAX_LANES * count + 1, sizeof *again);
    const double *from[MAX_LANES];
    double *to[MAX_LANES];
    draw(s, values, MAX_LANES * count, size);
    for (uint32_t k = 0; k < MAX_LANES; k++) {
        from[k] = values + k * count;
        to[k] = again + k * count;
    }
    x->load(x, s->slots, slot, count, from);
    x->unload(x, s->slots, slot, count, to);
    for (uint32_t k = 0; k < x->width; k++) {
        s->plain->load(s->plain, s->own[k], slot, count, from + k);
        assert_memory_equal(from[k], to[k], count * sizeof *values);
    }
    compare(s, LOAD, "what was loaded", slot, count);
    free(values);
    free(again);
}

static void copy_both(struct scene *s, uint32_t from, uint32_t to, size_t count, const bool *flags) {
    s->executor->copy(s->executor, s->slots, from, to, count, flags);
    for (uint32_t k = 0; k < s->executor->width; k++)
        s->plain->copy(s->plain, s->own[k], from, to, count, flags + k);
    compare(s, COPY, "the copy", to, count);
}

static void prepare_both(struct scene *s) {
    const struct plan *p = s->plan;
    s->executor->prepare(s->executor, s->slots);
    for (uint32_t k = 0; k < s->executor->width; k++)
        s->plain->prepare(s->plain, s->own[k]);
    compare_list(s, PREPARE, "a lower bound", p->lower);
    compare_list(s, PREPARE, "an upper bound", p->upper);
    compare_list(s, PREPARE, "a start value", p->start);
    compare_list(s, PREPARE, "a fixed value", p->fixed.slot);
    compare_list(s, PREPARE, "a bound's derivative", p->lower_x.slot);
    compare_list(s, PREPARE, "a bound's derivative", p->upper_x.slot);
}

static void evaluate_both(struct scene *s, const bool *fresh, bool brief) {
    const struct plan *p = s->plan;
    s->executor->evaluate(s->executor, s->slots, fresh, brief);
    for (uint32_t k = 0; k < s->executor->width; k++)
        s->plain->evaluate(s->plain, s->own[k], fresh ? fresh + k : NULL, brief);
    compare_list(s, EVALUATE, "c", p->value);
    compare_list(s, EVALUATE, "J", p->jacobian.slot);
    compare(s, EVALUATE, "r", p->residual, p->rows);
    if (p->options.weighted)
        compare(s, EVALUATE, "a weight", p->scale, p->rows);
    compare(s, EVALUATE, "the summary", p->summary + SUMMARY_WORST, 1);
    compare(s, EVALUATE, "the summary", p->summary + SUMMARY_FINITE, 1);
    if (p->options.weighted)
        compare(s, EVALUATE, "the summary", p->summary + SUMMARY_SQUARES, 1);
}

static void weigh_both(struct scene *s, const struct executor_rows *rows) {
    const struct plan *p = s->plan;
    const uint32_t *first = plan_words(p, p->jacobian.first);
    s->executor->weigh(s->executor, s->slots, rows);
    for (uint32_t k = 0; k < s->executor->width; k++) {
        const struct executor_rows own = {rows->accepted + k, rows->hold + k, rows->leads + k, rows->holds + k};
        s->plain->weigh(s->plain, s->own[k], &own);
    }
    for (uint32_t i = 0; i < p->rows; i++)
        if (!plan_knows(p, i))
            compare(s, WEIGH, "A", p->matrix + first[i], first[i + 1] - first[i]);
    compare(s, WEIGH, "a row that counts", p->active, p->rows);
    compare(s, WEIGH, "W r", p->right, p->rows);
    s->executor->largest(s->executor, s->slots);
    for (uint32_t k = 0; k < s->executor->width; k++)
        s->plain->largest(s->plain, s->own[k]);
    compare(s, LARGEST, "the largest row", p->largest, 1);
}

static void step_both(struct scene *s, const double *eps, const bool *clipped) {
    const struct plan *p = s->plan;
    s->executor->step(s->executor, s->slots, eps, clipped);
    for (uint32_t k = 0; k < s->executor->width; k++)
        s->plain->step(s->plain, s->own[k], eps ? eps + k : NULL, clipped ? clipped + k : NULL);
    compare(s, STEP, "y", p->y, p->outputs);
    if (sample_asks_moved(&p->options))
        compare(s, STEP, "the summary", p->summary + SUMMARY_MOVED, 1);
    compare(s, STEP, "the summary", p->summary + SUMMARY_USABLE, 1);
    if (sample_asks_pivots(&p->options))
        compare(s, STEP, "a pivot", p->system.pivot_range, 2);
    if (p->options.adaptive) {
        compare(s, STEP, "the gain", p->step_gain, 1);
        compare(s, STEP, "the step's square", p->step_squares, 1);
    }
}

static void back_both(struct scene *s, const struct executor_back *step) {
    const struct plan *p = s->plan;
    s->executor->back(s->executor, s->slots, step);
    for (uint32_t k = 0; k < s->executor->width; k++) {
        const struct executor_back own = {step->eps + k, step->clipped + k, step->slope + k, step->bounds};
        s->plain->back(s->plain, s->own[k], &own);
    }
    compare(s, BACK, "the gradient with respect to y", p->gradient, p->outputs);
    compare(s, BACK, "the gradient with respect to x", p->grad_x, p->inputs);
    compare(s, BACK, "the gradient with respect to lower bounds", p->grad_lower, p->rows);
    compare(s, BACK, "the gradient with respect to upper bounds", p->grad_upper, p->rows);
}

/* ---- the script ---- */

struct numbers {
    bool accepted[MAX_LANES], leads[MAX_LANES], holds[MAX_LANES], clipped[MAX_LANES];
    double eps[MAX_LANES], hold[MAX_LANES], slope[MAX_LANES];
};

static void draw_numbers(struct scene *s, struct numbers *n, bool all) {
    draw_flags(s, n->accepted);
    draw_flags(s, n->leads);
    draw_flags(s, n->holds);
    draw_flags(s, n->clipped);
    for (uint32_t k = 0; k < MAX_LANES; k++) {
        n->accepted[k] = n->accepted[k] || all;
        n->eps[k] = ldexp(1, -(int)random_below(&s->random, 30));
        n->hold[k] = random_below(&s->random, 2) ? 0 : random_uniform(&s->random);
        n->slope[k] = random_below(&s->random, 2) ? 0 : random_uniform(&s->random);
    }
}

static void play_forward(struct scene *s) {
    const struct plan *p = s->plan;
    struct numbers n;
    bool fresh[MAX_LANES];
    for (int round = 0; round < ROUNDS; round++) {
        draw_flags(s, fresh);
        for (uint32_t k = 0; k < MAX_LANES; k++)
            fresh[k] = fresh[k] || round == 0;
        draw_numbers(s, &n, round == 0);
        const struct executor_rows rows = {n.accepted, n.hold, n.leads, n.holds};
        evaluate_both(s, p->options.weighted ? fresh : NULL, false);
        copy_both(s, p->y, p->best, p->outputs, fresh);
        if (p->options.weighted) {
            weigh_both(s, &rows);
            copy_both(s, p->y, p->base, p->outputs, n.accepted);
        }
        step_both(s, p->options.weighted ? n.eps : NULL, p->options.method == HN_METHOD_AUTO ? n.clipped : NULL);
    }
}

static void play_backward(struct scene *s) {
    const struct plan *p = s->plan;
    struct numbers n;
    load_both(s, p->gradient, p->outputs, 1);
    load_both(s, p->grad_x, p->inputs, 0);
    load_both(s, p->grad_lower, p->rows, 0);
    load_both(s, p->grad_upper, p->rows, 0);
    for (int round = 0; round < ROUNDS; round++) {
        draw_numbers(s, &n, true);
        const struct executor_rows rows = {n.accepted, n.hold, n.leads, n.holds};
        const struct executor_back back = {n.eps, n.clipped, n.slope, round % 2 == 0};
        load_both(s, p->y, p->outputs, 1);
        evaluate_both(s, NULL, !p->options.weighted);
        if (p->options.weighted)
            weigh_both(s, &rows);
        back_both(s, &back);
    }
}

static void play(const struct executor *executor, const struct executor *plain, struct random random) {
    struct scene s = {.plan = executor->plan, .executor = executor, .plain = plain, .random = random};
    s.slots = aligned_alloc(64, (executor->bytes + 63) / 64 * 64);
    memset(s.slots, 0xff, executor->bytes); /* what is read before it is written is no number */
    executor->begin(executor, s.slots);
    for (uint32_t k = 0; k < executor->width; k++) {
        s.own[k] = malloc(plain->bytes);
        plain->begin(plain, s.own[k]);
    }
    compare(&s, BEGIN, "slot", 0, s.plan->slots);
    load_both(&s, s.plan->x, s.plan->inputs, 0.5);
    prepare_both(&s);
    load_both(&s, s.plan->y, s.plan->outputs, 1);
    play_forward(&s);
    play_backward(&s);
    for (uint32_t k = 0; k < executor->width; k++)
        free(s.own[k]);
    free(s.slots);
}

void play_script(const struct executor *executor, const struct executor *plain, uint64_t seed) {
    for (uint64_t stream = 0; stream < PLAYS; stream++)
        play(executor, plain, random_start(seed, stream));
}
