/* test_same_bits.c - a short training has one digest: whatever the compiler, its level of optimisation, the instruction set and the
 * number of threads.
 *
 * The digests below are those of the weights in the end, candidates, exploration and refinement included: a long course of small
 * batches, and a short one of large batches, where every step's report counts, too. A large batch is nine chunks, the last one short: a
 * sum over two chunks would not know their order. A change that moves results on purpose changes the digests, with a line under
 * Numerics in the CHANGELOG.
 *
 * SPDX-License-Identifier: MIT */
#include "base/digest.h"
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "training/training_parts.h"

enum { MOST = 330, CHUNKS = 9, INPUTS = 3, OUTPUTS = 50 };
_Static_assert((MOST + CHUNK - 1) / CHUNK == CHUNKS && MOST % CHUNK != 0, "nine chunks, the last one short");

static const struct course {
    size_t batch;
    int steps, warmup; /* a cosine follows; negative: the default */
    bool reports;
    const char *digest;
} courses[] = {
    {48, 200, -1, false, "96da1ae64c59f3e903fc4c16c01689d0371b6c480ea6b595ad9a26a92c5a9739"},
    {MOST, 20, 8, true, "9a316e7bed2cd18122d803827f8c3e0d76575ccc6d685f6df4a63a110cfc2df4"},
};

static void draw(double *x, size_t count, uint64_t step) {
    struct random random = random_start(21, step);
    for (size_t i = 0; i < count; i++) {
        x[INPUTS * i] = random_between(&random, -4, -2.5);
        x[INPUTS * i + 1] = random_between(&random, -2.4, 2.4);
        x[INPUTS * i + 2] = random_between(&random, -0.45, 0.45);
    }
}

static void add_report(struct digest *digest, const hn_train_report *r) {
    const double numbers[] = {r->loss, r->objective, r->residual, r->violation, r->moved, r->gradient, r->steps};
    digest_add_size(digest, r->samples);
    digest_add_size(digest, r->ok);
    digest_add_size(digest, r->dropped);
    for (size_t i = 0; i < COUNT_OF(numbers); i++)
        digest_add_number(digest, numbers[i]);
}

static void train(const struct course *course, int threads, char out[DIGEST_TEXT]) {
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
    double x[MOST * INPUTS];
    struct digest digest = digest_start();
    options.policy.candidates = 2;
    options.policy.threads = threads;
    options.steps = course->steps;
    if (course->warmup >= 0)
        options.warmup = course->warmup;
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, NULL), HN_OK);
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
    for (int step = 0; step < course->steps; step++) {
        hn_train_report report;
        draw(x, course->batch, (uint64_t)step);
        assert_int_equal(hn_trainer_step(trainer, course->batch, x, NULL, &report, NULL), HN_OK);
        if (course->reports)
            add_report(&digest, &report);
    }
    for (size_t i = 0; i < hn_network_parameter_count(network); i++)
        digest_add_number(&digest, hn_network_parameters_of(network)[i]);
    digest_finish_text(&digest, out);
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(a_short_training_has_one_digest) {
    static const int threads[] = {3, 1, 2, 4, 8};
    enum { CROWDS = HN_TEST_SHARE > 1 ? 1 : COUNT_OF(threads) }; /* sanitizers are slow */
    for (size_t i = 0; i < CROWDS * COUNT_OF(courses); i++) {
        const struct course *course = &courses[i / CROWDS];
        char digest[DIGEST_TEXT];
        train(course, threads[i % CROWDS], digest);
        assert_string_equal(digest, course->digest);
    }
}
