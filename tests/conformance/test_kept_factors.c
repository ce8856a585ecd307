/* test_kept_factors.c - a factor of constant rows is kept from step to step; which rows count may change in between, and every step is
 * the plain executor's, bit by bit. Few rows over very many outputs have vectors that are longer than all of the factor. Pivots are compared, too.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/executor_script.h"
#include "support/model_check.h"
#include "support/plain_executor.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "core/point.h"
#include "layer/driver.h"

enum { ROWS = 50, FEW = 60, MANY = 7280, TURNS = 5 };

/* Equalities of random numbers. */
static hn_model *matrix_model(size_t outputs) {
    hn_model *model = model_new();
    struct random random = random_start(7, outputs);
    hn_expr *y = calloc(outputs, sizeof *y);
    hn_real *numbers = calloc(outputs, sizeof *numbers);
    char name[32];
    for (size_t j = 0; j < outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        y[j] = hn_output(model, name);
    }
    for (size_t i = 0; i < ROWS; i++) {
        for (size_t j = 0; j < outputs; j++)
            numbers[j] = random_normal(&random);
        snprintf(name, sizeof name, "row[%zu]", i);
        hn_constrain(model, name, 1, hn_linear(model, outputs, numbers, y), 1);
    }
    model_finish_good(model);
    free(y);
    free(numbers);
    return model;
}

/* The plain executor's memory, and that of the one that is judged; both of one sample. */
struct pair {
    const struct plan *plan;
    struct executor executor[2];
    double *slots[2];
};

static void open_pair(struct pair *p, const struct plan *plan) {
    *p = (struct pair){.plan = plan, .executor = {plain_executor(plan)}};
    assert_int_equal(executor_open_single(&p->executor[1], plan, NULL), HN_OK);
    for (int side = 0; side < 2; side++) {
        p->slots[side] = aligned_alloc(64, (p->executor[side].bytes + 63) / 64 * 64);
        assert_non_null(p->slots[side]);
        p->executor[side].begin(&p->executor[side], p->slots[side]);
    }
}

static void close_pair(struct pair *p) {
    executor_close(&p->executor[1]);
    free(p->slots[0]);
    free(p->slots[1]);
}

/* A point with all of its rows weighed. */
static void weigh(const struct pair *p, const double *y) {
    const bool yes = true, no = false;
    const double hold = 0;
    const struct executor_rows rows = {&yes, &hold, &no, &no};
    for (int side = 0; side < 2; side++) {
        const struct executor *x = &p->executor[side];
        x->load(x, p->slots[side], p->plan->y, p->plan->outputs, &y);
        x->prepare(x, p->slots[side]);
        x->evaluate(x, p->slots[side], &yes, false);
        x->weigh(x, p->slots[side], &rows);
        x->copy(x, p->slots[side], p->plan->y, p->plan->base, p->plan->outputs, &yes);
    }
}

/* Rows that do not count are 0 in A and in W r. */
static void let_count(const struct plan *plan, double *slots, const bool *counts) {
    const uint32_t *first = plan_words(plan, plan->jacobian.first);
    const struct point at = {plan, slots, 1};
    for (uint32_t i = 0; i < plan->rows; i++) {
        point_set_mask(&at, plan->active + i, counts[i]);
        if (counts[i])
            continue;
        slots[plan->right + i] = 0;
        memset(slots + plan->matrix + first[i], 0, (first[i + 1] - first[i]) * sizeof *slots);
    }
}

static void step(const struct pair *p, const bool *counts, double eps) {
    for (int side = 0; side < 2; side++) {
        let_count(p->plan, p->slots[side], counts);
        p->executor[side].step(&p->executor[side], p->slots[side], &eps, NULL);
    }
    assert_memory_equal(p->slots[0] + p->plan->y, p->slots[1] + p->plan->y, p->plan->outputs * sizeof(double));
}

/* All rows, one of them, the last one, two, the last one again; each of them twice. */
static void choose_rows(int turn, bool *counts) {
    for (size_t i = 0; i < ROWS; i++)
        counts[i] = turn == 0 || (turn == 1 && i == 3) || (turn >= 2 && i == ROWS - 1) || (turn == 3 && i == 8);
}

static void check_model(size_t outputs) {
    hn_model *model = matrix_model(outputs);
    hn_layer_options options = layer_steps(HN_METHOD_LM, 20);
    options.damping = 0; /* no equalities are eliminated once and for all */
    hn_layer *layer = layer_of(model, options);
    struct random random = random_start(8, outputs);
    double *y = calloc(outputs, sizeof *y);
    struct pair pair;
    for (size_t j = 0; j < outputs; j++)
        y[j] = random_normal(&random);
    assert_int_equal(layer->plan->system.kind, FACTOR_TILED);
    assert_int_equal(layer->plan->rows, ROWS);
    open_pair(&pair, layer->plan);
    weigh(&pair, y);
    for (int k = 0; k < 2 * TURNS; k++) {
        bool counts[ROWS];
        choose_rows(k / 2, counts);
        weigh(&pair, y);
        step(&pair, counts, 0.5);
    }
    close_pair(&pair);
    free(y);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(rows_that_count_may_change_from_step_to_step) {
    check_model(FEW);
}

TEST(very_many_outputs_leave_the_factor_alone) {
    check_model(MANY);
}

/* Of hardnet, which calls a system singular by them. */
TEST(pivots_of_a_full_system_are_the_plain_executor_s) {
    hn_model *model = matrix_model(FEW);
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_HARDNET));
    const struct executor plain = plain_executor(layer->plan);
    struct executor x;
    assert_int_equal(layer->plan->system.kind, FACTOR_TILED);
    assert_int_equal(executor_open_single(&x, layer->plan, NULL), HN_OK);
    play_script(&x, &plain, 1);
    executor_close(&x);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
