/* test_reference.c - the bridge to IPOPT: known optima, derivatives by IPOPT's own checker, feasibility, refusals.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/read.h"
#include "reference/reference.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/scratch.h"

#include "base/file.h"
#include "base/memory.h"

#include <pthread.h>

enum { MOST = 128 };

static struct reference_options goal(enum reference_goal wanted) {
    struct reference_options options = reference_defaults();
    options.goal = wanted;
    return options;
}

/* One solve. */
static struct reference_result solve(const hn_model *model, struct reference_options options, const double *x,
                                     const double *start, double *y) {
    struct reference *reference;
    struct reference_result result;
    hn_error error;
    if (reference_create(&reference, model, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    if (reference_solve(reference, x, start, y, &result, &error) != HN_OK)
        fail_msg("%s", error.text);
    reference_destroy(reference);
    return result;
}

/* ---- optima ---- */

static const char hs71[] = "var x{1..4} >= 1, <= 5;\n"
                           "minimize f: x[1]*x[4]*(x[1] + x[2] + x[3]) + x[3];\n"
                           "subject to product: x[1]*x[2]*x[3]*x[4] >= 25;\n"
                           "subject to sphere: sum{i in 1..4} x[i]^2 = 40;\n"
                           "data; var x := 1 1  2 5  3 5  4 1;\n";

static void the_known_optimum_is_found(const hn_model *model, double optimum, const char *name) {
    double y[MOST];
    struct reference_result result = solve(model, goal(REFERENCE_OBJECTIVE), NULL, NULL, y);
    if (!result.solved || !(fabs(result.objective - optimum) <= 1e-7 * (1 + fabs(optimum))) ||
        !(result.violation <= 1e-8))
        fail_msg("%s: %s, %.10g, violated by %g", name, result.status, result.objective, result.violation);
    assert_true(result.iterations > 0 && result.seconds > 0);
}

TEST(hock_and_schittkowskis_optima_are_found) {
    static const struct {
        const char *path;
        double optimum;
    } known[] = {
        {"models/feasibility/hs19.mod", -6961.81387558}, {"models/feasibility/hs61.mod", -143.6461422},
        {"models/feasibility/hs64.mod", 6299.84242821},  {"models/feasibility/hs65.mod", 0.9535288567},
        {"models/feasibility/hs73.mod", 29.8943781573},  {"models/feasibility/hs104.mod", 3.9511634396},
        {"models/feasibility/hs106.mod", 7049.24802},    {"models/feasibility/hs111.mod", -47.76109086},
        {"models/feasibility/hs101.mod", 1809.764762},   {"models/feasibility/hs116.mod", 97.5875096},
    };
    hn_model *model = model_of_text(hs71);
    the_known_optimum_is_found(model, 17.0140173, "HS71");
    hn_model_destroy(model);
    for (size_t i = 0; i < COUNT_OF(known); i++) {
        model = model_of_file(known[i].path);
        the_known_optimum_is_found(model, known[i].optimum, known[i].path);
        hn_model_destroy(model);
    }
}

TEST(a_maximum_is_told_as_the_user_wrote_it) {
    hn_model *model = model_of_text("var a := 0.1; var b := 0.2; maximize f: a + b; subject to disc: a^2 + b^2 <= 2;");
    double y[2];
    struct reference_result result = solve(model, goal(REFERENCE_OBJECTIVE), NULL, NULL, y);
    assert_true(result.solved);
    assert_in_interval(result.objective, 2 - 1e-7, 2 + 1e-7);
    assert_in_interval(y[0], 1 - 1e-4, 1 + 1e-4);
    hn_model_destroy(model);
}

TEST(the_inputs_decide) {
    hn_model *model = model_of_text("param c >= 1, <= 4; var a >= c, := 5*c; var b := 1;\n"
                                    "minimize f: a^2 + (b - c)^2 + a*b; subject to sum_of_both: a + b >= 2*c;\n");
    struct reference *reference;
    hn_error error;
    assert_int_equal(reference_create(&reference, model, NULL, &error), HN_OK);
    for (double c = 1; c <= 4; c++) { /* the optimum is a = b = c, by symmetry of scale at the same place for all c */
        struct reference_result result;
        double y[2];
        assert_int_equal(reference_solve(reference, &c, NULL, y, &result, &error), HN_OK);
        assert_true(result.solved);
        assert_in_interval(y[0], c * (1 - 1e-6), c * (1 + 1e-6));
        assert_in_interval(y[1], c * (1 - 1e-6), c * (1 + 1e-6));
        assert_in_interval(result.objective, 2 * c * c * (1 - 1e-6), 2 * c * c * (1 + 1e-6));
    }
    reference_destroy(reference);
    hn_model_destroy(model);
}

TEST(fixed_outputs_hold) {
    hn_model *model = model_of_text("param c; var a := 3; var b := 1; var d := 7; fix b := c;\n"
                                    "minimize f: (a - 2)^2 + d^2*b; subject to line: a + b + d = 1;\n");
    double y[3], c = 2.5; /* d = -1.5 - a: (a - 2)^2 + 2.5 (a + 1.5)^2 is least where a = -0.5 */
    struct reference_result result = solve(model, goal(REFERENCE_OBJECTIVE), &c, NULL, y);
    assert_true(result.solved);
    assert_in_interval(y[0], -0.5 - 1e-6, -0.5 + 1e-6);
    assert_same_bits(y[1], 2.5);
    assert_in_interval(y[2], -1 - 1e-6, -1 + 1e-6);
    hn_model_destroy(model);
}

/* ---- feasibility ---- */

TEST(the_nearest_point_is_found) {
    static const double start[] = {3, 4};
    hn_model *model = model_of_text("var a; var b; minimize f: a - 100*b; subject to circle: a^2 + b^2 = 1;");
    double y[2];
    struct reference_result result = solve(model, goal(REFERENCE_NEAREST), NULL, start, y);
    assert_true(result.solved);
    assert_in_interval(y[0], 0.6 - 1e-7, 0.6 + 1e-7);
    assert_in_interval(y[1], 0.8 - 1e-7, 0.8 + 1e-7);
    assert_in_interval(result.objective, -79.4 - 1e-5, -79.4 + 1e-5); /* the model's own, all the same */
    result = solve(model, goal(REFERENCE_FEASIBLE), NULL, start, y);
    assert_true(result.solved && result.violation <= 1e-8);
    hn_model_destroy(model);
}

TEST(a_model_without_objective_is_made_feasible) {
    hn_model *model = model_of_file("models/feasibility/powellbs.mod");
    double y[2];
    struct reference_result result = solve(model, goal(REFERENCE_OBJECTIVE), NULL, NULL, y);
    assert_true(result.solved && result.violation <= 1e-8 && isnan(result.objective));
    hn_model_destroy(model);
}

TEST(what_has_no_solution_is_said_to_have_none) {
    hn_model *model = model_of_file("models/infeasible.mod");
    double y[2];
    struct reference_result result = solve(model, goal(REFERENCE_NEAREST), NULL, NULL, y);
    assert_false(result.solved);
    assert_string_equal(result.status, "infeasible");
    assert_true(result.violation > 0.1);
    hn_model_destroy(model);
}

/* ---- derivatives, judged by IPOPT ---- */

static void check_derivatives(const char *path) {
    struct scratch scratch = scratch_create();
    hn_model *model = model_of_file(path);
    size_t inputs = hn_model_input_count(model);
    double y[MOST], x[MOST];
    struct file_bytes log;
    hn_error error;
    for (size_t i = 0; i < inputs; i++)
        x[i] = 0.7 * hn_model_input(model, i).lower + 0.3 * hn_model_input(model, i).upper;
    for (int g = REFERENCE_OBJECTIVE; g <= REFERENCE_NEAREST; g++) {
        struct reference_options options = goal((enum reference_goal)g);
        char name[128];
        snprintf(name, sizeof name, "%s/%d", scratch.folder, g);
        options.derivatives = true;
        options.iterations = 1;
        options.log = name;
        solve(model, options, x, NULL, y);
        assert_int_equal(file_read(&log, name, 1 << 24, &error), HN_OK);
        if (!strstr((char *)log.data, "No errors detected by derivative checker."))
            fail_msg("%s: %s", path, (char *)log.data);
        base_release(log.data);
    }
    scratch_remove(&scratch);
    hn_model_destroy(model);
}

TEST(ipopt_agrees_with_our_derivatives) {
    check_derivatives("models/unicycle.mod");
    check_derivatives("models/feasibility/hs104.mod");
    check_derivatives("models/feasibility/hs111.mod");
}

/* With just enough room for values and first derivatives the Hessian is IPOPT's own approximation. */
TEST(a_hessian_beyond_the_limit_is_approximated) {
    hn_read_options options = hn_read_defaults();
    hn_text text = {.name = "text", .bytes = hs71, .length = strlen(hs71)};
    struct reference *reference = NULL;
    struct reference_result result;
    hn_model *model = NULL;
    hn_error error;
    double y[4];
    for (options.max_nodes = 20; !reference && options.max_nodes < 1000; options.max_nodes += 5) {
        hn_model_destroy(model);
        if (hn_model_read_memory(&model, 1, &text, &options, &error) == HN_OK)
            reference_create(&reference, model, NULL, &error);
    }
    assert_non_null(reference);
    assert_int_equal(reference_solve(reference, NULL, NULL, y, &result, &error), HN_OK);
    assert_true(result.solved && result.violation <= 1e-8);
    assert_in_interval(result.objective, 17.01401, 17.01402);
    reference_destroy(reference);
    hn_model_destroy(model);
}

/* ---- what cannot be done is said ---- */

TEST(more_equations_than_unknowns_are_refused_by_a_status) {
    hn_model *model = model_of_file("models/feasibility/pal_s5.mod");
    double y[4], x[] = {1, 1, 1, 1, 1};
    struct reference_result result = solve(model, goal(REFERENCE_NEAREST), x, NULL, y);
    assert_false(result.solved);
    assert_string_equal(result.status, "too_few_variables");
    hn_model_destroy(model);
}

TEST(crossed_bounds_and_bad_starts_are_statuses) {
    hn_model *model = model_of_text("param lower; var a := 1; var b := -1; minimize f: sqrt(b) + a^2;\n"
                                    "subject to row: lower <= a*b <= 2;\n");
    double y[2], x = 3;
    assert_string_equal(solve(model, goal(REFERENCE_NEAREST), &x, NULL, y).status, "invalid_problem");
    x = NAN;
    assert_string_equal(solve(model, goal(REFERENCE_NEAREST), &x, NULL, y).status, "invalid_problem");
    x = 0;
    assert_string_equal(solve(model, goal(REFERENCE_OBJECTIVE), &x, NULL, y).status, "nonfinite_evaluation");
    hn_model_destroy(model);
}

TEST(limits_are_statuses) {
    hn_model *model = model_of_text(hs71);
    struct reference_options options = goal(REFERENCE_OBJECTIVE);
    double y[4];
    options.iterations = 2;
    struct reference_result result = solve(model, options, NULL, NULL, y);
    assert_string_equal(result.status, "iteration_limit");
    assert_int_equal(result.iterations, 2);
    assert_false(result.solved);
    hn_model_destroy(model);
}

TEST(rows_that_are_constant_or_bounds_alone_do_no_harm) {
    hn_model *model = model_new();
    hn_expr a = hn_output(model, "a"), x = hn_input(model, "x");
    double y, zero = 0;
    hn_constrain(model, "constant", -1, hn_mul(x, hn_constant(model, 2)), 1);
    hn_output_bounds(a, 1, 3);
    hn_constrain(model, "tighter", 2, a, INFINITY);
    model_finish_good(model);
    struct reference_result result = solve(model, goal(REFERENCE_NEAREST), &zero, NULL, &y);
    assert_true(result.solved && result.violation <= 1e-8);
    assert_in_interval(y, 2, 2 + 1e-6);
    hn_model_destroy(model);
}

TEST(a_model_that_is_not_finished_is_refused) {
    hn_model *model = model_new();
    struct reference *reference;
    hn_error error;
    hn_output(model, "y");
    assert_int_equal(reference_create(&reference, model, NULL, &error), HN_INVALID);
    assert_null(reference);
    assert_contains(error.text, "not finished");
    reference_destroy(NULL);
    hn_model_destroy(model);
}

/* ---- threads ---- */

static void *solve_hs71(void *context) {
    double *found = context, y[4];
    for (int i = 0; i < 10; i++) {
        hn_model *model = model_of_text(hs71);
        *found = solve(model, goal(REFERENCE_OBJECTIVE), NULL, NULL, y).objective;
        hn_model_destroy(model);
    }
    return NULL;
}

TEST(threads_do_not_disturb_each_other) {
    enum { THREADS = 4 };
    pthread_t threads[THREADS];
    double found[THREADS] = {0};
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, solve_hs71, &found[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_same_bits(found[i], found[0]);
    }
    assert_in_interval(found[0], 17.0140172, 17.0140174);
}
