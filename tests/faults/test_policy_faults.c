/* test_policy_faults.c - every allocation behind a policy, its file, a refiner and a trainer fails in turn, once and for ever after.
 *
 * What fails says that memory is out, gives no policy, leaves the old file and leaks nothing; without the fault the same call succeeds.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/scratch.h"

#include "baselines/baseline.h"
#include "hardnet/refine.h"
#include "hardnet/train.h"

static struct scratch scratch;
static const char *path;
static hn_model *model, *equal;
static hn_network *network, *narrow;

static hn_model *make_model(bool equality) {
    hn_model *made;
    assert_int_equal(hn_model_create(&made, NULL, NULL), HN_OK);
    hn_expr x = hn_input(made, "x"), y = hn_output(made, "y"), z = hn_output(made, "z");
    hn_constrain_between(made, "disc", hn_constant(made, 0), hn_add(hn_mul(y, y), hn_mul(z, z)), hn_shift(x, 1));
    if (equality)
        hn_constrain_between(made, "product", x, hn_mul(hn_shift(y, 1), hn_shift(z, 2)), x);
    hn_minimize(made, "cost", hn_add(hn_mul(y, y), z));
    assert_int_equal(hn_model_finish(made, NULL), HN_OK);
    return made;
}

static int begin(void **state) {
    (void)state;
    const hn_network_options options = {.inputs = 1, .outputs = 4, .hidden_count = 1, .hidden = {5}, .seed = 2};
    memory_fail_never();
    scratch = scratch_create();
    path = scratch_path(&scratch, "net");
    model = make_model(false);
    equal = make_model(true);
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    hn_network_options half = options;
    half.outputs = 2; /* of two candidates with a dependent output each */
    assert_int_equal(hn_network_create(&narrow, &half, NULL), HN_OK);
    return 0;
}

static int end(void **state) {
    (void)state;
    memory_fail_never();
    hn_network_destroy(network);
    hn_network_destroy(narrow);
    hn_model_destroy(model);
    hn_model_destroy(equal);
    scratch_remove(&scratch);
    return memory_live_blocks() != 0;
}

static hn_status create(hn_policy **policy, hn_error *error) {
    hn_policy_options options = hn_policy_defaults();
    options.candidates = 2;
    options.refine = 3;
    options.threads = 1;
    return hn_policy_create(policy, model, network, &options, error);
}

/* With an equality, for which one of the two outputs is solved. */
static hn_status create_dc3(hn_policy **policy, hn_error *error) {
    hn_policy_options options = hn_policy_defaults();
    struct baseline baseline = baseline_defaults();
    struct baseline_head *head;
    baseline.scheme = SCHEME_DC3;
    options.candidates = 2;
    options.threads = 1;
    hn_status status = baseline_head_create(&head, equal, &baseline, options.layer.instructions, error);
    baseline_apply(&baseline, head, &options);
    if (status == HN_OK)
        status = hn_policy_create(policy, equal, narrow, &options, error);
    baseline_head_destroy(head); /* the policy is not run */
    return status;
}

static hn_status load(hn_policy **policy, hn_error *error) {
    return hn_policy_load(policy, model, path, 1, error);
}

/* Made and destroyed: what is left over is counted by whoever calls. */
static hn_status create_refiner(hn_policy **unused, hn_error *error) {
    hn_refine_options options = hn_refine_defaults();
    hn_refiner *refiner;
    options.threads = 1;
    options.candidates = 2;
    (void)unused;
    hn_status status = hn_refiner_create(&refiner, model, NULL, &options, error);
    assert_true((status == HN_OK) == (refiner != NULL));
    hn_refiner_destroy(refiner);
    return status;
}

static hn_status create_trainer(hn_policy **unused, hn_error *error) {
    hn_train_options options = hn_train_defaults();
    hn_trainer *trainer;
    options.policy.threads = 1;
    options.policy.candidates = 2;
    options.improve = 0;
    (void)unused;
    hn_status status = hn_trainer_create(&trainer, model, network, &options, error);
    assert_true((status == HN_OK) == (trainer != NULL));
    hn_trainer_destroy(trainer);
    return status;
}

/* With allocation k = 1, 2, ... failing, until it comes through. */
static void survive(hn_status (*make)(hn_policy **policy, hn_error *error), bool for_ever) {
    size_t before = memory_live_blocks(), failures = 0;
    for (size_t k = 1;; k++) {
        hn_policy *policy = NULL;
        hn_error error = {.text = ""};
        memory_fail_at(k, for_ever);
        hn_status status = make(&policy, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        hn_policy_destroy(policy);
        assert_int_equal(memory_live_blocks(), before);
        if (!failed) {
            assert_int_equal(status, HN_OK);
            break;
        }
        if (status == HN_OK) /* something that it can do without */
            continue;
        assert_int_equal(status, HN_NO_MEMORY);
        assert_null(policy);
        assert_contains(error.text, "out of memory");
        failures++;
    }
    assert_true(failures > 20);
}

TEST(creating_a_policy_survives) {
    survive(create, false);
    survive(create, true);
    survive(create_dc3, false);
    survive(create_dc3, true);
}

TEST(creating_a_refiner_and_a_trainer_survives) {
    survive(create_refiner, false);
    survive(create_refiner, true);
    survive(create_trainer, false);
    survive(create_trainer, true);
}

TEST(saving_one_survives) {
    hn_policy *policy, *back;
    assert_int_equal(create(&policy, NULL), HN_OK);
    size_t before = memory_live_blocks(), k = 1;
    for (; k < 1000; k++) {
        memory_fail_at(k, false);
        hn_status status = hn_policy_save(policy, path, 0, NULL, NULL);
        bool failed = memory_has_failed();
        memory_fail_never();
        assert_int_equal(memory_live_blocks(), before);
        assert_int_equal(status, failed ? HN_NO_MEMORY : HN_OK);
        if (!failed)
            break;
        assert_int_not_equal(load(&back, NULL), HN_OK); /* there is no file yet */
    }
    assert_in_range(k, 5, 999);
    hn_policy_destroy(policy);
}

TEST(loading_one_survives) {
    survive(load, false);
    survive(load, true);
}

TEST_GROUP(begin, end)
