/* test_life_faults.c - whole lives with faults: something is made, used and let go, and every allocation, every system call and every
 * thread start of it fails in turn, once and for ever after.
 *
 * A life ends well, with the bits that it always has, or with a sentence; either way nothing leaks, no file stays open, no file lies
 * about but the ones named, and the next life is as good as any. Lives: layers, evaluators, checks, emitted files, trainings of every loss and scheme with the
 * outputs they lead to, refinement, scaling, arrays, policies and checkpoints in files, models of several files.
 *
 * SPDX-License-Identifier: MIT */
#include "life_faults_making.h"

#include "support/check.h"
#include "support/failing.h"
#include "support/scratch.h"

#include "base/digest.h"
#include "baselines/baseline.h"
#include "hardnet/hardnet.h"

#include <errno.h>

enum { COUNT = 6, OUTPUTS = 2, CANDIDATES = 2, THREADS = 3, ENTRIES = 6 /* the most files that lives leave */ };
enum {
    FIRST = HN_TEST_SHARE > 1 ? 60 : 150
}; /* allocations of a long life that fail one by one; later ones more and more rarely */

static struct scratch scratch;
static hn_model *model, *equal;
static const double x[COUNT] = {0.5, 1, 1.5, 2, 2.5, 3};

static void add_numbers(struct digest *digest, const double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        digest_add_number(digest, numbers[i]);
}

static void must_read(hn_model **out, const char *text) {
    const hn_text all = {"m", text, strlen(text)};
    assert_int_equal(hn_model_read_memory(out, 1, &all, NULL, NULL), HN_OK);
}

static hn_status make_network(hn_network **network, size_t outputs, hn_error *error) {
    const hn_network_options shape = {.inputs = 1, .outputs = outputs, .hidden_count = 1, .hidden = {5}, .seed = 2};
    return hn_network_create(network, &shape, error);
}

/* ---- lives in memory ---- */

static hn_status emit_with(struct digest *digest, hn_emit_options options, hn_error *error) {
    hn_network *network = NULL;
    hn_emitted files = {.header = NULL};
    options.name = "life";
    hn_status status = make_network(&network, options.candidates * OUTPUTS, error);
    if (status == HN_OK)
        status = hn_emit(&files, model, network, &options, error);
    assert_true((status == HN_OK) == (files.source != NULL));
    if (status == HN_OK) {
        digest_add_text(digest, files.header);
        digest_add_text(digest, files.source);
        digest_add_text(digest, files.example);
    }
    hn_emitted_release(&files);
    hn_network_destroy(network);
    return status;
}

static hn_status emit(struct digest *digest, hn_error *error) {
    hn_emit_options options = {.size = sizeof options};
    hn_status status = hn_emit_get_defaults(&options, error);
    options.adjoint = true;
    return status == HN_OK ? emit_with(digest, options, error) : status;
}

static hn_status emit_policy(struct digest *digest, hn_error *error) {
    hn_emit_options options = {.size = sizeof options};
    hn_status status = hn_emit_get_defaults(&options, error);
    options.candidates = 3;
    options.keep = CANDIDATES;
    options.refine = 1;
    return status == HN_OK ? emit_with(digest, options, error) : status;
}

/* Two steps, and the outputs of what was trained. */
static hn_status train(struct digest *digest, const hn_train_options *options, const hn_model *to_hold,
                       const double *targets, hn_error *error) {
    hn_network *network = NULL;
    hn_trainer *trainer = NULL;
    size_t outputs = options->policy.head ? options->policy.head->width : OUTPUTS, chosen[COUNT];
    double y[COUNT * OUTPUTS];
    hn_report reports[COUNT];
    hn_status status = make_network(&network, outputs * options->policy.candidates, error);
    if (status == HN_OK)
        status = hn_trainer_create(&trainer, to_hold, network, options, error);
    assert_true((status == HN_OK) == (trainer != NULL));
    for (int step = 0; step < 2 && status == HN_OK; step++)
        status = hn_trainer_step(trainer, COUNT, x, targets, NULL, error);
    if (status == HN_OK)
        status = hn_policy_run_chosen(hn_trainer_policy(trainer), COUNT, x, y, NULL, reports, chosen, error);
    if (status == HN_OK) {
        add_numbers(digest, y, COUNT * OUTPUTS);
        add_numbers(digest, hn_network_parameters_of(network), hn_network_parameter_count(network));
    }
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    return status;
}

static hn_train_options small_training(void) {
    hn_train_options options = hn_train_defaults();
    options.policy.threads = THREADS;
    options.policy.candidates = CANDIDATES;
    options.policy.refine = 1;
    options.steps = 2;
    return options;
}

static hn_status train_improving(struct digest *digest, hn_error *error) {
    hn_train_options options = small_training();
    options.improve = 1;
    options.explore = 0.01;
    return train(digest, &options, model, NULL, error);
}

static hn_status train_through_the_layer(struct digest *digest, hn_error *error) {
    hn_train_options options = small_training();
    options.improve = 0;
    return train(digest, &options, model, NULL, error);
}

static hn_status train_on_targets(struct digest *digest, hn_error *error) {
    static const double targets[COUNT * OUTPUTS] = {0.1, 0.2, 0.3, 0.1, 0.5, 0.5, 0, 0, 1, 0.2, 0.3, 0.3};
    hn_train_options options = small_training();
    options.policy.candidates = 1;
    return train(digest, &options, model, targets, error);
}

static hn_status train_scheme(struct digest *digest, enum scheme scheme, hn_error *error) {
    hn_train_options options = small_training();
    struct baseline baseline = baseline_defaults();
    struct baseline_head *head;
    options.improve = 0;
    options.move_weight = options.inward = 0;
    options.policy.refine = 0;
    baseline.scheme = scheme;
    baseline.correction_steps = 3;
    hn_status status = baseline_head_create(&head, equal, &baseline, options.policy.layer.instructions, error);
    baseline_apply(&baseline, head, &options.policy);
    if (status == HN_OK)
        status = train(digest, &options, equal, NULL, error);
    baseline_head_destroy(head);
    return status;
}

static hn_status train_dc3(struct digest *digest, hn_error *error) {
    return train_scheme(digest, SCHEME_DC3, error);
}

static hn_status train_without_a_layer(struct digest *digest, hn_error *error) {
    return train_scheme(digest, SCHEME_NONE, error);
}

static hn_status refine(struct digest *digest, hn_error *error) {
    static const double raw[COUNT * CANDIDATES * OUTPUTS] = {3, 1, -1, 0.5, 0, 0, 2, 2, 1, 1, 0.5};
    double y[COUNT * OUTPUTS], targets[COUNT * CANDIDATES * OUTPUTS];
    hn_refine_options options = hn_refine_defaults();
    hn_refiner *refiner;
    options.threads = THREADS;
    options.candidates = CANDIDATES;
    const hn_refinement plain = {.size = sizeof plain, .count = COUNT, .x = x, .y_raw = raw, .y = y};
    const hn_improvement better = {
        .size = sizeof better, .count = COUNT, .x = x, .y_raw = raw, .targets = targets, .explore = 0.01};
    hn_status status = hn_refiner_create(&refiner, model, NULL, &options, error);
    assert_true((status == HN_OK) == (refiner != NULL));
    if (status == HN_OK)
        status = hn_refiner_run(refiner, &plain, error);
    if (status == HN_OK)
        status = hn_refiner_improve(refiner, &better, error);
    if (status == HN_OK) {
        add_numbers(digest, y, COUNT * OUTPUTS);
        add_numbers(digest, targets, COUNT * CANDIDATES * OUTPUTS);
    }
    hn_refiner_destroy(refiner);
    return status;
}

static hn_status draw_and_scale(struct digest *digest, hn_error *error) {
    double drawn[COUNT];
    hn_network *network = NULL;
    const hn_scaling scaling = {.count = COUNT, .x = drawn, .threads = THREADS};
    hn_status status = hn_sample_inputs(model, 1, 2, COUNT, drawn, error);
    if (status == HN_OK)
        status = make_network(&network, OUTPUTS, error);
    if (status == HN_OK)
        status = hn_network_scale(network, model, &scaling, error);
    if (status == HN_OK) {
        double y[COUNT * OUTPUTS];
        hn_policy *policy;
        hn_policy_options options = hn_policy_defaults();
        options.threads = THREADS;
        status = hn_policy_create(&policy, model, network, &options, error);
        if (status == HN_OK)
            status = hn_policy_run(policy, COUNT, drawn, y, NULL, NULL, error);
        if (status == HN_OK)
            add_numbers(digest, y, COUNT * OUTPUTS);
        hn_policy_destroy(policy);
    }
    hn_network_destroy(network);
    return status;
}

/* ---- lives with files ---- */

static hn_status store_an_array(struct digest *digest, hn_error *error) {
    const char *path = scratch_path(&scratch, "array.npy");
    hn_array array = {.values = NULL}, zeros = {.values = NULL};
    hn_status status = hn_array_create(&zeros, COUNT, OUTPUTS, error);
    if (status == HN_OK)
        status = hn_array_write(path, COUNT, 1, x, error);
    if (status == HN_OK)
        status = hn_array_read(&array, path, SIZE_MAX, error);
    assert_true((status == HN_OK) == (array.values != NULL));
    if (status == HN_OK)
        add_numbers(digest, array.values, array.rows * array.columns);
    hn_array_release(&array);
    hn_array_release(&zeros);
    return status;
}

static hn_status store_a_policy(struct digest *digest, hn_error *error) {
    const char *path = scratch_path(&scratch, "net");
    hn_network *network = NULL;
    hn_policy *policy = NULL, *back = NULL;
    hn_policy_options options = hn_policy_defaults();
    double y[COUNT * OUTPUTS];
    options.threads = 1;
    hn_status status = make_network(&network, OUTPUTS, error);
    if (status == HN_OK)
        status = hn_policy_create(&policy, model, network, &options, error);
    if (status == HN_OK)
        status = hn_policy_save(policy, path, 0, NULL, error);
    if (status == HN_OK)
        status = hn_policy_load(&back, model, path, THREADS, error);
    if (status == HN_OK)
        status = hn_policy_run(back, COUNT, x, y, NULL, NULL, error);
    if (status == HN_OK)
        add_numbers(digest, y, COUNT * OUTPUTS);
    hn_policy_destroy(back);
    hn_policy_destroy(policy);
    hn_network_destroy(network);
    return status;
}

static hn_status store_a_checkpoint(struct digest *digest, hn_error *error) {
    const char *path = scratch_path(&scratch, "checkpoint");
    static const hn_metadata text = {"--seed", "1"};
    double numbers[COUNT];
    char seed[8] = "";
    memcpy(numbers, x, sizeof numbers);
    hn_checkpoint_part part = {"weights", numbers, 1, COUNT, false, HN_CHECKPOINT_FINITE};
    const hn_checkpoint checkpoint = {1, 1, &text, &part};
    hn_status status = hn_checkpoint_save(&checkpoint, path, error);
    memset(numbers, 0, sizeof numbers);
    if (status == HN_OK)
        status = hn_checkpoint_load(&checkpoint, path, error);
    if (status == HN_OK)
        status = hn_checkpoint_read_text(path, "--seed", sizeof seed, seed, error);
    add_numbers(digest, numbers, COUNT);
    digest_add_text(digest, seed);
    return status;
}

static hn_status read_files(struct digest *digest, hn_error *error) {
    const char *const paths[] = {scratch_path(&scratch, "a.mod"), scratch_path(&scratch, "a.dat")};
    hn_model *read;
    char *text = NULL;
    size_t length = 0;
    hn_status status = hn_model_read(&read, COUNT_OF(paths), paths, NULL, error);
    assert_true((status == HN_OK) == (read != NULL));
    if (status == HN_OK)
        status = hn_model_write(read, &text, &length, error);
    if (status == HN_OK)
        digest_add_text(digest, text);
    hn_text_release(text);
    hn_model_destroy(read);
    return status;
}

/* ---- all of them ---- */

static const struct life using_lives[] = {
    {"emit", emit, 200, 0, 0, false},
    {"emit a policy", emit_policy, 200, 0, 0, false},
    {"train, improve", train_improving, 100, 0, THREADS - 1, false},
    {"train through the layer", train_through_the_layer, 100, 0, THREADS - 1, false},
    {"train on targets", train_on_targets, 100, 0, THREADS - 1, false},
    {"train dc3", train_dc3, 50, 0, THREADS - 1, false},
    {"train without a layer", train_without_a_layer, 20, 0, THREADS - 1, false},
    {"refine", refine, 50, 0, THREADS - 1, false},
    {"draw and scale", draw_and_scale, 50, 0, THREADS - 1, false},
    {"an array in a file", store_an_array, 4, 8, 0, false},
    {"a policy in a file", store_a_policy, 50, 8, THREADS - 1, false},
    {"a checkpoint in a file", store_a_checkpoint, 5, 8, 0, false},
    {"a model of files", read_files, 50, 6, 0, false},
};

static const struct life *life_at(size_t i) {
    return i < making_life_count ? &making_lives[i] : &using_lives[i - making_life_count];
}

#define LIVES (making_life_count + COUNT_OF(using_lives))

static void be_well(void) {
    memory_fail_never();
    system_fail_never();
    threads_fail_at(0);
}

static void put(const char *name, const char *text) {
    FILE *file = fopen(scratch_path(&scratch, name), "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

FIXTURE(begin) {
    be_well();
    system_move_at_most(97);
    scratch = scratch_create();
    making_lives_begin();
    must_read(&model,
              "param a >= 0.5, <= 3; var y{1..2}; minimize f: y[1]^2 + (y[2] - a)^2; s.t. disc: y[1]^2 + y[2]^2 "
              "<= a; s.t. line: y[1] + 2*y[2] >= 0.1;");
    must_read(&equal,
              "param a >= 0.5, <= 3; var y{1..2}; minimize f: y[1]^2 + y[2]; s.t. disc: y[1]^2 + y[2]^2 <= 9*a; "
              "s.t. line: y[1] + y[2] = a;");
    put("a.mod", "param n; include b.inc\nvar y{1..n} <= c; s.t. r{i in 1..n}: y[i]^2 <= c;");
    put("b.inc", "param c >= 0;\n");
    put("a.dat", "data; param n := 3;");
    return 0;
}

FIXTURE(end) {
    be_well();
    hn_model_destroy(model);
    hn_model_destroy(equal);
    making_lives_end();
    scratch_remove(&scratch);
    return memory_live_blocks() != 0;
}

/* What every good life of this kind comes to. */
static void live_well(const struct life *life, char out[DIGEST_TEXT]) {
    hn_error error = {.text = ""};
    struct digest digest = digest_start();
    be_well();
    if (life->live(&digest, &error) != HN_OK)
        fail_msg("%s: %s", life->name, error.text);
    digest_finish_text(&digest, out);
}

struct scene {
    size_t blocks, open_files;
    bool for_ever; /* removing fails, too: a name may be left, which nobody takes for a file */
    char good[DIGEST_TEXT];
};

/* After a life in which something failed, at its k-th chance. */
static void judge(const struct life *life, size_t k, const struct scene *scene, hn_status status, struct digest *digest,
                  const hn_error *error) {
    char text[DIGEST_TEXT];
    be_well();
    digest_finish_text(digest, text);
    if (status == HN_OK && strcmp(text, scene->good) != 0)
        fail_msg("%s, fault %zu: other bits, and nobody said so", life->name, k);
    if (status != HN_OK && error->text[0] == '\0')
        fail_msg("%s, fault %zu: no sentence", life->name, k);
    if (memory_live_blocks() != scene->blocks || count_open_files() != scene->open_files)
        fail_msg("%s, fault %zu: something is left (%s)", life->name, k, error->text);
    if (scene->for_ever)
        scratch_remove_temporaries(&scratch);
    assert_true(count_entries(scratch.folder) <= ENTRIES);
    if (k % (life->strict ? 64 : 16) == 1) {
        live_well(life, text);
        assert_string_equal(text, scene->good);
    }
}

static struct scene scene_of(const struct life *life, bool for_ever) {
    struct scene scene = {.for_ever = for_ever};
    live_well(life, scene.good);
    scene.blocks = memory_live_blocks();
    scene.open_files = count_open_files();
    return scene;
}

static void allocations_fail(const struct life *life, bool for_ever) {
    struct scene scene = scene_of(life, false);
    size_t strict_step = HN_TEST_SHARE > 1 && for_ever ? 3 : 1; /* sanitizers are slow */
    for (size_t k = 1;; k += life->strict ? strict_step : k < FIRST ? 1 : 1 + k / 16 + (HN_TEST_SHARE - 1)) {
        hn_error error = {.text = ""};
        struct digest digest = digest_start();
        memory_fail_at(k, for_ever);
        hn_status status = life->live(&digest, &error);
        bool failed = memory_has_failed();
        if (status != HN_OK && (status != HN_NO_MEMORY || !strstr(error.text, "memory")))
            fail_msg("%s, allocation %zu: %s", life->name, k, error.text);
        if (life->strict)
            assert_true((status == HN_NO_MEMORY) == failed && (!failed || error.status == HN_NO_MEMORY));
        judge(life, k, &scene, status, &digest, &error);
        if (!failed) {
            assert_true(k > life->least_allocations);
            return;
        }
    }
}

static void calls_fail(const struct life *life, void (*make_fail)(size_t k, int code), int code) {
    struct scene scene = scene_of(life, make_fail == system_fail_from);
    for (size_t k = 1;; k++) {
        hn_error error = {.text = ""};
        struct digest digest = digest_start();
        make_fail(k, code);
        hn_status status = life->live(&digest, &error);
        bool failed = system_failed_call() != CALL_NONE;
        if (status != HN_OK && status != HN_IO)
            fail_msg("%s, call %zu: %s", life->name, k, error.text);
        judge(life, k, &scene, status, &digest, &error);
        if (!failed) {
            assert_true(k > life->least_calls);
            return;
        }
    }
}

static void threads_fail(const struct life *life, void (*make_fail)(int k)) {
    struct scene scene = scene_of(life, false);
    for (int k = 1; k <= life->threads; k++) {
        hn_error error = {.text = ""};
        struct digest digest = digest_start();
        make_fail(k);
        hn_status status = life->live(&digest, &error);
        if (status != HN_OK && !strstr(error.text, "could not be started"))
            fail_msg("%s, thread %d: %s", life->name, k, error.text);
        judge(life, (size_t)k, &scene, status, &digest, &error);
    }
}

TEST(lives_without_memory) {
    for (size_t i = 0; i < LIVES; i++) {
        allocations_fail(life_at(i), false);
        allocations_fail(life_at(i), true);
    }
}

TEST(lives_with_calls_that_fail) {
    static const int codes[] = {ENOSPC, EIO, EACCES, EMFILE};
    for (size_t i = 0; i < LIVES; i++)
        for (size_t c = 0; c < COUNT_OF(codes) && life_at(i)->least_calls > 0; c++) {
            calls_fail(life_at(i), system_fail_at, codes[c]);
            calls_fail(life_at(i), system_fail_from, codes[c]);
        }
}

TEST(lives_with_threads_that_do_not_start) {
    for (size_t i = 0; i < LIVES; i++) {
        threads_fail(life_at(i), threads_fail_once);
        threads_fail(life_at(i), threads_fail_at);
    }
}

TEST_GROUP(begin, end)
