/* test_layer_faults.c - every allocation behind a layer and a pool fails in turn, once and for ever; running
 * makes none.
 *
 * For k = 1, 2, ... a layer and a pool are made with allocation k failing, until both come through: each time there is
 * a status, a sentence and no layer, and nothing leaks. The layer made last gives the bits of one made without faults.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing_memory.h"
#include "support/rich_model.h"

#include "base/random.h"
#include "cuda/level_schedule.h"
#include "hardnet/layer.h"
#include "layer/driver.h"
#include "linalg/blocked_ldl.h"
#include "nearest/nearest_plan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 20, THREADS = 3, LEAST_ALLOCATIONS = 40 };

/* ---- models ---- */

static hn_model *rich_model(void) {
    hn_model *model;
    assert_int_equal(rich_model_build_with_matrices(&model, NULL), HN_OK);
    return model;
}

/* Every row holds every output: the factor is full. */
static hn_model *dense_model(void) {
    enum { ROWS = 18, OUTPUTS = 24 };
    hn_model *model;
    hn_expr y[OUTPUTS];
    char name[32];
    struct random random = random_start(2, 0);
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (int j = 0; j < OUTPUTS; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
    }
    for (int i = 0; i < ROWS; i++) {
        hn_expr sum = hn_constant(model, 0);
        for (int j = 0; j < OUTPUTS; j++)
            sum = hn_add(sum, hn_scale(random_normal(&random), i % 2 ? hn_sin(y[j]) : y[j]));
        snprintf(name, sizeof name, "row[%d]", i);
        hn_constrain(model, name, -0.5, sum, i % 3 ? 0.5 : -0.5);
    }
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

/* One output stands in nearly every row, one row is over all the others: the one is kept out of the system. */
static hn_model *bordered_model(void) {
    enum { SIZE = 40 };
    hn_model *model;
    hn_expr y[SIZE];
    char name[32];
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr common = hn_output(model, "t");
    for (int j = 0; j < SIZE; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
        snprintf(name, sizeof name, "row[%d]", j);
        hn_constrain(model, name, -0.5, hn_sub(hn_sin(y[j]), common), j % 3 ? 0.5 : -0.5);
    }
    hn_constrain(model, "budget", 1, hn_sum(model, SIZE, y), 1);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

/* With an objective and an input, in curved rows and an affine one. */
static hn_model *searched_model(void) {
    hn_model *model;
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    hn_expr x = hn_input(model, "x"), a = hn_output(model, "a"), b = hn_output(model, "b"), c = hn_output(model, "c");
    hn_expr squares = hn_add(hn_mul(a, a), hn_add(hn_mul(b, b), hn_mul(c, c)));
    hn_minimize(model, "f", hn_sub(hn_mul(a, b), hn_mul(x, hn_sin(c))));
    hn_constrain(model, "ball", -INFINITY, squares, 2);
    hn_constrain(model, "curve", 0.5, hn_add(hn_mul(a, c), hn_exp(b)), INFINITY);
    hn_constrain(model, "line", 0, hn_sub(a, hn_mul(x, b)), 0);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    return model;
}

/* So large that threads without a sample of their own help: a pool has more to allocate. */
static hn_model *large_model(void) {
    enum { ROWS = TILED_NEAR };
    hn_model *model;
    hn_expr y[ROWS];
    char name[32];
    struct random random = random_start(2, 1);
    double *matrix = malloc(sizeof(double[ROWS][ROWS])), upper[ROWS];
    const hn_matrix m = {.size = sizeof m, .rows = ROWS, .columns = ROWS, .values = matrix};
    assert_non_null(matrix);
    assert_int_equal(hn_model_create(&model, NULL, NULL), HN_OK);
    for (int j = 0; j < ROWS; j++) {
        snprintf(name, sizeof name, "y[%d]", j);
        y[j] = hn_output(model, name);
        upper[j] = 1;
    }
    for (int e = 0; e < ROWS * ROWS; e++)
        matrix[e] = random_normal(&random);
    hn_constrain_affine(model, "below", &m, y, NULL, upper);
    assert_int_equal(hn_model_finish(model, NULL), HN_OK);
    free(matrix);
    return model;
}

/* ---- making with faults ---- */

struct made {
    hn_layer *layer;
    hn_pool *pool;
};

/* Both or neither. */
static hn_status make(struct made *out, const hn_model *model, const hn_layer_options *options, hn_error *error) {
    *out = (struct made){(hn_layer *)(void *)out, (hn_pool *)(void *)out};
    hn_status status = hn_layer_create(&out->layer, model, options, error);
    if (status != HN_OK) {
        assert_null(out->layer);
        return status;
    }
    status = hn_pool_create(&out->pool, out->layer, THREADS, error);
    if (status != HN_OK) {
        assert_null(out->pool);
        hn_layer_destroy(out->layer);
    }
    return status;
}

static void unmake(struct made *made) {
    hn_pool_destroy(made->pool);
    hn_layer_destroy(made->layer);
}

/* What comes out of a run and its gradient. */
struct outcome {
    double *y, *grad;
};

static void *room(size_t bytes) {
    void *block = malloc(bytes + 1);
    assert_non_null(block);
    return block;
}

static double *draw(size_t count, uint64_t stream) {
    struct random random = random_start(4, stream);
    double *values = room(count * sizeof *values);
    for (size_t i = 0; i < count; i++)
        values[i] = random_normal(&random);
    return values;
}

/* On a pool or, without one, on a workspace; not one allocation is asked for. */
static struct outcome run(const struct made *made, bool pooled) {
    hn_layer_info info = hn_layer_info_of(made->layer);
    size_t n = COUNT * info.outputs, bytes = hn_layer_workspace_bytes(made->layer);
    double *x = draw(COUNT * info.inputs, 1), *raw = draw(n, 2), *grad_y = draw(n, 3);
    struct outcome out = {room(n * sizeof *out.y), room(n * sizeof *out.grad)};
    hn_report *reports = room(COUNT * sizeof *reports);
    void *tape = room(hn_layer_tape_bytes(made->layer, COUNT)), *workspace = room(bytes);
    hn_batch batch = {.size = sizeof batch,
                      .count = COUNT,
                      .x = x,
                      .y_raw = raw,
                      .y = out.y,
                      .report_size = sizeof(hn_report),
                      .reports = reports,
                      .tape = tape};
    hn_gradient gradient = {.size = sizeof gradient, .grad_y = grad_y, .grad_y_raw = out.grad};
    memory_fail_at(1, true);
    if (pooled) {
        assert_int_equal(hn_pool_run(made->pool, &batch, NULL), HN_OK);
        assert_int_equal(hn_pool_gradient(made->pool, &batch, &gradient, NULL), HN_OK);
    } else {
        assert_int_equal(hn_layer_run(made->layer, &batch, workspace, bytes, NULL), HN_OK);
        assert_int_equal(hn_layer_gradient(made->layer, &batch, &gradient, workspace, bytes, NULL), HN_OK);
    }
    assert_int_equal(memory_allocations(), 0);
    memory_fail_never();
    free(x);
    free(raw);
    free(grad_y);
    free(reports);
    free(tape);
    free(workspace);
    return out;
}

static void check_same(const struct made *first, const struct made *second) {
    size_t bytes = COUNT * hn_layer_info_of(first->layer).outputs * sizeof(double);
    struct outcome a = run(first, false), b = run(second, true);
    assert_memory_equal(a.y, b.y, bytes);
    assert_memory_equal(a.grad, b.grad, bytes);
    free(a.y);
    free(a.grad);
    free(b.y);
    free(b.grad);
}

static void make_with_faults(const hn_model *model, hn_method method, bool for_ever) {
    hn_layer_options options = hn_layer_defaults();
    struct made first, last;
    hn_error error;
    options.method = method;
    options.iterations = 10;
    memory_fail_never();
    hn_status status = make(&first, model, &options, &error);
    if (status != HN_OK)
        fail_msg("%s", error.text);
    size_t allocations = memory_allocations(), blocks = memory_live_blocks(), k = 1;
    for (;; k += HN_TEST_SHARE > 1 && k > 20 ? 3 : 1) { /* sanitizers are slow */
        error = (hn_error){.status = HN_OK};
        memory_fail_at(k, for_ever);
        status = make(&last, model, &options, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (!failed)
            break;
        assert_int_equal(status, HN_NO_MEMORY);
        assert_int_equal(error.status, HN_NO_MEMORY);
        assert_contains(error.text, "out of memory");
        assert_int_equal(memory_live_blocks(), blocks);
    }
    assert_int_equal(status, HN_OK);
    assert_true(k > allocations && k <= allocations + (HN_TEST_SHARE > 1 ? 3 : 1));
    assert_true(k > LEAST_ALLOCATIONS);
    check_same(&first, &last);
    unmake(&first);
    unmake(&last);
}

static void every_allocation_fails(hn_model *model, const hn_method *methods, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (int for_ever = 0; for_ever < 2; for_ever++)
            make_with_faults(model, methods[i], for_ever);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}

static void a_layer_without_memory_is_no_layer_and_nothing_leaks(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_LM};
    every_allocation_fails(rich_model(), methods, COUNT_OF(methods));
}

static void a_layer_with_a_full_factor_likewise(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_LM};
    every_allocation_fails(dense_model(), methods, COUNT_OF(methods));
}

static void a_layer_that_keeps_an_output_out_likewise(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_PAPER, HN_METHOD_HARDNET, HN_METHOD_AUTO};
    hn_model *model = bordered_model();
    for (size_t i = 0; i < COUNT_OF(methods); i++) {
        hn_layer_options options = hn_layer_defaults();
        hn_layer *layer;
        options.method = methods[i];
        assert_int_equal(hn_layer_create(&layer, model, &options, NULL), HN_OK);
        assert_int_equal(hn_layer_info_of(layer).factor_added, 1);
        hn_layer_destroy(layer);
    }
    every_allocation_fails(model, methods, COUNT_OF(methods));
}

static void a_layer_of_large_samples_likewise(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_LM};
    hn_model *model = large_model();
    hn_layer *layer;
    assert_int_equal(hn_layer_create(&layer, model, NULL, NULL), HN_OK);
    assert_true(layer_shares(layer));
    hn_layer_destroy(layer);
    every_allocation_fails(model, methods, COUNT_OF(methods));
}

static void layers_that_search_likewise(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_NEAREST, HN_METHOD_OPTIMAL};
    every_allocation_fails(searched_model(), methods, COUNT_OF(methods));
}

/* abs, max and a piecewise linear term, which are split. */
static void layers_without_kinks_likewise(void **state) {
    (void)state;
    static const hn_method methods[] = {HN_METHOD_OPTIMAL};
    hn_model *m;
    assert_int_equal(hn_model_create(&m, NULL, NULL), HN_OK);
    hn_expr y = hn_output(m, "y"), z = hn_output(m, "z"), one = hn_constant(m, 1);
    hn_expr pieces = hn_if(hn_less(z, one), hn_constant(m, 0), hn_sub(z, one));
    hn_minimize(m, "f", hn_add(hn_add(hn_abs(y), hn_max(z, hn_mul(y, y))), pieces));
    hn_constrain(m, "row", 1, hn_add(y, z), 2);
    assert_int_equal(hn_model_finish(m, NULL), HN_OK);
    every_allocation_fails(m, methods, COUNT_OF(methods));
}

/* The Hessian by products, which only large models need. */
static void products_without_memory_are_none(void **state) {
    (void)state;
    hn_model *model = searched_model();
    struct nearest_products products;
    hn_status status = HN_NO_MEMORY;
    size_t blocks = memory_live_blocks(), k = 1;
    for (; status != HN_OK; k++) {
        hn_error error = {.status = HN_OK};
        memory_fail_at(k, true);
        status = nearest_products_create(&products, model, true, false, 1, &error);
        memory_fail_never();
        assert_true(status == HN_OK || (status == HN_NO_MEMORY && error.status == HN_NO_MEMORY));
        assert_true(status == HN_OK || memory_live_blocks() == blocks);
    }
    assert_true(k > 10);
    nearest_products_release(&products);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}

/* What a team of a device's threads walks. */
static void lists_of_teams_without_memory_are_none(void **state) {
    (void)state;
    const struct nearest_goal goal = {.optimal = true};
    hn_model *model = searched_model();
    struct nearest_plan plan;
    hn_status status = nearest_plan_create(&plan, model, &goal, NULL, 1, NULL);
    assert_int_equal(status, HN_OK);
    size_t blocks = memory_live_blocks(), k = 1;
    for (status = HN_NO_MEMORY; status != HN_OK; k++) {
        struct arena arena = {.newest = NULL};
        struct block_code code;
        struct signed_system system = plan.system;
        hn_error error = {.status = HN_OK};
        memory_fail_at(k, true);
        status = block_code_create(&code, plan.program, plan.slots, &arena, &error);
        if (status == HN_OK)
            status = block_system_create(&system, &plan.system, &arena, &error);
        memory_fail_never();
        arena_release(&arena);
        assert_true(status == HN_OK || (status == HN_NO_MEMORY && error.status == HN_NO_MEMORY));
        assert_int_equal(memory_live_blocks(), blocks);
    }
    assert_true(k > 3);
    nearest_plan_release(&plan);
    hn_model_destroy(model);
    assert_int_equal(memory_live_blocks(), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_layer_without_memory_is_no_layer_and_nothing_leaks),
        cmocka_unit_test(a_layer_with_a_full_factor_likewise),
        cmocka_unit_test(a_layer_that_keeps_an_output_out_likewise),
        cmocka_unit_test(a_layer_of_large_samples_likewise),
        cmocka_unit_test(layers_that_search_likewise),
        cmocka_unit_test(layers_without_kinks_likewise),
        cmocka_unit_test(products_without_memory_are_none),
        cmocka_unit_test(lists_of_teams_without_memory_are_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
