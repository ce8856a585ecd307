/* test_same_bits.c - a short training has one digest: whatever the compiler, its level of optimisation, the instruction set and the
 * number of threads.
 *
 * The digest below is that of the weights after 200 steps, candidates, exploration and refinement included. A change that moves
 * results on purpose changes it, with a line under Numerics in the CHANGELOG.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"

#include <string.h>

enum { STEPS = 200, BATCH = 48, INPUTS = 3, OUTPUTS = 50 };

static const char expected[] = "1a9ccc7e29509df347368828f15f56b17e747780abbc36a2355f92403f37844c";

static void draw(double *x, uint64_t step) {
    struct random random = random_start(21, step);
    for (size_t i = 0; i < BATCH; i++) {
        x[INPUTS * i] = random_between(&random, -4, -2.5);
        x[INPUTS * i + 1] = random_between(&random, -2.4, 2.4);
        x[INPUTS * i + 2] = random_between(&random, -0.45, 0.45);
    }
}

static void train(int threads, char out[DIGEST_TEXT]) {
    static const char *const path = "models/unicycle.mod";
    const hn_network_options shape = {.inputs = INPUTS,
                                      .outputs = 2 * OUTPUTS,
                                      .hidden_count = 2,
                                      .hidden = {24, 16},
                                      .activation = HN_ACTIVATION_SILU,
                                      .seed = 7};
    hn_train_options options = hn_train_defaults();
    hn_model *model;
    hn_network *network;
    hn_trainer *trainer;
    double x[BATCH * INPUTS];
    options.policy.candidates = 2;
    options.policy.threads = threads;
    options.steps = STEPS;
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, NULL), HN_OK);
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
    for (uint64_t step = 0; step < STEPS; step++) {
        draw(x, step);
        assert_int_equal(hn_trainer_step(trainer, BATCH, x, NULL, NULL, NULL), HN_OK);
    }
    struct digest digest = digest_start();
    for (size_t i = 0; i < hn_network_parameter_count(network); i++)
        digest_add_number(&digest, hn_network_parameters_of(network)[i]);
    digest_finish_text(&digest, out);
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

static void a_short_training_has_one_digest(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 3, 4, 8};
    for (size_t i = 0; i < sizeof threads / sizeof threads[0]; i++) {
        char digest[DIGEST_TEXT];
        train(threads[i], digest);
        assert_string_equal(digest, expected);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_short_training_has_one_digest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
