/* test_head.c - heads of the caller's: run, judged, trained through, saved and loaded; what makes no sense is refused.
 *
 *     squash    y = radius raw / s,   s = sqrt(1 + |raw|^2):   inside the disc, whatever the network gives
 *     follow    y_1 = raw_1,   y_2 = 1 - raw_1:                one number of the network, two outputs
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/differences.h"
#include "support/scratch.h"

enum { SAMPLES = 100, OUTPUTS = 2 };

static hn_model *model;
static hn_network *network, *narrow;

FIXTURE(set_up) {
    static const char text[] = "param radius >= 0.5, <= 2; var y{1..2}; minimize f: (y[1] - 2)^2 + y[2]^2;"
                               "subject to inside: y[1]^2 + y[2]^2 <= radius^2; subject to line: y[1] + y[2] >= 0.1;";
    const hn_text texts[] = {{"m", text, sizeof text - 1}};
    hn_network_options shape = {.inputs = 1, .outputs = 2, .hidden_count = 1, .hidden = {9}, .seed = 4};
    assert_int_equal(hn_model_read_memory(&model, 1, texts, NULL, NULL), HN_OK);
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    shape.outputs = 1;
    assert_int_equal(hn_network_create(&narrow, &shape, NULL), HN_OK);
    return 0;
}

FIXTURE(tear_down) {
    hn_network_destroy(network);
    hn_network_destroy(narrow);
    hn_model_destroy(model);
    return 0;
}

/* ---- heads ---- */

static void squash_begin(const void *context, void *memory) {
    memcpy(memory, context, sizeof(double)); /* a factor */
}

static void squash_map(const void *context, const hn_head_batch *b) {
    (void)context;
    for (size_t i = 0; i < b->count; i++) {
        const double *raw = b->raw + OUTPUTS * i;
        double s = sqrt(1 + raw[0] * raw[0] + raw[1] * raw[1]), *tape = b->tape;
        for (size_t j = 0; j < OUTPUTS; j++)
            b->y[OUTPUTS * i + j] = *(const double *)b->memory * b->x[i] * raw[j] / s;
        b->notes[i] = (hn_head_note){.violation_before = s, .steps = 3, .stalled = raw[0]<0, .lost = b->x[i]> 1.9};
        if (tape)
            tape[i] = s;
    }
}

static void squash_back(const void *context, const hn_head_batch *b) {
    (void)context;
    for (size_t i = 0; i < b->count; i++) {
        const double *raw = b->raw + OUTPUTS * i, *g = b->grad_y + OUTPUTS * i;
        double s = ((const double *)b->tape)[i], dot = raw[0] * g[0] + raw[1] * g[1];
        for (size_t j = 0; j < OUTPUTS; j++)
            b->grad_raw[OUTPUTS * i + j] =
                *(const double *)b->memory * b->x[i] * (g[j] / s - raw[j] * dot / (s * s * s));
    }
}

static const double one = 1;
static const hn_metadata texts[] = {{"policy.squash", "sqrt"}};
static const hn_head squash = {.name = "squash",
                               .context = &one,
                               .width = OUTPUTS,
                               .memory_bytes = sizeof(double),
                               .tape_bytes = sizeof(double),
                               .text_count = 1,
                               .texts = texts,
                               .begin = squash_begin,
                               .map = squash_map,
                               .back = squash_back};

static void follow_map(const void *context, const hn_head_batch *b) {
    (void)context;
    for (size_t i = 0; i < b->count; i++) {
        assert_same_bits(b->raw[OUTPUTS * i + 1], 0);
        b->raw[OUTPUTS * i + 1] = 1 - b->raw[OUTPUTS * i];
        memcpy(b->y + OUTPUTS * i, b->raw + OUTPUTS * i, OUTPUTS * sizeof *b->y);
    }
}

static const size_t first[] = {0};
static const hn_head follow = {.name = "follow", .width = 1, .columns = first, .map = follow_map};

static hn_policy_options with(const hn_head *head) {
    hn_policy_options options = hn_policy_defaults();
    options.head = head;
    return options;
}

static hn_policy *policy_with(const hn_head *head, const hn_network *net) {
    const hn_policy_options options = with(head);
    hn_policy *policy;
    hn_error error;
    if (hn_policy_create(&policy, model, net, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return policy;
}

struct outputs {
    double x[SAMPLES], raw[SAMPLES * OUTPUTS], y[SAMPLES * OUTPUTS];
    hn_report reports[SAMPLES];
};

static void run(hn_policy *policy, const hn_network *net, struct outputs *o) {
    static double workspace[4096];
    for (size_t i = 0; i < SAMPLES; i++)
        o->x[i] = 0.5 + 1.5 * (double)i / SAMPLES;
    assert_true(hn_network_workspace_bytes(net) <= sizeof workspace);
    assert_int_equal(hn_network_run(net, SAMPLES, o->x, o->raw, workspace, sizeof workspace, NULL), HN_OK);
    assert_int_equal(hn_policy_run(policy, SAMPLES, o->x, o->y, NULL, o->reports, NULL), HN_OK);
}

/* ---- outputs ---- */

TEST(a_head_s_outputs_are_judged_and_reported) {
    static struct outputs o;
    hn_policy *policy = policy_with(&squash, network);
    run(policy, network, &o);
    for (size_t i = 0; i < SAMPLES; i++) {
        const double *raw = o.raw + 2 * i, *y = o.y + 2 * i;
        double s = sqrt(1 + raw[0] * raw[0] + raw[1] * raw[1]), miss = fmax(0, 0.1 - (y[0] + y[1]));
        assert_same_bits(y[0], o.x[i] * raw[0] / s);
        assert_same_bits(o.reports[i].violation_before, s);
        assert_in_interval(o.reports[i].violation - miss, -1e-15, 1e-15);
        assert_in_interval(o.reports[i].moved - hypot(y[0] - raw[0], y[1] - raw[1]), -1e-15, 1e-15);
        assert_int_equal(o.reports[i].iterations, 3);
        assert_int_equal(o.reports[i].outcome, miss <= 1e-8 ? HN_OUTCOME_OK
                                               : raw[0] < 0 ? HN_OUTCOME_STALLED
                                                            : HN_OUTCOME_ITERATION_LIMIT);
    }
    hn_policy_destroy(policy);
}

TEST(a_network_gives_a_head_s_columns) {
    static struct outputs o;
    hn_policy *policy = policy_with(&follow, narrow);
    run(policy, narrow, &o);
    for (size_t i = 0; i < SAMPLES; i++) {
        assert_same_bits(o.y[2 * i], o.raw[i]);
        assert_same_bits(o.y[2 * i + 1], 1 - o.raw[i]);
    }
    hn_policy_destroy(policy);
}

/* ---- training ---- */

static hn_train_options training_with(const hn_head *head) {
    hn_train_options options = hn_train_defaults();
    options.policy.head = head;
    options.improve = 0;
    options.move_weight = options.clip_sample = 0;
    return options;
}

TEST(the_gradient_through_a_head_is_that_of_differences) {
    hn_train_options options = training_with(&squash);
    struct difference_verdict verdict = {.worst = 0};
    hn_trainer *trainer;
    options.rate = 1e-300;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
    for (uint64_t k = 0; k < 10; k++) {
        const double x = 0.6 + 0.1 * (double)k;
        difference_check(trainer, &x, k, &verdict);
    }
    assert_int_equal(verdict.good, 10);
    hn_trainer_destroy(trainer);
}

TEST(what_a_head_calls_lost_is_dropped) {
    static const double x[] = {1, 1.95, 1.5, 2};
    const hn_train_options options = training_with(&squash);
    hn_train_report report;
    hn_trainer *trainer;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &options, NULL), HN_OK);
    assert_int_equal(hn_trainer_step(trainer, 4, x, NULL, &report, NULL), HN_OK);
    assert_int_equal(report.samples, 2);
    assert_int_equal(report.dropped, 2);
    hn_trainer_destroy(trainer);
}

/* ---- files ---- */

static hn_status find(void *context, const hn_network *net, const hn_policy_options *options, const hn_head **head,
                      hn_error *error) {
    (void)error;
    assert_string_equal(hn_network_metadata(net, "policy.scheme"), "squash");
    assert_int_equal(options->candidates, 1);
    *head = context;
    return HN_OK;
}

static void loading_fails(const char *path, hn_head_find finder, const hn_head *head, const char *part) {
    union {
        const hn_head *head;
        void *context;
    } given = {head};
    hn_policy *policy;
    hn_error error;
    assert_int_equal(hn_policy_load_with(&policy, model, path, 1, finder, given.context, &error), HN_INVALID);
    assert_null(policy);
    assert_contains(error.text, part);
}

TEST(a_file_asks_for_its_head) {
    static struct outputs before, after;
    static const hn_metadata other_texts[] = {{"policy.squash", "tanh"}}, more[] = {{"policy.round", "no"}};
    struct scratch scratch = scratch_create();
    const char *path = scratch_path(&scratch, "net");
    hn_head mine = squash, renamed = squash, changed = squash, longer = squash;
    hn_policy *policy = policy_with(&squash, network), *back;
    renamed.name = "squeeze";
    changed.texts = other_texts;
    longer.texts = more;
    assert_int_equal(hn_policy_save(policy, path, 0, NULL, NULL), HN_OK);
    assert_int_equal(hn_policy_load_with(&back, model, path, 1, find, &mine, NULL), HN_OK);
    assert_ptr_equal(hn_policy_options_of(back).head, &mine);
    run(policy, network, &before);
    run(back, network, &after);
    assert_memory_equal(&before, &after, sizeof before);
    hn_policy_destroy(back);
    hn_policy_destroy(policy);
    loading_fails(path, NULL, NULL, "policy.scheme is \"squash\", and there is no such head here");
    loading_fails(path, find, NULL, "there is no such head here");
    loading_fails(path, find, &renamed, "there is no such head here");
    loading_fails(path, find, &changed, "policy.squash is \"sqrt\", and for this model it is \"tanh\"");
    loading_fails(path, find, &longer, "unknown setting policy.squash");
    scratch_remove(&scratch);
}

/* ---- what makes no sense ---- */

static void refused(const hn_policy_options *options, const char *part) {
    hn_policy *policy;
    hn_error error;
    assert_int_not_equal(hn_policy_create(&policy, model, network, options, &error), HN_OK);
    assert_null(policy);
    assert_contains(error.text, part);
}

TEST(heads_that_make_no_sense_are_refused) {
    static const size_t twice[] = {1, 1}, beyond[] = {0, 2};
    static const hn_metadata strange[] = {{"squash", "sqrt"}};
    static const char *const names[] = {NULL, "", "layer", "none"};
    hn_head head = squash;
    hn_policy_options options = with(&head);
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        head.name = names[i];
        refused(&options, "it needs a short name of its own");
    }
    head = squash, head.map = NULL;
    refused(&options, "head squash: it has no function map");
    head = squash, head.width = 1;
    refused(&options, "its columns must be");
    head = squash, head.columns = twice;
    refused(&options, "its columns must be");
    head.columns = beyond;
    refused(&options, "its columns must be");
    head = squash, head.text_count = HN_HEAD_MOST_TEXTS + 1;
    refused(&options, "its texts are too many");
    head = squash, head.texts = strange;
    refused(&options, "keys that start with policy.");
    options = with(&follow);
    refused(&options, "the model needs 1 and 1 (1 candidates of its independent outputs)");
}

TEST(what_needs_a_layer_is_refused_with_a_head) {
    static const double x[] = {1}, targets[] = {0, 0};
    hn_device_options device = {.size = sizeof device};
    hn_train_options train = training_with(&squash);
    hn_policy_options options = with(&squash);
    hn_head forward = squash;
    hn_trainer *trainer;
    hn_error error;
    options.refine = 1;
    refused(&options, "refinement steps need a layer; the scheme is squash");
    options = with(&squash), options.device = &device;
    refused(&options, "device cuda: it does not have the scheme squash, which runs on the CPU");
    train.move_weight = 1;
    assert_int_equal(hn_trainer_create(&trainer, model, network, &train, &error), HN_INVALID);
    assert_contains(error.text, "move_weight 1: with squash it must be 0");
    forward.back = NULL;
    train = training_with(&forward);
    assert_error(hn_trainer_create(&trainer, model, network, &train, &error), HN_INVALID, error, "it has no way back");
    train = training_with(&squash);
    assert_int_equal(hn_trainer_create(&trainer, model, network, &train, &error), HN_OK);
    assert_int_equal(hn_trainer_step(trainer, 1, x, targets, NULL, &error), HN_INVALID);
    assert_contains(error.text, "squash does not support targets");
    hn_trainer_destroy(trainer);
}

TEST_GROUP(set_up, tear_down)
