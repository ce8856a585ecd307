/* test_loss.c - the objective by itself against the objective beside residuals and gradients.
 *
 * SPDX-License-Identifier: MIT */
#include "support/check.h"
#include "support/model_check.h"
#include "support/numbers.h"

#include "base/random.h"
#include "hardnet/read.h"
#include "nn/loss.h"

enum { SAMPLES = 21 };

static void check_model(const char *path) {
    struct loss loss;
    struct random random = random_start(5, 0);
    double alone[SAMPLES], beside[SAMPLES], residual[SAMPLES];
    hn_model *model = model_of_file(path);
    assert_int_equal(loss_create(&loss, model, NULL), HN_OK);
    double *x = normal_numbers(&random, SAMPLES * loss.inputs), *y = normal_numbers(&random, SAMPLES * loss.outputs);
    double *memory = aligned_alloc(64, (loss.bytes + 63) / 64 * 64);
    assert_non_null(memory);
    loss_begin(&loss, memory);
    loss_run(&loss, memory, &(struct loss_batch){SAMPLES, x, y, NULL, beside, residual}, (struct loss_weights){0, 0});
    loss_run(&loss, memory, &(struct loss_batch){SAMPLES, x, y, NULL, alone, NULL}, (struct loss_weights){0, 0});
    assert_memory_equal(alone, beside, sizeof alone);
    free(memory);
    free(x);
    free(y);
    loss_release(&loss);
    hn_model_destroy(model);
}

TEST(an_objective_has_the_same_bits_by_itself) {
    static const char *const models[] = {"models/unicycle.mod", "models/pooling.mod", "models/tasks/arm.mod",
                                         "models/tasks/opf5.mod", "models/tasks/portfolio.mod"};
    for (size_t i = 0; i < COUNT_OF(models); i++)
        check_model(models[i]);
}

/* log(y) has no value at y = -1, the bound sqrt(a) has none at a = -1. */
TEST(an_undefined_row_is_never_worth_0) {
    static const char text[] = "param a; var y; minimize f: (y + 3)^2; subject to c: log(y) >= 0;\n"
                               "subject to d: y <= sqrt(a);";
    static const struct {
        double a, y, residual; /* infinite: it must not be a number */
    } cases[] = {{4, -1, INFINITY}, {4, 0.5, 0.693147180559945}, {4, 1.5, 0}, {4, 3, 1}, {-1, 1.5, INFINITY}};
    hn_model *model = model_of_text(text);
    struct loss loss;
    assert_int_equal(loss_create(&loss, model, NULL), HN_OK);
    double *memory = aligned_alloc(64, (loss.bytes + 63) / 64 * 64);
    assert_non_null(memory);
    loss_begin(&loss, memory);
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double objective, residual, gradient;
        loss_run(&loss, memory, &(struct loss_batch){1, &cases[i].a, &cases[i].y, &gradient, &objective, &residual},
                 (struct loss_weights){10, 1});
        if (isinf(cases[i].residual))
            assert_true(isnan(residual));
        else
            assert_true(fabs(residual - cases[i].residual) <= 1e-15);
    }
    free(memory);
    loss_release(&loss);
    hn_model_destroy(model);
}
