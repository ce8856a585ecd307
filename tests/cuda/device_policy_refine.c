/* device_policy_refine.c - refinement of policies on a device, judged against the CPU's.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

#include "hardnet/hardnet.h"
#include "nn/refine_plan.h"

enum { MOST = 101, WARP = 32, WIDEST = 50, MOST_OUTPUTS = MOST * WIDEST };

static const hn_device_options device = {.size = sizeof device};

/* ---- the scene ---- */

/* Bounds, equalities, curved rows, an output that is fixed; the line has no solution for a part of its inputs. */
static hn_model *small_model(void) {
    return model_of_text("param a >= 1, <= 2; param b >= -6, <= 6;\n"
                         "var y{1..4} >= -2, <= 2;\n"
                         "minimize f: (y[1] - 3)^2 + sin(b + y[2]) + exp(0.3 * y[3]) + y[1] * y[2] + y[4];\n"
                         "subject to disc: y[1]^2 + y[2]^2 <= a^2;\n"
                         "subject to line: y[1] + 2 * y[2] + y[3] + 0 * y[4] = b;\n"
                         "subject to wave: 0.1 <= cos(y[3]) + y[1] <= 3;\n"
                         "subject to held: y[4] = 0.5;\n");
}

static hn_network *network_of(const hn_model *model, size_t candidates) {
    const hn_network_options options = {.inputs = hn_model_input_count(model),
                                        .outputs = candidates * hn_model_output_count(model),
                                        .hidden_count = 2,
                                        .hidden = {9, 8},
                                        .activation = HN_ACTIVATION_TANH,
                                        .seed = 7};
    return network_with(options);
}

struct results {
    double y[MOST_OUTPUTS], objective[MOST];
    hn_report reports[MOST];
    bool refines;
};

/* In calls of one sample, of one more than a warp, and of the rest. */
static void run_policy(const hn_model *model, const hn_network *network, const hn_policy_options *options,
                       struct results *r) {
    static double x[MOST * WIDEST];
    static const size_t counts[] = {1, WARP + 1, MOST - WARP - 2};
    hn_device_info info = {.size = sizeof info};
    size_t inputs = hn_model_input_count(model), outputs = hn_model_output_count(model), first = 0;
    hn_policy *policy;
    hn_error error = {.text = ""};
    assert_true(outputs <= WIDEST && inputs <= WIDEST);
    assert_int_equal(hn_sample_inputs(model, 5, 1, MOST, x, &error), HN_OK);
    memset(r, 0, sizeof *r);
    if (hn_policy_create(&policy, model, network, options, &error) != HN_OK)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < COUNT_OF(counts); first += counts[i++])
        if (hn_policy_run(policy, counts[i], x + first * inputs, r->y + first * outputs, r->objective + first,
                          r->reports + first, &error) != HN_OK)
            fail_msg("%s", error.text);
    if (options->device)
        assert_int_equal(hn_policy_get_device(policy, &info, &error), HN_OK);
    r->refines = info.refines;
    hn_policy_destroy(policy);
}

/* What came out, and whether the device refined it. */
static struct results compare(const hn_model *model, size_t candidates, int refine) {
    static struct results ours, theirs;
    hn_network *network = network_of(model, candidates);
    hn_policy_options options = hn_policy_defaults();
    options.candidates = candidates;
    options.refine = refine;
    options.threads = 1;
    run_policy(model, network, &options, &ours);
    options.device = &device;
    run_policy(model, network, &options, &theirs);
    assert_memory_equal(ours.y, theirs.y, sizeof ours.y);
    assert_memory_equal(ours.objective, theirs.objective, sizeof ours.objective);
    assert_memory_equal(ours.reports, theirs.reports, sizeof ours.reports);
    hn_network_destroy(network);
    return theirs;
}

static size_t ok_of(const struct results *r) {
    size_t ok = 0;
    for (size_t s = 0; s < MOST; s++)
        ok += r->reports[s].outcome == HN_OUTCOME_OK;
    return ok;
}

/* ---- bits ---- */

TEST(refinement_has_the_cpu_s_bits) {
    hn_model *model = small_model();
    for (int refine = 0; refine < 4; refine += 1 + refine) {
        struct results r = compare(model, 1 + (size_t)refine, refine);
        assert_int_equal(r.refines, refine > 0);
        assert_true(ok_of(&r) > MOST / 4 && ok_of(&r) < MOST);
    }
    hn_model_destroy(model);
}

/* Full, and with a column that is kept out. */
TEST(refinement_of_any_linear_system_has_them) {
    static const struct {
        const char *text;
        enum factor_kind kind;
        size_t added;
    } all[] = {{"param a{i in 1..3} >= 0, <= 1; var y{1..5}; minimize f: sum{j in 1..5} (y[j]^4 + j * y[j] + y[j]^2);\n"
                "subject to r{i in 1..18}: sum{j in 1..5} (sin(i * j) * y[j]) + 0.1 * y[1]^2 <= 1 + a[1 + i mod 3];",
                FACTOR_DENSE, 0},
               {"param a >= 0, <= 1; var y{0..30} >= -3, <= 3; minimize f: sum{j in 0..30} (y[j] - cos(j))^2 + y[0];\n"
                "subject to r{j in 1..30}: y[j]^2 + y[0] <= 1 + a;",
                FACTOR_LISTED, 1}};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        hn_model *model = model_of_text(all[i].text);
        struct refine_plan plan;
        assert_int_equal(refine_plan_create(&plan, model, 1, NULL), HN_OK);
        assert_int_equal(plan.places.system.kind, all[i].kind);
        assert_int_equal(plan.places.system.added, all[i].added);
        refine_plan_release(&plan);
        struct results r = compare(model, 2, 2);
        assert_true(r.refines && ok_of(&r) == MOST);
        hn_model_destroy(model);
    }
}

TEST(refinement_of_shipped_models_has_them) {
    static const char *const paths[] = {"models/unicycle.mod", "models/tasks/opf5.mod"};
    for (size_t i = 0; i < COUNT_OF(paths); i++) {
        hn_model *model;
        assert_int_equal(hn_model_read(&model, 1, &paths[i], NULL, NULL), HN_OK);
        struct results r = compare(model, 2, 2);
        assert_true(r.refines && ok_of(&r) > 0);
        hn_model_destroy(model);
    }
}

/* ---- memory ---- */

static const size_t ENOUGH = (size_t)1 << 30; /* what the fake device has else */

static hn_model *chain_model(void) {
    return model_of_text(
        "param a >= 0, <= 1; var y{1..40} >= -3, <= 3; minimize f: sum{j in 1..40} (y[j] - cos(j))^2;\n"
        "subject to r{j in 1..39}: y[j]^2 + y[j + 1] <= 1 + a;");
}

/* A device whose memory has room for the slots of so many warps; NULL: it is a real one. */
static struct fake_device *device_for(const hn_model *model, size_t warps) {
    enum { SHARE = 8, REST = 1024 };
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    struct refine_plan plan;
    if (!driver || !dlsym(driver, "fake_device"))
        return NULL;
    struct fake_device *fake = fake_ask(driver, "fake_device");
    assert_int_equal(refine_plan_create(&plan, model, 1, NULL), HN_OK);
    fake->memory = SHARE * WARP * plan.bytes * (warps + 1) - REST;
    refine_plan_release(&plan);
    return fake;
}

/* On a device with room for so many samples. */
static void refine_with_room(size_t samples, bool refines) {
    hn_model *model = chain_model();
    struct fake_device *fake = device_for(model, samples);
    if (fake) {
        assert_int_equal(compare(model, 3, 1).refines, refines);
        fake->memory = ENOUGH;
    }
    hn_model_destroy(model);
}

TEST(samples_that_there_is_no_room_for_take_turns) {
    refine_with_room(2, true);
}

TEST(without_any_room_the_cpu_refines_and_it_is_said) {
    refine_with_room(0, false);
}

/* ---- training ---- */

enum { STEPS = 3 };

/* Weights after steps that explore from elsewhere, from starts, and not at all. */
static void train(const hn_model *model, hn_train_options options, double *parameters, hn_train_report *reports) {
    static double x[MOST * WIDEST], starts[MOST_OUTPUTS];
    hn_network *network = network_of(model, options.policy.candidates);
    hn_trainer *trainer;
    hn_error error = {.text = ""};
    assert_int_equal(hn_sample_inputs(model, 5, 1, MOST, x, &error), HN_OK);
    for (size_t i = 0; i < MOST_OUTPUTS; i++)
        starts[i] = 0.3 * (double)(i % 9) - 1;
    if (hn_trainer_create(&trainer, model, network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    for (int k = 0; k < STEPS; k++) {
        hn_status status = k % 2 == 1 ? hn_trainer_step_from(trainer, MOST, x, starts, &reports[k], &error)
                                      : hn_trainer_step(trainer, MOST - (size_t)k, x, NULL, &reports[k], &error);
        if (status != HN_OK)
            fail_msg("%s", error.text);
    }
    memcpy(parameters, hn_network_parameters(network), hn_network_parameter_count(network) * sizeof *parameters);
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
}

TEST(improvement_from_starts_has_the_cpu_s_bits) {
    enum { PARAMETERS = 1000 };
    static double ours[PARAMETERS], theirs[PARAMETERS];
    static hn_train_report our_reports[STEPS], their_reports[STEPS];
    hn_model *model = small_model();
    hn_train_options options = hn_train_defaults();
    options.warmup = 1;
    options.rate = 0.02;
    options.policy.candidates = 3;
    options.policy.threads = 1;
    options.improve = 2;
    train(model, options, ours, our_reports);
    options.policy.device = &device;
    train(model, options, theirs, their_reports);
    assert_memory_equal(ours, theirs, sizeof ours);
    assert_memory_equal(our_reports, their_reports, sizeof our_reports);
    assert_true(our_reports[0].gradient > 0 && our_reports[0].ok > 0);
    hn_model_destroy(model);
}
