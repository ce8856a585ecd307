/* test_refine.c - hardnet/refine.h: the bits of policies and trainers, outputs judged by the equations, honest refusals.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"

#include "base/random.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

enum { COUNT = 90, N = 50, M = 60, INPUTS = 3 }; /* two chunks and a short one */

static hn_network *network_of(size_t candidates) {
    const hn_network_options shape = {.inputs = INPUTS,
                                      .outputs = candidates * N,
                                      .hidden_count = 1,
                                      .hidden = {16},
                                      .activation = HN_ACTIVATION_TANH,
                                      .seed = 4};
    return network_with(shape);
}

static void draw(double *x, size_t count) {
    struct random random = random_start(9, 1);
    for (size_t i = 0; i < count; i++) {
        x[INPUTS * i] = random_between(&random, -4, -2.5);
        x[INPUTS * i + 1] = random_between(&random, -2.4, 2.4);
        x[INPUTS * i + 2] = random_between(&random, -0.45, 0.45);
    }
}

static void run_network(const hn_network *network, size_t count, const double *x, double *raw) {
    size_t bytes = hn_network_workspace_bytes(network);
    void *workspace = malloc(bytes);
    assert_int_equal(hn_network_run(network, count, x, raw, workspace, bytes, NULL), HN_OK);
    free(workspace);
}

static hn_refiner *refiner_of(const hn_model *model, int steps, size_t candidates, int threads) {
    hn_refine_options options = hn_refine_defaults();
    hn_refiner *refiner;
    hn_error error;
    options.steps = steps;
    options.candidates = candidates;
    options.threads = threads;
    if (hn_refiner_create(&refiner, model, NULL, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return refiner;
}

/* Everything that a batch of the unicycle has. */
struct results {
    double y[COUNT * N], objective[COUNT], multipliers[COUNT * M];
    hn_report reports[COUNT];
};

static hn_refinement batch_into(struct results *results, size_t count, const double *x, const double *raw) {
    memset(results, 0, sizeof *results);
    return (hn_refinement){.size = sizeof(hn_refinement),
                           .count = count,
                           .x = x,
                           .y_raw = raw,
                           .y = results->y,
                           .objective = results->objective,
                           .report_size = sizeof(hn_report),
                           .reports = results->reports,
                           .multipliers = results->multipliers};
}

/* ---- refine ---- */

TEST(refinement_has_the_bits_of_a_policy) {
    static struct results own, policys; // NOLINT: of a test
    static double x[COUNT * INPUTS], raw[COUNT * N];
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_policy_options options = hn_policy_defaults();
    hn_policy *policy;
    draw(x, COUNT);
    run_network(network, COUNT, x, raw);
    for (int steps = 0; steps <= 3; steps += 3) {
        hn_refiner *refiner = refiner_of(model, steps, 1, 2);
        hn_refinement batch = batch_into(&own, COUNT, x, raw);
        assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
        options.refine = steps;
        assert_int_equal(hn_policy_create(&policy, model, network, &options, NULL), HN_OK);
        assert_int_equal(hn_policy_run(policy, COUNT, x, policys.y, policys.objective, policys.reports, NULL), HN_OK);
        assert_memory_equal(own.y, policys.y, sizeof own.y);
        assert_memory_equal(own.objective, policys.objective, sizeof own.objective);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(own.reports[i].outcome, policys.reports[i].outcome);
            assert_int_equal(own.reports[i].iterations, policys.reports[i].iterations);
            assert_same_bits(own.reports[i].violation, policys.reports[i].violation);
            assert_same_bits(own.reports[i].moved, policys.reports[i].moved);
        }
        hn_policy_destroy(policy);
        hn_refiner_destroy(refiner);
    }
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(an_output_never_gets_worse_and_the_way_can_be_taken_in_two_calls) {
    static struct results none, once, again; // NOLINT: of a test
    static double x[COUNT * INPUTS], raw[COUNT * N];
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    hn_refiner *plain = refiner_of(model, 0, 1, 1), *refiner = refiner_of(model, 2, 1, 1);
    draw(x, COUNT);
    run_network(network, COUNT, x, raw);
    hn_refinement batch = batch_into(&none, COUNT, x, raw);
    assert_int_equal(hn_refiner_run(plain, &batch, NULL), HN_OK);
    batch = batch_into(&once, COUNT, x, raw);
    assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
    batch = batch_into(&again, COUNT, x, again.y);
    memcpy(again.y, once.y, sizeof once.y); /* in place, with what the first call has found */
    memcpy(again.multipliers, once.multipliers, sizeof once.multipliers);
    batch.known = true;
    assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
    size_t lower = 0, still = 0;
    for (size_t i = 0; i < COUNT; i++) {
        if (none.reports[i].outcome != HN_OUTCOME_OK)
            continue;
        assert_int_equal(once.reports[i].outcome, HN_OUTCOME_OK);
        assert_int_equal(again.reports[i].outcome, HN_OUTCOME_OK);
        assert_true(again.reports[i].violation <= 1e-8);
        assert_true(once.objective[i] <= none.objective[i] && again.objective[i] <= once.objective[i]);
        lower += once.objective[i] < none.objective[i];
        still += again.objective[i] < once.objective[i];
    }
    print_message("%zu of %d lower after two steps, %zu lower after two more\n", lower, COUNT, still);
    assert_true(lower > COUNT / 2 && still > COUNT / 4);
    hn_refiner_destroy(plain);
    hn_refiner_destroy(refiner);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* minimise a + b on the disc: (-1, -1)/sqrt(2); grad f = mu grad c there, mu = -1/sqrt(2), negative at an upper bound. */
TEST(multipliers_are_those_of_the_optimum) {
    hn_model *model = model_of_text("var a; var b; disc: a*a + b*b <= 1; minimize f: a + b;");
    hn_refiner *refiner = refiner_of(model, 12, 1, 1);
    double y[2] = {0.9, -0.1}, objective, multiplier;
    hn_refinement batch = {
        .size = sizeof batch, .count = 1, .y_raw = y, .y = y, .objective = &objective, .multipliers = &multiplier};
    assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
    assert_in_interval(objective + sqrt(2), -1e-7, 1e-4);
    assert_in_interval(multiplier + sqrt(0.5), -1e-2, 1e-2);
    hn_refiner_destroy(refiner);
    hn_model_destroy(model);
}

/* ---- improve ---- */

static hn_improvement improvement_of(const double *x, const double *raw, double *targets, size_t *best) {
    return (hn_improvement){
        .size = sizeof(hn_improvement), .count = COUNT, .x = x, .y_raw = raw, .targets = targets, .best = best};
}

static hn_trainer *trainer_of(const hn_model *model, hn_network *network, int improve, double explore) {
    hn_train_options options = hn_train_defaults();
    hn_trainer *trainer;
    options.improve = improve;
    options.explore = explore;
    options.policy.threads = 1;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
    return trainer;
}

/* Nine steps, two of which explore beside the first: one network learns by itself, the other what is improved by hand. */
TEST(targets_are_what_a_trainer_learns) {
    static double x[COUNT * INPUTS], raw[COUNT * N], targets[COUNT * N];
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *learner = network_of(1), *imitator = network_of(1);
    hn_trainer *one = trainer_of(model, learner, 2, 0.01), *other = trainer_of(model, imitator, 0, 0);
    hn_refiner *refiner = refiner_of(model, 2, 1, 2);
    size_t parameters = hn_network_parameter_count(learner) * sizeof(double);
    draw(x, COUNT);
    for (int round = 0; round < 9; round++) {
        hn_improvement batch = improvement_of(x, raw, targets, NULL);
        batch.explore = 0.01;
        batch.round = round;
        run_network(imitator, COUNT, x, raw);
        assert_int_equal(hn_refiner_improve(refiner, &batch, NULL), HN_OK);
        assert_int_equal(hn_trainer_step(one, COUNT, x, NULL, NULL, NULL), HN_OK);
        assert_int_equal(hn_trainer_step(other, COUNT, x, targets, NULL, NULL), HN_OK);
        assert_memory_equal(hn_network_parameters(learner), hn_network_parameters(imitator), parameters);
    }
    hn_refiner_destroy(refiner);
    hn_trainer_destroy(one);
    hn_trainer_destroy(other);
    hn_network_destroy(learner);
    hn_network_destroy(imitator);
    hn_model_destroy(model);
}

static bool is_finite_row(const double *row) {
    for (size_t j = 0; j < N; j++)
        if (!isfinite(row[j]))
            return false;
    return true;
}

/* Every candidate is refined as a sample of its own, and the best has the lowest objective of those that are ok. */
TEST(every_candidate_has_its_target) {
    enum { K = 2 };
    static struct results alone; // NOLINT: of a test
    static double x[COUNT * INPUTS], raw[COUNT * K * N], targets[COUNT * K * N], objective[COUNT * K], one[COUNT * N];
    static hn_report reports[COUNT * K]; // NOLINT: of a test
    size_t best[COUNT];
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(K);
    hn_refiner *refiner = refiner_of(model, 1, K, 3), *single = refiner_of(model, 1, 1, 1);
    draw(x, COUNT);
    run_network(network, COUNT, x, raw);
    hn_improvement batch = improvement_of(x, raw, targets, best);
    batch.objective = objective;
    batch.reports = reports;
    batch.report_size = sizeof reports[0];
    assert_int_equal(hn_refiner_improve(refiner, &batch, NULL), HN_OK);
    for (size_t k = 0; k < K; k++) {
        for (size_t i = 0; i < COUNT; i++)
            memcpy(one + i * N, raw + (i * K + k) * N, N * sizeof *one);
        hn_refinement samples = batch_into(&alone, COUNT, x, one);
        assert_int_equal(hn_refiner_run(single, &samples, NULL), HN_OK);
        for (size_t i = 0; i < COUNT; i++) {
            bool ok = alone.reports[i].outcome == HN_OUTCOME_OK;
            assert_int_equal(reports[i * K + k].outcome, alone.reports[i].outcome);
            assert_same_bits(objective[i * K + k], alone.objective[i]);
            assert_memory_equal(targets + (i * K + k) * N, (ok ? alone.y : one) + i * N, N * sizeof *one);
        }
    }
    for (size_t i = 0; i < COUNT; i++) {
        bool ok[K] = {reports[i * K].outcome == HN_OUTCOME_OK, reports[i * K + 1].outcome == HN_OUTCOME_OK};
        assert_true(best[i] < K && is_finite_row(targets + (i * K + best[i]) * N));
        if (ok[0] && ok[1])
            assert_true(objective[i * K + best[i]] <= objective[i * K + 1 - best[i]]);
        else if (ok[0] != ok[1])
            assert_int_equal(best[i], ok[1]);
    }
    hn_refiner_destroy(refiner);
    hn_refiner_destroy(single);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

/* ---- threads, sizes, refusals ---- */

TEST(threads_and_neighbours_change_no_bit) {
    static struct results first, rest; // NOLINT: of a test
    static double x[COUNT * INPUTS], raw[COUNT * N];
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_network *network = network_of(1);
    draw(x, COUNT);
    run_network(network, COUNT, x, raw);
    for (int threads = 1; threads <= 3; threads++) {
        hn_refiner *refiner = refiner_of(model, 1, 1, threads);
        hn_refinement batch = batch_into(threads == 1 ? &first : &rest, COUNT, x, raw);
        assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
        if (threads > 1)
            assert_memory_equal(&first, &rest, sizeof rest);
        batch = batch_into(&rest, 1, x + 70 * INPUTS, raw + 70 * N);
        assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
        assert_memory_equal(rest.y, first.y + 70 * N, N * sizeof *rest.y);
        hn_refiner_destroy(refiner);
    }
    hn_network_destroy(network);
    hn_model_destroy(model);
}

TEST(reports_have_the_size_that_the_caller_knows) {
    static struct results whole; // NOLINT: of a test
    static double x[COUNT * INPUTS], raw[COUNT * N];
    static unsigned char bytes[COUNT * (sizeof(hn_report) + 24)]; // NOLINT: of a test
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_refiner *refiner = refiner_of(model, 1, 1, 1);
    draw(x, COUNT);
    hn_refinement batch = batch_into(&whole, COUNT, x, raw);
    assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
    batch.report_size = sizeof(hn_report) + 24;
    batch.reports = (hn_report *)(void *)bytes;
    memset(bytes, 0xab, sizeof bytes);
    assert_int_equal(hn_refiner_run(refiner, &batch, NULL), HN_OK);
    for (size_t i = 0; i < COUNT; i++) {
        assert_memory_equal(bytes + i * batch.report_size, &whole.reports[i], sizeof(hn_report));
        for (size_t k = sizeof(hn_report); k < batch.report_size; k++)
            assert_int_equal(bytes[i * batch.report_size + k], 0);
    }
    hn_refiner_destroy(refiner);
    hn_model_destroy(model);
}

/* One field is wrong at a time; with all of them right both calls succeed. */
TEST(calls_without_what_they_need_name_it) {
    static double x[INPUTS], raw[N], y[N]; // NOLINT: of a test
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_refiner *refiner = refiner_of(model, 1, 1, 1);
    hn_report report;
    draw(x, 1);
    const hn_refinement plain = {.size = sizeof plain, .count = 1, .x = x, .y_raw = raw, .y = y};
    const hn_improvement better = {.size = sizeof better, .count = 1, .x = x, .y_raw = raw, .targets = y};
    hn_refinement plains[] = {plain, plain, plain, plain, plain};
    hn_improvement betters[] = {better, better, better, better, better, better, better, better};
    const char *const plain_names[] = {"batch.x", "batch.y_raw", "batch.y", "report", "size"};
    const char *const better_names[] = {"batch.x", "batch.y_raw", "batch.targets", "report",
                                        "size",    "explore",     "explore",       "round"};
    plains[0].x = NULL, betters[0].x = NULL;
    plains[1].y_raw = NULL, betters[1].y_raw = NULL;
    plains[2].y = NULL, betters[2].targets = NULL;
    plains[3].reports = &report, betters[3].reports = &report; /* of no size */
    plains[4].size = 0, betters[4].size = 0;
    betters[5].explore = -1, betters[6].explore = NAN, betters[7].round = -1;
    for (size_t i = 0; i < COUNT_OF(plains); i++) {
        hn_error error = {.text = ""};
        assert_error(hn_refiner_run(refiner, &plains[i], &error), HN_INVALID, error, plain_names[i]);
        plains[i].count = 0; /* of nothing nothing is needed but the struct itself */
        assert_int_equal(hn_refiner_run(refiner, &plains[i], &error), plains[i].size ? HN_OK : HN_INVALID);
    }
    for (size_t i = 0; i < COUNT_OF(betters); i++) {
        hn_error error = {.text = ""};
        assert_error(hn_refiner_improve(refiner, &betters[i], &error), HN_INVALID, error, better_names[i]);
        betters[i].count = 0;
        assert_int_equal(hn_refiner_improve(refiner, &betters[i], &error), betters[i].size ? HN_OK : HN_INVALID);
    }
    assert_int_equal(hn_refiner_run(refiner, &plain, NULL), HN_OK);
    assert_int_equal(hn_refiner_improve(refiner, &better, NULL), HN_OK);
    assert_int_equal(hn_refiner_run(NULL, &plain, NULL), HN_INVALID);
    assert_int_equal(hn_refiner_improve(NULL, &better, NULL), HN_INVALID);
    hn_refiner_destroy(refiner);
    hn_model_destroy(model);
}

static void creation_refused(const hn_model *model, const hn_layer *layer, const hn_refine_options *options,
                             const char *part) {
    hn_refiner *refiner;
    hn_error error = {.text = ""};
    assert_int_equal(hn_refiner_create(&refiner, model, layer, options, &error), HN_INVALID);
    assert_null(refiner);
    assert_contains(error.text, part);
}

TEST(what_makes_no_sense_is_refused) {
    hn_model *model = model_of_file("models/unicycle.mod"), *aimless;
    hn_layer *layer;
    hn_refine_options options = hn_refine_defaults();
    assert_int_equal(hn_model_create(&aimless, NULL, NULL), HN_OK);
    hn_constrain(aimless, "c", 1, hn_add(hn_output(aimless, "a"), hn_output(aimless, "b")), 1);
    assert_int_equal(hn_model_finish(aimless, NULL), HN_OK);
    assert_int_equal(hn_layer_create(&layer, aimless, NULL, NULL), HN_OK);
    assert_int_equal(options.steps, 1);
    creation_refused(aimless, NULL, NULL, "no objective");
    creation_refused(model, layer, NULL, "the layer is of another model");
    creation_refused(NULL, NULL, NULL, "model is NULL");
    options.steps = 1001;
    creation_refused(model, NULL, &options, "1001 steps: choose 0 to 1000");
    options.steps = -1;
    creation_refused(model, NULL, &options, "-1 steps: choose 0 to 1000");
    options = hn_refine_defaults();
    options.candidates = 0;
    creation_refused(model, NULL, &options, "0 candidates");
    options.candidates = SIZE_MAX;
    creation_refused(model, NULL, &options, "candidates: choose 1 to");
    options = hn_refine_defaults();
    options.size = 0;
    creation_refused(model, NULL, &options, "hn_refine_options: its size is not set");
    assert_int_equal(hn_refiner_create(NULL, model, NULL, NULL, NULL), HN_INVALID);
    hn_refiner_destroy(NULL);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
    hn_model_destroy(aimless);
}

static void run_refused(hn_refiner *refiner, const hn_refinement *batch, const char *part) {
    hn_error error = {.text = ""};
    assert_error(hn_refiner_run(refiner, batch, &error), HN_INVALID, error, part);
}

static void improve_refused(hn_refiner *refiner, const hn_improvement *batch, const char *part) {
    hn_error error = {.text = ""};
    assert_error(hn_refiner_improve(refiner, batch, &error), HN_INVALID, error, part);
}

TEST(batches_that_lack_something_are_refused) {
    double x[INPUTS] = {0}, y[N] = {0};
    hn_report report;
    hn_model *model = model_of_file("models/unicycle.mod");
    hn_refiner *refiner = refiner_of(model, 1, 1, 1);
    hn_refinement batch = {.size = sizeof batch, .count = 1, .x = x, .y_raw = y, .y = y};
    hn_improvement improvement = {.size = sizeof improvement, .count = 1, .x = x, .y_raw = y, .targets = y};
    run_refused(NULL, &batch, "refiner is NULL");
    run_refused(refiner, NULL, "hn_refinement is NULL");
    batch.x = NULL;
    run_refused(refiner, &batch, "batch.x is NULL");
    batch.x = x;
    batch.y_raw = NULL;
    run_refused(refiner, &batch, "batch.y_raw is NULL");
    batch.y_raw = y;
    batch.reports = &report;
    run_refused(refiner, &batch, "the size of a report is not set");
    batch.size = 0;
    run_refused(refiner, &batch, "its size is not set");
    improve_refused(NULL, &improvement, "refiner is NULL");
    improvement.explore = NAN;
    improve_refused(refiner, &improvement, "explore and round must not be negative");
    improvement.explore = 0;
    improvement.targets = NULL;
    improve_refused(refiner, &improvement, "batch.targets is NULL");
    hn_refiner_destroy(refiner);
    hn_model_destroy(model);
}
