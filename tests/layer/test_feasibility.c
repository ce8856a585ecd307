/* test_feasibility.c - auto reaches the constraints of the shipped models, and no method claims what cannot be.
 *
 * The core set of Hock and Schittkowski and others from their own starts, problems without solution, PAL's S1 to S6 and its warp,
 * FSNet's nonconvex problems from random starts. Every verdict is judged by plain evaluation of the model's rows, which
 * shares no code with the layer. build/bench/feasibility shows the same beside other methods.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { PAL_STARTS = 200, WARP_STARTS = 300, FSNET_STARTS = 100, INFEASIBLE_STARTS = 50, SEED = 1 };

/* Samples of one model, corrected by one layer. */
struct trial {
    hn_model *model;
    size_t count, inputs, outputs;
    double *x, *raw, *y;
    hn_report *reports;
};

/* ---- samples ---- */

static void draw_inputs(const struct trial *t, size_t k, struct random *random) {
    for (size_t i = 0; i < t->inputs; i++) {
        hn_input_info input = hn_model_input(t->model, i);
        t->x[k * t->inputs + i] = random_between(random, input.lower, input.upper);
    }
}

/* Uniform between the bounds, or normal around the start. */
static double draw_output(double lower, double start, double upper, struct random *random) {
    if (isfinite(lower) && isfinite(upper))
        return random_between(random, lower, upper);
    return fmin(fmax(start + fmax(1, fabs(start)) * random_normal(random), lower), upper);
}

static void draw_start(const struct trial *t, size_t k, bool own, struct random *random) {
    for (size_t j = 0; j < t->outputs; j++) {
        hn_output_info output = hn_model_output(t->model, j);
        hn_expr exprs[] = {output.lower, output.start, output.upper};
        double values[3], *raw = t->raw + k * t->outputs;
        const double *x = t->x + k * t->inputs;
        assert_int_equal(hn_model_evaluate(t->model, 3, exprs, x, raw, values, NULL), HN_OK);
        raw[j] = own ? values[1] : draw_output(values[0], values[1], values[2], random);
    }
}

/* The first `own` samples start where the model says. */
static struct trial trial_of(const char *path, size_t count, size_t own) {
    struct trial t = {.model = model_of_file(path), .count = count};
    t.inputs = hn_model_input_count(t.model);
    t.outputs = hn_model_output_count(t.model);
    t.x = calloc(count * t.inputs + 1, sizeof *t.x);
    t.raw = calloc(count * t.outputs, sizeof *t.raw);
    t.y = calloc(count * t.outputs, sizeof *t.y);
    t.reports = calloc(count, sizeof *t.reports);
    for (size_t k = 0; k < count; k++) {
        struct random random = random_start(SEED, k);
        draw_inputs(&t, k, &random);
        draw_start(&t, k, k < own, &random);
    }
    return t;
}

static void trial_release(struct trial *t) {
    hn_model_destroy(t->model);
    free(t->x);
    free(t->raw);
    free(t->y);
    free(t->reports);
}

static bool is_ok(const struct trial *t, size_t k) {
    return t->reports[k].outcome == HN_OUTCOME_OK;
}

/* Runs the method and holds its verdicts against plain evaluation; the number of ok samples. */
static size_t correct(struct trial *t, hn_method method) {
    hn_layer_options options = layer_method(method);
    hn_layer *layer = layer_of(t->model, options);
    hn_batch batch = batch_of(t->count, t->x, t->raw, t->y, t->reports);
    size_t ok = 0;
    layer_run(layer, &batch);
    hn_layer_destroy(layer);
    for (size_t k = 0; k < t->count; k++) {
        double found = judged_violation(t->model, t->x + k * t->inputs, t->y + k * t->outputs, false, NULL);
        if (is_ok(t, k) != (found <= options.tolerance))
            fail_msg("sample %zu: called %s, violated by %g", k, hn_outcome_text(t->reports[k].outcome), found);
        ok += is_ok(t, k);
    }
    return ok;
}

/* ---- from their own starts ---- */

static bool solves(const char *name) {
    char path[128];
    snprintf(path, sizeof path, "models/feasibility/%s.mod", name);
    struct trial t = trial_of(path, 1, 1);
    bool ok = correct(&t, HN_METHOD_AUTO) == 1;
    print_message("%s: %s, %d steps, violated by %.1e, moved by %.3g\n", name, hn_outcome_text(t.reports->outcome),
                  t.reports->iterations, t.reports->violation, t.reports->moved);
    trial_release(&t);
    return ok;
}

TEST(what_plain_levenberg_marquardt_solves_is_solved) {
    static const char *const names[] = {"hs13",  "hs19",  "hs64",  "hs65", "hs72",    "hs73",     "hs102",   "hs103",
                                        "hs104", "hs106", "hs111", "bt8",  "cluster", "powellbs", "wachbieg"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (!solves(names[i]))
            fail_msg("%s is not solved", names[i]);
}

TEST(three_of_the_four_hardest_are_solved) {
    int solved = solves("hs61") + solves("hs101") + solves("hs116") + solves("powellsq");
    assert_true(solved >= 3);
}

/* ---- without solution: the proofs stand in the files ---- */

TEST(what_has_no_solution_is_never_called_ok) {
    static const char *const names[] = {"balls", "affine", "square", "logarithm", "sine", "triangle"};
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_LM, HN_METHOD_AUTO};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        for (size_t k = 0; k < COUNT_OF(methods); k++) {
            char path[128];
            snprintf(path, sizeof path, "models/infeasible/%s.mod", names[i]);
            struct trial t = trial_of(path, INFEASIBLE_STARTS, 1);
            assert_int_equal(correct(&t, methods[k]), 0);
            hn_outcome own = t.reports[0].outcome;
            if (methods[k] == HN_METHOD_AUTO && own != HN_OUTCOME_LOCALLY_INFEASIBLE && own != HN_OUTCOME_STALLED)
                fail_msg("%s: %s", names[i], hn_outcome_text(own));
            trial_release(&t);
        }
}

/* ---- from random starts ---- */

static void every_start_is_corrected(const char *name, size_t count) {
    char path[128];
    snprintf(path, sizeof path, "models/feasibility/%s.mod", name);
    struct trial t = trial_of(path, count, 0);
    size_t ok = correct(&t, HN_METHOD_AUTO);
    int most = 0;
    for (size_t k = 0; k < count; k++)
        most = t.reports[k].iterations > most ? t.reports[k].iterations : most;
    print_message("%s: %zu of %zu ok, at most %d steps\n", name, ok, count, most);
    assert_int_equal(ok, count);
    trial_release(&t);
}

#define EVERY_START_IS_CORRECTED(model, count)                                                                         \
    TEST(every_start_of_##model##_is_corrected) {                                                                      \
        every_start_is_corrected(#model, count);                                                                       \
    }

EVERY_START_IS_CORRECTED(pal_s1, PAL_STARTS)
EVERY_START_IS_CORRECTED(pal_s2, PAL_STARTS)
EVERY_START_IS_CORRECTED(pal_s3, PAL_STARTS)
EVERY_START_IS_CORRECTED(pal_s4, PAL_STARTS)
EVERY_START_IS_CORRECTED(pal_s5, PAL_STARTS)
EVERY_START_IS_CORRECTED(pal_s6, PAL_STARTS)
EVERY_START_IS_CORRECTED(fsnet_qp, FSNET_STARTS)
EVERY_START_IS_CORRECTED(fsnet_qcqp, FSNET_STARTS)
EVERY_START_IS_CORRECTED(fsnet_socp, FSNET_STARTS)

/* |a'x| decides: the equation is a'y = sin(w b'y), and a step along b by itself solves it where |a'x| <= 1. The body is a'y - sine. */
static double steepness(const struct trial *t, size_t k) {
    const double *x = t->x + k * t->inputs;
    hn_expr exprs[] = {hn_model_row(t->model, 0).body, hn_model_definition(t->model, 0).value};
    double values[2];
    assert_string_equal(hn_model_definition(t->model, 0).name, "sine");
    assert_int_equal(hn_model_evaluate(t->model, 2, exprs, x, x, values, NULL), HN_OK);
    return fabs(values[0] + values[1]);
}

TEST(the_warp_is_corrected) {
    struct trial t = trial_of("models/feasibility/pal_warp.mod", WARP_STARTS, WARP_STARTS);
    size_t near = 0, near_ok = 0, far_ok = 0;
    correct(&t, HN_METHOD_AUTO);
    for (size_t k = 0; k < t.count; k++) {
        bool is_near = steepness(&t, k) <= 1;
        near += is_near;
        near_ok += is_near && is_ok(&t, k);
        far_ok += !is_near && is_ok(&t, k);
    }
    print_message("warp: %zu of %zu ok where |a'x| <= 1, %zu of %zu elsewhere\n", near_ok, near, far_ok,
                  t.count - near);
    assert_int_equal(near_ok, near);
    assert_true((double)far_ok >= 0.95 * (double)(t.count - near));
    trial_release(&t);
}
