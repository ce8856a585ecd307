/* test_large_samples.c - several threads on one large sample: the bits of one thread, forward and back, alone and in a batch.
 *
 * Systems have so many unknowns that threads without a sample of their own help whatever the distance between caches. Built a
 * second time with ThreadSanitizer, which must stay silent.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"
#include "support/run_layer.h"

#include "base/random.h"
#include "layer/driver.h"
#include "linalg/blocked_ldl.h"

#ifdef __SANITIZE_THREAD__
#define WATCHED 1
#else
#define WATCHED (HN_TEST_SHARE > 1)
#endif

enum { ORDER = TILED_FAR, COUNT = 3 };

static const int THREADS[] = {3, 2, 7};
enum { POOLS = HN_TEST_SHARE > 1 ? 1 : COUNT_OF(THREADS) };

/* ---- models ---- */

/* Rows of a model that hold at a point: `equalities` of them, then inequalities, then some that are curved. */
struct shape {
    size_t outputs, equalities, inequalities, curved;
};

static void add_rows(hn_model *model, const hn_expr *y, size_t outputs, size_t rows, bool equal) {
    double *matrix = normal_numbers_of(23, equal, rows * outputs), *inside = normal_numbers_of(23, 2, outputs),
           *bound = normal_numbers_of(23, 3, rows);
    const hn_matrix m = {.size = sizeof m, .rows = rows, .columns = outputs, .values = matrix};
    for (size_t i = 0; i < rows; i++) {
        bound[i] = equal ? 0 : fabs(bound[i]);
        for (size_t j = 0; j < outputs; j++)
            bound[i] += matrix[i * outputs + j] * inside[j];
    }
    hn_constrain_affine(model, equal ? "equal" : "below", &m, y, equal ? bound : NULL, bound);
    free(matrix);
    free(inside);
    free(bound);
}

/* A wave of every output: J is full and not constant. */
static void add_curved(hn_model *model, hn_expr *y, size_t outputs, size_t rows) {
    double *factor = normal_numbers_of(23, 4, rows * outputs);
    hn_expr *term = calloc(outputs, sizeof *term);
    char name[32];
    assert_non_null(term);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < outputs; j++)
            term[j] = hn_scale(factor[i * outputs + j], hn_sin(y[j]));
        snprintf(name, sizeof name, "wave[%zu]", i);
        hn_constrain(model, name, -1, hn_sum(model, outputs, term), 1);
    }
    free(factor);
    free(term);
}

static hn_model *model_of(const struct shape *shape) {
    hn_model *model = model_new();
    hn_expr *y = calloc(shape->outputs, sizeof *y);
    char name[32];
    assert_non_null(y);
    for (size_t j = 0; j < shape->outputs; j++) {
        snprintf(name, sizeof name, "y[%zu]", j);
        y[j] = hn_output(model, name);
    }
    if (shape->equalities)
        add_rows(model, y, shape->outputs, shape->equalities, true);
    if (shape->inequalities)
        add_rows(model, y, shape->outputs, shape->inequalities, false);
    add_curved(model, y, shape->outputs, shape->curved);
    model_finish_good(model);
    free(y);
    return model;
}

/* ---- the same bits ---- */

static bool all_same(const struct layer_results *a, const struct layer_results *b) {
    bool same = true;
    for (size_t i = 0; i < a->count; i++)
        same = same_results(a, i, b, i) && same;
    return same;
}

/* On a pool of so many threads, `together` samples a call. */
static bool pool_has_bits_of(const hn_layer *layer, int threads, size_t together, const double *raw,
                             const struct layer_results *serial) {
    hn_pool *pool;
    bool same = true;
    assert_int_equal(hn_pool_create(&pool, layer, threads, NULL), HN_OK);
    for (size_t first = 0; first < serial->count; first += together) {
        const double *own = raw + first * serial->outputs;
        struct layer_results results = results_of(layer, together);
        const hn_batch batch = batch_into(&results, NULL, own);
        const hn_gradient gradient = gradient_into(&results, own);
        assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_OK);
        assert_int_equal(hn_pool_gradient(pool, &batch, &gradient, NULL), HN_OK);
        for (size_t i = 0; i < together; i++)
            same = same_results(&results, i, serial, first + i) && same;
        results_release(&results);
    }
    hn_pool_destroy(pool);
    return same;
}

/* The gradient of the raw outputs themselves. */
static void assert_threads_agree(const struct shape *shape, hn_layer_options options) {
    hn_model *model = model_of(shape);
    hn_layer *layer = layer_of(model, options);
    double *raw = normal_numbers_of(23, 9, COUNT * shape->outputs);
    assert_true(layer_shares(layer));
    struct layer_results serial = run_and_pull(layer, COUNT, NULL, raw, raw);
    assert_true(serial.reports[0].steps > 0);
    assert_all_finite(serial.y, COUNT * shape->outputs);
    for (size_t i = 0; i < POOLS; i++) {
        assert_true(pool_has_bits_of(layer, THREADS[i], 1, raw, &serial));
        assert_true(pool_has_bits_of(layer, THREADS[i], COUNT, raw, &serial));
    }
    struct layer_results again = run_and_pull(layer, COUNT, NULL, raw, raw);
    assert_true(all_same(&again, &serial));
    results_release(&again);
    results_release(&serial);
    free(raw);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* All rows constant: equalities in tridiagonal form. */
TEST(constant_rows_have_the_bits_of_one_thread) {
    const struct shape shape = {ORDER, 40, ORDER - 40, 0};
    assert_threads_agree(&shape, layer_steps(HN_METHOD_AUTO, 4));
}

/* Tiles of other sizes. Slow under sanitizers, to which they are alike. */
TEST(so_they_have_with_other_instructions) {
    if (WATCHED)
        skip();
    static const hn_instructions others[] = {HN_INSTRUCTIONS_AVX2, HN_INSTRUCTIONS_PORTABLE};
    const struct shape shape = {ORDER, 40, ORDER - 40, 0};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        hn_layer_options options = layer_steps(HN_METHOD_AUTO, 2);
        options.instructions = others[i];
        if (executor_check(others[i], NULL) == HN_OK)
            assert_threads_agree(&shape, options);
    }
}

/* Some rows not constant: products, a factor and triangular solutions in all unknowns. */
TEST(curved_rows_have_the_bits_of_one_thread) {
    const struct shape shape = {ORDER + 8, 400, ORDER - 400, 12};
    assert_threads_agree(&shape, layer_steps(HN_METHOD_AUTO, 2));
}

/* Every row counts, with the paper's eps. */
TEST(the_papers_steps_have_the_bits_of_one_thread) {
    const struct shape shape = {ORDER + 40, 30, ORDER, 0};
    assert_threads_agree(&shape, layer_steps(HN_METHOD_PAPER, 2));
}

/* More rows than outputs: as many unknowns as outputs. */
TEST(systems_of_outputs_have_the_bits_of_one_thread) {
    const struct shape shape = {ORDER, 30, ORDER, 4};
    assert_threads_agree(&shape, layer_steps(HN_METHOD_LM, 2));
}

/* ---- cancellation ---- */

struct stopper {
    int cancel, seen;
};

static void stop(void *context, size_t sample, int iteration, const double *y, double violation, double damping) {
    struct stopper *stopper = context;
    (void)sample, (void)y, (void)violation, (void)damping;
    stopper->seen = iteration;
    if (iteration == 1)
        __atomic_store_n(&stopper->cancel, 1, __ATOMIC_RELAXED);
}

/* Helpers go home with a leader that is told to stop, and come back for the next call. */
TEST(a_sample_that_several_threads_compute_can_be_cancelled) {
    const struct shape shape = {ORDER, 40, ORDER - 40, 0};
    hn_model *model = model_of(&shape);
    hn_layer *layer = layer_of(model, hn_layer_defaults());
    double *raw = normal_numbers_of(23, 9, shape.outputs), *y = calloc(shape.outputs, sizeof *y);
    hn_pool *pool;
    assert_int_equal(hn_pool_create(&pool, layer, 3, NULL), HN_OK);
    for (int round = 0; round < 3; round++) {
        struct stopper stopper = {0, 0};
        hn_report report;
        hn_batch batch = batch_of(1, NULL, raw, y, &report);
        batch.cancel = &stopper.cancel;
        batch.watch = stop;
        batch.watch_context = &stopper;
        assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_OK);
        assert_int_equal(report.outcome, HN_OUTCOME_CANCELLED);
        assert_true(report.iterations <= 2);
    }
    hn_pool_destroy(pool);
    free(raw);
    free(y);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
