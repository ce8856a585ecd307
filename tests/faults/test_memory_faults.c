/* test_memory_faults.c - every allocation fails in turn, once and for ever after.
 *
 * A journey is a list of steps from nothing to all that the library makes of a model. For k = 1, 2, ... it is made with
 * allocation k failing, until it comes through: each time there is a status and a sentence, nothing leaks, and the same
 * journey without faults gives the same numbers, bit for bit.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/failing.h"
#include "support/rich_model.h"

#include "autodiff/derivatives.h"
#include "autodiff/program.h"
#include "base/arena.h"
#include "base/memory.h"

enum { MATRICES = 8, LEAST_ALLOCATIONS = 60 };

/* What a journey makes, all of it released at its end, and the numbers that it comes home with. */
struct journey {
    hn_model *model;
    struct problem problem;
    struct node_matrix matrices[MATRICES]; /* dc/dy, dc/dx, dbl/dx, dbu/dx, df/dy, Hessian, products */
    uint32_t *weights;
    struct program *program; /* of J and the products */
    hn_real values[RICH_VALUES_MOST];
    size_t value_count;
};

typedef hn_status step(struct journey *j, hn_error *error);

static hn_status build(struct journey *j, hn_error *error) {
    return rich_model_build_with_matrices(&j->model, error);
}

/* An evaluation that fails leaves the model as it was: the next one succeeds. */
static hn_status evaluate(struct journey *j, hn_error *error) {
    hn_status status = rich_model_evaluate(j->model, j->values, &j->value_count, error);
    assert_int_equal(hn_model_status(j->model, NULL), HN_OK);
    return status;
}

static hn_status print(struct journey *j, hn_error *error) {
    char text[HN_FINGERPRINT_BYTES];
    hn_status status = hn_model_fingerprint(j->model, text, error);
    assert_int_equal(strlen(text), status == HN_OK ? HN_FINGERPRINT_BYTES - 1 : 0);
    if (status == HN_OK) {
        status = hn_model_names_fingerprint(j->model, text, error);
        assert_int_equal(strlen(text), status == HN_OK ? HN_FINGERPRINT_BYTES - 1 : 0);
    }
    return status;
}

/* The journey goes on with a copy of the model, which has everything that the model had. */
static hn_status copy_model(struct journey *j, hn_error *error) {
    hn_model *copy;
    hn_status status = hn_model_copy(&copy, j->model, error);
    assert_true((copy != NULL) == (status == HN_OK));
    if (status == HN_OK)
        status = hn_model_finish(copy, error);
    hn_model_destroy(status == HN_OK ? j->model : copy);
    if (status == HN_OK)
        j->model = copy;
    return status;
}

static hn_status copy(struct journey *j, hn_error *error) {
    return problem_create(&j->problem, j->model, error);
}

static hn_status jacobians(struct journey *j, hn_error *error) {
    struct problem *p = &j->problem;
    struct node_matrix *m = j->matrices;
    hn_status status = derivatives_jacobian(&m[0], &p->graph, p->body, p->rows, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&m[1], &p->graph, p->body, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&m[2], &p->graph, p->lower, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&m[3], &p->graph, p->upper, p->rows, SPACE_X, p->inputs, error);
    if (status == HN_OK)
        status = derivatives_jacobian(&m[4], &p->graph, &p->objective, 1, SPACE_Y, p->outputs, error);
    return status;
}

static hn_status hessian(struct journey *j, hn_error *error) {
    return derivatives_hessian_block(&j->matrices[5], &j->problem, SPACE_Y, SPACE_Y, error);
}

static hn_status weights(struct journey *j, hn_error *error) {
    return derivatives_weights(&j->weights, &j->problem.graph, &j->matrices[0], true, true, error);
}

static hn_status products(struct journey *j, hn_error *error) {
    struct problem *p = &j->problem;
    struct node_matrix *m = j->matrices;
    hn_status status = derivatives_contract(&m[6], &p->graph, &m[0], j->weights, SPACE_Y, p->outputs, error);
    if (status == HN_OK)
        status = derivatives_contract(&m[7], &p->graph, &m[0], j->weights, SPACE_X, p->inputs, error);
    return status;
}

static hn_status compile(struct journey *j, hn_error *error) {
    const struct problem *p = &j->problem;
    struct program_request request = {
        .stride = 1, .graph = &p->graph, .outputs = j->matrices[6].node, .output_count = j->matrices[6].count};
    const size_t leaves[SPACE_COUNT] = {p->inputs, p->outputs, p->rows, p->outputs, p->rows, p->outputs, 1, p->rows};
    memcpy(request.leaf_count, leaves, sizeof leaves);
    return program_create(&j->program, &request, error);
}

static step *const steps[] = {build, copy_model, evaluate, print, copy, jacobians, hessian, weights, products, compile};

/* ---- one journey ---- */

static void release(struct journey *j) {
    for (int i = 0; i < MATRICES; i++)
        node_matrix_release(&j->matrices[i]);
    base_release(j->weights);
    program_destroy(j->program);
    problem_release(&j->problem);
    hn_model_destroy(j->model);
}

/* The number of steps that were made; the status and the error are those of the last. */
static size_t travel(struct journey *j, hn_status *status, hn_error *error) {
    memset(j, 0, sizeof *j);
    *status = HN_OK;
    size_t made = 0;
    while (made < COUNT_OF(steps) && *status == HN_OK)
        *status = steps[made++](j, error);
    return made;
}

static bool same_matrix(const struct node_matrix *a, const struct node_matrix *b) {
    return a->rows == b->rows && a->count == b->count &&
           memcmp(a->first, b->first, (a->rows + 1) * sizeof *a->first) == 0 &&
           memcmp(a->column, b->column, a->count * sizeof *a->column) == 0 &&
           memcmp(a->node, b->node, a->count * sizeof *a->node) == 0;
}

static void check_same(const struct journey *j, const struct journey *first) {
    assert_int_equal(j->value_count, first->value_count);
    assert_memory_equal(j->values, first->values, first->value_count * sizeof *j->values);
    for (int i = 0; i < MATRICES; i++)
        assert_true(same_matrix(&j->matrices[i], &first->matrices[i]));
    assert_memory_equal(j->weights, first->weights, j->matrices[0].count * sizeof *j->weights);
    assert_int_equal(j->problem.graph.count, first->problem.graph.count);
    size_t instructions = first->program->first[PHASES];
    assert_int_equal(j->program->first[PHASES], instructions);
    assert_memory_equal(j->program->code, first->program->code, instructions * sizeof *first->program->code);
}

/* ---- all journeys ---- */

/* After a journey that met its fault: the status and the sentence; a model that is finished goes on working. */
static void check_fault(struct journey *j, const struct journey *first, step *last, hn_status status, hn_error *error) {
    assert_int_equal(status, HN_NO_MEMORY);
    assert_int_equal(error->status, HN_NO_MEMORY);
    assert_contains(error->text, "out of memory");
    if (last != build) {
        assert_int_equal(evaluate(j, error), HN_OK);
        assert_memory_equal(j->values, first->values, first->value_count * sizeof *j->values);
    }
    release(j);
}

static void travel_with_faults(bool for_ever) {
    static struct journey first, j;
    hn_status status;
    hn_error error;
    memory_fail_never();
    assert_int_equal(travel(&first, &status, &error), COUNT_OF(steps));
    if (status != HN_OK)
        fail_msg("%s", error.text);
    size_t allocations = memory_allocations(), blocks = memory_live_blocks(), k = 1;
    for (;; k++) {
        error = (hn_error){.status = HN_OK};
        memory_fail_at(k, for_ever);
        size_t made = travel(&j, &status, &error);
        bool failed = memory_has_failed();
        memory_fail_never();
        if (!failed)
            break;
        check_fault(&j, &first, steps[made - 1], status, &error);
        assert_int_equal(memory_live_blocks(), blocks);
    }
    check_same(&j, &first);
    assert_int_equal(k, allocations + 1);
    assert_true(k > LEAST_ALLOCATIONS);
    release(&j);
    release(&first);
    assert_int_equal(memory_live_blocks(), 0);
}

TEST(an_allocation_that_fails_once_is_told_and_nothing_leaks) {
    travel_with_faults(false);
}

TEST(memory_that_stays_out_is_told_and_nothing_leaks) {
    travel_with_faults(true);
}

TEST(a_model_without_memory_is_no_model) {
    for (size_t k = 1; k <= 3; k++) {
        hn_model *model = (hn_model *)(void *)&k;
        memory_fail_at(k, false);
        assert_int_equal(hn_model_create(&model, NULL, NULL), HN_NO_MEMORY);
        assert_null(model);
        assert_int_equal(memory_live_blocks(), 0);
    }
    memory_fail_never();
}

TEST(an_arena_and_an_array_survive_a_failed_allocation) {
    struct arena arena = {NULL};
    size_t capacity = 0;
    memory_fail_at(1, false);
    assert_null(arena_take(&arena, 1, 1));
    assert_non_null(arena_take(&arena, 1, 1));
    memory_fail_at(1, false);
    assert_null(arena_take(&arena, 1, 1 << 20));
    int *array = array_grow(NULL, &capacity, 1, sizeof *array);
    array[0] = 5;
    memory_fail_at(1, true);
    assert_null(array_grow(array, &capacity, capacity + 1, sizeof *array));
    assert_int_equal(array[0], 5);
    memory_fail_never();
    base_release(array);
    arena_release(&arena);
    assert_int_equal(memory_live_blocks(), 0);
}
