/* test_trainer.c - the gradient by the weights, through network, layer and loss, and bits that do not know the threads.
 *
 * SPDX-License-Identifier: MIT */
#include "training/training_parts.h"

#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

enum { INPUTS = 3, OUTPUTS = 50, SAMPLES = 50 };
enum { BATCH = 3 * CHUNK + 10 }; /* four chunks: with fewer than three, every order has the same sum */

static hn_network *network_of(size_t candidates) {
    const hn_network_options options = {.inputs = INPUTS,
                                        .outputs = OUTPUTS * candidates,
                                        .hidden_count = 2,
                                        .hidden = {20, 30},
                                        .activation = HN_ACTIVATION_TANH,
                                        .seed = 3};
    return network_with(options);
}

static hn_trainer *trainer_of(const hn_model *model, hn_network *network, hn_train_options options) {
    hn_trainer *trainer;
    hn_error error;
    if (hn_trainer_create(&trainer, model, network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return trainer;
}

static void draw(double *x, size_t count, uint64_t stream) {
    struct random random = random_start(4, stream);
    for (size_t i = 0; i < count; i++) {
        x[3 * i] = random_between(&random, -4, -2.5);
        x[3 * i + 1] = random_between(&random, 1.2, 2.4);
        x[3 * i + 2] = random_between(&random, -0.4, 0.4);
    }
}

/* ---- the gradient ---- */

static double loss_at(hn_trainer *trainer, const double *x, size_t count, double *parameters, const double *from,
                      const double *direction, double h) {
    hn_train_report report;
    for (size_t i = 0; i < trainer->parameters; i++)
        parameters[i] = from[i] + h * direction[i];
    assert_int_equal(hn_trainer_step(trainer, count, x, NULL, &report, NULL), HN_OK);
    return report.loss;
}

/* Differences over steps so small that no decision of the layer changes between them, for one sample at a time. */
TEST(the_gradient_by_the_weights_is_that_of_differences) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_train_options options = hn_train_defaults();
    options.rate = 1e-300;
    options.clip_sample = options.inward = 0;
    options.improve = 0;
    hn_trainer *trainer = trainer_of(model, network, options);
    size_t count = trainer->parameters, good = 0;
    double *p = hn_network_parameters(network), *from = calloc(count, sizeof *from), worst = 0;
    double *direction = calloc(count, sizeof *direction), *gradient = calloc(count, sizeof *gradient);
    memcpy(from, p, count * sizeof *p);
    for (uint64_t k = 0; k < 20; k++) {
        double x[INPUTS], slope = 0, h = 1e-5;
        struct random random = random_start(6, k);
        draw(x, 1, k);
        for (size_t i = 0; i < count; i++)
            direction[i] = random_normal(&random) / sqrt((double)count);
        loss_at(trainer, x, 1, p, from, direction, 0);
        memcpy(gradient, trainer->gradients, count * sizeof *gradient);
        for (size_t i = 0; i < count; i++)
            slope += gradient[i] * direction[i];
        double fine =
            (loss_at(trainer, x, 1, p, from, direction, h) - loss_at(trainer, x, 1, p, from, direction, -h)) / (2 * h);
        double error = fabs(fine - slope) / fmax(1, fabs(slope));
        good += error < 1e-5;
        worst = error < 1e-5 ? fmax(worst, error) : worst;
    }
    print_message("%zu of 20 directions agree, to %.1e\n", good, worst);
    assert_true(good >= 18); /* a decision may change within the difference */
    free(from);
    free(direction);
    free(gradient);
    trainer_release(trainer, network, model);
}

/* ---- threads ---- */

static void train_on(int threads, size_t candidates, int improve, double *parameters) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(candidates);
    hn_train_options options = hn_train_defaults();
    options.policy.threads = threads;
    options.policy.candidates = candidates;
    options.improve = improve;
    hn_trainer *trainer = trainer_of(model, network, options);
    double x[BATCH * INPUTS];
    for (uint64_t k = 0; k < 5; k++) {
        hn_train_report report;
        draw(x, BATCH, k);
        assert_int_equal(hn_trainer_step(trainer, BATCH, x, NULL, &report, NULL), HN_OK);
        assert_int_equal(report.samples, BATCH);
        assert_true(isfinite(report.loss) && isfinite(report.gradient));
    }
    memcpy(parameters, hn_network_parameters_of(network), trainer->parameters * sizeof *parameters);
    trainer_release(trainer, network, model);
}

TEST(the_weights_do_not_know_the_number_of_threads) {
    static const int threads[] = {2, 3, 4, 8};
    for (int kind = 0; kind < 4; kind++) {
        size_t candidates = kind % 2 ? 3 : 1;
        hn_network *network = network_of(candidates);
        size_t count = hn_network_parameter_count(network);
        double *one = calloc(count, sizeof *one), *other = calloc(count, sizeof *other);
        train_on(1, candidates, kind / 2, one);
        for (size_t k = 0; k < COUNT_OF(threads); k++) {
            train_on(threads[k], candidates, kind / 2, other);
            assert_memory_equal(one, other, count * sizeof *one);
        }
        free(one);
        free(other);
        hn_network_destroy(network);
    }
}

/* A step leaves the gradients of all chunks but the first, which takes the sum; with the first two chunks exchanged it leaves that one. */
TEST(the_gradient_of_a_batch_is_that_of_its_chunks_added_in_order) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_train_options options = hn_train_defaults();
    options.improve = 0;
    hn_trainer *trainer = trainer_of(model, network, options);
    size_t count = trainer->parameters, differs = 0;
    double *sum = calloc(count, sizeof *sum), *p = hn_network_parameters(network);
    double *from = calloc(count, sizeof *from), x[BATCH * INPUTS], swapped[BATCH * INPUTS];
    draw(x, BATCH, 8);
    memcpy(swapped, x, sizeof x);
    memcpy(swapped, x + CHUNK * INPUTS, CHUNK * INPUTS * sizeof *x);
    memcpy(swapped + CHUNK * INPUTS, x, CHUNK * INPUTS * sizeof *x);
    memcpy(from, p, count * sizeof *p);
    assert_int_equal(hn_trainer_step(trainer, BATCH, swapped, NULL, NULL, NULL), HN_OK);
    memcpy(sum, trainer->gradients + count, count * sizeof *sum);
    memcpy(p, from, count * sizeof *p);
    assert_int_equal(hn_trainer_step(trainer, BATCH, x, NULL, NULL, NULL), HN_OK);
    for (size_t i = 0; i < count; i++) {
        const double *g = trainer->gradients + i;
        differs += g[0] != sum[i] + (g[count] + (g[2 * count] + g[3 * count]));
        assert_same_bits(g[0], sum[i] + g[count] + g[2 * count] + g[3 * count]);
    }
    assert_true(differs > count / 10); /* another order is another sum */
    free(sum);
    free(from);
    trainer_release(trainer, network, model);
}

/* ---- outputs ---- */

TEST(what_comes_out_in_the_end_holds_the_constraints) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(2);
    hn_train_options options = hn_train_defaults();
    options.policy.candidates = 2;
    options.policy.refine = 3;
    hn_trainer *trainer = trainer_of(model, network, options);
    double x[SAMPLES * INPUTS], y[SAMPLES * OUTPUTS], objective[SAMPLES], plain[SAMPLES];
    hn_report reports[SAMPLES];
    draw(x, SAMPLES, 9);
    assert_int_equal(hn_policy_run(hn_trainer_policy(trainer), SAMPLES, x, y, objective, reports, NULL), HN_OK);
    for (size_t i = 0; i < SAMPLES; i++) {
        hn_expr f = hn_model_objective(model).minimized;
        assert_int_equal(reports[i].outcome, HN_OUTCOME_OK);
        assert_int_equal(hn_model_evaluate(model, 1, &f, x + 3 * i, y + OUTPUTS * i, &plain[i], NULL), HN_OK);
        assert_in_interval(objective[i] / plain[i], 1 - 1e-12, 1 + 1e-12);
    }
    trainer_release(trainer, network, model);
}

/* ---- learning ---- */

static double objective_of(hn_trainer *trainer, const double *x) {
    double objective[SAMPLES], sum = 0;
    hn_report reports[SAMPLES];
    assert_int_equal(hn_policy_run(hn_trainer_policy(trainer), SAMPLES, x, NULL, objective, reports, NULL), HN_OK);
    for (size_t i = 0; i < SAMPLES; i++)
        sum += objective[i];
    return sum / SAMPLES;
}

/* An untrained network costs about 550 in the mean here, the optimum less than 330. */
TEST(improvement_teaches) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_train_options options = hn_train_defaults();
    options.rate = 1e-2;
    options.steps = 150;
    hn_trainer *trainer = trainer_of(model, network, options);
    double x[SAMPLES * INPUTS], batch[SAMPLES * INPUTS];
    draw(x, SAMPLES, 99);
    double before = objective_of(trainer, x);
    for (uint64_t k = 0; k < 150; k++) {
        draw(batch, SAMPLES, 1000 + k);
        assert_int_equal(hn_trainer_step(trainer, SAMPLES, batch, NULL, NULL, NULL), HN_OK);
    }
    double after = objective_of(trainer, x);
    print_message("mean objective %.1f before, %.1f after 150 steps\n", before, after);
    assert_true(after < 0.75 * before);
    trainer_release(trainer, network, model);
}

TEST(targets_are_learned) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_train_options options = hn_train_defaults();
    options.rate = 1e-2;
    options.warmup = 0;
    hn_trainer *trainer = trainer_of(model, network, options);
    double x[SAMPLES * INPUTS], y[SAMPLES * OUTPUTS];
    hn_train_report first, last = {.loss = 0};
    draw(x, SAMPLES, 5);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        y[i] = 0.1 * (double)(i % OUTPUTS % 7) + 0.1 * x[i / OUTPUTS * INPUTS];
    assert_int_equal(hn_trainer_step(trainer, SAMPLES, x, y, &first, NULL), HN_OK);
    for (int k = 0; k < 100; k++)
        assert_int_equal(hn_trainer_step(trainer, SAMPLES, x, y, &last, NULL), HN_OK);
    assert_true(last.loss < 0.1 * first.loss);
    trainer_release(trainer, network, model);
}

/* ---- options ---- */

static void check_refusal(const hn_train_options *options, const char *option, const char *text) {
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_trainer *trainer;
    hn_error error;
    assert_int_equal(hn_trainer_create(&trainer, model, network, options, &error), HN_INVALID);
    assert_null(trainer);
    assert_int_equal(error.code, HN_CODE_OPTION);
    assert_string_equal(error.subject, option);
    assert_string_equal(error.text, text);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(an_option_out_of_range_is_named) {
    hn_train_options bad = hn_train_defaults();
    bad.rate = 0;
    check_refusal(&bad, "rate", "rate 0: choose a finite number above 0");
    bad = hn_train_defaults();
    bad.square_weight = NAN;
    check_refusal(&bad, "square_weight", "square_weight NaN: choose a number from 0 on");
    bad = hn_train_defaults();
    bad.warmup = -1;
    check_refusal(&bad, "warmup", "warmup -1: choose a number from 0 on");
    bad = hn_train_defaults();
    bad.improve = REFINE_MOST_STEPS;
    check_refusal(&bad, "improve", "improve 1000: choose 0 to 999 steps");
}
