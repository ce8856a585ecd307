/* test_degenerate.c - rows that depend on each other, rows of zeros, more rows than outputs, rows of any scale.
 *
 * With damping, a step of the layer is the step of the formula in 80-bit arithmetic, whatever the rank of J. Rank
 * by itself never fails a sample. Rows times powers of two give lm and auto the same iterates, bit for bit. Every ok is judged by the
 * equations.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/plain_layer.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { PROBLEMS = 1000, MOST = 64, TRAIL = 32 };

/* ---- one step against the formula ---- */

struct trail {
    size_t outputs;
    int count;
    double y[TRAIL][MOST];
};

/* auto goes back to its best iterate, and begins anew, without a step: there a number of an iteration comes again. */
static void watch(void *context, size_t sample, int iteration, const hn_real *y, hn_real violation, hn_real damping) {
    struct trail *trail = context;
    (void)sample, (void)violation, (void)damping;
    assert_true(iteration <= trail->count && trail->count < TRAIL && trail->outputs <= MOST);
    memcpy(trail->y[trail->count++], y, trail->outputs * sizeof *y);
}

static struct trail trail_of(const hn_model *model, hn_layer_options options, const double *x, const double *raw) {
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = results_of(layer, 1);
    struct trail trail = {.outputs = r.outputs};
    hn_batch batch = batch_into(&r, x, raw);
    batch.watch = watch;
    batch.watch_context = &trail;
    layer_run(layer, &batch);
    results_release(&r);
    hn_layer_destroy(layer);
    return trail;
}

/* The distance between the layer's first step and the formula's, against the larger of 1 and the step. */
static double step_error(const struct random_problem *problem, hn_layer_options options) {
    size_t n = problem->outputs, k = problem->inputs;
    long double complex *x = calloc(k, sizeof *x), *y = calloc(n, sizeof *y), *next = calloc(n, sizeof *next);
    double *scales = calloc(problem->rows + 1, sizeof *scales);
    struct plain_layer plain;
    plain_layer_create(&plain, problem->model);
    for (size_t i = 0; i < k; i++)
        x[i] = problem->x[i];
    for (size_t j = 0; j < n; j++)
        y[j] = problem->raw[j];
    struct plain_rows rows = plain_layer_rows(&plain, x, y);
    plain_scales(&plain, &rows, scales);
    plain_step(&plain, &rows, options.method == HN_METHOD_LM ? scales : NULL, options.damping, y, next);
    struct trail trail = trail_of(problem->model, options, problem->x, problem->raw);
    double before = judged_violation(problem->model, problem->x, problem->raw, false, NULL);
    bool stays = options.method == HN_METHOD_LM && before <= options.tolerance; /* paper never ends early */
    long double wrong = 0, size = 0;
    assert_int_equal(trail.count, stays ? 1 : 2);
    for (size_t j = 0; j < n && !stays; j++) {
        wrong += powl(trail.y[1][j] - creall(next[j]), 2);
        size += powl(creall(next[j] - y[j]), 2);
    }
    plain_rows_release(&rows);
    plain_layer_release(&plain);
    free(scales);
    free(x);
    free(y);
    free(next);
    return (double)(sqrtl(wrong) / fmaxl(1, sqrtl(size)));
}

TEST(a_damped_step_is_the_formula_s_whatever_the_rank) {
    static const double dampings[] = {0.3, 1e-2, 1e-4},
                        limits[] = {1e-12, 1e-10, 1e-8}; /* rounding times |A|^2 / eps */
    double largest[2][COUNT_OF(dampings)] = {{0}};
    for (uint64_t stream = 0; stream < PROBLEMS; stream++) {
        struct random_problem problem;
        struct random_problem_options kind = {.kind = PROBLEM_DEGENERATE};
        kind.rows = stream % 5 ? 0 : 24; /* many more than outputs */
        random_problem_create(&problem, kind, 101, stream);
        size_t d = stream % COUNT_OF(dampings), by_lm = stream / 3 % 2;
        hn_layer_options options = layer_method(by_lm ? HN_METHOD_LM : HN_METHOD_PAPER);
        options.damping = dampings[d];
        options.iterations = 1;
        double error = step_error(&problem, options);
        if (!(error <= limits[d]))
            fail_msg("problem %zu, damping %g: the step is wrong by %g", (size_t)stream, dampings[d], error);
        largest[by_lm][d] = fmax(largest[by_lm][d], error);
        random_problem_release(&problem);
    }
    for (size_t d = 0; d < COUNT_OF(dampings); d++)
        print_message("damping %g: paper's step is wrong by %.2g at most, lm's by %.2g\n", dampings[d], largest[0][d],
                      largest[1][d]);
}

/* ---- rank only ---- */

/* The report of one sample without inputs; the verdict and the violation are those of the equations at y, which is finite. */
static hn_report report_of(const hn_model *model, hn_layer_options options, const double *raw, double *y) {
    hn_layer *layer = layer_of(model, options);
    struct layer_results r = run_forward(layer, 1, NULL, raw);
    hn_report report = r.reports[0];
    memcpy(y, r.y, r.outputs * sizeof *y);
    for (size_t j = 0; j < r.outputs; j++)
        assert_true(isfinite(y[j]));
    assert_int_equal(report.outcome == HN_OUTCOME_OK,
                     judged_violation(model, NULL, y, options.relative, NULL) <= options.tolerance);
    assert_same_bits(report.violation, judged_violation(model, NULL, y, false, NULL));
    results_release(&r);
    hn_layer_destroy(layer);
    return report;
}

/* `copies` of the rows y1 + 2 y2 = 3 and y1^2 <= 1, and rows of zeros between them. */
static hn_model *copied_model(int copies) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), zero = hn_constant(m, 0);
    char name[32];
    for (int i = 0; i < copies; i++) {
        snprintf(name, sizeof name, "line[%d]", i);
        hn_constrain(m, name, 3, hn_add(y1, hn_scale(2, y2)), 3);
        snprintf(name, sizeof name, "square[%d]", i);
        hn_constrain(m, name, -INFINITY, hn_mul(y1, y1), 1);
        snprintf(name, sizeof name, "nothing[%d]", i);
        hn_constrain(m, name, 0, zero, i % 2 ? 0 : 1);
    }
    model_finish_good(m);
    return m;
}

struct effort {
    hn_layer_options options;
    int iterations;     /* at most */
    double least, most; /* eps of the last step */
};

/* Few steps, and no eps that has run away: a pivot that is lost is that of a row which another one stands for. */
TEST(copies_and_rows_of_zeros_do_no_harm) {
    static const double raw[] = {5, -4};
    struct effort efforts[] = {{layer_method(HN_METHOD_AUTO), 8, 0, 1e-6},
                               {layer_method(HN_METHOD_LM), 8, 0, 1e-6},
                               {layer_method(HN_METHOD_LM), 8, 0, 0},
                               {layer_method(HN_METHOD_LM), 10, 1e-3, 1e-3},
                               {layer_method(HN_METHOD_PAPER), 500, 0.3, 0.3}};
    double y[2];
    efforts[2].options.damping = 0;
    efforts[3].options.damping = 1e-3;
    for (int copies = 1; copies < 12; copies++) {
        hn_model *m = copied_model(copies);
        for (size_t i = 0; i < COUNT_OF(efforts); i++) {
            hn_report report = report_of(m, efforts[i].options, raw, y);
            assert_int_equal(report.outcome, HN_OUTCOME_OK);
            assert_in_range(report.iterations, 1, efforts[i].iterations);
            assert_in_interval(report.damping, efforts[i].least, efforts[i].most);
        }
        hn_model_destroy(m);
    }
}

TEST(rows_that_are_nearly_the_same_do_no_harm) {
    static const double raw[] = {5, -4, 1}, tilts[] = {1e-3, 1e-6, 1e-9, 1e-12, 1e-15, 0};
    static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM};
    double y[3];
    for (size_t i = 0; i < COUNT_OF(tilts) * COUNT_OF(methods); i++) {
        double tilt = tilts[i / COUNT_OF(methods)];
        hn_model *m = model_new();
        hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
        hn_expr sum = hn_add(y1, hn_add(y2, y3));
        hn_constrain(m, "flat", 1, sum, 1);
        hn_constrain(m, "tilted", 1, hn_add(sum, hn_scale(tilt, hn_sub(y1, y3))), 1);
        model_finish_good(m);
        hn_report report = report_of(m, layer_method(methods[i % COUNT_OF(methods)]), raw, y);
        assert_int_equal(report.outcome, HN_OUTCOME_OK);
        hn_model_destroy(m);
    }
}

TEST(a_violated_row_of_zeros_is_locally_infeasible) {
    static const double raw[] = {5, -4};
    static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_LM, HN_METHOD_PAPER};
    double y[2];
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1");
    hn_output(m, "y2");
    hn_constrain(m, "never", 1, hn_constant(m, 0), 2);
    hn_constrain(m, "first", 0, y1, 1);
    model_finish_good(m);
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_report report = report_of(m, layer_method(methods[i]), raw, y);
        assert_int_equal(report.outcome, HN_OUTCOME_LOCALLY_INFEASIBLE);
        assert_string_equal(hn_model_row(m, report.worst).name, "never");
        assert_in_interval(y[0], -1e-8, 1 + 1e-8); /* what can be met is met */
    }
    hn_model_destroy(m);
}

/* ---- scale ---- */

/* 1 <= y1^2 + y2^2 <= 2, y1 y2 = 1/2, y2 + y3 <= 0, each times a power of two; bounds and bodies exact. */
static hn_model *scaled_model(const int *powers) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    double a = ldexp(4, powers[0]), b = ldexp(4, powers[1]), c = ldexp(4, powers[2]);
    hn_constrain(m, "ring", a, hn_scale(a, hn_add(hn_mul(y1, y1), hn_mul(y2, y2))), 2 * a);
    hn_constrain(m, "product", b / 2, hn_scale(b, hn_mul(y1, y2)), b / 2);
    hn_constrain(m, "half", -INFINITY, hn_scale(c, hn_add(y2, y3)), 0);
    model_finish_good(m);
    return m;
}

TEST(rows_times_powers_of_two_give_the_same_iterates) {
    static const int plain[3] = {0, 0, 0},
                     scales[][3] = {{1, 2, 3}, {60, 0, 0}, {0, 400, 7}, {300, 300, 300}, {500, 3, 0}};
    static const hn_method methods[] = {HN_METHOD_LM, HN_METHOD_AUTO};
    struct random random = random_start(5, 0);
    hn_model *first = scaled_model(plain);
    for (size_t i = 0; i < COUNT_OF(scales); i++) {
        hn_model *second = scaled_model(scales[i]);
        for (int start = 0; start < 40; start++) {
            double raw[3];
            for (int j = 0; j < 3; j++)
                raw[j] = random_between(&random, 1, 3); /* every row has an entry of at least 1 */
            hn_layer_options options = layer_method(methods[start % 2]);
            options.tolerance = 0;
            options.iterations = 12;
            struct trail a = trail_of(first, options, NULL, raw), b = trail_of(second, options, NULL, raw);
            assert_true(a.count > 3);
            assert_int_equal(a.count, b.count);
            for (int k = 0; k < a.count; k++)
                for (int j = 0; j < 3; j++)
                    assert_same_bits(a.y[k][j], b.y[k][j]);
        }
        hn_model_destroy(second);
    }
    hn_model_destroy(first);
}

/* a y1 y2 = a and b (y2 + y3) <= b */
static hn_model *sized_model(double a, double b) {
    hn_model *m = model_new();
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_constrain(m, "a", a, hn_scale(a, hn_mul(y1, y2)), a);
    hn_constrain(m, "b", -INFINITY, hn_scale(b, hn_add(y2, y3)), b);
    model_finish_good(m);
    return m;
}

TEST(rows_of_any_scale_get_an_honest_outcome) {
    static const double raw[] = {3, 2, 1}, sizes[] = {1e150, 1e-150, 1e300, 1e-300, 1e12, 1e-12, 1};
    double y[3];
    for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(sizes); i++) {
        hn_model *m = sized_model(sizes[i / COUNT_OF(sizes)], sizes[i % COUNT_OF(sizes)]);
        for (hn_method method = HN_METHOD_AUTO; method < HN_METHOD_OPTIMAL; method++) { /* which needs an objective */
            hn_layer_options options = layer_method(method);
            options.iterations = 60;
            hn_report report = report_of(m, options, raw, y);
            assert_same_bits(report.violation_before, judged_violation(m, NULL, raw, false, NULL));
            assert_true(report.violation <= report.violation_before || report.outcome == HN_OUTCOME_OK);
        }
        hn_model_destroy(m);
    }
}

TEST(relative_rows_of_large_scale_are_ok_by_lm_and_auto) {
    static const double raw[] = {3, 2, 1}, sizes[] = {1e150, 1e300, 1e12, 1};
    static const hn_method methods[] = {HN_METHOD_LM, HN_METHOD_AUTO};
    double y[3];
    for (size_t i = 0; i < COUNT_OF(sizes) * COUNT_OF(sizes); i++) {
        double a = sizes[i / COUNT_OF(sizes)], b = sizes[i % COUNT_OF(sizes)];
        hn_model *m = sized_model(a, b);
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            hn_layer_options options = layer_method(methods[k]);
            options.relative = true;
            hn_report report = report_of(m, options, raw, y);
            if (report.outcome != HN_OUTCOME_OK)
                fail_msg("%s, rows times %g and %g: %s", hn_method_text(methods[k]), a, b,
                         hn_outcome_text(report.outcome));
        }
        hn_model_destroy(m);
    }
}
