/* baselines_making.c - see baselines_making.h.
 *
 * SPDX-License-Identifier: MIT */
#include "baselines/baselines_making.h"

#include "base/random.h"
#include "support/check.h"

hn_model *model_of(const char *text) {
    const hn_text texts[] = {{"m", text, strlen(text)}};
    hn_model *model;
    hn_error error;
    if (hn_model_read_memory(&model, 1, texts, NULL, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

struct applied scheme_of(enum scheme scheme) {
    struct applied options = {hn_policy_defaults(), baseline_defaults()};
    options.baseline.scheme = scheme;
    return options;
}

/* Heads live until the end: policies and trainers use them. */
static struct baseline_head *heads[MOST];
static size_t head_count;

int destroy_heads(void **state) {
    (void)state;
    while (head_count > 0)
        baseline_head_destroy(heads[--head_count]);
    return 0;
}

struct baseline_head **next_head(void) {
    assert_true(head_count < MOST);
    return &heads[head_count++];
}

hn_status make_head(const hn_model *model, const struct baseline *baseline, hn_policy_options *policy,
                    hn_error *error) {
    struct baseline_head **head = next_head();
    hn_status status = baseline_head_create(head, model, baseline, policy->layer.instructions, error);
    baseline_apply(baseline, *head, policy);
    return status;
}

hn_policy_options headed(const hn_model *model, const struct baseline *baseline, hn_policy_options policy) {
    hn_error error;
    if (make_head(model, baseline, &policy, &error) != HN_OK)
        fail_msg("%s", error.text);
    return policy;
}

size_t width_of(const hn_model *model, const struct baseline *baseline, size_t columns[MOST]) {
    const hn_policy_options policy = headed(model, baseline, hn_policy_defaults());
    size_t count = policy.head ? policy.head->width : hn_model_output_count(model);
    for (size_t k = 0; columns && k < count; k++)
        columns[k] = policy.head ? policy.head->columns[k] : k;
    return count;
}

/* Outputs around `level`, with a spread of a tenth. */
hn_network *network_for(const hn_model *model, struct applied settings, double level) {
    size_t width = settings.policy.candidates * width_of(model, &settings.baseline, NULL);
    const hn_network_options options = {.inputs = hn_model_input_count(model),
                                        .outputs = width,
                                        .hidden_count = 2,
                                        .hidden = {20, 30},
                                        .activation = HN_ACTIVATION_TANH,
                                        .seed = 3};
    double shift[4 * MOST], scale[4 * MOST];
    hn_network *network;
    assert_int_equal(hn_network_create(&network, &options, NULL), HN_OK);
    for (size_t i = 0; i < width; i++) {
        shift[i] = level;
        scale[i] = 0.3;
    }
    assert_int_equal(hn_network_set_output(network, shift, scale, NULL), HN_OK);
    return network;
}

struct trained training_of(enum scheme scheme) {
    struct trained all = {hn_train_defaults(), scheme_of(scheme).baseline};
    hn_train_options options = all.train;
    options.improve = 0;
    options.clip_sample = 0;
    options.inward = 0;
    options.move_weight = 0;
    options.residual_weight = scheme == SCHEME_DC3 ? 5 : 0;
    options.square_weight = scheme == SCHEME_DC3 ? 0 : 1000;
    all.train = options;
    return all;
}

struct applied applied_by(const struct trained *options) {
    return (struct applied){options->train.policy, options->baseline};
}

hn_trainer *trainer_of(const hn_model *model, hn_network *network, const struct trained *options) {
    hn_train_options train = options->train;
    hn_trainer *trainer;
    hn_error error;
    train.policy = headed(model, &options->baseline, train.policy);
    if (hn_trainer_create(&trainer, model, network, &train, &error) != HN_OK)
        fail_msg("%s", error.text);
    return trainer;
}

hn_policy *policy_of(const hn_model *model, const hn_network *network, const struct applied *options) {
    const hn_policy_options all = headed(model, &options->baseline, options->policy);
    hn_policy *policy;
    hn_error error;
    if (hn_policy_create(&policy, model, network, &all, &error) != HN_OK)
        fail_msg("%s", error.text);
    return policy;
}

void draw(const hn_model *model, double *x, size_t count, uint64_t stream) {
    struct random random = random_start(8, stream);
    size_t inputs = hn_model_input_count(model);
    for (size_t i = 0; i < count * inputs; i++) {
        hn_input_info input = hn_model_input(model, i % inputs);
        x[i] = random_between(&random, input.lower, input.upper);
    }
}
