/* test_executors.c - every executor computes what the plain one does, entry by entry and to the last bit.
 *
 * A script of entries is run by an executor for all its samples at once and by the plain executor (support/plain_executor.h) for each of
 * them by itself. After an entry, everything that it must leave (backends/executor.h) is compared. The plans are copies at another
 * address; the models that they were made from are gone. In the end whole layers are run and differentiated by the plain executor.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/plain_executor.h"
#include "support/random_problem.h"
#include "support/run_layer.h"
#include "support/shape_models.h"

#include "backends/backend.h"
#include "base/random.h"
#include "layer/driver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 4, PROBLEMS = HN_TEST_SHARE > 1 ? 6 : 40 };

enum entry { BEGIN, LOAD, COPY, PREPARE, EVALUATE, WEIGH, LARGEST, STEP, BACK, ENTRIES };
static const char *const entry_names[ENTRIES] = {"begin", "load",    "copy", "prepare", "evaluate",
                                                 "weigh", "largest", "step", "back"};

/* ---- plans ---- */

/* A plan at an address of its own; the model is destroyed. */
static struct plan *moved_plan(hn_model *model, hn_layer_options options) {
    hn_layer *layer = layer_of(model, options);
    struct plan *copy = malloc(layer->plan->bytes);
    memcpy(copy, layer->plan, layer->plan->bytes);
    memset(layer->plan, 0xa5, layer->plan->bytes); /* nothing leads back to it */
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    return copy;
}

static const struct {
    hn_method method;
    double damping;
    bool relative;
} settings[] = {{HN_METHOD_PAPER, 0.3, false}, {HN_METHOD_HARDNET, -1, false}, {HN_METHOD_LM, -1, true},
                {HN_METHOD_LM, 0.125, false},  {HN_METHOD_AUTO, -1, false},    {HN_METHOD_AUTO, -1, true}};
enum { SETTINGS = sizeof settings / sizeof settings[0] };

static hn_layer_options options_of(size_t setting) {
    hn_layer_options options = layer_steps(settings[setting].method, 60);
    options.damping = settings[setting].damping;
    options.relative = settings[setting].relative;
    return options;
}

/* ---- one executor beside the plain one ---- */

struct scene {
    const struct plan *plan;
    const struct executor *executor, *plain;
    double *slots;                /* the executor's */
    double *own[EXECUTOR_WIDEST]; /* the plain one's, a memory per sample */
    enum entry judged;            /* what is compared */
    struct random random;
};

static double number_of(const struct scene *s, uint32_t slot, uint32_t sample) {
    return s->slots[(size_t)slot * s->executor->width + sample];
}

/* The same bits, or no number on both sides. */
static void compare(const struct scene *s, enum entry entry, const char *what, uint32_t slot, size_t count) {
    for (uint32_t k = 0; k < s->executor->width && entry == s->judged; k++)
        for (uint32_t i = 0; i < count; i++) {
            double a = number_of(s, slot + i, k), b = s->own[k][slot + i];
            if (memcmp(&a, &b, sizeof a) != 0 && !(isnan(a) && isnan(b)))
                fail_msg("%s, entry %s: %s[%u] of sample %u is %a, not %a", s->executor->name, entry_names[entry], what,
                         i, k, a, b);
        }
}

static void compare_list(const struct scene *s, enum entry entry, const char *what, struct plan_list list) {
    for (uint32_t i = 0; i < list.count; i++)
        compare(s, entry, what, plan_words(s->plan, list)[i], 1);
}

static void draw(struct scene *s, double *numbers, size_t count, double size) {
    for (size_t i = 0; i < count; i++)
        numbers[i] = size * random_normal(&s->random);
}

static void draw_flags(struct scene *s, bool *flags) {
    for (uint32_t k = 0; k < EXECUTOR_WIDEST; k++)
        flags[k] = random_below(&s->random, 2);
}

/* A vector of random numbers into both, through load; what unload gives back is the same. */
static void load_both(struct scene *s, uint32_t slot, size_t count, double size) {
    const struct executor *x = s->executor;
    double *values = calloc(EXECUTOR_WIDEST * count + 1, sizeof *values);
    double *again = calloc(EXECUTOR_WIDEST * count + 1, sizeof *again);
    const double *from[EXECUTOR_WIDEST];
    double *to[EXECUTOR_WIDEST];
    draw(s, values, EXECUTOR_WIDEST * count, size);
    for (uint32_t k = 0; k < EXECUTOR_WIDEST; k++) {
        from[k] = values + k * count;
        to[k] = again + k * count;
    }
    x->load(x, s->slots, slot, count, from);
    x->unload(x, s->slots, slot, count, to);
    for (uint32_t k = 0; k < x->width; k++) {
        s->plain->load(s->plain, s->own[k], slot, count, from + k);
        if (s->judged == LOAD)
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
    s->executor->weigh(s->executor, s->slots, rows);
    for (uint32_t k = 0; k < s->executor->width; k++) {
        const struct executor_rows own = {rows->accepted + k, rows->hold + k, rows->leads + k, rows->holds + k};
        s->plain->weigh(s->plain, s->own[k], &own);
    }
    compare(s, WEIGH, "A", p->matrix, p->entries);
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
    compare(s, STEP, "the summary", p->summary + SUMMARY_MOVED, 1);
    compare(s, STEP, "the summary", p->summary + SUMMARY_USABLE, 1);
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
    compare(s, BACK, "the gradient by y", p->gradient, p->outputs);
    compare(s, BACK, "the gradient by x", p->grad_x, p->inputs);
    compare(s, BACK, "the gradient by lower bounds", p->grad_lower, p->rows);
    compare(s, BACK, "the gradient by upper bounds", p->grad_upper, p->rows);
}

/* ---- the script ---- */

struct numbers {
    bool accepted[EXECUTOR_WIDEST], leads[EXECUTOR_WIDEST], holds[EXECUTOR_WIDEST], clipped[EXECUTOR_WIDEST];
    double eps[EXECUTOR_WIDEST], hold[EXECUTOR_WIDEST], slope[EXECUTOR_WIDEST];
};

static void draw_numbers(struct scene *s, struct numbers *n, bool all) {
    draw_flags(s, n->accepted);
    draw_flags(s, n->leads);
    draw_flags(s, n->holds);
    draw_flags(s, n->clipped);
    for (uint32_t k = 0; k < EXECUTOR_WIDEST; k++) {
        n->accepted[k] = n->accepted[k] || all;
        n->eps[k] = ldexp(1, -(int)random_below(&s->random, 30));
        n->hold[k] = random_below(&s->random, 2) ? 0 : random_uniform(&s->random);
        n->slope[k] = random_below(&s->random, 2) ? 0 : random_uniform(&s->random);
    }
}

static void play_forward(struct scene *s) {
    const struct plan *p = s->plan;
    struct numbers n;
    bool fresh[EXECUTOR_WIDEST];
    for (int round = 0; round < ROUNDS; round++) {
        draw_flags(s, fresh);
        for (uint32_t k = 0; k < EXECUTOR_WIDEST; k++)
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

static void play(const struct executor *executor, const struct executor *plain, enum entry judged, uint64_t seed) {
    struct scene s = {.plan = executor->plan, .executor = executor, .plain = plain, .judged = judged};
    s.random = random_start(seed, (uint64_t)judged);
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

/* Every executor that there is, over one plan. */
static void play_all(const struct plan *plan, enum entry judged, uint64_t seed) {
    struct executor plain = plain_executor(plan), executor;
    struct backend backend;
    assert_int_equal(executor_open_single(&executor, plan, NULL), HN_OK);
    play(&executor, &plain, judged, seed);
    executor_close(&executor);
    for (size_t i = 0; backend_at(i, &backend); i++) {
        hn_instructions instructions;
        assert_true(hn_instructions_find(backend.name, &instructions));
        assert_int_equal(executor_open_lanes(&executor, plan, instructions, NULL), HN_OK);
        play(&executor, &plain, judged, seed);
        executor_close(&executor);
    }
}

static bool fits(const hn_model *model, size_t setting) {
    return settings[setting].method != HN_METHOD_HARDNET || hn_model_row_count(model) <= hn_model_output_count(model);
}

static void check_model(hn_model *model, size_t setting, enum entry judged, uint64_t seed) {
    struct plan *plan = moved_plan(model, options_of(setting));
    play_all(plan, judged, seed);
    free(plan);
}

static void check_entry(enum entry judged) {
    for (uint64_t k = 0; k < PROBLEMS; k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 77, k);
        hn_model *model = problem.model;
        problem.model = NULL;
        random_problem_release(&problem);
        if (fits(model, k % SETTINGS))
            check_model(model, k % SETTINGS, judged, k);
        else
            hn_model_destroy(model);
    }
    check_model(dense_model(20, 30, 1), 0, judged, 1); /* nearly full, on the rows' side, */
    check_model(dense_model(21, 30, 2), 4, judged, 2);
    check_model(dense_model(50, 20, 3), 0, judged, 3); /* on the outputs' side, */
    check_model(dense_model(50, 21, 4), 2, judged, 4);
    check_model(mixed_model(67, 70, 1, 6), 3, judged, 7); /* in tiles */
    check_model(mixed_model(70, 75, 2, 7), 5, judged, 8);
    check_model(mixed_model(66, 66, 2, 8), 0, judged, 9);
    check_model(mixed_model(130, 52, 2, 9), 2, judged, 10);
    check_model(bordered_model(60, 1, 2, 10), 0, judged, 11); /* outputs kept out of the system */
    check_model(bordered_model(60, 2, 1, 11), 3, judged, 12);
    check_model(bordered_model(70, 3, 3, 12), 4, judged, 13);
    if (judged == STEP)
        check_model(dense_model(161, 165, 5), 4, judged, 6);
    if (HN_TEST_SHARE == 1 && (judged == STEP || judged == BACK))
        check_model(block_model(33, 155, 2, 1), 1, judged, 5); /* too long for lists */
}

static void begin_fills_constants(void **state) {
    (void)state;
    check_entry(BEGIN);
}

static void load_and_unload_are_inverse(void **state) {
    (void)state;
    check_entry(LOAD);
}

static void copy_takes_flagged_samples(void **state) {
    (void)state;
    check_entry(COPY);
}

static void prepare_computes_what_depends_on_x(void **state) {
    (void)state;
    check_entry(PREPARE);
}

static void evaluate_computes_rows_and_their_summary(void **state) {
    (void)state;
    check_entry(EVALUATE);
}

static void weigh_takes_the_rows_that_count(void **state) {
    (void)state;
    check_entry(WEIGH);
}

static void largest_finds_the_largest_row(void **state) {
    (void)state;
    check_entry(LARGEST);
}

static void step_solves_and_moves(void **state) {
    (void)state;
    check_entry(STEP);
}

static void back_is_the_adjoint_of_a_step(void **state) {
    (void)state;
    check_entry(BACK);
}

/* ---- whole layers ---- */

enum { SAMPLES = 5 };

/* The layer's plan elsewhere, with the plain executor in place of both. */
static hn_layer plain_layer_over(const hn_layer *layer) {
    hn_layer copy = *layer;
    copy.plan = malloc(layer->plan->bytes);
    memcpy(copy.plan, layer->plan, layer->plan->bytes);
    copy.lanes = copy.single = plain_executor(copy.plan);
    return copy;
}

static void check_layer(const struct random_problem *problem, size_t setting, uint64_t seed) {
    hn_layer *layer = layer_of(problem->model, options_of(setting));
    hn_layer plain = plain_layer_over(layer);
    size_t n = problem->outputs, k = problem->inputs;
    struct random random = random_start(seed, 9);
    double *x = calloc(SAMPLES * k + 1, sizeof *x), *raw = calloc(SAMPLES * n, sizeof *raw);
    double *grad = calloc(SAMPLES * n, sizeof *grad);
    for (size_t i = 0; i < SAMPLES * n; i++) {
        raw[i] = problem->raw[i % n] + 0.3 * random_normal(&random);
        grad[i] = random_normal(&random);
    }
    for (size_t i = 0; i < SAMPLES * k; i++)
        x[i] = problem->x[i % k];
    struct layer_results a = run_and_pull(layer, SAMPLES, x, raw, grad);
    struct layer_results b = run_and_pull(&plain, SAMPLES, x, raw, grad);
    for (size_t i = 0; i < SAMPLES; i++)
        assert_true(same_results(&a, i, &b, i));
    results_release(&a);
    results_release(&b);
    free(plain.plan);
    hn_layer_destroy(layer);
    free(x);
    free(raw);
    free(grad);
}

static void layers_have_the_same_bits_by_the_plain_executor(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 3 * PROBLEMS; k++) {
        struct random_problem problem;
        struct random_problem_options options = {.kind = (enum problem_kind)(k / SETTINGS % PROBLEM_KINDS)};
        random_problem_create(&problem, options, 78, k);
        if (fits(problem.model, k % SETTINGS))
            check_layer(&problem, k % SETTINGS, k);
        random_problem_release(&problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(begin_fills_constants),
        cmocka_unit_test(load_and_unload_are_inverse),
        cmocka_unit_test(copy_takes_flagged_samples),
        cmocka_unit_test(prepare_computes_what_depends_on_x),
        cmocka_unit_test(evaluate_computes_rows_and_their_summary),
        cmocka_unit_test(weigh_takes_the_rows_that_count),
        cmocka_unit_test(largest_finds_the_largest_row),
        cmocka_unit_test(step_solves_and_moves),
        cmocka_unit_test(back_is_the_adjoint_of_a_step),
        cmocka_unit_test(layers_have_the_same_bits_by_the_plain_executor),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
