/* test_valleys.c - a model with two optima: which candidate an output comes from, and steps that start from what is known.
 *
 * f(y) = (y^2 - 1)^2 + 0.3 x y has a valley near y = 1 and one near y = -1; the sign of x says which is the deeper one.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/numbers.h"

enum { SAMPLES = 40 };

static hn_model *valleys(void) {
    static const char text[] = "param x >= -1, <= 1; var y := 1; subject to c: -2 <= y <= 2;"
                               "minimize f: (y^2 - 1)^2 + 0.3*x*y;";
    const hn_text texts[] = {{"valleys", text, sizeof text - 1}};
    hn_model *model;
    hn_error error = {.text = ""};
    if (hn_model_read_memory(&model, 1, texts, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

/* Its outputs are the shifts at first: candidate k gives shift[k]. */
static hn_network *network_at(size_t candidates, const double *shift) {
    const hn_network_options options = {.inputs = 1,
                                        .outputs = candidates,
                                        .hidden_count = 1,
                                        .hidden = {8},
                                        .activation = HN_ACTIVATION_TANH,
                                        .seed = 5};
    const double scale[] = {1, 1, 1};
    hn_network *network;
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    assert_int_equal(hn_network_set_output(network, shift, scale, NULL), HN_OK);
    double *p = hn_network_parameters(network);
    memset(p + 16, 0, (hn_network_parameter_count(network) - 16) * sizeof *p); /* the last layer */
    return network;
}

/* From -1 to 1 without 0, or with one sign only. */
static void draw(double *x, int sign) {
    for (int i = 0; i < SAMPLES; i++) {
        double at = (i + 0.5) / SAMPLES;
        x[i] = sign == 0 ? 2 * at - 1 : sign * (0.2 + 0.8 * at);
    }
}

/* ---- which candidate ---- */

TEST(the_candidate_that_was_chosen_is_the_one_with_the_lowest_objective) {
    static const double shift[] = {-1, 1, 2}; /* the last is never the best */
    hn_model *model = valleys();
    hn_network *network = network_at(3, shift);
    hn_policy_options options = hn_policy_defaults();
    options.candidates = 3;
    for (int refine = 0; refine < 2; refine++)
        for (int threads = 1; threads <= 3; threads += 2) {
            double x[SAMPLES], y[SAMPLES], f[SAMPLES], plain_y[SAMPLES], plain_f[SAMPLES];
            size_t chosen[SAMPLES];
            hn_policy *policy;
            options.threads = threads;
            options.refine = refine;
            draw(x, 0);
            assert_int_equal(hn_policy_create(&policy, model, network, &options, NULL), HN_OK);
            assert_int_equal(hn_policy_run_chosen(policy, SAMPLES, x, y, f, NULL, chosen, NULL), HN_OK);
            assert_int_equal(hn_policy_run(policy, SAMPLES, x, plain_y, plain_f, NULL, NULL), HN_OK);
            assert_memory_equal(y, plain_y, sizeof y);
            assert_memory_equal(f, plain_f, sizeof f);
            for (int i = 0; i < SAMPLES; i++) {
                assert_int_equal(chosen[i], x[i] > 0 ? 0 : 1);
                assert_true(fabs(y[i] - shift[chosen[i]]) < 0.1);
                double here = (y[i] * y[i] - 1) * (y[i] * y[i] - 1) + 0.3 * x[i] * y[i];
                assert_true(fabs(f[i] - here) < 1e-12 && here <= -0.3 * fabs(x[i]) + 1e-12);
                if (refine == 0)
                    assert_true(y[i] == shift[chosen[i]]);
            }
            hn_policy_destroy(policy);
        }
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* ---- steps from what is known ---- */

static hn_trainer *trainer_of(const hn_model *model, hn_network *network, int threads) {
    hn_train_options options = hn_train_defaults();
    hn_trainer *trainer;
    hn_error error = {.text = ""};
    options.policy.threads = threads;
    options.rate = 2e-2;
    options.warmup = 0;
    options.steps = 100000; /* the rate stays */
    if (hn_trainer_create(&trainer, model, network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return trainer;
}

/* So many steps, from starts at this y (NAN: none); then the largest distance of an output from `valley`. */
static double train(hn_trainer *trainer, int steps, double at, double valley) {
    double x[SAMPLES], starts[SAMPLES], y[SAMPLES], farthest = 0;
    draw(x, 1); /* where the valley at -1 is deeper by 6 to 30 % of what f is */
    for (int i = 0; i < SAMPLES; i++)
        starts[i] = at;
    for (int k = 0; k < steps; k++)
        assert_int_equal(isnan(at) ? hn_trainer_step(trainer, SAMPLES, x, NULL, NULL, NULL)
                                   : hn_trainer_step_from(trainer, SAMPLES, x, starts, NULL, NULL),
                         HN_OK);
    assert_int_equal(hn_policy_run(hn_trainer_policy(trainer), SAMPLES, x, y, NULL, NULL, NULL), HN_OK);
    for (int i = 0; i < SAMPLES; i++)
        farthest = fmax(farthest, fabs(y[i] - valley));
    return farthest;
}

TEST(starts_lead_to_the_deeper_valley_and_never_out_of_it) {
    const double there = 1;
    hn_model *model = valleys();
    hn_network *network = network_at(1, &there);
    hn_trainer *trainer = trainer_of(model, network, 1);
    assert_true(train(trainer, 200, NAN, 1) < 0.2); /* by itself it stays where it began */
    assert_true(train(trainer, 400, -1, -1) < 0.2);
    assert_true(train(trainer, 200, 1, -1) < 0.2); /* what is worse is not learnt */
    trainer_release(trainer, network, model);
}

TEST(steps_from_starts_do_not_know_the_number_of_threads) {
    const double there = 1;
    double one[64], other[64];
    hn_model *model = valleys();
    for (int threads = 1; threads <= 3; threads += 2) {
        hn_network *network = network_at(1, &there);
        hn_trainer *trainer = trainer_of(model, network, threads);
        size_t bytes = hn_network_parameter_count(network) * sizeof *one;
        assert_true(bytes <= sizeof one);
        train(trainer, 30, -1, -1);
        memcpy(threads == 1 ? one : other, hn_network_parameters_of(network), bytes);
        if (threads > 1)
            assert_memory_equal(one, other, bytes);
        hn_trainer_destroy(trainer);
        hn_network_destroy(network);
    }
    hn_model_destroy(model);
}

/* The loss `targets` and `objective` have no use for starts. */
TEST(starts_without_exploring_are_refused) {
    const double there = 1, x = 0.5, start = -1;
    hn_model *model = valleys();
    for (int kind = 0; kind < 3; kind++) {
        hn_network *network = network_at(1, &there);
        hn_train_options options = hn_train_defaults();
        hn_trainer *trainer;
        hn_error error = {.text = ""};
        options.improve = kind != 0;
        options.explore = kind == 1 ? 0 : options.explore;
        assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
        assert_int_equal(hn_trainer_step_from(trainer, 1, &x, kind == 2 ? NULL : &start, NULL, &error), HN_INVALID);
        assert_int_equal(error.code, HN_CODE_ARGUMENT);
        assert_string_equal(error.subject, "starts");
        assert_int_equal(hn_trainer_steps(trainer), 0);
        hn_trainer_destroy(trainer);
        hn_network_destroy(network);
    }
    hn_model_destroy(model);
}
