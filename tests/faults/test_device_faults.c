/* test_device_faults.c - every call of the driver, of the run-time compiler, and every allocation behind a layer on a device fails in
 * turn, once and for ever: a sentence that says so, nothing left behind, and the next attempt is good. So it is with a policy that is
 * trained there. `device_faults all` takes every call and the allocations of every life (`make test-long`); else those of a layer, and
 * some of the others.
 *
 * The device is that of tests/cuda/fake_device.h, and no other is needed.
 *
 * SPDX-License-Identifier: MIT */
#include "cuda/fake_open.h"
#include "faults/device_faults_lives.h"
#include "faults/device_faults_runs.h"
#include "support/check.h"
#include "support/failing.h"
#include "support/model_check.h"
#include "support/run_layer.h"
#include "support/scratch.h"

#include "cuda/cuda_driver.h"
#include "hardnet/hardnet.h"

enum { LOST = 700, TOO_OLD = 52 };

static size_t sparsely; /* one call in so many, where there are many */
static hn_model *model, *long_model;
static struct fake_device *device;
static struct fake_calls *compiler;

/* ---- the scene ---- */

static void make_model(void) {
    static const char text[] =
        "param a >= 1; var y{1..2}; minimize f: y[1]^2 + y[2]; subject to disc: y[1]^2 + y[2]^2 <= a;\n"
        "subject to line: y[1] + 2 * y[2] = 0.5;";
    static const char long_text[] = "param a >= 1; var y{k in 1..2500} := sin(a * k) / k;\n"
                                    "subject to chain{k in 1..2499}: y[k + 1] - y[k] * y[k] = 0.1 * a;";
    model = model_of_text(text);
    long_model = model_of_text(long_text);
}

/* Lives, and what comes of them. */
struct life {
    hn_status (*live)(const hn_model *model, struct results *r, hn_error *error);
    struct results expected;
    bool is_long;
};
static struct life of_layer = {.live = live_layer}, of_policy = {.live = live_policy};
static struct life of_refining = {.live = live_refining}, of_searching = {.live = live_searching};
static struct life of_long = {.live = live_long, .is_long = true}, of_floats = {.live = live_floats, .is_long = true};

static hn_status live(const struct life *life, struct results *r, hn_error *error) {
    return life->live(life->is_long ? long_model : model, r, error);
}

static void be_well(void) {
    device->calls = (struct fake_calls){.made = 0};
    *compiler = (struct fake_calls){.made = 0};
    memory_fail_never();
}

static void check_bits(const struct life *life, const struct results *r) {
    assert_memory_equal(r->y, life->expected.y, sizeof r->y);
    assert_memory_equal(r->gradient, life->expected.gradient, sizeof r->gradient);
}

static void check_nothing_is_left(void) {
    assert_int_equal(device->blocks, 0);
    assert_int_equal(device->modules, 0);
    assert_int_equal(device->streams, 0);
    assert_int_equal(device->contexts, 0);
    assert_int_equal(device->entered, 0);
}

/* Without faults. */
static void expect(struct life *life) {
    hn_error error = {.text = ""};
    be_well();
    if (live(life, &life->expected, &error) != HN_OK)
        fail_msg("%s", error.text);
    check_nothing_is_left();
}

/* What a device holds when nothing answers any more is gone with its context. */
static void forget_what_is_left(void) {
    device->blocks = device->bytes = device->modules = device->streams = device->contexts = device->entered = 0;
}

static void check_it_lives_on(const struct life *life) {
    struct results r = {.y = {0}};
    hn_error error = {.text = ""};
    be_well();
    if (live(life, &r, &error) != HN_OK)
        fail_msg("afterwards: %s", error.text);
    check_bits(life, &r);
}

static int set_up(void **state) {
    system_fail_never();
    system_move_at_most(0);
    memory_fail_never();
    threads_fail_at(1); /* so that calls come in one order */
    make_model();
    return scratch_set_up_cache(state);
}

static int tear_down(void **state) {
    hn_model_destroy(model);
    hn_model_destroy(long_model);
    return scratch_tear_down_cache(state);
}

/* ---- what is missing ---- */

TEST(without_a_driver_it_says_so) {
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    void *there = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (there) {
        dlclose(there);
        return; /* a machine with a device of its own */
    }
    assert_int_equal(hn_device_layer_create(&layer, model, NULL, NULL, &error), HN_UNSUPPORTED);
    assert_null(layer);
    assert_non_null(strstr(error.text, "there is no driver"));
    assert_int_equal(memory_live_blocks() > 0, true); /* the model */
}

TEST(without_a_compiler_it_says_so) {
    hn_device_layer *layer;
    hn_error error = {.text = ""};
    hn_device_options options = hn_device_defaults();
    device = fake_ask(fake_open("libcuda.so.1"), "fake_device");
    options.compiler = "/nowhere/libnvrtc.so";
    assert_int_equal(hn_device_layer_create(&layer, model, NULL, &options, &error), HN_UNSUPPORTED);
    assert_non_null(strstr(error.text, "/nowhere/libnvrtc.so"));
    check_nothing_is_left();
}

TEST(without_faults_everything_is_well) {
    struct life *const lives[] = {&of_layer, &of_policy, &of_refining, &of_searching};
    compiler = fake_ask(fake_open("libnvrtc.so.13"), "fake_compiler");
    for (size_t k = 0; k < COUNT_OF(lives); k++) {
        expect(lives[k]);
        for (size_t i = 0; i < SAMPLES; i++)
            assert_int_equal(lives[k]->expected.reports[i].outcome, HN_OUTCOME_OK);
    }
}

TEST(a_device_that_is_too_old_is_refused) {
    struct results r;
    hn_error error = {.text = ""};
    device->capability = TOO_OLD;
    assert_error(live(&of_layer, &r, &error), HN_UNSUPPORTED, error, "is too old: its compute capability is 5.2");
    device->capability = FAKE_CAPABILITY;
    check_nothing_is_left();
    check_it_lives_on(&of_layer);
}

TEST(a_device_without_memory_says_so) {
    struct results r;
    hn_error error = {.text = ""};
    size_t memory = device->memory;
    device->memory = 100;
    assert_error(live(&of_layer, &r, &error), HN_NO_MEMORY, error, "its memory is out");
    device->memory = memory;
    check_nothing_is_left();
    check_it_lives_on(&of_layer);
}

/* ---- every call ---- */

/* Those that give something back (a layer that goes enters its context for that), and those that nobody depends on. */
static bool may_fail(const char *function) {
    static const char *const names[] = {"cuModuleUnload",
                                        "cuMemFree_v2",
                                        "cuMemFreeAsync",
                                        "cuStreamDestroy_v2",
                                        "cuCtxPushCurrent_v2",
                                        "cuCtxPopCurrent_v2",
                                        "cuDevicePrimaryCtxRelease_v2",
                                        "cuDriverGetVersion",
                                        "cuFuncGetAttribute",
                                        "cuLinkCreate_v2",
                                        "cuLinkAddData_v2",
                                        "cuLinkComplete",
                                        "cuLinkDestroy"};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (strcmp(function, names[i]) == 0)
            return true;
    return false;
}

/* False when there is no call k. */
static bool call_fails(const struct life *life, size_t k, int code, bool for_ever) {
    struct fake_calls *calls = &device->calls;
    struct results r = {.y = {0}};
    hn_error error = {.text = ""};
    be_well();
    *calls = (struct fake_calls){.fail_at = k, .code = code, .for_ever = for_ever};
    hn_status status = live(life, &r, &error);
    const char *failed = calls->failed;
    if (!failed) {
        assert_int_equal(status, HN_OK);
        return false;
    }
    fault_count(FAULT_DRIVER_CALL);
    if (status == HN_OK && !may_fail(failed))
        fail_msg("%s failed, and nobody said so", failed);
    if (status == HN_OK)
        check_bits(life, &r);
    if (status != HN_OK && strncmp(error.text, "device cuda: ", strlen("device cuda: ")) != 0 &&
        !strstr(error.text, "memory"))
        fail_msg("%s: %s", failed, error.text);
    if (for_ever || may_fail(failed))
        forget_what_is_left();
    check_nothing_is_left();
    return true;
}

/* One call in `step` fails, and later codes sparsely. */
static void calls_fail(const struct life *life, size_t count, size_t step) {
    static const int codes[] = {CUDA_OUT_OF_MEMORY, LOST, 999};
    for (size_t i = 0; i < count; i++)
        for (int for_ever = 0; for_ever < 2; for_ever++)
            for (size_t k = 1; call_fails(life, k, codes[i], for_ever); k += i == 0 ? step : sparsely)
                if (i == 0 && k / step % 8 == 0)
                    check_it_lives_on(life);
    check_it_lives_on(life);
}

TEST(a_call_of_the_driver_that_fails_is_a_sentence) {
    calls_fail(&of_layer, 3, HN_TEST_SHARE);
}

/* What is given back otherwise waits for the kernels of every other call. */
TEST(memory_of_a_call_is_taken_in_the_order_of_its_stream_where_that_can_be) {
    size_t before = device->ordered;
    check_it_lives_on(&of_layer);
    assert_int_equal(device->ordered, before + 1);
    device->has_pools = false;
    check_it_lives_on(&of_layer);
    check_nothing_is_left();
    assert_int_equal(device->ordered, before + 1);
    calls_fail(&of_layer, 1, sparsely);
    device->has_pools = true;
}

TEST(so_it_is_in_training) {
    calls_fail(&of_policy, 1, sparsely);
}

TEST(so_it_is_in_refinement) {
    calls_fail(&of_refining, 1, sparsely);
}

TEST(so_it_is_in_searches) {
    calls_fail(&of_searching, 1, 2);
}

TEST(so_it_is_where_a_layer_is_there_already) {
    be_well();
    runs_fail(model, device);
    check_nothing_is_left();
}

TEST(so_it_is_where_a_policy_is_there_already) {
    be_well();
    training_fails(model, device);
    check_nothing_is_left();
}

TEST(so_it_is_where_the_cache_has_the_kernels) {
    be_well();
    making_fails(model, device);
    check_nothing_is_left();
}

TEST(a_text_that_there_is_no_memory_for_is_none) {
    printing_fails(model);
}

/* The bits are the CPU's, too. */
TEST(so_it_is_with_long_models) {
    if (HN_TEST_SHARE > 1)
        skip(); /* long for sanitizers, which have seen the same calls */
    hn_error error = {.text = ""};
    hn_device_forecast forecast = {.size = sizeof forecast};
    const hn_layer_options options = layer_steps(HN_METHOD_PAPER, 3);
    assert_int_equal(hn_device_predict(&forecast, long_model, &options, &error), HN_OK);
    assert_int_equal(forecast.form, HN_DEVICE_ROLLED);
    expect(&of_long);
    hn_layer *layer = layer_of(long_model, options);
    struct layer_results ours = run_forward(layer, 1, faults_x, NULL);
    size_t stride = ours.outputs / (SAMPLES * OUTPUTS);
    for (size_t i = 0; i < SAMPLES * OUTPUTS; i++)
        assert_memory_equal(&ours.y[i * stride], &of_long.expected.y[i], sizeof ours.y[0]);
    results_release(&ours);
    hn_layer_destroy(layer);
    calls_fail(&of_long, 1, sparsely);
}

TEST(so_it_is_with_floats_of_long_models) {
    if (HN_TEST_SHARE > 1)
        skip();
    expect(&of_floats);
    assert_int_equal(of_floats.expected.reports[0].outcome, HN_OUTCOME_OK);
    calls_fail(&of_floats, 1, sparsely);
}

/* Text that was not compiled before. */
TEST(a_call_of_the_compiler_that_fails_is_a_sentence) {
    static const char *const names[] = {"nvrtcVersion",      "nvrtcCreateProgram", "nvrtcCompileProgram",
                                        "nvrtcGetCUBINSize", "nvrtcGetCUBIN",      "nvrtcGetProgramLog"};
    hn_device_options options = hn_device_defaults();
    options.again = true;
    options.gradients = false;
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        hn_device_layer *layer;
        hn_error error = {.text = ""};
        be_well();
        *compiler = (struct fake_calls){.fail_at = 1, .code = 6, .only = names[i]};
        hn_status status = hn_device_layer_create(&layer, model, NULL, &options, &error);
        bool needed = i > 0 && i < 5;
        assert_int_equal(status == HN_OK, !needed);
        if (i == 2)
            assert_non_null(strstr(error.text, "its compiler refuses the kernel"));
        hn_device_layer_destroy(layer);
        check_nothing_is_left();
    }
    check_it_lives_on(&of_layer);
}

/* False when there is no allocation k. */
static bool allocation_fails(const struct life *life, size_t k, bool for_ever) {
    struct results r = {.y = {0}};
    hn_error error = {.text = ""};
    be_well();
    size_t live_blocks = memory_live_blocks();
    memory_fail_at(k, for_ever);
    hn_status status = live(life, &r, &error);
    bool failed = memory_has_failed();
    memory_fail_never();
    assert_int_equal(memory_live_blocks(), live_blocks);
    check_nothing_is_left();
    if (failed)
        assert_int_equal(status, HN_NO_MEMORY);
    return failed;
}

/* There are many, most of them in printing: of later ones some. */
TEST(an_allocation_that_fails_is_an_error) {
    for (int for_ever = 0; for_ever < 2; for_ever++) {
        for (size_t k = 1; allocation_fails(&of_layer, k, for_ever); k += sparsely * (1 + k / 16))
            ;
        for (size_t k = 1; allocation_fails(&of_policy, k, for_ever); k += sparsely * (1 + k / 8))
            ;
        for (size_t k = 1; allocation_fails(&of_searching, k, for_ever); k += sparsely * (1 + k / 8))
            ;
        for (size_t k = 1; allocation_fails(&of_refining, k, for_ever); k += sparsely * (1 + k / 8))
            ;
    }
    check_it_lives_on(&of_layer);
    check_it_lives_on(&of_policy);
    check_it_lives_on(&of_refining);
    check_it_lives_on(&of_searching);
}

TEST_GROUP(set_up, tear_down)

int main(int count, char **words) {
    sparsely = count > 1 && strcmp(words[1], "all") == 0 ? 1 : HN_TEST_SHARE > 1 ? 48 : 12;
    if (!fake_can_compile()) {
        puts("skipped: there is no C++ compiler");
        return TEST_SKIPPED;
    }
    return run_registered_tests();
}
