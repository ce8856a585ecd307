/* life_faults_making.c - see life_faults_making.h.
 *
 * SPDX-License-Identifier: MIT */
#include "life_faults_making.h"

#include "support/check.h"
#include "support/failing.h"
#include "support/numbers.h"
#include "support/rich_model.h"
#include "support/run_layer.h"
#include "support/shape_models.h"
#include "support/smooth_model.h"

#include "autodiff/program_levels.h"
#include "base/random.h"
#include "hardnet/check.h"
#include "hardnet/evaluate.h"
#include "hardnet/layer.h"
#include "layer/driver.h"
#include "linalg/blocked_ldl.h"
#include "nearest/nearest_plan.h"

enum { COUNT = 20, EVALUATIONS = 70, THREADS = 3 };

static struct {
    hn_model *rich, *dense, *bordered, *large, *searched, *kinks, *smooth, *undefined, *contradiction;
} models;

/* ---- models ---- */

static hn_model *finished(hn_model *model) {
    hn_error error;
    if (hn_model_finish(model, &error) != HN_OK)
        fail_msg("%s", error.text);
    return model;
}

static hn_model *begun(void) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    return model;
}

/* With an objective and an input, in curved rows and an affine one. */
static hn_model *searched_model(void) {
    hn_model *model = begun();
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c");
    hn_expr squares = hn_add(hn_mul(a, a), hn_add(hn_mul(b, b), hn_mul(c, c)));
    hn_minimize(model, "f", hn_sub(hn_mul(a, b), hn_mul(x, hn_sin(c))));
    hn_constrain(model, "ball", -INFINITY, squares, 2);
    hn_constrain(model, "curve", 0.5, hn_add(hn_mul(a, c), hn_exp(b)), INFINITY);
    hn_constrain(model, "line", 0, hn_sub(a, hn_mul(x, b)), 0);
    return finished(model);
}

/* abs, max and a piecewise linear term, which optimal splits. */
static hn_model *kinks_model(void) {
    hn_model *m = begun();
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), one = hn_constant(m, 1);
    hn_expr pieces = hn_if(hn_less(z, one), hn_constant(m, 0), hn_sub(z, one));
    hn_minimize(m, "f", hn_add(hn_add(hn_abs(y), hn_max(z, hn_mul(y, y))), pieces));
    hn_constrain(m, "row", 1, hn_add(y, z), 2);
    return finished(m);
}

/* Rows one and two contradict, so that relaxed models are made. */
static hn_model *contradiction(void) {
    hn_model *model = begun();
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "a"), b = hn_output(model, "b");
    hn_input_range(x, 1, 2);
    hn_constrain(model, "one", 3, hn_add(a, b), INFINITY);
    hn_constrain_between(model, "two", hn_constant(model, -1), hn_add(a, b), x);
    hn_constrain(model, "three", -INFINITY, hn_mul(hn_sin(a), x), 5);
    hn_minimize(model, "f", hn_mul(a, b));
    return finished(model);
}

/* One output is in nearly every row, one row is over all the others: the one is kept out of the system. */
static hn_model *common_model(void) {
    enum { SIZE = 40 };
    hn_model *model = begun();
    hn_expr y[SIZE];
    char name[32];
    hn_expr common = hn_output(model, "t");
    for (int j = 0; j < SIZE; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
        snprintf(name, sizeof name, "row[%d]", j);
        hn_constrain(model, name, -0.5, hn_sub(hn_sin(y[j]), common), j % 3 ? 0.5 : -0.5);
    }
    hn_constrain(model, "budget", 1, hn_sum(model, SIZE, y), 1);
    return finished(model);
}

/* So large that threads without a sample of their own help: a pool allocates more. */
static hn_model *large_model(void) {
    enum { ROWS = TILED_NEAR };
    hn_model *model = begun();
    hn_expr y[ROWS];
    char name[32];
    struct random random = random_start(2, 1);
    double *matrix = malloc(sizeof(double[ROWS][ROWS])), upper[ROWS];
    const hn_matrix m = {.size = sizeof m, .rows = ROWS, .columns = ROWS, .values = matrix};
    assert_non_null(matrix);
    for (int j = 0; j < ROWS; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
        upper[j] = 1;
    }
    for (int e = 0; e < ROWS * ROWS; e++)
        matrix[e] = random_normal(&random);
    hn_constrain_affine(model, "below", &m, y, NULL, upper);
    free(matrix);
    return finished(model);
}

static void assert_added(const hn_model *model, size_t added, bool shares) {
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    assert_int_equal(hn_layer_info_of(layer).factor_added, added);
    assert_int_equal(layer_shares(layer), shares);
    hn_layer_destroy(layer);
}

void making_lives_begin(void) {
    assert_int_equal(rich_model_build_with_matrices(&models.rich, NULL), HN_OK);
    models.dense = dense_model(18, 24, 2);
    models.bordered = common_model();
    assert_added(models.bordered, 1, false);
    models.large = large_model();
    assert_added(models.large, 0, true);
    models.searched = searched_model();
    models.kinks = kinks_model();
    models.smooth = smooth_model(1, true);
    models.undefined = undefined_model(1);
    models.contradiction = contradiction();
}

void making_lives_end(void) {
    hn_model *all[] = {models.rich,  models.dense,  models.bordered,  models.large,        models.searched,
                       models.kinks, models.smooth, models.undefined, models.contradiction};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        hn_model_destroy(all[i]);
}

/* ---- lives ---- */

static void add_and_free(struct digest *digest, double *numbers, size_t count) {
    for (size_t i = 0; i < count; i++)
        digest_add_number(digest, numbers[i]);
    free(numbers);
}

/* A run and its gradient, on a pool and on a workspace, to the same bits and without an allocation. */
static void run_layer(struct digest *digest, const hn_layer *layer, hn_pool *pool) {
    hn_layer_info info = hn_layer_info_of(layer);
    size_t n = COUNT * info.outputs, bytes = hn_layer_workspace_bytes(layer), allocations = memory_allocations();
    size_t k = COUNT * info.inputs;
    double *x = normal_numbers_of(4, 1, k), *raw = normal_numbers_of(4, 2, n), *grad_y = normal_numbers_of(4, 3, n),
           *y[2], *grad[2], *grad_x[2];
    hn_report *reports = malloc(COUNT * sizeof *reports);
    void *tape = malloc(hn_layer_tape_bytes(layer, COUNT)), *workspace = malloc(bytes);
    for (int pooled = 0; pooled < 2; pooled++) {
        y[pooled] = normal_numbers_of(4, 4, n);
        grad[pooled] = normal_numbers_of(4, 5, n);
        grad_x[pooled] = normal_numbers_of(4, 6, k);
        hn_batch batch = batch_of(COUNT, x, raw, y[pooled], reports);
        batch.tape = tape;
        hn_gradient gradient = {
            .size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = grad[pooled], .grad_x = grad_x[pooled]};
        if (pooled) {
            assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_OK);
            assert_int_equal(hn_pool_gradient(pool, &batch, &gradient, NULL), HN_OK);
        } else {
            assert_int_equal(hn_layer_run(layer, &batch, workspace, bytes, NULL), HN_OK);
            assert_int_equal(hn_layer_gradient(layer, &batch, &gradient, workspace, bytes, NULL), HN_OK);
        }
    }
    assert_int_equal(memory_allocations(), allocations);
    assert_memory_equal(y[0], y[1], n * sizeof(double));
    assert_memory_equal(grad[0], grad[1], n * sizeof(double));
    assert_memory_equal(grad_x[0], grad_x[1], k * sizeof(double));
    for (int pooled = 0; pooled < 2; pooled++) {
        add_and_free(digest, y[pooled], n);
        add_and_free(digest, grad[pooled], n);
        add_and_free(digest, grad_x[pooled], k);
    }
    free(x);
    free(raw);
    free(grad_y);
    free(reports);
    free(tape);
    free(workspace);
}

static hn_status layer_life(const hn_model *model, hn_method method, struct digest *digest, hn_error *error) {
    hn_layer_options options = hn_layer_defaults();
    hn_layer *layer = (hn_layer *)(void *)digest;
    hn_pool *pool = NULL;
    options.method = method;
    options.iterations = 10;
    hn_status status = hn_layer_create(&layer, model, &options, error);
    assert_true((status == HN_OK) == (layer != NULL));
    if (status == HN_OK) {
        pool = (hn_pool *)(void *)digest;
        status = hn_pool_create(&pool, layer, THREADS, error);
        assert_true((status == HN_OK) == (pool != NULL));
    }
    if (status == HN_OK)
        run_layer(digest, layer, pool);
    hn_pool_destroy(pool);
    hn_layer_destroy(layer);
    return status;
}

/* All quantities, without an allocation. */
static void run_evaluator(struct digest *digest, const hn_evaluator *evaluator, hn_evaluator_pool *pool) {
    hn_evaluator_info info = hn_evaluator_info_of(evaluator);
    double *x = normal_numbers_of(4, 6, EVALUATIONS * info.inputs),
           *y = normal_numbers_of(4, 7, EVALUATIONS * info.outputs);
    double *rows = normal_numbers_of(4, 8, EVALUATIONS * info.rows);
    size_t allocations = memory_allocations();
    hn_evaluation evaluation = {
        .size = sizeof evaluation, .count = EVALUATIONS, .x = x, .y = y, .v_x = x, .v_y = y, .lambda = rows, .w = rows};
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        evaluation.values[q] = normal_numbers_of(4, 9, EVALUATIONS * hn_evaluator_width(evaluator, (hn_quantity)q));
    assert_int_equal(hn_evaluator_pool_run(pool, &evaluation, NULL), HN_OK);
    assert_int_equal(memory_allocations(), allocations);
    for (int q = 0; q < HN_QUANTITY_COUNT; q++)
        add_and_free(digest, evaluation.values[q], EVALUATIONS * hn_evaluator_width(evaluator, (hn_quantity)q));
    free(x);
    free(y);
    free(rows);
}

static hn_status evaluator_life(const hn_model *model, struct digest *digest, hn_error *error) {
    hn_evaluator_options options = hn_evaluator_defaults();
    hn_evaluator *evaluator = (hn_evaluator *)(void *)digest;
    hn_evaluator_pool *pool = NULL;
    options.wanted = HN_WANT_ALL;
    hn_status status = hn_evaluator_create(&evaluator, model, &options, error);
    assert_true((status == HN_OK) == (evaluator != NULL));
    if (status == HN_OK) {
        pool = (hn_evaluator_pool *)(void *)digest;
        status = hn_evaluator_pool_create(&pool, evaluator, THREADS, error);
        assert_true((status == HN_OK) == (pool != NULL));
    }
    if (status == HN_OK)
        run_evaluator(digest, evaluator, pool);
    hn_evaluator_pool_destroy(pool);
    hn_evaluator_destroy(evaluator);
    return status;
}

static hn_status check_contradiction(struct digest *digest, hn_error *error) {
    hn_check *check = (hn_check *)(void *)digest;
    hn_check_options options = hn_check_defaults();
    options.points = 1;
    options.threads = 1;
    hn_status status = hn_model_check(&check, models.contradiction, &options, error);
    assert_true((status == HN_OK) == (check != NULL));
    if (status == HN_OK)
        assert_non_null(check->conflict);
    hn_check_destroy(check);
    return status;
}

/* The Hessian by products, which only large models need. */
static hn_status make_products(struct digest *digest, hn_error *error) {
    struct nearest_products products;
    hn_status status = nearest_products_create(&products, models.searched, true, false, 1, error);
    (void)digest;
    if (status == HN_OK)
        nearest_products_release(&products);
    return status;
}

/* What a team of a device's threads walks. */
static hn_status make_team_lists(struct digest *digest, hn_error *error) {
    const struct nearest_goal goal = {.optimal = true};
    struct nearest_plan plan;
    struct arena arena = {.newest = NULL};
    struct program_levels levels;
    (void)digest;
    hn_status status = nearest_plan_create(&plan, models.searched, &goal, NULL, 1, error);
    if (status != HN_OK)
        return status;
    status = program_levels_create(&levels, plan.program, plan.slots, &arena, error);
    if (status == HN_OK)
        status = signed_add_block_lists(&plan.system, error);
    arena_release(&arena);
    nearest_plan_release(&plan);
    return status;
}

#define LAYER(model, name, method)                                                                                     \
    static hn_status name(struct digest *digest, hn_error *error) {                                                    \
        return layer_life(models.model, method, digest, error);                                                        \
    }
#define EVALUATOR(model)                                                                                               \
    static hn_status evaluate_##model(struct digest *digest, hn_error *error) {                                        \
        return evaluator_life(models.model, digest, error);                                                            \
    }

LAYER(rich, rich_paper, HN_METHOD_PAPER)
LAYER(rich, rich_lm, HN_METHOD_LM)
LAYER(dense, dense_paper, HN_METHOD_PAPER)
LAYER(dense, dense_hardnet, HN_METHOD_HARDNET)
LAYER(dense, dense_lm, HN_METHOD_LM)
LAYER(bordered, bordered_paper, HN_METHOD_PAPER)
LAYER(bordered, bordered_hardnet, HN_METHOD_HARDNET)
LAYER(bordered, bordered_auto, HN_METHOD_AUTO)
LAYER(large, large_lm, HN_METHOD_LM)
LAYER(searched, searched_nearest, HN_METHOD_NEAREST)
LAYER(searched, searched_optimal, HN_METHOD_OPTIMAL)
LAYER(kinks, kinks_optimal, HN_METHOD_OPTIMAL)
EVALUATOR(smooth)
EVALUATOR(undefined)

const struct life making_lives[] = {
    {"a layer by paper", rich_paper, 40, 0, THREADS - 1, true},
    {"a layer by lm", rich_lm, 40, 0, THREADS - 1, true},
    {"a full factor by paper", dense_paper, 40, 0, THREADS - 1, true},
    {"a full factor by hardnet", dense_hardnet, 40, 0, THREADS - 1, true},
    {"a full factor by lm", dense_lm, 40, 0, THREADS - 1, true},
    {"an output kept out by paper", bordered_paper, 40, 0, THREADS - 1, true},
    {"an output kept out by hardnet", bordered_hardnet, 40, 0, THREADS - 1, true},
    {"an output kept out by auto", bordered_auto, 40, 0, THREADS - 1, true},
    {"large samples", large_lm, 40, 0, THREADS - 1, true},
    {"nearest", searched_nearest, 40, 0, THREADS - 1, true},
    {"optimal", searched_optimal, 40, 0, THREADS - 1, true},
    {"kinks", kinks_optimal, 40, 0, THREADS - 1, true},
    {"an evaluator", evaluate_smooth, 60, 0, THREADS - 1, true},
    {"an evaluator with undefined rows", evaluate_undefined, 60, 0, THREADS - 1, true},
    {"products", make_products, 9, 0, 0, true},
    {"lists of teams", make_team_lists, 40, 0, 0, true},
    {"a check", check_contradiction, 200, 0, 0, true},
};
const size_t making_life_count = COUNT_OF(making_lives);
