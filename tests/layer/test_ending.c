/* test_ending.c - runs that are watched, cancelled or out of time: the best iterate so far, and an honest word about
 * it.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/clock.h"
#include "base/random.h"

#include "hardnet/read.h"

enum { COUNT = 30, STEPS = 50 };

static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_LM, HN_METHOD_AUTO, HN_METHOD_HARDNET};

/* Every step is taken, so that the best of all that was seen is returned. */
static bool takes_every_step(hn_method method) {
    return method == HN_METHOD_PAPER || method == HN_METHOD_HARDNET;
}

struct scene {
    struct random_problem problem;
    hn_layer *layer;
    double *raw;
    struct layer_results results;
    hn_batch batch;
};

/* Many samples; the last one is the solution itself. Outputs of hardnet have no bounds: these would be rows too many. */
static struct scene scene_of(hn_method method, uint64_t stream, double tolerance) {
    struct scene s;
    struct random_problem_options shape = {.outputs = 6, .rows = 5, .interior = true};
    shape.bounds_are_inputs = method == HN_METHOD_HARDNET;
    struct random random = random_start(19, stream);
    hn_layer_options options = layer_method(method);
    options.iterations = STEPS;
    options.tolerance = tolerance;
    random_problem_create(&s.problem, shape, 29, stream);
    s.layer = layer_of(s.problem.model, options);
    s.raw = calloc(COUNT * 6, sizeof *s.raw);
    for (size_t i = 0; i < COUNT * 6; i++)
        s.raw[i] = s.problem.solution[i % 6] + (i / 6 + 1 < COUNT ? random_normal(&random) : 0);
    s.results = results_of(s.layer, COUNT);
    s.batch = batch_into(&s.results, s.problem.x, s.raw);
    s.batch.repeat_x = true;
    return s;
}

static void scene_release(struct scene *s) {
    free(s->raw);
    results_release(&s->results);
    hn_layer_destroy(s->layer);
    random_problem_release(&s->problem);
}

static double judged(const struct scene *s, const double *y) {
    return judged_violation(s->problem.model, s->problem.x, y, false, NULL);
}

/* ---- watching ---- */

struct seen {
    const struct scene *scene;
    int next[COUNT];
    double first[COUNT], least[COUNT];
    int cancel_at; /* iteration at which the watcher asks to end; negative: never */
    int cancel;
};

static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct seen *seen = context;
    assert_true(sample < COUNT);
    if (iteration != seen->next[sample]) { /* auto goes back, or begins anew, without a step */
        assert_int_equal(hn_layer_options_of(seen->scene->layer).method, HN_METHOD_AUTO);
        assert_int_equal(iteration + 1, seen->next[sample]);
    }
    assert_true(iteration == 0 ? isnan(damping) : damping >= 0 && isfinite(damping));
    seen->next[sample] = iteration + 1;
    double found = judged(seen->scene, y);
    assert_same_bits(violation, found);
    if (iteration == 0)
        seen->first[sample] = seen->least[sample] = found;
    seen->least[sample] = fmin(seen->least[sample], found);
    if (iteration == seen->cancel_at)
        __atomic_store_n(&seen->cancel, 1, __ATOMIC_RELAXED);
}

TEST(a_watcher_sees_every_iterate_and_the_best_is_returned) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], k, 1e-8);
        struct seen seen = {.scene = &s, .cancel_at = -1};
        s.batch.watch = watch;
        s.batch.watch_context = &seen;
        layer_run(s.layer, &s.batch);
        for (size_t i = 0; i < COUNT; i++) {
            const hn_report *report = &s.results.reports[i];
            bool refused = methods[k] == HN_METHOD_HARDNET && report->outcome == HN_OUTCOME_STALLED; /* by its pivots */
            assert_int_equal(seen.next[i], report->iterations + !refused);
            assert_same_bits(report->violation_before, seen.first[i]);
            if (report->outcome != HN_OUTCOME_OK && takes_every_step(methods[k]))
                assert_same_bits(report->violation, seen.least[i]);
            assert_true(report->violation <= seen.first[i]); /* lm and auto: the best of the accepted ones */
            assert_true(report->violation >= seen.least[i]);
        }
        scene_release(&s);
    }
}

TEST(watching_changes_nothing) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene watched = scene_of(methods[k], k, 1e-8), plain = scene_of(methods[k], k, 1e-8);
        struct seen seen = {.scene = &watched, .cancel_at = -1};
        watched.batch.watch = watch;
        watched.batch.watch_context = &seen;
        layer_run(watched.layer, &watched.batch);
        layer_run(plain.layer, &plain.batch);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(same_results(&watched.results, i, &plain.results, i));
        scene_release(&watched);
        scene_release(&plain);
    }
}

/* ---- cancelling ---- */

/* A sample of a cancelled call that was not begun: as it came in, and not judged. */
static bool was_skipped(const struct scene *s, size_t i) {
    const hn_report *report = &s->results.reports[i];
    return report->outcome == HN_OUTCOME_CANCELLED && report->violation == INFINITY &&
           report->violation_before == INFINITY && report->iterations == 0 && report->steps == 0 &&
           report->worst == SIZE_MAX && report->moved == 0 &&
           memcmp(s->results.y + 6 * i, s->raw + 6 * i, 6 * sizeof *s->raw) == 0;
}

static void check_cancelled(const struct scene *s, size_t *cancelled, size_t *ok) {
    for (size_t i = 0; i < COUNT; i++) {
        const hn_report *report = &s->results.reports[i];
        double found = judged(s, s->results.y + 6 * i);
        if (was_skipped(s, i)) {
            ++*cancelled;
            continue;
        }
        assert_true(report->outcome == HN_OUTCOME_CANCELLED || report->outcome == HN_OUTCOME_OK);
        assert_int_equal(report->outcome == HN_OUTCOME_OK, found <= 1e-8);
        assert_same_bits(report->violation, found);
        assert_true(found <= judged(s, s->raw + 6 * i));
        *cancelled += report->outcome == HN_OUTCOME_CANCELLED;
        *ok += report->outcome == HN_OUTCOME_OK;
    }
}

TEST(a_run_that_is_cancelled_before_it_begins_returns_what_came_in) {
    static const int cancel = 1;
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], 3, 1e-8);
        size_t cancelled = 0, ok = 0;
        s.batch.cancel = &cancel;
        layer_run(s.layer, &s.batch);
        check_cancelled(&s, &cancelled, &ok);
        assert_memory_equal(s.results.y, s.raw, COUNT * 6 * sizeof *s.raw);
        assert_int_equal(ok + cancelled, COUNT);
        assert_true(cancelled > COUNT / 2);
        for (size_t i = 0; i < COUNT; i++)
            assert_int_equal(s.results.reports[i].iterations, 0);
        scene_release(&s);
    }
}

TEST(a_run_that_is_cancelled_on_the_way_returns_its_best) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], 4, 1e-8);
        struct seen seen = {.scene = &s, .cancel_at = 2};
        size_t cancelled = 0, ok = 0;
        s.batch.watch = watch;
        s.batch.watch_context = &seen;
        s.batch.cancel = &seen.cancel;
        layer_run(s.layer, &s.batch);
        check_cancelled(&s, &cancelled, &ok);
        assert_true(cancelled > COUNT / 2);
        for (size_t i = 0; i < COUNT; i++) {
            assert_true(s.results.reports[i].iterations <= 3);
            if (was_skipped(&s, i))
                continue;
            assert_true(s.results.reports[i].violation >= seen.least[i]);
            if (s.results.reports[i].outcome == HN_OUTCOME_CANCELLED && takes_every_step(methods[k]))
                assert_same_bits(s.results.reports[i].violation, seen.least[i]);
        }
        scene_release(&s);
    }
}

TEST(a_cancelled_run_has_gradients) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], 4, 1e-8);
        struct seen seen = {.scene = &s, .cancel_at = 2};
        size_t cancelled = 0;
        s.batch.watch = watch;
        s.batch.watch_context = &seen;
        s.batch.cancel = &seen.cancel;
        layer_run(s.layer, &s.batch);
        hn_gradient gradient = gradient_into(&s.results, s.raw);
        layer_pull(s.layer, &s.batch, &gradient);
        for (size_t i = 0; i < COUNT * 6; i++)
            assert_true(isfinite(gradient.grad_y_raw[i]));
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(gradient.flagged[i], s.results.reports[i].outcome != HN_OUTCOME_OK);
            cancelled += s.results.reports[i].outcome == HN_OUTCOME_CANCELLED;
        }
        assert_true(cancelled > COUNT / 2);
        scene_release(&s);
    }
}

/* Asks to end once it has seen so many iterates. */
struct patience {
    int left, cancel;
};

static void watch_for_a_while(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation,
                              hn_real damping) {
    struct patience *patience = context;
    (void)sample, (void)iteration, (void)y, (void)violation, (void)damping;
    if (patience->left-- == 0)
        __atomic_store_n(&patience->cancel, 1, __ATOMIC_RELAXED);
}

/* The first steps of lm lead to where log has no value, and are shortened: not the end of a run that goes on. */
TEST(a_run_that_is_cancelled_behind_a_step_without_a_value_is_cancelled) {
    static const char text[] = "var y; s.t. c: log(y) <= -5;";
    static const double raw[1] = {1};
    const hn_text all = {"m", text, sizeof text - 1};
    hn_model *model;
    assert_int_equal(hn_model_read_memory(&model, 1, &all, NULL, NULL), HN_OK);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_LM));
    size_t cancelled = 0;
    for (int left = 0; left < 6; left++) {
        struct layer_results results = results_of(layer, 1);
        struct patience patience = {left, 0};
        hn_batch batch = batch_into(&results, NULL, raw);
        batch.watch = watch_for_a_while;
        batch.watch_context = &patience;
        batch.cancel = &patience.cancel;
        layer_run(layer, &batch);
        cancelled += results.reports[0].outcome == HN_OUTCOME_CANCELLED;
        assert_true(results.reports[0].outcome == HN_OUTCOME_CANCELLED || results.reports[0].outcome == HN_OUTCOME_OK);
        assert_true(results.reports[0].violation <= 5);
        results_release(&results);
    }
    assert_true(cancelled >= 3);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- deadlines ---- */

TEST(a_deadline_ends_a_long_run) {
    struct scene s = scene_of(HN_METHOD_PAPER, 5, 0);
    hn_layer_options options = hn_layer_options_of(s.layer);
    options.iterations = 1 << 30;
    hn_layer_destroy(s.layer);
    s.layer = layer_of(s.problem.model, options);
    s.batch.tape = NULL;
    s.batch.seconds = 0.02;
    double begin = clock_seconds();
    layer_run(s.layer, &s.batch);
    assert_in_interval(clock_seconds() - begin, 0.02, 10);
    for (size_t i = 0; i < COUNT; i++) {
        assert_true(s.results.reports[i].outcome == HN_OUTCOME_CANCELLED ||
                    s.results.reports[i].outcome == HN_OUTCOME_OK);
        assert_true(judged(&s, s.results.y + 6 * i) <= judged(&s, s.raw + 6 * i));
    }
    hn_pool *pool;
    assert_int_equal(hn_pool_create(&pool, s.layer, 3, NULL), HN_OK);
    begin = clock_seconds();
    assert_int_equal(hn_pool_run(pool, &s.batch, NULL), HN_OK);
    assert_in_interval(clock_seconds() - begin, 0.02, 10);
    hn_pool_destroy(pool);
    scene_release(&s);
}

/* The clock is looked at in the first round already. */
TEST(a_deadline_that_has_passed_returns_what_came_in) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], 3, 1e-8);
        size_t cancelled = 0, ok = 0;
        s.batch.seconds = 1e-12;
        layer_run(s.layer, &s.batch);
        check_cancelled(&s, &cancelled, &ok);
        assert_memory_equal(s.results.y, s.raw, COUNT * 6 * sizeof *s.raw);
        assert_int_equal(ok + cancelled, COUNT);
        assert_true(cancelled > COUNT / 2);
        scene_release(&s);
    }
}

/* ---- samples of a cancelled call that were not begun ---- */

enum { MANY = 200000, WIDE = 6 };

struct crowd {
    hn_model *model;
    hn_layer *layer;
    double *raw, *y, *residual;
    hn_report *reports;
    void *tape;
    hn_batch batch;
    int evaluated; /* samples that the watcher has seen */
};

static void count_first(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation,
                        hn_real damping) {
    struct crowd *crowd = context;
    (void)sample, (void)y, (void)violation, (void)damping;
    crowd->evaluated += iteration == 0;
}

static struct crowd crowd_of(size_t count) {
    static const char text[] = "var y{i in 1..6} := i; fix y[6] := 2; "
                               "s.t. c{i in 1..4}: exp(sin(y[i]))*log(2 + y[i+1]^2) + atan2(y[i], y[i+1]) = 1.5;";
    const hn_text all = {"m", text, sizeof text - 1};
    struct crowd c = {.raw = calloc(count * WIDE, sizeof *c.raw), .y = calloc(count * WIDE, sizeof *c.y)};
    assert_int_equal(hn_model_read_memory(&c.model, 1, &all, NULL, NULL), HN_OK);
    c.layer = layer_of(c.model, layer_method(HN_METHOD_AUTO));
    c.reports = calloc(count, sizeof *c.reports);
    c.residual = calloc(count * hn_model_row_count(c.model), sizeof *c.residual);
    c.tape = malloc(hn_layer_tape_bytes(c.layer, count));
    for (size_t i = 0; i < count * WIDE; i++)
        c.raw[i] = (double)(i % 7);
    c.batch = (hn_batch){.size = sizeof c.batch, .count = count, .y_raw = c.raw, .y = c.y, .seconds = 1e-9};
    c.batch.report_size = sizeof *c.reports;
    c.batch.reports = c.reports;
    c.batch.residual = c.residual;
    c.batch.watch = count_first;
    return c;
}

static void crowd_release(struct crowd *c) {
    free(c->raw);
    free(c->y);
    free(c->residual);
    free(c->reports);
    free(c->tape);
    hn_layer_destroy(c->layer);
    hn_model_destroy(c->model);
}

TEST(a_deadline_that_has_passed_ends_a_large_batch_without_evaluating_it) {
    struct crowd c = crowd_of(MANY);
    c.batch.watch_context = &c;
    layer_run(c.layer, &c.batch);
    assert_true(c.evaluated <= 8); /* those that were begun before the clock was looked at */
    for (size_t i = 8; i < MANY; i++) {
        assert_int_equal(c.reports[i].outcome, HN_OUTCOME_CANCELLED);
        assert_true(c.reports[i].violation == INFINITY && c.reports[i].violation_before == INFINITY);
        assert_true(c.residual[4 * i] == INFINITY && c.residual[4 * i + 3] == INFINITY);
        assert_memory_equal(c.y + WIDE * i, c.raw + WIDE * i, (WIDE - 1) * sizeof *c.y);
        assert_true(c.y[WIDE * i + 5] == 2); /* a fixed output has its value all the same */
        assert_true(fabs(c.reports[i].moved - fabs(c.raw[WIDE * i + 5] - 2)) <= 1e-15);
    }
    crowd_release(&c);
}

TEST(a_sample_that_was_not_begun_has_the_gradient_of_what_came_in) {
    enum { FEW = 40 };
    struct crowd c = crowd_of(FEW);
    double ones[FEW * WIDE], grad[FEW * WIDE];
    bool flagged[FEW];
    c.raw[WIDE * 30 + 2] = NAN;
    c.batch.watch = NULL;
    c.batch.tape = c.tape;
    layer_run(c.layer, &c.batch);
    for (size_t i = 0; i < COUNT_OF(ones); i++)
        ones[i] = 1;
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = ones, .grad_y_raw = grad, .flagged = flagged};
    layer_pull(c.layer, &c.batch, &gradient);
    assert_int_equal(c.reports[30].outcome, HN_OUTCOME_NONFINITE_INPUT); /* what cannot be returned is told */
    for (size_t i = 0; i < WIDE; i++)
        assert_true(isfinite(c.y[WIDE * 30 + i]));
    for (size_t j = 0; j < WIDE - 1; j++)
        assert_true(grad[WIDE * 35 + j] == 1);
    assert_true(flagged[35] && flagged[30]);
    crowd_release(&c);
}

struct sleeper {
    double seconds;
    bool slept;
    int most; /* iteration that was seen */
};

static void oversleep(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation,
                      hn_real damping) {
    struct sleeper *sleeper = context;
    (void)sample, (void)y, (void)violation, (void)damping;
    sleeper->most = iteration > sleeper->most ? iteration : sleeper->most;
    if (iteration < 2 || sleeper->slept)
        return;
    for (double begin = clock_seconds(); clock_seconds() - begin < sleeper->seconds;)
        sleeper->slept = true;
}

/* The watcher lets the deadline pass at the second step; the clock is looked at again after at most twice as many rounds as the time
 * before, beginning with one. */
TEST(a_deadline_that_passes_on_the_way_ends_the_run) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene s = scene_of(methods[k], 4, 0);
        struct sleeper sleeper = {.seconds = 0.02};
        size_t cancelled = 0;
        s.batch.seconds = 0.01;
        s.batch.watch = oversleep;
        s.batch.watch_context = &sleeper;
        layer_run(s.layer, &s.batch);
        assert_true(sleeper.most <= 2 + 2);
        for (size_t i = 0; i < COUNT; i++) {
            double found = judged(&s, s.results.y + 6 * i);
            cancelled += s.results.reports[i].outcome == HN_OUTCOME_CANCELLED;
            if (was_skipped(&s, i))
                continue;
            assert_int_equal(s.results.reports[i].outcome == HN_OUTCOME_OK, found <= 0);
            assert_same_bits(s.results.reports[i].violation, found);
            assert_true(found <= judged(&s, s.raw + 6 * i));
        }
        assert_true(cancelled > COUNT / 2);
        scene_release(&s);
    }
}

TEST(a_deadline_far_away_changes_nothing) {
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        struct scene hurried = scene_of(methods[k], 6, 1e-8), plain = scene_of(methods[k], 6, 1e-8);
        hurried.batch.seconds = 1e6;
        layer_run(hurried.layer, &hurried.batch);
        layer_run(plain.layer, &plain.batch);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(same_results(&hurried.results, i, &plain.results, i));
        scene_release(&hurried);
        scene_release(&plain);
    }
}
