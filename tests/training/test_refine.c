/* test_refine.c - a refinement step judged by the optimality conditions: its multipliers, its feasibility, what it lowers.
 *
 * SPDX-License-Identifier: MIT */
#include "training/refine.h"

#include "base/layout.h"
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bench {
    struct refiner refiner;
    void *block;
    double *memory;
};

static struct bench start(const hn_model *model, hn_instructions instructions) {
    struct bench b;
    hn_error error;
    if (refiner_create(&b.refiner, model, instructions, &error) != HN_OK)
        fail_msg("%s", error.text);
    b.block = malloc(b.refiner.bytes + LAYOUT_ALIGNMENT);
    b.memory = (double *)(void *)((char *)b.block + (LAYOUT_ALIGNMENT - (uintptr_t)b.block % LAYOUT_ALIGNMENT));
    refiner_begin(&b.refiner, b.memory);
    return b;
}

static void stop(struct bench *b) {
    refiner_release(&b->refiner);
    free(b->block);
}

/* minimise sum_j h_j (y_j - t_j)^2 / 2 in a box: the answer is t, clipped; multipliers are the slopes left. */
static void a_separable_programme_is_solved(void **state) {
    (void)state;
    enum { N = 9 };
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    double target[N], curvature[N], y[N], out[N], multipliers[N];
    hn_expr terms[N];
    struct random random = random_start(1, 2);
    for (size_t j = 0; j < N; j++) {
        char name[8];
        target[j] = random_between(&random, -3, 3);
        curvature[j] = random_between(&random, 0.5, 20);
        y[j] = random_between(&random, -0.9, 0.9);
        snprintf(name, sizeof name, "y%zu", j);
        hn_expr own = hn_output(model, name), away = hn_shift(own, -target[j]);
        hn_output_bounds(own, -1, 1);
        terms[j] = hn_scale(curvature[j] / 2, hn_mul(away, away));
    }
    hn_minimize(model, "f", hn_sum(model, N, terms));
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    struct bench b = start(model, HN_INSTRUCTIONS_BEST);
    const struct refine_sample sample = {.y = y, .y_new = out, .multipliers = multipliers, .length = 1};
    for (int k = 0; k < 4; k++) { /* each leaves a share of what there is to gain */
        refiner_step(&b.refiner, b.memory, &sample, 1);
        memcpy(y, out, sizeof y);
    }
    for (size_t j = 0; j < N; j++) {
        double best = fmin(1, fmax(-1, target[j])), slope = curvature[j] * (best - target[j]);
        assert_in_interval(out[j] - best, -1e-4, 1e-4);
        assert_in_interval(multipliers[j] - slope, -1e-2, 1e-2);
    }
    stop(&b);
    hn_model_destroy(model);
}

/* Lanes do not know each other, and the number of samples beside one changes nothing. */
static void a_sample_does_not_know_its_neighbours(void **state) {
    (void)state;
    static const char *const path = "models/unicycle.mod";
    hn_model *model;
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, NULL), HN_OK);
    struct bench b = start(model, HN_INSTRUCTIONS_BEST);
    enum { N = 50, M = 60 };
    double x[LANES][3], y[LANES][N], alone[N], together[LANES][N], multipliers[LANES][M] = {{0}}, mine[M] = {0};
    struct refine_sample samples[LANES];
    struct random random = random_start(3, 4);
    assert_int_equal(b.refiner.rows, M);
    for (size_t s = 0; s < LANES; s++) {
        for (size_t i = 0; i < 3; i++)
            x[s][i] = random_between(&random, -3 + (double)i, -2 + (double)i);
        for (size_t j = 0; j < N; j++)
            y[s][j] = random_between(&random, 0, 1);
        samples[s] = (struct refine_sample){x[s], y[s], together[s], multipliers[s], s % 2 == 1, 1};
    }
    refiner_step(&b.refiner, b.memory, samples, LANES);
    for (size_t s = 0; s < LANES; s++) {
        memset(mine, 0, sizeof mine);
        const struct refine_sample one = {x[s], y[s], alone, mine, s % 2 == 1, 1};
        refiner_step(&b.refiner, b.memory, &one, 1);
        assert_memory_equal(alone, together[s], sizeof alone);
        assert_memory_equal(mine, multipliers[s], sizeof mine);
    }
    stop(&b);
    hn_model_destroy(model);
}

/* All instruction sets that this processor has, and each lane with another count of iterations. */
static void every_instruction_set_gives_the_same_bits(void **state) {
    (void)state;
    static const char *const path = "models/unicycle.mod";
    enum { N = 50, M = 60 };
    hn_model *model;
    assert_int_equal(hn_model_read(&model, 1, &path, NULL, NULL), HN_OK);
    double x[3] = {-3, 0.4, 0.1}, y[LANES][N], first[LANES][N], out[LANES][N], multipliers[LANES][M];
    struct random random = random_start(5, 6);
    for (size_t s = 0; s < LANES; s++)
        for (size_t j = 0; j < N; j++)
            y[s][j] = random_between(&random, -0.5, 0.2 * (double)s);
    struct backend backend;
    for (size_t k = 0; backend_at(k, &backend); k++) {
        hn_instructions instructions;
        assert_true(hn_instructions_find(backend.name, &instructions));
        struct bench b = start(model, instructions);
        struct refine_sample samples[LANES];
        for (size_t s = 0; s < LANES; s++)
            samples[s] = (struct refine_sample){x, y[s], k == 0 ? first[s] : out[s], multipliers[s], false, 1};
        refiner_step(&b.refiner, b.memory, samples, LANES);
        if (k > 0)
            assert_memory_equal(first, out, sizeof out);
        stop(&b);
    }
    hn_model_destroy(model);
}

static hn_model *model_of(void (*build)(hn_model *)) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    build(model);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

/* minimise y1 + y2 on the disc of radius 1: f has no curvature, all of it comes from the constraint. */
static void build_disc(hn_model *m) {
    hn_input(m, "unused");
    hn_expr a = hn_output(m, "y1"), b = hn_output(m, "y2");
    hn_constrain(m, "disc", -HUGE_VAL, hn_add(hn_mul(a, a), hn_mul(b, b)), 1);
    hn_minimize(m, "f", hn_add(a, b));
}

static void a_linear_objective_on_a_disc_is_followed_to_its_end(void **state) {
    (void)state;
    hn_model *model = model_of(build_disc);
    const hn_network_options shape = {.inputs = 1, .outputs = 2, .hidden_count = 1, .hidden = {4}, .seed = 1};
    hn_network *network;
    hn_policy *policy;
    hn_policy_options options = hn_policy_defaults();
    double x = 0.5, y[2], objective;
    hn_report report;
    options.refine = 8;
    assert_int_equal(hn_network_create(&network, &shape, NULL), HN_OK);
    assert_int_equal(hn_policy_create(&policy, model, network, &options, NULL), HN_OK);
    assert_int_equal(hn_policy_run(policy, 1, &x, y, &objective, &report, NULL), HN_OK);
    print_message("(%.9f, %.9f) after 8 steps, f %.9f\n", y[0], y[1], objective);
    assert_int_equal(report.outcome, HN_OUTCOME_OK);
    assert_true(objective < -sqrt(2) + 1e-4);
    hn_policy_destroy(policy);
    hn_network_destroy(network);
    hn_model_destroy(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_separable_programme_is_solved),
        cmocka_unit_test(a_sample_does_not_know_its_neighbours),
        cmocka_unit_test(every_instruction_set_gives_the_same_bits),
        cmocka_unit_test(a_linear_objective_on_a_disc_is_followed_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
