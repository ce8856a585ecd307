/* test_bad_bounds.c - bounds that x drives to NaN, to infinity or across each other.
 *
 * A bound is a quotient of two inputs, all of them finite. A lower bound of -infinity and an upper bound of +infinity are no bound:
 * the side is open. NaN, a lower bound of +infinity, an upper one of -infinity and bounds that cross are bad_bounds with the
 * row's number, for a row as for an output's own bounds; y is finite, and nothing has a gradient. Neighbours keep every bit, and a
 * batch of one gives the same bits.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/random_problem.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { PLACES = 2, SIDES = 2, INPUTS = 2 * PLACES * SIDES, OUTPUTS = 3, COUNT = 11, BAD = 6 };
enum place { OF_ROW, OF_OUTPUT };
enum side { LOWER, UPPER };

static const hn_method methods[] = {HN_METHOD_AUTO, HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM};
static const char *const row_names[PLACES] = {"sum", "y1"};

/* The first of the two inputs behind a bound; the second divides it. */
static size_t input_of(enum place place, enum side side) {
    return 2 * ((size_t)place * SIDES + (size_t)side);
}

/* bl <= y1 + y2 <= bu, bl <= y1 <= bu with bounds of its own, and y2 y3 = 1/2 */
static hn_model *bounded_model(void) {
    static const char *const names[INPUTS] = {"a1", "b1", "a2", "b2", "a3", "b3", "a4", "b4"};
    hn_model *m = model_new();
    hn_expr x[INPUTS], bound[PLACES * SIDES];
    for (size_t i = 0; i < INPUTS; i++)
        x[i] = hn_input(m, names[i]);
    for (size_t i = 0; i < PLACES * SIDES; i++)
        bound[i] = hn_div(x[2 * i], x[2 * i + 1]);
    hn_expr y1 = hn_output(m, "y1"), y2 = hn_output(m, "y2"), y3 = hn_output(m, "y3");
    hn_constrain_between(m, "sum", bound[0], hn_add(y1, y2), bound[1]);
    hn_output_between(y1, bound[2], bound[3]);
    hn_constrain(m, "product", 0.5, hn_mul(y2, y3), 0.5);
    model_finish_good(m);
    return m;
}

static size_t row_of(const hn_model *model, enum place place) {
    for (size_t i = 0; i < hn_model_row_count(model); i++)
        if (strcmp(hn_model_row(model, i).name, row_names[place]) == 0)
            return i;
    fail_msg("there is no row %s", row_names[place]);
    return SIZE_MAX;
}

struct samples {
    double x[COUNT * INPUTS], raw[COUNT * OUTPUTS], grad_y[COUNT * OUTPUTS];
};

/* All bounds between 1 and 2 away from 0, on either side. */
static struct samples draw_samples(void) {
    struct samples s;
    struct random random = random_start(23, 0);
    for (size_t i = 0; i < COUNT * INPUTS; i++)
        s.x[i] = i % 2 ? 1 : random_between(&random, 1, 2) * (i / 2 % SIDES == LOWER ? -1 : 1);
    for (size_t i = 0; i < COUNT * OUTPUTS; i++) {
        s.raw[i] = 2 * random_normal(&random);
        s.grad_y[i] = random_normal(&random);
    }
    return s;
}

static struct layer_results run(const hn_layer *layer, const struct samples *s, size_t first, size_t count) {
    return run_and_pull(layer, count, s->x + first * INPUTS, s->raw + first * OUTPUTS, s->grad_y + first * OUTPUTS);
}

/* ---- one bound of one sample ---- */

/* What a bound becomes, as a quotient, and whether that is bad on each side. */
static const struct solver {
    double over, under;
    bool bad[SIDES];
} drives[] = {
    {0, 0, {true, true}},           /* NaN */
    {1, 0, {true, false}},          /* +infinity */
    {-1, 0, {false, true}},         /* -infinity */
    {1e300, 1e-300, {true, false}}, /* +infinity by overflow */
    {5, 1, {true, false}},          /* a lower bound above the upper one */
    {-5, 1, {false, true}},         /* an upper bound below the lower one */
};

struct scene {
    const hn_model *model;
    const hn_layer *layer;
    const struct layer_results *clean;
};

static void check_unusable(const struct layer_results *r, size_t row) {
    const hn_report *report = &r->reports[BAD];
    assert_int_equal(report->outcome, HN_OUTCOME_BAD_BOUNDS);
    assert_int_equal(report->culprit, row);
    assert_int_equal(report->worst, row);
    assert_true(report->violation == INFINITY && report->iterations == 0 && report->steps == 0);
    assert_true(r->flagged[BAD]);
    assert_all_zero(r->grad_y_raw + BAD * OUTPUTS, OUTPUTS);
    assert_all_zero(r->grad_x + BAD * INPUTS, INPUTS);
    assert_all_zero(r->grad_lower + BAD * r->rows, r->rows);
    assert_all_zero(r->grad_upper + BAD * r->rows, r->rows);
}

static void check_usable(const struct scene *scene, const struct samples *s, const struct layer_results *r) {
    const hn_report *report = &r->reports[BAD];
    double found = judged_violation(scene->model, s->x + BAD * INPUTS, r->y + BAD * OUTPUTS, false, NULL);
    assert_int_equal(report->culprit, SIZE_MAX);
    assert_true(report->outcome != HN_OUTCOME_BAD_BOUNDS && report->outcome != HN_OUTCOME_NONFINITE_INPUT);
    assert_int_equal(report->outcome == HN_OUTCOME_OK, found <= 1e-8);
    assert_same_bits(report->violation, found);
}

static void check_drive(const struct scene *scene, enum place place, enum side side, const struct solver *solver) {
    struct samples s = draw_samples();
    double *input = s.x + BAD * INPUTS + input_of(place, side);
    input[0] = solver->over, input[1] = solver->under;
    struct layer_results r = run(scene->layer, &s, 0, COUNT), alone = run(scene->layer, &s, BAD, 1);
    assert_finite_results(&r);
    if (solver->bad[side])
        check_unusable(&r, row_of(scene->model, place));
    else
        check_usable(scene, &s, &r);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(i == BAD ? same_results(&alone, 0, &r, i) : same_results(&r, i, scene->clean, i));
    results_release(&r);
    results_release(&alone);
}

TEST(what_becomes_of_a_bound_stays_in_its_sample) {
    hn_model *model = bounded_model();
    struct samples s = draw_samples();
    for (size_t k = 0; k < COUNT_OF(methods); k++) {
        hn_layer *layer = layer_of(model, layer_method(methods[k]));
        struct layer_results clean = run(layer, &s, 0, COUNT);
        struct scene scene = {model, layer, &clean};
        for (size_t i = 0; i < COUNT_OF(drives) * PLACES * SIDES; i++)
            check_drive(&scene, (enum place)(i / SIDES % PLACES), (enum side)(i % SIDES), &drives[i / SIDES / PLACES]);
        results_release(&clean);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* ---- what infinity means ---- */

/* y1 far out on one side, and y1 + y2 with it: only the bounds of that side are in the way. */
TEST(a_side_without_bounds_is_open) {
    hn_model *model = bounded_model();
    for (size_t i = 0; i < COUNT_OF(methods) * SIDES; i++) {
        enum side side = (enum side)(i % SIDES);
        double sign = side == LOWER ? -1 : 1;
        double x[INPUTS] = {-1, 1, 1, 1, -1, 1, 1, 1}, raw[OUTPUTS] = {sign * 1e3, 1, 0.5};
        hn_layer *layer = layer_of(model, layer_method(methods[i / SIDES]));
        struct layer_results r = results_of(layer, 1);
        hn_batch batch = batch_into(&r, x, raw);
        layer_run(layer, &batch);
        assert_true(fabs(r.reports[0].violation_before - 999) <= 1.0 && r.reports[0].moved > 100);
        for (int place = OF_ROW; place <= OF_OUTPUT; place++) {
            double *input = x + input_of((enum place)place, side);
            input[0] = sign, input[1] = 0;
        }
        layer_run(layer, &batch);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_OK);
        assert_memory_equal(r.y, raw, sizeof raw);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* Both sides of a row at one infinity: no y meets that. */
TEST(bounds_that_meet_at_infinity_are_bad) {
    hn_model *model = bounded_model();
    for (size_t i = 0; i < COUNT_OF(methods) * PLACES * 2; i++) {
        enum place place = (enum place)(i / 2 % PLACES);
        double sign = i % 2 ? 1 : -1, x[INPUTS] = {-1, 1, 1, 1, -1, 1, 1, 1}, raw[OUTPUTS] = {0, 1, 0.5};
        for (int side = LOWER; side <= UPPER; side++) {
            double *input = x + input_of(place, (enum side)side);
            input[0] = sign, input[1] = 0;
        }
        hn_layer *layer = layer_of(model, layer_method(methods[i / 2 / PLACES]));
        struct layer_results r = run_forward(layer, 1, x, raw);
        assert_int_equal(r.reports[0].outcome, HN_OUTCOME_BAD_BOUNDS);
        assert_int_equal(r.reports[0].culprit, row_of(model, place));
        assert_all_finite(r.y, OUTPUTS);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}
