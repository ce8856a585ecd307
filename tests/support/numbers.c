/* numbers.c - see numbers.h.
 *
 * SPDX-License-Identifier: MIT */
#include "support/numbers.h"

double *normal_numbers(struct random *random, size_t count) {
    double *numbers = malloc((count + 1) * sizeof *numbers);
    assert_non_null(numbers);
    for (size_t i = 0; i < count; i++)
        numbers[i] = random_normal(random);
    return numbers;
}

double *normal_numbers_of(uint64_t seed, uint64_t stream, size_t count) {
    struct random random = random_start(seed, stream);
    return normal_numbers(&random, count);
}

hn_network *network_with(hn_network_options options) {
    hn_network *network;
    hn_error error = {.text = ""};
    if (hn_network_create(&network, &options, &error) != HN_OK)
        fail_msg("%s", error.text);
    return network;
}

void trainer_release(hn_trainer *trainer, hn_network *network, hn_model *model) {
    hn_trainer_destroy(trainer);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

void policy_release(hn_policy *policy, hn_network *network, hn_model *model) {
    hn_policy_destroy(policy);
    hn_network_destroy(network);
    hn_model_destroy(model);
}
