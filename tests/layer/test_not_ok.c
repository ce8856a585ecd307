/* test_not_ok.c - what is returned for samples that are not ok: the best iterate, that clipped to the bounds of the outputs, or a
 * fallback (hn_not_ok).
 *
 * The model is a safety filter: an acceleration u within +-6 has to brake by at least x, and a second output turns with it. For
 * x > 6 there is no such u. Judged by the equations, at the y that is returned.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

enum { COUNT = 37, OUTPUTS = 3, LIMIT = 6 };

static const hn_method methods[] = {HN_METHOD_AUTO,    HN_METHOD_LM,       HN_METHOD_PAPER,  HN_METHOD_ENFORCE,
                                    HN_METHOD_NEAREST, HN_METHOD_SNARENET, HN_METHOD_OPTIMAL};

static const double fallback[] = {-5.5, 0.25, 7};

static hn_model *filter_model(void) {
    hn_model *m = model_new();
    hn_expr x = hn_input(m, "x"), u = hn_output(m, "u"), v = hn_output(m, "v"), w = hn_output(m, "w");
    hn_output_between(u, hn_constant(m, -LIMIT), hn_constant(m, LIMIT));
    hn_output_between(v, hn_constant(m, -1), hn_constant(m, 1));
    hn_constrain_between(m, "brake", hn_constant(m, -INFINITY), hn_add(u, hn_scale(0.1, hn_mul(v, v))), hn_neg(x));
    hn_constrain(m, "turn", 0, hn_sub(v, hn_sin(u)), 0);
    hn_output_fix(w, hn_constant(m, 3));
    hn_minimize(m, "effort", hn_add(hn_mul(u, u), hn_mul(v, v)));
    model_finish_good(m);
    return m;
}

/* The largest violation at y. */
static double violation_of(double x, const double *y) {
    const double r[] = {y[0] - LIMIT,     -LIMIT - y[0],   y[1] - 1, -1 - y[1], y[0] + 0.1 * (y[1] * y[1]) + x,
                        y[1] - sin(y[0]), sin(y[0]) - y[1]};
    double largest = 0;
    for (size_t i = 0; i < COUNT_OF(r); i++)
        largest = fmax(largest, r[i]);
    return largest;
}

struct samples {
    double x[COUNT], raw[COUNT * OUTPUTS], grad_y[COUNT * OUTPUTS];
};

/* Every third sample is infeasible, one is not a number. */
static struct samples draw_samples(void) {
    struct samples s;
    for (int i = 0; i < COUNT; i++) {
        s.x[i] = i % 3 == 1 ? 7 + 0.5 * i : -1 + 0.1 * i;
        for (int j = 0; j < OUTPUTS; j++) {
            s.raw[i * OUTPUTS + j] = 3 * sin(1 + i + 2.5 * j);
            s.grad_y[i * OUTPUTS + j] = 1 + j;
        }
    }
    s.raw[OUTPUTS * 5] = NAN;
    return s;
}

static struct layer_results run(const hn_layer *layer, hn_not_ok choice, bool taped, bool own_fallback) {
    const struct samples s = draw_samples();
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, s.x, s.raw);
    hn_gradient gradient = gradient_into(&r, s.grad_y);
    batch.not_ok = choice;
    batch.fallback = own_fallback ? fallback : NULL;
    batch.tape = taped ? r.tape : NULL;
    layer_run(layer, &batch);
    if (taped)
        layer_pull(layer, &batch, &gradient);
    return r;
}

static double clipped(double value, double limit) {
    return fmax(-limit, fmin(limit, value));
}

static void check_replaced(const struct layer_results *r, const struct layer_results *best, size_t i, bool taped) {
    const hn_report *report = &r->reports[i], *before = &best->reports[i];
    const struct samples s = draw_samples();
    const double *y = r->y + i * OUTPUTS;
    assert_int_equal(report->outcome, before->outcome);
    assert_int_equal(report->iterations, before->iterations);
    assert_int_equal(report->steps, 0);
    assert_true(fabs(report->violation - violation_of(s.x[i], y)) <= 1e-12 * (1 + report->violation));
    assert_true(report->kkt == INFINITY && report->proof == INFINITY);
    double most = 0;
    for (size_t k = 0; k < r->rows; k++)
        most = fmax(most, fabs(r->residual[i * r->rows + k]));
    assert_same_bits(most, report->violation);
    if (r->multipliers)
        assert_all_zero(r->multipliers + i * r->rows, r->rows);
    if (!taped)
        return;
    assert_true(r->flagged[i]);
    assert_all_zero(r->grad_y_raw + i * OUTPUTS, OUTPUTS);
}

static void check_all(const hn_layer *layer, hn_not_ok choice, bool taped, bool own_fallback) {
    struct layer_results best = run(layer, HN_NOT_OK_BEST, taped, own_fallback);
    struct layer_results r = run(layer, choice, taped, own_fallback);
    size_t replaced = 0;
    for (size_t i = 0; i < COUNT; i++) {
        const double *y = r.y + i * OUTPUTS, *first = best.y + i * OUTPUTS;
        if (best.reports[i].outcome == HN_OUTCOME_OK || best.reports[i].outcome == HN_OUTCOME_NONFINITE_INPUT) {
            assert_memory_equal(y, first, OUTPUTS * sizeof *y);
            assert_memory_equal(&r.reports[i], &best.reports[i], sizeof *r.reports);
            continue;
        }
        replaced++;
        if (choice == HN_NOT_OK_CLIP) {
            assert_same_bits(y[0], clipped(first[0], LIMIT));
            assert_same_bits(y[1], clipped(first[1], 1));
        } else {
            assert_same_bits(y[0], own_fallback ? fallback[0] : 0);
            assert_same_bits(y[1], own_fallback ? fallback[1] : 0);
        }
        assert_same_bits(y[2], 3);
        check_replaced(&r, &best, i, taped);
    }
    assert_true(replaced >= COUNT / 3);
    results_release(&best);
    results_release(&r);
}

TEST(a_sample_that_is_not_ok_returns_what_was_chosen_and_a_report_about_it) {
    hn_model *m = filter_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer *layer = layer_of(m, layer_method(methods[i]));
        for (int taped = 0; taped < 2; taped++) {
            check_all(layer, HN_NOT_OK_CLIP, taped, false);
            check_all(layer, HN_NOT_OK_CLIP, taped, true);
            check_all(layer, HN_NOT_OK_FALLBACK, taped, true);
            check_all(layer, HN_NOT_OK_FALLBACK, taped, false);
        }
        hn_layer_destroy(layer);
    }
    hn_model_destroy(m);
}

/* The best iterate leaves the bounds of the actuator: what the choice is for. */
TEST(the_best_iterate_of_an_infeasible_state_may_leave_the_bounds) {
    hn_model *m = filter_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    struct layer_results best = run(layer, HN_NOT_OK_BEST, false, false),
                         kept = run(layer, HN_NOT_OK_CLIP, false, false);
    size_t outside = 0;
    for (size_t i = 0; i < COUNT; i++) {
        outside += fabs(best.y[i * OUTPUTS]) > LIMIT + 1;
        assert_true(fabs(kept.y[i * OUTPUTS]) <= LIMIT + 1e-8);
    }
    assert_true(outside > 5);
    results_release(&best);
    results_release(&kept);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

/* Threads, a deadline that has passed, and the size of the batch change nothing. */
TEST(the_choice_is_made_for_every_sample_by_itself) {
    hn_error error;
    hn_model *m = filter_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    struct layer_results all = run(layer, HN_NOT_OK_CLIP, true, false), one = results_of(layer, 1);
    const struct samples s = draw_samples();
    for (size_t i = 0; i < COUNT; i++) {
        hn_batch batch = batch_into(&one, s.x + i, s.raw + i * OUTPUTS);
        hn_gradient gradient = gradient_into(&one, s.grad_y + i * OUTPUTS);
        batch.not_ok = HN_NOT_OK_CLIP;
        layer_run(layer, &batch);
        layer_pull(layer, &batch, &gradient);
        assert_true(same_results(&one, 0, &all, i));
    }
    hn_pool *pool;
    assert_int_equal(hn_pool_create(&pool, layer, 3, &error), HN_OK);
    struct layer_results threads = results_of(layer, COUNT);
    hn_batch batch = batch_into(&threads, s.x, s.raw);
    int cancel = 1;
    batch.not_ok = HN_NOT_OK_CLIP;
    assert_int_equal(hn_pool_run(pool, &batch, &error), HN_OK);
    assert_memory_equal(threads.y, all.y, COUNT * OUTPUTS * sizeof *all.y);
    batch.cancel = &cancel;
    assert_int_equal(hn_pool_run(pool, &batch, &error), HN_OK);
    for (size_t i = 0; i < COUNT; i++)
        assert_true(fabs(threads.y[i * OUTPUTS]) <= LIMIT && fabs(threads.y[i * OUTPUTS + 1]) <= 1);
    hn_pool_destroy(pool);
    results_release(&threads);
    results_release(&one);
    results_release(&all);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}

TEST(choices_have_names_and_unknown_ones_are_refused) {
    hn_not_ok choice = HN_NOT_OK_COUNT;
    for (int i = 0; i < HN_NOT_OK_COUNT; i++) {
        assert_true(hn_not_ok_find(hn_not_ok_text((hn_not_ok)i), &choice));
        assert_int_equal(choice, i);
    }
    assert_false(hn_not_ok_find("none", &choice));
    assert_string_equal(hn_not_ok_text(HN_NOT_OK_COUNT), "unknown");
    hn_error error;
    hn_model *m = filter_model();
    hn_layer *layer = layer_of(m, layer_method(HN_METHOD_AUTO));
    hn_pool *pool;
    assert_int_equal(hn_pool_create(&pool, layer, 1, &error), HN_OK);
    struct layer_results r = results_of(layer, COUNT);
    const struct samples s = draw_samples();
    hn_batch batch = batch_into(&r, s.x, s.raw);
    batch.not_ok = HN_NOT_OK_COUNT;
    assert_error(hn_pool_run(pool, &batch, &error), HN_INVALID, error, "batch.not_ok");
    results_release(&r);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    hn_model_destroy(m);
}
