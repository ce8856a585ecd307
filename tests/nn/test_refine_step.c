/* test_refine_step.c - a refinement step judged by the optimality conditions: its multipliers, its feasibility, what it lowers.
 *
 * SPDX-License-Identifier: MIT */
#include "nn/refine_plan.h"

#include "base/layout.h"
#include "base/random.h"
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

struct bench {
    struct refine_plan plan;
    void *block;
    double *memory;
};

static struct bench start(const hn_model *model, hn_instructions instructions) {
    struct bench b;
    hn_error error;
    if (refine_plan_create_lanes(&b.plan, model, instructions, &error) != HN_OK)
        fail_msg("%s", error.text);
    b.block = malloc(b.plan.bytes + LAYOUT_ALIGNMENT);
    b.memory = (double *)(void *)((char *)b.block + (LAYOUT_ALIGNMENT - (uintptr_t)b.block % LAYOUT_ALIGNMENT));
    refine_plan_prepare(&b.plan, b.memory);
    return b;
}

static void stop(struct bench *b) {
    refine_plan_release(&b->plan);
    free(b->block);
}

/* minimise sum_j h_j (y_j - t_j)^2 / 2 in a box: the answer is t, clipped; multipliers are the slopes left. */
TEST(a_separable_programme_is_solved) {
    enum { SIZE = 9 };
    hn_model *model = model_new();
    double target[SIZE], curvature[SIZE], y[SIZE], out[SIZE], multipliers[SIZE];
    hn_expr terms[SIZE];
    struct random random = random_start(1, 2);
    for (size_t j = 0; j < SIZE; j++) {
        char name[32];
        target[j] = random_between(&random, -3, 3);
        curvature[j] = random_between(&random, 0.5, 20);
        y[j] = random_between(&random, -0.9, 0.9);
        snprintf(name, sizeof name, "y%zu", j);
        hn_expr own = hn_output(model, name), away = hn_shift(own, -target[j]);
        hn_output_bounds(own, -1, 1);
        terms[j] = hn_scale(curvature[j] / 2, hn_mul(away, away));
    }
    hn_minimize(model, "f", hn_sum(model, SIZE, terms));
    model_finish_good(model);
    struct bench b = start(model, HN_INSTRUCTIONS_BEST);
    const double length = 1;
    const struct refine_batch sample = {
        .count = 1, .y = y, .y_new = out, .multipliers = multipliers, .length = &length};
    for (int k = 0; k < 4; k++) { /* each leaves a share of what there is to gain */
        refine_plan_run(&b.plan, b.memory, &sample);
        memcpy(y, out, sizeof y);
    }
    for (size_t j = 0; j < SIZE; j++) {
        double best = fmin(1, fmax(-1, target[j])), slope = curvature[j] * (best - target[j]);
        assert_in_interval(out[j] - best, -1e-4, 1e-4);
        assert_in_interval(multipliers[j] - slope, -1e-2, 1e-2);
    }
    stop(&b);
    hn_model_destroy(model);
}

/* A target per output, an output p in every row y_j - p <= 1, a budget over all y: p and the budget would fill the system. */
enum { COUPLED = 120 };

static hn_model *coupled_model(const double *target) {
    hn_model *model;
    hn_expr terms[COUPLED + 1], own[COUPLED + 1];
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (size_t j = 0; j <= COUPLED; j++) {
        char name[32];
        snprintf(name, sizeof name, "y%zu", j);
        own[j] = hn_output(model, name);
        terms[j] = hn_scale(0.5, hn_mul(hn_shift(own[j], -target[j]), hn_shift(own[j], -target[j])));
    }
    for (size_t j = 0; j < COUPLED; j++) {
        char name[32];
        snprintf(name, sizeof name, "below%zu", j);
        hn_constrain(model, name, -HUGE_VAL, hn_sub(own[j], own[COUPLED]), 1);
    }
    hn_constrain(model, "budget", 7, hn_sum(model, COUPLED, own), 7);
    hn_minimize(model, "f", hn_sum(model, COUPLED + 1, terms));
    model_finish_good(model);
    return model;
}

/* Feasible, complementary, and f' = J' mu. */
static void judge_coupled(const double *target, const double *y, const double *multipliers) {
    double sum = 0, active = 0, common = y[COUPLED] - target[COUPLED];
    for (size_t j = 0; j < COUPLED; j++) {
        double above = y[j] - y[COUPLED] - 1;
        sum += y[j];
        common += multipliers[j];
        active += multipliers[j] < -0.1;
        assert_in_interval(above, -HUGE_VAL, 1e-6);
        assert_true(multipliers[j] < 1e-3 && (above > -1e-2 || multipliers[j] > -1e-2));
        assert_in_interval(y[j] - target[j] - multipliers[COUPLED] - multipliers[j], -1e-3, 1e-3);
    }
    assert_in_interval(common, -1e-3, 1e-3);
    assert_in_interval(sum, 7 - 1e-6, 7 + 1e-6);
    assert_in_interval(active, 5, COUPLED - 5);
}

TEST(a_programme_with_a_common_output_and_a_budget_is_solved) {
    double target[COUPLED + 1], y[COUPLED + 1] = {0}, out[COUPLED + 1], multipliers[COUPLED + 1];
    struct random random = random_start(1, 3);
    for (size_t j = 0; j <= COUPLED; j++)
        target[j] = random_between(&random, -3, 3);
    hn_model *model = coupled_model(target);
    struct bench b = start(model, HN_INSTRUCTIONS_BEST);
    assert_int_equal(b.plan.places.system.added, 1);
    const double length = 1;
    const struct refine_batch sample = {
        .count = 1, .y = y, .y_new = out, .multipliers = multipliers, .length = &length};
    for (int k = 0; k < 8; k++) { /* each leaves a share of what there is to gain */
        refine_plan_run(&b.plan, b.memory, &sample);
        memcpy(y, out, sizeof y);
    }
    judge_coupled(target, y, multipliers);
    stop(&b);
    hn_model_destroy(model);
}

enum { SAMPLES = 21, N = 50, M = 60 }; /* more than go side by side, and not a multiple of it */

/* Rows of states, outputs and multipliers of the unicycle. */
struct rows {
    double x[SAMPLES][3], y[SAMPLES][N], out[SAMPLES][N], multipliers[SAMPLES][M], length[SAMPLES];
};

static struct rows draw_rows(uint64_t stream) {
    struct rows rows = {.length = {0}};
    struct random random = random_start(3, stream);
    for (size_t s = 0; s < SAMPLES; s++) {
        for (size_t i = 0; i < 3; i++)
            rows.x[s][i] = random_between(&random, -3 + (double)i, -2 + (double)i);
        for (size_t j = 0; j < N; j++)
            rows.y[s][j] = random_between(&random, 0, 1);
        rows.length[s] = s % 3 == 0 ? 0.25 : 1;
    }
    return rows;
}

static struct refine_batch batch_of(struct rows *rows, size_t first, size_t count, bool known) {
    return (struct refine_batch){.count = count,
                                 .x = rows->x[first],
                                 .y = rows->y[first],
                                 .y_new = rows->out[first],
                                 .multipliers = rows->multipliers[first],
                                 .known = known,
                                 .length = rows->length + first};
}

/* The number of samples beside one changes nothing, whether multipliers are known or not. */
TEST(a_sample_does_not_know_its_neighbours) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct bench b = start(model, HN_INSTRUCTIONS_BEST);
    assert_int_equal(b.plan.rows, M);
    for (int known = 0; known < 2; known++) {
        struct rows together = draw_rows(4), alone = together;
        const struct refine_batch all = batch_of(&together, 0, SAMPLES, known);
        refine_plan_run(&b.plan, b.memory, &all);
        for (size_t s = 0; s < SAMPLES; s++) {
            const struct refine_batch one = batch_of(&alone, s, 1, known);
            refine_plan_run(&b.plan, b.memory, &one);
        }
        assert_memory_equal(alone.out, together.out, sizeof alone.out);
        assert_memory_equal(alone.multipliers, together.multipliers, sizeof alone.multipliers);
    }
    stop(&b);
    hn_model_destroy(model);
}

/* All instruction sets that this processor has, and each sample with another count of iterations. */
TEST(every_instruction_set_gives_the_same_bits) {
    hn_model *model = model_of_file("models/unicycle.mod");
    struct rows first = draw_rows(6), rows;
    struct backend backend;
    for (size_t k = 0; backend_at(k, &backend); k++) {
        hn_instructions instructions;
        assert_true(hn_instructions_find(backend.name, &instructions));
        struct bench b = start(model, instructions);
        rows = draw_rows(6);
        const struct refine_batch batch = batch_of(k == 0 ? &first : &rows, 0, SAMPLES, false);
        refine_plan_run(&b.plan, b.memory, &batch);
        if (k > 0)
            assert_memory_equal(first.out, rows.out, sizeof rows.out);
        stop(&b);
    }
    hn_model_destroy(model);
}

static hn_model *model_of(void (*build)(hn_model *)) {
    hn_model *model = model_new();
    build(model);
    model_finish_good(model);
    return model;
}

/* minimise y1 + y2 on the disc of radius 1: f has no curvature, all of it comes from the constraint. */
static void build_disc(hn_model *m) {
    hn_input(m, "unused");
    hn_expr a = hn_output(m, "y1"), b = hn_output(m, "y2");
    hn_constrain(m, "disc", -HUGE_VAL, hn_add(hn_mul(a, a), hn_mul(b, b)), 1);
    hn_minimize(m, "f", hn_add(a, b));
}

TEST(a_linear_objective_on_a_disc_is_followed_to_its_end) {
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
    policy_release(policy, network, model);
}
