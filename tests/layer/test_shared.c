/* test_shared.c - inputs that are given once for a batch: the same bits as with a copy in every row of x, and the gradient is the
 * sum over the samples in their order.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/run_layer.h"

#include "base/random.h"

enum { INPUTS = 5, OUTPUTS = 4, COUNT = 21, MOST = INPUTS };

/* Inputs in bodies, bounds, start values and in the objective. */
static hn_model *model_of_inputs(void) {
    return model_of_text("param p{1..2}; param a; param q{1..2};"
                         "var y{j in 1..4} := q[1] + j * p[2];"
                         "minimize f: sum {j in 1..4} (y[j] - q[2])^2 + p[1] * y[1];"
                         "subject to ball: sum {j in 1..4} y[j]^2 <= exp(p[1]) + a^2;"
                         "subject to curve: y[1] + p[2] * y[2] + sin(y[3]) = a * q[1];"
                         "subject to edge: y[4] - 0.1 * y[1] * q[1] <= q[2];");
}

/* Lists of shared inputs; the second is the first without the list. */
static const struct choice {
    size_t count, list[MOST];
    bool listed;
} choices[] = {{2, {0, 1}, true}, {2, {0, 1}, false}, {1, {2}, true}, {3, {0, 2, 4}, true},
               {2, {3, 4}, true}, {5, {0}, false},    {4, {0}, false}};

struct samples {
    double x[COUNT * INPUTS], others[COUNT * INPUTS], shared[INPUTS]; /* x has the shared ones in every row */
    double raw[COUNT * OUTPUTS], grad_y[COUNT * OUTPUTS];
};

static bool is_shared(const struct choice *c, size_t input, size_t *number) {
    for (size_t i = 0; i < c->count; i++)
        if ((c->listed ? c->list[i] : i) == input) {
            *number = i;
            return true;
        }
    return false;
}

static struct samples draw_samples(const struct choice *c, uint64_t seed) {
    struct samples s;
    struct random random = random_start(seed, 3);
    size_t number, next = 0;
    for (size_t i = 0; i < c->count; i++)
        s.shared[i] = random_between(&random, 0.5, 1.5);
    for (size_t i = 0; i < COUNT * INPUTS; i++)
        if (is_shared(c, i % INPUTS, &number))
            s.x[i] = s.shared[number];
        else
            s.x[i] = s.others[next++] = random_between(&random, 0.5, 1.5);
    for (size_t i = 0; i < COUNT * OUTPUTS; i++) {
        s.raw[i] = 3 * random_normal(&random);
        s.grad_y[i] = random_normal(&random);
    }
    return s;
}

/* The gradients of a call with shared inputs. */
struct shared_gradient {
    double each[COUNT * MOST], sum[MOST], others[COUNT * INPUTS];
};

static void share(hn_batch *batch, const struct choice *c, const struct samples *s) {
    batch->shared_count = c->count;
    batch->shared_inputs = c->listed ? c->list : NULL;
    batch->shared = s->shared;
    batch->x = c->count == INPUTS ? NULL : s->others;
}

static void share_gradient(hn_gradient *gradient, struct shared_gradient *g) {
    gradient->grad_x = g->others;
    gradient->shared_each = g->each;
    gradient->grad_shared = g->sum;
}

/* Back into rows of all inputs, for the comparison. */
static void join_gradient(const struct choice *c, const struct shared_gradient *g, double *grad_x) {
    size_t number, next = 0;
    for (size_t i = 0; i < COUNT * INPUTS; i++)
        grad_x[i] = is_shared(c, i % INPUTS, &number) ? g->each[i / INPUTS * c->count + number] : g->others[next++];
}

/* On a pool, or on a workspace when there is none. */
static struct layer_results run_shared(const hn_layer *layer, hn_pool *pool, const struct choice *c,
                                       const struct samples *s, bool starts, struct shared_gradient *g) {
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, NULL, starts ? NULL : s->raw);
    hn_gradient gradient = gradient_into(&r, s->grad_y);
    share(&batch, c, s);
    share_gradient(&gradient, g);
    memset(g->sum, 0, sizeof g->sum);
    if (pool) {
        assert_int_equal(hn_pool_run(pool, &batch, NULL), HN_OK);
        assert_int_equal(hn_pool_gradient(pool, &batch, &gradient, NULL), HN_OK);
    } else {
        layer_run(layer, &batch);
        layer_pull(layer, &batch, &gradient);
    }
    join_gradient(c, g, r.grad_x);
    return r;
}

static struct layer_results run_repeated(const hn_layer *layer, const struct samples *s, bool starts) {
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, s->x, starts ? NULL : s->raw);
    hn_gradient gradient = gradient_into(&r, s->grad_y);
    layer_run(layer, &batch);
    layer_pull(layer, &batch, &gradient);
    return r;
}

static void assert_sums(const struct choice *c, const struct layer_results *repeated, const double *sum) {
    for (size_t j = 0; j < INPUTS; j++) {
        size_t number;
        double wanted = 0;
        if (!is_shared(c, j, &number))
            continue;
        for (size_t i = 0; i < COUNT; i++)
            wanted += repeated->grad_x[i * INPUTS + j];
        assert_same_bits(sum[number], wanted);
    }
}

/* Shared and repeated, on a workspace and on a pool. */
static void compare(const hn_layer *layer, hn_pool *pool, const struct choice *c, bool starts, uint64_t seed) {
    const struct samples s = draw_samples(c, seed);
    struct layer_results repeated = run_repeated(layer, &s, starts);
    for (int where = 0; where < 2; where++) {
        struct shared_gradient g;
        struct layer_results shared = run_shared(layer, where ? pool : NULL, c, &s, starts, &g);
        for (size_t i = 0; i < COUNT; i++)
            assert_true(same_results(&repeated, i, &shared, i));
        assert_sums(c, &repeated, g.sum);
        results_release(&shared);
    }
    results_release(&repeated);
}

static void compare_all(const hn_model *model, hn_layer_options options) {
    hn_layer *layer = layer_of(model, options);
    for (int threads = 1; threads <= 2; threads++) {
        hn_pool *pool;
        assert_int_equal(hn_pool_create(&pool, layer, threads, NULL), HN_OK);
        for (size_t c = 0; c < COUNT_OF(choices); c++)
            compare(layer, pool, &choices[c], c % 2 == 1, c + 7);
        hn_pool_destroy(pool);
    }
    hn_layer_destroy(layer);
}

TEST(every_method_gives_the_bits_of_repeated_inputs_and_the_sum_of_their_gradients) {
    hn_model *model = model_of_inputs();
    for (int method = 0; method < HN_METHOD_COUNT; method++)
        compare_all(model, layer_method((hn_method)method));
    hn_model_destroy(model);
}

TEST(sums_have_the_same_bits_with_every_instruction_set) {
    hn_model *model = model_of_inputs();
    const struct samples s = draw_samples(&choices[3], 4);
    struct shared_gradient first, other;
    for (int set = HN_INSTRUCTIONS_BEST; set < HN_INSTRUCTIONS_COUNT; set++) {
        hn_layer_options options = layer_method(HN_METHOD_AUTO);
        hn_layer *layer;
        options.instructions = (hn_instructions)set;
        if (hn_layer_create(&layer, model, &options, NULL) != HN_OK)
            continue; /* not on this processor */
        struct layer_results r = run_shared(layer, NULL, &choices[3], &s, false, set ? &other : &first);
        for (size_t j = 0; set && j < choices[3].count; j++)
            assert_same_bits(other.sum[j], first.sum[j]);
        results_release(&r);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* ---- parts of a batch ---- */

/* The batch in calls of `most` samples, which reuse the rows of shared_each; 1 runs without lanes. */
static void run_parts(const hn_layer *layer, const struct samples *s, size_t most, double *sum) {
    const struct choice *c = &choices[0];
    size_t others = INPUTS - c->count;
    double each[COUNT * MOST];
    memset(sum, 0, c->count * sizeof *sum);
    for (size_t first = 0; first < COUNT; first += most) {
        size_t count = COUNT - first < most ? COUNT - first : most;
        struct layer_results r = results_of(layer, count);
        hn_batch batch = batch_into(&r, NULL, s->raw + first * OUTPUTS);
        hn_gradient gradient = gradient_into(&r, s->grad_y + first * OUTPUTS);
        share(&batch, c, s);
        batch.x = s->others + first * others;
        gradient.grad_x = NULL;
        gradient.shared_each = each;
        gradient.grad_shared = sum;
        layer_run(layer, &batch);
        layer_pull(layer, &batch, &gradient);
        results_release(&r);
    }
}

TEST(a_batch_in_parts_has_the_same_sum) {
    static const size_t parts[] = {1, 5, 20, COUNT};
    hn_model *model = model_of_inputs();
    const struct samples s = draw_samples(&choices[0], 11);
    for (int method = 0; method < HN_METHOD_COUNT; method++) {
        hn_layer *layer = layer_of(model, layer_method((hn_method)method));
        double sums[COUNT_OF(parts)][MOST];
        for (size_t p = 0; p < COUNT_OF(parts); p++) {
            run_parts(layer, &s, parts[p], sums[p]);
            assert_same_bits(sums[p][0], sums[0][0]);
            assert_same_bits(sums[p][1], sums[0][1]);
        }
        assert_true(sums[0][0] != 0 && sums[0][1] != 0);
        hn_layer_destroy(layer);
    }
    hn_model_destroy(model);
}

/* ---- unusual calls ---- */

TEST(one_row_of_x_may_be_repeated_beside_shared_inputs) {
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_LM));
    const struct choice *c = &choices[3];
    struct samples s = draw_samples(c, 21);
    for (size_t i = 1; i < COUNT; i++)
        memcpy(s.x + i * INPUTS, s.x, INPUTS * sizeof *s.x);
    struct layer_results repeated = run_repeated(layer, &s, false), shared = results_of(layer, COUNT);
    hn_batch batch = batch_into(&shared, NULL, s.raw);
    share(&batch, c, &s);
    batch.repeat_x = true;
    layer_run(layer, &batch);
    for (size_t i = 0; i < COUNT * OUTPUTS; i++)
        assert_same_bits(shared.y[i], repeated.y[i]);
    results_release(&repeated);
    results_release(&shared);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_shared_input_that_is_not_finite_is_named_by_its_number_among_all_inputs) {
    static const double bad[] = {NAN, INFINITY};
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    for (size_t b = 0; b < COUNT_OF(bad); b++) {
        struct samples s = draw_samples(&choices[3], 31);
        struct shared_gradient g;
        s.shared[1] = bad[b]; /* input 2 */
        struct layer_results r = run_shared(layer, NULL, &choices[3], &s, false, &g);
        for (size_t i = 0; i < COUNT; i++) {
            assert_int_equal(r.reports[i].outcome, HN_OUTCOME_NONFINITE_INPUT);
            assert_int_equal(r.reports[i].culprit, 2);
            assert_true(r.flagged[i]);
        }
        assert_all_zero(g.sum, choices[3].count);
        results_release(&r);
    }
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(a_cancelled_call_returns_the_raw_outputs) {
    const int cancel = 1;
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    const struct samples s = draw_samples(&choices[3], 41);
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, NULL, s.raw);
    share(&batch, &choices[3], &s);
    batch.cancel = &cancel;
    layer_run(layer, &batch);
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(r.reports[i].outcome, HN_OUTCOME_CANCELLED);
    for (size_t i = 0; i < COUNT * OUTPUTS; i++)
        assert_same_bits(r.y[i], s.raw[i]);
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(without_samples_the_sum_is_left_as_it_is) {
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    double sum = 3;
    hn_batch none = {.size = sizeof none};
    hn_gradient gradient = {.size = sizeof gradient, .grad_shared = &sum};
    assert_int_equal(hn_layer_gradient(layer, &none, &gradient, NULL, 0, NULL), HN_OK);
    assert_true(sum == 3);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

/* ---- bad input ---- */

static void is_refused(const hn_layer *layer, const hn_batch *batch, const char *words) {
    hn_error error = {.text = ""};
    assert_error(hn_layer_run(layer, batch, NULL, 0, &error), HN_INVALID, error, words);
}

TEST(shared_inputs_that_do_not_fit_are_refused_by_name) {
    static const size_t twice[] = {1, 1}, falling[] = {2, 1}, far[] = {0, INPUTS};
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    const struct samples s = draw_samples(&choices[0], 51);
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, NULL, s.raw), whole;
    share(&batch, &choices[0], &s);
    whole = batch;
    batch.shared_count = INPUTS + 1;
    is_refused(layer, &batch, "batch.shared_count 6: the model has 5 inputs");
    batch.shared_count = SIZE_MAX;
    is_refused(layer, &batch, "batch.shared_count");
    batch = whole;
    batch.shared = NULL;
    is_refused(layer, &batch, "shared, with the values of 2 inputs, is missing");
    batch = whole;
    batch.shared_inputs = twice;
    is_refused(layer, &batch, "batch.shared_inputs: entry 1 is 1");
    batch.shared_inputs = falling;
    is_refused(layer, &batch, "must ascend");
    batch.shared_inputs = far;
    is_refused(layer, &batch, "below 5");
    batch = whole;
    batch.x = NULL;
    is_refused(layer, &batch, "x is missing");
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}

TEST(sums_that_cannot_be_are_refused_by_name) {
    hn_model *model = model_of_inputs();
    hn_layer *layer = layer_of(model, layer_method(HN_METHOD_AUTO));
    const struct samples s = draw_samples(&choices[0], 61);
    struct layer_results r = results_of(layer, COUNT);
    hn_batch batch = batch_into(&r, s.x, s.raw);
    hn_gradient gradient = gradient_into(&r, s.grad_y);
    double sum[2] = {0}, each[2 * COUNT];
    hn_error error = {.text = ""};
    gradient.grad_shared = sum;
    gradient.shared_each = each;
    assert_error(hn_layer_gradient(layer, &batch, &gradient, NULL, 0, &error), HN_INVALID, error,
                 "need a batch with shared inputs");
    share(&batch, &choices[0], &s);
    gradient.shared_each = NULL;
    assert_error(hn_layer_gradient(layer, &batch, &gradient, NULL, 0, &error), HN_INVALID, error,
                 "shared_each, which is missing");
    results_release(&r);
    hn_layer_destroy(layer);
    hn_model_destroy(model);
}
