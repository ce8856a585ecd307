/* test_arithmetic.c - where a caller has set arithmetic otherwise, whatever computes refuses by name, writes nothing, and
 * gives the same bits as ever once it is set back.
 *
 * SPDX-License-Identifier: MIT */
#include "hardnet/hardnet.h"
#include "support/check.h"
#include "support/run_layer.h"

#include <fenv.h>

enum { INPUTS = 3, OUTPUTS = 50, SAMPLES = 4 };

/* ---- what may be set ---- */

static bool set_upward(void) {
    return fesetround(FE_UPWARD) == 0;
}
static bool set_downward(void) {
    return fesetround(FE_DOWNWARD) == 0;
}
static bool set_to_zero(void) {
    return fesetround(FE_TOWARDZERO) == 0;
}

#if defined(__x86_64__)
enum { FLUSH_TO_ZERO = 1 << 15, DENORMALS_ARE_ZERO = 1 << 6 };
static bool set_flush(void) {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | FLUSH_TO_ZERO);
    return true;
}
static bool set_denormals(void) {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | DENORMALS_ARE_ZERO);
    return true;
}
static void set_back(void) {
    __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() & ~(unsigned)(FLUSH_TO_ZERO | DENORMALS_ARE_ZERO));
    fesetround(FE_TONEAREST);
}
#else
static bool set_flush(void) {
    return false;
}
static bool set_denormals(void) {
    return false;
}
static void set_back(void) {
    fesetround(FE_TONEAREST);
}
#endif

static const struct setting {
    bool (*set)(void); /* false: this machine cannot */
    const char *word;
} settings[] = {
    {set_upward, "nearest"}, {set_downward, "nearest"},    {set_to_zero, "nearest"},
    {set_flush, "FTZ"},      {set_denormals, "subnormal"},
};

/* ---- everything that computes ---- */

struct things {
    hn_model *model;
    hn_layer *layer;
    hn_pool *pool;
    hn_evaluator *evaluator;
    hn_network *network;
    hn_trainer *trainer;
    hn_policy *policy;
    hn_refiner *refiner;
    hn_batch batch;
    hn_report reports[SAMPLES];
    hn_gradient gradient;
    double x[SAMPLES * INPUTS], y_raw[SAMPLES * OUTPUTS], y[SAMPLES * OUTPUTS], ones[SAMPLES * OUTPUTS];
    double pulled[SAMPLES * OUTPUTS];
    void *workspace, *tape;
    size_t bytes;
};

static const char *const path = "models/unicycle.mod";
static const hn_network_options shape = {
    .inputs = INPUTS, .outputs = OUTPUTS, .hidden_count = 1, .hidden = {8}, .seed = 1};

static hn_status read_model(struct things *t, hn_error *error) {
    hn_model *other = NULL;
    hn_status status = hn_model_read(&other, 1, &path, NULL, error);
    (void)t;
    hn_model_destroy(other);
    return status;
}

static hn_status create_layer(struct things *t, hn_error *error) {
    hn_layer *other = NULL;
    hn_status status = hn_layer_create(&other, t->model, NULL, error);
    hn_layer_destroy(other);
    return status;
}

static hn_status run_layer(struct things *t, hn_error *error) {
    return hn_layer_run(t->layer, &t->batch, t->workspace, t->bytes, error);
}

static hn_status pull_layer(struct things *t, hn_error *error) {
    return hn_layer_gradient(t->layer, &t->batch, &t->gradient, t->workspace, t->bytes, error);
}

static hn_status create_pool(struct things *t, hn_error *error) {
    hn_pool *other = NULL;
    hn_status status = hn_pool_create(&other, t->layer, 2, error);
    hn_pool_destroy(other);
    return status;
}

static hn_status run_pool(struct things *t, hn_error *error) {
    return hn_pool_run(t->pool, &t->batch, error);
}

static hn_status pull_pool(struct things *t, hn_error *error) {
    return hn_pool_gradient(t->pool, &t->batch, &t->gradient, error);
}

static hn_status create_network(struct things *t, hn_error *error) {
    hn_network *other = NULL;
    hn_status status = hn_network_create(&other, &shape, error);
    (void)t;
    hn_network_destroy(other);
    return status;
}

static hn_status run_network(struct things *t, hn_error *error) {
    return hn_network_run(t->network, SAMPLES, t->x, t->y, t->workspace, t->bytes, error);
}

static hn_status run_evaluator(struct things *t, hn_error *error) {
    hn_evaluation evaluation = {.size = sizeof evaluation, .count = SAMPLES, .x = t->x, .y = t->y_raw};
    return hn_evaluator_run(t->evaluator, &evaluation, t->workspace, t->bytes, error);
}

static hn_status run_policy(struct things *t, hn_error *error) {
    return hn_policy_run(t->policy, SAMPLES, t->x, t->y, NULL, NULL, error);
}

static hn_status run_refiner(struct things *t, hn_error *error) {
    hn_refinement batch = {.size = sizeof batch, .count = SAMPLES, .x = t->x, .y_raw = t->y_raw, .y = t->y};
    return hn_refiner_run(t->refiner, &batch, error);
}

static hn_status step_trainer(struct things *t, hn_error *error) {
    return hn_trainer_step(t->trainer, SAMPLES, t->x, NULL, NULL, error);
}

static hn_status (*const calls[])(struct things *, hn_error *) = {
    read_model,     create_layer, run_layer,     pull_layer, create_pool, run_pool,     pull_pool,
    create_network, run_network,  run_evaluator, run_policy, run_refiner, step_trainer,
};

/* ---- making them ---- */

static void make_calculators(struct things *t) {
    assert_int_equal(hn_model_read(&t->model, 1, &path, NULL, NULL), HN_OK);
    assert_int_equal(hn_layer_create(&t->layer, t->model, NULL, NULL), HN_OK);
    assert_int_equal(hn_pool_create(&t->pool, t->layer, 2, NULL), HN_OK);
    assert_int_equal(hn_evaluator_create(&t->evaluator, t->model, NULL, NULL), HN_OK);
    assert_int_equal(hn_network_create(&t->network, &shape, NULL), HN_OK);
    assert_int_equal(hn_policy_create(&t->policy, t->model, t->network, NULL, NULL), HN_OK);
    assert_int_equal(hn_refiner_create(&t->refiner, t->model, NULL, NULL, NULL), HN_OK);
    assert_int_equal(hn_trainer_create(&t->trainer, t->model, t->network, NULL, NULL), HN_OK);
}

static void make(struct things *t) {
    *t = (struct things){.bytes = (size_t)1 << 22};
    make_calculators(t);
    t->workspace = malloc(t->bytes);
    t->tape = malloc(hn_layer_tape_bytes(t->layer, SAMPLES));
    assert_true(t->workspace && t->tape);
    for (size_t i = 0; i < COUNT_OF(t->x); i++)
        t->x[i] = i % INPUTS == 0 ? -3 : 0.3;
    for (size_t i = 0; i < COUNT_OF(t->y_raw); i++) {
        t->y_raw[i] = 0.01 * (double)(i % 17);
        t->ones[i] = 1;
    }
    t->batch = batch_of(SAMPLES, t->x, t->y_raw, t->y, t->reports);
    t->batch.tape = t->tape;
    t->gradient = (hn_gradient){.size = sizeof t->gradient, .grad_y = t->ones, .grad_y_raw = t->pulled};
}

static void destroy(struct things *t) {
    hn_trainer_destroy(t->trainer);
    hn_refiner_destroy(t->refiner);
    hn_policy_destroy(t->policy);
    hn_network_destroy(t->network);
    hn_evaluator_destroy(t->evaluator);
    hn_pool_destroy(t->pool);
    hn_layer_destroy(t->layer);
    hn_model_destroy(t->model);
    free(t->workspace);
    free(t->tape);
}

/* ---- tests ---- */

TEST(every_call_refuses_another_arithmetic_by_name) {
    static struct things t;
    static double corrected[SAMPLES * OUTPUTS], pulled[SAMPLES * OUTPUTS];
    make(&t);
    assert_int_equal(run_layer(&t, NULL), HN_OK);
    assert_int_equal(pull_layer(&t, NULL), HN_OK);
    memcpy(corrected, t.y, sizeof corrected);
    memcpy(pulled, t.pulled, sizeof pulled);
    for (size_t i = 0; i < COUNT_OF(settings) * COUNT_OF(calls); i++) {
        const struct setting *setting = &settings[i / COUNT_OF(calls)];
        hn_error error = {.status = HN_OK};
        hn_status status = HN_UNSUPPORTED;
        bool possible = setting->set();
        if (possible)
            status = calls[i % COUNT_OF(calls)](&t, &error);
        set_back();
        if (status != HN_UNSUPPORTED || (possible && !strstr(error.text, setting->word)))
            fail_msg("call %zu: status %d, %s", i % COUNT_OF(calls), (int)status, error.text);
        assert_memory_equal(t.y, corrected, sizeof corrected);
        assert_memory_equal(t.pulled, pulled, sizeof pulled);
    }
    assert_int_equal(run_pool(&t, NULL), HN_OK);
    assert_int_equal(pull_pool(&t, NULL), HN_OK);
    assert_memory_equal(t.y, corrected, sizeof corrected);
    assert_memory_equal(t.pulled, pulled, sizeof pulled);
    destroy(&t);
}
